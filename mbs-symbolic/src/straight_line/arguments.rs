//! What functions read.

use crate::expr::Symbol;
use crate::ids::Id;
use crate::program::{Function, Operand};

/// What a function reads, in the order of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Argument {
    /// t, a number; all others are arrays.
    Time,
    /// Positions.
    P,
    /// Velocities.
    V,
    /// Auxiliary states.
    X,
    /// Inputs.
    U,
    /// Truth values.
    Modes,
    /// θ and what `prepare` makes of it.
    Prepared,
    /// v'.
    VDot,
    /// λ.
    Lambda,
}

impl Argument {
    /// How many there are.
    pub const COUNT: usize = Self::Lambda as usize + 1;

    /// Its name in code.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "t",
            Self::P => "p",
            Self::V => "v",
            Self::X => "x",
            Self::U => "u",
            Self::Modes => "modes",
            Self::Prepared => "c",
            Self::VDot => "v_dot",
            Self::Lambda => "lambda",
        }
    }
}

/// Where an operand is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// A number.
    Constant(f64),
    /// An entry of an argument; the first of [`Argument::Time`].
    Argument(Argument, usize),
    /// The value of an instruction.
    Value(usize),
}

impl Source {
    /// Where `operand` is found, if there are `n_theta` parameters: the prepared values begin with
    /// them.
    pub fn of(operand: Operand, n_theta: usize) -> Self {
        let entry = |argument, index: u32| Self::Argument(argument, index as usize);
        match operand {
            Operand::Constant(bits) => Self::Constant(bits.get()),
            Operand::Prepared(slot) => Self::Argument(Argument::Prepared, n_theta + slot as usize),
            Operand::Value(value) => Self::Value(value as usize),
            Operand::Symbol(symbol) => match symbol {
                Symbol::Theta(i) => entry(Argument::Prepared, i),
                Symbol::Time => entry(Argument::Time, 0),
                Symbol::P(i) => entry(Argument::P, i),
                Symbol::V(i) => entry(Argument::V, i),
                Symbol::X(i) => entry(Argument::X, i),
                Symbol::U(i) => entry(Argument::U, i),
                Symbol::Mode(id) => Self::Argument(Argument::Modes, id.index()),
                Symbol::VDot(i) => entry(Argument::VDot, i),
                Symbol::Lambda(i) => entry(Argument::Lambda, i),
            },
        }
    }
}

/// The arguments a function reads, in order.
pub fn arguments(function: &Function) -> Vec<Argument> {
    let operands = function.body.iter().flat_map(|instruction| instruction.operands().iter().copied());
    collect(operands.chain(function.entries()))
}

/// What some operands are read from, in order.
pub(super) fn collect(operands: impl Iterator<Item = Operand>) -> Vec<Argument> {
    let argument = |operand| match Source::of(operand, 0) {
        Source::Argument(argument, _) => Some(argument),
        Source::Constant(_) | Source::Value(_) => None,
    };
    let mut arguments: Vec<Argument> = operands.filter_map(argument).collect();
    arguments.sort_unstable();
    arguments.dedup();
    arguments
}

#[cfg(test)]
mod tests {
    use super::super::testing::mul;
    use super::*;
    use crate::program::{Block, Quantity};

    #[test]
    fn parameters_come_first_among_the_prepared_values() {
        let theta = Operand::Symbol(Symbol::Theta(2));
        assert_eq!(Source::of(theta, 5), Source::Argument(Argument::Prepared, 2));
        assert_eq!(Source::of(Operand::Prepared(2), 5), Source::Argument(Argument::Prepared, 7));
        assert_eq!(Source::of(Operand::Value(3), 5), Source::Value(3));
        assert_eq!(Source::of(Operand::constant(1.5), 5), Source::Constant(1.5));
    }

    #[test]
    fn entries_that_are_no_values_are_read_too() {
        let [p, v_dot] = [Symbol::P(1), Symbol::VDot(0)].map(Operand::Symbol);
        let entries = vec![Operand::Value(0), Operand::Symbol(Symbol::Time), p];
        let results = vec![Block { quantity: Quantity::Outputs, entries }];
        let function = Function { body: vec![mul(v_dot, Operand::Prepared(0))], results };
        let expected = [Argument::Time, Argument::P, Argument::Prepared, Argument::VDot];
        assert_eq!(arguments(&function), expected);
    }
}
