//! `model::format` changes white space and nothing else.

use mbs_symbolic::model;
use proptest::prelude::*;
use std::path::Path;

fn models() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for directory in ["models", "tests/pass"] {
        let entries = std::fs::read_dir(root.join(directory)).expect("there are models");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == "yaml")) {
            texts.push(std::fs::read_to_string(path).expect("readable"));
        }
    }
    texts
}

/// What is left when all white space is taken away.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn check(source: &str) {
    let Ok(formatted) = model::format(source) else { return };
    assert_eq!(bare(source), bare(&formatted), "only white space changes");
    assert_eq!(model::format(&formatted).expect("still YAML"), formatted, "once is enough");
    let comments = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    assert_eq!(comments(source), comments(&formatted));
}

#[test]
fn models_keep_their_meaning() {
    for source in models() {
        check(&source);
        let formatted = model::format(&source).expect("a model");
        let read = |text: &str| match model::read("m.yaml", text, &model::NoFiles).result {
            Ok((model, _)) => {
                let values = model::Defaults::new(&model);
                let parameters: Vec<u64> =
                    model.parameters.ids().map(|id| values.parameter(id).to_bits()).collect();
                Some((model.name.clone(), parameters, model.bodies.len(), model.forces.len()))
            }
            Err(_) => None,
        };
        assert_eq!(read(&source), read(&formatted));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Good models with white space put in and taken out at random.
    #[test]
    fn disturbed_white_space(which in 0_usize..1000, changes in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..6), 0..12)) {
        let all = models();
        let mut text = all[which % all.len()].clone();
        for (place, change) in changes {
            let places: Vec<usize> = text.char_indices().filter(|(_, c)| matches!(c, ' ' | '\n' | ',' | '{' | ':')).map(|(at, _)| at).collect();
            if places.is_empty() {
                break;
            }
            let at = places[place.index(places.len())];
            match change {
                0 => text.insert(at + 1, ' '),
                1 => text.insert_str(at + 1, "   "),
                2 => text.insert(at, ' '),
                3 => text.insert_str(at, "\n\n"),
                4 => text.insert_str(at, "  # note"),
                _ => {
                    text.remove(at);
                }
            }
        }
        check(&text);
    }

    /// Anything that is YAML at all.
    #[test]
    fn small_documents(text in "[a-c: #\n\\-'\"\\[\\]{},|>&*!?]{0,40}") {
        check(&text);
    }
}
