//! Computes the sine and cosine of one angle together.

use super::builder::renamed;
use crate::expr::UnaryOp;
use crate::program::{Function, Instruction, Op, Operand, Program};
use rustc_hash::FxHashMap;

/// Pairs sines and cosines in all functions and in `prepare`.
pub fn run(program: &mut Program) {
    program.functions.iter_mut().chain([&mut program.prepare]).for_each(pair);
}

/// Angles whose sine (first) and cosine (second) are wanted.
type Angles = FxHashMap<Operand, [bool; 2]>;

fn pair(function: &mut Function) {
    let mut wanted = Angles::default();
    for instruction in &function.body {
        if let Some((angle, which)) = angle(instruction) {
            wanted.entry(angle).or_default()[which] = true;
        }
    }
    // Keyed by the angle as it was before renaming: angles are values of this function.
    let mut pairs: FxHashMap<Operand, u32> = FxHashMap::default();
    let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
    let mut body: Vec<Instruction> = Vec::with_capacity(function.body.len());
    for instruction in std::mem::take(&mut function.body) {
        if let Some((angle, which)) = angle(&instruction)
            && wanted[&angle] == [true, true]
        {
            let first = *pairs.entry(angle).or_insert_with(|| {
                let sine = body.len() as u32;
                body.push(Instruction::new(Op::SinCos, &[renamed(angle, &new_of)]));
                body.push(Instruction::new(Op::PairedCos, &[Operand::Value(sine)]));
                sine
            });
            let value = first + which as u32;
            body[value as usize].label = body[value as usize].label.or(instruction.label);
            new_of.push(Operand::Value(value));
            continue;
        }
        body.push(instruction.map(|operand| renamed(operand, &new_of)));
        new_of.push(Operand::Value(body.len() as u32 - 1));
    }
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = body;
}

fn angle(instruction: &Instruction) -> Option<(Operand, usize)> {
    match instruction.op {
        Op::Unary(UnaryOp::Sin) => Some((instruction.operands()[0], 0)),
        Op::Unary(UnaryOp::Cos) => Some((instruction.operands()[0], 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::program::{FunctionKind, fixture, lower};

    #[test]
    fn the_pose_of_the_pendulum_takes_one_pair() {
        let before = lower(&fixture::pendulum());
        let mut program = before.clone();
        run(&mut program);
        let trig = |p: &Program, kind| p.function(kind).counts().trig;
        assert_eq!((trig(&before, FunctionKind::Poses), trig(&program, FunctionKind::Poses)), (2, 1));
        assert_eq!(trig(&program, FunctionKind::Forces), 1);
        assert_same_values(&before, &program);
    }
}
