//! Lets sums take up the signs of their terms.

use super::builder::{Builder, rewrite};
use super::dead_code;
use crate::expr::{BinaryOp, UnaryOp};
use crate::program::{Instruction, Op, Operand, Program};

/// Rewrites a + (−b), a − (−b) and (−a) + b; numbers lose their negation.
pub fn run(program: &mut Program) {
    for function in &mut program.functions {
        rewrite(function, step);
    }
}

/// Turns differences around whose opposite alone is read: −(a − b) = b − a.
pub fn turn_around(program: &mut Program) {
    for function in &mut program.functions {
        let uses = function.uses();
        for index in 0..function.body.len() {
            let (Op::Unary(UnaryOp::Neg), &[a]) = (function.body[index].op, function.body[index].operands())
            else {
                continue;
            };
            let Some(inner) = a.value().filter(|&inner| uses[inner] == 1) else { continue };
            if let (Op::Binary(BinaryOp::Sub), &[a, b]) =
                (function.body[inner].op, function.body[inner].operands())
            {
                let label = function.body[index].label.or(function.body[inner].label);
                function.body[index] = Instruction::new(Op::Binary(BinaryOp::Sub), &[b, a]).labelled(label);
            }
        }
        dead_code::of_function(function);
    }
}

fn step(builder: &mut Builder, instruction: Instruction) -> Operand {
    let negated = |operand: Operand| {
        let definition = operand.value().map(|index| builder.body[index])?;
        (definition.op == Op::Unary(UnaryOp::Neg)).then(|| definition.operands()[0])
    };
    let rewritten = match (instruction.op, instruction.operands()) {
        (Op::Unary(UnaryOp::Neg), &[a]) => return builder.negate(a),
        (Op::Binary(BinaryOp::Add), &[a, b]) => match (negated(a), negated(b)) {
            (_, Some(b)) => Some((BinaryOp::Sub, a, b)),    // a + (−b) = a − b
            (Some(a), None) => Some((BinaryOp::Sub, b, a)), // (−a) + b = b − a
            (None, None) => None,
        },
        // a − (−b) = a + b
        (Op::Binary(BinaryOp::Sub), &[a, b]) => negated(b).map(|b| (BinaryOp::Add, a, b)),
        _ => None,
    };
    match rewritten {
        Some((op, a, b)) => {
            builder.push(Instruction::new(Op::Binary(op), &[a, b]).labelled(instruction.label))
        }
        None => builder.push(instruction),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::expr::Symbol;
    use crate::program::{FunctionKind, fixture, lower};

    #[test]
    fn a_sum_takes_up_the_sign() {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let [p, v] = [Symbol::P(0), Symbol::V(0)].map(Operand::Symbol);
        function.body = vec![
            Instruction::new(Op::Unary(UnaryOp::Neg), &[p]),
            Instruction::new(Op::Binary(BinaryOp::Add), &[v, Operand::Value(0)]),
        ];
        function.results[0].entries = vec![Operand::Value(1)];
        let before = program.clone();
        run(&mut program);
        dead_code::run(&mut program);
        let function = program.function(FunctionKind::Forces);
        assert_eq!((before.function(FunctionKind::Forces).body.len(), function.body.len()), (2, 1));
        assert_eq!(function.body[0].op, Op::Binary(BinaryOp::Sub));
        assert_same_values(&before, &program);
    }

    #[test]
    fn a_difference_turns_around() {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let [p, v] = [Symbol::P(0), Symbol::V(0)].map(Operand::Symbol);
        function.body = vec![
            Instruction::new(Op::Binary(BinaryOp::Sub), &[v, p]),
            Instruction::new(Op::Unary(UnaryOp::Neg), &[Operand::Value(0)]),
        ];
        function.results[0].entries = vec![Operand::Value(1)];
        let before = program.clone();
        turn_around(&mut program);
        let expected = Instruction::new(Op::Binary(BinaryOp::Sub), &[p, v]);
        assert_eq!(program.function(FunctionKind::Forces).body, [expected]);
        assert_same_values(&before, &program);
    }
}
