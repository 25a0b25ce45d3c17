//! Switching functions: where they change sign, and what follows (Simeon 1996, section 4.3).

use super::{Method, StepSettings};
use crate::plant::Plant;
use crate::state::State;
use crate::{Kinks, Layout};
use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

/// Points of a step at which signs are looked at.
const SAMPLES: u32 = 4;

/// Rounds in which modes may change each other after an event.
pub(super) const MAX_ROUNDS: usize = 20;

/// Width of the bracket of a root, s.
const ROOT_WIDTH: f64 = 1e-13;

/// Times that differ by no more than this, relative to 1 s + |t|, are one instant.
const INSTANT: f64 = 1e-12;

/// A function this close to zero, in its own unit, does not decide its mode by its sign.
const AT_ZERO: f64 = 1e-9;

/// Rounds in which a crossing before the one just found is looked for.
const MAX_EARLIER: usize = 64;

/// Watches switching functions; keeps its workspace.
#[derive(Debug)]
pub(super) struct Watch {
    values: Vec<f64>,
    earlier: Vec<f64>,
    probe: State,
    /// Switching functions just after an instant, for those of time alone.
    after: Vec<f64>,
    /// Modes as they were before an event, and which of them had an influence.
    before: Vec<bool>,
    active: Vec<bool>,
    /// Modes whose functions pass zero at the event.
    crossed: Vec<bool>,
    /// When functions of time alone change sign, with their modes, in the order of time.
    time_events: Vec<(f64, usize)>,
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
            after: vec![0.0; modes],
            probe: State::new(layout),
            before: vec![false; modes],
            active: vec![true; modes],
            crossed: vec![false; modes],
            time_events: Vec::new(),
            on_dense_output: layout.time_modes.iter().filter(|&&is_time| is_time).count() < modes,
        };
        let in_table = |mode: usize| layout.kinks.iter().any(|table| table.modes().contains(&mode));
        for mode in (0..modes).filter(|&mode| is_time(layout, mode) && !in_table(mode)) {
            let root = watch.time_root(plant, state, mode, 0.0);
            watch.time_events.extend(root.map(|root| (root, mode)));
        }
        for table in layout.kinks.iter().filter(|table| is_time(layout, table.first_mode as usize)) {
            watch.kink_times(plant, state, table);
        }
        watch.time_events.sort_by(|a, b| a.0.total_cmp(&b.0));
        watch
    }

    /// When a function that is affine in time has a value; the same bits wherever a run starts.
    fn time_root(&mut self, plant: &mut Plant<'_>, state: &State, mode: usize, level: f64) -> Option<f64> {
        let mut value = |t: f64| {
            plant.switching(t, &state.p, &state.v, &state.x, &mut self.values);
            self.values[mode] - level
        };
        let (start, slope) = (value(0.0), value(1.0) - value(0.0));
        let root = -start / slope;
        // Far from zero the slope has lost digits; a second step finds them.
        let root = root - value(root) / slope;
        root.is_finite().then_some(root)
    }

    /// When the argument of a table, affine in time, meets its kinks: from the function of the
    /// highest bit, which is what is left of the argument to the kink where that bit changes.
    fn kink_times(&mut self, plant: &mut Plant<'_>, state: &State, table: &Kinks) {
        let layout = plant.layout();
        let kinks = layout.kinks_of(table);
        let (first, highest) = (table.first_mode as usize, table.modes().end - 1);
        let Some(middle) = kinks.get((1 << (table.n_modes - 1)) - 1) else { return };
        for (piece, kink) in kinks.iter().enumerate() {
            // The bit in which the codes of neighbours differ.
            let bit = (piece + 1).trailing_zeros() as usize;
            let root = self.time_root(plant, state, highest, middle - kink);
            self.time_events.extend(root.map(|root| (root, first + bit)));
        }
    }

    /// Whether there are switching functions to look for on the dense output.
    pub(super) fn is_needed(&self) -> bool {
        self.on_dense_output
    }

    /// When the next switching function of time alone changes sign after t, among those that
    /// have an influence.
    pub(super) fn next_time_event(&self, plant: &Plant<'_>, t: f64) -> Option<f64> {
        let soonest = t + instant(t);
        let later = self.time_events.partition_point(|(root, _)| *root <= soonest);
        let mut later = self.time_events[later..].iter();
        let layout = plant.layout();
        later.find(|(_, mode)| layout.is_active(*mode, &plant.modes)).map(|&(root, _)| root)
    }

    /// What changed in the last event of all that had an influence before it, in the order of
    /// modes.
    pub(super) fn for_each_change(&self, layout: &Layout, modes: &[bool], mut f: impl FnMut(String, bool)) {
        for mode in 0..modes.len() {
            let table = layout.kinks.iter().position(|table| table.modes().contains(&mode));
            let Some(index) = table else {
                if self.active[mode] && self.before[mode] != modes[mode] {
                    // A mode holds below zero.
                    f(layout.modes.get(mode).unwrap_or_default().to_string(), self.before[mode]);
                }
                continue;
            };
            let table = layout.kinks[index];
            // A table counts once, all kinks between the pieces that held.
            if mode != table.first_mode as usize || !self.active[mode] {
                continue;
            }
            let name = layout.kink_names.get(index).unwrap_or_default();
            let (from, to) = (table.piece(&self.before), table.piece(modes));
            let kinks = layout.kinks_of(&table);
            kinks[from.min(to)..from.max(to)].iter().for_each(|at| f(format!("{name} at {at}"), to > from));
        }
    }

    /// Switching functions now, in `earlier`, a moment later, in `values`, and just after the
    /// instant, in `after`.
    fn now_and_soon(&mut self, plant: &mut Plant<'_>, state: &State) -> f64 {
        let State { t, p, v, x, p_dot, v_dot, x_dot, .. } = state;
        plant.switching(*t + 2.0 * instant(*t), p, v, x, &mut self.after);
        plant.switching(*t, p, v, x, &mut self.earlier);
        let dt = 1e-7 * (1.0 + t.abs());
        advance(&mut self.probe.p, p, p_dot, dt);
        advance(&mut self.probe.v, v, v_dot, dt);
        advance(&mut self.probe.x, x, x_dot, dt);
        plant.switching(*t + dt, &self.probe.p, &self.probe.v, &self.probe.x, &mut self.values);
        dt
    }

    /// The value that decides a mode afresh: where the function is, or where it goes if it is
    /// at zero; for a function of time alone, what it is just after the instant.
    fn deciding(&self, layout: &Layout, mode: usize, dt: f64) -> f64 {
        if is_time(layout, mode) {
            return self.after[mode];
        }
        let (now, soon) = (self.earlier[mode], self.values[mode]);
        if now.abs() <= AT_ZERO * (1.0 + (soon - now).abs() / dt) { soon } else { now }
    }

    /// Whether a function is zero at this instant, as far as time can tell.
    fn is_at_root(&self, mode: usize, dt: f64, t: f64) -> bool {
        let (now, soon) = (self.earlier[mode], self.values[mode]);
        now.abs() <= (soon - now).abs() / dt * instant(t)
    }

    /// Sets every mode that has an influence from its switching function at a state;
    /// functions at zero decide by where they go next. Time modes take the value they have
    /// after t.
    pub(super) fn initial_modes(&mut self, plant: &mut Plant<'_>, state: &State) -> Result<(), Unsettled> {
        let layout = plant.layout();
        let mut changed = 0;
        for _ in 0..MAX_ROUNDS {
            let dt = self.now_and_soon(plant, state);
            let mut stable = true;
            for mode in 0..self.values.len() {
                let holds = layout.mode_kinds[mode].holds(self.deciding(layout, mode, dt));
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
        if !self.is_needed() {
            return None;
        }
        let mut start = 0.0;
        for sample in 1..=SAMPLES {
            let end = f64::from(sample) / f64::from(SAMPLES);
            let mut first = self.first_between(plant, method, from, to, (start, end));
            // A function that crosses and returns shows in what holds just before the root.
            for _ in 0..MAX_EARLIER {
                let Some((_, before)) = first else { break };
                match self.first_between(plant, method, from, to, (start, before)) {
                    Some(earlier) if earlier.1 < before => first = Some(earlier),
                    _ => break,
                }
            }
            if let Some((crossing, _)) = first {
                return Some(crossing);
            }
            start = end;
        }
        None
    }

    /// The first root among the functions that have changed sign at the end of a part of the
    /// step, and the lower end of its bracket.
    fn first_between(
        &mut self,
        plant: &mut Plant<'_>,
        method: &(impl Method + ?Sized),
        from: &State,
        to: &State,
        (start, end): (f64, f64),
    ) -> Option<(Crossing, f64)> {
        let layout = plant.layout();
        let mut first: Option<(Crossing, f64)> = None;
        self.at(plant, method, from, to, end);
        for mode in 0..layout.modes.len() {
            let holds = layout.mode_kinds[mode].holds(self.values[mode]);
            if is_time(layout, mode) || holds == plant.modes[mode] || !layout.is_active(mode, &plant.modes) {
                continue;
            }
            let (low, theta) = self.root(plant, method, from, to, mode, (start, end));
            if first.is_none_or(|(first, _)| theta < first.theta) {
                first = Some((Crossing { mode, theta }, low));
            }
            self.at(plant, method, from, to, end);
        }
        first
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
    /// does not: the bracket that is left.
    fn root(
        &mut self,
        plant: &mut Plant<'_>,
        method: &(impl Method + ?Sized),
        from: &State,
        to: &State,
        mode: usize,
        (mut low, mut high): (f64, f64),
    ) -> (f64, f64) {
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
        (low, high)
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

    /// All changes of modes at one instant.
    ///
    /// The mode whose root was met changes, and so does every other that had an influence
    /// and whose function passes zero at the same instant: whether a mode is an event does not
    /// depend on which root was found first. Then all others that have an influence follow
    /// their functions, which may jump with what has changed, until nothing changes; those
    /// without influence before the event are decided afresh.
    pub(super) fn settle(
        &mut self,
        plant: &mut Plant<'_>,
        state: &State,
        met: Option<usize>,
    ) -> Result<(), Unsettled> {
        let layout = plant.layout();
        self.before.copy_from_slice(&plant.modes);
        for mode in 0..self.active.len() {
            self.active[mode] = layout.is_active(mode, &self.before);
        }
        let dt = self.now_and_soon(plant, state);
        for mode in 0..self.crossed.len() {
            let passes = self.active[mode]
                && !is_time(layout, mode)
                && self.is_at_root(mode, dt, state.t)
                && layout.mode_kinds[mode].holds(self.values[mode]) != self.before[mode];
            self.crossed[mode] = passes || met == Some(mode);
            plant.modes[mode] ^= self.crossed[mode];
        }
        let mut changed = met.unwrap_or(0);
        for _ in 0..MAX_ROUNDS {
            let dt = self.now_and_soon(plant, state);
            let mut stable = true;
            for mode in 0..self.values.len() {
                if self.crossed[mode] || !layout.is_active(mode, &plant.modes) {
                    continue;
                }
                let value = if self.active[mode] && !is_time(layout, mode) {
                    if self.earlier[mode].abs() <= AT_ZERO || self.is_at_root(mode, dt, state.t) {
                        continue;
                    }
                    self.earlier[mode]
                } else {
                    self.deciding(layout, mode, dt)
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

/// How far from t a time may be to be the same instant, s.
pub(crate) fn instant(t: f64) -> f64 {
    INSTANT * (1.0 + t.abs())
}

/// Whether a mode's function is one of time alone whose roots are known beforehand.
fn is_time(layout: &Layout, mode: usize) -> bool {
    layout.time_modes.get(mode).copied().unwrap_or(false)
}

fn advance(out: &mut [f64], from: &[f64], rate: &[f64], dt: f64) {
    for ((out, from), rate) in out.iter_mut().zip(from).zip(rate) {
        *out = from + dt * rate;
    }
}
