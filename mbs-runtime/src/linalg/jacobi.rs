//! Singular value decomposition (SVD) by one-sided Jacobi rotations.

use super::dot;
use mbs_math::sqrt;

/// Sweeps after which the columns are taken as they are; convergence is quadratic and
/// takes about six for well-scaled matrices.
const MAX_SWEEPS: usize = 40;

/// Rotates the columns of the rows × columns matrix `a` until they are orthogonal:
/// on return `a` holds A V and `v` the orthogonal columns × columns matrix V. The
/// norms of the columns are the singular values of A, the columns of V its right
/// singular vectors (Hestenes 1958; Golub & Van Loan, *Matrix Computations*, 4th ed.,
/// §8.6.3).
pub fn orthogonalise(rows: usize, columns: usize, a: &mut [f64], v: &mut [f64]) {
    v.fill(0.0);
    for j in 0..columns {
        v[j + j * columns] = 1.0;
    }
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for i in 0..columns {
            for j in i + 1..columns {
                rotated |= rotate(rows, columns, a, v, i, j);
            }
        }
        if !rotated {
            return;
        }
    }
}

/// Makes columns i < j orthogonal; whether there was anything to do.
fn rotate(rows: usize, columns: usize, a: &mut [f64], v: &mut [f64], i: usize, j: usize) -> bool {
    let (a_i, a_j) = pair(a, rows, i, j);
    let (alpha, beta, gamma) = (dot(a_i, a_i), dot(a_j, a_j), dot(a_i, a_j));
    let negligible = gamma.abs() <= f64::EPSILON * sqrt(alpha * beta);
    if negligible || !gamma.is_finite() {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let sign = if zeta < 0.0 { -1.0 } else { 1.0 };
    let tangent = sign / (zeta.abs() + sqrt(1.0 + zeta * zeta));
    let cosine = 1.0 / sqrt(1.0 + tangent * tangent);
    let sine = cosine * tangent;
    turn(a_i, a_j, cosine, sine);
    let (v_i, v_j) = pair(v, columns, i, j);
    turn(v_i, v_j, cosine, sine);
    true
}

/// Columns i < j.
fn pair(matrix: &mut [f64], rows: usize, i: usize, j: usize) -> (&mut [f64], &mut [f64]) {
    let (head, tail) = matrix.split_at_mut(j * rows);
    (&mut head[i * rows..(i + 1) * rows], &mut tail[..rows])
}

fn turn(x: &mut [f64], y: &mut [f64], cosine: f64, sine: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}
