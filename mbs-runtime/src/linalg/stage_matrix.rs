//! Factors of the non-symmetric stage matrix [M Gᵀ; Ḡ 0] of half-explicit Runge-Kutta methods.

use super::{Lu, Singular};
use mbs_math::sqrt;
use std::vec;
use std::vec::Vec;

/// [M Gᵀ; Ḡ 0], factored: accelerations from forces at one point of a step that meet the
/// constraints at another, so G and Ḡ differ and the matrix is not symmetric.
///
/// Rows and columns are scaled to unit mass and unit gradients first, which makes the
/// size of a pivot tell whether it is lost. Where one is, the matrix is factored again
/// with full pivoting; rows that depend on each other then share one multiplier.
#[derive(Debug, Clone)]
pub struct NonsymmetricKkt {
    n_v: usize,
    n_lambda: usize,
    lu: Lu,
    /// Scale of each row and of each column; those of the first n_v agree.
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl NonsymmetricKkt {
    /// Room for n_v velocities and n_λ rows.
    pub fn new(n_v: usize, n_lambda: usize) -> Self {
        let n = n_v + n_lambda;
        Self { n_v, n_lambda, lu: Lu::new(n), rows: vec![1.0; n], columns: vec![1.0; n] }
    }

    /// Factors the matrix for M (n_v × n_v), G and Ḡ (n_λ × n_v), all column-major.
    pub fn factor(&mut self, m: &[f64], g: &[f64], g_bar: &[f64]) -> Result<(), Singular> {
        self.factor_reduced(m, g, g_bar, &[])
    }

    /// As [`factor`](Self::factor), with `block` (n_λ × n_λ, or empty for zero) subtracted
    /// from the lower right block: what takes the place of redundant rows.
    pub fn factor_reduced(
        &mut self,
        m: &[f64],
        g: &[f64],
        g_bar: &[f64],
        block: &[f64],
    ) -> Result<(), Singular> {
        self.scale(m, g, g_bar, block);
        self.assemble(m, g, g_bar, block);
        if self.lu.factor() {
            return Ok(());
        }
        self.assemble(m, g, g_bar, block);
        self.lu.factor_with_full_pivoting();
        match self.lu.lost_columns().iter().copied().min() {
            Some(velocity) if velocity < self.n_v => Err(Singular { velocity: Some(velocity), row: None }),
            _ => Ok(()),
        }
    }

    /// Overwrites `b`, n_v + n_λ long, with the solution.
    pub fn solve(&mut self, b: &mut [f64]) {
        for (b, scale) in b.iter_mut().zip(&self.rows) {
            *b *= scale;
        }
        self.lu.solve(b);
        for (b, scale) in b.iter_mut().zip(&self.columns) {
            *b *= scale;
        }
    }

    fn scale(&mut self, m: &[f64], g: &[f64], g_bar: &[f64], block: &[f64]) {
        let (n_v, n_lambda) = (self.n_v, self.n_lambda);
        let inverse = |size: f64| if size > 0.0 && size.is_finite() { 1.0 / size } else { 1.0 };
        for j in 0..n_v {
            self.columns[j] = inverse(sqrt(m[j * n_v + j].abs()));
        }
        self.rows[..n_v].copy_from_slice(&self.columns[..n_v]);
        let (motions, gradients) = self.columns.split_at_mut(n_v);
        for row in 0..n_lambda {
            let norm = |g: &[f64]| {
                let square =
                    |j: usize| (g[j * n_lambda + row] * motions[j]) * (g[j * n_lambda + row] * motions[j]);
                // The block is the square of a length in the metric of M already.
                let own = block.get(row * n_lambda + row).copied().unwrap_or(0.0);
                sqrt((0..n_v).map(square).sum::<f64>() + own)
            };
            gradients[row] = inverse(norm(g));
            self.rows[n_v + row] = inverse(norm(g_bar));
        }
    }

    fn assemble(&mut self, m: &[f64], g: &[f64], g_bar: &[f64], block: &[f64]) {
        let (n_v, n_lambda) = (self.n_v, self.n_lambda);
        let n = n_v + n_lambda;
        let a = self.lu.matrix();
        a.fill(0.0);
        for j in 0..n_v {
            for i in 0..n_v {
                a[j * n + i] = m[j * n_v + i] * self.rows[i] * self.columns[j];
            }
            for i in 0..n_lambda {
                a[j * n + n_v + i] = g_bar[j * n_lambda + i] * self.rows[n_v + i] * self.columns[j];
                a[(n_v + i) * n + j] = g[j * n_lambda + i] * self.rows[j] * self.columns[n_v + i];
            }
        }
        for (j, column) in block.chunks_exact(n_lambda.max(1)).enumerate() {
            for (i, entry) in column.iter().enumerate() {
                a[(n_v + j) * n + n_v + i] = -entry * self.rows[n_v + i] * self.columns[n_v + j];
            }
        }
    }
}

impl super::Factors for NonsymmetricKkt {
    fn solve(&mut self, b: &mut [f64]) {
        self.solve(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equations_hold_across_scales() {
        let m = [3e6, 1e2, 1e2, 4e-3];
        let (g, g_bar) = ([1e3, 2.0], [1.1e3, 1.9]);
        let b = [1.0, -2.0, 0.5];
        let mut kkt = NonsymmetricKkt::new(2, 1);
        kkt.factor(&m, &g, &g_bar).unwrap();
        let mut x = b;
        kkt.solve(&mut x);
        let left = [
            m[0] * x[0] + m[2] * x[1] + g[0] * x[2],
            m[1] * x[0] + m[3] * x[1] + g[1] * x[2],
            g_bar[0] * x[0] + g_bar[1] * x[1],
        ];
        for (left, b) in left.iter().zip(b) {
            assert!((left - b).abs() < 1e-10, "{left} {b}");
        }
    }

    #[test]
    fn a_row_given_twice_leaves_the_accelerations() {
        let m = [1.0, 0.0, 0.0, 2.0];
        let mut kkt = NonsymmetricKkt::new(2, 2);
        kkt.factor(&m, &[1.0, 2.0, 0.5, 1.0], &[1.0, 2.0, 0.6, 1.2]).unwrap();
        let mut x = [1.0, 0.0, 0.3, 0.6];
        kkt.solve(&mut x);
        assert!((x[0] + 0.6 * x[1] - 0.3).abs() < 1e-14);
    }

    #[test]
    fn a_motion_without_mass_is_named() {
        let mut kkt = NonsymmetricKkt::new(2, 0);
        let error = kkt.factor(&[1.0, 0.0, 0.0, 0.0], &[], &[]).unwrap_err();
        assert_eq!(error.velocity, Some(1));
    }
}
