//! Every model of `models/` against the oracle, at several random states.

use mbs_tests::load::{Loaded, model_names};

/// Random states per model.
const STATES: u64 = 3;

#[test]
fn all_models() {
    let mut failures = Vec::new();
    for name in model_names() {
        let loaded = Loaded::model(&name);
        for seed in 0..STATES {
            let mut differences = loaded.compare_at_random_state(seed);
            if !loaded.equations.layout.quaternions.is_empty() {
                differences.extend(loaded.compare_off_the_unit_sphere(seed));
            }
            failures
                .extend(differences.iter().map(|difference| format!("{name}, state {seed}: {difference}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Initial values and defaults of inputs.
#[test]
fn defaults() {
    let mut failures = Vec::new();
    for name in model_names() {
        let differences = Loaded::model(&name).compare_defaults();
        failures.extend(differences.iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What each element adds to an entry sums up to the entry.
#[test]
fn contributions_sum_to_the_entries() {
    let mut failures = Vec::new();
    for name in model_names() {
        let loaded = Loaded::model(&name).with_contributions();
        let differences = loaded.compare_contributions(7);
        failures.extend(differences.iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
