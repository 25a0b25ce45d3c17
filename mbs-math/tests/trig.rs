//! Sine and cosine against an evaluation with twice as many digits.

use mbs_math::{cos, sin, sin_cos, sin_cos_2, sin_cos_4};

/// A number as the sum of two, the second less than half a unit of the first.
#[derive(Clone, Copy, Debug)]
struct Double(f64, f64);

fn two_sum(a: f64, b: f64) -> Double {
    let s = a + b;
    let v = s - a;
    Double(s, (a - (s - v)) + (b - v))
}

fn two_product(a: f64, b: f64) -> Double {
    let split = |x: f64| {
        let t = 134_217_729.0 * x;
        let high = t - (t - x);
        (high, x - high)
    };
    let p = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    Double(p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl Double {
    fn add(self, other: Self) -> Self {
        let high = two_sum(self.0, other.0);
        let low = two_sum(self.1, other.1);
        let high = two_sum(high.0, high.1 + low.0);
        two_sum(high.0, high.1 + low.1)
    }

    fn mul(self, other: Self) -> Self {
        let p = two_product(self.0, other.0);
        two_sum(p.0, p.1 + (self.0 * other.1 + self.1 * other.0))
    }

    fn div(self, by: f64) -> Self {
        let q = self.0 / by;
        let p = two_product(q, by);
        let rest = ((self.0 - p.0) - p.1) + self.1;
        two_sum(q, rest / by)
    }

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

/// π/2 in parts of at most 33 bits; the last is rounded. 33·5 bits and more.
const QUARTER: [f64; 6] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_711_166_5e-21,
    8.478_427_660_348_229e-32,
    2.067_032_109_450_824e-43,
    3.755_746_296_963_558_6e-53,
];

/// Sine and cosine with about a hundred bits, |x| ≤ 2·10⁵.
fn reference(x: f64) -> [Double; 2] {
    let n = (x * std::f64::consts::FRAC_2_PI).round();
    let mut r = Double(x, 0.0);
    for part in QUARTER {
        r = r.add(two_product(-n, part));
    }
    let square = r.mul(r);
    let series = |first: Double, from: u32| {
        let (mut term, mut sum) = (first, first);
        let mut k = f64::from(from);
        while term.0.abs() > 1e-40 * sum.0.abs() && k < 60.0 {
            term = term.mul(square).neg().div(k * (k + 1.0));
            sum = sum.add(term);
            k += 2.0;
        }
        sum
    };
    let (s, c) = (series(r, 2), series(Double(1.0, 0.0), 1));
    match (n as i64).rem_euclid(4) {
        0 => [s, c],
        1 => [c, s.neg()],
        2 => [s.neg(), c.neg()],
        _ => [c.neg(), s],
    }
}

/// Error in units in the last place of the reference.
fn ulps(value: f64, exact: Double) -> f64 {
    let unit = (exact.0.abs().next_up() - exact.0.abs()).max(f64::from_bits(1));
    (((value - exact.0) - exact.1) / unit).abs()
}

fn error(x: f64) -> f64 {
    let (s, c) = sin_cos(x);
    let [exact_s, exact_c] = reference(x);
    ulps(s, exact_s).max(ulps(c, exact_c))
}

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// The largest error over arguments of one kind.
fn worst(arguments: impl Iterator<Item = f64>) -> f64 {
    arguments.map(error).fold(0.0, f64::max)
}

const BOUND: f64 = 0.85;

#[test]
fn dense_and_random_arguments() {
    let dense = (-200_000..=200_000).map(|i| f64::from(i) * 1e-4);
    let whole = (-100_000..=100_000).map(f64::from);
    let mut state = 1;
    let uniform: Vec<f64> = (0..300_000).map(|_| 1e5 * (2.0 * random(&mut state) - 1.0)).collect();
    let small: Vec<f64> = (0..300_000).map(|_| 4.0 * (2.0 * random(&mut state) - 1.0)).collect();
    for arguments in [worst(dense), worst(whole), worst(uniform.into_iter()), worst(small.into_iter())] {
        assert!(arguments < BOUND, "{arguments}");
    }
}

#[test]
fn near_multiples_of_a_quarter_turn() {
    // Every double nearest to a multiple, its neighbours, and multiples of π/4 between.
    let mut largest = 0.0_f64;
    for k in 1..=127_300 {
        let Double(near, _) = two_product(f64::from(k), std::f64::consts::FRAC_PI_4);
        for x in [near, near.next_up(), near.next_down(), near.next_up().next_up()] {
            largest = largest.max(error(x)).max(error(-x));
        }
    }
    assert!(largest < BOUND, "{largest}");
    // The hardest of all: 29 quarter turns less 2⁻⁶⁰·⁵.
    assert!(error(45.553_093_477_052) < BOUND);
}

#[test]
fn tiny_arguments_and_zeros() {
    for exponent in -1074..0 {
        let x = 1.2345 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        assert!(error(x) < BOUND, "{x:e}");
        assert_eq!(sin(-x).to_bits(), (-sin(x)).to_bits());
    }
    assert_eq!(sin_cos(0.0).0.to_bits(), 0.0_f64.to_bits());
    assert_eq!(sin_cos(-0.0).0.to_bits(), (-0.0_f64).to_bits());
    assert_eq!((cos(0.0), cos(-0.0), cos(1e-300)), (1.0, 1.0, 1.0));
    assert_eq!(sin(f64::from_bits(1)), f64::from_bits(1));
}

#[test]
fn far_arguments_and_what_is_no_number() {
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(sin(x).is_nan() && cos(x).is_nan());
    }
    for x in [1e5_f64.next_up(), 123_456.789, 1e10, -1e22, f64::MAX] {
        assert_eq!(sin_cos(x), libm::sincos(x));
    }
    // Nothing jumps where the other reduction takes over.
    for x in [1e5, 99_999.999, -1e5] {
        let (a, b) = (sin_cos(x), libm::sincos(x));
        assert!((a.0 - b.0).abs() < 2e-16 && (a.1 - b.1).abs() < 2e-16);
    }
}

#[test]
fn within_an_ulp_of_libm() {
    let mut state = 7;
    for _ in 0..1_000_000 {
        let x = 1e5 * (2.0 * random(&mut state) - 1.0) * random(&mut state);
        let (ours, theirs) = (sin_cos(x), libm::sincos(x));
        let apart = |a: f64, b: f64| (a.to_bits() as i64 - b.to_bits() as i64).abs();
        assert!(apart(ours.0, theirs.0) <= 1 && apart(ours.1, theirs.1) <= 1, "{x}");
    }
}

/// Arguments of all sizes; in every fifth set one that the algorithm has to take care of.
fn mixed(round: usize, state: &mut u64) -> [f64; 4] {
    let special = [
        0.0,
        -0.0,
        1e-310,
        1e5,
        1e5_f64.next_up(),
        1e300,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -45.553_093_477_052,
    ];
    let mut size = || {
        let x = 10f64.powf(6.0 * random(state) - 1.0);
        if random(state) < 0.5 { -x } else { x }
    };
    let mut x: [f64; 4] = core::array::from_fn(|_| size());
    if round.is_multiple_of(5) {
        x[(round / 5) % 4] = special[(round / 20) % special.len()];
    }
    x
}

fn assert_bits(x: &[f64], pairs: impl Iterator<Item = (f64, f64)>) {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    for (lane, (s, c)) in pairs.enumerate() {
        let expected = sin_cos(x[lane % x.len()]);
        assert!(same(s, expected.0) && same(c, expected.1), "{x:?}");
    }
}

#[test]
fn several_angles_have_the_bits_of_each() {
    let mut state = 5;
    for round in 0..200_000 {
        let x = mixed(round, &mut state);
        let [a, b, c, d] = x;
        assert_bits(&x, sin_cos_4(x).into_iter());
        assert_bits(&x, sin_cos_2([a, b]).into_iter().chain(sin_cos_2([c, d])));
    }
}

#[cfg(feature = "lanes")]
#[test]
fn lanes_have_the_bits_of_numbers() {
    use mbs_math::lanes::x8::{self, f64x8};
    use mbs_math::lanes::{self, f64x4};
    let mut state = 3;
    for round in 0..200_000 {
        let x = mixed(round, &mut state);
        let (s, c) = lanes::sin_cos(f64x4::new(x));
        let (s8, c8) = x8::sin_cos(f64x8::new(core::array::from_fn(|lane| x[lane % 4])));
        assert_bits(&x, s.to_array().into_iter().zip(c.to_array()));
        assert_bits(&x, s8.to_array().into_iter().zip(c8.to_array()));
    }
}
