//! What is stretched between points: springs, dampers, massless rods; and rubber mounts.

use super::fixed::Fixed;
use super::solids::{GROUND, RUBBER};
use super::vector::{Vec3, add, direction, scale, sub};
use super::{Body, Link, LinkKind, Role, Shape, Solid, point};
use mbs_symbolic::ids::FrameId;
use mbs_symbolic::model::{ConstraintKind, ForceKind, Formula, Model};

/// Half the thickness of a spring as a part of the whole.
const SPRING: f64 = 0.055;
const ROD: f64 = 0.01;

/// All links; rubber mounts and the feet of springs become solids of their bodies.
pub(super) fn links(model: &Model, fixed: &Fixed<'_>, size: f64, bodies: &mut [Body]) -> Vec<Link> {
    let mut links = Vec::new();
    let mut put = |name: &str, kind: LinkKind, from: FrameId, to: FrameId, radius: f64| {
        let ends = [from, to].map(|frame| point(model, fixed, frame));
        links.push(Link { name: name.to_owned(), kind, ends, radius });
    };
    for force in model.forces.iter() {
        let name = &force.name.text;
        match &force.kind {
            ForceKind::SpringDamper { from, to, stiffness, damping, .. } => {
                let kind = match (is_zero(stiffness), is_zero(damping)) {
                    (true, false) => LinkKind::Damper,
                    (false, true) => LinkKind::Spring,
                    _ => LinkKind::SpringDamper,
                };
                put(name, kind, *from, *to, SPRING * size);
            }
            ForceKind::PointForce { from, to, .. } => put(name, LinkKind::Force, *from, *to, SPRING * size),
            ForceKind::Bushing { from, .. } => {
                let (body, center) = point(model, fixed, *from);
                let axis = shaft(model, fixed, *from);
                let half = scale(axis, 0.022 * size);
                let (from, to) = (sub(center, half), add(center, half));
                let shape = Shape::Cylinder { from, to, radius: 0.026 * size };
                bodies[body].solids.push(Solid { shape, colour: RUBBER, role: Role::Joint });
            }
            ForceKind::JointForce { .. }
            | ForceKind::JointSpring { .. }
            | ForceKind::JointFriction { .. } => {}
            ForceKind::Force { .. } | ForceKind::Torque { .. } => {}
            // Roads are drawn by themselves.
            ForceKind::Contact { .. } | ForceKind::PointContactTyre { .. } => {}
        }
    }
    for constraint in model.constraints.iter() {
        if let ConstraintKind::Distance { from, to, .. } = &constraint.kind {
            put(&constraint.name.text, LinkKind::Rod, *from, *to, ROD * size);
        }
    }
    let feet = links.iter().flat_map(|link: &Link| link.ends.map(|end| (end, link.radius)));
    for ((body, center), radius) in feet.filter(|((body, _), _)| *body == 0) {
        let shape = Shape::Sphere { center, radius: 0.55 * radius };
        bodies[body].solids.push(Solid { shape, colour: GROUND, role: Role::Anchor });
    }
    links
}

/// The direction a mount is drawn along: the longest of the other frames of its body.
fn shaft(model: &Model, fixed: &Fixed<'_>, frame: FrameId) -> Vec3 {
    let (body, at) = point(model, fixed, frame);
    let others = fixed.points(model, body).into_iter().map(|other| sub(other, at));
    let longest = others.max_by(|a, b| super::vector::length(*a).total_cmp(&super::vector::length(*b)));
    let along = longest.and_then(direction).filter(|_| body > 0);
    // Across the rod, as an eye on its end is.
    along.map_or([0.0, 0.0, 1.0], super::vector::across)
}

/// Whether a formula is the number zero.
fn is_zero(formula: &Formula) -> bool {
    formula.as_number() == Some(0.0)
}
