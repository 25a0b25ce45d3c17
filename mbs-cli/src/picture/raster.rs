//! A picture in pixels: triangles with a depth buffer, several samples a pixel.

use super::camera::{Camera, Seen};
use super::floor::Floor;
use super::light::{Light, Rgb, linear, srgb};
use super::{BACKGROUND, Theme};
use crate::scene::mesh::Surface;
use crate::scene::vector::{Vec3, add, dot, scale, sub};
use crate::scene::{Instant, Scene};

/// Corners around a circle.
const AROUND: usize = 48;
/// Samples of a pixel in each direction.
const SAMPLES: usize = 3;

/// Red, green and blue of all pixels, row by row from the top.
pub(crate) fn pixels(scene: &Scene, t: f64, [width, height]: [usize; 2], theme: Theme) -> Vec<u8> {
    let (w, h) = (width * SAMPLES, height * SAMPLES);
    let instant = scene.at(t, AROUND);
    let camera = Camera::new(scene, &instant, [w as f64, h as f64]);
    let light = Light::new(&scene.view);
    let mut canvas =
        Canvas { width: w, height: h, depth: vec![f64::INFINITY; w * h], light: vec![[0.0; 3]; w * h] };
    let floor = Floor::new(scene, &instant, theme);
    let shadow = canvas.shadow(&camera, &light, &floor, &instant);
    canvas.backdrop(&camera, &floor, &shadow, theme);
    for surface in instant.all() {
        canvas.draw(&camera, &light, surface);
    }
    canvas.reduced(width, height)
}

struct Canvas {
    width: usize,
    height: usize,
    depth: Vec<f64>,
    light: Vec<Rgb>,
}

impl Canvas {
    /// Background and floor.
    fn backdrop(&mut self, camera: &Camera, floor: &Floor, shadow: &[bool], theme: Theme) {
        let background = BACKGROUND[theme as usize].map(linear);
        for y in 0..self.height {
            for x in 0..self.width {
                let at = y * self.width + x;
                let ray = camera.ray(x as f64 + 0.5, y as f64 + 0.5);
                self.light[at] = background;
                if let Some((point, depth)) = floor.hit(camera.eye, ray) {
                    self.light[at] = floor.colour(point, depth, background, shadow[at]);
                    self.depth[at] = depth * 1.000_01;
                }
            }
        }
    }

    /// Where the floor lies in shadow, in samples.
    fn shadow(&self, camera: &Camera, light: &Light, floor: &Floor, instant: &Instant) -> Vec<bool> {
        let mut mask = vec![false; self.width * self.height];
        let fall = dot(light.towards, floor.normal);
        if fall < 0.05 {
            return mask;
        }
        for surface in &instant.surfaces {
            let mesh = &surface.mesh;
            for triangle in &mesh.triangles {
                let seen = triangle.map(|k| {
                    let point = mesh.positions[k as usize];
                    let above = dot(sub(point, floor.point), floor.normal);
                    camera.see(sub(point, scale(light.towards, above.max(0.0) / fall)))
                });
                let [Some(a), Some(b), Some(c)] = seen else { continue };
                cover(self.width, self.height, [a, b, c], |at, _| mask[at] = true);
            }
        }
        mask
    }

    fn draw(&mut self, camera: &Camera, light: &Light, surface: &Surface) {
        let mesh = &surface.mesh;
        for triangle in &mesh.triangles {
            let corners = triangle.map(|k| mesh.positions[k as usize]);
            let [Some(a), Some(b), Some(c)] = corners.map(|point| camera.see(point)) else { continue };
            let normals = triangle.map(|k| mesh.normals[k as usize]);
            let inverse = [a, b, c].map(|seen| 1.0 / seen.depth);
            let (width, height) = (self.width, self.height);
            cover(width, height, [a, b, c], |at, weights| {
                let depth = 1.0 / (0..3).map(|k| weights[k] * inverse[k]).sum::<f64>();
                if depth < self.depth[at] {
                    self.depth[at] = depth;
                    let mix = |list: [Vec3; 3]| {
                        let part = |k: usize| scale(list[k], weights[k] * inverse[k] * depth);
                        add(add(part(0), part(1)), part(2))
                    };
                    let normal = crate::scene::vector::direction(mix(normals)).unwrap_or(normals[0]);
                    self.light[at] = light.shade(surface.colour, mix(corners), normal, camera);
                }
            });
        }
    }

    /// Samples averaged to pixels, in linear light.
    fn reduced(&self, width: usize, height: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0; 3];
                for sample in 0..SAMPLES * SAMPLES {
                    let (i, j) = (sample % SAMPLES, sample / SAMPLES);
                    let light = self.light[(y * SAMPLES + j) * self.width + x * SAMPLES + i];
                    sum = add(sum, light.map(|c| c.clamp(0.0, 1.0)));
                }
                out.extend(sum.map(|c| srgb(c / (SAMPLES * SAMPLES) as f64)));
            }
        }
        out
    }
}

/// Calls `paint` for every sample inside a triangle, with the weights of its corners.
fn cover(width: usize, height: usize, [a, b, c]: [Seen; 3], mut paint: impl FnMut(usize, [f64; 3])) {
    let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if area.abs() < 1e-12 || !area.is_finite() {
        return;
    }
    let bound = |low: f64, high: f64, size: usize| {
        (low.floor().max(0.0) as usize, (high.ceil().max(0.0) as usize).min(size))
    };
    let (left, right) = bound(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), width);
    let (top, bottom) = bound(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), height);
    for y in top..bottom {
        let py = y as f64 + 0.5;
        for x in left..right {
            let px = x as f64 + 0.5;
            let wa = ((b.x - px) * (c.y - py) - (c.x - px) * (b.y - py)) / area;
            let wb = ((c.x - px) * (a.y - py) - (a.x - px) * (c.y - py)) / area;
            let wc = 1.0 - wa - wb;
            if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
                paint(y * width + x, [wa, wb, wc]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_covers_half_of_its_square() {
        let seen = |x: f64, y: f64| Seen { x, y, depth: 1.0 };
        let mut count = 0;
        cover(100, 100, [seen(0.0, 0.0), seen(100.0, 0.0), seen(0.0, 100.0)], |_, weights| {
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            count += 1;
        });
        assert!((4950..=5050).contains(&count), "{count}");
        // Outside of the picture nothing is painted, and nothing fails.
        cover(10, 10, [seen(-50.0, -50.0), seen(-20.0, -50.0), seen(-20.0, -20.0)], |_, _| panic!());
    }
}
