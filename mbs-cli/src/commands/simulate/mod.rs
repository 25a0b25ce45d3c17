//! `mbs simulate`: one run, from YAML to the final state.

pub(crate) mod accuracy;
mod answer;
pub(crate) mod events;
pub(crate) mod methods;
pub(crate) mod outside;
mod overrides;
pub(crate) mod progress;
pub(crate) mod recorder;
mod settings;
pub(crate) mod table;
mod undefined;

pub(crate) use overrides::refused;
pub(crate) use settings::check;

use crate::arguments::{Columns, PictureOptions, SimulateOptions, VariantOptions};
use crate::commands::sweep::format;
use crate::limits;
use crate::output;
use crate::page::{self, Report};
use crate::picture::Format;
use crate::pipeline::{self, Compiled, Planned};
use crate::report::{self, Failure};
use crate::scene::{self, Scene};
use crate::{gltf, plot, stopped};
use accuracy::Accuracy;
use mbs_runtime::integrate::{self, Observer, simulate_with};
use mbs_runtime::{Defaults, Layout, Plant, Settings, SimulationError, State, System, Trajectory};
use mbs_symbolic::diag::{self, Diagnostic};
use mbs_symbolic::explain::Readings;
use mbs_symbolic::model::{Model, Simulation};
use mbs_symbolic::program::Program;
use mbs_symbolic::{Options, emit};
use progress::Progress;
use recorder::{Recorder, Seen, UndefinedOutput};
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
    /// Whether no recorded point was left out for want of room.
    fn keeps_every_point(&self) -> bool {
        self.trajectory.states.len() as u64 == self.trajectory.recorded
    }

    /// What belongs to the model's own outputs, and what to reactions.
    fn split_outputs<T>(&self, mut all: Vec<T>) -> (Vec<T>, Vec<T>) {
        let reactions = all.split_off(self.own_outputs);
        (all, reactions)
    }
}

/// A model compiled to native code, as a scenario and settings changed it.
pub(crate) struct CompiledVariant {
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
) -> Result<CompiledVariant, Failure> {
    compile_variant(options, quiet, jacobian, |_| Ok(()))
}

/// The same, with a model that `change` may change before it is compiled.
pub(crate) fn compile_variant(
    options: &VariantOptions,
    quiet: bool,
    jacobian: impl FnOnce(&Simulation) -> bool,
    change: impl FnOnce(&mut Model) -> Result<(), Failure>,
) -> Result<CompiledVariant, Failure> {
    let planned = pipeline::plan(&options.model, options.numbers.equations().urdf())?;
    ready_of(planned, options, quiet, jacobian, change)
}

/// The same of a model that was read.
pub(crate) fn ready_of(
    mut planned: Planned,
    options: &VariantOptions,
    quiet: bool,
    jacobian: impl FnOnce(&Simulation) -> bool,
    change: impl FnOnce(&mut Model) -> Result<(), Failure>,
) -> Result<CompiledVariant, Failure> {
    let reading: f64 = planned.times.iter().map(|(_, ms)| ms).sum();
    let begin = Instant::now();
    let scenario_end = overrides::apply(&mut planned, options)?;
    let mut simulation = planned.model.simulation.clone();
    simulation.t_end = scenario_end.or(simulation.t_end);
    let own_outputs = planned.model.outputs.len();
    change(&mut planned.model)?;
    let wanted = Options { jacobian: jacobian(&simulation), ..options.numbers.equations() };
    let mut compiled = pipeline::compile_derived(pipeline::derive_planned(planned, wanted.clone())?)?;
    limits::judge(&mut compiled.planned, &compiled.program);
    let compile_ms = reading + begin.elapsed().as_secs_f64() * 1e3;
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
    Ok(CompiledVariant { system, simulation, program, planned, own_outputs, readings, compile_ms, native_ms })
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
    /// The last state that was accepted.
    state: Option<State>,
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
    fn with_cause(self, options: &VariantOptions, planned: &Planned) -> Failure {
        if let Self::Early(early) = &self
            && let Some(state) = &early.state
            // What was compiled before can be derived once more.
            && let Ok(suspects) = Suspects::of(options)
            && let Some(trace) = suspects.behind(state)
        {
            let Found { diagnostics, sources } = suspects.report(&trace, &early.error);
            return Failure::Model { diagnostics, sources };
        }
        if let Self::Early(early) = &self
            && let Some(found) = stopped::placed(&early.error, &planned.model)
        {
            return Failure::Model { diagnostics: found.into(), sources: planned.sources.clone() };
        }
        self.failure(&options.model)
    }
}

/// One run from the model's initial values.
pub(crate) fn integrate(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    model: &Path,
    observer: &mut Observer<'_>,
) -> Result<Trajectory, Failure> {
    attempt(system, method, settings, model, observer).map_err(|stop| stop.failure(model))
}

fn attempt(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    model: &Path,
    observer: &mut Observer<'_>,
) -> Result<Trajectory, Stop> {
    check(settings).map_err(Stop::Refused)?;
    let layout = system.layout();
    let mut method = integrate::method(method, layout)
        .map_err(|error| Stop::Refused(Failure::new("MBS-C032", error.to_string()).about(model)))?;
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut start = State::new(layout);
    start.t = settings.t_start;
    plant.initial(&mut start);
    simulate_with(&mut plant, &mut *method, start, settings, observer)
        .map_err(|error| Stop::Early(Box::new(Early { error, state: plant.failed_at.take() })))
}

/// Warns of an output that is not a number at a recorded state.
fn warn_of_output(undefined: &UndefinedOutput, layout: &Layout, options: &VariantOptions) {
    let UndefinedOutput { state, index, value } = undefined;
    let what = if value.is_nan() { "not a number" } else { "infinite" };
    let name = layout.outputs.get(*index).unwrap_or_default();
    // Nine digits say where to look.
    let t: f64 = format!("{:.8e}", state.t).parse().unwrap_or(state.t);
    let message = format!("t = {t} s: output `{name}` is {what}");
    if let Ok(suspects) = Suspects::of(options)
        && let Some(trace) = suspects.of_outputs(state)
    {
        let Found { diagnostics, sources } = suspects.warn(&trace, message);
        report::print_diagnostics(&diagnostics, &sources);
    } else {
        report::print_warning(&message);
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
    let CompiledVariant {
        system,
        simulation,
        program,
        planned,
        own_outputs,
        readings,
        compile_ms,
        native_ms,
    } = compile_variant(&options.variant, options.json, wants, change)?;
    let outputs = [&options.csv, &options.plot, &options.report, &options.gltf];
    output::check(outputs.into_iter().flatten().map(PathBuf::as_path), &planned.files)?;
    let max_points = recorder::max_points(system.layout());
    let settings = Settings { max_points, ..options.run.settings(&simulation) };
    let name = options.run.method(&simulation);
    let mut recorder = Recorder::new(&*system, readings.as_ref());
    if !options.json {
        recorder = recorder.with_outputs(&*system);
    }
    if let Some(path) = &options.csv {
        let (model, columns) = (&planned.model, &options.columns);
        recorder = recorder.with_rows(table::Rows::new(path, &*system, model, own_outputs, columns)?);
    }
    let begin = Instant::now();
    let (trajectory, seen) = recorded(&*system, &name, &settings, recorder, options, &planned)?;
    let integrate = (begin.elapsed() - seen.time).as_secs_f64() * 1e3;
    let Seen { left, undefined, table, .. } = seen;
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
    if let Some(undefined) = undefined {
        warn_of_output(&undefined, run.system.layout(), &options.variant);
    }
    table.map_or(Ok(()), format::Table::finish)?;
    if options.report.is_some() || options.gltf.is_some() || options.plot.is_some() {
        let file = &options.variant.model;
        let dense = sample_for_animation(
            &*run.system,
            &run.method,
            &run.settings,
            &planned.model,
            file,
            &mut |_| true,
        )?;
        let mut film = report_of(&run, &planned, &program, &dense);
        if let Some(path) = &options.plot {
            plot_of(&film, &options.curves)?.deliver(path)?;
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
    let events = events::named(&run.trajectory.events, &program.layout, &planned.model, &planned.sources);
    if options.json {
        report::print_json(answer::json(&run, &events))
    } else {
        report::print(&answer::text(&run, &events, options.events))
    }
}

/// The run of the command, with its progress on the terminal and every state seen by the recorder.
fn recorded(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    mut recorder: Recorder<'_>,
    options: &SimulateOptions,
    planned: &Planned,
) -> Result<(Trajectory, Seen), Failure> {
    let mut progress = Progress::new(settings.t_start, settings.t_end, !options.json);
    let mut observer = |told: integrate::Progress<'_>| match told {
        integrate::Progress::Step { t } => {
            progress.at(t);
            true
        }
        integrate::Progress::Recorded(state) => recorder.see(state),
    };
    let outcome = attempt(system, method, settings, &options.variant.model, &mut observer);
    drop(progress);
    // A table that cannot be written ends the run, and is the reason to tell.
    let seen = recorder.finish()?;
    Ok((outcome.map_err(|stop| stop.with_cause(&options.variant, planned))?, seen))
}

/// A run once more, with points at even distances and close enough for pictures; where they
/// lie has no influence on the steps.
pub(crate) fn sample_for_animation(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    model: &Model,
    file: &Path,
    observer: &mut Observer<'_>,
) -> Result<Vec<State>, Failure> {
    let span = settings.t_end - settings.t_start;
    let frames = scene::frame_count(span, model.bodies.len());
    let step = Some(span / frames as f64);
    let settings = Settings { output_step: step, max_points: usize::MAX, ..settings.clone() };
    Ok(integrate(system, method, &settings, file, observer)?.states)
}

/// The scene of a run, for pictures of it.
pub(crate) fn scene(options: &PictureOptions) -> Result<Scene, Failure> {
    let PictureOptions { variant, run, out, .. } = options;
    let wants = |simulation: &Simulation| needs_jacobian(&run.method(simulation));
    let CompiledVariant { system, simulation, planned, .. } = ready(variant, false, wants)?;
    output::check([out.as_path()], &planned.files)?;
    let (method, settings) = (run.method(&simulation), run.settings(&simulation));
    check(&settings)?;
    let states =
        sample_for_animation(&*system, &method, &settings, &planned.model, &variant.model, &mut |_| true)?;
    Ok(Scene::new(&planned.model, &*system, &states))
}

/// The run as pages and figures want it, without equations.
pub(crate) fn report_of<'r>(
    run: &'r Run<'_>,
    planned: &'r Planned,
    program: &'r Program,
    dense: &'r [State],
) -> Report<'r> {
    let mut warnings = answer::warnings(run);
    let rendered = |one: &Diagnostic| diag::render(&one.clone().into(), &planned.sources);
    warnings.extend(planned.warnings.iter().map(rendered));
    Report {
        model: &planned.model,
        own_outputs: run.own_outputs,
        topology: &planned.topology,
        program,
        system: &*run.system,
        scenario: run.scenario.as_deref(),
        trajectory: &run.trajectory,
        events: events::named(&run.trajectory.events, &program.layout, &planned.model, &planned.sources),
        has_every_step: run.settings.output_step.is_none() && run.keeps_every_point(),
        dense,
        summary: answer::summary(run),
        warnings,
        accuracy: run.accuracy.as_ref(),
        equations: String::new(),
    }
}

/// Curves by name, or of all positions.
fn plot_of(report: &Report<'_>, names: &[String]) -> Result<plot::Drawing, Failure> {
    let table = page::curves::motion(report);
    let mut hidden: Vec<&str> = Vec::new();
    let chosen: Vec<&page::curves::Column> = if names.is_empty() {
        let (noise, moving): (Vec<_>, Vec<_>) = table
            .columns
            .iter()
            .filter(|column| column.group == "positions")
            .partition(|column| column.is_noise);
        // Of a mechanism at rest all is noise.
        if moving.is_empty() {
            noise
        } else {
            hidden = noise.iter().map(|column| column.name.as_str()).collect();
            moving
        }
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
    Ok(plot::figure(&report.model.name, &curves, &hidden))
}

/// The equations as HTML, of the model without what reports add to it.
fn equations(options: &VariantOptions) -> Result<String, Failure> {
    equations_of(pipeline::plan(&options.model, options.numbers.equations().urdf())?, options)
}

/// The same of a model that was read.
pub(crate) fn equations_of(mut planned: Planned, options: &VariantOptions) -> Result<String, Failure> {
    overrides::apply(&mut planned, options)?;
    let derived = pipeline::derive_planned(planned, options.numbers.equations())?;
    Ok(emit::mathml::fragment(&derived.equations))
}
