//! Why a run ended early.

use core::fmt;
use std::string::String;

/// Why a run ended early; each with the time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SimulationError {
    /// The initial values cannot be made consistent.
    InconsistentStart {
        /// The constraint violated most.
        constraint: String,
        /// Its value.
        value: f64,
        /// Whether the velocities are the trouble.
        velocity: bool,
    },
    /// The mass matrix is singular: a motion without inertia.
    SingularMass {
        /// s.
        t: f64,
        /// The velocity.
        velocity: String,
    },
    /// The step size became too small.
    StepTooSmall {
        /// s.
        t: f64,
        /// The step size, s.
        h: f64,
        /// What the last attempt stumbled over.
        why: String,
    },
    /// A force or a rate is not a number.
    NotANumber {
        /// s.
        t: f64,
        /// The quantity.
        quantity: String,
    },
    /// The method needs a Jacobian the model was compiled without.
    NoJacobian {
        /// The method.
        method: String,
    },
    /// Modes keep changing each other, or change too often.
    EventStorm {
        /// s.
        t: f64,
        /// The mode.
        mode: String,
    },
    /// Too many steps.
    TooManySteps {
        /// s.
        t: f64,
        /// How many.
        steps: u64,
    },
    /// The observer asked to stop.
    Cancelled {
        /// s.
        t: f64,
    },
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InconsistentStart { constraint, value, velocity } => {
                let level = if *velocity { "velocities" } else { "positions" };
                write!(
                    f,
                    "the initial {level} cannot satisfy the constraints: `{constraint}` stays at {value:.3e}; start \
                     closer to an assembled pose, or list fewer initial values"
                )
            }
            Self::SingularMass { t, velocity } => write!(
                f,
                "t = {t}: nothing resists the motion `{velocity}`; give what it moves mass and inertia"
            ),
            Self::StepTooSmall { t, h, why } => write!(
                f,
                "t = {t}: the step size fell to {h:.3e} s because {why}; loosen the tolerances, or look for a force \
                 that jumps or a singular pose"
            ),
            Self::NotANumber { t, quantity } => write!(f, "t = {t}: `{quantity}` is not a number"),
            Self::NoJacobian { method } => write!(
                f,
                "`{method}` needs the Jacobian of the equations, and the model was compiled without it; compile it \
                 with its Jacobian, or use an explicit method such as `mdop5`"
            ),
            Self::EventStorm { t, mode } => {
                write!(f, "t = {t}: `{mode}` switches again and again; smooth its law or give it a dead band")
            }
            Self::TooManySteps { t, steps } => {
                write!(f, "t = {t}: gave up after {steps} steps; the model may be stiff, try another method")
            }
            Self::Cancelled { t } => write!(f, "t = {t}: stopped on request"),
        }
    }
}

impl core::error::Error for SimulationError {}
