//! What modes decide, and what their events mean, in words.

use super::Mode;
use crate::diag::{Sources, Span};
use crate::model::Function;

/// What the truth value of a mode decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// A condition, written at this place: `x > 3`. The mode holds where the condition does.
    Condition(Span),
    /// Which branch of a function counts, called at this place: `abs(x)`, `max(a, b)`. The mode holds
    /// where x < 0 or a < b.
    Branch(Function, Span),
    /// A condition in the road written at this place.
    Road(Span),
    /// Whether a contact touches its road.
    Touch,
    /// Whether spring and damper of a contact together push.
    Push,
    /// A bit of the number of the piece of a table; its events are the table's kinks.
    Piece,
}

/// Longer texts of formulas are cut in sentences.
const MAX_LETTERS: usize = 60;

impl Mode {
    /// The text of the model that decides: `x > 3`, `max(a, b)`; empty where the element itself does.
    pub fn condition(&self, sources: &Sources) -> String {
        match self.decision {
            Decision::Condition(span) | Decision::Branch(_, span) | Decision::Road(span) => {
                sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
            }
            Decision::Touch | Decision::Push | Decision::Piece => String::new(),
        }
    }

    /// What an event at which the switching function rises or falls through zero means:
    /// `landing`, `` `x > 3` becomes true ``.
    pub fn meaning(&self, rising: bool, sources: &Sources) -> String {
        let text = self.condition(sources);
        let text = match text.char_indices().nth(MAX_LETTERS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        let word = |if_rising: &'static str, if_falling| if rising { if_rising } else { if_falling };
        match self.decision {
            Decision::Condition(_) | Decision::Road(_) if text.is_empty() => {
                format!("a condition becomes {}", word("false", "true"))
            }
            // Functions of the model are written out: what is compared stands in their body.
            Decision::Condition(_) if !text.contains(['<', '>']) => {
                format!("a condition in `{text}` becomes {}", word("false", "true"))
            }
            Decision::Branch(function, _) if !is_call(&text, function) => {
                format!("`{text}` goes on in another branch")
            }
            Decision::Condition(_) => format!("`{text}` becomes {}", word("false", "true")),
            Decision::Road(_) => format!("the road `{text}` goes on in another branch"),
            Decision::Branch(Function::Min, _) => {
                format!("`{text}` takes its {} argument", word("second", "first"))
            }
            Decision::Branch(Function::Max, _) => {
                format!("`{text}` takes its {} argument", word("first", "second"))
            }
            Decision::Branch(..) => {
                format!("the argument of `{text}` becomes {}", word("positive", "negative"))
            }
            Decision::Touch => word("lift-off", "landing").to_owned(),
            Decision::Push => word("stops pushing", "starts pushing").to_owned(),
            Decision::Piece => format!("kink of a table, {}", word("upwards", "downwards")),
        }
    }
}

/// Whether a text calls the function itself, not one of the model that does.
fn is_call(text: &str, function: Function) -> bool {
    let name = match function {
        Function::Abs => "abs",
        Function::Sign => "sign",
        Function::Min => "min",
        Function::Max => "max",
        _ => return false,
    };
    text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::super::{Element, ModeKind};
    use super::*;
    use crate::ids::Id;

    #[test]
    fn events_say_what_they_mean() {
        let mut sources = Sources::new();
        let text = "if(x >\n   3, max(a, b), abs(y)) + road(t)";
        let file = sources.add("a.yaml", text);
        let at = |part: &str| {
            let start = text.find(part).expect("part of the text") as u32;
            Span { file, start, end: start + part.len() as u32, instance: 0 }
        };
        let mode = |decision| Mode {
            name: "tyre".into(),
            element: Element::Force(Id::new(0)),
            kind: ModeKind::Negative,
            decision,
            is_time_event: false,
            uses: Vec::new(),
        };
        for (decision, rising, falling) in [
            (Decision::Touch, "lift-off", "landing"),
            (Decision::Push, "stops pushing", "starts pushing"),
            (Decision::Condition(at("x >\n   3")), "`x > 3` becomes false", "`x > 3` becomes true"),
            (
                Decision::Branch(Function::Max, at("max(a, b)")),
                "`max(a, b)` takes its first argument",
                "`max(a, b)` takes its second argument",
            ),
            (
                Decision::Branch(Function::Abs, at("abs(y)")),
                "the argument of `abs(y)` becomes positive",
                "the argument of `abs(y)` becomes negative",
            ),
            (
                Decision::Condition(at("road(t)")),
                "a condition in `road(t)` becomes false",
                "a condition in `road(t)` becomes true",
            ),
            (
                Decision::Branch(Function::Max, at("road(t)")),
                "`road(t)` goes on in another branch",
                "`road(t)` goes on in another branch",
            ),
            (Decision::Condition(Span::default()), "a condition becomes false", "a condition becomes true"),
        ] {
            let mode = mode(decision);
            assert_eq!(
                (mode.meaning(true, &sources), mode.meaning(false, &sources)),
                (rising.into(), falling.into())
            );
        }
    }
}
