//! The optimised program against the equations it was made of.

use mbs_symbolic::optimize;
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, expressions, lower};

use crate::close;
use crate::compiled::{Compiled, Difference};

/// The optimiser may change the order of sums, so that entries which cancel lose digits.
const TOLERANCE: f64 = 1e-10;

/// Those of the functions of the optimised program, as far as it has them, whose results are
/// not those of the equations.
pub(crate) fn compare(compiled: &Compiled<'_>, functions: &[FunctionKind]) -> Vec<Difference> {
    let Compiled { equations, state, symbols } = compiled;
    let mut program = lower(equations);
    optimize::run(&mut program);
    let mut interpreter = Interpreter::new(&program);
    let mut prepared = vec![f64::NAN; program.n_prepared()];
    interpreter.prepare(&program, &symbols.theta, &mut prepared);
    let inputs = Inputs {
        t: state.t,
        p: &state.p,
        v: &state.v,
        x: &state.x,
        u: &symbols.u,
        modes: &symbols.modes,
        prepared: &prepared,
        v_dot: &symbols.v_dot,
        lambda: &symbols.lambda,
    };
    let mut differences = Vec::new();
    let compared = |kind: FunctionKind| program.has(kind) && kind != FunctionKind::Accelerations;
    for kind in functions.iter().copied().filter(|&kind| compared(kind)) {
        let quantities = kind.quantities();
        let expected: Vec<Vec<f64>> =
            quantities.iter().map(|&quantity| compiled.get(&expressions(equations, quantity))).collect();
        let mut results: Vec<Vec<f64>> = expected.iter().map(|list| vec![f64::NAN; list.len()]).collect();
        let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        interpreter.run(&program, kind, &inputs, &mut slices);
        for ((quantity, result), expected) in quantities.iter().zip(&results).zip(&expected) {
            for (i, (&result, &expected)) in result.iter().zip(expected).enumerate() {
                let error = close::error(&[result], &[expected], 1.0);
                if error > TOLERANCE {
                    let what = format!("program {}: {quantity:?}[{i}]", kind.name());
                    differences.push(Difference { what, error, compiled: result, expected });
                }
            }
        }
    }
    differences
}
