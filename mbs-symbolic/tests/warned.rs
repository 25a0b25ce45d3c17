//! Models that compile but are probably not what their author means, and what he is told.

use mbs_symbolic::diag::render;
use mbs_symbolic::model::{Loader, NoFiles};
use mbs_symbolic::{Options, compile};
use std::path::Path;

#[test]
fn models_with_warnings() {
    insta::glob!("../../tests/warn", "*.yaml", |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy();
        let compiled = compile(&name, &source, &NoFiles, Options::default()).expect("the model compiles");
        assert!(!compiled.warnings.is_empty(), "nothing is said of {name}");
        insta::assert_snapshot!(render(&compiled.warnings, &compiled.sources));
    });
}

/// The models of this repository are meant as they are.
#[test]
fn models_without_warnings() {
    insta::glob!("../../models", "*.yaml", is_quiet);
}

#[test]
fn laws_that_are_meant() {
    insta::glob!("../../tests/pass", "*quiet*.yaml", is_quiet);
    insta::glob!("../../tests/pass", "allowed*.yaml", is_quiet);
}

/// Files in the folder of the model.
struct SiblingFiles<'p>(&'p Path);

impl Loader for SiblingFiles<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(self.0.join(path)).map_err(|error| error.to_string())
    }
}

fn is_quiet(path: &Path) {
    let source = std::fs::read_to_string(path).expect("readable");
    let name = path.file_name().expect("a file").to_string_lossy();
    let folder = SiblingFiles(path.parent().expect("a folder"));
    match compile(&name, &source, &folder, Options::default()) {
        Ok(compiled) => {
            assert!(compiled.warnings.is_empty(), "{}", render(&compiled.warnings, &compiled.sources));
        }
        Err(rejected) => panic!("{rejected}"),
    }
}
