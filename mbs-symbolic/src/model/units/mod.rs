//! Units: what may be written behind a number, and what it is in SI.

mod dimension;

use super::suggest::nearest;
pub use dimension::Dimension;

/// A unit as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// As written.
    pub text: String,
    /// What it measures.
    pub dimension: Dimension,
    /// The same in SI units without prefix; the user's own spelling where it is that.
    pub si: String,
    /// Two exact numbers whose quotient is the unit in SI: 5 mm is 5·1/1000 and so the
    /// very number 0.005.
    scale: (f64, f64),
}

impl Unit {
    /// `value` of this unit in SI.
    pub fn to_si(&self, value: f64) -> f64 {
        let (above, below) = self.scale;
        if below == 1.0 { value * above } else { value * above / below }
    }

    /// An SI value in this unit.
    pub fn from_si(&self, value: f64) -> f64 {
        let (above, below) = self.scale;
        if below == 1.0 { value / above } else { value * below / above }
    }

    /// Whether numbers in `other` are numbers in this unit.
    pub(super) fn scales_like(&self, other: &Self) -> bool {
        self.scale == other.scale
    }

    /// Whether it is SI without prefix.
    pub fn is_si(&self) -> bool {
        self.scale.0 == self.scale.1
    }
}

/// The part of a unit that is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownUnit {
    /// The part, and where it begins.
    pub part: String,
    /// Its place in the text, bytes.
    pub offset: usize,
    /// What may be meant.
    pub nearest: Option<String>,
}

/// A unit that stands for itself in SI.
struct Si {
    symbol: &'static str,
    /// Powers of kg, m, s, A, K, mol, cd.
    powers: [i16; 7],
}

const fn si(symbol: &'static str, powers: [i16; 7]) -> Si {
    Si { symbol, powers }
}

const SI: [Si; 22] = [
    si("1", [0; 7]),
    si("rad", [0; 7]),
    si("sr", [0; 7]),
    si("kg", [1, 0, 0, 0, 0, 0, 0]),
    si("m", [0, 1, 0, 0, 0, 0, 0]),
    si("s", [0, 0, 1, 0, 0, 0, 0]),
    si("A", [0, 0, 0, 1, 0, 0, 0]),
    si("K", [0, 0, 0, 0, 1, 0, 0]),
    si("mol", [0, 0, 0, 0, 0, 1, 0]),
    si("cd", [0, 0, 0, 0, 0, 0, 1]),
    si("N", [1, 1, -2, 0, 0, 0, 0]),
    si("J", [1, 2, -2, 0, 0, 0, 0]),
    si("W", [1, 2, -3, 0, 0, 0, 0]),
    si("Pa", [1, -1, -2, 0, 0, 0, 0]),
    si("Hz", [0, 0, -1, 0, 0, 0, 0]),
    si("V", [1, 2, -3, -1, 0, 0, 0]),
    si("C", [0, 0, 1, 1, 0, 0, 0]),
    si("F", [-1, -2, 4, 2, 0, 0, 0]),
    si("H", [1, 2, -2, -2, 0, 0, 0]),
    si("T", [1, 0, -2, -1, 0, 0, 0]),
    si("Wb", [1, 2, -2, -1, 0, 0, 0]),
    si("Ohm", [1, 2, -3, -2, 0, 0, 0]),
];

/// A unit given by others.
struct Other {
    symbol: &'static str,
    scale: (f64, f64),
    si: &'static [(&'static str, i32)],
}

const fn other(symbol: &'static str, scale: (f64, f64), si: &'static [(&'static str, i32)]) -> Other {
    Other { symbol, scale, si }
}

const PI: f64 = std::f64::consts::PI;

const OTHERS: [Other; 41] = [
    other("g", (1.0, 1000.0), &[("kg", 1)]),
    other("t", (1000.0, 1.0), &[("kg", 1)]),
    other("min", (60.0, 1.0), &[("s", 1)]),
    other("h", (3600.0, 1.0), &[("s", 1)]),
    other("d", (86400.0, 1.0), &[("s", 1)]),
    other("deg", (PI, 180.0), &[("rad", 1)]),
    other("°", (PI, 180.0), &[("rad", 1)]),
    other("rev", (2.0 * PI, 1.0), &[("rad", 1)]),
    other("turn", (2.0 * PI, 1.0), &[("rad", 1)]),
    other("rpm", (PI, 30.0), &[("rad", 1), ("s", -1)]),
    other("%", (1.0, 100.0), &[("1", 1)]),
    other("bar", (1e5, 1.0), &[("Pa", 1)]),
    other("atm", (101_325.0, 1.0), &[("Pa", 1)]),
    other("psi", (4.448_221_615_260_5e8, 64_516.0), &[("Pa", 1)]),
    other("l", (1.0, 1000.0), &[("m", 3)]),
    other("L", (1.0, 1000.0), &[("m", 3)]),
    other("Nm", (1.0, 1.0), &[("N", 1), ("m", 1)]),
    other("Nms", (1.0, 1.0), &[("N", 1), ("m", 1), ("s", 1)]),
    other("Ns", (1.0, 1.0), &[("N", 1), ("s", 1)]),
    other("Ω", (1.0, 1.0), &[("Ohm", 1)]),
    other("ohm", (1.0, 1.0), &[("Ohm", 1)]),
    other("Wh", (3600.0, 1.0), &[("J", 1)]),
    other("eV", (1.602_176_634e-19, 1.0), &[("J", 1)]),
    other("kmh", (1000.0, 3600.0), &[("m", 1), ("s", -1)]),
    other("kph", (1000.0, 3600.0), &[("m", 1), ("s", -1)]),
    other("mph", (1609.344, 3600.0), &[("m", 1), ("s", -1)]),
    other("kn", (1852.0, 3600.0), &[("m", 1), ("s", -1)]),
    other("in", (254.0, 10_000.0), &[("m", 1)]),
    other("inch", (254.0, 10_000.0), &[("m", 1)]),
    other("ft", (3048.0, 10_000.0), &[("m", 1)]),
    other("yd", (9144.0, 10_000.0), &[("m", 1)]),
    other("mi", (1609.344, 1.0), &[("m", 1)]),
    other("lb", (45_359_237.0, 1e8), &[("kg", 1)]),
    other("oz", (28_349_523_125.0, 1e12), &[("kg", 1)]),
    other("slug", (14.593_902_937_206, 1.0), &[("kg", 1)]),
    other("lbf", (4.448_221_615_260_5, 1.0), &[("N", 1)]),
    other("kgf", (980_665.0, 1e5), &[("N", 1)]),
    other("kp", (980_665.0, 1e5), &[("N", 1)]),
    other("PS", (735.498_75, 1.0), &[("W", 1)]),
    other("hp", (745.699_871_582_270_2, 1.0), &[("W", 1)]),
    other("cal", (4184.0, 1000.0), &[("J", 1)]),
];

/// What a prefix may stand before.
const PREFIXED: [&str; 28] = [
    "m", "g", "s", "A", "K", "mol", "cd", "N", "J", "W", "Pa", "Hz", "V", "C", "F", "H", "T", "Wb", "Ohm",
    "ohm", "Ω", "bar", "l", "L", "Nm", "Wh", "eV", "rad",
];

const PREFIXES: [(&str, (f64, f64)); 14] = [
    ("da", (10.0, 1.0)),
    ("h", (100.0, 1.0)),
    ("k", (1e3, 1.0)),
    ("M", (1e6, 1.0)),
    ("G", (1e9, 1.0)),
    ("T", (1e12, 1.0)),
    ("d", (1.0, 10.0)),
    ("c", (1.0, 100.0)),
    ("m", (1.0, 1e3)),
    ("µ", (1.0, 1e6)),
    ("μ", (1.0, 1e6)),
    ("u", (1.0, 1e6)),
    ("n", (1.0, 1e9)),
    ("p", (1.0, 1e12)),
];

/// Two numbers whose quotient is a unit in SI.
type Scale = (f64, f64);
/// An SI unit and its power.
type SiFactor = (&'static str, i32);

/// Bytes of a unit that are read; there is no need for more.
const LONGEST: usize = 120;

/// Reads a unit such as `N*m/rad`, `km/h`, `kg.m²` or `1/(m*s)`.
pub fn parse(text: &str) -> Result<Unit, UnknownUnit> {
    let mut reader = Reader { text, at: 0, scale: (1.0, 1.0), factors: Vec::new(), prefixed: false };
    if text.len() > LONGEST {
        return Err(reader.unknown(0, text.len()));
    }
    reader.product(1, 0)?;
    if reader.at < text.len() {
        return Err(reader.unknown(reader.at, text.len()));
    }
    reader.finish()
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    scale: (f64, f64),
    /// SI symbols with their powers, in order of appearance.
    factors: Vec<(&'static str, i32)>,
    /// Whether anything is not SI already.
    prefixed: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn unknown(&self, start: usize, end: usize) -> UnknownUnit {
        let part = self.text[start..end].trim().chars().take(40).collect::<String>();
        let known = SI.iter().map(|unit| unit.symbol).chain(OTHERS.iter().map(|unit| unit.symbol));
        let common = ["kg", "mm", "cm", "km", "kN", "kNm", "ms", "kW", "kPa", "MPa", "mbar"];
        // Among names so short, nearly everything is near to something.
        let known = known.chain(common);
        let nearest = match part.len() {
            0 | 1 => None,
            2 | 3 => known.into_iter().find(|symbol| symbol.eq_ignore_ascii_case(&part)).map(str::to_owned),
            _ => nearest(&part, known),
        };
        UnknownUnit { part, offset: start, nearest }
    }

    fn skip_spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    /// Factors up to the end or a closing parenthesis, to the power `sign`.
    fn product(&mut self, sign: i32, depth: usize) -> Result<(), UnknownUnit> {
        self.skip_spaces();
        self.factor(sign, depth)?;
        loop {
            self.skip_spaces();
            let over = self.accept('/');
            let times = over || self.accept('*') || self.accept('.') || self.accept('·');
            self.skip_spaces();
            if !times && (self.rest().is_empty() || self.rest().starts_with(')')) {
                return Ok(());
            }
            self.factor(if over { -sign } else { sign }, depth)?;
        }
    }

    fn factor(&mut self, sign: i32, depth: usize) -> Result<(), UnknownUnit> {
        let start = self.at;
        if self.accept('(') {
            if depth > 4 {
                return Err(self.unknown(start, self.text.len()));
            }
            self.product(sign, depth + 1)?;
            return if self.accept(')') { Ok(()) } else { Err(self.unknown(start, self.text.len())) };
        }
        let symbol = |c: &char| c.is_alphabetic() || matches!(c, '°' | '%');
        let length: usize = if self.rest().starts_with('1') {
            1
        } else {
            self.rest().chars().take_while(symbol).map(char::len_utf8).sum()
        };
        let end = start + length;
        self.at = end;
        let power = self.power().filter(|_| length > 0);
        let found = find(&self.text[start..end]);
        let (Some(power), Some((scale, si))) = (power, found) else {
            let end = end.max(self.at).max((start + 1).min(self.text.len()));
            let end = (end..=self.text.len()).find(|end| self.text.is_char_boundary(*end)).unwrap_or(end);
            return Err(self.unknown(start, end));
        };
        self.prefixed |= si.as_slice() != [(&self.text[start..end], 1)];
        for _ in 0..power.unsigned_abs() {
            let (above, below) = if power * sign > 0 { scale } else { (scale.1, scale.0) };
            self.scale = (self.scale.0 * above, self.scale.1 * below);
        }
        for (symbol, times) in si {
            let power = times * power * sign;
            match self.factors.iter_mut().find(|(known, _)| *known == symbol) {
                Some((_, known)) => *known += power,
                None => self.factors.push((symbol, power)),
            }
        }
        Ok(())
    }

    /// A power such as `^2`, `^-1` or `²`; 1 if there is none, `None` if it is wrong.
    fn power(&mut self) -> Option<i32> {
        if self.accept('²') {
            return Some(2);
        }
        if self.accept('³') {
            return Some(3);
        }
        if !self.accept('^') {
            return Some(1);
        }
        let sign = usize::from(self.rest().starts_with('-'));
        let digits = self.rest()[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let number: Option<i32> = self.rest()[..sign + digits].parse().ok();
        self.at += sign + digits;
        number.filter(|number| (1..=9).contains(&number.abs()))
    }

    fn finish(self) -> Result<Unit, UnknownUnit> {
        let mut dimension = Some(Dimension::ONE);
        for (symbol, power) in &self.factors {
            let powers = SI.iter().find(|unit| unit.symbol == *symbol).map_or([0; 7], |unit| unit.powers);
            let one = Dimension::all(powers).power(f64::from(*power));
            dimension = dimension.zip(one).and_then(|(all, one)| all.times(one));
        }
        let finite = self.scale.0.is_finite() && self.scale.1.is_finite();
        let Some(dimension) = dimension.filter(|_| finite) else {
            return Err(self.unknown(0, self.text.len()));
        };
        let si = if self.prefixed {
            let factors: Vec<_> = self.factors.iter().copied().filter(|(unit, _)| *unit != "1").collect();
            dimension::spelled(&factors)
        } else {
            self.text.trim().to_owned()
        };
        let scale = if self.scale.0 == self.scale.1 { (1.0, 1.0) } else { self.scale };
        Ok(Unit { text: self.text.trim().to_owned(), dimension, si, scale })
    }
}

/// A symbol, perhaps with a prefix: its scale and the SI units it consists of.
fn find(symbol: &str) -> Option<(Scale, Vec<SiFactor>)> {
    if let Some(unit) = SI.iter().find(|unit| unit.symbol == symbol) {
        return Some(((1.0, 1.0), vec![(unit.symbol, 1)]));
    }
    if let Some(unit) = OTHERS.iter().find(|unit| unit.symbol == symbol) {
        return Some((unit.scale, unit.si.to_vec()));
    }
    PREFIXES.iter().find_map(|(prefix, by)| {
        let rest = symbol.strip_prefix(prefix).filter(|rest| PREFIXED.contains(rest))?;
        let (scale, si) = find(rest)?;
        Some(((scale.0 * by.0, scale.1 * by.1), si))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn si(value: f64, unit: &str) -> f64 {
        parse(unit).unwrap_or_else(|error| panic!("{unit}: {error:?}")).to_si(value)
    }

    #[test]
    fn units_become_si() {
        // The exact values of the SI brochure and of NIST SP 811, appendix B.
        assert_eq!(si(30.0, "km/h"), 30.0 / 3.6);
        assert_eq!(si(5.0, "mm"), 0.005);
        assert_eq!(si(75.0, "N/mm"), 75_000.0);
        assert_eq!(si(180.0, "deg"), PI);
        assert_eq!(si(2.0, "bar"), 200_000.0);
        assert!((si(60.0, "rpm") - 2.0 * PI).abs() < 1e-14);
        assert_eq!(si(1.0, "kg*mm^2"), 1e-6);
        assert_eq!(si(3.0, "kNm/deg"), 3000.0 * 180.0 / PI);
        assert_eq!(si(1.0, "in"), 0.0254);
        assert_eq!(si(1.0, "lb"), 0.453_592_37);
        assert!((si(1.0, "psi") - 6_894.757_293_168_36).abs() < 1e-9);
        assert_eq!(si(7.0, "g/cm^3"), 7000.0);
        assert_eq!(si(50.0, "%"), 0.5);
        assert_eq!(si(2.0, "1/min"), 2.0 / 60.0);
        assert!((si(6.0, "l/(min.bar)") - 1e-9).abs() < 1e-24);
    }

    #[test]
    fn dimensions_and_spellings() {
        let spelled = |unit: &str| parse(unit).expect("a unit").si;
        assert_eq!(spelled("N/mm"), "N/m");
        assert_eq!(spelled("km/h"), "m/s");
        assert_eq!(spelled("rpm"), "rad/s");
        assert_eq!(spelled("Nm/deg"), "N*m/rad");
        assert_eq!(spelled("kg·m²"), "kg·m²");
        assert_eq!(spelled("l"), "m^3");
        assert_eq!(spelled("%"), "1");
        let dimension = |unit: &str| parse(unit).expect("a unit").dimension;
        assert_eq!(dimension("J"), dimension("N.m"));
        assert_eq!(dimension("N*m/rad"), dimension("N*m"));
        assert_eq!(dimension("V*A"), dimension("W"));
        assert_eq!(dimension("Pa"), dimension("N/m^2"));
        assert_eq!(dimension("T*m^2"), dimension("Wb"));
        assert_eq!(dimension("F"), dimension("C/V"));
        assert_eq!(dimension("H"), dimension("V*s/A"));
        assert!(parse("kg").expect("a unit").is_si() && !parse("g").expect("a unit").is_si());
    }

    #[test]
    fn prefixes_do_not_hide_units() {
        assert_eq!(si(1.0, "min"), 60.0);
        assert_eq!(si(1.0, "Pa"), 1.0);
        assert_eq!(si(1.0, "cd"), 1.0);
        assert_eq!(si(1.0, "mPa"), 0.001);
        assert_eq!(si(1.0, "T"), 1.0);
        assert_eq!(si(1.0, "mm"), 0.001);
    }

    #[test]
    fn what_is_not_a_unit_is_named() {
        let wrong = |unit: &str| parse(unit).map_err(|error| (error.part, error.offset));
        assert_eq!(wrong("N/furlong"), Err(("furlong".into(), 2)));
        assert_eq!(wrong(""), Err((String::new(), 0)));
        assert_eq!(wrong("m^x"), Err(("m^".into(), 0)));
        assert_eq!(wrong("N/"), Err((String::new(), 2)));
        assert_eq!(wrong("(m"), Err(("(m".into(), 0)));
        assert_eq!(wrong("m)"), Err((")".into(), 1)));
        assert!(wrong(&"(".repeat(100)).is_err() && wrong(&"m*".repeat(1000)).is_err());
        assert_eq!(parse("Kg").map_err(|error| error.nearest), Err(Some("kg".into())));
    }
}
