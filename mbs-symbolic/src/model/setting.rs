//! What a run may set anew: given parameters, inputs, initial positions and velocities; and how
//! the numbers for them are written.
//!
//! One rule holds for scenarios, command lines, files of samples and pages: a plain number is in
//! the unit its name was declared with, SI where none was, and a number may bring its own unit.

use super::lexer::number_length;
use super::resolve::check;
use super::suggest::nearest;
use super::units::{self, Dimension, Unit};
use super::{Formula, Model, ParameterValue, Scenario};
use crate::diag::{Diagnostic, Diagnostics, Problem, Severity, Span};
use crate::ids::{CoordinateId, InputId, ParamId, VelocityId};

/// Something of a model that a run may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A given parameter.
    Parameter(ParamId),
    /// An input, held at a value.
    Input(InputId),
    /// An initial position, held when loops are closed.
    Position(CoordinateId),
    /// An initial velocity, held when loops are closed.
    Velocity(VelocityId),
}

/// Why something cannot be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSet {
    /// What is wrong.
    pub message: String,
    /// What to write instead; `None` if that would be guessing.
    pub help: Option<String>,
}

impl NotSet {
    fn new(message: String) -> Self {
        Self { message, help: None }
    }
}

impl From<Problem> for NotSet {
    fn from(problem: Problem) -> Self {
        Self { message: problem.to_string(), help: problem.help() }
    }
}

/// The unit plain numbers are in.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// As the model writes it; empty if nothing says what is measured.
    pub name: String,
    /// `None` for SI.
    scale: Option<Unit>,
    /// What is measured, if that is known.
    dimension: Option<Dimension>,
}

impl Declared {
    /// `value` of this unit in SI.
    pub fn to_si(&self, value: f64) -> f64 {
        self.scale.as_ref().map_or(value, |unit| unit.to_si(value))
    }

    /// An SI value in this unit.
    pub fn from_si(&self, value: f64) -> f64 {
        self.scale.as_ref().map_or(value, |unit| unit.from_si(value))
    }

    /// `value` of `unit` in this unit; unchanged, to the last bit, if it is the same.
    fn convert(&self, value: f64, unit: &Unit) -> f64 {
        let same = self.scale.as_ref().map_or(unit.is_si(), |own| own.scales_like(unit));
        if same { value } else { self.from_si(unit.to_si(value)) }
    }
}

/// A number as written, perhaps with a unit of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Written<'t> {
    /// The number.
    pub value: f64,
    /// The unit behind it.
    pub unit: Option<&'t str>,
}

/// Reads `3`, `-1.5e3` or `3 kN*s/m`; the unit is looked at later.
pub fn written(text: &str) -> Result<Written<'_>, NotSet> {
    let text = text.trim();
    let refuse = || NotSet {
        message: format!("`{text}` is not a number"),
        help: Some("write a number, perhaps with its unit behind it: `3` or `3 kN*s/m`".to_owned()),
    };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let length = sign + number_length(unsigned.as_bytes());
    let value: f64 = text[..length].parse().ok().filter(|value| f64::is_finite(*value)).ok_or_else(refuse)?;
    let unit = text[length..].trim();
    // A word instead of a unit, such as in `1_000`, is no number at all.
    if unit.starts_with(|c: char| !(c.is_alphabetic() || matches!(c, '1' | '(' | '°' | '%'))) {
        return Err(refuse());
    }
    Ok(Written { value, unit: (!unit.is_empty()).then_some(unit) })
}

/// Splits `c [kN*s/m]`, the head of a column, into its name and its unit.
pub fn column(head: &str) -> (&str, Option<&str>) {
    let parts = head.trim().strip_suffix(']').and_then(|head| head.rsplit_once('['));
    match parts {
        Some((name, unit)) if !name.trim().is_empty() => (name.trim(), Some(unit.trim())),
        _ => (head.trim(), None),
    }
}

impl Target {
    /// What a name stands for: a parameter, an input, `positions.NAME` or `velocities.NAME`.
    pub fn find(model: &Model, name: &str) -> Result<Self, NotSet> {
        if let Some(coordinate) = name.strip_prefix("positions.") {
            let found = model.coordinates.ids().find(|&id| model.coordinates[id].name.text == coordinate);
            if let Some(id) = found {
                return unless_it_follows(model, id, coordinate).map(|()| Self::Position(id));
            }
        } else if let Some(velocity) = name.strip_prefix("velocities.") {
            let found = model.velocities.ids().find(|&id| model.velocities[id].name.text == velocity);
            if let Some(id) = found {
                if let Some(coordinate) = model.velocities[id].coordinate {
                    unless_it_follows(model, coordinate, velocity)?;
                }
                return Ok(Self::Velocity(id));
            }
        } else if let Some(id) = model.parameters.ids().find(|&id| model.parameters[id].name.text == name) {
            if matches!(model.parameters[id].value, ParameterValue::Derived(_)) {
                return Err(NotSet::new(format!("`{name}` is derived from other parameters; set those")));
            }
            return Ok(Self::Parameter(id));
        } else if let Some(id) = model.inputs.ids().find(|&id| model.inputs[id].name.text == name) {
            return Ok(Self::Input(id));
        }
        let mut names: Vec<String> = model.parameters.iter().map(|entry| entry.name.text.clone()).collect();
        names.extend(model.inputs.iter().map(|entry| entry.name.text.clone()));
        let positions = model.coordinates.iter_enumerated().filter(|(id, _)| model.is_independent(*id));
        names.extend(positions.map(|(_, entry)| format!("positions.{}", entry.name.text)));
        let velocities = model.velocities.iter_enumerated().filter(|(id, _)| model.mimic_of(*id).is_none());
        names.extend(velocities.map(|(_, entry)| format!("velocities.{}", entry.name.text)));
        let help = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "parameters, inputs, `positions.NAME` and `velocities.NAME` can be set".to_owned(),
        };
        Err(NotSet { message: format!("there is nothing called `{name}` to set"), help: Some(help) })
    }

    /// Its name as it is set.
    pub fn name(self, model: &Model) -> String {
        match self {
            Self::Parameter(id) => model.parameters[id].name.text.clone(),
            Self::Input(id) => model.inputs[id].name.text.clone(),
            Self::Position(id) => format!("positions.{}", model.coordinates[id].name.text),
            Self::Velocity(id) => format!("velocities.{}", model.velocities[id].name.text),
        }
    }

    /// The unit plain numbers for it are in.
    pub fn declared(self, model: &Model) -> Declared {
        let (written, si, dimension) = match self {
            Self::Parameter(id) => {
                let parameter = &model.parameters[id];
                (parameter.written.as_ref(), parameter.unit.as_deref(), parameter.dimension)
            }
            Self::Input(id) => {
                let input = &model.inputs[id];
                (input.written.as_ref(), input.unit.as_deref(), input.dimension)
            }
            Self::Position(id) => (None, Some(model.coordinates[id].unit), None),
            Self::Velocity(id) => (None, Some(model.velocities[id].unit), None),
        };
        let name = written.map(|unit| unit.text.as_str()).or(si).unwrap_or_default();
        let known = || units::parse(name).ok().map(|unit| unit.dimension);
        Declared { name: name.to_owned(), scale: written.cloned(), dimension: dimension.or_else(known) }
    }

    /// A number in the declared unit. `unit` is that of the place it stands in, a column or the
    /// end of a range; the number's own goes before it.
    pub fn read(self, model: &Model, number: &Written<'_>, unit: Option<&str>) -> Result<f64, NotSet> {
        let declared = self.declared(model);
        match self.unit(model, &declared, number.unit.or(unit))? {
            Some(unit) => finite(declared.convert(number.value, &unit), number),
            None => Ok(number.value),
        }
    }

    /// `3` or `3 kN*s/m` in SI.
    pub fn read_si(self, model: &Model, text: &str) -> Result<f64, NotSet> {
        let number = written(text)?;
        let declared = self.declared(model);
        let value = match self.unit(model, &declared, number.unit)? {
            Some(unit) => unit.to_si(number.value),
            None => declared.to_si(number.value),
        };
        finite(value, &number)
    }

    /// The unit in `text`, which must measure what this does.
    fn unit(self, model: &Model, declared: &Declared, text: Option<&str>) -> Result<Option<Unit>, NotSet> {
        let Some(text) = text else { return Ok(None) };
        let unit = units::parse(text).map_err(|unknown| {
            NotSet::from(Problem::NotAUnit { name: unknown.part, nearest: unknown.nearest, product: None })
        })?;
        if let Some(expected) = declared.dimension.filter(|expected| *expected != unit.dimension) {
            let expected =
                if declared.name.is_empty() { expected.to_string() } else { declared.name.clone() };
            let what = format!("`{}`", self.name(model));
            let problem = Problem::WrongDimension {
                what,
                expected,
                text: text.to_owned(),
                found: unit.si.clone(),
                sure: true,
            };
            return Err(problem.into());
        }
        Ok(Some(unit))
    }

    /// Why it cannot have this SI value, if it cannot.
    pub fn refuses(self, model: &Model, value: f64) -> Option<NotSet> {
        let Self::Parameter(id) = self else { return None };
        let entry = &model.parameters[id];
        entry.outside(value).map(|(bound, limit)| {
            Problem::OutsideRange { name: entry.name.text.clone(), value, bound, limit }.into()
        })
    }

    /// Gives it an SI value.
    pub fn set(self, model: &mut Model, value: f64) {
        let span = match self {
            Self::Parameter(id) => model.parameters[id].name.span,
            Self::Input(id) => model.inputs[id].name.span,
            Self::Position(id) => model.coordinates[id].name.span,
            Self::Velocity(id) => model.velocities[id].name.span,
        };
        let number = Formula::number(value, span);
        match self {
            Self::Parameter(id) => model.parameters[id].value = ParameterValue::Given(value),
            Self::Input(id) => model.inputs[id].default = number,
            Self::Position(id) => put_first(&mut model.initial.positions, id, number),
            Self::Velocity(id) => put_first(&mut model.initial.velocities, id, number),
        }
    }
}

/// Refuses a coordinate that follows another: it has no initial value.
fn unless_it_follows(model: &Model, id: CoordinateId, name: &str) -> Result<(), NotSet> {
    if model.is_independent(id) {
        return Ok(());
    }
    let master = model.coordinates[model.leader(id)].name.text.clone();
    Err(Problem::FollowsAnother { name: name.to_owned(), master }.into())
}

/// A unit may carry a number beyond the largest there is.
fn finite(value: f64, number: &Written<'_>) -> Result<f64, NotSet> {
    if value.is_finite() {
        return Ok(value);
    }
    let text = format!("{:e} {}", number.value, number.unit.unwrap_or_default()).trim_end().to_owned();
    Err(Problem::NotFinite { text }.into())
}

/// Values set for a run are held before those the model lists.
fn put_first<I: PartialEq>(list: &mut Vec<(I, Formula)>, id: I, formula: Formula) {
    list.retain(|(other, _)| *other != id);
    list.insert(0, (id, formula));
}

impl Scenario {
    /// Changes a model as the scenario says.
    pub fn apply(&self, model: &mut Model) {
        for &(id, value) in &self.parameters {
            model.parameters[id].value = ParameterValue::Given(value);
        }
        for (id, formula) in &self.inputs {
            model.inputs[*id].default = formula.clone();
        }
        for (id, formula) in self.positions.iter().rev() {
            put_first(&mut model.initial.positions, *id, formula.clone());
        }
        for (id, formula) in self.velocities.iter().rev() {
            put_first(&mut model.initial.velocities, *id, formula.clone());
        }
    }
}

/// At most so many parameters are named beside an error they cause.
const NAMED: usize = 4;

/// What no mechanism can be, with the values a model has now: the reader's own checks, for
/// models in which something was set. `set` are the parameters that were, to be named.
pub fn check_values(model: &Model, set: &[ParamId]) -> Diagnostics {
    named(model, check::check(model), set)
}

/// The same with other values of some parameters, SI; the model itself stays as it is.
pub fn check_with(model: &Model, set: &[(ParamId, f64)]) -> Diagnostics {
    let value = |id: ParamId, default: f64| {
        set.iter().find(|(other, _)| *other == id).map_or(default, |&(_, value)| value)
    };
    check::check_with(model, value)
}

fn named(model: &Model, found: Diagnostics, set: &[ParamId]) -> Diagnostics {
    let related: Vec<(Span, String)> = set
        .iter()
        .take(NAMED)
        .filter_map(|&id| match model.parameters[id].value {
            ParameterValue::Given(value) => {
                let Declared { name, .. } = Target::Parameter(id).declared(model);
                let value = Target::Parameter(id).declared(model).from_si(value);
                let name = if name == "1" { String::new() } else { format!(" {name}") };
                Some((model.parameters[id].name.span, format!("set to {value}{}", name.trim_end())))
            }
            ParameterValue::Derived(_) => None,
        })
        .collect();
    let mut all = Diagnostics::new();
    for diagnostic in &found {
        let mut diagnostic: Diagnostic = diagnostic.clone();
        if diagnostic.severity == Severity::Error {
            diagnostic.related.extend(related.iter().cloned());
        }
        all.push(diagnostic);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NoFiles, read};

    const MODEL: &str = "
model: m
parameters:
  c: {value: 5, unit: kN*s/m, min: 1}
  m: 250 g
  ratio: 3
inputs: {F: {value: 1, unit: kN}}
bodies: {b: {mass: m}}
joints: {j: {type: prismatic, from: ground, to: b, axis: z, coordinate: s}}
";

    fn model() -> Model {
        read("m.yaml", MODEL, &NoFiles).result.expect("a model").0
    }

    #[test]
    fn numbers_are_in_the_declared_unit_or_their_own() {
        let model = model();
        for (name, text, si) in [
            ("c", "3", 3000.0),
            ("c", "3 kN*s/m", 3000.0),
            ("c", "3000 N*s/m", 3000.0),
            ("c", "-2e-3", -2.0),
            ("F", "2", 2000.0),
            ("F", "2N", 2.0),
            ("m", "0.3", 0.3),
            ("m", "300 g", 0.3),
            ("ratio", "4", 4.0),
            ("ratio", "4 rpm", 4.0 * std::f64::consts::PI / 30.0),
            ("positions.s", "5 mm", 0.005),
            ("velocities.s", "3.6 km/h", 1.0),
        ] {
            let target = Target::find(&model, name).expect(name);
            assert_eq!(target.read_si(&model, text), Ok(si), "{name} = {text}");
        }
        let c = Target::find(&model, "c").expect("c");
        let read = |text: &str, unit| c.read(&model, &written(text).expect("a number"), unit);
        assert_eq!(read("3", None), Ok(3.0));
        assert_eq!(read("3", Some("N*s/m")), Ok(0.003));
        assert_eq!(read("3 kN*s/m", Some("N*s/m")), Ok(3.0));
    }

    #[test]
    fn what_is_no_number_or_another_quantity_is_refused() {
        let model = model();
        let refused = |name: &str, text: &str| {
            let target = Target::find(&model, name).expect(name);
            target.read_si(&model, text).expect_err(text).message
        };
        assert_eq!(refused("c", "many"), "`many` is not a number");
        assert_eq!(refused("c", "inf"), "`inf` is not a number");
        assert_eq!(refused("c", "1_000"), "`1_000` is not a number");
        assert_eq!(refused("c", ""), "`` is not a number");
        assert_eq!(refused("c", "3 furlong"), "`furlong` is not a unit");
        assert_eq!(refused("c", "3 mm"), "`c` is kN*s/m, but `mm` is m");
        assert_eq!(refused("positions.s", "3 deg"), "`positions.s` is m, but `deg` is rad");
        assert!(refused("c", "1e307").contains("is not a finite number"));
        let c = Target::find(&model, "c").expect("c");
        assert!(c.refuses(&model, 999.0).is_some() && c.refuses(&model, 1000.0).is_none());
    }

    #[test]
    fn heads_of_columns_name_units() {
        assert_eq!(column(" c [kN*s/m] "), ("c", Some("kN*s/m")));
        assert_eq!(column("positions.s"), ("positions.s", None));
        assert_eq!(column("[m]"), ("[m]", None));
    }
}
