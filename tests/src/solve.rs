//! Gaussian elimination, enough for small reference problems.

/// Solves `matrix · x = right` with partial pivoting; rows of a singular matrix give NaN.
pub fn linear(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..n {
            let factor = matrix[row][column] / matrix[column][column];
            if factor != 0.0 {
                let (upper, lower) = matrix.split_at_mut(row);
                for (a, b) in lower[0][column..].iter_mut().zip(&upper[column][column..]) {
                    *a -= factor * b;
                }
                right[row] -= factor * right[column];
            }
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
