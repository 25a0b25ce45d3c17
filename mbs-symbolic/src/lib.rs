//! Compiler from mechanisms to equations of motion.
//!
//! ```text
//! YAML, URDF ──> Model ──> Topology ──> Kinematics ──> Equations ──> Program ──> Rust, LaTeX, text
//! ```
//!
//! Each stage has its own input and output type and lives in its own module; [`compile`]
//! calls them in order and does nothing else. The crate neither prints nor reads files:
//! what a model names arrives through a [`model::Loader`].

pub mod checks;
pub mod diag;
pub mod dynamics;
pub mod emit;
pub mod explain;
pub mod expr;
mod forces;
pub mod ids;
mod joints;
mod kinematics;
mod lower;
pub mod model;
pub mod optimize;
mod printable;
pub mod program;
mod spatial;
pub mod straight_line;
pub mod topology;

use diag::{Diagnostics, Sources};

pub use printable::printable;

/// What to form beside the equations.
pub use dynamics::Options;

/// A compiled model with everything learnt on the way.
#[derive(Debug)]
pub struct Compiled {
    /// The mechanism as its author wrote it.
    pub model: model::Model,
    /// Its tree and cuts.
    pub topology: topology::Topology,
    /// Its equations as expressions.
    pub equations: dynamics::Equations,
    /// Its equations as optimised straight-line code.
    pub program: program::Program,
    /// What each optimiser pass did.
    pub report: optimize::Report,
    /// What the author may want to look at.
    pub warnings: Diagnostics,
    /// The model file and the files it names.
    pub sources: Sources,
}

/// A model that could not be compiled.
#[derive(Debug)]
pub struct Rejected {
    /// Everything that is wrong.
    pub diagnostics: Diagnostics,
    /// The model file and the files it names.
    pub sources: Sources,
}

impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&diag::render(&self.diagnostics, &self.sources))
    }
}

impl std::error::Error for Rejected {}

/// Everything that is wrong with a model that could not be read: what reading `found`, and
/// what the rest of the model says of how its bodies hang together.
pub fn all_problems(mut found: Diagnostics, fragment: Option<&model::Fragment>) -> Diagnostics {
    if let Some(fragment) = fragment {
        found.append(topology::examine(fragment));
        found.sort();
    }
    found
}

/// Compiles the model in `source`; `name` is the file's name in messages.
pub fn compile(
    name: &str,
    source: &str,
    loader: &dyn model::Loader,
    options: Options,
) -> Result<Compiled, Box<Rejected>> {
    let model::Reading { sources, result, fragment } = model::read_with(name, source, loader, options.urdf());
    let stages = || -> Result<_, Diagnostics> {
        let (model, mut warnings) = result.map_err(|found| all_problems(found, fragment.as_deref()))?;
        let topology = topology::build(&model)?;
        let equations = dynamics::build(&model, &topology, options)?;
        let mut program = program::lower(&equations);
        let report = optimize::run(&mut program);
        warnings.append(checks::of_program(&model, &topology, &program));
        Ok((model, warnings, topology, equations, program, report))
    };
    match stages() {
        Ok((model, warnings, topology, equations, program, report)) => {
            Ok(Compiled { model, topology, equations, program, report, warnings, sources })
        }
        Err(diagnostics) => Err(Box::new(Rejected { diagnostics, sources })),
    }
}
