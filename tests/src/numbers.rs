//! The equations at one state as numbers, whoever computed them.

use crate::oracle::Oracle;
use crate::solve;

/// M, f, g, G, c, z at one state; matrices column-major.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named as in the equations")]
pub struct Numbers {
    pub mass_matrix: Vec<f64>,
    pub f: Vec<f64>,
    pub g: Vec<f64>,
    pub jac_g: Vec<f64>,
    pub c: Vec<f64>,
    pub z: Vec<f64>,
}

impl Numbers {
    /// As the oracle derives them.
    pub fn of_oracle(oracle: &Oracle<'_>) -> Self {
        let constraints = oracle.constraints();
        Self {
            mass_matrix: oracle.mass_matrix(),
            f: oracle.forces().values,
            g: constraints.g,
            jac_g: constraints.jac_g,
            c: constraints.c,
            z: constraints.z,
        }
    }

    /// The same without rows that are zero, as planar mechanisms have in space.
    #[must_use]
    pub fn without_empty_rows(mut self) -> Self {
        let (n_v, n_rows) = (self.f.len(), self.z.len());
        let is_empty = |row: usize| (0..n_v).all(|j| self.jac_g[row + n_rows * j].abs() < 1e-12);
        let keep: Vec<usize> = (0..n_rows).filter(|row| !is_empty(*row)).collect();
        self.jac_g = (0..n_v)
            .flat_map(|j| keep.iter().map(move |row| row + n_rows * j))
            .map(|k| self.jac_g[k])
            .collect();
        let n_g = self.g.len();
        self.g = keep.iter().filter(|row| **row < n_g).map(|row| self.g[*row]).collect();
        self.c = keep.iter().map(|row| self.c[*row]).collect();
        self.z = keep.iter().map(|row| self.z[*row]).collect();
        self
    }

    /// v' and λ of M v' = f − Gᵀλ, 0 = G v' + z.
    pub fn accelerations(&self) -> (Vec<f64>, Vec<f64>) {
        let (n, m) = (self.f.len(), self.z.len());
        let entry = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => self.mass_matrix[i + n * j],
            (true, false) => self.jac_g[j - n + m * i],
            (false, true) => self.jac_g[i - n + m * j],
            (false, false) => 0.0,
        };
        let matrix = (0..n + m).map(|i| (0..n + m).map(|j| entry(i, j)).collect()).collect();
        let right = self.f.iter().copied().chain(self.z.iter().map(|z| -z)).collect();
        let mut v_dot = solve::linear(matrix, right);
        let lambda = v_dot.split_off(n);
        (v_dot, lambda)
    }
}
