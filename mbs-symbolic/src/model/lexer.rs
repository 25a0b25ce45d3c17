//! Formula text → tokens with places.

use super::units::{self, Dimension};
use crate::diag::{Diagnostic, Problem, Span};

/// A formula's text and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormulaText<'a> {
    pub(super) text: &'a str,
    /// The place of the text, or of the scalar that holds it.
    pub(super) span: Span,
    /// Where the bytes of the text stand.
    pub(super) places: Places<'a>,
}

/// Where the bytes of a formula stand in its file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Places<'a> {
    /// Byte i of the text is byte i of the span.
    Contiguous,
    /// Byte i of the text stands so many bytes behind the span's start; one entry more
    /// than there are bytes.
    Each(&'a [u32]),
    /// Nowhere in particular: every token is given the whole span.
    Unknown,
}

impl FormulaText<'_> {
    fn span(&self, start: usize, length: usize) -> Span {
        match self.places {
            Places::Contiguous => self.span.part(start, length),
            Places::Unknown => self.span,
            Places::Each(offsets) => {
                let offset = |at: usize| offsets.get(at).map_or(0, |offset| *offset as usize);
                let first = offset(start);
                let end = if length == 0 { first } else { offset(start + length - 1) + 1 };
                self.span.part(first, end.saturating_sub(first))
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// In SI; with what it measures if a unit was written.
    Number(f64, Option<Dimension>),
    /// A name, perhaps with dots: `wheel.hub`.
    Name(String),
    Plus,
    Minus,
    Times,
    Over,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Assign,
    Open,
    Close,
    Comma,
    Dot,
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// All tokens of `formula`, the last one being `End`.
pub(super) fn tokens(formula: FormulaText<'_>) -> Result<Vec<Token>, Box<Diagnostic>> {
    let text = formula.text;
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let next = bytes.get(at + 1).copied();
        let (kind, length) = match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'0'..=b'9' => number(formula, at)?,
            b'.' if next.is_some_and(|byte| byte.is_ascii_digit()) && !after_value(&tokens) => {
                number(formula, at)?
            }
            b'a'..=b'z' | b'A'..=b'Z' => name(text, at),
            b'+' => (TokenKind::Plus, 1),
            b'-' => (TokenKind::Minus, 1),
            b'*' if next == Some(b'*') => {
                return Err(unknown(formula, at, 2, Some("powers are written with `^`")));
            }
            b'*' => (TokenKind::Times, 1),
            b'/' => (TokenKind::Over, 1),
            b'^' => (TokenKind::Power, 1),
            b'<' if next == Some(b'=') => (TokenKind::LessEqual, 2),
            b'<' => (TokenKind::Less, 1),
            b'>' if next == Some(b'=') => (TokenKind::GreaterEqual, 2),
            b'>' => (TokenKind::Greater, 1),
            b'=' if next == Some(b'=') => {
                let hint = "numbers are compared with <, <=, > and >=; equality would never hold exactly";
                return Err(unknown(formula, at, 2, Some(hint)));
            }
            b'=' => (TokenKind::Assign, 1),
            b'(' => (TokenKind::Open, 1),
            b')' => (TokenKind::Close, 1),
            b',' => (TokenKind::Comma, 1),
            b'.' => (TokenKind::Dot, 1),
            other => {
                let hint = match other {
                    b'%' => Some("the remainder is written `mod(a, b)`"),
                    b'&' => Some("write `and`"),
                    b'|' => Some("write `or`, or `abs(x)`"),
                    b'!' => Some("write `not`"),
                    b'[' | b']' => Some(
                        "vectors are lists of expressions: [a, b, c]; a vector cannot stand inside a formula",
                    ),
                    b'{' | b'}' => Some("only round parentheses group"),
                    b'"' | b'\'' => Some("quote the whole formula, not a part of it"),
                    b'?' | b':' => Some("write `if(condition, a, b)`"),
                    b'_' => Some("names begin with a letter"),
                    _ => None,
                };
                return Err(unknown(formula, at, 1, hint));
            }
        };
        at += length;
        tokens.push(Token { kind, span: formula.span(start, length) });
    }
    tokens.push(Token { kind: TokenKind::End, span: formula.span(text.trim_end().len(), 0) });
    Ok(tokens)
}

/// After `)` a dot begins a component, not a number.
fn after_value(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|token| token.kind == TokenKind::Close)
}

/// How many bytes of digits, with point and exponent, `bytes` begins with.
pub(super) fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

fn number(formula: FormulaText<'_>, start: usize) -> Result<(TokenKind, usize), Box<Diagnostic>> {
    let length = number_length(&formula.text.as_bytes()[start..]);
    let text = &formula.text[start..start + length];
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => with_unit(formula, start, length, value),
        _ => {
            let problem = Problem::NotFinite { text: text.to_owned() };
            Err(Box::new(Diagnostic::error(formula.span(start, length), problem)))
        }
    }
}

/// The number of `length` bytes with the unit behind it, if there is one.
fn with_unit(
    formula: FormulaText<'_>,
    start: usize,
    length: usize,
    value: f64,
) -> Result<(TokenKind, usize), Box<Diagnostic>> {
    let after = &formula.text[start + length..];
    let Some(unit) = unit_after(after) else { return Ok((TokenKind::Number(value, None), length)) };
    let offset = after.len() - after.trim_start_matches([' ', '\t']).len();
    let known = units::parse(unit).map_err(|unknown| {
        let span = formula.span(start + length + offset + unknown.offset, unknown.part.len());
        let product = as_product(unit, unknown.offset);
        let product = product.map(|rest| format!("{} {rest}", &formula.text[start..start + length]));
        let problem = Problem::NotAUnit { name: unknown.part, nearest: unknown.nearest, product };
        Box::new(Diagnostic::error(span, problem))
    })?;
    let length = length + offset + unit.len();
    let value = known.to_si(value);
    if value.is_finite() {
        return Ok((TokenKind::Number(value, Some(known.dimension)), length));
    }
    let text = formula.text[start..start + length].to_owned();
    Err(Box::new(Diagnostic::error(formula.span(start, length), Problem::NotFinite { text })))
}

/// The unit that `text`, which follows a number, begins with: a run without spaces.
fn unit_after(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']);
    let symbol = |c: char| c.is_alphabetic() || matches!(c, '°' | '%');
    let inverse = text.strip_prefix("1/").is_some_and(|rest| rest.starts_with(symbol));
    if !inverse && !text.starts_with(symbol) {
        return None;
    }
    let word: usize = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    if matches!(&text[..word], "and" | "or" | "not") {
        return None;
    }
    let mut open = 0;
    let mut end = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        let joins = next.is_alphabetic() || matches!(next, '°' | '%' | '(');
        let part = match c {
            '*' | '/' | '.' | '·' => joins && at > 0,
            '(' => matches!(before, '*' | '/' | '.' | '·'),
            ')' => open > 0,
            '^' => next == '-' || next.is_ascii_digit(),
            '-' => before == '^',
            '0'..='9' => at == 0 || matches!(before, '^' | '-' | '0'..='9'),
            '²' | '³' | '_' => true,
            c => symbol(c),
        };
        if !part {
            break;
        }
        open += usize::from(c == '(');
        open -= usize::from(c == ')');
        before = c;
        end = at + c.len_utf8();
    }
    Some(&text[..end])
}

/// `deg*kk`, whose part at byte `at` is no unit, as a unit and what follows it: `deg * kk`.
fn as_product(unit: &str, at: usize) -> Option<String> {
    let rest = unit[..at].trim_end_matches('(').len();
    let before = unit[..rest].strip_suffix(['*', '/', '.', '·'])?;
    let operator = unit[before.len()..rest].replace(['.', '·'], "*");
    units::parse(before).ok().map(|_| format!("{before} {operator} {}", &unit[rest..]))
}

/// Bytes after a number in which a unit written with spaces is looked for.
const MAX_SPACED_UNIT: usize = 160;

/// A number with its unit that `text` begins with, written as it has to be, if it reaches byte `to` and
/// is written with spaces: `100 N/m` for `100 N / m`.
pub(super) fn spaced_unit(text: &str, to: usize) -> Option<String> {
    let number = number_length(text.as_bytes());
    if to > number + MAX_SPACED_UNIT {
        return None;
    }
    let mut joined = String::new();
    // Where each byte of what is joined ends in the text.
    let mut ends = Vec::new();
    let sign = |c: char| matches!(c, '*' | '/' | '^' | '·' | '(');
    for (at, letter) in text[number..].char_indices().take_while(|(at, _)| *at < MAX_SPACED_UNIT) {
        let next = text[number + at..].trim_start().chars().next();
        let beside_sign =
            joined.is_empty() || joined.ends_with(sign) || next.is_some_and(|c| sign(c) || c == ')');
        if letter == ' ' && beside_sign {
            continue;
        }
        joined.push(letter);
        ends.resize(joined.len(), number + at + letter.len_utf8());
    }
    let mut unit = unit_after(&joined)?;
    while units::parse(unit).is_err() {
        unit = unit[..unit.rfind(['*', '/', '.', '·'])?].trim_end_matches('(');
    }
    let reaches = ends.get(unit.len().checked_sub(1)?).is_some_and(|end| *end >= to);
    reaches.then(|| format!("{} {unit}", &text[..number]))
}

/// The unit of a formula that is nothing but a number with a unit.
pub(super) fn unit_of_literal(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches(['-', '+']).trim_start();
    let rest = &text[number_length(text.as_bytes())..];
    unit_after(rest).filter(|unit| rest.len() < text.len() && unit.len() == rest.trim_start().len())
}

fn name(text: &str, start: usize) -> (TokenKind, usize) {
    let bytes = &text.as_bytes()[start..];
    let word = |from: usize| {
        bytes[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
    };
    let mut length = word(0);
    while bytes.get(length) == Some(&b'.')
        && bytes.get(length + 1).is_some_and(|byte| byte.is_ascii_alphabetic())
    {
        length += 1 + word(length + 1);
    }
    (TokenKind::Name(text[start..start + length].to_owned()), length)
}

/// Complains about the next `count` characters.
fn unknown(formula: FormulaText<'_>, at: usize, count: usize, hint: Option<&'static str>) -> Box<Diagnostic> {
    let text: String = formula.text[at..].chars().take(count).collect();
    let span = formula.span(at, text.len());
    Box::new(Diagnostic::error(span, Problem::UnknownSign { text, hint }))
}

impl TokenKind {
    /// What it is, for messages.
    pub(super) fn describe(&self) -> String {
        let text = match self {
            Self::Number(value, _) => return format!("the number {value}"),
            Self::Name(name) => return format!("`{name}`"),
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Times => "`*`",
            Self::Over => "`/`",
            Self::Power => "`^`",
            Self::Less => "`<`",
            Self::LessEqual => "`<=`",
            Self::Greater => "`>`",
            Self::GreaterEqual => "`>=`",
            Self::Assign => "`=`",
            Self::Open => "`(`",
            Self::Close => "`)`",
            Self::Comma => "`,`",
            Self::Dot => "`.`",
            Self::End => "the end of the formula",
        };
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_with_spaces_are_looked_for_just_behind_their_number() {
        assert_eq!(spaced_unit("100 N / m + x", 9), Some("100 N/m".to_owned()));
        assert_eq!(spaced_unit("100 N / mm", 7), Some("100 N/mm".to_owned()));
        assert_eq!(spaced_unit("100 N / x", 9), None, "x is no unit");
        let long = format!("1 {}deg", "deg* ".repeat(60));
        assert_eq!(spaced_unit(&long, long.len()), None, "no unit is that long");
        assert_eq!(spaced_unit("1 \u{b5}\u{b5}\u{b5}", 2), None);
    }
}
