//! All models of the repository: native code against the interpreter.

mod common;

use common::{Random, State, bits, model, models, models_with_jacobian, names};
use mbs_jit::{Interpreted, Native};
use mbs_runtime::{NotGenerated, System};

/// States per model.
const STATES: usize = 4;

#[test]
fn native_code_gives_the_interpreters_bits() {
    for (name, program) in models() {
        let (native, interpreted) = (Native::new(&program).expect("native code"), Interpreted::new(&program));
        let mut random = Random::new(&name);
        for _ in 0..STATES {
            let state = State::random(native.layout(), &mut random);
            let (expected, found) =
                (state.evaluate(&program, &interpreted), state.evaluate(&program, &native));
            for ((function, expected), (_, found)) in expected.iter().zip(&found) {
                assert_eq!(bits(found), bits(expected), "{function} of {name}");
            }
        }
    }
}

#[test]
fn the_layout_is_the_programs() {
    for (name, program) in models() {
        let (system, warning) = mbs_jit::system(&program);
        assert_eq!(warning, None, "{name}");
        let (layout, from) = (system.layout(), &program.layout);
        assert_eq!(layout.model(), from.model);
        assert_eq!(names(&layout.positions), from.positions);
        assert_eq!(names(&layout.velocities), from.velocities);
        assert_eq!(names(&layout.states), from.states);
        assert_eq!(names(&layout.parameters), from.parameters);
        assert_eq!(layout.parameter_defaults[..], from.parameter_defaults[..]);
        assert_eq!(names(&layout.outputs), from.outputs);
        assert_eq!(names(&layout.bodies), from.bodies);
        assert_eq!(layout.n_prepared, program.n_prepared());
        assert_eq!((layout.n_lambda(), layout.row_kinds.len()), (from.rows.len(), from.rows.len()));
        assert_eq!((layout.modes.len(), layout.mode_kinds.len()), (from.modes.len(), from.modes.len()));
        assert_eq!(layout.quaternions.len(), from.quaternions.len());
        assert!(layout.mass_pattern.len() >= layout.n_v(), "{name}: a diagonal at least");
    }
}

#[test]
fn parameters_change_without_compiling_again() {
    let program = model("four_bar");
    let (native, interpreted) = (Native::new(&program).expect("native code"), Interpreted::new(&program));
    let mut state = State::random(native.layout(), &mut Random::new("parameters"));
    let first = state.evaluate(&program, &native);
    for theta in &mut state.theta {
        *theta *= 1.25;
    }
    let second = state.evaluate(&program, &native);
    assert_ne!(first, second);
    for ((function, expected), (_, found)) in state.evaluate(&program, &interpreted).iter().zip(&second) {
        assert_eq!(bits(found), bits(expected), "{function}");
    }
}

#[test]
fn two_threads_may_call_at_once() {
    let program = model("five_link");
    let native = Native::new(&program).expect("native code");
    let interpreted = Interpreted::new(&program);
    std::thread::scope(|scope| {
        for seed in ["one", "other", "third"] {
            let (program, native, interpreted) = (&program, &native, &interpreted);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..20 {
                    let state = State::random(native.layout(), &mut random);
                    let (expected, found) =
                        (state.evaluate(program, interpreted), state.evaluate(program, native));
                    for ((function, expected), (_, found)) in expected.iter().zip(&found) {
                        assert_eq!(bits(found), bits(expected), "{function}");
                    }
                }
            });
        }
    });
}

#[test]
fn native_jacobians_are_the_interpreters() {
    for (name, program) in models_with_jacobian() {
        let (native, interpreted) = (Native::new(&program).expect("native code"), Interpreted::new(&program));
        let state = State::random(native.layout(), &mut Random::new(&name));
        let [found, expected] = [&native as &dyn System, &interpreted].map(|system| state.jacobian(system));
        assert!(expected.iter().any(|entry| *entry != 0.0 && entry.is_finite()), "{name}");
        assert_eq!(bits(&found), bits(&expected), "{name}");
    }
}

#[test]
fn derivatives_were_not_asked_for() {
    let program = model("pendulum");
    let native = Native::new(&program).expect("native code");
    let state = State::random(native.layout(), &mut Random::new("derivatives"));
    let prepared = state.prepared(&native);
    let result = native.jacobian(&state.at(&prepared), &[], &[], &mut []);
    assert_eq!(result, Err(NotGenerated));
}

#[test]
fn tables_and_modes_are_among_them() {
    let program = model("laws");
    assert!(program.tables.len() >= 4 && program.layout.modes.len() >= 2 && program.layout.states.len() == 1);
    assert_eq!(program.layout.inputs.len(), 4);
}
