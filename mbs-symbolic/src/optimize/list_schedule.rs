//! List scheduling for instruction-level parallelism.
//!
//! A sum or product can be used some cycles after it was begun, and until then a processor
//! begins others, if it finds any among the few hundred instructions it looks ahead. Depth
//! first, as [`schedule`](super::schedule) leaves them, each instruction waits for the one just
//! before it. Here time is followed while instructions are placed (list scheduling): of those
//! whose operands are known by then, the one from which the longest way leads to a result comes
//! first. Values that wait for their readers take registers, so once there are `MAX_LIVE` only
//! instructions that let go of one are placed, and the order before is left only by so much as
//! `WINDOW`.
//!
//! The lengths were chosen by measuring (docs/performance.md).

use super::builder::renamed;
use crate::expr::{BinaryOp, UnaryOp};
use crate::program::{Function, Instruction, Op, Operand, Program};
use std::ops::Range;

/// Instructions begun per cycle. A processor begins more, but half of them load and store.
const WIDTH: usize = 2;

/// Values that wait at most: a few more than x86-64 has registers, because some operations read
/// an operand from memory.
const MAX_LIVE: usize = 20;

/// How many units that are not yet placed are looked at.
const WINDOW: usize = 1000;

/// Orders all functions and `prepare`.
pub fn run(program: &mut Program) {
    program.functions.iter_mut().chain([&mut program.prepare]).for_each(order);
}

/// Cycles until a value can be used, of current processors.
pub(super) fn latency(op: Op) -> usize {
    match op {
        Op::Unary(UnaryOp::Neg | UnaryOp::Not) | Op::Select => 2,
        Op::Unary(UnaryOp::Sqrt) => 20,
        Op::SinCos | Op::PairedCos | Op::Unary(_) | Op::Table { .. } => 70,
        Op::Binary(BinaryOp::Div) => 13,
        Op::Binary(BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Mod) => 70,
        Op::Binary(_) => 3,
    }
}

fn order(function: &mut Function) {
    let units = Units::new(function);
    let mut schedule = Schedule::new(&units, &function.body);
    while let Some(unit) = schedule.next() {
        schedule.place(unit);
    }
    let old = std::mem::take(&mut function.body);
    let mut new_of = vec![Operand::Value(u32::MAX); old.len()];
    let places = schedule.order.iter().flat_map(|&unit| units.bodies[unit].clone());
    for (place, index) in places.enumerate() {
        function.body.push(old[index].map(|operand| renamed(operand, &new_of)));
        new_of[index] = Operand::Value(place as u32);
    }
    function.map_results(|entry| renamed(entry, &new_of));
}

/// What is placed as a whole: an instruction, or a [run](Function::runs) of sines and cosines.
struct Units {
    bodies: Vec<Range<usize>>,
    /// Values of others that each reads, without repetition.
    reads: Vec<Vec<usize>>,
    /// Units that read each.
    readers: Vec<Vec<usize>>,
}

impl Units {
    fn new(function: &Function) -> Self {
        let joined = function.joined();
        let mut bodies: Vec<Range<usize>> = Vec::new();
        let mut of = Vec::with_capacity(function.body.len());
        for (index, instruction) in function.body.iter().enumerate() {
            match bodies.last_mut() {
                Some(body) if joined[index] || instruction.op == Op::PairedCos => body.end = index + 1,
                _ => bodies.push(index..index + 1),
            }
            of.push(bodies.len() - 1);
        }
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
        let reads = bodies.iter().enumerate().map(|(unit, body)| {
            let operands = function.body[body.clone()].iter().flat_map(Instruction::operands);
            let mut reads: Vec<usize> = operands.filter_map(|operand| operand.value()).collect();
            reads.retain(|value| !body.contains(value));
            reads.sort_unstable();
            reads.dedup();
            for &value in &reads {
                if readers[of[value]].last() != Some(&unit) {
                    readers[of[value]].push(unit);
                }
            }
            reads
        });
        let reads = reads.collect();
        Self { bodies, reads, readers }
    }
}

/// An order on its way.
struct Schedule<'a> {
    units: &'a Units,
    latencies: Vec<usize>,
    /// The longest way from the begin of each unit to a result, in cycles.
    heights: Vec<usize>,
    order: Vec<usize>,
    placed: Vec<bool>,
    /// Units before it are placed.
    first: usize,
    /// Units before it have been looked at.
    seen: usize,
    /// Units looked at whose operands are placed.
    ready: Vec<usize>,
    /// Of each unit, the units it waits for, and the cycle from which on it can begin.
    missing: Vec<usize>,
    begin: Vec<usize>,
    /// Units that have yet to read each value.
    unread: Vec<usize>,
    live: usize,
    cycle: usize,
    /// Instructions begun in this cycle.
    begun: usize,
}

impl<'a> Schedule<'a> {
    fn new(units: &'a Units, body: &[Instruction]) -> Self {
        let n = units.bodies.len();
        let latencies: Vec<usize> = units.bodies.iter().map(|unit| latency(body[unit.start].op)).collect();
        let (mut heights, mut missing) = (latencies.clone(), vec![0; n]);
        for unit in (0..n).rev() {
            heights[unit] += units.readers[unit].iter().map(|&reader| heights[reader]).max().unwrap_or(0);
            units.readers[unit].iter().for_each(|&reader| missing[reader] += 1);
        }
        let mut unread = vec![0; body.len()];
        units.reads.iter().flatten().for_each(|&value| unread[value] += 1);
        Self {
            units,
            latencies,
            heights,
            order: Vec::with_capacity(n),
            placed: vec![false; n],
            first: 0,
            seen: 0,
            ready: Vec::new(),
            missing,
            begin: vec![0; n],
            unread,
            live: 0,
            cycle: 0,
            begun: 0,
        }
    }

    /// The unit to place next; takes it from those that are ready.
    fn next(&mut self) -> Option<usize> {
        while self.placed.get(self.first) == Some(&true) {
            self.first += 1;
        }
        while self.seen < self.placed.len() && self.seen - self.order.len() < WINDOW {
            if self.missing[self.seen] == 0 {
                self.ready.push(self.seen);
            }
            self.seen += 1;
        }
        loop {
            let candidates = self.ready.iter().enumerate().filter(|&(_, &unit)| self.is_welcome(unit));
            let known = candidates.clone().filter(|&(_, &unit)| self.begin[unit] <= self.cycle);
            // Of equals the one that comes first in the order before.
            let best = known.max_by_key(|&(_, &unit)| (self.heights[unit], std::cmp::Reverse(unit)));
            if let Some((place, _)) = best {
                return Some(self.ready.swap_remove(place));
            }
            // The first unit is always ready, so there is one unless all are placed.
            self.cycle = candidates.map(|(_, &unit)| self.begin[unit]).min()?;
            self.begun = 0;
        }
    }

    /// Whether there is room for the value of a unit.
    fn is_welcome(&self, unit: usize) -> bool {
        let is_last_reader = |&value: &usize| self.unread[value] == 1;
        self.live < MAX_LIVE || unit == self.first || self.units.reads[unit].iter().any(is_last_reader)
    }

    fn place(&mut self, unit: usize) {
        self.placed[unit] = true;
        self.order.push(unit);
        for &value in &self.units.reads[unit] {
            self.unread[value] -= 1;
            self.live -= usize::from(self.unread[value] == 0);
        }
        self.live += self.units.bodies[unit].clone().filter(|&value| self.unread[value] > 0).count();
        for &reader in &self.units.readers[unit] {
            self.begin[reader] = self.begin[reader].max(self.cycle + self.latencies[unit]);
            self.missing[reader] -= 1;
            if self.missing[reader] == 0 && reader < self.seen {
                self.ready.push(reader);
            }
        }
        self.begun += self.units.bodies[unit].len();
        if self.begun >= WIDTH {
            self.cycle += 1;
            self.begun = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_same_values, most_live};
    use super::*;
    use crate::expr::Symbol;
    use crate::program::{FunctionKind, fixture, lower, verify};

    /// The sum of `count` chains of `n` operations, one chain after the other, as the force of a
    /// program.
    fn sums(op: BinaryOp, count: usize, n: usize) -> Program {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let p = Operand::Symbol(Symbol::P(0));
        let mut body: Vec<Instruction> = Vec::new();
        let mut push = |op: BinaryOp, operands: [Operand; 2]| {
            body.push(Instruction::new(Op::Binary(op), &operands));
            Operand::Value(body.len() as u32 - 1)
        };
        let mut sum = p;
        for k in 0..count {
            let mut value = push(BinaryOp::Add, [p, Operand::constant(k as f64)]);
            for _ in 1..n {
                value = push(op, [value, p]);
            }
            sum = push(BinaryOp::Add, [sum, value]);
        }
        function.results[0].entries = vec![sum];
        function.body = body;
        program
    }

    /// Cycles of a machine that begins [`WIDTH`] instructions per cycle, in order.
    fn cycles(program: &Program) -> usize {
        let body = &program.function(FunctionKind::Forces).body;
        let mut known: Vec<usize> = Vec::new();
        let (mut cycle, mut begun) = (0, 0);
        for instruction in body {
            let operands = instruction.operands().iter().filter_map(|operand| operand.value());
            let begin = operands.map(|value| known[value]).max().unwrap_or(0);
            if begin > cycle || begun == WIDTH {
                (cycle, begun) = (begin.max(cycle + 1), 0);
            }
            begun += 1;
            known.push(cycle + latency(instruction.op));
        }
        known.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn chains_advance_side_by_side() {
        let before = sums(BinaryOp::Mul, 6, 8);
        let mut program = before.clone();
        run(&mut program);
        assert_eq!(verify(&program), Ok(()));
        assert_eq!((cycles(&before), cycles(&program)), (147, 42));
        assert_eq!(before.total_counts(), program.total_counts());
        assert_same_values(&before, &program);
    }

    #[test]
    fn no_more_begin_than_there_are_registers() {
        let mut program = sums(BinaryOp::Div, 60, 8);
        run(&mut program);
        assert_eq!(most_live(program.function(FunctionKind::Forces)), MAX_LIVE);
    }

    #[test]
    fn sines_that_are_computed_at_once_stay_together() {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let mut body = Vec::new();
        for k in 0..4 {
            body.push(Instruction::new(Op::SinCos, &[Operand::Symbol(Symbol::P(0))]));
            body.push(Instruction::new(Op::PairedCos, &[Operand::Value(2 * k)]));
        }
        for k in 1..8 {
            let sum = Operand::Value(if k == 1 { 0 } else { k + 6 });
            body.push(Instruction::new(Op::Binary(BinaryOp::Add), &[sum, Operand::Value(k)]));
        }
        function.body = body;
        function.results[0].entries = vec![Operand::Value(14)];
        let before = program.clone();
        run(&mut program);
        assert_eq!(program.function(FunctionKind::Forces).runs().len(), 1);
        assert_same_values(&before, &program);
    }
}
