//! What tests of simulations share.
#![allow(dead_code, reason = "each test file uses a part")]

use mbs_runtime::integrate::{method, simulate_with};
use mbs_runtime::{Defaults, Plant, Settings, SimulationError, State, System, Trajectory};
use mbs_symbolic::model::NoFiles;

/// A model of `models/` as native code.
pub(crate) fn system(name: &str) -> Box<dyn System> {
    let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    compile(name, &std::fs::read_to_string(&path).expect("the model exists"))
}

/// A model as native code.
pub(crate) fn compile(name: &str, text: &str) -> Box<dyn System> {
    let options = mbs_symbolic::Options { jacobian: true, ..mbs_symbolic::Options::default() };
    let compiled = mbs_symbolic::compile(name, text, &NoFiles, options);
    let compiled = compiled.unwrap_or_else(|rejected| panic!("{rejected}"));
    mbs_jit::system(&compiled.program).0
}

pub(crate) fn tight(t_end: f64, rtol: f64) -> Settings {
    Settings { t_end, rtol, ..Settings::default() }
}

/// A run with some parameters changed.
pub(crate) fn try_run(
    system: &dyn System,
    name: &str,
    parameters: &[(&str, f64)],
    settings: &Settings,
) -> Result<Trajectory, SimulationError> {
    let layout = system.layout();
    let mut theta = layout.parameter_defaults.to_vec();
    for (name, value) in parameters {
        theta[layout.parameters.position(name).expect("a parameter")] = *value;
    }
    let mut plant = Plant::new(system, &theta, Box::new(Defaults));
    let mut start = State::new(layout);
    plant.initial(&mut start);
    let mut method = method(name, layout).expect("a method");
    simulate_with(&mut plant, &mut *method, start, settings, &mut |_| true)
}

pub(crate) fn run(system: &dyn System, name: &str, settings: &Settings) -> Trajectory {
    try_run(system, name, &[], settings).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) fn last(trajectory: &Trajectory) -> &State {
    trajectory.states.last().expect("at least the start")
}

pub(crate) fn worst(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A named output at a state.
pub(crate) fn output(system: &dyn System, state: &State, name: &str) -> f64 {
    let layout = system.layout();
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut outputs = vec![0.0; layout.outputs.len()];
    let State { t, p, v, x, v_dot, lambda, .. } = state;
    plant.at(*t, p, v, x, |system, at| system.outputs(at, v_dot, lambda, &mut outputs));
    outputs[layout.outputs.position(name).expect("an output")]
}

/// Kinetic plus potential energy at a state.
pub(crate) fn energy(system: &dyn System, state: &State) -> f64 {
    let layout = system.layout();
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let energy = plant.at(state.t, &state.p, &state.v, &state.x, |system, at| system.energy(at));
    energy.kinetic + energy.potential
}
