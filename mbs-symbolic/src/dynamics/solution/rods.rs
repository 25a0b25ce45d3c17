//! Rods of closed loops.
//!
//! A rod on a universal joint has two velocities that nothing but the three rows at its other
//! end feels. With rows as they are, the rod's inertia reaches two of three multipliers only, and
//! all rows have to wait until the velocities of the rest are eliminated. In the directions
//! the rod's end can move in, and the one it cannot, two of the multipliers belong to the rod
//! alone and go with it:
//!
//! ```text
//! λ = g₁ μ₁ + g₂ μ₂ + (g₁×g₂) ν,    g₁, g₂ columns of G of the rod's own velocities
//! ```
//!
//! Where the columns become parallel a pivot vanishes, as everywhere in this elimination where
//! another order is needed.

use super::elimination::Saddle;
use crate::expr::Graph;
use crate::ids::ExprId;
use std::collections::BTreeSet;

/// Two velocities and the three rows nothing else ties them to, by unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rod {
    pub(super) velocities: [usize; 2],
    pub(super) rows: [usize; 3],
}

impl Rod {
    /// All rods in a pattern; the first `n_v` unknowns are velocities.
    pub(super) fn find(coupled: &[BTreeSet<usize>], n_v: usize) -> Vec<Self> {
        let rows_of = |v: usize| coupled[v].range(n_v..).copied().collect::<Vec<usize>>();
        let mut found: Vec<Self> = Vec::new();
        for seed in 0..n_v {
            let Ok(rows) = <[usize; 3]>::try_from(rows_of(seed)) else { continue };
            let within = |v: &usize| {
                let own = rows_of(*v);
                !own.is_empty() && own.iter().all(|row| rows.contains(row))
            };
            let Ok(velocities) = <[usize; 2]>::try_from((0..n_v).filter(within).collect::<Vec<usize>>())
            else {
                continue;
            };
            let is_apart = |v: usize| coupled[v].range(..n_v).all(|other| velocities.contains(other));
            let rod = Self { velocities, rows };
            if velocities.into_iter().all(is_apart) && !found.contains(&rod) {
                found.push(rod);
            }
        }
        found
    }

    /// About how many operations new directions take, for rows coupled to `n` other velocities.
    pub(super) fn operations(n: usize) -> usize {
        // The directions and their products; every column and the right-hand side; λ.
        20 + 15 * (n + 1) + 15
    }
}

/// The directions a rod's multipliers are along.
#[derive(Debug)]
pub(super) struct Directions {
    rows: [usize; 3],
    /// Components of each direction along the rows.
    along: [[ExprId; 3]; 3],
    /// Squared lengths of the first two.
    squares: [ExprId; 2],
}

impl Directions {
    /// Turns the rows of a rod: afterwards the last of them is the one its velocities leave alone.
    pub(super) fn turn(graph: &mut Graph, saddle: &mut Saddle, rod: &Rod) -> Self {
        let rows = rod.rows;
        let [first, second] = rod.velocities.map(|v| rows.map(|row| saddle.entry(graph, row, v)));
        let across = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (plus, minus) = (graph.mul(first[i], second[j]), graph.mul(first[j], second[i]));
            graph.sub(plus, minus)
        });
        let along = [first, second, across];
        let squares = [first, second].map(|direction| dot(graph, direction, direction));
        for v in saddle.coupled_to(&rows) {
            let column = rows.map(|row| saddle.entry(graph, row, v));
            for (k, (row, direction)) in rows.into_iter().zip(along).enumerate() {
                let is_zero = k == 2 && rod.velocities.contains(&v);
                let entry = if is_zero { graph.zero() } else { dot(graph, direction, column) };
                saddle.set(graph, row, v, entry);
            }
        }
        let right = rows.map(|row| saddle.right[row]);
        for (row, direction) in rows.into_iter().zip(along) {
            saddle.right[row] = dot(graph, direction, right);
        }
        Self { rows, along, squares }
    }

    /// Multipliers of the rows as they were, from those along the directions, and pivots as
    /// directions of length one would have them: they tell how independent rows are, not how
    /// long rods are.
    pub(super) fn turn_back(&self, graph: &mut Graph, x: &mut [ExprId], pivots: &mut [ExprId]) {
        let one = graph.one();
        let [first, second] = self.squares.map(|square| graph.div(one, square));
        let both = graph.mul(first, second);
        for (row, scale) in self.rows.into_iter().zip([first, second, both]) {
            pivots[row] = graph.mul(pivots[row], scale);
        }
        let along = self.rows.map(|row| x[row]);
        for (component, row) in self.rows.into_iter().enumerate() {
            x[row] = dot(graph, self.along.map(|direction| direction[component]), along);
        }
    }
}

fn dot(graph: &mut Graph, a: [ExprId; 3], b: [ExprId; 3]) -> ExprId {
    let terms = [0, 1, 2].map(|k| graph.mul(a[k], b[k]));
    graph.sum(terms)
}

#[cfg(test)]
mod tests {
    use super::super::testing::coupled;
    use super::*;

    #[test]
    fn a_rod_has_two_velocities_to_itself() {
        // Velocities 0 to 2, rows 3 to 5; 2 is what the rod holds.
        let pairs = [(0, 3), (0, 4), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)];
        assert!(Rod::find(&coupled(6, &pairs), 3).is_empty(), "2 feels these rows only, as the others do");
        let also = [&pairs[..], &[(2, 6)]].concat();
        assert_eq!(Rod::find(&coupled(7, &also), 3), [Rod { velocities: [0, 1], rows: [3, 4, 5] }]);
        let tied = [&also[..], &[(0, 2)]].concat();
        assert!(Rod::find(&coupled(7, &tied), 3).is_empty(), "M ties 0 to 2");
    }
}
