//! The road: of contacts and rolling wheels as the model has it, and of tyre forces that
//! follow a height over time where it can be told from the motion how the road passes by.

use super::fixed::Fixed;
use super::motion::Motion;
use super::vector::{Vec3, conjugate, cross, direction, distance, dot, length, multiply, rotate, scale, sub};
use super::{Body, Road, Role, Shape, point};
use mbs_symbolic::ids::{FrameId, Id, VariableId};
use mbs_symbolic::model::{ConstraintKind, Defaults, ForceKind, Formula, Model, TermKind};

/// Points of a profile.
const POINTS: usize = 800;
/// Points of a profile that changes with time, and all of its heights in all frames together.
const FEWEST_POINTS: usize = 80;
const MAX_HEIGHTS: usize = 200_000;
/// A profile reaches this many wheel radii beyond the run, at least.
const BEYOND: f64 = 12.0;

/// A wheel of which something is known about the road below.
struct Rolling {
    body: usize,
    /// Middle and unit axis in body axes.
    center: Vec3,
    axis: Vec3,
    radius: f64,
    width: f64,
    kind: Kind,
}

enum Kind {
    /// The flat plane of a rolling constraint: a point in ground axes.
    Flat(Vec3),
    /// Heights over ground x.
    Along(Formula),
    /// A variable of time.
    Heights(VariableId),
}

/// Finds the road, and makes wheels of the cylinders that roll on it.
pub(super) fn find(
    model: &Model,
    fixed: &Fixed<'_>,
    up: Vec3,
    bodies: &mut [Body],
    motion: &Motion,
) -> Option<Road> {
    let times = Times { model, defaults: fixed.defaults };
    let mut wheels = Vec::new();
    for constraint in model.constraints.iter() {
        if let ConstraintKind::Rolling { wheel, plane, .. } = &constraint.kind {
            let (body, plane) = point(model, fixed, *plane);
            let kind = Kind::Flat(plane);
            if body == 0 {
                wheels.extend(make_wheel(model, fixed, bodies, *wheel, kind));
            }
        }
    }
    for force in model.forces.iter() {
        match &force.kind {
            ForceKind::Contact { on, road, .. } | ForceKind::PointContactTyre { on, road, .. } => {
                wheels.extend(make_wheel(model, fixed, bodies, *on, Kind::Along(road.clone())));
            }
            ForceKind::Force { on, axes, force, .. } if model.frames[*axes].body.index() == 0 => {
                if let Some(height) = times.height_in(&force[2]) {
                    wheels.extend(make_wheel(model, fixed, bodies, *on, Kind::Heights(height)));
                }
            }
            _ => {}
        }
    }
    by_name(bodies);
    if motion.frames() < 2 || up[2] < 0.99 {
        return None;
    }
    let roads: Vec<Road> = wheels.iter().filter_map(|wheel| wheel.road(&times, &wheels, motion)).collect();
    // All wheels of a vehicle run over the same road: the one that is ahead shows most of it.
    let ahead = |road: &Road| dot(road.origin, road.along);
    roads.into_iter().max_by(|a, b| ahead(a).total_cmp(&ahead(b)))
}

/// Turns the cylinders of a body whose axis passes a frame into wheels.
fn make_wheel(
    model: &Model,
    fixed: &Fixed<'_>,
    bodies: &mut [Body],
    frame: FrameId,
    kind: Kind,
) -> Option<Rolling> {
    let (body, at) = point(model, fixed, frame);
    let mut widths: Option<(Vec3, f64, f64, f64)> = None;
    for solid in &mut bodies[body].solids {
        let (Shape::Cylinder { from, to, radius } | Shape::Wheel { from, to, radius }) = solid.shape else {
            continue;
        };
        let Some(axis) = direction(sub(to, from)) else { continue };
        let aside = length(cross(sub(at, from), axis));
        if solid.role == Role::Shape && aside < 0.1 * radius && distance(from, to) < 1.5 * radius {
            solid.shape = Shape::Wheel { from, to, radius };
            let [a, b] = [from, to].map(|end| dot(sub(end, at), axis).abs());
            let half = a.max(b).max(widths.map_or(0.0, |(.., half)| half));
            widths = Some((axis, radius, distance(from, to), half));
        }
    }
    widths.map(|(axis, radius, _, half)| Rolling { body, center: at, axis, radius, width: 2.0 * half, kind })
}

/// Flat cylinders of bodies called wheels are wheels.
fn by_name(bodies: &mut [Body]) {
    for body in bodies {
        let name = body.name.to_lowercase();
        if !["wheel", "tyre", "tire"].iter().any(|word| name.contains(word)) {
            continue;
        }
        for solid in &mut body.solids {
            if let Shape::Cylinder { from, to, radius } = solid.shape
                && solid.role == Role::Shape
                && distance(from, to) < 1.5 * radius
            {
                solid.shape = Shape::Wheel { from, to, radius };
            }
        }
    }
}

impl Rolling {
    fn at(&self, motion: &Motion, frame: usize) -> Vec3 {
        motion.point(frame, self.body, self.center)
    }

    /// The way over ground during the run.
    fn way(&self, motion: &Motion) -> Vec3 {
        let way = sub(self.at(motion, motion.frames() - 1), self.at(motion, 0));
        [way[0], way[1], 0.0]
    }

    fn road(&self, times: &Times<'_>, all: &[Rolling], motion: &Motion) -> Option<Road> {
        let width = (1.6 * self.width).max(1.2 * self.radius);
        let below = sub(self.at(motion, 0), [0.0, 0.0, self.radius]);
        match &self.kind {
            // The floor itself is the plane.
            Kind::Flat(plane) => Some(Road {
                origin: [below[0], below[1], plane[2]],
                along: [1.0, 0.0, 0.0],
                speed: 0.0,
                width: 0.0,
                start: 0.0,
                step: 1.0,
                heights: vec![0.0],
                heights_over_time: Vec::new(),
            }),
            Kind::Along(formula) => {
                let xs = (0..motion.frames()).map(|frame| self.at(motion, frame)[0]);
                let (low, high) = xs.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
                let side = self.at(motion, 0)[1];
                let margin = BEYOND * self.radius;
                let (start, end) = (low - margin, high + margin);
                let changes =
                    formula.terms.iter().any(|term| matches!(term.kind, TermKind::Time | TermKind::Input(_)));
                let most = if changes { MAX_HEIGHTS / motion.frames() } else { POINTS };
                let points = most.clamp(FEWEST_POINTS, POINTS);
                let step = (end - start) / (points - 1) as f64;
                let at = |t: f64| -> Option<Vec<f64>> {
                    (0..points).map(|k| times.road(formula, [start + k as f64 * step, side], t)).collect()
                };
                let heights = at(motion.times[0])?;
                let mut heights_over_time = Vec::new();
                if changes {
                    heights_over_time = motion.times.iter().map(|&t| at(t)).collect::<Option<Vec<_>>>()?;
                    if heights_over_time.iter().all(|later| *later == heights) {
                        heights_over_time.clear();
                    }
                }
                let origin = [0.0, side, 0.0];
                Some(Road {
                    origin,
                    along: [1.0, 0.0, 0.0],
                    speed: 0.0,
                    width,
                    start,
                    step,
                    heights,
                    heights_over_time,
                })
            }
            Kind::Heights(variable) => {
                let level = times.value(*variable, motion.times[0])?;
                let origin = sub(below, [0.0, 0.0, level]);
                let way = self.way(motion);
                if length(way) > 3.0 * self.radius {
                    let along = direction(way)?;
                    let place = |frame: usize| dot(sub(self.at(motion, frame), self.at(motion, 0)), along);
                    let (start, step, heights) = times.over(*variable, motion, place)?;
                    let heights_over_time = Vec::new();
                    return Some(Road {
                        origin,
                        along,
                        speed: 0.0,
                        width,
                        start,
                        step,
                        heights,
                        heights_over_time,
                    });
                }
                let velocity =
                    self.rolling_velocity(motion).or_else(|| self.lag(*variable, times, all, motion))?;
                let (along, speed) = (direction(velocity)?, length(velocity));
                let start = motion.times[0];
                let place = |frame: usize| speed * (motion.times[frame] - start);
                let (begin, step, heights) = times.over(*variable, motion, place)?;
                Some(Road {
                    origin,
                    along,
                    speed,
                    width,
                    start: begin + speed * start,
                    step,
                    heights,
                    heights_over_time: Vec::new(),
                })
            }
        }
    }

    /// How fast the wheel would move if it rolled without slip: ω × r, from its first turn.
    fn rolling_velocity(&self, motion: &Motion) -> Option<Vec3> {
        let [q0, q1] = [motion.rotations[self.body], motion.rotations[motion.bodies + self.body]];
        let turn = multiply(q1, conjugate(q0));
        let axis = rotate(q0, self.axis);
        let angle = 2.0 * dot([turn[1], turn[2], turn[3]], axis).atan2(turn[0]);
        let rate = angle / (motion.times[1] - motion.times[0]);
        let velocity = cross(scale(axis, rate), [0.0, 0.0, self.radius]);
        (length(velocity) > 0.1 * self.radius).then_some([velocity[0], velocity[1], 0.0])
    }

    /// The velocity at which another wheel meets the same heights later or earlier.
    fn lag(&self, own: VariableId, times: &Times<'_>, all: &[Rolling], motion: &Motion) -> Option<Vec3> {
        let peak = |variable: VariableId| {
            let heights = motion.times.iter().map(|&t| (t, times.value(variable, t).unwrap_or(0.0)));
            let (t, height) = heights.reduce(|best, now| if now.1 > best.1 { now } else { best })?;
            // A peak at the edge of the run may not be one.
            let inside = t > motion.times[0] && t < *motion.times.last()?;
            (inside && height.abs() > 0.0).then_some(t)
        };
        all.iter().find_map(|other| {
            let Kind::Heights(theirs) = other.kind else { return None };
            let away = sub(self.at(motion, 0), other.at(motion, 0));
            let later = peak(theirs)? - peak(own)?;
            let apart = [away[0], away[1], 0.0];
            (length(apart) > self.radius && later != 0.0).then(|| scale(apart, 1.0 / later))
        })
    }
}

/// Formulas of time alone.
struct Times<'m> {
    model: &'m Model,
    defaults: &'m Defaults<'m>,
}

impl Times<'_> {
    /// The value of a variable that depends on time alone.
    fn value(&self, variable: VariableId, t: f64) -> Option<f64> {
        let mut values: Vec<Option<f64>> = vec![None; self.model.variables.len()];
        for &id in &self.model.variable_order {
            values[id.index()] = self.formula(&self.model.variables[id].value, t, &values);
            if id == variable {
                break;
            }
        }
        values[variable.index()].filter(|value| value.is_finite())
    }

    fn formula(&self, formula: &Formula, t: f64, variables: &[Option<f64>]) -> Option<f64> {
        self.defaults.evaluate_with(formula, |kind| match kind {
            TermKind::Time => Some(t),
            TermKind::Variable(id) => variables[id.index()],
            TermKind::Input(id) => self.defaults.evaluate_at(&self.model.inputs[id].default, t),
            _ => None,
        })
    }

    /// The height of a road at ground x and y.
    fn road(&self, road: &Formula, place: [f64; 2], t: f64) -> Option<f64> {
        let value = self.defaults.evaluate_with(road, |kind| match kind {
            TermKind::Local(axis) => place.get(usize::from(axis)).copied(),
            TermKind::Time => Some(t),
            TermKind::Input(id) => self.defaults.evaluate_at(&self.model.inputs[id].default, t),
            _ => None,
        });
        value.filter(|value| value.is_finite())
    }

    /// The one variable of time that a force follows beside positions.
    fn height_in(&self, force: &Formula) -> Option<VariableId> {
        let mut heights: Vec<VariableId> = Vec::new();
        let mut seen = vec![false; self.model.variables.len()];
        let mut follows_motion = false;
        let mut open: Vec<&Formula> = vec![force];
        while let Some(formula) = open.pop() {
            for term in &formula.terms {
                match term.kind {
                    TermKind::Variable(id) if !std::mem::replace(&mut seen[id.index()], true) => {
                        let constant = [0.0, 0.37].map(|t| self.value(id, t));
                        match constant {
                            [Some(_), Some(_)] => heights.push(id),
                            _ => open.push(&self.model.variables[id].value),
                        }
                    }
                    TermKind::Coordinate(_) | TermKind::Query(_) => follows_motion = true,
                    _ => {}
                }
            }
        }
        match heights[..] {
            [height] if follows_motion => Some(height),
            _ => None,
        }
    }

    /// Heights at even distances over places that grow with time: where they begin, their
    /// distance, and the heights.
    fn over(
        &self,
        variable: VariableId,
        motion: &Motion,
        place: impl Fn(usize) -> f64,
    ) -> Option<(f64, f64, Vec<f64>)> {
        let last = motion.frames() - 1;
        let (start, end) = (place(0), place(last));
        let step = (end - start) / (POINTS - 1) as f64;
        let mut frame = 0;
        let mut heights = Vec::with_capacity(POINTS);
        for k in 0..POINTS {
            let s = start + k as f64 * step;
            while frame + 1 < last && place(frame + 1) < s {
                frame += 1;
            }
            let (a, b) = (place(frame), place(frame + 1));
            let part = if b > a { ((s - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 };
            let t = motion.times[frame] + part * (motion.times[frame + 1] - motion.times[frame]);
            heights.push(self.value(variable, t)?);
        }
        Some((start, step, heights))
    }
}

impl Road {
    /// Whether there is more to draw than the floor.
    pub(crate) fn has_profile(&self) -> bool {
        self.width > 0.0
    }

    /// Heights at a time, between two frames straight from one to the other.
    pub(crate) fn heights_at(&self, motion: &Motion, t: f64) -> Vec<f64> {
        let Some((before, next, part)) = motion.between(t).filter(|_| !self.heights_over_time.is_empty())
        else {
            return self.heights.clone();
        };
        let (from, to) = (&self.heights_over_time[before], &self.heights_over_time[next]);
        from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect()
    }

    /// The lowest height of all.
    pub(crate) fn lowest(&self) -> f64 {
        let all = self.heights.iter().chain(self.heights_over_time.iter().flatten());
        all.copied().fold(0.0, f64::min)
    }
}
