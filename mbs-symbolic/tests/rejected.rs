//! Models that are wrong, and what their author is told.

use mbs_symbolic::model::NoFiles;
use mbs_symbolic::{Options, compile};

#[test]
fn rejected_models() {
    insta::glob!("../../tests/fail", "*.{yaml,urdf}", |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy();
        let rejected =
            compile(&name, &source, &NoFiles, Options::default()).expect_err("the model should be rejected");
        assert!(rejected.diagnostics.has_errors());
        insta::assert_snapshot!(rejected.to_string());
    });
}
