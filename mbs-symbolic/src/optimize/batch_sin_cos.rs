//! Brings angles together whose sines and cosines can be computed at once.
//!
//! Backends do a [run](Function::runs) of pairs in vector registers. Pairs are taken in the order of
//! their first use, and what a later angle is the sum of is computed earlier; nothing else moves.
//! Four at a time: two gain less, and all at once more in some functions and less in others
//! (docs/performance.md). A sine or cosine without the other joins as a pair: it takes the work of
//! both even alone.

use super::builder::renamed;
use crate::expr::{BinaryOp, UnaryOp};
use crate::program::{Function, Instruction, MAX_RUN, Op, Operand, Program};

/// Brings angles together in all functions and in `prepare`.
pub fn run(program: &mut Program) {
    program.functions.iter_mut().chain([&mut program.prepare]).for_each(gather);
}

/// Instructions that may be computed earlier for the sake of one angle.
const MAX_EARLY: usize = 4;

/// How far ahead angles are looked for. The values of a pair that is computed earlier wait for
/// their first use, and those that wait past a cut travel through memory.
const REACH: usize = 400;

fn gather(function: &mut Function) {
    let old = std::mem::take(&mut function.body);
    let sines: Vec<usize> = (0..old.len()).filter(|&index| is_sine(old[index].op)).collect();
    let mut ahead = &sines[..];
    let mut written = Written { body: Vec::with_capacity(old.len()), new_of: vec![None; old.len()] };
    for index in 0..old.len() {
        if written.new_of[index].is_some() {
            continue;
        }
        if !is_sine(old[index].op) {
            written.push(&old, index);
            continue;
        }
        while ahead.first().is_some_and(|&sine| sine < index) {
            ahead = &ahead[1..];
        }
        let mut run = Vec::with_capacity(MAX_RUN);
        for &sine in ahead.iter().take_while(|&&sine| sine - index < REACH) {
            if run.len() < MAX_RUN && written.new_of[sine].is_none() && written.bring_angle(&old, sine) {
                run.push(sine);
            }
        }
        let is_alone = run.len() == 1;
        for sine in run {
            match old[sine].op {
                Op::SinCos => [sine, sine + 1].into_iter().for_each(|index| written.push(&old, index)),
                _ if is_alone => written.push(&old, sine),
                _ => written.push_pair(&old, sine),
            }
        }
    }
    let new_of: Vec<Operand> = written.new_of.into_iter().flatten().collect();
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = written.body;
}

/// A function on its way to its new order.
struct Written {
    body: Vec<Instruction>,
    /// What the instructions placed so far have become.
    new_of: Vec<Option<Operand>>,
}

impl Written {
    fn push(&mut self, old: &[Instruction], index: usize) {
        let instruction = self.renamed(&old[index]);
        self.new_of[index] = Some(Operand::Value(self.body.len() as u32));
        self.body.push(instruction);
    }

    /// Places a sine or cosine as a pair.
    fn push_pair(&mut self, old: &[Instruction], index: usize) {
        let alone = self.renamed(&old[index]);
        let sine = self.body.len() as u32;
        let wanted = u32::from(alone.op == Op::Unary(UnaryOp::Cos));
        self.body.push(Instruction::new(Op::SinCos, alone.operands()));
        self.body.push(Instruction::new(Op::PairedCos, &[Operand::Value(sine)]));
        self.body[(sine + wanted) as usize].label = alone.label;
        self.new_of[index] = Some(Operand::Value(sine + wanted));
    }

    fn renamed(&self, instruction: &Instruction) -> Instruction {
        instruction.map(|operand| match operand.value() {
            Some(value) => self.new_of[value].expect("operands are placed before their use"),
            None => operand,
        })
    }

    /// Places what the angle of a pair is the sum of; false if that is more than a little.
    fn bring_angle(&mut self, old: &[Instruction], pair: usize) -> bool {
        let mut missing = Vec::new();
        let mut next = vec![old[pair].operands()[0]];
        while let Some(operand) = next.pop() {
            let Some(value) = operand.value().filter(|&value| self.new_of[value].is_none()) else { continue };
            if missing.len() == MAX_EARLY || !is_cheap(old[value].op) {
                return false;
            }
            if !missing.contains(&value) {
                missing.push(value);
                next.extend(old[value].operands());
            }
        }
        missing.sort_unstable();
        missing.into_iter().for_each(|value| self.push(old, value));
        true
    }
}

/// The first or only instruction of a sine, a cosine, or both.
fn is_sine(op: Op) -> bool {
    matches!(op, Op::SinCos | Op::Unary(UnaryOp::Sin | UnaryOp::Cos))
}

fn is_cheap(op: Op) -> bool {
    matches!(op, Op::Unary(UnaryOp::Neg) | Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul))
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::expr::Symbol;
    use crate::program::{FunctionKind, fixture, lower, verify};

    /// The sum of sin a + cos a over angles a, each computed when it is wanted, where the fourth
    /// angle is the sine of the third.
    fn sums(program: &mut Program, n: u32) {
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let mut body: Vec<Instruction> = Vec::new();
        let mut push = |op: Op, operands: &[Operand]| {
            body.push(Instruction::new(op, operands));
            Operand::Value(body.len() as u32 - 1)
        };
        let add = Op::Binary(BinaryOp::Add);
        let p = Operand::Symbol(Symbol::P(0));
        let (mut sum, mut third, mut angle) = (p, p, p);
        for k in 0..n {
            angle = push(add, &[angle, Operand::constant(f64::from(k))]);
            let sine = push(Op::SinCos, &[if k == 3 { third } else { angle }]);
            let cosine = push(Op::PairedCos, &[sine]);
            if k == 2 {
                third = sine;
            }
            let both = push(add, &[sine, cosine]);
            sum = push(add, &[sum, both]);
        }
        function.body = body;
        function.results[0].entries = vec![sum];
    }

    /// How many angles are in each run.
    fn lengths(program: &Program) -> Vec<usize> {
        let runs = program.function(FunctionKind::Forces).runs();
        runs.iter().map(|run| run.len() / 2).collect()
    }

    #[test]
    fn angles_that_are_sums_come_together() {
        let mut before = lower(&fixture::pendulum());
        sums(&mut before, 12);
        let mut program = before.clone();
        run(&mut program);
        assert_eq!(verify(&program), Ok(()));
        assert_eq!((lengths(&before), lengths(&program)), (vec![1; 12], vec![4, 4, 4]));
        // The fourth angle is not known when the first three are.
        let body = &program.function(FunctionKind::Forces).body;
        let sines = body.iter().filter(|instruction| instruction.op == Op::SinCos);
        let on_pairs = sines.map(|sine| {
            let angle = sine.operands()[0].value();
            angle.is_some_and(|angle| body[angle].op == Op::SinCos)
        });
        assert_eq!(on_pairs.collect::<Vec<_>>().iter().position(|&is| is), Some(4));
        assert_eq!(before.total_counts(), program.total_counts());
        assert_same_values(&before, &program);
    }

    #[test]
    fn angles_far_apart_stay_where_they_are() {
        let mut before = lower(&fixture::pendulum());
        sums(&mut before, 2);
        let function = &mut before.functions[FunctionKind::Forces as usize];
        let last = function.body.len() as u32 - 1;
        let p = Operand::Symbol(Symbol::P(0));
        for k in 0..REACH as u32 {
            let before = Operand::Value(last + k);
            function.body.push(Instruction::new(Op::Binary(BinaryOp::Mul), &[before, p]));
        }
        let late = function.body.len() as u32;
        function.body.push(Instruction::new(Op::SinCos, &[p]));
        function.body.push(Instruction::new(Op::PairedCos, &[Operand::Value(late)]));
        let mut program = before.clone();
        run(&mut program);
        assert_eq!(lengths(&program), [2, 1]);
        assert_same_values(&before, &program);
    }

    #[test]
    fn lone_sines_and_cosines_join() {
        let mut before = lower(&fixture::pendulum());
        sums(&mut before, 1);
        let function = &mut before.functions[FunctionKind::Forces as usize];
        let p = Operand::Symbol(Symbol::P(0));
        for op in [UnaryOp::Sin, UnaryOp::Cos] {
            let last = function.body.len() as u32 - 1;
            function.body.push(Instruction::new(Op::Unary(op), &[p]));
            let sum = [Operand::Value(last), Operand::Value(last + 1)];
            function.body.push(Instruction::new(Op::Binary(BinaryOp::Add), &sum));
        }
        function.results[0].entries = vec![Operand::Value(function.body.len() as u32 - 1)];
        let mut program = before.clone();
        run(&mut program);
        assert_eq!(verify(&program), Ok(()));
        assert_eq!((lengths(&before), lengths(&program)), (vec![1], vec![3]));
        assert_eq!(before.total_counts(), program.total_counts());
        assert_same_values(&before, &program);
    }
}
