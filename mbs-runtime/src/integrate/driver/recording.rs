//! What is kept of a run.

use super::{Driver, norm};
use crate::integrate::Method;
use crate::integrate::error::SimulationError;
use crate::integrate::run::{Event, Observer, Progress, SingularPose, Trajectory};
use crate::state::State;
use std::string::{String, ToString};
use std::vec::Vec;

impl<M: Method + ?Sized> Driver<'_, '_, M> {
    /// How far the state is from the constraints; not part of the integration, so neither
    /// counted nor seen by the method.
    pub(super) fn measure(&mut self) {
        let State { t, p, v, x, .. } = &self.state;
        let (g, jacobian, rate) = (&mut self.g, &mut self.jacobian, &mut self.rate);
        if !core::mem::take(&mut self.measured) {
            self.plant.at(*t, p, v, x, |system, at| {
                if !g.is_empty() {
                    system.constraints(at, g);
                }
                if !rate.is_empty() {
                    system.update_constraint_jacobian(at, jacobian);
                    system.velocity_bias(at, rate);
                }
            });
            self.plant.layout().add_jacobian_product(jacobian, v, rate);
        }
        self.drift.g = norm(&self.g);
        self.drift.g_max = self.drift.g_max.max(self.drift.g);
        self.drift.g_dot = norm(&self.rate);
        self.drift.g_dot_max = self.drift.g_dot_max.max(self.drift.g_dot);
    }

    /// Records the grid points up to `t` from the dense output of the trial step.
    pub(super) fn record_until(
        &mut self,
        t: f64,
        observer: &mut Observer<'_>,
    ) -> Result<(), SimulationError> {
        let Some(grid) = self.grid else { return Ok(()) };
        loop {
            let point = grid.at(self.next_output);
            if point > t || point > self.settings.t_end + 1e-9 * grid.step {
                return Ok(());
            }
            let h = self.trial.t - self.state.t;
            let theta = if h > 0.0 { (point - self.state.t) / h } else { 1.0 };
            let mut keep = self.trial.clone();
            let is_end = theta >= 1.0;
            if !is_end {
                if let Err(diverged) = self.method.prepare_dense(self.plant, &self.state, &self.trial) {
                    return Err(self.gave_up(diverged));
                }
                self.method.interpolate(&self.state, &self.trial, theta, &mut keep);
            }
            self.complete(&mut keep, is_end && self.method.writes_full_rates());
            self.next_output += 1;
            self.push(keep, observer)?;
        }
    }

    /// Records the state as it stands.
    pub(crate) fn record(&mut self, observer: &mut Observer<'_>) -> Result<(), SimulationError> {
        self.next_output = self.next_output.max(1);
        let mut keep = self.state.clone();
        self.complete(&mut keep, self.method.writes_full_rates());
        self.push(keep, observer)
    }

    /// Multipliers, rates, modes and inputs of a state to be recorded; not part of the integration.
    fn complete(&mut self, state: &mut State, has_rates: bool) {
        let counts = self.plant.statistics;
        self.plant.track_rank(state, false);
        // A pose where they do not exist keeps those of the method.
        if !has_rates && self.plant.eval_derivatives(state, &mut self.saddle).is_ok() {
            self.singular.note(state.t, self.plant.row_conditioning.take());
        }
        self.plant.redundancy().all().apply(&mut state.lambda);
        self.plant.stamp(state);
        self.plant.statistics = counts;
    }

    fn push(&mut self, state: State, observer: &mut Observer<'_>) -> Result<(), SimulationError> {
        let t = state.t;
        let go_on = observer(Progress::Recorded(&state));
        self.records.push(state);
        if go_on { Ok(()) } else { Err(SimulationError::Cancelled { t }) }
    }

    /// Lists what changed in the last event.
    pub(super) fn note_changes(&mut self) {
        let (t, before) = (self.state.t, self.events.len());
        let events = &mut self.events;
        let layout = self.plant.layout();
        self.watch.for_each_change(layout, &self.plant.modes, |name, rising| {
            events.push(Event { t, name, rising });
        });
        self.plant.statistics.events += (self.events.len() - before) as u64;
    }

    pub(super) fn energy_now(&mut self) -> f64 {
        let State { t, p, v, x, .. } = &self.state;
        let energy = self.plant.at(*t, p, v, x, |system, at| system.energy(at));
        energy.kinetic + energy.potential
    }

    /// What came of it; the end is recorded in any case.
    pub(crate) fn finish(mut self, observer: &mut Observer<'_>) -> Result<Trajectory, SimulationError> {
        self.drift.energy = self.energy_now() - self.energy;
        if self.records.last().is_none_or(|last| last.t < self.state.t) {
            self.record(observer)?;
        }
        let layout = self.plant.layout();
        let row = |row: usize| layout.rows.get(row).unwrap_or_default().to_string();
        let mut redundant: Vec<String> = Vec::new();
        let (states, recorded) = self.records.take();
        self.plant.set_breakpoints([f64::NAN; 2]);
        redundant.extend(self.plant.redundancy().not_unique().map(row));
        let singular_pose =
            |(t, index)| SingularPose { t, row: row(index), element: layout.row_element(index).to_string() };
        Ok(Trajectory {
            start: self.start,
            redundant,
            singular_poses: self.singular.finish().into_iter().map(singular_pose).collect(),
            stiffness: self.stiffness.found(),
            states,
            recorded,
            events: self.events,
            statistics: self.plant.statistics,
            drift: self.drift,
        })
    }
}
