//! The events of a run and what they mean.

use mbs_runtime::integrate::Event;
use mbs_symbolic::diag::Sources;
use mbs_symbolic::model::Model;
use mbs_symbolic::program::{Layout, Mode};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Events that the summary lists unless all are asked for; JSON has them all.
const MAX_EVENTS: usize = 20;

/// A change of a mode, in words.
pub(crate) struct NamedEvent {
    /// When, s.
    pub(crate) t: f64,
    /// The name of the mode, which tells it from others of its element.
    pub(crate) name: String,
    /// The name of its element; of a table's kink also the table and the kink.
    pub(crate) element: String,
    /// Whether its switching function rose through zero.
    pub(crate) rising: bool,
    /// What happened: `landing`, `` `x > 3` becomes true ``.
    pub(crate) meaning: String,
    /// The text of the model that decides; empty where the element itself does.
    pub(crate) condition: String,
}

/// The events of a run of the model with this layout.
pub(crate) fn named(events: &[Event], layout: &Layout, model: &Model, sources: &Sources) -> Vec<NamedEvent> {
    let modes: BTreeMap<&str, &Mode> = layout.modes.iter().map(|mode| (mode.name.as_str(), mode)).collect();
    let named = |event: &Event| {
        let Event { t, ref name, rising } = *event;
        let kink = || {
            let is_own = |kinks: &&mbs_symbolic::program::Kinks| {
                name.strip_prefix(kinks.name.as_str()).is_some_and(|rest| rest.starts_with(" at "))
            };
            layout.kinks.iter().find(is_own).map(|kinks| &layout.modes[kinks.first_mode])
        };
        let mode = modes.get(name.as_str()).copied();
        let element = mode.map_or(name.as_str(), |mode| mode.element.name(model)).to_owned();
        let decides = mode.or_else(kink);
        NamedEvent {
            t,
            name: name.clone(),
            element,
            rising,
            meaning: decides.map(|mode| mode.meaning(rising, sources)).unwrap_or_default(),
            condition: decides.map(|mode| mode.condition(sources)).unwrap_or_default(),
        }
    };
    events.iter().map(named).collect()
}

impl NamedEvent {
    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let Self { t, name, element, rising, meaning, condition } = self;
        let condition = (!condition.is_empty()).then_some(condition);
        let direction = if *rising { "rising" } else { "falling" };
        json!({
            "t": t, "name": name, "direction": direction, "element": element, "meaning": meaning,
            "condition": condition,
        })
    }
}

/// One line per event, the first of many unless `all`.
pub(super) fn text(events: &[NamedEvent], all: bool) -> String {
    let shown = if all { events.len() } else { events.len().min(MAX_EVENTS) };
    let width = events[..shown].iter().map(|event| event.element.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for NamedEvent { t, element, meaning, .. } in &events[..shown] {
        let _ = writeln!(out, "  {t:>12.9} s  {element:<width$}  {meaning}");
    }
    if shown < events.len() {
        let _ = writeln!(out, "  … and {} more: `--events` lists all", events.len() - shown);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_events_are_folded() {
        let event = |k: usize| NamedEvent {
            t: k as f64,
            name: "tyre.2".into(),
            element: "tyre".into(),
            rising: true,
            meaning: "lift-off".into(),
            condition: String::new(),
        };
        let events: Vec<NamedEvent> = (0..25).map(event).collect();
        let folded = text(&events, false);
        assert_eq!(folded.lines().count(), 21);
        assert!(folded.ends_with("  … and 5 more: `--events` lists all\n"), "{folded}");
        assert!(folded.starts_with("   0.000000000 s  tyre  lift-off\n"), "{folded}");
        assert_eq!(text(&events, true).lines().count(), 25);
        assert_eq!(text(&events[..20], false).lines().count(), 20);
    }
}
