//! The numbers of a table, and the curve through them.

use super::{Outside, Table};
use mbs_math::TableKind;

/// The points and pieces of `table` as [`mbs_math::Table`] wants them, those outside its points
/// among them: look-ups continue the first and last piece.
pub fn pieces(table: &Table, kind: TableKind) -> (Vec<f64>, Vec<[f64; 4]>) {
    let (mut x, mut pieces) = (table.x.clone(), coefficients(table, kind));
    let (&[first, second, ..], &[.., before, last]) = (table.x.as_slice(), table.x.as_slice()) else {
        return (x, pieces);
    };
    let constant = |value: f64| [value, 0.0, 0.0, 0.0];
    let ends = match table.outside {
        Outside::Extrapolate => return (x, pieces),
        Outside::Hold => [table.y.first(), table.y.last()].map(|y| y.copied().unwrap_or(f64::NAN)),
        Outside::Error => {
            // The last point itself still belongs to the table.
            x.push(last.next_up());
            pieces.push(constant(table.y.last().copied().unwrap_or(f64::NAN)));
            [f64::NAN; 2]
        }
    };
    // Nothing is said of where these pieces end, as their slope is zero.
    x.insert(0, first - (second - first));
    pieces.insert(0, constant(ends[0]));
    x.push(x.last().copied().unwrap_or(last) + (last - before));
    pieces.push(constant(ends[1]));
    (x, pieces)
}

/// Cubic coefficients of every piece of `table`, as [`mbs_math::Table`] wants them.
///
/// The spline has not-a-knot ends; through two points it is a line, through three a
/// parabola. `table` must have at least two points with increasing x.
fn coefficients(table: &Table, kind: TableKind) -> Vec<[f64; 4]> {
    let (x, y) = (table.x.as_slice(), table.y.as_slice());
    if x.len() < 2 || x.len() != y.len() {
        return Vec::new();
    }
    match (kind, x.len()) {
        (TableKind::Linear, _) | (_, 2) => lines(x, y),
        (_, 3) => parabola(x, y),
        _ => spline(x, y),
    }
}

fn widths(x: &[f64]) -> Vec<f64> {
    x.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.windows(2).zip(y.windows(2)).map(|(x, y)| (y[1] - y[0]) / (x[1] - x[0])).collect()
}

fn lines(x: &[f64], y: &[f64]) -> Vec<[f64; 4]> {
    slopes(x, y).iter().zip(y).map(|(slope, y)| [*y, *slope, 0.0, 0.0]).collect()
}

/// Newton's form of the parabola, moved to the start of each piece.
fn parabola(x: &[f64], y: &[f64]) -> Vec<[f64; 4]> {
    let slope = slopes(x, y);
    let width = widths(x);
    let curvature = (slope[1] - slope[0]) / (x[2] - x[0]);
    vec![
        [y[0], slope[0] - curvature * width[0], curvature, 0.0],
        [y[1], slope[1] - curvature * width[1], curvature, 0.0],
    ]
}

/// Solves for the second derivatives m_i at the points (de Boor, *A Practical Guide to
/// Splines*, ch. IV): continuity of the slope at each inner point,
///
/// ```text
/// h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i − s_{i-1})      (1)
/// ```
///
/// and one cubic across the first two and the last two pieces,
///
/// ```text
/// (m_1 − m_0) / h_0 = (m_2 − m_1) / h_1                                        (2)
/// ```
///
/// with which m_0 and m_n are eliminated, so that the rest is tridiagonal.
fn spline(x: &[f64], y: &[f64]) -> Vec<[f64; 4]> {
    let h = widths(x);
    let s = slopes(x, y);
    let pieces = h.len();
    let inner = pieces - 1;
    let mut lower: Vec<f64> = h[..inner].to_vec();
    let mut diagonal: Vec<f64> = (0..inner).map(|i| 2.0 * (h[i] + h[i + 1])).collect();
    let mut upper: Vec<f64> = h[1..].to_vec();
    let mut right: Vec<f64> = (0..inner).map(|i| 6.0 * (s[i + 1] - s[i])).collect();

    // (2) in (1): m_0 = (1 + h_0/h_1) m_1 − (h_0/h_1) m_2, and likewise at the end.
    let ratio = h[0] / h[1];
    diagonal[0] += h[0] * (1.0 + ratio);
    upper[0] -= h[0] * ratio;
    let last_ratio = h[pieces - 1] / h[pieces - 2];
    diagonal[inner - 1] += h[pieces - 1] * (1.0 + last_ratio);
    lower[inner - 1] -= h[pieces - 1] * last_ratio;

    for i in 1..inner {
        let factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    let mut m = vec![0.0; pieces + 1];
    for i in (0..inner).rev() {
        let after = if i + 1 < inner { upper[i] * m[i + 2] } else { 0.0 };
        m[i + 1] = (right[i] - after) / diagonal[i];
    }
    m[0] = (1.0 + ratio) * m[1] - ratio * m[2];
    m[pieces] = (1.0 + last_ratio) * m[pieces - 1] - last_ratio * m[pieces - 2];

    (0..pieces)
        .map(|i| {
            let slope = s[i] - h[i] * (2.0 * m[i] + m[i + 1]) / 6.0;
            [y[i], slope, m[i] / 2.0, (m[i + 1] - m[i]) / (6.0 * h[i])]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Span;
    use crate::model::Name;

    fn table(x: &[f64], f: impl Fn(f64) -> f64) -> Table {
        let name = Name { text: "curve".into(), span: Span::default() };
        Table {
            name,
            x: x.to_vec(),
            y: x.iter().map(|x| f(*x)).collect(),
            events: false,
            outside: Outside::default(),
        }
    }

    /// The spline through points of `f` against `f` itself, inside the points.
    fn check(x: &[f64], f: impl Fn(f64) -> f64, tolerance: f64) {
        let table = table(x, &f);
        let pieces = coefficients(&table, TableKind::Spline);
        let ready = mbs_math::Table { x, coefficients: &pieces };
        let (first, last) = (x[0], x[x.len() - 1]);
        for i in 0..=50 {
            let at = first + (last - first) * f64::from(i) / 50.0;
            let value = mbs_math::spline(ready, 0, at);
            assert!((value - f(at)).abs() <= tolerance, "at {at}: {value} is not {}", f(at));
        }
    }

    #[test]
    fn polynomials_up_to_their_degree_are_exact() {
        check(&[0.0, 2.0], |x| 3.0 * x - 1.0, 1e-14);
        check(&[0.0, 0.5, 2.0], |x| x * x - x + 1.0, 1e-14);
        check(&[-1.0, 0.0, 0.7, 2.0], |x| x * x * x - 2.0 * x, 1e-13);
        check(&[-1.0, -0.3, 0.0, 0.7, 2.0, 3.5], |x| 2.0 * x * x * x - x * x + 4.0, 1e-12);
    }

    #[test]
    fn known_values_of_a_not_a_knot_spline() {
        // Runge's function at −1, −0.5, 0, 0.5, 1. By symmetry m_1 = m_3 and the two
        // remaining equations give m_1 = 5.9084…, m_2 = −22.4933… in closed form.
        let runge = |x: f64| 1.0 / (1.0 + 25.0 * x * x);
        let points = table(&[-1.0, -0.5, 0.0, 0.5, 1.0], runge);
        let pieces = coefficients(&points, TableKind::Spline);
        let h = 0.5;
        let s0 = (points.y[1] - points.y[0]) / h;
        let s1 = (points.y[2] - points.y[1]) / h;
        // (1) at the first inner point with (2): 6 h m_1 = 6 (s_1 − s_0).
        let m1 = (s1 - s0) / h;
        // (1) in the middle: 2 h m_1 + 4 h m_2 = 6 (−s_1 − s_1).
        let m2 = (-12.0 * s1 - 2.0 * h * m1) / (4.0 * h);
        assert!((2.0 * pieces[1][2] - m1).abs() < 1e-12);
        assert!((2.0 * pieces[2][2] - m2).abs() < 1e-12);
    }

    #[test]
    fn smooth_functions_are_approximated() {
        let x: Vec<f64> = (0..41).map(|i| f64::from(i) * 0.1).collect();
        check(&x, mbs_math::sin, 2e-5);
    }

    #[test]
    fn pieces_meet_with_two_derivatives() {
        let x = [0.0, 0.3, 1.0, 1.1, 2.0, 4.0];
        let table = table(&x, |x| mbs_math::cos(3.0 * x));
        let pieces = coefficients(&table, TableKind::Spline);
        for i in 0..pieces.len() - 1 {
            let d = x[i + 1] - x[i];
            let [c0, c1, c2, c3] = pieces[i];
            let next = pieces[i + 1];
            assert!((c0 + d * (c1 + d * (c2 + d * c3)) - next[0]).abs() < 1e-12);
            assert!((c1 + d * (2.0 * c2 + 3.0 * d * c3) - next[1]).abs() < 1e-11);
            assert!((2.0 * c2 + 6.0 * d * c3 - 2.0 * next[2]).abs() < 1e-10);
        }
    }

    #[test]
    fn outside_its_points_a_table_is_what_it_says() {
        let (x, f) = ([0.0, 1.0, 3.0, 4.0], |x: f64| x * x);
        for kind in [TableKind::Linear, TableKind::Spline] {
            let read = |outside: Outside, derivative: u8, at: f64| {
                let table = Table { outside, ..table(&x, f) };
                let (x, pieces) = pieces(&table, kind);
                let ready = mbs_math::Table { x: &x, coefficients: &pieces };
                match kind {
                    TableKind::Linear => mbs_math::linear(ready, derivative, at),
                    TableKind::Spline => mbs_math::spline(ready, derivative, at),
                }
            };
            for outside in [Outside::Extrapolate, Outside::Hold, Outside::Error] {
                // At its points, the ends among them, and between them nothing changes.
                for at in [0.0, 0.5, 1.0, 2.9, 4.0] {
                    assert_eq!(
                        read(outside, 0, at),
                        read(Outside::Extrapolate, 0, at),
                        "{outside:?} at {at}"
                    );
                }
            }
            for (at, end) in [(-1e-12, 0.0), (-7.0, 0.0), (4.0 + 1e-12, 16.0), (1e9, 16.0)] {
                assert_eq!(read(Outside::Hold, 0, at), end, "{kind:?} at {at}");
                assert_eq!(read(Outside::Hold, 1, at), 0.0);
                assert!(read(Outside::Error, 0, at).is_nan(), "{kind:?} at {at}");
            }
            let slope = if kind == TableKind::Linear { 7.0 } else { 8.0 };
            assert!((read(Outside::Extrapolate, 0, 6.0) - (16.0 + 2.0 * slope)).abs() < 1e-12);
        }
    }

    #[test]
    fn a_linear_table_has_straight_pieces() {
        let pieces = coefficients(&table(&[0.0, 1.0, 3.0], |x| x * x), TableKind::Linear);
        assert_eq!(pieces, [[0.0, 1.0, 0.0, 0.0], [1.0, 4.0, 0.0, 0.0]]);
    }
}
