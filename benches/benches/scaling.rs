//! How compiler, native code and evaluation grow with the links of a spatial chain, and a run
//! with the number of loops.
//! `cargo bench -p mbs-benches --bench scaling`

use divan::{Bencher, black_box};
use mbs_benches::{Case, chain, compile, four_bars};
use mbs_jit::Native;
use mbs_runtime::{Settings, simulate};

const LINKS: [usize; 9] = [2, 4, 8, 12, 16, 24, 32, 48, 60];

fn main() {
    divan::main();
}

/// From the text of the model to the optimised program.
#[divan::bench(args = LINKS, sample_count = 5)]
fn compiler(bencher: Bencher<'_, '_>, n: usize) {
    let source = chain(n);
    bencher.bench_local(|| compile(black_box(&source)));
}

/// From the program to native code.
#[divan::bench(args = LINKS, sample_count = 5)]
fn native(bencher: Bencher<'_, '_>, n: usize) {
    let program = compile(&chain(n));
    bencher.bench_local(|| Native::new(black_box(&program)));
}

/// One call for M and f.
#[divan::bench(args = LINKS)]
fn fused(bencher: Bencher<'_, '_>, n: usize) {
    let system = Native::new(&compile(&chain(n))).expect("native code");
    let mut case = Case::new(&system);
    bencher.bench_local(|| case.call("fused"));
}

/// The same motion of more and more loops, 0.02 s of it.
#[divan::bench(args = [50, 100, 200], sample_count = 3)]
fn loops(bencher: Bencher<'_, '_>, n: usize) {
    let system = Native::new(&compile(&four_bars(n))).expect("native code");
    let settings = Settings { t_end: 0.02, ..Settings::default() };
    bencher.bench_local(|| simulate(&system, black_box(&settings)));
}
