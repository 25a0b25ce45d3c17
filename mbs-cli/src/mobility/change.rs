//! Changes of a joint or constraint that leave motions free, made in memory.

use mbs_symbolic::diag::Span;
use mbs_symbolic::dynamics::Element;
use mbs_symbolic::ids::{ConstraintId, CoordinateId, Id, JointId, VelocityId};
use mbs_symbolic::model::{
    Axis, Constraint, ConstraintKind, Coordinate, Cut, JointKind, Model, Name, Orientation, Velocity,
};

/// One change.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// The constraint goes.
    LeaveOut(ConstraintId),
    /// The constraint becomes another one.
    Constraint(ConstraintId, ConstraintKind),
    /// The cut joint goes.
    Open(JointId),
    /// The cut joint becomes one of another type.
    Joint(JointId, Type),
    /// A constraint between its frames takes the place of the cut joint.
    Instead(JointId, ConstraintKind),
    /// A revolute joint of the tree slides along its axis, too.
    Slide(JointId),
}

/// Types of joints a cut joint may become.
#[derive(Debug, Clone)]
pub(super) enum Type {
    Revolute(Axis),
    Cylindrical(Axis),
    Universal([Axis; 2]),
    Spherical,
}

/// x, y or z.
pub(super) fn principal(index: u8) -> Axis {
    Axis::Principal { index, negative: false }
}

impl Change {
    /// The model with the change made, where `cut` joints stay cut and no others.
    pub(super) fn made(&self, model: &Model, cut: &[JointId]) -> Model {
        let mut changed = model.clone();
        for id in model.joints.ids() {
            changed.joints[id].cut = if cut.contains(&id) { Cut::Always } else { Cut::Never };
        }
        match self {
            Self::LeaveOut(gone) => {
                let kept = model.constraints.iter_enumerated().filter(|(id, _)| id != gone);
                changed.constraints = kept.map(|(_, constraint)| constraint.clone()).collect();
            }
            Self::Constraint(id, kind) => changed.constraints[*id].kind = kind.clone(),
            Self::Open(id) => open(&mut changed, *id),
            Self::Joint(id, kind) => become_type(&mut changed, *id, kind),
            Self::Instead(id, kind) => {
                open(&mut changed, *id);
                let name = model.joints[*id].name.clone();
                changed.constraints.push(Constraint { name, kind: kind.clone() });
            }
            Self::Slide(id) => {
                let joint = &model.joints[*id];
                if let JointKind::Revolute { axis, angle } = &joint.kind {
                    let (axis, angle) = (axis.clone(), *angle);
                    let (distance, velocity) = coordinate(&mut changed, *id, "slide", "m");
                    let joint = &mut changed.joints[*id];
                    joint.kind = JointKind::Cylindrical { axis, distance, angle };
                    joint.coordinates.insert(0, distance);
                    joint.velocities.insert(0, velocity);
                }
            }
        }
        changed
    }
}

/// A joint that holds nothing; where its element was, no coordinate is left that anything names.
fn open(model: &mut Model, id: JointId) {
    let letters = ["x", "y", "z"];
    let translation = letters.map(|letter| coordinate(model, id, letter, "m").0);
    let orientation = angles(model, id);
    model.joints[id].kind = JointKind::Free { translation, orientation };
}

fn angles(model: &mut Model, id: JointId) -> Orientation {
    let coordinates = ["a", "b", "c"].map(|letter| coordinate(model, id, letter, "rad").0);
    Orientation::Angles { sequence: [2, 1, 0], coordinates, relative_to: None }
}

/// The joint is cut and stays so: its coordinates are names and nothing else.
fn become_type(model: &mut Model, id: JointId, kind: &Type) {
    let kind = match kind {
        Type::Revolute(axis) => {
            JointKind::Revolute { axis: axis.clone(), angle: coordinate(model, id, "a", "rad").0 }
        }
        Type::Cylindrical(axis) => JointKind::Cylindrical {
            axis: axis.clone(),
            distance: coordinate(model, id, "s", "m").0,
            angle: coordinate(model, id, "a", "rad").0,
        },
        Type::Universal(axes) => JointKind::Universal {
            axes: axes.clone(),
            angles: ["a", "b"].map(|letter| coordinate(model, id, letter, "rad").0),
        },
        Type::Spherical => JointKind::Spherical { orientation: angles(model, id) },
    };
    model.joints[id].kind = kind;
}

fn coordinate(
    model: &mut Model,
    joint: JointId,
    suffix: &str,
    unit: &'static str,
) -> (CoordinateId, VelocityId) {
    let text = format!("{}.{suffix}", model.joints[joint].name.text);
    let name = Name { text, span: Span::default() };
    let coordinate = CoordinateId::new(model.coordinates.len());
    let rate = if unit == "m" { "m/s" } else { "rad/s" };
    let velocity = model.velocities.push(Velocity {
        name: name.clone(),
        joint,
        coordinate: Some(coordinate),
        unit: rate,
    });
    (model.coordinates.push(Coordinate { name, joint, rate: Some(velocity), unit, mimic: None }), velocity)
}

/// What may be tried for an element, what holds most before what holds less; each with its words.
pub(super) fn candidates(model: &Model, element: Element) -> Vec<(Change, String)> {
    match element {
        Element::Constraint(id) => of_constraint(model, id),
        Element::Joint(id) => of_joint(model, id),
        _ => Vec::new(),
    }
}

fn of_constraint(model: &Model, id: ConstraintId) -> Vec<(Change, String)> {
    let mut list = Vec::new();
    if let ConstraintKind::PointOnLine { point, line, axis: Axis::Principal { index, .. } } =
        model.constraints[id].kind
    {
        for normal in (0..3).filter(|normal| *normal != index) {
            let kind = ConstraintKind::PointOnPlane { point, plane: line, normal: principal(normal) };
            let words = format!("make it a `point_on_plane` with normal {}", letter(normal));
            list.push((Change::Constraint(id, kind), words));
        }
    }
    list.push((Change::LeaveOut(id), "leave this constraint out: others say the same".to_owned()));
    list
}

fn letter(index: u8) -> &'static str {
    ["x", "y", "z"][usize::from(index)]
}

fn of_joint(model: &Model, id: JointId) -> Vec<(Change, String)> {
    let joint = &model.joints[id];
    let to = |kind: Type, words: String| (Change::Joint(id, kind), words);
    let cylindrical = |axis: &Axis| to(Type::Cylindrical(axis.clone()), "make it `cylindrical`".to_owned());
    let spherical = || to(Type::Spherical, "make it `spherical`".to_owned());
    let point_on_line = |axis: &Axis| {
        let kind = ConstraintKind::PointOnLine { point: joint.to, line: joint.from, axis: axis.clone() };
        let words = "put a `point_on_line` constraint along its axis in its place".to_owned();
        (Change::Instead(id, kind), words)
    };
    let mut list = Vec::new();
    match &joint.kind {
        JointKind::Revolute { axis, .. } => {
            let own = match axis {
                Axis::Principal { index, .. } => Some(*index),
                Axis::Vector(_) => None,
            };
            for second in (0..3).filter(|second| own.is_some_and(|own| own != *second)) {
                let words = format!("make it `universal` with {} as its second axis", letter(second));
                list.push(to(Type::Universal([axis.clone(), principal(second)]), words));
            }
            list.extend([cylindrical(axis), spherical(), point_on_line(axis)]);
        }
        JointKind::Prismatic { axis, .. } => list.push(cylindrical(axis)),
        JointKind::Cylindrical { axis, .. } => list.push(point_on_line(axis)),
        JointKind::Universal { .. } => list.push(spherical()),
        JointKind::Fixed => {
            for index in 0..3 {
                let words = format!("make it `revolute` about {}", letter(index));
                list.push(to(Type::Revolute(principal(index)), words));
            }
            for index in 0..3 {
                let words = format!("make it `cylindrical` along {}", letter(index));
                list.push(to(Type::Cylindrical(principal(index)), words));
            }
            list.push(spherical());
        }
        JointKind::Planar { normal, .. } => {
            let kind =
                ConstraintKind::PointOnPlane { point: joint.to, plane: joint.from, normal: normal.clone() };
            let words = "put a `point_on_plane` constraint in its place".to_owned();
            list.push((Change::Instead(id, kind), words));
        }
        JointKind::Spherical { .. } => {
            for index in 0..3 {
                let axis = principal(index);
                let kind = ConstraintKind::PointOnLine { point: joint.to, line: joint.from, axis };
                let words = format!("put a `point_on_line` constraint along {} in its place", letter(index));
                list.push((Change::Instead(id, kind), words));
            }
            for index in 0..3 {
                let normal = principal(index);
                let kind = ConstraintKind::PointOnPlane { point: joint.to, plane: joint.from, normal };
                let words =
                    format!("put a `point_on_plane` constraint with normal {} in its place", letter(index));
                list.push((Change::Instead(id, kind), words));
            }
        }
        JointKind::Screw { .. } | JointKind::Free { .. } => {}
        JointKind::Curve { .. } | JointKind::Compound { .. } => {}
    }
    list.push((Change::Open(id), "leave this joint out: others say the same".to_owned()));
    list
}

/// Rows an element has at most: changes that cannot take away just what is redundant are not tried.
pub(super) fn rows(model: &Model, element: Element, change: Option<&Change>) -> Option<usize> {
    let joint_rows = |kind: &JointKind| match kind {
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } => Some(5),
        JointKind::Cylindrical { .. } | JointKind::Universal { .. } => Some(4),
        JointKind::Spherical { .. } | JointKind::Planar { .. } => Some(3),
        JointKind::Fixed => Some(6),
        // Those keep their coordinates and are closed by a weld, or close nothing.
        JointKind::Screw { .. } | JointKind::Free { .. } => None,
        JointKind::Curve { .. } | JointKind::Compound { .. } => None,
    };
    let constraint_rows = |kind: &ConstraintKind| match kind {
        ConstraintKind::PointOnLine { .. } => 2,
        ConstraintKind::Rolling { .. } => 3,
        ConstraintKind::Distance { .. } | ConstraintKind::PointOnPlane { .. } => 1,
        ConstraintKind::Coupling { .. } | ConstraintKind::Motion { .. } => 1,
        ConstraintKind::KnifeEdge { .. } => 1,
        ConstraintKind::Equation { .. } | ConstraintKind::VelocityEquation { .. } => 1,
    };
    Some(match (change, element) {
        (Some(Change::LeaveOut(_) | Change::Open(_)), _) => 0,
        (Some(Change::Constraint(_, kind) | Change::Instead(_, kind)), _) => constraint_rows(kind),
        (Some(Change::Joint(_, kind)), _) => match kind {
            Type::Revolute(_) => 5,
            Type::Cylindrical(_) | Type::Universal(_) => 4,
            Type::Spherical => 3,
        },
        (Some(Change::Slide(_)) | None, Element::Joint(id)) => joint_rows(&model.joints[id].kind)?,
        (Some(Change::Slide(_)) | None, Element::Constraint(id)) => {
            constraint_rows(&model.constraints[id].kind)
        }
        _ => return None,
    })
}
