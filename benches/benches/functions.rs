//! Every function of every measured model, as generated Rust and as native code in memory.
//! `cargo bench -p mbs-benches --bench functions`

use divan::Bencher;
use mbs_benches::{Case, FUNCTIONS, GENERATED, generated, native};
use mbs_runtime::System;
use std::fmt;

fn main() {
    divan::main();
}

struct Subject {
    model: &'static str,
    function: &'static str,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.model, self.function)
    }
}

/// What there is to measure: functions that give anything.
fn subjects() -> Vec<Subject> {
    let mut all = Vec::new();
    for (model, system) in GENERATED {
        let case = Case::new(system);
        let present = FUNCTIONS.into_iter().filter(|function| case.results(function) > 0);
        all.extend(present.map(|function| Subject { model, function }));
    }
    all
}

fn measure(bencher: Bencher<'_, '_>, system: &dyn System, function: &str) {
    let mut case = Case::new(system);
    bencher.bench_local(|| case.call(function));
}

#[divan::bench(args = subjects())]
fn generated_rust(bencher: Bencher<'_, '_>, subject: &Subject) {
    measure(bencher, generated(subject.model), subject.function);
}

#[divan::bench(args = subjects())]
fn native_code(bencher: Bencher<'_, '_>, subject: &Subject) {
    measure(bencher, &native(subject.model), subject.function);
}
