//! LU factorisation with partial pivoting.

use super::ldlt::LOST_PIVOT;
use core::ops::{Add, Div, Mul, Neg, Sub};
use nalgebra::Complex;
use std::vec;
use std::vec::Vec;

/// Entries of a matrix: real or complex.
pub trait Number:
    Copy
    + PartialEq
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// How large it is, for choosing pivots.
    fn size(self) -> f64;
}

impl Number for f64 {
    fn size(self) -> f64 {
        self.abs()
    }
}

impl Number for Complex<f64> {
    fn size(self) -> f64 {
        self.l1_norm()
    }
}

/// L U of a permuted square matrix. Allocates only in [`Lu::new`].
#[derive(Debug, Clone, Default)]
pub struct Lu<T = f64> {
    n: usize,
    /// Unit lower triangle below the diagonal, upper triangle on and above it.
    a: Vec<T>,
    /// Row and column of the original matrix that stand at each position.
    rows: Vec<usize>,
    columns: Vec<usize>,
    rank: usize,
    scratch: Vec<T>,
}

impl<T: Number> Lu<T> {
    /// Room for an n × n matrix.
    pub fn new(n: usize) -> Self {
        let zero = T::from(0.0);
        Self {
            n,
            a: vec![zero; n * n],
            rows: vec![0; n],
            columns: vec![0; n],
            rank: 0,
            scratch: vec![zero; n],
        }
    }

    /// The matrix to be factored, column-major, for the caller to fill.
    pub fn matrix(&mut self) -> &mut [T] {
        &mut self.a
    }

    /// Factors the matrix with row pivoting. False where a pivot is lost; the matrix is
    /// then spoilt.
    pub fn factor(&mut self) -> bool {
        self.begin();
        let mut largest = 0.0_f64;
        for k in 0..self.n {
            let (row, size) = self.largest_in_column(k, k);
            largest = largest.max(size);
            if size.is_nan() || size <= LOST_PIVOT * largest {
                self.rank = k;
                return false;
            }
            self.swap_rows(k, row);
            self.eliminate(k);
        }
        true
    }

    /// Factors the matrix with full pivoting and returns its numerical rank.
    pub fn factor_with_full_pivoting(&mut self) -> usize {
        self.begin();
        let mut largest = 0.0_f64;
        for k in 0..self.n {
            let mut best = (k, k, 0.0);
            for column in k..self.n {
                let (row, size) = self.largest_in_column(column, k);
                if size > best.2 {
                    best = (row, column, size);
                }
            }
            let (row, column, size) = best;
            largest = largest.max(size);
            if size <= LOST_PIVOT * largest {
                self.rank = k;
                return k;
            }
            self.swap_rows(k, row);
            self.swap_columns(k, column);
            self.eliminate(k);
        }
        self.n
    }

    /// The unknowns that could not be determined.
    pub fn lost_columns(&self) -> &[usize] {
        &self.columns[self.rank..]
    }

    /// Overwrites `b` with the solution; unknowns past the rank are zero.
    pub fn solve(&mut self, b: &mut [T]) {
        let n = self.n;
        let x = &mut self.scratch;
        for (x, &row) in x.iter_mut().zip(&self.rows) {
            *x = b[row];
        }
        for k in 0..self.rank {
            let (head, tail) = x.split_at_mut(k + 1);
            add_scaled(tail, -head[k], &self.a[k * n + k + 1..(k + 1) * n]);
        }
        x[self.rank..].fill(T::from(0.0));
        for k in (0..self.rank).rev() {
            x[k] = x[k] / self.a[k * n + k];
            let (head, tail) = x.split_at_mut(k);
            add_scaled(head, -tail[0], &self.a[k * n..k * n + k]);
        }
        for (x, &column) in x.iter().zip(&self.columns) {
            b[column] = *x;
        }
    }

    fn begin(&mut self) {
        self.rank = self.n;
        for (index, (row, column)) in self.rows.iter_mut().zip(&mut self.columns).enumerate() {
            (*row, *column) = (index, index);
        }
    }

    /// Row and size of the largest entry of a column, from row k on; NaN wins.
    fn largest_in_column(&self, column: usize, k: usize) -> (usize, f64) {
        let entries = &self.a[column * self.n + k..(column + 1) * self.n];
        let mut best = (k, 0.0);
        for (offset, entry) in entries.iter().enumerate() {
            let size = entry.size();
            if size > best.1 || size.is_nan() {
                best = (k + offset, size);
            }
        }
        best
    }

    fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            self.rows.swap(i, j);
            for column in self.a.chunks_exact_mut(self.n) {
                column.swap(i, j);
            }
        }
    }

    fn swap_columns(&mut self, i: usize, j: usize) {
        if i != j {
            self.columns.swap(i, j);
            let (low, high) = (i.min(j), i.max(j));
            let (head, tail) = self.a.split_at_mut(high * self.n);
            head[low * self.n..(low + 1) * self.n].swap_with_slice(&mut tail[..self.n]);
        }
    }

    fn eliminate(&mut self, k: usize) {
        let n = self.n;
        let (head, tail) = self.a.split_at_mut((k + 1) * n);
        let column = &mut head[k * n..];
        let pivot = column[k];
        for entry in &mut column[k + 1..] {
            *entry = *entry / pivot;
        }
        for other in tail.chunks_exact_mut(n) {
            let factor = other[k];
            if factor != T::from(0.0) {
                add_scaled(&mut other[k + 1..], -factor, &column[k + 1..]);
            }
        }
    }
}

/// y += factor · x
fn add_scaled<T: Number>(y: &mut [T], factor: T, x: &[T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = *y + factor * *x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [0.0, 2.0, 1.0, 3.0, 0.5, -1.0, 1.0, 4.0, 0.25];

    fn product(a: &[f64], x: &[f64]) -> Vec<f64> {
        let n = x.len();
        (0..n).map(|i| (0..n).map(|j| a[j * n + i] * x[j]).sum()).collect()
    }

    #[test]
    fn both_ways_of_pivoting_solve() {
        let b = [1.0, -2.0, 0.5];
        for full in [false, true] {
            let mut lu = Lu::new(3);
            lu.matrix().copy_from_slice(&A);
            assert!(if full { lu.factor_with_full_pivoting() == 3 } else { lu.factor() });
            let mut x = b;
            lu.solve(&mut x);
            for (a, b) in product(&A, &x).iter().zip(b) {
                assert!((a - b).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn complex_systems() {
        let (re, im) = (A, [1.0, 0.0, -2.0, 0.5, 0.25, 0.0, 3.0, -1.0, 2.0]);
        let entry = |k: usize| Complex::new(re[k], im[k]);
        let mut lu = Lu::new(3);
        (0..9).for_each(|k| lu.matrix()[k] = entry(k));
        assert!(lu.factor());
        let b = [Complex::new(1.0, 2.0), Complex::new(0.0, -1.0), Complex::new(0.5, 0.0)];
        let mut x = b;
        lu.solve(&mut x);
        for (i, b) in b.iter().enumerate() {
            let product: Complex<f64> = (0..3).map(|j| entry(j * 3 + i) * x[j]).sum();
            assert!((product - b).l1_norm() < 1e-14);
        }
    }

    #[test]
    fn a_dependent_row_lowers_the_rank() {
        let a = [1.0, 2.0, 0.0, 3.0, 6.0, 1.0, -1.0, -2.0, 4.0];
        let mut lu = Lu::new(3);
        lu.matrix().copy_from_slice(&a);
        assert!(!lu.factor());
        lu.matrix().copy_from_slice(&a);
        assert_eq!(lu.factor_with_full_pivoting(), 2);
        let mut x = [2.0, 4.0, 1.0];
        lu.solve(&mut x);
        for (a, b) in product(&a, &x).iter().zip([2.0, 4.0, 1.0]) {
            assert!((a - b).abs() < 1e-14);
        }
        assert_eq!(lu.lost_columns().len(), 1);
        assert_eq!(x[lu.lost_columns()[0]], 0.0);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        let mut lu = Lu::new(2);
        lu.matrix().copy_from_slice(&[1.0, f64::NAN, 0.0, 1.0]);
        assert!(!lu.factor());
    }
}
