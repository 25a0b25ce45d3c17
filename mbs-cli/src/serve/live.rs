//! The model behind the page: compiled once, run as often as sliders move.

use super::adjusted::{Adjusted, Setting};
use super::turn::{Halt, Turn};
use super::{HTML, JSON};
use crate::arguments::{RunOptions, ServeOptions, VariantOptions};
use crate::commands::simulate::recorder::{self, Recorder, Seen};
use crate::commands::simulate::{self, CompiledVariant, Run, WallTimes, refused};
use crate::input::{Files, Stamp};
use crate::report::Failure;
use crate::{page, pipeline};
use mbs_runtime::integrate::Progress;
use mbs_runtime::{Settings, System};
use mbs_symbolic::model::setting::{NotSet, Target, check_values};
use mbs_symbolic::model::{Model, ParameterValue, Simulation};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A model with the page it is shown on.
pub(crate) struct Live {
    variant: VariantOptions,
    options: RunOptions,
    /// Folders the files a model names must lie in.
    folders: Vec<PathBuf>,
    time_limit: Duration,
    ready: Result<Compiled, String>,
    /// The files that were read, as they were then.
    read: Vec<(PathBuf, Stamp)>,
    /// Their names, for who cannot wait for a run.
    watched: Arc<Mutex<Watched>>,
}

/// The files whose changes make the page load anew.
pub(super) type Watched = Vec<PathBuf>;

struct Compiled {
    ready: CompiledVariant,
    /// As HTML.
    equations: String,
}

/// A run with the model as it was set.
struct Shown<'s> {
    run: Run<'s>,
    planned: crate::pipeline::Planned,
    dense: Vec<mbs_runtime::State>,
}

/// What a request is answered with.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

/// What is the case with files; another one after every save.
fn version_number(stamps: impl Iterator<Item = Stamp>) -> String {
    let mut hasher = DefaultHasher::new();
    stamps.for_each(|stamp| stamp.hash(&mut hasher));
    hasher.finish().to_string()
}

/// The version of the files as they stand, as JSON.
pub(super) fn version(watched: &Watched) -> String {
    json!({"version": version_number(watched.iter().map(|path| Stamp::of(path)))}).to_string()
}

/// The answer to a request that has lost its turn.
pub(super) fn out_of_turn() -> Answer {
    refuse(409, "a newer request has taken the place of this one")
}

fn refuse(status: u16, message: &str) -> Answer {
    Answer { status, kind: JSON, body: json!({"ok": false, "message": message}).to_string() }
}

impl Live {
    /// Compiles the model; one that is wrong is shown as such until it is mended, one that is not
    /// there is an error.
    pub(crate) fn new(options: &ServeOptions) -> Result<Self, Failure> {
        let variant = options.variant.clone();
        let mut folders = options.allow_folder.clone();
        for folder in &folders {
            if !folder.is_dir() {
                return Err(Failure::new("MBS-C001", "there is no such folder").about(folder));
            }
        }
        let own = variant.model.parent().filter(|folder| *folder != Path::new(""));
        folders.push(own.unwrap_or(Path::new(".")).to_owned());
        let mut live = Self {
            variant,
            options: options.run.clone(),
            folders,
            time_limit: options.time_limit,
            ready: Err(String::new()),
            read: Vec::new(),
            watched: Arc::default(),
        };
        match live.compile() {
            Err(Failure::Problem(problem)) if problem.code == "MBS-C001" => Err(Failure::Problem(problem)),
            _ => Ok(live),
        }
    }

    /// What is wrong with the model, if something is.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.ready.as_ref().err().map(String::as_str)
    }

    /// The files that are watched, also while a run goes on.
    pub(super) fn watched(&self) -> Arc<Mutex<Watched>> {
        Arc::clone(&self.watched)
    }

    fn compile(&mut self) -> Result<(), Failure> {
        let files = Files::within(self.folders.clone());
        let compiled = self.compiled(&files);
        self.read = files.into_asked();
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) =
            self.read.iter().map(|(path, _)| path.clone()).collect();
        match compiled {
            Ok(compiled) => {
                self.ready = Ok(compiled);
                Ok(())
            }
            Err(failure) => {
                self.ready = Err(failure.text());
                Err(failure)
            }
        }
    }

    fn compiled(&self, files: &Files) -> Result<Compiled, Failure> {
        let variant = &self.variant;
        let planned = pipeline::plan_of(&variant.model, variant.numbers.equations().urdf(), files)?;
        let plain = planned.clone();
        let wants = |simulation: &Simulation| simulate::needs_jacobian(&self.options.method(simulation));
        let ready = simulate::ready_of(planned, variant, true, wants, simulate::add_reactions)?;
        Ok(Compiled { ready, equations: simulate::equations_of(plain, variant)? })
    }

    /// Compiles again what was saved since.
    fn refresh(&mut self) {
        if self.read.iter().any(|(path, stamp)| Stamp::of(path) != *stamp) {
            // What is wrong is shown on the page.
            let _ = self.compile();
        }
    }

    /// The page with the run of the model as it is.
    pub(super) fn page(&mut self, turn: &mut Turn<'_>) -> Answer {
        self.refresh();
        let version = version_number(self.read.iter().map(|(_, stamp)| *stamp));
        let shown = self.ready.as_ref().map_err(Clone::clone).and_then(|compiled| {
            let shown = self.show(compiled, &[], turn).map_err(|failure| self.reason(&failure, turn))?;
            Ok((compiled, shown))
        });
        let body = match shown {
            Ok((compiled, Shown { run, planned, dense })) => {
                let mut report = simulate::report_of(&run, &planned, &compiled.ready.program, &dense);
                report.equations.clone_from(&compiled.equations);
                let settings = settings(&planned.model, &*compiled.ready.system);
                page::live_html(&report, &json!({"version": version, "settings": settings}))
            }
            Err(text) => page::problem_html(&text, &version),
        };
        Answer { status: 200, kind: HTML, body }
    }

    /// Why there is no run.
    fn reason(&self, failure: &Failure, turn: &Turn<'_>) -> String {
        if turn.halt() != Some(Halt::TooLong) {
            return failure.text();
        }
        let seconds = self.time_limit.as_secs_f64();
        format!("the run was given up after {seconds} s; `mbs serve --time-limit` allows more")
    }

    /// The run with what the request sets.
    pub(super) fn run(&mut self, body: &[u8], turn: &mut Turn<'_>) -> Answer {
        let refuse = |message: String| refuse(422, &message);
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
        let Shown { run, planned, dense } = match self.show(compiled, &values, turn) {
            Ok(shown) => shown,
            Err(failure) => return refuse(self.reason(&failure, turn)),
        };
        let report = simulate::report_of(&run, &planned, &compiled.ready.program, &dense);
        let mut answer = page::data(&report);
        answer["ok"] = json!(true);
        answer["steps"] = json!(run.trajectory.statistics.steps);
        answer["ms"] = json!(begin.elapsed().as_secs_f64() * 1e3);
        Answer { status: 200, kind: JSON, body: answer.to_string() }
    }

    /// A run with values as the page writes them: a plain number is in the declared unit.
    fn show<'s>(
        &self,
        compiled: &'s Compiled,
        values: &[(&str, String)],
        turn: &mut Turn<'_>,
    ) -> Result<Shown<'s>, Failure> {
        let file = &self.variant.model;
        let ready = &compiled.ready;
        let layout = ready.system.layout();
        let mut planned = ready.planned.clone();
        let (mut settings, mut parameters) = (Vec::new(), Vec::new());
        for (name, text) in values {
            let (target, value) = value_of(&planned.model, name, text).map_err(refused)?;
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
        let max_points = recorder::max_points(layout);
        let settings = Settings { max_points, ..self.options.settings(&ready.simulation) };
        let mut recorder = Recorder::new(&*system, ready.readings.as_ref());
        let begin = Instant::now();
        let trajectory = simulate::integrate(&*system, &method, &settings, file, &mut |told| match told {
            Progress::Step { .. } => turn.goes_on(),
            Progress::Recorded(state) => recorder.see(state) && turn.goes_on(),
        })?;
        let integrate = begin.elapsed().as_secs_f64() * 1e3;
        let Seen { left, .. } = recorder.finish()?;
        let mut go_on = |_: Progress<'_>| turn.goes_on();
        let dense =
            simulate::sample_for_animation(&*system, &method, &settings, &planned.model, file, &mut go_on)?;
        let wall_ms = WallTimes { compile: ready.compile_ms, native: ready.native_ms, integrate };
        let scenario = self.variant.scenario.clone();
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
