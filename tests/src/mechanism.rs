//! Poses of all bodies along a motion, composed joint by joint.

use mbs_symbolic::ids::{BodyId, CoordinateId, FrameId, Id, JointId, VelocityId};
use mbs_symbolic::model::{Axis, AxisAngle, Frame, JointKind, Model, Motion, Orientation, ParameterValue};

use crate::formula::Values;
use crate::scalar::{Jet, Scalar};
use crate::transform::{self, Mat3, Transform};

/// Which joints are cut, and which coordinates and velocities exist in which order.
/// The compiler decides this; the oracle takes it as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Joints that close loops, in joint order.
    pub cut: Vec<JointId>,
    /// The coordinates in p.
    pub positions: Vec<CoordinateId>,
    /// The velocities in v.
    pub velocities: Vec<VelocityId>,
}

impl Kept {
    /// Everything of the joints that are not in `cut`, in model order, but what follows other
    /// coordinates. A cut screw, curve or compound joint keeps its coordinates.
    pub fn without(model: &Model, cut: Vec<JointId>) -> Self {
        let exists = |joint: JointId| !cut.contains(&joint) || is_welded(&model.joints[joint].kind);
        let leads = |id: CoordinateId| model.coordinates[id].mimic.is_none();
        let positions = model.coordinates.iter_enumerated();
        let positions = positions.filter(|&(id, c)| exists(c.joint) && leads(id)).map(|(id, _)| id).collect();
        let velocities = model.velocities.iter_enumerated();
        let velocities = velocities
            .filter(|(_, v)| exists(v.joint) && v.coordinate.is_none_or(leads))
            .map(|(id, _)| id)
            .collect();
        Self { cut, positions, velocities }
    }
}

/// Whether a cut joint of this kind keeps its coordinates and is closed by a weld.
pub fn is_welded(kind: &JointKind) -> bool {
    matches!(kind, JointKind::Screw { .. } | JointKind::Curve { .. } | JointKind::Compound { .. })
}

/// One state of a mechanism; over numbers with derivatives it varies.
#[derive(Debug, Clone, PartialEq)]
pub struct State<B = f64> {
    /// Time.
    pub t: f64,
    /// Positions in the order of [`Kept`].
    pub p: Vec<B>,
    /// Velocities in the order of [`Kept`].
    pub v: Vec<B>,
    /// Auxiliary states.
    pub x: Vec<B>,
    /// u, u', u'' of every input.
    pub u: Vec<[B; 3]>,
    /// Every parameter, given or derived.
    pub theta: Vec<f64>,
}

/// Defaults of all parameters, derived ones computed.
pub fn parameters(model: &Model) -> Vec<f64> {
    let given = |value: &ParameterValue| match value {
        ParameterValue::Given(value) => *value,
        ParameterValue::Derived(_) => f64::NAN,
    };
    complete_parameters(model, model.parameters.iter().map(|parameter| given(&parameter.value)).collect())
}

/// Recomputes the derived ones among `theta`.
pub fn complete_parameters(model: &Model, mut theta: Vec<f64>) -> Vec<f64> {
    for id in &model.derived_order {
        if let ParameterValue::Derived(formula) = &model.parameters[*id].value {
            let value = Values::<f64>::of_parameters(model, &theta).get(formula).now();
            theta[id.index()] = value;
        }
    }
    theta
}

/// A twist added at a joint: `to` moves relative to `from` with this velocity of its
/// origin and angular velocity, both in `to` axes. Its value is zero; only its
/// derivatives matter, which give the reaction of the joint.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "said above")]
pub struct Twist<S> {
    pub joint: JointId,
    pub components: [S; 6],
}

impl<S: Scalar> Twist<S> {
    fn transform(&self) -> Transform<Jet<S>> {
        let [r, w]: [[Jet<S>; 3]; 2] = [0, 3].map(|offset| {
            std::array::from_fn(|k| Jet::moving(S::zero(), self.components[offset + k], S::zero()))
        });
        let skew = transform::skew(&w);
        let identity = transform::identity::<Jet<S>>();
        Transform { r, rot: std::array::from_fn(|i| std::array::from_fn(|j| identity[i][j] + skew[i][j])) }
    }
}

/// The mechanism moving: what formulas may use, and the pose of every body.
#[derive(Debug, Clone)]
pub struct Moving<'a, S> {
    /// For formulas; frames are filled in.
    pub values: Values<'a, S>,
    /// Of every body, in ground.
    pub bodies: Vec<Transform<Jet<S>>>,
    /// Parent of every body in the tree of uncut joints.
    parent: Vec<Option<BodyId>>,
    /// Bodies whose own joint measures its angles from ground.
    measured_from_ground: Vec<bool>,
    /// Of every body, in its parent.
    in_parent: Vec<Transform<Jet<S>>>,
    /// Of every frame, in its body.
    in_body: Vec<Transform<Jet<S>>>,
    twist: Option<Twist<S>>,
}

impl<'a, S: Scalar> Moving<'a, S> {
    /// The motion through `state` with these velocities and their rates; `lift` makes
    /// its numbers those of the motion.
    pub fn new<B: Scalar>(
        model: &'a Model,
        kept: &Kept,
        state: &'a State<B>,
        lift: impl Fn(B) -> S,
        [v, v_dot]: [&[S]; 2],
        twist: Option<Twist<S>>,
    ) -> Self {
        let mut values = Values::of_parameters(model, &state.theta);
        let c = S::constant;
        values.t = Jet::moving(c(state.t), S::one(), S::zero());
        values.inputs = state.u.iter().map(|u| Jet::moving(lift(u[0]), lift(u[1]), lift(u[2]))).collect();
        values.states = state.x.iter().map(|x| Jet::still(lift(*x))).collect();
        let p: Vec<S> = state.p.iter().map(|p| lift(*p)).collect();
        (values.coordinates, values.velocities) = paths(&values, model, kept, &p, [v, v_dot]);

        let in_body: Vec<_> = model.frames.iter().map(|frame| frame_in_body(&values, frame)).collect();
        let n = model.bodies.len();
        let mut moving = Self {
            values,
            bodies: vec![Transform::identity(); n],
            parent: vec![None; n],
            measured_from_ground: vec![false; n],
            in_parent: vec![Transform::identity(); n],
            in_body,
            twist,
        };
        moving.walk(kept);
        moving.values.frames = model
            .frames
            .iter_enumerated()
            .map(|(id, frame)| moving.bodies[frame.body.index()].then(&moving.in_body[id.index()]))
            .collect();
        moving.variables_and_states();
        moving
    }

    /// Places every body, base to tip along uncut joints in either direction.
    fn walk(&mut self, kept: &Kept) {
        let model = self.values.model;
        let mut placed = vec![false; model.bodies.len()];
        placed[0] = true;
        let mut open: Vec<JointId> = model.joints.ids().filter(|joint| !kept.cut.contains(joint)).collect();
        while !open.is_empty() {
            let before = open.len();
            open.retain(|&id| {
                let joint = &model.joints[id];
                let [from, to] = [joint.from, joint.to].map(|frame| model.frames[frame].body);
                let known = [from, to].map(|body| placed[body.index()]);
                assert!(known != [true, true], "{} closes a loop but is not cut", joint.name.text);
                let (parent, child) = match known {
                    [true, false] => (from, to),
                    [false, true] => (to, from),
                    _ => return true,
                };
                let [from_in_body, to_in_body] = [joint.from, joint.to].map(|f| self.in_body[f.index()]);
                let rot_w_from = self.bodies[from.index()].then(&from_in_body).rot;
                assert!(
                    parent == from || !is_measured_from_ground(&joint.kind),
                    "{}: angles measured from ground cannot place `from`",
                    joint.name.text
                );
                let mut motion = joint_transform(&self.values, id, &rot_w_from);
                if let Some(twist) = self.twist.filter(|twist| twist.joint == id) {
                    motion = motion.then(&twist.transform());
                }
                // Backwards each factor is inverted by itself: with quaternions off the unit
                // sphere that is not the transpose of the product.
                let in_parent = if parent == from {
                    from_in_body.then(&motion).then(&to_in_body.inverse())
                } else {
                    to_in_body.then(&motion.inverse()).then(&from_in_body.inverse())
                };
                self.parent[child.index()] = Some(parent);
                self.measured_from_ground[child.index()] = is_measured_from_ground(&joint.kind);
                self.in_parent[child.index()] = in_parent;
                self.bodies[child.index()] = self.bodies[parent.index()].then(&in_parent);
                placed[child.index()] = true;
                false
            });
            assert!(open.len() < before, "bodies not connected to ground by uncut joints");
        }
        assert!(placed.iter().all(|placed| *placed), "bodies not connected to ground");
    }

    /// Variables, then the rates of the states, repeated until rates of states that
    /// use rates of other states are known.
    fn variables_and_states(&mut self) {
        let model = self.values.model;
        for _ in 0..=model.states.len().min(3) {
            self.values.variables = vec![Jet::constant(f64::NAN); model.variables.len()];
            for id in &model.variable_order {
                let value = self.values.get(&model.variables[*id].value);
                self.values.variables[id.index()] = value;
            }
            let rates: Vec<_> = model.states.iter().map(|state| self.values.get(&state.derivative)).collect();
            for (state, rate) in self.values.states.iter_mut().zip(rates) {
                state.0[1] = rate.now();
            }
        }
    }

    /// The body from which two others are seen: their lowest common ancestor, or ground
    /// if the orientation of a body on the way is measured from ground.
    pub fn common_ancestor(&self, a: BodyId, b: BodyId) -> BodyId {
        let [line_a, line_b] = [a, b].map(|body| self.ancestors(body));
        let found = line_b.iter().find(|body| line_a.contains(body));
        let common = *found.expect("ground is an ancestor of every body");
        let below = |line: &[BodyId]| {
            line.iter()
                .take_while(|body| **body != common)
                .any(|body| self.measured_from_ground[body.index()])
        };
        if below(&line_a) || below(&line_b) { BodyId::new(0) } else { common }
    }

    fn ancestors(&self, body: BodyId) -> Vec<BodyId> {
        std::iter::successors(Some(body), |body| self.parent[body.index()]).collect()
    }

    /// A frame's pose in the axes of one of its body's ancestors.
    pub fn frame_in(&self, ancestor: BodyId, frame: FrameId) -> Transform<Jet<S>> {
        let mut pose = self.in_body[frame.index()];
        let mut body = self.values.model.frames[frame].body;
        while body != ancestor {
            pose = self.in_parent[body.index()].then(&pose);
            body = self.parent[body.index()].expect("the ancestor is above the frame");
        }
        pose
    }

    /// The `to` frame of a joint that is cut, moved by the twist at that joint.
    pub fn closing_frame_in(&self, ancestor: BodyId, joint: JointId) -> Transform<Jet<S>> {
        let pose = self.frame_in(ancestor, self.values.model.joints[joint].to);
        match self.twist.filter(|twist| twist.joint == joint) {
            Some(twist) => pose.then(&twist.transform()),
            None => pose,
        }
    }

    /// A frame's pose in its body.
    pub fn in_body(&self, frame: FrameId) -> &Transform<Jet<S>> {
        &self.in_body[frame.index()]
    }
}

fn is_measured_from_ground(kind: &JointKind) -> bool {
    match kind {
        JointKind::Spherical { orientation } | JointKind::Free { orientation, .. } => {
            matches!(orientation, Orientation::Angles { relative_to: Some(_), .. })
        }
        _ => false,
    }
}

/// Coordinates and velocities as series: p' = T v, v' = v_dot. What does not exist is NaN.
fn paths<S: Scalar>(
    parameters: &Values<'_, S>,
    model: &Model,
    kept: &Kept,
    p: &[S],
    [v, v_dot]: [&[S]; 2],
) -> (Vec<Jet<S>>, Vec<Jet<S>>) {
    let mut coordinates = vec![Jet::constant(f64::NAN); model.coordinates.len()];
    let mut velocities = vec![Jet::constant(f64::NAN); model.velocities.len()];
    for (index, id) in kept.velocities.iter().enumerate() {
        velocities[id.index()] = Jet::moving(v[index], v_dot[index], S::zero());
    }
    for (id, &p) in kept.positions.iter().zip(p) {
        coordinates[id.index()] = match model.coordinates[*id].rate {
            Some(rate) => {
                let [v, v_dot, ..] = velocities[rate.index()].0;
                Jet::moving(p, v, v_dot)
            }
            None => Jet::still(p),
        };
    }
    for joint in &model.joints {
        let (JointKind::Spherical { orientation } | JointKind::Free { orientation, .. }) = &joint.kind else {
            continue;
        };
        if let Orientation::Quaternion { coordinates: q, velocities: w } = orientation {
            // Each pass makes one more coefficient right.
            for order in 0..3 {
                let rate = transform::quaternion_rate(
                    q.map(|id| coordinates[id.index()]),
                    w.map(|id| velocities[id.index()]),
                );
                for (id, rate) in q.iter().zip(rate) {
                    coordinates[id.index()].0[order + 1] = rate.0[order].scale(1.0 / (order as f64 + 1.0));
                }
            }
        }
    }
    for id in model.coordinates.ids() {
        // As often as it says: what it follows may follow something else.
        let mut terms = Vec::new();
        let mut last = id;
        while let Some(mimic) = &model.coordinates[last].mimic {
            terms.push((parameters.get(&mimic.ratio), parameters.get(&mimic.offset)));
            last = mimic.master;
        }
        if terms.is_empty() {
            continue;
        }
        let [rate, of] = [id, last].map(|id| model.coordinates[id].rate.expect("an angle or a distance"));
        let (mut q, mut rate_of_q) = (coordinates[last.index()], velocities[of.index()]);
        for (ratio, offset) in terms.into_iter().rev() {
            (q, rate_of_q) = (ratio * q + offset, ratio * rate_of_q);
        }
        (coordinates[id.index()], velocities[rate.index()]) = (q, rate_of_q);
    }
    (coordinates, velocities)
}

/// Unit vector of an axis; it depends on parameters only.
pub fn direction<S: Scalar>(values: &Values<'_, S>, axis: &Axis) -> [f64; 3] {
    match axis {
        Axis::Principal { index, negative } => {
            let mut direction = [0.0; 3];
            direction[usize::from(*index)] = if *negative { -1.0 } else { 1.0 };
            direction
        }
        Axis::Vector(components) => {
            let v = values.get3(components).map(|a| a.real());
            let norm = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
            v.map(|a| a / norm)
        }
    }
}

fn rotations<S: Scalar>(values: &Values<'_, S>, rotations: &[AxisAngle]) -> Mat3<Jet<S>> {
    rotations.iter().fold(transform::identity(), |rot, step| {
        let turn = transform::rotation_about(direction(values, &step.axis), values.get(&step.angle));
        transform::multiply(&rot, &turn)
    })
}

fn frame_in_body<S: Scalar>(values: &Values<'_, S>, frame: &Frame) -> Transform<Jet<S>> {
    Transform { rot: rotations(values, &frame.rotation), r: values.get3(&frame.position) }
}

/// The pose of `to` in `from`, by the definition of the joint's type.
pub fn joint_transform<S: Scalar>(
    values: &Values<'_, S>,
    joint: JointId,
    rot_w_from: &Mat3<Jet<S>>,
) -> Transform<Jet<S>> {
    let q = |id: CoordinateId| values.coordinates[id.index()];
    let along = |axis: &Axis, distance: Jet<S>| {
        let axis = transform::constant(direction(values, axis));
        Transform::translation(transform::scale(distance, &axis))
    };
    let about = |axis: &Axis, angle: Jet<S>| {
        Transform::rotation(transform::rotation_about(direction(values, axis), angle))
    };
    match &values.model.joints[joint].kind {
        JointKind::Fixed => Transform::identity(),
        JointKind::Revolute { axis, angle } => about(axis, q(*angle)),
        JointKind::Prismatic { axis, distance } => along(axis, q(*distance)),
        JointKind::Cylindrical { axis, distance, angle } => {
            along(axis, q(*distance)).then(&about(axis, q(*angle)))
        }
        JointKind::Screw { axis, pitch, angle } => {
            let advance = values.get(pitch) * q(*angle).scale(1.0 / std::f64::consts::TAU);
            along(axis, advance).then(&about(axis, q(*angle)))
        }
        JointKind::Universal { axes, angles } => {
            about(&axes[0], q(angles[0])).then(&about(&axes[1], q(angles[1])))
        }
        JointKind::Spherical { orientation } => oriented(values, orientation, rot_w_from),
        JointKind::Free { translation, orientation } => {
            Transform::translation(translation.map(q)).then(&oriented(values, orientation, rot_w_from))
        }
        JointKind::Planar { normal, translation, angle } => {
            let Axis::Principal { index, .. } = normal else {
                panic!("the normal of a planar joint is a principal axis")
            };
            let mut r = transform::zero();
            r[usize::from((index + 1) % 3)] = q(translation[0]);
            r[usize::from((index + 2) % 3)] = q(translation[1]);
            Transform::translation(r).then(&about(normal, q(*angle)))
        }
        JointKind::Curve { position, rotation, .. } => {
            Transform { r: values.get3(position), rot: rotations(values, rotation) }
        }
        JointKind::Compound { steps } => steps.iter().fold(Transform::identity(), |pose, step| {
            let argument = values.get(&step.argument);
            pose.then(&match step.motion {
                Motion::Rotation => about(&step.axis, argument),
                Motion::Translation => along(&step.axis, argument),
            })
        }),
    }
}

fn oriented<S: Scalar>(
    values: &Values<'_, S>,
    orientation: &Orientation,
    rot_w_from: &Mat3<Jet<S>>,
) -> Transform<Jet<S>> {
    let q = |id: &CoordinateId| values.coordinates[id.index()];
    match orientation {
        Orientation::Quaternion { coordinates, .. } => {
            let q = std::array::from_fn(|k| q(&coordinates[k]));
            Transform::rotation(transform::rotation_of_quaternion(q))
        }
        Orientation::Angles { sequence, coordinates, relative_to } => {
            let mut rot = transform::identity();
            if let Some(frame) = relative_to {
                let frame = frame_in_body(values, &values.model.frames[*frame]);
                rot = transform::multiply(&transform::inverse(rot_w_from), &frame.rot);
            }
            for (index, id) in sequence.iter().zip(coordinates) {
                let axis = Axis::Principal { index: *index, negative: false };
                let turn = transform::rotation_about(direction(values, &axis), q(id));
                rot = transform::multiply(&rot, &turn);
            }
            Transform::rotation(rot)
        }
    }
}
