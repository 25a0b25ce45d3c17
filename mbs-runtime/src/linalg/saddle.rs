//! Factors of the saddle-point matrix of constrained motion.

use std::vec;
use std::vec::Vec;

/// Below this part of the largest pivot of its block a pivot counts as lost.
const LOST_PIVOT: f64 = 1e-12;

/// Q = [M Gᵀ; G 0], factored, with n_v + n_λ rows.
///
/// LDLᵀ in the order M, G exists without pivoting when M is positive definite and G has
/// full row rank: the pivots of M are positive, those of the Schur complement negative.
/// Where a pivot is lost (a massless motion, rows that depend on each other at this
/// state) the matrix is factored again with full pivoting.
#[derive(Debug, Clone, Default)]
pub struct Saddle {
    n_v: usize,
    n_lambda: usize,
    /// LDLᵀ: unit lower triangle and D. LU: both triangles of the permuted matrix.
    factors: Vec<f64>,
    /// For LU: rows and columns in pivoting order, and the numerical rank.
    pivots: Option<Pivots>,
    scratch: Vec<f64>,
    /// Smallest over largest pivot of the Schur complement; small near singular poses.
    conditioning: f64,
}

#[derive(Debug, Clone)]
struct Pivots {
    rows: Vec<usize>,
    columns: Vec<usize>,
    rank: usize,
}

/// Q is singular beyond what a consistent right-hand side can mend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Singular {
    /// The velocity whose motion has no inertia and no constraint, if there is one.
    pub velocity: Option<usize>,
    /// A constraint row that depends on others, if that is the trouble.
    pub row: Option<usize>,
}

impl Saddle {
    /// Room for n_v velocities and n_λ rows.
    pub fn new(n_v: usize, n_lambda: usize) -> Self {
        let n = n_v + n_lambda;
        Self {
            n_v,
            n_lambda,
            factors: vec![0.0; n * n],
            pivots: None,
            scratch: vec![0.0; n],
            conditioning: 1.0,
        }
    }

    /// Factors Q for M (n_v × n_v) and G (`rows` × n_v, of which the first n_λ rows are
    /// taken), both column-major.
    pub fn factor(&mut self, m: &[f64], g: &[f64], rows: usize) -> Result<(), Singular> {
        self.assemble(m, g, rows);
        if self.eliminate() {
            self.pivots = None;
            return Ok(());
        }
        self.assemble(m, g, rows);
        self.eliminate_with_pivoting()
    }

    /// Smallest over largest pivot of the Schur complement G M⁻¹ Gᵀ.
    pub fn conditioning(&self) -> f64 {
        self.conditioning
    }

    /// Lower triangle of Q, and the upper one as well for pivoting.
    fn assemble(&mut self, m: &[f64], g: &[f64], rows: usize) {
        let (n_v, n) = (self.n_v, self.n_v + self.n_lambda);
        self.factors.fill(0.0);
        for j in 0..n_v {
            self.factors[j * n..j * n + n_v].copy_from_slice(&m[j * n_v..(j + 1) * n_v]);
            for i in 0..self.n_lambda {
                let entry = g[j * rows + i];
                self.factors[j * n + n_v + i] = entry;
                self.factors[(n_v + i) * n + j] = entry;
            }
        }
    }

    /// LDLᵀ in place, by columns; false where a pivot is lost.
    fn eliminate(&mut self) -> bool {
        let (n_v, n) = (self.n_v, self.n_v + self.n_lambda);
        let (mut largest, mut smallest) = (0.0_f64, f64::INFINITY);
        for j in 0..n {
            let (done, rest) = self.factors.split_at_mut(j * n);
            let column = &mut rest[..n];
            for k in 0..j {
                let earlier = &done[k * n..(k + 1) * n];
                let factor = earlier[j] * earlier[k];
                if factor != 0.0 {
                    for i in j..n {
                        column[i] -= earlier[i] * factor;
                    }
                }
            }
            if j == n_v {
                (largest, smallest) = (0.0, f64::INFINITY);
            }
            let pivot = column[j];
            let size = if j < n_v { pivot } else { -pivot };
            largest = largest.max(size);
            smallest = smallest.min(size);
            if size.is_nan() || size <= LOST_PIVOT * largest || size <= 0.0 {
                return false;
            }
            for entry in &mut column[j + 1..n] {
                *entry /= pivot;
            }
        }
        self.conditioning = if self.n_lambda == 0 { 1.0 } else { smallest / largest };
        true
    }

    /// LU with full pivoting. The matrix may have dependent rows as long as they belong
    /// to constraints.
    fn eliminate_with_pivoting(&mut self) -> Result<(), Singular> {
        let n = self.n_v + self.n_lambda;
        let mut pivots = Pivots { rows: (0..n).collect(), columns: (0..n).collect(), rank: n };
        let a = &mut self.factors;
        let mut largest = 0.0_f64;
        for k in 0..n {
            let mut best = (k, k, 0.0);
            for (j, &column) in pivots.columns.iter().enumerate().skip(k) {
                for (i, &row) in pivots.rows.iter().enumerate().skip(k) {
                    let size = a[column * n + row].abs();
                    if size > best.2 {
                        best = (i, j, size);
                    }
                }
            }
            largest = largest.max(best.2);
            if best.2.is_nan() || best.2 <= LOST_PIVOT * largest {
                pivots.rank = k;
                break;
            }
            pivots.rows.swap(k, best.0);
            pivots.columns.swap(k, best.1);
            let (row, column) = (pivots.rows[k], pivots.columns[k]);
            let pivot = a[column * n + row];
            for &i in &pivots.rows[k + 1..] {
                let factor = a[column * n + i] / pivot;
                a[column * n + i] = factor;
                if factor != 0.0 {
                    for &j in &pivots.columns[k + 1..] {
                        a[j * n + i] -= factor * a[j * n + row];
                    }
                }
            }
        }
        self.conditioning = 0.0;
        let missing = pivots.columns[pivots.rank..].iter().copied().min();
        self.pivots = Some(pivots);
        match missing {
            Some(velocity) if velocity < self.n_v => Err(Singular { velocity: Some(velocity), row: None }),
            _ => Ok(()),
        }
    }

    /// Overwrites `b`, n_v + n_λ long, with Q⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        match &self.pivots {
            None => solve_ldlt(&self.factors, b),
            Some(pivots) => solve_lu(&self.factors, pivots, b, &mut self.scratch),
        }
    }
}

fn solve_ldlt(factors: &[f64], b: &mut [f64]) {
    let n = b.len();
    for j in 0..n {
        let value = b[j];
        if value != 0.0 {
            for i in j + 1..n {
                b[i] -= factors[j * n + i] * value;
            }
        }
    }
    for j in 0..n {
        b[j] /= factors[j * n + j];
    }
    for j in (0..n).rev() {
        let sum: f64 = (j + 1..n).map(|i| factors[j * n + i] * b[i]).sum();
        b[j] -= sum;
    }
}

/// Unknowns past the rank are zero.
fn solve_lu(factors: &[f64], pivots: &Pivots, b: &mut [f64], x: &mut [f64]) {
    let n = b.len();
    let (rows, columns) = (&pivots.rows, &pivots.columns);
    for k in 0..pivots.rank {
        let value = b[rows[k]];
        for &i in &rows[k + 1..] {
            b[i] -= factors[columns[k] * n + i] * value;
        }
    }
    x.fill(0.0);
    for k in (0..pivots.rank).rev() {
        let row = rows[k];
        let sum: f64 = columns[k + 1..pivots.rank].iter().map(|&j| factors[j * n + row] * x[j]).sum();
        x[columns[k]] = (b[row] - sum) / factors[columns[k] * n + row];
    }
    b.copy_from_slice(x);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASS: [f64; 9] = [3.0, 1.0, 0.5, 1.0, 4.0, -0.25, 0.5, -0.25, 2.0];

    fn residual(m: &[f64], g: &[f64], n_lambda: usize, x: &[f64], b: &[f64]) -> f64 {
        let n_v = x.len() - n_lambda;
        let mut worst = 0.0_f64;
        for i in 0..n_v {
            let mut sum: f64 = (0..n_v).map(|j| m[j * n_v + i] * x[j]).sum();
            sum += (0..n_lambda).map(|r| g[i * n_lambda + r] * x[n_v + r]).sum::<f64>();
            worst = worst.max((sum - b[i]).abs());
        }
        for r in 0..n_lambda {
            let sum: f64 = (0..n_v).map(|j| g[j * n_lambda + r] * x[j]).sum();
            worst = worst.max((sum - b[n_v + r]).abs());
        }
        worst
    }

    #[test]
    fn regular_systems_need_no_pivoting() {
        let g = [1.0, 0.5, 2.0, -1.0, 0.0, 3.0];
        let b = [1.0, -2.0, 0.5, 0.25, -1.0];
        let mut saddle = Saddle::new(3, 2);
        saddle.factor(&MASS, &g, 2).unwrap();
        assert!(saddle.pivots.is_none());
        let mut x = b;
        saddle.solve(&mut x);
        assert!(residual(&MASS, &g, 2, &x, &b) < 1e-14);
    }

    #[test]
    fn a_massless_motion_held_by_a_constraint_is_solved_with_pivoting() {
        let m = [2.0, 0.0, 0.0, 0.0];
        let g = [1.0, -3.0];
        let b = [1.0, 0.0, 0.5];
        let mut saddle = Saddle::new(2, 1);
        saddle.factor(&m, &g, 1).unwrap();
        assert!(saddle.pivots.is_some());
        let mut x = b;
        saddle.solve(&mut x);
        assert!(residual(&m, &g, 1, &x, &b) < 1e-14, "{x:?}");
    }

    #[test]
    fn a_massless_motion_that_nothing_holds_is_named() {
        let mut saddle = Saddle::new(2, 0);
        let error = saddle.factor(&[1.0, 0.0, 0.0, 0.0], &[], 0).unwrap_err();
        assert_eq!(error.velocity, Some(1));
    }

    #[test]
    fn dependent_rows_leave_the_accelerations_unique() {
        let g = [1.0, 1.0, 2.0, 2.0, -1.0, -1.0];
        let b = [1.0, -2.0, 0.5, -0.3, -0.3];
        let mut saddle = Saddle::new(3, 2);
        saddle.factor(&MASS, &g, 2).unwrap();
        let mut x = b;
        saddle.solve(&mut x);
        assert!(residual(&MASS, &g, 2, &x, &b) < 1e-13);
    }
}
