//! Articulated-body inertia and bias wrench (Featherstone 2008, ch. 7).

use super::turning::sin_cos;
use super::{Axes, Inertia, Rot3, Vec3};
use crate::expr::Graph;
use crate::ids::ExprId;

type Block = [[ExprId; 3]; 3];

/// The wrench an articulated body needs for accelerations of its handle:
///
/// ```text
/// n = A α + B a,    f = Bᵀ α + C a
/// ```
///
/// A and C are symmetric and hold the same expressions in both triangles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Articulated {
    pub(crate) axes: Axes,
    /// A, angular.
    angular: Block,
    /// B.
    mixed: Block,
    /// C, linear.
    linear: Block,
}

/// A direction of motion: turns about the axes are 0 to 2, shifts along them 3 to 5.
pub(crate) type Direction = usize;

impl Articulated {
    /// A rigid body: A = I, B = [h]×, C = m.
    pub(crate) fn rigid(graph: &mut Graph, inertia: &Inertia) -> Self {
        let zero = graph.zero();
        let [x, y, z] = inertia.first_moment.xyz;
        let [minus_x, minus_y, minus_z] = [x, y, z].map(|h| graph.neg(h));
        let m = inertia.mass;
        Self {
            axes: inertia.first_moment.axes,
            angular: [0, 1, 2].map(|k| inertia.about_origin.column(k).xyz),
            mixed: [[zero, minus_z, y], [z, zero, minus_x], [minus_y, x, zero]],
            linear: [[m, zero, zero], [zero, m, zero], [zero, zero, m]],
        }
    }

    /// Both together.
    pub(crate) fn add(self, graph: &mut Graph, other: &Self) -> Self {
        assert_eq!(self.axes, other.axes, "inertias are in different axes");
        let mut sum = |a: Block, b: Block| [0, 1, 2].map(|i| [0, 1, 2].map(|j| graph.add(a[i][j], b[i][j])));
        Self {
            axes: self.axes,
            angular: sum(self.angular, other.angular),
            mixed: sum(self.mixed, other.mixed),
            linear: sum(self.linear, other.linear),
        }
    }

    /// What acceleration along one direction needs, by direction.
    pub(crate) fn column(&self, direction: Direction) -> [ExprId; 6] {
        [0, 1, 2, 3, 4, 5].map(|row| self.entry(row, direction))
    }

    fn entry(&self, row: Direction, column: Direction) -> ExprId {
        match (row < 3, column < 3) {
            (true, true) => self.angular[row][column],
            (true, false) => self.mixed[row][column - 3],
            (false, true) => self.mixed[column][row - 3],
            (false, false) => self.linear[row - 3][column - 3],
        }
    }

    /// With one direction free to move. `column` is that direction's, `scaled` the same over
    /// its own entry, the pivot. What is left along the direction is zero by itself.
    pub(crate) fn released(
        &self,
        graph: &mut Graph,
        direction: Direction,
        column: &[ExprId; 6],
        scaled: &[ExprId; 6],
    ) -> Self {
        let zero = graph.zero();
        let mut left = |row: Direction, other: Direction| {
            if row == direction || other == direction {
                return zero;
            }
            let taken = graph.mul(scaled[row], column[other]);
            graph.sub(self.entry(row, other), taken)
        };
        let angular = symmetric(&mut left);
        let mixed = [0, 1, 2].map(|i| [3, 4, 5].map(|j| left(i, j)));
        let linear = symmetric(|i, j| left(i + 3, j + 3));
        Self { axes: self.axes, angular, mixed, linear }
    }

    /// With a motion free that acceleration along needs a wrench for, `column`, turns before shifts;
    /// `scaled` is the same over the inertia along the motion.
    pub(crate) fn less(&self, graph: &mut Graph, column: &[ExprId; 6], scaled: &[ExprId; 6]) -> Self {
        let mut left = |row: Direction, other: Direction| {
            let taken = graph.mul(scaled[row], column[other]);
            graph.sub(self.entry(row, other), taken)
        };
        let angular = symmetric(&mut left);
        let mixed = [0, 1, 2].map(|i| [3, 4, 5].map(|j| left(i, j)));
        let linear = symmetric(|i, j| left(i + 3, j + 3));
        Self { axes: self.axes, angular, mixed, linear }
    }

    /// The same seen from an origin that lies at −`r`:
    ///
    /// ```text
    /// B' = B + [r]× C,    A' = A − B [r]× + [r]× B'ᵀ
    /// ```
    pub(crate) fn shifted(&self, graph: &mut Graph, r: Vec3) -> Self {
        assert_eq!(r.axes, self.axes, "the shift is in other axes");
        let zero = graph.zero();
        let [x, y, z] = r.xyz;
        let [minus_x, minus_y, minus_z] = [x, y, z].map(|r| graph.neg(r));
        let skew = [[zero, minus_z, y], [z, zero, minus_x], [minus_y, x, zero]];
        let mixed = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let terms = [0, 1, 2].map(|k| graph.mul(skew[i][k], self.linear[k][j]));
                let lever = graph.sum(terms);
                graph.add(self.mixed[i][j], lever)
            })
        });
        let angular = symmetric(|i, j| {
            let mut terms = [self.angular[i][j]; 4];
            for k in 0..3 {
                terms[k + 1] = if i == j {
                    let both = graph.add(self.mixed[i][k], mixed[i][k]);
                    graph.mul(skew[i][k], both)
                } else {
                    let left = graph.mul(self.mixed[i][k], skew[k][j]);
                    let right = graph.mul(skew[i][k], mixed[j][k]);
                    graph.sub(right, left)
                };
            }
            graph.sum(terms)
        });
        Self { axes: self.axes, angular, mixed, linear: self.linear }
    }

    /// In the axes `rot` leads to, by any matrix.
    pub(crate) fn rotated(&self, graph: &mut Graph, rot: Rot3) -> Self {
        assert_eq!(rot.from, self.axes, "the rotation starts from other axes");
        if rot.is_identity(graph) {
            return Self { axes: rot.to, ..*self };
        }
        let [angular, mixed, linear] = [self.angular, self.mixed, self.linear].map(|block| {
            let half = [0, 1, 2].map(|i| {
                [0, 1, 2].map(|j| {
                    let terms = [0, 1, 2].map(|k| graph.mul(rot.rows[i][k], block[k][j]));
                    graph.sum(terms)
                })
            });
            (half, rot.rows)
        });
        let mut entry = |(half, rows): &(Block, Block), i: usize, j: usize| {
            let terms = [0, 1, 2].map(|k| graph.mul(half[i][k], rows[j][k]));
            graph.sum(terms)
        };
        Self {
            axes: rot.to,
            angular: symmetric(|i, j| entry(&angular, i, j)),
            mixed: [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(&mixed, i, j))),
            linear: symmetric(|i, j| entry(&linear, i, j)),
        }
    }

    /// In axes `to`, from which these are turned by `angle` about principal axis k.
    pub(crate) fn turned(&self, graph: &mut Graph, to: Axes, k: usize, angle: ExprId) -> Self {
        if graph.is_zero(angle) {
            return Self { axes: to, ..*self };
        }
        let [angular, mixed, linear] =
            [self.angular, self.mixed, self.linear].map(|block| turned(graph, block, k, angle));
        Self { axes: to, angular, mixed, linear }
    }

    /// What is felt by a handle that the body follows without turning.
    pub(crate) fn unturning(&self, graph: &mut Graph, rot: Rot3) -> Self {
        let turned = self.rotated(graph, rot);
        let nothing = [[graph.zero(); 3]; 3];
        Self { angular: nothing, mixed: nothing, ..turned }
    }
}

/// A symmetric matrix from its upper triangle.
fn symmetric(mut entry: impl FnMut(usize, usize) -> ExprId) -> Block {
    let (xx, xy, xz) = (entry(0, 0), entry(0, 1), entry(0, 2));
    let (yy, yz, zz) = (entry(1, 1), entry(1, 2), entry(2, 2));
    [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
}

/// R J Rᵀ for a turn by `angle` about principal axis k and any J. With i, j the other two axes,
/// s and c the sine and cosine, and u = s (J_ii − J_jj) + c (J_ij + J_ji):
///
/// ```text
/// J'_ii = J_ii − s u,   J'_jj = J_jj + s u,   J'_ij = c u − J_ji,   J'_ji = c u − J_ij
/// J'_ik = c J_ik − s J_jk,   J'_jk = s J_ik + c J_jk,   J'_kk = J_kk,   same for columns
/// ```
fn turned(graph: &mut Graph, m: Block, k: usize, angle: ExprId) -> Block {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let (s, c) = sin_cos(graph, angle);
    let difference = graph.sub(m[i][i], m[j][j]);
    let both = graph.add(m[i][j], m[j][i]);
    let (left, right) = (graph.mul(s, difference), graph.mul(c, both));
    let u = graph.add(left, right);
    let (su, cu) = (graph.mul(s, u), graph.mul(c, u));
    let mut pair = |a: ExprId, b: ExprId| {
        let (ca, sb, sa, cb) = (graph.mul(c, a), graph.mul(s, b), graph.mul(s, a), graph.mul(c, b));
        (graph.sub(ca, sb), graph.add(sa, cb))
    };
    let mut out = m;
    (out[i][k], out[j][k]) = pair(m[i][k], m[j][k]);
    (out[k][i], out[k][j]) = pair(m[k][i], m[k][j]);
    out[i][i] = graph.sub(m[i][i], su);
    out[j][j] = graph.add(m[j][j], su);
    out[i][j] = graph.sub(cu, m[j][i]);
    out[j][i] = graph.sub(cu, m[i][j]);
    out
}
