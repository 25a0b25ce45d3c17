//! Look-up in tables of one argument.

/// How a table is read between its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// Cubic spline with not-a-knot ends, continued linearly outside.
    Spline,
    /// Straight lines, continued with the end slopes outside.
    Linear,
}

/// A table with its coefficients, ready for look-up.
///
/// `x` is strictly increasing. Piece i holds on [x_i, x_{i+1}) as
/// y = c₀ + c₁ d + c₂ d² + c₃ d³ with d = x − x_i; the coefficients of piece i
/// are `coefficients[i]`. There is one piece fewer than points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table<'a> {
    /// Abscissae, strictly increasing, at least two.
    pub x: &'a [f64],
    /// Cubic coefficients of each piece.
    pub coefficients: &'a [[f64; 4]],
}

/// Value (derivative 0) or derivative (1 to 3) of a spline table at `at`.
///
/// Outside its points a spline continues as a straight line.
pub fn spline(table: Table<'_>, derivative: u8, at: f64) -> f64 {
    let Some((first, last)) = ends(table) else { return f64::NAN };
    if at < first {
        let [c0, c1, ..] = table.coefficients[0];
        return line(c0, c1, at - first, derivative);
    }
    if at > last {
        let piece = table.coefficients.len() - 1;
        let width = last - table.x[piece];
        let value = cubic(table.coefficients[piece], width, 0);
        let slope = cubic(table.coefficients[piece], width, 1);
        return line(value, slope, at - last, derivative);
    }
    let piece = piece_of(table, at);
    cubic(table.coefficients[piece], at - table.x[piece], derivative)
}

/// Value (derivative 0) or slope (1) of a linear table at `at`; higher
/// derivatives are zero between the kinks.
pub fn linear(table: Table<'_>, derivative: u8, at: f64) -> f64 {
    if ends(table).is_none() {
        return f64::NAN;
    }
    let piece = piece_of(table, at);
    let [c0, c1, ..] = table.coefficients[piece];
    line(c0, c1, at - table.x[piece], derivative)
}

fn ends(table: Table<'_>) -> Option<(f64, f64)> {
    match (table.x, table.coefficients.len()) {
        ([first, .., last], pieces) if pieces + 1 == table.x.len() => Some((*first, *last)),
        _ => None,
    }
}

/// The piece that holds at `at`, the first or last one outside the points.
fn piece_of(table: Table<'_>, at: f64) -> usize {
    let upper = table.x.partition_point(|x| *x <= at);
    upper.saturating_sub(1).min(table.coefficients.len() - 1)
}

fn line(value: f64, slope: f64, distance: f64, derivative: u8) -> f64 {
    match derivative {
        0 => value + slope * distance,
        1 => slope,
        _ => 0.0,
    }
}

fn cubic([c0, c1, c2, c3]: [f64; 4], d: f64, derivative: u8) -> f64 {
    match derivative {
        0 => c0 + d * (c1 + d * (c2 + d * c3)),
        1 => c1 + d * (2.0 * c2 + d * (3.0 * c3)),
        2 => 2.0 * c2 + d * (6.0 * c3),
        3 => 6.0 * c3,
        _ => 0.0,
    }
}
