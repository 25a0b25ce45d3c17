//! What a figure is made of, whether it becomes SVG or pixels.

use super::font;
use crate::output;
use crate::picture::{Format, png};
use crate::report::Failure;
use std::fmt::Write;
use std::path::Path;

/// sRGB.
pub(super) type Colour = [u8; 3];

/// Lines and texts on white paper, px from the upper left corner.
#[derive(Debug, Clone)]
pub(crate) struct Drawing {
    pub(super) size: [f64; 2],
    pub(super) items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Line {
        points: Vec<[f64; 2]>,
        colour: Colour,
        width: f64,
    },
    Text {
        /// On the baseline.
        at: [f64; 2],
        anchor: Anchor,
        /// Height of the letters, px.
        size: f64,
        colour: Colour,
        text: String,
    },
}

/// Which end of a text lies at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Drawing {
    /// Writes it as what the ending of the name says.
    pub(crate) fn deliver(&self, path: &Path) -> Result<(), Failure> {
        match Format::of(path)? {
            Format::Svg => output::write(self.svg().as_bytes(), path),
            Format::Png => output::write(&self.png(), path),
        }
    }

    fn svg(&self) -> String {
        let [width, height] = self.size;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"system-ui, sans-serif\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        for item in &self.items {
            match item {
                Item::Line { points, colour: [r, g, b], width } => {
                    let list: Vec<String> = points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
                    let _ = writeln!(
                        out,
                        "<polyline points=\"{}\" fill=\"none\" stroke=\"#{r:02x}{g:02x}{b:02x}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
                        list.join(" ")
                    );
                }
                Item::Text { at: [x, y], anchor, size, colour: [r, g, b], text } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                    let _ = writeln!(
                        out,
                        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"#{r:02x}{g:02x}{b:02x}\">{text}</text>"
                    );
                }
            }
        }
        out.push_str("</svg>\n");
        out
    }

    /// At two pixels a unit, for sharp screens.
    fn png(&self) -> Vec<u8> {
        const SCALE: f64 = 2.0;
        let [width, height] = self.size.map(|side| (SCALE * side).round() as usize);
        let mut paper = Paper { width, height, rgb: vec![255.0; 3 * width * height] };
        for item in &self.items {
            match item {
                Item::Line { points, colour, width } => {
                    let points: Vec<[f64; 2]> = points.iter().map(|point| point.map(|c| SCALE * c)).collect();
                    paper.line(&points, *colour, SCALE * width);
                }
                Item::Text { at, anchor, size, colour, text } => {
                    // Letters are about 0.72 of the size of a font high.
                    let unit = SCALE * size * 0.72 / font::CAPITAL;
                    let long = unit * text.chars().map(font::advance).sum::<f64>();
                    let back = match anchor {
                        Anchor::Start => 0.0,
                        Anchor::Middle => 0.5 * long,
                        Anchor::End => long,
                    };
                    let mut x = SCALE * at[0] - back;
                    for letter in text.chars() {
                        let (left, _) = font::bounds(letter);
                        for stroke in font::strokes(letter) {
                            let points: Vec<[f64; 2]> = stroke
                                .iter()
                                .map(|[dx, dy]| [x + unit * (dx - left), SCALE * at[1] - unit * dy])
                                .collect();
                            paper.line(&points, *colour, 0.85 * unit);
                        }
                        x += unit * font::advance(letter);
                    }
                }
            }
        }
        let rgb: Vec<u8> = paper.rgb.iter().map(|c| c.round() as u8).collect();
        png::encode(width, height, &rgb)
    }
}

struct Paper {
    width: usize,
    height: usize,
    rgb: Vec<f64>,
}

impl Paper {
    /// A line with soft edges: what a pixel takes of the colour falls off over its own width.
    /// The pieces of one line do not add up where they meet.
    fn line(&mut self, points: &[[f64; 2]], colour: Colour, width: f64) {
        let half = 0.5 * width;
        let mut covered: std::collections::BTreeMap<usize, f64> = std::collections::BTreeMap::new();
        for pair in points.windows(2) {
            let ([x0, y0], [x1, y1]) = (pair[0], pair[1]);
            if ![x0, y0, x1, y1].iter().all(|c| c.is_finite()) {
                continue;
            }
            let bound = |low: f64, high: f64, size: usize| {
                let margin = half + 1.0;
                (
                    (low - margin).floor().max(0.0) as usize,
                    ((high + margin).ceil().max(0.0) as usize).min(size),
                )
            };
            let (left, right) = bound(x0.min(x1), x0.max(x1), self.width);
            let (top, bottom) = bound(y0.min(y1), y0.max(y1), self.height);
            let (dx, dy) = (x1 - x0, y1 - y0);
            let long2 = (dx * dx + dy * dy).max(1e-12);
            for y in top..bottom {
                for x in left..right {
                    let (px, py) = (x as f64 + 0.5 - x0, y as f64 + 0.5 - y0);
                    let part = ((px * dx + py * dy) / long2).clamp(0.0, 1.0);
                    let away = (px - part * dx).hypot(py - part * dy);
                    let cover = (half + 0.5 - away).clamp(0.0, 1.0);
                    if cover > 0.0 {
                        let so_far = covered.entry(y * self.width + x).or_insert(0.0);
                        *so_far = so_far.max(cover);
                    }
                }
            }
        }
        for (at, cover) in covered {
            for (k, &c) in colour.iter().enumerate() {
                let pixel = &mut self.rgb[3 * at + k];
                *pixel += cover * (f64::from(c) - *pixel);
            }
        }
    }
}
