//! Formulas as functions of their locals, and their partial derivatives.

use super::{EquationContext, Queries};
use crate::dynamics::{Decision, Element};
use crate::expr::{BinaryOp, Derivative, Graph, Node, Symbol};
use crate::ids::{ExprId, Id};
use crate::model::Formula;

/// A value formed with symbols in place of what an element supplies, so that it can be
/// differentiated with respect to that: once the position of a point is put in, `(q + l) - l` is
/// `q`, and nothing shows any more how it came in.
pub(crate) struct OfLocals {
    locals: Vec<ExprId>,
    element: Element,
    /// Where the places of its formulas begin.
    first_place: usize,
}

impl OfLocals {
    /// With so many locals; no row of constraints has the number of the symbols that stand for them.
    pub(crate) fn new(context: &mut EquationContext<'_>, count: u32, element: Element) -> Self {
        let symbol = |k| context.graph.symbol(Symbol::Lambda(u32::MAX - k));
        let locals = (0..count).map(symbol).collect();
        Self { locals, element, first_place: context.places.len() }
    }

    /// The symbols, of whose motion nothing is known: a total derivative by time leaves them as they are.
    pub(crate) fn locals(&self) -> &[ExprId] {
        &self.locals
    }

    /// A formula of the locals. Its comparisons become modes when values are put in.
    pub(crate) fn formula(
        &self,
        context: &mut EquationContext<'_>,
        formula: &Formula,
        queries: &mut dyn Queries,
    ) -> ExprId {
        context.formula(formula, &self.locals, queries, None)
    }

    /// ∂value/∂local for each.
    pub(crate) fn partials(&self, graph: &mut Graph, value: ExprId) -> Vec<ExprId> {
        let one = graph.one();
        let along = |&local: &ExprId| Derivative::new([(local, one)]).of(graph, value);
        self.locals.iter().map(along).collect()
    }

    /// The expressions with `values` for the locals; comparisons become modes of the element that
    /// take this decision.
    pub(crate) fn put_in<const N: usize>(
        self,
        context: &mut EquationContext<'_>,
        values: &[ExprId],
        exprs: [ExprId; N],
        decision: Decision,
    ) -> [ExprId; N] {
        let mut replaced: Vec<(ExprId, ExprId)> =
            self.locals.iter().copied().zip(values.iter().copied()).collect();
        // Operands come first: what a comparison compares may depend on others.
        for id in comparisons(&context.graph, &exprs) {
            let Node::Binary(op, function, _) = context.graph.node(id) else { continue };
            let function = put(&mut context.graph, &replaced, function);
            let mode = context.negative(function, op == BinaryOp::LessEqual, decision, Some(self.element));
            replaced.push((id, mode));
        }
        for index in self.first_place..context.places.len() {
            let formed = context.places[index].0;
            context.places[index].0 = put(&mut context.graph, &replaced, formed);
        }
        exprs.map(|expr| put(&mut context.graph, &replaced, expr))
    }
}

/// An expression with all replacements made.
fn put(graph: &mut Graph, replaced: &[(ExprId, ExprId)], expr: ExprId) -> ExprId {
    // The latest first: a comparison is found as it stood before its operands were replaced.
    replaced.iter().rev().fold(expr, |expr, &(old, new)| graph.substitute(expr, old, new))
}

/// All comparisons below some expressions, operands first.
fn comparisons(graph: &Graph, exprs: &[ExprId]) -> Vec<ExprId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = exprs.to_vec();
    let mut list = Vec::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Node::Binary(BinaryOp::Less | BinaryOp::LessEqual, ..) = graph.node(id) {
            list.push(id);
        }
        stack.extend(graph.node(id).operands());
    }
    list.sort_unstable_by_key(|id| id.index());
    list
}
