//! The functions in single precision, for code generated for it.
//!
//! Accurate to a unit in the last place or so; nothing here calls the platform's C library.

use crate::Table;
pub use crate::fused::{madd_f32 as madd, msub_f32 as msub, nmadd_f32 as nmadd};

/// Sine and cosine of an angle in radians.
#[inline]
pub fn sin_cos(x: f32) -> (f32, f32) {
    libm::sincosf(x)
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),+) = $of:path;)*) => {
        $($(#[$doc])* #[inline] pub fn $name($($arg: f32),+) -> f32 { $of($($arg),+) })*
    };
}

functions! {
    /// Sine of an angle in radians.
    sin(x) = libm::sinf;
    /// Cosine of an angle in radians.
    cos(x) = libm::cosf;
    /// Tangent of an angle in radians.
    tan(x) = libm::tanf;
    /// Arc sine in radians, NaN outside [−1, 1].
    asin(x) = libm::asinf;
    /// Arc cosine in radians, NaN outside [−1, 1].
    acos(x) = libm::acosf;
    /// Arc tangent in radians.
    atan(x) = libm::atanf;
    /// Angle of the point (x, y) from the x axis, in radians.
    atan2(y, x) = libm::atan2f;
    /// Hyperbolic sine.
    sinh(x) = libm::sinhf;
    /// Hyperbolic cosine.
    cosh(x) = libm::coshf;
    /// Hyperbolic tangent.
    tanh(x) = libm::tanhf;
    /// e raised to x.
    exp(x) = libm::expf;
    /// Natural logarithm, NaN for negative x.
    log(x) = libm::logf;
    /// Square root, correctly rounded; NaN for negative x.
    sqrt(x) = libm::sqrtf;
    /// x raised to y.
    pow(x, y) = libm::powf;
    /// Largest integer not above x.
    floor(x) = libm::floorf;
    /// x − y·floor(x/y): has the sign of y.
    modulo(x, y) = floored_remainder;
}

fn floored_remainder(x: f32, y: f32) -> f32 {
    x - y * libm::floorf(x / y)
}

/// [`crate::spline`] in single precision.
pub fn spline(table: Table<'_>, derivative: u8, at: f32) -> f32 {
    crate::spline(table, derivative, f64::from(at)) as f32
}

/// [`crate::linear`] in single precision.
pub fn linear(table: Table<'_>, derivative: u8, at: f32) -> f32 {
    crate::linear(table, derivative, f64::from(at)) as f32
}
