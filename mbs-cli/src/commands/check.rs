//! `mbs check`: diagnostics, topology and mobility.

use crate::arguments::JsonModel;
use crate::limits;
use crate::mobility::{self, Began, Mobility, Open, Redundant};
use crate::pipeline::{self, Planned};
use crate::report::{self, Failure};
use crate::{start, stopped};
use mbs_runtime::SimulationError;
use mbs_symbolic::diag::Position;
use mbs_symbolic::program::{Layout, Program};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(crate) fn run(options: &JsonModel) -> Result<(), Failure> {
    let (mut planned, program) = pipeline::for_mobility(&options.model, options.numbers.equations())?;
    let mobility = mobility::analyse(&program, &planned.model, &planned.topology);
    limits::judge(&mut planned, &program);
    if options.json {
        report::print_json(answer(&planned, &program, &mobility))?;
    } else {
        report::print_diagnostics(&planned.warnings, &planned.sources);
        report::print(&text(&planned, &program, &mobility))?;
    }
    if is_ok(&mobility) { Ok(()) } else { Err(Failure::Reported { exit_code: 1 }) }
}

/// Whether the mechanism can be assembled and, where its initial values close it, begins to move.
fn is_ok(mobility: &Mobility) -> bool {
    mobility.closes_elsewhere && (!mobility.closes || mobility.began.start.is_ok())
}

/// The object `dimensions` of the JSON answers.
pub(crate) fn dimensions(layout: &Layout) -> Value {
    json!({
        "n_p": layout.positions.len(),
        "n_v": layout.velocities.len(),
        "n_g": layout.n_g,
        "n_lambda": layout.rows.len(),
        "n_x": layout.states.len(),
    })
}

fn answer(planned: &Planned, program: &Program, mobility: &Mobility) -> Map<String, Value> {
    let row = |row: &Redundant| {
        json!({
            "joint": row.element,
            "direction": row.direction,
            "rows": row.rows,
            "identically": row.identically,
        })
    };
    let open = |open: &Open| {
        json!({
            "joint": open.element,
            "distance_m": open.distance_m,
            "angle_rad": open.angle_rad,
            "other": open.other,
        })
    };
    let release = |(joint, advice): &(String, String)| json!({"joint": joint, "advice": advice});
    let cut_joints = planned.topology.cut_joints.iter().map(|&id| planned.model.joints[id].name.text.clone());
    let finite = |value: f64| value.is_finite().then_some(value);
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("ok", json!(is_ok(mobility)));
    put("model", json!(planned.model.name));
    put("dimensions", dimensions(&program.layout));
    put("degrees_of_freedom", json!(mobility.degrees_of_freedom));
    put("degrees_of_freedom_at_start", json!(mobility.at_start));
    put("loops", json!(planned.topology.cut_joints.len()));
    put("cut_joints", cut_joints.collect());
    put("redundant", mobility.redundant.iter().map(row).collect());
    put("singular", mobility.singular.iter().map(row).collect());
    put("release", mobility.releases.iter().map(release).collect());
    put("release_unexamined", json!(mobility.unexamined));
    put("closes", json!(mobility.closes));
    put("gap", json!(mobility.gap));
    put("open", mobility.open.iter().map(open).collect());
    let Began { layout, start, .. } = &mobility.began;
    put("start", start.as_ref().map_or(Value::Null, |start| start::json(start, layout)));
    let refused = |error: &SimulationError| {
        let place = stopped::placed(error, &planned.model).map(|found| found.span);
        let position = place.map(|span| planned.sources.position(span));
        json!({
            "code": error.code(), "message": error.message(), "help": error.remedy(),
            "file": place.map(|span| planned.sources.name(span.file)),
            "line": position.map(|at| at.line), "column": position.map(|at| at.column),
        })
    };
    put("refused", start.as_ref().map_or_else(refused, |_| Value::Null));
    put(
        "rank",
        json!({
            "rank": mobility.rank.rank,
            "smallest_kept": finite(mobility.rank.smallest_kept),
            "largest_dropped": mobility.rank.largest_dropped,
            "assemblies": mobility.assemblies,
        }),
    );
    put("diagnostics", report::diagnostics_json(&planned.warnings, &planned.sources));
    object
}

fn text(planned: &Planned, program: &Program, mobility: &Mobility) -> String {
    let layout = &program.layout;
    let model = &planned.model;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {}",
        model.name,
        match model.description.as_str() {
            "" if is_ok(mobility) => "ok",
            "" => "not ok",
            description => description,
        }
    );
    let _ = writeln!(
        out,
        "  {}, {}, {}, {}",
        plural(model.bodies.len() - 1, "body", "bodies"),
        plural(model.joints.len(), "joint", "joints"),
        plural(model.constraints.len(), "constraint element", "constraint elements"),
        plural(model.forces.len(), "force element", "force elements"),
    );
    let _ = writeln!(
        out,
        "  n_p = {}, n_v = {}, n_g = {}, n_lambda = {}, n_x = {}",
        layout.positions.len(),
        layout.velocities.len(),
        layout.n_g,
        layout.rows.len(),
        layout.states.len()
    );
    let where_from = match (mobility.closes, mobility.closes_elsewhere) {
        (true, _) => "",
        (false, true) => ", in other poses than the initial one",
        (false, false) => ", in the pose that comes nearest to closing",
    };
    let _ = writeln!(out, "  degrees of freedom: {}{where_from}", mobility.degrees_of_freedom);
    let cuts: Vec<&str> =
        planned.topology.cut_joints.iter().map(|&id| model.joints[id].name.text.as_str()).collect();
    let cuts = match cuts.as_slice() {
        [] => "none".to_owned(),
        _ if cuts.len() <= MAX_LINES => format!("{}, cut at {}", cuts.len(), cuts.join(", ")),
        _ => {
            let (first, more) = (cuts[..MAX_LINES].join(", "), cuts.len() - MAX_LINES);
            format!("{}, cut at {first} and {more} more", cuts.len())
        }
    };
    let _ = writeln!(out, "  loops: {cuts}");
    redundant(&mut out, mobility);
    singular(&mut out, mobility);
    open(&mut out, mobility);
    begin(&mut out, planned, mobility);
    out
}

/// What becomes of the initial values.
fn begin(out: &mut String, planned: &Planned, mobility: &Mobility) {
    let Began { layout, start, .. } = &mobility.began;
    match start {
        Ok(start) => {
            let lines = start::lines(start, layout);
            if !lines.is_empty() {
                let _ = writeln!(out, "\n  start:");
            }
            for (what, about) in lines {
                let about = about.replace('\n', &format!("\n{:15}", ""));
                let _ = writeln!(out, "    {what:<10} {about}");
            }
            for warning in start::warnings(start, layout) {
                let _ = writeln!(out, "    {warning}");
            }
        }
        Err(error) => {
            let _ = writeln!(out, "\n  a run is refused: {}", error.message());
            if let Some(found) = stopped::placed(error, &planned.model) {
                let Position { line, column } = planned.sources.position(found.span);
                let _ = writeln!(out, "    at {}:{line}:{column}", planned.sources.name(found.span.file));
            }
            if let Some(remedy) = error.remedy() {
                let _ = writeln!(out, "    {remedy}");
            }
        }
    }
}

/// More lines than this of one kind are not written.
const MAX_LINES: usize = 8;

fn redundant(out: &mut String, mobility: &Mobility) {
    if mobility.redundant.is_empty() {
        return;
    }
    let rows = plural(mobility.redundant.len(), "constraint row does", "constraint rows do");
    let _ = writeln!(out, "\n  redundant: {rows} nothing in any pose; reactions there are not unique");
    lines(out, &rows_in_words(&mobility.redundant));
    let releases = mobility.releases.iter().map(|(joint, advice)| format!("to release `{joint}`: {advice}"));
    lines(out, &releases.collect::<Vec<_>>());
    if mobility.unexamined > 0 {
        let joints = plural(mobility.unexamined, "more joint was", "more joints were");
        let _ = writeln!(out, "    {joints} not examined for this, because the model is large");
    }
}

fn singular(out: &mut String, mobility: &Mobility) {
    if mobility.singular.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n  the start is a singular pose: {} there, {} elsewhere",
        plural(mobility.at_start, "degree of freedom", "degrees of freedom"),
        mobility.degrees_of_freedom
    );
    lines(out, &rows_in_words(&mobility.singular));
}

/// One line per row; rows of one joint that vanish in every pose share a line.
fn rows_in_words(list: &[Redundant]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for of_joint in list.chunk_by(|a, b| a.identically && b.identically && a.element == b.element) {
        let Redundant { element, direction, rows, identically } = &of_joint[0];
        lines.push(if *identically {
            let directions: Vec<&str> = of_joint.iter().map(|row| row.direction.as_str()).collect();
            format!("{} of `{element}`: zero in every pose, left out", directions.join(", "))
        } else if rows.len() == 1 {
            format!("{direction} of `{element}`: no motion changes {}", rows[0])
        } else {
            format!("{direction} of `{element}`: {} follows from {}", rows[0], rows[1..].join(", "))
        });
    }
    lines
}

fn lines(out: &mut String, list: &[String]) {
    for line in list.iter().take(MAX_LINES) {
        let _ = writeln!(out, "    {line}");
    }
    if list.len() > MAX_LINES {
        let _ = writeln!(out, "    … and {} more", list.len() - MAX_LINES);
    }
}

fn open(out: &mut String, mobility: &Mobility) {
    if mobility.closes {
        return;
    }
    let _ = writeln!(out, "\n  the loops do not close from the initial values:");
    for Open { element, distance_m, angle_rad, other } in &mobility.open {
        let parts = [(distance_m, " m"), (angle_rad, " rad"), (other, "")];
        let parts = parts.iter().filter(|(value, _)| **value > 0.0);
        let parts: Vec<String> = parts.map(|(value, unit)| format!("{value:.3e}{unit}")).collect();
        let _ = writeln!(out, "    `{element}` stays open by {}", parts.join(" and "));
    }
    let _ = if mobility.closes_elsewhere {
        writeln!(out, "  other poses close: give initial positions nearer to one the mechanism can have")
    } else {
        writeln!(out, "  no pose was found that closes: check lengths, frames and axes of these joints")
    };
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
