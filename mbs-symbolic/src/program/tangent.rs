//! Derivatives of the functions of a program, exact but for rounding: instructions are run over
//! dual numbers a + b ε with ε² = 0.

use super::{FunctionKind, Inputs, Interpreter, Program, ProgramTable, Scalar};
use crate::expr::{BinaryOp, Numbers, UnaryOp};
use mbs_math::TableKind;

/// How fast what a function depends on changes; modes and parameters stand still.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "rates of what Inputs has under these names")]
pub struct Rates<'a> {
    pub t: f64,
    pub p: &'a [f64],
    pub v: &'a [f64],
    pub x: &'a [f64],
    pub u: &'a [f64],
}

/// Value and derivative.
#[derive(Debug, Clone, Copy, Default)]
struct Dual {
    value: f64,
    rate: f64,
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Self { value, rate: 0.0 }
    }
}

impl Scalar for Dual {
    fn unary(self, op: UnaryOp) -> Self {
        let value = op.eval(self.value);
        Self { value, rate: moving(self, |rate| op.differential(&mut Numbers, self.value, value, rate)) }
    }

    fn binary(self, op: BinaryOp, other: Self) -> Self {
        let operands = [self.value, other.value];
        let value = op.eval(self.value, other.value);
        let by = |position| move |rate| op.differential(&mut Numbers, operands, value, position, rate);
        Self { value, rate: moving(self, by(0)) + moving(other, by(1)) }
    }

    fn sin_cos(self) -> (Self, Self) {
        (self.unary(UnaryOp::Sin), self.unary(UnaryOp::Cos))
    }

    fn look_up(self, table: &ProgramTable, derivative: u8) -> Self {
        let last = match table.kind {
            TableKind::Spline => 3,
            TableKind::Linear => 1,
        };
        let slope = if derivative < last { table.read(derivative + 1, self.value) } else { 0.0 };
        Self { value: table.read(derivative, self.value), rate: slope * self.rate }
    }

    fn is_true(self) -> bool {
        self.value != 0.0
    }
}

impl Program {
    /// Derivatives of all results of a function along a direction, block by block, with v' and
    /// λ held.
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn derivative(&self, kind: FunctionKind, inputs: &Inputs<'_>, rates: &Rates<'_>) -> Vec<f64> {
        let still = |values: &[f64]| -> Vec<Dual> { values.iter().copied().map(Dual::from).collect() };
        let moving = |values: &[f64], rates: &[f64]| -> Vec<Dual> {
            values.iter().zip(rates).map(|(&value, &rate)| Dual { value, rate }).collect()
        };
        let duals = Inputs {
            t: Dual { value: inputs.t, rate: rates.t },
            p: &moving(inputs.p, rates.p),
            v: &moving(inputs.v, rates.v),
            x: &moving(inputs.x, rates.x),
            u: &moving(inputs.u, rates.u),
            modes: inputs.modes,
            prepared: &still(inputs.prepared),
            v_dot: &still(inputs.v_dot),
            lambda: &still(inputs.lambda),
        };
        let blocks = self.function(kind).results.iter();
        let mut results: Vec<Vec<Dual>> =
            blocks.map(|block| vec![Dual::default(); block.entries.len()]).collect();
        let mut slices: Vec<&mut [Dual]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        Interpreter::new(self).run(self, kind, &duals, &mut slices);
        results.iter().flatten().map(|result| result.rate).collect()
    }
}

/// What stands still adds nothing, even where the slope is infinite.
fn moving(operand: Dual, differential: impl Fn(f64) -> f64) -> f64 {
    if operand.rate == 0.0 { 0.0 } else { differential(operand.rate) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operator against a central difference.
    #[test]
    fn slopes_of_all_operators() {
        const H: f64 = 1e-5;
        let close = |exact: f64, difference: f64, what: &dyn std::fmt::Debug| {
            assert!(
                (exact - difference).abs() < 1e-8 * (1.0 + exact.abs()),
                "{what:?}: {exact} {difference}"
            );
        };
        use UnaryOp::*;
        for op in [Neg, Sqrt, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Log, Floor] {
            let exact = Dual { value: 0.37, rate: 1.5 }.unary(op).rate;
            close(exact, 1.5 * (op.eval(0.37 + H) - op.eval(0.37 - H)) / (2.0 * H), &op);
        }
        for op in [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Div,
            BinaryOp::Pow,
            BinaryOp::Atan2,
            BinaryOp::Mod,
        ] {
            let (a, b) = (Dual { value: 0.83, rate: 0.7 }, Dual { value: 0.31, rate: -1.2 });
            let moved = |h: f64| op.eval(a.value + h * a.rate, b.value + h * b.rate);
            close(a.binary(op, b).rate, (moved(H) - moved(-H)) / (2.0 * H), &op);
        }
    }
}
