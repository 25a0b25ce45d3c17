//! When a mode matters: only while some conditional it decides is on the branch taken.
//!
//! In `if(a > 0, max(0, b), 0)` the sign of `b` is of no consequence while `a ≤ 0`, and its
//! switching function may not even be defined there.

use super::ModeCondition;
use crate::expr::{BinaryOp, Graph, Node, Symbol, UnaryOp};
use crate::ids::{ExprId, Id, IdVec, ModeId};
use rustc_hash::FxHashMap;

/// More alternatives than this are not told apart: the mode then counts as always used,
/// which is right, only less sharp.
const MAX_ALTERNATIVES: usize = 16;

/// Conditions nested deeper than this in `and`, `or`, `not` are not looked into.
const DEEPEST_CONDITION: u32 = 16;

/// Conditions on modes that hold together, ordered by mode; empty for no condition.
pub(crate) type Conjunction = Vec<ModeCondition>;

/// For each mode the alternatives under which it has an influence on one of `roots`; a
/// mode without any has none.
///
/// `switching` are the modes' functions, which matter where their modes do. Follows uses
/// from the roots down, so every node is met after all that use it; a mode's symbol is
/// younger than its function, which therefore comes later.
pub(super) fn uses(
    graph: &Graph,
    switching: &IdVec<ModeId, ExprId>,
    roots: impl Iterator<Item = ExprId>,
) -> IdVec<ModeId, Vec<Conjunction>> {
    let mut uses: IdVec<ModeId, Vec<Conjunction>> = switching.iter().map(|_| Vec::new()).collect();
    if !switching.is_empty() {
        follow(graph, switching, roots, |id, here| {
            if let Node::Symbol(Symbol::Mode(mode)) = graph.node(id) {
                uses[mode] = here.to_vec();
            }
        });
    }
    uses
}

/// Tables as they are read, with the alternatives under which that has an influence on one of
/// `roots`.
pub(crate) fn readings(
    graph: &Graph,
    switching: &IdVec<ModeId, ExprId>,
    roots: impl Iterator<Item = ExprId>,
) -> Vec<(ExprId, Vec<Conjunction>)> {
    let mut found = Vec::new();
    follow(graph, switching, roots, |id, here| {
        if let Node::Table { .. } = graph.node(id) {
            found.push((id, here.to_vec()));
        }
    });
    found
}

/// Meets everything the roots use, each with the alternatives under which they do.
fn follow(
    graph: &Graph,
    switching: &IdVec<ModeId, ExprId>,
    roots: impl Iterator<Item = ExprId>,
    mut meet: impl FnMut(ExprId, &[Conjunction]),
) {
    let mut reached = Reached { always: vec![false; graph.len()], under: FxHashMap::default() };
    for root in roots {
        reached.add(root, &always());
    }
    for index in (0..graph.len()).rev() {
        let id = ExprId::new(index);
        let Some(mut here) = reached.take(id) else { continue };
        here.sort_unstable();
        meet(id, &here);
        match graph.node(id) {
            Node::Symbol(Symbol::Mode(mode)) => reached.add(switching[mode], &here),
            Node::Select(condition, a, b) => {
                reached.add(condition, &here);
                for (branch, taken) in [(a, true), (b, false)] {
                    let guard = alternatives(graph, condition, taken, 0);
                    reached.add(branch, &both(&here, &guard));
                }
            }
            node => node.operands().for_each(|operand| reached.add(operand, &here)),
        }
    }
}

fn always() -> Vec<Conjunction> {
    vec![Vec::new()]
}

fn is_always(alternatives: &[Conjunction]) -> bool {
    alternatives.iter().any(Vec::is_empty)
}

/// Under which alternatives a node is used, as far as its users have been met.
struct Reached {
    always: Vec<bool>,
    /// Nodes used under conditions only: few, and each for a short while.
    under: FxHashMap<ExprId, Vec<Conjunction>>,
}

impl Reached {
    fn add(&mut self, id: ExprId, alternatives: &[Conjunction]) {
        if self.always[id.index()] || alternatives.is_empty() {
            return;
        }
        let all = either(self.under.remove(&id).unwrap_or_default(), alternatives);
        if is_always(&all) {
            self.always[id.index()] = true;
        } else {
            self.under.insert(id, all);
        }
    }

    fn take(&mut self, id: ExprId) -> Option<Vec<Conjunction>> {
        if self.always[id.index()] { Some(always()) } else { self.under.remove(&id) }
    }
}

/// The alternatives under which a truth value is `wanted`; no condition where it does not
/// depend on modes alone.
fn alternatives(graph: &Graph, condition: ExprId, wanted: bool, depth: u32) -> Vec<Conjunction> {
    if depth > DEEPEST_CONDITION {
        return always();
    }
    let of = |id, wanted| alternatives(graph, id, wanted, depth + 1);
    match graph.node(condition) {
        Node::Symbol(Symbol::Mode(mode)) => vec![vec![ModeCondition { mode, holds: wanted }]],
        Node::Unary(UnaryOp::Not, a) => of(a, !wanted),
        Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let (a, b) = (of(a, wanted), of(b, wanted));
            if (op == BinaryOp::And) == wanted { both(&a, &b) } else { either(a, &b) }
        }
        _ => always(),
    }
}

/// One or the other; what implies another alternative adds nothing.
fn either(mut all: Vec<Conjunction>, more: &[Conjunction]) -> Vec<Conjunction> {
    let implies = |a: &Conjunction, b: &Conjunction| b.iter().all(|condition| a.contains(condition));
    for conjunction in more {
        if all.iter().any(|known| implies(conjunction, known)) {
            continue;
        }
        all.retain(|known| !implies(known, conjunction));
        all.push(conjunction.clone());
    }
    if all.len() > MAX_ALTERNATIVES { always() } else { all }
}

/// Both at once; contradictions drop out.
fn both(a: &[Conjunction], b: &[Conjunction]) -> Vec<Conjunction> {
    let mut all = Vec::new();
    for a in a {
        for b in b {
            let mut joined: Conjunction = a.iter().chain(b).copied().collect();
            joined.sort_unstable();
            joined.dedup();
            if joined.windows(2).all(|pair| pair[0].mode != pair[1].mode) {
                all = either(all, &[joined]);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(mode: usize, holds: bool) -> ModeCondition {
        ModeCondition { mode: ModeId::new(mode), holds }
    }

    /// Modes 0, 1, … of the functions x0, x1, …
    fn modes(graph: &mut Graph, n: usize) -> (IdVec<ModeId, ExprId>, Vec<ExprId>) {
        let functions = (0..n).map(|k| graph.symbol(Symbol::X(k as u32))).collect();
        (functions, (0..n).map(|k| graph.symbol(Symbol::Mode(ModeId::new(k)))).collect())
    }

    fn check(graph: &Graph, switching: &IdVec<ModeId, ExprId>, root: ExprId, expected: &[&[Conjunction]]) {
        let found = uses(graph, switching, [root].into_iter());
        let found: Vec<&[Conjunction]> = found.iter().map(Vec::as_slice).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_mode_inside_a_branch_matters_on_that_branch() {
        let mut graph = Graph::new();
        let (switching, m) = modes(&mut graph, 4);
        let (p, v) = (graph.symbol(Symbol::P(0)), graph.symbol(Symbol::V(0)));
        let inner = graph.select(m[1], p, v);
        let other = graph.select(m[2], v, p);
        let root = graph.select(m[0], inner, other);
        // The last mode decides nothing.
        check(&graph, &switching, root, &[&[vec![]], &[vec![held(0, true)]], &[vec![held(0, false)]], &[]]);
        // Used outside as well, it always matters.
        let root = graph.add(root, inner);
        check(&graph, &switching, root, &[&[vec![]], &[vec![]], &[vec![held(0, false)]], &[]]);
    }

    #[test]
    fn conditions_combine() {
        let mut graph = Graph::new();
        let (switching, m) = modes(&mut graph, 4);
        let (p, v) = (graph.symbol(Symbol::P(0)), graph.symbol(Symbol::V(0)));
        let inner = graph.select(m[3], p, v);
        let not = graph.unary(UnaryOp::Not, m[1]);
        let and = graph.binary(BinaryOp::And, m[0], not);
        let or = graph.binary(BinaryOp::Or, and, m[2]);
        let root = graph.select(or, inner, p);
        let alternatives: &[Conjunction] = &[vec![held(0, true), held(1, false)], vec![held(2, true)]];
        check(&graph, &switching, root, &[&[vec![]], &[vec![]], &[vec![]], alternatives]);
        let root = graph.select(or, p, inner);
        let alternatives: &[Conjunction] =
            &[vec![held(0, false), held(2, false)], vec![held(1, true), held(2, false)]];
        check(&graph, &switching, root, &[&[vec![]], &[vec![]], &[vec![]], alternatives]);
    }

    #[test]
    fn what_a_switching_function_uses_matters_with_it() {
        let mut graph = Graph::new();
        let [x, p, v] = [Symbol::X(0), Symbol::P(0), Symbol::V(0)].map(|symbol| graph.symbol(symbol));
        let m0 = graph.symbol(Symbol::Mode(ModeId::new(0)));
        let bent = graph.select(m0, x, p);
        let m1 = graph.symbol(Symbol::Mode(ModeId::new(1)));
        let inner = graph.select(m1, p, v);
        let m2 = graph.symbol(Symbol::Mode(ModeId::new(2)));
        let root = graph.select(m2, inner, v);
        let switching = [x, bent, v].into_iter().collect();
        let on = vec![held(2, true)];
        let on: &[Conjunction] = &[on];
        check(&graph, &switching, root, &[on, on, &[vec![]]]);
    }
}
