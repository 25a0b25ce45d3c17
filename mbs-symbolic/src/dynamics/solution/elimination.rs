//! Symbolic LDL^T factorisation (LDLᵀ) of the saddle-point matrix [M Gᵀ; G 0], written out.

use super::ordering::Plan;
use super::presolve::Eliminated;
use super::{Algorithm, Solution};
use crate::dynamics::Equations;
use crate::expr::Graph;
use crate::ids::ExprId;
use std::collections::{BTreeMap, BTreeSet};

/// Q = [M Gᵀ; G 0] and its right-hand side, by unknown.
#[derive(Debug)]
pub(super) struct Saddle {
    n_v: usize,
    /// Entries that are not the number zero, each at (i, j) with i ≥ j.
    entries: BTreeMap<(usize, usize), ExprId>,
    n: usize,
    pub(super) right: Vec<ExprId>,
}

impl Saddle {
    /// `mass_matrix`, n_v × n_v, stands for M and `forces` for f.
    pub(super) fn new(equations: &mut Equations, mass_matrix: &[ExprId], forces: &[ExprId]) -> Self {
        let (n_v, n_rows) = (equations.layout.velocities.len(), equations.layout.rows.len());
        let graph = &mut equations.graph;
        let mut right = forces.to_vec();
        right.extend(equations.acceleration_bias.iter().map(|&z| graph.neg(z)));
        let mut entries = BTreeMap::new();
        for j in 0..n_v {
            let mass = (j..n_v).map(|i| ((i, j), mass_matrix[j * n_v + i]));
            let rows = (0..n_rows).map(|k| ((n_v + k, j), equations.constraint_jacobian[j * n_rows + k]));
            entries.extend(mass.chain(rows).filter(|&(_, entry)| !graph.is_zero(entry)));
        }
        Self { n_v, entries, n: n_v + n_rows, right }
    }

    /// Forgets all entries of some unknowns, which have been taken out.
    pub(super) fn remove(&mut self, unknowns: &[usize]) {
        self.entries.retain(|(i, j), _| !unknowns.contains(i) && !unknowns.contains(j));
    }

    /// An entry.
    pub(super) fn entry(&self, graph: &mut Graph, i: usize, j: usize) -> ExprId {
        self.entries.get(&(i.max(j), i.min(j))).copied().unwrap_or_else(|| graph.zero())
    }

    pub(super) fn set(&mut self, graph: &Graph, i: usize, j: usize, entry: ExprId) {
        let place = (i.max(j), i.min(j));
        if graph.is_zero(entry) {
            self.entries.remove(&place);
        } else {
            self.entries.insert(place, entry);
        }
    }

    /// The other velocities some unknowns are coupled to.
    pub(super) fn coupled_to(&self, unknowns: &[usize]) -> Vec<usize> {
        let is_coupled = |v: &usize| {
            unknowns.iter().any(|&k| k != *v && self.entries.contains_key(&(k.max(*v), k.min(*v))))
        };
        (0..self.n_v).filter(is_coupled).collect()
    }

    /// The other unknowns each is coupled to.
    pub(super) fn pattern(&self) -> Vec<BTreeSet<usize>> {
        let mut coupled = vec![BTreeSet::new(); self.n];
        for &(i, j) in self.entries.keys().filter(|(i, j)| i != j) {
            coupled[i].insert(j);
            coupled[j].insert(i);
        }
        coupled
    }

    /// Q = L D Lᵀ in the order of `plan`, with one reciprocal per pivot:
    ///
    /// ```text
    /// l_i = q_ik / d_k,    q_ij −= l_i q_jk,    b_i −= l_i b_k            forwards
    /// x_k = b_k / d_k − Σ l_i x_i                                         backwards
    /// ```
    ///
    /// `None` if a pivot is the number zero. What was taken out before is put back.
    pub(super) fn solve(
        mut self,
        graph: &mut Graph,
        plan: &Plan,
        eliminated: &Eliminated,
    ) -> Option<Solution> {
        let zero = graph.zero();
        let one = graph.one();
        let at = |i: usize, j: usize| (i.max(j), i.min(j));
        let mut pivots = vec![zero; self.n];
        let mut factors: Vec<Vec<ExprId>> = Vec::with_capacity(self.n);
        let mut x = vec![zero; self.n];
        for step in &plan.steps {
            let k = step.pivot;
            let pivot = *self.entries.get(&(k, k))?;
            if graph.is_zero(pivot) {
                return None;
            }
            pivots[k] = pivot;
            let reciprocal = graph.div(one, pivot);
            let column: Vec<ExprId> =
                step.later.iter().map(|&i| self.entries.get(&at(i, k)).copied().unwrap_or(zero)).collect();
            let scaled: Vec<ExprId> = column.iter().map(|&entry| graph.mul(entry, reciprocal)).collect();
            for (a, &i) in step.later.iter().enumerate() {
                for (b, &j) in step.later.iter().enumerate().take(a + 1) {
                    let taken = graph.mul(scaled[a], column[b]);
                    let entry = self.entries.entry(at(i, j)).or_insert(zero);
                    *entry = graph.sub(*entry, taken);
                }
                let taken = graph.mul(scaled[a], self.right[k]);
                self.right[i] = graph.sub(self.right[i], taken);
            }
            x[k] = graph.mul(self.right[k], reciprocal);
            factors.push(scaled);
        }
        for (step, scaled) in plan.steps.iter().zip(&factors).rev() {
            for (&i, &factor) in step.later.iter().zip(scaled).rev() {
                let taken = graph.mul(factor, x[i]);
                x[step.pivot] = graph.sub(x[step.pivot], taken);
            }
        }
        eliminated.back_substitute(graph, &mut x, &mut pivots);
        let lambda = x.split_off(self.n_v);
        Some(Solution { algorithm: Algorithm::Elimination, v_dot: x, lambda, pivots })
    }
}
