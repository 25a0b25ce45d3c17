//! Scenarios and `--set`: the model, changed before it is compiled.

use crate::arguments::VariantOptions;
use crate::report::Failure;
use mbs_symbolic::ids::{CoordinateId, InputId, ParamId, VelocityId};
use mbs_symbolic::model::{Formula, Model, ParameterValue, nearest};
use std::path::Path;

/// Applies the scenario and the settings; returns the scenario's end time.
pub(super) fn apply(model: &mut Model, options: &VariantOptions) -> Result<Option<f64>, Failure> {
    let mut t_end = None;
    if let Some(name) = &options.scenario {
        let scenarios = &model.simulation.scenarios;
        let Some(scenario) = scenarios.iter().find(|scenario| scenario.name.text == *name).cloned() else {
            let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.text.as_str()).collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "the model lists no scenarios".to_owned(),
                None => format!("scenarios are {}", names.join(", ")),
            };
            let failure = Failure::new("MBS-C034", format!("there is no scenario `{name}`"));
            return Err(failure.about(&options.model).help(help));
        };
        t_end = scenario.t_end;
        for (id, value) in scenario.parameters {
            model.parameters[id].value = ParameterValue::Given(value);
        }
        for (id, formula) in scenario.inputs {
            model.inputs[id].default = formula;
        }
        for (id, formula) in scenario.positions.into_iter().rev() {
            put_first(&mut model.initial.positions, id, formula);
        }
        for (id, formula) in scenario.velocities.into_iter().rev() {
            put_first(&mut model.initial.velocities, id, formula);
        }
    }
    for setting in options.settings.iter().rev() {
        set(model, setting, options)?;
    }
    Ok(t_end)
}

/// Values set for a run are held before those the model lists.
fn put_first<I: PartialEq>(list: &mut Vec<(I, Formula)>, id: I, formula: Formula) {
    list.retain(|(other, _)| *other != id);
    list.insert(0, (id, formula));
}

/// Something of a model a run may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Parameter(ParamId),
    Input(InputId),
    Position(CoordinateId),
    Velocity(VelocityId),
}

impl Target {
    /// What a name stands for: a parameter, an input, `positions.NAME` or `velocities.NAME`.
    pub(crate) fn find(model: &Model, name: &str, path: &Path) -> Result<Self, Failure> {
        let failure = |message: String| Failure::new("MBS-C035", message).about(path);
        if let Some(coordinate) = name.strip_prefix("positions.") {
            let found = model.coordinates.ids().find(|&id| model.coordinates[id].name.text == coordinate);
            if let Some(id) = found {
                return Ok(Self::Position(id));
            }
        } else if let Some(velocity) = name.strip_prefix("velocities.") {
            let found = model.velocities.ids().find(|&id| model.velocities[id].name.text == velocity);
            if let Some(id) = found {
                return Ok(Self::Velocity(id));
            }
        } else if let Some(id) = model.parameters.ids().find(|&id| model.parameters[id].name.text == name) {
            if matches!(model.parameters[id].value, ParameterValue::Derived(_)) {
                return Err(failure(format!("`{name}` is derived from other parameters; set those")));
            }
            return Ok(Self::Parameter(id));
        } else if let Some(id) = model.inputs.ids().find(|&id| model.inputs[id].name.text == name) {
            return Ok(Self::Input(id));
        }
        let mut names: Vec<String> = model.parameters.iter().map(|entry| entry.name.text.clone()).collect();
        names.extend(model.inputs.iter().map(|entry| entry.name.text.clone()));
        names.extend(model.coordinates.iter().map(|entry| format!("positions.{}", entry.name.text)));
        names.extend(model.velocities.iter().map(|entry| format!("velocities.{}", entry.name.text)));
        let failure = failure(format!("there is nothing called `{name}` to set"));
        Err(match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help("parameters, inputs, `positions.NAME` and `velocities.NAME` can be set"),
        })
    }

    /// Why it cannot have this value, if it cannot.
    pub(crate) fn refuses(self, model: &Model, value: f64) -> Option<String> {
        let Self::Parameter(id) = self else { return None };
        let entry = &model.parameters[id];
        let (min, max) = (entry.min.unwrap_or(f64::NEG_INFINITY), entry.max.unwrap_or(f64::INFINITY));
        let name = &entry.name.text;
        (value < min || value > max)
            .then(|| format!("`{name}` = {value} is outside its range {min} to {max}"))
    }

    /// Gives it a value.
    pub(crate) fn set(self, model: &mut Model, value: f64) {
        let span = model.bodies.iter().next().map(|body| body.name.span).unwrap_or_default();
        let number = Formula::number(value, span);
        match self {
            Self::Parameter(id) => model.parameters[id].value = ParameterValue::Given(value),
            Self::Input(id) => model.inputs[id].default = number,
            Self::Position(id) => put_first(&mut model.initial.positions, id, number),
            Self::Velocity(id) => put_first(&mut model.initial.velocities, id, number),
        }
    }
}

fn set(model: &mut Model, setting: &str, options: &VariantOptions) -> Result<(), Failure> {
    let failure = |message: String| Failure::new("MBS-C035", message).about(&options.model);
    let Some((name, text)) = setting.split_once('=') else {
        return Err(failure(format!("`{setting}` is not NAME=VALUE")));
    };
    let (name, text) = (name.trim(), text.trim());
    let value: f64 = match text.parse() {
        Ok(value) if f64::is_finite(value) => value,
        _ => return Err(failure(format!("`{text}` is not a number"))),
    };
    let target = Target::find(model, name, &options.model)?;
    if let Some(reason) = target.refuses(model, value) {
        return Err(failure(reason));
    }
    target.set(model, value);
    Ok(())
}
