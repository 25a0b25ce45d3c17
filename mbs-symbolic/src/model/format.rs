//! White space of model files, made even.
//!
//! Lines are indented by two spaces per level, nothing stands at their ends, one space
//! follows colons and commas, at most one line is left empty. Comments keep their text,
//! and their column where they can; what is written in quotes and blocks stays as it is.

use super::language::TOP;
use super::nearest;
use super::tree::{self, Node, Value};
use crate::diag::{Diagnostic, Diagnostics, FileId, Problem};

/// `source`, a model or a part of one, with even white space. The result has the same comments and, read as YAML, the
/// same content; where that cannot be had, lines stay as they are.
pub fn format(source: &str) -> Result<String, Diagnostics> {
    let (root, problems) = tree::read_as_written(source, FileId(0))?;
    if !problems.is_empty() {
        return Err(problems);
    }
    match no_model(&root) {
        Some(problem) => Err(problem.into()),
        None => Ok(even(source, &root)),
    }
}

/// Any YAML, which reads as `before`, with even white space.
fn even(source: &str, before: &Node) -> String {
    let wanted = comments(source);
    let same = |text: &str| {
        let after = tree::read_as_written(text, FileId(0));
        after.is_ok_and(|(after, _)| alike(before, &after)) && comments(text) == wanted
    };
    for style in [
        Style { spacing: true, indent: true },
        Style { spacing: false, indent: true },
        Style { spacing: false, indent: false },
    ] {
        let text = written(source, style);
        if same(&text) && written(&text, style) == text {
            return text;
        }
    }
    source.to_owned()
}

/// Why a file is neither a model nor a part of one, if it is not: other YAML is not ours to change.
fn no_model(root: &Node) -> Option<Diagnostic> {
    if root.entries().is_empty() {
        return Some(Diagnostic::error(root.span, Problem::NotAMap {}));
    }
    let known = || TOP.fields.iter().map(|field| field.key);
    let (foreign, _) = root.entries().iter().find(|(key, _)| !known().any(|known| known == key.text))?;
    let problem = Problem::UnknownKey {
        key: foreign.text.clone(),
        place: TOP.name.to_owned(),
        nearest: nearest(&foreign.text, known()),
        known: known().collect::<Vec<_>>().join(", "),
    };
    Some(Diagnostic::error(foreign.span, problem))
}

#[derive(Clone, Copy)]
struct Style {
    spacing: bool,
    indent: bool,
}

/// The same content, wherever it stands.
fn alike(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (Value::Seq(a), Value::Seq(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0.text == b.0.text && alike(&a.1, &b.1))
        }
        (Value::Null, Value::Null) => true,
        _ => a.text().is_some() && a.text() == b.text(),
    }
}

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Piece<'t> {
    /// A scalar, a key, an anchor: as written.
    Word(&'t str),
    Open(&'t str),
    Close(&'t str),
    Comma,
    Colon,
    /// `- ` of a list.
    Dash,
}

/// What one line continues from the lines before it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct State {
    flow: usize,
    quote: Option<char>,
    /// Indentation of the line a block scalar belongs to.
    block: Option<usize>,
}

/// A line taken apart.
#[derive(Debug)]
struct Line<'t> {
    pieces: Vec<(usize, Piece<'t>)>,
    /// The comment with its column in characters.
    comment: Option<(usize, &'t str)>,
}

fn width(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Takes a line apart that does not begin inside a scalar.
fn scan<'t>(line: &'t str, state: &mut State) -> Line<'t> {
    let mut pieces: Vec<(usize, Piece<'t>)> = Vec::new();
    let mut at = 0;
    let bytes = line.as_bytes();
    let spaced = |at: usize| at >= bytes.len() || matches!(bytes[at], b' ' | b'\t');
    while at < bytes.len() {
        let rest = &line[at..];
        let first_of_line = pieces.iter().all(|(_, piece)| *piece == Piece::Dash);
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            b'#' if at == 0 || spaced(at - 1) => {
                return Line { pieces, comment: Some((line[..at].chars().count(), rest)) };
            }
            b'{' | b'[' => {
                state.flow += 1;
                pieces.push((at, Piece::Open(&line[at..=at])));
                at += 1;
            }
            b'}' | b']' if state.flow > 0 => {
                state.flow -= 1;
                pieces.push((at, Piece::Close(&line[at..=at])));
                at += 1;
            }
            b',' if state.flow > 0 => {
                pieces.push((at, Piece::Comma));
                at += 1;
            }
            b':' if spaced(at + 1)
                || (state.flow > 0 && matches!(bytes[at + 1], b',' | b'}' | b']' | b'{' | b'[')) =>
            {
                pieces.push((at, Piece::Colon));
                at += 1;
            }
            b'-' if state.flow == 0 && first_of_line && spaced(at + 1) => {
                pieces.push((at, Piece::Dash));
                at += 1;
            }
            b'\'' | b'"' => {
                let length = quoted(rest, char::from(bytes[at]), 1, state);
                pieces.push((at, Piece::Word(&rest[..length])));
                at += length;
            }
            b'|' | b'>' if state.flow == 0 && !first_of_line => {
                state.block = Some(width(line));
                let length = rest.find(" #").unwrap_or(rest.len());
                pieces.push((at, Piece::Word(rest[..length].trim_end())));
                at += length;
            }
            _ => {
                let length = plain(rest, state.flow > 0);
                pieces.push((at, Piece::Word(rest[..length].trim_end())));
                at += length;
            }
        }
    }
    Line { pieces, comment: None }
}

/// How much of `text`, inside quotes from byte `from`, belongs to them.
fn quoted(text: &str, quote: char, from: usize, state: &mut State) -> usize {
    let mut characters = text.char_indices().skip_while(|(at, _)| *at < from).peekable();
    while let Some((at, c)) = characters.next() {
        if c == '\\' && quote == '"' {
            characters.next();
        } else if c == quote {
            if quote == '\'' && characters.peek().is_some_and(|(_, next)| *next == '\'') {
                characters.next();
                continue;
            }
            state.quote = None;
            return at + c.len_utf8();
        }
    }
    state.quote = Some(quote);
    text.len()
}

/// The length of a plain scalar, an anchor or an alias; at least one byte.
fn plain(text: &str, flow: bool) -> usize {
    let bytes = text.as_bytes();
    // What marks a value ends at the first space.
    if matches!(bytes[0], b'&' | b'*' | b'!') {
        return text.find([' ', ',', '}', ']']).unwrap_or(text.len()).max(1);
    }
    let end = (1..bytes.len()).find(|at| match bytes[*at] {
        b':' => {
            matches!(bytes.get(at + 1), None | Some(b' ' | b'\t'))
                || (flow && matches!(bytes.get(at + 1), Some(b',' | b'}' | b']' | b'{' | b'[')))
        }
        b'#' => matches!(bytes[at - 1], b' ' | b'\t'),
        b',' | b'}' | b']' | b'{' | b'[' => flow,
        _ => false,
    });
    end.unwrap_or(bytes.len())
}

/// Texts of all comments, in order.
fn comments(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    walk(source, |_, _, line| {
        if let Some(Line { comment: Some((_, text)), .. }) = line {
            found.push(text.trim_end().to_owned());
        }
    });
    found
}

/// Calls `f` with every line, the state before it, and its pieces unless it begins inside
/// a scalar.
fn walk<'t>(source: &'t str, mut f: impl FnMut(&'t str, State, Option<Line<'t>>)) {
    let mut state = State::default();
    for line in source.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let before = state;
        if let Some(owner) = state.block {
            if line.trim().is_empty() || width(line) > owner {
                f(line, before, None);
                continue;
            }
            state.block = None;
        }
        if let Some(quote) = state.quote {
            let length = quoted(line, quote, 0, &mut state);
            // What follows the end of a quoted scalar on its last line is left alone too.
            if state.quote.is_none() {
                let mut after = state;
                let _ = scan(&line[length..], &mut after);
                state = after;
            }
            f(line, before, None);
            continue;
        }
        let pieces = scan(line, &mut state);
        f(line, before, Some(pieces));
    }
}

fn written(source: &str, style: Style) -> String {
    let mut lines: Vec<(String, bool)> = Vec::new();
    // Columns of open levels: as they were, as they are now.
    let mut levels: Vec<(usize, usize)> = Vec::new();
    let mut shift: isize = 0;
    walk(source, |line, before, pieces| {
        let Some(pieces) = pieces else {
            let moved = if before.block.is_some() { moved(line, shift, style) } else { line.to_owned() };
            lines.push((moved, true));
            return;
        };
        let column = width(line);
        let Some((start, _)) = pieces.pieces.first() else {
            let text = pieces.comment.map_or("", |(_, text)| text.trim_end());
            // Placed with the line that follows, below.
            lines.push((
                if text.is_empty() { String::new() } else { format!("{}{text}", " ".repeat(column)) },
                false,
            ));
            return;
        };
        let indent = if !style.indent || line.starts_with('\t') {
            column
        } else if before.flow > 0 {
            (column as isize + shift).max(0) as usize
        } else {
            let indent = level(&mut levels, *start);
            shift = indent as isize - column as isize;
            let mut now = indent;
            for pair in pieces.pieces.windows(2) {
                if pair[0].1 != Piece::Dash {
                    break;
                }
                now += 2;
                levels.push((pair[1].0, now));
            }
            indent
        };
        let body = if style.spacing { spaced(&pieces.pieces) } else { line[column..].to_owned() };
        let mut text = format!("{}{}", " ".repeat(indent), body.trim_end());
        if let (true, Some((column, comment))) = (style.spacing, pieces.comment) {
            let code = text.chars().count();
            text += &" ".repeat(column.saturating_sub(code).max(2));
            text += comment.trim_end();
        }
        lines.push((text, false));
    });
    finished(lines, style)
}

/// The new column of a line that begins at `column`.
fn level(levels: &mut Vec<(usize, usize)>, column: usize) -> usize {
    while levels.last().is_some_and(|(old, _)| *old > column) {
        levels.pop();
    }
    match levels.last() {
        Some((old, new)) if *old == column => *new,
        above => {
            let new = above.map_or(0, |(_, new)| new + 2);
            levels.push((column, new));
            new
        }
    }
}

fn moved(line: &str, shift: isize, style: Style) -> String {
    if !style.indent || line.trim().is_empty() {
        return line.to_owned();
    }
    let indent = (width(line) as isize + shift).max(0) as usize;
    format!("{}{}", " ".repeat(indent), &line[width(line)..])
}

/// The pieces of a line with one space where one belongs.
fn spaced(pieces: &[(usize, Piece<'_>)]) -> String {
    let mut text = String::new();
    let mut last: Option<Piece<'_>> = None;
    for (_, piece) in pieces {
        let glued = matches!(last, None | Some(Piece::Open(_)))
            || matches!(piece, Piece::Close(_) | Piece::Comma | Piece::Colon);
        if !glued {
            text.push(' ');
        }
        text.push_str(match piece {
            Piece::Word(word) => word,
            Piece::Open(sign) | Piece::Close(sign) => sign,
            Piece::Comma => ",",
            Piece::Colon => ":",
            Piece::Dash => "-",
        });
        last = Some(*piece);
    }
    text
}

/// Comments at the column of the next line, no two empty lines, one end of line at the end.
fn finished(mut lines: Vec<(String, bool)>, style: Style) -> String {
    if style.indent {
        let mut next: Option<usize> = None;
        for (line, fixed) in lines.iter_mut().rev() {
            let comment = line.trim_start().starts_with('#') && !*fixed;
            if comment {
                let column = next.unwrap_or_else(|| width(line));
                *line = format!("{}{}", " ".repeat(column), line.trim_start());
            } else if !line.trim().is_empty() && !*fixed {
                next = Some(width(line));
            }
        }
    }
    let mut out = String::new();
    let mut empty = true;
    for (line, fixed) in lines {
        let blank = !fixed && line.trim().is_empty();
        if !(blank && empty) {
            out.push_str(if blank { "" } else { &line });
            out.push('\n');
        }
        empty = blank;
    }
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{FileId, even, format, tree};

    fn check(source: &str, expected: &str) {
        let read = |text: &str| tree::read(text, FileId(0)).expect("valid YAML").0;
        let found = even(source, &read(source));
        assert_eq!(found, expected);
        assert_eq!(even(&found, &read(&found)), found);
    }

    #[test]
    fn white_space_becomes_even() {
        check(
            "model:   x\n\n\n\nbodies:\n     a:   { mass:1 ,b :  [ 1,2 ,  3 ]  }   # why \n     # next\n     c:\n        mass: 2\n\n\n",
            "model: x\n\nbodies:\n  a: {mass:1, b: [1, 2, 3]}                # why\n  # next\n  c:\n    mass: 2\n",
        );
    }

    #[test]
    fn lists_quotes_and_blocks() {
        check(
            "a:\n    -   b: 'it''s  #1'\n        c: \"x:  y\"\n    - don't  # note\nd: >\n      folded\n        text\ne: |\n   kept   \n\n   so\n",
            "a:\n  - b: 'it''s  #1'\n    c: \"x:  y\"\n  - don't    # note\nd: >\n      folded\n        text\ne: |\n   kept   \n\n   so\n",
        );
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for text in ["model: [1", "a: 1\n", "- model\n", ""] {
            assert!(format(text).is_err(), "{text}");
        }
    }
}
