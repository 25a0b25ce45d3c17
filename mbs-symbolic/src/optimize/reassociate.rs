//! Reassociation of products such that parameters multiply first.
//!
//! (θ₀·cos p₀)·θ₁ becomes (θ₀·θ₁)·cos p₀, whose first factor is then hoisted, and
//! x/θ becomes (1/θ)·x. Only products read once are taken apart, so nothing that is
//! shared is computed twice.

use super::builder::{Builder, is_parametric, parametric, rank, renamed};
use super::dead_code;
use crate::expr::BinaryOp;
use crate::program::{Function, FunctionKind, Op, Operand, Program};

/// Regroups the products of every function that is called more than once per
/// parameter set.
pub fn run(program: &mut Program) {
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if !kind.is_per_parameter_set() {
            regroup(function);
        }
    }
    dead_code::run(program);
}

fn regroup(function: &mut Function) {
    let mut products = Products::find(function);
    let worth = |factors: &Factors| factors.numerators.len() + 2 * factors.denominators.len() >= 2;
    for index in 0..function.body.len() {
        if products.is_root(index) {
            let factors = products.factors(function, index);
            if !worth(&factors) {
                factors.inner.iter().for_each(|&inner| products.absorbed[inner] = false);
            }
        }
    }
    let mut builder = Builder::default();
    let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
    for (index, instruction) in function.body.iter().enumerate() {
        let value = if products.absorbed[index] {
            Operand::Value(u32::MAX)
        } else if products.is_root(index)
            && let factors = products.factors(function, index)
            && worth(&factors)
        {
            let value = factors.write(&mut builder, &new_of);
            if let Some(value) = value.value() {
                let label = &mut builder.body[value].label;
                *label = label.or(instruction.label);
            }
            value
        } else {
            builder.push(instruction.map(|operand| renamed(operand, &new_of)))
        };
        new_of.push(value);
    }
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = builder.body;
}

/// Which instructions are products, and which of them are read by one product only.
struct Products {
    parametric: Vec<bool>,
    is_product: Vec<bool>,
    absorbed: Vec<bool>,
}

/// A product taken apart.
#[derive(Default)]
struct Factors {
    /// Parameter-only factors.
    numerators: Vec<Operand>,
    /// Parameter-only divisors.
    denominators: Vec<Operand>,
    /// The other factors.
    rest: Vec<Operand>,
    /// The products taken apart, without the outermost.
    inner: Vec<usize>,
}

impl Products {
    fn find(function: &Function) -> Self {
        let (parametric, uses) = (parametric(function), function.uses());
        let is_product: Vec<bool> = (0..function.body.len())
            .map(|index| {
                let instruction = &function.body[index];
                let splits = match (instruction.op, instruction.operands()) {
                    (Op::Binary(BinaryOp::Mul), _) => true,
                    (Op::Binary(BinaryOp::Div), &[_, divisor]) => is_parametric(divisor, &parametric),
                    _ => false,
                };
                splits && !parametric[index]
            })
            .collect();
        let mut absorbed = vec![false; function.body.len()];
        for (instruction, _) in function.body.iter().zip(&is_product).filter(|(_, product)| **product) {
            for inner in instruction.operands().iter().filter_map(|operand| operand.value()) {
                absorbed[inner] |= is_product[inner] && uses[inner] == 1;
            }
        }
        Self { parametric, is_product, absorbed }
    }

    fn is_root(&self, index: usize) -> bool {
        self.is_product[index] && !self.absorbed[index]
    }

    fn factors(&self, function: &Function, root: usize) -> Factors {
        let mut factors = Factors::default();
        let mut stack = vec![root];
        while let Some(index) = stack.pop() {
            let instruction = &function.body[index];
            for (position, &operand) in instruction.operands().iter().enumerate() {
                let divides = position == 1 && instruction.op == Op::Binary(BinaryOp::Div);
                match operand.value() {
                    _ if divides => factors.denominators.push(operand),
                    _ if is_parametric(operand, &self.parametric) => factors.numerators.push(operand),
                    Some(inner) if self.absorbed[inner] => {
                        factors.inner.push(inner);
                        stack.push(inner);
                    }
                    _ => factors.rest.push(operand),
                }
            }
        }
        factors
    }
}

impl Factors {
    /// (∏ numerators / ∏ denominators) · ∏ rest, in one order whatever it was before.
    fn write(&self, builder: &mut Builder, new_of: &[Operand]) -> Operand {
        let mut product = |factors: &[Operand]| {
            let mut factors: Vec<Operand> = factors.iter().map(|&factor| renamed(factor, new_of)).collect();
            factors.sort_by_key(|&factor| rank(factor));
            factors.into_iter().reduce(|a, b| builder.binary(BinaryOp::Mul, a, b))
        };
        let one = Operand::constant(1.0);
        let (above, below) = (product(&self.numerators), product(&self.denominators));
        let rest = product(&self.rest).unwrap_or(one);
        let coefficient = match below {
            Some(below) => builder.binary(BinaryOp::Div, above.unwrap_or(one), below),
            None => above.unwrap_or(one),
        };
        builder.binary(BinaryOp::Mul, coefficient, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{hoist, testing::assert_same_values};
    use super::*;
    use crate::expr::{Symbol, UnaryOp};
    use crate::program::{Instruction, fixture, lower};

    #[test]
    fn parameters_in_a_product_meet() {
        let mut program = lower(&fixture::pendulum());
        let [m, l, g, p] =
            [Symbol::Theta(0), Symbol::Theta(1), Symbol::Theta(2), Symbol::P(0)].map(Operand::Symbol);
        let function = &mut program.functions[FunctionKind::Forces as usize];
        // ((m*cos(p))*l)/g
        function.body = vec![
            Instruction::new(Op::Unary(UnaryOp::Cos), &[p]),
            Instruction::new(Op::Binary(BinaryOp::Mul), &[m, Operand::Value(0)]),
            Instruction::new(Op::Binary(BinaryOp::Mul), &[Operand::Value(1), l]),
            Instruction::new(Op::Binary(BinaryOp::Div), &[Operand::Value(2), g]),
        ];
        function.results[0].entries = vec![Operand::Value(3)];
        let before = program.clone();
        run(&mut program);
        hoist::run(&mut program);
        let [flops_before, flops_after] =
            [&before, &program].map(|program| program.function(FunctionKind::Forces).counts().flops());
        assert_eq!((flops_before, flops_after), (3, 1));
        assert_same_values(&before, &program);
    }

    #[test]
    fn a_shared_product_stays_whole() {
        let mut program = lower(&fixture::pendulum());
        let [m, l, p] = [Symbol::Theta(0), Symbol::Theta(1), Symbol::P(0)].map(Operand::Symbol);
        let function = &mut program.functions[FunctionKind::Forces as usize];
        // m*p is read by the product and by the sum.
        function.body = vec![
            Instruction::new(Op::Binary(BinaryOp::Mul), &[m, p]),
            Instruction::new(Op::Binary(BinaryOp::Mul), &[Operand::Value(0), l]),
            Instruction::new(Op::Binary(BinaryOp::Add), &[Operand::Value(0), Operand::Value(1)]),
        ];
        function.results[0].entries = vec![Operand::Value(2)];
        let before = program.clone();
        run(&mut program);
        assert_eq!(before.total_counts(), program.total_counts());
    }
}
