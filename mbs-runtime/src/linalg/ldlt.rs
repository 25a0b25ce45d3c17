//! LDL^T factorisation: Q = [M Gᵀ; G 0] as L D Lᵀ.

/// Below this part of the largest pivot of its block a pivot counts as lost.
pub const LOST_PIVOT: f64 = 1e-12;

/// What becomes of a constraint row that depends on the rows before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependentRow {
    /// The factorisation fails.
    Refuse,
    /// The row is left out: its multiplier is zero.
    LeaveOut,
}

/// A pivot of a factorisation is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostPivot {
    /// Its index: below n_v a motion, else a constraint row after them.
    pub index: usize,
}

/// Writes the lower triangle of Q into `q`, (n_v + n_λ)² long, and mirrors G above it.
/// `g` has `rows` rows, of which the first n_λ are taken.
pub fn assemble(n_v: usize, n_lambda: usize, m: &[f64], g: &[f64], rows: usize, q: &mut [f64]) {
    let n = n_v + n_lambda;
    q.fill(0.0);
    for j in 0..n_v {
        q[j * n..j * n + n_v].copy_from_slice(&m[j * n_v..(j + 1) * n_v]);
        for i in 0..n_lambda {
            let entry = g[j * rows + i];
            q[j * n + n_v + i] = entry;
            q[(n_v + i) * n + j] = entry;
        }
    }
}

/// Overwrites the lower triangle of Q with L (below the diagonal) and D (on it).
///
/// In the order M, G the factors exist without pivoting when M is positive definite and
/// G has full row rank: the pivots of M are positive, those of the Schur complement
/// −G M⁻¹ Gᵀ negative. Returns the smallest over the largest pivot of the Schur
/// complement, which is small near singular poses.
pub fn ldlt(n_v: usize, n_lambda: usize, q: &mut [f64], dependent: DependentRow) -> Result<f64, LostPivot> {
    let n = n_v + n_lambda;
    let (mut largest, mut smallest) = (0.0_f64, f64::INFINITY);
    for j in 0..n {
        let (done, rest) = q.split_at_mut(j * n);
        let column = &mut rest[..n];
        for (k, earlier) in done.chunks_exact(n).enumerate() {
            let factor = earlier[j] * earlier[k];
            if factor != 0.0 && factor.is_finite() {
                for (entry, l) in column[j..].iter_mut().zip(&earlier[j..]) {
                    *entry -= l * factor;
                }
            }
        }
        if j == n_v {
            (largest, smallest) = (0.0, f64::INFINITY);
        }
        let pivot = column[j];
        let size = if j < n_v { pivot } else { -pivot };
        let lost = size.is_nan() || size <= LOST_PIVOT * largest || size <= 0.0;
        if lost && (j < n_v || size.is_nan() || dependent == DependentRow::Refuse) {
            return Err(LostPivot { index: j });
        }
        if lost {
            // An infinite pivot makes the multiplier zero and leaves the other rows alone.
            column[j] = f64::INFINITY;
            column[j + 1..].fill(0.0);
            continue;
        }
        largest = largest.max(size);
        smallest = smallest.min(size);
        for entry in &mut column[j + 1..] {
            *entry /= pivot;
        }
    }
    Ok(if n_lambda == 0 || largest == 0.0 { 1.0 } else { smallest / largest })
}

/// Overwrites `b` with Q⁻¹ b for the factors of [`ldlt`].
pub fn solve_ldlt(factors: &[f64], b: &mut [f64]) {
    let n = b.len();
    for j in 0..n {
        let (head, tail) = b.split_at_mut(j + 1);
        let value = head[j];
        if value != 0.0 {
            for (b, l) in tail.iter_mut().zip(&factors[j * n + j + 1..(j + 1) * n]) {
                *b -= l * value;
            }
        }
    }
    for j in 0..n {
        b[j] /= factors[j * n + j];
    }
    for j in (0..n).rev() {
        let sum = super::dot(&factors[j * n + j + 1..(j + 1) * n], &b[j + 1..n]);
        b[j] -= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_given_twice_carries_no_load() {
        let (m, g) = ([2.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.5, 0.5]);
        let mut q = [0.0; 16];
        assemble(2, 2, &m, &g, 2, &mut q);
        assert_eq!(ldlt(2, 2, &mut q, DependentRow::Refuse), Err(LostPivot { index: 3 }));
        assemble(2, 2, &m, &g, 2, &mut q);
        ldlt(2, 2, &mut q, DependentRow::LeaveOut).unwrap();
        let mut b = [1.0, -2.0, 0.25, 0.25];
        solve_ldlt(&q, &mut b);
        assert_eq!(b[3], 0.0);
        assert!((b[0] + 0.5 * b[1] - 0.25).abs() < 1e-15);
        assert!((2.0 * b[0] + b[2] - 1.0).abs() < 1e-15);
        assert!((b[1] + 0.5 * b[2] + 2.0).abs() < 1e-15);
    }
}
