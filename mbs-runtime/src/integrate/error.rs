//! Why a run ended early.

use super::run::{Remedy, Stiffness};
use crate::Layout;
use crate::constraint::{Contradiction, Inconsistent, Level};
use core::fmt;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

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
        /// Other constraints that stay open with it.
        others: Vec<String>,
        /// Listed positions that were held.
        held: Vec<String>,
    },
    /// Constraints ask for different things of the same motion.
    Contradiction {
        /// s.
        t: f64,
        /// The joints and constraint elements.
        constraints: Vec<String>,
        /// By how much, in their own unit.
        value: f64,
        /// What it is about.
        level: Level,
    },
    /// A listed velocity contradicts the constraints or what is listed before it.
    ListedVelocity {
        /// s.
        t: f64,
        /// The velocity.
        velocity: String,
        /// Its value as listed.
        listed: f64,
        /// Its value as it follows from the others.
        value: f64,
        /// Listed velocities it follows from, with their values.
        others: Vec<String>,
        /// Joints and constraint elements it follows from.
        constraints: Vec<String>,
    },
    /// A joint that closes a loop meets its rows with one side turned over against the other.
    TurnedOver {
        /// s.
        t: f64,
        /// The joint.
        joint: String,
        /// Listed positions that were held; of a start.
        held: Vec<String>,
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
        /// When the run turned stiff, if it did, and what was done about it.
        stiffness: Option<Stiffness>,
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
    /// Why a run cannot start from values listed as `v` says.
    pub fn of_start(layout: &Layout, t: f64, v: &[f64], inconsistent: Inconsistent) -> Self {
        let row = |row: usize| layout.rows.get(row).unwrap_or_default().to_string();
        let position = |&index: &usize| layout.positions.get(index).unwrap_or_default().to_string();
        let velocity = |index: usize| layout.velocities.get(index).unwrap_or_default().to_string();
        match inconsistent {
            Inconsistent::Positions { rows, value, held } => Self::InconsistentStart {
                constraint: row(rows.first().copied().unwrap_or(0)),
                value,
                velocity: false,
                others: elements(layout, rows.get(1..).unwrap_or_default()),
                held: held.iter().map(position).collect(),
            },
            Inconsistent::Velocities { row: worst, value } => Self::InconsistentStart {
                constraint: row(worst),
                value,
                velocity: true,
                others: Vec::new(),
                held: Vec::new(),
            },
            Inconsistent::TurnedOver { closure, held } => Self::TurnedOver {
                t,
                joint: layout.closures.get(closure).unwrap_or_default().to_string(),
                held: held.iter().map(position).collect(),
            },
            Inconsistent::ListedVelocity { index, listed, value, others, rows } => Self::ListedVelocity {
                t,
                velocity: velocity(index),
                listed,
                value,
                others: others.iter().map(|&other| format!("`{}` = {}", velocity(other), v[other])).collect(),
                constraints: elements(layout, &rows),
            },
            Inconsistent::Contradiction(contradiction) => Self::of_contradiction(layout, t, contradiction),
        }
    }

    /// Constraints that cannot be met together.
    pub fn of_contradiction(layout: &Layout, t: f64, contradiction: Contradiction) -> Self {
        let Contradiction { level, rows, value } = contradiction;
        Self::Contradiction { t, constraints: elements(layout, &rows), value, level }
    }

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
            Self::Contradiction { .. } => "MBS-R009",
            Self::ListedVelocity { .. } => "MBS-R010",
            Self::TurnedOver { .. } => "MBS-R011",
            Self::TooFar { .. } => "MBS-R012",
        }
    }

    /// What went wrong, where and when.
    pub fn message(&self) -> String {
        match self {
            Self::InconsistentStart { constraint, value, velocity, others, held } => {
                let level = if *velocity { "velocities" } else { "positions" };
                let value = rounded(*value, 3);
                let mut text = format!(
                    "the initial {level} cannot satisfy the constraints: `{constraint}` stays at {value}"
                );
                if !others.is_empty() {
                    text += &format!(" against {}", listing(others));
                }
                text + &while_held(held)
            }
            Self::Contradiction { t, constraints, value, level } => {
                let (names, value) = (listing(constraints), rounded(*value, 3));
                let what = match level {
                    Level::Positions => "positions",
                    Level::Velocities => "velocities",
                    Level::Accelerations => "accelerations",
                };
                format!(
                    "{}: {names} contradict each other: the {what} they ask for differ by {value}",
                    Time(*t)
                )
            }
            Self::ListedVelocity { t, velocity, listed, value, others, constraints } => {
                let mut reasons = others.clone();
                reasons.extend(constraints.iter().map(|name| format!("`{name}`")));
                let reasons = if reasons.is_empty() { "the constraints".into() } else { reasons.join(", ") };
                let value = rounded(*value, 9);
                format!(
                    "{}: the initial velocity {listed} of `{velocity}` contradicts {reasons}, by which it is {value}",
                    Time(*t)
                )
            }
            Self::TurnedOver { t, joint, held } => {
                let held = while_held(held);
                format!(
                    "{}: the loop closes only with `{joint}` turned over, not as it is meant{held}",
                    Time(*t)
                )
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
            Self::TooManySteps { t, steps, stiffness } => {
                let text = format!("{}: gave up after {steps} steps", Time(*t));
                stiffness.map_or(text.clone(), |found| format!("{text}, stiff from {} on", Time(found.t)))
            }
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
            Self::TooManySteps { stiffness, .. } => match stiffness.map(|found| found.remedy) {
                Some(Remedy::Nothing) => "stability limits the steps, not accuracy: use the method `radau5`",
                Some(Remedy::NoJacobian) => {
                    "stability limits the steps, not accuracy: compile the model with its Jacobian, which the method \
                     `radau5` needs"
                }
                Some(Remedy::Switched { .. }) => {
                    "it was computed with an implicit method already: loosen the tolerances, or end the run earlier"
                }
                None => "no stiffness was found: loosen the tolerances, or end the run earlier",
            },
            Self::Contradiction { .. } => {
                "make them say the same at all times, or leave one of them out; `mbs check` lists rows that follow from \
                 others"
            }
            Self::ListedVelocity { .. } => "leave it out, or give the value that follows from the others",
            Self::TurnedOver { .. } => {
                "start closer to the assembly that is meant, look whether an axis or a frame of the joint points the \
                 wrong way, or take smaller steps"
            }
            Self::TooFar { .. } => "end the run earlier (`t_end`), or loosen the tolerances",
            Self::Cancelled { .. } => return None,
        })
    }
}

/// The joints and constraint elements of rows, each once.
fn elements(layout: &Layout, rows: &[usize]) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for &row in rows {
        let element = layout.row_element(row);
        if !list.iter().any(|known| known == element) {
            list.push(element.to_string());
        }
    }
    list
}

/// Names as messages list them.
fn listing(names: &[String]) -> String {
    const MOST: usize = 5;
    let quoted: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MOST);
    match quoted.split_last() {
        _ if more > 0 => format!("{} and {more} more", quoted.join(", ")),
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.join(", "),
    }
}

fn while_held(held: &[String]) -> String {
    if held.is_empty() {
        String::new()
    } else {
        format!(" while {} as listed", listing(held) + if held.len() == 1 { " is" } else { " are" })
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
