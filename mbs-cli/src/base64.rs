//! Bytes as text (RFC 4648, section 4).

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Four characters for every three bytes.
pub(crate) fn encode(bytes: impl IntoIterator<Item = u8>) -> String {
    let mut bytes = bytes.into_iter();
    let mut out = String::new();
    while let Some(first) = bytes.next() {
        let rest = [bytes.next(), bytes.next()];
        let [second, third] = rest.map(|byte| u32::from(byte.unwrap_or(0)));
        let group = u32::from(first) << 16 | second << 8 | third;
        let given = 2 + rest.iter().flatten().count();
        for k in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * k) & 63) as usize];
            out.push(if k < given { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::encode;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn test_vectors_of_the_standard() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| encode(text.bytes())), expected);
        assert_eq!(encode([0xfb, 0xff, 0xfe]), "+//+");
    }
}
