//! Explicit methods notice that a run is stiff, and `auto` does something about it.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::integrate::{Remedy, SimulationError, Stiffness, method, simulate_with};
use mbs_runtime::{Settings, State, System, Trajectory, simulate};
use support::closed_forms::Dragged;
use support::{Mechanism, plant};

fn run(system: &dyn System, name: &str, rtol: f64) -> Result<Trajectory, SimulationError> {
    let mut plant = plant(system);
    let mut method = method(name, system.layout()).unwrap();
    let mut start = State::new(system.layout());
    plant.initial(&mut start);
    let settings = Settings { t_end: 2.0, rtol, ..Settings::default() };
    simulate_with(&mut plant, &mut *method, start, &settings, &mut |_| true)
}

fn error(trajectory: &Trajectory) -> f64 {
    let end = trajectory.states.last().unwrap();
    (end.v[0] - Dragged::velocity(end.t)).abs()
}

#[test]
fn explicit_methods_notice_it() {
    let system = Dragged { spoilt_from: f64::INFINITY }.model();
    for name in ["mdop5", "dopri5", "hem5", "hedop5", "phem56"] {
        let trajectory = run(&system, name, 1e-6).unwrap();
        let found = trajectory.stiffness;
        assert!(
            matches!(found, Some(Stiffness { t, remedy: Remedy::Nothing, until: None }) if t < 0.2),
            "{name}: {found:?}"
        );
        assert!(error(&trajectory) < 1e-5, "{name}");
    }
    assert_eq!(run(&system, "radau5", 1e-6).unwrap().stiffness, None);
}

#[test]
fn auto_goes_on_implicitly() {
    let system = Dragged { spoilt_from: f64::INFINITY }.model();
    for rtol in [1e-4, 1e-6, 1e-8] {
        let trajectory = run(&system, "auto", rtol).unwrap();
        let found = trajectory.stiffness;
        assert!(
            matches!(found, Some(Stiffness { remedy: Remedy::Switched { to: "radau5" }, until: None, .. })),
            "{found:?}"
        );
        assert!(error(&trajectory) < 10.0 * rtol, "{rtol:e}: {:e}", error(&trajectory));
        assert!(trajectory.statistics.steps < 1000, "{}", trajectory.statistics.steps);
    }
    // It is the default.
    let settings = Settings { t_end: 2.0, rtol: 1e-6, ..Settings::default() };
    assert_eq!(simulate(&system, &settings).unwrap(), run(&system, "auto", 1e-6).unwrap());
}

/// Where the implicit method finds no step the explicit one goes on to the end.
#[test]
fn auto_comes_back_if_it_must() {
    let system = Dragged { spoilt_from: 1.0 }.model();
    assert!(run(&system, "radau5", 1e-6).is_err());
    let trajectory = run(&system, "auto", 1e-6).unwrap();
    let Some(Stiffness { t, remedy: Remedy::Switched { .. }, until: Some(until) }) = trajectory.stiffness
    else {
        panic!("{:?}", trajectory.stiffness)
    };
    assert!(t < 0.2 && (until - 1.0).abs() < 1e-6, "{t} {until}");
    assert!(error(&trajectory) < 1e-5);
}
