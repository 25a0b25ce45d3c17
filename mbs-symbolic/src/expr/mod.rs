//! Expressions: a graph in which equal sub-expressions are one node from birth.
//!
//! Ids are topologically ordered (operands have smaller ids), so every walk over
//! the graph is a loop over ids and nothing recurses.

mod cost;
mod derivative;
mod diff;
mod display;
mod eval;
mod fold;
mod gather;
mod graph;
mod op;
mod polynomial;

pub(crate) use derivative::Numbers;
pub use diff::{Derivative, gradient};
pub use eval::{Environment, evaluate, values};
pub use gather::{difference, is_parametric};
pub use graph::{Bits, Graph, Node, Symbol};
pub use op::{BinaryOp, CostClass, Parity, UnaryOp};
pub use polynomial::{quotient, simplified, without_common_factor};
