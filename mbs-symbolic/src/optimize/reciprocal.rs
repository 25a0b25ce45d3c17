//! Divides by the same value once.
//!
//! A division takes several times as long as a product, so where three or more values are
//! divided by one, its reciprocal is formed and they are multiplied with it.

use super::builder::rewrite;
use crate::expr::BinaryOp;
use crate::program::{Function, Op, Operand, Program};
use rustc_hash::FxHashMap;

/// Divisions by one value from which on its reciprocal is worth a division of its own.
const ENOUGH: u32 = 3;

/// Rewrites a/d, b/d, c/d as products with 1/d.
pub fn run(program: &mut Program) {
    program.functions.iter_mut().for_each(share);
}

fn share(function: &mut Function) {
    let mut divisions: FxHashMap<Operand, u32> = FxHashMap::default();
    for instruction in function.body.iter().filter(|i| i.op == Op::Binary(BinaryOp::Div)) {
        *divisions.entry(instruction.operands()[1]).or_default() += 1;
    }
    // By position in the old list, which `rewrite` goes through in order.
    let shared: Vec<bool> = function
        .body
        .iter()
        .map(|i| i.op == Op::Binary(BinaryOp::Div) && divisions[&i.operands()[1]] >= ENOUGH)
        .collect();
    if !shared.contains(&true) {
        return;
    }
    let mut position = 0;
    rewrite(function, |builder, instruction| {
        let is_shared = shared[position];
        position += 1;
        if !is_shared {
            return builder.push(instruction);
        }
        let (above, below) = (instruction.operands()[0], instruction.operands()[1]);
        let reciprocal = builder.binary(BinaryOp::Div, Operand::constant(1.0), below);
        builder.binary(BinaryOp::Mul, above, reciprocal)
    });
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::expr::Symbol;
    use crate::program::{FunctionKind, Instruction, fixture, lower};

    #[test]
    fn three_quotients_take_one_division() {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let [p, v] = [Symbol::P(0), Symbol::V(0)].map(Operand::Symbol);
        let over_p = |above| Instruction::new(Op::Binary(BinaryOp::Div), &[above, p]);
        let plus =
            |a, b| Instruction::new(Op::Binary(BinaryOp::Add), &[Operand::Value(a), Operand::Value(b)]);
        let two = Operand::constant(2.0);
        function.body =
            vec![over_p(v), over_p(two), over_p(Operand::Symbol(Symbol::Time)), plus(0, 1), plus(2, 3)];
        function.results[0].entries = vec![Operand::Value(4)];
        let before = program.clone();
        run(&mut program);
        let counts = program.function(FunctionKind::Forces).counts();
        assert_eq!((counts.div, counts.mul, counts.add), (1, 3, 2));
        assert_same_values(&before, &program);
    }
}
