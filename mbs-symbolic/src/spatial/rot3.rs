//! Rotations.

use super::turning::sin_cos;
use super::{Axes, Vec3};
use crate::expr::Graph;
use crate::ids::ExprId;

/// A rotation between two sets of axes: `v_to = R · v_from`.
///
/// Kept as a constant or composed part followed by a turn about one principal axis,
/// so that turns about parallel axes in a row become one turn by the sum of the
/// angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rot3 {
    /// Components in these axes go in.
    pub(crate) from: Axes,
    /// Components in these axes come out.
    pub(crate) to: Axes,
    /// Row-major.
    pub(crate) rows: [[ExprId; 3]; 3],
    pub(crate) turn: Option<Turn>,
}

/// The last factor of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    before: [[ExprId; 3]; 3],
    axis: usize,
    angle: ExprId,
}

impl Rot3 {
    /// Axes that coincide.
    pub(crate) fn identity(graph: &mut Graph, from: Axes, to: Axes) -> Self {
        Self::general(from, to, identity_rows(graph))
    }

    /// A rotation by its matrix.
    pub(crate) fn general(from: Axes, to: Axes, rows: [[ExprId; 3]; 3]) -> Self {
        Self { from, to, rows, turn: None }
    }

    /// The rotation by `angle` about principal axis `axis`, which maps components in
    /// the turned axes `from` to components in the axes `to` it turned away from.
    pub(crate) fn about(graph: &mut Graph, from: Axes, to: Axes, axis: usize, angle: ExprId) -> Self {
        let before = identity_rows(graph);
        Self::turned(graph, from, to, Turn { before, axis, angle })
    }

    fn turned(graph: &mut Graph, from: Axes, to: Axes, turn: Turn) -> Self {
        let planar = planar_rows(graph, turn.axis, turn.angle);
        let rows = product(graph, turn.before, planar);
        Self { from, to, rows, turn: Some(turn) }
    }

    /// The inverse, open to be joined with turns about the same axis where this is one turn.
    pub(crate) fn inverse(self, graph: &mut Graph) -> Self {
        match self.turn {
            Some(turn) if is_identity(graph, turn.before) => {
                let angle = graph.neg(turn.angle);
                Self { turn: Some(Turn { angle, ..turn }), ..self.transpose() }
            }
            _ => self.transpose(),
        }
    }

    /// The inverse, which for a rotation is the transpose.
    pub(crate) fn transpose(self) -> Self {
        let r = self.rows;
        let rows = [0, 1, 2].map(|i| [r[0][i], r[1][i], r[2][i]]);
        Self { from: self.to, to: self.from, rows, turn: None }
    }

    /// R · v
    pub(crate) fn apply(self, graph: &mut Graph, v: Vec3) -> Vec3 {
        assert_eq!(v.axes, self.from, "vector is not in the axes this rotation maps from");
        let xyz = self.rows.map(|row| {
            let terms = [0, 1, 2].map(|k| graph.mul(row[k], v.xyz[k]));
            graph.sum(terms)
        });
        Vec3::new(self.to, xyz)
    }

    /// The image of unit vector `index`.
    pub(crate) fn column(self, index: usize) -> Vec3 {
        Vec3::new(self.to, self.rows.map(|row| row[index]))
    }

    /// `self · inner`: maps what `inner` maps from.
    pub(crate) fn compose(self, graph: &mut Graph, inner: Self) -> Self {
        assert_eq!(inner.to, self.from, "rotations do not meet in the same axes");
        match (self.turn, inner.turn) {
            (Some(outer), Some(turn)) if outer.axis == turn.axis && is_identity(graph, turn.before) => {
                let angle = graph.add(outer.angle, turn.angle);
                Self::turned(graph, inner.from, self.to, Turn { angle, ..outer })
            }
            (_, Some(turn)) => {
                let before = product(graph, self.rows, turn.before);
                Self::turned(graph, inner.from, self.to, Turn { before, ..turn })
            }
            // A factor that changes nothing leaves the turn open for the next one.
            (Some(turn), None) if is_identity(graph, inner.rows) => {
                Self { from: inner.from, to: self.to, rows: self.rows, turn: Some(turn) }
            }
            _ => Self::general(inner.from, self.to, product(graph, self.rows, inner.rows)),
        }
    }

    /// Whether the matrix is the identity by its very form.
    pub(crate) fn is_identity(self, graph: &Graph) -> bool {
        is_identity(graph, self.rows)
    }
}

fn identity_rows(graph: &mut Graph) -> [[ExprId; 3]; 3] {
    let (zero, one) = (graph.zero(), graph.one());
    [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
}

fn is_identity(graph: &Graph, rows: [[ExprId; 3]; 3]) -> bool {
    (0..3).all(|i| (0..3).all(|j| graph.as_constant(rows[i][j]) == Some(if i == j { 1.0 } else { 0.0 })))
}

/// Rotation by `angle` about principal axis `axis`.
fn planar_rows(graph: &mut Graph, axis: usize, angle: ExprId) -> [[ExprId; 3]; 3] {
    let (sine, cosine) = sin_cos(graph, angle);
    let minus = graph.neg(sine);
    let mut rows = identity_rows(graph);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    rows[i][i] = cosine;
    rows[i][j] = minus;
    rows[j][i] = sine;
    rows[j][j] = cosine;
    rows
}

fn product(graph: &mut Graph, a: [[ExprId; 3]; 3], b: [[ExprId; 3]; 3]) -> [[ExprId; 3]; 3] {
    a.map(|row| {
        [0, 1, 2].map(|j| {
            let terms = [0, 1, 2].map(|k| graph.mul(row[k], b[k][j]));
            graph.sum(terms)
        })
    })
}
