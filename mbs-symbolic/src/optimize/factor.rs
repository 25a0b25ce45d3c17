//! Factorisation: takes common factors out of sums, a·x + b·x becomes (a + b)·x.
//!
//! Terms that differ only in their parameters are merged first, which makes
//! parameter-only sums for hoisting; then the factor most terms share is taken out.
//! Only sums and products read once are taken apart, and only if it saves work.

use super::builder::{Builder, is_parametric, parametric, rank, renamed};
use super::dead_code;
use crate::expr::{BinaryOp, UnaryOp};
use crate::program::{Function, FunctionKind, Op, Operand, Program};
use rustc_hash::FxHashMap;

/// Sums longer than this are left alone, which keeps the search for common factors
/// cheap.
const MAX_SUM: usize = 200;

/// Factors are taken out one level at a time; deeper nesting than this gains little.
const ROUNDS: usize = 4;

/// Factors the sums of every function that is called more than once per parameter
/// set.
pub fn run(program: &mut Program) {
    for (kind, function) in FunctionKind::ALL.into_iter().zip(&mut program.functions) {
        if kind.is_per_parameter_set() {
            continue;
        }
        take_out(function);
    }
    dead_code::run(program);
}

/// Takes common factors out of the sums of one function, level by level.
pub(super) fn take_out(function: &mut Function) {
    for _ in 0..ROUNDS {
        if !factor(function) {
            break;
        }
    }
}

/// One level; whether anything changed.
fn factor(function: &mut Function) -> bool {
    let mut sums = Sums::find(function);
    let mut plans: Vec<Option<Plan>> = Vec::with_capacity(function.body.len());
    for index in 0..function.body.len() {
        let plan = sums.is_root(index).then(|| sums.plan(function, index)).flatten();
        plans.push(plan);
    }
    // Only what a plan takes apart may be left out.
    sums.absorbed.fill(false);
    for inner in plans.iter().flatten().flat_map(|plan| &plan.inner) {
        sums.absorbed[*inner] = true;
    }
    let mut builder = Builder::default();
    let mut new_of: Vec<Operand> = Vec::with_capacity(function.body.len());
    for (index, instruction) in function.body.iter().enumerate() {
        let value = match &plans[index] {
            _ if sums.absorbed[index] => Operand::Value(u32::MAX),
            Some(plan) => {
                let value = plan.write(&mut builder, &new_of);
                if let Some(value) = value.value() {
                    let label = &mut builder.body[value].label;
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
    plans.iter().any(Option::is_some)
}

/// Which instructions are sums, and which sums and products are read once.
struct Sums {
    parametric: Vec<bool>,
    uses: Vec<u32>,
    is_sum: Vec<bool>,
    absorbed: Vec<bool>,
}

/// ± a product of parameters.
type Coefficient = (bool, Vec<Operand>);

/// One term of a sum: Σ (± parameters) · factors.
struct Term {
    coefficients: Vec<Coefficient>,
    /// In order of [`rank`].
    factors: Vec<Operand>,
}

/// A sum as it will be written: each group is a common factor, if any, times the sum
/// of its terms.
struct Plan {
    groups: Vec<(Option<Operand>, Vec<Term>)>,
    inner: Vec<usize>,
}

impl Sums {
    fn find(function: &Function) -> Self {
        let (parametric, uses) = (parametric(function), function.uses());
        let is_sum: Vec<bool> = function
            .body
            .iter()
            .zip(&parametric)
            .map(|(instruction, parametric)| {
                let sum = matches!(
                    instruction.op,
                    Op::Binary(BinaryOp::Add | BinaryOp::Sub) | Op::Unary(UnaryOp::Neg)
                );
                sum && !parametric
            })
            .collect();
        let mut absorbed = vec![false; function.body.len()];
        for (instruction, _) in function.body.iter().zip(&is_sum).filter(|(_, sum)| **sum) {
            for inner in instruction.operands().iter().filter_map(|operand| operand.value()) {
                absorbed[inner] |= is_sum[inner] && uses[inner] == 1;
            }
        }
        Self { parametric, uses, is_sum, absorbed }
    }

    fn is_root(&self, index: usize) -> bool {
        self.is_sum[index] && !self.absorbed[index]
    }

    /// A cheaper way to write the sum at `root`, if there is one.
    fn plan(&self, function: &Function, root: usize) -> Option<Plan> {
        let mut inner = Vec::new();
        let mut terms: Vec<Term> = Vec::new();
        let mut place: FxHashMap<Vec<Operand>, usize> = FxHashMap::default();
        let mut stack = vec![(false, Operand::Value(root as u32))];
        let mut n_terms = 0;
        while let Some((negative, operand)) = stack.pop() {
            if let Some(index) = operand.value()
                && (index == root || self.absorbed[index])
            {
                inner.push(index);
                let instruction = &function.body[index];
                // The last operand first, so that the first lies on top.
                for (position, &operand) in instruction.operands().iter().enumerate().rev() {
                    let flips = match instruction.op {
                        Op::Binary(BinaryOp::Sub) => position == 1,
                        op => op == Op::Unary(UnaryOp::Neg),
                    };
                    stack.push((negative != flips, operand));
                }
                continue;
            }
            n_terms += 1;
            if n_terms > MAX_SUM {
                return None;
            }
            let (coefficient, factors) = self.monomial(function, operand, &mut inner);
            let at = *place.entry(factors.clone()).or_insert_with(|| {
                terms.push(Term { coefficients: Vec::new(), factors });
                terms.len() - 1
            });
            terms[at].add(negative, coefficient);
        }
        terms.retain(|term| !term.coefficients.is_empty());
        let before: u32 = inner.iter().map(|&index| cost(function.body[index].op)).sum();
        inner.retain(|&index| index != root);
        let groups = group(terms);
        let after = cost_of(&groups);
        (after < before).then_some(Plan { groups, inner })
    }

    /// An operand as parameters times factors; products read once are taken apart.
    fn monomial(
        &self,
        function: &Function,
        root: Operand,
        inner: &mut Vec<usize>,
    ) -> (Vec<Operand>, Vec<Operand>) {
        let (mut coefficient, mut factors) = (Vec::new(), Vec::new());
        let mut stack = vec![root];
        while let Some(operand) = stack.pop() {
            match operand.value() {
                _ if is_parametric(operand, &self.parametric) => coefficient.push(operand),
                Some(index)
                    if self.uses[index] == 1 && function.body[index].op == Op::Binary(BinaryOp::Mul) =>
                {
                    inner.push(index);
                    stack.extend(function.body[index].operands().iter().rev());
                }
                _ => factors.push(operand),
            }
        }
        coefficient.sort_by_key(|&operand| rank(operand));
        factors.sort_by_key(|&operand| rank(operand));
        (coefficient, factors)
    }
}

fn cost(op: Op) -> u32 {
    u32::from(op != Op::Unary(UnaryOp::Neg))
}

impl Term {
    /// Adds ± `product` to the coefficient; opposite products cancel.
    fn add(&mut self, negative: bool, product: Vec<Operand>) {
        match self.coefficients.iter().position(|known| *known == (!negative, product.clone())) {
            Some(opposite) => drop(self.coefficients.remove(opposite)),
            None => self.coefficients.push((negative, product)),
        }
    }

    /// The parameter that is its whole coefficient.
    fn single_coefficient(&self) -> Option<Operand> {
        match self.coefficients.as_slice() {
            [(_, product)] if product.len() == 1 => Some(product[0]),
            _ => None,
        }
    }

    /// What might be taken out of it, each once.
    fn candidates(&self) -> Vec<Operand> {
        let mut candidates = self.factors.clone();
        candidates.dedup();
        candidates.extend(self.single_coefficient());
        candidates
    }

    /// Takes one factor out.
    fn divide(&mut self, factor: Operand) {
        match self.factors.iter().position(|&own| own == factor) {
            Some(position) => drop(self.factors.remove(position)),
            None => self.coefficients.iter_mut().for_each(|(_, product)| product.clear()),
        }
    }

    /// Multiplications it takes, parameters among themselves not counted.
    fn multiplications(&self) -> u32 {
        let plain = matches!(self.coefficients.as_slice(), [(_, product)] if product.is_empty());
        match (self.factors.len() as u32, plain) {
            (0, _) => 0,
            (factors, true) => factors - 1,
            (factors, false) => factors,
        }
    }
}

/// Takes out, again and again, the factor most of the remaining terms share.
fn group(mut terms: Vec<Term>) -> Vec<(Option<Operand>, Vec<Term>)> {
    let mut groups = Vec::new();
    loop {
        let mut shared: FxHashMap<Operand, u32> = FxHashMap::default();
        let mut order = Vec::new();
        for candidate in terms.iter().flat_map(Term::candidates) {
            let count = shared.entry(candidate).or_insert_with(|| {
                order.push(candidate);
                0
            });
            *count += 1;
        }
        // Among equals the first met, which is the same on every machine.
        let best = order.into_iter().rev().max_by_key(|candidate| shared[candidate]);
        let Some(factor) = best.filter(|best| shared[best] >= 2) else { break };
        let (mut with, without): (Vec<Term>, Vec<Term>) =
            terms.into_iter().partition(|term| term.candidates().contains(&factor));
        with.iter_mut().for_each(|term| term.divide(factor));
        groups.push((Some(factor), with));
        terms = without;
    }
    if !terms.is_empty() {
        groups.push((None, terms));
    }
    groups
}

/// Operations a plan takes, parameters among themselves not counted.
fn cost_of(groups: &[(Option<Operand>, Vec<Term>)]) -> u32 {
    let mut n_summands = 0;
    let mut operations = 0;
    for (factor, terms) in groups {
        let free = terms.iter().filter(|term| term.factors.is_empty()).count() as u32;
        // Parameter-only terms become one.
        let summands = terms.len() as u32 - free.saturating_sub(1);
        operations += terms.iter().map(Term::multiplications).sum::<u32>();
        match factor {
            Some(_) => {
                operations += summands; // summands − 1 additions and one product
                n_summands += 1;
            }
            None => n_summands += summands,
        }
    }
    operations + n_summands.max(1) - 1
}

impl Plan {
    fn write(&self, builder: &mut Builder, new_of: &[Operand]) -> Operand {
        let mut summands = Vec::new();
        for (factor, terms) in &self.groups {
            let mut inner: Vec<(bool, Operand)> = Vec::new();
            // Parameter-only terms first, so that their sum can be hoisted.
            let (fixed, moving): (Vec<&Term>, Vec<&Term>) =
                terms.iter().partition(|term| term.factors.is_empty());
            for term in fixed.into_iter().chain(moving) {
                inner.push(term.write(builder, new_of));
            }
            match factor {
                None => summands.extend(inner),
                Some(factor) => {
                    let (negative, sum) = add_up(builder, &inner);
                    let factor = renamed(*factor, new_of);
                    summands.push((negative, builder.binary(BinaryOp::Mul, factor, sum)));
                }
            }
        }
        let (negative, sum) = add_up(builder, &summands);
        if negative { builder.negate(sum) } else { sum }
    }
}

impl Term {
    /// The value and whether it is to be subtracted.
    fn write(&self, builder: &mut Builder, new_of: &[Operand]) -> (bool, Operand) {
        let one = Operand::constant(1.0);
        let product = |builder: &mut Builder, factors: &[Operand]| {
            let factors = factors.iter().map(|&factor| renamed(factor, new_of));
            factors.reduce(|a, b| builder.binary(BinaryOp::Mul, a, b))
        };
        let coefficients: Vec<(bool, Operand)> = self
            .coefficients
            .iter()
            .map(|(negative, factors)| (*negative, product(builder, factors).unwrap_or(one)))
            .collect();
        let (negative, coefficient) = add_up(builder, &coefficients);
        match product(builder, &self.factors) {
            Some(factors) => (negative, builder.binary(BinaryOp::Mul, coefficient, factors)),
            None => (negative, coefficient),
        }
    }
}

/// The sum of signed values, and whether it is to be negated.
fn add_up(builder: &mut Builder, summands: &[(bool, Operand)]) -> (bool, Operand) {
    let first_positive = summands.iter().position(|(negative, _)| !negative);
    let Some(&(negative, mut sum)) = summands.get(first_positive.unwrap_or(0)) else {
        return (false, Operand::constant(0.0));
    };
    for (position, &(minus, summand)) in summands.iter().enumerate() {
        if position != first_positive.unwrap_or(0) {
            let op = if minus == negative { BinaryOp::Add } else { BinaryOp::Sub };
            sum = builder.binary(op, sum, summand);
        }
    }
    (negative, sum)
}

#[cfg(test)]
mod tests {
    use super::super::{hoist, testing::assert_same_values};
    use super::*;
    use crate::expr::{Graph, Symbol};
    use crate::ids::ExprId;
    use crate::program::{Counts, fixture, lower};

    /// Costs of the pendulum's force before and after, with `force` in its place.
    fn check(force: impl Fn(&mut Graph) -> ExprId, before: u32, after: u32) -> Counts {
        let mut equations = fixture::pendulum();
        equations.forces = vec![force(&mut equations.graph)];
        let original = lower(&equations);
        let mut program = original.clone();
        run(&mut program);
        hoist::run(&mut program);
        let counts = |program: &Program| program.function(FunctionKind::Forces).counts();
        assert_eq!((counts(&original).flops(), counts(&program).flops()), (before, after));
        assert_same_values(&original, &program);
        counts(&program)
    }

    fn symbols(g: &mut Graph) -> [ExprId; 4] {
        [Symbol::Theta(0), Symbol::Theta(1), Symbol::P(0), Symbol::V(0)].map(|symbol| g.symbol(symbol))
    }

    #[test]
    fn terms_that_differ_in_parameters_are_merged() {
        // m*(p*v) - l*(p*v), p*v read by one of them only
        let force = |g: &mut Graph| {
            let [m, l, p, v] = symbols(g);
            let (mp, lv) = (g.mul(m, p), g.mul(l, v));
            let (a, b) = (g.mul(mp, v), g.mul(lv, p));
            g.sub(a, b)
        };
        check(force, 5, 2);
    }

    #[test]
    fn a_common_factor_is_taken_out() {
        // m*p + m*v - p = m*(p + v) - p
        let force = |g: &mut Graph| {
            let [m, _, p, v] = symbols(g);
            let (a, b) = (g.mul(m, p), g.mul(m, v));
            let sum = g.add(a, b);
            let square = g.mul(v, v);
            g.sub(sum, square)
        };
        let counts = check(force, 5, 4);
        assert_eq!((counts.add, counts.mul), (2, 2));
    }

    #[test]
    fn all_terms_may_be_negative() {
        let force = |g: &mut Graph| {
            let [m, _, p, v] = symbols(g);
            let (a, b) = (g.mul(m, p), g.mul(m, v));
            let sum = g.add(a, b);
            g.neg(sum)
        };
        check(force, 3, 2);
    }
}
