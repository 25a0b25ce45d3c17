//! The mechanism as its author wrote it, names resolved.

use super::{Dimension, Formula, Unit};
use crate::diag::Span;
use crate::ids::{
    BodyId, ConstraintId, CoordinateId, ForceId, FrameId, IdVec, InputId, JointId, OutputId, ParamId,
    StateId, TableId, VariableId, VelocityId,
};

/// What a formula may refer to, by where it stands. Each scope allows what the one
/// before it allows, unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Numbers and parameters: masses, geometry, stiffnesses, initial values.
    Parameters,
    /// Also time: defaults of inputs.
    Time,
    /// Also coordinates, and inputs with two derivatives; twice continuously
    /// differentiable, so no `if`, `abs`, `sign`, `min`, `max`, `floor`, `mod` and no
    /// linear tables: joint arguments.
    JointArgument,
    /// Also position queries (`position`, `distance`, `rotation`) and variables that
    /// stay within this scope: position-level constraint equations.
    Constraint,
    /// Also velocities, `der`, velocity queries: velocity-level equations.
    VelocityConstraint,
    /// Everything but `acceleration` and `reaction`: force laws, auxiliary states,
    /// variables. Conditionals and all inputs are allowed.
    Law,
    /// Everything.
    Output,
}

/// A mechanism.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// snake_case; names the generated module.
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// Codes of warnings that are switched off.
    pub allow: Vec<Name>,
    /// Acceleration of free fall in ground axes, m/s².
    pub gravity: [Formula; 3],
    /// Parameters in file order.
    pub parameters: IdVec<ParamId, Parameter>,
    /// Derived parameters in an order in which what they use comes first.
    pub derived_order: Vec<ParamId>,
    /// Signals set from outside.
    pub inputs: IdVec<InputId, Input>,
    /// Auxiliary states.
    pub states: IdVec<StateId, State>,
    /// Tables.
    pub tables: IdVec<TableId, Table>,
    /// Bodies in file order after ground.
    pub bodies: IdVec<BodyId, Body>,
    /// First the reference frames of all bodies, then the named frames in file order.
    pub frames: IdVec<FrameId, Frame>,
    /// Joints in file order.
    pub joints: IdVec<JointId, Joint>,
    /// Position coordinates of all joints, joint by joint.
    pub coordinates: IdVec<CoordinateId, Coordinate>,
    /// Velocities of all joints, joint by joint.
    pub velocities: IdVec<VelocityId, Velocity>,
    /// Constraint elements in file order.
    pub constraints: IdVec<ConstraintId, Constraint>,
    /// Named expressions in file order.
    pub variables: IdVec<VariableId, Variable>,
    /// Variables in an order in which what they use comes first.
    pub variable_order: Vec<VariableId>,
    /// Force elements in file order.
    pub forces: IdVec<ForceId, Force>,
    /// Named outputs in file order.
    pub outputs: IdVec<OutputId, Output>,
    /// Initial values as listed, in the order listed.
    pub initial: Initial,
    /// Defaults of a run.
    pub simulation: Simulation,
}

impl Model {
    /// Whether a coordinate is an unknown of its own and follows no other.
    pub fn is_independent(&self, coordinate: CoordinateId) -> bool {
        self.coordinates[coordinate].mimic.is_none()
    }

    /// The unknown that a coordinate follows in the end, or is itself.
    pub fn leader(&self, coordinate: CoordinateId) -> CoordinateId {
        leader(&self.coordinates, coordinate)
    }

    /// What the coordinate of a velocity follows, if it follows another.
    pub fn mimic_of(&self, velocity: VelocityId) -> Option<&Mimic> {
        self.coordinates[self.velocities[velocity].coordinate?].mimic.as_ref()
    }
}

/// A name with the place it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is defined.
    pub span: Span,
}

/// A parameter θ.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// A number, or an expression of other parameters.
    pub value: ParameterValue,
    /// SI unit, for people.
    pub unit: Option<String>,
    /// The unit a plain number is in, if it is not SI; everything here is converted.
    pub written: Option<Unit>,
    /// What it measures, as far as the model says.
    pub dimension: Option<Dimension>,
    /// What it means, for people.
    pub doc: Option<String>,
    /// Smallest allowed value.
    pub min: Option<f64>,
    /// Largest allowed value.
    pub max: Option<f64>,
}

impl Parameter {
    /// The bound `value` is beyond, `min` or `max`, with its number.
    pub fn outside(&self, value: f64) -> Option<(&'static str, f64)> {
        match (self.min, self.max) {
            (Some(min), _) if value < min => Some(("min", min)),
            (_, Some(max)) if value > max => Some(("max", max)),
            _ => None,
        }
    }
}

/// Where a parameter gets its value from.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    /// Given: a symbol θ with this default, SI.
    Given(f64),
    /// Derived from others ([`Scope::Parameters`]).
    Derived(Formula),
}

/// A signal u set from outside at run time.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: Name,
    /// Used while nothing else is set ([`Scope::Time`]).
    pub default: Formula,
    /// 0, or 2 if it is passed as (u, u', u'').
    pub derivatives: u8,
    /// SI unit, for people.
    pub unit: Option<String>,
    /// The unit a plain number is in, if it is not SI; everything here is converted.
    pub written: Option<Unit>,
    /// What it measures, as far as the model says.
    pub dimension: Option<Dimension>,
    /// For people.
    pub doc: Option<String>,
}

/// An auxiliary state x with x' = a.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// Right-hand side a ([`Scope::Law`]).
    pub derivative: Formula,
    /// Initial value ([`Scope::Parameters`]).
    pub initial: Formula,
}

/// A table of one argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: Name,
    /// Strictly increasing; at least two points.
    pub x: Vec<f64>,
    /// As many as `x`.
    pub y: Vec<f64>,
    /// Whether the kinks of linear interpolation are events.
    pub events: bool,
    /// What it is before its first and behind its last point.
    pub outside: Outside,
}

/// What a table is before its first and behind its last point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outside {
    /// Continued with the slope at its end.
    #[default]
    Extrapolate,
    /// The value at its end.
    Hold,
    /// Not a number, so that a run that gets there ends.
    Error,
}

impl Outside {
    /// As models write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Extrapolate => "extrapolate",
            Self::Hold => "hold",
            Self::Error => "error",
        }
    }
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its name; `ground` for `b0`.
    pub name: Name,
    /// kg ([`Scope::Parameters`]).
    pub mass: Formula,
    /// Centre of mass from the reference frame's origin, in its axes, m.
    pub com: [Formula; 3],
    /// xx, yy, zz, xy, xz, yz: matrix entries about the centre of mass, kg·m².
    pub inertia: [Formula; 6],
    /// The frame whose axes the inertia is given in.
    pub inertia_axes: FrameId,
    /// Shapes for pictures.
    pub shapes: Vec<Shape>,
}

/// A shape for pictures, in body axes.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "lengths in m from the reference frame's origin")]
pub enum Shape {
    Cylinder { from: [Formula; 3], to: [Formula; 3], radius: Formula },
    Sphere { center: [Formula; 3], radius: Formula },
    Box { center: [Formula; 3], size: [Formula; 3] },
}

/// A frame fixed in a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Its name within the body; the body's own name for reference frames.
    pub name: Name,
    /// The body.
    pub body: BodyId,
    /// Origin in the body's reference frame, m.
    pub position: [Formula; 3],
    /// Rotations from the reference axes, left to right about moved axes:
    /// R = R₁ R₂ … maps frame components to body components.
    pub rotation: Vec<AxisAngle>,
}

/// A rotation about an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisAngle {
    /// The axis in the axes moved so far.
    pub axis: Axis,
    /// rad.
    pub angle: Formula,
}

/// A direction; the compiler normalises vectors.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// One of x, y, z (0, 1, 2), or its opposite.
    Principal {
        /// 0, 1, 2 for x, y, z.
        index: u8,
        /// Written `-x`, `-y`, `-z`.
        negative: bool,
    },
    /// Any other direction ([`Scope::Parameters`]).
    Vector([Formula; 3]),
}

impl Axis {
    /// Where the components are written; `None` for a principal axis.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Principal { .. } => None,
            Self::Vector(components) => Some(components[0].span.to(components[2].span)),
        }
    }
}

/// A joint between two frames that coincide when all its coordinates are zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: Name,
    /// The frame its axes are given in.
    pub from: FrameId,
    /// The frame it moves.
    pub to: FrameId,
    /// Its type with what belongs to it.
    pub kind: JointKind,
    /// Whether it is cut.
    pub cut: Cut,
    /// Its coordinates, in the order they stand in `Model::coordinates`.
    pub coordinates: Vec<CoordinateId>,
    /// Its velocities, in the order they stand in `Model::velocities`.
    pub velocities: Vec<VelocityId>,
    /// A coordinate of it is named, driven, sprung, coupled, initialised or used in a
    /// formula, so it is never cut automatically.
    pub coordinates_used: bool,
    /// How far, fast and hard it may move; checked, not enforced.
    pub limits: Limits,
}

/// Limits of a joint with one coordinate, each of parameters; `None` for no limit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Limits {
    /// Smallest value of the coordinate, m or rad.
    pub lower: Option<Formula>,
    /// Largest value of the coordinate, m or rad.
    pub upper: Option<Formula>,
    /// Largest speed, m/s or rad/s.
    pub velocity: Option<Formula>,
    /// Largest force or torque of the drive, N or N·m.
    pub effort: Option<Formula>,
}

/// Whether a joint closes a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The compiler decides.
    Auto,
    /// `cut: true`.
    Always,
    /// `cut: false`.
    Never,
}

/// The type of a joint. Axes are in the `from` frame; translations come before
/// rotations, so `to`'s origin moves along `from` axes.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "coordinates: m along and rad about the named axes")]
pub enum JointKind {
    Fixed,
    Revolute {
        axis: Axis,
        angle: CoordinateId,
    },
    Prismatic {
        axis: Axis,
        distance: CoordinateId,
    },
    /// Translation along and rotation about one axis; coordinates in the order
    /// distance, angle.
    Cylindrical {
        axis: Axis,
        distance: CoordinateId,
        angle: CoordinateId,
    },
    /// Rotation by the coordinate and translation by pitch · angle / 2π; `pitch` is
    /// the advance per turn, m.
    Screw {
        axis: Axis,
        pitch: Formula,
        angle: CoordinateId,
    },
    /// Rotation about the first axis, then about the second, moved one.
    Universal {
        axes: [Axis; 2],
        angles: [CoordinateId; 2],
    },
    Spherical {
        orientation: Orientation,
    },
    /// Translation along `from`'s x, y, z, then orientation.
    Free {
        translation: [CoordinateId; 3],
        orientation: Orientation,
    },
    /// Translation along the two directions, then rotation about `normal`. The
    /// directions are the two principal axes that follow the normal in cyclic order
    /// (normal z: x, y); a principal normal is required.
    Planar {
        normal: Axis,
        translation: [CoordinateId; 2],
        angle: CoordinateId,
    },
    /// Pose as expressions of one coordinate: translation along `from`'s x, y, z, then
    /// rotations about moved axes ([`Scope::JointArgument`]).
    Curve {
        coordinate: CoordinateId,
        position: [Formula; 3],
        rotation: Vec<AxisAngle>,
    },
    /// Elementary motions, left to right about and along moved axes.
    Compound {
        steps: Vec<CompoundStep>,
    },
}

/// One elementary motion of a compound joint.
#[derive(Debug, Clone, PartialEq)]
pub struct CompoundStep {
    /// About or along.
    pub motion: Motion,
    /// In the axes moved so far.
    pub axis: Axis,
    /// rad or m ([`Scope::JointArgument`]).
    pub argument: Formula,
}

/// Rotation about an axis or translation along it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub enum Motion {
    Rotation,
    Translation,
}

/// How a spherical or free joint describes orientation.
#[derive(Debug, Clone, PartialEq)]
pub enum Orientation {
    /// Scalar-first quaternion; the velocities are the angular velocity of `to`
    /// relative to `from` in `to` axes.
    #[expect(missing_docs, reason = "said above")]
    Quaternion { coordinates: [CoordinateId; 4], velocities: [VelocityId; 3] },
    /// Three body-fixed rotations about principal axes.
    Angles {
        /// 0, 1, 2 for x, y, z.
        sequence: [u8; 3],
        /// rad.
        coordinates: [CoordinateId; 3],
        /// The frame the angles are measured from, a frame of ground, if not `from`.
        relative_to: Option<FrameId>,
    },
}

/// A position coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct Coordinate {
    /// Its name, as formulas and results use it.
    pub name: Name,
    /// The joint that declares it.
    pub joint: JointId,
    /// The velocity that is its rate; `None` for quaternion components.
    pub rate: Option<VelocityId>,
    /// m, or rad, or 1 for quaternion components.
    pub unit: &'static str,
    /// What it follows, if it is no unknown of its own.
    pub mimic: Option<Mimic>,
}

/// A coordinate q that follows another, which may follow a third: q = ratio · master + offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Mimic {
    /// The coordinate it follows, which has a rate.
    pub master: CoordinateId,
    /// Unit of q over that of the master ([`Scope::Parameters`]).
    pub ratio: Formula,
    /// In the unit of q ([`Scope::Parameters`]).
    pub offset: Formula,
    /// Where this is written.
    pub span: Span,
}

/// The coordinate that one follows in the end, or is itself. They do not follow each other in circles.
pub(super) fn leader(
    coordinates: &IdVec<CoordinateId, Coordinate>,
    mut coordinate: CoordinateId,
) -> CoordinateId {
    while let Some(mimic) = &coordinates[coordinate].mimic {
        coordinate = mimic.master;
    }
    coordinate
}

/// A velocity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Velocity {
    /// The name of its coordinate, or `joint.wx` … for quaternions.
    pub name: Name,
    /// The joint that declares it.
    pub joint: JointId,
    /// The coordinate it is the rate of; `None` for angular velocities.
    pub coordinate: Option<CoordinateId>,
    /// m/s or rad/s.
    pub unit: &'static str,
}

/// A constraint element without coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub kind: ConstraintKind,
}

/// The type of a constraint element, with its rows.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "frames, axes in the frame named before them, lengths in m")]
pub enum ConstraintKind {
    /// g = (|r|² − L²) / 2L with r from `from` to `to`.
    Distance { from: FrameId, to: FrameId, length: Formula },
    /// Two rows: `point` stays on the line through `line`'s origin along `axis`.
    PointOnLine { point: FrameId, line: FrameId, axis: Axis },
    /// One row: `point` stays in the plane through `plane`'s origin across `normal`.
    PointOnPlane { point: FrameId, plane: FrameId, normal: Axis },
    /// Σ factor · coordinate = offset.
    Coupling { terms: Vec<(CoordinateId, Formula)>, offset: Formula },
    /// coordinate = value; [`Scope::JointArgument`] without coordinates.
    Motion { coordinate: CoordinateId, value: Formula },
    /// A thin disc of `radius` about `axis` of frame `wheel` rolls without slip on the
    /// plane through `plane`'s origin across its z axis: one holonomic row (contact),
    /// two non-holonomic rows (no slip along the plane's x and y).
    Rolling { wheel: FrameId, axis: Axis, radius: Formula, plane: FrameId },
    /// One non-holonomic row: the origin of `frame` does not move along `axis`.
    KnifeEdge { frame: FrameId, axis: Axis },
    /// value = 0 at position level ([`Scope::Constraint`]).
    Equation { value: Formula },
    /// value = 0 at velocity level, affine in the velocities
    /// ([`Scope::VelocityConstraint`]).
    VelocityEquation { value: Formula },
}

/// A named expression ([`Scope::Law`], or less where it is used).
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Formula,
}

/// A force element.
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    /// Its name.
    pub name: Name,
    /// Its law.
    pub kind: ForceKind,
}

/// The law of a force element. Formulas are [`Scope::Law`] unless they are fixed
/// properties (stiffness, damping, free length, radius), which are also `Law` so that
/// they may depend on inputs.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "frames; SI; signs in each variant's text")]
#[expect(clippy::large_enum_variant, reason = "a model has few forces, and they are read once")]
pub enum ForceKind {
    /// Along the line of two points, pushing apart:
    /// F = preload + stiffness · (length − l) − damping · l'.
    SpringDamper {
        from: FrameId,
        to: FrameId,
        stiffness: Formula,
        damping: Formula,
        length: Formula,
        preload: Formula,
    },
    /// Along the line of two points, pushing apart, as an expression of the locals
    /// `length` (0) and `rate` (1).
    PointForce { from: FrameId, to: FrameId, force: Formula },
    /// A force or torque along one velocity: on `to`, opposite on `from`.
    JointForce { velocity: VelocityId, value: Formula },
    /// −stiffness · (q − rest) − damping · q' + preload along one coordinate.
    JointSpring {
        coordinate: CoordinateId,
        stiffness: Formula,
        damping: Formula,
        rest: Formula,
        preload: Formula,
    },
    /// Regularised Coulomb friction along one coordinate:
    /// −(coulomb · tanh(q'/regularisation) + viscous · q').
    JointFriction { coordinate: CoordinateId, coulomb: Formula, regularisation: Formula, viscous: Formula },
    /// A force on `on`'s origin with components in `axes`; its opposite acts at the
    /// same place on `reaction`'s body, if given.
    Force { on: FrameId, axes: FrameId, force: [Formula; 3], reaction: Option<FrameId> },
    /// A torque on `on`'s body with components in `axes`, its opposite on `reaction`'s
    /// body, if given.
    Torque { on: FrameId, axes: FrameId, torque: [Formula; 3], reaction: Option<FrameId> },
    /// Six springs and dampers in `from` axes. With d = vector from `from` to `to`, φ the
    /// rotation vector of R = R_from,to and φ' = J⁻¹ ω_rel: force on `to`
    /// −stiffness·d − damping·d'; torque on `to` −J⁻ᵀ (rotational_stiffness·φ) −
    /// rotational_damping·ω_rel, where ω_rel is in `from` axes and d' is seen in `from`. The
    /// force acts at `to`'s origin on both bodies.
    Bushing {
        from: FrameId,
        to: FrameId,
        stiffness: [Formula; 3],
        damping: [Formula; 3],
        rotational_stiffness: [Formula; 3],
        rotational_damping: [Formula; 3],
    },
    /// A ball about `on` on a road z = h(x, y, t): with cos α = 1/√(1 + h_x² + h_y²) and
    /// d = radius − (z − h) cos α the force −F ∂d/∂r at `on`'s origin, F = max(0,
    /// stiffness·d + damping·d') where d > 0, else 0. `road` may use the locals `x` and `y`
    /// (0 and 1, the ground x and y of `on`) and `t`.
    Contact { on: FrameId, radius: Formula, road: Formula, stiffness: Formula, damping: Formula },
    /// The same with d = radius + h − z and the force F along ground z.
    PointContactTyre { on: FrameId, radius: Formula, road: Formula, stiffness: Formula, damping: Formula },
}

impl ForceKind {
    /// Every formula of the law.
    pub fn formulas(&self) -> Vec<&Formula> {
        match self {
            Self::SpringDamper { stiffness, damping, length, preload, .. } => {
                vec![stiffness, damping, length, preload]
            }
            Self::PointForce { force, .. } => vec![force],
            Self::JointForce { value, .. } => vec![value],
            Self::JointSpring { stiffness, damping, rest, preload, .. } => {
                vec![stiffness, damping, rest, preload]
            }
            Self::JointFriction { coulomb, regularisation, viscous, .. } => {
                vec![coulomb, regularisation, viscous]
            }
            Self::Force { force, .. } => force.iter().collect(),
            Self::Torque { torque, .. } => torque.iter().collect(),
            Self::Bushing { stiffness, damping, rotational_stiffness, rotational_damping, .. } => {
                [stiffness, damping, rotational_stiffness, rotational_damping].into_iter().flatten().collect()
            }
            Self::Contact { radius, road, stiffness, damping, .. }
            | Self::PointContactTyre { radius, road, stiffness, damping, .. } => {
                vec![radius, road, stiffness, damping]
            }
        }
    }
}

/// A named output ([`Scope::Output`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Formula,
    /// Unit as written.
    pub unit: Option<String>,
}

/// Initial values, in the order listed ([`Scope::Parameters`]).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Initial {
    /// Positions.
    pub positions: Vec<(CoordinateId, Formula)>,
    /// Velocities.
    pub velocities: Vec<(VelocityId, Formula)>,
}

/// Defaults of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Simulation {
    /// End time, s.
    pub t_end: Option<f64>,
    /// Integrator.
    pub method: Option<String>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Fixed step or output step, s.
    pub step: Option<f64>,
    /// Variants of the run in file order.
    pub scenarios: Vec<Scenario>,
}

/// A variant of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: Name,
    /// Given parameters set to other values, SI.
    pub parameters: Vec<(ParamId, f64)>,
    /// Inputs given other defaults ([`Scope::Time`]).
    pub inputs: Vec<(InputId, Formula)>,
    /// Initial positions replaced.
    pub positions: Vec<(CoordinateId, Formula)>,
    /// Initial velocities replaced.
    pub velocities: Vec<(VelocityId, Formula)>,
    /// End time, s.
    pub t_end: Option<f64>,
}
