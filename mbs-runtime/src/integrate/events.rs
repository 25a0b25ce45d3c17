//! Switching functions: where they change sign, and what follows (000: section 4.3).

use super::{Method, StepSettings};
use crate::plant::{Plant, State};
use std::vec;
use std::vec::Vec;

/// Points of a step at which signs are looked at.
const SAMPLES: u32 = 4;

/// Rounds in which modes may change each other after an event.
pub(super) const MOST_ROUNDS: usize = 20;

/// Width of the bracket of a root, s.
const ROOT_WIDTH: f64 = 1e-13;

/// Watches switching functions; keeps its workspace.
#[derive(Debug)]
pub(super) struct Watch {
    values: Vec<f64>,
    earlier: Vec<f64>,
    probe: State,
    /// Modes that had an influence before an event.
    active: Vec<bool>,
    /// When functions of time alone change sign, with their modes.
    time_events: Vec<(usize, f64)>,
    /// Whether any function depends on more than time.
    on_dense_output: bool,
}

/// A sign change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    /// The mode that changes.
    pub(super) mode: usize,
    /// Where in the step, 0 to 1.
    pub(super) theta: f64,
    /// Whether the function rises through zero.
    pub(super) rising: bool,
}

/// Modes that keep changing each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unsettled {
    pub(super) mode: usize,
}

impl Watch {
    /// Watches the switching functions of a plant whose parameters stay as they are.
    pub(super) fn new(plant: &mut Plant<'_>, state: &State) -> Self {
        let layout = plant.layout();
        let modes = layout.modes.len();
        let mut watch = Self {
            values: vec![0.0; modes],
            earlier: vec![0.0; modes],
            probe: State::new(layout),
            active: vec![true; modes],
            time_events: Vec::new(),
            on_dense_output: layout.time_modes.iter().filter(|&&is_time| is_time).count() < modes,
        };
        for (mode, _) in layout.time_modes.iter().enumerate().filter(|&(_, &is_time)| is_time) {
            let root = watch.time_root(plant, state, mode);
            watch.time_events.extend(root.map(|root| (mode, root)));
        }
        watch
    }

    /// The root of a function that is affine in time; the same bits wherever a run starts.
    fn time_root(&mut self, plant: &mut Plant<'_>, state: &State, mode: usize) -> Option<f64> {
        let mut value = |t: f64| {
            plant.switching(t, &state.p, &state.v, &state.x, &mut self.values);
            self.values[mode]
        };
        let (start, slope) = (value(0.0), value(1.0) - value(0.0));
        let root = -start / slope;
        // Far from zero the slope has lost digits; a second step finds them.
        let root = root - value(root) / slope;
        root.is_finite().then_some(root)
    }

    /// Whether there are switching functions to look for on the dense output.
    pub(super) fn is_needed(&self) -> bool {
        self.on_dense_output
    }

    /// When the next switching function of time alone changes sign after t, among those that
    /// have an influence.
    pub(super) fn next_time_event(&self, plant: &Plant<'_>, t: f64) -> Option<f64> {
        let soonest = t + 1e-12 * (1.0 + t.abs());
        let layout = plant.layout();
        let later = self.time_events.iter().filter(|(_, root)| *root > soonest);
        let active = later.filter(|(mode, _)| layout.is_active(*mode, &plant.modes));
        active.map(|&(_, root)| root).min_by(f64::total_cmp)
    }

    /// Remembers which modes have an influence now.
    pub(super) fn remember_active(&mut self, plant: &Plant<'_>) {
        for (mode, active) in self.active.iter_mut().enumerate() {
            *active = plant.layout().is_active(mode, &plant.modes);
        }
    }

    /// Whether a mode had an influence when last remembered.
    pub(super) fn was_active(&self, mode: usize) -> bool {
        self.active[mode]
    }

    /// Switching functions now, in `earlier`, and a moment later, in `values`.
    fn now_and_soon(&mut self, plant: &mut Plant<'_>, state: &State) -> f64 {
        let State { t, p, v, x, p_dot, v_dot, x_dot, .. } = state;
        plant.switching(*t, p, v, x, &mut self.earlier);
        let dt = 1e-7 * (1.0 + t.abs());
        advance(&mut self.probe.p, p, p_dot, dt);
        advance(&mut self.probe.v, v, v_dot, dt);
        advance(&mut self.probe.x, x, x_dot, dt);
        plant.switching(*t + dt, &self.probe.p, &self.probe.v, &self.probe.x, &mut self.values);
        dt
    }

    /// The value that decides a mode afresh: where the function is, or where it goes if it is
    /// at zero.
    fn deciding(&self, mode: usize, dt: f64) -> f64 {
        let (now, soon) = (self.earlier[mode], self.values[mode]);
        if now.abs() <= 1e-9 * (1.0 + (soon - now).abs() / dt) { soon } else { now }
    }

    /// Sets every mode that has an influence from its switching function at a state;
    /// functions at zero decide by where they go next. Time modes take the value they have
    /// after t.
    pub(super) fn initial_modes(&mut self, plant: &mut Plant<'_>, state: &State) -> Result<(), Unsettled> {
        let layout = plant.layout();
        let mut changed = 0;
        for _ in 0..MOST_ROUNDS {
            let dt = self.now_and_soon(plant, state);
            let mut stable = true;
            for mode in 0..self.values.len() {
                let holds = layout.mode_kinds[mode].holds(self.deciding(mode, dt));
                if layout.is_active(mode, &plant.modes) && plant.modes[mode] != holds {
                    plant.modes[mode] = holds;
                    stable = false;
                    changed = mode;
                }
            }
            if stable {
                return Ok(());
            }
        }
        Err(Unsettled { mode: changed })
    }

    /// The first sign change of the last attempt, on its dense output.
    pub(super) fn crossing(
        &mut self,
        plant: &mut Plant<'_>,
        method: &(impl Method + ?Sized),
        from: &State,
        to: &State,
    ) -> Option<Crossing> {
        let layout = plant.layout();
        if !self.is_needed() {
            return None;
        }
        let mut start = 0.0;
        for sample in 1..=SAMPLES {
            let end = f64::from(sample) / f64::from(SAMPLES);
            self.at(plant, method, from, to, end);
            let mut first: Option<Crossing> = None;
            for mode in 0..layout.modes.len() {
                let is_time = layout.time_modes.get(mode).copied().unwrap_or(false);
                let holds = layout.mode_kinds[mode].holds(self.values[mode]);
                if is_time || holds == plant.modes[mode] || !layout.is_active(mode, &plant.modes) {
                    continue;
                }
                let rising = self.values[mode] > 0.0;
                let theta = self.root(plant, method, from, to, mode, (start, end));
                if first.is_none_or(|first| theta < first.theta) {
                    first = Some(Crossing { mode, theta, rising });
                }
                self.at(plant, method, from, to, end);
            }
            if first.is_some() {
                return first;
            }
            start = end;
        }
        None
    }

    fn at(
        &mut self,
        plant: &mut Plant<'_>,
        method: &(impl Method + ?Sized),
        from: &State,
        to: &State,
        theta: f64,
    ) {
        method.interpolate(from, to, theta, &mut self.probe);
        let State { t, p, v, x, .. } = &self.probe;
        plant.switching(*t, p, v, x, &mut self.values);
    }

    /// Bisection on the dense output between a point where the mode agrees and one where it
    /// does not.
    fn root(
        &mut self,
        plant: &mut Plant<'_>,
        method: &(impl Method + ?Sized),
        from: &State,
        to: &State,
        mode: usize,
        (mut low, mut high): (f64, f64),
    ) -> f64 {
        let kind = plant.layout().mode_kinds[mode];
        let width = ROOT_WIDTH / (to.t - from.t).abs().max(f64::MIN_POSITIVE);
        while high - low > width.max(f64::EPSILON) {
            let middle = 0.5 * (low + high);
            self.at(plant, method, from, to, middle);
            if kind.holds(self.values[mode]) == plant.modes[mode] {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// Moves the end of a step onto a root: repeats the step with its length corrected until
    /// the projected state has the switching function at zero. Returns the length.
    pub(super) fn land(
        &mut self,
        plant: &mut Plant<'_>,
        method: &mut (impl Method + ?Sized),
        from: &State,
        to: &mut State,
        crossing: Crossing,
        settings: &StepSettings,
    ) -> Option<f64> {
        let mode = crossing.mode;
        let h = to.t - from.t;
        // Slope of the function on the raw solution.
        let spread = 1e-4;
        self.at(plant, method, from, to, crossing.theta - spread);
        let before = self.values[mode];
        self.at(plant, method, from, to, crossing.theta + spread);
        let slope = (self.values[mode] - before) / (2.0 * spread * h);
        let mut length = crossing.theta * h;
        for _ in 0..8 {
            method.attempt(plant, from, length, settings, to).ok()?;
            let State { t, p, v, x, .. } = &*to;
            plant.switching(*t, p, v, x, &mut self.values);
            let correction = self.values[mode] / slope;
            if !correction.is_finite() || correction.abs() <= ROOT_WIDTH * (1.0 + from.t.abs()) {
                return Some(length);
            }
            length -= correction.clamp(-0.1 * length, 0.1 * length);
        }
        Some(length)
    }

    /// After an event: the flipped mode stands, all others that have an influence follow
    /// their functions, until nothing changes. Those without influence before the event (see
    /// [`remember_active`](Self::remember_active)) are decided afresh.
    pub(super) fn settle(
        &mut self,
        plant: &mut Plant<'_>,
        state: &State,
        flipped: usize,
    ) -> Result<(), Unsettled> {
        let layout = plant.layout();
        let mut changed = flipped;
        for _ in 0..MOST_ROUNDS {
            let dt = self.now_and_soon(plant, state);
            let mut stable = true;
            for mode in 0..self.values.len() {
                if mode == flipped || !layout.is_active(mode, &plant.modes) {
                    continue;
                }
                let value = if self.was_active(mode) {
                    let is_time = layout.time_modes.get(mode).copied().unwrap_or(false);
                    if is_time || self.earlier[mode].abs() <= 1e-9 {
                        continue;
                    }
                    self.earlier[mode]
                } else {
                    self.deciding(mode, dt)
                };
                let holds = layout.mode_kinds[mode].holds(value);
                if holds != plant.modes[mode] {
                    plant.modes[mode] = holds;
                    stable = false;
                    changed = mode;
                }
            }
            if stable {
                return Ok(());
            }
        }
        Err(Unsettled { mode: changed })
    }
}

fn advance(out: &mut [f64], from: &[f64], rate: &[f64], dt: f64) {
    for ((out, from), rate) in out.iter_mut().zip(from).zip(rate) {
        *out = from + dt * rate;
    }
}
