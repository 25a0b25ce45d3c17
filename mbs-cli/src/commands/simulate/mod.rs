//! `mbs simulate`: one run, from YAML to the final state.

pub(crate) mod accuracy;
mod answer;
pub(crate) mod methods;
pub(crate) mod outside;
mod overrides;
pub(crate) mod progress;
pub(crate) mod table;
mod undefined;

pub(crate) use overrides::refused;

use crate::arguments::{
    Columns, PictureOptions, ProjectionMode, RunOptions, SimulateOptions, VariantOptions,
};
use crate::commands::sweep::format;
use crate::output;
use crate::page::{self, Report};
use crate::picture::Format;
use crate::pipeline::{self, Compiled, Planned};
use crate::report::{self, Failure};
use crate::scene::{self, Scene};
use crate::{gltf, plot};
use accuracy::Accuracy;
use mbs_runtime::integrate::{self, DEFAULT_RTOL, Projection, simulate_with};
use mbs_runtime::{Defaults, Plant, Settings, SimulationError, State, System, Trajectory};
use mbs_symbolic::diag::{self, Style};
use mbs_symbolic::explain::Readings;
use mbs_symbolic::model::{Model, Simulation};
use mbs_symbolic::program::Program;
use mbs_symbolic::{Options, emit};
use progress::Progress;
use std::path::{Path, PathBuf};
use std::time::Instant;
use undefined::{Found, Suspects};

/// A finished run with everything reports need.
pub(crate) struct Run<'s> {
    pub(crate) system: Box<dyn System + 's>,
    pub(crate) trajectory: Trajectory,
    pub(crate) settings: Settings,
    pub(crate) method: String,
    pub(crate) scenario: Option<String>,
    /// Outputs of the model itself; those past them are reactions.
    pub(crate) own_outputs: usize,
    /// Whether reactions are part of the answer, not only of files.
    pub(crate) tells_reactions: bool,
    /// Force elements whose work the energies leave out.
    pub(crate) without_potential: Vec<String>,
    /// Tables that were read outside their points.
    pub(crate) left: Vec<outside::Left>,
    pub(crate) wall_ms: WallTimes,
    /// The agreement with a tighter run, if asked for.
    pub(crate) accuracy: Option<Accuracy>,
}

/// Where the time went, ms.
pub(crate) struct WallTimes {
    /// From YAML to the program.
    pub(crate) compile: f64,
    /// From the program to native code.
    pub(crate) native: f64,
    pub(crate) integrate: f64,
}

impl Run<'_> {
    /// What belongs to the model's own outputs, and what to reactions.
    fn split_outputs<T>(&self, mut all: Vec<T>) -> (Vec<T>, Vec<T>) {
        let reactions = all.split_off(self.own_outputs);
        (all, reactions)
    }
}

/// A model compiled to native code, as a scenario and settings changed it.
pub(crate) struct Ready {
    pub(crate) system: Box<dyn System>,
    /// What the model says of its runs; the end time is the scenario's where it has one.
    pub(crate) simulation: Simulation,
    pub(crate) program: Program,
    /// The model the program was made of.
    pub(crate) planned: Planned,
    pub(crate) own_outputs: usize,
    pub(crate) readings: Option<Readings>,
    pub(crate) compile_ms: f64,
    pub(crate) native_ms: f64,
}

/// Whether an integrator wants the Jacobian of the equations from the start.
pub(crate) fn needs_jacobian(method: &str) -> bool {
    method == "radau5"
}

/// Reads, changes and compiles a model, with its Jacobian if what it says of its runs asks
/// for it; says what deserves a warning unless `quiet`.
pub(crate) fn ready(
    options: &VariantOptions,
    quiet: bool,
    jacobian: impl FnOnce(&Simulation) -> bool,
) -> Result<Ready, Failure> {
    ready_with(options, quiet, jacobian, |_| Ok(()))
}

/// The same, with a model that `change` may change before it is compiled.
pub(crate) fn ready_with(
    options: &VariantOptions,
    quiet: bool,
    jacobian: impl FnOnce(&Simulation) -> bool,
    change: impl FnOnce(&mut Model) -> Result<(), Failure>,
) -> Result<Ready, Failure> {
    let begin = Instant::now();
    let mut planned = pipeline::plan(&options.model, options.numbers.keep_dust)?;
    let scenario_end = overrides::apply(&mut planned, options)?;
    let mut simulation = planned.model.simulation.clone();
    simulation.t_end = scenario_end.or(simulation.t_end);
    let own_outputs = planned.model.outputs.len();
    change(&mut planned.model)?;
    let wanted = Options { jacobian: jacobian(&simulation), ..options.numbers.equations() };
    let compiled = pipeline::compile_derived(pipeline::derive_planned(planned, wanted.clone())?)?;
    let compile_ms = begin.elapsed().as_secs_f64() * 1e3;
    let begin = Instant::now();
    let (system, warning) =
        mbs_jit::system_with_derivatives(&compiled.program, pipeline::derivatives(&compiled.planned, wanted));
    let native_ms = begin.elapsed().as_secs_f64() * 1e3;
    if !quiet {
        report::print_warnings(&compiled.planned.warnings, &compiled.planned.sources);
        if let Some(warning) = warning {
            report::print_warning(&warning.to_string());
        }
    }
    let Compiled { planned, program, readings, .. } = compiled;
    Ok(Ready { system, simulation, program, planned, own_outputs, readings, compile_ms, native_ms })
}

/// Why there is no trajectory.
enum Stop {
    /// The run was refused.
    Refused(Failure),
    /// It ended early.
    Early(Box<Early>),
}

/// A run that ended early.
struct Early {
    error: SimulationError,
    /// The last state that was accepted, and its modes.
    state: Option<State>,
    modes: Vec<bool>,
}

impl Stop {
    fn failure(self, model: &Path) -> Failure {
        match self {
            Self::Refused(failure) => failure,
            Self::Early(early) => {
                let failure = Failure::new(early.error.code(), early.error.message()).about(model);
                match early.error.remedy() {
                    Some(remedy) => failure.help(remedy),
                    None => failure,
                }
            }
        }
    }

    /// The failure with the element that caused it, where a value became undefined.
    fn traced(self, options: &VariantOptions) -> Failure {
        if let Self::Early(early) = &self
            && let Some(state) = &early.state
            // What was compiled before can be derived once more.
            && let Ok(suspects) = Suspects::of(options)
            && let Some(trace) = suspects.behind(state, &early.modes)
        {
            let Found { diagnostics, sources } = suspects.report(&trace, &early.error);
            return Failure::Model { diagnostics, sources };
        }
        self.failure(&options.model)
    }
}

/// One run from the model's initial values; `observer` sees the time of recorded states.
pub(crate) fn integrate(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    model: &Path,
    observer: &mut dyn FnMut(f64),
) -> Result<Trajectory, Failure> {
    attempt(system, method, settings, model, observer).map_err(|stop| stop.failure(model))
}

fn attempt(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    model: &Path,
    observer: &mut dyn FnMut(f64),
) -> Result<Trajectory, Stop> {
    check(settings).map_err(Stop::Refused)?;
    let layout = system.layout();
    let mut method = integrate::method(method, layout)
        .map_err(|error| Stop::Refused(Failure::new("MBS-C032", error.to_string()).about(model)))?;
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut start = State::new(layout);
    start.t = settings.t_start;
    plant.initial(&mut start);
    let mut observer = |state: &State| {
        observer(state.t);
        true
    };
    simulate_with(&mut plant, &mut *method, start, settings, &mut observer).map_err(|error| {
        Stop::Early(Box::new(Early { error, state: plant.failed_at.take(), modes: plant.modes.clone() }))
    })
}

/// Warns of the first output that is not a number at a recorded state.
fn warn_of_outputs(run: &Run, options: &VariantOptions) {
    let mut evaluator = table::Evaluator::of(run);
    let names = &run.system.layout().outputs;
    let undefined = run.trajectory.states.iter().find_map(|state| {
        let outputs = evaluator.outputs(state);
        let index = outputs.iter().position(|value| !value.is_finite())?;
        Some((state, index, outputs[index]))
    });
    let Some((state, index, value)) = undefined else { return };
    let what = if value.is_nan() { "not a number" } else { "infinite" };
    let name = names.get(index).unwrap_or_default();
    // Nine digits say where to look.
    let t: f64 = format!("{:.8e}", state.t).parse().unwrap_or(state.t);
    let message = format!("t = {t} s: output `{name}` is {what}");
    let modes = evaluator.modes_at(state);
    if let Ok(suspects) = Suspects::of(options)
        && let Some(trace) = suspects.of_outputs(state, &modes)
    {
        let Found { diagnostics, sources } = suspects.warn(&trace, message);
        report::print_diagnostics(&diagnostics, &sources);
    } else {
        report::print_warning(&message);
    }
}

impl RunOptions {
    /// The integrator: as asked for, as the model says, or the usual one.
    pub(crate) fn method(&self, simulation: &Simulation) -> String {
        let method = self.method.clone().or_else(|| simulation.method.clone());
        method.unwrap_or_else(|| integrate::DEFAULT_METHOD.to_owned())
    }

    /// Settings as asked for, or as the model says.
    pub(crate) fn settings(&self, simulation: &Simulation) -> Settings {
        Settings {
            t_end: self.t_end.or(simulation.t_end).unwrap_or(1.0),
            rtol: self.rtol.or(simulation.rtol).unwrap_or(DEFAULT_RTOL),
            atol: self.atol.or(simulation.atol),
            projection: match self.projection {
                ProjectionMode::None => Projection::None,
                ProjectionMode::Velocity => Projection::Velocity,
                ProjectionMode::Controlled => Projection::Controlled,
                ProjectionMode::EveryStep => Projection::EveryStep,
            },
            output_step: self.step.or(simulation.step),
            ..Settings::default()
        }
    }
}

/// Appends outputs for what every joint carries.
pub(crate) fn add_reactions(model: &mut Model) -> Result<(), Failure> {
    model.add_reaction_outputs();
    Ok(())
}

pub(crate) fn run(options: &SimulateOptions) -> Result<(), Failure> {
    if let Some(path) = &options.csv {
        format::check(path)?;
    }
    options.plot.as_deref().map(Format::of).transpose()?;
    let wants = |simulation: &Simulation| needs_jacobian(&options.run.method(simulation));
    let wants_reactions =
        options.columns.contains(&Columns::Reactions) || options.report.is_some() || options.plot.is_some();
    let change = match wants_reactions {
        true => add_reactions,
        false => |_: &mut Model| Ok(()),
    };
    let Ready { system, simulation, program, planned, own_outputs, readings, compile_ms, native_ms } =
        ready_with(&options.variant, options.json, wants, change)?;
    let outputs = [&options.csv, &options.plot, &options.report, &options.gltf];
    output::check(outputs.into_iter().flatten().map(PathBuf::as_path), &planned.files)?;
    let settings = options.run.settings(&simulation);
    let name = options.run.method(&simulation);
    let begin = Instant::now();
    let trajectory = {
        let mut progress = Progress::new(settings.t_start, settings.t_end, !options.json);
        attempt(&*system, &name, &settings, &options.variant.model, &mut |t| progress.at(t))
            .map_err(|stop| stop.traced(&options.variant))?
    };
    let integrate = begin.elapsed().as_secs_f64() * 1e3;

    let left = outside::of_run(readings.as_ref(), &*system, &trajectory);
    let mut run = Run {
        system,
        left,
        trajectory,
        settings,
        method: name,
        scenario: options.variant.scenario.clone(),
        own_outputs,
        tells_reactions: options.columns.contains(&Columns::Reactions),
        without_potential: program.layout.without_potential.clone(),
        wall_ms: WallTimes { compile: compile_ms, native: native_ms, integrate },
        accuracy: None,
    };
    if options.accuracy {
        run.accuracy = Some(accuracy::compare(&run, &options.variant.model)?);
    }
    if !options.json {
        warn_of_outputs(&run, &options.variant);
    }
    if let Some(path) = &options.csv {
        format::write(&table::csv(&run, &planned.model, &options.columns), path)?;
    }
    if options.report.is_some() || options.gltf.is_some() || options.plot.is_some() {
        let file = &options.variant.model;
        let dense = filmed(&*run.system, &run.method, &run.settings, &planned.model, file)?;
        let mut film = described(&run, &planned, &program, &dense);
        if let Some(path) = &options.plot {
            drawn(&film, &options.curves)?.deliver(path)?;
        }
        if let Some(path) = &options.report {
            film.equations = equations(&options.variant)?;
            output::deliver(&page::html(&film), Some(path))?;
        }
        if let Some(path) = &options.gltf {
            let scene = Scene::new(&planned.model, &*run.system, &dense);
            output::write(&gltf::glb(&scene, &planned.model.name), path)?;
        }
    }
    if options.json { report::print_json(answer::json(&run)) } else { report::print(&answer::text(&run)) }
}

/// A run once more, with points at even distances and close enough for pictures; where they
/// lie has no influence on the steps.
pub(crate) fn filmed(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    model: &Model,
    file: &Path,
) -> Result<Vec<State>, Failure> {
    let span = settings.t_end - settings.t_start;
    let frames = scene::frame_count(span, model.bodies.len());
    let settings = Settings { output_step: Some(span / frames as f64), ..settings.clone() };
    Ok(integrate(system, method, &settings, file, &mut |_| {})?.states)
}

/// The scene of a run, for pictures of it.
pub(crate) fn scene(options: &PictureOptions) -> Result<Scene, Failure> {
    let PictureOptions { variant, run, out, .. } = options;
    let wants = |simulation: &Simulation| needs_jacobian(&run.method(simulation));
    let Ready { system, simulation, planned, .. } = ready(variant, false, wants)?;
    output::check([out.as_path()], &planned.files)?;
    let (method, settings) = (run.method(&simulation), run.settings(&simulation));
    check(&settings)?;
    let states = filmed(&*system, &method, &settings, &planned.model, &variant.model)?;
    Ok(Scene::new(&planned.model, &*system, &states))
}

/// The run as pages and figures want it, without equations.
pub(crate) fn described<'r>(
    run: &'r Run<'_>,
    planned: &'r Planned,
    program: &'r Program,
    dense: &'r [State],
) -> Report<'r> {
    let mut warnings = answer::warnings(run);
    if !planned.warnings.is_empty() {
        warnings.push(diag::render_with(&planned.warnings, &planned.sources, Style::Plain));
    }
    Report {
        model: &planned.model,
        own_outputs: run.own_outputs,
        topology: &planned.topology,
        program,
        system: &*run.system,
        scenario: run.scenario.as_deref(),
        trajectory: &run.trajectory,
        has_every_step: run.settings.output_step.is_none(),
        dense,
        summary: answer::summary(run),
        warnings,
        accuracy: run.accuracy.as_ref(),
        equations: String::new(),
    }
}

/// Curves by name, or of all positions.
fn drawn(report: &Report<'_>, names: &[String]) -> Result<plot::Drawing, Failure> {
    let table = page::curves::motion(report);
    let chosen: Vec<&page::curves::Column> = if names.is_empty() {
        table.columns.iter().filter(|column| column.group == "positions").collect()
    } else {
        let find = |name: &String| table.columns.iter().find(|column| column.name == *name);
        let unknown = names.iter().find(|name| find(name).is_none());
        if let Some(name) = unknown {
            let all: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            return Err(Failure::new("MBS-C062", format!("the run has no curve `{name}`"))
                .help(format!("there are: {}", all.join(", "))));
        }
        names.iter().filter_map(find).collect()
    };
    let curves: Vec<plot::Curve<'_>> = chosen
        .iter()
        .map(|column| plot::Curve {
            name: &column.name,
            unit: &column.unit,
            times: &table.times,
            values: &column.values,
        })
        .collect();
    Ok(plot::figure(&report.model.name, &curves))
}

/// The equations as HTML, of the model without what reports add to it.
pub(crate) fn equations(options: &VariantOptions) -> Result<String, Failure> {
    let mut planned = pipeline::plan(&options.model, options.numbers.keep_dust)?;
    overrides::apply(&mut planned, options)?;
    let derived = pipeline::derive_planned(planned, options.numbers.equations())?;
    Ok(emit::mathml::fragment(&derived.equations))
}

/// More recorded points than this have no room in memory.
const MOST_POINTS: f64 = 1e8;

/// Refuses settings no run can have.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    let positive = |value: f64| value > 0.0 && value.is_finite();
    for (name, value) in [
        ("rtol", Some(settings.rtol)),
        ("atol", settings.atol),
        ("step", settings.output_step),
        ("t_end", Some(settings.t_end)),
    ] {
        if value.is_some_and(|value| !positive(value)) {
            return Err(Failure::new("MBS-C031", format!("`{name}` must be a positive number")));
        }
    }
    if let Some(step) = settings.output_step
        && settings.t_end / step > MOST_POINTS
    {
        let points = settings.t_end / step;
        let message =
            format!("a point every {step:e} s up to {:e} s makes {points:.1e} of them", settings.t_end);
        let help =
            format!("at most {MOST_POINTS:.0e} are recorded: choose a larger `step` or an earlier end");
        return Err(Failure::new("MBS-C031", message).help(help));
    }
    Ok(())
}
