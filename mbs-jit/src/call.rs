//! Any function of a [`System`] by its kind.

use crate::model::Read;
use mbs_runtime::{Accelerated, At, Energy, Fused, NotGenerated, System};
use mbs_symbolic::program::FunctionKind;
use mbs_symbolic::with_functions;

/// Calls the method of a function, by the table of functions. `results` has an array for each of its
/// [quantities](FunctionKind::quantities).
///
/// # Errors
/// If the model was compiled without the function.
///
/// # Panics
/// If there are not as many results as quantities.
pub fn call(
    system: &dyn System,
    kind: FunctionKind,
    read: Read<'_>,
    results: &mut [&mut [f64]],
) -> Result<(), NotGenerated> {
    assert_eq!(results.len(), kind.quantities().len(), "an array for each quantity of {kind:?}");
    let Read { at, v_dot, lambda } = read;
    macro_rules! functions {
        ($(
            $(#[$doc:meta])*
            $kind:ident $name:ident $signature:ident $form:ident $(($fields:ident))? $presence:ident $use:ident
                [$($quantity:ident),*];
        )*) => {
            match kind { $(FunctionKind::$kind => method!($signature $form $presence, $name),)* }
        };
    }
    macro_rules! method {
        (State Array OnRequest, $name:ident) => {
            return system.$name(at, results[0])
        };
        (StateAndSolution Array OnRequest, $name:ident) => {
            return system.$name(at, v_dot, lambda, results[0])
        };
        (State Array $presence:ident, $name:ident) => {
            system.$name(at, results[0])
        };
        (StateAndRates Array $presence:ident, $name:ident) => {
            system.$name(at, v_dot, results[0])
        };
        (StateAndSolution Array $presence:ident, $name:ident) => {
            system.$name(at, v_dot, lambda, results[0])
        };
        (Parameters Array $presence:ident, $name:ident) => {
            system.$name(at.prepared, results[0])
        };
        (Time Array $presence:ident, $name:ident) => {
            system.$name(at.t, at.modes, at.prepared, results[0])
        };
        ($signature:ident $form:ident $presence:ident, $name:ident) => {
            return $name(system, at, results)
        };
    }
    with_functions!(functions);
    Ok(())
}

// Functions with several results are as many as there are ways to hand them over.

fn fused(system: &dyn System, at: &At<'_>, results: &mut [&mut [f64]]) -> Result<(), NotGenerated> {
    let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = results else {
        unreachable!("counted by the caller")
    };
    let mut out = Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
    system.fused(at, &mut out);
    Ok(())
}

fn accelerations(system: &dyn System, at: &At<'_>, results: &mut [&mut [f64]]) -> Result<(), NotGenerated> {
    let [p_dot, v_dot, lambda, auxiliary, pivots] = results else { unreachable!("counted by the caller") };
    system.accelerations(at, &mut Accelerated { p_dot, v_dot, lambda, auxiliary, pivots })
}

fn initial(system: &dyn System, at: &At<'_>, results: &mut [&mut [f64]]) -> Result<(), NotGenerated> {
    let [p, v, x] = results else { unreachable!("counted by the caller") };
    system.initial(at.prepared, p, v, x);
    Ok(())
}

fn energy(system: &dyn System, at: &At<'_>, results: &mut [&mut [f64]]) -> Result<(), NotGenerated> {
    let Energy { kinetic, potential } = system.energy(at);
    results[0].copy_from_slice(&[kinetic, potential]);
    Ok(())
}
