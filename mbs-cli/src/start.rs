//! What became of the initial values, for people and programs.

use mbs_runtime::constraint::{Start, StartValue};
use mbs_runtime::{Layout, Names};
use serde_json::{Map, Value, json};

/// Values of one kind that the summary spells out; JSON has them all.
const MOST_VALUES: usize = 12;

/// Positions and velocities with their names.
fn parts<'s>(start: &'s Start, layout: &'s Layout) -> [(&'static str, &'s [StartValue], &'s Names); 2] {
    [
        ("positions", &start.positions, &layout.positions),
        ("velocities", &start.velocities, &layout.velocities),
    ]
}

/// The object `start`: what was listed, then what of it was held or changed, and what was completed.
pub(crate) fn json(start: &Start, layout: &Layout) -> Value {
    type Pick = fn(&StartValue) -> Option<f64>;
    let kinds: [(&str, Pick); 4] = [
        ("listed", |value| value.listed),
        ("held", |value| value.is_held().then_some(value.value)),
        ("changed", |value| value.is_changed().then_some(value.value)),
        ("completed", |value| value.listed.is_none().then_some(value.value)),
    ];
    let of_kind = |pick: Pick| -> Value {
        let entries = parts(start, layout).map(|(level, values, names)| {
            let name = |value: &StartValue| names.get(value.index).unwrap_or_default().to_owned();
            let named = values.iter().filter_map(|value| Some((name(value), json!(pick(value)?))));
            (level.to_owned(), Value::Object(named.collect()))
        });
        Value::Object(entries.into_iter().collect())
    };
    kinds.iter().map(|&(kind, pick)| (kind.to_owned(), of_kind(pick))).collect::<Map<_, _>>().into()
}

/// The same line by line: what, and what about it.
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
        let mut told: Vec<String> = Vec::new();
        for (level, values, names) in parts(start, layout) {
            let name = |value: &StartValue| {
                let name = names.get(value.index).unwrap_or_default();
                // A velocity that has the name of its coordinate is its rate.
                if level == "velocities" { format!("der({name})") } else { name.to_owned() }
            };
            told.extend(values.iter().filter_map(|value| tell(&name(value), value)));
        }
        let more = told.len().saturating_sub(MOST_VALUES);
        told.truncate(MOST_VALUES);
        if more > 0 {
            told.push(format!("… and {more} more"));
        }
        if !told.is_empty() {
            lines.push((kind, told.join(", ")));
        }
    }
    lines
}

/// What was listed and is not met.
pub(crate) fn warnings(start: &Start, layout: &Layout) -> Vec<String> {
    let mut warnings = Vec::new();
    for (level, values, names) in parts(start, layout) {
        for value in values.iter().filter(|value| value.is_far_off()) {
            let name = names.get(value.index).unwrap_or_default();
            let listed = value.listed.unwrap_or_default();
            let what = if level == "positions" { "position" } else { "velocity" };
            warnings.push(format!(
                "warning: the initial {what} of `{name}` is listed as {}, but constraints and what is listed before \
                 it make it {}",
                short(listed),
                short(value.value)
            ));
        }
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
