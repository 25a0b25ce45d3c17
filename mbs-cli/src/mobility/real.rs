//! Numbers the analysis is done with: `f64` to come near, more digits to decide.

use mbs_math::DoubleDouble;
use mbs_symbolic::program::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number.
pub(super) trait Real:
    Scalar
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
    /// √x.
    fn root(self) -> Self;
}

impl Real for f64 {
    fn to_f64(self) -> f64 {
        self
    }

    fn root(self) -> Self {
        self.sqrt()
    }
}

impl Real for DoubleDouble {
    fn to_f64(self) -> f64 {
        self.to_f64()
    }

    fn root(self) -> Self {
        self.sqrt()
    }
}

/// Σ a·b.
pub(super) fn dot<S: Real>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::from(0.0), |sum, (&a, &b)| sum + a * b)
}

/// Euclidean length.
pub(super) fn norm<S: Real>(a: &[S]) -> S {
    dot(a, a).root()
}
