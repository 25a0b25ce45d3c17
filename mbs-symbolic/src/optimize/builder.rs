//! Writing a function anew.

use crate::expr::{BinaryOp, UnaryOp};
use crate::program::{Function, Instruction, Op, Operand};
use rustc_hash::FxHashMap;

/// A list of instructions in which equal values are one instruction.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) body: Vec<Instruction>,
    known: FxHashMap<(Op, [Operand; 3]), u32>,
}

impl Builder {
    /// A builder that goes on with `body`.
    pub(super) fn resume(body: Vec<Instruction>) -> Self {
        let known = body.iter().enumerate().map(|(index, i)| (i.key(), index as u32)).collect();
        Self { body, known }
    }

    /// The value of an instruction, which is added unless an equal one is there.
    pub(super) fn push(&mut self, instruction: Instruction) -> Operand {
        let instruction = ordered(instruction);
        if let Some(&index) = self.known.get(&instruction.key()) {
            let label = &mut self.body[index as usize].label;
            *label = label.or(instruction.label);
            return Operand::Value(index);
        }
        let index = self.body.len() as u32;
        self.known.insert(instruction.key(), index);
        self.body.push(instruction);
        Operand::Value(index)
    }

    /// a ∘ b; numbers are combined at once.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Operand, b: Operand) -> Operand {
        match (op, a, b) {
            (_, Operand::Constant(x), Operand::Constant(y)) if op.eval(x.get(), y.get()).is_finite() => {
                Operand::constant(op.eval(x.get(), y.get()))
            }
            (BinaryOp::Mul, one, other) | (BinaryOp::Mul, other, one) if one.is_constant(1.0) => other,
            (BinaryOp::Div, other, one) if one.is_constant(1.0) => other,
            (BinaryOp::Mul, minus, other) | (BinaryOp::Mul, other, minus) if minus.is_constant(-1.0) => {
                self.negate(other)
            }
            _ => self.push(Instruction::new(Op::Binary(op), &[a, b])),
        }
    }

    /// −a.
    pub(super) fn negate(&mut self, a: Operand) -> Operand {
        if let Operand::Constant(bits) = a {
            return Operand::constant(-bits.get());
        }
        if let Some(&Instruction { op: Op::Unary(UnaryOp::Neg), .. }) = a.value().map(|i| &self.body[i]) {
            return a.value().map_or(a, |i| self.body[i].operands()[0]);
        }
        self.push(Instruction::new(Op::Unary(UnaryOp::Neg), &[a]))
    }
}

/// Operands that may change places, in one order.
fn ordered(instruction: Instruction) -> Instruction {
    match (instruction.op, instruction.operands()) {
        (Op::Binary(op), &[a, b]) if op.is_commutative() && rank(a) > rank(b) => {
            Instruction::new(instruction.op, &[b, a]).labelled(instruction.label)
        }
        _ => instruction,
    }
}

/// An order of operands: numbers, symbols, prepared values, values.
pub(super) fn rank(operand: Operand) -> (u8, u64, Option<crate::expr::Symbol>) {
    match operand {
        Operand::Constant(bits) => (0, bits.get().to_bits(), None),
        Operand::Symbol(symbol) => (1, 0, Some(symbol)),
        Operand::Prepared(slot) => (2, u64::from(slot), None),
        Operand::Value(index) => (3, u64::from(index), None),
    }
}

/// Writes `function` anew: `step` gets each instruction with its operands replaced
/// and says what stands for its value.
pub(super) fn rewrite(function: &mut Function, mut step: impl FnMut(&mut Builder, Instruction) -> Operand) {
    let mut builder = Builder::default();
    let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
    for instruction in std::mem::take(&mut function.body) {
        let value = step(&mut builder, instruction.map(|operand| renamed(operand, &new_of)));
        new_of.push(value);
    }
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = builder.body;
}

/// What stands for `operand` after renaming values.
pub(super) fn renamed(operand: Operand, new_of: &[Operand]) -> Operand {
    operand.value().map_or(operand, |index| new_of[index])
}

/// Which values depend on parameters and numbers alone.
pub(super) fn parametric(function: &Function) -> Vec<bool> {
    let mut known: Vec<bool> = Vec::with_capacity(function.body.len());
    for instruction in &function.body {
        let all = instruction.operands().iter().all(|&operand| is_parametric(operand, &known));
        known.push(all);
    }
    known
}

/// Whether an operand depends on parameters and numbers alone.
pub(super) fn is_parametric(operand: Operand, known: &[bool]) -> bool {
    match operand {
        Operand::Constant(_) | Operand::Prepared(_) => true,
        Operand::Symbol(symbol) => matches!(symbol, crate::expr::Symbol::Theta(_)),
        Operand::Value(index) => known[index as usize],
    }
}
