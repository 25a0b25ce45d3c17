//! The floor: a plane with lines that fade away.

use super::Theme;
use super::light::{Rgb, linear};
use crate::scene::vector::{Vec3, across, add, cross, distance, dot, scale, sub};
use crate::scene::{Instant, Scene};

/// The plane below a mechanism.
#[derive(Debug, Clone)]
pub(super) struct Floor {
    pub(super) point: Vec3,
    pub(super) normal: Vec3,
    /// Directions of its lines.
    axes: [Vec3; 2],
    /// Distance of two lines, m.
    pub(super) pitch: f64,
    center: Vec3,
    /// Where it has faded away, m.
    reach: f64,
    theme: Theme,
}

const LINES: [[u8; 3]; 2] = [[0xb4, 0xbe, 0xca], [0x4a, 0x55, 0x63]];

impl Floor {
    pub(super) fn new(scene: &Scene, instant: &Instant, theme: Theme) -> Self {
        let (point, normal) = scene.view.floor;
        let main = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let first =
            main.into_iter().find(|&axis| dot(axis, normal).abs() < 1e-6).unwrap_or_else(|| across(normal));
        let center = instant.center;
        let center = sub(center, scale(normal, dot(sub(center, point), normal)));
        let reach = 2.8 * instant.radius;
        Self {
            point,
            normal,
            axes: [first, cross(normal, first)],
            pitch: round(0.34 * instant.radius),
            center,
            reach,
            theme,
        }
    }

    /// Where a ray from the eye meets it, and how far that is in lengths of the ray.
    pub(super) fn hit(&self, eye: Vec3, ray: Vec3) -> Option<(Vec3, f64)> {
        let depth = dot(sub(self.point, eye), self.normal) / dot(ray, self.normal);
        let point = add(eye, scale(ray, depth));
        (depth > 0.0 && depth.is_finite() && distance(point, self.center) < self.reach)
            .then_some((point, depth))
    }

    /// Its colour at a point seen at a depth.
    pub(super) fn colour(&self, point: Vec3, depth: f64, background: Rgb, shadow: bool) -> Rgb {
        let fade = 1.0 - (distance(point, self.center) / self.reach).powi(2);
        let line = LINES[self.theme as usize].map(linear);
        // Lines of a constant width in the picture.
        let half = 0.0009 * depth;
        let on = self.axes.iter().any(|&axis| {
            let place = dot(point, axis) / self.pitch;
            (place - place.round()).abs() * self.pitch < half
        });
        let cover = fade * (if on { 0.75 } else { 0.0 });
        let dark = if shadow { 1.0 - 0.34 * fade } else { 1.0 };
        std::array::from_fn(|k| (background[k] + cover * (line[k] - background[k])) * dark)
    }

    /// Its lines as pairs of points, with how much is left of each after fading.
    pub(super) fn lines(&self) -> Vec<([Vec3; 2], f64)> {
        let mut lines = Vec::new();
        for (along, other) in [(self.axes[0], self.axes[1]), (self.axes[1], self.axes[0])] {
            let middle = dot(self.center, other);
            let count = (self.reach / self.pitch).floor() as i64;
            let nearest = (middle / self.pitch).round() as i64;
            for k in nearest - count..=nearest + count {
                let off = k as f64 * self.pitch - middle;
                if off.abs() < self.reach {
                    let half = (self.reach * self.reach - off * off).sqrt();
                    let foot = add(self.center, scale(other, off));
                    let ends = [-half, half].map(|distance| add(foot, scale(along, distance)));
                    lines.push((ends, 1.0 - (off / self.reach).powi(2)));
                }
            }
        }
        lines
    }
}

/// The nearest of 1, 2, 5, 10, …
fn round(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let leading = value / power;
    power
        * if leading < 1.5 {
            1.0
        } else if leading < 3.5 {
            2.0
        } else if leading < 7.5 {
            5.0
        } else {
            10.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitches_are_round() {
        assert_eq!([0.34, 1.3, 4.0, 8.0].map(round), [0.2, 1.0, 5.0, 10.0]);
    }
}
