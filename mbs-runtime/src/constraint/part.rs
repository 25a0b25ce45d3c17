//! The saddle-point system of some motions.

use crate::Layout;
use crate::linalg::{Saddle, SparseLdlt, worthwhile};
use crate::plant::Plant;
use std::vec;
use std::vec::Vec;

/// The saddle-point system of some columns of M and G.
pub(super) struct Part<'f> {
    free: &'f [usize],
    rows: usize,
    /// Factors that read M and G where they are.
    sparse: Option<SparseLdlt>,
    /// Where there are none, or they have lost a pivot.
    copied: Option<Copied>,
    right: Vec<f64>,
}

/// Some columns of M and G as matrices of their own.
struct Copied {
    rows: usize,
    saddle: Saddle,
    m: Vec<f64>,
    g: Vec<f64>,
}

impl<'f> Part<'f> {
    pub(super) fn new(layout: &Layout, free: &'f [usize], rows: usize) -> Self {
        let n = free.len();
        let mut place = vec![None; layout.n_v()];
        free.iter().enumerate().for_each(|(index, &column)| place[column] = Some(index));
        let place = |column: u32| place[column as usize];
        let mass: Vec<_> =
            layout.mass_pattern.iter().filter_map(|&(i, j)| Some((place(i)?, place(j)?))).collect();
        let kept = layout.jacobian_pattern.iter().filter(|&&(row, _)| (row as usize) < rows);
        let jacobian: Vec<_> =
            kept.filter_map(|&(row, column)| Some((row as usize, place(column)?))).collect();
        let sparse = worthwhile(n, rows, &mass, &jacobian);
        let sparse = sparse.map(|sparse| sparse.of_columns(free, layout.n_v()));
        Self { free, rows, sparse, copied: None, right: vec![0.0; n + rows] }
    }

    /// The change of the free motions, smallest in the metric of M, that removes `residual`.
    pub(super) fn solve(&mut self, plant: &mut Plant<'_>, residual: &[f64], delta: &mut [f64]) {
        let Self { free, rows, sparse, copied, right } = self;
        let n = free.len();
        delta.fill(0.0);
        right[..n].fill(0.0);
        for (right, residual) in right[n..].iter_mut().zip(residual) {
            *right = -residual;
        }
        let (m, g, all_rows) = (&plant.mass_matrix, &plant.constraint_jacobian, plant.layout().n_lambda());
        if let Some(sparse) = sparse
            && sparse.factor(m, g, all_rows).is_ok()
        {
            sparse.solve(right);
        } else {
            let copied = copied.get_or_insert_with(|| Copied::new(n, *rows));
            copied.factor(m, g, all_rows, free);
            copied.saddle.solve(right);
        }
        plant.statistics.factorisations += 1;
        plant.statistics.solves += 1;
        for (&column, value) in free.iter().zip(&*right) {
            delta[column] = *value;
        }
    }
}

impl Copied {
    fn new(n: usize, rows: usize) -> Self {
        Self { rows, saddle: Saddle::new(n, rows), m: vec![0.0; n * n], g: vec![0.0; n * rows] }
    }

    /// Takes the free columns of M and G (`all_rows` × n_v) and factors them.
    fn factor(&mut self, m: &[f64], g: &[f64], all_rows: usize, free: &[usize]) {
        let (n, rows, n_v) = (free.len(), self.rows, m.len().isqrt());
        for (j, &column) in free.iter().enumerate() {
            for (i, &row) in free.iter().enumerate() {
                self.m[j * n + i] = m[column * n_v + row];
            }
            let from = &g[column * all_rows..column * all_rows + rows];
            self.g[j * rows..(j + 1) * rows].copy_from_slice(from);
        }
        // A motion without mass is held by the constraints or not at all; the caller sees
        // what is left of the residual.
        let _ = self.saddle.factor(&self.m, &self.g, rows);
    }
}
