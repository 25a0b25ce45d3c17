//! What `mbs schema` writes accepts every model there is and refuses every wrong shape.

use jsonschema::Validator;
use mbs_symbolic::diag::Severity;
use mbs_symbolic::model::{self, NoFiles, language};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn validator() -> Validator {
    let schema: Value = serde_json::from_str(&language::schema()).expect("the schema is JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("the schema is a schema");
    jsonschema::draft202012::new(&schema).expect("the schema can be used")
}

fn files(directory: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let entries = std::fs::read_dir(root).expect("a directory");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "yaml"));
    paths.sort();
    paths
}

/// The file as JSON, as an editor sees it; `None` if it is not YAML at all.
fn json(text: &str) -> Option<Value> {
    let options = serde_yaml::options! { strict_booleans: true };
    serde_yaml::from_str_with_options(text, options).ok()
}

#[test]
fn every_model_is_accepted() {
    let validator = validator();
    let mut seen = 0;
    for path in ["models", "tests/pass"].into_iter().flat_map(files) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let value = json(&text).expect("YAML");
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}: {}", path.display(), errors.join("\n"));
        seen += 1;
    }
    assert!(seen > 25, "models were found");
}

#[test]
fn every_wrong_shape_is_refused() {
    let validator = validator();
    let mut seen = 0;
    for path in files("tests/fail") {
        let text = std::fs::read_to_string(&path).expect("readable");
        let reading = model::read("model.yaml", &text, &NoFiles);
        // What only later stages refuse has the right shape.
        let Err(problems) = reading.result else { continue };
        let shape = problems.iter().any(|problem| {
            // Whether a code of a warning exists is not a matter of shape.
            let code = problem.problem.code();
            problem.severity == Severity::Error && code.starts_with("MBS-S") && code != "MBS-S021"
        });
        if !shape {
            continue;
        }
        let value = json(&text).expect("YAML");
        assert!(!validator.is_valid(&value), "{} passes", path.display());
        seen += 1;
    }
    assert!(seen > 15, "wrong models were found");
}
