//! How the argument of an elementary motion changes with time.

use crate::expr::{Derivative, Symbol};
use crate::ids::ExprId;
use crate::lower::{Lowering, NoQueries};
use crate::model::Joint;

/// What a rate is linear in: a velocity, or time itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Column {
    /// A velocity by its index in v.
    V(u32),
    /// Explicit time and inputs.
    Time,
    /// A virtual motion of one link taken as free, for reactions: link, and 0 to 2 for
    /// shifts along, 3 to 5 for turns about the axes of the observer, at its origin.
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
    pub(crate) fn of(lowering: &mut Lowering<'_>, joint: &Joint, value: ExprId) -> Option<Self> {
        if lowering.is_fixed(value) {
            return None;
        }
        let span = joint.name.span;
        let rate = lowering.total_derivative(value, &mut NoQueries, span);
        let acceleration = lowering.total_derivative(rate, &mut NoQueries, span);
        let (zero, one) = (lowering.graph.zero(), lowering.graph.one());
        let mut partials = Vec::new();
        let mut bias = acceleration;
        let mut drift = rate;
        for &id in &joint.velocities {
            let Some(index) = lowering.moved_by(id) else { continue };
            let v = lowering.graph.symbol(Symbol::V(index));
            let v_dot = lowering.graph.symbol(Symbol::VDot(index));
            let partial = Derivative::new([(v, one)]).of(&mut lowering.graph, rate);
            if lowering.graph.is_zero(partial) {
                continue;
            }
            partials.push((Column::V(index), partial));
            drift = lowering.graph.substitute(drift, v, zero);
            bias = lowering.graph.substitute(bias, v_dot, zero);
        }
        if !lowering.graph.is_zero(drift) {
            partials.push((Column::Time, drift));
        }
        Some(Self { rate, bias, acceleration, partials })
    }
}
