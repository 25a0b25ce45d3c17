//! Drops instructions nothing needs.

use super::builder::renamed;
use crate::program::{Function, Op, Operand, Program};

/// Drops unneeded instructions from all functions and from `prepare`, whose results
/// are the slots functions still read.
pub fn run(program: &mut Program) {
    program.functions.iter_mut().for_each(of_function);
    drop_slots(program);
    of_function(&mut program.prepare);
}

/// Drops unneeded instructions from one function.
pub(super) fn of_function(function: &mut Function) {
    let mut needed = vec![false; function.body.len()];
    for index in function.entries().filter_map(Operand::value) {
        needed[index] = true;
    }
    for index in (0..needed.len()).rev() {
        // A sine keeps the cosine that is computed with it, which follows it.
        let paired = function.body[index].op == Op::SinCos && needed.get(index + 1) == Some(&true);
        if needed[index] || paired {
            needed[index] = true;
            if function.body[index].op == Op::SinCos {
                needed[index + 1] = true;
            }
            for operand in function.body[index].operands().iter().filter_map(|operand| operand.value()) {
                needed[operand] = true;
            }
        }
    }
    let mut new_of = Vec::with_capacity(needed.len());
    let mut body = Vec::new();
    for (instruction, needed) in std::mem::take(&mut function.body).into_iter().zip(needed) {
        if needed {
            body.push(instruction.map(|operand| renamed(operand, &new_of)));
        }
        new_of.push(Operand::Value(body.len().saturating_sub(1) as u32));
    }
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = body;
}

/// Renumbers the slots that are read and drops the others.
fn drop_slots(program: &mut Program) {
    let mut read = vec![false; program.n_slots()];
    for function in &program.functions {
        let operands = function.body.iter().flat_map(|instruction| instruction.operands().iter().copied());
        for operand in operands.chain(function.entries()) {
            if let Operand::Prepared(slot) = operand {
                read[slot as usize] = true;
            }
        }
    }
    let mut new_slot = vec![0; read.len()];
    for (new, slot) in (0..read.len()).filter(|&slot| read[slot]).enumerate() {
        new_slot[slot] = new as u32;
    }
    let replace = |operand| match operand {
        Operand::Prepared(slot) => Operand::Prepared(new_slot[slot as usize]),
        other => other,
    };
    for function in &mut program.functions {
        for instruction in &mut function.body {
            *instruction = instruction.map(replace);
        }
        function.map_results(replace);
    }
    for block in &mut program.prepare.results {
        let entries = std::mem::take(&mut block.entries);
        block.entries =
            entries.into_iter().zip(&read).filter(|(_, read)| **read).map(|(entry, _)| entry).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use crate::expr::{BinaryOp, Symbol};
    use crate::program::{FunctionKind, Instruction, Op, Operand, fixture, lower};

    #[test]
    fn what_nothing_needs_is_dropped() {
        let before = lower(&fixture::pendulum());
        let mut program = before.clone();
        let forces = &mut program.functions[FunctionKind::Forces as usize];
        let unused = Operand::Symbol(Symbol::P(0));
        forces.body.push(Instruction::new(Op::Binary(BinaryOp::Mul), &[unused, unused]));
        let cost = program.total_counts().mul;
        super::run(&mut program);
        assert_eq!((cost, program.total_counts().mul), (cost, cost - 1));
        assert_same_values(&before, &program);
    }
}
