//! Makes a state consistent with the constraints, as `mbs simulate` begins a run.

use super::state::Given;
use crate::evaluate::State;
use crate::pipeline::Compiled;
use crate::report::Failure;
use crate::{start, stopped};
use mbs_runtime::constraint::{Listed, consistent_with};
use mbs_runtime::{Plant, Signals, SimulationError};
use mbs_symbolic::diag::Problem;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// What became of the values, for programs and people.
pub(super) struct Closed {
    pub(super) json: Value,
    pub(super) text: String,
}

/// Inputs that stay as they are.
struct Constant(Vec<f64>);

impl Signals for Constant {
    fn set(&mut self, _: f64, u: &mut [f64]) {
        u.copy_from_slice(&self.0);
    }
}

/// Moves positions and velocities: those of the state file are listed first, in its order, then
/// those of the model.
pub(super) fn close(
    Compiled { program, planned, .. }: &Compiled,
    given: &Given,
    state: &mut State,
    model: &Path,
) -> Result<Closed, Failure> {
    let (system, _) = mbs_jit::system(program);
    let layout = system.layout();
    let mut plant = Plant::new(&*system, &given.theta, Box::new(Constant(state.u.clone())));
    plant.modes.clone_from(&state.modes);
    let mut at = mbs_runtime::State::new(layout);
    at.t = state.t;
    for (to, from) in [(&mut at.p, &state.p), (&mut at.v, &state.v), (&mut at.x, &state.x)] {
        to.clone_from(from);
    }
    let own = Listed::of(layout);
    let listed = Listed {
        positions: in_order(given.positions(), &own.positions),
        velocities: in_order(given.velocities(), &own.velocities),
    };
    let became = consistent_with(&mut plant, &mut at, &listed).map_err(|inconsistent| {
        let error = SimulationError::of_start(layout, state.t, &state.v, inconsistent);
        let help = "start closer to an assembled pose, or take the state as it is with `--raw`".to_owned();
        match stopped::placed(&error, &planned.model) {
            Some(mut found) => {
                found.problem =
                    Problem::Run { code: error.code(), message: error.message(), help: Some(help) };
                Failure::Model { diagnostics: found.into(), sources: planned.sources.clone() }
            }
            None => Failure::new(error.code(), error.message()).about(model).help(help),
        }
    })?;
    (state.p, state.v) = (at.p, at.v);
    let mut text = String::new();
    for (what, about) in start::lines(&became, layout) {
        let about = about.replace('\n', &format!("\n{:15}", ""));
        let _ = writeln!(text, "  {what:<12} {about}");
    }
    for warning in start::warnings(&became, layout) {
        let _ = writeln!(text, "  {warning}");
    }
    if layout.n_lambda() > 0 && !text.is_empty() {
        text += "  made consistent with the constraints; `--raw` leaves the state as it is\n";
    }
    Ok(Closed { json: start::json(&became, layout), text })
}

/// What is listed first, then what else is listed.
fn in_order(first: impl Iterator<Item = usize>, then: &[usize]) -> Vec<usize> {
    let mut list: Vec<usize> = first.collect();
    list.extend(then.iter().filter(|index| !list.contains(index)).copied().collect::<Vec<_>>());
    list
}
