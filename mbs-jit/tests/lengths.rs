//! Slices of the wrong length: NaN in every result, and a panic in debug builds.

mod common;

use common::{Random, State, model, model_with_jacobian};
use mbs_jit::{Interpreted, Native};
use mbs_runtime::{Accelerated, At, Fused, System};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work`, which must refuse what it is given: it panics in debug builds.
fn refused(work: impl FnOnce()) {
    let result = catch_unwind(AssertUnwindSafe(work));
    assert_eq!(result.is_err(), cfg!(debug_assertions));
}

fn is_nan(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_nan())
}

fn check(system: &dyn System) {
    let layout = system.layout();
    let state = State::random(layout, &mut Random::new("lengths"));
    let prepared = state.prepared(system);
    let at = state.at(&prepared);
    let n_v = layout.n_v();

    let long = vec![0.0; 1000];
    let flags = [true; 1000];
    let wrong: [At<'_>; 8] = [
        At { p: &long, ..at },
        At { p: &at.p[1..], ..at },
        At { v: &[], ..at },
        At { x: &long, ..at },
        At { u: &long, ..at },
        At { modes: &flags, ..at },
        At { prepared: &prepared[1..], ..at },
        At { prepared: &long, ..at },
    ];
    for at in &wrong {
        let mut out = vec![0.0; n_v];
        refused(|| system.forces(at, &mut out));
        assert!(is_nan(&out));
        let mut sizes =
            [layout.n_p(), n_v * n_v, n_v, layout.n_lambda() * n_v, layout.n_lambda(), layout.n_x()]
                .map(|n| vec![0.0; n]);
        let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = &mut sizes;
        let mut fused =
            Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
        refused(|| system.fused(at, &mut fused));
        assert!(sizes.iter().all(|part| is_nan(part)));
        let n_lambda = layout.n_lambda();
        let mut sizes = [layout.n_p(), n_v, n_lambda, layout.n_x(), n_v + n_lambda].map(|n| vec![0.0; n]);
        let [p_dot, v_dot, lambda, auxiliary, pivots] = &mut sizes;
        let mut accelerated = Accelerated { p_dot, v_dot, lambda, auxiliary, pivots };
        refused(|| assert_eq!(system.accelerations(at, &mut accelerated), Ok(())));
        assert!(sizes.iter().all(|part| is_nan(part)));
    }

    for length in [0, n_v - 1, n_v + 1] {
        let mut out = vec![0.0; length];
        refused(|| system.forces(&at, &mut out));
        assert!(is_nan(&out));
        let mut out = vec![0.0; n_v];
        refused(|| system.inverse_dynamics(&at, &vec![0.0; length], &mut out));
        assert!(is_nan(&out));
    }
    let mut out = vec![0.0; prepared.len()];
    refused(|| system.prepare(&prepared, &mut out));
    assert!(is_nan(&out));
    refused(|| system.prepare(&state.theta, &mut out[1..]));
    let (mut p, mut v, mut x) = (vec![0.0; layout.n_p()], vec![0.0; n_v + 1], vec![0.0; layout.n_x()]);
    refused(|| system.initial(&prepared, &mut p, &mut v, &mut x));
    assert!(is_nan(&p) && is_nan(&v) && is_nan(&x));
    // A function without results takes any state, but no room for results.
    if layout.n_x() == 0 {
        system.auxiliary(&wrong[0], &mut []);
        refused(|| system.auxiliary(&at, &mut [0.0]));
    }
}

/// As [`check`], for the one function that may be missing.
fn check_jacobian(system: &dyn System) {
    let layout = system.layout();
    let state = State::random(layout, &mut Random::new("lengths"));
    let prepared = state.prepared(system);
    let at = state.at(&prepared);
    let size = layout.jacobian_rows() * layout.jacobian_columns();
    let (v_dot, lambda) = (vec![0.0; layout.n_v()], vec![0.0; layout.n_lambda()]);
    let call = |at: &At<'_>, v_dot: &[f64], lambda: &[f64], size: usize| {
        let mut out = vec![0.0; size];
        refused(|| assert_eq!(system.jacobian(at, v_dot, lambda, &mut out), Ok(())));
        assert!(is_nan(&out));
    };
    call(&At { p: &at.p[1..], ..at }, &v_dot, &lambda, size);
    call(&at, &v_dot[1..], &lambda, size);
    call(&at, &v_dot, &lambda[1..], size);
    call(&at, &v_dot, &lambda, size - 1);
}

#[test]
fn wrong_lengths_are_refused() {
    for name in ["four_bar", "andrews", "laws"] {
        let program = model(name);
        check(&Interpreted::new(&program));
        check(&Native::new(&program).expect("native code"));
    }
    let program = model_with_jacobian("four_bar");
    check_jacobian(&Interpreted::new(&program));
    check_jacobian(&Native::new(&program).expect("native code"));
}
