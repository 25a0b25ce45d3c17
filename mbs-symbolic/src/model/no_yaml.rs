//! Why a text is no YAML, in our words.

use super::tree::parse;
use super::{layout, limits};
use crate::diag::{Diagnostic, Diagnostics, FileId, Problem, Span};
use serde_yaml::budget::BudgetBreach;
use serde_yaml::{Error, Location};
use std::ops::Range;

/// Why the reader gave up: the lines that are to blame where that can be told, or else what it says.
pub(super) fn refused(text: &str, file: FileId, error: &Error) -> Diagnostics {
    let (mut report, reason) = diagnose(text, error);
    if reason == Reason::Limit {
        report.span.file = file;
        return report.into();
    }
    let reaches = |text: &str| {
        let error = parse(text).err()?;
        Some(diagnose(text, &error).0.span.start as usize)
    };
    let faults = layout::faults(text, report.span.start as usize, file, reaches);
    if !faults.is_empty() {
        return faults;
    }
    if reason == Reason::SecondColon
        && let Some(line) = line_without_key(text, report.span.start as usize)
    {
        let message = "this line is no entry: there is no `: ` behind a key".to_owned();
        let problem = Problem::Yaml { message, help: Some("write `key: value`") };
        let span = Span { file, ..Span::default() }.part(line.start, line.len());
        return Diagnostic::error(span, problem).into();
    }
    if reason == Reason::Unclosed
        && let Some(opened) = layout::unclosed(text, report.span.start as usize)
    {
        let opened = Span::default().part(opened.start, opened.len());
        if report.span.start > opened.start {
            report = report.with(Span { file, ..opened }, "opened here");
        }
    }
    report.span.file = file;
    report.into()
}

/// What kind of trouble the reader is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The file is larger, or nested deeper, than any model.
    Limit,
    /// A bracket or a quotation mark is not closed, or a comma is missing.
    Unclosed,
    /// A key stands where the value before it has not ended.
    SecondColon,
    Other,
}

fn diagnose(text: &str, error: &Error) -> (Diagnostic, Reason) {
    let mut error = error.without_snippet();
    while let Error::AliasError { error: inner, .. } = error {
        error = inner.without_snippet();
    }
    let span = error.location().map(|location| place(text, location)).unwrap_or_default();
    let (problem, reason) = match error {
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            (Problem::TooDeep { limit: limits::YAML_DEPTH }, Reason::Limit)
        }
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => (Problem::TooManyAliases {}, Reason::Limit),
        Error::MultipleDocuments { .. } => {
            let message = "a model is one document, and here a second one begins".to_owned();
            let help = Some("remove the line `---`, or split the file in two");
            (Problem::Yaml { message, help }, Reason::Other)
        }
        other => {
            let message = one_line(&other.to_string());
            // The scanner reads ahead and has a limit, and a message, of its own.
            if message.contains("recursion limit") || message.contains("nesting") {
                (Problem::TooDeep { limit: limits::YAML_DEPTH }, Reason::Limit)
            } else {
                in_our_words(message)
            }
        }
    };
    (Diagnostic::error(span, problem), reason)
}

/// The reader's message without its own place, which the diagnostic shows anyway.
fn one_line(message: &str) -> String {
    let first = message.lines().next().unwrap_or("").trim();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let end = first.find(" at line ").unwrap_or(first.len());
    first[..end].to_owned()
}

/// What the reader's messages mean for a model; those not listed are shown as they are.
fn in_our_words(message: String) -> (Problem, Reason) {
    const QUOTES: &str = "put the whole value in quotes";
    const BRACKETS: &str = "close every { with } and every [ with ]";
    const COMMA: &str = "separate entries with commas, and close every { with } and every [ with ]";
    let words: [(&str, &str, &str, Reason); 23] = [
        ("tab", "there is a tab where only spaces may stand", "use spaces", Reason::Other),
        (
            "mapping values are not allowed",
            "here is a second `: ` in what began as one value",
            "put a value that has `: ` in it in quotes, and give each key a line of its own",
            Reason::SecondColon,
        ),
        ("did not find expected ',' or '}'", "a `,` or `}` is missing before this", COMMA, Reason::Unclosed),
        ("did not find expected ',' or ']'", "a `,` or `]` is missing before this", COMMA, Reason::Unclosed),
        ("misplaced bracket", "this bracket closes none that is open", BRACKETS, Reason::Other),
        ("unclosed bracket", "this bracket is never closed", BRACKETS, Reason::Other),
        ("mismatched bracket", "this bracket is closed by one of the other kind", BRACKETS, Reason::Other),
        (
            "in multiline quoted scalar",
            "a quotation mark is not closed before this line",
            "close it with the same mark",
            Reason::Unclosed,
        ),
        ("end of stream", "the file ends within quotes", "close them with the same mark", Reason::Unclosed),
        ("invalid trailing content", "something follows the closing quotation mark", QUOTES, Reason::Other),
        (
            "unknown escape",
            "`\\` begins an escape in double quotes, and this is none",
            "use single quotes",
            Reason::Other,
        ),
        (
            "block mapping, did not find expected key",
            "this goes on neither with the value nor with the entries before it",
            "give each entry a line of its own, indented as its neighbours",
            Reason::SecondColon,
        ),
        (
            "cannot deserialize null into string",
            "a key is empty",
            "write a name before the `:`",
            Reason::Other,
        ),
        ("unclosed quote", "a quotation mark is never closed", "close it with the same mark", Reason::Other),
        (
            "implicit flow mapping",
            "a `:` or `?` stands here where a value is expected",
            QUOTES,
            Reason::Other,
        ),
        ("illegal placement of ':'", "a `:` stands here where a value is expected", QUOTES, Reason::Other),
        (
            "while scanning a block scalar",
            "a value that begins with `|` or `>` goes on below that line",
            QUOTES,
            Reason::Other,
        ),
        (
            "comments must be separated",
            "a comment begins without a space before its `#`",
            "write a space before `#`, or put the value in quotes",
            Reason::Other,
        ),
        ("unexpected character", "a value cannot begin with this character", QUOTES, Reason::Other),
        (
            "unknown anchor",
            "a value that begins with `*` refers to an anchor, and there is none of this name",
            QUOTES,
            Reason::Other,
        ),
        ("simple key expected", "a `:` is missing behind this key", "write `key: value`", Reason::Other),
        (
            "only valid inside a block",
            "`- ` begins an item of a list, which cannot stand here",
            "write lists within { } as [a, b]; a minus has no space behind it",
            Reason::Other,
        ),
        (
            "block sequence entries are not allowed",
            "`- ` begins an item of a list, which cannot stand here",
            "begin a list on the line below its key; a minus has no space behind it",
            Reason::Other,
        ),
    ];
    match words.iter().find(|(theirs, ..)| message.contains(theirs)) {
        Some((_, ours, help, reason)) => {
            (Problem::Yaml { message: (*ours).to_owned(), help: Some(help) }, *reason)
        }
        None => (Problem::Yaml { message, help: None }, Reason::Other),
    }
}

/// Byte range of a location; from line and column where the reader has no bytes.
fn place(text: &str, location: Location) -> Span {
    let span = location.span();
    if let (Some(start), Some(length)) = (span.byte_offset(), span.byte_len()) {
        return Span::default().part(start as usize, length as usize);
    }
    let line = usize::try_from(location.line()).unwrap_or(0).max(1);
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let column = usize::try_from(location.column()).unwrap_or(0).max(1);
    let offset: usize = text[start..].chars().take(column - 1).map(char::len_utf8).sum();
    Span::default().part(start + offset, 0)
}

/// The line before a key at byte `at` that is the first thing on its own line: what stands there was
/// taken for the beginning of one value.
fn line_without_key(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.get(..at)?.rfind('\n')? + 1;
    if text[start..at].contains(": ") {
        return None;
    }
    let mut end = start;
    for line in text[..start].split_inclusive('\n').rev() {
        let content = line.split(" #").next().unwrap_or(line).trim();
        let begin = end - line.len() + (line.len() - line.trim_start().len());
        end -= line.len();
        if !content.is_empty() && !content.starts_with('#') {
            let is_word = content.starts_with(|first: char| first.is_alphabetic());
            let is_entry = content.contains(['{', '[', '}', ']', '"', '\'']) || content.contains(": ");
            return (is_word && !is_entry && !content.ends_with(':')).then(|| begin..begin + content.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_its_colon_is_found() {
        let find = |text: &str, at: &str| {
            let at = text.find(at).expect("it is there");
            line_without_key(text, at).map(|range| text[range].to_owned())
        };
        assert_eq!(find("a:\n  k = 2\n\n  # no\n  l: 3\n", ": 3").as_deref(), Some("k = 2"));
        assert_eq!(find("model = a\nb: 1\n", ": 1").as_deref(), Some("model = a"));
        assert_eq!(find("a: b: 3\n", ": 3"), None);
        assert_eq!(find("a: [1,\n  2]\n b: 3\n", ": 3"), None);
        assert_eq!(find("a:\n  - one\n b: 3\n", ": 3"), None);
        assert_eq!(find("k: 2\n  l: 3\n", ": 3"), None);
        assert_eq!(find("l: 3\n", ": 3"), None);
    }
}
