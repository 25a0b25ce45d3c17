//! A picture as SVG: faces from the farthest to the nearest.

use super::camera::{Camera, Seen};
use super::floor::Floor;
use super::light::{Light, srgb};
use super::{BACKGROUND, Theme};
use crate::scene::Scene;
use crate::scene::vector::{add, cross, dot, scale, sub};
use std::fmt::Write;

/// Corners around a circle; every face is a line of the file.
const AROUND: usize = 20;

/// The picture of a scene at time `t`.
pub(crate) fn text(scene: &Scene, t: f64, [width, height]: [usize; 2], theme: Theme) -> String {
    let instant = scene.at(t, AROUND);
    let camera = Camera::new(scene, &instant, [width as f64, height as f64]);
    let light = Light::new(&scene.view);
    let [r, g, b] = BACKGROUND[theme as usize];
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#{r:02x}{g:02x}{b:02x}\"/>\n"
    );
    let line = ["#b4beca", "#4a5563"][theme as usize];
    for (ends, left) in Floor::new(scene, &instant, theme).lines() {
        if let [Some(a), Some(b)] = ends.map(|point| camera.see(point)) {
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{line}\" stroke-opacity=\"{:.2}\" stroke-width=\"0.8\"/>",
                a.x,
                a.y,
                b.x,
                b.y,
                0.7 * left
            );
        }
    }
    let mut faces: Vec<Face> = Vec::new();
    for surface in instant.all() {
        let mesh = &surface.mesh;
        for triangle in &mesh.triangles {
            let corners = triangle.map(|k| mesh.positions[k as usize]);
            let [a, b, c] = corners;
            let middle = scale(add(add(a, b), c), 1.0 / 3.0);
            // Only what faces the eye.
            if dot(cross(sub(b, a), sub(c, a)), sub(camera.eye, middle)) <= 0.0 {
                continue;
            }
            let [Some(a), Some(b), Some(c)] = corners.map(|point| camera.see(point)) else { continue };
            // Too small to be seen, but not to be stored.
            if ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)).abs() < 0.12 {
                continue;
            }
            let normals = triangle.map(|k| mesh.normals[k as usize]);
            let normal = add(add(normals[0], normals[1]), normals[2]);
            let normal = crate::scene::vector::direction(normal).unwrap_or(normals[0]);
            let colour = light.shade(surface.colour, middle, normal, &camera).map(srgb);
            faces.push(Face { corners: [a, b, c], colour });
        }
    }
    faces.sort_by(|a, b| b.depth().total_cmp(&a.depth()));
    out.push_str("<g stroke-width=\"0.5\" stroke-linejoin=\"round\">\n");
    for Face { corners: [a, b, c], colour: [red, green, blue] } in &faces {
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1} {:.1} {:.1}Z\" fill=\"#{red:02x}{green:02x}{blue:02x}\" stroke=\"#{red:02x}{green:02x}{blue:02x}\"/>",
            a.x, a.y, b.x, b.y, c.x, c.y
        );
    }
    out.push_str("</g>\n</svg>\n");
    out
}

struct Face {
    corners: [Seen; 3],
    colour: [u8; 3],
}

impl Face {
    fn depth(&self) -> f64 {
        self.corners.iter().map(|corner| corner.depth).sum()
    }
}
