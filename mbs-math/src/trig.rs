//! Sine and cosine.
//!
//! One algorithm, written once for any [`Real`]: numbers, lanes of numbers that get the same
//! bits each, and values of code yet to be made. It has no branches but the one away from large
//! arguments, so that it can be inlined and done in lanes.

use core::ops::{Add, Mul, Sub};

/// What the algorithm is made of: operations that round once, as IEEE 754 says.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A constant.
    fn of(value: f64) -> Self;
}

impl Real for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
}

/// Arguments beyond this are left to a reduction of any length. The number of quarter turns
/// must fit 16 bits, which [`kernels`] relies on.
pub const LARGEST: f64 = 1e5;

/// The numbers of the algorithm.
pub(crate) mod constants {
    /// 2/π.
    pub(crate) const PER_QUARTER_TURN: f64 = core::f64::consts::FRAC_2_PI;
    /// 1.5·2⁵²: added to a number and subtracted again, it rounds to an integer, whose last
    /// bits are the last bits of the sum.
    pub(crate) const ROUNDER: f64 = 6_755_399_441_055_744.0;
    /// π/2 in three parts. The first two have 37 bits each, so that their products with an
    /// integer of 16 bits are exact; the sum of all is off by 2⁻¹³⁰.
    pub(crate) const QUARTER_TURN: [f64; 3] = [
        f64::from_bits(0x3ff9_21fb_5444_0000),
        f64::from_bits(0x3d86_8c23_4c4c_0000),
        f64::from_bits(0x3b29_8a2e_0370_7345),
    ];
    /// Sine on ±π/4: r³, r⁵ and so on (fdlibm, `__kernel_sin`; off by 2⁻⁵⁸).
    pub(crate) const SINE: [f64; 6] = [
        f64::from_bits(0xbfc5_5555_5555_5549),
        f64::from_bits(0x3f81_1111_1110_f8a6),
        f64::from_bits(0xbf2a_01a0_19c1_61d5),
        f64::from_bits(0x3ec7_1de3_57b1_fe7d),
        f64::from_bits(0xbe5a_e5e6_8a2b_9ceb),
        f64::from_bits(0x3de5_d93a_5acf_d57c),
    ];
    /// Cosine on ±π/4: r⁴, r⁶ and so on (fdlibm, `__kernel_cos`; off by 2⁻⁵⁸).
    pub(crate) const COSINE: [f64; 6] = [
        f64::from_bits(0x3fa5_5555_5555_554c),
        f64::from_bits(0xbf56_c16c_16c1_5177),
        f64::from_bits(0x3efa_01a0_19cb_1590),
        f64::from_bits(0xbe92_7e4f_809c_52ad),
        f64::from_bits(0x3e21_ee9e_bdb4_b1c4),
        f64::from_bits(0xbda8_fae9_be88_38d4),
    ];
}
use constants::{COSINE, PER_QUARTER_TURN, QUARTER_TURN, ROUNDER, SINE};

/// The number of quarter turns in x, as the last bits of the number returned.
///
/// With an odd number of them sine and cosine change places; the last bit but one of the number is
/// the sign of the sine, that of the number plus one the sign of the cosine.
#[inline(always)]
pub fn quarter_turns<T: Real>(x: T) -> T {
    x * T::of(PER_QUARTER_TURN) + T::of(ROUNDER)
}

/// Sine and cosine of x less so many [`quarter_turns`], for |x| ≤ [`LARGEST`].
///
/// With n quarter turns of P₁ + P₂ + P₃ the rest is r − σ:
///
/// ```text
/// a = x − n P₁       exactly: both are multiples of the last bit of the smaller one (1)
/// r + e = a − n P₂   exactly: a is a multiple of the last bit of n P₂               (2)
/// σ = n P₃ − e                                                                      (3)
/// ```
///
/// off by less than 2⁻⁶⁰ of itself however close x is to a multiple of π/2 (the closest, 29
/// quarter turns, leaves 2⁻⁶⁰·⁵). σ counts to first order. Both polynomials have one form.
#[inline(always)]
pub fn kernels<T: Real>(x: T, quarter_turns: T) -> (T, T) {
    let n = quarter_turns - T::of(ROUNDER);
    // One by one: `map` of an array of lanes is a call, around which all registers are saved.
    let [p1, p2, p3] = QUARTER_TURN;
    let a = x - n * T::of(p1); // (1)
    let b = n * T::of(p2);
    let r = a - b; // (2)
    let sigma = n * T::of(p3) - ((a - r) - b); // (3)

    let one = T::of(1.0);
    let r2 = r * r;
    let r4 = r2 * r2;
    let r6 = r2 * r4;
    let three = |a: f64, b: f64, c: f64| T::of(a) + r2 * (T::of(b) + r2 * T::of(c));
    let polynomial = |[c1, c2, c3, c4, c5, c6]: [f64; 6]| three(c1, c2, c3) + r6 * three(c4, c5, c6);
    let h = T::of(0.5) * r2;
    let w = one - h;
    let sine = r - (sigma * w - (r2 * r) * polynomial(SINE));
    let cosine = w + (((one - w) - h) + (r4 * polynomial(COSINE) + r * sigma));
    (sine, cosine)
}

/// Sine and cosine of an angle in radians.
///
/// The largest error found is 0.83 units in the last place over ±1e5, for millions of
/// arguments, multiples of π/2 among them; beyond, where angles are reduced by `libm`, below
/// one. The bits are the same on every platform. NaN for what is not finite.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() <= LARGEST {
        let turns = quarter_turns(x);
        let (sine, cosine) = kernels(x, turns);
        let bits = turns.to_bits();
        let (s, c) = if bits & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
        let sign = |quarter: u64| (quarter << 62) & SIGN;
        (f64::from_bits(s.to_bits() ^ sign(bits)), f64::from_bits(c.to_bits() ^ sign(bits + 1)))
    } else {
        far(x)
    }
}

/// The bit of a number that says it is negative.
const SIGN: u64 = 1 << 63;

#[cold]
#[inline(never)]
fn far(x: f64) -> (f64, f64) {
    libm::sincos(x)
}
