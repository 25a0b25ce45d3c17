//! What inner functions read.

use super::Scalar;
use crate::expr::Symbol;
use crate::program::{Function, Operand};

/// What an inner function reads, in the order of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Argument {
    Time,
    P,
    V,
    X,
    U,
    Modes,
    Prepared,
    VDot,
    Lambda,
}

impl Argument {
    /// Its name within the function.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Time => "t",
            Self::P => "p",
            Self::V => "v",
            Self::X => "x",
            Self::U => "u",
            Self::Modes => "modes",
            Self::Prepared => "c",
            Self::VDot => "v_dot",
            Self::Lambda => "lambda",
        }
    }

    pub(super) fn ty(self, scalar: Scalar) -> String {
        let length = match self {
            Self::Time => return scalar.name().into(),
            Self::Modes => return format!("&[{}; N_MODES]", scalar.truth()),
            Self::Prepared => return "&Prepared".into(),
            Self::P => "N_P",
            Self::V | Self::VDot => "N_V",
            Self::X => "N_X",
            Self::U => "N_U",
            Self::Lambda => "N_LAMBDA",
        };
        format!("&[{}; {length}]", scalar.name())
    }

    fn of(operand: Operand) -> Option<Self> {
        Some(match operand {
            Operand::Constant(_) | Operand::Value(_) => return None,
            Operand::Prepared(_) | Operand::Symbol(Symbol::Theta(_)) => Self::Prepared,
            Operand::Symbol(symbol) => match symbol {
                Symbol::Theta(_) => Self::Prepared,
                Symbol::Time => Self::Time,
                Symbol::P(_) => Self::P,
                Symbol::V(_) => Self::V,
                Symbol::X(_) => Self::X,
                Symbol::U(_) => Self::U,
                Symbol::Mode(_) => Self::Modes,
                Symbol::VDot(_) => Self::VDot,
                Symbol::Lambda(_) => Self::Lambda,
            },
        })
    }
}

/// The arguments a function reads, in order.
pub(super) fn of(function: &Function) -> Vec<Argument> {
    let operands = function.body.iter().flat_map(|instruction| instruction.operands().iter().copied());
    collect(operands.chain(function.entries()))
}

/// What some operands are read from, in order.
pub(super) fn collect(operands: impl Iterator<Item = Operand>) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = operands.filter_map(Argument::of).collect();
    arguments.sort_unstable();
    arguments.dedup();
    arguments
}
