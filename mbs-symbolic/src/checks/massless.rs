//! Motions that nothing resists: M is singular, and no constraint decides them.
//!
//! Accelerations are unique if no motion w ≠ 0 has M w = 0 and G w = 0. Both are evaluated at
//! two poses near the start, M scaled so that its diagonal is one; a velocity whose column
//! adds nothing to those before it, in both poses, is such a motion. If its column is zero,
//! nothing the joint carries has mass along it; if it is not, the body it hangs on has none,
//! so that its motion cannot be told from that of another joint.

use super::sample;
use crate::diag::{Diagnostics, Problem};
use crate::ids::{BodyId, Id, JointId, VelocityId};
use crate::model::{JointKind, Model, Velocity};
use crate::program::{FunctionKind, Inputs, Interpreter, Program};
use crate::topology::Topology;

/// What is left of a column of length one below this is rounding.
const DEPENDENT: f64 = 1e-8;
/// More velocities than this are not examined: the work grows with their third power.
const MAX_VELOCITIES: usize = 300;

pub(super) fn check(model: &Model, topology: &Topology, program: &Program, found: &mut Diagnostics) {
    let n_v = program.layout.velocities.len();
    if n_v == 0 || n_v > MAX_VELOCITIES {
        return;
    }
    let mut evaluator = Evaluator::new(program);
    let mut free = evaluator.unresisted(0);
    if free.iter().any(Option::is_some) {
        let again = evaluator.unresisted(1);
        free.iter_mut().zip(again).for_each(|(free, again)| *free = free.and(again));
    }
    for (index, free) in free.into_iter().enumerate() {
        let Some(column) = free else { continue };
        let id = topology.velocities[index];
        let velocity = &model.velocities[id];
        let joint = &model.joints[velocity.joint];
        let carried = match column {
            Column::Zero => carried(model, topology, id),
            Column::Dependent => hung_on(model, topology, id),
        };
        let Some(&first) = carried.first() else { continue };
        let names: Vec<&str> = carried.iter().map(|&body| model.bodies[body].name.text.as_str()).collect();
        let is_turn = velocity.unit.starts_with("rad");
        found.push(
            crate::diag::Diagnostic::warning(
                joint.name.span,
                Problem::MasslessMotion {
                    joint: joint.name.text.clone(),
                    coordinate: velocity.name.text.clone(),
                    bodies: list(&names),
                    needs: needs(&joint.kind, is_turn),
                },
            )
            .with(model.bodies[first].name.span, "this body"),
        );
    }
}

fn needs(kind: &JointKind, is_turn: bool) -> &'static str {
    match kind {
        _ if !is_turn => "a mass",
        JointKind::Revolute { .. } | JointKind::Universal { .. } | JointKind::Cylindrical { .. } => {
            "an inertia about the joint's axis, or a mass with its centre off that axis"
        }
        JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Screw { .. } => "an inertia",
        JointKind::Spherical { .. } | JointKind::Free { .. } | JointKind::Planar { .. } => "an inertia",
        JointKind::Curve { .. } | JointKind::Compound { .. } => "an inertia",
    }
}

fn list(names: &[&str]) -> String {
    const MOST: usize = 4;
    let quoted: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { ", …" } else { "" };
    quoted.join(", ") + more
}

/// What a column of M and G that adds nothing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Zero,
    /// A combination of columns before it.
    Dependent,
}

/// The body a joint of the tree hangs on, unless that is ground.
fn hung_on(model: &Model, topology: &Topology, velocity: VelocityId) -> Vec<BodyId> {
    let joint = model.velocities[velocity].joint;
    let mut inboard = topology.inboard.iter().flatten().filter(|inboard| inboard.joint == joint);
    let parent = inboard.next().map(|inboard| inboard.parent).filter(|parent| parent.index() > 0);
    parent.map_or_else(|| carried(model, topology, velocity), |parent| vec![parent])
}

/// The bodies that the joint of a velocity and the joints that follow it move, its own first.
fn carried(model: &Model, topology: &Topology, velocity: VelocityId) -> Vec<BodyId> {
    let Velocity { joint, coordinate, .. } = model.velocities[velocity];
    let follows = |id: JointId| {
        let mut own = model.joints[id].coordinates.iter();
        own.any(|&own| !model.is_independent(own) && Some(model.leader(own)) == coordinate)
    };
    let mut carried: Vec<BodyId> = Vec::new();
    for &body in &topology.base_to_tip {
        let Some(inboard) = topology.inboard[body] else { continue };
        let moves = inboard.joint == joint || follows(inboard.joint);
        if moves || carried.contains(&inboard.parent) {
            carried.push(body);
        }
    }
    if carried.is_empty() {
        // A joint that is cut and welded moves a frame without mass up to its other body.
        carried.push(model.frames[model.joints[joint].to].body);
    }
    carried
}

struct Evaluator<'a> {
    program: &'a Program,
    interpreter: Interpreter,
    prepared: Vec<f64>,
    u: Vec<f64>,
    modes: Vec<bool>,
}

impl<'a> Evaluator<'a> {
    fn new(program: &'a Program) -> Self {
        let layout = &program.layout;
        let mut interpreter = Interpreter::new(program);
        let mut prepared = vec![0.0; program.n_prepared()];
        interpreter.prepare(program, &layout.parameter_defaults, &mut prepared);
        let modes = vec![false; layout.modes.len()];
        let mut evaluator = Self { program, interpreter, prepared, u: Vec::new(), modes };
        evaluator.u = evaluator.run(FunctionKind::InputDefaults, &[]).remove(0);
        evaluator
    }

    fn run(&mut self, kind: FunctionKind, p: &[f64]) -> Vec<Vec<f64>> {
        let blocks = &self.program.function(kind).results;
        let mut results: Vec<Vec<f64>> = blocks.iter().map(|block| vec![0.0; block.entries.len()]).collect();
        let inputs =
            Inputs { p, u: &self.u, modes: &self.modes, prepared: &self.prepared, ..Inputs::default() };
        let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        self.interpreter.run(self.program, kind, &inputs, &mut slices);
        results
    }

    /// The velocities that nothing resists at the pose of this number.
    fn unresisted(&mut self, pose: u64) -> Vec<Option<Column>> {
        let layout = &self.program.layout;
        let mut p = self.run(FunctionKind::Initial, &[]).remove(0);
        for (k, p) in p.iter_mut().enumerate() {
            *p += 0.3 * sample(pose, k as u64);
        }
        for block in &layout.quaternions {
            let part = &mut p[block.p as usize..block.p as usize + 4];
            let length = mbs_math::sqrt(part.iter().map(|q| q * q).sum());
            part.iter_mut().for_each(|q| *q /= length);
        }
        let mass = self.run(FunctionKind::MassMatrix, &p).remove(0);
        let jacobian = self.run(FunctionKind::ConstraintJacobian, &p).remove(0);
        let (n_v, rows) = (layout.velocities.len(), layout.rows.len());
        let finite = mass.iter().chain(&jacobian).all(|x| x.is_finite());
        let scale = |k: usize| match mass[k * n_v + k] {
            diagonal if diagonal > 0.0 => 1.0 / mbs_math::sqrt(diagonal),
            _ => 1.0,
        };
        let columns = (0..n_v).map(|j| {
            let of_mass = (0..n_v).map(|i| mass[j * n_v + i] * scale(i) * scale(j));
            let of_rows = (0..rows).map(|i| jacobian[j * rows + i]);
            of_mass.chain(of_rows).collect()
        });
        if finite { dependent(columns.collect()) } else { vec![None; n_v] }
    }
}

/// The columns that are combinations of those before them, by Gram and Schmidt.
fn dependent(columns: Vec<Vec<f64>>) -> Vec<Option<Column>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let decide = |mut column: Vec<f64>| {
        let before = mbs_math::sqrt(dot(&column, &column));
        // Twice is enough for orthogonality to the last digits.
        for direction in basis.iter().chain(&basis) {
            let part = dot(&column, direction);
            column.iter_mut().zip(direction).for_each(|(x, d)| *x -= part * d);
        }
        let left = mbs_math::sqrt(dot(&column, &column));
        if left <= DEPENDENT * before {
            return Some(if before > 0.0 { Column::Dependent } else { Column::Zero });
        }
        column.iter_mut().for_each(|x| *x /= left);
        basis.push(column);
        None
    };
    columns.into_iter().map(decide).collect()
}

#[cfg(test)]
mod tests {
    use super::{Column, dependent};

    #[test]
    fn columns_that_add_nothing() {
        let columns = vec![vec![1.0, 1.0], vec![2.0, 2.0], vec![0.0, 0.0], vec![1.0, 0.0]];
        assert_eq!(dependent(columns), [None, Some(Column::Dependent), Some(Column::Zero), None]);
    }
}
