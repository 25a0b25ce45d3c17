//! A scene at one time.

use super::mesh::{Mesh, Surface, stretched};
use super::vector::{Quaternion, Vec3, add, cross, distance, rotate, scale, sub};
use super::{Colour, Road, Role, Scene};

/// What there is to see at one time, in ground axes.
pub(crate) struct Instant {
    /// The mechanism.
    pub(crate) surfaces: Vec<Surface>,
    pub(crate) road: Option<Surface>,
    /// Middle of the mechanism, and how far it reaches around it, m.
    pub(crate) center: Vec3,
    pub(crate) radius: f64,
}

impl Scene {
    /// The mechanism and its road at time `t`, with so many corners around a circle. Centres of mass are left out: they lie inside.
    pub(crate) fn at(&self, t: f64, around: usize) -> Instant {
        let poses = self.motion.poses_at(t);
        let mut surfaces = Vec::new();
        for (body, &(position, rotation)) in self.bodies.iter().zip(&poses) {
            for surface in body
                .solids
                .iter()
                .filter(|solid| solid.role != Role::Mass)
                .flat_map(|solid| solid.surfaces(around))
            {
                let mesh =
                    surface.mesh.moved(|p| add(position, rotate(rotation, p)), |n| rotate(rotation, n));
                surfaces.push(Surface { mesh, ..surface });
            }
        }
        for link in &self.links {
            let [from, to] = link.ends.map(|(body, point)| {
                let (position, rotation) = poses[body];
                add(position, rotate(rotation, point))
            });
            let (start, turn, long) = stretched(from, to);
            for surface in link.surfaces(around) {
                let place = |[x, y, z]: Vec3| add(start, rotate(turn, [x, y, z * long]));
                let mesh = surface.mesh.moved(place, |n| rotate(turn, n));
                surfaces.push(Surface { mesh, ..surface });
            }
        }
        let points = || surfaces.iter().flat_map(|surface| &surface.mesh.positions);
        let bound = |pick: fn(f64, f64) -> f64, start: f64| {
            points().fold([start; 3], |bound, point| [0, 1, 2].map(|k| pick(bound[k], point[k])))
        };
        let (low, high) = (bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
        let (center, radius) = if low[0] <= high[0] {
            let center = scale(add(low, high), 0.5);
            (center, points().map(|&point| distance(point, center)).fold(0.0, f64::max))
        } else {
            (self.view.center, self.view.radius)
        };
        let road = self.road.as_ref().filter(|road| road.has_profile()).map(|road| {
            let Surface { mesh, colour } = road.surface(&road.heights_at(&self.motion, t));
            let way = scale(road.along, -road.speed * t);
            Surface { mesh: mesh.moved(|p| add(p, way), |n| n), colour }
        });
        Instant { surfaces, road, center, radius }
    }
}

impl Road {
    /// Its surface with these heights at the time its profile begins, in ground axes.
    pub(crate) fn surface(&self, heights: &[f64]) -> Surface {
        const GREY: Colour = Colour([0x8a, 0x90, 0x98]);
        // Level road before and behind the profile, this many widths long.
        const ENDS: f64 = 8.0;
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (k, &height) in heights.iter().enumerate() {
            points.push((self.start + self.step * k as f64, height));
        }
        if let (Some(&first), Some(&last)) = (points.first(), points.last()) {
            points.insert(0, (first.0 - ENDS * self.width, first.1));
            points.push((last.0 + ENDS * self.width, last.1));
        }
        let mut surface = Surface { mesh: Mesh::new(0), colour: GREY };
        let mesh = &mut surface.mesh;
        for pair in points.windows(2) {
            mesh.strip([pair[0], pair[1]], self.origin, [self.along, self.up()], self.width);
        }
        surface
    }

    fn up(&self) -> Vec3 {
        let side = cross([0.0, 0.0, 1.0], self.along);
        cross(self.along, side)
    }
}

impl Instant {
    /// The mechanism and its road.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Surface> {
        self.surfaces.iter().chain(&self.road)
    }
}

impl super::Motion {
    /// The frames before and after a time, and how far it is from one to the other, 0 to 1; `None`
    /// without frames.
    pub(super) fn between(&self, t: f64) -> Option<(usize, usize, f64)> {
        let next = self.times.partition_point(|&time| time < t).min(self.frames().checked_sub(1)?);
        let before = next.saturating_sub(1);
        let span = self.times[next] - self.times[before];
        let part = if span > 0.0 { ((t - self.times[before]) / span).clamp(0.0, 1.0) } else { 1.0 };
        Some((before, next, part))
    }

    /// Poses of all bodies at time `t`: between two frames straight from one to the other.
    pub(crate) fn poses_at(&self, t: f64) -> Vec<(Vec3, Quaternion)> {
        let (before, next, part) = self.between(t).unwrap_or((0, 0, 1.0));
        (0..self.bodies)
            .map(|body| {
                let [a, b] = [before, next].map(|frame| frame * self.bodies + body);
                let (p, q) = (self.positions[a], self.positions[b]);
                let position = add(p, scale(sub(q, p), part));
                let [from, to] = [self.rotations[a], self.rotations[b]];
                let mixed: Quaternion = std::array::from_fn(|k| from[k] + part * (to[k] - from[k]));
                let norm = mixed.iter().map(|x| x * x).sum::<f64>().sqrt();
                (position, mixed.map(|x| x / norm))
            })
            .collect()
    }
}
