//! Which element made a quantity infinite or undefined during a run.

use super::overrides;
use crate::arguments::VariantOptions;
use crate::pipeline::{self, Derived};
use crate::report::Failure;
use mbs_runtime::{SimulationError, State};
use mbs_symbolic::Options;
use mbs_symbolic::diag::{Diagnostic, Diagnostics, Problem, Sources};
use mbs_symbolic::dynamics::Quantity;
use mbs_symbolic::explain::{Tables, Trace, trace};
use mbs_symbolic::expr::{Environment, evaluate};

/// How far ahead of the last good state to look, in parts of 1 + |t|: an integrator gives up
/// just before the place it cannot pass.
const FIRST_LOOK: f64 = 1e-15;
const LAST_LOOK: f64 = 1e-5;

/// The model of a run with what each of its elements adds.
pub(super) struct Suspects {
    derived: Derived,
}

/// What went wrong, to be shown with its place in the model.
pub(super) struct Found {
    pub(super) diagnostics: Diagnostics,
    pub(super) sources: Sources,
}

impl Suspects {
    /// Derives the model once more, with its contributions.
    pub(super) fn of(options: &VariantOptions) -> Result<Self, Failure> {
        let mut planned = pipeline::plan(&options.model, options.numbers.equations().urdf())?;
        overrides::apply(&mut planned, options)?;
        let wanted = Options { provenance: true, ..options.numbers.equations() };
        Ok(Self { derived: pipeline::derive_planned(planned, wanted)? })
    }

    /// The operation that made a run stop at or just behind `state`.
    pub(super) fn behind(&self, state: &State) -> Option<Trace> {
        let scale = 1.0 + state.t.abs();
        let looks = std::iter::successors(Some(FIRST_LOOK), |look| Some(3.0 * look));
        let looks = [0.0].into_iter().chain(looks.take_while(|look| *look < LAST_LOOK));
        looks.map(|look| look * scale).find_map(|h| self.at(&moved(state, h), stops_a_run))
    }

    /// The operation of an output that is not defined at a state.
    pub(super) fn of_outputs(&self, state: &State) -> Option<Trace> {
        self.at(state, |quantity| matches!(quantity, Quantity::Output(_)))
    }

    fn at(&self, state: &State, which: fn(Quantity) -> bool) -> Option<Trace> {
        let equations = &self.derived.equations;
        let State { t, p, v, x, v_dot, lambda, modes, .. } = state;
        let theta = &equations.layout.parameter_defaults;
        let tables = Tables::of(equations);
        let read = |id, kind, derivative, at| tables.read(id, kind, derivative, at);
        let fixed = Environment { theta, t: *t, modes, ..Environment::default() };
        let u = evaluate(&equations.graph, &fixed, &read, &equations.input_defaults);
        let environment = Environment { theta, t: *t, p, v, x, u: &u, modes, v_dot, lambda };
        trace(equations, &environment, which)
    }

    /// The error of a run, at the place that caused it.
    pub(super) fn report(self, trace: &Trace, error: &SimulationError) -> Found {
        let message = error.message();
        let help = error.remedy().map(str::to_owned);
        let problem = Problem::UndefinedInRun { message, cause: self.words(trace), help };
        let span = self.span(trace);
        self.found(Diagnostic::error(span, problem))
    }

    /// A warning about an output.
    pub(super) fn warn(self, trace: &Trace, message: String) -> Found {
        let problem = Problem::UndefinedInRun { message, cause: self.words(trace), help: None };
        let span = self.span(trace);
        self.found(Diagnostic::warning(span, problem))
    }

    fn words(&self, trace: &Trace) -> String {
        trace.words(&self.derived.planned.model)
    }

    fn span(&self, trace: &Trace) -> mbs_symbolic::diag::Span {
        let element = trace.term.element.span(&self.derived.planned.model);
        trace.place.map_or(element, |place| place.span)
    }

    fn found(self, diagnostic: Diagnostic) -> Found {
        Found { diagnostics: diagnostic.into(), sources: self.derived.planned.sources }
    }
}

/// Whether integration needs an entry.
fn stops_a_run(quantity: Quantity) -> bool {
    !matches!(quantity, Quantity::Output(_) | Quantity::KineticEnergy | Quantity::PotentialEnergy)
}

/// The state a moment later.
fn moved(state: &State, h: f64) -> State {
    let mut next = state.clone();
    next.t += h;
    for (values, rates) in
        [(&mut next.p, &state.p_dot), (&mut next.v, &state.v_dot), (&mut next.x, &state.x_dot)]
    {
        for (value, rate) in values.iter_mut().zip(rates).filter(|(_, rate)| rate.is_finite()) {
            *value += h * rate;
        }
    }
    next
}
