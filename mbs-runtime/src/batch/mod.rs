//! Many runs of one model at once: four in the lanes of vector registers, and on threads.
//!
//! ```text
//! each   one run after the other on every thread, for any System
//! lanes  four runs at a time on every thread, for a model generated with Scalar::F64x4
//! ```
//!
//! A sample's run does not depend on its neighbours: every lane has its own step size, its
//! own accepted and rejected steps and its own events, and takes the next sample when it is
//! done. Both give the bits [`simulate`](crate::simulate) gives for a sample alone, in the order of
//! the samples, whatever the number of threads.
//!
//! Vector registers hold four numbers only where the compiler may use AVX, for example with
//! `RUSTFLAGS=-Ctarget-cpu=native`.

mod attempt;
mod group;
mod lanes;
mod linalg;
mod point;
mod projection;
mod rates;
mod threads;

pub use lanes::{Accelerated4, At4, Fused4, Lanes, wrong_length};
pub use mbs_math::lanes::f64x4;
pub use threads::run;

use crate::integrate::{Auto, simulate_with};
use crate::plant::Plant;
use crate::state::State;
use crate::{Defaults, Layout, Settings, SimulationError, System, Trajectory};
use std::boxed::Box;
use std::vec::Vec;

/// What one run of a batch starts from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sample {
    /// Parameters θ; empty for those of the settings.
    pub parameters: Vec<f64>,
    /// Initial values of p, v and x, made consistent first; `None` for those of the model.
    pub start: Option<State>,
}

/// What came of one run.
pub type Outcome = Result<Trajectory, SimulationError>;

/// Runs of all samples, one after the other on each of so many threads (0 for all there are).
pub fn each(system: &dyn System, samples: &[Sample], settings: &Settings, threads: usize) -> Vec<Outcome> {
    run(samples.len(), threads, |index| samples[index].simulate(system, settings))
}

/// Samples a thread takes at once: many enough that lanes seldom wait for the longest run.
const GROUP: usize = 64;

/// Runs of all samples, four at a time on each of so many threads (0 for all there are).
///
/// A lane does alone what it cannot do with the others: a step that loses a pivot or does not
/// converge, the search for an event, systems with redundant constraints; and a run that turns
/// stiff it begins again alone, with an implicit method from there on.
pub fn lanes(model: &dyn Lanes, samples: &[Sample], settings: &Settings, threads: usize) -> Vec<Outcome> {
    let threads = threads::number(threads);
    // Few samples are spread over the threads.
    let length = GROUP.min(samples.len().div_ceil(threads)).next_multiple_of(4).max(4);
    let groups: Vec<&[Sample]> = samples.chunks(length).collect();
    let outcomes = run(groups.len(), threads, |index| group::simulate(model, groups[index], settings));
    outcomes.into_iter().flatten().collect()
}

impl Sample {
    /// The run of the sample alone.
    fn simulate(&self, system: &dyn System, settings: &Settings) -> Outcome {
        let (mut plant, start) = self.set_up(system, settings);
        let mut method = Auto::new(system.layout());
        simulate_with(&mut plant, &mut method, start, settings, &mut |_| true)
    }

    /// The system with the parameters of the sample, and where it starts.
    fn set_up<'s>(&self, system: &'s dyn System, settings: &Settings) -> (Plant<'s>, State) {
        let layout = system.layout();
        let theta: &[f64] = match (&self.parameters[..], &settings.parameters[..]) {
            ([], []) => &layout.parameter_defaults,
            ([], common) => common,
            (own, _) => own,
        };
        let mut plant = Plant::new(system, theta, Box::new(Defaults));
        plant.use_generated_solver = settings.use_generated_solver;
        let mut state = State::new(layout);
        plant.initial(&mut state);
        if let Some(start) = &self.start {
            start.values_into(&mut state, layout);
        }
        state.t = settings.t_start;
        (plant, state)
    }
}

impl State {
    /// Copies p, v and x; what has not the length of the layout becomes NaN, which every run
    /// refuses.
    fn values_into(&self, to: &mut Self, layout: &Layout) {
        debug_assert_eq!(
            (self.p.len(), self.v.len(), self.x.len()),
            (layout.n_p(), layout.n_v(), layout.n_x()),
            "a start has not the lengths the model's layout says"
        );
        for (from, to) in [(&self.p, &mut to.p), (&self.v, &mut to.v), (&self.x, &mut to.x)] {
            if from.len() == to.len() { to.copy_from_slice(from) } else { to.fill(f64::NAN) }
        }
    }
}
