//! The state file: JSON with the model's own names.

use crate::evaluate::State;
use crate::input::{STATE_BYTES, whole_text_of};
use crate::report::Failure;
use mbs_symbolic::model::nearest;
use mbs_symbolic::program::Layout;
use serde_json::{Map, Value};
use std::path::Path;

const SECTIONS: [&str; 6] = ["t", "positions", "velocities", "states", "inputs", "parameters"];

/// What a state file gives.
pub(super) struct Given {
    pub(super) t: f64,
    /// All parameters, defaults where none is given.
    pub(super) theta: Vec<f64>,
    /// Index and value.
    positions: Vec<(usize, f64)>,
    velocities: Vec<(usize, f64)>,
    states: Vec<(usize, f64)>,
    inputs: Vec<(usize, f64)>,
}

impl Given {
    /// Indices of the positions that are given, in their order.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        self.positions.iter().map(|&(index, _)| index)
    }

    /// Indices of the velocities that are given, in their order.
    pub(super) fn velocities(&self) -> impl Iterator<Item = usize> {
        self.velocities.iter().map(|&(index, _)| index)
    }

    /// Overwrites what is given.
    pub(super) fn apply(&self, state: &mut State) {
        for (list, target) in [
            (&self.positions, &mut state.p),
            (&self.velocities, &mut state.v),
            (&self.states, &mut state.x),
            (&self.inputs, &mut state.u),
        ] {
            for &(index, value) in list {
                target[index] = value;
            }
        }
    }
}

/// Reads a state, or takes the model's own initial state where there is no file.
pub(super) fn read(path: Option<&Path>, layout: &Layout) -> Result<Given, Failure> {
    let mut given = Given {
        t: 0.0,
        theta: layout.parameter_defaults.clone(),
        positions: Vec::new(),
        velocities: Vec::new(),
        states: Vec::new(),
        inputs: Vec::new(),
    };
    let Some(path) = path else { return Ok(given) };
    let text = whole_text_of(path, STATE_BYTES)
        .map_err(|error| Failure::new("MBS-C001", format!("cannot read the state: {error}")).about(path))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        // The place is given apart.
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        let failure = Failure::new("MBS-C007", format!("the state is not valid JSON: {text}"));
        failure.about(path).at(Some((error.line(), error.column())))
    })?;
    let reader = Reader { path, text: &text };
    let Value::Object(sections) = &value else {
        return Err(Failure::new("MBS-C008", "a state is an object").about(path).help(example()));
    };
    for (section, value) in sections {
        match section.as_str() {
            "t" => given.t = reader.number("", "t", value)?,
            "positions" => reader.values(section, value, &layout.positions, &mut given.positions)?,
            "velocities" => reader.values(section, value, &layout.velocities, &mut given.velocities)?,
            "states" => reader.values(section, value, &layout.states, &mut given.states)?,
            "inputs" => reader.inputs(value, layout, &mut given.inputs)?,
            "parameters" => {
                let mut list = Vec::new();
                reader.derived(value, layout)?;
                reader.values(section, value, &layout.parameters, &mut list)?;
                for (index, value) in list {
                    given.theta[index] = value;
                }
            }
            other => return Err(reader.unknown("", other, &SECTIONS)),
        }
    }
    Ok(given)
}

fn example() -> &'static str {
    r#"for example {"t": 0, "positions": {"phi": 0.3}, "velocities": {"phi": 2}}"#
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn values(
        &self,
        section: &str,
        value: &Value,
        names: &[String],
        list: &mut Vec<(usize, f64)>,
    ) -> Result<(), Failure> {
        for (name, value) in self.object(section, value)? {
            let Some(index) = names.iter().position(|known| known == name) else {
                return Err(self.unknown(section, name, names));
            };
            list.push((index, self.number(section, name, value)?));
        }
        Ok(())
    }

    /// An input is a number, or [u, u', u''] if the model differentiates it.
    fn inputs(&self, value: &Value, layout: &Layout, list: &mut Vec<(usize, f64)>) -> Result<(), Failure> {
        for (name, value) in self.object("inputs", value)? {
            let slots: Vec<usize> =
                (0..layout.inputs.len()).filter(|&i| layout.inputs[i].name == *name).collect();
            if slots.is_empty() {
                let mut names: Vec<&str> = layout.inputs.iter().map(|slot| slot.name.as_str()).collect();
                names.dedup();
                return Err(self.unknown("inputs", name, &names));
            }
            match value {
                Value::Array(values) if values.len() == slots.len() && slots.len() == 3 => {
                    for value in values.iter().enumerate() {
                        list.push((slots[value.0], self.number("inputs", name, value.1)?));
                    }
                }
                Value::Array(_) => {
                    let expected = if slots.len() == 3 { "[u, u', u'']" } else { "a number" };
                    return Err(self.wrong("inputs", name, &format!("should be {expected}")));
                }
                // A number alone stands still.
                value => {
                    let value = self.number("inputs", name, value)?;
                    list.extend(
                        slots.iter().enumerate().map(|(k, &slot)| (slot, if k == 0 { value } else { 0.0 })),
                    );
                }
            }
        }
        Ok(())
    }

    /// A derived parameter is the model's to compute.
    fn derived(&self, value: &Value, layout: &Layout) -> Result<(), Failure> {
        for name in self.object("parameters", value)?.keys() {
            if layout.derived.contains(name) {
                let failure = self.wrong("parameters", name, "is derived from other parameters");
                return Err(failure.help("set the parameters it is derived from"));
            }
        }
        Ok(())
    }

    fn object<'v>(&self, section: &str, value: &'v Value) -> Result<&'v Map<String, Value>, Failure> {
        value.as_object().ok_or_else(|| self.wrong("", section, "should be an object of names and numbers"))
    }

    fn number(&self, section: &str, name: &str, value: &Value) -> Result<f64, Failure> {
        value
            .as_f64()
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.wrong(section, name, "should be a finite number"))
    }

    fn wrong(&self, section: &str, name: &str, what: &str) -> Failure {
        let failure = Failure::new("MBS-C009", format!("`{name}` {what}"));
        failure.about(self.path).at(self.place(section, name))
    }

    fn unknown<S: AsRef<str>>(&self, section: &str, name: &str, names: &[S]) -> Failure {
        let message = if section.is_empty() {
            format!("a state has no section `{name}`")
        } else {
            format!("there is no `{name}` among the model's {section}")
        };
        let failure = Failure::new("MBS-C010", message);
        let failure = failure.about(self.path).at(self.place(section, name));
        match nearest(name, names.iter().map(AsRef::as_ref)) {
            Some(meant) => failure.help(format!("did you mean `{meant}`?")),
            None if names.is_empty() => failure.help("there are none"),
            None => {
                let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
                failure.help(format!("there are: {}", names.join(", ")))
            }
        }
    }

    /// Where the key stands: its first occurrence after that of its section.
    fn place(&self, section: &str, name: &str) -> Option<(usize, usize)> {
        let quoted = |word: &str| Value::from(word).to_string();
        let after =
            if section.is_empty() { 0 } else { self.text.find(&quoted(section))? + section.len() + 2 };
        let offset = after + self.text[after..].find(&quoted(name))?;
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }
}
