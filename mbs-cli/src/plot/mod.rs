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
/// Width of a letter of the legend, nearly.
const LETTER: f64 = 7.6;

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

/// Letters of a legend at most, and of a list of names.
const LONGEST: usize = 96;

/// Draws the curves, those of one unit together; `hidden` names those left out as rounding noise.
pub(crate) fn figure(title: &str, curves: &[Curve<'_>], hidden: &[&str]) -> Drawing {
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
    if !hidden.is_empty() {
        let names = cut(&format!("zero up to rounding, not drawn: {}", hidden.join(", ")));
        drawing.text([LEFT, top - 10.0], Anchor::Start, 12.0, SOFT, &names);
    }
    drawing.size[1] = top.max(TOP + BOTTOM);
    drawing
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
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
        let unit = curves.first().map(|(_, curve)| curve.unit).filter(|unit| !unit.is_empty());
        let unit = unit.map(|unit| format!("[{unit}]")).unwrap_or_default();
        // Beside the unit, which may be wider than the scale.
        let left = LEFT.max(16.0 + LETTER * unit.chars().count() as f64);
        let mut x = left;
        let mut y = top + 14.0;
        for (index, curve) in curves {
            let name = cut(curve.name);
            let long = 34.0 + LETTER * name.chars().count() as f64;
            if x + long > WIDTH - RIGHT && x > left {
                (x, y) = (left, y + 18.0);
            }
            self.line(vec![[x, y - 4.0], [x + 18.0, y - 4.0]], CURVES[index % CURVES.len()], 2.5);
            self.text([x + 24.0, y], Anchor::Start, 12.0, INK, &name);
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
        if !unit.is_empty() {
            self.text([left - 8.0, y], Anchor::End, 12.0, SOFT, &unit);
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
        let one = figure("x", &[curve("m"), curve("m")], &[]);
        let two = figure("x", &[curve("m"), curve("N")], &[]);
        assert!(two.size[1] > one.size[1] + PANEL);
    }

    /// Long legends take lines of their own, above the plot and inside the paper.
    #[test]
    fn legends_do_not_cover_plots() {
        let times = [0.0, 1.0];
        let names: Vec<String> =
            [30, 70, 95, 300].iter().map(|&long| "suspension.".repeat(30)[..long].to_owned()).collect();
        let curves: Vec<Curve<'_>> = names
            .iter()
            .map(|name| Curve { name, unit: "kg*m^2/s^2/rad", times: &times, values: &[1.0, 2.0] })
            .collect();
        let drawing = figure("x", &curves, &["y"; 80]);
        let plot = drawing.items.iter().filter_map(|item| match item {
            Item::Line { points, width, .. } if *width == 1.8 => Some(points[1][1].min(points[0][1])),
            _ => None,
        });
        let highest = plot.fold(f64::INFINITY, f64::min);
        let mut legends = 0;
        for item in &drawing.items {
            let Item::Text { at: [x, y], anchor, text, .. } = item else { continue };
            let long = 7.0 * text.chars().count() as f64;
            let [from, to] = match anchor {
                Anchor::Start => [*x, x + long],
                Anchor::Middle => [x - long / 2.0, x + long / 2.0],
                Anchor::End => [x - long, *x],
            };
            assert!(from >= 0.0 && to <= WIDTH, "{text} from {from} to {to}");
            if text.starts_with("suspension") {
                legends += 1;
                assert!(y + 3.0 < highest, "{text} at {y}, plot from {highest}");
            }
        }
        assert_eq!(legends, 4);
    }

    #[test]
    fn a_constant_has_a_range() {
        let (low, high) = padded((3.0, 3.0));
        assert!(low < 3.0 && high > 3.0);
        let (low, high) = padded((0.0, 0.0));
        assert!(low < 0.0 && high > 0.0);
    }
}
