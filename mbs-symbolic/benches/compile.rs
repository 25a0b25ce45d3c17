//! How long each stage of the compiler takes: one benchmark per stage, one argument per
//! model. `cargo bench -p mbs-symbolic`

use divan::{Bencher, black_box};
use mbs_symbolic::dynamics::{self, Equations, Options};
use mbs_symbolic::model::{self, Model, NoFiles};
use mbs_symbolic::topology::{self, Topology};
use mbs_symbolic::{optimize, program};

const MODELS: [&str; 3] = ["chain30", "n_four_bar_40", "five_link"];

fn main() {
    divan::main();
}

fn source(name: &str) -> String {
    let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a model of the repository")
}

fn model(name: &str) -> Model {
    model::read(name, &source(name), &NoFiles).result.expect("a correct model").0
}

fn planned(name: &str) -> (Model, Topology) {
    let model = model(name);
    let topology = topology::build(&model).expect("a tree");
    (model, topology)
}

fn equations(name: &str) -> Equations {
    let (model, topology) = planned(name);
    dynamics::build(&model, &topology, Options::default()).expect("equations")
}

#[divan::bench(args = MODELS)]
fn stage1_read(bencher: Bencher<'_, '_>, name: &str) {
    let source = source(name);
    bencher.bench(|| model::read(name, black_box(&source), &NoFiles));
}

#[divan::bench(args = MODELS)]
fn stage2_topology(bencher: Bencher<'_, '_>, name: &str) {
    let model = model(name);
    bencher.bench(|| topology::build(black_box(&model)));
}

#[divan::bench(args = MODELS)]
fn stage4_equations(bencher: Bencher<'_, '_>, name: &str) {
    let (model, topology) = planned(name);
    bencher.bench(|| dynamics::build(black_box(&model), black_box(&topology), Options::default()));
}

#[divan::bench(args = MODELS)]
fn stage5_lower(bencher: Bencher<'_, '_>, name: &str) {
    let equations = equations(name);
    bencher.bench(|| program::lower(black_box(&equations)));
}

#[divan::bench(args = MODELS)]
fn stage6_optimize(bencher: Bencher<'_, '_>, name: &str) {
    let program = program::lower(&equations(name));
    bencher.with_inputs(|| program.clone()).bench_refs(|program| optimize::run(black_box(program)));
}

/// From YAML to the optimised program.
#[divan::bench(args = MODELS)]
fn whole(bencher: Bencher<'_, '_>, name: &str) {
    let source = source(name);
    bencher.bench(|| {
        let model = model::read(name, black_box(&source), &NoFiles).result.expect("a correct model").0;
        let topology = topology::build(&model).expect("a tree");
        let equations = dynamics::build(&model, &topology, Options::default()).expect("equations");
        let mut program = program::lower(&equations);
        optimize::run(&mut program);
        program
    });
}
