//! Conditionals: each comparison of changing values becomes a mode.

use super::EquationContext;
use crate::dynamics::{Decision, Element, ModeKind};
use crate::expr::{BinaryOp, Node, Symbol};
use crate::ids::{ExprId, IdVec, ModeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The modes found so far.
#[derive(Debug, Default)]
pub(crate) struct Modes {
    pub(crate) list: IdVec<ModeId, FoundMode>,
    known: FxHashMap<(ExprId, bool), ModeId>,
}

/// A mode as it was first met.
#[derive(Debug)]
pub(crate) struct FoundMode {
    /// The switching function.
    pub(crate) function: ExprId,
    pub(crate) kind: ModeKind,
    pub(crate) element: Element,
    pub(crate) decision: Decision,
}

impl EquationContext<'_> {
    /// Truth value of `function < 0` (or ≤ 0).
    ///
    /// A comparison of parameters alone is decided when parameters are set. Any other
    /// becomes a mode of `element`, which takes this `decision` and whose truth value the integrator freezes within a
    /// step.
    pub(crate) fn negative(
        &mut self,
        function: ExprId,
        or_zero: bool,
        decision: Decision,
        element: Option<Element>,
    ) -> ExprId {
        let zero = self.graph.zero();
        let op = if or_zero { BinaryOp::LessEqual } else { BinaryOp::Less };
        let Some(element) = element.filter(|_| !self.is_fixed(function)) else {
            return self.graph.binary(op, function, zero);
        };
        let kind = if or_zero { ModeKind::NotPositive } else { ModeKind::Negative };
        let id = match self.modes.known.get(&(function, or_zero)) {
            Some(&id) => id,
            None => {
                let id = self.modes.list.push(FoundMode { function, kind, element, decision });
                self.modes.known.insert((function, or_zero), id);
                id
            }
        };
        self.graph.symbol(Symbol::Mode(id))
    }

    /// Whether an expression depends on parameters alone.
    pub(crate) fn is_fixed(&self, expr: ExprId) -> bool {
        !self.depends_on(expr, |symbol| !matches!(symbol, Symbol::Theta(_)))
    }

    /// Whether an expression depends on a symbol that `which` picks.
    pub(crate) fn depends_on(&self, expr: ExprId, which: impl Fn(Symbol) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.graph.node(id) {
                Node::Symbol(symbol) if which(symbol) => return true,
                node => stack.extend(node.operands()),
            }
        }
        false
    }
}
