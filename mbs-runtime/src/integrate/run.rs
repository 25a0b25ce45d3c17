//! What goes into a run and what comes out of it.

use crate::constraint::Start;
use crate::plant::{State, Statistics};
use std::string::String;
use std::vec::Vec;

/// When positions and velocities are projected onto the constraints (Simeon 1996, table 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Projection {
    /// Never: the index-1 form as it is.
    None,
    /// Velocities in every step.
    Velocity,
    /// Velocities in every step, positions when the drift calls for it (Simeon 1996, eq. 16).
    #[default]
    Controlled,
    /// Both in every step.
    EveryStep,
}

/// Relative tolerance of runs that name none: with it the published benchmarks end within 1e-6
/// of the largest value of every coordinate and output.
pub const DEFAULT_RTOL: f64 = 1e-9;

/// What a run needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Start, s.
    pub t_start: f64,
    /// End, s.
    pub t_end: f64,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance; `None` for rtol/100.
    pub atol: Option<f64>,
    /// When to project.
    pub projection: Projection,
    /// Distance of recorded points, s; `None` records every step.
    pub output_step: Option<f64>,
    /// Largest step, s.
    pub largest_step: f64,
    /// Steps after which a run is given up.
    pub most_steps: u64,
    /// Parameters θ; empty for the model's defaults.
    pub parameters: Vec<f64>,
    /// Whether accelerations come from the model's own solution, where it has one; runs in
    /// lanes never use it.
    pub own_solution: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            t_start: 0.0,
            t_end: 1.0,
            rtol: DEFAULT_RTOL,
            atol: None,
            projection: Projection::default(),
            output_step: None,
            largest_step: f64::INFINITY,
            most_steps: 10_000_000,
            parameters: Vec::new(),
            own_solution: true,
        }
    }
}

/// A change of a mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When, s.
    pub t: f64,
    /// The mode's name, after the element that has it.
    pub name: String,
    /// Whether its switching function rose through zero.
    pub rising: bool,
}

/// How far a run strayed from the constraints.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drift {
    /// ‖g‖₂ at the end.
    pub g: f64,
    /// Largest ‖g‖₂ at a step.
    pub g_max: f64,
    /// ‖G v + c‖₂ at the end.
    pub g_dot: f64,
    /// Largest ‖G v + c‖₂ at a step.
    pub g_dot_max: f64,
    /// Change of kinetic plus potential energy, J; zero only for conservative models.
    pub energy: f64,
}

/// A pose near which constraint rows depended on each other: where branches of the motion
/// meet, and a run that does not keep to the constraints may leave its own.
#[derive(Debug, Clone, PartialEq)]
pub struct SingularPose {
    /// When, s.
    pub t: f64,
    /// The constraint row that followed from the others.
    pub row: String,
    /// The joint or other element it belongs to.
    pub element: String,
}

/// A run that turned stiff: stability, not accuracy, limited the steps of an explicit method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stiffness {
    /// When this was certain, s.
    pub t: f64,
    /// What was done about it.
    pub remedy: Remedy,
    /// When the implicit method found no step any more and the explicit one went on, s.
    pub until: Option<f64>,
}

/// What was done about a stiff motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing: the explicit method was chosen by name.
    Nothing,
    /// Nothing: the model was compiled without the Jacobian an implicit method needs.
    NoJacobian,
    /// From there on the implicit method of this name went on.
    Switched {
        /// The name.
        to: &'static str,
    },
}

/// A finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// What became of the initial values.
    pub start: Start,
    /// Recorded states with their rates and multipliers.
    pub states: Vec<State>,
    /// Modes changed.
    pub events: Vec<Event>,
    /// Counts.
    pub statistics: Statistics,
    /// Constraint violation.
    pub drift: Drift,
    /// Constraint rows whose multipliers are not unique, because rows are redundant; the
    /// multipliers given are those of smallest norm.
    pub redundant: Vec<String>,
    /// Singular poses met.
    pub singular_poses: Vec<SingularPose>,
    /// When the run turned stiff, if it did; implicit methods do not look.
    pub stiffness: Option<Stiffness>,
}
