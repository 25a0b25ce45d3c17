//! The elementary functions every mbs backend calls.
//!
//! Constant folding, the interpreter, generated Rust code and (by address) native
//! code in memory all end here, so one model gives the same bits everywhere.
//! Nothing but [`madd`] and its kin uses fused multiply-add, and nothing the platform's C library.
//!
//! [`DoubleDouble`] has the same functions to 106 bits, for analyses that must tell a small number
//! from rounding.
//!
//! | feature | default | gives |
//! |---|---|---|
//! | `lanes` | no | [`lanes`]: the functions for four and for eight numbers at once |
//! | `std` | no | one rounding in [`madd`] and its kin, where the processor can |
#![no_std]

#[cfg(feature = "std")]
extern crate std;

mod double_double;
mod fused;
#[cfg(feature = "lanes")]
pub mod lanes;
pub mod single;
mod table;
pub mod trig;
mod vector;
pub use double_double::DoubleDouble;
pub use fused::{IS_FUSED, madd, msub, nmadd};
pub use table::{Table, TableKind, linear, spline};
pub use trig::sin_cos;
pub use vector::{sin_cos_2, sin_cos_4};

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),+) = $of:path;)*) => {
        $($(#[$doc])* #[inline] pub fn $name($($arg: f64),+) -> f64 { $of($($arg),+) })*
    };
}

functions! {
    /// Sine of an angle in radians; the same bits as [`sin_cos`].
    sin(x) = sine;
    /// Cosine of an angle in radians; the same bits as [`sin_cos`].
    cos(x) = cosine;
    /// Tangent of an angle in radians.
    tan(x) = libm::tan;
    /// Arc sine in radians, NaN outside [−1, 1].
    asin(x) = libm::asin;
    /// Arc cosine in radians, NaN outside [−1, 1].
    acos(x) = libm::acos;
    /// Arc tangent in radians.
    atan(x) = libm::atan;
    /// Angle of the point (x, y) from the x axis, in radians.
    atan2(y, x) = libm::atan2;
    /// Hyperbolic sine.
    sinh(x) = libm::sinh;
    /// Hyperbolic cosine.
    cosh(x) = libm::cosh;
    /// Hyperbolic tangent.
    tanh(x) = libm::tanh;
    /// e raised to x.
    exp(x) = libm::exp;
    /// Natural logarithm, NaN for negative x.
    log(x) = libm::log;
    /// Square root, correctly rounded; NaN for negative x.
    sqrt(x) = libm::sqrt;
    /// x raised to y.
    pow(x, y) = libm::pow;
    /// Largest integer not above x.
    floor(x) = libm::floor;
    /// x − y·floor(x/y): has the sign of y.
    modulo(x, y) = floored_remainder;
}

#[inline]
fn sine(x: f64) -> f64 {
    sin_cos(x).0
}

#[inline]
fn cosine(x: f64) -> f64 {
    sin_cos(x).1
}

fn floored_remainder(x: f64, y: f64) -> f64 {
    x - y * libm::floor(x / y)
}
