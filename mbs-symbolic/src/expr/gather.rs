//! Differences with what is fixed gathered.

use super::{BinaryOp, Graph, Node, Symbol, UnaryOp};
use crate::ids::ExprId;
use rustc_hash::FxHashSet;

/// Sums longer than this are left as they are.
const MAX_TERMS: usize = 64;

/// a − b, with equal terms of both cancelled and what depends on parameters alone taken
/// together.
///
/// Two points far from the origin and close to each other are so subtracted without losing
/// the digits of the distance.
pub fn difference(graph: &mut Graph, a: ExprId, b: ExprId) -> ExprId {
    let mut terms = Vec::new();
    if !collect(graph, a, true, &mut terms) || !collect(graph, b, false, &mut terms) {
        return graph.sub(a, b);
    }
    let mut kept: Vec<(bool, ExprId)> = Vec::new();
    for (positive, term) in terms {
        match kept.iter().position(|&(sign, other)| other == term && sign != positive) {
            Some(index) => {
                kept.remove(index);
            }
            None => kept.push((positive, term)),
        }
    }
    let (fixed, moving): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|&(_, term)| is_parametric(graph, term));
    let mut total = |terms: Vec<(bool, ExprId)>| {
        let mut sum = graph.zero();
        for (positive, term) in terms {
            sum = if positive { graph.add(sum, term) } else { graph.sub(sum, term) };
        }
        sum
    };
    let (moving, fixed) = (total(moving), total(fixed));
    graph.add(moving, fixed)
}

/// Adds the terms of a sum to `terms`; false if there are too many.
fn collect(graph: &Graph, sum: ExprId, positive: bool, terms: &mut Vec<(bool, ExprId)>) -> bool {
    let mut stack = vec![(positive, sum)];
    while let Some((positive, expr)) = stack.pop() {
        match graph.node(expr) {
            Node::Binary(BinaryOp::Add, a, b) => stack.extend([(positive, b), (positive, a)]),
            Node::Binary(BinaryOp::Sub, a, b) => stack.extend([(!positive, b), (positive, a)]),
            Node::Unary(UnaryOp::Neg, a) => stack.push((!positive, a)),
            _ => terms.push((positive, expr)),
        }
        if stack.len() + terms.len() > MAX_TERMS {
            return false;
        }
    }
    true
}

/// Whether an expression depends on parameters alone.
pub fn is_parametric(graph: &Graph, expr: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![expr];
    while let Some(id) = stack.pop() {
        if let Node::Symbol(symbol) = graph.node(id)
            && !matches!(symbol, Symbol::Theta(_))
        {
            return false;
        }
        if seen.insert(id) {
            stack.extend(graph.node(id).operands());
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fixed_is_taken_together_and_equal_terms_cancel() {
        let mut graph = Graph::new();
        let [p, q] = [0, 1].map(|k| graph.symbol(Symbol::P(k)));
        let l = graph.symbol(Symbol::Theta(0));
        let [forty, forty_one] = [40.0, 41.0].map(|k| graph.scale(k, l));
        // (40 l + p + q) − (41 l + p)
        let a = graph.sum([forty, p, q]);
        let b = graph.add(forty_one, p);
        let fixed = graph.sub(forty, forty_one);
        let expected = graph.add(q, fixed);
        assert_eq!(difference(&mut graph, a, b), expected);
        assert_eq!(difference(&mut graph, a, a), graph.zero());
    }
}
