//! The optimised program against the equations it was made of.

use mbs_symbolic::dynamics::Equations;
use mbs_symbolic::ids::ExprId;
use mbs_symbolic::optimize;
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Quantity, lower};

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
            quantities.iter().map(|quantity| compiled.get(&roots(equations, *quantity))).collect();
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

fn roots(equations: &Equations, quantity: Quantity) -> Vec<ExprId> {
    let [p, v, x] = &equations.initial;
    let list = match quantity {
        Quantity::PDot => &equations.p_dot,
        Quantity::KinematicMatrix => &equations.kinematic_matrix,
        Quantity::MassMatrix => &equations.mass_matrix,
        Quantity::Forces => &equations.forces,
        Quantity::Constraints => &equations.constraints,
        Quantity::ConstraintJacobian => &equations.constraint_jacobian,
        Quantity::VelocityBias => &equations.velocity_bias,
        Quantity::AccelerationBias => &equations.acceleration_bias,
        Quantity::Auxiliary => &equations.auxiliary,
        Quantity::InverseDynamics => &equations.inverse_dynamics,
        Quantity::Switching => &equations.switching,
        Quantity::ClosureCosines => &equations.closure_cosines,
        Quantity::Outputs => &equations.outputs,
        Quantity::Poses => {
            let poses = equations.poses.iter();
            return poses.flat_map(|pose| pose.r_wb_w.into_iter().chain(pose.rot_wb.concat())).collect();
        }
        Quantity::Energy => return vec![equations.kinetic_energy, equations.potential_energy],
        Quantity::InputDefaults => &equations.input_defaults,
        Quantity::InitialP => p,
        Quantity::InitialV => v,
        Quantity::InitialX => x,
        Quantity::Derived => &equations.derived,
        Quantity::Jacobian => equations.jacobian.as_ref().expect("the program has it"),
        Quantity::Accelerations | Quantity::Multipliers | Quantity::Pivots => {
            unreachable!("solutions are compared with M, f, G and z")
        }
        Quantity::Prepared => unreachable!("no function of a state returns prepared values"),
    };
    list.clone()
}
