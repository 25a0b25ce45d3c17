//! The topology as a picture: ground on top, each body below its parent, joints along
//! the lines, whatever closes a loop dashed.

use super::{Closure, Picture};
use std::cmp::Ordering;
use std::fmt::Write;

const LETTER: f64 = 7.2;
const BOX_HEIGHT: f64 = 30.0;
const LEVEL: f64 = 104.0;
const GAP: f64 = 28.0;
const MARGIN: f64 = 24.0;

/// Where a body stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Middle of its box.
    x: f64,
    /// Middle of its box.
    y: f64,
    /// Width of its box.
    width: f64,
    /// Width of all that hangs on it, labels included.
    span: f64,
}

pub(crate) fn draw(picture: &Picture) -> String {
    let places = arrange(picture);
    let arcs: Vec<Arc> = picture.closures.iter().map(|closure| Arc::new(closure, &places)).collect();
    let right = places.iter().map(|place| place.x + place.span / 2.0).fold(0.0, f64::max);
    let boxes = places.iter().map(|place| place.y + BOX_HEIGHT / 2.0);
    let bottom = boxes.chain(arcs.iter().map(|arc| arc.at(0.5).1 + 8.0)).fold(0.0, f64::max);
    let (width, height) = (right + MARGIN, bottom + MARGIN);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" \
         text-anchor=\"middle\">"
    );
    let _ = writeln!(out, "<title>{}</title>", picture.title);
    out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    for (body, below) in picture.bodies.iter().zip(&places) {
        if let Some(parent) = body.parent {
            let above = places[parent];
            let (top, bottom) = (above.y + BOX_HEIGHT / 2.0, below.y - BOX_HEIGHT / 2.0);
            // A bend near the parent: straight where the labels are.
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {top:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1} V{bottom:.1}\" fill=\"none\" \
                 stroke=\"#333333\" stroke-width=\"1.6\"/>",
                above.x,
                above.x,
                top + 22.0,
                below.x,
                top + 8.0,
                below.x,
                top + 32.0,
            );
        }
    }
    for (closure, arc) in picture.closures.iter().zip(&arcs) {
        let dashes = if closure.is_joint { "7 4" } else { "2 4" };
        let [from, to] = arc.ends;
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"#b03a2e\" \
             stroke-width=\"1.6\" stroke-dasharray=\"{dashes}\"/>",
            from.0, from.1, from.0, arc.depth, to.0, arc.depth, to.0, to.1,
        );
    }
    for (body, place) in picture.bodies.iter().zip(&places) {
        let bottom = place.y - BOX_HEIGHT / 2.0;
        label(&mut out, (place.x, bottom - 26.0), &body.joint, "#1f4e79");
        label(&mut out, (place.x, bottom - 11.0), &body.coordinates.join(", "), "#555555");
    }
    for (closure, arc) in picture.closures.iter().zip(&arcs) {
        // Near the end where fewer lines meet, so that labels keep apart.
        let meeting =
            |body: usize| picture.closures.iter().filter(|c| c.from == body || c.to == body).count();
        let position = match meeting(closure.from).cmp(&meeting(closure.to)) {
            Ordering::Less => 0.22,
            Ordering::Equal => 0.5,
            Ordering::Greater => 0.78,
        };
        let (x, y) = arc.at(position);
        label(&mut out, (x, y + 4.0), &closure.label, "#b03a2e");
    }
    for (index, (body, place)) in picture.bodies.iter().zip(&places).enumerate() {
        let fill = if index == 0 { "#d9d9d9" } else { "#eaf1f8" };
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BOX_HEIGHT}\" rx=\"6\" fill=\"{fill}\" \
             stroke=\"#333333\"/>",
            place.x - place.width / 2.0,
            place.y - BOX_HEIGHT / 2.0,
            place.width,
        );
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", place.x, place.y + 4.0, body.name);
    }
    out += "</svg>\n";
    out
}

/// The line of a closure: a curve that hangs below both ends.
struct Arc {
    ends: [(f64, f64); 2],
    /// Height of both control points.
    depth: f64,
}

impl Arc {
    fn new(closure: &Closure, places: &[Place]) -> Self {
        const ASIDE: f64 = 12.0;
        let (from, to) = (places[closure.from], places[closure.to]);
        // Beside the middle, where the line to a child begins.
        let aside = if from.x < to.x { ASIDE } else { -ASIDE };
        let (left, right) = (from.y + BOX_HEIGHT / 2.0, to.y + BOX_HEIGHT / 2.0);
        Self { ends: [(from.x + aside, left), (to.x - aside, right)], depth: left.max(right) + 48.0 }
    }

    /// The point at 0 ≤ s ≤ 1 of the Bézier curve.
    fn at(&self, s: f64) -> (f64, f64) {
        let (a, b) = (1.0 - s, s);
        let weights = [a * a * a, 3.0 * a * a * b, 3.0 * a * b * b, b * b * b];
        let [from, to] = self.ends;
        let x = (weights[0] + weights[1]) * from.0 + (weights[2] + weights[3]) * to.0;
        let y = weights[0] * from.1 + (weights[1] + weights[2]) * self.depth + weights[3] * to.1;
        (x, y)
    }
}

/// Text on white, so that lines behind it do not disturb.
fn label(out: &mut String, (x, y): (f64, f64), text: &str, colour: &str) {
    if text.is_empty() {
        return;
    }
    let width = text.len() as f64 * 6.2 + 4.0;
    let _ = writeln!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"15\" fill=\"#ffffff\"/>\
         <text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\" font-size=\"11\">{text}</text>",
        x - width / 2.0,
        y - 11.0,
    );
}

/// Leaves side by side from left to right, each parent above the middle of its
/// children.
fn arrange(picture: &Picture) -> Vec<Place> {
    let mut places = vec![Place::default(); picture.bodies.len()];
    let order = picture.depth_first();
    for &index in order.iter().rev() {
        let body = &picture.bodies[index];
        let widest = body.name.len().max(body.joint.len()).max(body.coordinates.join(", ").len());
        let width = (body.name.len() as f64 * LETTER + 24.0).max(64.0);
        let own = width.max(widest as f64 * LETTER) + GAP;
        let children: f64 = body.children.iter().map(|&child| places[child].span).sum();
        places[index] = Place { width, span: own.max(children), ..Place::default() };
    }
    places[0].x = MARGIN + places[0].span / 2.0;
    places[0].y = MARGIN + BOX_HEIGHT / 2.0;
    for &index in &order {
        let children = &picture.bodies[index].children;
        let together: f64 = children.iter().map(|&child| places[child].span).sum();
        let mut left = places[index].x - together / 2.0;
        for &child in children {
            places[child].x = left + places[child].span / 2.0;
            places[child].y = places[index].y + LEVEL;
            left += places[child].span;
        }
    }
    places
}
