//! Rotates vectors of parameters with three products instead of four (Gauss's trick).
//!
//! ```text
//! c x − s y = c (x + y) − (s + c) y
//! s x + c y = c (x + y) + (s − c) x
//! ```
//!
//! x + y depends on parameters alone and is hoisted; s + c and s − c serve all vectors that the same
//! angle turns, so that every vector but two saves an operation (Gauss's product of complex numbers).
//! What is rounded is of the size of x and y, as before.

use super::builder::{Builder, is_parametric, parametric, rank, renamed};
use super::dead_code;
use crate::expr::BinaryOp;
use crate::program::{Function, FunctionKind, Op, Operand, Program};
use rustc_hash::FxHashMap;

/// Fewer vectors turned by one angle gain nothing.
const FEWEST: usize = 3;

/// Turns vectors in every function that is called more than once per parameter set.
pub fn run(program: &mut Program) {
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if !kind.is_per_parameter_set() {
            turn(function);
            dead_code::of_function(function);
        }
    }
}

/// ± value · parameter.
#[derive(Debug, Clone, Copy)]
struct Term {
    is_negative: bool,
    value: Operand,
    parameter: Operand,
}

/// A sum of two such terms, by the order of their values.
#[derive(Debug, Clone, Copy)]
struct Sum {
    index: usize,
    terms: [Term; 2],
}

/// c (x + y) ± (s ∓ c) · `other`, one of the two components of a turned vector.
#[derive(Debug, Clone, Copy)]
struct Component {
    c: Operand,
    s: Operand,
    /// x and y.
    both: [Operand; 2],
    other: Operand,
    /// Of the first product and of the second.
    is_negative: [bool; 2],
}

fn turn(function: &mut Function) {
    let components = components(function);
    if components.is_empty() {
        return;
    }
    let mut builder = Builder::default();
    let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
    for (index, instruction) in function.body.iter().enumerate() {
        let value = match components.get(&index) {
            Some(component) => {
                let value = component.write(&mut builder, &new_of);
                if let Some(place) = value.value() {
                    let label = &mut builder.body[place].label;
                    *label = label.or(instruction.label);
                }
                value
            }
            None => builder.push(instruction.map(|operand| renamed(operand, &new_of))),
        };
        new_of.push(value);
    }
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = builder.body;
}

/// How to write components of turned vectors anew, by instruction.
fn components(function: &Function) -> FxHashMap<usize, Component> {
    let mut by_values: Vec<([Operand; 2], Vec<Sum>)> = Vec::new();
    let mut place: FxHashMap<[Operand; 2], usize> = FxHashMap::default();
    for sum in sums(function) {
        let values = sum.terms.map(|term| term.value);
        let at = *place.entry(values).or_insert_with(|| {
            by_values.push((values, Vec::new()));
            by_values.len() - 1
        });
        by_values[at].1.push(sum);
    }
    let mut found = FxHashMap::default();
    for ([c, s], sums) in by_values {
        let pairs = pairs(&sums);
        if pairs.len() < FEWEST {
            continue;
        }
        for [first, second] in pairs {
            // ±c x ± s y and ±c y ± s x
            let both = [first.terms[0].parameter, first.terms[1].parameter];
            for sum in [first, second] {
                let [with_c, with_s] = sum.terms;
                let is_negative = [with_c.is_negative, with_s.is_negative];
                found.insert(sum.index, Component { c, s, both, other: with_s.parameter, is_negative });
            }
        }
    }
    found
}

/// The sums whose two products nothing else reads.
fn sums(function: &Function) -> Vec<Sum> {
    let (parametric, uses) = (parametric(function), function.uses());
    let term = |operand: Operand, is_negative: bool| -> Option<Term> {
        let index = operand.value().filter(|&index| uses[index] == 1)?;
        let product = &function.body[index];
        let (Op::Binary(BinaryOp::Mul), &[a, b]) = (product.op, product.operands()) else { return None };
        match [a, b].map(|factor| is_parametric(factor, &parametric)) {
            [true, false] => Some(Term { is_negative, value: b, parameter: a }),
            [false, true] => Some(Term { is_negative, value: a, parameter: b }),
            _ => None,
        }
    };
    let sum = |index: usize| -> Option<Sum> {
        let instruction = &function.body[index];
        let minus = match instruction.op {
            Op::Binary(BinaryOp::Add) => false,
            Op::Binary(BinaryOp::Sub) => true,
            _ => return None,
        };
        let &[a, b] = instruction.operands() else { return None };
        let mut terms = [term(a, false)?, term(b, minus)?];
        terms.sort_by_key(|term| rank(term.value));
        (terms[0].value != terms[1].value).then_some(Sum { index, terms })
    };
    (0..function.body.len()).filter_map(sum).collect()
}

/// Sums of the same two values that are a vector and turned by them: parameters change places, and one
/// of four signs differs from the others.
fn pairs(sums: &[Sum]) -> Vec<[Sum; 2]> {
    let mut taken = vec![false; sums.len()];
    let mut found = Vec::new();
    for (place, first) in sums.iter().enumerate() {
        let fits = |other: &Sum| {
            let parameters = |sum: &Sum| sum.terms.map(|term| term.parameter);
            let [x, y] = parameters(first);
            let signs = first.terms.iter().chain(&other.terms).filter(|term| term.is_negative);
            parameters(other) == [y, x] && signs.count() % 2 == 1
        };
        let partner = (place + 1..sums.len()).find(|&other| !taken[other] && fits(&sums[other]));
        if let Some(partner) = partner.filter(|_| !taken[place]) {
            (taken[place], taken[partner]) = (true, true);
            found.push([*first, sums[partner]]);
        }
    }
    found
}

impl Component {
    fn write(&self, builder: &mut Builder, new_of: &[Operand]) -> Operand {
        let [c, s, x, y, other] =
            [self.c, self.s, self.both[0], self.both[1], self.other].map(|operand| renamed(operand, new_of));
        let both = builder.binary(BinaryOp::Add, x, y);
        let common = builder.binary(BinaryOp::Mul, c, both);
        // ±c x ± s y = ±(c (x + y)) ± (s ∓ c) y: where the signs are the same, c y is taken away.
        let mixed = if self.is_negative[0] == self.is_negative[1] { BinaryOp::Sub } else { BinaryOp::Add };
        let mixed = builder.binary(mixed, s, c);
        let rest = builder.binary(BinaryOp::Mul, mixed, other);
        match self.is_negative {
            [false, false] => builder.binary(BinaryOp::Add, common, rest),
            [false, true] => builder.binary(BinaryOp::Sub, common, rest),
            [true, false] => builder.binary(BinaryOp::Sub, rest, common),
            [true, true] => {
                let sum = builder.binary(BinaryOp::Add, common, rest);
                builder.negate(sum)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{hoist, testing::assert_same_values};
    use super::*;
    use crate::expr::{Symbol, UnaryOp};
    use crate::program::{Instruction, fixture, lower};

    /// Flops before and after with `n` vectors turned back and forth.
    fn flops(n: usize) -> (u32, u32) {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let [m, l, g, p] =
            [Symbol::Theta(0), Symbol::Theta(1), Symbol::Theta(2), Symbol::P(0)].map(Operand::Symbol);
        let vectors = [(m, 0.3), (l, 0.7), (g, 1.1), (Operand::constant(1.7), 0.2)];
        let (sine, cosine) = (Operand::Value(0), Operand::Value(1));
        function.body = [UnaryOp::Sin, UnaryOp::Cos].map(|op| Instruction::new(Op::Unary(op), &[p])).to_vec();
        let mut entries = Vec::new();
        for (place, &(x, y)) in vectors[..n].iter().enumerate() {
            let y = Operand::constant(y);
            let (first, second) =
                if place % 2 == 0 { (BinaryOp::Sub, BinaryOp::Add) } else { (BinaryOp::Add, BinaryOp::Sub) };
            for (op, factors) in [(first, [(cosine, x), (sine, y)]), (second, [(sine, x), (cosine, y)])] {
                let at = function.body.len() as u32;
                let product = |(a, b)| Instruction::new(Op::Binary(BinaryOp::Mul), &[a, b]);
                function.body.extend(factors.map(product));
                let both = [Operand::Value(at), Operand::Value(at + 1)];
                function.body.push(Instruction::new(Op::Binary(op), &both));
                entries.push(Operand::Value(at + 2));
            }
        }
        // Quotients, so that all are read and nothing is shared.
        let total = entries.into_iter().reduce(|a, b| {
            function.body.push(Instruction::new(Op::Binary(BinaryOp::Div), &[a, b]));
            Operand::Value(function.body.len() as u32 - 1)
        });
        function.results[0].entries = total.into_iter().collect();
        let before = program.clone();
        run(&mut program);
        hoist::run(&mut program);
        assert_same_values(&before, &program);
        let without_quotients = |program: &Program| {
            let counts = program.function(FunctionKind::Forces).counts();
            counts.flops() - counts.div
        };
        (without_quotients(&before), without_quotients(&program))
    }

    #[test]
    fn every_vector_but_two_saves_an_operation() {
        assert_eq!(flops(2), (12, 12));
        assert_eq!(flops(3), (18, 17));
        assert_eq!(flops(4), (24, 22));
    }
}
