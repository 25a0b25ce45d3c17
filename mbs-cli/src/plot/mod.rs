//! Curves over time as a figure: one panel for each unit, SVG or PNG.

mod drawing;
mod font;
mod ticks;

pub(crate) use drawing::Drawing;

use drawing::{Anchor, Colour, Item};
use ticks::Ticks;

/// A curve over time.
#[derive(Debug, Clone)]
pub(crate) struct Curve<'c> {
    pub(crate) name: &'c str,
    pub(crate) unit: &'c str,
    pub(crate) times: &'c [f64],
    pub(crate) values: &'c [f64],
}

const WIDTH: f64 = 900.0;
const PANEL: f64 = 250.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const GAP: f64 = 46.0;
const BOTTOM: f64 = 46.0;

const INK: Colour = [0x24, 0x2b, 0x35];
const SOFT: Colour = [0x6a, 0x74, 0x82];
const GRID: Colour = [0xe3, 0xe7, 0xec];
const CURVES: [Colour; 8] = [
    [0x1f, 0x6f, 0xc4],
    [0xd9, 0x5b, 0x2b],
    [0x1d, 0x93, 0x7d],
    [0xc0, 0x8a, 0x12],
    [0x74, 0x57, 0xbd],
    [0xc4, 0x4b, 0x7c],
    [0x5c, 0x94, 0x30],
    [0x2a, 0x97, 0xbb],
];

/// Draws the curves, those of one unit together.
pub(crate) fn figure(title: &str, curves: &[Curve<'_>]) -> Drawing {
    let mut units: Vec<&str> = Vec::new();
    for curve in curves {
        if !units.contains(&curve.unit) {
            units.push(curve.unit);
        }
    }
    let panels: Vec<Vec<(usize, &Curve<'_>)>> = units
        .iter()
        .map(|unit| curves.iter().enumerate().filter(|(_, curve)| curve.unit == *unit).collect())
        .collect();
    let mut drawing = Drawing { size: [WIDTH, 0.0], items: Vec::new() };
    drawing.text([LEFT, 24.0], Anchor::Start, 15.0, INK, title);
    let span = range(curves.iter().flat_map(|curve| curve.times));
    let mut top = TOP;
    for (index, panel) in panels.iter().enumerate() {
        let last = index + 1 == panels.len();
        top = drawing.panel(panel, top, span, last) + if last { BOTTOM } else { GAP };
    }
    drawing.size[1] = top.max(TOP + BOTTOM);
    drawing
}

impl Drawing {
    fn text(&mut self, at: [f64; 2], anchor: Anchor, size: f64, colour: Colour, text: &str) {
        self.items.push(Item::Text { at, anchor, size, colour, text: text.to_owned() });
    }

    fn line(&mut self, points: Vec<[f64; 2]>, colour: Colour, width: f64) {
        self.items.push(Item::Line { points, colour, width });
    }

    /// One panel below `top`; gives where it ends.
    fn panel(&mut self, curves: &[(usize, &Curve<'_>)], top: f64, (t0, t1): (f64, f64), last: bool) -> f64 {
        // The legend first, in as many lines as it needs.
        let mut x = LEFT;
        let mut y = top + 14.0;
        for (index, curve) in curves {
            let long = 34.0 + 7.6 * curve.name.chars().count() as f64;
            if x + long > WIDTH - RIGHT && x > LEFT {
                (x, y) = (LEFT, y + 18.0);
            }
            self.line(vec![[x, y - 4.0], [x + 18.0, y - 4.0]], CURVES[index % CURVES.len()], 2.5);
            self.text([x + 24.0, y], Anchor::Start, 12.0, INK, curve.name);
            x += long;
        }
        let upper = y + 12.0;
        let lower = upper + PANEL;
        let (low, high) = padded(range(curves.iter().flat_map(|(_, curve)| curve.values)));
        let (across, along) = (Ticks::new(low, high, 5.0), Ticks::new(t0, t1, 9.0));
        let right = WIDTH - RIGHT;
        let place_x = |t: f64| LEFT + (right - LEFT) * (t - t0) / (t1 - t0).max(f64::MIN_POSITIVE);
        let place_y = |value: f64| lower - PANEL * (value - low) / (high - low);
        for (value, label) in across.labels() {
            let y = place_y(value);
            self.line(vec![[LEFT, y], [right, y]], GRID, 1.0);
            self.text([LEFT - 8.0, y + 4.0], Anchor::End, 12.0, SOFT, &label);
        }
        for (t, label) in along.labels() {
            let x = place_x(t);
            self.line(vec![[x, upper], [x, lower]], GRID, 1.0);
            if last {
                self.text([x, lower + 18.0], Anchor::Middle, 12.0, SOFT, &label);
            }
        }
        self.line(vec![[LEFT, upper], [LEFT, lower], [right, lower]], SOFT, 1.2);
        if let Some((_, curve)) = curves.first().filter(|(_, curve)| !curve.unit.is_empty()) {
            self.text([LEFT - 8.0, upper - 8.0], Anchor::End, 12.0, SOFT, &format!("[{}]", curve.unit));
        }
        if last {
            self.text([right, lower + 36.0], Anchor::End, 12.0, SOFT, "t [s]");
        }
        for (index, curve) in curves {
            let points = thinned(
                curve.times.iter().zip(curve.values).map(|(&t, &value)| [place_x(t), place_y(value)]),
            );
            for piece in
                points.split(|[x, y]| !(x.is_finite() && y.is_finite())).filter(|piece| piece.len() > 1)
            {
                self.line(piece.to_vec(), CURVES[index % CURVES.len()], 1.8);
            }
        }
        lower
    }
}

/// Of points that fall into the same quarter of a pixel along x, the first, lowest, highest and
/// last: nothing to be seen is lost.
fn thinned(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::new();
    let mut column: Vec<[f64; 2]> = Vec::new();
    let bin = |x: f64| (4.0 * x).floor();
    let flush = |column: &mut Vec<[f64; 2]>, out: &mut Vec<[f64; 2]>| {
        if column.len() > 4 {
            let by = |better: fn(f64, f64) -> bool| {
                (0..column.len())
                    .fold(0, |best, k| if better(column[k][1], column[best][1]) { k } else { best })
            };
            let mut keep = [0, by(|a, b| a < b), by(|a, b| a > b), column.len() - 1];
            keep.sort_unstable();
            let mut kept: Vec<usize> = keep.to_vec();
            kept.dedup();
            out.extend(kept.into_iter().map(|k| column[k]));
        } else {
            out.extend(column.iter());
        }
        column.clear();
    };
    for point in points {
        if column.last().is_some_and(|before| bin(before[0]) != bin(point[0])) {
            flush(&mut column, &mut out);
        }
        column.push(point);
    }
    flush(&mut column, &mut out);
    out
}

fn range<'v>(values: impl Iterator<Item = &'v f64>) -> (f64, f64) {
    let finite = values.copied().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// With some air above and below; a constant gets air too.
fn padded((low, high): (f64, f64)) -> (f64, f64) {
    let air = 0.06 * (high - low);
    let air = if air > 1e-12 * low.abs().max(high.abs()) { air } else { 0.1 * low.abs().max(1e-9) };
    (low - air, high + air)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_peaks() {
        let points: Vec<[f64; 2]> =
            (0..100_000).map(|k| [k as f64 * 1e-3, if k == 5_555 { 9.0 } else { 0.0 }]).collect();
        let thin = thinned(points.into_iter());
        assert!(thin.len() < 2_000 && thin.iter().any(|[_, y]| *y == 9.0), "{}", thin.len());
        assert!(thin.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }

    #[test]
    fn one_panel_for_each_unit() {
        let times = [0.0, 1.0];
        let curve = |unit: &'static str| Curve { name: "a", unit, times: &times, values: &[1.0, 2.0] };
        let one = figure("x", &[curve("m"), curve("m")]);
        let two = figure("x", &[curve("m"), curve("N")]);
        assert!(two.size[1] > one.size[1] + PANEL);
    }

    #[test]
    fn a_constant_has_a_range() {
        let (low, high) = padded((3.0, 3.0));
        assert!(low < 3.0 && high > 3.0);
        let (low, high) = padded((0.0, 0.0));
        assert!(low < 0.0 && high > 0.0);
    }
}
