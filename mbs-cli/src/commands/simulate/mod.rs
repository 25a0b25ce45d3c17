//! `mbs simulate`: one run, from YAML to the final state.

mod answer;
mod overrides;
mod table;

use crate::arguments::{ProjectionMode, SimulateOptions};
use crate::pipeline;
use crate::report::{self, Failure};
use mbs_runtime::integrate::{Mdop5, Method, Projection, simulate_with};
use mbs_runtime::{Defaults, Layout, Plant, Settings, State, System, Trajectory};
use std::time::Instant;

/// Methods by the names users know them by.
const METHODS: &[&str] = &["mdop5", "dopri5"];

/// A finished run with everything reports need.
struct Run {
    system: Box<dyn System>,
    trajectory: Trajectory,
    settings: Settings,
    method: String,
    compile_ms: f64,
    integrate_ms: f64,
}

pub(crate) fn run(options: &SimulateOptions) -> Result<(), Failure> {
    let begin = Instant::now();
    let mut planned = pipeline::plan(&options.model)?;
    let scenario_end = overrides::apply(&mut planned.model, options)?;
    let simulation = planned.model.simulation.clone();
    let compiled = pipeline::compile_derived(pipeline::derive_planned(planned)?)?;
    let (system, warning) = mbs_jit::system(&compiled.program);
    let compile_ms = begin.elapsed().as_secs_f64() * 1e3;
    if !options.json {
        report::print_diagnostics(&compiled.planned.warnings, &compiled.planned.sources);
        if let Some(warning) = warning {
            report::print_warning(&warning.to_string());
        }
    }

    let layout = system.layout();
    let settings = Settings {
        t_end: options.t_end.or(scenario_end).or(simulation.t_end).unwrap_or(1.0),
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
    check(&settings)?;
    let name = options.method.clone().or(simulation.method).unwrap_or_else(|| "mdop5".to_owned());
    let mut method = method(&name, layout)?;
    let begin = Instant::now();
    let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
    let mut start = State::new(layout);
    start.t = settings.t_start;
    plant.initial(&mut start);
    let trajectory = simulate_with(&mut plant, &mut *method, start, &settings, &mut |_| true)
        .map_err(|error| Failure::new("MBS-C030", error.to_string()).about(&options.model))?;
    drop(plant);
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

fn method(name: &str, layout: &Layout) -> Result<Box<dyn Method>, Failure> {
    match name {
        "mdop5" => Ok(Box::new(Mdop5::new(layout))),
        "dopri5" if layout.n_lambda() == 0 => Ok(Box::new(Mdop5::new(layout))),
        "dopri5" => Err(Failure::new("MBS-C032", "`dopri5` cannot keep constraints")
            .help("this model has closed loops or constraint elements; use `mdop5`")),
        _ => Err(Failure::new("MBS-C033", format!("there is no method `{name}`"))
            .help(format!("methods are {}", METHODS.join(", ")))),
    }
}
