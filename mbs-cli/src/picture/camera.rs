//! From points in space to points of a picture.

use crate::scene::vector::{Vec3, across, add, cross, direction, dot, scale, sub};
use crate::scene::{Instant, Scene};

/// Half the angle of view, rad.
const HALF_ANGLE: f64 = 0.27;
/// How much of the picture the mechanism may fill, in each direction.
const FILLED: f64 = 0.8;

/// A camera with perspective; pixels count from the upper left corner.
#[derive(Debug, Clone)]
pub(crate) struct Camera {
    pub(crate) eye: Vec3,
    right: Vec3,
    up: Vec3,
    /// From the eye into the picture.
    forward: Vec3,
    /// Pixels for a slope of one.
    focus: f64,
    middle: [f64; 2],
}

/// A point of a picture, px, with its distance along the line of sight, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seen {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) depth: f64,
}

impl Camera {
    /// Looks at what is there as the view of the scene says, in a picture of this size.
    pub(crate) fn new(scene: &Scene, instant: &Instant, [width, height]: [f64; 2]) -> Self {
        let view = &scene.view;
        let forward = scale(view.eye, -1.0);
        let right = direction(cross(forward, view.up)).unwrap_or_else(|| across(forward));
        let up = cross(right, forward);
        let away = instant.radius / HALF_ANGLE.sin();
        let eye = add(instant.center, scale(view.eye, away));
        // As large as fits, with the middle of what is seen in the middle.
        let mut camera = Self { eye, right, up, forward, focus: 1.0, middle: [0.0; 2] };
        let points = instant.surfaces.iter().flat_map(|surface| &surface.mesh.positions);
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for seen in points.filter_map(|&point| camera.see(point)) {
            for (k, c) in [seen.x, seen.y].into_iter().enumerate() {
                (low[k], high[k]) = (low[k].min(c), high[k].max(c));
            }
        }
        if low[0] > high[0] {
            (low, high) = ([-HALF_ANGLE; 2], [HALF_ANGLE; 2]);
        }
        let extent = |k: usize| (high[k] - low[k]).max(0.3 * HALF_ANGLE);
        camera.focus = (FILLED * width / extent(0)).min(FILLED * height / extent(1));
        camera.middle = [0, 1].map(|k| 0.5 * [width, height][k] - camera.focus * 0.5 * (low[k] + high[k]));
        camera
    }

    /// Where a point is seen; `None` behind the eye.
    pub(crate) fn see(&self, point: Vec3) -> Option<Seen> {
        let from_eye = sub(point, self.eye);
        let depth = dot(from_eye, self.forward);
        (depth > 1e-9).then(|| Seen {
            x: self.middle[0] + self.focus * dot(from_eye, self.right) / depth,
            y: self.middle[1] - self.focus * dot(from_eye, self.up) / depth,
            depth,
        })
    }

    /// The direction in which a pixel looks, not of unit length: its part forward is one.
    pub(crate) fn ray(&self, x: f64, y: f64) -> Vec3 {
        let (a, b) = ((x - self.middle[0]) / self.focus, (self.middle[1] - y) / self.focus);
        add(self.forward, add(scale(self.right, a), scale(self.up, b)))
    }
}
