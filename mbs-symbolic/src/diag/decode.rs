//! Bytes of a file → its text.

use super::Position;
use std::fmt;

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotUtf8 {
    /// The first byte that is wrong.
    pub byte: u8,
    /// How many bytes come before it.
    pub offset: usize,
    /// Its line and column.
    pub at: Position,
    /// Whether the file begins as one in UTF-16 does.
    pub is_utf16: bool,
}

impl fmt::Display for NotUtf8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_utf16 {
            return f.write_str("the text is UTF-16: save it as UTF-8");
        }
        let Self { byte, offset, at: Position { line, column }, .. } = self;
        write!(
            f,
            "byte 0x{byte:02x} at line {line}, column {column} ({offset} bytes into the file) is not UTF-8: save the \
             text as UTF-8"
        )
    }
}

impl std::error::Error for NotUtf8 {}

/// The text of a file in UTF-8. Where it was cut off after `limit` bytes, in the middle of a
/// character perhaps, what there is of that is left out.
pub fn decode(bytes: Vec<u8>, limit: usize) -> Result<String, NotUtf8> {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let offset = error.utf8_error().valid_up_to();
    let is_cut = error.utf8_error().error_len().is_none() && error.as_bytes().len() > limit;
    let mut bytes = error.into_bytes();
    let byte = bytes.get(offset).copied().unwrap_or_default();
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    bytes.truncate(offset);
    let before = String::from_utf8(bytes).unwrap_or_default();
    if is_cut {
        return Ok(before);
    }
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    Err(NotUtf8 { byte, offset, at: Position { line, column }, is_utf16 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_placed() {
        let error = decode(b"a: 1\n\xc2\xb5\xff\n".to_vec(), 100).expect_err("no UTF-8");
        assert_eq!((error.byte, error.offset, error.at), (0xff, 7, Position { line: 2, column: 2 }));
        assert!(error.to_string().contains("byte 0xff at line 2, column 2 (7 bytes"), "{error}");
        let error = decode(b"\xff\xfea\0".to_vec(), 100).expect_err("UTF-16");
        assert!(error.is_utf16);
        assert!(decode(b"\xc2".to_vec(), 100).is_err());
    }

    #[test]
    fn a_character_cut_at_the_limit_is_left_out() {
        assert_eq!(decode(b"abc\xc2".to_vec(), 3).as_deref(), Ok("abc"));
    }
}
