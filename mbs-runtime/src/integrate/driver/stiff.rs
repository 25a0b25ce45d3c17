//! From an explicit to an implicit method where the motion turns stiff, and back if that fails.

use super::{Controller, Driver, SingularApproach};
use crate::integrate::error::SimulationError;
use crate::integrate::run::{Projection, Remedy};
use crate::integrate::{Method, Turn};

impl<M: Method + ?Sized> Driver<'_, '_, M> {
    /// Whether the run has turned out to be stiff with the trial step.
    pub(super) fn is_stiff(&mut self) -> bool {
        let (end, h) = (&self.trial, self.trial.t - self.state.t);
        let left = self.settings.t_end - end.t;
        let tolerances = self.step_settings.tolerances;
        let has_rates = self.method.writes_full_rates();
        let Some(stage) = self.method.stage_before_end(self.plant) else { return false };
        if has_rates {
            return self.stiffness.is_stiff(self.plant, [stage, end], h, left, tolerances);
        }
        self.between.copy_from(end);
        let counts = self.plant.statistics;
        let outcome = self.plant.eval_derivatives(&mut self.between, &mut self.saddle);
        self.plant.statistics = counts;
        outcome.is_ok() && self.stiffness.is_stiff(self.plant, [stage, &self.between], h, left, tolerances)
    }

    /// Stability limits the steps: goes on implicitly if the method may, and notes what came of it.
    pub(super) fn turn_implicit(&mut self) {
        let t = self.state.t;
        // An implicit method keeps to the constraints, and this run shall show its drift.
        let projects = matches!(self.settings.projection, Projection::Controlled | Projection::EveryStep);
        let turn = match projects || self.plant.layout().n_lambda() == 0 {
            true => self.method.turn_implicit(self.plant, &self.state),
            false => Turn::Stays,
        };
        let remedy = match turn {
            Turn::Stays => Remedy::Nothing,
            Turn::NoJacobian => Remedy::NoJacobian,
            Turn::Turned { name } => {
                self.forget_method();
                Remedy::Switched { to: name }
            }
        };
        self.stiffness.note(t, remedy);
    }

    /// An implicit method found no step: goes back to the explicit one it took over from, if it
    /// did. Whether there is another try.
    pub(super) fn turn_explicit(&mut self) -> Result<bool, SimulationError> {
        if !self.method.turn_explicit() {
            return Ok(false);
        }
        self.stiffness.note_failure(self.state.t);
        self.forget_method();
        self.rates()?;
        self.h = self.first_step()?;
        Ok(true)
    }

    /// Another formula goes on.
    fn forget_method(&mut self) {
        self.controller = Controller::new(self.method.error_order());
        self.approach = SingularApproach::new(self.method.singularity_fraction());
        self.tiny_steps = 0;
    }
}
