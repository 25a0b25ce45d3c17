//! Operation counts.
//!
//! Addition and subtraction are 1 add each; negation and logic are free; a sine and
//! cosine computed together are one trig.

use super::{Function, Operand, Program};
use crate::expr::CostClass;
use std::ops::{Add, AddAssign};

/// How many operations of each class a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each is named after what it counts")]
pub struct Counts {
    pub add: u32,
    pub mul: u32,
    pub div: u32,
    pub sqrt: u32,
    pub trig: u32,
    pub other: u32,
}

impl Counts {
    /// Additions, multiplications and divisions.
    pub fn flops(&self) -> u32 {
        self.add + self.mul + self.div
    }

    /// Everything.
    pub fn total(&self) -> u32 {
        self.flops() + self.sqrt + self.trig + self.other
    }
}

impl Add for Counts {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.add += other.add;
        self.mul += other.mul;
        self.div += other.div;
        self.sqrt += other.sqrt;
        self.trig += other.trig;
        self.other += other.other;
    }
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

impl Function {
    /// What one call costs.
    pub fn counts(&self) -> Counts {
        self.counts_where(|_| true)
    }

    /// What one result costs by itself.
    pub fn counts_behind(&self, result: Operand) -> Counts {
        let mut needed = vec![false; self.body.len()];
        if let Some(index) = result.value() {
            needed[index] = true;
        }
        for index in (0..self.body.len()).rev() {
            if needed[index] {
                for operand in self.body[index].operands().iter().filter_map(|operand| operand.value()) {
                    needed[operand] = true;
                }
            }
        }
        self.counts_where(|index| needed[index])
    }

    fn counts_where(&self, counted: impl Fn(usize) -> bool) -> Counts {
        let mut counts = Counts::default();
        for (_, instruction) in self.body.iter().enumerate().filter(|(index, _)| counted(*index)) {
            match instruction.op.cost() {
                CostClass::Free => {}
                CostClass::Add => counts.add += 1,
                CostClass::Mul => counts.mul += 1,
                CostClass::Div => counts.div += 1,
                CostClass::Sqrt => counts.sqrt += 1,
                CostClass::Trig => counts.trig += 1,
                CostClass::Other => counts.other += 1,
            }
        }
        counts
    }
}

impl Program {
    /// What is spent once per parameter set.
    pub fn per_parameter_set(&self) -> Counts {
        self.prepare.counts()
    }

    /// The costs of all functions together, `prepare` not included.
    pub fn total_counts(&self) -> Counts {
        self.functions.iter().map(Function::counts).sum()
    }
}
