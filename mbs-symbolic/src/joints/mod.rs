//! Joint types as sequences of elementary motions.
//!
//! A joint in the tree is a sequence of rotations about and translations along axes,
//! each by an expression of its coordinates; only quaternions need a step of their
//! own. A joint that closes a loop is a list of rows instead ([`closure`]).

pub(crate) mod closure;

use crate::ids::{CoordinateId, ExprId, FrameId};
use crate::lower::{EquationContext, NoQueries};
use crate::model::{Axis, Joint, JointKind, Motion, Orientation};

/// One elementary motion from the `from` frame towards the `to` frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// A turn by `value` (rad) about an axis of the axes moved so far.
    Rotate { axis: Axis, value: ExprId },
    /// A shift by `value` (m) along an axis of the axes moved so far.
    Translate { axis: Axis, value: ExprId },
    /// A turn by the quaternion q; ω is the angular velocity in the turned axes.
    Quaternion { q: [ExprId; 4], w: [ExprId; 3] },
    /// The axes that follow are those of a frame of ground, whatever came before.
    Reorient { ground_frame: FrameId },
}

/// The motions of a joint, from its `from` frame to its `to` frame.
pub(crate) fn steps(context: &mut EquationContext<'_>, joint: &Joint) -> Vec<Step> {
    let rotate = |context: &mut EquationContext<'_>, axis: &Axis, id: CoordinateId| Step::Rotate {
        axis: axis.clone(),
        value: context.coordinate(id),
    };
    let translate = |context: &mut EquationContext<'_>, axis: &Axis, id: CoordinateId| Step::Translate {
        axis: axis.clone(),
        value: context.coordinate(id),
    };
    match &joint.kind {
        JointKind::Fixed => Vec::new(),
        JointKind::Revolute { axis, angle } => vec![rotate(context, axis, *angle)],
        JointKind::Prismatic { axis, distance } => vec![translate(context, axis, *distance)],
        JointKind::Cylindrical { axis, distance, angle } => {
            vec![translate(context, axis, *distance), rotate(context, axis, *angle)]
        }
        JointKind::Screw { axis, pitch, angle } => {
            let pitch = context.parameter(pitch);
            let per_radian = context.graph.scale(0.5 / std::f64::consts::PI, pitch);
            let angle_value = context.coordinate(*angle);
            let value = context.graph.mul(per_radian, angle_value);
            vec![Step::Translate { axis: axis.clone(), value }, rotate(context, axis, *angle)]
        }
        JointKind::Universal { axes, angles } => {
            (0..2).map(|k| rotate(context, &axes[k], angles[k])).collect()
        }
        JointKind::Spherical { orientation } => orientation_steps(context, joint, orientation),
        JointKind::Free { translation, orientation } => {
            let mut steps: Vec<Step> =
                (0..3).map(|k| translate(context, &principal(k), translation[usize::from(k)])).collect();
            steps.extend(orientation_steps(context, joint, orientation));
            steps
        }
        JointKind::Planar { normal, translation, angle } => {
            let [first, second] = in_plane(normal);
            vec![
                translate(context, &first, translation[0]),
                translate(context, &second, translation[1]),
                rotate(context, normal, *angle),
            ]
        }
        JointKind::Curve { position, rotation, .. } => {
            let mut steps = Vec::new();
            for (k, formula) in (0..3).zip(position) {
                let value = context.formula(formula, &[], &mut NoQueries, None);
                steps.push(Step::Translate { axis: principal(k), value });
            }
            for turn in rotation {
                let value = context.formula(&turn.angle, &[], &mut NoQueries, None);
                steps.push(Step::Rotate { axis: turn.axis.clone(), value });
            }
            steps
        }
        JointKind::Compound { steps } => steps
            .iter()
            .map(|step| {
                let value = context.formula(&step.argument, &[], &mut NoQueries, None);
                match step.motion {
                    Motion::Rotation => Step::Rotate { axis: step.axis.clone(), value },
                    Motion::Translation => Step::Translate { axis: step.axis.clone(), value },
                }
            })
            .collect(),
    }
}

fn orientation_steps(
    context: &mut EquationContext<'_>,
    joint: &Joint,
    orientation: &Orientation,
) -> Vec<Step> {
    match orientation {
        Orientation::Quaternion { .. } => {
            let (q, w) = context.quaternion(&joint.kind).expect("a joint of the tree has its coordinates");
            vec![Step::Quaternion { q, w }]
        }
        Orientation::Angles { sequence, coordinates, relative_to } => {
            let reorient = relative_to.map(|ground_frame| Step::Reorient { ground_frame });
            let turns: Vec<Step> = sequence
                .iter()
                .zip(coordinates)
                .map(|(&k, &coordinate)| Step::Rotate {
                    axis: principal(k),
                    value: context.coordinate(coordinate),
                })
                .collect();
            reorient.into_iter().chain(turns).collect()
        }
    }
}

/// The same motions walked from `to` to `from`.
pub(crate) fn reversed(context: &mut EquationContext<'_>, steps: Vec<Step>) -> Vec<Step> {
    let negated = |context: &mut EquationContext<'_>, value| context.graph.neg(value);
    steps
        .into_iter()
        .rev()
        .map(|step| match step {
            Step::Rotate { axis, value } => Step::Rotate { axis, value: negated(context, value) },
            Step::Translate { axis, value } => Step::Translate { axis, value: negated(context, value) },
            // The chain knows in which axes ω is given and turns the other way.
            other => other,
        })
        .collect()
}

/// The principal axis `index`.
pub(crate) fn principal(index: u8) -> Axis {
    Axis::Principal { index, negative: false }
}

/// The two principal axes that follow a principal normal in cyclic order.
pub(crate) fn in_plane(normal: &Axis) -> [Axis; 2] {
    let Axis::Principal { index, .. } = normal else {
        unreachable!("the reader requires a principal normal")
    };
    [principal((index + 1) % 3), principal((index + 2) % 3)]
}
