//! How compiler, native code and evaluation grow with the links of a spatial chain.
//! `cargo bench -p mbs-benches --bench scaling`

use divan::{Bencher, black_box};
use mbs_benches::{Case, chain, compile};
use mbs_jit::Native;

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
