//! Cholesky factorisation M = L Lᵀ.

use core::fmt;
use mbs_math::sqrt;

/// A matrix that should be positive definite is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotPositiveDefinite {
    /// The row at which it was found.
    pub row: usize,
    /// The pivot there.
    pub pivot: f64,
}

impl fmt::Display for NotPositiveDefinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "matrix is not positive definite: pivot {} in row {}", self.pivot, self.row)
    }
}

impl core::error::Error for NotPositiveDefinite {}

/// Overwrites the lower triangle of the n × n matrix `m` with L.
pub fn cholesky(n: usize, m: &mut [f64]) -> Result<(), NotPositiveDefinite> {
    for j in 0..n {
        let original = m[j + j * n];
        for k in 0..j {
            let l_jk = m[j + k * n];
            for i in j..n {
                m[i + j * n] -= m[i + k * n] * l_jk;
            }
        }
        let pivot = m[j + j * n];
        // What is left of the diagonal after elimination is rounding, or not a number.
        let least = n as f64 * f64::EPSILON * original.abs();
        if pivot.is_nan() || pivot <= least {
            return Err(NotPositiveDefinite { row: j, pivot });
        }
        let root = sqrt(pivot);
        for i in j..n {
            m[i + j * n] /= root;
        }
    }
    Ok(())
}

/// Overwrites `b` with L⁻¹ b.
pub fn solve_lower(n: usize, l: &[f64], b: &mut [f64]) {
    for j in 0..n {
        b[j] /= l[j + j * n];
        let value = b[j];
        for i in j + 1..n {
            b[i] -= l[i + j * n] * value;
        }
    }
}

/// Overwrites `b` with L⁻ᵀ b.
pub fn solve_lower_transposed(n: usize, l: &[f64], b: &mut [f64]) {
    for j in (0..n).rev() {
        let sum = super::dot(&l[j + 1 + j * n..n + j * n], &b[j + 1..n]);
        b[j] = (b[j] - sum) / l[j + j * n];
    }
}
