//! Frame Jacobians: partial derivatives of the velocities of frames with respect to v.
//!
//! For a frame F with origin at r in ground axes and angular velocity ω,
//!
//! ```text
//! J_F = [∂ṙ/∂v; ∂ω/∂v],   6 × n_v
//! ```
//!
//! by geometric partial velocities (Kane's partial velocities; columns of the geometric Jacobian):
//! a step that turns about e through a point c moves the origin with e × (r − c) and turns the
//! frame with e, a step that shifts along e moves the origin with e. In ground axes this is what
//! Pinocchio calls `LOCAL_WORLD_ALIGNED`; turned into axes of the frame, `LOCAL`.

use super::equations::Equations;
use crate::diag::Span;
use crate::expr::Graph;
use crate::ids::{ExprId, FrameId, Id, LinkId};
use crate::kinematics::{Column, Kinematics};
use crate::lower::EquationContext;
use crate::spatial::{Axes, Vec3};

/// The axes in which frame Jacobians give velocities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FrameAxes {
    /// Those of ground.
    #[default]
    Ground,
    /// Those of the frame itself.
    Frame,
}

/// The frames whose Jacobians are asked for, each once; complains of names no frame has.
pub(super) fn asked(context: &mut EquationContext<'_>, names: &[String]) -> Vec<FrameId> {
    let mut frames = Vec::new();
    for name in names {
        match context.model.find_frame(name) {
            Ok(frame) if frames.contains(&frame) => {}
            Ok(frame) => frames.push(frame),
            Err(problem) => context.problems.error(Span::default(), problem),
        }
    }
    frames
}

/// Forms the Jacobians of frames side by side, each 6 × n_v and column by column: velocity of the
/// origin, then angular velocity. The graph of the equations is that of `context`.
pub(super) fn form(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    equations: &mut Equations,
    frames: &[FrameId],
    axes: FrameAxes,
) {
    if frames.is_empty() {
        return;
    }
    let model = context.model;
    let n_v = equations.layout.velocities.len();
    equations.layout.frames = frames.iter().map(|&frame| model.frame_name(frame)).collect();
    let each = frames.iter().flat_map(|&frame| jacobian(context, kinematics, frame, axes, n_v));
    equations.frame_jacobian = Some(each.collect());
}

/// The Jacobian of one frame.
fn jacobian(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    frame: FrameId,
    axes: FrameAxes,
    n_v: usize,
) -> Vec<ExprId> {
    let place = kinematics.chain.frames[frame];
    let ground = LinkId::new(0);
    let rot_wl = kinematics.link_motion(context, ground, place.link).rot;
    let linear = kinematics.partial_velocities(context, ground, place);
    let angular = kinematics.spin(context, ground, place.link).columns;
    let graph = &mut context.graph;
    let rot_wf = rot_wl.compose(graph, place.in_link.rot);
    let [linear, angular] = [linear, angular].map(|partials| columns(graph, n_v, &partials));
    let vectors = linear.into_iter().zip(angular).flat_map(|(v, omega)| [v, omega]);
    let components = vectors.flat_map(|vector| match axes {
        FrameAxes::Ground => vector.xyz,
        FrameAxes::Frame => rot_wf.transpose().apply(graph, vector).xyz,
    });
    components.collect()
}

/// Sums partial velocities in ground axes by the velocity they belong to.
fn columns(graph: &mut Graph, n_v: usize, partials: &[(Column, Vec3)]) -> Vec<Vec3> {
    let mut columns = vec![Vec3::zero(graph, Axes::GROUND); n_v];
    for &(column, partial) in partials {
        if let Column::V(index) = column {
            let sum = &mut columns[index as usize];
            *sum = sum.add(graph, partial);
        }
    }
    columns
}
