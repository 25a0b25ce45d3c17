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
pub mod ids;
pub mod model;
pub mod optimize;
pub mod program;
