//! The equations of motion as expressions, and what their rows and columns mean.

use super::decision::Decision;
use super::solution::Solution;
use crate::expr::Graph;
use crate::ids::{BodyId, ConstraintId, ExprId, ForceId, IdVec, InputId, JointId, ModeId, TableId};
use crate::model::Table;

/// The equations of motion of one model (signs as in docs/notation.md):
///
/// ```text
/// p' = T v,   M v' = f − Gᵀλ,   0 = g,   0 = G v + c,   0 = G v' + z,   x' = a
/// ```
///
/// All lists are dense; matrices are column-major.
#[derive(Debug, Clone)]
pub struct Equations {
    /// Every expression below.
    pub graph: Graph,
    /// Names and dimensions.
    pub layout: Layout,
    /// Tables the expressions read.
    pub tables: IdVec<TableId, Table>,
    /// Where tables are read whose kinks are events.
    pub frozen_readings: Vec<FrozenReading>,
    /// p' = T v, n_p.
    pub p_dot: Vec<ExprId>,
    /// T, n_p × n_v.
    pub kinematic_matrix: Vec<ExprId>,
    /// M, n_v × n_v, symmetric: both triangles hold the same expressions.
    pub mass_matrix: Vec<ExprId>,
    /// f, n_v.
    pub forces: Vec<ExprId>,
    /// g, n_g.
    pub constraints: Vec<ExprId>,
    /// G, n_λ × n_v.
    pub constraint_jacobian: Vec<ExprId>,
    /// c, n_λ.
    pub velocity_bias: Vec<ExprId>,
    /// z, n_λ.
    pub acceleration_bias: Vec<ExprId>,
    /// a, n_x.
    pub auxiliary: Vec<ExprId>,
    /// Switching function of each mode; the mode's truth value is `function < 0` or
    /// `function ≤ 0`, as [`ModeKind`] says.
    pub switching: Vec<ExprId>,
    /// Named outputs; may depend on v' and λ.
    pub outputs: Vec<ExprId>,
    /// M v' − f as one recursion: the generalised force that produces v', n_v.
    pub inverse_dynamics: Vec<ExprId>,
    /// M, f and M v' − f as programs compute them: first the way that is cheapest where M and f
    /// are computed together, then ways for functions that compute one of them alone. Where there
    /// are none, the expressions above are all there is.
    pub formulations: Vec<Formulation>,
    /// What the choices that led to the first formulation save, one after the other; empty
    /// unless asked for.
    pub savings: Vec<Saving>,
    /// Pose of every body but ground, in body order.
    pub poses: Vec<Pose>,
    /// J.
    pub kinetic_energy: ExprId,
    /// Gravity, springs, bushings and contacts, J; what it leaves out is in
    /// [`Layout::without_potential`].
    pub potential_energy: ExprId,
    /// Default of every input slot as a function of t and parameters.
    pub input_defaults: Vec<ExprId>,
    /// Default initial p, v, x as functions of parameters.
    pub initial: [Vec<ExprId>; 3],
    /// A cosine for each of [`Layout::closures`], negative where the joint is closed but for half a
    /// turn or a third of one.
    pub closure_cosines: Vec<ExprId>,
    /// Derived parameters, as expressions of given ones, in `Layout` order.
    pub derived: Vec<ExprId>,
    /// Derivatives of f − M v' − Gᵀλ, g, G v + c and a, one below the other, with respect
    /// to p, v, x and u side by side, at given v' and λ; `None` unless asked for.
    pub jacobian: Option<Vec<ExprId>>,
    /// Partial derivatives of the velocities of [`Layout::frames`] with respect to v, frame by frame
    /// 6 × n_v; `None` unless asked for.
    pub frame_jacobian: Option<Vec<ExprId>>,
    /// v' and λ, in as many ways as are worth comparing; empty where solving is left to the
    /// runtime.
    pub solutions: Vec<Solution>,
    /// What each model element adds to an entry, before summation; empty unless asked
    /// for.
    pub contributions: Vec<Contribution>,
    /// The power each force element takes out for good, W, as far as velocities make it: joints and
    /// roads that move by themselves stand still. Elements without a potential are left out; empty
    /// unless contributions are asked for.
    pub dissipation: Vec<(Element, ExprId)>,
    /// Where in the model expressions come from, each by the first formula that made it;
    /// empty unless contributions are asked for.
    pub places: Vec<(ExprId, SourceNote)>,
    /// Names of intermediate quantities for readable equations (`omega_wb_b` of body
    /// `crank` component x …); the first name given to an expression stands.
    pub names: Vec<(ExprId, String)>,
}

impl Equations {
    /// Equations of nothing, to be filled in.
    pub(crate) fn empty(mut graph: Graph, layout: Layout) -> Self {
        let zero = graph.zero();
        Self {
            graph,
            layout,
            tables: IdVec::new(),
            frozen_readings: Vec::new(),
            p_dot: Vec::new(),
            kinematic_matrix: Vec::new(),
            mass_matrix: Vec::new(),
            forces: Vec::new(),
            constraints: Vec::new(),
            constraint_jacobian: Vec::new(),
            velocity_bias: Vec::new(),
            acceleration_bias: Vec::new(),
            auxiliary: Vec::new(),
            switching: Vec::new(),
            outputs: Vec::new(),
            inverse_dynamics: Vec::new(),
            formulations: Vec::new(),
            savings: Vec::new(),
            poses: Vec::new(),
            kinetic_energy: zero,
            potential_energy: zero,
            input_defaults: Vec::new(),
            initial: [Vec::new(), Vec::new(), Vec::new()],
            closure_cosines: Vec::new(),
            derived: Vec::new(),
            jacobian: None,
            frame_jacobian: None,
            solutions: Vec::new(),
            contributions: Vec::new(),
            dissipation: Vec::new(),
            places: Vec::new(),
            names: Vec::new(),
        }
    }
}

/// Quantities of [`Equations`] once more, by expressions that take fewer operations than those
/// people read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formulation {
    /// M, n_v × n_v.
    pub mass_matrix: Vec<ExprId>,
    /// f, n_v.
    pub forces: Vec<ExprId>,
    /// M v' − f, n_v.
    pub inverse_dynamics: Vec<ExprId>,
}

/// What one choice of formulation saves of M, f, G and z together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saving {
    /// What is chosen.
    pub choice: &'static str,
    /// Operations without it and before they are optimised, a sine or a cosine counting for ten.
    pub before: usize,
    /// Operations with it.
    pub after: usize,
}

/// Names and dimensions of everything an integrator or emitter needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// The model's name.
    pub model: String,
    /// One sentence for people.
    pub description: String,
    /// Names of p.
    pub positions: Vec<String>,
    /// Units of p.
    pub position_units: Vec<String>,
    /// Names of v.
    pub velocities: Vec<String>,
    /// Units of v.
    pub velocity_units: Vec<String>,
    /// Names of x.
    pub states: Vec<String>,
    /// Slots of u.
    pub inputs: Vec<InputSlot>,
    /// Names of given parameters θ.
    pub parameters: Vec<String>,
    /// Defaults of θ, SI.
    pub parameter_defaults: Vec<f64>,
    /// Unit and meaning of each θ, as far as given.
    pub parameter_docs: Vec<(Option<String>, Option<String>)>,
    /// Names of derived parameters.
    pub derived: Vec<String>,
    /// Force elements whose work is neither part of the potential energy nor damping: laws the
    /// model gives by value, and springs whose stiffness depends on the motion.
    pub without_potential: Vec<String>,
    /// Rows of the constraints: holonomic ones first (g has `n_g` of them), then
    /// non-holonomic ones.
    pub rows: Vec<Row>,
    /// Rows that no coordinate changes: they hold by themselves and are left out.
    pub redundant_rows: Vec<Row>,
    /// Names of the joints that close loops and hold an orientation which depends on coordinates.
    pub closures: Vec<String>,
    /// Number of holonomic rows.
    pub n_g: usize,
    /// Quaternions among p.
    pub quaternions: Vec<QuaternionBlock>,
    /// Conditionals frozen within a step.
    pub modes: IdVec<ModeId, Mode>,
    /// Tables whose kinks are events.
    pub kinks: Vec<Kinks>,
    /// Names of outputs.
    pub outputs: Vec<String>,
    /// Units of outputs, as far as given.
    pub output_units: Vec<Option<String>>,
    /// Names of bodies but ground, in the order of `poses`.
    pub bodies: Vec<String>,
    /// Names of the frames whose Jacobians were asked for, as the model writes them.
    pub frames: Vec<String>,
    /// Indices into p of initial values that are held, in the order listed.
    pub held_positions: Vec<u32>,
    /// Indices into v of initial values that are held, in the order listed.
    pub held_velocities: Vec<u32>,
}

/// One slot of the input array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputSlot {
    /// The input's name.
    pub name: String,
    /// The input.
    pub input: InputId,
    /// 0, 1 or 2: u, u' or u''.
    pub derivative: u8,
}

/// A row of the constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name of λ and of the row: `closure.x`, `rod.distance`.
    pub name: String,
    /// What made it.
    pub element: Element,
    /// What it constrains.
    pub kind: RowKind,
}

/// What a constraint row constrains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it says")]
pub enum RowKind {
    Position,
    Orientation,
    Distance,
    Coordinate,
    Equation,
    Nonholonomic,
}

/// Where a quaternion lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuaternionBlock {
    /// Its joint's name.
    pub joint: String,
    /// Index of its scalar part in p; four in a row.
    pub p: u32,
    /// Index of the first angular velocity in v; three in a row.
    pub v: u32,
}

/// A conditional frozen within a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode {
    /// The element it belongs to, with a number if that has several: `tyre`, `tyre.2`.
    pub name: String,
    /// The element.
    pub element: Element,
    /// How the switching function decides.
    pub kind: ModeKind,
    /// And what.
    pub decision: Decision,
    /// The function is affine in time and depends on nothing else but parameters, or belongs
    /// to a table of such an argument: its roots are known beforehand and hit exactly.
    pub is_time_event: bool,
    /// The alternatives under which it has an influence: it matters while all conditions of
    /// one of them hold.
    pub uses: Vec<Vec<ModeCondition>>,
}

/// A reading of a linear table whose kinks are events: the equations see the frozen piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrozenReading {
    /// The table, and what it is read at.
    pub table: TableId,
    #[expect(missing_docs, reason = "said above")]
    pub argument: ExprId,
    /// Where the frozen piece starts, which stands for the argument in the equations.
    pub start: ExprId,
}

/// The kinks of a linear table at one argument, which are events.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinks {
    /// The element and the table: `spring.curve`, with a number if the element reads it at
    /// several arguments.
    pub name: String,
    /// The first of its modes; the others follow. They hold the number of the piece as a Gray
    /// code, lowest bit first. The highest bit has one root, and its function is what is left
    /// of the argument to it.
    pub first_mode: ModeId,
    /// How many modes.
    pub n_modes: usize,
    /// Where the kinks are, increasing.
    pub at: Vec<f64>,
}

/// What a conditional's branch asks of a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModeCondition {
    /// The mode.
    pub mode: ModeId,
    /// Whether it must hold or must not.
    pub holds: bool,
}

/// How a switching function decides a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeKind {
    /// The mode holds where the function is below zero.
    Negative,
    /// The mode holds where the function is zero or below.
    NotPositive,
}

/// A model element, as the source of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what it says")]
pub enum Element {
    Body(BodyId),
    Joint(JointId),
    Constraint(ConstraintId),
    Force(ForceId),
    State(crate::ids::StateId),
    Variable(crate::ids::VariableId),
    Output(crate::ids::OutputId),
    Input(InputId),
}

impl Element {
    /// The element's name in its model.
    pub fn name(self, model: &crate::model::Model) -> &str {
        match self {
            Self::Body(id) => &model.bodies[id].name.text,
            Self::Joint(id) => &model.joints[id].name.text,
            Self::Constraint(id) => &model.constraints[id].name.text,
            Self::Force(id) => &model.forces[id].name.text,
            Self::State(id) => &model.states[id].name.text,
            Self::Variable(id) => &model.variables[id].name.text,
            Self::Output(id) => &model.outputs[id].name.text,
            Self::Input(id) => &model.inputs[id].name.text,
        }
    }

    /// What kind of element it is, in a word.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Body(_) => "body",
            Self::Joint(_) => "joint",
            Self::Constraint(_) => "constraint",
            Self::Force(_) => "force",
            Self::State(_) => "state",
            Self::Variable(_) => "variable",
            Self::Output(_) => "output",
            Self::Input(_) => "input",
        }
    }

    /// Where the element is defined.
    pub fn span(self, model: &crate::model::Model) -> crate::diag::Span {
        match self {
            Self::Body(id) => model.bodies[id].name.span,
            Self::Joint(id) => model.joints[id].name.span,
            Self::Constraint(id) => model.constraints[id].name.span,
            Self::Force(id) => model.forces[id].name.span,
            Self::State(id) => model.states[id].name.span,
            Self::Variable(id) => model.variables[id].name.span,
            Self::Output(id) => model.outputs[id].name.span,
            Self::Input(id) => model.inputs[id].name.span,
        }
    }
}

/// What a contribution adds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "indices of rows and columns")]
pub enum Quantity {
    Mass(u32, u32),
    Force(u32),
    Constraint(u32),
    Jacobian(u32, u32),
    VelocityBias(u32),
    AccelerationBias(u32),
    Auxiliary(u32),
    Output(u32),
    KineticEnergy,
    PotentialEnergy,
}

/// How an element adds to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A body's mass and inertia resist acceleration.
    Inertia,
    /// Centrifugal, Coriolis and gyroscopic forces of a body.
    InertialForce,
    /// Gravity pulls a body.
    Weight,
    /// A force element acts.
    Applied,
    /// A joint or constraint element restricts motion.
    Constraint,
    /// A formula of the model gives the value.
    Formula,
}

impl Part {
    /// Its name in answers for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inertia => "inertia",
            Self::InertialForce => "inertial_force",
            Self::Weight => "weight",
            Self::Applied => "applied",
            Self::Constraint => "constraint",
            Self::Formula => "formula",
        }
    }
}

/// One term of an entry, before summation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contribution {
    /// The entry.
    pub quantity: Quantity,
    /// What made it.
    pub element: Element,
    /// How it did.
    pub part: Part,
    /// The term.
    pub value: ExprId,
}

/// Where an expression comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceNote {
    /// The part of a formula, or the element, that made it.
    pub span: crate::diag::Span,
    /// The element, where the formula belongs to one.
    pub element: Option<Element>,
    /// What it is, where no formula says so: `its length`.
    pub words: Option<&'static str>,
}

/// Pose of a body's reference frame in ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pose {
    /// The body.
    pub body: BodyId,
    /// Origin in ground axes, m.
    pub r_wb_w: [ExprId; 3],
    /// Row-major: maps body components to ground components.
    pub rot_wb: [[ExprId; 3]; 3],
}
