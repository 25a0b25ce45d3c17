//! Schedules instructions for few live values (register pressure).
//!
//! Depth first from the results: a value is computed just before the first
//! instruction that reads it.

use super::builder::renamed;
use crate::program::{Function, Instruction, Op, Operand, Program};

/// Orders all functions and `prepare`.
pub fn run(program: &mut Program) {
    program.functions.iter_mut().chain([&mut program.prepare]).for_each(order);
}

fn order(function: &mut Function) {
    let old = std::mem::take(&mut function.body);
    let mut body: Vec<Instruction> = Vec::with_capacity(old.len());
    let mut new_of: Vec<Option<Operand>> = vec![None; old.len()];
    let mut stack: Vec<usize> = Vec::new();
    for root in function.entries().filter_map(Operand::value) {
        stack.push(root);
        while let Some(&index) = stack.last() {
            if new_of[index].is_some() {
                stack.pop();
                continue;
            }
            let missing = old[index].operands().iter().filter_map(|operand| operand.value());
            let before = stack.len();
            stack.extend(missing.filter(|&operand| new_of[operand].is_none()));
            // The first operand is computed first, so it has to lie on top.
            stack[before..].reverse();
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let mut place = |index: usize| {
                body.push(old[index].map(|operand| match operand.value() {
                    Some(value) => new_of[value].unwrap_or(operand),
                    None => operand,
                }));
                new_of[index] = Some(Operand::Value(body.len() as u32 - 1));
            };
            place(index);
            if old[index].op == Op::SinCos {
                place(index + 1);
            }
        }
    }
    // What no result needs has no place.
    let new_of: Vec<Operand> =
        new_of.into_iter().map(|place| place.unwrap_or(Operand::Value(u32::MAX))).collect();
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = body;
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_same_values, most_live};
    use super::*;
    use crate::expr::{BinaryOp, Symbol};
    use crate::program::{FunctionKind, fixture, lower};

    #[test]
    fn values_are_computed_when_they_are_wanted() {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let p = Operand::Symbol(Symbol::P(0));
        // Eight squares first, then their sum: eight live values.
        let mut body: Vec<Instruction> = (0..8)
            .map(|i| Instruction::new(Op::Binary(BinaryOp::Mul), &[p, Operand::constant(f64::from(i))]))
            .collect();
        let mut sum = Operand::Value(0);
        for i in 1..8 {
            body.push(Instruction::new(Op::Binary(BinaryOp::Add), &[sum, Operand::Value(i)]));
            sum = Operand::Value(body.len() as u32 - 1);
        }
        function.body = body;
        function.results[0].entries = vec![sum];
        let before = program.clone();
        run(&mut program);
        let [live_before, live_after] =
            [&before, &program].map(|program| most_live(program.function(FunctionKind::Forces)));
        assert_eq!((live_before, live_after), (8, 2));
        assert_eq!(before.total_counts(), program.total_counts());
        assert_same_values(&before, &program);
    }
}
