//! Numbers that carry derivatives.
//!
//! [`Dual`] carries the derivative in one direction; nested it carries mixed second
//! derivatives. [`Jet`] is a truncated series in time, so that a total time
//! derivative is a shift of its coefficients. The oracle works with `Jet<f64>`,
//! `Jet<Dual<f64>>` and `Jet<Dual<Dual<f64>>>`.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A smooth function of one argument.
#[derive(Clone, Copy)]
#[expect(missing_docs, reason = "each is the function of its name")]
pub enum Elementary<'a> {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    /// A fixed power.
    Power(f64),
    /// A function given by its derivatives (order, argument), differentiated so often.
    Given(&'a dyn Fn(u8, f64) -> f64, u8),
}

/// A number, with or without derivatives.
pub trait Scalar:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number without variation.
    fn constant(value: f64) -> Self;
    /// The value without its derivatives.
    fn real(self) -> f64;
    /// Whether any derivative is not zero.
    fn varies(self) -> bool;
    /// A function of it.
    fn apply(self, function: Elementary<'_>) -> Self;
    /// The angle of (x, self).
    fn atan2(self, x: Self) -> Self;

    /// Zero.
    fn zero() -> Self {
        Self::constant(0.0)
    }
    /// One.
    fn one() -> Self {
        Self::constant(1.0)
    }
    /// A multiple.
    fn scale(self, factor: f64) -> Self {
        self * Self::constant(factor)
    }
    /// Its square.
    fn square(self) -> Self {
        self * self
    }
    /// Sine.
    fn sin(self) -> Self {
        self.apply(Elementary::Sin)
    }
    /// Cosine.
    fn cos(self) -> Self {
        self.apply(Elementary::Cos)
    }
    /// Square root.
    fn sqrt(self) -> Self {
        self.apply(Elementary::Sqrt)
    }
    /// self ^ exponent; the base may be negative only if the exponent is a fixed integer.
    fn pow(self, exponent: Self) -> Self {
        if exponent.varies() {
            (exponent * self.apply(Elementary::Log)).apply(Elementary::Exp)
        } else {
            self.apply(Elementary::Power(exponent.real()))
        }
    }
}

impl Scalar for f64 {
    fn constant(value: f64) -> Self {
        value
    }
    fn real(self) -> f64 {
        self
    }
    fn varies(self) -> bool {
        false
    }
    fn apply(self, function: Elementary<'_>) -> Self {
        match function {
            Elementary::Sin => f64::sin(self),
            Elementary::Cos => f64::cos(self),
            Elementary::Tan => self.tan(),
            Elementary::Asin => self.asin(),
            Elementary::Acos => self.acos(),
            Elementary::Atan => self.atan(),
            Elementary::Sinh => self.sinh(),
            Elementary::Cosh => self.cosh(),
            Elementary::Tanh => self.tanh(),
            Elementary::Exp => self.exp(),
            Elementary::Log => self.ln(),
            Elementary::Sqrt => f64::sqrt(self),
            Elementary::Power(n) => self.powf(n),
            Elementary::Given(f, order) => f(order, self),
        }
    }
    fn atan2(self, x: Self) -> Self {
        f64::atan2(self, x)
    }
}

/// A function and its first three derivatives at `a`.
fn derivatives<T: Scalar>(function: Elementary<'_>, a: T) -> [T; 4] {
    let c = T::constant;
    let value = a.apply(function);
    match function {
        Elementary::Sin => [value, a.cos(), -value, -a.cos()],
        Elementary::Cos => [value, -a.sin(), -value, a.sin()],
        Elementary::Tan => {
            let first = c(1.0) + value * value;
            let second = c(2.0) * value * first;
            [value, first, second, c(2.0) * (first * first + value * second)]
        }
        Elementary::Asin | Elementary::Acos => {
            let sign = c(if matches!(function, Elementary::Asin) { 1.0 } else { -1.0 });
            let r = c(1.0) / (c(1.0) - a * a).sqrt();
            let r3 = r * r * r;
            [value, sign * r, sign * a * r3, sign * (r3 + c(3.0) * a * a * r3 * r * r)]
        }
        Elementary::Atan => {
            let first = c(1.0) / (c(1.0) + a * a);
            let second = c(-2.0) * a * first * first;
            [value, first, second, c(-2.0) * first * first - c(4.0) * a * first * second]
        }
        Elementary::Sinh | Elementary::Cosh => {
            let other = match function {
                Elementary::Sinh => a.apply(Elementary::Cosh),
                _ => a.apply(Elementary::Sinh),
            };
            [value, other, value, other]
        }
        Elementary::Tanh => {
            let first = c(1.0) - value * value;
            let second = c(-2.0) * value * first;
            [value, first, second, c(-2.0) * (first * first + value * second)]
        }
        Elementary::Exp => [value; 4],
        Elementary::Log => {
            let r = c(1.0) / a;
            [value, r, -(r * r), c(2.0) * r * r * r]
        }
        Elementary::Sqrt => {
            let first = c(0.5) / value;
            let second = c(-0.5) * first / a;
            [value, first, second, c(-1.5) * second / a]
        }
        Elementary::Power(n) => {
            let term = |order: i32, factor: f64| {
                // A factor of zero ends the series; the power beside it may be infinite.
                if factor == 0.0 {
                    T::zero()
                } else {
                    c(factor) * a.apply(Elementary::Power(n - f64::from(order)))
                }
            };
            [value, term(1, n), term(2, n * (n - 1.0)), term(3, n * (n - 1.0) * (n - 2.0))]
        }
        Elementary::Given(f, order) => {
            let next = |k: u8| a.apply(Elementary::Given(f, order + k));
            [value, next(1), next(2), next(3)]
        }
    }
}

/// A value and its derivative in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<T> {
    /// The value.
    pub value: T,
    /// The derivative.
    pub slope: T,
}

impl<T: Scalar> Add for Dual<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl<T: Scalar> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl<T: Scalar> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
    }
}

impl<T: Scalar> Div for Dual<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self { value, slope: (self.slope - value * other.slope) / other.value }
    }
}

impl<T: Scalar> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, slope: -self.slope }
    }
}

impl<T: Scalar> Scalar for Dual<T> {
    fn constant(value: f64) -> Self {
        Self { value: T::constant(value), slope: T::zero() }
    }
    fn real(self) -> f64 {
        self.value.real()
    }
    fn varies(self) -> bool {
        self.slope.real() != 0.0 || self.slope.varies() || self.value.varies()
    }
    fn apply(self, function: Elementary<'_>) -> Self {
        let [value, first, ..] = derivatives(function, self.value);
        Self { value, slope: first * self.slope }
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.value.square() + x.value.square();
        Self {
            value: self.value.atan2(x.value),
            slope: (x.value * self.slope - self.value * x.slope) / square,
        }
    }
}

/// Coefficients kept in a [`Jet`]: positions, velocities, accelerations and one more,
/// because a time derivative loses the last.
const ORDER: usize = 4;

/// A truncated series a₀ + a₁ τ + a₂ τ² + a₃ τ³ in the time τ from now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet<T>(pub [T; ORDER]);

impl<T: Scalar> Jet<T> {
    /// A constant in time.
    pub fn still(value: T) -> Self {
        let mut jet = Self::zero();
        jet.0[0] = value;
        jet
    }

    /// The series with this value, first and second time derivative.
    pub fn moving(value: T, first: T, second: T) -> Self {
        Self([value, first, second.scale(0.5), T::zero()])
    }

    /// Total time derivative; the last coefficient of the result is not known and zero.
    pub fn der(self) -> Self {
        let [_, a1, a2, a3] = self.0;
        Self([a1, a2.scale(2.0), a3.scale(3.0), T::zero()])
    }

    /// The `order`-th time derivative now.
    pub fn rate(self, order: usize) -> T {
        let factorial = [1.0, 1.0, 2.0, 6.0][order];
        self.0[order].scale(factorial)
    }

    /// The value now.
    pub fn now(self) -> T {
        self.0[0]
    }

    /// The quotient, coefficient by coefficient from quotient · divisor = self.
    fn divided_by(self, divisor: Self) -> Self {
        let mut quotient = Self::zero();
        for k in 0..ORDER {
            let rest = (0..k).fold(self.0[k], |rest, i| rest - quotient.0[i] * divisor.0[k - i]);
            quotient.0[k] = rest / divisor.0[0];
        }
        quotient
    }
}

impl<T: Scalar> Add for Jet<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl<T: Scalar> Sub for Jet<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

impl<T: Scalar> Mul for Jet<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| (0..=k).fold(T::zero(), |sum, i| sum + self.0[i] * other.0[k - i])))
    }
}

impl<T: Scalar> Div for Jet<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.divided_by(other)
    }
}

impl<T: Scalar> Neg for Jet<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|a| -a))
    }
}

impl<T: Scalar> Scalar for Jet<T> {
    fn constant(value: f64) -> Self {
        let mut jet = Self([T::zero(); ORDER]);
        jet.0[0] = T::constant(value);
        jet
    }
    fn real(self) -> f64 {
        self.0[0].real()
    }
    fn varies(self) -> bool {
        self.0[0].varies() || self.0[1..].iter().any(|a| a.real() != 0.0 || a.varies())
    }
    fn apply(self, function: Elementary<'_>) -> Self {
        // f(a₀ + h) = f + f' h + f'' h²/2 + f''' h³/6, exact because h⁴ = 0.
        let [value, first, second, third] = derivatives(function, self.0[0]);
        let h = self - Self::still(self.0[0]);
        Self::still(value)
            + h * (Self::still(first)
                + h * (Self::still(second.scale(0.5)) + h * Self::still(third.scale(1.0 / 6.0))))
    }
    fn atan2(self, x: Self) -> Self {
        let rate = (x * self.der() - self * x.der()) / (self.square() + x.square());
        let [r0, r1, r2, _] = rate.0;
        Self([self.0[0].atan2(x.0[0]), r0, r1.scale(0.5), r2.scale(1.0 / 3.0)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function against a series in one variable whose derivatives are compared
    /// with central differences of the next lower order.
    #[test]
    fn derivatives_of_every_function() {
        let table = |order: u8, x: f64| match order {
            0 => x.powi(5),
            1 => 5.0 * x.powi(4),
            2 => 20.0 * x.powi(3),
            3 => 60.0 * x.powi(2),
            _ => 120.0 * x,
        };
        let functions = [
            Elementary::Sin,
            Elementary::Cos,
            Elementary::Tan,
            Elementary::Asin,
            Elementary::Acos,
            Elementary::Atan,
            Elementary::Sinh,
            Elementary::Cosh,
            Elementary::Tanh,
            Elementary::Exp,
            Elementary::Log,
            Elementary::Sqrt,
            Elementary::Power(2.5),
            Elementary::Power(2.0),
            Elementary::Given(&table, 0),
        ];
        for (number, function) in functions.into_iter().enumerate() {
            let at = |x: f64, order: usize| Jet::moving(x, 1.0, 0.0).apply(function).rate(order);
            for order in 0..3 {
                let h = 1e-5;
                let difference = (at(0.4 + h, order) - at(0.4 - h, order)) / (2.0 * h);
                let error = (at(0.4, order + 1) - difference).abs();
                assert!(error < 1e-7 * (1.0 + difference.abs()), "function {number}, order {order}");
            }
            // The slope of a dual number is the first coefficient of a jet.
            let dual = Dual { value: 0.4, slope: 1.0 }.apply(function);
            assert!((dual.slope - at(0.4, 1)).abs() < 1e-14);
        }
    }

    #[test]
    fn quotient_angle_and_powers() {
        let a: Jet<f64> = Jet([0.3, 0.7, -0.2, 0.1]);
        let b = Jet([1.2, -0.5, 0.4, 0.3]);
        let close = |a: Jet<f64>, b: Jet<f64>| a.0.iter().zip(b.0).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close(a / b * b, a));
        assert!(close(a.atan2(b), (a / b).apply(Elementary::Atan)));
        assert!(close(a.pow(b), (b * a.apply(Elementary::Log)).apply(Elementary::Exp)));
        assert!(close(a.pow(Jet::constant(3.0)), a * a * a));
        assert!(close((-a).pow(Jet::constant(2.0)), a * a));
        assert!(close(Jet::<f64>::zero().pow(Jet::constant(1.0)), Jet::zero()));
    }

    #[test]
    fn mixed_second_derivative_of_nested_duals() {
        let x = Dual { value: Dual { value: 0.5, slope: 1.0 }, slope: Dual::constant(0.0) };
        let y = Dual { value: Dual::constant(0.25), slope: Dual::constant(1.0) };
        // ∂²/∂x∂y sin(x y) = cos(xy) − xy sin(xy)
        let mixed = (x * y).sin().slope.slope;
        assert!((mixed - (0.125_f64.cos() - 0.125 * 0.125_f64.sin())).abs() < 1e-15);
    }
}
