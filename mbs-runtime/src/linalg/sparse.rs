//! Q = [M Gᵀ; G 0] as L D Lᵀ where most of it is zero.

use super::elimination::Elimination;
use super::ldlt::{LOST_PIVOT, LostPivot};
use std::vec;
use std::vec::Vec;

/// Sparse factors of the saddle-point matrix. All room is taken at set-up.
#[derive(Debug, Clone)]
pub struct SparseLdlt {
    n_v: usize,
    n_lambda: usize,
    plan: Elimination,
    /// Entries of Q in the column of each turn, and where those of a column begin.
    entries: Vec<Entry>,
    entry_columns: Vec<usize>,
    /// Entries of L left of the diagonal in the row of each turn, as places among `values` with
    /// their columns, and where those of a row begin.
    left: Vec<Left>,
    left_rows: Vec<usize>,
    /// L, column by column.
    values: Vec<f64>,
    /// D.
    diagonal: Vec<f64>,
    /// One column, or a right-hand side, in the order of turns; zero in between.
    work: Vec<f64>,
}

/// Where an entry of Q comes from and goes to.
#[derive(Debug, Clone, Copy)]
struct Entry {
    of_jacobian: bool,
    row: usize,
    column: usize,
    turn: usize,
}

#[derive(Debug, Clone, Copy)]
struct Left {
    column: usize,
    place: usize,
}

impl SparseLdlt {
    /// For the patterns of M (one triangle or both) and of G (n_λ × n_v), as rows and columns.
    ///
    /// # Panics
    /// If a pattern names an entry that does not exist.
    pub fn new(
        n_v: usize,
        n_lambda: usize,
        mass_pattern: &[(usize, usize)],
        jacobian_pattern: &[(usize, usize)],
    ) -> Self {
        let n = n_v + n_lambda;
        let plan = Elimination::new(n_v, n_lambda, mass_pattern, jacobian_pattern);
        let mut turns = vec![0; n];
        for (turn, &unknown) in plan.order.iter().enumerate() {
            turns[unknown] = turn;
        }

        let lower = mass_pattern.iter().map(|&(i, j)| (false, i.max(j), i.min(j)));
        let rows = jacobian_pattern.iter().map(|&(row, column)| (true, row, column));
        let mut placed: Vec<(usize, Entry)> = lower
            .chain(rows)
            .map(|(of_jacobian, row, column)| {
                let (a, b) = (turns[if of_jacobian { n_v + row } else { row }], turns[column]);
                (a.min(b), Entry { of_jacobian, row, column, turn: a.max(b) })
            })
            .collect();
        placed.sort_unstable_by_key(|(column, entry)| (*column, entry.turn));
        placed.dedup_by_key(|(column, entry)| (*column, entry.turn));
        let entry_columns = starts(n, placed.iter().map(|(column, _)| *column));

        let mut left_of = vec![Vec::new(); n];
        for (column, range) in plan.columns.windows(2).enumerate() {
            for place in range[0]..range[1] {
                left_of[plan.below[place]].push(Left { column, place });
            }
        }
        let left_rows =
            starts(n, left_of.iter().enumerate().flat_map(|(row, left)| left.iter().map(move |_| row)));
        Self {
            n_v,
            n_lambda,
            entries: placed.into_iter().map(|(_, entry)| entry).collect(),
            entry_columns,
            left: left_of.concat(),
            left_rows,
            values: vec![0.0; plan.below.len()],
            diagonal: vec![0.0; n],
            work: vec![0.0; n],
            plan,
        }
    }

    /// About how many multiplications a factorisation takes.
    pub fn operations(&self) -> usize {
        self.plan.operations()
    }

    /// Factors Q for M (n_v × n_v) and G (`rows` × n_v, of which the first n_λ rows are taken),
    /// both column-major; only the entries of the patterns are read, of M those below the
    /// diagonal. A pivot that is small among those of its kind or has the wrong sign is lost.
    pub fn factor(&mut self, m: &[f64], g: &[f64], rows: usize) -> Result<(), LostPivot> {
        let Self { n_v, plan, values, diagonal, work, .. } = self;
        let n_v = *n_v;
        // Largest pivots of velocities and of rows.
        let mut largest = [0.0_f64; 2];
        for (turn, &unknown) in plan.order.iter().enumerate() {
            for entry in &self.entries[self.entry_columns[turn]..self.entry_columns[turn + 1]] {
                work[entry.turn] = match entry.of_jacobian {
                    true => g[entry.column * rows + entry.row],
                    false => m[entry.column * n_v + entry.row],
                };
            }
            for left in &self.left[self.left_rows[turn]..self.left_rows[turn + 1]] {
                let factor = values[left.place] * diagonal[left.column];
                let places = left.place..plan.columns[left.column + 1];
                for (l, &row) in values[places.clone()].iter().zip(&plan.below[places]) {
                    work[row] -= l * factor;
                }
            }
            let pivot = core::mem::take(&mut work[turn]);
            let is_row = unknown >= n_v;
            let size = if is_row { -pivot } else { pivot };
            let largest = &mut largest[usize::from(is_row)];
            *largest = largest.max(size);
            // Also what is not a number is lost.
            if !(size > LOST_PIVOT * *largest && size.is_finite()) {
                work.fill(0.0);
                return Err(LostPivot { index: unknown });
            }
            diagonal[turn] = pivot;
            for place in plan.columns[turn]..plan.columns[turn + 1] {
                values[place] = core::mem::take(&mut work[plan.below[place]]) / pivot;
            }
        }
        // The largest may have come last.
        for (&unknown, pivot) in plan.order.iter().zip(&*diagonal) {
            if pivot.abs() <= LOST_PIVOT * largest[usize::from(unknown >= n_v)] {
                return Err(LostPivot { index: unknown });
            }
        }
        Ok(())
    }

    /// What of each row's square is left when its turn comes: positive, in the order of rows.
    pub fn row_pivots(&self, pivots: &mut [f64]) {
        for (&unknown, pivot) in self.plan.order.iter().zip(&self.diagonal) {
            if let Some(row) = unknown.checked_sub(self.n_v) {
                pivots[row] = -pivot;
            }
        }
    }

    /// Overwrites `b`, n_v + n_λ long, with Q⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        let Self { plan, values, diagonal, work, .. } = self;
        for (x, &unknown) in work.iter_mut().zip(&plan.order) {
            *x = b[unknown];
        }
        for (turn, range) in plan.columns.windows(2).enumerate() {
            let value = work[turn];
            let places = range[0]..range[1];
            for (l, &row) in values[places.clone()].iter().zip(&plan.below[places]) {
                work[row] -= l * value;
            }
        }
        for (turn, range) in plan.columns.windows(2).enumerate().rev() {
            let places = range[0]..range[1];
            let column = values[places.clone()].iter().zip(&plan.below[places]);
            let sum: f64 = column.map(|(l, &row)| l * work[row]).sum();
            work[turn] = work[turn] / diagonal[turn] - sum;
        }
        for (x, &unknown) in work.iter_mut().zip(&plan.order) {
            b[unknown] = core::mem::take(x);
        }
    }

    /// Number of rows of G.
    pub(crate) fn n_lambda(&self) -> usize {
        self.n_lambda
    }

    /// Overwrites `b`, n_v long, with D^(−1/2) L⁻¹ b of a matrix without rows, in an order of its
    /// own, and returns the square of its length: bᵀ M⁻¹ b.
    pub(crate) fn square(&mut self, b: &[f64]) -> f64 {
        let Self { plan, values, diagonal, work, .. } = self;
        for (x, &unknown) in work.iter_mut().zip(&plan.order) {
            *x = b[unknown];
        }
        let mut square = 0.0;
        for (turn, range) in plan.columns.windows(2).enumerate() {
            let value = core::mem::take(&mut work[turn]);
            if value == 0.0 {
                continue;
            }
            square += value * value / diagonal[turn];
            let places = range[0]..range[1];
            for (l, &row) in values[places.clone()].iter().zip(&plan.below[places]) {
                work[row] -= l * value;
            }
        }
        square
    }
}

/// Where each of n groups begins in a list sorted by group, and where the last ends.
fn starts(n: usize, groups: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0; n + 1];
    groups.for_each(|group| starts[group + 1] += 1);
    for k in 0..n {
        starts[k + 1] += starts[k];
    }
    starts
}
