//! Successive rotations of one link, each about an axis that the ones before move (Cardan and Euler angles).

use crate::expr::Graph;
use crate::ids::ExprId;
use crate::spatial::{Vec3, angular_acceleration_operator};

/// The angular velocities of turns, outermost first, in the axes of a reference link.
#[derive(Debug)]
pub(super) struct Spins {
    /// Angular velocity before them.
    omega: Vec3,
    /// Angular acceleration before them, and along their own axes.
    alpha_bias: Vec3,
    /// [α] + [ω]² before them.
    before: [[ExprId; 3]; 3],
    /// Whether turns have second rates of their own where v' = 0.
    is_driven: bool,
    /// `None` if a move has no rule.
    list: Option<Vec<Vec3>>,
}

impl Spins {
    pub(super) fn after(omega: Vec3, alpha_bias: Vec3, before: [[ExprId; 3]; 3]) -> Self {
        Self { omega, alpha_bias, before, is_driven: false, list: Some(Vec::new()) }
    }

    /// One more turn; `along` is its own second rate.
    pub(super) fn push(&mut self, graph: &mut Graph, spin: Vec3, along: Vec3) {
        self.alpha_bias = self.alpha_bias.add(graph, along);
        self.is_driven |= !along.is_zero(graph);
        self.list.iter_mut().for_each(|list| list.push(spin));
    }

    /// A move that is no turn about an axis.
    pub(super) fn give_up(&mut self) {
        self.list = None;
    }

    fn several(&self) -> Option<&[Vec3]> {
        self.list.as_deref().filter(|list| list.len() > 1)
    }

    /// Every turn carries all that follow, ω₀×Σs + s₁×(s₂ + s₃ + …) + s₂×(s₃ + …) + …: the same
    /// as each being carried by all before it, but with simple axes in front.
    pub(super) fn alpha_bias(&self, graph: &mut Graph) -> Option<Vec3> {
        let list = self.several()?;
        let mut followers = Vec3::zero(graph, self.omega.axes);
        let mut sum = Vec3::zero(graph, self.omega.axes);
        for &spin in list.iter().rev() {
            let carried = spin.cross(graph, followers);
            sum = carried.add(graph, sum);
            followers = spin.add(graph, followers);
        }
        let carried = self.omega.cross(graph, followers);
        let sum = carried.add(graph, sum);
        Some(self.alpha_bias.add(graph, sum))
    }

    /// B = [α] + [ω]² behind the turns, if it can be had with less than ω and α.
    ///
    /// B = R̈ Rᵀ, and a turn takes R to R R_k: with the angular velocities ω before and ω' behind a
    /// turn of rate s, for i ≠ j
    ///
    /// ```text
    /// B'_ij = B_ij + s_i (ω + ω')_j,    B_ij + B_ji = 2 ω_i ω_j
    /// ```
    ///
    /// in which what ω_i ω_j and α have in common has cancelled. Each pair of entries is taken
    /// from both sums, or from one of them and ω_i ω_j, or from ω and α.
    pub(super) fn matrix(&self, graph: &mut Graph, alpha_bias: Vec3) -> Option<[[ExprId; 3]; 3]> {
        let list = self.several().filter(|_| !self.is_driven)?;
        let mut sums = self.before;
        let mut omega = self.omega;
        for &spin in list {
            let behind = omega.add(graph, spin);
            let both = omega.add(graph, behind);
            for (i, j) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
                let change = graph.mul(spin.xyz[i], both.xyz[j]);
                sums[i][j] = graph.add(sums[i][j], change);
            }
            omega = behind;
        }
        let usual = angular_acceleration_operator(graph, omega, alpha_bias);
        let mut rows = usual;
        let cost = |graph: &Graph, rows: &[[ExprId; 3]; 3]| {
            let roots: Vec<ExprId> = rows.iter().flatten().chain(&omega.xyz).copied().collect();
            graph.operations(&roots)
        };
        let mut least = cost(graph, &rows);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let twice = graph.scale(2.0, omega.xyz[i]);
            let twice = graph.mul(twice, omega.xyz[j]);
            let (above, below) = (sums[i][j], sums[j][i]);
            let (other_above, other_below) = (graph.sub(twice, below), graph.sub(twice, above));
            for pair in [(above, below), (above, other_below), (other_above, below)] {
                let mut tried = rows;
                (tried[i][j], tried[j][i]) = pair;
                let operations = cost(graph, &tried);
                if operations < least {
                    (least, rows) = (operations, tried);
                }
            }
        }
        (rows != usual).then_some(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Environment, Symbol, evaluate};
    use crate::spatial::{Axes, Rot3};

    /// Three Cardan turns about x, y and z, behind what turns already.
    fn cardan(graph: &mut Graph, omega: Vec3, alpha_bias: Vec3) -> (Spins, Vec3) {
        let before = angular_acceleration_operator(graph, omega, alpha_bias);
        let mut spins = Spins::after(omega, alpha_bias, before);
        let mut rot = Rot3::identity(graph, Axes::GROUND, Axes::GROUND);
        let mut total = omega;
        for axis in 0..3 {
            let [p, v] = [Symbol::P(axis), Symbol::V(axis)].map(|symbol| graph.symbol(symbol));
            let spin = rot.column(axis as usize).scale(graph, v);
            let none = Vec3::zero(graph, Axes::GROUND);
            spins.push(graph, spin, none);
            total = total.add(graph, spin);
            let turn = Rot3::about(graph, Axes::GROUND, Axes::GROUND, axis as usize, p);
            rot = rot.compose(graph, turn);
        }
        (spins, total)
    }

    fn check(graph: &mut Graph, omega: Vec3, alpha_bias: Vec3) -> (usize, usize) {
        let (spins, total) = cardan(graph, omega, alpha_bias);
        let alpha = spins.alpha_bias(graph).expect("three turns");
        let usual = angular_acceleration_operator(graph, total, alpha);
        let rows = spins.matrix(graph, alpha).unwrap_or(usual);
        let environment =
            Environment { p: &[0.3, -0.8, 1.1], v: &[0.7, 1.9, -0.4], ..Environment::default() };
        let no_table = |_, _, _, _| unreachable!("no table is read");
        let values = |rows: [[ExprId; 3]; 3]| evaluate(graph, &environment, &no_table, &rows.concat());
        for (a, b) in values(usual).into_iter().zip(values(rows)) {
            assert!((a - b).abs() < 1e-14, "{b} instead of {a}");
        }
        let cost = |rows: [[ExprId; 3]; 3]| {
            let roots = [rows.concat(), total.xyz.to_vec()].concat();
            graph.operations(&roots)
        };
        (cost(usual), cost(rows))
    }

    #[test]
    fn products_of_rates_cancel() {
        let mut graph = Graph::new();
        let still = Vec3::zero(&mut graph, Axes::GROUND);
        let (usual, less) = check(&mut graph, still, still);
        assert_eq!(usual - less, 2, "{less} operations in place of {usual}");
    }

    #[test]
    fn what_turned_before_counts() {
        let mut graph = Graph::new();
        let [a, b, c] = [0.4, -1.3, 0.6].map(|number| graph.constant(number));
        let omega = Vec3::new(Axes::GROUND, [a, b, c]);
        let (usual, less) = check(&mut graph, omega, Vec3::new(Axes::GROUND, [c, a, b]));
        assert!(less <= usual);
    }
}
