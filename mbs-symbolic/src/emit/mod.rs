//! Stage 7: programs as code, equations for people.
//!
//! Code is spelled from [`Program`](crate::program::Program) and nothing else. Readable
//! equations come from [`Equations`](crate::dynamics::Equations): an optimised program
//! is scheduled for machines.

pub mod latex;
pub mod readable;
pub mod text;
