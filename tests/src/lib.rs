//! Harness of the workspace's tests.
//!
//! The [`oracle`] reads a resolved model and derives its equations a second time, from
//! the definitions of joints, constraints and forces and by automatic differentiation.
//! It imports nothing of the compiler but the model's types.

mod accelerations;
pub mod build;
pub mod close;
pub mod compiled;
pub mod csv;
pub mod elastic;
pub mod formula;
mod jacobian;
pub mod load;
pub mod loads;
pub mod mechanism;
pub mod models;
pub mod numbers;
pub mod oracle;
pub mod peers;
mod program;
pub mod random_models;
pub mod rows;
pub mod scalar;
pub mod solve;
pub mod states;
pub mod table;
pub mod transform;
