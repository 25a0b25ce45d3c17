//! Rods of closed loops, eliminated in closed form.
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
//! q_k' = a_k·(b − B u'),    μ = f_r − M_r q'                                       (3)
//! ```
//!
//! and are gone from the equations of the rest, which gain the rod's inertia as its end has it:
//!
//! ```text
//! M_u + Σ M_jk (Bᵀa_j)(Bᵀa_k)ᵀ,    f_u − Bᵀ Σ a_j (f_j − M_jk a_k·b),    row (Bᵀe)·u' = e·b     (4)
//! ```
//!
//! Where the rest carries a mass m of the rod's end ([`rod_end_mass`](super::rod_end_mass)), M_r and f_r are
//! those without and M_u and f_u those with it; what it takes to move it is taken from λ in the end.
//!
//! Where g₁ and g₂ become parallel, or one of them short, a pivot vanishes, as everywhere in this
//! elimination where another order is needed.

use super::elimination::Saddle;
use super::rod_end_mass::Mass;
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
        // Directions and λ; columns and b along two of them; (4); (3).
        50 + 10 * (n + 1) + n * (n + 1) + n + 12 * n
    }
}

/// A rod that has been taken out.
#[derive(Debug)]
pub(super) struct EliminatedRod {
    rod: Rod,
    /// The velocities of the rest, with their columns of B.
    others: Vec<(usize, [ExprId; 3])>,
    /// M_r.
    mass: [[ExprId; 2]; 2],
    /// M_r without what the rest carries.
    left: [[ExprId; 2]; 2],
    /// What the rest carries of it.
    carried: Option<Mass>,
    /// f_r.
    force: [ExprId; 2],
    /// b.
    right: [ExprId; 3],
    /// a₁, a₂, e.
    along: [[ExprId; 3]; 3],
    /// 1/a₁², 1/a₂², e².
    squares: [ExprId; 3],
}

impl EliminatedRod {
    /// Takes a rod out: (4). Where the rest carries a mass of it, f and M hold it there already, but
    /// for the entries of the rod itself in M.
    pub(super) fn eliminate(
        graph: &mut Graph,
        saddle: &mut Saddle,
        rod: &Rod,
        carried: Option<Mass>,
    ) -> Self {
        let Rod { velocities, rows } = *rod;
        let columns = velocities.map(|v| rows.map(|row| saddle.entry(graph, row, v)));
        let mass = velocities.map(|i| velocities.map(|j| saddle.entry(graph, i, j)));
        let (along, squares) = directions(graph, columns);
        let others = saddle.coupled_to(&rows).into_iter().filter(|v| !velocities.contains(v));
        let others = others.map(|v| (v, rows.map(|row| saddle.entry(graph, row, v)))).collect();
        let left = carried.map_or(mass, |carried| without(graph, mass, columns, carried));
        let (force, right) = (velocities.map(|v| saddle.right[v]), rows.map(|row| saddle.right[row]));
        let released = Self { rod: rod.clone(), others, mass, left, carried, force, right, along, squares };
        released.load(graph, saddle);
        for (v, column) in &released.others {
            let entry = dot(graph, along[2], *column);
            saddle.set(graph, rod.left(), *v, entry);
        }
        saddle.right[rod.left()] = dot(graph, along[2], right);
        saddle.remove(&rod.own());
        released
    }

    /// What the rest feels of the rod.
    fn load(&self, graph: &mut Graph, saddle: &mut Saddle) {
        let felt: Vec<[ExprId; 2]> =
            self.others.iter().map(|(_, column)| self.across(graph, *column)).collect();
        let given = self.across(graph, self.right);
        let passed = self.forces(graph, given);
        for (a, &(i, column)) in self.others.iter().enumerate() {
            for (b, &(j, _)) in self.others.iter().enumerate().take(a + 1) {
                let momentum = self.left.map(|row| sum_of_two(graph, row, felt[b]));
                let added = sum_of_two(graph, felt[a], momentum);
                let entry = saddle.entry(graph, i, j);
                let entry = graph.add(entry, added);
                saddle.set(graph, i, j, entry);
            }
            let taken = dot(graph, column, passed);
            saddle.right[i] = graph.sub(saddle.right[i], taken);
        }
    }

    /// a_k·x.
    fn across(&self, graph: &mut Graph, x: [ExprId; 3]) -> [ExprId; 2] {
        [0, 1].map(|k| dot(graph, self.along[k], x))
    }

    /// a₁ μ₁ + a₂ μ₂ where the rod's velocities have some rates.
    fn forces(&self, graph: &mut Graph, rates: [ExprId; 2]) -> [ExprId; 3] {
        let multipliers = [0, 1].map(|k| {
            let taken = sum_of_two(graph, self.left[k], rates);
            graph.sub(self.force[k], taken)
        });
        [0, 1, 2].map(|k| sum_of_two(graph, [self.along[0][k], self.along[1][k]], multipliers))
    }

    /// Its velocities and multipliers from those of the rest: (3), (2). Pivots are those of M_r, and
    /// of rows of unit length: they tell how independent rows are, not how long rods are.
    pub(super) fn back_substitute(&self, graph: &mut Graph, x: &mut [ExprId], pivots: &mut [ExprId]) {
        let Rod { velocities, rows } = self.rod;
        // [g₁ g₂] q' = b − B u'
        let end = [0, 1, 2].map(|k| {
            let terms: Vec<ExprId> =
                self.others.iter().map(|&(v, column)| graph.mul(column[k], x[v])).collect();
            let moved = graph.sum(terms);
            graph.sub(self.right[k], moved)
        });
        let rates = self.across(graph, end);
        let across = self.forces(graph, rates);
        let along = x[self.rod.left()];
        for (k, row) in rows.into_iter().enumerate() {
            let part = graph.mul(self.along[2][k], along);
            x[row] = graph.add(across[k], part);
            if let Some(Mass { mass, pull, .. }) = self.carried {
                let acceleration = graph.add(end[k], pull[k]);
                let taken = graph.mul(mass, acceleration);
                x[row] = graph.sub(x[row], taken);
            }
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
