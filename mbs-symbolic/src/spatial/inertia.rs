//! Inertia of a rigid body or of several bodies taken as one.

use super::turning::sin_cos;
use super::{Axes, Rot3, Vec3};
use crate::expr::Graph;
use crate::ids::ExprId;

/// A symmetric 3×3 matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symmetric3 {
    pub(crate) axes: Axes,
    pub(crate) xx: ExprId,
    pub(crate) yy: ExprId,
    pub(crate) zz: ExprId,
    pub(crate) xy: ExprId,
    pub(crate) xz: ExprId,
    pub(crate) yz: ExprId,
}

impl Symmetric3 {
    /// The zero matrix.
    pub(crate) fn zero(graph: &mut Graph, axes: Axes) -> Self {
        let zero = graph.zero();
        Self { axes, xx: zero, yy: zero, zz: zero, xy: zero, xz: zero, yz: zero }
    }

    /// The same entries, read in axes that coincide with these.
    pub(crate) fn relabelled(self, axes: Axes) -> Self {
        Self { axes, ..self }
    }

    fn rows(self) -> [[ExprId; 3]; 3] {
        [[self.xx, self.xy, self.xz], [self.xy, self.yy, self.yz], [self.xz, self.yz, self.zz]]
    }

    fn from_rows(axes: Axes, m: [[ExprId; 3]; 3]) -> Self {
        Self { axes, xx: m[0][0], yy: m[1][1], zz: m[2][2], xy: m[0][1], xz: m[0][2], yz: m[1][2] }
    }

    /// Sum of two.
    pub(crate) fn add(self, graph: &mut Graph, other: Self) -> Self {
        assert_eq!(self.axes, other.axes, "matrices are in different axes");
        Self {
            axes: self.axes,
            xx: graph.add(self.xx, other.xx),
            yy: graph.add(self.yy, other.yy),
            zz: graph.add(self.zz, other.zz),
            xy: graph.add(self.xy, other.xy),
            xz: graph.add(self.xz, other.xz),
            yz: graph.add(self.yz, other.yz),
        }
    }

    /// The product with a vector.
    pub(crate) fn apply(self, graph: &mut Graph, v: Vec3) -> Vec3 {
        let xyz = self.rows().map(|row| Vec3::new(self.axes, row).dot(graph, v));
        Vec3::new(self.axes, xyz)
    }

    /// Column `index`.
    pub(crate) fn column(self, index: usize) -> Vec3 {
        Vec3::new(self.axes, self.rows()[index])
    }

    /// R J Rᵀ. The trace is invariant, which gives the last entry without the third
    /// row of R J.
    pub(crate) fn rotated(self, graph: &mut Graph, rot: Rot3) -> Self {
        if rot.is_identity(graph) {
            return self.relabelled(rot.to);
        }
        let half: Vec<Vec3> = (0..2)
            .map(|i| {
                let row = Vec3::new(self.axes, rot.rows[i]);
                self.apply(graph, row)
            })
            .collect();
        let mut entry = |i: usize, j: usize| {
            let row = Vec3::new(rot.from, rot.rows[j]);
            half[i].dot(graph, row)
        };
        let (xx, xy, xz, yy, yz) = (entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2));
        let trace = graph.sum([self.xx, self.yy, self.zz]);
        let rest = graph.sub(trace, xx);
        let zz = graph.sub(rest, yy);
        Self { axes: rot.to, xx, yy, zz, xy, xz, yz }
    }

    /// R J Rᵀ for a turn by `angle` about principal axis k. With i, j the other two
    /// axes, s and c the sine and cosine, and u = s (J_ii − J_jj) + 2c J_ij:
    ///
    /// ```text
    /// J'_ii = J_ii − s u,   J'_jj = J_jj + s u,   J'_ij = c u − J_ij
    /// J'_ik = c J_ik − s J_jk,   J'_jk = s J_ik + c J_jk,   J'_kk = J_kk
    /// ```
    pub(crate) fn turned(self, graph: &mut Graph, to: Axes, k: usize, angle: ExprId) -> Self {
        if graph.is_zero(angle) {
            return self.relabelled(to);
        }
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (s, c) = sin_cos(graph, angle);
        let m = self.rows();
        let difference = graph.sub(m[i][i], m[j][j]);
        let twice = graph.scale(2.0, m[i][j]);
        let (left, right) = (graph.mul(s, difference), graph.mul(c, twice));
        let u = graph.add(left, right);
        let su = graph.mul(s, u);
        let cu = graph.mul(c, u);
        let mut out = m;
        out[i][i] = graph.sub(m[i][i], su);
        out[j][j] = graph.add(m[j][j], su);
        out[i][j] = graph.sub(cu, m[i][j]);
        let (left, right) = (graph.mul(c, m[i][k]), graph.mul(s, m[j][k]));
        out[i][k] = graph.sub(left, right);
        let (left, right) = (graph.mul(s, m[i][k]), graph.mul(c, m[j][k]));
        out[j][k] = graph.add(left, right);
        for (row, column) in [(i, j), (i, k), (j, k)] {
            out[column][row] = out[row][column];
        }
        Self::from_rows(to, out)
    }
}

/// Mass, first moment and moments of inertia about the origin of some frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inertia {
    /// kg.
    pub(crate) mass: ExprId,
    /// m·c: mass times the vector from the origin to the centre of mass, kg·m.
    pub(crate) first_moment: Vec3,
    /// About the origin, kg·m².
    pub(crate) about_origin: Symmetric3,
}

impl Inertia {
    /// No mass at all.
    pub(crate) fn zero(graph: &mut Graph, axes: Axes) -> Self {
        Self {
            mass: graph.zero(),
            first_moment: Vec3::zero(graph, axes),
            about_origin: Symmetric3::zero(graph, axes),
        }
    }

    /// From mass, centre of mass and inertia about the centre of mass.
    pub(crate) fn about_com(graph: &mut Graph, mass: ExprId, com: Vec3, about_com: Symmetric3) -> Self {
        let first_moment = com.scale(graph, mass);
        let steiner = steiner(graph, com, first_moment);
        Self { mass, first_moment, about_origin: about_com.add(graph, steiner) }
    }

    /// Both bodies taken as one.
    pub(crate) fn add(self, graph: &mut Graph, other: Self) -> Self {
        Self {
            mass: graph.add(self.mass, other.mass),
            first_moment: self.first_moment.add(graph, other.first_moment),
            about_origin: self.about_origin.add(graph, other.about_origin),
        }
    }

    /// The same body seen from an origin that lies at −`r`: the body has moved by `r`.
    ///
    /// With h' = h + m r the moments grow by
    ///
    /// ```text
    /// ΔI_xx = r_y (h_y + h'_y) + r_z (h_z + h'_z),   ΔI_xy = −(r_x h_y + r_y h'_x),   …
    /// ```
    pub(crate) fn shifted(self, graph: &mut Graph, r: Vec3) -> Self {
        let added = r.scale(graph, self.mass);
        let h = self.first_moment;
        let moved = h.add(graph, added);
        let both = h.add(graph, moved);
        let diagonal = [0, 1, 2].map(|k| graph.mul(r.xyz[k], both.xyz[k]));
        let mut off = |i: usize, j: usize| {
            let (left, right) = (graph.mul(r.xyz[i], h.xyz[j]), graph.mul(r.xyz[j], moved.xyz[i]));
            let sum = graph.add(left, right);
            graph.neg(sum)
        };
        let (xy, xz, yz) = (off(0, 1), off(0, 2), off(1, 2));
        let change = Symmetric3 {
            axes: r.axes,
            xx: graph.add(diagonal[1], diagonal[2]),
            yy: graph.add(diagonal[0], diagonal[2]),
            zz: graph.add(diagonal[0], diagonal[1]),
            xy,
            xz,
            yz,
        };
        Self { mass: self.mass, first_moment: moved, about_origin: self.about_origin.add(graph, change) }
    }
}

/// m (c·c 1 − c cᵀ) with h = m c.
fn steiner(graph: &mut Graph, c: Vec3, h: Vec3) -> Symmetric3 {
    let [cx, cy, cz] = c.xyz;
    let [hx, hy, hz] = h.xyz;
    let (xx, yy, zz) = (graph.mul(cx, hx), graph.mul(cy, hy), graph.mul(cz, hz));
    let mut minus = |a: ExprId, b: ExprId| {
        let product = graph.mul(a, b);
        graph.neg(product)
    };
    let (xy, xz, yz) = (minus(cx, hy), minus(cx, hz), minus(cy, hz));
    Symmetric3 {
        axes: c.axes,
        xx: graph.add(yy, zz),
        yy: graph.add(xx, zz),
        zz: graph.add(xx, yy),
        xy,
        xz,
        yz,
    }
}
