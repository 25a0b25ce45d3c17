//! The topology as a picture: ground on top, each body below its parent, joints along
//! the lines, whatever closes a loop dashed.

use super::Picture;
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
}

pub(crate) fn draw(picture: &Picture) -> String {
    let places = arrange(picture);
    let width = places.iter().map(|place| place.x + place.width / 2.0).fold(0.0, f64::max) + MARGIN;
    let arcs = if picture.closures.is_empty() { 0.0 } else { 44.0 };
    let height = places.iter().map(|place| place.y).fold(0.0, f64::max) + BOX_HEIGHT / 2.0 + MARGIN + arcs;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" \
         text-anchor=\"middle\">"
    );
    let _ = writeln!(out, "<title>{}</title>", picture.title);
    out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    for (index, body) in picture.bodies.iter().enumerate() {
        let Some(parent) = body.parent else { continue };
        let (above, below) = (places[parent], places[index]);
        let (top, bottom) = (above.y + BOX_HEIGHT / 2.0, below.y - BOX_HEIGHT / 2.0);
        // A bend near the parent: straight where the labels are.
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {top:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {bottom:.1}\" fill=\"none\" \
             stroke=\"#333333\" stroke-width=\"1.6\"/>",
            above.x,
            above.x,
            top + 34.0,
            below.x,
            top + 4.0,
            below.x,
        );
        label(&mut out, below.x, bottom - 26.0, &body.joint, "#1f4e79");
        label(&mut out, below.x, bottom - 11.0, &body.coordinates.join(", "), "#555555");
    }
    for (index, closure) in picture.closures.iter().enumerate() {
        let (from, to) = (places[closure.from], places[closure.to]);
        let depth = from.y.max(to.y) + BOX_HEIGHT / 2.0 + 40.0 + 6.0 * (index % 3) as f64;
        let dashes = if closure.is_joint { "7 4" } else { "2 4" };
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1} C{:.1} {depth:.1} {:.1} {depth:.1} {:.1} {:.1}\" fill=\"none\" \
             stroke=\"#b03a2e\" stroke-width=\"1.6\" stroke-dasharray=\"{dashes}\"/>",
            from.x,
            from.y + BOX_HEIGHT / 2.0,
            from.x,
            to.x,
            to.x,
            to.y + BOX_HEIGHT / 2.0,
        );
        let low = (from.y + to.y) / 8.0 + depth * 0.75 + BOX_HEIGHT / 8.0;
        label(&mut out, f64::midpoint(from.x, to.x), low + 4.0, &closure.label, "#b03a2e");
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

/// Text with a white rim, so that lines behind it do not disturb.
fn label(out: &mut String, x: f64, y: f64, text: &str, colour: &str) {
    if !text.is_empty() {
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"4\" \
             paint-order=\"stroke\" font-size=\"11\">{text}</text>"
        );
    }
}

/// Leaves side by side from left to right, each parent above the middle of its
/// children.
fn arrange(picture: &Picture) -> Vec<Place> {
    let mut places = vec![Place::default(); picture.bodies.len()];
    let order = picture.depth_first();
    let mut spans = vec![0.0_f64; picture.bodies.len()];
    for &index in order.iter().rev() {
        let body = &picture.bodies[index];
        let widest = body.name.len().max(body.joint.len()).max(body.coordinates.join(", ").len());
        places[index].width = (body.name.len() as f64 * LETTER + 24.0).max(64.0);
        let own = places[index].width.max(widest as f64 * LETTER) + GAP;
        spans[index] = own.max(body.children.iter().map(|&child| spans[child]).sum());
    }
    let mut left = vec![MARGIN; picture.bodies.len()];
    for &index in &order {
        let body = &picture.bodies[index];
        let children: f64 = body.children.iter().map(|&child| spans[child]).sum();
        let mut x = left[index] + (spans[index] - children) / 2.0;
        for &child in &body.children {
            left[child] = x;
            x += spans[child];
            places[child].y = places[index].y + LEVEL;
        }
        places[index].x = left[index] + spans[index] / 2.0;
        if body.parent.is_none() {
            places[index].y = MARGIN + BOX_HEIGHT / 2.0;
            for &child in &body.children {
                places[child].y = places[index].y + LEVEL;
            }
        }
    }
    places
}
