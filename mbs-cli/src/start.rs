//! What became of the initial values, for people and programs.

use mbs_runtime::constraint::{Start, StartValue};
use mbs_runtime::{Layout, Names};
use serde_json::{Map, Value, json};

/// Values of one kind that the summary spells out; JSON has them all.
const MAX_VALUES: usize = 12;

/// Warnings that are spelled out.
const MAX_WARNINGS: usize = 5;

/// Letters of a line, behind what the line is about.
const WIDTH: usize = 64;

/// Why a listed value is not met.
const CHANGED: &str = "constraints and what is listed before it determine it";

/// All values with their names: a velocity that is the rate of a coordinate is named after it.
fn named<'s>(start: &'s Start, layout: &'s Layout) -> impl Iterator<Item = (String, &'s StartValue)> {
    let name = |names: &Names, value: &StartValue| names.get(value.index).unwrap_or_default().to_owned();
    let positions = start.positions.iter().map(move |value| (name(&layout.positions, value), value));
    let velocities = start.velocities.iter().map(move |value| {
        let name = name(&layout.velocities, value);
        let is_rate = layout.positions.iter().any(|position| position == name);
        (if is_rate { format!("der({name})") } else { name }, value)
    });
    positions.chain(velocities)
}

/// The object `start`: what was listed, then what of it was held or changed, and what was completed.
pub(crate) fn json(start: &Start, layout: &Layout) -> Value {
    type Tell = fn(&StartValue) -> Option<Value>;
    let kinds: [(&str, Tell); 4] = [
        ("listed", |value| value.listed.map(|listed| json!(listed))),
        ("held", |value| value.is_held().then(|| json!(value.value))),
        ("changed", |value| {
            let listed = value.listed.filter(|_| value.is_changed())?;
            Some(json!({"from": listed, "to": value.value, "why": CHANGED}))
        }),
        ("completed", |value| value.listed.is_none().then(|| json!(value.value))),
    ];
    let of_kind = |tell: Tell| -> Map<String, Value> {
        named(start, layout).filter_map(|(name, value)| Some((name, tell(value)?))).collect()
    };
    kinds.iter().map(|&(kind, tell)| (kind.to_owned(), json!(of_kind(tell)))).collect::<Map<_, _>>().into()
}

/// The same line by line: what, and what about it, in lines that fit a terminal.
pub(crate) fn lines(start: &Start, layout: &Layout) -> Vec<(&'static str, String)> {
    type Tell = fn(&str, &StartValue) -> Option<String>;
    let kinds: [(&str, Tell); 3] = [
        ("held", |name, value| value.is_held().then(|| format!("{name} = {}", short(value.value)))),
        ("changed", |name, value| {
            let listed = value.listed.filter(|_| value.is_changed())?;
            let (from, by) = (short(listed), short(value.value - listed));
            Some(format!("{name} = {} (listed {from}, off by {by})", short(value.value)))
        }),
        ("completed", |name, value| {
            value.listed.is_none().then(|| format!("{name} = {}", short(value.value)))
        }),
    ];
    let mut lines = Vec::new();
    for (kind, tell) in kinds {
        let mut told: Vec<String> =
            named(start, layout).filter_map(|(name, value)| tell(&name, value)).collect();
        let more = told.len().saturating_sub(MAX_VALUES);
        told.truncate(MAX_VALUES);
        if more > 0 {
            told.push(format!("… and {more} more"));
        }
        if !told.is_empty() {
            lines.push((kind, wrapped(&told)));
        }
    }
    lines
}

/// A list in lines of a width; none of its parts is broken.
pub(crate) fn wrapped(parts: &[String]) -> String {
    let mut out = String::new();
    let mut width = 0;
    for (index, part) in parts.iter().enumerate() {
        let long = part.chars().count() + 2;
        if index > 0 {
            let fits = width + long <= WIDTH;
            out += if fits { ", " } else { ",\n" };
            width = if fits { width } else { 0 };
        }
        out += part;
        width += long;
    }
    out
}

/// What was listed and is not met, the first of many.
pub(crate) fn warnings(start: &Start, layout: &Layout) -> Vec<String> {
    let far_off = named(start, layout).filter(|(_, value)| value.is_far_off());
    let words = |(name, value): (String, &StartValue)| {
        let listed = short(value.listed.unwrap_or_default());
        let value = short(value.value);
        format!("warning: `{name}` is listed as {listed} at the start, but {CHANGED}: {value}")
    };
    let mut warnings: Vec<String> = far_off.map(words).collect();
    if warnings.len() > MAX_WARNINGS {
        let more = warnings.len() - MAX_WARNINGS;
        warnings.truncate(MAX_WARNINGS);
        warnings.push(format!("warning: {more} more listed values are not met: `--json` has them all"));
    }
    warnings
}

/// Nine digits: as many as tell a value that was met from one that was not.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.8e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fit_a_terminal() {
        let parts: Vec<String> = (0..12).map(|k| format!("phi{k} = 0.1234567")).collect();
        let text = wrapped(&parts);
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.replace(",\n", ", "), parts.join(", "));
        assert_eq!(wrapped(&["x".repeat(100)]), "x".repeat(100));
    }
}
