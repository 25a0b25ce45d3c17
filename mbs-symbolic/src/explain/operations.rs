//! What the terms of an entry cost, each by itself and together.

use crate::expr::{Graph, Node, Symbol, UnaryOp};
use crate::ids::ExprId;
use rustc_hash::FxHashMap;

/// Operations of terms that are added up. What several terms need is counted once; work on
/// parameters alone and changes of sign are free, sine and cosine of one angle are one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shares {
    /// Operations only this term needs, one number per term.
    pub own: Vec<usize>,
    /// Operations several terms need.
    pub shared: usize,
    /// Additions of the terms.
    pub sums: usize,
}

impl Shares {
    /// All together.
    pub fn total(&self) -> usize {
        self.own.iter().sum::<usize>() + self.shared + self.sums
    }
}

/// Who needs a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    One(usize),
    Several,
}

pub(super) fn shares(graph: &Graph, terms: &[ExprId]) -> Shares {
    let mut owners: FxHashMap<ExprId, Owner> = FxHashMap::default();
    for (term, &root) in terms.iter().enumerate() {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let owner = match owners.get(&id) {
                Some(Owner::Several) => continue,
                Some(Owner::One(other)) if *other == term => continue,
                Some(Owner::One(_)) => Owner::Several,
                None => Owner::One(term),
            };
            owners.insert(id, owner);
            stack.extend(graph.node(id).operands());
        }
    }
    // Operands have smaller ids.
    let mut list: Vec<(ExprId, Owner)> = owners.into_iter().collect();
    list.sort_unstable_by_key(|(id, _)| *id);
    let mut depends: FxHashMap<ExprId, bool> = FxHashMap::default();
    let mut angles: FxHashMap<ExprId, Owner> = FxHashMap::default();
    let mut shares = Shares { own: vec![0; terms.len()], shared: 0, sums: terms.len().saturating_sub(1) };
    for (id, owner) in list {
        let node = graph.node(id);
        let changes = match node {
            Node::Constant(_) | Node::Symbol(Symbol::Theta(_)) => false,
            Node::Symbol(_) => true,
            _ => node.operands().any(|operand| depends[&operand]),
        };
        depends.insert(id, changes);
        if !changes {
            continue;
        }
        match node {
            Node::Symbol(_) | Node::Constant(_) | Node::Unary(UnaryOp::Neg, _) => {}
            Node::Unary(UnaryOp::Sin | UnaryOp::Cos, angle) => {
                let both = angles.entry(angle).or_insert(owner);
                if *both != owner {
                    *both = Owner::Several;
                }
            }
            _ => shares.count(owner),
        }
    }
    // The order of counting does not matter.
    for owner in angles.into_values() {
        shares.count(owner);
    }
    shares
}

impl Shares {
    fn count(&mut self, owner: Owner) {
        match owner {
            Owner::One(term) => self.own[term] += 1,
            Owner::Several => self.shared += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// l² m sin q + l² m cos q · q' + (q' q') m: the pair of sine and cosine is shared, the
    /// products are not, and l² m is nobody's.
    #[test]
    fn shared_work_counts_once() {
        let mut graph = Graph::new();
        let [q, w, l, m] = [Symbol::P(0), Symbol::V(0), Symbol::Theta(0), Symbol::Theta(1)]
            .map(|symbol| graph.symbol(symbol));
        let square = graph.mul(l, l);
        let inertia = graph.mul(square, m);
        let (sine, cosine) = (graph.sin(q), graph.cos(q));
        let first = graph.mul(inertia, sine);
        let second = graph.mul(inertia, cosine);
        let second = graph.mul(second, w);
        let third = graph.mul(w, w);
        let third = graph.mul(third, m);
        let shares = shares(&graph, &[first, second, third]);
        assert_eq!(shares, Shares { own: vec![1, 2, 2], shared: 1, sums: 2 });
        assert_eq!(shares.total(), 8);
    }
}
