//! Where the layout of a YAML text is wrong: tabs, indentation, a colon without its space.
//!
//! The YAML reader notices such a mistake lines later, when what it takes for one long value
//! meets a colon. Here the lines up to there are looked at one by one. A mistake counts only
//! if its correction lets the reader go on.

use crate::diag::{Diagnostic, Diagnostics, FileId, Problem, Span};
use std::ops::Range;

/// A line that is wrong, and how it would be right.
#[derive(Debug)]
struct Fault {
    /// Number of the line, from 0, comments and empty lines not counted.
    line: usize,
    problem: Problem,
    /// What to point at.
    mark: Range<usize>,
    /// What to replace by what.
    correction: (Range<usize>, String),
}

/// An open block mapping.
#[derive(Debug)]
struct Level {
    indent: usize,
    /// The last entry.
    key: String,
    /// Whether the last entry has no value on its line, so that one may follow deeper.
    open: bool,
}

/// Mistakes of layout that stop the YAML reader, which gave up at byte `at`. `reaches` tells where
/// it gives up in another text, `None` if nowhere.
pub(super) fn faults(
    text: &str,
    at: usize,
    file: FileId,
    reaches: impl Fn(&str) -> Option<usize>,
) -> Diagnostics {
    let mut lines = Lines::default();
    let mut start = 0;
    let mut last = None;
    for line in text.split_inclusive('\n') {
        // A tab is reported at the end of the line before it.
        if last.is_some_and(|last| lines.count > last + 1) {
            break;
        }
        let before = lines.count;
        lines.read(start, line.trim_end_matches(['\n', '\r']));
        start += line.len();
        if start > at && last.is_none() {
            last = Some(before.max(lines.count.saturating_sub(1)));
        }
    }
    let Some(last) = last.or(lines.count.checked_sub(1)) else { return Diagnostics::new() };
    let is_tab = |fault: &Fault| matches!(fault.problem, Problem::TabInIndentation {});
    let mut found: Vec<Fault> = Vec::new();
    // Neighbouring lines, from the last one up: the reader takes them for one value.
    for fault in lines.faults.into_iter().rev() {
        let nearest = found.last().map_or(last + 1, |next| next.line);
        let near = fault.line + 1 >= nearest.min(last);
        if near && (fault.line <= last || is_tab(&fault)) {
            found.push(fault);
        }
    }
    found.reverse();
    let mut corrected = String::with_capacity(text.len() + found.len());
    let mut copied = 0;
    for Fault { correction: (range, by), .. } in &found {
        corrected += text.get(copied..range.start).unwrap_or("");
        corrected += by;
        copied = range.end;
    }
    corrected += &text[copied..];
    let end = at as isize + corrected.len() as isize - text.len() as isize;
    let goes_on = reaches(&corrected).is_none_or(|place| place as isize > end);
    let mut problems = Diagnostics::new();
    if !found.is_empty() && goes_on {
        for Fault { mark, problem, .. } in found {
            let span = Span { file, ..Span::default() }.part(mark.start, mark.len());
            problems.push(Diagnostic::error(span, problem));
        }
    }
    problems
}

/// The opening quote or bracket that is not closed before byte `at`.
pub(super) fn unclosed(text: &str, at: usize) -> Option<Range<usize>> {
    let mut lines = Lines::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = (start + line.len()).min(at);
        lines.read(start, text.get(start..end)?.trim_end_matches(['\n', '\r']));
        start += line.len();
        if start >= at {
            break;
        }
    }
    let opened = lines.quote.map(|(_, place)| place).or(lines.brackets.last().copied())?;
    Some(opened..opened + 1)
}

/// `k:2` as its key and what follows the colon, which lacks its space.
pub(super) fn without_space(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let mut letters = key.chars();
    let is_name = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let lacks =
        value.chars().next().is_some_and(|first| !first.is_whitespace() && first != ':' && first != '/');
    (is_name && lacks).then_some((key, value))
}

/// What the lines of a text say of its layout, so far.
#[derive(Debug, Default)]
struct Lines {
    count: usize,
    levels: Vec<Level>,
    /// Places of brackets that are open.
    brackets: Vec<usize>,
    /// A quote that is open, and its place.
    quote: Option<(char, usize)>,
    /// The indentation of the key whose text, after `|` or `>`, goes on.
    literal: Option<usize>,
    faults: Vec<Fault>,
}

impl Lines {
    /// Reads the line that begins at byte `start`.
    fn read(&mut self, start: usize, line: &str) {
        let body = line.trim_start_matches([' ', '\t']);
        let lead = line.len() - body.len();
        if self.quote.is_some() {
            self.inline(start, line, false);
            return;
        }
        if body.is_empty() || body.starts_with('#') {
            return;
        }
        if let Some(parent) = self.literal {
            if lead > parent {
                return;
            }
            self.literal = None;
        }
        self.count += 1;
        let tabs = line[..lead].contains('\t');
        if !self.brackets.is_empty() {
            if tabs {
                self.fault(
                    Problem::TabInIndentation {},
                    start..start + lead,
                    start..start + lead,
                    " ".repeat(lead),
                );
            }
            self.inline(start + lead, body, false);
            return;
        }
        let mut indent = lead;
        if tabs {
            indent = self.levels.last().map_or(0, |level| level.indent + if level.open { 2 } else { 0 });
            let place = start..start + lead;
            self.fault(Problem::TabInIndentation {}, place.clone(), place, " ".repeat(indent));
        }
        self.entry(start + lead, indent, body);
    }

    /// Reads the first line of an entry, which begins at byte `start`.
    fn entry(&mut self, start: usize, indent: usize, body: &str) {
        if body.starts_with("- ") || body == "-" {
            let item = body[1..].trim_start_matches(' ');
            let inner = indent + body.len() - item.len();
            self.levels.retain(|level| level.indent <= indent);
            if let Some((key, value)) = key(item) {
                self.levels.push(Level { indent: inner, key: key.to_owned(), open: is_open(value) });
                self.value(start + body.len() - value.len(), inner, value);
            } else {
                self.value(start + body.len() - item.len(), indent, item);
            }
            return;
        }
        let Some((key, value)) = key(body) else {
            if let Some((key, value)) = without_space(body) {
                let problem = Problem::NoSpaceAfterColon { key: key.to_owned(), value: short(value) };
                let place = start..start + key.len() + 1 + value.chars().next().map_or(0, char::len_utf8);
                let colon = start + key.len() + 1;
                let shown = self.place(start, indent, key, false);
                if !shown {
                    self.fault(problem, place, colon..colon, " ".to_owned());
                }
            } else if body.starts_with(['{', '[', '"', '\'']) {
                self.inline(start, body, true);
            }
            return;
        };
        self.place(start, indent, key, is_open(value));
        self.value(start + body.len() - value.len(), indent, value);
    }

    /// Enters an entry at its indentation; true if that is wrong.
    fn place(&mut self, start: usize, indent: usize, key: &str, open: bool) -> bool {
        let entry = |indent| Level { indent, key: key.to_owned(), open };
        let Some(top) = self.levels.last() else {
            self.levels.push(entry(indent));
            return false;
        };
        if indent > top.indent && top.open {
            self.levels.push(entry(indent));
            return false;
        }
        let mut deeper = None;
        while self.levels.len() > 1 && self.levels.last().is_some_and(|level| level.indent > indent) {
            deeper = self.levels.pop();
        }
        let Some(level) = self.levels.last_mut() else { return false };
        let fits = level.indent == indent;
        let (expected, above) = match &deeper {
            // Nearer to the entries before it.
            Some(deeper) if !fits && deeper.indent - indent <= indent.saturating_sub(level.indent) => {
                (deeper.indent, None)
            }
            _ => (level.indent, (indent > level.indent && deeper.is_none()).then(|| level.key.clone())),
        };
        if fits || expected == level.indent {
            *level = entry(level.indent);
        } else {
            self.levels.push(entry(expected));
        }
        if !fits {
            let problem = Problem::Indentation { key: key.to_owned(), found: indent, expected, above };
            self.fault(
                problem,
                start..start + key.len(),
                start - indent.min(start)..start,
                " ".repeat(expected),
            );
        }
        !fits
    }

    /// Reads what stands behind a key on its line.
    fn value(&mut self, start: usize, indent: usize, value: &str) {
        if value.starts_with(['|', '>']) {
            self.literal = Some(indent);
        } else if value.starts_with(['{', '[', '"', '\'']) {
            self.inline(start, value, true);
        }
    }

    /// Follows quotes and brackets.
    fn inline(&mut self, start: usize, text: &str, mut begins: bool) {
        begins |= !self.brackets.is_empty();
        let mut escaped = false;
        let mut word = 0;
        for (at, letter) in text.char_indices() {
            if let Some((quote, _)) = self.quote {
                let closes = letter == quote && !escaped;
                escaped = quote == '"' && letter == '\\' && !escaped;
                if closes {
                    self.quote = None;
                    begins = false;
                }
                continue;
            }
            match letter {
                '"' | '\'' if begins => self.quote = Some((letter, start + at)),
                '{' | '[' if begins || text[..at].ends_with(':') => {
                    if let Some((key, _)) = without_space(&text[word..=at]).filter(|_| !begins) {
                        let closing = if letter == '[' { ']' } else { '}' };
                        let value = text[at..].split_inclusive(closing).next().unwrap_or("");
                        let problem = Problem::NoSpaceAfterColon { key: key.to_owned(), value: short(value) };
                        let colon = start + at;
                        self.fault(problem, start + word..colon + 1, colon..colon, " ".to_owned());
                    }
                    self.brackets.push(start + at);
                }
                '}' | ']' => {
                    self.brackets.pop();
                }
                '#' if text[..at].ends_with([' ', '\t']) || at == 0 => return,
                _ => {}
            }
            let separates =
                matches!(letter, '{' | '[' | ',') || (letter == ':' && text[at + 1..].starts_with(' '));
            begins = self.quote.is_none() && (separates || (begins && letter == ' '));
            if begins {
                word = at + 1;
            }
        }
    }

    fn fault(&mut self, problem: Problem, mark: Range<usize>, replaced: Range<usize>, by: String) {
        // A line counts once.
        let line = self.count.saturating_sub(1);
        self.faults.push(Fault { line, problem, mark, correction: (replaced, by) });
    }
}

/// The key a line begins with, and what follows its colon.
fn key(body: &str) -> Option<(&str, &str)> {
    if body.starts_with(['{', '[']) {
        return None;
    }
    let quoted = body.chars().next().filter(|first| matches!(first, '"' | '\''));
    let from = match quoted {
        Some(quote) => 1 + body[1..].find(quote)? + 1,
        None => 0,
    };
    let comment = body[from..].find(" #").map_or(body.len(), |at| from + at);
    let line = &body[..comment];
    let colon = line[from..].match_indices(':').map(|(at, _)| from + at);
    let colon =
        colon.into_iter().find(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t']))?;
    Some((&body[..colon], body[colon + 1..].trim_start()))
}

/// Whether a value may follow on the next lines.
fn is_open(value: &str) -> bool {
    value.is_empty() || value.starts_with('#') || (value.starts_with(['&', '!']) && !value.contains(' '))
}

fn short(value: &str) -> String {
    let line = value.split(" #").next().unwrap_or(value).trim_end();
    let short: String = line.chars().take(30).collect();
    if short.len() < line.len() { short + "…" } else { short }
}

#[cfg(test)]
mod tests {
    use super::super::tree;
    use crate::diag::FileId;

    /// Code, line and column of everything wrong with a text.
    fn said(text: &str) -> Vec<(&'static str, usize, usize)> {
        let problems = tree::read(text, FileId(0)).expect_err("no YAML");
        let place = |start: u32| {
            let before = &text[..start as usize];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            (before.matches('\n').count() + 1, start as usize - line_start + 1)
        };
        let one = |found: &crate::diag::Diagnostic| {
            let (line, column) = place(found.span.start);
            (found.problem.code(), line, column)
        };
        problems.iter().map(one).collect()
    }

    #[test]
    fn the_line_that_is_wrong_is_pointed_at() {
        assert_eq!(said("a:\n  k:2\n  l: 3\n"), [("MBS-Y006", 2, 3)]);
        assert_eq!(said("a:\n  k:2\n  # x\n\n  l:3\n  m: 4\n"), [("MBS-Y006", 2, 3), ("MBS-Y006", 5, 3)]);
        assert_eq!(said("a: {mass: 1, com:[1, 0, 0]}\n"), [("MBS-Y006", 1, 14)]);
        assert_eq!(said("model:a\nb:\n  k: 2\n"), [("MBS-Y006", 1, 1)]);
        assert_eq!(said("a:\n  k: 2\n   l: 3\n"), [("MBS-Y007", 3, 4)]);
        assert_eq!(said("a:\n  k: 2\n l: 3\nb: 1\n"), [("MBS-Y007", 3, 2)]);
        assert_eq!(said("a:\n  b:\n     mass: 1\n    com: 2\nc: 1\n"), [("MBS-Y007", 4, 5)]);
        assert_eq!(said("a: {b: 1}\n  c: 2\n"), [("MBS-Y007", 2, 3)]);
        assert_eq!(said("a:\n  b:\n    mass: 1\n\tcom: 2\n"), [("MBS-Y005", 4, 1)]);
        assert_eq!(said("a:\n\tk: 2\n\tl: 3\n"), [("MBS-Y005", 2, 1), ("MBS-Y005", 3, 1)]);
        assert_eq!(said("a: {\n\tb: 1}\n"), [("MBS-Y005", 2, 1)]);
    }

    #[test]
    fn what_is_no_matter_of_layout_is_left_to_the_reader() {
        assert_eq!(said("a: foo: bar\n"), [("MBS-Y001", 1, 7)]);
        assert_eq!(said("doc: |\n  see:this\n  \tand that\nb: [1\n"), [("MBS-Y001", 4, 4)]);
        assert_eq!(said("doc: 'see:this'\nb: {c: it's, d: [1\n"), [("MBS-Y001", 2, 17)]);
    }
}
