//! Six springs and dampers between two frames.

use super::Site;
use crate::expr::{BinaryOp, Graph};
use crate::ids::{ExprId, FrameId};
use crate::model::Formula;
use crate::spatial::Vec3;

/// In `from` axes, on `to` at its origin and with the opposite sign on `from` at the same point:
/// the force −K d − C d' and the torque −J⁻ᵀ K_r φ − C_r ω, where φ is the rotation vector
/// of R = R_from,to and φ' = J⁻¹ ω. Stored are ½ d·K d + ½ φ·K_r φ.
pub(super) fn bushing(
    site: &mut Site<'_, '_>,
    from: FrameId,
    to: FrameId,
    [stiffness, damping, rotational_stiffness, rotational_damping]: [&[Formula; 3]; 4],
) {
    let reference_link = site.kinematics.common_ancestor(&[from, to]);
    let laws = [stiffness, damping, rotational_stiffness, rotational_damping];
    let [k, c, k_r, c_r] = laws.map(|law| [0, 1, 2].map(|i| site.law(&law[i], &[])));

    let jets = site.kinematics.between(site.context, reference_link, from, to);
    let (d, d_rate) = (site.values(reference_link, &jets), site.rates(reference_link, &jets));
    let (from_place, to_place) = (site.kinematics.chain.frames[from], site.kinematics.chain.frames[to]);
    let base = site.kinematics.spin(site.context, reference_link, from_place.link).omega;
    let moved = site.kinematics.spin(site.context, reference_link, to_place.link).omega;
    let units = |site: &mut Site<'_, '_>, place| {
        [0, 1, 2].map(|index| {
            let jets = site.kinematics.unit(site.context, reference_link, place, index);
            site.values(reference_link, &jets)
        })
    };
    let (inner, outer) = (units(site, from_place), units(site, to_place));

    let graph = site.graph();
    let carried = base.cross(graph, d);
    let seen_rate = d_rate.sub(graph, carried);
    let relative = moved.sub(graph, base);
    let is_free = k_r.iter().all(|&k| graph.is_zero(k));
    let (elastic_torque, mut energy) = if is_free {
        ([graph.zero(); 3], Vec::new())
    } else {
        let rotation = inner.map(|row| outer.map(|column| row.dot(graph, column)));
        let phi = rotation_vector(graph, rotation);
        rotational(graph, &phi, k_r)
    };

    let mut force = Vec3::zero(graph, d.axes);
    let mut torque = Vec3::zero(graph, d.axes);
    for i in 0..3 {
        let graph = site.graph();
        let displacement = inner[i].dot(graph, d);
        let elastic = graph.mul(k[i], displacement);
        energy.push(graph.mul(elastic, displacement));
        resist(site, inner[i], elastic, seen_rate, c[i], &mut force);
        resist(site, inner[i], elastic_torque[i], relative, c_r[i], &mut torque);
    }
    let graph = site.graph();
    let stored = graph.sum(energy);
    let stored = graph.scale(0.5, stored);
    site.store(stored, &[k, k_r].concat());

    let point = site.kinematics.point(site.context, reference_link, to_place);
    let point = site.values(reference_link, &point);
    site.push(reference_link, to, force);
    site.twist(reference_link, to, torque);
    let graph = site.graph();
    let (opposite, back) = (force.neg(graph), torque.neg(graph));
    site.push_at(reference_link, from, opposite, point);
    site.twist(reference_link, from, back);
}

/// Subtracts what a spring and a damper do along `unit` from `total`.
fn resist(
    site: &mut Site<'_, '_>,
    unit: Vec3,
    elastic: ExprId,
    rate: Vec3,
    damping: ExprId,
    total: &mut Vec3,
) {
    let graph = site.graph();
    let rate = unit.dot(graph, rate);
    let viscous = graph.mul(damping, rate);
    let sum = graph.add(elastic, viscous);
    let part = unit.scale(graph, sum);
    *total = total.sub(graph, part);
    site.damp(viscous, rate);
}

/// A rotation by its vector φ = θ n and what its law needs beside.
struct RotationVector {
    phi: [ExprId; 3],
    /// (1 − (θ/2) cot(θ/2))/θ².
    curvature: ExprId,
}

/// The square of a sine added to all: far below rounding where the sine counts, and it keeps
/// θ/sin θ and its derivatives defined where there is no rotation.
const SQUARE_SINE: f64 = 1e-20;

/// φ of a rotation matrix: sin θ n is the vector of its skew part ψ, cos θ = (tr R − 1)/2.
///
/// ```text
/// θ = atan2(sin θ, cos θ),  φ = θ/sin θ ψ,  cot(θ/2) = (1 + cos θ)/sin θ
/// ```
///
/// Differences such as 1 − (θ/2) cot(θ/2) lose their digits where θ is small; there they are
/// multiplied with θ² φ, and what is lost stays below the rounding of φ itself.
fn rotation_vector(graph: &mut Graph, rotation: [[ExprId; 3]; 3]) -> RotationVector {
    let mut axial = |i: usize, j: usize| {
        let difference = graph.sub(rotation[i][j], rotation[j][i]);
        graph.scale(0.5, difference)
    };
    let psi = [axial(2, 1), axial(0, 2), axial(1, 0)];
    let trace = graph.sum([rotation[0][0], rotation[1][1], rotation[2][2]]);
    let one = graph.one();
    let twice = graph.sub(trace, one);
    let cosine = graph.scale(0.5, twice);
    let squares = psi.map(|component| graph.mul(component, component));
    let square = graph.sum(squares);
    let least = graph.constant(SQUARE_SINE);
    let square = graph.add(square, least);
    let sine = graph.sqrt(square);
    let angle = graph.binary(BinaryOp::Atan2, sine, cosine);
    let ratio = graph.div(angle, sine);
    let phi = psi.map(|component| graph.mul(ratio, component));
    let sum = graph.add(one, cosine);
    let product = graph.mul(ratio, sum);
    let half = graph.scale(0.5, product);
    let rest = graph.sub(one, half);
    let angle_square = graph.mul(angle, angle);
    let curvature = graph.div(rest, angle_square);
    RotationVector { phi, curvature }
}

/// The torque J⁻ᵀ m with m = K φ, and φ_i m_i, twice the energy. With the inverse of the
/// differential of the exponential map (Iserles et al. 2000, "Lie-group methods", eq. B.10):
///
/// ```text
/// J⁻¹ = I − ½ φ× + (1 − (θ/2) cot(θ/2))/θ² φ× φ×
/// J⁻ᵀ m = m + ½ φ × m + (1 − (θ/2) cot(θ/2))/θ² φ × (φ × m)
/// ```
///
/// Equal stiffnesses make m parallel to φ, and the torque is m.
fn rotational(
    graph: &mut Graph,
    rotation: &RotationVector,
    stiffness: [ExprId; 3],
) -> ([ExprId; 3], Vec<ExprId>) {
    let phi = rotation.phi;
    let moment = [0, 1, 2].map(|i| graph.mul(stiffness[i], phi[i]));
    let energy = (0..3).map(|i| graph.mul(moment[i], phi[i])).collect();
    if stiffness[0] == stiffness[1] && stiffness[1] == stiffness[2] {
        return (moment, energy);
    }
    let once = cross(graph, phi, moment);
    let twice = cross(graph, phi, once);
    let torque = [0, 1, 2].map(|i| {
        let half = graph.scale(0.5, once[i]);
        let bent = graph.mul(rotation.curvature, twice[i]);
        let first = graph.add(moment[i], half);
        graph.add(first, bent)
    });
    (torque, energy)
}

/// a × b by components in the same axes.
fn cross(graph: &mut Graph, a: [ExprId; 3], b: [ExprId; 3]) -> [ExprId; 3] {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (left, right) = (graph.mul(a[j], b[k]), graph.mul(a[k], b[j]));
        graph.sub(left, right)
    })
}
