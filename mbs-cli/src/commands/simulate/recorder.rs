//! What is looked at in every recorded state while a run goes on, so that none has to be kept.

use super::outside::{self, Left};
use super::table::{Evaluator, Rows};
use crate::commands::sweep::format;
use crate::report::Failure;
use mbs_runtime::{Defaults, Layout, Plant, State, System};
use mbs_symbolic::explain::Readings;
use std::time::{Duration, Instant};

/// Points a run keeps in memory for pages and summaries; above it they are thinned evenly.
const MAX_POINTS: usize = 20_000;
/// Fewer are kept of large models: no more than so many numbers, unless that leaves too few.
const MAX_NUMBERS: usize = 4_000_000;
const MIN_POINTS: usize = 1_000;
/// What a state takes beside its numbers, in numbers.
const STATE_NUMBERS: usize = 40;

/// How many points a run of a model keeps.
pub(crate) fn max_points(layout: &Layout) -> usize {
    let numbers = 2 * (layout.n_p() + layout.n_v() + layout.n_x()) + layout.n_lambda() + STATE_NUMBERS;
    (MAX_NUMBERS / numbers).clamp(MIN_POINTS, MAX_POINTS)
}

/// Sees the recorded states of a run in their order.
pub(crate) struct Recorder<'r> {
    left: Option<outside::Watch<'r>>,
    outputs: Option<Evaluator<'r>>,
    undefined: Option<UndefinedOutput>,
    rows: Option<Rows<'r>>,
    failure: Option<Failure>,
    time: Duration,
}

/// What came of it.
pub(crate) struct Seen {
    /// Tables that were read outside their points.
    pub(crate) left: Vec<Left>,
    pub(crate) undefined: Option<UndefinedOutput>,
    /// The lines of the states, without their name yet.
    pub(crate) table: Option<format::Table>,
    /// The time all this took, which is no part of the integration.
    pub(crate) time: Duration,
}

/// The first output that was not a number.
pub(crate) struct UndefinedOutput {
    pub(super) state: State,
    /// Place and value of the output.
    pub(super) index: usize,
    pub(super) value: f64,
}

impl<'r> Recorder<'r> {
    /// For a run of `system`; looks where tables are read.
    pub(crate) fn new(system: &'r dyn System, readings: Option<&'r Readings>) -> Self {
        let left = readings.map(|readings| outside::Watch::new(readings, system));
        Self { left, outputs: None, undefined: None, rows: None, failure: None, time: Duration::ZERO }
    }

    /// Looks for outputs that are not numbers, too.
    pub(super) fn with_outputs(self, system: &'r dyn System) -> Self {
        let plant = Plant::new(system, &system.layout().parameter_defaults, Box::new(Defaults));
        Self { outputs: Some(Evaluator::new(plant)), ..self }
    }

    /// Gives each state a line of a table, too.
    pub(super) fn with_rows(self, rows: Rows<'r>) -> Self {
        Self { rows: Some(rows), ..self }
    }

    /// Looks at a recorded state; false if the run had better end.
    pub(crate) fn see(&mut self, state: &State) -> bool {
        let begin = Instant::now();
        if let Some(left) = &mut self.left {
            left.see(state);
        }
        if let Some(evaluator) = &mut self.outputs
            && self.undefined.is_none()
        {
            let outputs = evaluator.outputs(state);
            if let Some(index) = outputs.iter().position(|value| !value.is_finite()) {
                let value = outputs[index];
                self.undefined = Some(UndefinedOutput { state: state.clone(), index, value });
            }
        }
        let written = self.rows.as_mut().map_or(Ok(()), |rows| rows.append(state));
        self.failure = self.failure.take().or(written.err());
        self.time += begin.elapsed();
        self.failure.is_none()
    }

    /// What was seen, unless a table could not be written.
    pub(crate) fn finish(self) -> Result<Seen, Failure> {
        let left = self.left.map(outside::Watch::finish).unwrap_or_default();
        match self.failure {
            Some(failure) => Err(failure),
            None => {
                let table = self.rows.map(Rows::into_table);
                Ok(Seen { left, undefined: self.undefined, table, time: self.time })
            }
        }
    }
}
