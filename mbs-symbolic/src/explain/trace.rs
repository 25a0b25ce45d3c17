//! Where a value that is not a number comes from.

use super::describe;
use super::tables::Tables;
use crate::dynamics::{Contribution, Equations, Quantity, SourceNote};
use crate::expr::{BinaryOp, Environment, Node, UnaryOp, values};
use crate::ids::{ExprId, Id};
use crate::model::Model;
use mbs_math::TableKind;
use rustc_hash::FxHashMap;

/// The operation at which a value first became infinite or undefined.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The term of an entry it spoils.
    pub term: Contribution,
    /// The operation.
    pub expr: ExprId,
    /// The operation on numbers: `sqrt(-0.01)`.
    pub operation: String,
    /// Its value: infinite or NaN.
    pub value: f64,
    /// The part of a formula it is, as far as known.
    pub place: Option<SourceNote>,
}

impl Trace {
    /// What happened and to whom, in words: ``sqrt(-0.01) in force `strut` ``.
    pub fn words(&self, model: &Model) -> String {
        let element = self.place.and_then(|place| place.element).unwrap_or(self.term.element);
        let mut text = format!("{} in {}", self.operation, describe(element, self.term.part, model));
        if element != self.term.element {
            // The weight of a variable means nothing.
            text = format!("{} in {} `{}`", self.operation, element.kind(), element.name(model));
        }
        if let Some(words) = self.place.and_then(|place| place.words) {
            text += &format!(" ({words})");
        }
        text
    }
}

/// Follows the first term that is not finite at a state, of the entries `which` picks, down to
/// the operation whose operands still are; `None` if all terms are finite, or the state itself is
/// not.
pub fn trace(
    equations: &Equations,
    environment: &Environment<'_>,
    which: impl Fn(Quantity) -> bool,
) -> Option<Trace> {
    let graph = &equations.graph;
    let tables = Tables::of(equations);
    let read = |id, kind, derivative, at| tables.read(id, kind, derivative, at);
    let terms: Vec<Contribution> =
        equations.contributions.iter().filter(|term| which(term.quantity)).copied().collect();
    let roots: Vec<ExprId> = terms.iter().map(|term| term.value).collect();
    let values = values(graph, environment, &read, &roots);
    let value = |id: ExprId| values[id.index()];
    let (term, expr) = terms.iter().filter(|term| !value(term.value).is_finite()).find_map(|term| {
        let mut at = term.value;
        loop {
            let node = graph.node(at);
            let next = match node {
                Node::Symbol(_) => return None,
                Node::Select(condition, a, b) => Some(if value(condition) != 0.0 { a } else { b }),
                _ => node.operands().find(|operand| !value(*operand).is_finite()),
            };
            match next {
                Some(operand) => at = operand,
                None => return Some((*term, at)),
            }
        }
    })?;
    let operation = operation(equations, graph.node(expr), value);
    Some(Trace { term, expr, operation, value: value(expr), place: place(equations, term.value, expr) })
}

/// The operation on numbers.
fn operation(equations: &Equations, node: Node, value: impl Fn(ExprId) -> f64) -> String {
    let number = |id: ExprId| short(value(id));
    match node {
        Node::Unary(UnaryOp::Neg, a) => format!("-{}", number(a)),
        Node::Unary(op, a) => format!("{}({})", crate::emit::text::function(op), number(a)),
        Node::Binary(op, a, b) => {
            let (a, b) = (number(a), number(b));
            match op {
                BinaryOp::Add => format!("{a} + {b}"),
                BinaryOp::Sub => format!("{a} - {b}"),
                BinaryOp::Mul => format!("{a} * {b}"),
                BinaryOp::Div => format!("{a} / {b}"),
                BinaryOp::Pow if a.starts_with('-') => format!("({a})^{b}"),
                BinaryOp::Pow => format!("{a}^{b}"),
                BinaryOp::Atan2 => format!("atan2({a}, {b})"),
                BinaryOp::Mod => format!("mod({a}, {b})"),
                BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::And | BinaryOp::Or => {
                    format!("a condition of {a} and {b}")
                }
            }
        }
        Node::Table { table, kind, at, .. } => {
            let kind = match kind {
                TableKind::Spline => "spline",
                TableKind::Linear => "linear",
            };
            format!("{kind}({}, {})", equations.tables[table].name.text, number(at))
        }
        Node::Constant(_) | Node::Symbol(_) | Node::Select(..) => "a value".to_owned(),
    }
}

/// Six digits, as many as say where to look.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let magnitude = rounded.abs();
    if rounded == 0.0 || (1e-4..1e6).contains(&magnitude) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// The formula that made an operation: its own, or the innermost one around it on the way to
/// the term.
fn place(equations: &Equations, root: ExprId, expr: ExprId) -> Option<SourceNote> {
    let graph = &equations.graph;
    let mut places: FxHashMap<ExprId, SourceNote> = FxHashMap::default();
    for &(expr, place) in &equations.places {
        places.entry(expr).or_insert(place);
    }
    if let Some(place) = places.get(&expr) {
        return Some(*place);
    }
    // What depends on the operation, as far as the term does; ids grow outwards.
    let mut needed = vec![root];
    let mut seen: rustc_hash::FxHashSet<ExprId> = needed.iter().copied().collect();
    while let Some(id) = needed.pop() {
        for operand in graph.node(id).operands() {
            if operand >= expr && seen.insert(operand) {
                needed.push(operand);
            }
        }
    }
    let mut list: Vec<ExprId> = seen.into_iter().collect();
    list.sort_unstable();
    let mut around: rustc_hash::FxHashSet<ExprId> = [expr].into_iter().collect();
    for id in list {
        if id != expr && graph.node(id).operands().any(|operand| around.contains(&operand)) {
            around.insert(id);
            if let Some(place) = places.get(&id) {
                return Some(*place);
            }
        }
    }
    None
}
