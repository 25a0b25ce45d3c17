//! Models that are wrong, and what their author is told.

use mbs_symbolic::diag::render;
use mbs_symbolic::model::{self, NoFiles};

#[test]
fn rejected_models() {
    insta::glob!("../../tests/fail", "*.yaml", |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy();
        let reading = model::read(&name, &source, &NoFiles);
        let problems = reading.result.expect_err("the model should be rejected");
        assert!(problems.has_errors());
        insta::assert_snapshot!(render(&problems, &reading.sources));
    });
}
