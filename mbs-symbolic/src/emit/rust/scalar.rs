//! Kinds of numbers functions are written for.

use super::spell::literal;

/// What a function computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scalar {
    /// Double precision; always there.
    F64,
    /// Single precision, for processors without more: the module `single`.
    F32,
    /// Four states at once, each with the bits of `f64`: the module `x4`, and the trait
    /// `mbs_runtime::batch::Lanes`. Needs the feature `batch` of `mbs-runtime`.
    F64x4,
    /// Eight states at once, each with the bits of `f64`: the module `x8`, functions only. Needs the
    /// feature `batch` of `mbs-runtime`.
    F64x8,
}

impl Scalar {
    /// Whether numbers are vectors and truth values masks.
    pub(super) fn is_lanes(self) -> bool {
        matches!(self, Self::F64x4 | Self::F64x8)
    }

    /// Its type.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F64x4 => "f64x4",
            Self::F64x8 => "f64x8",
        }
    }

    /// The type of truth values; those of lanes are masks.
    pub(super) fn truth(self) -> &'static str {
        match self {
            Self::F64 | Self::F32 => "bool",
            Self::F64x4 | Self::F64x8 => self.name(),
        }
    }

    /// Zero, in short.
    pub(super) fn zero(self) -> &'static str {
        match self {
            Self::F64 | Self::F32 => "0.0",
            Self::F64x4 | Self::F64x8 => "ZERO",
        }
    }

    /// A number.
    pub(super) fn literal(self, value: f64) -> String {
        let short = value as f32;
        match self {
            Self::F64 => literal(value),
            Self::F32 if short.is_finite() => format!("{short:?}"),
            // Out of range: what single precision makes of it.
            Self::F32 if short > 0.0 => "f32::INFINITY".into(),
            Self::F32 => "f32::NEG_INFINITY".into(),
            Self::F64x4 | Self::F64x8 => format!("math::splat({})", literal(value)),
        }
    }

    /// 1 or 0 for a truth value.
    pub(super) fn number_of_truth(self, truth: &str) -> String {
        match self {
            Self::F64 | Self::F32 => format!("{}::from(u8::from({truth}))", self.name()),
            Self::F64x4 | Self::F64x8 => format!("math::number({truth})"),
        }
    }
}
