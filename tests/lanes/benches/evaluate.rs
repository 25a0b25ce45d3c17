//! How long `fused` takes per state: as Rust compiled with the bench, in lanes, and as native
//! code in memory. `cargo bench -p mbs-lanes --bench evaluate`, with
//! `RUSTFLAGS=-Ctarget-cpu=native` for lanes at their full width.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use mbs_jit::Native;
use mbs_runtime::batch::{At4, Fused4, f64x4};
use mbs_runtime::{At, Fused, System};
use mbs_symbolic::model::NoFiles;

const MODELS: [&str; 4] = ["ur5", "panda", "chain7", "five_link"];

fn main() {
    divan::main();
}

/// The initial state, moved a little so that no angle is zero.
struct Point {
    p: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
    modes: Vec<bool>,
    prepared: Vec<f64>,
}

impl Point {
    fn new(system: &dyn System) -> Self {
        let layout = system.layout();
        let mut prepared = vec![0.0; layout.n_prepared];
        system.prepare(&layout.parameter_defaults, &mut prepared);
        let [mut p, mut v, mut x] = [layout.n_p(), layout.n_v(), layout.n_x()].map(|n| vec![0.0; n]);
        system.initial(&prepared, &mut p, &mut v, &mut x);
        let mut random = mbs_lanes::random(1);
        p.iter_mut().chain(&mut v).for_each(|value| *value += 0.1 * random());
        let mut u = vec![0.0; layout.n_u()];
        system.input_defaults(0.0, &prepared, &mut u);
        let modes = vec![false; layout.modes.len()];
        Self { p, v, x, u, modes, prepared }
    }
}

/// Lengths of what `fused` fills.
fn lengths(system: &dyn System) -> [usize; 6] {
    let layout = system.layout();
    let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
    [layout.n_p(), n_v * n_v, n_v, n_lambda * n_v, n_lambda, layout.n_x()]
}

fn one(bencher: Bencher<'_, '_>, system: &dyn System) {
    let Point { p, v, x, u, modes, prepared } = &Point::new(system);
    let at = At { t: 0.0, p, v, x, u, modes, prepared };
    let mut parts = lengths(system).map(|n| vec![0.0; n]);
    let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = &mut parts;
    let mut out = Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        system.fused(black_box(&at), &mut out);
        black_box(&mut out);
    });
}

#[divan::bench(args = MODELS)]
fn rust(bencher: Bencher<'_, '_>, name: &str) {
    one(bencher, mbs_lanes::model(name).as_system());
}

#[divan::bench(args = MODELS)]
fn jit(bencher: Bencher<'_, '_>, name: &str) {
    let path = format!("{}/../../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).expect("a model of the repository");
    let compiled = mbs_symbolic::compile(name, &source, &NoFiles, mbs_symbolic::Options::default());
    one(bencher, &Native::new(&compiled.expect("a correct model").program).expect("native code"));
}

/// Four states per call; the items are states.
#[divan::bench(args = MODELS)]
fn lanes(bencher: Bencher<'_, '_>, name: &str) {
    let model = mbs_lanes::model(name);
    let Point { p, v, x, u, modes, prepared } = Point::new(model.as_system());
    let [p, v, x, u, prepared] =
        [p, v, x, u, prepared].map(|values| values.into_iter().map(f64x4::splat).collect::<Vec<_>>());
    let modes = vec![f64x4::splat(0.0); modes.len()];
    let t = f64x4::splat(0.0);
    let at = At4 { t, p: &p, v: &v, x: &x, u: &u, modes: &modes, prepared: &prepared };
    let mut parts = lengths(model.as_system()).map(|n| vec![f64x4::splat(0.0); n]);
    let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = &mut parts;
    let mut out = Fused4 { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
    bencher.counter(ItemsCount::new(4u32)).bench_local(|| {
        model.fused_x4(black_box(&at), &mut out);
        black_box(&mut out);
    });
}
