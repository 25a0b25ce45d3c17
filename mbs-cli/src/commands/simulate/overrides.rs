//! Scenarios and `--set`: the model, changed before it is compiled.

use crate::arguments::VariantOptions;
use crate::pipeline::Planned;
use crate::report::Failure;
use mbs_symbolic::checks;
use mbs_symbolic::diag::Diagnostics;
use mbs_symbolic::ids::ParamId;
use mbs_symbolic::model::setting::{NotSet, Target, check_values};
use mbs_symbolic::model::{Model, nearest};
use std::ops::Range;

/// Applies the scenario and the settings; returns the scenario's end time. What the model is then
/// has to pass the checks of every model.
pub(super) fn apply(planned: &mut Planned, options: &VariantOptions) -> Result<Option<f64>, Failure> {
    let model = &mut planned.model;
    let (mut t_end, mut set) = (None, Vec::new());
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
            return Err(failure.argument("--scenario", name, 0..name.len()).help(help));
        };
        t_end = scenario.t_end;
        scenario.apply(model);
        set.extend(scenario.parameters.iter().map(|(id, _)| *id));
    }
    for setting in options.settings.iter().rev() {
        let target = self::set(model, setting)?;
        if let Target::Parameter(id) = target {
            set.retain(|other| *other != id);
            set.insert(0, id);
        }
    }
    if options.scenario.is_some() || !options.settings.is_empty() {
        judge(planned, &set)?;
    }
    Ok(t_end)
}

/// The failure of a setting.
pub(crate) fn refused(NotSet { message, help }: NotSet) -> Failure {
    let failure = Failure::new("MBS-C035", message);
    match help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

/// Refuses what no mechanism can be, and adds the warnings that what was set gives rise to.
fn judge(planned: &mut Planned, set: &[ParamId]) -> Result<(), Failure> {
    let mut found = check_values(&planned.model, set);
    if found.has_errors() {
        found.sort();
        return Err(Failure::Model { diagnostics: found, sources: planned.sources.clone() });
    }
    found.append(checks::of_model(&planned.model));
    let mut fresh = Diagnostics::new();
    for diagnostic in &checks::without_allowed(&planned.model, found) {
        if !planned.warnings.iter().any(|known| known == diagnostic) {
            fresh.push(diagnostic.clone());
        }
    }
    planned.warnings.append(fresh);
    planned.warnings.sort();
    Ok(())
}

/// NAME=VALUE, where the value may have its unit behind it.
fn set(model: &mut Model, setting: &str) -> Result<Target, Failure> {
    let wrong = |not: NotSet, part: Range<usize>| refused(not).argument("--set", setting, part);
    let Some((name, text)) = setting.split_once('=') else {
        let not = NotSet { message: format!("`{setting}` is not NAME=VALUE"), help: None };
        return Err(wrong(not, 0..setting.len()));
    };
    let of_value = name.len() + 1..setting.len();
    let target = Target::find(model, name.trim()).map_err(|not| wrong(not, 0..name.len()))?;
    let value = target.read_si(model, text).map_err(|not| wrong(not, of_value.clone()))?;
    match target.refuses(model, value) {
        Some(not) => Err(wrong(not, of_value)),
        None => {
            target.set(model, value);
            Ok(target)
        }
    }
}
