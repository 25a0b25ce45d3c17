//! Texts of other people where they stand among ours: on terminals, in comments, in messages.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a letter is none to look at but acts on what is around it: it moves the cursor, ends the
/// line, or turns the direction of reading.
pub(crate) fn acts(letter: char) -> bool {
    let is_direction = matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let is_break = matches!(letter, '\u{2028}' | '\u{2029}');
    is_direction || is_break || (letter.is_control() && letter != '\n' && letter != '\t')
}

/// A text with control and bidirectional characters written as in `\u{202e}`; the ends of its lines
/// and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if acts(letter) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

/// A line of a file whose letters that would act are others of as many bytes, so that places in it
/// stay where they are. Those below U+0080 have symbols of their own, which the renderer draws.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mask = |letter: char| match letter.len_utf8() {
        1 => letter,
        _ if !acts(letter) => letter,
        2 => '\u{b7}',
        _ => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(mask).collect())
}

/// The same on one line, with one blank between words.
pub(crate) fn in_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    printable(&words).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_written_out() {
        assert_eq!(
            printable("a\u{1b}[31m\u{202e}b\u{9b}\u{7f}\r"),
            "a\\u{1b}[31m\\u{202e}b\\u{9b}\\u{7f}\\u{d}"
        );
        assert!(matches!(printable("φ = 1 °, ü,\n\tשלום"), Cow::Borrowed(_)));
        assert_eq!(in_line(" a\n\u{2066}b  c\u{200f}"), "a \\u{2066}b c\\u{200f}");
        let text = "a\u{1b}\u{9b}\u{2066}b";
        assert_eq!(masked(text), "a\u{1b}\u{b7}\u{fffd}b");
        assert_eq!(masked(text).len(), text.len());
    }
}
