//! Expressions as people write them: flat sums and products.

use super::Level;
use super::names::rank;
use crate::expr::{BinaryOp, Symbol, UnaryOp};
use crate::ids::TableId;
use mbs_math::TableKind;

/// An expression as written. Numbers are never negative: signs belong to the terms of
/// sums. Depth is bounded, see `quantities`.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is what it says")]
pub enum Tree {
    Number(f64),
    Symbol(Symbol),
    /// A named quantity, by its position in [`super::Readable::quantities`].
    Quantity(usize),
    /// At least one term; a single one only if it is negative.
    Sum(Vec<Term>),
    Product(Product),
    /// Any function of one value but negation and `not`.
    Function(UnaryOp, Box<Tree>),
    /// `atan2`, `mod`, `^`.
    Function2(BinaryOp, Box<[Tree; 2]>),
    /// Comparison, `and`, `or`.
    Logic(BinaryOp, Box<[Tree; 2]>),
    Not(Box<Tree>),
    /// Condition, then, else.
    Select(Box<[Tree; 3]>),
    Table {
        table: TableId,
        kind: TableKind,
        derivative: u8,
        at: Box<Tree>,
    },
}

/// A term of a sum.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is what it says")]
pub struct Term {
    pub negative: bool,
    pub value: Tree,
}

/// Number · Π factorⁿ, with n < 0 for divisors; no factor is a number or a product.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Positive.
    pub number: f64,
    /// Different factors with their exponents, never zero.
    pub factors: Vec<(Tree, i32)>,
}

impl Tree {
    /// Whether the expression is a negative one: its value with the sign taken off.
    fn split_sign(self) -> (bool, Self) {
        match self {
            Self::Sum(mut terms) if terms.len() == 1 => match terms.pop() {
                Some(term) => (term.negative, term.value),
                None => (false, Self::Number(0.0)),
            },
            other => (false, other),
        }
    }

    /// −a.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Sum(mut terms) => {
                for term in &mut terms {
                    term.negative = !term.negative;
                }
                Self::sum(terms)
            }
            Self::Number(0.0) => Self::Number(0.0),
            value => Self::Sum(vec![Term { negative: true, value }]),
        }
    }

    /// A number of either sign.
    pub(super) fn number(value: f64) -> Self {
        if value < 0.0 { Self::Number(-value).negated() } else { Self::Number(value) }
    }

    /// A flat sum with like terms collected, beginning with a positive one if there is
    /// one.
    fn sum(terms: Vec<Term>) -> Self {
        let mut collected: Vec<(f64, Self)> = Vec::new();
        for term in terms {
            let (number, rest) = term.value.split_number();
            let number = if term.negative { -number } else { number };
            match collected.iter_mut().find(|(_, other)| *other == rest) {
                Some((sum, _)) => *sum += number,
                None => collected.push((number, rest)),
            }
        }
        collected.retain(|(number, _)| *number != 0.0);
        // m1 + m2 + m3, not in the order the tree was walked.
        if let Some(mut ranked) = collected
            .iter()
            .map(|(number, tree)| match tree {
                Self::Symbol(symbol) => Some((super::names::level(*symbol), rank(*symbol), *number, *symbol)),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
        {
            ranked.sort_by_key(|&(level, rank, ..)| (level, rank));
            collected =
                ranked.into_iter().map(|(_, _, number, symbol)| (number, Self::Symbol(symbol))).collect();
        }
        if let Some(first) = collected.iter().position(|(number, _)| *number > 0.0) {
            collected[..=first].rotate_right(1);
        }
        let mut terms: Vec<Term> = collected
            .into_iter()
            .map(|(number, rest)| Term { negative: number < 0.0, value: rest.scaled(number.abs()) })
            .collect();
        match terms.as_slice() {
            [] => Self::Number(0.0),
            [Term { negative: false, .. }] => terms.remove(0).value,
            _ => Self::Sum(terms),
        }
    }

    /// (c, x) of c·x with a number c; (c, 1) of a number.
    fn split_number(self) -> (f64, Self) {
        match self {
            Self::Number(value) => (value, Self::Number(1.0)),
            Self::Product(mut product) => {
                let number = std::mem::replace(&mut product.number, 1.0);
                (number, product.simplest())
            }
            other => (1.0, other),
        }
    }

    /// c·x with a positive number c, of x without one.
    fn scaled(self, number: f64) -> Self {
        match self {
            Self::Number(value) => Self::Number(number * value),
            other if number == 1.0 => other,
            Self::Product(product) => Self::Product(Product { number, ..product }),
            other => Self::Product(Product { number, factors: vec![(other, 1)] }),
        }
    }

    /// a + b, or a − b.
    pub(super) fn add(a: Self, b: Self, subtract: bool) -> Self {
        let mut terms = a.into_terms();
        terms.extend(b.into_terms().into_iter().map(|mut term| {
            term.negative ^= subtract;
            term
        }));
        Self::sum(terms)
    }

    fn into_terms(self) -> Vec<Term> {
        match self {
            Self::Sum(terms) => terms,
            value => vec![Term { negative: false, value }],
        }
    }

    /// a · b, or a / b, with like factors collected. `level` tells what a quantity
    /// depends on.
    pub(super) fn multiply(a: Self, b: Self, divide: bool, level: &dyn Fn(usize) -> Level) -> Self {
        let ((minus_a, a), (minus_b, b)) = (a.split_sign(), b.split_sign());
        let mut product = Product { number: 1.0, factors: Vec::new() };
        product.take(a, 1);
        product.take(b, if divide { -1 } else { 1 });
        product.factors.sort_by_key(|(factor, exponent)| (*exponent < 0, factor.place(level)));
        let value = product.simplest();
        if minus_a != minus_b { value.negated() } else { value }
    }

    /// Order of factors: parameters, geometry, rates, sums; as one writes by hand.
    fn place(&self, level: &dyn Fn(usize) -> Level) -> (Level, u8, usize) {
        match self {
            Self::Number(_) => (Level::Parameters, 0, 0),
            Self::Symbol(symbol) => (super::names::level(*symbol), 1, rank(*symbol)),
            Self::Quantity(index) => (level(*index), 2, *index),
            Self::Sum(_) => (Level::Accelerations, 9, 0),
            Self::Function(_, argument) => {
                let (_, _, rank) = argument.place(level);
                (argument.level(level), 3, rank)
            }
            other => (other.level(level), 4, 0),
        }
    }

    /// What the expression depends on.
    fn level(&self, quantity: &dyn Fn(usize) -> Level) -> Level {
        let deepest =
            |trees: &[Self]| trees.iter().map(|tree| tree.level(quantity)).max().unwrap_or(Level::Parameters);
        match self {
            Self::Number(_) => Level::Parameters,
            Self::Symbol(symbol) => super::names::level(*symbol),
            Self::Quantity(index) => quantity(*index),
            Self::Sum(terms) => {
                terms.iter().map(|term| term.value.level(quantity)).max().unwrap_or(Level::Parameters)
            }
            Self::Product(product) => {
                let levels = product.factors.iter().map(|(factor, _)| factor.level(quantity));
                levels.max().unwrap_or(Level::Parameters)
            }
            Self::Function(_, a) | Self::Not(a) | Self::Table { at: a, .. } => a.level(quantity),
            Self::Function2(_, ab) | Self::Logic(_, ab) => deepest(ab.as_slice()),
            Self::Select(abc) => deepest(abc.as_slice()),
        }
    }
}

impl Product {
    /// The product, or what it is if it is no product.
    fn simplest(mut self) -> Tree {
        match self.factors.as_slice() {
            [] => Tree::Number(self.number),
            [(_, 1)] if self.number == 1.0 => self.factors.remove(0).0,
            _ => Tree::Product(self),
        }
    }

    /// Takes in `factor`^`exponent`.
    fn take(&mut self, factor: Tree, exponent: i32) {
        match factor {
            Tree::Number(value) if exponent > 0 => self.number *= value,
            // 1/0 stays visible as a division.
            Tree::Number(value) if value != 0.0 => self.number /= value,
            Tree::Product(product) => {
                self.take(Tree::Number(product.number), exponent);
                for (factor, inner) in product.factors {
                    self.take(factor, inner * exponent);
                }
            }
            // √a² = a; a is not negative where the root is defined.
            Tree::Function(UnaryOp::Sqrt, inner) if exponent % 2 == 0 => self.take(*inner, exponent / 2),
            factor => match self.factors.iter().position(|(other, _)| *other == factor) {
                Some(at) => {
                    let (factor, sum) = self.factors.swap_remove(at);
                    if sum + exponent != 0 {
                        self.take(factor, sum + exponent);
                    }
                }
                None => self.factors.push((factor, exponent)),
            },
        }
    }
}
