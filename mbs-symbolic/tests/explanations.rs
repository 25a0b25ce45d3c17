//! Every code is shown by an example: the wrong one is rejected with that code and no other,
//! the mended one compiles.

use mbs_symbolic::diag::{Explanation, codes, explanations, render};
use mbs_symbolic::model::Loader;
use mbs_symbolic::{Options, compile};

/// Codes no few lines can show, with the test that does.
const ELSEWHERE: [(&str, &str); 10] = [
    ("MBS-X020", "mbs-cli/tests/robots.rs: every_command_takes_the_options"),
    ("MBS-S015", "assemblies.rs: mistakes_in_included_files_are_shown_there"),
    ("MBS-N019", "assemblies.rs: a_file_that_includes_itself_is_told_so"),
    ("MBS-R001", "mbs-cli/tests/simulate.rs"),
    ("MBS-L001", "tree.rs: hostile_files_are_refused"),
    ("MBS-L002", "tests/fail/yaml_too_deep.yaml"),
    ("MBS-L003", "limits.rs: too_many_bodies"),
    ("MBS-L004", "limits.rs: long_formulas_are_refused"),
    ("MBS-L005", "tests/fail/formula_too_deep.yaml"),
    ("MBS-L006", "tests/fail/yaml_alias_bomb.yaml"),
];

/// The one file examples name.
struct Files;

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, String> {
        let text = "station,height,remark\n0,0,flat\n1,0.1,bump\n2,0,flat\n";
        (path == "road.csv").then(|| text.to_owned()).ok_or("there is no such file".to_owned())
    }
}

/// Codes of everything a compilation says, with the text for people.
fn said(example: &str) -> (Vec<&'static str>, String) {
    let source = Explanation::complete(example);
    match compile("example.yaml", &source, &Files, Options::default()) {
        Ok(compiled) => {
            let codes = compiled.warnings.iter().map(|warning| warning.problem.code()).collect();
            (codes, render(&compiled.warnings, &compiled.sources))
        }
        Err(rejected) => (
            rejected.diagnostics.iter().map(|problem| problem.problem.code()).collect(),
            rejected.to_string(),
        ),
    }
}

#[test]
fn wrong_examples_give_their_code_and_right_ones_compile() {
    let mut failures = Vec::new();
    for explanation in explanations() {
        let code = explanation.code;
        if explanation.wrong.is_empty() {
            if !ELSEWHERE.iter().any(|(known, _)| *known == code) {
                failures.push(format!("{code} has no example"));
            }
            continue;
        }
        let (codes, text) = said(explanation.wrong);
        if codes != [code] {
            failures.push(format!("the wrong example of {code} gives {codes:?}\n{text}"));
        }
        let (codes, text) = said(explanation.right);
        if !codes.is_empty() {
            failures.push(format!("the right example of {code} gives {codes:?}\n{text}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn every_code_is_shown_by_an_example_or_a_test() {
    let shown: Vec<&str> = explanations()
        .iter()
        .filter(|explanation| !explanation.wrong.is_empty())
        .map(|explanation| explanation.code)
        .chain(ELSEWHERE.iter().map(|(code, _)| *code))
        .collect();
    let missing: Vec<&str> = codes().filter(|code| !shown.contains(code)).collect();
    assert!(missing.is_empty(), "nothing shows {missing:?}");
}
