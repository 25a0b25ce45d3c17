//! `mbs simulate`: one run, from YAML to the final state.

mod answer;
mod overrides;
mod table;

use crate::arguments::{ProjectionMode, SimulateOptions, VariantOptions};
use crate::pipeline;
use crate::report::{self, Failure};
use mbs_runtime::integrate::{self, Projection, simulate_with};
use mbs_runtime::{Defaults, Plant, Settings, State, System, Trajectory};
use mbs_symbolic::model::Simulation;
use std::path::Path;
use std::time::Instant;

/// A finished run with everything reports need.
struct Run {
    system: Box<dyn System>,
    trajectory: Trajectory,
    settings: Settings,
    method: String,
    compile_ms: f64,
    integrate_ms: f64,
}

/// A model compiled to native code, as a scenario and settings changed it.
pub(crate) struct Ready {
    pub(crate) system: Box<dyn System>,
    /// What the model says of its runs; the end time is the scenario's where it has one.
    pub(crate) simulation: Simulation,
}

/// Whether an integrator wants the Jacobian of the equations.
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
    let mut planned = pipeline::plan(&options.model)?;
    let scenario_end = overrides::apply(&mut planned.model, options)?;
    let mut simulation = planned.model.simulation.clone();
    simulation.t_end = scenario_end.or(simulation.t_end);
    let wanted = pipeline::with_jacobian(jacobian(&simulation));
    let compiled = pipeline::compile_derived(pipeline::derive_planned(planned, wanted)?)?;
    let (system, warning) = mbs_jit::system(&compiled.program);
    if !quiet {
        report::print_diagnostics(&compiled.planned.warnings, &compiled.planned.sources);
        if let Some(warning) = warning {
            report::print_warning(&warning.to_string());
        }
    }
    Ok(Ready { system, simulation })
}

/// One run from the model's initial values.
pub(crate) fn integrate(
    system: &dyn System,
    method: &str,
    settings: &Settings,
    model: &Path,
) -> Result<Trajectory, Failure> {
    check(settings)?;
    let layout = system.layout();
    let mut method = integrate::method(method, layout)
        .map_err(|error| Failure::new("MBS-C032", error.to_string()).about(model))?;
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut start = State::new(layout);
    start.t = settings.t_start;
    plant.initial(&mut start);
    simulate_with(&mut plant, &mut *method, start, settings, &mut |_| true)
        .map_err(|error| Failure::new("MBS-C030", error.to_string()).about(model))
}

pub(crate) fn run(options: &SimulateOptions) -> Result<(), Failure> {
    let begin = Instant::now();
    let method = |simulation: &Simulation| {
        options.method.clone().or_else(|| simulation.method.clone()).unwrap_or_else(|| "mdop5".to_owned())
    };
    let wants = |simulation: &Simulation| needs_jacobian(&method(simulation));
    let Ready { system, simulation } = ready(&options.variant, options.json, wants)?;
    let compile_ms = begin.elapsed().as_secs_f64() * 1e3;
    let settings = Settings {
        t_end: options.t_end.or(simulation.t_end).unwrap_or(1.0),
        rtol: options.rtol.or(simulation.rtol).unwrap_or(1e-6),
        atol: options.atol.or(simulation.atol),
        projection: match options.projection {
            ProjectionMode::None => Projection::None,
            ProjectionMode::Velocity => Projection::Velocity,
            ProjectionMode::Controlled => Projection::Controlled,
            ProjectionMode::EveryStep => Projection::EveryStep,
        },
        output_step: options.step.or(simulation.step),
        ..Settings::default()
    };
    let name = method(&simulation);
    let begin = Instant::now();
    let trajectory = integrate(&*system, &name, &settings, &options.variant.model)?;
    let integrate_ms = begin.elapsed().as_secs_f64() * 1e3;

    let run = Run { system, trajectory, settings, method: name, compile_ms, integrate_ms };
    if let Some(path) = &options.csv {
        report::deliver(&table::csv(&run, &options.columns), Some(path))?;
    }
    if options.json { report::print_json(answer::json(&run)) } else { report::print(&answer::text(&run)) }
}

fn check(settings: &Settings) -> Result<(), Failure> {
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
    Ok(())
}
