//! Stage 7: [`Program`](crate::program::Program) → text.
//!
//! An emitter only spells: order, sharing and hoisting are done before.

pub mod rust;
mod writer;

pub use writer::Writer;
