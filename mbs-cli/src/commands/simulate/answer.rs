//! What a run says at its end.

use super::Run;
use super::table::Evaluator;
use mbs_runtime::integrate::SingularPose;
use mbs_runtime::{Names, Trajectory};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Warnings of one kind that the summary spells out; JSON has them all.
const MOST_WARNINGS: usize = 5;

fn named(names: &Names, values: &[f64]) -> Value {
    Value::Object(names.iter().zip(values).map(|(name, value)| (name.to_owned(), json!(value))).collect())
}

/// The JSON answer.
pub(super) fn json(run: &Run) -> Map<String, Value> {
    let layout = run.system.layout();
    let Trajectory { states, events, statistics, drift, redundant, singular_poses } = &run.trajectory;
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("model", json!(layout.model()));
    put("method", json!(run.method));
    if let Some(last) = states.last() {
        let outputs = Evaluator::new(run).outputs(last);
        put("t", json!(last.t));
        put("positions", named(&layout.positions, &last.p));
        put("velocities", named(&layout.velocities, &last.v));
        put("states", named(&layout.states, &last.x));
        put("outputs", named(&layout.outputs, &outputs));
        put("lambda", named(&layout.rows, &last.lambda));
    }
    let direction = |rising: bool| if rising { "rising" } else { "falling" };
    let list = events
        .iter()
        .map(|event| json!({"t": event.t, "name": event.name, "direction": direction(event.rising)}));
    put("events", list.collect());
    put(
        "statistics",
        json!({
            "steps": statistics.steps,
            "rejected": statistics.rejected,
            "evaluations": {
                "M": statistics.mass_matrix,
                "f": statistics.forces,
                "g": statistics.constraints,
                "G": statistics.constraint_jacobian,
                "z": statistics.acceleration_bias,
            },
            "factorisations": statistics.factorisations,
            "solves": statistics.solves,
            "projections": statistics.position_projections,
            "projection_iterations": statistics.projection_iterations,
            "velocity_projections": statistics.velocity_projections,
            "events": statistics.events,
        }),
    );
    put("drift", json!({"g": drift.g, "g_max": drift.g_max, "g_dot": drift.g_dot, "energy": drift.energy}));
    put("redundant", json!(redundant));
    let pose = |pose: &SingularPose| json!({"t": pose.t, "row": pose.row, "element": pose.element});
    put("singular_poses", singular_poses.iter().map(pose).collect());
    put("wall_ms", json!({"compile": run.compile_ms, "integrate": run.integrate_ms}));
    object
}

/// The summary for people.
pub(super) fn text(run: &Run) -> String {
    let layout = run.system.layout();
    let Trajectory { states, events, statistics, drift, redundant, singular_poses } = &run.trajectory;
    let mut out = String::new();
    let freedoms = layout.n_v() - layout.n_lambda().min(layout.n_v());
    let _ = writeln!(
        out,
        "{}: {} s with {}, rtol {:e}",
        layout.model(),
        run.settings.t_end,
        run.method,
        run.settings.rtol
    );
    let _ = writeln!(
        out,
        "  {} coordinates, {} constraints, at least {freedoms} degrees of freedom",
        layout.n_p(),
        layout.n_lambda()
    );
    let _ = writeln!(
        out,
        "  {} steps, {} rejected, {} evaluations, {} position projections, {} events",
        statistics.steps,
        statistics.rejected,
        statistics.forces,
        statistics.position_projections,
        statistics.events
    );
    if layout.n_lambda() > 0 {
        let _ = writeln!(
            out,
            "  drift |g| {:.1e} at the end, {:.1e} at most; |G v + c| {:.1e}",
            drift.g, drift.g_max, drift.g_dot
        );
    }
    let _ = writeln!(out, "  energy changed by {:.6e} J", drift.energy);
    let _ = writeln!(out, "  {:.1} ms to compile, {:.1} ms to integrate", run.compile_ms, run.integrate_ms);
    if !redundant.is_empty() {
        let rows = redundant.join(", ");
        let _ =
            writeln!(out, "  redundant constraints: lambda of {rows} is not unique, the smallest is given");
    }
    for SingularPose { t, row, element } in singular_poses.iter().take(MOST_WARNINGS) {
        let _ = writeln!(
            out,
            "  warning: singular pose of `{element}` near t = {t:.6} s ({row} follows from others)"
        );
    }
    if singular_poses.len() > MOST_WARNINGS {
        let _ = writeln!(out, "  warning: {} more singular poses", singular_poses.len() - MOST_WARNINGS);
    }
    if !events.is_empty() {
        let _ = writeln!(out, "\nevents");
        for event in events {
            let direction = if event.rising { "rising" } else { "falling" };
            let _ = writeln!(out, "  {:>12.6} s  {} ({direction})", event.t, event.name);
        }
    }
    if let Some(last) = states.last() {
        let _ = writeln!(out, "\nat t = {} s", last.t);
        let width = layout.positions.iter().chain(layout.outputs.iter()).map(str::len).max().unwrap_or(0);
        for (index, name) in layout.positions.iter().enumerate() {
            let unit = layout.position_units.get(index).unwrap_or_default();
            let _ = writeln!(out, "  {name:<width$}  {:>22.15e} {unit}", last.p[index]);
        }
        let outputs = Evaluator::new(run).outputs(last);
        for (index, name) in layout.outputs.iter().enumerate() {
            let unit = layout.output_units.get(index).unwrap_or_default();
            let _ = writeln!(out, "  {name:<width$}  {:>22.15e} {unit}", outputs[index]);
        }
    }
    out
}
