//! Which side of half a turn the joints that close loops are on.
//!
//! Rows of orientation say that directions stay across each other. They vanish for the orientation
//! that is meant, and for others: turned over by half a turn, and where all three directions are
//! held also by a third of a turn about a diagonal. A cosine tells them apart: 1 where the joint is
//! closed, −1/2 or −1 elsewhere.

use crate::diag::Problem;
use crate::expr::Symbol;
use crate::ids::{ExprId, JointId};
use crate::joints::closure::{OrientationRows, closure};
use crate::kinematics::{Kinematics, VecJet, relative};
use crate::lower::EquationContext;
use crate::topology::Topology;

/// The cosines of all cut joints with rows of orientation: of the angle between the axes of both
/// sides, or, where all three directions are held, of the angle between the two sides. One that no
/// coordinate changes is left out; if it is not 1, the loop cannot close.
pub(super) fn cosines(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    topology: &Topology,
) -> Vec<(JointId, ExprId)> {
    let mut list = Vec::new();
    for &joint in &topology.cut_joints {
        let Some(cosine) = cosine(context, kinematics, joint) else { continue };
        if context.depends_on(cosine, |symbol| matches!(symbol, Symbol::P(_))) {
            list.push((joint, cosine));
            continue;
        }
        let value = context.value_at_rest(cosine);
        if value < 0.0 {
            let name = &context.model.joints[joint].name;
            let problem = Problem::LoopCannotClose {
                joint: name.text.clone(),
                row: "its orientation".to_owned(),
                value: mbs_math::acos(value.max(-1.0)),
            };
            context.problems.error(name.span, problem);
        }
    }
    list
}

fn cosine(context: &mut EquationContext<'_>, kinematics: &mut Kinematics, id: JointId) -> Option<ExprId> {
    let joint = &context.model.joints[id];
    let (from, to) = (kinematics.chain.closing_frame(id, joint.from), kinematics.chain.frames[joint.to]);
    let reference_link = relative::common_ancestor(&kinematics.chain, from.link, to.link);
    match closure(&joint.kind).orientation {
        OrientationRows::Free | OrientationRows::Angle(_) => None,
        OrientationRows::Parallel(axis) => {
            let [fixed, moved] = [from, to].map(|place| {
                let e = context.axis(place.in_link.rot.from, &axis);
                kinematics.direction(context, reference_link, place, e)
            });
            Some(dot(context, &fixed, &moved))
        }
        OrientationRows::All => {
            // The trace of a rotation by α is 1 + 2 cos α.
            let products = [0, 1, 2].map(|k| {
                let [fixed, moved] =
                    [from, to].map(|place| kinematics.unit(context, reference_link, place, k));
                dot(context, &fixed, &moved)
            });
            let graph = &mut context.graph;
            let (minus_one, half) = (graph.constant(-1.0), graph.constant(0.5));
            let sum = graph.sum(products.into_iter().chain([minus_one]));
            Some(graph.mul(half, sum))
        }
    }
}

fn dot(context: &mut EquationContext<'_>, a: &VecJet, b: &VecJet) -> ExprId {
    let graph = &mut context.graph;
    let products: Vec<ExprId> = a.iter().zip(b).map(|(a, b)| graph.mul(a.value, b.value)).collect();
    graph.sum(products)
}
