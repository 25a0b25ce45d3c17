//! Generated code, the interpreter and the equations themselves give the same numbers.

use mbs_build::compile_file;
use mbs_generated::MODELS;
use mbs_runtime::{At, Fused, System};
use mbs_symbolic::Compiled;
use mbs_symbolic::expr::{Environment, evaluate};
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Program, Quantity};
use std::path::Path;

/// Numbers everything depends on.
struct State {
    theta: Vec<f64>,
    p: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
    modes: Vec<bool>,
    v_dot: Vec<f64>,
    lambda: Vec<f64>,
}

const TIME: f64 = 0.37;

impl State {
    fn random(program: &Program, seed: u64) -> Self {
        let mut state = seed;
        let mut number = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            2.0 * (state >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
        };
        let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| number()).collect() };
        let layout = &program.layout;
        let theta = layout.parameter_defaults.iter().zip(numbers(layout.parameters.len()));
        Self {
            theta: theta.map(|(default, r)| default * (1.0 + 0.03 * r)).collect(),
            p: numbers(layout.positions.len()),
            v: numbers(layout.velocities.len()),
            x: numbers(layout.states.len()),
            u: numbers(layout.inputs.len()),
            modes: numbers(layout.modes.len()).into_iter().map(|r| r < 0.0).collect(),
            v_dot: numbers(layout.velocities.len()),
            lambda: numbers(layout.rows.len()),
        }
    }

    fn inputs<'a>(&'a self, prepared: &'a [f64]) -> Inputs<'a> {
        let Self { p, v, x, u, modes, v_dot, lambda, .. } = self;
        Inputs { t: TIME, p, v, x, u, modes, prepared, v_dot, lambda }
    }
}

fn blank(program: &Program, kind: FunctionKind) -> Vec<Vec<f64>> {
    let size = |&quantity: &Quantity| {
        let (rows, columns) = program.shape(quantity);
        vec![f64::NAN; rows * columns]
    };
    kind.quantities().iter().map(size).collect()
}

fn interpreted(program: &Program, kind: FunctionKind, state: &State) -> Vec<Vec<f64>> {
    let mut interpreter = Interpreter::new(program);
    let mut prepared = vec![0.0; program.n_prepared()];
    interpreter.prepare(program, &state.theta, &mut prepared);
    let mut results = blank(program, kind);
    let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    interpreter.run(program, kind, &state.inputs(&prepared), &mut slices);
    results
}

fn generated(program: &Program, system: &dyn System, kind: FunctionKind, state: &State) -> Vec<Vec<f64>> {
    let mut prepared = vec![f64::NAN; system.layout().n_prepared];
    system.prepare(&state.theta, &mut prepared);
    let State { p, v, x, u, modes, v_dot, lambda, .. } = state;
    let at = &At { t: TIME, p, v, x, u, modes, prepared: &prepared };
    let mut results = blank(program, kind);
    let mut slices = results.iter_mut().map(Vec::as_mut_slice);
    let mut next = || slices.next().unwrap_or_default();
    match kind {
        FunctionKind::Kinematics => system.kinematics(at, next()),
        FunctionKind::KinematicMatrix => system.kinematic_matrix(at, next()),
        FunctionKind::MassMatrix => system.mass_matrix(at, next()),
        FunctionKind::Forces => system.forces(at, next()),
        FunctionKind::Constraints => system.constraints(at, next()),
        FunctionKind::ConstraintJacobian => system.constraint_jacobian(at, next()),
        FunctionKind::VelocityBias => system.velocity_bias(at, next()),
        FunctionKind::AccelerationBias => system.acceleration_bias(at, next()),
        FunctionKind::Auxiliary => system.auxiliary(at, next()),
        FunctionKind::Fused => {
            let (p_dot, mass_matrix, forces) = (next(), next(), next());
            let (constraint_jacobian, acceleration_bias, auxiliary) = (next(), next(), next());
            system.fused(
                at,
                &mut Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary },
            );
        }
        FunctionKind::InverseDynamics => system.inverse_dynamics(at, v_dot, next()),
        FunctionKind::SwitchingFunctions => system.switching_functions(at, next()),
        FunctionKind::Outputs => system.outputs(at, v_dot, lambda, next()),
        FunctionKind::Poses => system.poses(at, next()),
        FunctionKind::Energy => {
            let energy = system.energy(at);
            next().copy_from_slice(&[energy.kinetic, energy.potential]);
        }
        FunctionKind::InputDefaults => system.input_defaults(TIME, &prepared, next()),
        FunctionKind::Initial => system.initial(&prepared, next(), next(), next()),
        FunctionKind::Derived => system.derived(&prepared, next()),
    }
    results
}

/// Values of the expressions a function was made from.
fn evaluated(compiled: &Compiled, kind: FunctionKind, state: &State) -> Vec<Vec<f64>> {
    let equations = &compiled.equations;
    let State { theta, p, v, x, u, modes, v_dot, lambda } = state;
    let environment = Environment { theta, t: TIME, p, v, x, u, modes, v_dot, lambda };
    let read = |table, kind, derivative, at| {
        let coefficients = mbs_symbolic::model::coefficients(&equations.tables[table], kind);
        let table = mbs_runtime::math::Table { x: &equations.tables[table].x, coefficients: &coefficients };
        match kind {
            mbs_runtime::math::TableKind::Spline => mbs_runtime::math::spline(table, derivative, at),
            mbs_runtime::math::TableKind::Linear => mbs_runtime::math::linear(table, derivative, at),
        }
    };
    let of = |&quantity: &Quantity| {
        let roots = mbs_symbolic::program::expressions(equations, quantity);
        evaluate(&equations.graph, &environment, &read, &roots)
    };
    kind.quantities().iter().map(of).collect()
}

fn for_every_function(mut check: impl FnMut(&str, &Compiled, &dyn System, FunctionKind, &State)) {
    assert!(MODELS.len() > 20);
    for (path, system) in MODELS {
        let compiled = compile_file(Path::new(path), path).result.unwrap_or_else(|error| panic!("{error}"));
        for seed in 1..4 {
            let state = State::random(&compiled.program, seed);
            for kind in FunctionKind::ALL {
                check(path, &compiled, *system, kind, &state);
            }
        }
    }
}

#[test]
fn generated_code_gives_the_bits_of_the_interpreter() {
    for_every_function(|path, compiled, system, kind, state| {
        let program = &compiled.program;
        let expected = interpreted(program, kind, state);
        let found = generated(program, system, kind, state);
        let bits = |blocks: &[Vec<f64>]| -> Vec<u64> {
            // All NaN are alike.
            let canonical = |&x: &f64| if x.is_nan() { 0 } else { x.to_bits() };
            blocks.iter().flatten().map(canonical).collect()
        };
        assert_eq!(bits(&expected), bits(&found), "{path} {}: {expected:?} {found:?}", kind.name());
    });
}

#[test]
fn the_optimiser_changes_nothing_but_rounding() {
    for_every_function(|path, compiled, _, kind, state| {
        let expected = evaluated(compiled, kind, state);
        let found = interpreted(&compiled.program, kind, state);
        for (expected, found) in expected.iter().zip(&found) {
            let scale = expected.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            for (x, y) in expected.iter().zip(found) {
                let close = (x - y).abs() <= 1e-11 * scale || (x.is_nan() && y.is_nan());
                assert!(close, "{path} {}: {x} became {y}", kind.name());
            }
        }
    });
}

#[test]
#[should_panic(expected = "length")]
fn a_wrong_length_is_not_silent() {
    let at = At { t: 0.0, p: &[], v: &[], x: &[], u: &[], modes: &[], prepared: &[] };
    mbs_generated::pendulum::Model.forces(&at, &mut [0.0; 3]);
}
