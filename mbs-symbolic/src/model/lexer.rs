//! Formula text → tokens with places.

use crate::diag::{Diagnostic, Problem, Span};

/// A formula's text and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormulaText<'a> {
    pub(super) text: &'a str,
    /// The place of the text, or of the scalar that holds it.
    pub(super) span: Span,
    /// Whether byte i of the text is byte i of the span; otherwise, with escapes or
    /// folded lines, every token is given the whole span.
    pub(super) exact: bool,
}

impl FormulaText<'_> {
    fn span(&self, start: usize, length: usize) -> Span {
        if self.exact { self.span.part(start, length) } else { self.span }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
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

fn number(formula: FormulaText<'_>, start: usize) -> Result<(TokenKind, usize), Box<Diagnostic>> {
    let bytes = &formula.text.as_bytes()[start..];
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
    let text = &formula.text[start..start + length];
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((TokenKind::Number(value), length)),
        _ => {
            let problem = Problem::NotFinite { text: text.to_owned() };
            Err(Box::new(Diagnostic::error(formula.span(start, length), problem)))
        }
    }
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
            Self::Number(value) => return format!("the number {value}"),
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
