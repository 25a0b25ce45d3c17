//! Warnings that say the same of several elements.

use super::{Diagnostic, Diagnostics, Severity, Sources};
use std::collections::BTreeMap;

/// A diagnostic, and others that differ from it in names and numbers alone.
pub(super) struct Group<'d> {
    pub(super) first: &'d Diagnostic,
    pub(super) others: Vec<&'d Diagnostic>,
}

/// As many are spelled out each on its own.
const ALONE: usize = 2;
/// Others that are named.
const NAMED: usize = 6;

/// All diagnostics in the order of their first; errors are never put together.
pub(super) fn groups(diagnostics: &Diagnostics) -> Vec<Group<'_>> {
    let mut places: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for diagnostic in diagnostics {
        let next = groups.len();
        let place = match diagnostic.severity {
            Severity::Error => next,
            _ => {
                let key = (diagnostic.problem.code(), pattern(&diagnostic.problem.to_string()));
                *places.entry(key).or_insert(next)
            }
        };
        match groups.get_mut(place) {
            Some(group) => group.others.push(diagnostic),
            None => groups.push(Group { first: diagnostic, others: Vec::new() }),
        }
    }
    groups.into_iter().flat_map(apart).collect()
}

fn apart(group: Group<'_>) -> Vec<Group<'_>> {
    if group.others.len() >= ALONE {
        return vec![group];
    }
    let alone = |first| Group { first, others: Vec::new() };
    std::iter::once(group.first).chain(group.others).map(alone).collect()
}

impl Group<'_> {
    /// Which others there are, and where: `` `b2` at 12:3 ``.
    pub(super) fn words(&self, sources: &Sources) -> Option<String> {
        let named = self.others.iter().take(NAMED).map(|other| {
            let position = sources.position(other.span);
            let place = format!("{}:{}", position.line, position.column);
            let place = if other.span.file == self.first.span.file {
                place
            } else {
                format!("{}:{place}", sources.name(other.span.file))
            };
            match name(&other.problem.to_string()) {
                Some(name) => format!("{name} at {place}"),
                None => place,
            }
        });
        let named: Vec<String> = named.collect();
        let more = match self.others.len() {
            0 => return None,
            n if n > NAMED => format!(" and {} more", n - NAMED),
            _ => String::new(),
        };
        Some(format!("the same of {} others: {}{more}", self.others.len(), named.join(", ")))
    }
}

/// A message without its names in backticks and its numbers; a list of names is as one name.
fn pattern(message: &str) -> String {
    let outside = message.split('`').step_by(2).filter(|part| *part != ", ");
    let letters = outside.map(|part| part.chars().filter(|letter| !"0123456789.e+-".contains(*letter)));
    letters.map(|part| part.collect::<String>()).collect::<Vec<_>>().join("`")
}

/// The first name in backticks, with them.
fn name(message: &str) -> Option<String> {
    message.split('`').nth(1).map(|name| format!("`{name}`"))
}

#[cfg(test)]
mod tests {
    use super::super::{Problem, Span};
    use super::*;

    fn light(body: &str, largest: f64) -> Problem {
        Problem::InertiaTriangle { body: body.into(), largest, others: 1.5e-3 }
    }

    #[test]
    fn equal_warnings_are_one() {
        let mut sources = Sources::new();
        let file = sources.add("a.yaml", "a\nb\nc\nd\n");
        let at = |start| Span { file, start, end: start + 1, instance: 0 };
        let mut all = Diagnostics::new();
        for (k, body) in ["a", "b", "c"].into_iter().enumerate() {
            all.warning(at(2 * k as u32), light(body, k as f64 * 0.1));
        }
        all.error(at(6), light("d", 1.0));
        let groups = groups(&all);
        let lengths: Vec<usize> = groups.iter().map(|group| group.others.len()).collect();
        assert_eq!(lengths, [2, 0]);
        let words = groups[0].words(&sources).expect("others");
        assert_eq!(words, "the same of 2 others: `b` at 2:1, `c` at 3:1");
    }

    #[test]
    fn names_and_numbers_make_no_difference() {
        let of = |joint: &str, bodies: &str| {
            let (joint, bodies, needs) = (joint.into(), bodies.into(), "an inertia");
            pattern(&Problem::MasslessMotion { coordinate: "q".into(), joint, bodies, needs }.to_string())
        };
        assert_eq!(of("j1", "`rod`"), of("j2", "`rod`, `eye`, `pin`"));
        assert_ne!(of("j1", "`rod`"), pattern(&light("a", 1.0).to_string()));
        assert_eq!(pattern(&light("a", 1.25e-3).to_string()), pattern(&light("b", 7.0).to_string()));
    }

    #[test]
    fn two_stay_apart() {
        let mut all = Diagnostics::new();
        all.warning(Span::default(), light("a", 1.0));
        all.warning(Span::default(), light("b", 2.0));
        assert_eq!(groups(&all).len(), 2);
    }
}
