//! The numbers an interpreter can work with.

use super::ProgramTable;
use crate::expr::{BinaryOp, UnaryOp};
use mbs_math::{DoubleDouble, TableKind};

/// A number with everything an instruction may ask of it. Truth values are 1 and 0.
pub trait Scalar: Copy + Default + From<f64> {
    /// A function of one value.
    #[must_use]
    fn unary(self, op: UnaryOp) -> Self;
    /// A function of two values.
    #[must_use]
    fn binary(self, op: BinaryOp, other: Self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Value or derivative of a table at this argument.
    #[must_use]
    fn look_up(self, table: &ProgramTable, derivative: u8) -> Self;
    /// Whether it is not zero.
    fn is_true(self) -> bool;
}

impl Scalar for f64 {
    fn unary(self, op: UnaryOp) -> Self {
        op.eval(self)
    }

    fn binary(self, op: BinaryOp, other: Self) -> Self {
        op.eval(self, other)
    }

    fn sin_cos(self) -> (Self, Self) {
        mbs_math::sin_cos(self)
    }

    fn look_up(self, table: &ProgramTable, derivative: u8) -> Self {
        table.read(derivative, self)
    }

    fn is_true(self) -> bool {
        self != 0.0
    }
}

fn truth(value: bool) -> DoubleDouble {
    if value { DoubleDouble::ONE } else { DoubleDouble::ZERO }
}

impl Scalar for DoubleDouble {
    fn unary(self, op: UnaryOp) -> Self {
        match op {
            UnaryOp::Neg => -self,
            UnaryOp::Sqrt => self.sqrt(),
            UnaryOp::Sin => self.sin_cos().0,
            UnaryOp::Cos => self.sin_cos().1,
            UnaryOp::Tan => {
                let (sine, cosine) = self.sin_cos();
                sine / cosine
            }
            UnaryOp::Asin => self.asin(),
            UnaryOp::Acos => self.acos(),
            UnaryOp::Atan => self.atan(),
            UnaryOp::Sinh => self.sinh(),
            UnaryOp::Cosh => self.cosh(),
            UnaryOp::Tanh => self.tanh(),
            UnaryOp::Exp => self.exp(),
            UnaryOp::Log => self.log(),
            UnaryOp::Floor => self.floor(),
            UnaryOp::Not => truth(!self.is_true()),
        }
    }

    fn binary(self, op: BinaryOp, other: Self) -> Self {
        match op {
            BinaryOp::Add => self + other,
            BinaryOp::Sub => self - other,
            BinaryOp::Mul => self * other,
            BinaryOp::Div => self / other,
            BinaryOp::Pow => self.pow(other),
            BinaryOp::Atan2 => self.atan2(other),
            BinaryOp::Mod => self.modulo(other),
            BinaryOp::Less => truth(self < other),
            BinaryOp::LessEqual => truth(self <= other),
            BinaryOp::And => truth(self.is_true() && other.is_true()),
            BinaryOp::Or => truth(self.is_true() || other.is_true()),
        }
    }

    fn sin_cos(self) -> (Self, Self) {
        self.sin_cos()
    }

    /// The pieces are those the table has for `f64`; their polynomials are taken to 106 bits.
    fn look_up(self, table: &ProgramTable, derivative: u8) -> Self {
        let (Some(&first), Some(&last)) = (table.x.first(), table.x.last()) else {
            return Self::from(f64::NAN);
        };
        let at = self.to_f64();
        let upper = table.x.partition_point(|x| *x <= at);
        let piece = upper.saturating_sub(1).min(table.coefficients.len() - 1);
        let coefficients = table.coefficients[piece];
        let distance = self - Self::from(table.x[piece]);
        let is_outside = table.kind == TableKind::Spline && !(first..=last).contains(&at);
        if !is_outside {
            return polynomial(coefficients, distance, derivative);
        }
        // A spline goes on with the slope of its end.
        let end = if at < first { first } else { last };
        let to_end = Self::from(end) - Self::from(table.x[piece]);
        let slope = polynomial(coefficients, to_end, 1);
        match derivative {
            0 => polynomial(coefficients, to_end, 0) + slope * (self - Self::from(end)),
            1 => slope,
            _ => Self::ZERO,
        }
    }

    fn is_true(self) -> bool {
        self != Self::ZERO
    }
}

/// A derivative of c₀ + c₁ d + c₂ d² + c₃ d³.
fn polynomial(coefficients: [f64; 4], distance: DoubleDouble, derivative: u8) -> DoubleDouble {
    let order = usize::from(derivative);
    let mut value = DoubleDouble::ZERO;
    for power in (order..4).rev() {
        let factor: usize = (0..order).map(|k| power - k).product();
        value =
            value * distance + DoubleDouble::from(factor as f64) * DoubleDouble::from(coefficients[power]);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_the_same_in_both_precisions() {
        for kind in [TableKind::Spline, TableKind::Linear] {
            let mut coefficients = vec![[1.0, 2.0, -3.0, 0.5], [0.5, -1.25, 0.75, 2.0]];
            if kind == TableKind::Linear {
                for piece in &mut coefficients {
                    piece[2..].fill(0.0);
                }
            }
            let table = ProgramTable { name: String::new(), kind, x: vec![0.0, 1.0, 2.5], coefficients };
            for derivative in 0..4 {
                for at in [-0.7, 0.0, 0.3, 1.0, 2.2, 2.5, 4.0] {
                    let (plain, extended) = (
                        at.look_up(&table, derivative),
                        DoubleDouble::from(at).look_up(&table, derivative).to_f64(),
                    );
                    assert!((plain - extended).abs() < 1e-13, "{kind:?} {derivative} {at}");
                }
            }
        }
    }
}
