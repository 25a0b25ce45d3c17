//! `include`: other files as parts of the model.

use super::too_large;
use crate::diag::{Diagnostic, Diagnostics, FileId, Problem, Sources, Span};
use crate::model::language::TOP;
use crate::model::tree::{self, Key, Node, Value};
use crate::model::{Loader, limits, nearest};

/// Keys that belong to the model as a whole.
const OWN: [&str; 5] = ["model", "description", "allow", "gravity", "simulation"];

struct Including<'a> {
    sources: &'a mut Sources,
    loader: &'a dyn Loader,
    problems: &'a mut Diagnostics,
    /// Files from the model down to the one being read.
    open: Vec<String>,
    /// All files read so far; each is read once.
    read: Vec<String>,
}

/// `root` with the sections of all files it includes, theirs first.
pub(super) fn include(
    root: Node,
    sources: &mut Sources,
    loader: &dyn Loader,
    problems: &mut Diagnostics,
) -> Node {
    if root.value_of("include").is_none() {
        return root;
    }
    let mut including = Including { sources, loader, problems, open: Vec::new(), read: Vec::new() };
    let mut whole = Node { span: root.span, value: Value::Map(Vec::new()) };
    including.add(&mut whole, root);
    whole
}

/// The path of a file named in `file`, as the loader knows it: beside that file.
pub(in crate::model) fn beside(sources: &Sources, file: FileId, path: &str) -> String {
    if file == FileId(0) {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = sources.name(file).split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl Including<'_> {
    /// Adds a file's tree to `whole`, after the files it includes.
    fn add(&mut self, whole: &mut Node, root: Node) {
        let Value::Map(entries) = root.value else { return };
        for (key, node) in entries.iter().filter(|(key, _)| key.text == "include") {
            let one = [node.clone()];
            let paths = if node.is_scalar() { &one[..] } else { node.items() };
            for path in paths {
                self.file(whole, path, key.span);
            }
        }
        for (key, node) in entries {
            if key.text == "include" && self.open.is_empty() {
                // Kept, so that its shape is checked with all others.
                if let Value::Map(all) = &mut whole.value {
                    all.push((key, node));
                }
            } else if key.text != "include" {
                self.section(whole, key, node);
            }
        }
    }

    fn section(&mut self, whole: &mut Node, key: Key, node: Node) {
        match node.value {
            Value::Map(parts) if key.text == "initial" => {
                for (part, inner) in parts {
                    let Some(initial) = whole.section_mut(&key) else { continue };
                    match inner.value {
                        Value::Map(values) => {
                            if let Some(known) = initial.section_mut(&part) {
                                known.add_entries(values, self.problems);
                            }
                        }
                        _ => initial.add_entries(vec![(part, inner)], self.problems),
                    }
                }
            }
            Value::Map(entries) if key.text != "simulation" => {
                if let Some(section) = whole.section_mut(&key) {
                    section.add_entries(entries, self.problems);
                }
            }
            value => whole.add_entries(vec![(key, Node { span: node.span, value })], self.problems),
        }
    }

    /// Reads one file and adds what it says.
    fn file(&mut self, whole: &mut Node, node: &Node, owner: Span) {
        let Some(written) = node.text() else { return };
        let span = if node.span.start == node.span.end { owner } else { node.span };
        let path = beside(self.sources, span.file, written.trim());
        if self.open.last() == Some(&path) {
            self.problems.error(span, Problem::IncludesItself { path });
            return;
        }
        if self.open.contains(&path) {
            let mut chain = self.open.clone();
            chain.push(path);
            self.problems.error(span, Problem::Cycle { what: "included files", chain: chain.join(" → ") });
            return;
        }
        if self.read.contains(&path) {
            return;
        }
        if self.open.len() >= limits::INCLUDE_DEPTH || self.read.len() >= limits::INCLUDED_FILES {
            let (what, limit) = if self.open.len() >= limits::INCLUDE_DEPTH {
                ("levels of included files", limits::INCLUDE_DEPTH)
            } else {
                ("included files", limits::INCLUDED_FILES)
            };
            self.problems.push(too_large(span, what, limit));
            return;
        }
        self.read.push(path.clone());
        let text = match self.loader.load(&path) {
            Ok(text) => text,
            Err(why) => {
                self.problems.error(span, Problem::FileNotRead { path, why });
                return;
            }
        };
        // The model goes by no path of its own here: its text tells it.
        if self.sources.get(FileId(0)).is_some_and(|model| model.text == text) {
            let problem = if self.open.is_empty() {
                Problem::IncludesItself { path }
            } else {
                let model = self.sources.name(FileId(0)).to_owned();
                let chain = [&[model], self.open.as_slice(), &[path]].concat();
                Problem::Cycle { what: "included files", chain: chain.join(" → ") }
            };
            self.problems.error(span, problem);
            return;
        }
        let Some(root) = self.parse(&path, &text, span) else { return };
        for (key, _) in root.entries().iter().filter(|(key, _)| OWN.contains(&key.text.as_str())) {
            let problem = Problem::NotInInclude { key: key.text.clone() };
            self.problems.push(Diagnostic::error(key.span, problem).with(span, "included here"));
        }
        let Value::Map(mut entries) = root.value else { return };
        entries.retain(|(key, _)| !OWN.contains(&key.text.as_str()));
        self.open.push(path);
        self.add(whole, Node { span: root.span, value: Value::Map(entries) });
        self.open.pop();
    }

    /// The tree of an included file. Lines are quoted only of what is part of a model: a file may
    /// hold anything.
    fn parse(&mut self, path: &str, text: &str, included: Span) -> Option<Node> {
        // What is too long is said by the reader.
        let is_part = text.len() > limits::FILE_BYTES
            || text.lines().any(|line| line.split_once(':').is_some_and(|(key, _)| is_section(key)));
        if !is_part {
            let problem = Problem::NoPartOfModel { path: path.to_owned() };
            self.problems.error(included, problem);
            return None;
        }
        let id = self.sources.add(path, text);
        match tree::read(text, id) {
            Ok((root, problems)) => {
                self.problems.append(problems);
                if root.entries().is_empty() {
                    let place = Span { file: id, ..Span::default() };
                    let problem = Diagnostic::error(place, Problem::NotAMap {});
                    self.problems.push(problem.with(included, "included here"));
                    return None;
                }
                Some(root)
            }
            Err(reports) => {
                for report in &reports {
                    self.problems.push(report.clone().with(included, "included here"));
                }
                None
            }
        }
    }
}

/// Whether a key at the left margin is that of a section, or meant to be.
fn is_section(key: &str) -> bool {
    let key = key.trim_end().trim_matches(['"', '\'']);
    let known = || TOP.fields.iter().map(|field| field.key);
    known().any(|known| known == key) || nearest(key, known()).is_some()
}
