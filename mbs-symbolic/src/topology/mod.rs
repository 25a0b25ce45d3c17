//! Stage 2: [`Model`] → [`Topology`].
//!
//! Grows a spanning tree over the bodies and keeps every joint left out of it as a
//! cut joint. Knows nothing of angles, masses or expressions.
//!
//! On return (checked by `verify` in debug builds):
//! - in `base_to_tip` a parent comes before its children, and ground is first;
//! - every joint is either inboard of exactly one body or cut.

mod tree;

use crate::diag::Diagnostics;
use crate::ids::{BodyId, CoordinateId, IdVec, JointId, VelocityId};
use crate::model::{Fragment, JointKind, Model};

/// A spanning tree plus the joints that close its loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// The joint between a body and its parent; `None` for ground only.
    pub inboard: IdVec<BodyId, Option<Inboard>>,
    /// All bodies, parents before children.
    pub base_to_tip: Vec<BodyId>,
    /// Joints that close loops, in joint order.
    pub cut_joints: Vec<JointId>,
    /// The coordinates that make up p, in order; those that follow others are none of them.
    pub positions: Vec<CoordinateId>,
    /// The velocities that make up v, in order; none of coordinates that follow others.
    pub velocities: Vec<VelocityId>,
}

/// How a body hangs on its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inboard {
    /// The joint.
    pub joint: JointId,
    /// The parent.
    pub parent: BodyId,
    /// The body is the joint's `from` side: its motion runs against the tree.
    pub reversed: bool,
}

/// Builds the topology of `model`, or reports every body and joint it cannot place.
pub fn build(model: &Model) -> Result<Topology, Diagnostics> {
    let tree = tree::grow(model)?;
    let keeps = |joint: JointId| !tree.cut_joints.contains(&joint) || is_welded(&model.joints[joint].kind);
    let kept: Vec<JointId> = model.joints.ids().filter(|&joint| keeps(joint)).collect();
    let kept = kept.iter().map(|&joint| &model.joints[joint]);
    let positions = kept.clone().flat_map(|joint| &joint.coordinates).copied();
    let velocities = kept.flat_map(|joint| &joint.velocities).copied();
    let topology = Topology {
        positions: positions.filter(|&id| model.is_independent(id)).collect(),
        velocities: velocities.filter(|&id| model.mimic_of(id).is_none()).collect(),
        inboard: tree.inboard,
        base_to_tip: tree.base_to_tip,
        cut_joints: tree.cut_joints,
    };
    debug_assert_eq!(verify(model, &topology), Ok(()));
    Ok(topology)
}

/// What is wrong with the topology of a model that has other mistakes, as far as the
/// mistakes leave that to judge.
pub(crate) fn examine(fragment: &Fragment) -> Diagnostics {
    if fragment.broken_joints.is_empty() {
        return build(&fragment.model).err().unwrap_or_default();
    }
    tree::disconnected(&fragment.model, &fragment.broken_joints)
}

/// Whether a cut joint of this kind keeps its coordinates: its motion is followed by
/// a massless frame, which is then welded to the other body.
pub fn is_welded(kind: &JointKind) -> bool {
    matches!(kind, JointKind::Screw { .. } | JointKind::Curve { .. } | JointKind::Compound { .. })
}

/// Checks what holds of every topology.
fn verify(model: &Model, topology: &Topology) -> Result<(), String> {
    let mut placed: IdVec<BodyId, bool> = model.bodies.ids().map(|_| false).collect();
    for &body in &topology.base_to_tip {
        if let Some(inboard) = topology.inboard[body] {
            if !placed[inboard.parent] {
                return Err(format!("{body:?} comes before its parent {:?}", inboard.parent));
            }
        } else if body != topology.base_to_tip[0] {
            return Err(format!("{body:?} has no parent"));
        }
        placed[body] = true;
    }
    let joints = topology.cut_joints.len() + topology.base_to_tip.len() - 1;
    if joints != model.joints.len() {
        return Err(format!("{joints} joints placed of {}", model.joints.len()));
    }
    Ok(())
}
