//! Models that are wrong, and what their author is told.

use mbs_symbolic::diag::{Diagnostics, render};
use mbs_symbolic::model::{self, NoFiles};
use mbs_symbolic::{Options, dynamics, topology};

#[test]
fn rejected_models() {
    insta::glob!("../../tests/fail", "*.yaml", |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy();
        let reading = model::read(&name, &source, &NoFiles);
        let Err(problems) = reading.result.and_then(|(model, _)| derive(&model)) else {
            panic!("{name} should be rejected");
        };
        assert!(problems.has_errors());
        insta::assert_snapshot!(render(&problems, &reading.sources));
    });
}

/// The stages that can reject a model that could be read.
fn derive(model: &model::Model) -> Result<(), Diagnostics> {
    let topology = topology::build(model)?;
    dynamics::build(model, &topology, Options::default()).map(|_| ())
}
