//! Singular values of a matrix and the rank they say.

use super::real::{Real, dot, norm};

/// A matrix as a list of rows.
pub(super) type Rows<S> = Vec<Vec<S>>;

/// How a matrix falls apart: singular values, largest first, and for each the combination of
/// rows it belongs to (a left singular vector).
pub(super) struct Decomposition<S> {
    pub(super) values: Vec<f64>,
    pub(super) combinations: Rows<S>,
}

/// One-sided Jacobi: rotates pairs of rows until all are orthogonal; their lengths are the
/// singular values, each as exact relative to itself as the numbers are (Demmel & Veselić,
/// *SIAM J. Matrix Anal. Appl.* 13, 1992).
///
/// `start` are orthonormal combinations to begin with, one per row; those of a less exact
/// decomposition save most of the work.
pub(super) fn decompose<S: Real>(matrix: &[Vec<S>], start: Option<&[Vec<f64>]>) -> Decomposition<S> {
    const SWEEPS: usize = 60;
    const ORTHOGONAL: f64 = 1e-14;
    // What is left of a row below this part of the longest is nothing but rounding, and would
    // be turned into ever less of it.
    const NOTHING: f64 = 1e-30;
    let m = matrix.len();
    let unit = |row: usize| (0..m).map(|k| S::from(f64::from(u8::from(k == row)))).collect();
    let mut combinations: Rows<S> = match start {
        Some(start) => start.iter().map(|row| row.iter().map(|&x| S::from(x)).collect()).collect(),
        None => (0..m).map(unit).collect(),
    };
    let mut rows: Rows<S> = combinations.iter().map(|weights| combine(weights, matrix)).collect();
    let longest = rows.iter().map(|row| norm(row).to_f64()).fold(0.0, f64::max);
    let nothing = (NOTHING * longest).powi(2);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for i in 0..m {
            for j in i + 1..m {
                let (a, b) = (dot(&rows[i], &rows[i]), dot(&rows[j], &rows[j]));
                if a.to_f64().min(b.to_f64()) <= nothing {
                    continue;
                }
                let product = dot(&rows[i], &rows[j]);
                if product.to_f64().abs() <= ORTHOGONAL * a.to_f64().sqrt() * b.to_f64().sqrt() {
                    continue;
                }
                rotated = true;
                // The smaller angle t = tan φ with t² + 2 ζ t = 1.
                let zeta = (b - a) / (product + product);
                let root = (S::from(1.0) + zeta * zeta).root();
                let t = if zeta < S::from(0.0) {
                    S::from(-1.0) / (root - zeta)
                } else {
                    S::from(1.0) / (root + zeta)
                };
                let c = S::from(1.0) / (S::from(1.0) + t * t).root();
                let s = c * t;
                rotate(&mut rows, i, j, c, s);
                rotate(&mut combinations, i, j, c, s);
            }
        }
        if !rotated {
            break;
        }
    }
    let lengths: Vec<f64> = rows.iter().map(|row| norm(row).to_f64()).collect();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
    Decomposition {
        values: order.iter().map(|&k| lengths[k]).collect(),
        combinations: order.iter().map(|&k| combinations[k].clone()).collect(),
    }
}

/// Σ weight · row.
fn combine<S: Real>(weights: &[S], rows: &[Vec<S>]) -> Vec<S> {
    let mut sum = vec![S::from(0.0); rows.first().map_or(0, Vec::len)];
    for (&weight, row) in weights.iter().zip(rows) {
        for (sum, &entry) in sum.iter_mut().zip(row) {
            *sum = *sum + weight * entry;
        }
    }
    sum
}

/// Rows i and j become c·i − s·j and s·i + c·j.
fn rotate<S: Real>(rows: &mut [Vec<S>], i: usize, j: usize, c: S, s: S) {
    let (head, tail) = rows.split_at_mut(j);
    for (a, b) in head[i].iter_mut().zip(&mut tail[0]) {
        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
    }
}

/// A rank, and how clear it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rank {
    /// Number of independent rows.
    pub(crate) rank: usize,
    /// The smallest singular value that counts; infinite if none does.
    pub(crate) smallest_kept: f64,
    /// The largest that does not; 0 if all do.
    pub(crate) largest_dropped: f64,
}

/// Larger singular values of rows of length one are never dropped.
const MAX_DROPPED: f64 = 1e-6;
/// Two neighbours closer than this ratio are not told apart.
const MIN_GAP: f64 = 1e3;

impl Rank {
    /// The rank at the widest gap in singular values, largest first, of a matrix whose rows
    /// have length one or zero.
    pub(super) fn by_gap(values: &[f64], columns: usize) -> Self {
        // A matrix has no more singular values than columns; the rest is rounding. What is zero
        // says nothing of how small the others are.
        let most = values.iter().take(columns).filter(|&&value| value > 0.0).count();
        let (mut rank, mut widest) = (most, MIN_GAP);
        for k in 0..most {
            let above = if k == 0 { 1.0 } else { values[k - 1] };
            if values[k] <= MAX_DROPPED && above / values[k] >= widest {
                (rank, widest) = (k, above / values[k]);
            }
        }
        let smallest_kept = if rank == 0 { f64::INFINITY } else { values[rank - 1] };
        let largest_dropped = values[rank..most].first().copied().unwrap_or(0.0);
        Self { rank, smallest_kept, largest_dropped }
    }
}

/// The independent combinations of rows that vanish, each solved for one row: that row's
/// weight is 1, and it is 0 in all others. `order` says which rows to solve for, those that
/// come first before others.
pub(super) fn solve_for_rows(mut vectors: Vec<Vec<f64>>, order: &[usize]) -> Vec<(usize, Vec<f64>)> {
    // Weights below this part of the largest are too small to divide by.
    const PIVOT: f64 = 0.05;
    let mut solved: Vec<(usize, Vec<f64>)> = Vec::new();
    while !vectors.is_empty() {
        let size =
            |row: usize, vectors: &[Vec<f64>]| vectors.iter().map(|v| v[row].abs()).fold(0.0, f64::max);
        let largest = order.iter().map(|&row| size(row, &vectors)).fold(0.0, f64::max);
        let row = order.iter().copied().find(|&row| size(row, &vectors) >= PIVOT * largest);
        let Some(row) = row.filter(|_| largest > 0.0) else { break };
        let at = (0..vectors.len()).max_by(|&a, &b| vectors[a][row].abs().total_cmp(&vectors[b][row].abs()));
        let mut pivot = vectors.swap_remove(at.unwrap_or(0));
        let weight = pivot[row];
        pivot.iter_mut().for_each(|x| *x /= weight);
        for vector in vectors.iter_mut().chain(solved.iter_mut().map(|(_, vector)| vector)) {
            let factor = vector[row];
            for (x, &p) in vector.iter_mut().zip(&pivot) {
                *x -= factor * p;
            }
            vector[row] = 0.0;
        }
        solved.push((row, pivot));
    }
    solved.sort_by_key(|(row, _)| *row);
    solved
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbs_math::DoubleDouble;

    /// Rows of a matrix with singular values 3, 2 and 1e-20: two orthogonal directions mixed
    /// by a rotation, and a third row that is their sum up to 1e-20.
    fn nearly_dependent() -> Rows<DoubleDouble> {
        let of = DoubleDouble::from;
        let (sine, cosine) = of(0.4).sin_cos();
        let a = [of(3.0) * cosine, of(2.0) * sine, of(0.0)];
        let b = [-of(3.0) * sine, of(2.0) * cosine, of(0.0)];
        let c = [a[0] + b[0], a[1] + b[1], of(1e-20)];
        vec![a.to_vec(), b.to_vec(), c.to_vec()]
    }

    #[test]
    fn small_singular_values_are_told_from_zero() {
        let matrix = nearly_dependent();
        let found = decompose(&matrix, None);
        // The vanishing combination is (1, 1, −1)/√3, so that 1e-20/√3 is left of it.
        assert!((found.values[2] / (1e-20 / 3.0_f64.sqrt()) - 1.0).abs() < 1e-10, "{:?}", found.values);
        let product: f64 = found.values.iter().product();
        assert!((product / 6e-20 - 1.0).abs() < 1e-10, "the determinant is kept");
        let vanishing: Vec<f64> = found.combinations[2].iter().map(|x| x.to_f64()).collect();
        assert!((vanishing[0] / vanishing[2] + 1.0).abs() < 1e-10);

        // Doubles come near, and are as good to begin with.
        let doubles: Rows<f64> = matrix.iter().map(|row| row.iter().map(|x| x.to_f64()).collect()).collect();
        let near = decompose(&doubles, None);
        let again = decompose(&matrix, Some(&near.combinations));
        assert!((again.values[2] / found.values[2] - 1.0).abs() < 1e-10);
        assert!((again.values[0] / found.values[0] - 1.0).abs() < 1e-10);
    }

    /// More rows than columns: what vanishes stays a number.
    #[test]
    fn rows_that_vanish_altogether() {
        let of = DoubleDouble::from;
        let row = |x: f64, y: f64| vec![of(x) / of(3.0), of(y) / of(7.0)];
        let matrix = vec![row(1.0, 2.0), row(-1.0, 0.5), row(2.0, 2.0), row(0.3, -0.1), row(1.0, 2.0)];
        let found = decompose(&matrix, None);
        assert!(
            found.values[1] > 0.1 && found.values[2..].iter().all(|&value| value < 1e-29),
            "{:?}",
            found.values
        );
        assert_eq!(Rank::by_gap(&found.values, 2).rank, 2);
    }

    #[test]
    fn the_rank_is_at_the_widest_gap() {
        let rank = |values: &[f64]| Rank::by_gap(values, 9).rank;
        assert_eq!(rank(&[1.5, 0.9, 0.1]), 3);
        assert_eq!(rank(&[1.5, 0.9, 1e-3, 1e-17]), 3);
        assert_eq!(rank(&[1.5, 1e-4, 1e-9, 3e-17, 1e-17]), 3);
        assert_eq!(rank(&[1.5, 1e-9, 0.0]), 1);
        assert_eq!(rank(&[1.5, 1e-4, 0.0, 0.0]), 2);
        assert_eq!(rank(&[0.0, 0.0]), 0);
        assert_eq!(rank(&[]), 0);
        // Badly conditioned, but nothing says where to cut.
        assert_eq!(rank(&[1.0, 1e-2, 1e-4, 1e-6, 1e-8]), 5);
        assert_eq!(Rank::by_gap(&[1.0, 0.5, 0.3], 2).rank, 2);
    }

    #[test]
    fn vanishing_combinations_name_the_preferred_rows() {
        // Row 2 = row 0 + row 1, row 3 = 0.
        let vectors = vec![vec![1.0, 1.0, -1.0, 0.5], vec![1.0, 1.0, -1.0, -2.0]];
        let solved = solve_for_rows(vectors, &[3, 2, 1, 0]);
        let rows: Vec<usize> = solved.iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, [2, 3]);
        assert!(solved[0].1.iter().zip([-1.0, -1.0, 1.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}
