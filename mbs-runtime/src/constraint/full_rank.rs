//! Whether the rows of a large G are independent beyond doubt.

use crate::Layout;
use crate::linalg::{RANK_GAP, SparseLdlt};
use mbs_math::sqrt;
use std::vec;
use std::vec::Vec;

/// Solutions after which the smallest singular value is known well enough.
const ITERATIONS: u32 = 8;

/// How many times larger than at a gap the smallest singular value must be, as it is estimated.
const MARGIN: f64 = 10.0;

/// Whether G (n_λ × n_v) has full row rank for certain, from sparse factors alone: false where it
/// has not, where it is close to having not, and where the system is not large and sparse.
///
/// With the rows scaled to unit length in the metric of M⁻¹, Λ⁻¹ G M⁻¹ Gᵀ Λ⁻¹ has the diagonal
/// 1, so its largest eigenvalue is n_λ at most. The smallest one follows from inverse
/// iteration, in which the factors of Q stand for those of G M⁻¹ Gᵀ.
pub(super) fn is_certain(layout: &Layout, m: &[f64], g: &[f64]) -> bool {
    let (n_v, rows) = (layout.n_v(), layout.n_lambda());
    let Some(mut sparse) = layout.sparse_saddle(rows) else { return false };
    if sparse.factor(m, g, rows).is_err() {
        return false;
    }
    let Some(lengths) = lengths(layout, m, g) else { return false };

    let mut x = start(rows);
    let mut b = vec![0.0; n_v + rows];
    let mut growth = 0.0;
    for _ in 0..ITERATIONS {
        let size = norm(&x);
        b[..n_v].fill(0.0);
        for ((b, x), length) in b[n_v..].iter_mut().zip(&x).zip(&lengths) {
            *b = x / size * length;
        }
        sparse.solve(&mut b);
        for ((x, b), length) in x.iter_mut().zip(&b[n_v..]).zip(&lengths) {
            *x = b * length;
        }
        growth = norm(&x);
    }
    growth * rows as f64 * (MARGIN * RANK_GAP) * (MARGIN * RANK_GAP) < 1.0
}

/// Length of each row in the metric of M⁻¹; none where one vanishes.
fn lengths(layout: &Layout, m: &[f64], g: &[f64]) -> Option<Vec<f64>> {
    let (n_v, rows) = (layout.n_v(), layout.n_lambda());
    let mass_pattern: Vec<_> = layout.mass_pattern.iter().map(|&(i, j)| (i as usize, j as usize)).collect();
    let mut mass = SparseLdlt::new(n_v, 0, &mass_pattern, &[]);
    mass.factor(m, &[], 0).ok()?;
    let mut columns = vec![Vec::new(); rows];
    for &(row, column) in layout.jacobian_pattern.iter() {
        columns[row as usize].push(column as usize);
    }
    let mut vector = vec![0.0; n_v];
    let mut length = |(row, columns): (usize, Vec<usize>)| {
        columns.iter().for_each(|&column| vector[column] = g[column * rows + row]);
        let length = sqrt(mass.square(&vector));
        columns.iter().for_each(|&column| vector[column] = 0.0);
        length
    };
    let lengths: Vec<f64> = columns.into_iter().enumerate().map(&mut length).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    lengths.iter().all(|&length| length > RANK_GAP * longest).then_some(lengths)
}

/// A vector that is orthogonal to none that matters: the same for every run, without pattern.
fn start(n: usize) -> Vec<f64> {
    let mut seed = 1_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 23) - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn norm(values: &[f64]) -> f64 {
    sqrt(values.iter().map(|value| value * value).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{List, Names};
    use std::string::String;

    /// 60 unit masses, of which each neighbours must move alike; the last row says again what the
    /// one before says, but for `deviation`.
    fn is_certain_with(deviation: f64, pattern_is_known: bool) -> bool {
        let (n_v, rows) = (60, 41);
        let mut m = vec![0.0; n_v * n_v];
        m.iter_mut().step_by(n_v + 1).for_each(|entry| *entry = 1.0);
        let mut g = vec![0.0; rows * n_v];
        let mut jacobian_pattern = Vec::new();
        for row in 0..rows {
            let first = row.min(39);
            for (column, entry) in [(first, 1.0), (first + 1, -1.0)] {
                g[column * rows + row] = entry;
                jacobian_pattern.push((row as u32, column as u32));
            }
        }
        g[39 * rows + 40] += deviation;
        let names = |n: usize| Names::from(vec![String::new(); n]);
        let mass_pattern: Vec<_> = (0..n_v as u32).map(|k| (k, k)).collect();
        let layout = Layout {
            velocities: names(n_v),
            rows: names(rows),
            mass_pattern: List::from(mass_pattern),
            jacobian_pattern: List::from(if pattern_is_known { jacobian_pattern } else { Vec::new() }),
            ..Layout::default()
        };
        is_certain(&layout, &m, &g)
    }

    #[test]
    fn only_what_is_far_from_dependent_is_certain() {
        assert!(is_certain_with(1.0, true));
        assert!(is_certain_with(0.1, true));
        for deviation in [1e-5, 1e-7, 1e-10, 0.0] {
            assert!(!is_certain_with(deviation, true), "{deviation}");
        }
        assert!(!is_certain_with(1.0, false));
    }
}
