//! Expressions: a graph in which equal sub-expressions are one node from birth.
//!
//! Ids are topologically ordered (operands have smaller ids), so every walk over
//! the graph is a loop over ids and nothing recurses.

mod cost;
mod diff;
mod display;
mod eval;
mod fold;
mod gather;
mod graph;
mod op;

pub use diff::{Derivative, gradient};
pub use eval::{Environment, evaluate, values};
pub use gather::difference;
pub use graph::{Bits, Graph, Node, Symbol};
pub use op::{BinaryOp, CostClass, UnaryOp};
