//! YAML text → a tree that keeps order and places.
//!
//! Serde's derive stops at the first mistake and forgets where values stood, so the
//! text is read into this tree and the rest of the reading walks it. A plain scalar
//! is kept as its place in the source: what the user wrote, not what YAML makes of it
//! (`010`, `1_000`, `y`).

use super::no_yaml::refused;
use super::{limits, repair};
use crate::diag::{Diagnostic, Diagnostics, FileId, Problem, Span};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_yaml::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_yaml::{Error, Location, Options, Spanned};
use std::collections::BTreeMap;
use std::fmt;

/// A value with its place. Block collections have only a start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// What stands there.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// A scalar on one line without quotes: the source at its span.
    Plain(String),
    /// A quoted, folded or escaped scalar, or one the compiler wrote.
    Text {
        text: String,
        /// Whether it is the source between its quotes, byte by byte.
        exact: bool,
    },
    Seq(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) span: Span,
    /// Where the part the user wrote begins, after the name of an instance.
    pub(super) local: usize,
}

impl Key {
    /// The part the user wrote.
    pub(super) fn local(&self) -> &str {
        self.text.get(self.local..).unwrap_or(&self.text)
    }

    /// Puts the name of an instance before it.
    pub(super) fn qualify(&mut self, prefix: &str) {
        self.text.insert_str(0, prefix);
        self.local = prefix.len();
    }
}

/// Reads `text`, which is that of `file`, as one YAML document. What is wrong with its shape only is
/// reported beside the tree, which is as it was probably meant ([`repair`]); keys given twice
/// are reported, and the tree is left without them.
pub(super) fn read(text: &str, file: FileId) -> Result<(Node, Diagnostics), Diagnostics> {
    let mut node = parsed(text, file)?;
    let mut problems = Diagnostics::new();
    repair::repair(&mut node, text, &mut problems);
    take_out_duplicates(&mut node, &mut problems);
    Ok((node, problems))
}

/// The same of a tree that is left as it is written, but for keys given twice.
pub(super) fn read_as_written(text: &str, file: FileId) -> Result<(Node, Diagnostics), Diagnostics> {
    let mut node = parsed(text, file)?;
    let mut problems = Diagnostics::new();
    take_out_duplicates(&mut node, &mut problems);
    Ok((node, problems))
}

fn parsed(text: &str, file: FileId) -> Result<Node, Diagnostics> {
    if text.len() > limits::FILE_BYTES {
        let problem = Problem::FileTooLarge { bytes: text.len(), limit: limits::FILE_BYTES };
        return Err(Diagnostic::error(Span { file, ..Span::default() }, problem).into());
    }
    let mut node = parse(text).map_err(|error| refused(text, file, &error))?;
    complete(&mut node, text, file);
    Ok(node)
}

pub(super) fn parse(text: &str) -> Result<Node, Error> {
    let budget = serde_yaml::budget! {
        max_depth: limits::YAML_DEPTH,
        // One more than the depth, so that the depth is what is reported.
        flow_nesting_limit: limits::YAML_DEPTH + 1,
        // A file of the largest size cannot hold more nodes than bytes.
        max_nodes: limits::FILE_BYTES,
        max_events: 2 * limits::FILE_BYTES,
        max_documents: 2,
    };
    let options: Options = serde_yaml::options! {
        budget: budget,
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: limits::ALIAS_EVENTS },
        // All entries are handed over; see `take_out_duplicates`.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        // Without this `axis: y` would be `axis: true`.
        strict_booleans: true,
        // `.nan` is reported by the formula parser, with its place.
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
        emit_comments: false,
    };
    serde_yaml::from_str_with_options(text, options)
}

/// Drops what the YAML reader made of plain scalars in favour of the source itself, and
/// completes places.
fn complete(node: &mut Node, text: &str, file: FileId) {
    node.span.file = file;
    match &mut node.value {
        Value::Plain(_) | Value::Text { .. } => {
            let raw = text.get(node.span.start as usize..node.span.end as usize).unwrap_or("");
            let marked = raw.starts_with(['"', '\'', '|', '>', '!', '&', '*']);
            let plain = !raw.is_empty() && !marked && !raw.contains('\n');
            if plain {
                let trimmed = raw.trim_end();
                node.span = node.span.part(0, trimmed.len());
                node.value = Value::Plain(trimmed.to_owned());
            } else if let Value::Text { text, exact } = &mut node.value {
                let inner = raw.len().checked_sub(1).and_then(|end| raw.get(1..end));
                *exact = inner == Some(text);
            } else {
                node.value = Value::Text { text: raw.to_owned(), exact: false };
            }
        }
        Value::Null => {}
        Value::Seq(items) => {
            items.iter_mut().for_each(|item| complete(item, text, file));
            // The reader places only the opening bracket.
            if let Some(last) = items.last().filter(|last| last.span.start < last.span.end) {
                let to_last = node.span.to(last.span);
                let rest = text.get(to_last.end as usize..).unwrap_or("");
                let bracket = usize::from(rest.starts_with(']'));
                if node.span.start < node.span.end {
                    node.span = to_last.part(0, (to_last.end - to_last.start) as usize + bracket);
                }
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                key.span.file = file;
                complete(value, text, file);
            }
        }
    }
}

/// Reports keys given twice in one map and takes the later ones out. A section that is given
/// twice is taken as one, so that what its second half declares is known.
fn take_out_duplicates(root: &mut Node, problems: &mut Diagnostics) {
    let mut pending = vec![(root, true)];
    while let Some((node, top)) = pending.pop() {
        match &mut node.value {
            Value::Seq(items) => pending.extend(items.iter_mut().map(|item| (item, false))),
            Value::Map(entries) => {
                let mut first: BTreeMap<String, usize> = BTreeMap::new();
                let mut kept: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
                for (key, value) in entries.drain(..) {
                    let Some(&earlier) = first.get(&key.text) else {
                        first.insert(key.text.clone(), kept.len());
                        kept.push((key, value));
                        continue;
                    };
                    let (first_key, first_value) = &mut kept[earlier];
                    let problem = Problem::DuplicateKey { key: key.text };
                    problems
                        .push(Diagnostic::error(key.span, problem).with(first_key.span, "first given here"));
                    if let (true, Value::Map(all), Value::Map(more)) =
                        (top, &mut first_value.value, value.value)
                    {
                        all.extend(more);
                    }
                }
                *entries = kept;
                pending.extend(entries.iter_mut().map(|(_, value)| (value, false)));
            }
            Value::Null | Value::Plain(_) | Value::Text { .. } => {}
        }
    }
}

fn own_span(location: Location) -> Span {
    let span = location.span();
    let start = span.byte_offset().unwrap_or(0);
    Span::default().part(start as usize, span.byte_len().unwrap_or(0) as usize)
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, defined, .. } = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Self { span: own_span(defined), value })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, defined, .. } = Spanned::<String>::deserialize(deserializer)?;
        Ok(Self { span: own_span(defined), text: value, local: 0 })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Plain(String::new()))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Plain(String::new()))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Plain(String::new()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Plain(String::new()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text { text: text.to_owned(), exact: false })
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text { text, exact: false })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        while let Some(key) = map.next_key::<Key>()? {
            if entries.len() >= limits::FILE_BYTES {
                return Err(A::Error::custom("too many entries"));
            }
            entries.push((key, map.next_value()?));
        }
        Ok(Value::Map(entries))
    }
}

impl Node {
    /// The entries of a map; none for anything else.
    pub(super) fn entries(&self) -> &[(Key, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub(super) fn items(&self) -> &[Node] {
        match &self.value {
            Value::Seq(items) => items,
            _ => &[],
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self.value, Value::Plain(_) | Value::Text { .. })
    }

    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(text) | Value::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(super) fn describe(&self) -> String {
        match &self.value {
            Value::Null => "empty".to_owned(),
            Value::Plain(text) | Value::Text { text, .. } => {
                let short: String = text.chars().take(40).collect();
                let dots = if short.len() < text.len() { "…" } else { "" };
                format!("`{short}{dots}`")
            }
            Value::Seq(items) => format!("a list of {}", items.len()),
            Value::Map(_) => "a map".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(Key, Node)> {
        match read(text, FileId(0)).expect("valid YAML").0.value {
            Value::Map(entries) => entries,
            other => panic!("not a map: {other:?}"),
        }
    }

    #[test]
    fn plain_scalars_are_their_source() {
        let text = "a: y\nb: 010\nc: 1_000  # comment\nd: .nan\ne: 'x'\nf: 1e999\n";
        let texts: Vec<String> =
            entries(text).iter().map(|(_, node)| node.text().unwrap_or("none").to_owned()).collect();
        assert_eq!(texts, ["y", "010", "1_000", ".nan", "x", "1e999"]);
    }

    #[test]
    fn places_are_bytes() {
        let text = "µ: {key: \"quoted\", other: [1, 2]}\n";
        let (_, outer) = &entries(text)[0];
        let Value::Map(inner) = &outer.value else { panic!("not a map") };
        assert_eq!(&text[inner[0].0.span.start as usize..inner[0].0.span.end as usize], "key");
        assert_eq!(&text[inner[0].1.span.start as usize..][..8], "\"quoted\"");
    }

    #[test]
    fn all_duplicate_keys_are_reported_with_both_lines() {
        let (root, problems) =
            read("a: 1\nb: {a: 3}\na: 2\nc: {d: 4, d: 5, 7: 0}\nb: {e: 6}\n", FileId(0)).expect("YAML");
        let mut places: Vec<(u32, u32)> =
            problems.iter().map(|problem| (problem.span.start, problem.related[0].0.start)).collect();
        places.sort_unstable();
        assert_eq!(places, [(15, 0), (30, 24), (42, 5)]);
        let keys: Vec<&str> = root.entries().iter().map(|(key, _)| key.text.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c"]);
        assert_eq!(root.entries()[1].1.entries().len(), 2, "a section given twice is one");
    }

    #[test]
    fn hostile_files_are_refused() {
        let code = |text: &str| {
            let refused = read(text, FileId(0)).expect_err("refused");
            refused.iter().next().map(|found| found.problem.code()).expect("one")
        };
        assert_eq!(code(&"[".repeat(100_000)), "MBS-L002");
        assert_eq!(code(&"a: {".repeat(70)), "MBS-L002");
        assert_eq!(code(&" ".repeat(limits::FILE_BYTES + 1)), "MBS-L001");
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for i in 1..9 {
            let below = format!("*a{}, ", i - 1).repeat(9);
            bomb += &format!("a{i}: &a{i} [{}]\n", below.trim_end_matches(", "));
        }
        assert_eq!(code(&bomb), "MBS-L006");
        assert_eq!(code("a: [1, 2"), "MBS-Y001");
        assert_eq!(code("a: 1\n\tb: 2"), "MBS-Y005");
        assert_eq!(code(&"? ".repeat(20_000)), "MBS-L002");
    }
}
