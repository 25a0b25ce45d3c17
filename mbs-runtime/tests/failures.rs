//! Runs that cannot succeed: each says when, what and what to do.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::integrate::{SimulationError, method, simulate_with};
use mbs_runtime::{Settings, State, System};
use support::failing::{Falling, Impossible, Massless, TurningOver, Undefined};
use support::{Mechanism, plant};

const EXPLICIT: [&str; 5] = ["mdop5", "hem5", "hedop5", "phem56", "dopri5"];

fn failure(system: &dyn System, name: &str) -> SimulationError {
    let mut plant = plant(system);
    let mut method = method(name, system.layout()).unwrap();
    let mut start = State::new(system.layout());
    plant.initial(&mut start);
    let settings = Settings { t_end: 3.0, ..Settings::default() };
    let error = simulate_with(&mut plant, &mut *method, start, &settings, &mut |_| true).unwrap_err();
    assert!(error.remedy().is_some_and(|remedy| error.to_string().ends_with(remedy)), "{name}: {error}");
    error
}

#[test]
fn a_force_without_bound() {
    for name in EXPLICIT {
        let error = failure(&Falling.model(), name);
        let SimulationError::StepTooSmall { t, why, .. } = &error else { panic!("{name}: {error:?}") };
        assert!((t - Falling::arrives()).abs() < 1e-4, "{name}: {t}");
        assert!(why.contains("`q0`"), "{name}: {why}");
    }
}

#[test]
fn a_force_that_is_not_a_number() {
    for name in EXPLICIT {
        let error = failure(&Undefined.model(), name);
        let SimulationError::NotANumber { t, quantity } = &error else { panic!("{name}: {error:?}") };
        assert!((t - 0.5).abs() < 1e-9, "{name}: {t}");
        assert_eq!(quantity, "force along `q0`", "{name}");
    }
}

#[test]
fn a_motion_without_mass() {
    for name in EXPLICIT {
        let error = failure(&Massless.model(), name);
        assert_eq!(error, SimulationError::SingularMass { t: 0.0, velocity: "q1".into() }, "{name}");
    }
}

#[test]
fn constraints_that_contradict_each_other() {
    let error = failure(&Impossible.model(), "mdop5");
    let SimulationError::InconsistentStart { constraint, velocity, .. } = &error else { panic!("{error:?}") };
    assert!(constraint.starts_with("row") && !velocity, "{error}");
}

#[test]
fn a_joint_that_a_step_turns_over() {
    for name in EXPLICIT {
        let error = failure(&TurningOver.model(), name);
        let SimulationError::TurnedOver { t, joint, .. } = &error else { panic!("{name}: {error:?}") };
        assert!((t - std::f64::consts::FRAC_PI_2).abs() < 1e-9 && joint == "weld", "{name}: {error}");
    }
}
