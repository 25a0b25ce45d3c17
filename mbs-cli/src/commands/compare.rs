//! `mbs compare`: integrators and projections on one run, as table 1 of Simeon's paper.

use super::simulate::{CompiledVariant, integrate, methods, needs_jacobian, ready};
use crate::arguments::CompareOptions;
use crate::report::{self, Failure};
use mbs_runtime::integrate::{DEFAULT_METHOD, METHODS, Projection, Stiffness};
use mbs_runtime::{Layout, Settings, System, Trajectory};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// One line of the table.
struct Line {
    method: String,
    projection: &'static str,
    outcome: Result<Outcome, String>,
}

struct Outcome {
    trajectory: Trajectory,
    /// Largest distance of a final position from the reference, over the largest position.
    error: f64,
    ms: f64,
}

pub(crate) fn run(options: &CompareOptions) -> Result<(), Failure> {
    let methods: Vec<String> = if options.methods.is_empty() {
        METHODS
            .iter()
            .filter(|&&name| !["auto", "dopri5"].contains(&name))
            .map(|&name| name.to_owned())
            .collect()
    } else {
        options.methods.clone()
    };
    let jacobian = methods.iter().any(|method| needs_jacobian(method));
    let CompiledVariant { system, simulation, .. } = ready(&options.variant, options.json, |_| jacobian)?;
    let settings = Settings {
        t_end: options.t_end.or(simulation.t_end).unwrap_or(1.0),
        rtol: options.rtol.or(simulation.rtol).unwrap_or(1e-4),
        // Ends are compared, and nothing on the way.
        max_points: 2,
        ..Settings::default()
    };
    let model = &options.variant.model;
    let lines = lines(&*system, &settings, &methods, model)?;
    if options.json {
        report::print_json(answer(system.layout().model(), &settings, &lines))
    } else {
        report::print(&text(system.layout(), &settings, &lines))
    }
}

fn lines(
    system: &dyn System,
    settings: &Settings,
    methods: &[String],
    model: &Path,
) -> Result<Vec<Line>, Failure> {
    let constrained = system.layout().n_lambda() > 0;
    let reference = Settings {
        rtol: (1e-4 * settings.rtol).max(1e-12),
        projection: Projection::EveryStep,
        ..settings.clone()
    };
    let reference = integrate(system, DEFAULT_METHOD, &reference, model, &mut |_| true)?;
    let projections: &[(&str, Projection)] = if constrained {
        &[
            ("none", Projection::None),
            ("velocity", Projection::Velocity),
            ("controlled", Projection::Controlled),
            ("every-step", Projection::EveryStep),
        ]
    } else {
        &[("none", Projection::None)]
    };
    let mut lines = Vec::new();
    for method in methods {
        for &(name, projection) in projections {
            let begin = Instant::now();
            let settings = Settings { projection, ..settings.clone() };
            let outcome = match integrate(system, method, &settings, model, &mut |_| true) {
                Ok(trajectory) => {
                    let ms = begin.elapsed().as_secs_f64() * 1e3;
                    Ok(Outcome { error: distance(&trajectory, &reference), trajectory, ms })
                }
                // A run may fail where another succeeds; a wrong name fails everywhere.
                Err(Failure::Problem(problem)) if problem.code.starts_with("MBS-R") => Err(problem.message),
                Err(failure) => return Err(failure),
            };
            lines.push(Line { method: method.clone(), projection: name, outcome });
        }
    }
    Ok(lines)
}

fn distance(trajectory: &Trajectory, reference: &Trajectory) -> f64 {
    let (Some(end), Some(exact)) = (trajectory.states.last(), reference.states.last()) else {
        return f64::NAN;
    };
    let off = end.p.iter().zip(&exact.p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let size = exact.p.iter().map(|p| p.abs()).fold(0.0, f64::max);
    off / size.max(f64::MIN_POSITIVE)
}

fn answer(model: &str, settings: &Settings, lines: &[Line]) -> Map<String, Value> {
    let rows = lines.iter().map(|line| match &line.outcome {
        Ok(Outcome { trajectory, error, ms }) => {
            let (counts, drift) = (&trajectory.statistics, &trajectory.drift);
            json!({
                "method": line.method, "projection": line.projection,
                "steps": counts.steps, "rejected": counts.rejected,
                "evaluations": {"M": counts.mass_matrix, "f": counts.forces, "G": counts.constraint_jacobian,
                                "z": counts.acceleration_bias},
                "factorisations": counts.factorisations, "projections": counts.position_projections,
                "drift": {"g": drift.g, "g_max": drift.g_max, "g_dot": drift.g_dot},
                "error": error, "wall_ms": ms, "stiff": methods::stiffness(trajectory.stiffness),
            })
        }
        Err(message) => json!({"method": line.method, "projection": line.projection, "failure": message}),
    });
    let mut object = Map::new();
    object.insert("model".to_owned(), json!(model));
    object.insert("t_end".to_owned(), json!(settings.t_end));
    object.insert("rtol".to_owned(), json!(settings.rtol));
    object.insert("runs".to_owned(), rows.collect());
    object
}

fn text(layout: &Layout, settings: &Settings, lines: &[Line]) -> String {
    let constrained = layout.n_lambda() > 0;
    let mut out = String::new();
    let _ = writeln!(out, "{}: {} s at rtol {:e}\n", layout.model(), settings.t_end, settings.rtol);
    let _ = write!(out, "  {:<8} ", "method");
    if constrained {
        let _ = write!(out, "{:<11} ", "projection");
    }
    let _ = write!(out, "{:>6} {:>6} {:>7} {:>7}", "steps", "rej.", "f", "fact.");
    // Without constraints nothing drifts and nothing is projected.
    if constrained {
        let _ = write!(out, " {:>6} {:>9} {:>9} {:>9}", "proj.", "|g|", "|g| max", "|Gv+c|");
    }
    let _ = writeln!(out, " {:>9} {:>8}", "error p", "ms");
    for line in lines {
        let _ = write!(out, "  {:<8}", line.method);
        if constrained {
            let _ = write!(out, " {:<11}", line.projection);
        }
        let (trajectory, error, ms) = match &line.outcome {
            Ok(Outcome { trajectory, error, ms }) => (trajectory, error, ms),
            Err(message) => {
                let _ = writeln!(out, " {message}");
                continue;
            }
        };
        let (counts, drift) = (&trajectory.statistics, &trajectory.drift);
        let (steps, rejected) = (counts.steps, counts.rejected);
        let _ = write!(out, " {steps:>6} {rejected:>6} {:>7} {:>7}", counts.forces, counts.factorisations);
        if constrained {
            let _ = write!(
                out,
                " {:>6} {:>9.1e} {:>9.1e} {:>9.1e}",
                counts.position_projections, drift.g, drift.g_max, drift.g_dot
            );
        }
        let _ = write!(out, " {error:>9.1e} {ms:>8.2}");
        if let Some(Stiffness { t, .. }) = trajectory.stiffness {
            let _ = write!(out, "  stiff from t = {t:.3e} s on");
        }
        out.push('\n');
    }
    out
}
