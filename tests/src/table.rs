//! Tables, read independently of the product: own coefficients, own look-up.

use mbs_math::TableKind;
use mbs_symbolic::model::{Outside, Table};

use crate::solve;

/// Value (derivative 0) or derivative of a table at `at`.
pub fn read(table: &Table, kind: TableKind, derivative: u8, at: f64) -> f64 {
    let (x, y) = (&table.x, &table.y);
    let n = x.len();
    let curvature = match kind {
        TableKind::Linear => vec![0.0; n],
        TableKind::Spline => curvatures(x, y),
    };
    let piece = x.iter().rposition(|x| *x <= at).unwrap_or(0).min(n - 2);
    let h = x[piece + 1] - x[piece];
    let (m0, m1) = (curvature[piece], curvature[piece + 1]);
    let cubic = |at: f64, derivative: u8| {
        let (a, b) = (x[piece + 1] - at, at - x[piece]);
        match derivative {
            0 => {
                (m0 * a.powi(3) + m1 * b.powi(3)) / (6.0 * h)
                    + (y[piece] / h - m0 * h / 6.0) * a
                    + (y[piece + 1] / h - m1 * h / 6.0) * b
            }
            1 => (m1 * b * b - m0 * a * a) / (2.0 * h) + (y[piece + 1] - y[piece]) / h - (m1 - m0) * h / 6.0,
            2 => (m0 * a + m1 * b) / h,
            3 => (m1 - m0) / h,
            _ => 0.0,
        }
    };
    let end = if at < x[0] { x[0] } else { x[n - 1] };
    if (x[0]..=x[n - 1]).contains(&at) {
        return cubic(at, derivative);
    }
    match (table.outside, derivative) {
        (Outside::Error, _) => return f64::NAN,
        (Outside::Hold, 0) => return cubic(end, 0),
        (Outside::Hold, _) => return 0.0,
        (Outside::Extrapolate, _) => {}
    }
    match derivative {
        0 => cubic(end, 0) + cubic(end, 1) * (at - end),
        1 => cubic(end, 1),
        _ => 0.0,
    }
}

/// Second derivatives of the not-a-knot spline at its points.
fn curvatures(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let h = |i: usize| x[i + 1] - x[i];
    let slope = |i: usize| (y[i + 1] - y[i]) / h(i);
    match n {
        0..=2 => vec![0.0; n],
        // Three points leave one parabola.
        3 => vec![2.0 * (slope(1) - slope(0)) / (x[2] - x[0]); 3],
        _ => {
            let mut matrix = vec![vec![0.0; n]; n];
            let mut right = vec![0.0; n];
            for i in 1..n - 1 {
                matrix[i][i - 1] = h(i - 1);
                matrix[i][i] = 2.0 * (h(i - 1) + h(i));
                matrix[i][i + 1] = h(i);
                right[i] = 6.0 * (slope(i) - slope(i - 1));
            }
            // The third derivative is continuous at the second and the last but one point.
            for (row, i) in [(0, 1), (n - 1, n - 2)] {
                matrix[row][i - 1] = h(i);
                matrix[row][i] = -(h(i - 1) + h(i));
                matrix[row][i + 1] = h(i - 1);
            }
            solve::linear(matrix, right)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbs_symbolic::diag::Span;
    use mbs_symbolic::model::Name;

    /// A not-a-knot spline reproduces every cubic, and continues as its end tangent.
    #[test]
    fn a_cubic_is_reproduced() {
        let cubic = |x: f64| 1.0 - 2.0 * x + 0.5 * x * x + 3.0 * x.powi(3);
        let x = vec![-1.0, -0.2, 0.1, 0.7, 1.5];
        let y = x.iter().map(|x| cubic(*x)).collect();
        let table = Table {
            name: Name { text: "c".into(), span: Span::default() },
            x,
            y,
            events: false,
            outside: Outside::default(),
        };
        for at in [-0.9, 0.0, 0.1, 1.4] {
            assert!((read(&table, TableKind::Spline, 0, at) - cubic(at)).abs() < 1e-12);
            assert!((read(&table, TableKind::Spline, 1, at) - (-2.0 + at + 9.0 * at * at)).abs() < 1e-11);
        }
        let slope = -2.0 + 1.5 + 9.0 * 2.25;
        assert!((read(&table, TableKind::Spline, 0, 2.0) - cubic(1.5) - 0.5 * slope).abs() < 1e-11);
    }
}
