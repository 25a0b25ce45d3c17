//! From the start to the end: step sizes, events, output, errors.

mod rank;
mod recording;
mod singular_crossing;
mod stiff;

use super::controller::Controller;
use super::error::SimulationError;
use super::events::{Crossing, Unsettled, Watch, instant};
use super::grid::Grid;
use super::run::{Drift, Event, Observer, Progress, Records, Settings, Trajectory};
use super::singular::SingularWatch;
use super::singular_approach::SingularApproach;
use super::stiffness::StiffnessWatch;
use super::{Auto, Diverged, Method, StepSettings};
use crate::constraint::{Start, Tolerances, consistent};
use crate::linalg::Saddle;
use crate::plant::Plant;
use crate::state::State;
use crate::{Defaults, System};
use mbs_math as math;
use std::boxed::Box;
use std::collections::VecDeque;
use std::string::{String, ToString};
use std::vec::Vec;

/// Simulates a system with its default inputs and [`Auto`]: MDOP5, and RADAU5 from where the run
/// turns stiff, if there is a Jacobian.
pub fn simulate(system: &dyn System, settings: &Settings) -> Result<Trajectory, SimulationError> {
    let layout = system.layout();
    let defaults = layout.parameter_defaults.to_vec();
    let theta = if settings.parameters.is_empty() { &defaults } else { &settings.parameters };
    let mut plant = Plant::new(system, theta, Box::new(Defaults));
    plant.use_generated_solver = settings.use_generated_solver;
    let mut state = State::new(layout);
    state.t = settings.t_start;
    plant.initial(&mut state);
    let mut method = Auto::new(layout);
    simulate_with(&mut plant, &mut method, state, settings, &mut |_| true)
}

/// Simulates from `start`, made consistent first, with any method. `observer` is told of every
/// recorded state and before every step, and may stop the run by returning false.
pub fn simulate_with(
    plant: &mut Plant<'_>,
    method: &mut dyn Method,
    start: State,
    settings: &Settings,
    observer: &mut Observer<'_>,
) -> Result<Trajectory, SimulationError> {
    let mut last = start.clone();
    let outcome = drive(plant, method, start, settings, observer, &mut last);
    plant.failed_at = outcome.is_err().then(|| {
        plant.stamp(&mut last);
        last
    });
    outcome
}

/// The run itself; `last` is where it stands when it fails.
fn drive(
    plant: &mut Plant<'_>,
    method: &mut dyn Method,
    start: State,
    settings: &Settings,
    observer: &mut Observer<'_>,
    last: &mut State,
) -> Result<Trajectory, SimulationError> {
    let mut driver = Driver::new(plant, method, start, settings)?;
    let mut outcome = driver.record(observer);
    while outcome.is_ok() && !driver.is_done() {
        outcome = driver.step(observer);
    }
    last.copy_from(&driver.state);
    outcome?;
    driver.finish(observer)
}

/// A run on its way: proposes steps and judges what became of them.
pub(crate) struct Driver<'r, 's, M: Method + ?Sized> {
    pub(crate) plant: &'r mut Plant<'s>,
    pub(crate) method: &'r mut M,
    settings: &'r Settings,
    pub(crate) step_settings: StepSettings,
    controller: Controller,
    watch: Watch,
    start: Start,
    /// Where the run stands, and where the step now tried leads.
    pub(crate) state: State,
    pub(crate) trial: State,
    /// A state of the dense output.
    between: State,
    saddle: Saddle,
    h: f64,
    /// Times of recorded points, unless every step is one.
    grid: Option<Grid>,
    /// Index of the next recorded point.
    next_output: u64,
    /// Steps in a row too short for the run ever to end.
    tiny_steps: u32,
    records: Records,
    events: Vec<Event>,
    /// When roots were met on the dense output, the last [`MAX_EVENTS_IN_BURST`] of them.
    instants: VecDeque<f64>,
    drift: Drift,
    energy: f64,
    /// g, G and G v + c of the last accepted state.
    pub(crate) g: Vec<f64>,
    /// g with all rows where some are taken out.
    g_of_all: Vec<f64>,
    jacobian: Vec<f64>,
    pub(crate) rate: Vec<f64>,
    /// Whether `g` and `rate` are those of the trial already.
    pub(crate) measured: bool,
    singular: SingularWatch,
    approach: SingularApproach,
    pub(crate) stiffness: StiffnessWatch,
}

/// The step to try next.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Proposal {
    pub(crate) h: f64,
    /// Where a step must end at the latest: the end, or an event of time.
    goal: f64,
    reaches_goal: bool,
    time_event: Option<f64>,
}

#[cfg(feature = "batch")]
impl Proposal {
    /// When the step ends that starts at t.
    pub(crate) fn end(&self, t: f64) -> f64 {
        if self.reaches_goal { self.goal } else { t + self.h }
    }
}

/// So many steps in a row that are shorter than this part of the run lead nowhere.
const MIN_RELATIVE_STEP: f64 = 1e-9;
const MAX_TINY_STEPS: u32 = 2000;

/// So many instants with events within so short a time, s, are a burst.
const MAX_EVENTS_IN_BURST: usize = 200;
const BURST_TIME: f64 = 1e-6;

impl<'r, 's, M: Method + ?Sized> Driver<'r, 's, M> {
    /// Makes the start consistent and chooses a first step.
    pub(crate) fn new(
        plant: &'r mut Plant<'s>,
        method: &'r mut M,
        mut state: State,
        settings: &'r Settings,
    ) -> Result<Self, SimulationError> {
        let layout = plant.layout();
        let (t, given) = (state.t, state.v.clone());
        let start = consistent(plant, &mut state)
            .map_err(|inconsistent| SimulationError::of_start(layout, t, &given, inconsistent))?;
        let tolerances =
            Tolerances { rtol: settings.rtol, atol: settings.atol.unwrap_or(0.01 * settings.rtol) };
        let mut driver = Self {
            watch: Watch::new(plant, &state),
            controller: Controller::new(method.error_order()),
            step_settings: StepSettings { tolerances, projection: settings.projection },
            start,
            trial: State::new(layout),
            between: State::new(layout),
            saddle: layout.saddle(layout.n_lambda()),
            state,
            h: 0.0,
            grid: settings.output_step.map(|step| Grid::new(settings.t_start, step)),
            next_output: 0,
            tiny_steps: 0,
            records: Records::new(settings.max_points),
            events: Vec::new(),
            instants: VecDeque::new(),
            drift: Drift::default(),
            energy: 0.0,
            g: std::vec![0.0; layout.n_g],
            g_of_all: std::vec![0.0; layout.n_g],
            jacobian: std::vec![0.0; layout.n_lambda() * layout.n_v()],
            rate: std::vec![0.0; layout.n_lambda()],
            measured: false,
            singular: SingularWatch::new(),
            approach: SingularApproach::new(method.singularity_fraction()),
            stiffness: StiffnessWatch::new(layout.n_v()),
            plant,
            method,
            settings,
        };
        driver.next_time_event();
        driver.settle_at_start()?;
        driver.h = driver.first_step()?;
        driver.energy = driver.energy_now();
        Ok(driver)
    }

    /// Decides the modes where the run begins. Until they are, branches may count that are no
    /// numbers there, and what then decides modes at zero is looked at again.
    fn settle_at_start(&mut self) -> Result<(), SimulationError> {
        self.any_rates()?;
        let is_undefined = self.check_numbers(self.state.t).is_err();
        self.decide_modes()?;
        if is_undefined {
            self.any_rates()?;
            self.decide_modes()?;
        }
        self.rates()
    }

    fn decide_modes(&mut self) -> Result<(), SimulationError> {
        let outcome = self.watch.initial_modes(self.plant, &self.state);
        outcome.map_err(|Unsettled { mode }| self.event_burst(self.state.t, mode))
    }

    fn event_burst(&self, t: f64, mode: usize) -> SimulationError {
        let mode = self.plant.layout().modes.get(mode).unwrap_or_default().to_string();
        SimulationError::EventStorm { t, mode }
    }

    /// Rates of the current state, which must be numbers.
    fn rates(&mut self) -> Result<(), SimulationError> {
        self.any_rates()?;
        self.check_numbers(self.state.t)
    }

    /// Rates of the current state.
    fn any_rates(&mut self) -> Result<(), SimulationError> {
        let t = self.state.t;
        let layout = self.plant.layout();
        if let Err(singular) = self.plant.eval_derivatives(&mut self.state, &mut self.saddle) {
            let velocity =
                singular.velocity.and_then(|index| layout.velocities.get(index)).unwrap_or_default();
            return Err(SimulationError::SingularMass { t, velocity: velocity.to_string() });
        }
        Ok(())
    }

    fn check_numbers(&self, t: f64) -> Result<(), SimulationError> {
        let layout = self.plant.layout();
        for (values, names, what) in [
            (&self.plant.forces, &layout.velocities, "force along"),
            (&self.state.v_dot, &layout.velocities, "acceleration of"),
            (&self.state.x_dot, &layout.states, "rate of"),
            (&self.trial.x_dot, &layout.states, "rate of"),
        ] {
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                let quantity = std::format!("{what} `{}`", names.get(index).unwrap_or_default());
                return Err(SimulationError::NotANumber { t, quantity });
            }
        }
        Ok(())
    }

    /// A first step size (Hairer, Nørsett & Wanner, *Solving ODEs I*, II.4), from positions
    /// and velocities.
    fn first_step(&mut self) -> Result<f64, SimulationError> {
        let tolerances = self.step_settings.tolerances;
        let span = self.settings.t_end - self.state.t;
        let state = &self.state;
        let norm = |p: &[f64], v: &[f64]| tolerances.norm(p, &state.p).max(tolerances.norm(v, &state.v));
        let (d0, d1) = (norm(&state.p, &state.v), norm(&state.p_dot, &state.v_dot));
        let mut h = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 };
        // Rounding of a start at zero must not be taken for its size.
        h = h.max(1e-9 * span).min(span).min(self.settings.max_step);
        self.trial.copy_from(&self.state);
        self.trial.t += h;
        advance(&mut self.trial.p, &self.state.p_dot, h);
        advance(&mut self.trial.v, &self.state.v_dot, h);
        advance(&mut self.trial.x, &self.state.x_dot, h);
        if self.plant.eval_derivatives(&mut self.trial, &mut self.saddle).is_err() {
            return Ok(h);
        }
        let change = |now: &[f64], then: &[f64]| -> Vec<f64> {
            now.iter().zip(then).map(|(a, b)| (a - b) / h).collect()
        };
        let d2 = norm(
            &change(&self.trial.p_dot, &self.state.p_dot),
            &change(&self.trial.v_dot, &self.state.v_dot),
        );
        let largest = d1.max(d2);
        let h1 = if largest <= 1e-15 {
            (1e-3 * h).max(1e-6)
        } else {
            math::pow(0.01 / largest, 1.0 / f64::from(self.method.error_order()))
        };
        Ok((100.0 * h).min(h1).min(span).min(self.settings.max_step))
    }

    /// Whether the end is reached.
    pub(crate) fn is_done(&self) -> bool {
        self.state.t >= self.settings.t_end
    }

    /// One accepted step, up to an event if there is one.
    fn step(&mut self, observer: &mut Observer<'_>) -> Result<(), SimulationError> {
        loop {
            let t = self.state.t;
            if !observer(Progress::Step { t }) {
                return Err(SimulationError::Cancelled { t });
            }
            let proposal = self.propose()?;
            let h = proposal.h;
            let outcome =
                self.method.attempt(self.plant, &self.state, h, &self.step_settings, &mut self.trial);
            if self.conclude(proposal, outcome, observer)? {
                return Ok(());
            }
        }
    }

    /// The step to try next.
    pub(crate) fn propose(&mut self) -> Result<Proposal, SimulationError> {
        let time_event = self.next_time_event();
        let goal = time_event.unwrap_or(f64::INFINITY).min(self.settings.t_end);
        let t = self.state.t;
        let left = goal - t;
        let mut h = self.approach.limit(t, self.h.min(self.settings.max_step));
        let reaches_goal = h >= left * (1.0 - 1e-10);
        if reaches_goal {
            h = left;
        } else if h > 0.5 * left {
            h = 0.5 * left;
        }
        if h < 1e-14 * (1.0 + t.abs()) && !reaches_goal {
            if self.turn_explicit()? {
                return self.propose();
            }
            let why = if h >= 1e-9 { self.too_late() } else { self.too_fast() };
            return Err(self.step_too_small(why));
        }
        self.measured = false;
        self.plant.row_conditioning.take();
        Ok(Proposal { h, goal, reaches_goal, time_event })
    }

    /// The next event that is known beforehand: of a switching function of time alone, or a
    /// breakpoint of the signals.
    fn next_time_event(&mut self) -> Option<f64> {
        let t = self.state.t;
        let mut last = f64::NAN;
        let mut next = self.plant.next_breakpoint(t.next_down());
        // What is of this instant has been reached.
        while let Some(passed) = next.filter(|next| *next <= t + instant(t)) {
            last = passed;
            next = self.plant.next_breakpoint(passed);
        }
        self.plant.set_breakpoints([last, next.unwrap_or(f64::NAN)]);
        let modes = self.watch.next_time_event(self.plant, t);
        modes.into_iter().chain(next).min_by(f64::total_cmp)
    }

    /// Judges an attempt: keeps it, up to an event if there is one, and returns true, or
    /// chooses another step size.
    pub(crate) fn conclude(
        &mut self,
        proposal: Proposal,
        outcome: Result<f64, Diverged>,
        observer: &mut Observer<'_>,
    ) -> Result<bool, SimulationError> {
        let Proposal { h, goal, reaches_goal, time_event } = proposal;
        let error = match outcome {
            Ok(error) => error,
            Err(diverged) => {
                self.retry(h, diverged)?;
                return Ok(false);
            }
        };
        let (factor, keep) = self.controller.judge(error);
        if !keep {
            self.plant.statistics.rejected += 1;
            self.h = h * factor;
            return Ok(false);
        }
        if let Some(closure) = self.plant.turned_over(&self.trial) {
            self.retry(h, Diverged::TurnedOver(closure))?;
            return Ok(false);
        }
        if self.watch.is_needed()
            && let Err(diverged) = self.method.prepare_dense(self.plant, &self.state, &self.trial)
        {
            self.retry(h, diverged)?;
            return Ok(false);
        }
        if let Some(crossing) = self.watch.crossing(self.plant, &*self.method, &self.state, &self.trial) {
            self.measured = false;
            self.event(crossing, h, observer)?;
            return Ok(true);
        }
        let factor = self.method.step_factor(factor);
        // A step cut short by the goal says nothing against longer ones.
        self.h = if reaches_goal { self.h.max(h * factor) } else { h * factor };
        if reaches_goal {
            self.trial.t = goal;
        }
        self.accept(observer)?;
        if reaches_goal && time_event == Some(goal) {
            self.change_modes(None)?;
        }
        Ok(true)
    }

    /// An attempt with h came to no result: a much smaller step, unless there is none.
    fn retry(&mut self, h: f64, diverged: Diverged) -> Result<(), SimulationError> {
        if diverged == Diverged::NoJacobian {
            return Err(self.gave_up(diverged));
        }
        self.plant.statistics.rejected += 1;
        self.h = h * self.controller.failed();
        let is_hopeless = self.h < 1e-12 * (1.0 + self.state.t.abs());
        if is_hopeless && !self.turn_explicit()? { Err(self.gave_up(diverged)) } else { Ok(()) }
    }

    /// The error stays too large; names what changes fastest for the tolerances.
    fn too_fast(&self) -> String {
        let layout = self.plant.layout();
        let Tolerances { rtol, atol } = self.step_settings.tolerances;
        let parts = [
            (&self.state.v, &self.state.v_dot, &layout.velocities),
            (&self.state.x, &self.state.x_dot, &layout.states),
        ];
        let speeds = parts.into_iter().flat_map(|(values, rates, names)| {
            let speed = move |(value, rate): (&f64, &f64)| rate.abs() / (atol + rtol * value.abs());
            values.iter().zip(rates).map(speed).zip(names.iter())
        });
        let fastest = speeds.max_by(|(a, _), (b, _)| a.total_cmp(b));
        let name = fastest.map(|(_, name)| name).unwrap_or_default();
        std::format!("the error stays too large; `{name}` changes fastest")
    }

    /// Why a step that is no small one by itself is too small here.
    fn too_late(&self) -> String {
        let t = self.state.t;
        std::format!("times near {t:.3e} s have no finer digits than {:.0e} s", t.next_up() - t)
    }

    /// Steps are short beside the run: because the motion stops them, or because the end is far.
    fn steps_too_small(&self) -> SimulationError {
        let (t, h) = (self.state.t, self.trial.t - self.state.t);
        let usual = (t - self.settings.t_start) / self.plant.statistics.steps as f64;
        if h < 1e-3 * usual {
            return self.step_too_small(self.too_fast());
        }
        SimulationError::TooFar { t, h, t_end: self.settings.t_end }
    }

    fn step_too_small(&self, mut why: String) -> SimulationError {
        if let Some(row) = self.singular.current() {
            let element = self.plant.layout().row_element(row);
            why = std::format!("{why} near a singular pose of `{element}`");
        }
        SimulationError::StepTooSmall { t: self.state.t, h: self.h, why }
    }

    fn gave_up(&self, diverged: Diverged) -> SimulationError {
        let t = self.state.t;
        let layout = self.plant.layout();
        match diverged {
            Diverged::NotANumber => self
                .check_numbers(t)
                .err()
                .unwrap_or(SimulationError::NotANumber { t, quantity: "error estimate".into() }),
            Diverged::Singular(singular) => {
                match singular.velocity.and_then(|index| layout.velocities.get(index)) {
                    Some(velocity) => SimulationError::SingularMass { t, velocity: velocity.to_string() },
                    None => self.step_too_small("the constraints are singular".into()),
                }
            }
            Diverged::Projection(projection) => {
                let row = layout.rows.get(projection.row).unwrap_or_default();
                self.step_too_small(std::format!("the constraint `{row}` could not be closed"))
            }
            Diverged::TurnedOver(closure) => {
                let joint = layout.closures.get(closure).unwrap_or_default().to_string();
                SimulationError::TurnedOver { t, joint, held: Vec::new() }
            }
            Diverged::NoJacobian => SimulationError::NoJacobian { method: self.method.name().into() },
            Diverged::Newton => self.step_too_small("Newton's method did not converge".into()),
        }
    }

    /// Lands on a sign change, flips the mode and settles the others.
    fn event(
        &mut self,
        crossing: Crossing,
        h: f64,
        observer: &mut Observer<'_>,
    ) -> Result<(), SimulationError> {
        let settings = self.step_settings;
        let landed =
            self.watch.land(self.plant, self.method, &self.state, &mut self.trial, crossing, &settings);
        if landed.is_none() {
            // The short step failed: approach with smaller steps.
            self.h = 0.5 * crossing.theta * h;
            self.plant.statistics.rejected += 1;
            return Ok(());
        }
        let t = self.trial.t;
        if self.instants.len() >= MAX_EVENTS_IN_BURST {
            let first = self.instants.pop_front();
            if first.is_some_and(|first| t - first < BURST_TIME * (1.0 + t.abs())) {
                return Err(self.event_burst(t, crossing.mode));
            }
        }
        self.instants.push_back(t);
        self.accept(observer)?;
        self.change_modes(Some(crossing.mode))
    }

    /// All modes that change at the instant reached, and goes on from there.
    fn change_modes(&mut self, met: Option<usize>) -> Result<(), SimulationError> {
        // From here on signals are those behind the instant.
        self.next_time_event();
        if let Err(Unsettled { mode }) = self.watch.settle(self.plant, &self.state, met) {
            return Err(self.event_burst(self.state.t, mode));
        }
        self.note_changes();
        self.continue_after_event()
    }

    /// The right-hand side has changed: new rates, new step size.
    fn continue_after_event(&mut self) -> Result<(), SimulationError> {
        self.rates()?;
        self.method.restart();
        self.controller.restart();
        self.approach.restart();
        if self.state.t < self.settings.t_end {
            self.h = self.first_step()?;
        }
        Ok(())
    }

    /// Takes over the trial step.
    fn accept(&mut self, observer: &mut Observer<'_>) -> Result<(), SimulationError> {
        self.plant.statistics.steps += 1;
        if self.plant.statistics.steps > self.settings.max_steps {
            let steps = self.plant.statistics.steps;
            let stiffness = self.stiffness.found();
            return Err(SimulationError::TooManySteps { t: self.state.t, steps, stiffness });
        }
        let is_tiny =
            self.trial.t - self.state.t < MIN_RELATIVE_STEP * (self.settings.t_end - self.settings.t_start);
        self.tiny_steps = if is_tiny { self.tiny_steps + 1 } else { 0 };
        if self.tiny_steps > MAX_TINY_STEPS {
            return Err(self.steps_too_small());
        }
        self.method.accepted(self.plant);
        let after = self.plant.row_conditioning.last();
        let weakest = self.plant.row_conditioning.take();
        self.singular.note(self.trial.t, weakest);
        if let Some(parts) = self.approach.arrived(self.trial.t, after, weakest) {
            self.look_between(parts);
        }
        self.record_until(self.trial.t, observer)?;
        let is_stiff = self.stiffness.is_due() && self.is_stiff();
        core::mem::swap(&mut self.state, &mut self.trial);
        self.measure();
        self.track_rank()?;
        if is_stiff {
            self.turn_implicit();
        }
        if self.settings.output_step.is_none() {
            self.record(observer)?;
        }
        Ok(())
    }
}

fn advance(values: &mut [f64], rates: &[f64], h: f64) {
    for (value, rate) in values.iter_mut().zip(rates) {
        *value += h * rate;
    }
}

fn norm(values: &[f64]) -> f64 {
    math::sqrt(values.iter().fold(0.0, |sum, value| sum + value * value))
}
