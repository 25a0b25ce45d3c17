//! Rank of the constraints at the assembled position.

/// Rows of a matrix brought into orthogonal form: Gram–Schmidt with the largest row
/// left taken next.
pub(crate) struct Orthogonal {
    n: usize,
    /// Orthonormal basis of the row space, one vector of `n` after another.
    basis: Vec<f64>,
    /// Rows in the order they were taken; those past the rank depend on the others.
    order: Vec<usize>,
    /// Row r = Σₖ `weights[r][k]` · basis k.
    weights: Vec<Vec<f64>>,
    /// Number of independent rows.
    pub(crate) rank: usize,
}

/// Rows shorter than this part of the longest vanish: what is left of them is rounding, and
/// has no direction worth comparing. Rows have different units (m/rad beside none), so that the
/// part must be far below the ratio of lengths in metres to one: with it, mechanisms of
/// micrometres still count.
const DUST: f64 = 1e-9;

impl Orthogonal {
    /// Of `rows` rows of `n` entries, column-major. Rows are compared after scaling to
    /// the same length, unless they vanish; what is left of a row below `tolerance` counts
    /// as zero.
    pub(crate) fn new(matrix: &[f64], rows: usize, n: usize, tolerance: f64) -> Self {
        let mut left: Vec<Vec<f64>> =
            (0..rows).map(|r| (0..n).map(|c| matrix[r + rows * c]).collect()).collect();
        let longest = left.iter().map(|row| norm(row)).fold(0.0, f64::max);
        for row in left.iter_mut().filter(|row| norm(row) <= DUST * longest) {
            row.fill(0.0);
        }
        let lengths: Vec<f64> = left.iter().map(|row| norm(row)).collect();
        let mut order: Vec<usize> = (0..rows).collect();
        let mut weights = vec![Vec::new(); rows];
        let mut basis = Vec::new();
        let mut rank = 0;
        while rank < rows.min(n) {
            let remaining =
                |&row: &usize| if lengths[row] > 0.0 { norm(&left[row]) / lengths[row] } else { 0.0 };
            // The first of equals, so that rows named earlier count as the independent ones.
            let mut next = rank;
            for k in rank..rows {
                if remaining(&order[k]) > remaining(&order[next]) * (1.0 + 1e-6) {
                    next = k;
                }
            }
            if remaining(&order[next]) <= tolerance {
                break;
            }
            // Keep the file's order among those not taken.
            order[rank..=next].rotate_right(1);
            let pivot = order[rank];
            let length = norm(&left[pivot]);
            let direction: Vec<f64> = left[pivot].iter().map(|x| x / length).collect();
            for &row in &order[rank..] {
                let mut weight = 0.0;
                // Twice is enough for orthogonality to the last digits.
                for _ in 0..2 {
                    let part = dot(&left[row], &direction);
                    for (x, d) in left[row].iter_mut().zip(&direction) {
                        *x -= part * d;
                    }
                    weight += part;
                }
                weights[row].push(weight);
            }
            basis.extend(direction);
            rank += 1;
        }
        Self { n, basis, order, weights, rank }
    }

    /// The shortest x with row · x = `b` for every independent row.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut along = Vec::with_capacity(self.rank);
        for (k, &row) in self.order[..self.rank].iter().enumerate() {
            let known = dot(&self.weights[row][..k], &along);
            along.push((b[row] - known) / self.weights[row][k]);
        }
        let mut x = vec![0.0; self.n];
        for (k, a) in along.iter().enumerate() {
            for (x, q) in x.iter_mut().zip(&self.basis[k * self.n..]) {
                *x += a * q;
            }
        }
        x
    }

    /// Each dependent row with the rows it is a combination of: none if it vanishes.
    pub(crate) fn dependent(&self) -> Vec<(usize, Vec<usize>)> {
        let dependent = self.order[self.rank..].iter().map(|&row| {
            // Back substitution in row = Σ factor · independent row.
            let mut rest = self.weights[row].clone();
            let mut used = Vec::new();
            let largest = rest.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for k in (0..self.rank).rev() {
                let pivot = self.order[k];
                let factor = rest[k] / self.weights[pivot][k];
                if rest[k].abs() > 1e-7 * largest {
                    used.push(pivot);
                }
                for (x, w) in rest.iter_mut().zip(&self.weights[pivot]) {
                    *x -= factor * w;
                }
            }
            used.sort_unstable();
            (row, used)
        });
        let mut list: Vec<_> = dependent.collect();
        list.sort_unstable();
        list
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Euclidean length.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows (1, 0, 1), (2, 0, 2), (0, 1, 0), column-major.
    const MATRIX: [f64; 9] = [1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.0];

    #[test]
    fn a_repeated_row_is_found() {
        let orthogonal = Orthogonal::new(&MATRIX, 3, 3, 1e-9);
        assert_eq!(orthogonal.rank, 2);
        assert_eq!(orthogonal.dependent(), [(1, vec![0])]);
    }

    #[test]
    fn the_shortest_solution() {
        let x = Orthogonal::new(&MATRIX, 3, 3, 1e-9).solve(&[2.0, 4.0, 3.0]);
        let expected = [1.0, 3.0, 1.0];
        assert!(x.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-14), "{x:?}");
    }

    /// Rows (0.2, 1), (3e-18, −1e-17), (1e-6, 0): rounding has no direction, small lengths do.
    #[test]
    fn rounding_is_no_row() {
        let orthogonal = Orthogonal::new(&[0.2, 3e-18, 1e-6, 1.0, -1e-17, 0.0], 3, 2, 1e-9);
        assert_eq!(orthogonal.rank, 2);
        assert_eq!(orthogonal.dependent(), [(1, vec![])]);
        let x = orthogonal.solve(&[1.0, 5.0, 2e-6]);
        assert!((x[0] - 2.0).abs() < 1e-9 && (x[1] - 0.6).abs() < 1e-9, "{x:?}");
    }

    #[test]
    fn nothing_has_no_rank() {
        assert_eq!(Orthogonal::new(&[], 0, 3, 1e-9).rank, 0);
        assert_eq!(Orthogonal::new(&[0.0, 0.0], 2, 1, 1e-9).rank, 0);
    }
}
