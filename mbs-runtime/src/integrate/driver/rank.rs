//! Rows that follow from others, along a run.

use super::{Driver, norm};
use crate::constraint::Tolerances;
use crate::integrate::Method;
use crate::integrate::error::SimulationError;

/// A state that violates the constraints by more than this, in their own units, is not used
/// to decide ranks.
const ON_CONSTRAINTS: f64 = 1e-6;

impl<M: Method + ?Sized> Driver<'_, '_, M> {
    /// Follows redundant rows to the new state.
    pub(super) fn track_rank(&mut self) -> Result<(), SimulationError> {
        if !self.plant.redundancy().is_active() {
            return Ok(());
        }
        self.g_of_all.copy_from_slice(&self.g);
        // The rows taken out do not tell how far away the constraints are.
        self.plant.redundancy().holonomic().apply(&mut self.g);
        let first = self.plant.redundancy().not_unique().next();
        let grown = self.plant.track_rank(&self.state, norm(&self.g) <= ON_CONSTRAINTS);
        self.plant.redundancy().all().apply(&mut self.state.lambda);
        if grown {
            self.singular.started_at(self.settings.t_start, first.unwrap_or(0));
            self.rates()?;
            self.method.restart();
            self.approach.restart();
            return Ok(());
        }
        self.check_rows_taken_out()
    }

    /// Rows that follow from others must say the same.
    fn check_rows_taken_out(&self) -> Result<(), SimulationError> {
        let Tolerances { rtol, atol } = self.step_settings.tolerances;
        let tolerance = rtol + atol;
        let fastest = self.state.v.iter().fold(0.0_f64, |fastest, v| fastest.max(v.abs()));
        let redundancy = self.plant.redundancy();
        let found = redundancy.contradiction(&self.g_of_all, &self.rate, tolerance, 1.0 + fastest);
        let error = |found| SimulationError::of_contradiction(self.plant.layout(), self.state.t, found);
        found.map_or(Ok(()), |found| Err(error(found)))
    }
}
