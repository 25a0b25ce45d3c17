//! Runs the functions of a program, one instruction at a time.
//!
//! Slow, but needs no compiler: the reference every backend is compared with. Works for any
//! [`Scalar`]; `f64` unless said otherwise.

use super::{Function, FunctionKind, Instruction, Op, Operand, Program, Scalar};
use crate::expr::Symbol;
use crate::ids::Id;

/// Values of all a function may depend on.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "named as in Symbol")]
pub struct Inputs<'a, S = f64> {
    pub t: S,
    pub p: &'a [S],
    pub v: &'a [S],
    pub x: &'a [S],
    pub u: &'a [S],
    pub modes: &'a [bool],
    /// θ, then the results of `prepare`: `Program::n_prepared` in all.
    pub prepared: &'a [S],
    /// Outputs, inverse dynamics and the Jacobian only.
    pub v_dot: &'a [S],
    /// Outputs and the Jacobian only.
    pub lambda: &'a [S],
}

/// Scratch memory; running allocates only when a function is longer than any before.
#[derive(Debug, Clone, Default)]
pub struct Interpreter<S = f64> {
    values: Vec<S>,
}

impl<S: Scalar> Interpreter<S> {
    /// Scratch memory that is enough for `program`.
    pub fn new(program: &Program) -> Self {
        let longest = program.functions.iter().chain([&program.prepare]).map(|f| f.body.len()).max();
        Self { values: vec![S::default(); longest.unwrap_or(0)] }
    }

    /// Fills `prepared` (`Program::n_prepared` long) from θ.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    pub fn prepare(&mut self, program: &Program, theta: &[S], prepared: &mut [S]) {
        let (head, tail) = prepared.split_at_mut(program.layout.parameters.len());
        head.copy_from_slice(theta);
        self.function(
            program,
            &program.prepare,
            &Inputs { prepared: head, ..Inputs::default() },
            &mut [tail],
        );
    }

    /// Runs one function; `results` has one slice per quantity it fills, in order.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    pub fn run(
        &mut self,
        program: &Program,
        kind: FunctionKind,
        inputs: &Inputs<'_, S>,
        results: &mut [&mut [S]],
    ) {
        self.function(program, program.function(kind), inputs, results);
    }

    fn function(
        &mut self,
        program: &Program,
        function: &Function,
        inputs: &Inputs<'_, S>,
        results: &mut [&mut [S]],
    ) {
        let n_theta = program.layout.parameters.len();
        let values = &mut self.values;
        if values.len() < function.body.len() {
            values.resize(function.body.len(), S::default());
        }
        for (index, instruction) in function.body.iter().enumerate() {
            match instruction.op {
                Op::SinCos => {
                    let angle = read(instruction.operands()[0], inputs, n_theta, values);
                    (values[index], values[index + 1]) = angle.sin_cos();
                }
                // The pair just before has left it here.
                Op::PairedCos => {}
                _ => {
                    values[index] =
                        evaluate(program, instruction, |operand| read(operand, inputs, n_theta, values))
                }
            }
        }
        assert_eq!(results.len(), function.results.len(), "one slice per quantity");
        for (block, out) in function.results.iter().zip(results) {
            assert_eq!(block.entries.len(), out.len(), "length of {}", block.quantity.name());
            for (entry, out) in block.entries.iter().zip(out.iter_mut()) {
                *out = read(*entry, inputs, n_theta, values);
            }
        }
    }
}

fn evaluate<S: Scalar>(program: &Program, instruction: &Instruction, read: impl Fn(Operand) -> S) -> S {
    let operands = instruction.operands();
    match instruction.op {
        Op::Unary(op) => read(operands[0]).unary(op),
        Op::Binary(op) => read(operands[0]).binary(op, read(operands[1])),
        Op::Select => read(if read(operands[0]).is_true() { operands[1] } else { operands[2] }),
        Op::Table { table, derivative } => {
            read(operands[0]).look_up(&program.tables[table as usize], derivative)
        }
        Op::SinCos => read(operands[0]).sin_cos().0,
        Op::PairedCos => read(operands[0]),
    }
}

fn read<S: Scalar>(operand: Operand, inputs: &Inputs<'_, S>, n_theta: usize, values: &[S]) -> S {
    match operand {
        Operand::Constant(bits) => S::from(bits.get()),
        Operand::Prepared(slot) => inputs.prepared[n_theta + slot as usize],
        Operand::Value(index) => values[index as usize],
        Operand::Symbol(symbol) => match symbol {
            Symbol::Theta(i) => inputs.prepared[i as usize],
            Symbol::Time => inputs.t,
            Symbol::P(i) => inputs.p[i as usize],
            Symbol::V(i) => inputs.v[i as usize],
            Symbol::X(i) => inputs.x[i as usize],
            Symbol::U(i) => inputs.u[i as usize],
            Symbol::Mode(id) => S::from(f64::from(u8::from(inputs.modes[id.index()]))),
            Symbol::VDot(i) => inputs.v_dot[i as usize],
            Symbol::Lambda(i) => inputs.lambda[i as usize],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_pendulum_swings() {
        let program = crate::program::lower(&fixture::pendulum());
        let mut interpreter = Interpreter::new(&program);
        let mut prepared = vec![0.0; program.n_prepared()];
        interpreter.prepare(&program, &[2.0, 0.5, 9.81], &mut prepared);
        let inputs = Inputs { p: &[0.3], v: &[0.0], u: &[0.25], prepared: &prepared, ..Inputs::default() };
        let (mut mass, mut force) = ([0.0], [0.0]);
        interpreter.run(&program, FunctionKind::MassMatrix, &inputs, &mut [&mut mass]);
        interpreter.run(&program, FunctionKind::Forces, &inputs, &mut [&mut force]);
        assert_eq!(mass, [0.5]);
        assert!((force[0] - (0.25 - 9.81 * mbs_math::sin(0.3))).abs() < 1e-14);
    }

    /// More digits, the same numbers.
    #[test]
    fn extended_precision_agrees() {
        use mbs_math::DoubleDouble;
        let program = crate::program::lower(&fixture::pendulum());
        let mut interpreter = Interpreter::new(&program);
        let of = DoubleDouble::from;
        let mut prepared = vec![of(0.0); program.n_prepared()];
        interpreter.prepare(&program, &[2.0, 0.5, 9.81].map(of), &mut prepared);
        let (p, v, u) = ([of(0.3)], [of(0.0)], [of(0.25)]);
        let inputs = Inputs { p: &p, v: &v, u: &u, prepared: &prepared, ..Inputs::default() };
        let mut force = [of(0.0)];
        interpreter.run(&program, FunctionKind::Forces, &inputs, &mut [&mut force]);
        // f = u − m g l sin φ with m g l = 9.81 to the last bit.
        let error = force[0] - (of(0.25) - of(9.81) * of(0.3).sin_cos().0);
        assert!(error.abs().to_f64() < 1e-30, "{error:?}");
    }
}
