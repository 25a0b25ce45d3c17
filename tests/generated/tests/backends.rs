//! Generated code, the interpreter and the equations themselves give the same numbers.

use mbs_build::{FrameAxes, Options, compile_file};
use mbs_generated::{MODELS, TYPED, WITH_FRAMES, WITH_JACOBIAN};
use mbs_jit::Read;
use mbs_runtime::{At, Fused, NotGenerated, System};
use mbs_symbolic::Compiled;
use mbs_symbolic::dynamics::Solution;
use mbs_symbolic::expr::{Environment, evaluate};
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Program, Quantity, expressions, solved};
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

/// The model of a file, as the build script compiled it.
fn compiled(path: &str) -> Compiled {
    let file = Path::new(path);
    let is = |name: &&str| file.file_stem().is_some_and(|stem| stem == *name);
    let mut options = Options { jacobian: WITH_JACOBIAN.iter().any(is), ..Options::default() };
    if let Some((_, frames, own_axes)) = WITH_FRAMES.iter().find(|(name, ..)| is(name)) {
        options.frame_jacobians = frames.iter().map(|&frame| frame.to_owned()).collect();
        options.frame_axes = if *own_axes { FrameAxes::Frame } else { FrameAxes::Ground };
    }
    compile_file(file, path, options).result.unwrap_or_else(|error| panic!("{error}"))
}

/// The functions a program has.
fn functions(program: &Program) -> impl Iterator<Item = FunctionKind> {
    FunctionKind::ALL.into_iter().filter(|&kind| program.has(kind))
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
    let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    assert_eq!(mbs_jit::call(system, kind, Read { at, v_dot, lambda }, &mut slices), Ok(()));
    results
}

/// The same bits; all NaN are alike.
fn same(expected: &[Vec<f64>], found: &[Vec<f64>]) -> bool {
    let bits = |blocks: &[Vec<f64>]| -> Vec<Vec<u64>> {
        let canonical = |&x: &f64| if x.is_nan() { 0 } else { x.to_bits() };
        blocks.iter().map(|block| block.iter().map(canonical).collect()).collect()
    };
    bits(expected) == bits(found)
}

/// Values of the expressions a function was made from.
fn evaluated(compiled: &Compiled, kind: FunctionKind, state: &State) -> Vec<Vec<f64>> {
    let equations = &compiled.equations;
    let State { theta, p, v, x, u, modes, v_dot, lambda } = state;
    let environment = Environment { theta, t: TIME, p, v, x, u, modes, v_dot, lambda };
    let read = |table, kind, derivative, at| {
        let (x, coefficients) = mbs_symbolic::model::pieces(&equations.tables[table], kind);
        let table = mbs_runtime::math::Table { x: &x, coefficients: &coefficients };
        match kind {
            mbs_runtime::math::TableKind::Spline => mbs_runtime::math::spline(table, derivative, at),
            mbs_runtime::math::TableKind::Linear => mbs_runtime::math::linear(table, derivative, at),
        }
    };
    let of = |&quantity: &Quantity| {
        let taken = |solution: &&Solution| Some(solution.algorithm) == compiled.program.algorithm;
        let solution = equations.solutions.iter().find(taken);
        let roots = solution.and_then(|solution| solved(solution, quantity));
        let roots = roots.unwrap_or_else(|| expressions(equations, quantity));
        evaluate(&equations.graph, &environment, &read, &roots)
    };
    kind.quantities().iter().map(of).collect()
}

fn for_every_function(mut check: impl FnMut(&str, &Compiled, &dyn System, FunctionKind, &State)) {
    assert!(MODELS.len() > 20);
    for (path, system) in MODELS {
        let compiled = compiled(path);
        for seed in 1..4 {
            let state = State::random(&compiled.program, seed);
            for kind in functions(&compiled.program) {
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
        assert!(same(&expected, &found), "{path} {}: {expected:?} {found:?}", kind.name());
    });
}

/// M or G with the zeros of its pattern, and no number elsewhere.
fn with_zeros(rows: usize, columns: usize, pattern: &[(u32, u32)]) -> Vec<f64> {
    let mut matrix = vec![0.0; rows * columns];
    pattern.iter().for_each(|&(row, column)| matrix[column as usize * rows + row as usize] = f64::NAN);
    matrix
}

#[test]
fn updates_leave_nothing_but_zeros_alone() {
    for (path, system) in MODELS {
        let compiled = compiled(path);
        let (program, layout) = (&compiled.program, system.layout());
        let state = State::random(program, 1);
        let mut prepared = vec![f64::NAN; layout.n_prepared];
        system.prepare(&state.theta, &mut prepared);
        let State { p, v, x, u, modes, .. } = &state;
        let at = &At { t: TIME, p, v, x, u, modes, prepared: &prepared };
        let blank_m = || with_zeros(layout.n_v(), layout.n_v(), &layout.mass_pattern);
        let blank_g = || with_zeros(layout.n_lambda(), layout.n_v(), &layout.jacobian_pattern);

        let (mut m, mut g) = (blank_m(), blank_g());
        system.update_mass_matrix(at, &mut m);
        system.update_constraint_jacobian(at, &mut g);
        let expected = |kind| generated(program, *system, kind, &state);
        assert!(same(&expected(FunctionKind::MassMatrix), &[m]), "{path} M");
        assert!(same(&expected(FunctionKind::ConstraintJacobian), &[g]), "{path} G");

        let mut parts = blank(program, FunctionKind::Fused);
        (parts[1], parts[3]) = (blank_m(), blank_g());
        let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = &mut parts[..]
        else {
            unreachable!("six quantities")
        };
        let mut out = Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
        system.update_fused(at, &mut out);
        assert!(same(&expected(FunctionKind::Fused), &parts), "{path} fused");
    }
}

#[test]
fn typed_functions_give_the_bits_of_the_slices() {
    assert_eq!(MODELS.len(), TYPED.len());
    for ((path, system), typed) in MODELS.iter().zip(TYPED) {
        let compiled = compiled(path);
        let program = &compiled.program;
        assert_eq!(typed.defaults(), program.layout.parameter_defaults, "{path}");
        for seed in 1..4 {
            let state = State::random(program, seed);
            let mut prepared = vec![f64::NAN; system.layout().n_prepared];
            system.prepare(&state.theta, &mut prepared);
            assert!(same(&[typed.prepare(&state.theta)], &[prepared.clone()]), "{path} prepare");
            let State { p, v, x, u, modes, v_dot, lambda, .. } = &state;
            let at = &At { t: TIME, p, v, x, u, modes, prepared: &prepared };
            for kind in functions(program) {
                let expected = generated(program, *system, kind, &state);
                let found = typed.call(kind.name(), at, v_dot, lambda);
                assert!(same(&expected, &found), "{path} {}: {expected:?} {found:?}", kind.name());
            }
        }
    }
}

/// Whether these are accelerations with a pivot lost, as where rows are redundant: they say
/// nothing then.
fn is_lost(kind: FunctionKind, results: &[Vec<f64>]) -> bool {
    let [_, v_dot, _, _, pivots] = results else { return false };
    let is_small = |pivots: &[f64]| {
        let largest = pivots.iter().fold(0.0_f64, |largest, pivot| largest.max(pivot.abs()));
        !pivots.iter().all(|pivot| pivot.abs() > 1e-5 * largest)
    };
    let (velocities, rows) = pivots.split_at(v_dot.len());
    kind == FunctionKind::Accelerations && (is_small(velocities) || is_small(rows))
}

/// Comparing NaN with NaN would say nothing.
#[test]
fn equations_are_finite_somewhere() {
    for (path, _) in MODELS {
        let compiled = compiled(path);
        let program = &compiled.program;
        for kind in functions(program) {
            let finite = (1..4).any(|seed| {
                let results = interpreted(program, kind, &State::random(program, seed));
                is_lost(kind, &results) || results.iter().flatten().all(|value| value.is_finite())
            });
            assert!(finite, "{path}: no seed has finite {}", kind.name());
        }
    }
}

/// Functions on request are there exactly where they were asked for.
#[test]
fn jacobians_were_asked_for() {
    let (mut residuals, mut frames) = (0, 0);
    for (path, system) in MODELS {
        let program = compiled(path).program;
        let at = At { t: 0.0, p: &[], v: &[], x: &[], u: &[], modes: &[], prepared: &[] };
        if program.has(FunctionKind::Jacobian) {
            residuals += 1;
        } else {
            assert_eq!(system.jacobian(&at, &[], &[], &mut []), Err(NotGenerated), "{path}");
        }
        if program.has(FunctionKind::FrameJacobian) {
            frames += 1;
        } else {
            assert_eq!(system.frame_jacobian(&at, &mut []), Err(NotGenerated), "{path}");
        }
        assert!(system.frame_names().iter().eq(&program.layout.frames), "{path}");
    }
    assert_eq!((residuals, frames), (WITH_JACOBIAN.len(), WITH_FRAMES.len()));
}

/// What a generated model says of itself is what the compiler knows.
#[test]
fn layouts_agree() {
    for (path, system) in MODELS {
        let compiled = compiled(path);
        let (program, found) = (&compiled.program, system.layout());
        let expected = &program.layout;
        let lists = [
            (&found.positions, expected.positions.clone()),
            (&found.velocities, expected.velocities.clone()),
            (&found.states, expected.states.clone()),
            (&found.inputs, expected.inputs.iter().map(|slot| slot.name.clone()).collect()),
            (&found.parameters, expected.parameters.clone()),
            (&found.derived, expected.derived.clone()),
            (&found.rows, expected.rows.iter().map(|row| row.name.clone()).collect()),
            (&found.modes, expected.modes.iter().map(|mode| mode.name.clone()).collect()),
            (&found.outputs, expected.outputs.clone()),
            (&found.bodies, expected.bodies.clone()),
        ];
        for (found, expected) in lists {
            assert!(found.iter().eq(&expected), "{path}: {found:?} for {expected:?}");
        }
        assert_eq!(found.model(), expected.model, "{path}");
        assert_eq!(found.n_g, expected.n_g, "{path}");
        assert_eq!(found.n_prepared, program.n_prepared(), "{path}");
        assert_eq!(*found.parameter_defaults, *expected.parameter_defaults, "{path}");
        assert_eq!(*found.mass_pattern, *program.pattern(Quantity::MassMatrix), "{path}");
        assert_eq!(*found.jacobian_pattern, *program.pattern(Quantity::ConstraintJacobian), "{path}");
        let quaternions = expected.quaternions.iter().map(|block| (block.p, block.v));
        assert!(found.quaternions.iter().map(|block| (block.p, block.v)).eq(quaternions), "{path}");
    }
}

#[test]
fn the_optimiser_changes_nothing_but_rounding() {
    for_every_function(|path, compiled, _, kind, state| {
        let expected = evaluated(compiled, kind, state);
        let found = interpreted(&compiled.program, kind, state);
        if is_lost(kind, &expected) {
            return;
        }
        // Solving makes more of rounding.
        let tolerance = if kind == FunctionKind::Accelerations { 1e-8 } else { 1e-11 };
        for (expected, found) in expected.iter().zip(&found) {
            let scale = expected.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            for (x, y) in expected.iter().zip(found) {
                let close = (x - y).abs() <= tolerance * scale || (x.is_nan() && y.is_nan());
                assert!(close, "{path} {}: {x} became {y}", kind.name());
            }
        }
    });
}

/// A panic in builds with debug assertions, not a number in others.
#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "length"))]
fn a_wrong_length_is_not_silent() {
    let at = At { t: 0.0, p: &[], v: &[], x: &[], u: &[], modes: &[], prepared: &[] };
    let mut out = [0.0; 3];
    mbs_generated::pendulum::Model.forces(&at, &mut out);
    assert!(out.iter().all(|value| value.is_nan()), "{out:?}");
}

/// A mode the layout calls inactive changes nothing: neither forces, rates, outputs and
/// energies nor the switching functions of modes that are active.
#[test]
fn inactive_modes_have_no_influence() {
    let mut inactive = 0;
    for (path, system) in MODELS {
        let compiled = compile_file(Path::new(path), path, mbs_build::Options::default())
            .result
            .unwrap_or_else(|error| panic!("{error}"));
        let (program, layout) = (&compiled.program, system.layout());
        assert_eq!(layout.mode_uses.len(), program.mode_uses().count(), "{path}");
        for seed in 1..40 {
            let mut state = State::random(program, seed);
            let active: Vec<bool> =
                (0..state.modes.len()).map(|mode| layout.is_active(mode, &state.modes)).collect();
            let results = |state: &State| {
                let mut values: Vec<Vec<f64>> =
                    [FunctionKind::Fused, FunctionKind::Outputs, FunctionKind::Energy]
                        .into_iter()
                        .flat_map(|kind| generated(program, *system, kind, state))
                        .collect();
                let switching = generated(program, *system, FunctionKind::SwitchingFunctions, state).concat();
                values.push(
                    switching.into_iter().zip(&active).map(|(s, a)| if *a { s } else { 0.0 }).collect(),
                );
                values
            };
            let expected = results(&state);
            for mode in (0..active.len()).filter(|&mode| !active[mode]) {
                inactive += 1;
                state.modes[mode] = !state.modes[mode];
                let name = layout.modes.get(mode).unwrap_or_default();
                assert!(same(&expected, &results(&state)), "{path}: {name} has an influence");
                state.modes[mode] = !state.modes[mode];
            }
        }
    }
    assert!(inactive > 100, "only {inactive} inactive modes met");
}
