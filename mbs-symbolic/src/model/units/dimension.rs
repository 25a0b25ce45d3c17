//! What a quantity measures, as powers of the seven base units.

use std::fmt;

/// Powers are counted in sixtieths, so that roots up to the sixth are exact.
const WHOLE: i32 = 60;

/// Powers of kg, m, s, A, K, mol and cd. Angles are pure numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dimension {
    powers: [i16; 7],
}

const BASE: [&str; 7] = ["kg", "m", "s", "A", "K", "mol", "cd"];

impl Dimension {
    /// A pure number, or an angle.
    pub const ONE: Self = Self { powers: [0; 7] };
    /// m
    pub const LENGTH: Self = Self::base([0, 1, 0]);
    /// s
    pub const TIME: Self = Self::base([0, 0, 1]);
    /// m/s
    pub const VELOCITY: Self = Self::base([0, 1, -1]);
    /// m/s²
    pub const ACCELERATION: Self = Self::base([0, 1, -2]);
    /// 1/s
    pub const RATE: Self = Self::base([0, 0, -1]);
    /// N
    pub const FORCE: Self = Self::base([1, 1, -2]);
    /// N·m
    pub const TORQUE: Self = Self::base([1, 2, -2]);

    /// Whole powers of kg, m and s.
    pub(super) const fn base(powers: [i16; 3]) -> Self {
        let [kg, m, s] = powers;
        Self::all([kg, m, s, 0, 0, 0, 0])
    }

    /// Whole powers of every base unit.
    pub(super) const fn all(mut powers: [i16; 7]) -> Self {
        let mut i = 0;
        while i < powers.len() {
            powers[i] *= WHOLE as i16;
            i += 1;
        }
        Self { powers }
    }

    /// Whether it is that of a pure number.
    pub fn is_one(self) -> bool {
        self == Self::ONE
    }

    /// Of a product; `None` if a power is beyond all reason.
    pub fn times(self, other: Self) -> Option<Self> {
        self.combine(other, i16::checked_add)
    }

    /// Of a quotient.
    pub fn over(self, other: Self) -> Option<Self> {
        self.combine(other, i16::checked_sub)
    }

    fn combine(self, other: Self, f: impl Fn(i16, i16) -> Option<i16>) -> Option<Self> {
        let mut powers = [0; 7];
        for (index, power) in powers.iter_mut().enumerate() {
            *power = f(self.powers[index], other.powers[index])?;
        }
        Some(Self { powers })
    }

    /// Of a power; `None` where the result is no multiple of a sixtieth.
    pub fn power(self, exponent: f64) -> Option<Self> {
        let mut powers = [0; 7];
        for (index, power) in powers.iter_mut().enumerate() {
            let exact = f64::from(self.powers[index]) * exponent;
            let near = mbs_math::floor(exact + 0.5);
            if (exact - near).abs() > 1e-9 || near.abs() > f64::from(i16::MAX) {
                return None;
            }
            // Whole and in range, as just checked.
            *power = near as i16;
        }
        Some(Self { powers })
    }
}

/// Units people use, simplest first.
const USUAL: [(&str, [i16; 3]); 24] = [
    ("N", [1, 1, -2]),
    ("N*m", [1, 2, -2]),
    ("N/m", [1, 0, -2]),
    ("N*s/m", [1, 0, -1]),
    ("N*m*s", [1, 2, -1]),
    ("N*s", [1, 1, -1]),
    ("Pa", [1, -1, -2]),
    ("W", [1, 2, -3]),
    ("N/m^2", [1, -1, -2]),
    ("N/m^3", [1, -2, -2]),
    ("N*s^2/m^2", [1, -1, 0]),
    ("Pa*s", [1, -1, -1]),
    ("kg*m^2", [1, 2, 0]),
    ("kg*m", [1, 1, 0]),
    ("kg/m^3", [1, -3, 0]),
    ("kg/s", [1, 0, -1]),
    ("m/s", [0, 1, -1]),
    ("m/s^2", [0, 1, -2]),
    ("m^2", [0, 2, 0]),
    ("m^3", [0, 3, 0]),
    ("m^3/s", [0, 3, -1]),
    ("1/s", [0, 0, -1]),
    ("1/s^2", [0, 0, -2]),
    ("1/m", [0, -1, 0]),
];

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_one() {
            return f.write_str("1");
        }
        if let Some((unit, _)) = USUAL.iter().find(|(_, powers)| Self::base(*powers) == *self) {
            return f.write_str(unit);
        }
        f.write_str(&product(BASE.iter().zip(self.powers).map(|(unit, power)| (*unit, i32::from(power)))))
    }
}

/// `a*b^2/c` of units with their powers in sixtieths.
fn product<'u>(factors: impl Iterator<Item = (&'u str, i32)> + Clone) -> String {
    let side = |sign: i32| -> Vec<String> {
        let these = factors.clone().filter(|(_, power)| power * sign > 0);
        these.map(|(unit, power)| format!("{unit}{}", exponent(power * sign))).collect()
    };
    let (above, below) = (side(1), side(-1));
    let numerator = if above.is_empty() { "1".to_owned() } else { above.join("*") };
    match below.as_slice() {
        [] => numerator,
        [one] => format!("{numerator}/{one}"),
        many => format!("{numerator}/({})", many.join("*")),
    }
}

fn exponent(power: i32) -> String {
    match power {
        WHOLE => String::new(),
        _ if power % WHOLE == 0 => format!("^{}", power / WHOLE),
        _ => {
            let common = (1..=WHOLE).rev().find(|d| WHOLE % d == 0 && power % d == 0).unwrap_or(1);
            format!("^({}/{})", power / common, WHOLE / common)
        }
    }
}

/// The same for whole powers of named units.
pub(super) fn spelled(factors: &[(&str, i32)]) -> String {
    product(factors.iter().map(|(unit, power)| (*unit, power * WHOLE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_roots() {
        let area = Dimension::LENGTH.power(2.0).expect("whole");
        assert_eq!(area.to_string(), "m^2");
        assert_eq!(area.power(0.5), Some(Dimension::LENGTH));
        assert_eq!(Dimension::LENGTH.power(1.0 / 3.0).map(|d| d.to_string()).as_deref(), Some("m^(1/3)"));
        assert_eq!(Dimension::LENGTH.power(0.1234), None);
        assert_eq!(Dimension::ONE.power(0.1234), Some(Dimension::ONE));
        assert_eq!(Dimension::LENGTH.power(1e9), None);
    }

    #[test]
    fn usual_units_are_said() {
        assert_eq!(Dimension::FORCE.over(Dimension::LENGTH).expect("small").to_string(), "N/m");
        assert_eq!(Dimension::base([1, -1, -4]).to_string(), "kg/(m*s^4)");
        assert_eq!(Dimension::RATE.to_string(), "1/s");
    }
}
