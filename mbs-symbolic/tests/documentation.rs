//! What docs/model-format.md shows is the language.

use mbs_symbolic::diag::render;
use mbs_symbolic::model::language::TOP;
use mbs_symbolic::model::{self, Loader};
use std::collections::BTreeMap;

const TEXT: &str = include_str!("../../docs/model-format.md");

/// Blocks that begin with a file's name in a comment are that file.
struct Shown(BTreeMap<String, String>);

impl Loader for Shown {
    fn load(&self, path: &str) -> Result<String, String> {
        self.0.get(path).cloned().ok_or_else(|| "not in the document".to_owned())
    }
}

fn blocks() -> Vec<String> {
    let parts = TEXT.split("```yaml\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap_or("").to_owned()).collect()
}

#[test]
fn every_example_is_read() {
    let mut files = BTreeMap::from([("road.csv".to_owned(), "station,height\n0,0\n1,2\n".to_owned())]);
    for block in blocks() {
        if let Some(name) = block.lines().next().and_then(|line| line.strip_prefix("# ")) {
            files.insert(name.to_owned(), block.clone());
        }
    }
    let loader = Shown(files);
    let mut whole = 0;
    for block in blocks() {
        let is_whole = block.starts_with("model:");
        whole += usize::from(is_whole);
        let source = if is_whole { block.clone() } else { format!("model: part\n{block}") };
        let reading = model::read("example.yaml", &source, &loader);
        if is_whole {
            let shown = match &reading.result {
                Ok((_, warnings)) => render(warnings, &reading.sources),
                Err(problems) => render(problems, &reading.sources),
            };
            assert!(shown.is_empty(), "{shown}");
        } else if let Err(problems) = &reading.result {
            // Of a part of a model only names may be missing, and bodies.
            for problem in problems {
                let code = problem.problem.code();
                let missing =
                    code.starts_with("MBS-N") || matches!(code, "MBS-S002" | "MBS-F003" | "MBS-P031");
                assert!(missing, "{}", render(problems, &reading.sources));
            }
        }
        let sections = source.lines().filter(|line| !line.starts_with([' ', '#']));
        for line in sections.filter(|line| line.contains(':')) {
            let key = line.split(':').next().unwrap_or("");
            assert!(TOP.fields.iter().any(|field| field.key == key), "`{key}` is not a section");
        }
    }
    assert!(whole >= 2, "the document shows whole models");
}

/// Every module the glossary and the guide for contributors name is there.
#[test]
fn modules_of_the_glossary_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let notation = std::fs::read_to_string(root.join("docs/notation.md")).expect("readable");
    let glossary = notation.split("## Glossary").nth(1).expect("a glossary");
    let rows: Vec<&str> =
        glossary.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    assert!(rows.len() > 15, "{} rows", rows.len());
    for row in rows {
        // A module without a folder stands beside the one before it.
        let mut folder = root.clone();
        for name in row.split('`').skip(1).step_by(2) {
            let [near, far] = [folder.join(name), root.join(name)];
            let path = if far.exists() { far } else { near };
            assert!(path.exists(), "the glossary names `{name}`, which is not there: {row}");
            folder = path.parent().expect("in a folder").to_path_buf();
        }
    }
}
