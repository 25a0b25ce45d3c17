//! Where each byte of a quoted, folded or many-lined scalar stands in its file.

use super::tree::{Node, Value};

/// For each byte of the scalar's text, and once more for its end, the distance from the
/// start of its node; `None` for a scalar that is its own source byte by byte, and where text and source cannot be matched.
pub(super) fn offsets(node: &Node, text: &str, source: &str) -> Option<Vec<u32>> {
    if !matches!(node.value, Value::Text { exact: false, .. }) {
        return None;
    }
    // Of scalars with many lines the reader knows only the start.
    align(source.get(node.span.start as usize..)?, text)
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Plain,
    Single,
    Double,
    Block,
}

/// Follows `text` through `raw`, the file from the scalar's first byte on. Folding
/// changes nothing but white space, so everything else must come in the same order.
fn align(raw: &str, text: &str) -> Option<Vec<u32>> {
    let bytes = raw.as_bytes();
    let style = match bytes.first()? {
        b'"' => Style::Double,
        b'\'' => Style::Single,
        b'|' | b'>' => Style::Block,
        b'!' | b'&' | b'*' => return None,
        _ => Style::Plain,
    };
    let mut at = match style {
        Style::Plain => 0,
        Style::Single | Style::Double => 1,
        Style::Block => raw.find('\n')?,
    };
    let mut offsets = Vec::with_capacity(text.len() + 1);
    for letter in text.chars() {
        if letter.is_ascii_whitespace() {
            offsets.push(u32::try_from(at).ok()?);
            let next = bytes.get(at).is_some_and(|byte| *byte == b' ' || *byte == b'\t');
            at += usize::from(next);
            continue;
        }
        while bytes.get(at)?.is_ascii_whitespace() || continues(style, bytes, at) {
            at += 1;
        }
        let width = match bytes[at] {
            b'\\' if style == Style::Double => escape_width(*bytes.get(at + 1)?),
            b'\'' if style == Style::Single && letter == '\'' => 2,
            _ if raw[at..].starts_with(letter) => letter.len_utf8(),
            _ => return None,
        };
        let start = u32::try_from(at).ok()?;
        // Of a letter of several bytes each is where the letter is.
        offsets.extend(
            (0..letter.len_utf8())
                .map(|byte| start + if width == letter.len_utf8() { byte as u32 } else { 0 }),
        );
        at += width;
    }
    offsets.push(u32::try_from(at).ok()?);
    Some(offsets)
}

/// Whether the line goes on behind a backslash at its end.
fn continues(style: Style, bytes: &[u8], at: usize) -> bool {
    let line_end = matches!(bytes.get(at + 1), Some(b'\n' | b'\r'));
    style == Style::Double && bytes.get(at) == Some(&b'\\') && line_end
}

fn escape_width(letter: u8) -> usize {
    match letter {
        b'x' => 4,
        b'u' => 6,
        b'U' => 10,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::align;

    /// Each `expected` is a piece of the text with the source found where it should stand.
    fn check(raw: &str, text: &str, pieces: &[(&str, &str)]) {
        let offsets = align(raw, text).expect("text and source match");
        assert_eq!(offsets.len(), text.len() + 1);
        for (piece, source) in pieces {
            let at = text.find(piece).expect("a piece of the text");
            assert!(raw[offsets[at] as usize..].starts_with(source), "{piece} of {raw:?}");
        }
    }

    #[test]
    fn every_style_is_followed() {
        check("\"a + bb\" x", "a + bb", &[("a", "a"), ("bb", "bb")]);
        check("'it''s b'", "it's b", &[("'", "''"), ("b", "b'")]);
        check("\"1 + \\u0032*c\"", "1 + 2*c", &[("2", "\\u0032"), ("c", "c\"")]);
        check("\"a +\\\n   b\"", "a +b", &[("b", "b\"")]);
        check(">\n    1 +\n    2*x\n", "1 + 2*x\n", &[("1", "1 +"), ("2*x", "2*x")]);
        check("|-  # comment\n  1 +\n   y", "1 +\n y", &[("y", "y")]);
        check("1 +\r\n    22", "1 + 22", &[("22", "22")]);
        check("\"µ + a\"", "µ + a", &[("µ", "µ"), ("a", "a\"")]);
    }

    #[test]
    fn what_does_not_match_has_no_place() {
        assert_eq!(align("&anchor 1", "1"), None);
        assert_eq!(align("\"a", "b"), None);
        assert_eq!(align("a", "ab"), None);
        assert_eq!(align("", "a"), None);
    }
}
