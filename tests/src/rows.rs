//! The constraint rows, by definition, as series in time.

use mbs_symbolic::ids::{CoordinateId, FrameId, Id, JointId};
use mbs_symbolic::model::{Axis, ConstraintKind, JointKind};

use crate::formula::angular_velocity;
use crate::mechanism::{Kept, Moving, direction, is_welded, joint_transform};
use crate::scalar::{Jet, Scalar};
use crate::transform::{self, Transform};

/// One row.
#[derive(Debug, Clone)]
pub struct Row<S> {
    /// The name of its multiplier.
    pub name: String,
    /// g, or for non-holonomic rows G v + c.
    pub value: Jet<S>,
    /// Whether `value` is at position level.
    pub holonomic: bool,
    /// The row is one of a pair along directions the compiler may choose, because
    /// they are across an axis that is not a principal one.
    pub free_direction: bool,
}

/// All rows: holonomic ones (cut joints, then constraint elements), then the others.
pub fn rows<S: Scalar>(moving: &Moving<'_, S>, kept: &Kept) -> Vec<Row<S>> {
    let model = moving.values.model;
    let mut rows = Vec::new();
    for joint in model.joints.ids().filter(|joint| kept.cut.contains(joint)) {
        rows.extend(cut_rows(moving, joint));
    }
    for constraint in &model.constraints {
        for mut row in constraint_rows(moving, &constraint.kind) {
            row.name = match row.name.as_str() {
                "" => constraint.name.text.clone(),
                suffix => format!("{}.{suffix}", constraint.name.text),
            };
            rows.push(row);
        }
    }
    let (mut first, last): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.holonomic);
    first.extend(last);
    first
}

fn holonomic<S: Scalar>(name: impl Into<String>, value: Jet<S>) -> Row<S> {
    Row { name: name.into(), value, holonomic: true, free_direction: false }
}

fn nonholonomic<S: Scalar>(name: impl Into<String>, value: Jet<S>) -> Row<S> {
    Row { name: name.into(), value, holonomic: false, free_direction: false }
}

/// The two directions across an axis: the principal axes that follow it in cyclic
/// order, or any two if it is not a principal one.
fn across<S: Scalar>(moving: &Moving<'_, S>, axis: &Axis) -> [transform::Vec3<Jet<S>>; 2] {
    match axis {
        Axis::Principal { index, .. } => [1, 2].map(|step| {
            let mut e = [0.0; 3];
            e[(usize::from(*index) + step) % 3] = 1.0;
            transform::constant(e)
        }),
        Axis::Vector(_) => {
            let a = direction(&moving.values, axis);
            let smallest = (0..3).min_by(|i, j| a[*i].abs().total_cmp(&a[*j].abs())).unwrap_or(0);
            let mut helper = [0.0; 3];
            helper[smallest] = 1.0;
            let e1 = transform::cross(&a, &helper);
            let norm = transform::norm(&e1);
            let e1 = e1.map(|e| e / norm);
            [transform::constant(e1), transform::constant(transform::cross(&a, &e1))]
        }
    }
}

/// A pair of rows across an axis.
fn pair<S: Scalar>(
    moving: &Moving<'_, S>,
    axis: &Axis,
    names: [String; 2],
    row: impl Fn(&transform::Vec3<Jet<S>>) -> Jet<S>,
) -> Vec<Row<S>> {
    let free_direction = matches!(axis, Axis::Vector(_));
    let rows = across(moving, axis).into_iter().zip(names);
    rows.map(|(e, name)| Row { free_direction, ..holonomic(name, row(&e)) }).collect()
}

fn cut_rows<S: Scalar>(moving: &Moving<'_, S>, id: JointId) -> Vec<Row<S>> {
    let model = moving.values.model;
    let joint = &model.joints[id];
    let name = |suffix: &str| format!("{}.{suffix}", joint.name.text);
    let ancestor = moving.common_ancestor(model.frames[joint.from].body, model.frames[joint.to].body);
    let to = moving.closing_frame_in(ancestor, id);
    let mut from = moving.frame_in(ancestor, joint.from);
    if is_welded(&joint.kind) {
        // None of these joints measures its coordinates from ground.
        from = from.then(&joint_transform(&moving.values, id, &transform::identity()));
    }
    let gap = transform::sub(&from.r, &to.r);
    let gap_from = transform::apply_transpose(&from.rot, &gap);
    let rot_from_to = transform::multiply(&transform::transpose(&from.rot), &to.rot);

    let position = || -> Vec<Row<S>> {
        ["x", "y", "z"].iter().zip(gap).map(|(suffix, gap)| holonomic(name(suffix), gap)).collect()
    };
    let aligned = |axis: &Axis| {
        let a_to = transform::apply(&rot_from_to, &transform::constant(direction(&moving.values, axis)));
        pair(moving, axis, [name("rx"), name("ry")], |e| transform::dot(e, &a_to))
    };
    let sliding =
        |axis: &Axis| pair(moving, axis, [name("e1"), name("e2")], |e| transform::dot(e, &gap_from));
    // y_from·z_to, z_from·x_to, x_from·y_to
    let parallel = || -> Vec<Row<S>> {
        [("rx", 1, 2), ("ry", 2, 0), ("rz", 0, 1)]
            .map(|(suffix, row, column)| holonomic(name(suffix), rot_from_to[row][column]))
            .to_vec()
    };
    let mut rows = match &joint.kind {
        JointKind::Prismatic { axis, .. } | JointKind::Cylindrical { axis, .. } => sliding(axis),
        JointKind::Planar { normal, .. } => {
            let n = transform::constant(direction(&moving.values, normal));
            vec![holonomic(name("n"), transform::dot(&n, &gap_from))]
        }
        JointKind::Free { .. } => Vec::new(),
        _ => position(),
    };
    rows.extend(match &joint.kind {
        JointKind::Revolute { axis, .. } | JointKind::Cylindrical { axis, .. } => aligned(axis),
        JointKind::Planar { normal, .. } => aligned(normal),
        JointKind::Universal { axes, .. } => {
            let [a1, a2] = [&axes[0], &axes[1]].map(|axis| direction(&moving.values, axis));
            let moved = transform::apply(&rot_from_to, &transform::constant(a2));
            let constant = Jet::constant(transform::dot(&a1, &a2));
            vec![holonomic(name("rx"), transform::dot(&transform::constant(a1), &moved) - constant)]
        }
        JointKind::Spherical { .. } | JointKind::Free { .. } => Vec::new(),
        _ => parallel(),
    });
    rows
}

/// Rows of a constraint element, named by their suffix alone.
fn constraint_rows<S: Scalar>(moving: &Moving<'_, S>, kind: &ConstraintKind) -> Vec<Row<S>> {
    let values = &moving.values;
    let coordinate = |id: &CoordinateId| values.coordinates[id.index()];
    match kind {
        ConstraintKind::Distance { from, to, length } => {
            let [from, to] = from_common_ancestor(moving, *from, *to);
            let r = transform::sub(&to.r, &from.r);
            let length = values.get(length);
            vec![holonomic("distance", (transform::dot(&r, &r) - length.square()) / length.scale(2.0))]
        }
        ConstraintKind::PointOnLine { point, line, axis } => {
            let r = seen_from(moving, *line, *point).r;
            pair(moving, axis, ["e1".into(), "e2".into()], |e| transform::dot(e, &r))
        }
        ConstraintKind::PointOnPlane { point, plane, normal } => {
            let r = seen_from(moving, *plane, *point).r;
            let n = transform::constant(direction(values, normal));
            vec![holonomic("n", transform::dot(&n, &r))]
        }
        ConstraintKind::Coupling { terms, offset } => {
            let sum =
                terms.iter().fold(Jet::zero(), |sum, (id, factor)| sum + values.get(factor) * coordinate(id));
            vec![holonomic("", sum - values.get(offset))]
        }
        ConstraintKind::Motion { coordinate: id, value } => {
            vec![holonomic("", coordinate(id) - values.get(value))]
        }
        ConstraintKind::Rolling { wheel, axis, radius, plane } => {
            let radius = values.get(radius);
            let pose = seen_from(moving, *plane, *wheel);
            let a = transform::apply(&pose.rot, &transform::constant(direction(values, axis)));
            // n = z in the plane's axes, so n·a is the third component.
            let sine = (Jet::one() - a[2].square()).sqrt();
            let n = transform::constant([0.0, 0.0, 1.0]);
            let u = transform::sub(&n, &transform::scale(a[2], &a)).map(|u| u / sine);
            let arm = transform::scale(-radius, &u);
            let turning = transform::cross(&angular_velocity(&pose.rot), &arm);
            let slip = transform::add(&pose.r.map(Jet::der), &turning);
            vec![
                holonomic("contact", pose.r[2] - radius * sine),
                nonholonomic("x", slip[0]),
                nonholonomic("y", slip[1]),
            ]
        }
        ConstraintKind::KnifeEdge { frame, axis } => {
            let pose = &values.frames[frame.index()];
            let v = transform::apply_transpose(&pose.rot, &pose.r.map(Jet::der));
            let a = transform::constant(direction(values, axis));
            vec![nonholonomic("", transform::dot(&a, &v))]
        }
        ConstraintKind::Equation { value } => vec![holonomic("", values.get(value))],
        ConstraintKind::VelocityEquation { value } => vec![nonholonomic("", values.get(value))],
    }
}

fn from_common_ancestor<S: Scalar>(moving: &Moving<'_, S>, a: FrameId, b: FrameId) -> [Transform<Jet<S>>; 2] {
    let frames = &moving.values.model.frames;
    let ancestor = moving.common_ancestor(frames[a].body, frames[b].body);
    [a, b].map(|frame| moving.frame_in(ancestor, frame))
}

/// The pose of `frame` in `observer`.
fn seen_from<S: Scalar>(moving: &Moving<'_, S>, observer: FrameId, frame: FrameId) -> Transform<Jet<S>> {
    let [observer, frame] = from_common_ancestor(moving, observer, frame);
    observer.inverse().then(&frame)
}
