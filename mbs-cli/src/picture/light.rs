//! Light and paint.

use super::camera::Camera;
use crate::scene::vector::{Vec3, add, cross, direction, dot, scale, sub};
use crate::scene::{Colour, View};

/// Linear light, red green blue.
pub(super) type Rgb = [f64; 3];

/// Where light comes from.
#[derive(Debug, Clone)]
pub(super) struct Light {
    pub(super) towards: Vec3,
    up: Vec3,
}

impl Light {
    /// Light over the shoulder of who looks.
    pub(super) fn new(view: &View) -> Self {
        let right = direction(cross(scale(view.eye, -1.0), view.up)).unwrap_or([1.0, 0.0, 0.0]);
        let towards = add(add(scale(view.up, 1.25), scale(view.eye, 0.55)), scale(right, -0.55));
        Self { towards: direction(towards).unwrap_or(view.up), up: view.up }
    }

    /// What a painted surface looks like (Blinn 1977 for the gloss).
    pub(super) fn shade(&self, Colour(paint): Colour, point: Vec3, normal: Vec3, camera: &Camera) -> Rgb {
        let to_eye = direction(sub(camera.eye, point)).unwrap_or(self.towards);
        let normal = if dot(normal, to_eye) < 0.0 { scale(normal, -1.0) } else { normal };
        let sky = 0.5 + 0.5 * dot(normal, self.up);
        let lit = dot(normal, self.towards).max(0.0);
        let half = direction(add(self.towards, to_eye)).unwrap_or(normal);
        let gloss = 0.22 * dot(normal, half).max(0.0).powi(40);
        let diffuse = 0.30 + 0.34 * sky + 0.62 * lit;
        paint.map(|c| linear(c) * diffuse + gloss)
    }
}

/// sRGB to linear light (IEC 61966-2-1).
pub(super) fn linear(c: u8) -> f64 {
    let c = f64::from(c) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Linear light to sRGB.
pub(super) fn srgb(c: f64) -> u8 {
    let c = c.clamp(0.0, 1.0);
    let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * c).round() as u8
}
