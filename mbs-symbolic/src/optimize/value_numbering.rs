//! Global value numbering, i.e. common subexpression elimination (CSE): equal values become one instruction.

use super::builder::{Builder, rewrite};
use crate::program::Program;

/// Merges equal instructions of each function and of `prepare`.
pub fn run(program: &mut Program) {
    for function in program.functions.iter_mut().chain([&mut program.prepare]) {
        rewrite(function, Builder::push);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use crate::expr::{BinaryOp, Symbol};
    use crate::program::{FunctionKind, Instruction, Op, Operand, fixture, lower};

    #[test]
    fn equal_products_are_merged_whatever_their_order() {
        let mut program = lower(&fixture::pendulum());
        let [a, b] = [0, 1].map(|i| Operand::Symbol(Symbol::Theta(i)));
        let function = &mut program.functions[FunctionKind::Derived as usize];
        function.body =
            [(a, b), (b, a)].map(|(x, y)| Instruction::new(Op::Binary(BinaryOp::Mul), &[x, y])).to_vec();
        let sum = Instruction::new(Op::Binary(BinaryOp::Add), &[Operand::Value(0), Operand::Value(1)]);
        function.body.push(sum);
        function.results[0].entries = vec![Operand::Value(2)];
        let before = program.clone();
        super::run(&mut program);
        let counts = |p: &crate::program::Program| p.function(FunctionKind::Derived).counts().total();
        assert_eq!((counts(&before), counts(&program)), (3, 2));
        assert_same_values(&before, &program);
    }
}
