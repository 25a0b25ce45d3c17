//! Directions of constraint rows in words.

use super::reference;
use mbs_symbolic::dynamics::Element;
use mbs_symbolic::ids::{BodyId, FrameId, Id, JointId};
use mbs_symbolic::model::{Axis, AxisAngle, ConstraintKind, Defaults, Joint, JointKind, Model};
use mbs_symbolic::program::{Layout, Row, RowKind};
use mbs_symbolic::topology::Topology;

type Vector = [f64; 3];
/// Row by row.
type Matrix = [[f64; 3]; 3];

/// What is needed to name a direction.
pub(super) struct Words<'a> {
    pub(super) model: &'a Model,
    pub(super) topology: &'a Topology,
    pub(super) layout: &'a Layout,
    /// Twelve numbers per body but ground: origin, then rotation matrix row by row.
    pub(super) poses: &'a [f64],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    Translation,
    Rotation,
    Other,
}

impl Words<'_> {
    /// What one row keeps from moving.
    pub(super) fn alone(&self, row: &Row) -> String {
        let Element::Joint(id) = row.element else { return self.of_constraint(row) };
        let motion = motion(row.kind);
        self.of_joint(id, motion, self.axis_of(id, row))
    }

    /// What the vanishing combination `weights`, solved for `row`, keeps from moving: its own
    /// direction if it is one of one joint, else that of the row.
    pub(super) fn combined(&self, row: usize, weights: &[f64]) -> String {
        let rows = &self.layout.rows;
        let Element::Joint(id) = rows[row].element else { return self.of_constraint(&rows[row]) };
        let largest = weights.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut sum = [0.0; 3];
        for (other, &weight) in rows.iter().zip(weights) {
            if weight.abs() <= 1e-6 * largest {
                continue;
            }
            let axis = self.axis_of(id, other);
            let (true, Some(axis)) =
                (other.element == rows[row].element && other.kind == rows[row].kind, axis)
            else {
                return self.alone(&rows[row]);
            };
            for (sum, x) in sum.iter_mut().zip(axis) {
                *sum += weight * x;
            }
        }
        self.of_joint(id, motion(rows[row].kind), unit(sum))
    }

    fn of_joint(&self, id: JointId, motion: Motion, axis: Option<Vector>) -> String {
        let verb = match motion {
            Motion::Translation => "translation along",
            Motion::Rotation => "rotation about",
            Motion::Other => "motion along",
        };
        let own = own_axis(&self.model.joints[id].kind, &Defaults::new(self.model));
        let name = match axis {
            Some(axis) => name(axis, own),
            None if own.is_some() => "an axis across its own".to_owned(),
            None => "one of its axes".to_owned(),
        };
        format!("{verb} {name}")
    }

    fn of_constraint(&self, row: &Row) -> String {
        let Element::Constraint(id) = row.element else {
            return row.name.clone();
        };
        let text = match &self.model.constraints[id].kind {
            ConstraintKind::Distance { .. } => "its length",
            ConstraintKind::PointOnLine { .. } => "translation across its line",
            ConstraintKind::PointOnPlane { .. } => "translation across its plane",
            ConstraintKind::Coupling { .. } => "the coupling",
            ConstraintKind::Motion { .. } => "the prescribed motion",
            ConstraintKind::Rolling { .. } if row.kind == RowKind::Position => "contact",
            ConstraintKind::Rolling { .. } => "slip",
            ConstraintKind::KnifeEdge { .. } => "translation along its axis",
            ConstraintKind::Equation { .. } | ConstraintKind::VelocityEquation { .. } => "the equation",
        };
        text.to_owned()
    }

    /// The direction of one row of a cut joint in the axes of its `from` frame, where the rows
    /// say it: see `cut_joint` of the compiler.
    fn axis_of(&self, id: JointId, row: &Row) -> Option<Vector> {
        let joint = &self.model.joints[id];
        let defaults = Defaults::new(self.model);
        let suffix = row.name.rsplit('.').next()?;
        let index = |letters: [&str; 3]| letters.iter().position(|&letter| letter == suffix);
        if let Some(k) = index(["x", "y", "z"]) {
            return self.seen_from(joint, k, &defaults);
        }
        if suffix == "n" {
            return own_axis(&joint.kind, &defaults);
        }
        if let Some(k) = index(["e1", "e2", ""]) {
            return across(&joint.kind, k);
        }
        let k = index(["rx", "ry", "rz"])?;
        match &joint.kind {
            JointKind::Revolute { .. } | JointKind::Cylindrical { .. } | JointKind::Planar { .. } => {
                // e·a' with e across the axis a keeps a from turning about a × e.
                across(&joint.kind, 1 - k.min(1))
            }
            JointKind::Universal { axes: [first, second], .. } => {
                let (a, b) = (direction(first, &defaults)?, direction(second, &defaults)?);
                unit(cross(a, b))
            }
            JointKind::Fixed
            | JointKind::Prismatic { .. }
            | JointKind::Screw { .. }
            | JointKind::Spherical { .. }
            | JointKind::Free { .. }
            | JointKind::Curve { .. }
            | JointKind::Compound { .. } => {
                let mut axis = [0.0; 3];
                axis[k] = 1.0;
                Some(axis)
            }
        }
    }

    /// An axis of the body both sides of a loop are seen from, in `from` axes.
    fn seen_from(&self, joint: &Joint, k: usize, defaults: &Defaults<'_>) -> Option<Vector> {
        let (from, to) = (self.model.frames[joint.from].body, self.model.frames[joint.to].body);
        let observer = self.common_ancestor(from, to);
        let rot_wo = self.rotation(reference(observer), defaults)?;
        let rot_wf = self.rotation(joint.from, defaults)?;
        let column = [rot_wo[0][k], rot_wo[1][k], rot_wo[2][k]];
        unit([0, 1, 2].map(|i| (0..3).map(|j| rot_wf[j][i] * column[j]).sum()))
    }

    fn common_ancestor(&self, a: BodyId, b: BodyId) -> BodyId {
        let line = |mut body: BodyId| {
            let mut line = vec![body];
            while let Some(inboard) = self.topology.inboard[body] {
                body = inboard.parent;
                line.push(body);
            }
            line
        };
        let other = line(b);
        line(a).into_iter().find(|body| other.contains(body)).unwrap_or(BodyId::new(0))
    }

    /// From a frame's axes to those of ground.
    fn rotation(&self, frame: FrameId, defaults: &Defaults<'_>) -> Option<Matrix> {
        let body = self.model.frames[frame].body.index();
        let mut rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if body > 0 {
            let entries = &self.poses[12 * (body - 1) + 3..12 * body];
            rotation = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entries[3 * i + j]));
        }
        for AxisAngle { axis, angle } in &self.model.frames[frame].rotation {
            let turn = turning(direction(axis, defaults)?, defaults.evaluate(angle)?);
            rotation =
                [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| rotation[i][k] * turn[k][j]).sum()));
        }
        Some(rotation)
    }
}

fn motion(kind: RowKind) -> Motion {
    match kind {
        RowKind::Position => Motion::Translation,
        RowKind::Orientation => Motion::Rotation,
        RowKind::Distance | RowKind::Coordinate | RowKind::Equation | RowKind::Nonholonomic => Motion::Other,
    }
}

/// The axis of a joint that has one.
fn own_axis(kind: &JointKind, defaults: &Defaults<'_>) -> Option<Vector> {
    match kind {
        JointKind::Revolute { axis, .. }
        | JointKind::Prismatic { axis, .. }
        | JointKind::Cylindrical { axis, .. }
        | JointKind::Screw { axis, .. }
        | JointKind::Planar { normal: axis, .. } => direction(axis, defaults),
        JointKind::Fixed | JointKind::Universal { .. } | JointKind::Spherical { .. } => None,
        JointKind::Free { .. } | JointKind::Curve { .. } | JointKind::Compound { .. } => None,
    }
}

/// Direction k of the two across a principal axis, which follow it in cyclic order.
fn across(kind: &JointKind, k: usize) -> Option<Vector> {
    let (JointKind::Revolute { axis, .. }
    | JointKind::Prismatic { axis, .. }
    | JointKind::Cylindrical { axis, .. }
    | JointKind::Planar { normal: axis, .. }) = kind
    else {
        return None;
    };
    let Axis::Principal { index, .. } = axis else { return None };
    let mut across = [0.0; 3];
    across[(usize::from(*index) + 1 + k) % 3] = 1.0;
    Some(across)
}

fn direction(axis: &Axis, defaults: &Defaults<'_>) -> Option<Vector> {
    match axis {
        Axis::Principal { index, negative } => {
            let mut direction = [0.0; 3];
            direction[usize::from(*index)] = if *negative { -1.0 } else { 1.0 };
            Some(direction)
        }
        Axis::Vector(components) => {
            let [x, y, z] = components;
            unit([defaults.evaluate(x)?, defaults.evaluate(y)?, defaults.evaluate(z)?])
        }
    }
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Option<Vector> {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 0.0 && length.is_finite()).then(|| a.map(|x| x / length))
}

/// The rotation by an angle about a direction of length one (Rodrigues).
fn turning(n: Vector, angle: f64) -> Matrix {
    let (sine, cosine) = angle.sin_cos();
    let skew = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
    [0, 1, 2].map(|i| {
        [0, 1, 2].map(|j| {
            let same = f64::from(u8::from(i == j));
            same * cosine + sine * skew[i][j] + (1.0 - cosine) * n[i] * n[j]
        })
    })
}

/// `x`, `its axis`, or components.
fn name(axis: Vector, own: Option<Vector>) -> String {
    const PARALLEL: f64 = 1e-6;
    for (k, letter) in ["x", "y", "z"].into_iter().enumerate() {
        if axis[k].abs() > 1.0 - PARALLEL {
            return letter.to_owned();
        }
    }
    let along = |own: Vector| own.iter().zip(axis).map(|(a, b)| a * b).sum::<f64>().abs();
    if own.is_some_and(|own| along(own) > 1.0 - PARALLEL) {
        return "its axis".to_owned();
    }
    // The sign of a direction says nothing: the largest component is shown positive.
    let largest = axis.iter().fold(0.0_f64, |m, &x| if x.abs() > m.abs() + 1e-9 { x } else { m });
    let [x, y, z] = axis.map(|x| {
        let rounded = (x * largest.signum() * 1e3).round() / 1e3;
        // No negative zero.
        if rounded == 0.0 { 0.0 } else { rounded }
    });
    format!("[{x}, {y}, {z}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_short_names() {
        assert_eq!(name([0.0, -1.0, 1e-9], None), "y");
        let skew = [0.6, 0.0, 0.8];
        assert_eq!(name(skew, Some(skew.map(|x| -x))), "its axis");
        assert_eq!(name([-0.6, -0.0, -0.8], None), "[0.6, 0, 0.8]");
    }

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let turn = turning([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
        assert!((turn[1][0] - 1.0).abs() < 1e-15 && turn[0][0].abs() < 1e-15 && turn[2][2] == 1.0);
    }
}
