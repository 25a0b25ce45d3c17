//! Equations that answer for themselves: which model element makes which term of an entry,
//! which one made a value undefined, and what changed between two models.
//!
//! Everything here reads equations built with [`Options::provenance`](crate::Options).

mod difference;
mod entry;
mod fingerprint;
mod operations;
mod power;
mod readings;
mod tables;
mod trace;

pub use difference::{Change, ChangedElement, ChangedEntry, Comparison, ParameterChange, compare};
pub use entry::{UnknownEntry, name, parse, words};
pub use operations::Shares;
pub use power::{ForcePower, force_powers, forces_without_potential, is_conservative};
pub use readings::{Ends, Readings};
pub use tables::Tables;
pub use trace::{Trace, trace};

use crate::dynamics::{Contribution, Element, Equations, Part, Quantity};
use crate::ids::{ExprId, FrameId};
use crate::model::{ConstraintKind, ForceKind, Model};

/// The terms of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The entry.
    pub quantity: Quantity,
    /// What elements add to it, in the order of the model file within each kind; the sum is
    /// the entry.
    pub terms: Vec<Contribution>,
    /// What the terms cost, before the optimiser.
    pub shares: Shares,
}

/// Explains one entry.
pub fn explain(equations: &Equations, quantity: Quantity) -> Explanation {
    let terms: Vec<Contribution> =
        equations.contributions.iter().filter(|term| term.quantity == quantity).copied().collect();
    let roots: Vec<ExprId> = terms.iter().map(|term| term.value).collect();
    let shares = operations::shares(&equations.graph, &roots);
    Explanation { quantity, terms, shares }
}

/// What a term is, in words: ``weight of body `rod` ``.
pub fn describe(element: Element, part: Part, model: &Model) -> String {
    let named = format!("{} `{}`", element.kind(), element.name(model));
    match part {
        Part::Inertia => format!("inertia of {named}"),
        Part::InertialForce => format!("inertial force of {named}"),
        Part::Weight => format!("weight of {named}"),
        Part::Applied | Part::Constraint | Part::Formula => named,
    }
}

/// The frames an element acts on or between.
pub fn frames(element: Element, model: &Model) -> Vec<FrameId> {
    match element {
        Element::Joint(id) => vec![model.joints[id].from, model.joints[id].to],
        Element::Constraint(id) => match model.constraints[id].kind {
            ConstraintKind::Distance { from, to, .. } => vec![from, to],
            ConstraintKind::PointOnLine { point, line, .. } => vec![point, line],
            ConstraintKind::PointOnPlane { point, plane, .. } => vec![point, plane],
            ConstraintKind::Rolling { wheel, plane, .. } => vec![wheel, plane],
            ConstraintKind::KnifeEdge { frame, .. } => vec![frame],
            ConstraintKind::Coupling { .. }
            | ConstraintKind::Motion { .. }
            | ConstraintKind::Equation { .. }
            | ConstraintKind::VelocityEquation { .. } => Vec::new(),
        },
        Element::Force(id) => match model.forces[id].kind {
            ForceKind::SpringDamper { from, to, .. }
            | ForceKind::PointForce { from, to, .. }
            | ForceKind::Bushing { from, to, .. } => vec![from, to],
            ForceKind::Force { on, reaction, .. } | ForceKind::Torque { on, reaction, .. } => {
                [on].into_iter().chain(reaction).collect()
            }
            ForceKind::Contact { on, .. } | ForceKind::PointContactTyre { on, .. } => vec![on],
            ForceKind::JointForce { .. }
            | ForceKind::JointSpring { .. }
            | ForceKind::JointFriction { .. } => Vec::new(),
        },
        Element::Body(_)
        | Element::State(_)
        | Element::Variable(_)
        | Element::Output(_)
        | Element::Input(_) => Vec::new(),
    }
}
