//! Sparse LDL^T factorisation: Q = [M Gᵀ; G 0] as L D Lᵀ where most of it is zero.

use super::elimination::Elimination;
use super::ldlt::{LOST_PIVOT, LostPivot};
use std::vec;
use std::vec::Vec;

/// Sparse factors of the saddle-point matrix. All room is taken at set-up.
#[derive(Debug, Clone)]
pub struct SparseLdlt {
    n_v: usize,
    /// Rows of the matrix M that entries are read from.
    mass_rows: usize,
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
        let plan = Elimination::new(n_v, n_lambda, mass_pattern, jacobian_pattern);
        Self::with_plan(plan, n_v, n_lambda, mass_pattern, jacobian_pattern)
    }

    fn with_plan(
        plan: Elimination,
        n_v: usize,
        n_lambda: usize,
        mass_pattern: &[(usize, usize)],
        jacobian_pattern: &[(usize, usize)],
    ) -> Self {
        let n = n_v + n_lambda;
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
            mass_rows: n_v,
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

    /// Makes these the factors for some of n_v velocities, which are the unknowns: M and G are read
    /// as the whole system has them.
    pub(crate) fn of_columns(mut self, columns: &[usize], n_v: usize) -> Self {
        for entry in &mut self.entries {
            entry.column = columns[entry.column];
            if !entry.of_jacobian {
                entry.row = columns[entry.row];
            }
        }
        self.mass_rows = n_v;
        self
    }

    /// About how many multiplications a factorisation takes.
    pub fn operations(&self) -> usize {
        self.plan.operations()
    }

    /// Factors Q for M (n_v × n_v) and G (`rows` × n_v, of which the first n_λ rows are taken),
    /// both column-major; only the entries of the patterns are read, of M those below the
    /// diagonal. A pivot that is small among those of its kind or has the wrong sign is lost.
    pub fn factor(&mut self, m: &[f64], g: &[f64], rows: usize) -> Result<(), LostPivot> {
        let Self { n_v, mass_rows, plan, values, diagonal, work, .. } = self;
        let (n_v, mass_rows) = (*n_v, *mass_rows);
        // Largest pivots of velocities and of rows.
        let mut largest = [0.0_f64; 2];
        for (turn, &unknown) in plan.order.iter().enumerate() {
            for entry in &self.entries[self.entry_columns[turn]..self.entry_columns[turn + 1]] {
                work[entry.turn] = match entry.of_jacobian {
                    true => g[entry.column * rows + entry.row],
                    false => m[entry.column * mass_rows + entry.row],
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

    /// bᵀ M⁻¹ b for a matrix without rows.
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

#[cfg(test)]
mod tests {
    use super::super::elimination::Rows;
    use super::super::{Saddle, Singular};
    use super::*;

    /// A random saddle-point matrix of bodies in a row.
    struct Case {
        n_v: usize,
        n_lambda: usize,
        m: Vec<f64>,
        g: Vec<f64>,
        b: Vec<f64>,
        mass_pattern: Vec<(usize, usize)>,
        jacobian_pattern: Vec<(usize, usize)>,
    }

    impl Case {
        fn new(n_v: usize, n_lambda: usize, seed: u32) -> Self {
            let mut state = seed;
            let mut random = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                f64::from(state >> 8) / f64::from(1 << 23) - 1.0
            };
            let (mut m, mut g) = (vec![0.0; n_v * n_v], vec![0.0; n_lambda * n_v]);
            let (mut mass_pattern, mut jacobian_pattern) = (Vec::new(), Vec::new());
            for k in 0..n_v {
                m[k * n_v + k] = 3.0 + random();
                mass_pattern.push((k, k));
                for other in [k + 1, k + 3].into_iter().filter(|&other| other < n_v) {
                    let entry = 0.5 * random();
                    m[k * n_v + other] = entry;
                    m[other * n_v + k] = entry;
                    mass_pattern.extend([(k, other), (other, k)]);
                }
            }
            for row in 0..n_lambda {
                let first = row * (n_v - 4) / n_lambda;
                for column in [first, first + 1, first + 2 + row % 2] {
                    g[column * n_lambda + row] = random();
                    jacobian_pattern.push((row, column));
                }
            }
            let b = (0..n_v + n_lambda).map(|_| random()).collect();
            Self { n_v, n_lambda, m, g, b, mass_pattern, jacobian_pattern }
        }

        fn large(&self) -> Saddle {
            Saddle::with_patterns(self.n_v, self.n_lambda, &self.mass_pattern, &self.jacobian_pattern)
        }

        /// Q⁻¹ b, and the row found dependent.
        fn solve(&self, saddle: &mut Saddle) -> Result<(Vec<f64>, Option<usize>), Singular> {
            saddle.factor(&self.m, &self.g, self.n_lambda)?;
            let mut x = self.b.clone();
            saddle.solve(&mut x);
            Ok((x, saddle.lost_row()))
        }
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        let size = expected.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-11 * size, "{found} {expected}");
        }
    }

    #[test]
    fn random_matrices_as_the_dense_factors() {
        for seed in 0..50 {
            let case = Case::new(60 + seed as usize, 30 + seed as usize / 2, seed);
            let (mut dense, mut large) = (Saddle::new(case.n_v, case.n_lambda), case.large());
            let (expected, _) = case.solve(&mut dense).unwrap();
            let (found, lost) = case.solve(&mut large).unwrap();
            assert!(large.is_sparse() && !dense.is_sparse() && lost.is_none(), "seed {seed}");
            assert_close(&found, &expected);

            for rows in [Rows::Last, Rows::Between] {
                let (mass, jacobian) = (&case.mass_pattern, &case.jacobian_pattern);
                let plan = Elimination::with_rows(rows, case.n_v, case.n_lambda, mass, jacobian);
                let mut sparse = SparseLdlt::with_plan(plan, case.n_v, case.n_lambda, mass, jacobian);
                sparse.factor(&case.m, &case.g, case.n_lambda).unwrap();
                let mut x = case.b.clone();
                sparse.solve(&mut x);
                assert_close(&x, &expected);
                if rows == Rows::Last {
                    let mut pivots = vec![0.0; case.n_lambda];
                    sparse.row_pivots(&mut pivots);
                    assert_close(&pivots, &dense.pivots().collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn a_row_given_twice_is_left_to_the_factors_that_pivot() {
        for seed in 0..10 {
            let mut case = Case::new(60, 30, seed);
            let twice: Vec<_> = case.jacobian_pattern.iter().filter(|(row, _)| *row == 7).copied().collect();
            case.jacobian_pattern.retain(|(row, _)| *row != 19);
            case.jacobian_pattern.extend(twice.iter().map(|&(_, column)| (19, column)));
            case.jacobian_pattern.sort_unstable_by_key(|&(row, column)| (column, row));
            for column in 0..60 {
                case.g[column * 30 + 19] = case.g[column * 30 + 7];
            }
            case.b[60 + 19] = case.b[60 + 7];
            let mut large = case.large();
            let (found, lost) = case.solve(&mut large).unwrap();
            let (expected, _) = case.solve(&mut Saddle::new(60, 30)).unwrap();
            assert_eq!((found, lost, large.pivots().count()), (expected, Some(19), 0));
            assert!(large.sparse().is_some() && !large.is_sparse());
        }
    }

    #[test]
    fn motions_without_mass_are_held_or_named() {
        let mut case = Case::new(60, 30, 3);
        let column = 25;
        for k in 0..60 {
            case.m[k * 60 + column] = 0.0;
            case.m[column * 60 + k] = 0.0;
        }
        let (found, _) = case.solve(&mut case.large()).unwrap();
        let (expected, _) = case.solve(&mut Saddle::new(60, 30)).unwrap();
        assert_eq!(found, expected, "held by a row");
        for row in 0..30 {
            case.g[column * 30 + row] = 0.0;
        }
        assert_eq!(case.solve(&mut case.large()).unwrap_err().velocity, Some(column));
    }

    #[test]
    fn what_is_not_a_number_is_refused_and_forgotten() {
        let case = Case::new(60, 30, 5);
        let (mass, jacobian) = (&case.mass_pattern, &case.jacobian_pattern);
        let mut sparse = SparseLdlt::new(60, 30, mass, jacobian);
        let mut broken = case.m.clone();
        broken[10 * 60 + 10] = f64::NAN;
        assert!(sparse.factor(&broken, &case.g, 30).is_err());
        sparse.factor(&case.m, &case.g, 30).unwrap();
        let mut x = case.b.clone();
        sparse.solve(&mut x);
        assert_close(&x, &case.solve(&mut Saddle::new(60, 30)).unwrap().0);
    }

    #[test]
    fn some_columns_are_read_where_they_stand() {
        let case = Case::new(80, 30, 11);
        let free: Vec<usize> = (0..80).filter(|column| column % 7 != 3).collect();
        let place = |column: usize| free.iter().position(|&free| free == column);
        let mass: Vec<_> =
            case.mass_pattern.iter().filter_map(|&(i, j)| Some((place(i)?, place(j)?))).collect();
        let jacobian: Vec<_> =
            case.jacobian_pattern.iter().filter_map(|&(row, j)| Some((row, place(j)?))).collect();
        let entries = |j: &usize| free.iter().map(|i| case.m[j * 80 + i]).collect::<Vec<_>>();
        let m: Vec<f64> = free.iter().flat_map(entries).collect();
        let g: Vec<f64> = free.iter().flat_map(|j| case.g[j * 30..(j + 1) * 30].to_vec()).collect();
        let solve = |sparse: &mut SparseLdlt, m: &[f64], g: &[f64]| {
            sparse.factor(m, g, 30).unwrap();
            let mut x = case.b[..free.len() + 30].to_vec();
            sparse.solve(&mut x);
            x
        };
        let mut copied = SparseLdlt::new(free.len(), 30, &mass, &jacobian);
        let mut in_place = copied.clone().of_columns(&free, 80);
        assert_eq!(solve(&mut in_place, &case.m, &case.g), solve(&mut copied, &m, &g));
    }

    #[test]
    fn small_and_unknown_matrices_stay_dense() {
        assert!(Case::new(30, 10, 1).large().sparse().is_none());
        assert!(Saddle::with_patterns(60, 30, &[], &[]).sparse().is_none());
        let full: Vec<_> = (0..80).flat_map(|i| (0..80).map(move |j| (i, j))).collect();
        assert!(Saddle::with_patterns(80, 0, &full, &[]).sparse().is_none());
    }
}
