//! Why a run ended early.

use core::fmt;
use std::format;
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
    /// The end is more steps away than any run takes.
    TooFar {
        /// s.
        t: f64,
        /// The size of steps there, s.
        h: f64,
        /// The end of the run, s.
        t_end: f64,
    },
    /// The observer asked to stop.
    Cancelled {
        /// s.
        t: f64,
    },
}

impl SimulationError {
    /// The stable code, such as `MBS-R001`; docs/errors.md explains it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InconsistentStart { .. } => "MBS-R002",
            Self::SingularMass { .. } => "MBS-R003",
            Self::StepTooSmall { .. } => "MBS-R004",
            Self::NotANumber { .. } => "MBS-R001",
            Self::NoJacobian { .. } => "MBS-R005",
            Self::EventStorm { .. } => "MBS-R006",
            Self::TooManySteps { .. } => "MBS-R007",
            Self::Cancelled { .. } => "MBS-R008",
            Self::TooFar { .. } => "MBS-R013",
        }
    }

    /// What went wrong, where and when.
    pub fn message(&self) -> String {
        match self {
            Self::InconsistentStart { constraint, value, velocity } => {
                let level = if *velocity { "velocities" } else { "positions" };
                let value = rounded(*value, 3);
                format!("the initial {level} cannot satisfy the constraints: `{constraint}` stays at {value}")
            }
            Self::SingularMass { t, velocity } => {
                format!("{}: nothing resists the motion `{velocity}`", Time(*t))
            }
            Self::StepTooSmall { t, h, why } => {
                format!("{}: the step size fell to {h:.0e} s because {why}", Time(*t))
            }
            Self::NotANumber { t, quantity } => {
                format!("{}: from here on the {quantity} is not a number", Time(*t))
            }
            Self::NoJacobian { method } => format!(
                "`{method}` needs the Jacobian of the equations, and the model was compiled without it"
            ),
            Self::EventStorm { t, mode } => {
                format!("{}: the condition in `{mode}` changes again and again", Time(*t))
            }
            Self::TooManySteps { t, steps } => format!("{}: gave up after {steps} steps", Time(*t)),
            Self::TooFar { t, h, t_end } => {
                let steps = (t_end - t) / h;
                format!(
                    "{}: the end at {t_end:e} s is about {steps:.0e} steps of {h:.0e} s away, more than a run takes",
                    Time(*t)
                )
            }
            Self::Cancelled { t } => format!("{}: stopped on request", Time(*t)),
        }
    }

    /// What to do about it, if there is anything.
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            Self::InconsistentStart { .. } => {
                "start closer to an assembled pose, or list fewer initial values"
            }
            Self::SingularMass { .. } => "give what it moves mass and inertia, or constrain it",
            Self::StepTooSmall { .. } => {
                "look there for a force that grows without bound, an unnoticed jump or a singular pose; if the motion \
                 is only fast, loosen the tolerances"
            }
            Self::NotANumber { .. } => {
                "look in the laws behind it for a root or logarithm of a negative number or a division by zero, and \
                 bound the argument"
            }
            Self::NoJacobian { .. } => {
                "compile it with its Jacobian, or use an explicit method such as `mdop5`"
            }
            Self::EventStorm { .. } => {
                "smooth its law, for example tanh(v/v0) for sign(v), or give it a dead band"
            }
            Self::TooManySteps { .. } => "the model may be stiff; try another method or looser tolerances",
            Self::TooFar { .. } => "end the run earlier (`t_end`), or loosen the tolerances",
            Self::Cancelled { .. } => return None,
        })
    }
}

/// A time as messages write it.
struct Time(f64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nine digits say where to look; more are noise.
        write!(f, "t = {} s", rounded(self.0, 9))
    }
}

/// A number with so many digits, or fewer if zeros follow.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        self.remedy().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

impl core::error::Error for SimulationError {}
