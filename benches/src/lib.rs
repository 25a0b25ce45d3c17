//! What is measured: models as generated Rust and as native code in memory, chains of any
//! length, rows of any number of loops, and one way to call every function.

mod case;
mod chain;
mod loops;

pub use case::{Case, FUNCTIONS};
pub use chain::chain;
pub use loops::four_bars;

use mbs_jit::Native;
use mbs_runtime::System;
use mbs_symbolic::model::NoFiles;
use mbs_symbolic::program::Program;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// A model of the repository as generated Rust.
///
/// # Panics
/// If there is none of this name among those measured.
pub fn generated(name: &str) -> &'static dyn System {
    let found = GENERATED.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("`{name}` is not measured")).1
}

/// A model of the repository as native code in memory.
///
/// # Panics
/// If it cannot be read, compiled or run natively.
pub fn native(name: &str) -> Native {
    Native::new(&program(name)).expect("native code")
}

/// A model of the repository, optimised.
///
/// # Panics
/// If it cannot be read or compiled.
pub fn program(name: &str) -> Program {
    let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    compile(&std::fs::read_to_string(path).expect("a model of the repository"))
}

/// A model given as text, optimised.
///
/// # Panics
/// If it is wrong.
pub fn compile(source: &str) -> Program {
    let compiled = mbs_symbolic::compile("model.yaml", source, &NoFiles, mbs_symbolic::Options::default());
    compiled.expect("a correct model").program
}
