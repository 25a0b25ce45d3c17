//! Forces along one velocity.

use super::Site;
use crate::expr::UnaryOp;
use crate::ids::{CoordinateId, ExprId, VelocityId};
use crate::model::Formula;

/// A force or torque by its value.
pub(super) fn force(site: &mut Site<'_, '_>, velocity: VelocityId, value: &Formula) {
    let value = site.law(value, &[]);
    along(site, velocity, value);
}

/// −k (q − rest) − c q' + preload.
pub(super) fn spring(
    site: &mut Site<'_, '_>,
    coordinate: CoordinateId,
    [stiffness, damping, rest, preload]: [&Formula; 4],
) {
    let Some((velocity, q, q_dot)) = motion(site, coordinate) else { return };
    let [k, c, rest, preload] = [stiffness, damping, rest, preload].map(|formula| site.law(formula, &[]));
    let graph = site.graph();
    let stretch = graph.sub(q, rest);
    let (elastic, viscous) = (graph.mul(k, stretch), graph.mul(c, q_dot));
    let resisting = graph.add(elastic, viscous);
    let value = graph.sub(preload, resisting);
    let energy = graph.mul(elastic, stretch);
    let energy = graph.scale(0.5, energy);
    let work = graph.mul(preload, q);
    let potential = graph.sub(energy, work);
    site.store(potential, &[k, rest, preload]);
    site.damp(viscous, q_dot);
    along(site, velocity, value);
}

/// −(coulomb · tanh(q'/regularisation) + viscous · q').
pub(super) fn friction(
    site: &mut Site<'_, '_>,
    coordinate: CoordinateId,
    [coulomb, regularisation, viscous]: [&Formula; 3],
) {
    let Some((velocity, _, q_dot)) = motion(site, coordinate) else { return };
    let [coulomb, regularisation, viscous] =
        [coulomb, regularisation, viscous].map(|formula| site.law(formula, &[]));
    let graph = site.graph();
    let relative = graph.div(q_dot, regularisation);
    site.note(relative, "its rate in units of `regularisation`");
    let graph = site.graph();
    let sliding = graph.unary(UnaryOp::Tanh, relative);
    let (dry, wet) = (graph.mul(coulomb, sliding), graph.mul(viscous, q_dot));
    let sum = graph.add(dry, wet);
    let value = graph.neg(sum);
    site.damp(sum, q_dot);
    along(site, velocity, value);
}

fn motion(site: &mut Site<'_, '_>, coordinate: CoordinateId) -> Option<(VelocityId, ExprId, ExprId)> {
    let velocity = site.context.model.coordinates[coordinate].rate?;
    Some((velocity, site.context.coordinate(coordinate), site.context.velocity(velocity)))
}

fn along(site: &mut Site<'_, '_>, velocity: VelocityId, value: ExprId) {
    let Some(index) = site.context.velocity_index(velocity) else { return };
    // Along a coordinate that follows another it does the same work along that one.
    let value = match site.context.ratio(velocity) {
        Some(ratio) => site.graph().mul(ratio, value),
        None => value,
    };
    site.applied.along.push((site.element, index, value));
}
