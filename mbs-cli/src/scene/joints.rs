//! Symbols of joints, and brackets where joints meet ground.

use super::fixed::Fixed;
use super::solids::{GROUND, STEEL};
use super::vector::{self, Vec3, about, between, conjugate, cross, direction, multiply, rotate, scale};
use super::{Body, Marker, Motion, Role, Shape, Solid};
use mbs_symbolic::ids::Id;
use mbs_symbolic::model::{Joint, JointKind, Model, Motion as Elementary};

/// Half the thickness taken for a joint between bodies that show none, as a part of the
/// whole; others are kept within these bounds.
const THIN: f64 = 0.008;
const THICK: f64 = 0.06;

/// What slides is drawn no thicker than this part of the whole, because it lies across others.
const SLIDE: f64 = 0.025;
/// A slide longer than this many times the whole is a journey and has no rail.
const JOURNEY: f64 = 3.0;

/// Adds the symbols of all joints to the bodies they are fixed in.
pub(super) fn add(
    model: &Model,
    fixed: &Fixed<'_>,
    motion: &Motion,
    size: f64,
    up: Vec3,
    bodies: &mut [Body],
) {
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
        if let JointKind::Prismatic { axis, .. } = &joint.kind {
            let axis = fixed.axis(axis);
            let r = r.min(SLIDE * size);
            if let Some(rail) = rail(motion, [(from_body, from), (to_body, to)], axis, r, JOURNEY * size) {
                bodies[from_body].solids.push(Solid { shape: rail, colour: STEEL, role: Role::Joint });
                let shape = slider(to, axis, r);
                bodies[to_body].solids.push(Solid { shape, colour: STEEL, role: Role::Joint });
            }
        }
        // A joint that lets its body go away is not fastened anywhere.
        if matches!(
            joint.kind,
            JointKind::Free { .. }
                | JointKind::Planar { .. }
                | JointKind::Compound { .. }
                | JointKind::Prismatic { .. }
                | JointKind::Curve { .. }
        ) {
            continue;
        }
        for (body, marker) in [(from_body, from), (to_body, to)] {
            if body == 0 && !anchors.contains(&marker.position) {
                anchors.push(marker.position);
                let shapes = bracket(marker.position, r, up);
                bodies[0].solids.extend(shapes.map(|shape| Solid {
                    shape,
                    colour: GROUND,
                    role: Role::Anchor,
                }));
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
    match &joint.kind {
        JointKind::Revolute { axis, .. } => vec![pin(fixed.axis(axis), 1.5 * r, 1.3 * r)],
        JointKind::Cylindrical { axis, .. } | JointKind::Screw { axis, .. } => {
            vec![pin(fixed.axis(axis), 2.4 * r, 1.5 * r)]
        }
        JointKind::Universal { axes: [first, second], .. } => {
            let [first, second] = [first, second].map(|axis| fixed.axis(axis));
            vec![pin(first, 1.7 * r, 0.75 * r), pin(second, 1.7 * r, 0.75 * r), ball(1.25 * r)]
        }
        JointKind::Spherical { .. } => vec![ball(1.5 * r)],
        JointKind::Compound { steps } => match steps.as_slice() {
            [step] if step.motion == Elementary::Rotation => {
                vec![pin(fixed.axis(&step.axis), 1.5 * r, 1.3 * r)]
            }
            _ => Vec::new(),
        },
        // What slides has a rail.
        JointKind::Prismatic { .. }
        | JointKind::Fixed
        | JointKind::Free { .. }
        | JointKind::Planar { .. }
        | JointKind::Curve { .. } => Vec::new(),
    }
}

/// The rail of a slide, in axes of the `from` body: as long as the way of the run.
fn rail(
    motion: &Motion,
    [(from_body, from), (to_body, to)]: [(usize, &Marker); 2],
    axis: Vec3,
    r: f64,
    longest: f64,
) -> Option<Shape> {
    let along = |frame: usize| {
        let start = motion.point(frame, from_body, from.position);
        let way = vector::sub(motion.point(frame, to_body, to.position), start);
        vector::dot(way, motion.direction(frame, from_body, rotate(from.rotation, axis)))
    };
    let ways = motion.some_frames().map(along);
    let (low, high) = ways.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), s| (a.min(s), b.max(s)));
    (high - low < longest).then(|| {
        let [from, to] = [low - 4.0 * r, high + 4.0 * r].map(|s| from.point(scale(axis, s)));
        Shape::Cylinder { from, to, radius: 0.45 * r }
    })
}

/// A block about the `to` frame of a slide, in axes of its body. The frames of a slide stay
/// parallel, so the axis is the same in both.
fn slider(to: &Marker, axis: Vec3, r: f64) -> Shape {
    let rotation = between([1.0, 0.0, 0.0], rotate(to.rotation, axis));
    Shape::Box { center: to.position, size: [3.6 * r, 2.6 * r, 2.6 * r], rotation }
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
