//! Recorded points: all are seen on the way, and no more are kept than asked for.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::integrate::{Observer, Progress, method, simulate_with};
use mbs_runtime::{Settings, SimulationError, State, System, Trajectory};
use support::switching::Bouncer;
use support::{Mechanism, plant};

fn run(
    system: &dyn System,
    settings: &Settings,
    observer: &mut Observer<'_>,
) -> Result<Trajectory, SimulationError> {
    let mut plant = plant(system);
    let mut method = method("mdop5", system.layout()).unwrap();
    let mut state = State::new(system.layout());
    plant.initial(&mut state);
    simulate_with(&mut plant, &mut *method, state, settings, observer)
}

/// What is left out changes nothing but what is kept.
#[test]
fn a_bound_on_points_changes_no_result() {
    let system = Bouncer.model();
    for output_step in [None, Some(0.01), Some(0.07)] {
        let all = Settings { t_end: 1.2, rtol: 1e-9, output_step, ..Settings::default() };
        let whole = run(&system, &all, &mut |_| true).unwrap();
        assert_eq!(whole.states.len() as u64, whole.recorded);
        for max_points in [2, 5, 16] {
            let mut seen = Vec::new();
            let mut observer = |told: Progress<'_>| {
                if let Progress::Recorded(state) = told {
                    seen.push(state.clone());
                }
                true
            };
            let some = run(&system, &Settings { max_points, ..all.clone() }, &mut observer).unwrap();
            assert_eq!(seen, whole.states, "an observer sees all");
            assert!(some.states.len() <= max_points && some.recorded == whole.recorded);
            assert_eq!(
                (some.states.first(), some.states.last()),
                (whole.states.first(), whole.states.last())
            );
            assert!(some.states.iter().all(|state| whole.states.contains(state)));
            let (states, recorded) = (whole.states.clone(), whole.recorded);
            assert_eq!(Trajectory { states, recorded, ..some }, whole);
        }
    }
}

/// Also between recorded points that lie far apart, and at the last.
#[test]
fn an_observer_ends_a_run() {
    let system = Bouncer.model();
    let settings = Settings { t_end: 1.2, output_step: Some(1.2), ..Settings::default() };
    let mut steps = 0;
    let outcome = run(&system, &settings, &mut |told| match told {
        Progress::Step { .. } => {
            steps += 1;
            steps < 4
        }
        Progress::Recorded(_) => true,
    });
    let Err(SimulationError::Cancelled { t }) = outcome else { panic!("{outcome:?}") };
    assert!(t > 0.0 && t < 1.2, "{t}");
    let outcome = run(&system, &settings, &mut |told| match told {
        Progress::Step { .. } => true,
        Progress::Recorded(state) => state.t < 1.2,
    });
    assert!(matches!(outcome, Err(SimulationError::Cancelled { t }) if t == 1.2), "{outcome:?}");
}
