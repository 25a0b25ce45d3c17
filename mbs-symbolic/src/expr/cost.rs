//! What expressions cost before they are optimised.

use super::{Graph, Node, Symbol, UnaryOp};
use crate::ids::ExprId;
use rustc_hash::FxHashSet;

/// What a sine or a cosine counts for among operations: a pair takes the time of some twenty.
const SINE: usize = 10;

impl Graph {
    /// Operations behind some expressions, shared ones once; those of parameters alone and
    /// changes of sign are free, sines and cosines count for what they take.
    pub fn operations(&self, roots: &[ExprId]) -> usize {
        let mut seen = FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.node(id).operands());
            }
        }
        // Operands have smaller ids.
        let mut list: Vec<ExprId> = seen.into_iter().collect();
        list.sort_unstable();
        let mut parametric = FxHashSet::default();
        let mut count = 0;
        for id in list {
            let node = self.node(id);
            let is_parametric = match node {
                Node::Constant(_) | Node::Symbol(Symbol::Theta(_)) => true,
                Node::Symbol(_) => false,
                _ => node.operands().all(|operand| parametric.contains(&operand)),
            };
            if is_parametric {
                parametric.insert(id);
            } else {
                count += match node {
                    Node::Symbol(_) | Node::Unary(UnaryOp::Neg, _) => 0,
                    Node::Unary(UnaryOp::Sin | UnaryOp::Cos, _) => SINE,
                    _ => 1,
                };
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_work_counts_once_and_parameters_are_free() {
        let mut graph = Graph::new();
        let [p, l] = [Symbol::P(0), Symbol::Theta(0)].map(|symbol| graph.symbol(symbol));
        let square = graph.mul(l, l);
        let a = graph.mul(square, p);
        let minus = graph.neg(a);
        let b = graph.sin(a);
        assert_eq!(graph.operations(&[a, minus, b]), 1 + SINE);
    }
}
