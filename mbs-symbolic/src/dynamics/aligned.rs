//! Last links in axes along their own centre of mass.
//!
//! Where the axes of a link point about its joint's axis is settled by the next joint
//! (`kinematics::frames`). Behind the last joint of a chain nothing settles it, and x may as well
//! point to the centre of mass: one first moment is zero then, for one addition to the joint's
//! angle. What is fixed to the link turns with the axes, which is work on parameters alone.

use crate::expr::{BinaryOp, Graph};
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Move};
use crate::spatial::{Inertia, Rot3, Vec3};

/// Whether a link ends with a turn about z and has a centre of mass off both x and y, and nothing
/// that hangs on it has mass. (It is for the caller to know that nothing there moves.)
pub(super) fn may_gain(graph: &Graph, chain: &Chain, id: LinkId) -> bool {
    let [x, y, _] = chain.links[id].inertia.first_moment.xyz;
    let mut hangs: IdVec<LinkId, bool> = IdVec::new();
    for (other, link) in chain.links.iter_enumerated() {
        hangs.push(other == id || link.parent.is_some_and(|parent| hangs[parent]));
    }
    let massless = |other: LinkId| graph.is_zero(chain.links[other].inertia.mass);
    !graph.is_zero(x)
        && !graph.is_zero(y)
        && super::frame_choice::ends_with_turn(graph, &chain.links[id])
        && chain.links.ids().all(|other| other == id || !hangs[other] || massless(other))
}

/// Turns the axes of a link nothing hangs on but what is fixed to it and has no mass. Returns the rotation from the former axes to the
/// new ones, which go by the same name.
pub(super) fn align(graph: &mut Graph, chain: &mut Chain, id: LinkId) -> Rot3 {
    let link = &mut chain.links[id];
    let axes = link.axes;
    let [x, y, z] = link.inertia.first_moment.xyz;
    // Zero where the centre of mass lies on the axis, where every direction is as good.
    let angle = graph.binary(BinaryOp::Atan2, y, x);
    let back = graph.neg(angle);
    link.inertia = Inertia {
        mass: link.inertia.mass,
        first_moment: Vec3::new(axes, [distance(graph, x, y), graph.zero(), z]),
        about_origin: link.inertia.about_origin.turned(graph, axes, 2, back),
    };
    let last_turn = link.moves.iter_mut().rev().find_map(|step| match step {
        Move::Rotate { rot, axis: 2, angle: own, .. } => Some((rot, own)),
        _ => None,
    });
    if let Some((rot, own)) = last_turn {
        *own = graph.add(*own, angle);
        *rot = Rot3::about(graph, rot.from, rot.to, 2, *own);
    }
    let onto = Rot3::about(graph, axes, axes, 2, back);
    for fixed in chain.links.ids().filter(|&other| chain.links[other].parent == Some(id)).collect::<Vec<_>>()
    {
        chain.links[fixed].moves.insert(0, Move::FixedRotation { rot: onto });
    }
    onto
}

fn distance(graph: &mut Graph, x: ExprId, y: ExprId) -> ExprId {
    let (xx, yy) = (graph.mul(x, x), graph.mul(y, y));
    let square = graph.add(xx, yy);
    graph.sqrt(square)
}
