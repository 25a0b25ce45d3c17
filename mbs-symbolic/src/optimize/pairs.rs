//! Shares pairs of terms and pairs of factors.
//!
//! Of three factors (a·b)·c any two may be multiplied first, and of three terms any two may
//! be added first. Where a·b serves nothing else, and a·c or b·c is there already or could serve
//! several such products, that one is taken instead. Unlike `products` this never gives up
//! what is shared, so it only gains.

use super::builder::{Builder, is_parametric, parametric, rank, renamed};
use super::dead_code;
use crate::expr::BinaryOp;
use crate::program::{Function, FunctionKind, Instruction, Op, Operand, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// What one round finds may make room for the next; few find anything after these.
const MAX_ROUNDS: usize = 12;

/// Shares pairs in every function that is called more than once per parameter set.
pub fn run(program: &mut Program) {
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if kind.is_per_parameter_set() {
            continue;
        }
        share(function);
    }
}

/// Shares pairs in one function.
pub(super) fn share(function: &mut Function) {
    for _ in 0..MAX_ROUNDS {
        let Some(chosen) = choose(function) else { break };
        write(function, &chosen);
        dead_code::of_function(function);
    }
}

/// A factor, or a term with its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Member {
    operand: Operand,
    is_negative: bool,
}

/// Two members, the one of lower rank first and positive; `is_sum` tells terms from factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    is_sum: bool,
    first: Operand,
    second: Member,
}

/// How an instruction is written anew: the pair, with its sign, and what is left.
#[derive(Debug, Clone, Copy)]
struct Rewriting {
    pair: Pair,
    pair_is_negative: bool,
    rest: Member,
}

fn pair(is_sum: bool, a: Member, b: Member) -> (Pair, bool) {
    let (first, second) = if rank(a.operand) <= rank(b.operand) { (a, b) } else { (b, a) };
    let is_negative = first.is_negative;
    let second = Member { is_negative: second.is_negative != is_negative, ..second };
    (Pair { is_sum, first: first.operand, second }, is_negative)
}

/// The two members of an instruction that is a product or a sum.
fn members(instruction: &Instruction) -> Option<(bool, [Member; 2])> {
    let (is_sum, minus) = match instruction.op {
        Op::Binary(BinaryOp::Mul) => (false, false),
        Op::Binary(BinaryOp::Add) => (true, false),
        Op::Binary(BinaryOp::Sub) => (true, true),
        _ => return None,
    };
    let &[a, b] = instruction.operands() else { return None };
    let first = Member { operand: a, is_negative: false };
    Some((is_sum, [first, Member { operand: b, is_negative: minus }]))
}

/// An instruction that could be written anew, and the one it would no longer need.
#[derive(Debug, Clone, Copy)]
struct Wish {
    outer: usize,
    inner: usize,
    rewriting: Rewriting,
}

/// By pair, the instructions that could take it first instead of the pair they do, which nothing
/// else reads.
fn wishes(function: &Function, parametric: &[bool]) -> FxHashMap<Pair, Vec<Wish>> {
    let uses = function.uses();
    let mut all: FxHashMap<Pair, Vec<Wish>> = FxHashMap::default();
    for (outer, instruction) in function.body.iter().enumerate() {
        let Some((is_sum, both)) = members(instruction) else { continue };
        for (inside, other) in [(both[0], both[1]), (both[1], both[0])] {
            let Some(inner) = inside.operand.value() else { continue };
            if uses[inner] != 1 || parametric[inner] {
                continue;
            }
            let Some((inner_is_sum, [a, b])) = members(&function.body[inner]) else { continue };
            if inner_is_sum != is_sum {
                continue;
            }
            let signed =
                |member: Member| Member { is_negative: member.is_negative != inside.is_negative, ..member };
            let (a, b) = (signed(a), signed(b));
            for (kept, rest) in [(a, b), (b, a)] {
                let (pair, pair_is_negative) = pair(is_sum, kept, other);
                // Both negative would need one more change of sign.
                if pair_is_negative && rest.is_negative {
                    continue;
                }
                let list = all.entry(pair).or_default();
                // A square wants the same pair twice.
                if list.last().is_none_or(|last| last.outer != outer) {
                    list.push(Wish { outer, inner, rewriting: Rewriting { pair, pair_is_negative, rest } });
                }
            }
        }
    }
    all
}

/// The rewritings by instruction that together save operations; `None` if there are none.
fn choose(function: &Function) -> Option<FxHashMap<usize, Rewriting>> {
    let parametric = parametric(function);
    let mut existing: FxHashMap<Pair, usize> = FxHashMap::default();
    for (index, instruction) in function.body.iter().enumerate() {
        if let Some((is_sum, [a, b])) = members(instruction) {
            existing.entry(pair(is_sum, a, b).0).or_insert(index);
        }
    }
    let is_prepared = |pair: &Pair| {
        is_parametric(pair.first, &parametric) && is_parametric(pair.second.operand, &parametric)
    };
    let wishes = wishes(function, &parametric);
    let gain = |pair: &Pair, n: usize| {
        let is_free = existing.contains_key(pair) || is_prepared(pair);
        if is_free { n } else { n - 1 }
    };
    let mut candidates: Vec<(usize, Pair)> = wishes
        .iter()
        .map(|(pair, list)| (gain(pair, list.len()), *pair))
        .filter(|&(gain, _)| gain > 0)
        .collect();
    let place =
        |pair: &Pair| (rank(pair.first), rank(pair.second.operand), pair.second.is_negative, pair.is_sum);
    candidates.sort_by_key(|&(gain, pair)| (Reverse(gain), place(&pair)));
    let mut chosen: FxHashMap<usize, Rewriting> = FxHashMap::default();
    // Instructions no longer needed, and those that others now rely on.
    let (mut lost, mut relied_on) = (FxHashSet::default(), FxHashSet::default());
    for (_, pair) in candidates {
        let there = existing.get(&pair).copied().filter(|index| !lost.contains(index));
        let may_come_true = |wish: &&Wish| {
            let is_as_it_was = |index: usize| !lost.contains(&index) && !chosen.contains_key(&index);
            is_as_it_was(wish.outer) && is_as_it_was(wish.inner) && !relied_on.contains(&wish.inner)
        };
        let list: Vec<Wish> = wishes[&pair].iter().filter(may_come_true).copied().collect();
        let is_free = there.is_some() || is_prepared(&pair);
        if list.len() + usize::from(is_free) < 2 {
            continue;
        }
        for Wish { outer, inner, rewriting } in list {
            chosen.insert(outer, rewriting);
            lost.insert(inner);
        }
        relied_on.extend(there);
        relied_on.extend([pair.first, pair.second.operand].iter().filter_map(|operand| operand.value()));
    }
    (!chosen.is_empty()).then_some(chosen)
}

fn write(function: &mut Function, chosen: &FxHashMap<usize, Rewriting>) {
    let mut builder = Builder::default();
    let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
    for (index, instruction) in function.body.iter().enumerate() {
        let value = match chosen.get(&index) {
            None => builder.push(instruction.map(|operand| renamed(operand, &new_of))),
            Some(&Rewriting { pair, pair_is_negative, rest }) => {
                let [a, b] = [pair.first, pair.second.operand].map(|operand| renamed(operand, &new_of));
                let rest_value = renamed(rest.operand, &new_of);
                if pair.is_sum {
                    let both = if pair.second.is_negative {
                        builder.binary(BinaryOp::Sub, a, b)
                    } else {
                        builder.binary(BinaryOp::Add, a, b)
                    };
                    match (pair_is_negative, rest.is_negative) {
                        (true, _) => builder.binary(BinaryOp::Sub, rest_value, both),
                        (false, true) => builder.binary(BinaryOp::Sub, both, rest_value),
                        (false, false) => builder.binary(BinaryOp::Add, both, rest_value),
                    }
                } else {
                    let both = builder.binary(BinaryOp::Mul, a, b);
                    builder.binary(BinaryOp::Mul, both, rest_value)
                }
            }
        };
        if let Some(place) = value.value() {
            let label = &mut builder.body[place].label;
            *label = label.or(instruction.label);
        }
        new_of.push(value);
    }
    function.map_results(|entry| renamed(entry, &new_of));
    function.body = builder.body;
}

#[cfg(test)]
mod tests {
    use super::super::{hoist, testing::assert_same_values};
    use super::*;
    use crate::expr::Symbol;
    use crate::program::{Counts, fixture, lower};

    /// Costs of a force before and after; every instruction no other reads is added up in it.
    fn check(body: Vec<Instruction>, before: u32, after: u32) {
        let mut program = lower(&fixture::pendulum());
        let function = &mut program.functions[FunctionKind::Forces as usize];
        (function.body, function.results[0].entries) = (body, Vec::new());
        let uses = function.uses();
        let mut unread = (0..uses.len()).filter(|&index| uses[index] == 0).map(|i| Operand::Value(i as u32));
        let mut total = unread.next().expect("something is not read");
        for other in unread.collect::<Vec<_>>() {
            // A quotient, so that the sum itself is not taken apart.
            function.body.push(Instruction::new(Op::Binary(BinaryOp::Div), &[total, other]));
            total = Operand::Value(function.body.len() as u32 - 1);
        }
        function.results[0].entries = vec![total];
        let original = program.clone();
        run(&mut program);
        hoist::run(&mut program);
        let counts = |program: &Program| program.function(FunctionKind::Forces).counts();
        let Counts { div, .. } = counts(&original);
        let flops = |program: &Program| counts(program).flops() - div;
        assert_eq!((flops(&original), flops(&program)), (before, after));
        assert_same_values(&original, &program);
    }

    fn binary(op: BinaryOp, a: Operand, b: Operand) -> Instruction {
        Instruction::new(Op::Binary(op), &[a, b])
    }

    const TIME: Operand = Operand::Symbol(Symbol::Time);
    const P: Operand = Operand::Symbol(Symbol::P(0));
    const V: Operand = Operand::Symbol(Symbol::V(0));
    const U: Operand = Operand::Symbol(Symbol::U(0));
    const M: Operand = Operand::Symbol(Symbol::Theta(0));
    const L: Operand = Operand::Symbol(Symbol::Theta(1));

    #[test]
    fn factors_two_products_have_in_common_meet() {
        use BinaryOp::Mul;
        // (p*v)*t and (p*u)*t share p*t.
        let body = vec![
            binary(Mul, P, V),
            binary(Mul, Operand::Value(0), TIME),
            binary(Mul, P, U),
            binary(Mul, Operand::Value(2), TIME),
        ];
        check(body, 4, 3);
    }

    #[test]
    fn terms_that_are_a_difference_already_meet() {
        use BinaryOp::{Add, Sub};
        // (p + v) - t has the difference p - t in it, once it is looked for.
        let body = vec![binary(Sub, TIME, P), binary(Add, P, V), binary(Sub, Operand::Value(1), TIME)];
        check(body, 3, 2);
    }

    #[test]
    fn parameters_in_a_sum_meet() {
        use BinaryOp::Add;
        let body = vec![binary(Add, P, M), binary(Add, Operand::Value(0), L)];
        check(body, 2, 1);
    }

    #[test]
    fn what_is_read_elsewhere_stays() {
        use BinaryOp::{Div, Mul};
        // p*v is read twice: taking (p*v)*t apart would save nothing.
        let body = vec![
            binary(Mul, P, V),
            binary(Mul, Operand::Value(0), TIME),
            binary(Div, Operand::Value(0), U),
            binary(Mul, P, TIME),
        ];
        check(body, 3, 3);
    }
}
