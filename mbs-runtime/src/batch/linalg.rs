//! Linear algebra in lanes: every lane goes through the operations of the scalar functions of
//! the same name, in the same order.

use super::f64x4;
use crate::linalg::LOST_PIVOT;
use mbs_math::lanes::{less, select, splat, truth};

/// What sums start from, as those of the standard library do.
pub(super) const NOTHING: f64x4 = splat(-0.0);

const ZERO: f64x4 = splat(0.0);

/// Writes the lower triangle of Q into `q` and mirrors G above it; see
/// [`assemble`](crate::linalg::assemble).
pub(super) fn assemble(n_v: usize, n_lambda: usize, m: &[f64x4], g: &[f64x4], rows: usize, q: &mut [f64x4]) {
    let n = n_v + n_lambda;
    q.fill(ZERO);
    for j in 0..n_v {
        q[j * n..j * n + n_v].copy_from_slice(&m[j * n_v..(j + 1) * n_v]);
        for i in 0..n_lambda {
            let entry = g[j * rows + i];
            q[j * n + n_v + i] = entry;
            q[(n_v + i) * n + j] = entry;
        }
    }
}

/// Overwrites the lower triangle of Q with its factors and returns a mask of the lanes in
/// which no pivot is lost; see [`ldlt`](crate::linalg::ldlt).
pub(super) fn ldlt(n_v: usize, n_lambda: usize, q: &mut [f64x4]) -> f64x4 {
    let n = n_v + n_lambda;
    let mut largest = ZERO;
    let mut kept = mbs_math::lanes::mask([true; 4]);
    for j in 0..n {
        let (done, rest) = q.split_at_mut(j * n);
        let column = &mut rest[..n];
        for (k, earlier) in done.chunks_exact(n).enumerate() {
            let factor = earlier[j] * earlier[k];
            let counts = truth(factor) & less(factor.abs(), splat(f64::INFINITY));
            subtract_scaled(&mut column[j..], factor, &earlier[j..], counts);
        }
        if j == n_v {
            largest = ZERO;
        }
        let pivot = column[j];
        let size = if j < n_v { pivot } else { -pivot };
        kept &= less(splat(LOST_PIVOT) * largest, size) & less(ZERO, size);
        if !kept.any() {
            return kept;
        }
        largest = select(less(largest, size), size, largest);
        for entry in &mut column[j + 1..] {
            *entry /= pivot;
        }
    }
    kept
}

/// Overwrites `b` with Q⁻¹ b; see [`solve_ldlt`](crate::linalg::solve_ldlt).
pub(super) fn solve_ldlt(factors: &[f64x4], b: &mut [f64x4]) {
    let n = b.len();
    for j in 0..n {
        let (head, tail) = b.split_at_mut(j + 1);
        let value = head[j];
        subtract_scaled(tail, value, &factors[j * n + j + 1..(j + 1) * n], truth(value));
    }
    for j in 0..n {
        b[j] /= factors[j * n + j];
    }
    for j in (0..n).rev() {
        let column = factors[j * n + j + 1..(j + 1) * n].iter();
        let sum = column.zip(&b[j + 1..n]).fold(NOTHING, |sum, (x, y)| sum + *x * *y);
        b[j] -= sum;
    }
}

/// y −= factor · x where the mask holds. A lane that is left alone keeps the sign of its
/// zeros.
fn subtract_scaled(y: &mut [f64x4], factor: f64x4, x: &[f64x4], mask: f64x4) {
    if mask.all() {
        for (y, x) in y.iter_mut().zip(x) {
            *y -= *x * factor;
        }
    } else if mask.any() {
        for (y, x) in y.iter_mut().zip(x) {
            *y = select(mask, *y - *x * factor, *y);
        }
    }
}

/// y = A x, column-major.
pub(super) fn multiply(a: &[f64x4], x: &[f64x4], y: &mut [f64x4]) {
    y.fill(ZERO);
    add_product(a, x, y);
}

/// y += A x, column-major.
pub(super) fn add_product(a: &[f64x4], x: &[f64x4], y: &mut [f64x4]) {
    for (column, factor) in a.chunks_exact(y.len().max(1)).zip(x) {
        for (y, entry) in y.iter_mut().zip(column) {
            *y += *entry * *factor;
        }
    }
}

/// The largest absolute value.
pub(super) fn largest(values: &[f64x4]) -> f64x4 {
    values.iter().fold(ZERO, |largest, value| select(less(largest, value.abs()), value.abs(), largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg;
    use std::vec;

    /// A lane each of: full matrices, many zeros, a lost pivot, another scale.
    #[test]
    fn every_lane_has_the_bits_of_the_scalar_functions() {
        let (n_v, n_lambda) = (3, 2);
        let masses = [
            [3.0, 1.0, 0.5, 1.0, 4.0, -0.25, 0.5, -0.25, 2.0],
            [3.0, 0.0, -0.0, 0.0, 4.0, 0.0, -0.0, 0.0, 2.0],
            [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [3e-3, 1e-3, 0.0, 1e-3, 4e-3, 0.0, 0.0, 0.0, 2e-3],
        ];
        let rows = [
            [1.0, 0.5, 2.0, -1.0, 0.0, 3.0],
            [1.0, 0.0, -0.0, -1.0, 0.0, 0.0],
            [1.0, 0.5, 2.0, -1.0, 0.0, 3.0],
            [0.1, 0.0, 0.3, -1.0, 0.0, 3.0],
        ];
        let right =
            [[1.0, -2.0, 0.5, 0.25, -1.0], [0.0, -0.0, 1.0, 0.0, 0.0], [1.0; 5], [0.0, 0.0, 0.0, -0.0, 2.0]];
        let gather = |lanes: &dyn Fn(usize) -> vec::Vec<f64>| -> vec::Vec<f64x4> {
            let all: [vec::Vec<f64>; 4] = core::array::from_fn(lanes);
            (0..all[0].len()).map(|i| f64x4::new(core::array::from_fn(|lane| all[lane][i]))).collect()
        };
        let m = gather(&|lane| masses[lane].to_vec());
        let g = gather(&|lane| rows[lane].to_vec());
        let mut b = gather(&|lane| right[lane].to_vec());
        let mut q = vec![ZERO; 25];
        assemble(n_v, n_lambda, &m, &g, n_lambda, &mut q);
        let kept = ldlt(n_v, n_lambda, &mut q);
        assert_eq!(kept.to_bitmask(), 0b1011);
        solve_ldlt(&q, &mut b);
        for lane in [0, 1, 3] {
            let mut factors = [0.0; 25];
            linalg::assemble(n_v, n_lambda, &masses[lane], &rows[lane], n_lambda, &mut factors);
            linalg::ldlt(n_v, n_lambda, &mut factors, linalg::DependentRow::Refuse).unwrap();
            let mut expected = right[lane];
            linalg::solve_ldlt(&factors, &mut expected);
            for (b, expected) in b.iter().zip(expected) {
                assert_eq!(b.to_array()[lane].to_bits(), expected.to_bits(), "lane {lane}");
            }
        }
    }
}
