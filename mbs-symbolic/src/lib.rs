//! Compiler from mechanisms to equations of motion.
//!
//! ```text
//! YAML ──> Model ──> Topology ──> Kinematics ──> Equations ──> Program ──> Rust, LaTeX, text
//! ```
//!
//! Each stage has its own input and output type and lives in its own module.

pub mod diag;
pub mod dynamics;
pub mod emit;
pub mod expr;
mod forces;
pub mod ids;
mod joints;
mod kinematics;
mod lower;
pub mod model;
pub mod optimize;
pub mod program;
mod spatial;
pub mod topology;

use diag::{Diagnostics, Sources};

/// A compiled model.
#[derive(Debug)]
pub struct Compiled {
    /// The optimised program.
    pub program: program::Program,
    /// What the optimiser did.
    pub passes: optimize::Report,
    /// What is worth saying about the model.
    pub warnings: Diagnostics,
    /// The model and the files it names, for messages.
    pub sources: Sources,
}

/// Why a model was not compiled.
#[derive(Debug)]
pub struct Rejected {
    /// Everything that is wrong with it, warnings included.
    pub diagnostics: Diagnostics,
    /// The model and the files it names, for messages.
    pub sources: Sources,
}

impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&diag::render(&self.diagnostics, &self.sources))
    }
}

impl std::error::Error for Rejected {}

/// Compiles the model in `source`, stage by stage. `name` is the file's name in
/// messages; files the model names are asked from `loader`.
pub fn compile(name: &str, source: &str, loader: &dyn model::Loader) -> Result<Compiled, Box<Rejected>> {
    let model::Reading { sources, result } = model::read(name, source, loader);
    let (model, mut warnings) = match result {
        Ok(read) => read,
        Err(diagnostics) => return Err(Box::new(Rejected { diagnostics, sources })),
    };
    let equations = topology::build(&model)
        .and_then(|topology| dynamics::build(&model, &topology, dynamics::Options::default()));
    let equations = match equations {
        Ok(equations) => equations,
        Err(errors) => {
            warnings.append(errors);
            warnings.sort();
            return Err(Box::new(Rejected { diagnostics: warnings, sources }));
        }
    };
    let mut program = program::lower(&equations);
    let passes = optimize::run(&mut program);
    Ok(Compiled { program, passes, warnings, sources })
}
