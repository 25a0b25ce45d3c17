//! Comparing programs by the values of all their functions, and what their order costs.

use crate::program::{Function, FunctionKind, Inputs, Interpreter, Program};

/// Values of all functions, at numbers made from `seed`.
fn values(program: &Program, seed: u64) -> Vec<(FunctionKind, Vec<f64>)> {
    let mut state = seed;
    let mut numbers = |n: usize| -> Vec<f64> {
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            0.1 + (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..n).map(|_| next()).collect()
    };
    let layout = &program.layout;
    let theta = numbers(layout.parameters.len());
    let (p, v) = (numbers(layout.positions.len()), numbers(layout.velocities.len()));
    let (x, u) = (numbers(layout.states.len()), numbers(layout.inputs.len()));
    let (v_dot, lambda) = (numbers(layout.velocities.len()), numbers(layout.rows.len()));
    let modes: Vec<bool> = numbers(layout.modes.len()).into_iter().map(|x| x < 0.6).collect();
    let mut interpreter = Interpreter::new(program);
    let mut prepared = vec![0.0; program.n_prepared()];
    interpreter.prepare(program, &theta, &mut prepared);
    let inputs = Inputs {
        t: 0.7,
        p: &p,
        v: &v,
        x: &x,
        u: &u,
        modes: &modes,
        prepared: &prepared,
        v_dot: &v_dot,
        lambda: &lambda,
    };
    let run = |kind: FunctionKind| {
        let mut blocks: Vec<Vec<f64>> = kind
            .quantities()
            .iter()
            .map(|&quantity| {
                let (rows, columns) = program.shape(quantity);
                vec![0.0; rows * columns]
            })
            .collect();
        let mut slices: Vec<&mut [f64]> = blocks.iter_mut().map(Vec::as_mut_slice).collect();
        interpreter.run(program, kind, &inputs, &mut slices);
        (kind, blocks.concat())
    };
    FunctionKind::ALL.into_iter().filter(|&kind| program.has(kind)).map(run).collect()
}

/// Asserts that all functions of both programs have the same values up to rounding.
pub(crate) fn assert_same_values(a: &Program, b: &Program) {
    for seed in 1..6 {
        for ((kind, x), (_, y)) in values(a, seed).into_iter().zip(values(b, seed)) {
            for (x, y) in x.iter().zip(&y) {
                let close = (x - y).abs() <= 1e-13 * x.abs().max(1.0) || (x.is_nan() && y.is_nan());
                assert!(close, "{}: {x} became {y}", kind.name());
            }
        }
    }
}

/// The largest number of values waiting for a later reader.
pub(crate) fn most_live(function: &Function) -> usize {
    let mut last_use = vec![0; function.body.len()];
    for (at, instruction) in function.body.iter().enumerate() {
        instruction.operands().iter().filter_map(|o| o.value()).for_each(|value| last_use[value] = at);
    }
    let live = |at: usize| (0..at).filter(|&value| last_use[value] >= at).count();
    (0..function.body.len()).map(live).max().unwrap_or(0)
}
