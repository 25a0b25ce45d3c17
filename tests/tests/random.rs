//! Random trees and loops against the oracle.
//!
//! A failing case prints the model's text; shrinking makes it small.

use mbs_tests::load::Loaded;
use mbs_tests::random_models::{Kind, random_model};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn check(kind: Kind, seed: u64) -> Result<(), TestCaseError> {
    let text = random_model(kind, seed);
    let loaded = Loaded::text(&format!("random_{seed}"), &text);
    let mut differences = loaded.compare_at_random_state(seed);
    differences.extend(loaded.compare_off_the_unit_sphere(seed));
    let list: Vec<String> = differences.iter().map(ToString::to_string).collect();
    prop_assert!(list.is_empty(), "{}\n{text}", list.join("\n"));
    Ok(())
}

proptest! {
    // The same mechanisms in every run: a gate that fails must fail again. Change the seed or
    // the number of cases to try others.
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1995),
        ..ProptestConfig::default()
    })]

    #[test]
    fn trees(bodies in 1_usize..=12, forces in 0_usize..=4, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops: 0, constraints: 0, forces }, seed)?;
    }

    #[test]
    fn loops(bodies in 3_usize..=7, loops in 1_usize..=2, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops, constraints: 0, forces: 1 }, seed)?;
    }

    #[test]
    fn constraint_elements(bodies in 1_usize..=5, constraints in 1_usize..=4, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops: 0, constraints, forces: 1 }, seed)?;
    }

    #[test]
    fn force_elements(bodies in 1_usize..=4, forces in 1_usize..=6, seed in 0_u64..1_000_000) {
        check(Kind { bodies, loops: 0, constraints: 0, forces }, seed)?;
    }
}
