//! Every code of the command and of runs is explained, once, and docs/errors.md says the same.

mod common;

use common::{mbs, stderr, succeed};
use std::collections::BTreeSet;
use std::path::Path;

/// Codes of a family that stand in quotes in the sources under `directory`.
fn codes_in(directory: &Path, family: char, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            codes_in(&path, family, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("readable");
            let mark = format!("\"MBS-{family}");
            for (at, _) in text.match_indices(&mark) {
                let code = text.get(at + 1..at + 9).expect("a whole code");
                if code[5..].bytes().all(|byte| byte.is_ascii_digit()) {
                    found.insert(code.to_owned());
                }
            }
        }
    }
}

#[test]
fn own_codes_are_explained_and_explained_codes_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = include_str!("../src/explanations.md");
    let list = succeed(&["explain-code"]);
    for (family, sources) in [('C', root.join("src")), ('R', root.join("../mbs-runtime/src"))] {
        let mut used = BTreeSet::new();
        codes_in(&sources, family, &mut used);
        let mark = format!("## MBS-{family}");
        let explained: Vec<&str> =
            text.lines().filter(|line| line.starts_with(&mark)).map(|line| &line[3..11]).collect();
        let unique: BTreeSet<String> = explained.iter().map(|code| (*code).to_owned()).collect();
        assert_eq!(unique.len(), explained.len(), "a code is explained twice");
        let unused: Vec<&String> = unique.difference(&used).collect();
        assert!(unused.is_empty(), "explained, but never reported: {unused:?}");
        let missing: Vec<&String> =
            used.iter().filter(|code| list.matches(&format!("  {code}  ")).count() != 1).collect();
        assert!(missing.is_empty(), "not explained, or twice: {missing:?}");
    }
}

#[test]
fn the_reference_is_in_step() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors.md"));
    let page = page.expect("docs/errors.md");
    assert!(succeed(&["explain-code", "--all"]) == page, "run `mbs explain-code --all > docs/errors.md`");
}

#[test]
fn a_code_is_explained_however_it_is_spelt() {
    let text = succeed(&["explain-code", "MBS-N001"]);
    assert!(
        text.starts_with("MBS-N001: there is no … `…`\n\n  A name is used that nothing declares."),
        "{text}"
    );
    assert!(text.contains("\n  Wrong:\n\n      bodies:") && text.contains("\n  Right:\n"), "{text}");
    assert_eq!(text, succeed(&["explain-code", "n1"]));
    assert!(
        succeed(&["explain-code"]).contains("  MBS-R002  the initial values cannot be made consistent\n")
    );
    let output = mbs(&["explain-code", "MBS-N099"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("MBS-C050"), "{}", stderr(&output));
}

/// Two hundred lines with a mistake for each stage of the compiler: all of them in one run.
#[test]
fn five_mistakes_of_five_stages_are_reported_in_one_run() {
    let output = mbs(&["check", "tests/fail/five_mistakes.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    let codes: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("error[")?.split_once(']'))
        .map(|(code, _)| code)
        .collect();
    assert_eq!(codes, ["MBS-S001", "MBS-P001", "MBS-T001", "MBS-N001", "MBS-F001"], "{text}");
    insta::assert_snapshot!(text);
}
