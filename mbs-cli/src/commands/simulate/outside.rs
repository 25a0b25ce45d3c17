//! Tables a run has left: read before their first or behind their last point.

use super::table::Evaluator;
use mbs_runtime::{Defaults, Plant, State, System};
use mbs_symbolic::explain::{Ends, Readings};
use mbs_symbolic::expr::Environment;
use mbs_symbolic::model::Outside;

/// A table, and where a run left it first.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    pub(crate) ends: Ends,
    /// The first recorded time, s.
    pub(crate) t: f64,
    /// The argument there.
    pub(crate) at: f64,
    /// The argument that was farthest outside, and its time, s.
    pub(crate) farthest: (f64, f64),
}

impl Left {
    /// The warning.
    pub(crate) fn words(&self) -> String {
        let Self { ends: Ends { table, from, to, outside }, t, at, farthest: (last, last_t) } = self;
        let there = match outside {
            Outside::Extrapolate => "it goes on with the slope at its end (`outside: extrapolate`)",
            Outside::Hold => "it holds the value at its end (`outside: hold`)",
            Outside::Error => "it is not a number there (`outside: error`)",
        };
        let farther =
            if last == at { String::new() } else { format!(", at most at {last:.6} (t = {last_t:.6} s)") };
        format!(
            "warning: table `{table}` is read at {at:.6} from t = {t:.6} s on{farther}, outside its points {from} to {to}: \
             {there}"
        )
    }
}

/// Looks where the recorded states of a run read their tables.
pub(super) struct Watch<'r> {
    readings: &'r Readings,
    evaluator: Evaluator<'r>,
    n_theta: usize,
    all: Vec<Left>,
}

impl<'r> Watch<'r> {
    pub(super) fn new(readings: &'r Readings, system: &'r dyn System) -> Self {
        let layout = system.layout();
        let plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
        let n_theta = layout.parameters.len();
        Self { readings, evaluator: Evaluator::new(plant), n_theta, all: Vec::new() }
    }

    /// Looks at a recorded state.
    pub(super) fn see(&mut self, state: &State) {
        let State { t, v_dot, lambda, .. } = state;
        let Self { readings, n_theta, all, .. } = self;
        let n_theta = *n_theta;
        self.evaluator.at(state, |at| {
            let theta = &at.prepared[..n_theta];
            let environment = Environment {
                theta,
                t: at.t,
                p: at.p,
                v: at.v,
                x: at.x,
                u: at.u,
                modes: at.modes,
                v_dot,
                lambda,
            };
            for (ends, value) in readings.outside(&environment) {
                let distance = |value: f64| f64::max(ends.from - value, value - ends.to);
                match all.iter_mut().find(|left| left.ends.table == ends.table) {
                    Some(left) if distance(value) > distance(left.farthest.0) => left.farthest = (value, *t),
                    Some(_) => {}
                    None => {
                        all.push(Left { ends: ends.clone(), t: *t, at: value, farthest: (value, *t) });
                    }
                }
            }
        });
    }

    /// The tables left, in the order they were left.
    pub(super) fn finish(self) -> Vec<Left> {
        self.all
    }
}
