//! Expressions as text, for tests and dumps.

use super::{BinaryOp, Graph, Node, UnaryOp};
use crate::ids::{ExprId, Id};

impl Graph {
    /// The expression in full, every operand spelled out to a depth of twelve.
    pub fn display(&self, expr: ExprId) -> String {
        self.display_to_depth(expr, 12)
    }

    fn display_to_depth(&self, expr: ExprId, depth: u32) -> String {
        if depth == 0 {
            return format!("{expr:?}");
        }
        let inner = |id| self.display_to_depth(id, depth - 1);
        match self.node(expr) {
            Node::Constant(bits) => format!("{:?}", bits.get()),
            Node::Symbol(symbol) => format!("{symbol:?}"),
            Node::Unary(UnaryOp::Neg, a) => format!("-{}", inner(a)),
            Node::Unary(op, a) => format!("{op:?}({})", inner(a)),
            Node::Binary(op, a, b) => match op {
                BinaryOp::Add => format!("({} + {})", inner(a), inner(b)),
                BinaryOp::Sub => format!("({} - {})", inner(a), inner(b)),
                BinaryOp::Mul => format!("{}*{}", inner(a), inner(b)),
                BinaryOp::Div => format!("{}/{}", inner(a), inner(b)),
                _ => format!("{op:?}({}, {})", inner(a), inner(b)),
            },
            Node::Select(c, a, b) => format!("select({}, {}, {})", inner(c), inner(a), inner(b)),
            Node::Table { table, derivative, at, .. } => {
                format!("table{}_{derivative}({})", table.index(), inner(at))
            }
        }
    }
}
