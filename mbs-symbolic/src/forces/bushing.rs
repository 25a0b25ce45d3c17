//! Six springs and dampers between two frames.

use super::Site;
use crate::expr::Graph;
use crate::ids::{ExprId, FrameId};
use crate::model::Formula;
use crate::spatial::Vec3;

/// In `from` axes: force −K d − C d' and torque −K_r ψ − C_r ω on `to`, with
/// ψ = ½ (R₃₂ − R₂₃, R₁₃ − R₃₁, R₂₁ − R₁₂) and R = R_from,to.
pub(super) fn bushing(
    site: &mut Site<'_, '_>,
    from: FrameId,
    to: FrameId,
    [stiffness, damping, rotational_stiffness, rotational_damping]: [&[Formula; 3]; 4],
) {
    let observer = site.kinematics.observer(&[from, to]);
    let laws = [stiffness, damping, rotational_stiffness, rotational_damping];
    let [k, c, k_r, c_r] = laws.map(|law| [0, 1, 2].map(|i| site.law(&law[i], &[])));

    let jets = site.kinematics.between(site.lowering, observer, from, to);
    let (d, d_rate) = (site.values(observer, &jets), site.rates(observer, &jets));
    let (from_place, to_place) = (site.kinematics.chain.frames[from], site.kinematics.chain.frames[to]);
    let base = site.kinematics.spin(site.lowering, observer, from_place.link).omega;
    let moved = site.kinematics.spin(site.lowering, observer, to_place.link).omega;
    let units = |site: &mut Site<'_, '_>, place| {
        [0, 1, 2].map(|index| {
            let jets = site.kinematics.unit(site.lowering, observer, place, index);
            site.values(observer, &jets)
        })
    };
    let (inner, outer) = (units(site, from_place), units(site, to_place));

    let graph = site.graph();
    let carried = base.cross(graph, d);
    let seen_rate = d_rate.sub(graph, carried);
    let relative = moved.sub(graph, base);
    let mut rotation = [[graph.zero(); 3]; 3];
    for (row, unit) in rotation.iter_mut().zip(inner) {
        *row = outer.map(|column| unit.dot(graph, column));
    }
    let mut axial = |i: usize, j: usize| {
        let difference = graph.sub(rotation[i][j], rotation[j][i]);
        graph.scale(0.5, difference)
    };
    let psi = [axial(2, 1), axial(0, 2), axial(1, 0)];

    let mut force = Vec3::zero(graph, d.axes);
    let mut torque = Vec3::zero(graph, d.axes);
    let mut energy = Vec::new();
    for i in 0..3 {
        let displacement = inner[i].dot(graph, d);
        energy.push(resist(graph, inner[i], displacement, seen_rate, [k[i], c[i]], &mut force));
        resist(graph, inner[i], psi[i], relative, [k_r[i], c_r[i]], &mut torque);
    }
    let stored = graph.sum(energy);
    let stored = graph.scale(0.5, stored);
    site.applied.potential.push((site.element, stored));

    let point = site.kinematics.point(site.lowering, observer, to_place);
    let point = site.values(observer, &point);
    site.push(observer, to, force);
    site.twist(observer, to, torque);
    let graph = site.graph();
    let (opposite, back) = (force.neg(graph), torque.neg(graph));
    site.push_at(observer, from, opposite, point);
    site.twist(observer, from, back);
}

/// Subtracts the resistance of one spring and damper along `unit` from `total` and
/// returns stiffness · value², twice the energy stored.
fn resist(
    graph: &mut Graph,
    unit: Vec3,
    value: ExprId,
    rate: Vec3,
    [stiffness, damping]: [ExprId; 2],
    total: &mut Vec3,
) -> ExprId {
    let rate = unit.dot(graph, rate);
    let (elastic, viscous) = (graph.mul(stiffness, value), graph.mul(damping, rate));
    let sum = graph.add(elastic, viscous);
    let part = unit.scale(graph, sum);
    *total = total.sub(graph, part);
    graph.mul(elastic, value)
}
