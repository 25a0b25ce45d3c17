//! Redundant constraints: rows of G that are linear combinations of others (left null space W).
//!
//! Where Gᵀ W = 0 for some orthonormal W, the rows of G are dependent, and Q has no inverse.
//! With P = I − W Wᵀ the equations
//!
//! ```text
//! M v' + (P G)ᵀ λ     = f                                                             (1)
//! P G v'  − α W Wᵀ λ  = −P z                                                          (2)
//! ```
//!
//! have the same v' and the λ of smallest norm: Wᵀ times (2) says Wᵀ λ = 0. Their matrix
//! has the size of Q, is symmetric, and has factors without pivoting. Off the constraints
//! Gᵀ W is small instead of zero; P takes it out, which keeps the equations smooth, while
//! deciding anew at every stage which rows depend on which would not.

use super::contradiction::{Contradiction, Level, of_values};
use super::full_rank;
use crate::Layout;
use crate::linalg::{RANK_GAP, cholesky, orthogonalise, solve_lower};
use mbs_math::sqrt;
use std::vec;
use std::vec::Vec;

/// A singular value that has grown past this part of the next larger one no longer belongs
/// to a redundant row. Off the constraints by the tolerance of a run the small values of
/// a redundant mechanism stay well below.
const RANK_GROWN: f64 = 1e-3;

/// Part of a unit vector of W from which on a row takes part in it.
const TAKES_PART: f64 = 1e-6;

/// Which combinations of rows are redundant; room for all of them from the start.
#[derive(Debug, Clone, Default)]
pub struct Redundancy {
    all: Reduction,
    /// Of the holonomic rows alone, where there are others.
    holonomic: Option<Reduction>,
    not_unique: Vec<bool>,
    /// M and G of the state that is looked at.
    mass_matrix: Vec<f64>,
    jacobian: Vec<f64>,
    work: Workspace,
}

impl Redundancy {
    /// All rows count.
    pub fn new(layout: &Layout) -> Self {
        let (n_v, n_g, n_lambda) = (layout.n_v(), layout.n_g, layout.n_lambda());
        Self {
            all: Reduction::new(n_lambda),
            holonomic: (n_g < n_lambda).then(|| Reduction::new(n_g)),
            not_unique: vec![false; n_lambda],
            mass_matrix: vec![0.0; n_v * n_v],
            jacobian: vec![0.0; n_v * n_lambda],
            work: Workspace::new(n_v, n_lambda),
        }
    }

    /// Reduction of all rows, for velocities, accelerations and multipliers.
    pub fn all(&self) -> &Reduction {
        &self.all
    }

    /// Reduction of the holonomic rows, for positions.
    pub fn holonomic(&self) -> &Reduction {
        self.holonomic.as_ref().unwrap_or(&self.all)
    }

    /// Whether any row is redundant.
    pub fn is_active(&self) -> bool {
        self.all.count > 0
    }

    /// Rank of G as decided.
    pub fn rank(&self) -> usize {
        self.all.rows - self.all.count
    }

    /// The rows whose multiplier was not unique at some state since the last
    /// [`forget`](Self::forget).
    pub fn not_unique(&self) -> impl Iterator<Item = usize> {
        self.not_unique.iter().enumerate().filter(|&(_, &not_unique)| not_unique).map(|(row, _)| row)
    }

    /// All rows count again.
    pub fn forget(&mut self) {
        self.not_unique.fill(false);
        for reduction in core::iter::once(&mut self.all).chain(&mut self.holonomic) {
            reduction.count = 0;
        }
    }

    /// Where M and G of the state to be looked at go; what is always zero in them is zero already.
    pub(crate) fn matrices(&mut self) -> (&mut [f64], &mut [f64]) {
        (&mut self.mass_matrix, &mut self.jacobian)
    }

    /// Takes the rank from [`matrices`](Self::matrices), which belong to a state that meets the
    /// constraints. Singular values, which take the cube of the size, are looked at only where
    /// sparse factors leave doubts.
    pub(crate) fn decide(&mut self, layout: &Layout) {
        if full_rank::is_certain(layout, &self.mass_matrix, &self.jacobian) {
            for reduction in core::iter::once(&mut self.all).chain(&mut self.holonomic) {
                reduction.count = 0;
            }
            return;
        }
        self.look(true, |sigma, _| rank(sigma, RANK_GAP));
    }

    /// Turns W with the state of [`matrices`](Self::matrices). The rank stays, except that rows
    /// dropped at a singular pose come back; whether any did.
    pub(crate) fn follow(&mut self, meets_constraints: bool) -> bool {
        let before = self.rank();
        self.look(
            false,
            |sigma, held| if meets_constraints { held.max(rank(sigma, RANK_GROWN)) } else { held },
        );
        let grown = self.rank() > before;
        if grown {
            self.not_unique.fill(false);
            self.mark();
        }
        grown
    }

    /// Rows taken out that contradict each other at the state last looked at, by g and G v + c with all
    /// rows. `tolerance` is that of the run; rates are measured by `fastest`.
    pub(crate) fn contradiction(
        &self,
        g: &[f64],
        rate: &[f64],
        tolerance: f64,
        fastest: f64,
    ) -> Option<Contradiction> {
        let (jacobian, rows) = (&self.jacobian, self.all.rows);
        let of_positions =
            || of_values(Level::Positions, self.holonomic(), g, jacobian, rows, tolerance, 1.0);
        let of_velocities =
            || of_values(Level::Velocities, &self.all, rate, jacobian, rows, tolerance * fastest, fastest);
        of_positions().or_else(of_velocities)
    }

    /// Marks the rows that take part in W.
    fn mark(&mut self) {
        for (row, not_unique) in self.not_unique.iter_mut().enumerate() {
            *not_unique |= self.all.vectors().any(|w| w[row].abs() > TAKES_PART);
        }
    }

    fn look(&mut self, measure: bool, choose: impl Fn(&[f64], usize) -> usize) {
        let Self { all, holonomic, mass_matrix, jacobian, work, .. } = self;
        work.factor_mass(mass_matrix);
        for reduction in core::iter::once(all).chain(holonomic) {
            work.look(jacobian, reduction, measure, &choose);
        }
        self.mark();
    }
}

/// W and what follows from it, for the first so many rows.
#[derive(Debug, Clone, Default)]
pub struct Reduction {
    rows: usize,
    /// Redundant combinations.
    count: usize,
    /// W, column by column.
    basis: Vec<f64>,
    /// α W Wᵀ.
    block: Vec<f64>,
    /// Length of each row in the metric of M⁻¹, where its rank was decided.
    lengths: Vec<f64>,
}

impl Reduction {
    fn new(rows: usize) -> Self {
        // Two of their own: a copy of zeros takes memory that is perhaps never used.
        let [basis, block] = [(); 2].map(|()| vec![0.0; rows * rows]);
        Self { rows, count: 0, basis, block, lengths: vec![1.0; rows] }
    }

    /// The columns of W.
    pub fn vectors(&self) -> impl Iterator<Item = &[f64]> {
        self.basis.chunks_exact(self.rows.max(1)).take(self.count)
    }

    /// α W Wᵀ, which is subtracted from the lower right block of Q; empty where no row is
    /// redundant.
    pub fn block(&self) -> &[f64] {
        if self.count == 0 { &[] } else { &self.block }
    }

    /// Takes the lengths of rows from the columns of L⁻¹ Gᵀ. A row that vanishes but for
    /// rounding is measured by the longest, else its rounding would look like a constraint.
    fn measure(&mut self, a: &[f64], n_v: usize) {
        for (length, column) in self.lengths.iter_mut().zip(a.chunks_exact(n_v)) {
            *length = norm(column);
        }
        let longest = self.lengths.iter().copied().fold(0.0, f64::max);
        let longest = if longest > 0.0 && longest.is_finite() { longest } else { 1.0 };
        for length in &mut self.lengths {
            if length.is_nan() || *length <= RANK_GAP * longest {
                *length = longest;
            }
        }
    }

    /// Overwrites each column of `matrix`, as long as there are rows, with P times it.
    pub fn apply(&self, matrix: &mut [f64]) {
        if self.count == 0 {
            return;
        }
        for column in matrix.chunks_exact_mut(self.rows) {
            for w in self.vectors() {
                let part: f64 = w.iter().zip(&*column).map(|(w, entry)| w * entry).sum();
                for (entry, w) in column.iter_mut().zip(w) {
                    *entry -= part * w;
                }
            }
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Workspace {
    n_v: usize,
    n_lambda: usize,
    /// Factor of M.
    l: Vec<f64>,
    /// L⁻¹ Gᵀ with columns scaled, then rotated; the rotation.
    a: Vec<f64>,
    v: Vec<f64>,
    sigma: Vec<f64>,
    sorted: Vec<f64>,
}

impl Workspace {
    fn new(n_v: usize, n_lambda: usize) -> Self {
        Self {
            n_v,
            n_lambda,
            l: vec![0.0; n_v * n_v],
            a: vec![0.0; n_v * n_lambda],
            v: vec![0.0; n_lambda * n_lambda],
            sigma: vec![0.0; n_lambda],
            sorted: vec![0.0; n_lambda],
        }
    }

    fn factor_mass(&mut self, mass_matrix: &[f64]) {
        self.l.copy_from_slice(mass_matrix);
        if cholesky(self.n_v, &mut self.l).is_err() {
            // A motion without mass has no length in the metric of M; another metric gives
            // the same W.
            self.l.fill(0.0);
            self.l.iter_mut().step_by(self.n_v + 1).for_each(|diagonal| *diagonal = 1.0);
        }
    }

    /// Finds W of the first rows of G, for the rank `choose` takes from the singular values,
    /// largest first, and the rank so far.
    fn look(
        &mut self,
        g: &[f64],
        reduction: &mut Reduction,
        measure: bool,
        choose: &impl Fn(&[f64], usize) -> usize,
    ) {
        let (n_v, rows) = (self.n_v, reduction.rows);
        if rows == 0 || n_v == 0 {
            return;
        }
        let (a, v) = (&mut self.a[..n_v * rows], &mut self.v[..rows * rows]);
        for (row, column) in a.chunks_exact_mut(n_v).enumerate() {
            for (k, entry) in column.iter_mut().enumerate() {
                *entry = g[row + k * self.n_lambda];
            }
            solve_lower(n_v, &self.l, column);
        }
        if measure {
            reduction.measure(a, n_v);
        }
        for (column, length) in a.chunks_exact_mut(n_v).zip(&reduction.lengths) {
            column.iter_mut().for_each(|entry| *entry /= length);
        }
        orthogonalise(n_v, rows, a, v);
        for (sigma, column) in self.sigma.iter_mut().zip(a.chunks_exact(n_v)) {
            *sigma = norm(column);
        }
        let (sigma, sorted) = (&self.sigma[..rows], &mut self.sorted[..rows]);
        sorted.copy_from_slice(sigma);
        sorted.sort_unstable_by(|x, y| y.total_cmp(x));
        reduction.count = rows - choose(sorted, rows - reduction.count).min(rows);

        let largest = reduction.lengths.iter().copied().fold(0.0, f64::max);
        reduction.block.fill(0.0);
        // The smallest first; a value that is given out is marked by infinity.
        for index in 0..reduction.count {
            let smallest = self.sigma[..rows].iter().enumerate().min_by(|(_, x), (_, y)| x.total_cmp(y));
            let Some((column, _)) = smallest else { break };
            self.sigma[column] = f64::INFINITY;
            let (done, rest) = reduction.basis.split_at_mut(index * rows);
            let w = &mut rest[..rows];
            for (row, w) in w.iter_mut().enumerate() {
                *w = v[column * rows + row] / reduction.lengths[row];
            }
            // Twice is enough.
            for _ in 0..2 {
                for earlier in done.chunks_exact(rows) {
                    let part: f64 = w.iter().zip(earlier).map(|(x, y)| x * y).sum();
                    w.iter_mut().zip(earlier).for_each(|(w, earlier)| *w -= part * earlier);
                }
                let length = norm(w);
                w.iter_mut().for_each(|w| *w /= length);
            }
            for (column, factor) in reduction.block.chunks_exact_mut(rows).zip(&*w) {
                for (entry, w) in column.iter_mut().zip(&*w) {
                    *entry += largest * largest * factor * w;
                }
            }
        }
    }
}

/// How many singular values, largest first, come before a gap.
fn rank(sorted: &[f64], gap: f64) -> usize {
    let mut previous = sorted.first().copied().unwrap_or(0.0);
    for (index, &value) in sorted.iter().enumerate() {
        // Written so that what is not a number keeps its row.
        if value <= gap * previous {
            return index;
        }
        previous = value;
    }
    sorted.len()
}

fn norm(values: &[f64]) -> f64 {
    sqrt(values.iter().map(|value| value * value).sum())
}
