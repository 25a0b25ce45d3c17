//! Factors, shares products and shares pairs, to a fixed point.
//!
//! What `products` and `pairs` make one value may be a common factor of sums, and what `factor` takes
//! out may be shared: the three take turns as long as they gain.

use super::products::{self, cost};
use super::{dead_code, factor, pairs};
use crate::program::{FunctionKind, Program};

/// Later rounds find next to nothing.
const MAX_ROUNDS: usize = 3;

/// Functions of more instructions than this are left alone: they gain less than it takes.
const MAX_INSTRUCTIONS: usize = 1500;

/// Shares again in every function that is called more than once per parameter set.
pub fn run(program: &mut Program) {
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if kind.is_per_parameter_set() || function.body.len() > MAX_INSTRUCTIONS {
            continue;
        }
        for _ in 0..MAX_ROUNDS {
            let mut shared = function.clone();
            factor::take_out(&mut shared);
            dead_code::of_function(&mut shared);
            products::share(&mut shared);
            dead_code::of_function(&mut shared);
            pairs::share(&mut shared);
            if cost(&shared) >= cost(function) {
                break;
            }
            *function = shared;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::expr::{BinaryOp, Symbol};
    use crate::program::{Instruction, Op, Operand, fixture, lower};

    #[test]
    fn what_became_one_value_is_taken_out() {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let [p, v, t] = [Symbol::P(0), Symbol::V(0), Symbol::Time].map(Operand::Symbol);
        let binary = |op, a, b| Instruction::new(Op::Binary(op), &[a, b]);
        let value = Operand::Value;
        // (p v) t + (p t) v v: p v t is common to both, and read by another result, too.
        function.body = vec![
            binary(BinaryOp::Mul, p, v),
            binary(BinaryOp::Mul, value(0), t),
            binary(BinaryOp::Mul, p, t),
            binary(BinaryOp::Mul, value(2), v),
            binary(BinaryOp::Mul, value(3), v),
            binary(BinaryOp::Add, value(1), value(4)),
            binary(BinaryOp::Sub, value(5), value(2)),
        ];
        function.results[0].entries = vec![value(6)];
        let before = program.clone();
        run(&mut program);
        let flops = |program: &Program| program.function(FunctionKind::Forces).counts().flops();
        assert!(flops(&program) < flops(&before), "{} operations", flops(&program));
        assert_same_values(&before, &program);
    }
}
