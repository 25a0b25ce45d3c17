//! From where to look: what is up, how large everything is, whether it is flat or leaves.

use super::fixed::Fixed;
use super::motion::Motion;
use super::vector::{Vec3, across, add, cross, direction, distance, dot, length, scale, sub};
use super::{Body, Road, Role, View};
use mbs_symbolic::model::Model;

/// A mechanism that travels farther than this many times its own size is followed.
const FAR: f64 = 3.0;

/// Half of the extent of all points of interest at the start, m; never zero.
pub(super) fn size(fixed: &Fixed<'_>, motion: &Motion) -> f64 {
    let mut bounds = Bounds::default();
    if motion.frames() > 0 {
        for (body, mass) in fixed.masses.iter().enumerate().skip(1) {
            bounds.add(motion.point(0, body, [0.0; 3]), 0.0);
            bounds.add(motion.point(0, body, mass.center), 0.0);
        }
    }
    let mut inside: f64 = 0.0;
    for marker in &fixed.frames {
        inside = inside.max(length(marker.position));
    }
    let radius = bounds.radius().max(0.25 * inside);
    if radius > 0.0 && radius.is_finite() { radius } else { 0.5 }
}

/// The direction that points up: against gravity, or as a drawing of a plane mechanism has it.
pub(super) fn up(model: &Model, fixed: &Fixed<'_>, motion: &Motion) -> Vec3 {
    match direction(fixed.vector(&model.gravity)) {
        Some(down) => scale(down, -1.0),
        None if normal(motion).is_some_and(|normal| normal[2] > 0.9) => [0.0, 1.0, 0.0],
        None => [0.0, 0.0, 1.0],
    }
}

/// The normal of the plane in which all bodies move, one of the ground axes.
fn normal(motion: &Motion) -> Option<Vec3> {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    axes.into_iter().find(|&axis| {
        let stays = |body: usize| {
            let start = motion.point(0, body, [0.0; 3]);
            let (seen, level) = (unturn(motion, body, axis), dot(start, axis));
            motion.some_frames().all(|frame| {
                let moved = dot(motion.point(frame, body, [0.0; 3]), axis) - level;
                distance(motion.direction(frame, body, seen), axis) < 1e-6 && moved.abs() < 1e-6
            })
        };
        motion.frames() > 0 && motion.bodies > 1 && (1..motion.bodies).all(stays)
    })
}

/// A direction of ground in the axes of a body at the start.
fn unturn(motion: &Motion, body: usize, direction_w: Vec3) -> Vec3 {
    super::vector::rotate(super::vector::conjugate(motion.rotations[body]), direction_w)
}

/// The view to begin with.
pub(super) fn view(
    model: &Model,
    fixed: &Fixed<'_>,
    bodies: &[Body],
    road: Option<&Road>,
    motion: &Motion,
    up: Vec3,
) -> View {
    let at = |frame: usize| {
        let mut bounds = Bounds::default();
        for (index, body) in bodies.iter().enumerate() {
            let seen = body.solids.iter().filter(|solid| solid.role != Role::Mass);
            for (point, reach) in seen.flat_map(|solid| solid.shape.reach()) {
                bounds.add(motion.point(frame, index, point), reach);
            }
        }
        bounds
    };
    let frames: Vec<Bounds> = motion.some_frames().map(at).collect();
    let start = frames.first().cloned().unwrap_or_default();
    let all = frames.iter().fold(Bounds::default(), |all, bounds| all.with(bounds));
    let leaves = all.radius() > FAR * start.radius();
    let shown = if leaves { &start } else { &all };

    // In the plane of a plane mechanism one looks almost straight at it.
    let plane = normal(motion);
    let eye = match plane {
        Some(normal) if dot(normal, up).abs() < 0.1 => {
            // The side from which the first ground axis points to the right.
            let right = cross(up, normal);
            let normal = if right[0] + right[1] < 0.0 { scale(normal, -1.0) } else { normal };
            add(add(normal, scale(cross(up, normal), 0.38)), scale(up, 0.26))
        }
        _ => {
            let side = if up[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
            let forward = direction(sub(side, scale(up, dot(side, up)))).unwrap_or(across(up));
            let left = cross(up, forward);
            // The corner from which what is large lies behind what is small.
            let clear = clear_side(bodies, motion);
            let corners = [[0.75, -1.0], [1.0, 0.75], [-0.75, 1.0], [-1.0, -0.75]];
            let corners = corners.map(|[a, b]| add(scale(forward, a), scale(left, b)));
            let best = corners.into_iter().reduce(|best, corner| {
                if dot(corner, clear) > dot(best, clear) + 1e-6 * length(clear) { corner } else { best }
            });
            add(best.unwrap_or(forward), scale(up, 0.55))
        }
    };
    let eye = direction(eye).unwrap_or(up);

    // Without gravity a plane mechanism lies on its paper; otherwise the floor is below.
    let weightless = fixed.vector(&model.gravity) == [0.0; 3];
    let floor_normal =
        plane.filter(|_| weightless).map_or(up, |n| if dot(n, eye) < 0.0 { scale(n, -1.0) } else { n });
    let lowest = frames.iter().fold(f64::INFINITY, |low, bounds| low.min(bounds.lowest(floor_normal)));
    let lowest = if leaves { start.lowest(floor_normal) } else { lowest };
    let gap = if weightless { 0.15 * shown.radius() } else { 0.0 };
    let level = match road {
        Some(road) => dot(road.origin, floor_normal) + road.lowest() - 1e-3 * shown.radius(),
        None if lowest.is_finite() => lowest - gap - 1e-3 * shown.radius(),
        None => 0.0,
    };
    let center = shown.center();
    let floor_point = add(center, scale(floor_normal, level - dot(center, floor_normal)));
    View {
        up,
        eye,
        center,
        radius: if shown.radius() > 0.0 { shown.radius() } else { 1.0 },
        floor: (floor_point, floor_normal),
        follow: if leaves { carrier(fixed, motion) } else { None },
    }
}

/// From the middle of what is large to the middle of everything, at the start.
fn clear_side(bodies: &[Body], motion: &Motion) -> Vec3 {
    let [mut middle, mut large] = [[0.0; 3]; 2];
    let [mut count, mut weight] = [0.0; 2];
    for (index, body) in bodies.iter().enumerate().filter(|_| motion.frames() > 0) {
        for solid in body.solids.iter().filter(|solid| solid.role == Role::Shape) {
            let reach = solid.shape.reach();
            let mut bounds = Bounds::default();
            reach.iter().for_each(|&(point, reach)| bounds.add(motion.point(0, index, point), reach));
            let area = (0..3).map(|k| bounds.high[k] - bounds.low[k]).product::<f64>().abs();
            (large, weight) = (add(large, scale(bounds.center(), area)), weight + area);
            (middle, count) = (add(middle, bounds.center()), count + 1.0);
        }
    }
    if weight > 0.0 { sub(scale(middle, 1.0 / count), scale(large, 1.0 / weight)) } else { [0.0; 3] }
}

/// The heaviest body among those that go far.
fn carrier(fixed: &Fixed<'_>, motion: &Motion) -> Option<usize> {
    let last = motion.frames().checked_sub(1)?;
    let way = |body: usize| distance(motion.point(last, body, [0.0; 3]), motion.point(0, body, [0.0; 3]));
    let farthest = (1..motion.bodies).map(way).fold(0.0, f64::max);
    let far = (1..motion.bodies).filter(|&body| way(body) > 0.5 * farthest);
    far.max_by(|&a, &b| fixed.masses[a].mass.total_cmp(&fixed.masses[b].mass))
}

/// A box around balls.
#[derive(Debug, Clone)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] }
    }
}

impl Bounds {
    fn add(&mut self, point: Vec3, reach: f64) {
        if point.iter().all(|x| x.is_finite()) {
            for (k, x) in point.into_iter().enumerate() {
                self.low[k] = self.low[k].min(x - reach);
                self.high[k] = self.high[k].max(x + reach);
            }
        }
    }

    fn with(mut self, other: &Self) -> Self {
        for k in 0..3 {
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
        }
        self
    }

    fn is_empty(&self) -> bool {
        self.low[0] > self.high[0]
    }

    fn center(&self) -> Vec3 {
        if self.is_empty() { [0.0; 3] } else { scale(add(self.low, self.high), 0.5) }
    }

    fn radius(&self) -> f64 {
        if self.is_empty() { 0.0 } else { 0.5 * distance(self.low, self.high) }
    }

    /// The smallest component along a direction.
    fn lowest(&self, direction: Vec3) -> f64 {
        if self.is_empty() {
            return f64::INFINITY;
        }
        (0..3).map(|k| direction[k] * if direction[k] > 0.0 { self.low[k] } else { self.high[k] }).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_balls() {
        let mut bounds = Bounds::default();
        assert!(
            (bounds.radius(), bounds.center()) == (0.0, [0.0; 3])
                && bounds.lowest([0.0, 0.0, 1.0]).is_infinite()
        );
        bounds.add([1.0, 0.0, 2.0], 1.0);
        bounds.add([f64::NAN, 0.0, 0.0], 1.0);
        assert_eq!((bounds.center(), bounds.lowest([0.0, 0.0, 1.0])), ([1.0, 0.0, 2.0], 1.0));
        assert_eq!(bounds.lowest([0.0, 0.0, -1.0]), -3.0);
    }
}
