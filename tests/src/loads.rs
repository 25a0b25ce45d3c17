//! Applied forces: a wrench on every body, forces along velocities, potential energy.

use mbs_symbolic::ids::{BodyId, CoordinateId, FrameId, Id, VelocityId};
use mbs_symbolic::model::ForceKind;

use crate::elastic;
use crate::formula::angular_velocity;
use crate::mechanism::Moving;
use crate::scalar::{Elementary, Jet, Scalar};
use crate::transform::{self, Vec3};

/// What acts on the mechanism at one state.
#[derive(Debug, Clone)]
pub struct Loads<S> {
    /// Force, and torque about the body's origin, in ground axes, of every body.
    pub bodies: Vec<[Vec3<S>; 2]>,
    /// Forces along single velocities.
    pub velocities: Vec<(VelocityId, S)>,
}

/// Every force element and gravity.
pub fn loads<S: Scalar>(moving: &Moving<'_, S>) -> Loads<S> {
    let model = moving.values.model;
    let mut loads =
        Loads { bodies: vec![[transform::zero(); 2]; model.bodies.len()], velocities: Vec::new() };
    let gravity = now(moving.values.get3(&model.gravity));
    for (id, body) in model.bodies.iter_enumerated() {
        let mass = moving.values.get(&body.mass).now();
        let com = now(moving.bodies[id.index()].point(&moving.values.get3(&body.com)));
        loads.push(moving, id, com, gravity.map(|g| mass * g));
    }
    for force in &model.forces {
        loads.add(moving, &force.kind);
    }
    loads
}

fn now<S: Scalar>(v: Vec3<Jet<S>>) -> Vec3<S> {
    v.map(Jet::now)
}

impl<S: Scalar> Loads<S> {
    /// A force at a point in ground.
    fn push(&mut self, moving: &Moving<'_, S>, body: BodyId, point: Vec3<S>, force: Vec3<S>) {
        let arm = transform::sub(&point, &now(moving.bodies[body.index()].r));
        self.turn(body, transform::cross(&arm, &force));
        let total = &mut self.bodies[body.index()][0];
        *total = transform::add(total, &force);
    }

    fn turn(&mut self, body: BodyId, torque: Vec3<S>) {
        let total = &mut self.bodies[body.index()][1];
        *total = transform::add(total, &torque);
    }

    fn add(&mut self, moving: &Moving<'_, S>, kind: &ForceKind) {
        let values = &moving.values;
        let model = values.model;
        let frame = |id: FrameId| &values.frames[id.index()];
        let body = |id: FrameId| model.frames[id].body;
        let rate = |id: CoordinateId| {
            model.coordinates[id].rate.expect("springs and friction act along coordinates with a rate")
        };
        match kind {
            ForceKind::SpringDamper { from, to, stiffness, damping, length, preload } => {
                let l = transform::norm(&transform::sub(&frame(*to).r, &frame(*from).r));
                let force = values.get(preload) + values.get(stiffness) * (values.get(length) - l)
                    - values.get(damping) * l.der();
                self.apart(moving, *from, *to, force.now());
            }
            ForceKind::PointForce { from, to, force } => {
                let l = transform::norm(&transform::sub(&frame(*to).r, &frame(*from).r));
                self.apart(moving, *from, *to, values.with_locals(force, &[l, l.der()]).now());
            }
            ForceKind::JointForce { velocity, value } => {
                self.velocities.push((*velocity, values.get(value).now()));
            }
            ForceKind::JointSpring { coordinate, stiffness, damping, rest, preload } => {
                let q = values.coordinates[coordinate.index()];
                let force = values.get(preload)
                    - values.get(stiffness) * (q - values.get(rest))
                    - values.get(damping) * q.der();
                self.velocities.push((rate(*coordinate), force.now()));
            }
            ForceKind::JointFriction { coordinate, coulomb, regularisation, viscous } => {
                let v = values.coordinates[coordinate.index()].der();
                let shape = (v / values.get(regularisation)).apply(Elementary::Tanh);
                let force = -(values.get(coulomb) * shape + values.get(viscous) * v);
                self.velocities.push((rate(*coordinate), force.now()));
            }
            ForceKind::Force { on, axes, force, reaction } => {
                let point = now(frame(*on).r);
                let force = now(transform::apply(&frame(*axes).rot, &values.get3(force)));
                self.push(moving, body(*on), point, force);
                if let Some(reaction) = reaction {
                    self.push(moving, body(*reaction), point, force.map(|f| -f));
                }
            }
            ForceKind::Torque { on, axes, torque, reaction } => {
                let torque = now(transform::apply(&frame(*axes).rot, &values.get3(torque)));
                self.turn(body(*on), torque);
                if let Some(reaction) = reaction {
                    self.turn(body(*reaction), torque.map(|t| -t));
                }
            }
            ForceKind::Bushing { from, to, stiffness, damping, rotational_stiffness, rotational_damping } => {
                let pose = frame(*from).inverse().then(frame(*to));
                let times = |laws: &[_; 3], x: &Vec3<S>| {
                    let laws = now(values.get3(laws));
                    std::array::from_fn(|i| laws[i] * x[i])
                };
                let axes = frame(*from).rot.map(now);
                let in_ground = |elastic: Vec3<S>, viscous: Vec3<S>| {
                    transform::apply(&axes, &transform::add(&elastic, &viscous)).map(|part| -part)
                };
                let force =
                    in_ground(times(stiffness, &now(pose.r)), times(damping, &now(pose.r.map(Jet::der))));
                let phi = elastic::rotation_vector(&pose.rot.map(now));
                let torque = in_ground(
                    elastic::torque_of(&phi, &times(rotational_stiffness, &phi)),
                    times(rotational_damping, &now(angular_velocity(&pose.rot))),
                );
                let point = now(frame(*to).r);
                for (id, sign) in [(*to, 1.0), (*from, -1.0)] {
                    self.push(moving, body(id), point, force.map(|f| f.scale(sign)));
                    self.turn(body(id), torque.map(|t| t.scale(sign)));
                }
            }
            ForceKind::Contact { on, radius, road, stiffness, damping } => {
                let r = frame(*on).r;
                let force = elastic::contact(values, &r, [radius, road, stiffness, damping]);
                self.push(moving, body(*on), now(r), force);
            }
            ForceKind::PointContactTyre { on, radius, road, stiffness, damping } => {
                let r = frame(*on).r;
                let force = elastic::point_contact_tyre(values, &r, [radius, road, stiffness, damping]);
                self.push(moving, body(*on), now(r), force);
            }
        }
    }

    /// Equal and opposite forces along the line of two points, pushing apart.
    fn apart(&mut self, moving: &Moving<'_, S>, from: FrameId, to: FrameId, force: S) {
        let frames = &moving.values.model.frames;
        let [r_from, r_to] = [from, to].map(|id| now(moving.values.frames[id.index()].r));
        let line = transform::sub(&r_to, &r_from);
        let push = transform::scale(force / transform::norm(&line), &line);
        self.push(moving, frames[to].body, r_to, push);
        self.push(moving, frames[from].body, r_from, push.map(|f| -f));
    }
}

/// Potential energy of gravity and of what springs, bushings and contacts store.
pub fn potential_energy(moving: &Moving<'_, f64>) -> f64 {
    let values = &moving.values;
    let model = values.model;
    let value = |formula| values.get(formula).now();
    let gravity = now(values.get3(&model.gravity));
    let mut energy = 0.0;
    for (id, body) in model.bodies.iter_enumerated() {
        let com = now(moving.bodies[id.index()].point(&values.get3(&body.com)));
        energy -= value(&body.mass) * transform::dot(&gravity, &com);
    }
    for force in &model.forces {
        match &force.kind {
            ForceKind::SpringDamper { from, to, stiffness, length, preload, .. } => {
                let [from, to] = [from, to].map(|id| now(values.frames[id.index()].r));
                let l = transform::norm(&transform::sub(&to, &from));
                energy += 0.5 * value(stiffness) * (l - value(length)).powi(2) - value(preload) * l;
            }
            ForceKind::JointSpring { coordinate, stiffness, rest, preload, .. } => {
                let q = values.coordinates[coordinate.index()].now();
                energy += 0.5 * value(stiffness) * (q - value(rest)).powi(2) - value(preload) * q;
            }
            ForceKind::Bushing { from, to, stiffness, rotational_stiffness, .. } => {
                let frame = |id: &FrameId| &values.frames[id.index()];
                let pose = frame(from).inverse().then(frame(to));
                let phi = elastic::rotation_vector(&pose.rot.map(now));
                for (laws, x) in [(stiffness, now(pose.r)), (rotational_stiffness, phi)] {
                    energy += (0..3).map(|i| 0.5 * value(&laws[i]) * x[i] * x[i]).sum::<f64>();
                }
            }
            ForceKind::Contact { on, radius, road, stiffness, damping } => {
                let r = &values.frames[on.index()].r;
                energy += elastic::contact_energy(values, r, [radius, road, stiffness, damping]);
            }
            _ => {}
        }
    }
    energy
}
