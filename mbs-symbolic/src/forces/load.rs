//! Forces and torques on one frame, with components in any frame's axes.

use super::Site;
use crate::ids::FrameId;
use crate::model::Formula;

/// A force on the origin of `on`; its opposite acts at the same place on `reaction`.
pub(super) fn force(
    site: &mut Site<'_, '_>,
    on: FrameId,
    axes: FrameId,
    components: &[Formula; 3],
    reaction: Option<FrameId>,
) {
    let components = [0, 1, 2].map(|k| site.law(&components[k], &[]));
    let frames: Vec<FrameId> = [on, axes].into_iter().chain(reaction).collect();
    let reference_link = site.kinematics.common_ancestor(&frames);
    let force = site.in_reference_axes(reference_link, axes, components);
    site.push(reference_link, on, force);
    if let Some(reaction) = reaction {
        let place = site.kinematics.chain.frames[on];
        let point = site.kinematics.point(site.context, reference_link, place);
        let point = site.values(reference_link, &point);
        let opposite = force.neg(site.graph());
        site.push_at(reference_link, reaction, opposite, point);
    }
}

/// A torque on the body of `on`, its opposite on that of `reaction`.
pub(super) fn torque(
    site: &mut Site<'_, '_>,
    on: FrameId,
    axes: FrameId,
    components: &[Formula; 3],
    reaction: Option<FrameId>,
) {
    let components = [0, 1, 2].map(|k| site.law(&components[k], &[]));
    let frames: Vec<FrameId> = [on, axes].into_iter().chain(reaction).collect();
    let reference_link = site.kinematics.common_ancestor(&frames);
    let torque = site.in_reference_axes(reference_link, axes, components);
    site.twist(reference_link, on, torque);
    if let Some(reaction) = reaction {
        let opposite = torque.neg(site.graph());
        site.twist(reference_link, reaction, opposite);
    }
}
