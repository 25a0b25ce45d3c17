//! How long an evaluation of the equations takes, natively and interpreted, and how long
//! it takes to make native code. `cargo bench -p mbs-jit`

use divan::{Bencher, black_box};
use mbs_jit::{Interpreted, Native};
use mbs_runtime::linalg::Saddle;
use mbs_runtime::{Accelerated, At, Defaults, Fused, Plant, State, System};
use mbs_symbolic::model::NoFiles;
use mbs_symbolic::program::Program;

const MODELS: [&str; 5] = ["ur5", "panda", "chain7", "five_link", "andrews"];
const LARGE: [&str; 5] = ["ur5", "five_link", "andrews", "chain30", "n_four_bar_40"];

fn main() {
    divan::main();
}

fn program(name: &str) -> Program {
    let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).expect("a model of the repository");
    let compiled = mbs_symbolic::compile(name, &source, &NoFiles, mbs_symbolic::Options::default());
    compiled.expect("a correct model").program
}

/// One call of `fused` at the initial values.
fn fused(bencher: Bencher<'_, '_>, system: &dyn System) {
    let layout = system.layout();
    let (n_p, n_v, n_x, n_lambda) = (layout.n_p(), layout.n_v(), layout.n_x(), layout.n_lambda());
    let mut prepared = vec![0.0; layout.n_prepared];
    system.prepare(&layout.parameter_defaults, &mut prepared);
    let [mut p, mut v, mut x] = [n_p, n_v, n_x].map(|n| vec![0.0; n]);
    system.initial(&prepared, &mut p, &mut v, &mut x);
    let mut u = vec![0.0; layout.n_u()];
    let modes = vec![false; layout.modes.len()];
    system.input_defaults(0.0, &modes, &prepared, &mut u);
    let at = At { t: 0.0, p: &p, v: &v, x: &x, u: &u, modes: &modes, prepared: &prepared };
    let mut parts = [n_p, n_v * n_v, n_v, n_lambda * n_v, n_lambda, n_x].map(|n| vec![0.0; n]);
    let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = &mut parts;
    let mut out = Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
    bencher.bench_local(|| {
        system.fused(black_box(&at), &mut out);
        black_box(&mut out);
    });
}

#[divan::bench(args = MODELS)]
fn native(bencher: Bencher<'_, '_>, name: &str) {
    fused(bencher, &Native::new(&program(name)).expect("native code"));
}

/// One right-hand side by the model's own solution.
#[divan::bench(args = MODELS)]
fn accelerations(bencher: Bencher<'_, '_>, name: &str) {
    let system = Native::new(&program(name)).expect("native code");
    let layout = system.layout();
    let mut plant = Plant::new(&system, &layout.parameter_defaults, Box::new(Defaults));
    let mut state = State::new(layout);
    plant.initial(&mut state);
    let mut pivots = vec![0.0; layout.n_v() + layout.n_lambda()];
    let State { t, p, v, x, p_dot, v_dot, x_dot, lambda, .. } = &mut state;
    plant.at(*t, p, v, x, |system, at| {
        let mut out = Accelerated { p_dot, v_dot, lambda, auxiliary: x_dot, pivots: &mut pivots };
        bencher.bench_local(|| {
            black_box(system.accelerations(black_box(at), &mut out)).is_ok() && out.is_reliable()
        });
    });
}

/// One right-hand side by M, f, G, z and the solver of the runtime.
#[divan::bench(args = MODELS)]
fn eval_derivatives_and_factors(bencher: Bencher<'_, '_>, name: &str) {
    let system = Native::new(&program(name)).expect("native code");
    let layout = system.layout();
    let mut plant = Plant::new(&system, &layout.parameter_defaults, Box::new(Defaults));
    let mut state = State::new(layout);
    plant.initial(&mut state);
    let mut saddle = Saddle::new(layout.n_v(), layout.n_lambda());
    bencher.bench_local(|| plant.eval_derivatives_and_factors(black_box(&mut state), &mut saddle));
}

#[divan::bench(args = MODELS)]
fn interpreted(bencher: Bencher<'_, '_>, name: &str) {
    fused(bencher, &Interpreted::new(&program(name)));
}

/// All functions of a program to native code.
#[divan::bench(args = LARGE, sample_count = 20)]
fn compile(bencher: Bencher<'_, '_>, name: &str) {
    let program = program(name);
    bencher.bench(|| Native::new(black_box(&program)));
}
