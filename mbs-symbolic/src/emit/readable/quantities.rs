//! Which expressions get a name of their own.

use super::{Level, names};
use crate::dynamics::Equations;
use crate::expr::{BinaryOp, Node, UnaryOp};
use crate::ids::{ExprId, Id};
use rustc_hash::FxHashMap;

/// What is no longer than this is written out wherever it is used: `l1*sin(phi)`.
const SMALL: u32 = 2;
/// A shared expression gets a name if that saves writing at least this many symbols.
const WORTH_SHARING: u32 = 3;
/// A quantity with a physical name is worth showing from this length on.
const WORTH_A_NAME: u32 = 8;
/// No line is longer than this many symbols.
const LONG: u32 = 36;
/// How often names are decided anew.
const ROUNDS: usize = 3;
/// Nothing is nested deeper than this, so that recursion over a [`super::Tree`] is safe
/// whatever the model.
const DEEP: u32 = 48;

/// A quantity to be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) expr: ExprId,
    pub(super) level: Level,
    /// The name the model or the kinematics gives it.
    pub(super) name: Option<String>,
}

/// Chooses the named quantities of `roots`, ordered by level and then so that each
/// comes before those that use it.
pub(super) fn choose(equations: &Equations, roots: &[ExprId]) -> Vec<Chosen> {
    let graph = &equations.graph;
    let Some(last) = roots.iter().max() else { return Vec::new() };
    let count = last.index() + 1;
    let ids = || (0..count).map(ExprId::new);

    // Derived parameters are the author's own abbreviations and always stand.
    let mut derived: FxHashMap<ExprId, &String> = FxHashMap::default();
    for (&expr, name) in equations.derived.iter().zip(&equations.layout.derived) {
        if expr.index() < count && graph.node(expr).operands().next().is_some() {
            derived.entry(expr).or_insert(name);
        }
    }
    let mut physical: FxHashMap<ExprId, &String> = FxHashMap::default();
    for (expr, name) in &equations.names {
        physical.entry(*expr).or_insert(name);
    }

    let mut levels = vec![Level::Parameters; count];
    for id in ids() {
        let node = graph.node(id);
        levels[id.index()] = match node {
            Node::Symbol(symbol) => names::level(symbol),
            _ => node.operands().map(|a| levels[a.index()]).max().unwrap_or(Level::Parameters),
        };
    }
    let mut is_root = vec![false; count];
    for root in roots {
        is_root[root.index()] = true;
    }

    // How long an expression is depends on what below it has a name, and whether that
    // deserves one depends on how long it is: a few rounds settle it.
    let mut named = vec![false; count];
    let mut sizes = vec![1_u32; count];
    let mut written = Vec::new();
    for _ in 0..ROUNDS {
        for id in ids() {
            sizes[id.index()] = size(graph.node(id), |a| if named[a.index()] { 1 } else { sizes[a.index()] });
        }
        // From the roots down: how often would this be written?
        written = vec![0_u32; count];
        for root in roots {
            written[root.index()] = written[root.index()].saturating_add(1);
        }
        for id in ids().rev() {
            let times = written[id.index()];
            if times == 0 {
                named[id.index()] = false;
                continue;
            }
            let node = graph.node(id);
            let size = sizes[id.index()];
            let saved = (times - 1).saturating_mul(size.saturating_sub(1));
            let shared = size > SMALL && saved >= WORTH_SHARING;
            let meant = physical.contains_key(&id) && size >= WORTH_A_NAME && !is_root[id.index()];
            named[id.index()] = derived.contains_key(&id) || (can_be_named(node) && (shared || meant));
            let times = if named[id.index()] { 1 } else { times };
            for operand in node.operands() {
                written[operand.index()] = written[operand.index()].saturating_add(times);
            }
        }
    }

    // From the leaves up: nothing written in one piece gets too long or too deep.
    let mut depths = vec![0_u32; count];
    for id in ids().filter(|id| written[id.index()] > 0) {
        let node = graph.node(id);
        let inline = size(node, |a| if named[a.index()] { 1 } else { sizes[a.index()] });
        let deepest = node.operands().map(|a| if named[a.index()] { 0 } else { depths[a.index()] }).max();
        sizes[id.index()] = inline;
        depths[id.index()] = deepest.map_or(0, |depth| depth + 1);
        if (inline > LONG && can_be_named(node) && !is_root[id.index()]) || depths[id.index()] >= DEEP {
            named[id.index()] = true;
        }
    }

    let mut chosen: Vec<Chosen> = ids()
        .filter(|id| named[id.index()])
        .map(|expr| {
            let name = derived.get(&expr).or_else(|| physical.get(&expr));
            Chosen { expr, level: levels[expr.index()], name: name.map(|name| (*name).clone()) }
        })
        .collect();
    chosen.sort_by_key(|quantity| quantity.level);
    chosen
}

/// Signs and truth values stand where they are used.
fn can_be_named(node: Node) -> bool {
    match node {
        Node::Constant(_) | Node::Symbol(_) | Node::Unary(UnaryOp::Neg | UnaryOp::Not, _) => false,
        Node::Binary(op, ..) => !op.is_logical(),
        _ => true,
    }
}

/// Number of symbols in a written expression. Numbers are free, a function counts as
/// its argument, a square as its base.
fn size(node: Node, of: impl Fn(ExprId) -> u32) -> u32 {
    match node {
        Node::Constant(_) => 0,
        Node::Symbol(_) => 1,
        Node::Binary(BinaryOp::Mul, a, b) if a == b => of(a),
        Node::Table { at, .. } => of(at).saturating_add(1),
        _ => node.operands().fold(0_u32, |sum, a| sum.saturating_add(of(a))).max(1),
    }
}
