//! A unilateral vertical spring on a road.

use super::Site;
use crate::diag::Span;
use crate::ids::{FrameId, Id, LinkId};
use crate::lower::Queries;
use crate::model::{Formula, Query};
use crate::spatial::{Axes, Vec3};

/// gap = z − radius − road(x, t), F = max(0, −k gap − c gap') upwards.
pub(super) fn contact(
    site: &mut Site<'_, '_>,
    on: FrameId,
    [radius, road, stiffness, damping]: [&Formula; 4],
    span: Span,
) {
    let ground = FrameId::new(0);
    let position = |component| Query::Position { of: on, relative_to: ground, axes: ground, component };
    let x = site.kinematics.query(site.lowering, position(0));
    let z = site.kinematics.query(site.lowering, position(2));
    let road = site.law(road, &[x]);
    let [radius, k, c] = [radius, stiffness, damping].map(|formula| site.law(formula, &[]));
    let graph = site.graph();
    let above = graph.sub(z, radius);
    let gap = graph.sub(above, road);
    let rate = site.lowering.total_derivative(gap, site.kinematics, span);
    let graph = site.graph();
    let (elastic, viscous) = (graph.mul(k, gap), graph.mul(c, rate));
    let pulling = graph.add(elastic, viscous);
    let force = graph.neg(pulling);
    let lifted = site.lowering.negative(force, false, Some(site.element));
    let graph = site.graph();
    let zero = graph.zero();
    let force = graph.select(lifted, zero, force);
    let up = Vec3::new(Axes::GROUND, [zero, zero, force]);
    site.push(LinkId::new(0), on, up);
}
