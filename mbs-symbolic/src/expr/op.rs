//! The operators: what each is; how it is differentiated stands in `derivative`.

use mbs_math as math;

/// A function of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the function of its name")]
pub enum UnaryOp {
    Neg,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Floor,
    /// Truth value: the opposite.
    Not,
}

/// A function of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the function of its name")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Atan2,
    /// a − b·floor(a/b).
    Mod,
    /// Truth value: a < b.
    Less,
    /// Truth value: a ≤ b.
    LessEqual,
    /// Truth value.
    And,
    /// Truth value.
    Or,
}

/// What an operation is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named after what it counts")]
pub enum CostClass {
    /// Negation and logic.
    Free,
    Add,
    Mul,
    Div,
    Sqrt,
    /// Sine, cosine, or a pair of both of one angle.
    Trig,
    /// Any other function, look-up or selection.
    Other,
}

/// What a function makes of the opposite of its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parity {
    /// f(−a) = −f(a)
    Odd,
    /// f(−a) = f(a)
    Even,
}

impl UnaryOp {
    /// The value; truth values are 1 and 0.
    pub fn eval(self, x: f64) -> f64 {
        match self {
            Self::Neg => -x,
            Self::Sqrt => math::sqrt(x),
            Self::Sin => math::sin(x),
            Self::Cos => math::cos(x),
            Self::Tan => math::tan(x),
            Self::Asin => math::asin(x),
            Self::Acos => math::acos(x),
            Self::Atan => math::atan(x),
            Self::Sinh => math::sinh(x),
            Self::Cosh => math::cosh(x),
            Self::Tanh => math::tanh(x),
            Self::Exp => math::exp(x),
            Self::Log => math::log(x),
            Self::Floor => math::floor(x),
            Self::Not => truth(x == 0.0),
        }
    }

    /// What it counts as.
    pub fn cost(self) -> CostClass {
        match self {
            Self::Neg | Self::Not => CostClass::Free,
            Self::Sqrt => CostClass::Sqrt,
            Self::Sin | Self::Cos => CostClass::Trig,
            _ => CostClass::Other,
        }
    }

    /// Whether the value is a truth value.
    pub fn is_logical(self) -> bool {
        self == Self::Not
    }

    /// How its sign follows that of its argument, if it does.
    pub fn parity(self) -> Option<Parity> {
        match self {
            Self::Neg | Self::Sin | Self::Tan | Self::Asin | Self::Atan | Self::Sinh | Self::Tanh => {
                Some(Parity::Odd)
            }
            Self::Cos | Self::Cosh => Some(Parity::Even),
            Self::Sqrt | Self::Acos | Self::Exp | Self::Log | Self::Floor | Self::Not => None,
        }
    }
}

impl BinaryOp {
    /// The value; truth values are 1 and 0.
    pub fn eval(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Pow => math::pow(a, b),
            Self::Atan2 => math::atan2(a, b),
            Self::Mod => math::modulo(a, b),
            Self::Less => truth(a < b),
            Self::LessEqual => truth(a <= b),
            Self::And => truth(a != 0.0 && b != 0.0),
            Self::Or => truth(a != 0.0 || b != 0.0),
        }
    }

    /// What it counts as.
    pub fn cost(self) -> CostClass {
        match self {
            Self::Add | Self::Sub => CostClass::Add,
            Self::Mul => CostClass::Mul,
            Self::Div => CostClass::Div,
            Self::And | Self::Or => CostClass::Free,
            Self::Pow | Self::Atan2 | Self::Mod | Self::Less | Self::LessEqual => CostClass::Other,
        }
    }

    /// Whether the value is a truth value.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::Less | Self::LessEqual | Self::And | Self::Or)
    }

    /// Whether the operands may change places without changing a bit of the result.
    pub fn is_commutative(self) -> bool {
        matches!(self, Self::Add | Self::Mul | Self::And | Self::Or)
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parity_is_that_of_the_values() {
        use UnaryOp::*;
        for op in [Neg, Sqrt, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Log, Floor, Not] {
            let (value, mirrored) = (op.eval(0.6), op.eval(-0.6));
            let expected = match op.parity() {
                Some(Parity::Odd) => Some(-value),
                Some(Parity::Even) => Some(value),
                None => None,
            };
            match expected {
                Some(expected) => assert_eq!(mirrored, expected, "{op:?}"),
                // A truth value is the same of both, and is no even number.
                None => assert!(op == Not || mirrored != value && mirrored != -value, "{op:?}"),
            }
        }
    }
}
