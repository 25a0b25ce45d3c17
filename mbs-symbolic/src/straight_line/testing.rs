//! Small programs by hand.

use crate::expr::{BinaryOp, Symbol};
use crate::program::{Instruction, Op, Operand};

pub(super) const P: Operand = Operand::Symbol(Symbol::P(0));
pub(super) const V: Operand = Operand::Symbol(Symbol::V(0));

pub(super) fn mul(a: Operand, b: Operand) -> Instruction {
    Instruction::new(Op::Binary(BinaryOp::Mul), &[a, b])
}

pub(super) fn add(a: Operand, b: Operand) -> Instruction {
    Instruction::new(Op::Binary(BinaryOp::Add), &[a, b])
}

pub(super) fn sub(a: Operand, b: Operand) -> Instruction {
    Instruction::new(Op::Binary(BinaryOp::Sub), &[a, b])
}

/// Sine and cosine of a position, so many times.
pub(super) fn pairs(count: u32) -> Vec<Instruction> {
    let pair = |at: u32| {
        [Instruction::new(Op::SinCos, &[P]), Instruction::new(Op::PairedCos, &[Operand::Value(at)])]
    };
    (0..count).flat_map(|k| pair(2 * k)).collect()
}
