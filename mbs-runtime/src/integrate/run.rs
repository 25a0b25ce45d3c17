//! What goes into a run and what comes out of it.

use crate::constraint::Start;
use crate::state::State;
use crate::statistics::Statistics;
use core::mem;
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
    pub max_step: f64,
    /// Steps after which a run is given up.
    pub max_steps: u64,
    /// Recorded states a trajectory keeps, at least two. Where there are more, every second of those
    /// kept is left out, as often as it takes: what stays is spread evenly, the first and the last
    /// among it. An [`Observer`] sees all.
    pub max_points: usize,
    /// Parameters θ; empty for the model's defaults.
    pub parameters: Vec<f64>,
    /// Whether accelerations come from the model's own solution, where it has one; runs in
    /// lanes never use it.
    pub use_generated_solver: bool,
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
            max_step: f64::INFINITY,
            max_steps: 10_000_000,
            max_points: usize::MAX,
            parameters: Vec::new(),
            use_generated_solver: true,
        }
    }
}

/// What an [`Observer`] is told of a run.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'s> {
    /// A step is about to be tried from time `t`, s.
    Step {
        /// s.
        t: f64,
    },
    /// This state was recorded. Each is told once, in the order of time.
    Recorded(&'s State),
}

/// Follows a run and ends it by returning false: with
/// [`Cancelled`](crate::SimulationError::Cancelled).
pub type Observer<'o> = dyn FnMut(Progress<'_>) -> bool + 'o;

/// Recorded states, of which no more are kept than there is room for.
#[derive(Debug)]
pub(super) struct Records {
    kept: Vec<State>,
    /// The last recorded state, where it is not kept.
    last: Option<State>,
    recorded: u64,
    /// One of so many is kept: a power of two.
    every: u64,
    max: usize,
}

impl Records {
    pub(super) fn new(max: usize) -> Self {
        Self { kept: Vec::new(), last: None, recorded: 0, every: 1, max: max.max(2) }
    }

    pub(super) fn push(&mut self, state: State) {
        let index = self.recorded;
        self.recorded += 1;
        self.last = None;
        // One place is for the last.
        if index.is_multiple_of(self.every) && self.kept.len() + 1 >= self.max && self.max > 2 {
            let mut place = 0_usize;
            self.kept.retain(|_| {
                place += 1;
                !place.is_multiple_of(2)
            });
            self.every *= 2;
        }
        if index.is_multiple_of(self.every) && self.kept.len() + 1 < self.max {
            self.kept.push(state);
        } else {
            self.last = Some(state);
        }
    }

    /// The last recorded state.
    pub(super) fn last(&self) -> Option<&State> {
        self.last.as_ref().or(self.kept.last())
    }

    /// What is kept, and how many states were recorded.
    pub(super) fn take(&mut self) -> (Vec<State>, u64) {
        self.kept.extend(self.last.take());
        (mem::take(&mut self.kept), self.recorded)
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
    /// Recorded states with their rates and multipliers: all, or as many as
    /// [`Settings::max_points`] allows, evenly spread.
    pub states: Vec<State>,
    /// How many states were recorded, whether they are kept or not.
    pub recorded: u64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    fn kept(recorded: u64, max: usize) -> Vec<f64> {
        let mut records = Records::new(max);
        for t in 0..recorded {
            records.push(State { t: t as f64, ..State::default() });
            assert_eq!(records.last().map(|state| state.t), Some(t as f64));
        }
        let (states, counted) = records.take();
        assert_eq!(counted, recorded);
        assert!(states.len() <= max.max(2), "{} of at most {max}", states.len());
        states.iter().map(|state| state.t).collect()
    }

    #[test]
    fn what_is_kept_is_spread_evenly_and_has_both_ends() {
        assert_eq!(kept(0, 4), []);
        assert_eq!(kept(3, usize::MAX), [0.0, 1.0, 2.0]);
        assert_eq!(kept(4, 4), [0.0, 2.0, 3.0]);
        assert_eq!(kept(5, 4), [0.0, 2.0, 4.0]);
        assert_eq!(kept(9, 5), [0.0, 4.0, 8.0]);
        assert_eq!(kept(10, 5), [0.0, 4.0, 8.0, 9.0]);
        for max in 0..3 {
            assert_eq!(kept(1000, max), [0.0, 999.0]);
        }
        for recorded in 1..400 {
            let states = kept(recorded, 17);
            assert_eq!((states[0], states[states.len() - 1]), (0.0, (recorded - 1) as f64));
            assert!(recorded < 17 || states.len() >= 9, "{} of {recorded}", states.len());
            let distances: Vec<f64> = states.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let but_last = &distances[..distances.len().saturating_sub(1)];
            assert_eq!(but_last, vec![distances.first().copied().unwrap_or(0.0); but_last.len()]);
        }
    }
}
