//! Generated solutions for v' and λ against M, f, G and z.

use mbs_symbolic::dynamics::Solution;
use mbs_symbolic::optimize;
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Quantity, lower};

use crate::close;
use crate::compiled::{Compiled, Difference};
use crate::numbers::Numbers;

const TOLERANCE: f64 = 1e-9;

/// Pivots smaller than this part of the largest of their kind cost more digits than the
/// tolerance leaves.
const SMALL_PIVOT: f64 = 1e-5;

/// What the solutions, as expressions and as the optimised program has them, do not solve.
/// Says nothing at states where pivots are small.
pub(crate) fn compare(compiled: &Compiled<'_>) -> Vec<Difference> {
    let numbers = compiled.numbers();
    let solutions = &compiled.equations.solutions;
    let mut differences = Vec::new();
    for Solution { algorithm, v_dot, lambda, pivots } in solutions {
        let parts = [v_dot, lambda, pivots].map(|roots| compiled.get(roots));
        differences.extend(check(algorithm.name(), &numbers, &parts));
    }
    if !solutions.is_empty() {
        differences.extend(check("program", &numbers, &program(compiled)));
    }
    differences
}

/// v' of each solution, by the name of its algorithm.
pub(crate) fn v_dot(compiled: &Compiled<'_>) -> Vec<(&'static str, Vec<f64>)> {
    let solutions = compiled.equations.solutions.iter();
    solutions.map(|solution| (solution.algorithm.name(), compiled.get(&solution.v_dot))).collect()
}

fn check(name: &str, numbers: &Numbers, [v_dot, lambda, pivots]: &[Vec<f64>; 3]) -> Option<Difference> {
    let (velocities, rows) = pivots.split_at(v_dot.len());
    if !(are_large(velocities, 1.0) && are_large(rows, -1.0)) {
        return None;
    }
    let error = residual(numbers, v_dot, lambda);
    let what = format!("accelerations by {name}");
    let (compiled, expected) = (v_dot.first().copied(), numbers.accelerations().0.first().copied());
    (error > TOLERANCE || error.is_nan()).then(|| Difference {
        what,
        error,
        compiled: compiled.unwrap_or(0.0),
        expected: expected.unwrap_or(0.0),
    })
}

/// Whether pivots have the sign and none is small among them.
fn are_large(pivots: &[f64], sign: f64) -> bool {
    let largest = pivots.iter().fold(0.0_f64, |largest, pivot| largest.max(pivot.abs()));
    pivots.iter().all(|pivot| sign * pivot > SMALL_PIVOT * largest)
}

/// How far M v' + Gᵀλ = f and G v' = −z are from true, by the largest of their terms.
fn residual(numbers: &Numbers, v_dot: &[f64], lambda: &[f64]) -> f64 {
    let (n, m) = (v_dot.len(), lambda.len());
    let Numbers { mass_matrix, f, jac_g, z, .. } = numbers;
    let motion = (0..n).map(|i| {
        let inertia = (0..n).map(move |j| mass_matrix[i + n * j] * v_dot[j]);
        let reaction = (0..m).map(move |k| jac_g[k + m * i] * lambda[k]);
        inertia.chain(reaction).chain([-f[i]]).collect::<Vec<f64>>()
    });
    let rows =
        (0..m).map(|k| (0..n).map(|j| jac_g[k + m * j] * v_dot[j]).chain([z[k]]).collect::<Vec<f64>>());
    let (motion, rows): (Vec<_>, Vec<_>) = (motion.collect(), rows.collect());
    let largest = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(0.0_f64, |largest, value| largest.max(value.abs()))
    };
    // A row may hold a coordinate still while others move: it is as exact as those.
    let typical = largest(&mut jac_g.iter().copied()) * largest(&mut v_dot.iter().copied());
    let worst = |rows: &[Vec<f64>], scale: f64| {
        let sums: Vec<f64> = rows.iter().map(|terms| terms.iter().sum()).collect();
        let scale = largest(&mut rows.iter().flatten().copied()).max(scale);
        close::error(&sums, &vec![0.0; sums.len()], scale)
    };
    worst(&motion, 0.0).max(worst(&rows, typical))
}

/// v', λ and pivots of the optimised program.
fn program(compiled: &Compiled<'_>) -> [Vec<f64>; 3] {
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
        ..Inputs::default()
    };
    let kind = FunctionKind::Accelerations;
    let size = |&quantity: &Quantity| vec![f64::NAN; program.shape(quantity).0];
    let mut results: Vec<Vec<f64>> = kind.quantities().iter().map(size).collect();
    let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    interpreter.run(&program, kind, &inputs, &mut slices);
    let [_, v_dot, lambda, _, pivots] = <[_; 5]>::try_from(results).expect("five quantities");
    [v_dot, lambda, pivots]
}
