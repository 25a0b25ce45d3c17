//! Acceleration of points of a rotating link: the operator [α]× + [ω]×².

use super::Vec3;
use crate::expr::Graph;
use crate::ids::ExprId;

/// α×r + ω×(ω×r) = B r. The matrix serves every point of the link.
pub(crate) fn acceleration_at(graph: &mut Graph, omega: Vec3, alpha: Vec3, r: Vec3) -> Vec3 {
    let rows = angular_acceleration_operator(graph, omega, alpha);
    Vec3::new(r.axes, rows.map(|row| Vec3::new(r.axes, row).dot(graph, r)))
}

/// B = [α] + [ω]², row-major.
pub(crate) fn angular_acceleration_operator(graph: &mut Graph, omega: Vec3, alpha: Vec3) -> [[ExprId; 3]; 3] {
    let w = omega.xyz;
    let mut product = |i: usize, j: usize| graph.mul(w[i], w[j]);
    let (xx, yy, zz) = (product(0, 0), product(1, 1), product(2, 2));
    let (xy, xz, yz) = (product(0, 1), product(0, 2), product(1, 2));
    let [ax, ay, az] = alpha.xyz;
    let mut minus_sum = |a: ExprId, b: ExprId| {
        let sum = graph.add(a, b);
        graph.neg(sum)
    };
    let diagonal = [minus_sum(yy, zz), minus_sum(xx, zz), minus_sum(xx, yy)];
    [
        [diagonal[0], graph.sub(xy, az), graph.add(xz, ay)],
        [graph.add(xy, az), diagonal[1], graph.sub(yz, ax)],
        [graph.sub(xz, ay), graph.add(yz, ax), diagonal[2]],
    ]
}
