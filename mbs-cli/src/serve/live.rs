//! The model behind the page: compiled once, run as often as sliders move.

use super::adjusted::{Adjusted, Setting};
use crate::arguments::{RunOptions, VariantOptions};
use crate::commands::simulate::{self, Ready, Run, WallTimes, refused};
use crate::page;
use crate::report::Failure;
use mbs_runtime::System;
use mbs_symbolic::model::setting::{NotSet, Target, check_values};
use mbs_symbolic::model::{Model, ParameterValue, Simulation};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Instant, SystemTime};

/// A model with the page it is shown on.
pub(crate) struct Live {
    variant: VariantOptions,
    options: RunOptions,
    ready: Result<Compiled, String>,
    /// When the file was saved that was read.
    saved: Option<SystemTime>,
}

struct Compiled {
    ready: Ready,
    /// As HTML.
    equations: String,
}

/// A run with the model as it was set.
struct Shown<'s> {
    run: Run<'s>,
    planned: crate::pipeline::Planned,
    dense: Vec<mbs_runtime::State>,
}

fn saved(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

impl Live {
    /// Compiles the model; one that is wrong is shown as such until it is mended.
    pub(crate) fn new(variant: VariantOptions, options: RunOptions) -> Self {
        let mut live = Self { variant, options, ready: Err(String::new()), saved: None };
        live.compile();
        live
    }

    /// What is wrong with the model, if something is.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.ready.as_ref().err().map(String::as_str)
    }

    fn compile(&mut self) {
        self.saved = saved(&self.variant.model);
        let wants = |simulation: &Simulation| simulate::needs_jacobian(&self.options.method(simulation));
        let ready = simulate::ready_with(&self.variant, true, wants, simulate::add_reactions);
        self.ready = ready
            .and_then(|ready| Ok(Compiled { ready, equations: simulate::equations(&self.variant)? }))
            .map_err(|failure| failure.text());
    }

    /// Compiles again what was saved since.
    fn refresh(&mut self) {
        if saved(&self.variant.model) != self.saved {
            self.compile();
        }
    }

    /// A number that changes with every save.
    fn version_number(&self) -> String {
        let since =
            saved(&self.variant.model).and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        since.map_or(0, |since| since.as_nanos()).to_string()
    }

    pub(super) fn version(&self) -> String {
        json!({"version": self.version_number()}).to_string()
    }

    /// The page with the run of the model as it is.
    pub(super) fn page(&mut self) -> String {
        self.refresh();
        let version = self.version_number();
        let shown = self.ready.as_ref().map_err(Clone::clone).and_then(|compiled| {
            let shown = self.show(compiled, &[]).map_err(|failure| failure.text())?;
            Ok((compiled, shown))
        });
        match shown {
            Ok((compiled, Shown { run, planned, dense })) => {
                let mut report = simulate::described(&run, &planned, &compiled.ready.program, &dense);
                report.equations.clone_from(&compiled.equations);
                let settings = settings(&planned.model, &*compiled.ready.system);
                page::live_html(&report, &json!({"version": version, "settings": settings}))
            }
            Err(text) => page::problem_html(&text, &version),
        }
    }

    /// The run with what the request sets; status and JSON.
    pub(super) fn run(&mut self, body: &[u8]) -> (u16, String) {
        let refuse = |message: String| (422, json!({"ok": false, "message": message}).to_string());
        let compiled = match &self.ready {
            Ok(compiled) => compiled,
            Err(text) => return refuse(text.clone()),
        };
        let wanted: Value = match serde_json::from_slice(body) {
            Ok(wanted) => wanted,
            Err(error) => return refuse(format!("the request is not JSON: {error}")),
        };
        let Some(set) = wanted.get("set").and_then(Value::as_object) else {
            return refuse("the request has no object `set`".to_owned());
        };
        let mut values: Vec<(&str, String)> = Vec::new();
        for (name, value) in set {
            match value {
                Value::Number(number) => values.push((name, number.to_string())),
                Value::String(text) => values.push((name, text.clone())),
                _ => return refuse(format!("`{name}` is not a number")),
            }
        }
        let begin = Instant::now();
        let Shown { run, planned, dense } = match self.show(compiled, &values) {
            Ok(shown) => shown,
            Err(failure) => return refuse(failure.text()),
        };
        let report = simulate::described(&run, &planned, &compiled.ready.program, &dense);
        let mut answer = page::data(&report);
        answer["ok"] = json!(true);
        answer["steps"] = json!(run.trajectory.statistics.steps);
        answer["ms"] = json!(begin.elapsed().as_secs_f64() * 1e3);
        (200, answer.to_string())
    }

    /// A run with values as the page writes them: a plain number is in the declared unit.
    fn show<'s>(&self, compiled: &'s Compiled, values: &[(&str, String)]) -> Result<Shown<'s>, Failure> {
        let file = &self.variant.model;
        let ready = &compiled.ready;
        let layout = ready.system.layout();
        let mut planned = ready.planned.clone();
        let (mut settings, mut parameters) = (Vec::new(), Vec::new());
        for (name, text) in values {
            let (target, value) = value_of(&planned.model, name, text).map_err(|not| refused(not, file))?;
            if let Target::Parameter(id) = target {
                parameters.push(id);
            }
            target.set(&mut planned.model, value);
            let place = if let Some(name) = name.strip_prefix("positions.") {
                layout.positions.position(name).map(|index| Setting::Position(index, value))
            } else if let Some(name) = name.strip_prefix("velocities.") {
                layout.velocities.position(name).map(|index| Setting::Velocity(index, value))
            } else {
                let parameter =
                    layout.parameters.position(name).map(|index| Setting::Parameter(index, value));
                parameter.or_else(|| layout.inputs.position(name).map(|index| Setting::Input(index, value)))
            };
            // What occurs nowhere in the equations changes nothing.
            settings.extend(place);
        }
        let found = check_values(&planned.model, &parameters);
        if found.has_errors() {
            return Err(Failure::Model { diagnostics: found, sources: planned.sources });
        }
        let system: Box<dyn System + 's> = Box::new(Adjusted::new(&*ready.system, settings));
        let method = self.options.method(&ready.simulation);
        let settings = self.options.settings(&ready.simulation);
        let begin = Instant::now();
        let trajectory = simulate::integrate(&*system, &method, &settings, file, &mut |_| true)?;
        let integrate = begin.elapsed().as_secs_f64() * 1e3;
        let dense = simulate::filmed(&*system, &method, &settings, &planned.model, file, &mut |_| true)?;
        let wall_ms = WallTimes { compile: ready.compile_ms, native: ready.native_ms, integrate };
        let scenario = self.variant.scenario.clone();
        let left = Vec::new();
        let run = Run {
            system,
            left,
            trajectory,
            settings,
            method,
            scenario,
            own_outputs: ready.own_outputs,
            tells_reactions: false,
            without_potential: ready.program.layout.without_potential.clone(),
            wall_ms,
            accuracy: None,
        };
        Ok(Shown { run, planned, dense })
    }
}

/// What a name and a text set, SI.
fn value_of(model: &Model, name: &str, text: &str) -> Result<(Target, f64), NotSet> {
    let target = Target::find(model, name)?;
    let value = target.read_si(model, text)?;
    target.refuses(model, value).map_or(Ok((target, value)), Err)
}

/// Everything that can be moved, with its range, in the units it was declared with.
fn settings(model: &Model, system: &dyn System) -> Vec<Value> {
    let mut list = Vec::new();
    for (id, parameter) in model.parameters.iter_enumerated() {
        let ParameterValue::Given(value) = parameter.value else { continue };
        let declared = Target::Parameter(id).declared(model);
        let value = declared.from_si(value);
        let (low, high) = range(value);
        let bound = |bound: Option<f64>, usual| bound.map_or(usual, |bound| declared.from_si(bound));
        list.push(json!({
            "kind": "parameter", "name": parameter.name.text, "value": value,
            "min": bound(parameter.min, low), "max": bound(parameter.max, high),
            "unit": declared.name, "doc": parameter.doc.as_deref().unwrap_or_default(),
        }));
    }
    for (id, input) in model.inputs.iter_enumerated() {
        let Some(value) = input.default.as_number() else { continue };
        let declared = Target::Input(id).declared(model);
        let value = declared.from_si(value);
        let (min, max) = range(value);
        list.push(json!({
            "kind": "input", "name": input.name.text, "value": value, "min": min, "max": max,
            "unit": declared.name, "doc": input.doc.as_deref().unwrap_or_default(),
        }));
    }
    let layout = system.layout();
    let plant = mbs_runtime::Plant::new(system, &layout.parameter_defaults, Box::new(mbs_runtime::Defaults));
    let mut start = mbs_runtime::State::new(layout);
    plant.initial(&mut start);
    let mut initial = |name: String, value: f64, unit: &str| {
        let (min, max) = range(value);
        list.push(json!({"kind": "initial", "name": name, "value": value, "min": min, "max": max, "unit": unit, "doc": ""}));
    };
    for &index in layout.held_positions.iter() {
        let index = index as usize;
        let name = layout.positions.get(index).unwrap_or_default();
        initial(
            format!("positions.{name}"),
            start.p[index],
            layout.position_units.get(index).unwrap_or_default(),
        );
    }
    for &index in layout.held_velocities.iter() {
        let index = index as usize;
        let name = layout.velocities.get(index).unwrap_or_default();
        initial(
            format!("velocities.{name}"),
            start.v[index],
            layout.velocity_units.get(index).unwrap_or_default(),
        );
    }
    list
}

/// A range for a slider around a value.
fn range(value: f64) -> (f64, f64) {
    if value == 0.0 {
        (-1.0, 1.0)
    } else {
        (value.min(0.0).min(2.0 * value), value.max(0.0).max(2.0 * value))
    }
}
