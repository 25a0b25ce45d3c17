//! Limits of joints at the positions a run really starts from.
//!
//! The compiler knows listed values only; what is not listed is zero or what closing the loops makes
//! of it, and closing may also move what is listed.

use crate::pipeline::Planned;
use mbs_jit::Interpreted;
use mbs_runtime::constraint::consistent;
use mbs_runtime::{Defaults as NoSignals, Plant, State, System};
use mbs_symbolic::diag::{Diagnostic, Diagnostics, Problem};
use mbs_symbolic::model::{Defaults, Formula, Model};
use mbs_symbolic::program::Program;

/// Rad or m, beside limits of size one: what closing a loop leaves.
const TOLERANCE: f64 = 1e-9;

/// `found` with the warnings about limits replaced by those of the positions `p`, in the order of
/// `names`.
pub(crate) fn judged(found: &Diagnostics, model: &Model, names: &[String], p: &[f64]) -> Diagnostics {
    let mut judged = Diagnostics::new();
    let mut of_listed = Vec::new();
    for diagnostic in found {
        match &diagnostic.problem {
            Problem::OutsideLimits { coordinate, value, .. } => {
                of_listed.push((coordinate, *value, diagnostic));
            }
            _ => judged.push(diagnostic.clone()),
        }
    }
    for outside in outside(model, names, p) {
        let Problem::OutsideLimits { coordinate, value, .. } = &outside.problem else { continue };
        // Where the value is listed says more than where the limit is.
        let known = of_listed.iter().find(|(listed, at, _)| {
            *listed == coordinate && (at - value).abs() <= TOLERANCE * value.abs().max(1.0)
        });
        judged.push(known.map_or(outside.clone(), |(.., diagnostic)| (*diagnostic).clone()));
    }
    judged.sort();
    judged
}

/// A warning per coordinate outside the limits of its joint, at the limit.
fn outside(model: &Model, names: &[String], p: &[f64]) -> Vec<Diagnostic> {
    let defaults = Defaults::new(model);
    let mut found = Vec::new();
    for coordinate in &model.coordinates {
        let limits = &model.joints[coordinate.joint].limits;
        let Some(index) = names.iter().position(|name| *name == coordinate.name.text) else { continue };
        let value = p[index];
        let past = |limit: &Option<Formula>, sign: f64| {
            let formula = limit.as_ref()?;
            let limit = defaults.evaluate(formula)?;
            let is_past = sign * (value - limit) > TOLERANCE * limit.abs().max(1.0);
            is_past.then_some((formula.span, limit))
        };
        let past = [("lower", past(&limits.lower, -1.0)), ("upper", past(&limits.upper, 1.0))];
        if let Some((bound, (span, limit))) = past.into_iter().find_map(|(bound, past)| Some((bound, past?)))
        {
            let coordinate = coordinate.name.text.clone();
            found.push(Diagnostic::warning(span, Problem::OutsideLimits { coordinate, value, bound, limit }));
        }
    }
    found
}

/// Judges the warnings of `planned` by the start of a run with the values its model has now; where
/// there is no start, those of listed values stay.
pub(crate) fn judge(planned: &mut Planned, program: &Program) {
    if !planned.model.joints.iter().any(|joint| joint.limits.lower.is_some() || joint.limits.upper.is_some())
    {
        return;
    }
    let system = Interpreted::new(program);
    let layout = system.layout();
    let mut plant = Plant::new(&system, &program.layout.parameter_defaults, Box::new(NoSignals));
    let mut state = State::new(layout);
    plant.initial(&mut state);
    if consistent(&mut plant, &mut state).is_ok() {
        let names = &program.layout.positions;
        planned.warnings = judged(&planned.warnings, &planned.model, names, &state.p);
    }
}
