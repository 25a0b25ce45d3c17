//! Runs per second of batches on one thread. `cargo bench -p mbs-lanes --bench simulate`, with
//! `RUSTFLAGS=-Ctarget-cpu=native` for lanes at their full width.

use divan::Bencher;
use divan::counter::ItemsCount;
use mbs_runtime::Settings;
use mbs_runtime::batch::{self, Sample};

const MODELS: [&str; 4] = ["chain7", "ur5", "five_link", "andrews"];

fn main() {
    divan::main();
}

/// Samples that differ in one parameter by a few percent.
fn samples(name: &str) -> Vec<Sample> {
    let defaults = &mbs_lanes::model(name).layout().parameter_defaults;
    let mut random = mbs_lanes::random(1);
    let sample = |_| {
        let mut parameters = defaults.to_vec();
        if let Some(last) = parameters.last_mut() {
            *last *= 1.0 + 0.02 * random();
        }
        Sample { parameters, start: None }
    };
    (0..32).map(sample).collect()
}

fn settings(name: &str) -> Settings {
    let t_end = if name == "andrews" { 0.03 } else { 1.0 };
    Settings { t_end, rtol: 1e-6, output_step: Some(t_end), ..Settings::default() }
}

#[divan::bench(args = MODELS, sample_count = 20)]
fn each(bencher: Bencher<'_, '_>, name: &str) {
    let (model, samples, settings) = (mbs_lanes::model(name), samples(name), settings(name));
    let bencher = bencher.counter(ItemsCount::new(samples.len()));
    bencher.bench_local(|| batch::each(model.as_system(), &samples, &settings, 1));
}

#[divan::bench(args = MODELS, sample_count = 20)]
fn lanes(bencher: Bencher<'_, '_>, name: &str) {
    let (model, samples, settings) = (mbs_lanes::model(name), samples(name), settings(name));
    let bencher = bencher.counter(ItemsCount::new(samples.len()));
    bencher.bench_local(|| batch::lanes(model, &samples, &settings, 1));
}
