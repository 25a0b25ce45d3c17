//! Models built by hand, for tests of the oracle itself: numbers only, no text read.

use mbs_symbolic::diag::Span;
use mbs_symbolic::ids::{BodyId, CoordinateId, FrameId, Id, IdVec, JointId, VelocityId};
use mbs_symbolic::model::{
    Axis, Body, Coordinate, Cut, Formula, Frame, Initial, Joint, JointKind, Limits, Model, Name, Orientation,
    Simulation, Term, TermKind, Velocity,
};

/// A principal axis.
pub fn axis(index: u8) -> Axis {
    Axis::Principal { index, negative: false }
}

/// A name without a place.
pub fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

/// A formula of these terms.
pub fn formula(kinds: &[TermKind]) -> Formula {
    let terms = kinds.iter().map(|kind| Term::new(*kind, Span::default())).collect();
    Formula { terms, span: Span::default() }
}

/// A number.
pub fn number(value: f64) -> Formula {
    formula(&[TermKind::Number(value)])
}

/// Three numbers.
pub fn numbers(values: [f64; 3]) -> [Formula; 3] {
    values.map(number)
}

/// A model with ground and gravity −g along z.
pub fn model(g: f64) -> Model {
    let mut model = Model {
        name: "by_hand".to_owned(),
        description: String::new(),
        allow: Vec::new(),
        gravity: numbers([0.0, 0.0, -g]),
        parameters: IdVec::new(),
        derived_order: Vec::new(),
        inputs: IdVec::new(),
        states: IdVec::new(),
        tables: IdVec::new(),
        bodies: IdVec::new(),
        frames: IdVec::new(),
        joints: IdVec::new(),
        coordinates: IdVec::new(),
        velocities: IdVec::new(),
        constraints: IdVec::new(),
        variables: IdVec::new(),
        variable_order: Vec::new(),
        forces: IdVec::new(),
        outputs: IdVec::new(),
        initial: Initial::default(),
        simulation: Simulation::default(),
    };
    body(&mut model, "ground", 0.0, [0.0; 3], [0.0; 3]);
    model
}

/// Adds a body with a diagonal inertia; all bodies come before named frames.
pub fn body(model: &mut Model, text: &str, mass: f64, com: [f64; 3], inertia: [f64; 3]) -> FrameId {
    let id = BodyId::new(model.bodies.len());
    let reference = frame(model, id, [0.0; 3]);
    assert_eq!(reference.index(), id.index(), "bodies come before named frames");
    let [xx, yy, zz] = inertia;
    model.bodies.push(Body {
        name: name(text),
        mass: number(mass),
        com: numbers(com),
        inertia: [xx, yy, zz, 0.0, 0.0, 0.0].map(number),
        inertia_axes: reference,
        shapes: Vec::new(),
    });
    reference
}

/// Adds a frame.
pub fn frame(model: &mut Model, body: BodyId, position: [f64; 3]) -> FrameId {
    model.frames.push(Frame { name: name("frame"), body, position: numbers(position), rotation: Vec::new() })
}

/// Adds a joint; `kind` makes its type of the coordinates it is given.
pub fn joint(
    model: &mut Model,
    [from, to]: [FrameId; 2],
    count: usize,
    kind: impl Fn(&[CoordinateId]) -> JointKind,
) -> JointId {
    let id = JointId::new(model.joints.len());
    let mut coordinates = Vec::new();
    let mut velocities = Vec::new();
    for _ in 0..count {
        let rate = VelocityId::new(model.velocities.len());
        let name = name(&format!("q{}", rate.index()));
        let coordinate = model.coordinates.push(Coordinate {
            name: name.clone(),
            joint: id,
            rate: Some(rate),
            unit: "1",
            mimic: None,
        });
        coordinates.push(coordinate);
        velocities.push(model.velocities.push(Velocity {
            name,
            joint: id,
            coordinate: Some(coordinate),
            unit: "1",
        }));
    }
    let kind = kind(&coordinates);
    push_joint(model, [from, to], kind, coordinates, velocities)
}

/// Adds a spherical joint with a quaternion.
pub fn quaternion_joint(model: &mut Model, ends: [FrameId; 2]) -> JointId {
    let joint = JointId::new(model.joints.len());
    let coordinates = [(); 4].map(|()| {
        model.coordinates.push(Coordinate { name: name("q"), joint, rate: None, unit: "1", mimic: None })
    });
    let velocities = [(); 3].map(|()| {
        model.velocities.push(Velocity { name: name("w"), joint, coordinate: None, unit: "rad/s" })
    });
    let orientation = Orientation::Quaternion { coordinates, velocities };
    push_joint(model, ends, JointKind::Spherical { orientation }, coordinates.to_vec(), velocities.to_vec())
}

fn push_joint(
    model: &mut Model,
    [from, to]: [FrameId; 2],
    kind: JointKind,
    coordinates: Vec<CoordinateId>,
    velocities: Vec<VelocityId>,
) -> JointId {
    let name = name(&format!("j{}", model.joints.len()));
    let cut = Cut::Auto;
    let limits = Limits::default();
    model.joints.push(Joint {
        name,
        from,
        to,
        kind,
        cut,
        coordinates,
        velocities,
        coordinates_used: false,
        limits,
    })
}
