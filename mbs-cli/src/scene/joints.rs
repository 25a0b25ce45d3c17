//! Symbols of joints, and brackets where joints meet ground.

use super::fixed::Fixed;
use super::solids::{GROUND, STEEL};
use super::vector::{self, Vec3, about, between, conjugate, cross, direction, multiply, rotate, scale};
use super::{Body, Marker, Role, Shape, Solid};
use mbs_symbolic::ids::Id;
use mbs_symbolic::model::{Joint, JointKind, Model, Motion};

/// Half the thickness taken for a joint between bodies that show none, as a part of the
/// whole; others are kept within these bounds.
const THIN: f64 = 0.008;
const THICK: f64 = 0.06;

/// Adds the symbols of all joints to the bodies they are fixed in.
pub(super) fn add(model: &Model, fixed: &Fixed<'_>, size: f64, up: Vec3, bodies: &mut [Body]) {
    let mut anchors: Vec<Vec3> = Vec::new();
    for joint in model.joints.iter() {
        let from = &fixed.frames[joint.from.index()];
        let to = &fixed.frames[joint.to.index()];
        let [from_body, to_body] = [joint.from, joint.to].map(|frame| model.frames[frame].body.index());
        let thickness = [(from_body, from.position), (to_body, to.position)]
            .into_iter()
            .filter_map(|(body, point)| thickness(&bodies[body], point))
            .fold(0.0, f64::max);
        let r = if thickness > 0.0 { thickness } else { 0.014 * size }.clamp(THIN * size, THICK * size);
        for shape in symbol(joint, fixed, from, r) {
            bodies[from_body].solids.push(Solid { shape, colour: STEEL, role: Role::Joint });
        }
        // A joint that lets its body go anywhere is not fastened anywhere.
        if matches!(joint.kind, JointKind::Free { .. } | JointKind::Planar { .. } | JointKind::Compound { .. }) {
            continue;
        }
        for (body, marker) in [(from_body, from), (to_body, to)] {
            if body == 0 && !anchors.contains(&marker.position) {
                anchors.push(marker.position);
                let shapes = bracket(marker.position, r, up);
                bodies[0].solids.extend(shapes.map(|shape| Solid { shape, colour: GROUND, role: Role::Anchor }));
            }
        }
    }
}

fn thickness(body: &Body, point: Vec3) -> Option<f64> {
    let own = body.solids.iter().filter(|solid| solid.role == Role::Shape);
    own.filter_map(|solid| solid.shape.thickness_at(point)).reduce(f64::min)
}

/// Solids at the `from` frame, in the axes of its body.
fn symbol(joint: &Joint, fixed: &Fixed<'_>, from: &Marker, r: f64) -> Vec<Shape> {
    let pin = |axis: Vec3, half: f64, radius: f64| {
        let [from, to] = from.along(axis, half);
        Shape::Cylinder { from, to, radius }
    };
    let ball = |radius: f64| Shape::Sphere { center: from.position, radius };
    let sleeve = |axis: Vec3| {
        let axis = rotate(from.rotation, axis);
        let rotation = between([1.0, 0.0, 0.0], axis);
        Shape::Box { center: from.position, size: [5.0 * r, 3.0 * r, 3.0 * r], rotation }
    };
    match &joint.kind {
        JointKind::Revolute { axis, .. } => vec![pin(fixed.axis(axis), 1.5 * r, 1.3 * r)],
        JointKind::Prismatic { axis, .. } => vec![sleeve(fixed.axis(axis))],
        JointKind::Cylindrical { axis, .. } | JointKind::Screw { axis, .. } => {
            vec![pin(fixed.axis(axis), 2.4 * r, 1.5 * r)]
        }
        JointKind::Universal { axes: [first, second], .. } => {
            let [first, second] = [first, second].map(|axis| fixed.axis(axis));
            vec![pin(first, 1.7 * r, 0.75 * r), pin(second, 1.7 * r, 0.75 * r), ball(1.25 * r)]
        }
        JointKind::Spherical { .. } => vec![ball(1.5 * r)],
        JointKind::Compound { steps } => match steps.as_slice() {
            [step] if step.motion == Motion::Rotation => vec![pin(fixed.axis(&step.axis), 1.5 * r, 1.3 * r)],
            _ => Vec::new(),
        },
        JointKind::Fixed | JointKind::Free { .. } | JointKind::Planar { .. } | JointKind::Curve { .. } => {
            Vec::new()
        }
    }
}

/// A neck on a plate below a point of ground.
pub(super) fn bracket(at: Vec3, r: f64, up: Vec3) -> [Shape; 2] {
    let below = |distance: f64| vector::add(at, scale(up, -distance));
    let neck = Shape::Cylinder { from: at, to: below(2.4 * r), radius: 0.8 * r };
    // The plate's edges along ground axes as far as up allows.
    let flat = direction(cross(up, if up[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] }));
    let turned = between([0.0, 0.0, 1.0], up);
    let edge = rotate(conjugate(turned), flat.unwrap_or([1.0, 0.0, 0.0]));
    let rotation = multiply(turned, about([0.0, 0.0, 1.0], edge[1].atan2(edge[0])));
    [neck, Shape::Box { center: below(2.7 * r), size: [5.0 * r, 5.0 * r, 0.7 * r], rotation }]
}
