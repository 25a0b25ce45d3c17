//! Moves what depends on parameters alone into `prepare`.
//!
//! Only values that other work reads get a slot, so a product of parameters inside a
//! larger one costs no slot of its own. A bare parameter or its negation is read
//! where it is used.

use super::builder::{Builder, is_parametric, parametric, rank, renamed};
use super::dead_code;
use crate::expr::UnaryOp;
use crate::program::{Block, Function, FunctionKind, Op, Operand, Program, Quantity};
use rustc_hash::FxHashMap;

/// Hoists parameter-only work of every function that is called more than once per
/// parameter set.
pub fn run(program: &mut Program) {
    let mut slots = Slots {
        builder: Builder::resume(std::mem::take(&mut program.prepare.body)),
        slot_of: program.prepare.entries().zip(0..).collect(),
        entries: program.prepare.entries().collect(),
    };
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if !kind.is_rare() {
            hoist(function, &mut slots);
        }
    }
    program.prepare = Function {
        body: slots.builder.body,
        results: vec![Block { quantity: Quantity::Prepared, entries: slots.entries }],
    };
    dead_code::run(program);
}

/// The block `prepare` as it grows, and its results.
struct Slots {
    builder: Builder,
    entries: Vec<Operand>,
    slot_of: FxHashMap<Operand, u32>,
}

impl Slots {
    /// The slot of a value of `prepare`.
    fn slot(&mut self, value: Operand) -> Operand {
        Operand::Prepared(*self.slot_of.entry(value).or_insert_with(|| {
            self.entries.push(value);
            self.entries.len() as u32 - 1
        }))
    }
}

fn hoist(function: &mut Function, slots: &mut Slots) {
    let parametric = parametric(function);
    let worth_a_slot = |index: usize| parametric[index] && function.body[index].op != Op::Unary(UnaryOp::Neg);
    // What is read by work that stays: a negation of parameters stays too.
    let mut wanted = vec![false; function.body.len()];
    for (index, instruction) in function.body.iter().enumerate() {
        if !worth_a_slot(index) {
            instruction
                .operands()
                .iter()
                .filter_map(|operand| operand.value())
                .for_each(|i| wanted[i] = true);
        }
    }
    function.entries().filter_map(Operand::value).for_each(|i| wanted[i] = true);

    let mut moved: Vec<Operand> = Vec::with_capacity(function.body.len());
    let mut slot_of: Vec<Operand> = (0..function.body.len()).map(|i| Operand::Value(i as u32)).collect();
    for (index, instruction) in function.body.iter().enumerate() {
        if !parametric[index] {
            moved.push(Operand::Value(u32::MAX));
            continue;
        }
        debug_assert!(instruction.operands().iter().all(|&operand| is_parametric(operand, &parametric)));
        let value = slots.builder.push(instruction.map(|operand| match operand {
            Operand::Prepared(slot) => slots.entries[slot as usize],
            operand => renamed(operand, &moved),
        }));
        moved.push(value);
        if wanted[index] && worth_a_slot(index) {
            slot_of[index] = slots.slot(value);
        }
    }
    for instruction in &mut function.body {
        *instruction = instruction.map(|operand| renamed(operand, &slot_of));
    }
    function.map_results(|entry| renamed(entry, &slot_of));
    debug_assert!(slots.entries.iter().all(|&entry| rank(entry).0 == 3), "slots hold operations");
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::program::{fixture, lower};

    #[test]
    fn the_weight_of_the_pendulum_is_prepared() {
        let before = lower(&fixture::pendulum());
        let mut program = before.clone();
        run(&mut program);
        let muls = |p: &Program, kind| p.function(kind).counts().mul;
        // m*l*g*sin(phi)
        assert_eq!((muls(&before, FunctionKind::Forces), muls(&program, FunctionKind::Forces)), (3, 1));
        assert_eq!(
            (muls(&before, FunctionKind::MassMatrix), muls(&program, FunctionKind::MassMatrix)),
            (2, 0)
        );
        // m*l*g and m*l*l; m*l itself is only an intermediate.
        assert_eq!((program.n_slots(), program.per_parameter_set().mul), (2, 3));
        assert_same_values(&before, &program);
    }
}
