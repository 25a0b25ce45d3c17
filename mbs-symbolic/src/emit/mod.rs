//! Stage 8: programs as code, equations for people.
//!
//! Code is spelled from [`Program`](crate::program::Program), whose functions
//! [`straight_line`](crate::straight_line) prepares, and nothing else: order,
//! sharing and hoisting are done before. Readable equations come from
//! [`Equations`](crate::dynamics::Equations), because an optimised program is scheduled
//! for machines.

pub mod latex;
pub mod mathml;
pub mod readable;
pub mod rust;
pub mod text;
mod writer;

pub use writer::Writer;
