//! What a run says at its end.

use super::events::{self, NamedEvent};
use super::outside::Left;
use super::table::{Evaluator, rate};
use super::{Run, WallTimes, methods};
use crate::mobility;
use crate::start::wrapped;
use mbs_runtime::integrate::{Projection, SingularPose};
use mbs_runtime::{Names, State, Trajectory};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Warnings of one kind that the summary spells out; JSON has them all.
const MAX_WARNINGS: usize = 5;
/// Force elements without a potential that the summary names; JSON has them all.
const MAX_NAMES: usize = 8;

fn named<'n>(names: impl Iterator<Item = &'n str>, values: &[f64]) -> Value {
    Value::Object(names.zip(values).map(|(name, value)| (name.to_owned(), json!(value))).collect())
}

fn all(names: &Names, values: &[f64]) -> Value {
    named(names.iter(), values)
}

fn projection(run: &Run<'_>) -> &'static str {
    match run.settings.projection {
        Projection::None => "none",
        Projection::Velocity => "velocity",
        Projection::Controlled => "controlled",
        Projection::EveryStep => "every-step",
    }
}

fn atol(run: &Run<'_>) -> f64 {
    run.settings.atol.unwrap_or(0.01 * run.settings.rtol)
}

/// Independent motions at the end of the run.
fn degrees_of_freedom(run: &Run<'_>, state: &State) -> usize {
    let layout = run.system.layout();
    let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
    let jacobian = Evaluator::of(run).constraint_jacobian(state);
    n_v - mobility::rank(&jacobian, n_lambda)
}

/// Kinetic plus potential energy at the first and last state, J.
fn energies(run: &Run<'_>) -> Option<[f64; 2]> {
    let states = &run.trajectory.states;
    let evaluator = Evaluator::of(run);
    let total = |state: &State| evaluator.energy(state).iter().sum::<f64>();
    Some([total(states.first()?), total(states.last()?)])
}

/// The JSON answer.
pub(super) fn json(run: &Run<'_>, happened: &[NamedEvent]) -> Map<String, Value> {
    let layout = run.system.layout();
    let Trajectory {
        start, states, recorded, statistics, drift, redundant, singular_poses, stiffness, ..
    } = &run.trajectory;
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("model", json!(layout.model()));
    put("scenario", json!(run.scenario));
    put("method", json!(run.method));
    put("methods", methods::json(run));
    put("stiff", methods::stiffness(*stiffness));
    put("rtol", json!(run.settings.rtol));
    put("atol", json!(atol(run)));
    put("projection", json!(projection(run)));
    put(
        "dimensions",
        json!({
            "n_p": layout.n_p(), "n_v": layout.n_v(), "n_g": layout.n_g, "n_lambda": layout.n_lambda(),
            "n_x": layout.n_x(),
        }),
    );
    put("start", crate::start::json(start, layout));
    if let Some(last) = states.last() {
        let (outputs, reactions) = run.split_outputs(Evaluator::of(run).outputs(last));
        put("degrees_of_freedom", json!(degrees_of_freedom(run, last)));
        put("t", json!(last.t));
        put("positions", all(&layout.positions, &last.p));
        put("velocities", all(&layout.velocities, &last.v));
        put("states", all(&layout.states, &last.x));
        put("outputs", all(&layout.outputs, &outputs));
        if run.tells_reactions {
            put("reactions", named(layout.outputs.iter().skip(run.own_outputs), &reactions));
        }
        put("lambda", all(&layout.rows, &last.lambda));
    }
    put("events", happened.iter().map(NamedEvent::json).collect());
    put("points", json!(recorded));
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
            "jacobians": statistics.jacobians,
            "events": statistics.events,
        }),
    );
    put(
        "drift",
        json!({
            "g": drift.g, "g_max": drift.g_max, "g_dot": drift.g_dot, "g_dot_max": drift.g_dot_max,
            "energy": drift.energy,
        }),
    );
    put("redundant", json!(redundant));
    let pose = |pose: &SingularPose| json!({"t": pose.t, "row": pose.row, "element": pose.element});
    put("singular_poses", singular_poses.iter().map(pose).collect());
    let left = |left: &Left| {
        json!({
            "table": left.ends.table, "t": left.t, "at": left.at, "from": left.ends.from, "to": left.ends.to,
            "farthest": {"t": left.farthest.1, "at": left.farthest.0}, "outside": left.ends.outside.word(),
        })
    };
    put("tables_left", run.left.iter().map(left).collect());
    if let Some([start, end]) = energies(run) {
        let without = &run.without_potential;
        put("energy", json!({"start": start, "end": end, "change": end - start, "without": without}));
    }
    if let Some(accuracy) = &run.accuracy {
        put("accuracy", accuracy.json());
    }
    let WallTimes { compile, native, integrate } = run.wall_ms;
    put("wall_ms", json!({"compile": compile, "native": native, "integrate": integrate}));
    object
}

/// Lines of a table: what, and what about it.
#[derive(Default)]
struct Lines(Vec<(String, String)>);

impl Lines {
    fn put(&mut self, what: &str, about: &str) {
        self.0.push((what.to_owned(), about.to_owned()));
    }
}

/// What the run was, line by line: what, and what about it.
pub(super) fn summary(run: &Run<'_>) -> Vec<(String, String)> {
    let layout = run.system.layout();
    let Trajectory { statistics: counts, drift, .. } = &run.trajectory;
    let settings = &run.settings;
    let constrained = layout.n_lambda() > 0;
    let mut lines = Lines::default();
    lines.put("size", &size(run));
    let method = format!("{}, rtol {}, atol {}", methods::text(run), short(settings.rtol), short(atol(run)));
    let projected = if constrained { format!(", projection {}", projection(run)) } else { String::new() };
    lines.put("method", &(method + &projected));
    lines.put("time", &format!("{} s to {} s", settings.t_start, settings.t_end));
    for (what, about) in crate::start::lines(&run.trajectory.start, layout) {
        lines.put(what, &about);
    }
    lines.put("steps", &format!("{} accepted, {} rejected", counts.steps, counts.rejected));
    let mut evaluations = format!("M {}, f {}", counts.mass_matrix, counts.forces);
    if constrained {
        let (g, jacobian) = (counts.constraints, counts.constraint_jacobian);
        let _ = write!(evaluations, ", g {g}, G {jacobian}, z {}", counts.acceleration_bias);
    }
    lines.put("evaluations", &evaluations);
    lines.put("linear", &format!("{} factorisations, {} solves", counts.factorisations, counts.solves));
    if constrained {
        let iterations = count(counts.projection_iterations as usize, "iteration", "iterations");
        let (positions, velocities) = (counts.position_projections, counts.velocity_projections);
        lines.put("projections", &format!("positions {positions} ({iterations}), velocities {velocities}"));
        let positions = format!("|g|       {:.1e} at the end, {:.1e} at most", drift.g, drift.g_max);
        let rate = format!("|G v + c| {:.1e} at the end, {:.1e} at most", drift.g_dot, drift.g_dot_max);
        lines.put("drift", &format!("{positions}\n{rate}"));
    }
    if let Some([start, end]) = energies(run) {
        let change = end - start;
        let [start, end, change] = [start, end, change].map(short);
        let energy = format!("{start} J at the start, {end} J at the end, change {change} J");
        lines.put("energy", &(energy + &left_out(&run.without_potential)));
    }
    let WallTimes { compile, native, integrate } = run.wall_ms;
    let wall = format!("{compile:.1} ms compiler, {native:.1} ms native code, {integrate:.1} ms integration");
    lines.put("wall time", &wall);
    lines.0
}

/// The force elements whose work the energies leave out.
fn left_out(names: &[String]) -> String {
    let named: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    let Some((first, rest)) = named.split_first() else { return String::new() };
    let named = wrapped(&[&[format!("without the work of {first}")], rest].concat());
    match names.len() {
        n if n > MAX_NAMES => format!("\n{named} and {} more", n - MAX_NAMES),
        _ => format!("\n{named}"),
    }
}

/// What deserves attention, a sentence each.
pub(super) fn warnings(run: &Run<'_>) -> Vec<String> {
    let Trajectory { start, redundant, singular_poses, .. } = &run.trajectory;
    let mut warnings = crate::start::warnings(start, run.system.layout());
    warnings.extend(run.left.iter().map(Left::words));
    if !redundant.is_empty() {
        let rows = redundant.join(", ");
        warnings
            .push(format!("redundant constraints: lambda of {rows} is not unique, the smallest is given"));
    }
    for SingularPose { t, row, element } in singular_poses.iter().take(MAX_WARNINGS) {
        warnings.push(format!(
            "warning: singular pose of `{element}` near t = {t:.6} s ({row} follows from others)"
        ));
    }
    if singular_poses.len() > MAX_WARNINGS {
        warnings.push(format!("warning: {} more singular poses", singular_poses.len() - MAX_WARNINGS));
    }
    warnings.extend(methods::warning(run));
    warnings
}

/// The summary for people.
pub(super) fn text(run: &Run<'_>, happened: &[NamedEvent], all_events: bool) -> String {
    let layout = run.system.layout();
    let states = &run.trajectory.states;
    let scenario = run.scenario.as_ref().map(|name| format!(", scenario {name}")).unwrap_or_default();
    let mut out = format!("{}{scenario}\n", layout.model());
    for (what, about) in summary(run) {
        let about = about.replace('\n', &format!("\n{:15}", ""));
        let _ = writeln!(out, "  {what:<12} {about}");
    }
    for warning in warnings(run) {
        let _ = writeln!(out, "  {warning}");
    }
    if !happened.is_empty() {
        out += "\nevents\n";
        out += &events::text(happened, all_events);
    }
    if let Some(last) = states.last() {
        let _ = writeln!(out, "\nat t = {} s", last.t);
        let (outputs, _) = run.split_outputs(Evaluator::of(run).outputs(last));
        let none = Names::default();
        let mut blocks = motion(run, last);
        blocks.push(values(&layout.states, &none, &last.x));
        blocks.push(values(&layout.outputs, &layout.output_units, &outputs));
        blocks.retain(|block| !block.is_empty());
        out += &blocks.join("\n");
    }
    if let Some(accuracy) = &run.accuracy {
        out += &accuracy.text();
    }
    out
}

/// Dimensions in words.
fn size(run: &Run<'_>) -> String {
    let layout = run.system.layout();
    let mut out = count(layout.n_p(), "position", "positions");
    let _ = write!(out, ", {}", count(layout.n_v(), "velocity", "velocities"));
    if layout.n_x() > 0 {
        let _ = write!(out, ", {}", count(layout.n_x(), "auxiliary state", "auxiliary states"));
    }
    if layout.n_lambda() > 0 {
        let _ = write!(out, ", {}", count(layout.n_lambda(), "constraint", "constraints"));
        let rolling = layout.n_lambda() - layout.n_g;
        if rolling > 0 {
            let _ = write!(out, " ({rolling} of velocities alone)");
        }
    }
    if let Some(last) = run.trajectory.states.last() {
        let freedoms = count(degrees_of_freedom(run, last), "degree", "degrees");
        let _ = write!(out, "; {freedoms} of freedom");
    }
    out
}

/// Positions beside their rates where the two belong together, blocks of their own otherwise.
fn motion(run: &Run<'_>, last: &State) -> Vec<String> {
    let layout = run.system.layout();
    if layout.positions != layout.velocities {
        // A rate may have the name of its coordinate.
        let rates: Vec<String> = layout.velocities.iter().map(|name| rate(layout, name)).collect();
        return vec![
            values(&layout.positions, &layout.position_units, &last.p),
            values(&rates.into(), &layout.velocity_units, &last.v),
        ];
    }
    let width = layout.positions.iter().map(str::len).max().unwrap_or(0);
    let unit_width = layout.position_units.iter().map(str::len).max().unwrap_or(0);
    let mut out = String::new();
    for (index, name) in layout.positions.iter().enumerate() {
        let unit = layout.position_units.get(index).unwrap_or_default();
        let rate_unit = layout.velocity_units.get(index).unwrap_or_default();
        let (p, v) = (aligned(last.p[index]), aligned(last.v[index]));
        let _ = writeln!(out, "  {name:<width$}  {p} {unit:<unit_width$}  {v} {rate_unit}");
    }
    vec![out]
}

/// One line per value.
fn values(names: &Names, units: &Names, values: &[f64]) -> String {
    let width = names.iter().take(values.len()).map(str::len).max().unwrap_or(0);
    let mut out = String::new();
    for (index, (name, &value)) in names.iter().zip(values).enumerate() {
        let unit = units.get(index).filter(|unit| *unit != "1").unwrap_or_default();
        let line = format!("  {name:<width$}  {} {unit}", aligned(value));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Ten digits and an exponent of fixed width, so that columns stand below each other.
fn aligned(value: f64) -> String {
    let text = format!("{value:.9e}");
    match text.split_once('e').and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?))) {
        Some((digits, exponent)) => format!("{digits:>12}e{exponent:+03}"),
        None => format!("{text:>16}"),
    }
}

/// As few digits as six significant ones need.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_or_aligned() {
        assert_eq!(
            [1e-11, 0.01 * 1e-9, 3672.03275, -107.3, 0.0].map(short),
            ["1e-11", "1e-11", "3672.03", "-107.3", "0"]
        );
        assert_eq!(aligned(-1.594601353), "-1.594601353e+00");
        assert_eq!(aligned(2.5e-12), " 2.500000000e-12");
        assert_eq!(aligned(f64::NAN).len(), 16);
    }
}
