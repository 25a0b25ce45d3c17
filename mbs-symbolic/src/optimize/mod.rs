//! Stage 6: [`Program`] → [`Program`], cheaper.
//!
//! One pass per file. Every pass keeps the values of all functions (up to rounding
//! where it re-associates) and leaves a program that [`verify`] accepts.

pub mod batch_sin_cos;
mod builder;
mod constant_results;
pub mod dead_code;
pub mod factor;
pub mod hoist;
pub mod list_schedule;
pub mod negation;
pub mod pairs;
pub mod products;
pub mod reassociate;
pub mod reciprocal;
pub mod schedule;
pub mod share;
pub mod sin_cos;
pub mod three_multiply_rotation;
pub mod tree_height;
pub mod value_numbering;

use crate::program::{Algorithm, Alternative, Counts, Function, FunctionKind, Program, verify};
use constant_results::ConstantResults;

/// A pass with its name.
type Pass = (&'static str, fn(&mut Program));

/// The passes in the order they run. Re-association comes first because it makes
/// parameter-only products; hoisting takes them out; pairing wants the final order.
const PASSES: &[Pass] = &[
    ("value_numbering", value_numbering::run),
    ("negation", negation::run),
    ("regroup", reassociate::run),
    ("factor", factor::run),
    ("products", products::run),
    ("pairs", pairs::run),
    SHARE,
    ("turns", three_multiply_rotation::run),
    ("hoist", hoist::run),
    ("reciprocal", reciprocal::run),
    ("turn_around", negation::turn_around),
    ("dead_code", dead_code::run),
    TREE_HEIGHT,
    ("schedule", schedule::run),
    ("sin_cos", sin_cos::run),
    BATCH_SIN_COS,
    LIST_SCHEDULE,
];

/// Expensive for its small gain; skipped when comparing candidates.
const SHARE: Pass = ("again", share::run);

/// These change the order only, which costs nothing that is compared.
const TREE_HEIGHT: Pass = ("prompt", tree_height::run);
const BATCH_SIN_COS: Pass = ("angles", batch_sin_cos::run);
const LIST_SCHEDULE: Pass = ("interleave", list_schedule::run);

/// What each pass did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What accelerations cost by each algorithm that was tried, the one taken first.
    pub algorithms: Vec<(Algorithm, Counts)>,
    /// The passes in the order they ran.
    pub passes: Vec<PassReport>,
}

/// What one pass did; counts are over all functions together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassReport {
    /// Its name.
    pub name: &'static str,
    /// Cost before.
    pub before: Counts,
    /// Cost after.
    pub after: Counts,
    /// Cost per parameter set after.
    pub per_parameter_set: Counts,
}

/// Runs all passes.
pub fn run(program: &mut Program) -> Report {
    let others = choose(program);
    let constant_results = ConstantResults::detach(program);
    let run_one = |&(name, pass): &Pass| {
        let before = program.total_counts();
        pass(program);
        if cfg!(debug_assertions) {
            assert_eq!(verify(&constant_results.completed(program)), Ok(()), "after {name}");
        }
        let (after, per_parameter_set) = (program.total_counts(), program.per_parameter_set());
        PassReport { name, before, after, per_parameter_set }
    };
    let passes = PASSES.iter().map(run_one).collect();
    constant_results.reattach(program);
    let taken = program
        .algorithm
        .map(|algorithm| (algorithm, program.function(FunctionKind::Accelerations).counts()));
    Report { passes, algorithms: taken.into_iter().chain(others).collect() }
}

/// What a sine and its cosine count for when ways to compute a function are compared: they take
/// the time of some twenty other operations.
const SINE_AND_COSINE: u32 = 20;

/// Takes the way to compute each function that is cheapest once optimised; what the other
/// algorithms for accelerations cost.
fn choose(program: &mut Program) -> Vec<(Algorithm, Counts)> {
    let mut alternatives = std::mem::take(&mut program.alternatives);
    // The other functions are large and not looked at.
    let functions = std::mem::take(&mut program.functions);
    let mut alone = Program { functions: vec![Function::default(); functions.len()], ..program.clone() };
    program.functions = functions;
    let mut others = Vec::new();
    while let Some(Alternative { kind, .. }) = alternatives.first() {
        let kind = *kind;
        let place = kind as usize;
        let taken = Alternative {
            kind,
            algorithm: program.algorithm.filter(|_| kind == FunctionKind::Accelerations),
            function: std::mem::take(&mut program.functions[place]),
        };
        let (own, rest) = alternatives.into_iter().partition(|way| way.kind == kind);
        alternatives = rest;
        let mut tried: Vec<(Counts, Alternative)> = [vec![taken], own]
            .concat()
            .into_iter()
            .map(|way| {
                alone.prepare = program.prepare.clone();
                alone.functions[place] = way.function.clone();
                ConstantResults::detach(&mut alone);
                let left_out = [SHARE, TREE_HEIGHT, BATCH_SIN_COS, LIST_SCHEDULE].map(|(name, _)| name);
                let passes = PASSES.iter().filter(|(name, _)| !left_out.contains(name));
                passes.for_each(|(_, pass)| pass(&mut alone));
                (std::mem::take(&mut alone.functions[place]).counts(), way)
            })
            .collect();
        tried.sort_by_key(|(counts, _)| counts.flops() + SINE_AND_COSINE * counts.trig);
        let mut tried = tried.into_iter();
        if let Some((_, best)) = tried.next() {
            program.functions[place] = best.function;
            program.algorithm = best.algorithm.or(program.algorithm);
        }
        others.extend(tried.filter_map(|(counts, way)| way.algorithm.map(|algorithm| (algorithm, counts))));
    }
    others
}

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests {
    use super::testing::assert_same_values;
    use super::*;
    use crate::program::{fixture, lower};

    #[test]
    fn the_pendulum_costs_what_a_person_would_write() {
        let before = lower(&fixture::pendulum());
        let mut program = before.clone();
        let report = run(&mut program);
        assert_same_values(&before, &program);
        // f = tau - c*sin(phi); M is prepared.
        let fused = program.function(FunctionKind::Fused).counts();
        assert_eq!((fused.add, fused.mul, fused.trig, fused.total()), (1, 1, 1, 3));
        assert_eq!(report.passes.len(), PASSES.len());
        assert!(report.passes.iter().all(|pass| pass.after.total() <= pass.before.total()));
    }

    #[test]
    fn every_operator_survives() {
        let before = lower(&fixture::everything());
        let mut program = before.clone();
        run(&mut program);
        assert_same_values(&before, &program);
        let once = program.clone();
        run(&mut program);
        assert_eq!(program.total_counts(), once.total_counts(), "a second run finds nothing");
    }
}
