//! What inner functions read.

use super::Scalar;

pub(super) use crate::straight_line::{Argument, arguments as of};

/// The type of an argument.
pub(super) fn ty(argument: Argument, scalar: Scalar) -> String {
    let length = match argument {
        Argument::Time => return scalar.name().into(),
        Argument::Modes => return format!("&[{}; N_MODES]", scalar.truth()),
        Argument::Prepared => return "&Prepared".into(),
        Argument::P => "N_P",
        Argument::V | Argument::VDot => "N_V",
        Argument::X => "N_X",
        Argument::U => "N_U",
        Argument::Lambda => "N_LAMBDA",
    };
    format!("&[{}; {length}]", scalar.name())
}
