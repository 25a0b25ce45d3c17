//! What a check found.

use super::{IDENTITIES, Sample};
use core::fmt;
use std::string::String;
use std::vec::Vec;

/// Largest ‖g‖ allowed along a run.
const DRIFT: f64 = 1e-6;

/// One identity and how well it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Short name.
    pub name: &'static str,
    /// The identity.
    pub identity: &'static str,
    /// Errors up to this are rounding.
    pub tolerance: f64,
    /// The largest error, relative to the largest term; `None` if it was not checked.
    pub worst: Option<Worst>,
    /// Why it was not checked, anywhere or at some states.
    pub skipped: Option<&'static str>,
    /// At how many of the random states it was left out.
    pub skipped_states: usize,
}

impl Check {
    /// Whether it was checked at all.
    pub fn is_checked(&self) -> bool {
        self.worst.is_some()
    }

    /// Whether the identity holds as far as it was checked.
    pub fn holds(&self) -> bool {
        // What is not a number does not hold.
        self.worst.as_ref().is_none_or(|worst| worst.error <= self.tolerance)
    }
}

/// Where an identity holds least.
#[derive(Debug, Clone, PartialEq)]
pub struct Worst {
    /// Relative to the largest term.
    pub error: f64,
    /// The entry: `G[closure.x, phi]`.
    pub entry: String,
    /// The state and its number.
    pub state: Option<(usize, Sample)>,
}

/// What was checked, and how it went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// One per identity, in the order of [`IDENTITIES`].
    pub checks: Vec<Check>,
    /// Random states at which identities were checked.
    pub samples: usize,
    /// Random states given up because a force law or condition is not defined anywhere near.
    pub undefined: usize,
    pub(super) current: Option<(usize, Sample)>,
}

impl Report {
    pub(super) fn new(tolerance: f64) -> Self {
        let check = |(name, identity): &(&'static str, &'static str)| {
            // Only where derivatives enter are these what limits the error.
            let tolerance = match *name {
                "G" | "c" | "z" | "f" | "energy" | "jacobian" => tolerance,
                "run" => DRIFT,
                "accelerations" => 1e-6,
                _ => 1e-9,
            };
            Check { name, identity, tolerance, worst: None, skipped: None, skipped_states: 0 }
        };
        Self { checks: IDENTITIES.iter().map(check).collect(), samples: 0, undefined: 0, current: None }
    }

    fn check(&mut self, name: &str) -> &mut Check {
        let index = IDENTITIES.iter().position(|(known, _)| *known == name).expect("a known identity");
        &mut self.checks[index]
    }

    /// Says why an identity was not checked.
    pub(super) fn skip(&mut self, name: &str, why: &'static str) {
        self.check(name).skipped = Some(why);
    }

    /// Says why an identity was not checked at a state.
    pub(super) fn skip_state(&mut self, name: &str, why: &'static str) {
        let check = self.check(name);
        check.skipped = Some(why);
        check.skipped_states += 1;
    }

    /// Takes an error into account.
    pub(super) fn note(&mut self, name: &str, error: f64, entry: impl FnOnce() -> String) {
        let state = self.current.clone();
        let check = self.check(name);
        let larger = check.worst.as_ref().is_none_or(|worst| error > worst.error || error.is_nan());
        // The first that is not a number stands.
        if larger && !check.worst.as_ref().is_some_and(|worst| worst.error.is_nan()) {
            check.worst = Some(Worst { error, entry: entry(), state });
        }
    }

    /// Compares two arrays: the largest difference relative to `scale`, the largest term.
    pub(super) fn compare(
        &mut self,
        name: &str,
        found: &[f64],
        expected: &[f64],
        scale: f64,
        entry: impl Fn(usize) -> String,
    ) {
        let largest = found.iter().chain(expected).fold(scale, |largest, value| largest.max(value.abs()));
        let mut worst = (0.0, None);
        for (index, (a, b)) in found.iter().zip(expected).enumerate() {
            let error = if a == b { 0.0 } else { (a - b).abs() / largest };
            if worst.1.is_none() || error > worst.0 || error.is_nan() {
                worst = (error, Some(index));
                if error.is_nan() {
                    break;
                }
            }
        }
        if let (error, Some(index)) = worst {
            self.note(name, error, || entry(index));
        }
    }

    /// The identities that do not hold.
    pub fn broken(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.holds())
    }

    /// An error that names the identities that do not hold, if there are any, or if no state
    /// could be checked.
    pub fn result(&self) -> Result<(), Broken> {
        let broken = Broken { checks: self.broken().cloned().collect(), nothing: self.samples == 0 };
        if broken.checks.is_empty() && !broken.nothing { Ok(()) } else { Err(broken) }
    }
}

/// Identities do not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// Which.
    pub checks: Vec<Check>,
    /// Whether there was no state at which the equations are defined.
    pub nothing: bool,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nothing {
            f.write_str("the equations are not defined at any random state")?;
        }
        for (index, check) in self.checks.iter().enumerate() {
            if index > 0 || self.nothing {
                f.write_str("; ")?;
            }
            write!(f, "`{}` does not hold", check.identity)?;
            if let Some(worst) = &check.worst {
                write!(f, " in {}: error {:.1e}", worst.entry, worst.error)?;
            }
        }
        Ok(())
    }
}

impl core::error::Error for Broken {}
