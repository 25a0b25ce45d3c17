//! How far runs stray from the constraints, and what they cost.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::integrate::{Projection, method, simulate_with};
use mbs_runtime::{Settings, State, Statistics, System, Trajectory};
use support::constrained::{Pendulum, Sphere, Twice, TwiceAsVelocity};
use support::{Mechanism, distance, fixed_steps, plant, start, tight};

const PROJECTED: [&str; 4] = ["mdop5", "hem5", "hedop5", "phem56"];
const CONSTRAINED: [&str; 5] = ["mdop5", "hem5", "hedop5", "phem56", "radau5"];
const HALF_EXPLICIT: [&str; 3] = ["hem5", "hedop5", "phem56"];

fn run(system: &dyn System, name: &str, projection: Projection, t_end: f64, rtol: f64) -> Trajectory {
    let mut plant = plant(system);
    let mut method = method(name, system.layout()).unwrap();
    let mut state = State::new(system.layout());
    plant.initial(&mut state);
    let settings = Settings { t_end, rtol, projection, ..Settings::default() };
    simulate_with(&mut plant, &mut *method, state, &settings, &mut |_| true).unwrap()
}

#[test]
fn each_projection_mode_holds_what_it_promises() {
    let system = Pendulum.model();
    let drift = |name, projection| run(&system, name, projection, 40.0, 1e-5).drift;
    let none = drift("mdop5", Projection::None);
    let velocity = drift("mdop5", Projection::Velocity);
    assert!(none.g > 1e-3 && none.g_dot > 1e-5, "{none:?}");
    assert!(velocity.g < 0.02 * none.g && velocity.g_dot < 1e-14, "{velocity:?}");
    for name in PROJECTED {
        let controlled = drift(name, Projection::Controlled);
        let every = drift(name, Projection::EveryStep);
        assert!(controlled.g_max < 1e-4 && controlled.g_dot < 1e-13, "{name}: {controlled:?}");
        assert!(every.g_max < 1e-8 && every.g_dot < 1e-13, "{name}: {every:?}");
    }
    // The stabilised form keeps to the constraints by itself.
    let drift_of_radau5 = drift("radau5", Projection::None);
    assert!(drift_of_radau5.g_max < 1e-7 && drift_of_radau5.g_dot < 1e-13, "{drift_of_radau5:?}");
    for name in HALF_EXPLICIT {
        let drift = drift(name, Projection::None);
        assert!(drift.g < 1e-3 && drift.g_dot < 1e-13, "{name}: {drift:?}");
    }
}

#[test]
fn half_explicit_drift_grows_linearly() {
    let system = Pendulum.model();
    for name in HALF_EXPLICIT {
        let drift = |t_end| run(&system, name, Projection::None, t_end, 1e-6).drift.g_max;
        let (short, long) = (drift(10.0), drift(40.0));
        assert!(long < 6.0 * short, "{name}: {short:.1e} {long:.1e}");
    }
}

#[test]
fn tolerances_are_kept() {
    let system = Sphere.model();
    for name in CONSTRAINED {
        for (rtol, most) in [(1e-5, 2e-4), (1e-8, 2e-7)] {
            let trajectory = run(&system, name, Projection::Controlled, Sphere::T_END, rtol);
            let last = trajectory.states.last().unwrap();
            let error = distance(&last.p, &Sphere::P_END).max(distance(&last.v, &Sphere::V_END));
            assert!(error < most, "{name} {rtol}: {error:.1e}");
            // What is recorded has the multipliers of the end point, not of a stage.
            let error = distance(&last.lambda, &Sphere::LAMBDA_END);
            assert!(error < 20.0 * most, "{name} {rtol}: λ {error:.1e}");
        }
    }
}

/// Counts of `n` accepted steps alone.
fn cost(name: &str, n: u32, projection: Projection) -> Statistics {
    let system = Sphere.model();
    let mut plant = plant(&system);
    let mut method = method(name, system.layout()).unwrap();
    let mut state = start(&mut plant);
    let mut next = state.clone();
    plant.statistics = Statistics::default();
    for _ in 0..n {
        method.attempt(&mut plant, &state, 0.01, &tight(projection), &mut next).unwrap();
        method.accepted(&mut plant);
        std::mem::swap(&mut state, &mut next);
    }
    plant.statistics
}

fn evaluations(s: &Statistics) -> [u64; 6] {
    [s.mass_matrix, s.forces, s.constraint_jacobian, s.acceleration_bias, s.factorisations, s.solves]
}

#[test]
fn a_step_costs_what_the_papers_say() {
    // M, f, G, z, factorisations, solves of 20 steps; HEM5 evaluates G once more at the start.
    let expected = [
        ("mdop5", [120, 120, 120, 120, 120, 140]),
        ("hem5", [160, 160, 161, 0, 160, 160]),
        ("hedop5", [120, 120, 140, 0, 120, 140]),
        ("phem56", [120, 120, 200, 0, 120, 140]),
    ];
    for (name, counts) in expected {
        assert_eq!(evaluations(&cost(name, 20, Projection::Velocity)), counts, "{name}");
    }
}

#[test]
fn a_projection_takes_about_two_iterations() {
    for name in PROJECTED {
        let counts = cost(name, 100, Projection::EveryStep);
        assert_eq!(counts.position_projections, 100);
        let mean = counts.projection_iterations as f64 / 100.0;
        assert!((1.0..=2.5).contains(&mean), "{name}: {mean}");
        let controlled = cost(name, 100, Projection::Controlled);
        assert!(controlled.position_projections < 30, "{name}: {}", controlled.position_projections);
    }
    let counts = cost("mdop5", 100, Projection::EveryStep);
    assert_eq!(counts.factorisations, 600);
    assert_eq!(counts.solves, 700 + counts.projection_iterations);
}

#[test]
fn a_whole_run_of_mdop5_costs_six_of_each_per_step() {
    let system = Sphere.model();
    let short = run(&system, "mdop5", Projection::Velocity, 0.01, 1e-6).statistics;
    let long = run(&system, "mdop5", Projection::Velocity, 0.3, 1e-6).statistics;
    assert_eq!((short.rejected, long.rejected), (0, 0));
    let steps = long.steps - short.steps;
    assert!(steps > 5);
    for (long, short) in evaluations(&long).into_iter().zip(evaluations(&short)).take(5) {
        assert_eq!(long - short, 6 * steps);
    }
}

#[test]
fn a_rejected_step_keeps_its_first_stage() {
    let system = Sphere.model();
    let mut plant = plant(&system);
    let mut method = method("hem5", system.layout()).unwrap();
    let state = start(&mut plant);
    let mut next = state.clone();
    let settings = tight(Projection::None);
    method.attempt(&mut plant, &state, 0.02, &settings, &mut next).unwrap();
    plant.statistics = Statistics::default();
    method.attempt(&mut plant, &state, 0.01, &settings, &mut next).unwrap();
    assert_eq!(evaluations(&plant.statistics), [7, 7, 8, 0, 8, 8]);
}

#[test]
fn velocities_meet_the_constraints_to_rounding() {
    let system = Sphere.model();
    for name in HALF_EXPLICIT {
        let mut plant = plant(&system);
        let mut method = method(name, system.layout()).unwrap();
        let end = fixed_steps(&mut plant, &mut *method, 1.0, 50, Projection::None);
        let mut rate = [0.0];
        plant.eval_mass_and_jacobian(end.t, &end.p, &end.v, &end.x);
        plant.velocity_residual(end.t, &end.p, &end.v, &end.x, &mut rate);
        assert!(rate[0].abs() < 1e-14, "{name}: {:.1e}", rate[0]);
    }
}

/// Given twice a row halves its multiplier; given again as three times one of velocities it
/// leaves a tenth, and the positions are projected with the row that is left.
#[test]
fn a_row_given_again_changes_nothing() {
    let (once, twice, as_velocity) = (Pendulum.model(), Twice.model(), TwiceAsVelocity.model());
    for name in CONSTRAINED {
        // Newton's method takes other ways, and so the step size control.
        let exact = name != "radau5";
        let close = if exact { 1e-11 } else { 1e-8 };
        for projection in [Projection::Velocity, Projection::Controlled, Projection::EveryStep] {
            let reference = run(&once, name, projection, 1.0, 1e-8);
            let end = reference.states.last().unwrap();
            for (system, parts) in [(&twice as &dyn System, [0.5, 0.5]), (&as_velocity, [0.1, 0.3])] {
                let trajectory = run(system, name, projection, 1.0, 1e-8);
                let other = trajectory.states.last().unwrap();
                assert!(distance(&end.p, &other.p) < close && distance(&end.v, &other.v) < close, "{name}");
                let expected = parts.map(|part| part * end.lambda[0]);
                assert!(distance(&other.lambda, &expected) < 10.0 * close, "{name}: {:?}", other.lambda);
                assert_eq!(trajectory.redundant, ["row0", "row1"]);
                assert!(!exact || trajectory.statistics.steps == reference.statistics.steps, "{name}");
            }
            assert!(reference.redundant.is_empty());
        }
    }
}

#[test]
fn tolerances_at_rounding_level_do_not_stop_a_projection() {
    let system = Sphere.model();
    for name in CONSTRAINED {
        let mut plant = plant(&system);
        let mut method = method(name, system.layout()).unwrap();
        let mut settings = tight(Projection::EveryStep);
        settings.tolerances.rtol = 1e-14;
        settings.tolerances.atol = 1e-16;
        let mut state = start(&mut plant);
        let mut next = state.clone();
        for _ in 0..100 {
            method.attempt(&mut plant, &state, 0.005, &settings, &mut next).unwrap();
            method.accepted(&mut plant);
            std::mem::swap(&mut state, &mut next);
        }
    }
}
