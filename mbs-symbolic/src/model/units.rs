//! Units are documentation, and must be SI without prefix.

/// Base and derived units that stand for factor one.
const UNITS: [&str; 22] = [
    "1", "kg", "m", "s", "rad", "N", "J", "W", "Pa", "Hz", "V", "A", "K", "C", "F", "H", "T", "Wb", "Ohm",
    "mol", "cd", "sr",
];

/// What people write instead, with what they should write.
const OTHERS: [(&str, &str); 26] = [
    ("deg", "rad"),
    ("°", "rad"),
    ("degree", "rad"),
    ("degrees", "rad"),
    ("mm", "m"),
    ("cm", "m"),
    ("km", "m"),
    ("g", "kg"),
    ("t", "kg"),
    ("kN", "N"),
    ("mN", "N"),
    ("Nm", "N*m"),
    ("Ns", "N*s"),
    ("ms", "s"),
    ("min", "s"),
    ("h", "s"),
    ("rpm", "rad/s"),
    ("kmh", "m/s"),
    ("kph", "m/s"),
    ("bar", "Pa"),
    ("MPa", "Pa"),
    ("kPa", "Pa"),
    ("kW", "W"),
    ("%", "1"),
    ("-", "1"),
    ("in", "m"),
];

/// Checks a unit such as `N*m/rad`. An error carries the part that is wrong and, if
/// known, what to write instead.
pub(super) fn check(unit: &str) -> Result<(), (String, Option<String>)> {
    let parts = unit.split(['*', '.', '·', '/', '(', ')', ' ']).map(str::trim);
    let mut any = false;
    for part in parts.filter(|part| !part.is_empty()) {
        any = true;
        let (symbol, exponent) = part.split_once('^').unwrap_or((part, "1"));
        let symbol = symbol.trim_end_matches(['²', '³']);
        if !UNITS.contains(&symbol) || exponent.parse::<i8>().is_err() {
            let known = OTHERS.iter().find(|(other, _)| *other == symbol);
            return Err((part.to_owned(), known.map(|(_, si)| (*si).to_owned())));
        }
    }
    if any { Ok(()) } else { Err((unit.to_owned(), None)) }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn si_units_pass() {
        for unit in ["N/m", "N.s/m", "kg*m^2", "1", "rad/s^2", "m/s²", "N*m/rad", "1/s"] {
            assert_eq!(check(unit), Ok(()), "{unit}");
        }
    }

    #[test]
    fn others_are_refused_with_advice() {
        assert_eq!(check("N/mm"), Err(("mm".into(), Some("m".into()))));
        assert_eq!(check("deg"), Err(("deg".into(), Some("rad".into()))));
        assert!(check("").is_err());
        assert!(check("furlong").is_err());
    }
}
