//! Modes that change: when, how often, and when it becomes too much.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::integrate::{METHODS, SimulationError, method, simulate_with};
use mbs_runtime::{At, Plant, Settings, Signals, State, System, Trajectory, simulate};
use support::closed_forms::{Bead, WatchedBead};
use support::switching::{Bouncer, Driven, DryFriction, Nested, Pushed, Relay, Together};
use support::{Mechanism, Sizes, distance, plant};

fn run(system: &dyn System, name: &str, settings: &Settings) -> Result<Trajectory, SimulationError> {
    let mut plant = plant(system);
    let mut method = method(name, system.layout()).unwrap();
    let mut state = State::new(system.layout());
    plant.initial(&mut state);
    simulate_with(&mut plant, &mut *method, state, settings, &mut |_| true)
}

#[test]
fn a_mass_bounces_on_a_spring_in_time() {
    let (fall, contact, flight) = Bouncer::times();
    let times = [fall, fall + contact, fall + contact + flight, fall + 2.0 * contact + flight];
    let system = Bouncer.model();
    for name in METHODS {
        for output_step in [None, Some(0.01)] {
            let settings = Settings { t_end: 1.2, rtol: 1e-9, output_step, ..Settings::default() };
            let trajectory = run(&system, name, &settings).unwrap();
            assert_eq!(trajectory.events.len(), times.len(), "{name}: {:?}", trajectory.events);
            assert_eq!(trajectory.statistics.events, 4);
            for (k, (event, time)) in trajectory.events.iter().zip(times).enumerate() {
                assert!((event.t - time).abs() < 1e-8, "{name}: event {k} at {} not {time}", event.t);
                assert_eq!(event.rising, k % 2 == 1);
                assert_eq!(event.name, "mode0");
            }
            // The first event ends a parabola, on which every method here is exact.
            assert!((trajectory.events[0].t - fall).abs() < 1e-12, "{name}");
            let last = trajectory.states.last().unwrap();
            assert!((last.t - 1.2).abs() < 1e-15);
            let since = 1.2 - times[3];
            let height = Bouncer::GRAVITY * fall * since - 0.5 * Bouncer::GRAVITY * since * since;
            assert!((last.p[0] - height).abs() < 1e-7, "{name}: {} not {height}", last.p[0]);
        }
    }
}

/// Each of three masses that arrive at one instant has its own event, and so has the
/// condition on that time; in the order of the modes, whatever their scale.
#[test]
fn events_at_one_instant_are_all_listed() {
    let (fall, contact, flight) = Bouncer::times();
    let times = [fall, fall + contact, fall + contact + flight, fall + 2.0 * contact + flight];
    let system = Together.model();
    for name in METHODS {
        let settings = Settings { t_end: 1.2, rtol: 1e-9, ..Settings::default() };
        let trajectory = run(&system, name, &settings).unwrap();
        let mut expected = Vec::new();
        for (k, time) in times.into_iter().enumerate() {
            let rises = k % 2 == 1;
            expected.extend([("mode0", rises, time), ("mode1", rises, time)]);
            if k == 0 {
                expected.push(("mode2", true, time));
            }
            expected.push(("mode3", !rises, time));
        }
        let found = &trajectory.events;
        assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
        assert_eq!(trajectory.statistics.events, 13);
        for (event, (mode, rising, time)) in found.iter().zip(expected) {
            assert_eq!((event.name.as_str(), event.rising), (mode, rising), "{name}: {found:?}");
            assert!((event.t - time).abs() < 1e-8, "{name}: {mode} at {} not {time}", event.t);
        }
        let instants: Vec<f64> = found.iter().map(|event| event.t).collect();
        assert!(instants[..4].iter().all(|t| *t == instants[0]), "{name}: {instants:?}");
        let last = trajectory.states.last().unwrap();
        assert_eq!((last.p[0].to_bits(), last.p[1].to_bits()), (last.p[1].to_bits(), last.p[2].to_bits()));
    }
}

/// Many bodies that arrive together are no chattering.
#[test]
fn hundreds_of_events_at_one_instant_are_no_storm() {
    struct Many;
    impl Mechanism for Many {
        fn sizes(&self) -> Sizes {
            Sizes { p: 1, v: 1, modes: &[false; 300], ..Sizes::default() }
        }
        fn start(&self, p: &mut [f64], v: &mut [f64], _: &mut [f64]) {
            (p[0], v[0]) = (1.0, -1.0);
        }
        fn mass(&self, _: &At<'_>, m: &mut [f64]) {
            m[0] = 1.0;
        }
        fn force(&self, _: &At<'_>, _: &mut [f64]) {}
        fn switches(&self, at: &At<'_>, out: &mut [f64]) {
            (0..).zip(out).for_each(|(k, out)| *out = f64::from(k + 1) * at.p[0]);
        }
    }
    let system = Many.model();
    let trajectory = simulate(&system, &Settings { t_end: 2.0, ..Settings::default() }).unwrap();
    assert_eq!(trajectory.events.len(), 300);
    assert!(trajectory.events.iter().all(|event| event.t == trajectory.events[0].t && !event.rising));
    assert!((trajectory.events[0].t - 1.0).abs() < 1e-12);
}

/// A force of 2 N from 0.25 s on, at the jump itself by either convention.
struct Step {
    holds_at_jump: bool,
}

impl Signals for Step {
    fn set(&mut self, t: f64, u: &mut [f64]) {
        let is_on = if self.holds_at_jump { t >= 0.25 } else { t > 0.25 };
        u[0] = if is_on { 2.0 } else { 0.0 };
    }
    fn next_breakpoint(&self, after: f64) -> Option<f64> {
        Some(0.25).filter(|t| *t > after)
    }
}

#[test]
fn steps_end_at_announced_breakpoints() {
    let system = Driven.model();
    for name in METHODS {
        for (t_start, holds_at_jump) in [(0.0, true), (0.0, false), (0.25, true), (0.25, false), (0.1, false)]
        {
            let mut plant = Plant::new(&system, &[], Box::new(Step { holds_at_jump }));
            let mut method = method(name, system.layout()).unwrap();
            let mut start = State::new(system.layout());
            start.t = t_start;
            let settings = Settings { t_start, t_end: 1.0, rtol: 1e-12, ..Settings::default() };
            let trajectory =
                simulate_with(&mut plant, &mut *method, start, &settings, &mut |_| true).unwrap();
            let last = trajectory.states.last().unwrap();
            assert!((last.v[0] - 1.5).abs() < 1e-13, "{name} from {t_start}: {last:?}");
            assert!((last.p[0] - 0.5625).abs() < 1e-13, "{name} from {t_start}: {last:?}");
            assert_eq!(trajectory.statistics.rejected, 0, "{name} from {t_start}");
            assert!(trajectory.events.is_empty(), "modes did not change");
            assert!(t_start == 0.25 || trajectory.states.iter().any(|state| state.t == 0.25), "{name}");
        }
    }
}

#[test]
fn a_time_event_is_hit_exactly() {
    let system = Pushed.model();
    for name in METHODS {
        let settings = Settings { t_end: 1.0, ..Settings::default() };
        let trajectory = run(&system, name, &settings).unwrap();
        let events: Vec<_> = trajectory.events.iter().map(|event| (event.t, event.name.as_str())).collect();
        assert_eq!(events, [(0.3, "mode0"), (0.7, "mode1")], "{name}");
        assert!(trajectory.events.iter().all(|event| event.rising));
        assert!(trajectory.states.iter().any(|state| state.t == 0.3));
        let last = trajectory.states.last().unwrap();
        assert!((last.v[0] - 0.8).abs() < 1e-13 && (last.p[0] - 0.4).abs() < 1e-13, "{name} {last:?}");
    }
}

#[test]
fn a_time_event_at_the_start_counts_as_past() {
    let system = Pushed.model();
    let settings = Settings { t_start: 0.3, t_end: 1.0, ..Settings::default() };
    let trajectory = simulate(&system, &settings).unwrap();
    assert_eq!(trajectory.events.len(), 1);
    assert!((trajectory.states.last().unwrap().v[0] - 0.8).abs() < 1e-13);
}

#[test]
fn chattering_is_reported() {
    let system = DryFriction.model();
    for name in METHODS {
        let settings = Settings { t_end: 2.0, ..Settings::default() };
        match run(&system, name, &settings) {
            Err(SimulationError::EventStorm { t, mode }) => {
                assert!((t - 1.0 / 1.5).abs() < 1e-6, "{name}: at {t}");
                assert_eq!(mode, "mode0");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn fast_switching_is_no_chattering() {
    let system = Relay.model();
    let settings = Settings { t_end: 0.5, rtol: 1e-8, ..Settings::default() };
    let trajectory = simulate(&system, &settings).unwrap();
    // A zero of p every 0.5 ms.
    assert!(trajectory.events.len() > 900, "{}", trajectory.events.len());
    assert!((trajectory.events[1].t - 1e-3).abs() < 1e-9);
}

#[test]
fn an_event_on_a_moving_constraint() {
    let system = WatchedBead.model();
    for name in ["mdop5", "hem5", "hedop5", "phem56"] {
        for output_step in [None, Some(0.01)] {
            let settings = Settings { t_end: 1.5, rtol: 1e-9, output_step, ..Settings::default() };
            let trajectory = run(&system, name, &settings).unwrap();
            assert_eq!(trajectory.events.len(), 1, "{name}");
            let late = trajectory.events[0].t - WatchedBead::leaves();
            assert!(late.abs() < 1e-8, "{name}: {late:.1e}");
            // Every recorded point lies on the solution, with its multiplier.
            for state in &trajectory.states {
                let (p, v, x, lambda) = Bead::at(state.t);
                let errors = [(&state.p, &p[..]), (&state.v, &v), (&state.x, &x), (&state.lambda, &lambda)];
                for (k, (value, exact)) in errors.into_iter().enumerate() {
                    let error = distance(value, exact);
                    assert!(error < 1e-6, "{name} {output_step:?}: quantity {k} at {} {error:.1e}", state.t);
                }
            }
            assert!(trajectory.drift.g_max < 1e-8);
        }
    }
}

/// A condition inside a branch that is not taken makes no events; when the branch is taken it
/// is decided afresh.
#[test]
fn a_condition_on_a_branch_not_taken_is_left_alone() {
    let system = Nested.model();
    for name in METHODS {
        let settings = Settings { t_end: 6.0, ..Settings::default() };
        let trajectory = run(&system, name, &settings).unwrap();
        let events: Vec<_> =
            trajectory.events.iter().map(|event| (event.name.as_str(), event.rising)).collect();
        // At p = 1.25 the sine is below zero already; it rises at 2.
        assert_eq!(events, [("mode0", false), ("mode1", true)], "{name}");
        for (event, time) in trajectory.events.iter().zip([4.75, 5.5]) {
            assert!((event.t - time).abs() < 1e-9, "{name}: {} not {time}", event.t);
        }
        let x = trajectory.states.last().unwrap().x[0];
        assert!((x - (2.0 * 0.75 + 0.5)).abs() < 1e-9, "{name}: {x}");
    }
}

/// 1e-12 s before an event the switching function has the sign of before, 1e-12 s later that
/// of after, on the numerical solution, whatever the tolerances.
#[test]
fn roots_are_bracketed() {
    let system = WatchedBead.model();
    for name in ["mdop5", "hem5", "hedop5", "phem56"] {
        for rtol in [1e-3, 1e-6, 1e-9] {
            let settings = Settings { t_end: 1.5, rtol, ..Settings::default() };
            let trajectory = run(&system, name, &settings).unwrap();
            let event = &trajectory.events[0];
            let state = trajectory.states.iter().find(|state| state.t == event.t).unwrap();
            let mut plant = plant(&system);
            let is_above = [-1e-12, 1e-12].map(|dt| {
                let near = |values: &[f64], rates: &[f64]| -> Vec<f64> {
                    values.iter().zip(rates).map(|(value, rate)| value + dt * rate).collect()
                };
                let mut value = [0.0];
                let (p, v) = (near(&state.p, &state.p_dot), near(&state.v, &state.v_dot));
                plant.switching(state.t + dt, &p, &v, &state.x, &mut value);
                value[0] > 0.0
            });
            assert_eq!(is_above, [!event.rising, event.rising], "{name} at rtol {rtol}");
        }
    }
    // On a parabola the root of the solution is that of the motion.
    let (fall, _, _) = Bouncer::times();
    for name in METHODS {
        let settings = Settings { t_end: 0.35, rtol: 1e-3, ..Settings::default() };
        let event = run(&Bouncer.model(), name, &settings).unwrap().events[0].t;
        assert!((event - fall).abs() <= 1e-12, "{name}: {:.1e}", event - fall);
    }
}
