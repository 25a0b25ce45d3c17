//! The rules of differentiation, for whatever expressions are made of: nodes of a graph or numbers.
//!
//! Each rule gives a factor times the derivative, so that a division by what the derivative
//! divides by is not a multiplication more.

use super::{BinaryOp, Graph, UnaryOp};
use crate::ids::ExprId;

/// Of what expressions are made.
pub(crate) trait Algebra {
    /// An expression.
    type Expr: Copy;
    fn constant(&mut self, value: f64) -> Self::Expr;
    fn unary(&mut self, op: UnaryOp, a: Self::Expr) -> Self::Expr;
    fn binary(&mut self, op: BinaryOp, a: Self::Expr, b: Self::Expr) -> Self::Expr;
}

impl Algebra for Graph {
    type Expr = ExprId;

    fn constant(&mut self, value: f64) -> ExprId {
        Self::constant(self, value)
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        Self::unary(self, op, a)
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        Self::binary(self, op, a, b)
    }
}

/// Numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers;

impl Algebra for Numbers {
    type Expr = f64;

    fn constant(&mut self, value: f64) -> f64 {
        value
    }

    fn unary(&mut self, op: UnaryOp, a: f64) -> f64 {
        op.eval(a)
    }

    fn binary(&mut self, op: BinaryOp, a: f64, b: f64) -> f64 {
        op.eval(a, b)
    }
}

impl UnaryOp {
    /// `factor` times the derivative at `a`, where the function has the value `value`.
    pub(crate) fn differential<A: Algebra>(
        self,
        algebra: &mut A,
        a: A::Expr,
        value: A::Expr,
        factor: A::Expr,
    ) -> A::Expr {
        use BinaryOp::{Add, Div, Mul, Sub};
        // What most slopes are a product of, on both sides of a plus or minus.
        let one_and_square = |algebra: &mut A, op: BinaryOp, of: A::Expr| {
            let (one, square) = (algebra.constant(1.0), algebra.binary(Mul, of, of));
            algebra.binary(op, one, square)
        };
        match self {
            Self::Neg => algebra.unary(Self::Neg, factor),
            // 1/2√a
            Self::Sqrt => {
                let half = algebra.constant(0.5);
                let half = algebra.binary(Mul, half, factor);
                algebra.binary(Div, half, value)
            }
            Self::Sin => {
                let cosine = algebra.unary(Self::Cos, a);
                algebra.binary(Mul, cosine, factor)
            }
            Self::Cos => {
                let sine = algebra.unary(Self::Sin, a);
                let product = algebra.binary(Mul, sine, factor);
                algebra.unary(Self::Neg, product)
            }
            // 1 + tan²
            Self::Tan => {
                let slope = one_and_square(algebra, Add, value);
                algebra.binary(Mul, slope, factor)
            }
            // ±1/√(1 − a²)
            Self::Asin | Self::Acos => {
                let rest = one_and_square(algebra, Sub, a);
                let root = algebra.unary(Self::Sqrt, rest);
                let quotient = algebra.binary(Div, factor, root);
                if self == Self::Asin { quotient } else { algebra.unary(Self::Neg, quotient) }
            }
            // 1/(1 + a²)
            Self::Atan => {
                let sum = one_and_square(algebra, Add, a);
                algebra.binary(Div, factor, sum)
            }
            Self::Sinh | Self::Cosh => {
                let other = if self == Self::Sinh { Self::Cosh } else { Self::Sinh };
                let slope = algebra.unary(other, a);
                algebra.binary(Mul, slope, factor)
            }
            // 1 − tanh²
            Self::Tanh => {
                let slope = one_and_square(algebra, Sub, value);
                algebra.binary(Mul, slope, factor)
            }
            Self::Exp => algebra.binary(Mul, value, factor),
            Self::Log => algebra.binary(Div, factor, a),
            Self::Floor | Self::Not => algebra.constant(0.0),
        }
    }
}

impl BinaryOp {
    /// `factor` times the derivative with respect to the operand at `position`, where the function
    /// has the value `value`.
    pub(crate) fn differential<A: Algebra>(
        self,
        algebra: &mut A,
        [a, b]: [A::Expr; 2],
        value: A::Expr,
        position: usize,
        factor: A::Expr,
    ) -> A::Expr {
        use BinaryOp::{Add, Atan2, Div, Mod, Mul, Pow, Sub};
        match (self, position) {
            (Add, _) | (Sub | Mod, 0) => factor,
            (Sub, _) => algebra.unary(UnaryOp::Neg, factor),
            (Mul, 0) => algebra.binary(Mul, b, factor),
            (Mul, _) => algebra.binary(Mul, a, factor),
            (Div, 0) => algebra.binary(Div, factor, b),
            // −(a/b)/b
            (Div, _) => {
                let slope = algebra.binary(Div, value, b);
                let product = algebra.binary(Mul, slope, factor);
                algebra.unary(UnaryOp::Neg, product)
            }
            // b · a^(b−1)
            (Pow, 0) => {
                let one = algebra.constant(1.0);
                let lower = algebra.binary(Sub, b, one);
                let power = algebra.binary(Pow, a, lower);
                let slope = algebra.binary(Mul, b, power);
                algebra.binary(Mul, slope, factor)
            }
            // a^b · log a
            (Pow, _) => {
                let log = algebra.unary(UnaryOp::Log, a);
                let slope = algebra.binary(Mul, value, log);
                algebra.binary(Mul, slope, factor)
            }
            // (b a' − a b') / (a² + b²)
            (Atan2, _) => {
                let (a2, b2) = (algebra.binary(Mul, a, a), algebra.binary(Mul, b, b));
                let sum = algebra.binary(Add, a2, b2);
                let slope = algebra.binary(Div, if position == 0 { b } else { a }, sum);
                let slope = if position == 0 { slope } else { algebra.unary(UnaryOp::Neg, slope) };
                algebra.binary(Mul, slope, factor)
            }
            // −floor(a/b)
            (Mod, _) => {
                let quotient = algebra.binary(Div, a, b);
                let whole = algebra.unary(UnaryOp::Floor, quotient);
                let product = algebra.binary(Mul, whole, factor);
                algebra.unary(UnaryOp::Neg, product)
            }
            (Self::Less | Self::LessEqual | Self::And | Self::Or, _) => algebra.constant(0.0),
        }
    }
}
