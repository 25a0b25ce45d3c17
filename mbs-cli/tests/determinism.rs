//! Two processes write the same bytes: hash seeds, addresses and threads differ between
//! them, and none of it may show.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Trees, loops, quaternions, tables, modes, redundant and non-holonomic rows.
const MODELS: [&str; 7] =
    ["bricard", "five_link", "four_bar", "heavy_top", "planar_vehicle", "rolling_disc", "ur5"];

fn mbs(arguments: &[&str]) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbs"));
    let output = command.args(arguments).current_dir(root).output().expect("mbs starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!output.stdout.is_empty(), "{arguments:?} says nothing");
    output.stdout
}

fn assert_repeats(arguments: &[&str]) {
    // Not `assert_eq`: thousands of bytes help nobody.
    assert!(mbs(arguments) == mbs(arguments), "{arguments:?} differs between two runs");
}

fn for_each_model(check: impl Fn(&str)) {
    for name in MODELS {
        check(&format!("models/{name}.yaml"));
    }
}

#[test]
fn readable_equations() {
    for_each_model(|model| assert_repeats(&["equations", model]));
    for_each_model(|model| assert_repeats(&["equations", model, "--format", "latex"]));
    for_each_model(|model| assert_repeats(&["equations", model, "--format", "html"]));
}

#[test]
fn generated_code() {
    for_each_model(|model| assert_repeats(&["generate", model]));
}

#[test]
fn checks_and_topology() {
    for_each_model(|model| assert_repeats(&["check", model, "--json"]));
}

/// All but the times.
#[test]
fn statistics() {
    let statistics = |model: &str| {
        let mut object: Value = serde_json::from_slice(&mbs(&["stats", model, "--json"])).expect("JSON");
        let times = object.as_object_mut().and_then(|object| object.remove("stage_ms"));
        assert!(times.is_some(), "no stage_ms in {object:#}");
        // As text, so that the order of keys counts.
        object.to_string()
    };
    for_each_model(|model| assert_eq!(statistics(model), statistics(model)));
}
