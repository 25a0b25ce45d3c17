//! Integration in time.
//!
//! A `Method` tries steps; step size, events, output and errors belong to the driver,
//! `simulate`. Coefficients stand in tables of their own. [`FixedStep`] is for real time and
//! works without `std`.

mod fixed;

pub use fixed::{FixedStep, Formula, Held, Motion, Stabilisation, WorkspaceTooShort};

#[cfg(feature = "std")]
mod auto;
#[cfg(feature = "std")]
mod controller;
#[cfg(feature = "std")]
pub(crate) mod driver;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
mod events;
#[cfg(feature = "std")]
mod grid;
#[cfg(feature = "std")]
mod half_explicit;
#[cfg(feature = "std")]
mod hermite;
#[cfg(feature = "std")]
mod mdop5;
#[cfg(feature = "std")]
mod names;
#[cfg(feature = "std")]
mod parts;
#[cfg(feature = "std")]
mod projection_control;
#[cfg(feature = "std")]
mod radau5;
#[cfg(feature = "std")]
mod run;
#[cfg(feature = "std")]
mod singular;
#[cfg(feature = "std")]
mod singular_approach;
#[cfg(feature = "std")]
mod stiffness;
#[cfg(feature = "std")]
pub(crate) mod tableau;

#[cfg(feature = "std")]
pub use auto::Auto;
#[cfg(feature = "std")]
pub use driver::{simulate, simulate_with};
#[cfg(feature = "std")]
pub use error::SimulationError;
#[cfg(feature = "std")]
pub(crate) use events::instant;
#[cfg(feature = "std")]
pub use half_explicit::HalfExplicit;
#[cfg(feature = "std")]
pub use mdop5::Mdop5;
#[cfg(feature = "batch")]
pub(crate) use mdop5::error_weights;
#[cfg(feature = "std")]
pub use names::{DEFAULT_METHOD, METHODS, MethodError, method};
#[cfg(feature = "std")]
pub use radau5::Radau5;
#[cfg(feature = "std")]
pub use run::{
    DEFAULT_RTOL, Drift, Event, Observer, Progress, Projection, Remedy, Settings, SingularPose, Stiffness,
    Trajectory,
};

#[cfg(feature = "std")]
use crate::constraint::Tolerances;
#[cfg(feature = "std")]
use crate::linalg::Singular;
#[cfg(feature = "std")]
use crate::plant::Plant;
#[cfg(feature = "std")]
use crate::state::State;

/// A step that came to no result.
#[cfg(feature = "std")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Diverged {
    /// Q could not be factored at a stage.
    Singular(Singular),
    /// The projection did not converge.
    Projection(crate::constraint::NotConverged),
    /// Something was not a number.
    NotANumber,
    /// The step led to a pose in which this one of [`Layout::closures`](crate::Layout::closures) is
    /// turned over.
    TurnedOver(usize),
    /// Newton's method of an implicit formula did not converge.
    Newton,
    /// The model was compiled without the Jacobian an implicit formula needs.
    NoJacobian,
}

/// What came of asking a method to go on implicitly.
#[cfg(feature = "std")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It is what the user chose and stays so.
    Stays,
    /// There is no Jacobian to go on with.
    NoJacobian,
    /// From now on it is the implicit method of this name.
    Turned {
        /// The name.
        name: &'static str,
    },
}

/// What the driver tells a method.
#[cfg(feature = "std")]
#[derive(Debug, Clone, Copy)]
pub struct StepSettings {
    /// Weights of error norms.
    pub tolerances: Tolerances,
    /// When to project.
    pub projection: Projection,
}

/// One formula: tries a step, never decides whether to keep it.
#[cfg(feature = "std")]
pub trait Method {
    /// The name users know it by.
    fn name(&self) -> &'static str;
    /// Order of the propagated solution; the convergence test reads it.
    fn order(&self) -> u32;
    /// Order the error estimate goes to zero with, plus one: exponent of the controller.
    fn error_order(&self) -> u32;
    /// Tries a step of length `h` from `from`, whose rates are up to date. Writes the state
    /// with its rates into `to` and returns the weighted error. Does not allocate.
    fn attempt(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        h: f64,
        settings: &StepSettings,
        to: &mut State,
    ) -> Result<f64, Diverged>;
    /// The driver keeps the last attempt.
    fn accepted(&mut self, plant: &mut Plant<'_>) {
        let _ = plant;
    }
    /// The step size for the next step over that of the last attempt, where the error allows
    /// `factor`: an implicit formula saves factorisations and pays for slow iterations.
    fn step_factor(&self, factor: f64) -> f64 {
        factor
    }
    /// Where a singular pose does least harm in a step, as a part of the step: the point
    /// farthest from all stages. `None` if the driver shall not choose steps by it.
    fn singularity_fraction(&self) -> Option<f64> {
        None
    }
    /// The motion changed discontinuously: forget what earlier steps taught.
    fn restart(&mut self) {}
    /// Of an explicit method the last stage of the last attempt before its end, at the same time
    /// as the end, with its rates: both tell whether the motion is stiff. `None` if implicit.
    fn stage_before_end(&mut self, plant: &mut Plant<'_>) -> Option<&State> {
        let _ = plant;
        None
    }
    /// The motion has become stiff at a state with its rates: go on with an implicit formula, if
    /// the choice of formula was left to the method.
    fn turn_implicit(&mut self, plant: &mut Plant<'_>, state: &State) -> Turn {
        let _ = (plant, state);
        Turn::Stays
    }
    /// No step succeeds any more: go back to the explicit formula, if that was left. Whether it
    /// did.
    fn turn_explicit(&mut self) -> bool {
        false
    }
    /// Whether the rates and multipliers an attempt writes are those of the state it writes,
    /// to full order. Otherwise the driver computes them for what it records.
    fn writes_full_rates(&self) -> bool {
        true
    }
    /// Gets ready for [`interpolate`](Self::interpolate) over the last attempt, from `from` to
    /// `to`; costs nothing when repeated.
    fn prepare_dense(&mut self, plant: &mut Plant<'_>, from: &State, to: &State) -> Result<(), Diverged> {
        let _ = (plant, from, to);
        Ok(())
    }
    /// The solution at `from.t + theta·h` of the last attempt, 0 ≤ theta ≤ 1: p, v, x. After
    /// [`prepare_dense`](Self::prepare_dense).
    fn interpolate(&self, from: &State, to: &State, theta: f64, out: &mut State);
}
