//! How the argument of an elementary motion changes with time.

use crate::expr::{Derivative, Symbol};
use crate::ids::ExprId;
use crate::lower::{EquationContext, NoQueries};
use crate::model::Joint;

/// What a rate is linear in: a velocity, or time itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Column {
    /// A velocity by its index in v.
    V(u32),
    /// Explicit time and inputs.
    Time,
    /// A virtual motion of one link taken as free, for reactions: link, and 0 to 2 for
    /// shifts along, 3 to 5 for turns about the axes of the reference link, at its origin.
    Virtual(u32, u8),
}

/// Rate and second rate of an argument s(p, t).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Motion {
    /// s' = Σ partial · v + partial of time.
    pub(crate) rate: ExprId,
    /// s'' with v' = 0.
    pub(crate) bias: ExprId,
    /// s'' with v' as symbols.
    pub(crate) acceleration: ExprId,
    /// ∂s'/∂v, and the part of s' that does not depend on v.
    pub(crate) partials: Vec<(Column, ExprId)>,
}

impl Motion {
    /// The motion of `value`, an expression of the joint's coordinates, time and
    /// inputs; `None` if it does not move.
    pub(crate) fn of(context: &mut EquationContext<'_>, joint: &Joint, value: ExprId) -> Option<Self> {
        if context.is_fixed(value) {
            return None;
        }
        let span = joint.name.span;
        let rate = context.total_derivative(value, &mut NoQueries, span);
        let acceleration = context.total_derivative(rate, &mut NoQueries, span);
        let (zero, one) = (context.graph.zero(), context.graph.one());
        let mut partials = Vec::new();
        let mut bias = acceleration;
        let mut drift = rate;
        for &id in &joint.velocities {
            let Some(index) = context.moved_by(id) else { continue };
            let v = context.graph.symbol(Symbol::V(index));
            let v_dot = context.graph.symbol(Symbol::VDot(index));
            let partial = Derivative::new([(v, one)]).of(&mut context.graph, rate);
            if context.graph.is_zero(partial) {
                continue;
            }
            partials.push((Column::V(index), partial));
            drift = context.graph.substitute(drift, v, zero);
            bias = context.graph.substitute(bias, v_dot, zero);
        }
        if !context.graph.is_zero(drift) {
            partials.push((Column::Time, drift));
        }
        Some(Self { rate, bias, acceleration, partials })
    }
}
