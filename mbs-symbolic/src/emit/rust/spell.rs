//! Operators and operands as Rust expressions.

use super::Scalar;
use crate::expr::{BinaryOp, UnaryOp};
use crate::program::{Instruction, Op, Operand, Program};
use crate::straight_line::{Argument, Source};
use mbs_math::TableKind;

/// A number; `{:?}` prints the shortest text that reads back to the same bits.
pub(super) fn literal(value: f64) -> String {
    assert!(value.is_finite(), "non-finite constant reached the emitter");
    format!("{value:?}")
}

/// Whether an operator is written as a call into `math`.
pub(super) fn calls_math(op: Op) -> bool {
    match op {
        Op::Unary(op) => !matches!(op, UnaryOp::Neg | UnaryOp::Not),
        Op::Binary(op) => matches!(op, BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Mod),
        Op::Table { .. } | Op::SinCos => true,
        Op::Select | Op::PairedCos => false,
    }
}

/// Where an operand is found.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The expression.
    pub(super) text: String,
    /// Whether it is a truth value; everything else is a number.
    pub(super) logical: bool,
    /// What numbers are.
    pub(super) scalar: Scalar,
}

impl Place {
    pub(super) fn number(text: impl Into<String>, scalar: Scalar) -> Self {
        Self { text: text.into(), logical: false, scalar }
    }

    fn as_number(&self) -> String {
        if self.logical { self.scalar.number_of_truth(&self.text) } else { self.text.clone() }
    }

    fn as_truth(&self) -> String {
        match self.scalar {
            _ if self.logical => self.text.clone(),
            scalar if scalar.is_lanes() => format!("math::truth({})", self.text),
            _ => format!("({} != 0.0)", self.text),
        }
    }

    /// As a number, to be stored.
    pub(super) fn stored(&self) -> String {
        self.as_number()
    }
}

/// Spells what is found where the program says.
pub(super) fn leaf(program: &Program, operand: Operand, parameters: &str, scalar: Scalar) -> Place {
    let text = match Source::of(operand, program.layout.parameters.len()) {
        Source::Constant(value) => scalar.literal(value),
        Source::Value(value) => format!("w{value}"),
        Source::Argument(Argument::Time, _) => Argument::Time.name().into(),
        Source::Argument(Argument::Prepared, at) => format!("{parameters}[{at}]"),
        Source::Argument(argument, at) => {
            let text = format!("{}[{at}]", argument.name());
            return Place { text, logical: argument == Argument::Modes, scalar };
        }
    };
    Place::number(text, scalar)
}

/// Spells an instruction that is a step of its own.
pub(super) fn expression(
    program: &Program,
    instruction: &Instruction,
    scalar: Scalar,
    place: impl Fn(Operand) -> Place,
) -> String {
    let lanes = scalar.is_lanes();
    let operands = instruction.operands();
    let number = |position: usize| place(operands[position]).as_number();
    let truth = |position: usize| place(operands[position]).as_truth();
    match instruction.op {
        Op::Unary(op) => match op {
            UnaryOp::Neg => format!("-{}", number(0)),
            UnaryOp::Not if lanes => format!("math::not({})", truth(0)),
            UnaryOp::Not => format!("!{}", truth(0)),
            UnaryOp::Sqrt => format!("math::sqrt({})", number(0)),
            UnaryOp::Sin => format!("math::sin({})", number(0)),
            UnaryOp::Cos => format!("math::cos({})", number(0)),
            UnaryOp::Tan => format!("math::tan({})", number(0)),
            UnaryOp::Asin => format!("math::asin({})", number(0)),
            UnaryOp::Acos => format!("math::acos({})", number(0)),
            UnaryOp::Atan => format!("math::atan({})", number(0)),
            UnaryOp::Sinh => format!("math::sinh({})", number(0)),
            UnaryOp::Cosh => format!("math::cosh({})", number(0)),
            UnaryOp::Tanh => format!("math::tanh({})", number(0)),
            UnaryOp::Exp => format!("math::exp({})", number(0)),
            UnaryOp::Log => format!("math::log({})", number(0)),
            UnaryOp::Floor => format!("math::floor({})", number(0)),
        },
        Op::Binary(op) => match op {
            BinaryOp::Add => format!("{} + {}", number(0), number(1)),
            BinaryOp::Sub => format!("{} - {}", number(0), number(1)),
            BinaryOp::Mul => format!("{} * {}", number(0), number(1)),
            BinaryOp::Div => format!("{} / {}", number(0), number(1)),
            BinaryOp::Pow => format!("math::pow({}, {})", number(0), number(1)),
            BinaryOp::Atan2 => format!("math::atan2({}, {})", number(0), number(1)),
            BinaryOp::Mod => format!("math::modulo({}, {})", number(0), number(1)),
            BinaryOp::Less if lanes => format!("math::less({}, {})", number(0), number(1)),
            BinaryOp::LessEqual if lanes => format!("math::less_equal({}, {})", number(0), number(1)),
            BinaryOp::And if lanes => format!("{} & {}", truth(0), truth(1)),
            BinaryOp::Or if lanes => format!("{} | {}", truth(0), truth(1)),
            BinaryOp::Less => format!("{} < {}", number(0), number(1)),
            BinaryOp::LessEqual => format!("{} <= {}", number(0), number(1)),
            BinaryOp::And => format!("{} && {}", truth(0), truth(1)),
            BinaryOp::Or => format!("{} || {}", truth(0), truth(1)),
        },
        Op::Select if lanes => format!("math::select({}, {}, {})", truth(0), number(1), number(2)),
        Op::Select => {
            // Parentheses around a whole condition would be a warning.
            let condition = place(operands[0]);
            let test = if condition.logical { condition.text } else { format!("{} != 0.0", condition.text) };
            format!("if {test} {{ {} }} else {{ {} }}", number(1), number(2))
        }
        Op::Table { table, derivative } => {
            let read = match program.tables[table as usize].kind {
                TableKind::Spline => "spline",
                TableKind::Linear => "linear",
            };
            format!("math::{read}(TABLE_{table}, {derivative}, {})", number(0))
        }
        Op::SinCos | Op::PairedCos => unreachable!("pairs are steps of their own"),
    }
}
