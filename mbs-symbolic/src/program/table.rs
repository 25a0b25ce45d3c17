//! Tables with the coefficients of their pieces.

use mbs_math::{Table, TableKind};

/// A table as the functions of a program read it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramTable {
    /// The table's name in the model.
    pub name: String,
    /// How it is read.
    pub kind: TableKind,
    /// Abscissae, strictly increasing.
    pub x: Vec<f64>,
    /// Cubic coefficients of each piece, in powers of the distance from its start.
    pub coefficients: Vec<[f64; 4]>,
}

impl ProgramTable {
    /// Value or derivative at an argument.
    pub fn read(&self, derivative: u8, at: f64) -> f64 {
        let table = Table { x: &self.x, coefficients: &self.coefficients };
        match self.kind {
            TableKind::Spline => mbs_math::spline(table, derivative, at),
            TableKind::Linear => mbs_math::linear(table, derivative, at),
        }
    }
}

/// Coefficients of the pieces between the points (x, y), as [`mbs_math::Table`]
/// wants them. `x` is strictly increasing; both have the same length.
pub fn coefficients(kind: TableKind, x: &[f64], y: &[f64]) -> Vec<[f64; 4]> {
    let n = x.len().min(y.len());
    if n < 2 {
        return Vec::new();
    }
    let width: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let secant: Vec<f64> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / width[i]).collect();
    match kind {
        TableKind::Linear => (0..n - 1).map(|i| [y[i], secant[i], 0.0, 0.0]).collect(),
        TableKind::Spline => {
            let slope = slopes(&width, &secant);
            let piece = |i: usize| {
                let (s, h) = (secant[i], width[i]);
                let c2 = (3.0 * s - 2.0 * slope[i] - slope[i + 1]) / h;
                let c3 = (slope[i] + slope[i + 1] - 2.0 * s) / (h * h);
                [y[i], slope[i], c2, c3]
            };
            (0..n - 1).map(piece).collect()
        }
    }
}

/// Slopes at the points of the cubic spline that is twice continuously
/// differentiable everywhere and thrice at the second and last but one point
/// (not-a-knot; de Boor, *A Practical Guide to Splines*, ch. IV). Two points give a
/// line, three a parabola.
fn slopes(width: &[f64], secant: &[f64]) -> Vec<f64> {
    match (width, secant) {
        ([_], [s]) => return vec![*s; 2],
        ([h0, h1], [s0, s1]) => {
            let middle = (h1 * s0 + h0 * s1) / (h0 + h1);
            return vec![2.0 * s0 - middle, middle, 2.0 * s1 - middle];
        }
        _ => {}
    }
    let n = width.len() + 1;
    // The system is tridiagonal; its elimination without pivoting meets positive
    // pivots only, end rows included.
    let (mut lower, mut diagonal, mut upper, mut right) =
        (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let ends = width[0] + width[1];
    diagonal[0] = width[1];
    upper[0] = ends;
    right[0] = ((width[0] + 2.0 * ends) * width[1] * secant[0] + width[0] * width[0] * secant[1]) / ends;
    for i in 1..n - 1 {
        lower[i] = width[i];
        diagonal[i] = 2.0 * (width[i - 1] + width[i]);
        upper[i] = width[i - 1];
        right[i] = 3.0 * (width[i] * secant[i - 1] + width[i - 1] * secant[i]);
    }
    let (h1, h2) = (width[n - 2], width[n - 3]);
    let ends = h1 + h2;
    lower[n - 1] = ends;
    diagonal[n - 1] = h2;
    right[n - 1] = (h1 * h1 * secant[n - 3] + (2.0 * ends + h1) * h2 * secant[n - 2]) / ends;

    for i in 1..n {
        let factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    let mut slope = right;
    slope[n - 1] /= diagonal[n - 1];
    for i in (0..n - 1).rev() {
        slope[i] = (slope[i] - upper[i] * slope[i + 1]) / diagonal[i];
    }
    slope
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(kind: TableKind, x: &[f64], y: &[f64]) -> ProgramTable {
        let coefficients = coefficients(kind, x, y);
        ProgramTable { name: "t".into(), kind, x: x.into(), coefficients }
    }

    #[test]
    fn a_cubic_is_reproduced() {
        let cubic = |x: f64| 1.0 - 2.0 * x + 0.5 * x * x - 0.25 * x * x * x;
        let x = [-1.0, -0.3, 0.4, 1.5, 1.9, 3.0];
        let spline = table(TableKind::Spline, &x, &x.map(cubic));
        for at in [-0.9, -0.3, 0.1, 1.0, 1.7, 2.9] {
            assert!((spline.read(0, at) - cubic(at)).abs() < 1e-13);
            assert!((spline.read(1, at) - (-2.0 + at - 0.75 * at * at)).abs() < 1e-12);
        }
    }

    #[test]
    fn few_points_give_a_line_and_a_parabola() {
        let line = table(TableKind::Spline, &[0.0, 2.0], &[1.0, 5.0]);
        assert_eq!([line.read(0, 0.5), line.read(1, 7.0), line.read(0, 3.0)], [2.0, 2.0, 7.0]);
        let parabola = table(TableKind::Spline, &[0.0, 1.0, 3.0], &[0.0, 1.0, 9.0]);
        for at in [0.5, 1.0, 2.0] {
            assert!((parabola.read(0, at) - at * at).abs() < 1e-14);
        }
    }

    #[test]
    fn linear_tables_have_kinks() {
        let linear = table(TableKind::Linear, &[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0]);
        assert_eq!([linear.read(0, 0.5), linear.read(0, 1.5), linear.read(1, 1.5)], [0.5, 2.5, 3.0]);
        assert_eq!([linear.read(0, -1.0), linear.read(0, 3.0)], [-1.0, 7.0]);
    }
}
