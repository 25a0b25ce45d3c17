//! Derivatives of all residuals against exact derivatives of the oracle.

use mbs_tests::load::{Loaded, model_names};
use mbs_tests::random_models::{Kind, random_model};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[test]
fn all_models() {
    let mut failures = Vec::new();
    for name in model_names() {
        // Long chains take long and say nothing new.
        if name.ends_with("30") || name.ends_with("40") {
            continue;
        }
        let loaded = Loaded::model(&name).with_jacobian();
        for seed in 0..2 {
            let differences = loaded.compare_jacobian(seed);
            failures
                .extend(differences.iter().map(|difference| format!("{name}, state {seed}: {difference}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Models that use the whole language: tables, modes, branches that are not defined where
/// they are not taken.
#[test]
fn every_law() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for (name, path) in [("every_operator", "tests/generated/models"), ("laws", "mbs-jit/tests/models")] {
        let text = std::fs::read_to_string(format!("{folder}/{path}/{name}.yaml")).expect("the model");
        // Tables are looked for beside the models of `models/`.
        let text = text.replace("file: ", &format!("file: ../{path}/"));
        let loaded = Loaded::text(name, &text).with_jacobian();
        for seed in 0..6 {
            let list: Vec<String> = loaded.compare_jacobian(seed).iter().map(ToString::to_string).collect();
            assert!(list.is_empty(), "{name}, state {seed}: {}", list.join("\n"));
        }
    }
}

fn check(kind: Kind, seed: u64) -> Result<(), TestCaseError> {
    let text = random_model(kind, seed);
    let loaded = Loaded::text(&format!("random_{seed}"), &text).with_jacobian();
    let list: Vec<String> = loaded.compare_jacobian(seed).iter().map(ToString::to_string).collect();
    prop_assert!(list.is_empty(), "{}\n{text}", list.join("\n"));
    Ok(())
}

proptest! {
    // The same mechanisms in every run: a gate that fails must fail again.
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1995),
        ..ProptestConfig::default()
    })]

    #[test]
    fn trees(bodies in 1_usize..=5, forces in 0_usize..=4, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops: 0, constraints: 0, forces, long: false, mimics: false }, seed)?;
    }

    #[test]
    fn loops(bodies in 3_usize..=5, loops in 1_usize..=2, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops, constraints: 0, forces: 1, long: false, mimics: false }, seed)?;
    }

    #[test]
    fn constraint_elements(bodies in 1_usize..=4, constraints in 1_usize..=4, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops: 0, constraints, forces: 2, long: false, mimics: false }, seed)?;
    }

    #[test]
    fn mimics(bodies in 2_usize..=6, forces in 1_usize..=3, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops: 0, constraints: 0, forces, long: false, mimics: true }, seed)?;
    }
}
