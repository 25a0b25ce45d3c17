//! Tree-height reduction: balances sums on the critical path behind divisions.
//!
//! From one pivot of an elimination to the next leads a division, a product and a sum, and a processor
//! has little else to do meanwhile. a + b + c + d, written from left to right, waits for three sums
//! after a is known, even if a is known last. Here the two terms that are known first are added first,
//! then the next two, wherever a partial sum is read once. That takes as many operations as before, and
//! the longest way from a state to a result becomes shorter.
//!
//! Elsewhere there is enough to do, as there is in the elimination of long chains: there this order,
//! which lets more values wait, took more time than it saved (docs/performance.md).

use super::builder::{Builder, renamed};
use super::list_schedule::latency;
use crate::expr::BinaryOp;
use crate::program::{Function, FunctionKind, Instruction, Op, Operand, Program};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Orders the terms in every function that is called more than once per parameter set.
pub fn run(program: &mut Program) {
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if !kind.is_per_parameter_set() {
            order(function);
        }
    }
}

/// Instructions per cycle with which a processor is busy.
const BUSY: usize = 2;

fn order(function: &mut Function) {
    let division = Division::look_at(function);
    if division.saturates_issue_width() {
        return;
    }
    let Rebalanced { sums, is_taken_apart } = Rebalanced::find(function, &division.is_behind);
    let mut builder = Builder::default();
    let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
    for (index, (instruction, sum)) in function.body.iter().zip(sums).enumerate() {
        new_of.push(match sum {
            _ if is_taken_apart[index] => Operand::Value(u32::MAX),
            Some(sum) => {
                let value = sum.write(&mut builder, &new_of);
                if let Some(value) = value.value() {
                    let label = &mut builder.body[value].label;
                    *label = label.or(instruction.label);
                }
                value
            }
            None => builder.push(instruction.map(|operand| renamed(operand, &new_of))),
        });
    }
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = builder.body;
}

/// What is worth to be formed in another order.
struct Rebalanced {
    /// By the instruction that has its value.
    sums: Vec<Option<Sum>>,
    /// Whether an instruction is a partial sum of one of them.
    is_taken_apart: Vec<bool>,
}

/// The terms of a sum or, in what follows just so, the factors of a product.
struct Sum {
    is_product: bool,
    terms: Vec<Term>,
}

#[derive(Clone, Copy)]
struct Term {
    operand: Operand,
    is_subtracted: bool,
    /// When, in cycles from the begin.
    known: usize,
}

impl Rebalanced {
    fn find(function: &Function, is_behind_division: &[bool]) -> Self {
        let n = function.body.len();
        let is_partial = partial_sums(function);
        let (mut sums, mut is_taken_apart) = (Vec::with_capacity(n), vec![false; n]);
        let mut known: Vec<usize> = Vec::with_capacity(n);
        for (index, instruction) in function.body.iter().enumerate() {
            let as_it_is = begin(instruction, &known) + latency(instruction.op);
            let mut hurried = None;
            if is_behind_division[index] && is_sum(instruction.op) && !is_partial[index] {
                let (sum, partial) = Sum::ending(function, index, &is_partial, &known);
                if sum.known() < as_it_is {
                    partial.into_iter().for_each(|index| is_taken_apart[index] = true);
                    hurried = Some(sum);
                }
            }
            known.push(hurried.as_ref().map_or(as_it_is, Sum::known));
            sums.push(hurried);
        }
        Self { sums, is_taken_apart }
    }
}

/// What comes behind divisions.
struct Division {
    /// By instruction.
    is_behind: Vec<bool>,
    /// Cycles from the begin of the first division to the end.
    cycles: usize,
}

impl Division {
    fn look_at(function: &Function) -> Self {
        let (mut known, mut is_behind) = (Vec::new(), Vec::new());
        let (mut first, mut last) = (usize::MAX, 0);
        for instruction in &function.body {
            let begin = begin(instruction, &known);
            if instruction.op == Op::Binary(BinaryOp::Div) {
                first = first.min(begin);
                is_behind.push(true);
            } else {
                let mut inner = instruction.operands().iter().filter_map(|operand| operand.value());
                is_behind.push(inner.any(|index| is_behind[index]));
            }
            known.push(begin + latency(instruction.op));
            last = last.max(begin + latency(instruction.op));
        }
        Self { is_behind, cycles: last.saturating_sub(first) }
    }

    /// Whether there is enough to do meanwhile.
    fn saturates_issue_width(&self) -> bool {
        let count = self.is_behind.iter().filter(|&&is_behind| is_behind).count();
        count >= BUSY * self.cycles
    }
}

/// When the operands of an instruction are known.
fn begin(instruction: &Instruction, known: &[usize]) -> usize {
    instruction.operands().iter().map(|&operand| when(operand, known)).max().unwrap_or(0)
}

/// When an operand is known.
fn when(operand: Operand, known: &[usize]) -> usize {
    operand.value().map_or(0, |index| known[index])
}

fn is_sum(op: Op) -> bool {
    matches!(op, Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul))
}

fn is_product(op: Op) -> bool {
    op == Op::Binary(BinaryOp::Mul)
}

/// Which instructions are sums that only another sum reads, or products that only another product.
fn partial_sums(function: &Function) -> Vec<bool> {
    let uses = function.uses();
    let mut is_partial = vec![false; function.body.len()];
    for reader in function.body.iter().filter(|instruction| is_sum(instruction.op)) {
        for inner in reader.operands().iter().filter_map(|operand| operand.value()) {
            let op = function.body[inner].op;
            is_partial[inner] |= is_sum(op) && is_product(op) == is_product(reader.op) && uses[inner] == 1;
        }
    }
    is_partial
}

impl Sum {
    /// The sum whose last operation is at `index`, and its partial sums.
    fn ending(function: &Function, index: usize, is_partial: &[bool], known: &[usize]) -> (Self, Vec<usize>) {
        let mut sum = Self { is_product: is_product(function.body[index].op), terms: Vec::new() };
        let (mut partial, mut stack) = (Vec::new(), vec![(index, false)]);
        while let Some((index, is_subtracted)) = stack.pop() {
            let Instruction { op, .. } = function.body[index];
            for (place, &operand) in function.body[index].operands().iter().enumerate() {
                let is_subtracted = is_subtracted != (place == 1 && op == Op::Binary(BinaryOp::Sub));
                match operand.value() {
                    Some(inner) if is_partial[inner] => {
                        partial.push(inner);
                        stack.push((inner, is_subtracted));
                    }
                    _ => sum.terms.push(Term { operand, is_subtracted, known: when(operand, known) }),
                }
            }
        }
        (sum, partial)
    }

    /// When it is known if it is formed promptly.
    fn known(&self) -> usize {
        self.formed(|_, a, _| a).known
    }

    fn write(&self, builder: &mut Builder, new_of: &[Operand]) -> Operand {
        let terms = self.terms.iter().map(|term| Term { operand: renamed(term.operand, new_of), ..*term });
        Self { terms: terms.collect(), ..*self }.formed(|op, a, b| builder.binary(op, a, b)).operand
    }

    /// Takes the two terms that are known first, of equals those that come first, until one is left.
    /// At least one term of a sum is not subtracted, and so the last one is not.
    fn formed(&self, mut form: impl FnMut(BinaryOp, Operand, Operand) -> Operand) -> Term {
        let mut terms = self.terms.clone();
        let mut waiting: BinaryHeap<Reverse<(usize, usize)>> =
            terms.iter().enumerate().map(|(place, term)| Reverse((term.known, place))).collect();
        loop {
            let [first, second] = [(); 2].map(|()| waiting.pop().map(|Reverse((_, place))| terms[place]));
            let (Some(a), Some(b)) = (first, second) else {
                return first.expect("a sum has terms");
            };
            let (op, a, b) = match (a.is_subtracted, b.is_subtracted) {
                _ if self.is_product => (BinaryOp::Mul, a, b),
                (true, false) => (BinaryOp::Sub, b, a),
                (false, true) => (BinaryOp::Sub, a, b),
                _ => (BinaryOp::Add, a, b),
            };
            let known = a.known.max(b.known) + latency(Op::Binary(op));
            let operand = form(op, a.operand, b.operand);
            waiting.push(Reverse((known, terms.len())));
            terms.push(Term { operand, is_subtracted: a.is_subtracted, known });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::expr::Symbol;
    use crate::program::{fixture, lower, verify};

    /// A program whose force is the last of some operations; the operands of each are earlier ones
    /// or, below zero, symbols.
    fn program(operations: &[(BinaryOp, [i32; 2])]) -> Program {
        let symbols = [Symbol::P(0), Symbol::V(0), Symbol::Time].map(Operand::Symbol);
        let operand = |k: i32| u32::try_from(k).map_or_else(|_| symbols[(-1 - k) as usize], Operand::Value);
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        function.body = operations
            .iter()
            .map(|&(op, operands)| Instruction::new(Op::Binary(op), &operands.map(operand)))
            .collect();
        function.results[0].entries = vec![operand(operations.len() as i32 - 1)];
        program
    }

    fn cycles(program: &Program) -> usize {
        let mut known: Vec<usize> = Vec::new();
        for instruction in &program.function(FunctionKind::Forces).body {
            known.push(begin(instruction, &known) + latency(instruction.op));
        }
        known.into_iter().max().unwrap_or(0)
    }

    const P: i32 = -1;
    const V: i32 = -2;
    const T: i32 = -3;

    #[test]
    fn what_is_known_last_is_added_last() {
        use BinaryOp::{Add, Div, Mul, Sub};
        for (op, n) in [(Add, 4), (Sub, 4), (Mul, 5)] {
            // ((1/p + v) − t) + …, whose quotient is known last.
            let mut operations = vec![(Div, [V, P]), (op, [0, V]), (op, [1, T])];
            operations.extend((2..n).map(|k| (if k == 3 { Sub } else { op }, [k, P])));
            let before = program(&operations);
            let mut after = before.clone();
            run(&mut after);
            assert_eq!(verify(&after), Ok(()));
            assert_eq!(before.total_counts(), after.total_counts());
            assert!(cycles(&after) < cycles(&before), "{op:?}: {} cycles", cycles(&after));
            assert_same_values(&before, &after);
        }
    }

    #[test]
    fn signs_are_kept_whichever_term_comes_first() {
        use BinaryOp::{Add, Div, Sub};
        // (v − (t − (v/p − p))) − t: the quotient is added, p is subtracted twice.
        let before = program(&[
            (Div, [V, P]),
            (Sub, [0, P]),
            (Sub, [T, 1]),
            (Sub, [V, 2]),
            (Sub, [3, T]),
            (Add, [4, P]),
        ]);
        let mut after = before.clone();
        run(&mut after);
        assert_eq!((cycles(&before), cycles(&after)), (28, 16));
        assert_same_values(&before, &after);
    }

    #[test]
    fn a_partial_sum_that_is_read_twice_stays_whole() {
        use BinaryOp::{Add, Div, Mul};
        let before = program(&[(Div, [V, P]), (Add, [0, V]), (Add, [1, T]), (Mul, [2, 1])]);
        let mut after = before.clone();
        run(&mut after);
        assert_eq!(before.total_counts(), after.total_counts());
        assert_same_values(&before, &after);
    }

    #[test]
    fn nothing_changes_before_a_division() {
        use BinaryOp::{Add, Div, Mul};
        let before = program(&[(Mul, [V, P]), (Add, [0, V]), (Add, [1, T]), (Add, [2, P]), (Div, [3, P])]);
        let mut after = before.clone();
        run(&mut after);
        assert_eq!(cycles(&before), cycles(&after));
    }
}
