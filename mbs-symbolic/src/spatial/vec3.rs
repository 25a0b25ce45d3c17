//! Vectors.

use super::Axes;
use crate::expr::Graph;
use crate::ids::ExprId;

/// Components of a vector in one set of axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vec3 {
    /// The axes.
    pub(crate) axes: Axes,
    /// The components.
    pub(crate) xyz: [ExprId; 3],
}

impl Vec3 {
    /// A vector from its components.
    pub(crate) fn new(axes: Axes, xyz: [ExprId; 3]) -> Self {
        Self { axes, xyz }
    }

    /// The zero vector.
    pub(crate) fn zero(graph: &mut Graph, axes: Axes) -> Self {
        Self::new(axes, [graph.zero(); 3])
    }

    /// The unit vector along axis `index`.
    pub(crate) fn unit(graph: &mut Graph, axes: Axes, index: usize) -> Self {
        let mut xyz = [graph.zero(); 3];
        xyz[index] = graph.one();
        Self::new(axes, xyz)
    }

    /// Whether all components are the number zero.
    pub(crate) fn is_zero(self, graph: &Graph) -> bool {
        self.xyz.iter().all(|&component| graph.is_zero(component))
    }

    /// The same components, read in axes that coincide with these.
    pub(crate) fn relabelled(self, axes: Axes) -> Self {
        Self { axes, ..self }
    }

    fn zip(self, other: Self, mut f: impl FnMut(ExprId, ExprId) -> ExprId) -> Self {
        assert_eq!(self.axes, other.axes, "vectors are in different axes");
        let [a, b] = [self.xyz, other.xyz];
        Self::new(self.axes, [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])])
    }

    /// a + b
    pub(crate) fn add(self, graph: &mut Graph, other: Self) -> Self {
        self.zip(other, |a, b| graph.add(a, b))
    }

    /// a − b
    pub(crate) fn sub(self, graph: &mut Graph, other: Self) -> Self {
        self.zip(other, |a, b| graph.sub(a, b))
    }

    /// −a
    pub(crate) fn neg(self, graph: &mut Graph) -> Self {
        Self::new(self.axes, self.xyz.map(|component| graph.neg(component)))
    }

    /// s·a
    pub(crate) fn scale(self, graph: &mut Graph, s: ExprId) -> Self {
        Self::new(self.axes, self.xyz.map(|component| graph.mul(s, component)))
    }

    /// a · b
    pub(crate) fn dot(self, graph: &mut Graph, other: Self) -> ExprId {
        let products = self.zip(other, |a, b| graph.mul(a, b));
        graph.sum(products.xyz)
    }

    /// a × b
    pub(crate) fn cross(self, graph: &mut Graph, other: Self) -> Self {
        assert_eq!(self.axes, other.axes, "vectors are in different axes");
        let [a, b] = [self.xyz, other.xyz];
        let component = |graph: &mut Graph, i: usize, j: usize| {
            let (left, right) = (graph.mul(a[i], b[j]), graph.mul(a[j], b[i]));
            graph.sub(left, right)
        };
        Self::new(self.axes, [component(graph, 1, 2), component(graph, 2, 0), component(graph, 0, 1)])
    }
}
