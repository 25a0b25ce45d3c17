//! Numbers of twice the precision, for decisions that rounding must not make.
//!
//! A [`DoubleDouble`] is the unevaluated sum of two `f64`, the second at most half a unit in
//! the last place of the first: 106 bits, about 32 decimal digits. Sums and products are made
//! of exact error terms (Dekker, *Numer. Math.* 18, 1971; Knuth, *TAOCP* 2, 4.2.2), elementary
//! functions of series and Newton's method started from the `f64` function.
//!
//! Every operation is correct to a few units of 2⁻¹⁰⁴; the range is that of `f64`. Not meant
//! for speed.

use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of two numbers that do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DoubleDouble {
    high: f64,
    low: f64,
}

/// 2²⁷ + 1: splits 53 bits into two halves.
const SPLITTER: f64 = 134_217_729.0;
/// π/2 in three parts that do not overlap.
const QUARTER_TURN: [f64; 3] = [
    core::f64::consts::FRAC_PI_2,
    f64::from_bits(0x3c91_a626_3314_5c07),
    f64::from_bits(0xb91f_1976_b7ed_8fbc),
];
/// ln 2 = 0.693 147 180 559 945 309 417 232 121 458 176 568 07…
const LN_2: DoubleDouble =
    DoubleDouble { high: core::f64::consts::LN_2, low: f64::from_bits(0x3c7a_bc9e_3b39_803f) };

/// a + b and what rounding took from it.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_used = sum - a;
    (sum, (a - (sum - b_used)) + (b - b_used))
}

/// As [`two_sum`], for |a| ≥ |b|.
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

fn split(a: f64) -> (f64, f64) {
    let scaled = SPLITTER * a;
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// a·b and what rounding took from it.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl DoubleDouble {
    /// Zero.
    pub const ZERO: Self = Self { high: 0.0, low: 0.0 };
    /// One.
    pub const ONE: Self = Self { high: 1.0, low: 0.0 };

    fn normal((high, low): (f64, f64)) -> Self {
        Self { high, low }
    }

    /// Rounded to the nearest `f64`.
    pub fn to_f64(self) -> f64 {
        self.high
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }

    /// Whether it is a number.
    pub fn is_finite(self) -> bool {
        self.high.is_finite()
    }

    /// Twice, half, … : times a power of two, exactly.
    fn scaled(self, factor: f64) -> Self {
        Self { high: self.high * factor, low: self.low * factor }
    }

    /// √x; NaN for negative x.
    #[must_use]
    pub fn sqrt(self) -> Self {
        if self.high <= 0.0 || self.high.is_infinite() {
            return Self::from(libm::sqrt(self.high));
        }
        let root = Self::from(libm::sqrt(self.high));
        root + (self - root * root) / root.scaled(2.0)
    }

    /// Largest integer not above x.
    #[must_use]
    pub fn floor(self) -> Self {
        let high = libm::floor(self.high);
        if high < self.high {
            return Self::from(high);
        }
        Self::normal(quick_two_sum(high, libm::floor(self.low)))
    }

    /// Sine and cosine of an angle in radians, for angles up to 2⁵⁰.
    pub fn sin_cos(self) -> (Self, Self) {
        let turns = libm::round(self.high / QUARTER_TURN[0]);
        let mut r = self;
        for part in QUARTER_TURN {
            r = r - Self::normal(two_product(turns, part));
        }
        let square = r * r;
        let (mut sine, mut cosine) = (r, Self::ONE);
        let (mut odd, mut even) = (r, Self::ONE);
        let mut n = 1.0;
        // |r| ≤ π/4, and (π/4)^34 / 34! < 2⁻¹³⁰.
        while n < 34.0 {
            even = -even * square / Self::from(n * (n + 1.0));
            odd = -odd * square / Self::from((n + 1.0) * (n + 2.0));
            cosine = cosine + even;
            sine = sine + odd;
            n += 2.0;
        }
        match libm::fmod(turns, 4.0) as i8 {
            0 => (sine, cosine),
            1 | -3 => (cosine, -sine),
            2 | -2 => (-sine, -cosine),
            _ => (-cosine, sine),
        }
    }

    /// eˣ − 1.
    fn exp_m1(self) -> Self {
        const HALVINGS: u32 = 9;
        let doublings = libm::round(self.high / LN_2.high);
        if doublings.is_nan() || doublings.abs() > 1100.0 {
            return Self::from(libm::expm1(self.high));
        }
        let r = (self - LN_2 * Self::from(doublings)).scaled(1.0 / f64::from(1_u32 << HALVINGS));
        let (mut sum, mut term, mut n) = (r, r, 2.0);
        // |r| < 2⁻¹⁰, and 2⁻¹¹⁰ / 11! < 2⁻¹³⁰.
        while n < 12.0 {
            term = term * r / Self::from(n);
            sum = sum + term;
            n += 1.0;
        }
        for _ in 0..HALVINGS {
            sum = sum.scaled(2.0) + sum * sum;
        }
        if doublings == 0.0 {
            return sum;
        }
        // In two steps, so that the power of two does not overflow before the product does.
        let half = libm::trunc(doublings / 2.0) as i32;
        let rest = doublings as i32 - half;
        let exponential = (sum + Self::ONE).scaled(libm::ldexp(1.0, half)).scaled(libm::ldexp(1.0, rest));
        exponential - Self::ONE
    }

    /// e raised to x.
    #[must_use]
    pub fn exp(self) -> Self {
        self.exp_m1() + Self::ONE
    }

    /// Natural logarithm; NaN for negative x.
    #[must_use]
    pub fn log(self) -> Self {
        let mut y = Self::from(libm::log(self.high));
        if y.is_finite() {
            y = y + (self * (-y).exp() - Self::ONE);
        }
        y
    }

    /// Angle of the point (x, y) from the x axis, y being `self`.
    #[must_use]
    pub fn atan2(self, x: Self) -> Self {
        let near = Self::from(libm::atan2(self.high, x.high));
        let length = (x * x + self * self).sqrt();
        if length.high == 0.0 || !length.is_finite() {
            return near;
        }
        let (sine, cosine) = near.sin_cos();
        // The sine of the error, which is the error: it is below 2⁻⁵².
        near + (self * cosine - x * sine) / length
    }

    /// Arc tangent.
    #[must_use]
    pub fn atan(self) -> Self {
        self.atan2(Self::ONE)
    }

    /// Arc sine; NaN outside [−1, 1].
    #[must_use]
    pub fn asin(self) -> Self {
        self.atan2(((Self::ONE - self) * (Self::ONE + self)).sqrt())
    }

    /// Arc cosine; NaN outside [−1, 1].
    #[must_use]
    pub fn acos(self) -> Self {
        ((Self::ONE - self) * (Self::ONE + self)).sqrt().atan2(self)
    }

    /// Hyperbolic sine.
    #[must_use]
    pub fn sinh(self) -> Self {
        let e = self.exp_m1();
        if e.high.is_infinite() {
            return e;
        }
        (e + e / (e + Self::ONE)).scaled(0.5)
    }

    /// Hyperbolic cosine.
    #[must_use]
    pub fn cosh(self) -> Self {
        let e = self.abs().exp();
        (e + Self::ONE / e).scaled(0.5)
    }

    /// Hyperbolic tangent.
    #[must_use]
    pub fn tanh(self) -> Self {
        if self.high.abs() > 40.0 {
            return Self::from(libm::copysign(1.0, self.high));
        }
        let e = self.scaled(2.0).exp_m1();
        e / (e + Self::from(2.0))
    }

    /// x raised to y: by products for integers, else e^(y log x).
    #[must_use]
    pub fn pow(self, y: Self) -> Self {
        const MAX_PRODUCTS: f64 = 1024.0;
        let whole = libm::trunc(y.high);
        if whole == y.high && y.low == 0.0 && whole.abs() <= MAX_PRODUCTS {
            let (mut result, mut square, mut left) = (Self::ONE, self, whole.abs() as u32);
            while left > 0 {
                if left % 2 == 1 {
                    result = result * square;
                }
                square = square * square;
                left /= 2;
            }
            return if whole < 0.0 { Self::ONE / result } else { result };
        }
        if self.high > 0.0 { (y * self.log()).exp() } else { Self::from(libm::pow(self.high, y.high)) }
    }

    /// x − y·floor(x/y): has the sign of y.
    #[must_use]
    pub fn modulo(self, y: Self) -> Self {
        self - y * (self / y).floor()
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (sum, error) = two_sum(self.high, other.high);
        if !sum.is_finite() {
            return Self::from(sum);
        }
        let (low, low_error) = two_sum(self.low, other.low);
        let (sum, error) = quick_two_sum(sum, error + low);
        Self::normal(quick_two_sum(sum, error + low_error))
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (product, error) = two_product(self.high, other.high);
        if !product.is_finite() {
            return Self::from(product);
        }
        Self::normal(quick_two_sum(product, error + (self.high * other.low + self.low * other.high)))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        if !first.is_finite() || first == 0.0 {
            return Self::from(first);
        }
        let left = self - other * Self::from(first);
        let second = left.high / other.high;
        let left = left - other * Self::from(second);
        let third = left.high / other.high;
        Self::normal(quick_two_sum(first, second)) + Self::from(third)
    }
}

impl PartialOrd for DoubleDouble {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high)? {
            Ordering::Equal => self.low.partial_cmp(&other.low),
            unequal => Some(unequal),
        }
    }
}
