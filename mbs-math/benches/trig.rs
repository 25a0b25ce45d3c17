//! Sine and cosine of 1024 angles. `cargo bench -p mbs-math --features lanes`, with
//! `RUSTFLAGS=-Ctarget-cpu=native` for lanes at their full width.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const RANGES: [f64; 3] = [3.0, 1e3, 1e5];

fn angles(range: f64) -> Vec<f64> {
    (0..1024).map(|i| range * (2.0 * ((f64::from(i) * 0.618_033_988_749_895) % 1.0) - 1.0)).collect()
}

fn bench(bencher: Bencher<'_, '_>, range: f64, pair: impl Fn(f64) -> (f64, f64)) {
    let angles = angles(range);
    bencher.counter(ItemsCount::new(angles.len())).bench_local(|| {
        let mut sum = 0.0;
        for &x in black_box(&angles) {
            let (s, c) = pair(x);
            sum += s * c;
        }
        sum
    });
}

#[divan::bench(args = RANGES)]
fn own(bencher: Bencher<'_, '_>, range: f64) {
    bench(bencher, range, mbs_math::sin_cos);
}

#[divan::bench(args = RANGES)]
fn libm(bencher: Bencher<'_, '_>, range: f64) {
    bench(bencher, range, libm::sincos);
}

#[divan::bench(args = RANGES)]
fn std(bencher: Bencher<'_, '_>, range: f64) {
    bench(bencher, range, f64::sin_cos);
}

/// Several angles at once, as code for one state takes them.
fn bench_several<const N: usize>(
    bencher: Bencher<'_, '_>,
    range: f64,
    pairs: impl Fn([f64; N]) -> [(f64, f64); N],
) {
    let angles = angles(range);
    bencher.counter(ItemsCount::new(angles.len())).bench_local(|| {
        let mut sum = 0.0;
        for &x in black_box(&angles).as_chunks().0 {
            for (s, c) in pairs(x) {
                sum += s * c;
            }
        }
        sum
    });
}

#[divan::bench(args = RANGES)]
fn two(bencher: Bencher<'_, '_>, range: f64) {
    bench_several(bencher, range, mbs_math::sin_cos_2);
}

#[divan::bench(args = RANGES)]
fn four(bencher: Bencher<'_, '_>, range: f64) {
    bench_several(bencher, range, mbs_math::sin_cos_4);
}

#[cfg(feature = "lanes")]
#[divan::bench(args = RANGES)]
fn lanes(bencher: Bencher<'_, '_>, range: f64) {
    use mbs_math::lanes::{f64x4, sin_cos};
    let angles: Vec<f64x4> =
        angles(range).chunks_exact(4).map(|four| f64x4::new([four[0], four[1], four[2], four[3]])).collect();
    bencher.counter(ItemsCount::new(4 * angles.len())).bench_local(|| {
        let mut sum = f64x4::splat(0.0);
        for &x in black_box(&angles) {
            let (s, c) = sin_cos(x);
            sum += s * c;
        }
        sum
    });
}
