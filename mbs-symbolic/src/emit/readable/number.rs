//! Numbers as a person would have written them.

use std::f64::consts::PI;

/// A positive number as numerator and denominator, each spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelled {
    /// A decimal number, or a whole one; `None` for 1.
    pub(super) numerator: Option<String>,
    /// Whether the numerator is a multiple of π.
    pub(super) pi: bool,
    /// A whole number; `None` for 1.
    pub(super) denominator: Option<String>,
}

/// Decimals up to this many digits are what somebody typed; longer ones were computed.
const TYPED_DIGITS: usize = 9;
const MAX_DENOMINATOR: u32 = 1000;

/// Spells a positive number that multiplies something else.
///
/// Halves, quarters and eighths become divisions, as do computed fractions such as
/// 0.08333333333333333 = 1/12; 0.4 stays 0.4, because that is what the model says.
pub(super) fn spell(value: f64) -> Spelled {
    let plain = |text: String| Spelled { numerator: Some(text), pi: false, denominator: None };
    for denominator in [2.0, 4.0, 8.0] {
        if value * denominator == 1.0 {
            let denominator = Some(format!("{denominator}"));
            return Spelled { numerator: None, pi: false, denominator };
        }
    }
    let text = decimal(value);
    if text.chars().filter(char::is_ascii_digit).count() <= TYPED_DIGITS {
        return plain(text);
    }
    for (unit, pi) in [(1.0, false), (PI, true)] {
        if let Some((p, q)) = fraction(value, unit) {
            return Spelled {
                numerator: (p != 1 || pi).then(|| p.to_string()),
                pi,
                denominator: (q != 1).then(|| q.to_string()),
            };
        }
    }
    plain(text)
}

/// (p, q) with value = p·unit/q to the last bit or its neighbour.
fn fraction(value: f64, unit: f64) -> Option<(u32, u32)> {
    for q in 1..=MAX_DENOMINATOR {
        let p = (value / unit * f64::from(q)).round();
        if (1.0..=f64::from(MAX_DENOMINATOR)).contains(&p) {
            let back = p * unit / f64::from(q);
            if back.to_bits().abs_diff(value.to_bits()) <= 1 {
                return Some((p as u32, q));
            }
        }
    }
    None
}

/// The shortest decimal that reads back to the same bits; with an exponent where
/// that is shorter to read.
pub(crate) fn decimal(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: f64, expected: &str) {
        let spelled = spell(value);
        let mut text = spelled.numerator.unwrap_or_else(|| "1".to_owned());
        if spelled.pi {
            text += "*pi";
        }
        if let Some(denominator) = spelled.denominator {
            text += "/";
            text += &denominator;
        }
        assert_eq!(text, expected);
    }

    #[test]
    fn numbers_read_as_written() {
        check(0.4, "0.4");
        check(9.81, "9.81");
        check(2.0, "2");
        check(1e-6, "1e-6");
        check(1.5, "1.5");
        check(2.1e11, "2.1e11");
    }

    #[test]
    fn computed_fractions_are_fractions_again() {
        check(0.5, "1/2");
        check(1.0 / 12.0, "1/12");
        check(2.0 / 3.0, "2/3");
        check(PI / 6.0, "1*pi/6");
        check(2.0 * PI, "2*pi");
    }

    #[test]
    fn other_numbers_keep_every_digit() {
        check(0.123_456_789_012_345, "0.123456789012345");
    }
}
