//! Whole runs through native code. `cargo bench -p mbs-jit --bench simulate`
//!
//! Bars, on the machine the peers were measured on (x86-64, Zen 3 class, 3.2 GHz):
//! - `five_link_bump_1s_rtol1e-4`: integration alone under 5 ms;
//! - `five_link_from_yaml`: from the text of the model to the end of the run under 150 ms;
//! - `andrews_30ms_error1e-6`: equations traced by CasADi and compiled by gcc -O3, with RK4
//!   and projection, take 2 to 3 ms to an error below 1e-6 (MuJoCo's RK4 67 ms, Exudyn more
//!   than 1.6 s at 5e-6). The error here is the largest of all seven angles at the end, rad.

use divan::{Bencher, black_box};
use mbs_jit::Native;
use mbs_runtime::integrate::{Mdop5, Projection, simulate_with};
use mbs_runtime::{Defaults, Plant, Settings, State, System, Trajectory};
use mbs_symbolic::model::NoFiles;

fn main() {
    divan::main();
}

fn source(name: &str) -> String {
    let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a model of the repository")
}

fn native(name: &str, source: &str) -> Native {
    let compiled = mbs_symbolic::compile(name, source, &NoFiles, mbs_symbolic::Options::default());
    Native::new(&compiled.expect("a correct model").program).expect("native code")
}

fn run(system: &dyn System, settings: &Settings) -> Trajectory {
    let layout = system.layout();
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut start = State::new(layout);
    plant.initial(&mut start);
    let mut method = Mdop5::new(layout);
    simulate_with(&mut plant, &mut method, start, settings, &mut |_| true).expect("a run")
}

const BUMP: Settings = Settings {
    t_start: 0.0,
    t_end: 1.0,
    rtol: 1e-4,
    atol: None,
    projection: Projection::Controlled,
    output_step: None,
    max_step: f64::INFINITY,
    max_steps: 10_000,
    parameters: Vec::new(),
    max_points: usize::MAX,
    use_generated_solver: true,
};

#[divan::bench(name = "five_link_bump_1s_rtol1e-4")]
fn five_link_bump(bencher: Bencher<'_, '_>) {
    let system = native("five_link", &source("five_link"));
    bencher.bench_local(|| run(black_box(&system), &BUMP));
}

#[divan::bench(name = "five_link_from_yaml", sample_count = 50)]
fn five_link_from_yaml(bencher: Bencher<'_, '_>) {
    let source = source("five_link");
    bencher.bench_local(|| run(&native("five_link", black_box(&source)), &BUMP));
}

#[divan::bench(name = "andrews_30ms_error1e-6")]
fn andrews(bencher: Bencher<'_, '_>) {
    let system = native("andrews", &source("andrews"));
    let with = |rtol| Settings { t_end: 0.03, rtol, output_step: Some(0.03), ..BUMP };
    let end = |settings: &Settings| run(&system, settings).states.pop().expect("the end").p;
    let (settings, exact) = (with(ANDREWS_RTOL), end(&with(1e-11)));
    let error = end(&settings).iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 1e-6, "the tolerance gives an error of {error:e}");
    bencher.bench_local(|| run(black_box(&system), &settings));
}

/// The loosest of 1, 3, 10, … e-7 that keeps the error below 1e-6.
const ANDREWS_RTOL: f64 = 3e-7;
