//! Shares parts of products.
//!
//! s·(v·c) and c·(v·s) are one value, and x·y·z and x·y·w share x·y, but only once the order
//! of factors is given up: every product becomes a list of factors, and the pair of factors
//! most products have in common becomes a factor of its own, again and again. What depends on
//! parameters alone is one factor, for hoisting, or one beside a number.

use super::builder::{Builder, is_parametric, parametric, rank, renamed};
use super::{dead_code, factor};
use crate::expr::BinaryOp;
use crate::program::{Function, FunctionKind, Op, Operand, Program};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Products of more factors than this are not taken apart further.
const MAX_FACTORS: usize = 8;

/// Of functions of more instructions than this one way is tried, for the time it takes.
const LONG: usize = 3000;

/// What becomes of numbers in products. Neither way is always the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumericFactors {
    /// They are one factor with the parameters.
    WithParameters,
    /// They are factors of their own: 2·l·x·y and l·x·z share l·x.
    Apart,
}

impl NumericFactors {
    const ALL: [Self; 2] = [Self::WithParameters, Self::Apart];
}

/// Shares products in every function that is called more than once per parameter set.
pub fn run(program: &mut Program) {
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if kind.is_per_parameter_set() {
            continue;
        }
        share(function);
    }
    dead_code::run(program);
}

/// Shares products in one function, if it gains.
pub(super) fn share(function: &mut Function) {
    let n = function.body.len();
    let may_split = n <= LONG && (0..n).any(|index| has_number(function, index));
    let ways = if may_split { &NumericFactors::ALL[..] } else { &[NumericFactors::WithParameters] };
    let tried = ways.iter().map(|&numeric| {
        let mut shared = Products::find(function, numeric).write(function);
        // Products that became equal may have become common factors.
        factor::take_out(&mut shared);
        (cost(&shared), shared)
    });
    // Among equals the first.
    if let Some((least, shared)) = tried.min_by_key(|(cost, _)| *cost)
        && least < cost(function)
    {
        *function = shared;
    }
}

/// Operations that are left once parameter-only ones are hoisted and dead ones dropped.
pub(super) fn cost(function: &Function) -> usize {
    let parametric = parametric(function);
    let mut live = vec![false; function.body.len()];
    function.entries().filter_map(Operand::value).for_each(|index| live[index] = true);
    let mut count = 0;
    for index in (0..function.body.len()).rev().filter(|&index| !parametric[index]) {
        if live[index] {
            count += usize::from(function.body[index].op.cost() != crate::expr::CostClass::Free);
            function.body[index]
                .operands()
                .iter()
                .filter_map(|operand| operand.value())
                .for_each(|operand| live[operand] = true);
        }
    }
    count
}

/// Whether an instruction is a product with a number.
fn has_number(function: &Function, index: usize) -> bool {
    let instruction = &function.body[index];
    let is_number = |operand: &Operand| matches!(operand, Operand::Constant(_));
    instruction.op == Op::Binary(BinaryOp::Mul) && instruction.operands().iter().any(is_number)
}

/// A factor, by its index in [`Products::factors`].
type FactorId = u32;

#[derive(Debug, Clone)]
enum Factor {
    /// A value that is no product.
    Value(Operand),
    /// A product of parameters.
    Coefficient(Vec<Operand>),
    /// Two factors that several products have in common.
    Pair(FactorId, FactorId),
}

struct Products {
    factors: Vec<Factor>,
    /// The product behind each instruction that something else than a product reads.
    of: FxHashMap<usize, usize>,
    /// Sorted lists of factors.
    lists: Vec<Vec<FactorId>>,
    /// Instructions that are products and taken apart wherever they are read by one.
    is_open: Vec<bool>,
}

impl Products {
    fn find(function: &Function, numeric: NumericFactors) -> Self {
        let parametric = parametric(function);
        let n = function.body.len();
        let mut is_open = vec![false; n];
        let mut degree = vec![1_usize; n];
        for (index, instruction) in function.body.iter().enumerate() {
            if instruction.op == Op::Binary(BinaryOp::Mul) && !parametric[index] {
                let of = |operand: &Operand| operand.value().map_or(1, |value| degree[value]);
                let total: usize = instruction.operands().iter().map(of).sum();
                is_open[index] = total <= MAX_FACTORS;
                degree[index] = if is_open[index] { total } else { 1 };
            }
        }
        let mut needed: BTreeSet<usize> = function.entries().filter_map(Operand::value).collect();
        for (instruction, _) in function.body.iter().zip(&is_open).filter(|(_, is_open)| !**is_open) {
            needed.extend(instruction.operands().iter().filter_map(|operand| operand.value()));
        }
        let mut all = Self { factors: Vec::new(), of: FxHashMap::default(), lists: Vec::new(), is_open };
        let mut known: FxHashMap<Vec<Operand>, FactorId> = FxHashMap::default();
        for index in needed {
            if !all.is_open[index] {
                continue;
            }
            let (mut coefficient, mut list) = (Vec::new(), Vec::new());
            let mut stack = vec![Operand::Value(index as u32)];
            while let Some(operand) = stack.pop() {
                match operand.value() {
                    Some(value) if all.is_open[value] => stack.extend(function.body[value].operands()),
                    Some(value) if numeric == NumericFactors::Apart && has_number(function, value) => {
                        stack.extend(function.body[value].operands());
                    }
                    _ if is_parametric(operand, &parametric) => coefficient.push(operand),
                    _ => list.push(all.factor(&mut known, vec![operand], false)),
                }
            }
            coefficient.sort_by_key(|&operand| rank(operand));
            let is_number = |operand: &Operand| matches!(operand, Operand::Constant(_));
            let n_numbers = match numeric {
                NumericFactors::WithParameters => 0,
                NumericFactors::Apart => coefficient.partition_point(is_number),
            };
            let parameters = coefficient.split_off(n_numbers);
            for part in [coefficient, parameters] {
                if !part.is_empty() {
                    list.push(all.factor(&mut known, part, true));
                }
            }
            list.sort_unstable();
            all.of.insert(index, all.lists.len());
            all.lists.push(list);
        }
        all.share();
        all
    }

    fn factor(
        &mut self,
        known: &mut FxHashMap<Vec<Operand>, FactorId>,
        operands: Vec<Operand>,
        parametric: bool,
    ) -> FactorId {
        if let Some(&id) = known.get(&operands) {
            return id;
        }
        let id = self.factors.len() as FactorId;
        known.insert(operands.clone(), id);
        self.factors.push(if parametric {
            Factor::Coefficient(operands)
        } else {
            Factor::Value(operands[0])
        });
        id
    }

    /// Makes factors of the pairs most lists have in common.
    fn share(&mut self) {
        let mut members: FxHashMap<(FactorId, FactorId), BTreeSet<usize>> = FxHashMap::default();
        let mut queue = BinaryHeap::new();
        for (index, list) in self.lists.iter().enumerate() {
            for pair in pairs(list) {
                members.entry(pair).or_default().insert(index);
            }
        }
        // Of pairs that equally many have in common, one that is a product by itself goes first: it is
        // needed anyway.
        let worth = |lists: &[Vec<FactorId>], set: &BTreeSet<usize>| {
            (set.len(), set.iter().any(|&index| lists[index].len() == 2))
        };
        let shared = members.iter().filter(|(_, set)| set.len() > 1);
        queue.extend(shared.map(|(&pair, set)| (worth(&self.lists, set), Reverse(pair))));
        while let Some((expected, Reverse(pair))) = queue.pop() {
            let now = members.get(&pair).map_or((0, false), |set| worth(&self.lists, set));
            if now != expected {
                if now.0 > 1 {
                    queue.push((now, Reverse(pair)));
                }
                continue;
            }
            let new = self.factors.len() as FactorId;
            self.factors.push(Factor::Pair(pair.0, pair.1));
            let lists: Vec<usize> = members[&pair].iter().copied().collect();
            let mut grown = BTreeSet::new();
            for index in lists {
                let list = &mut self.lists[index];
                for pair in pairs(list) {
                    members.entry(pair).or_default().remove(&index);
                }
                for factor in [pair.0, pair.1] {
                    if let Some(place) = list.iter().position(|&own| own == factor) {
                        list.remove(place);
                    }
                }
                list.push(new);
                for pair in pairs(list) {
                    members.entry(pair).or_default().insert(index);
                    grown.insert(pair);
                }
            }
            for pair in grown {
                let worth = worth(&self.lists, &members[&pair]);
                if worth.0 > 1 {
                    queue.push((worth, Reverse(pair)));
                }
            }
        }
    }

    fn write(&self, function: &Function) -> Function {
        let mut writer =
            Writer { products: self, builder: Builder::default(), done: vec![None; self.factors.len()] };
        let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
        for (index, instruction) in function.body.iter().enumerate() {
            let value = if self.is_open[index] {
                match self.of.get(&index) {
                    Some(&list) => writer.product(&self.lists[list], &new_of, instruction.label),
                    None => Operand::Value(u32::MAX),
                }
            } else {
                writer.builder.push(instruction.map(|operand| renamed(operand, &new_of)))
            };
            new_of.push(value);
        }
        let mut shared = Function { body: writer.builder.body, results: function.results.clone() };
        shared.map_results(|entry| renamed(entry, &new_of));
        shared
    }
}

struct Writer<'p> {
    products: &'p Products,
    builder: Builder,
    done: Vec<Option<Operand>>,
}

impl Writer<'_> {
    fn product(&mut self, list: &[FactorId], new_of: &[Operand], label: Option<u32>) -> Operand {
        let is_fixed =
            |factor: &FactorId| matches!(self.products.factors[*factor as usize], Factor::Coefficient(_));
        // NumericFactors and parameters left alone are one factor, for hoisting.
        let (fixed, moving): (Vec<FactorId>, Vec<FactorId>) =
            list.iter().partition(|factor| is_fixed(factor));
        let fixed: Vec<Operand> = fixed.into_iter().map(|factor| self.factor(factor, new_of)).collect();
        let fixed = fixed.into_iter().reduce(|a, b| self.builder.binary(BinaryOp::Mul, a, b));
        let mut values: Vec<Operand> = moving.into_iter().map(|factor| self.factor(factor, new_of)).collect();
        values.extend(fixed);
        values.sort_by_key(|&value| Reverse(rank(value)));
        let product = values.into_iter().reduce(|a, b| self.builder.binary(BinaryOp::Mul, a, b));
        let value = product.unwrap_or(Operand::constant(1.0));
        if let Some(index) = value.value() {
            let own = &mut self.builder.body[index].label;
            *own = own.or(label);
        }
        value
    }

    /// The value of a factor; pairs of pairs are few levels deep.
    fn factor(&mut self, id: FactorId, new_of: &[Operand]) -> Operand {
        if let Some(value) = self.done[id as usize] {
            return value;
        }
        let value = match self.products.factors[id as usize].clone() {
            Factor::Value(operand) => renamed(operand, new_of),
            Factor::Coefficient(operands) => {
                let parts = operands.into_iter().map(|operand| renamed(operand, new_of));
                let parts: Vec<Operand> = parts.collect();
                let product = parts.into_iter().reduce(|a, b| self.builder.binary(BinaryOp::Mul, a, b));
                product.unwrap_or(Operand::constant(1.0))
            }
            Factor::Pair(a, b) => {
                let (a, b) = (self.factor(a, new_of), self.factor(b, new_of));
                self.builder.binary(BinaryOp::Mul, a, b)
            }
        };
        self.done[id as usize] = Some(value);
        value
    }
}

/// The pairs in a sorted list of factors, each once.
fn pairs(list: &[FactorId]) -> Vec<(FactorId, FactorId)> {
    let mut all = Vec::with_capacity(list.len() * list.len() / 2);
    for (i, &a) in list.iter().enumerate() {
        for &b in &list[i + 1..] {
            all.push((a.min(b), a.max(b)));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_same_values;
    use super::*;
    use crate::expr::Symbol;
    use crate::program::{Instruction, fixture, lower};

    #[test]
    fn products_in_any_order_share() {
        let mut program = lower(&fixture::pendulum());
        let [m, p, v] = [Symbol::Theta(0), Symbol::P(0), Symbol::V(0)].map(Operand::Symbol);
        let mul = |a, b| Instruction::new(Op::Binary(BinaryOp::Mul), &[a, b]);
        let function = &mut program.functions[FunctionKind::Forces as usize];
        let t = Operand::Symbol(Symbol::Time);
        // p*(v*t) + t*(p*v) + m*(p*v)
        function.body = vec![
            mul(v, t),
            mul(p, Operand::Value(0)),
            mul(p, v),
            mul(t, Operand::Value(2)),
            mul(m, Operand::Value(2)),
            Instruction::new(Op::Binary(BinaryOp::Add), &[Operand::Value(1), Operand::Value(3)]),
            Instruction::new(Op::Binary(BinaryOp::Add), &[Operand::Value(4), Operand::Value(5)]),
        ];
        function.results[0].entries = vec![Operand::Value(6)];
        let before = program.clone();
        run(&mut program);
        let counts = program.function(FunctionKind::Forces).counts();
        assert_eq!((counts.mul, counts.add), (3, 2));
        assert_same_values(&before, &program);
    }
}
