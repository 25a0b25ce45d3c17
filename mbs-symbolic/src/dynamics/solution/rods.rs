//! Rods of closed loops.
//!
//! A rod on a universal joint has two velocities q that nothing but the three rows at its other
//! end feels, and of those rows the rest of the mechanism, with velocities u, feels one only:
//! that along the rod. With M_r the rod's part of M, columns g₁, g₂ of G of its own velocities and B of
//! the others, and f_r and b what stands on the right,
//!
//! ```text
//! M_r q' + [g₁ g₂]ᵀ λ = f_r,    g₁ q₁' + g₂ q₂' + B u' = b                         (1)
//! λ = a₁ μ₁ + a₂ μ₂ + e ν,    a_j·g_k = δ_jk,    e = n₁×n₂ across all of them      (2)
//! ```
//!
//! with n_k along g_k. Then q and μ follow from u without any inertia being divided by,
//!
//! ```text
//! q_k' = a_k·b − (Bᵀa_k)·u',    μ = f_r − M_r q'                                   (3)
//! ```
//!
//! and are gone from the equations of the rest, which gain the rod's inertia as its end has it:
//!
//! ```text
//! M_u + Σ M_jk (Bᵀa_j)(Bᵀa_k)ᵀ,    f_u − Σ Bᵀa_j (f_j − M_jk a_k·b),    row (Bᵀe)·u' = e·b      (4)
//! ```
//!
//! Where g₁ and g₂ become parallel, or one of them short, a pivot vanishes, as everywhere in this
//! elimination where another order is needed.

use super::carried::Mass;
use super::elimination::Saddle;
use crate::expr::{Graph, simplified, without_common_factor};
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

    /// The row that is left once the rod is taken out.
    pub(super) fn left(&self) -> usize {
        self.rows[2]
    }

    /// The unknowns that go with it.
    pub(super) fn own(&self) -> [usize; 4] {
        [self.velocities[0], self.velocities[1], self.rows[0], self.rows[1]]
    }

    /// Takes it out of a pattern: the velocities of the rest that its rows constrain feel each
    /// other. How many those are.
    pub(super) fn take_out_of(&self, coupled: &mut [BTreeSet<usize>]) -> usize {
        let mut others: BTreeSet<usize> = self.rows.iter().flat_map(|&row| coupled[row].clone()).collect();
        others.retain(|v| !self.velocities.contains(v));
        for k in self.own() {
            for other in std::mem::take(&mut coupled[k]) {
                coupled[other].remove(&k);
            }
        }
        for &v in &others {
            coupled[v].extend(others.iter().copied().filter(|&other| other != v));
            coupled[v].insert(self.left());
        }
        coupled[self.left()].extend(&others);
        others.len()
    }

    /// About how many operations it takes to take it out, its rows constraining `n` other velocities.
    pub(super) fn operations(n: usize) -> usize {
        // Directions and λ; every column and the right-hand side along them; (4); (3).
        40 + 15 * (n + 1) + 2 * n * (n + 1) + 6 * n + 4 * n
    }
}

/// A rod that has been taken out.
#[derive(Debug)]
pub(super) struct Released {
    rod: Rod,
    /// The velocities of the rest.
    others: Vec<usize>,
    /// M_r.
    mass: [[ExprId; 2]; 2],
    /// What the rest has not been given of it already.
    left: [[ExprId; 2]; 2],
    /// ν less the unknown of the row that is left.
    shift: ExprId,
    /// f_r.
    force: [ExprId; 2],
    /// a₁, a₂, e.
    along: [[ExprId; 3]; 3],
    /// Bᵀa_k.
    felt: [Vec<ExprId>; 2],
    /// a_k·b.
    given: [ExprId; 2],
    /// 1/|a_k|², e².
    squares: [ExprId; 3],
}

impl Released {
    /// Takes a rod out: (4). Where the rest carries a mass m of it, M holds m BᵀB already, which is
    ///
    /// ```text
    /// m Σ g_j·g_k (Bᵀa_j)(Bᵀa_k)ᵀ + m/e² (Bᵀe)(Bᵀe)ᵀ
    /// ```
    ///
    /// of which the last makes ν, with (Bᵀe)·u' = e·b, greater by m/e² e·b.
    pub(super) fn take_out(graph: &mut Graph, saddle: &mut Saddle, rod: &Rod, carried: Option<Mass>) -> Self {
        let Rod { velocities, rows } = *rod;
        let columns = velocities.map(|v| rows.map(|row| saddle.entry(graph, row, v)));
        let mass = velocities.map(|i| velocities.map(|j| saddle.entry(graph, i, j)));
        let force = velocities.map(|v| saddle.right[v]);
        let (along, squares) = directions(graph, columns);
        let others: Vec<usize> =
            saddle.coupled_to(&rows).into_iter().filter(|v| !velocities.contains(v)).collect();
        let turned = others.iter().map(|&v| {
            let column = rows.map(|row| saddle.entry(graph, row, v));
            along.map(|direction| dot(graph, direction, column))
        });
        let turned: Vec<[ExprId; 3]> = turned.collect();
        let right = rows.map(|row| saddle.right[row]);
        let [first, second, left] = along.map(|direction| dot(graph, direction, right));
        let (felt, given) = ([0, 1].map(|k| turned.iter().map(|entry| entry[k]).collect()), [first, second]);
        let (kept, shift) = match carried {
            Some(carried) => {
                let over = graph.div(carried.mass, squares[2]);
                (without(graph, mass, columns, carried), graph.mul(over, left))
            }
            None => (mass, graph.zero()),
        };
        let released =
            Self { rod: rod.clone(), others, mass, left: kept, shift, force, along, felt, given, squares };
        released.load(graph, saddle);
        for (&v, entry) in released.others.iter().zip(&turned) {
            saddle.set(graph, rod.left(), v, entry[2]);
        }
        saddle.right[rod.left()] = left;
        released
    }

    /// What the rest feels of the rod.
    fn load(&self, graph: &mut Graph, saddle: &mut Saddle) {
        let force = self.forces(graph, self.given);
        for (a, &i) in self.others.iter().enumerate() {
            for (b, &j) in self.others.iter().enumerate().take(a + 1) {
                let at_j = self.felt.each_ref().map(|felt| felt[b]);
                let momentum = self.left.map(|row| sum_of_two(graph, row, at_j));
                let added = sum_of_two(graph, self.felt.each_ref().map(|felt| felt[a]), momentum);
                let entry = saddle.entry(graph, i, j);
                let entry = graph.add(entry, added);
                saddle.set(graph, i, j, entry);
            }
            let taken = sum_of_two(graph, self.felt.each_ref().map(|felt| felt[a]), force);
            saddle.right[i] = graph.sub(saddle.right[i], taken);
        }
    }

    /// f_r − M_r q'.
    fn forces(&self, graph: &mut Graph, rates: [ExprId; 2]) -> [ExprId; 2] {
        [0, 1].map(|k| {
            let taken = sum_of_two(graph, self.mass[k], rates);
            graph.sub(self.force[k], taken)
        })
    }

    /// Its velocities and multipliers from those of the rest: (3), (2). Pivots are those of M_r, and
    /// of rows of unit length: they tell how independent rows are, not how long rods are.
    pub(super) fn put_back(&self, graph: &mut Graph, x: &mut [ExprId], pivots: &mut [ExprId]) {
        let Rod { velocities, rows } = self.rod;
        let rates = [0, 1].map(|k| {
            let mut rate = self.given[k];
            for (&other, &felt) in self.others.iter().zip(&self.felt[k]) {
                let taken = graph.mul(felt, x[other]);
                rate = graph.sub(rate, taken);
            }
            rate
        });
        let [first, second] = self.forces(graph, rates);
        let multipliers = [first, second, graph.add(x[self.rod.left()], self.shift)];
        for (component, row) in rows.into_iter().enumerate() {
            x[row] = dot(graph, self.along.map(|direction| direction[component]), multipliers);
        }
        velocities.into_iter().zip(rates).for_each(|(v, rate)| x[v] = rate);
        let [[m_11, m_12], [_, m_22]] = self.mass;
        let coupling = graph.mul(m_12, m_12);
        let coupling = graph.div(coupling, m_11);
        pivots[velocities[0]] = m_11;
        pivots[velocities[1]] = graph.sub(m_22, coupling);
        for k in [0, 1] {
            let pivot = graph.div(self.squares[k], self.mass[k][k]);
            pivots[rows[k]] = graph.neg(pivot);
        }
        pivots[self.rod.left()] = graph.div(pivots[self.rod.left()], self.squares[2]);
    }
}

/// M_jk − m g_j·g_k.
fn without(
    graph: &mut Graph,
    mass: [[ExprId; 2]; 2],
    columns: [[ExprId; 3]; 2],
    carried: Mass,
) -> [[ExprId; 2]; 2] {
    [0, 1].map(|j| {
        [0, 1].map(|k| {
            if j == carried.free && k == carried.free {
                return graph.zero();
            }
            let product = dot(graph, columns[j], columns[k]);
            let product = simplified(graph, product);
            let taken = graph.mul(carried.mass, product);
            graph.sub(mass[j][k], taken)
        })
    })
}

/// a₁, a₂ and e, and 1/a₁², 1/a₂², e², for two columns g_k = κ_k n_k.
///
/// ```text
/// e = n₁×n₂,    a₁ = (n₂×e) / (κ₁ e²),    a₂ = (e×n₁) / (κ₂ e²)
/// ```
fn directions(graph: &mut Graph, columns: [[ExprId; 3]; 2]) -> ([[ExprId; 3]; 3], [ExprId; 3]) {
    let [(scale_1, n_1), (scale_2, n_2)] = columns.map(|column| without_common_factor(graph, column));
    let mut product = |a, b| {
        let product = dot(graph, a, b);
        simplified(graph, product)
    };
    let (n_11, n_12, n_22) = (product(n_1, n_1), product(n_1, n_2), product(n_2, n_2));
    let e = [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (plus, minus) = (graph.mul(n_1[i], n_2[j]), graph.mul(n_1[j], n_2[i]));
        let component = graph.sub(plus, minus);
        simplified(graph, component)
    });
    let (both, mixed) = (graph.mul(n_11, n_22), graph.mul(n_12, n_12));
    let square = graph.sub(both, mixed);
    let square = simplified(graph, square);
    let mut along = |scale, n: [ExprId; 3], other: [ExprId; 3], other_own| {
        let one = graph.one();
        let length = graph.mul(scale, square);
        let reciprocal = graph.div(one, length);
        let a = [0, 1, 2].map(|k| {
            let (plus, minus) = (graph.mul(n[k], other_own), graph.mul(other[k], n_12));
            let component = graph.sub(plus, minus);
            let component = simplified(graph, component);
            graph.mul(component, reciprocal)
        });
        let above = graph.mul(length, scale);
        (a, graph.div(above, other_own))
    };
    let (a_1, square_1) = along(scale_1, n_1, n_2, n_22);
    let (a_2, square_2) = along(scale_2, n_2, n_1, n_11);
    ([a_1, a_2, e], [square_1, square_2, square])
}

fn sum_of_two(graph: &mut Graph, a: [ExprId; 2], b: [ExprId; 2]) -> ExprId {
    let terms = [0, 1].map(|k| graph.mul(a[k], b[k]));
    graph.sum(terms)
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
