//! Nanoseconds for one state, for four and for eight at once, and how many times the throughput of
//! one state that is; the kinds are measured in turn, and the fastest of many rounds counts.
//! `RUSTFLAGS=-Ctarget-cpu=native cargo bench -p mbs-lanes --bench throughput`.

use mbs_runtime::batch::{Accelerated4, At4, Fused4, Lanes, f64x4};
use mbs_runtime::math::lanes::x8::f64x8;
use mbs_runtime::{Accelerated, At, Fused, System};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 400;
const CALLS: u32 = 200;

/// The fastest time of each kind of call, in ns.
fn fastest(calls: [&mut dyn FnMut(); 3]) -> [f64; 3] {
    let mut fastest = [f64::INFINITY; 3];
    let mut calls = calls;
    for _ in 0..ROUNDS {
        for (call, fastest) in calls.iter_mut().zip(&mut fastest) {
            let start = Instant::now();
            (0..CALLS).for_each(|_| call());
            *fastest = fastest.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }
    }
    fastest
}

#[expect(clippy::print_stdout, reason = "the table is what this is for")]
fn row(name: &str, function: &str, [one, four, eight]: [f64; 3]) {
    let (by_four, by_eight) = (4.0 * one / four, 8.0 * one / eight);
    println!("| {name} | {function} | {one:.0} | {four:.0} | {by_four:.2} | {eight:.0} | {by_eight:.2} |");
}

/// p, v, x, u and prepared parameters: the initial state, moved so that no angle is zero.
fn point(system: &dyn System) -> [Vec<f64>; 5] {
    let layout = system.layout();
    let mut prepared = vec![0.0; layout.n_prepared];
    system.prepare(&layout.parameter_defaults, &mut prepared);
    let [mut p, mut v, mut x] = [layout.n_p(), layout.n_v(), layout.n_x()].map(|n| vec![0.0; n]);
    system.initial(&prepared, &mut p, &mut v, &mut x);
    let mut random = mbs_lanes::random(1);
    p.iter_mut().chain(&mut v).for_each(|value| *value += 0.1 * random());
    let mut u = vec![0.0; layout.n_u()];
    let modes = vec![false; layout.modes.len()];
    system.input_defaults(0.0, &modes, &prepared, &mut u);
    [p, v, x, u, prepared]
}

/// The values in all lanes.
fn in_lanes<T>(values: &[Vec<f64>; 5], splat: impl Fn(f64) -> T) -> [Vec<T>; 5] {
    values.each_ref().map(|values| values.iter().map(|value| splat(*value)).collect())
}

macro_rules! measure {
    ($($name:ident: $fused:ident,)*) => { $({
        use mbs_lanes::$name::{Model, N_LAMBDA, N_MODES, N_P, N_V, N_X, x8};
        let model: &dyn Lanes = &Model;
        let values = point(model.as_system());
        let [p, v, x, u, prepared] = &values;
        let at = At { t: 0.0, p, v, x, u, modes: &[false; N_MODES], prepared };
        let [p, v, x, u, prepared] = &in_lanes(&values, f64x4::splat);
        let t = f64x4::splat(0.0);
        let at4 = At4 { t, p, v, x, u, modes: &[t; N_MODES], prepared };
        let [p, v, x, u, prepared] = &in_lanes(&values, f64x8::splat);
        let t = f64x8::splat(0.0);
        let at8 = x8::At {
            t,
            p: p[..].try_into().unwrap(),
            v: v[..].try_into().unwrap(),
            x: x[..].try_into().unwrap(),
            u: u[..].try_into().unwrap(),
            modes: &[t; N_MODES],
            prepared: prepared[..].try_into().unwrap(),
        };

        let lengths = [N_P, N_V * N_V, N_V, N_LAMBDA * N_V, N_LAMBDA, N_X];
        let mut one = lengths.map(|n| vec![0.0; n]);
        let mut four = lengths.map(|n| vec![f64x4::splat(0.0); n]);
        let (mut p_dot, mut m, mut f) = ([t; N_P], [t; N_V * N_V], [t; N_V]);
        let (mut g, mut z, mut a) = ([t; N_LAMBDA * N_V], [t; N_LAMBDA], [t; N_X]);
        let times = fastest([
            &mut || {
                let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] =
                    black_box(&mut one);
                let mut out =
                    Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
                model.update_fused(black_box(&at), &mut out);
            },
            &mut || {
                let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] =
                    black_box(&mut four);
                let mut out =
                    Fused4 { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
                model.update_fused_x4(black_box(&at4), &mut out);
            },
            &mut || {
                x8::$fused(black_box(&at8), &mut p_dot, &mut m, &mut f, &mut g, &mut z, &mut a);
                black_box((&mut p_dot, &mut m, &mut f, &mut g, &mut z, &mut a));
            },
        ]);
        row(stringify!($name), "fused", times);

        let lengths = [N_P, N_V, N_LAMBDA, N_X, N_V + N_LAMBDA];
        let mut one = lengths.map(|n| vec![0.0; n]);
        let mut four = lengths.map(|n| vec![f64x4::splat(0.0); n]);
        let (mut v_dot, mut lambda, mut pivots) = ([t; N_V], [t; N_LAMBDA], [t; N_V + N_LAMBDA]);
        let times = fastest([
            &mut || {
                let [p_dot, v_dot, lambda, auxiliary, pivots] = black_box(&mut one);
                let mut out = Accelerated { p_dot, v_dot, lambda, auxiliary, pivots };
                model.accelerations(black_box(&at), &mut out).expect("the model has them");
            },
            &mut || {
                let [p_dot, v_dot, lambda, auxiliary, pivots] = black_box(&mut four);
                let mut out = Accelerated4 { p_dot, v_dot, lambda, auxiliary, pivots };
                model.accelerations_x4(black_box(&at4), &mut out).expect("the model has them");
            },
            &mut || {
                x8::accelerations(black_box(&at8), &mut p_dot, &mut v_dot, &mut lambda, &mut a, &mut pivots);
                black_box((&mut p_dot, &mut v_dot, &mut lambda, &mut a, &mut pivots));
            },
        ]);
        row(stringify!($name), "accelerations", times);
    })* };
}

fn main() {
    // Only where M or G has many zeros is there a function that leaves them alone.
    measure!(ur5: fused, panda: fused, chain7: fused, five_link: update_fused,);
}
