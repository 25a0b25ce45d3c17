//! Computation frames.
//!
//! The user's frames are where things are; the frames equations are computed in are
//! chosen here to make transformations cheap: the joint axis along z, and x along the
//! common normal to the next joint's axis, so that a fixed placement is one shift and
//! one turn about x instead of a full matrix (Denavit and Hartenberg).

use crate::expr::Graph;
use crate::ids::ExprId;
use crate::lower::EquationContext;
use crate::model::Axis;
use crate::spatial::{Axes, Rot3, Vec3, sin_cos};
use mbs_math as math;

/// Below this sine two axes are too nearly parallel for a common normal: its foot lies
/// so far away that rounding there would be felt here.
const MIN_SINE: f64 = 1e-6;

/// A constant placement: frame `rot.from` in axes `rot.to`, origin at `r`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transform {
    pub(crate) rot: Rot3,
    pub(crate) r: Vec3,
}

impl Transform {
    pub(crate) fn identity(graph: &mut Graph, from: Axes, to: Axes) -> Self {
        Self { rot: Rot3::identity(graph, from, to), r: Vec3::zero(graph, to) }
    }

    /// First `inner`, seen from its parent, then this.
    pub(crate) fn then(self, graph: &mut Graph, inner: Self) -> Self {
        let inner_r = inner.r.relabelled(self.rot.from);
        let inner_rot = Rot3 { to: self.rot.from, ..inner.rot };
        let turned = self.rot.apply(graph, inner_r);
        Self { rot: self.rot.compose(graph, inner_rot), r: self.r.add(graph, turned) }
    }

    /// First a turn in place, then this.
    pub(crate) fn turned(self, graph: &mut Graph, rot: Rot3) -> Self {
        Self { rot: self.rot.compose(graph, rot), r: self.r }
    }

    pub(crate) fn inverse(self, graph: &mut Graph) -> Self {
        let rot = self.rot.transpose();
        let turned = rot.apply(graph, self.r);
        Self { rot, r: turned.neg(graph) }
    }

    /// The point with components `p` in the inner axes.
    pub(crate) fn point(self, graph: &mut Graph, p: Vec3) -> Vec3 {
        let turned = self.rot.apply(graph, p.relabelled(self.rot.from));
        self.r.add(graph, turned)
    }

    /// The same placement between axes that coincide with these.
    pub(crate) fn relabelled(self, from: Axes, to: Axes) -> Self {
        Self { rot: Rot3 { from, to, ..self.rot }, r: self.r.relabelled(to) }
    }
}

/// From the z axis of a link to the joint axis of a child: turn by `angle` about and
/// shift by `offset` along the link's own z, shift by `length` along x, turn by `twist`
/// about x, then by `child_offset` along and `child_angle` about the child's z.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommonNormal {
    pub(crate) angle: ExprId,
    pub(crate) offset: ExprId,
    pub(crate) length: ExprId,
    pub(crate) twist: ExprId,
    pub(crate) child_offset: ExprId,
    pub(crate) child_angle: ExprId,
}

/// The common normal of z and the z axis of a joint frame, if that frame's
/// orientation is a matter of numbers (not of parameters, which could make the axes
/// parallel later) and the axes are not parallel.
pub(crate) fn common_normal(graph: &mut Graph, joint: Transform) -> Option<CommonNormal> {
    let [angle, twist, child_angle] = factor(graph, joint.rot)?;
    let twist = graph.constant(twist);
    let (sine, cosine) = sin_cos(graph, twist);
    let (sine, cosine) = (graph.as_constant(sine)?, graph.as_constant(cosine)?);
    if sine.abs() < MIN_SINE {
        return None;
    }
    let angle = graph.constant(angle);
    // r in axes turned by `angle`: (length, b, d); sliding along the child's axis
    // (0, −sin, cos) by −b/sin removes b.
    let turned = Rot3::about(graph, Axes::GROUND, Axes::GROUND, 2, angle).transpose();
    let [length, b, d] = turned.apply(graph, joint.r.relabelled(Axes::GROUND)).xyz;
    let slide = graph.scale(cosine / sine, b);
    let offset = graph.add(d, slide);
    let child_offset = graph.scale(-1.0 / sine, b);
    let child_angle = graph.constant(child_angle);
    Some(CommonNormal { angle, offset, length, twist, child_offset, child_angle })
}

/// Angles of R = R_z(a) R_x(b) R_z(c), if R is numbers alone. For parallel axes a = 0.
pub(crate) fn factor(graph: &Graph, rot: Rot3) -> Option<[f64; 3]> {
    let mut m = [[0.0; 3]; 3];
    for (row, entries) in m.iter_mut().zip(rot.rows) {
        for (number, entry) in row.iter_mut().zip(entries) {
            *number = graph.as_constant(entry)?;
        }
    }
    let sine = math::sqrt(m[0][2] * m[0][2] + m[1][2] * m[1][2]);
    if sine == 0.0 {
        let twist = if m[2][2] > 0.0 { 0.0 } else { std::f64::consts::PI };
        return Some([0.0, twist, math::atan2(-m[0][1], m[0][0])]);
    }
    if sine < MIN_SINE {
        return None;
    }
    Some([math::atan2(m[0][2], -m[1][2]), math::atan2(sine, m[2][2]), math::atan2(m[2][0], m[2][1])])
}

/// A turn by `angle` about and a shift by `offset` along z.
pub(crate) fn along_z(
    context: &mut EquationContext<'_>,
    axes: Axes,
    angle: ExprId,
    offset: ExprId,
) -> Transform {
    let graph = &mut context.graph;
    let rot = Rot3::about(graph, axes, axes, 2, angle);
    let r = Vec3::unit(graph, axes, 2).scale(graph, offset);
    Transform { rot, r }
}

/// A principal axis and the constant rotation that lays it along some axis.
pub(crate) struct Onto {
    pub(crate) rot: Rot3,
    pub(crate) index: usize,
    pub(crate) negative: bool,
}

/// Axes in which `axis` (or its opposite) is a principal axis: the same axes for a
/// principal axis, else axes whose z it is.
pub(crate) fn principal_onto(context: &mut EquationContext<'_>, axes: Axes, axis: &Axis) -> Onto {
    match axis {
        Axis::Principal { index, negative } => Onto {
            rot: Rot3::identity(&mut context.graph, axes, axes),
            index: usize::from(*index),
            negative: *negative,
        },
        Axis::Vector(_) => Onto { rot: z_onto(context, axes, axis).rot, index: 2, negative: false },
    }
}

/// Axes whose z lies along `axis`, in `axes`; for a principal axis the sign is left out.
pub(crate) fn z_onto(context: &mut EquationContext<'_>, axes: Axes, axis: &Axis) -> Transform {
    let rot = match axis {
        Axis::Principal { index, .. } => {
            let k = usize::from(*index);
            let columns = [(k + 1) % 3, (k + 2) % 3, k].map(|i| Vec3::unit(&mut context.graph, axes, i));
            from_columns(axes, axes, columns)
        }
        Axis::Vector(formulas) => {
            let z = context.axis(axes, axis);
            let least = least_component(context, formulas);
            let graph = &mut context.graph;
            let across = Vec3::unit(graph, axes, least).cross(graph, z);
            let square = across.dot(graph, across);
            let length = graph.sqrt(square);
            let one = graph.one();
            let reciprocal = graph.div(one, length);
            let x = across.scale(graph, reciprocal);
            let y = z.cross(graph, x);
            from_columns(axes, axes, [x, y, z])
        }
    };
    let r = Vec3::zero(&mut context.graph, axes);
    Transform { rot, r }
}

/// The principal axis a direction is farthest from, with default parameters.
fn least_component(context: &mut EquationContext<'_>, formulas: &[crate::model::Formula; 3]) -> usize {
    let values = [0, 1, 2].map(|k| {
        let expr = context.parameter(&formulas[k]);
        context.default_value(expr).abs()
    });
    (0..3).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0)
}

/// A rotation by the images of the unit vectors.
pub(crate) fn from_columns(from: Axes, to: Axes, columns: [Vec3; 3]) -> Rot3 {
    let rows = [0, 1, 2].map(|i| columns.map(|column| column.xyz[i]));
    Rot3::general(from, to, rows)
}

/// A turn by `angle` about any axis of `axes`.
pub(crate) fn turn_about(context: &mut EquationContext<'_>, axes: Axes, axis: &Axis, angle: ExprId) -> Rot3 {
    let onto = principal_onto(context, axes, axis);
    let graph = &mut context.graph;
    let angle = if onto.negative { graph.neg(angle) } else { angle };
    let turn = Rot3::about(graph, axes, axes, onto.index, angle);
    if onto.rot.is_identity(graph) {
        return turn;
    }
    let half = onto.rot.compose(graph, turn);
    half.compose(graph, onto.rot.transpose())
}

/// R(q), homogeneous of degree two, and |q|².
pub(crate) fn quaternion(graph: &mut Graph, from: Axes, to: Axes, q: [ExprId; 4]) -> (Rot3, ExprId) {
    let mut product = |i: usize, j: usize| graph.mul(q[i], q[j]);
    let (ww, xx, yy, zz) = (product(0, 0), product(1, 1), product(2, 2), product(3, 3));
    let (wx, wy, wz) = (product(0, 1), product(0, 2), product(0, 3));
    let (xy, xz, yz) = (product(1, 2), product(1, 3), product(2, 3));
    let square = graph.sum([ww, xx, yy, zz]);
    let mut diagonal = |own: ExprId, others: [ExprId; 2]| {
        let kept = graph.add(ww, own);
        let lost = graph.add(others[0], others[1]);
        graph.sub(kept, lost)
    };
    let (r11, r22, r33) = (diagonal(xx, [yy, zz]), diagonal(yy, [xx, zz]), diagonal(zz, [xx, yy]));
    let mut twice = |a: ExprId, b: ExprId, minus: bool| {
        let sum = if minus { graph.sub(a, b) } else { graph.add(a, b) };
        graph.scale(2.0, sum)
    };
    let (r12, r21) = (twice(xy, wz, true), twice(xy, wz, false));
    let (r13, r31) = (twice(xz, wy, false), twice(xz, wy, true));
    let (r23, r32) = (twice(yz, wx, true), twice(yz, wx, false));
    (Rot3::general(from, to, [[r11, r12, r13], [r21, r22, r23], [r31, r32, r33]]), square)
}
