//! `mbs check`: diagnostics and topology.

use crate::arguments::JsonModel;
use crate::evaluate::{Evaluator, State};
use crate::numeric::{Orthogonal, norm};
use crate::pipeline::{self, Compiled};
use crate::report::{self, Failure};
use mbs_symbolic::Options;
use mbs_symbolic::program::{FunctionKind, Layout, Program};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(crate) fn run(options: &JsonModel) -> Result<(), Failure> {
    let compiled = pipeline::compile(&options.model, Options::default())?;
    let assembled = Assembly::of(&compiled.program);
    if options.json {
        return report::print_json(answer(&compiled, &assembled));
    }
    report::print_diagnostics(&compiled.planned.warnings, &compiled.planned.sources);
    report::print(&text(&compiled, &assembled))
}

/// What the constraints do where the mechanism closes.
struct Assembly {
    degrees_of_freedom: usize,
    redundant: Vec<Redundant>,
    /// |g| that is left after assembling.
    gap: f64,
    closes: bool,
}

/// A row that does nothing: it follows from others, or vanishes in every position and
/// has been dropped.
struct Redundant {
    element: String,
    direction: String,
    /// The row, then those it follows from.
    rows: Vec<String>,
    /// Whether it vanishes in every position.
    identically: bool,
}

impl Assembly {
    /// Assembles from the initial values by Newton's method with shortest corrections,
    /// and decides the rank of G there.
    fn of(program: &Program) -> Self {
        const STEPS: usize = 40;
        const CLOSED: f64 = 1e-10;
        let layout = &program.layout;
        let mut evaluator = Evaluator::new(program, &layout.parameter_defaults);
        let mut state = evaluator.initial(0.0);
        let mut gap = norm(&evaluator.one(FunctionKind::Constraints, &state));
        for _ in 0..STEPS {
            if gap <= CLOSED || gap.is_nan() {
                break;
            }
            let trial = correct(&mut evaluator, &state);
            let trial_gap = norm(&evaluator.one(FunctionKind::Constraints, &trial));
            if !trial_gap.is_finite() {
                break;
            }
            (state, gap) = (trial, trial_gap);
        }
        let closes = gap <= 1e-8;
        // Off the manifold small singular values are as large as the gap; where the
        // mechanism closes they are rounding.
        let tolerance = if closes { 1e-7 } else { 1e-4 };
        let jacobian = evaluator.one(FunctionKind::ConstraintJacobian, &state);
        let (rows, n_v) = (layout.rows.len(), layout.velocities.len());
        let orthogonal = Orthogonal::new(&jacobian, rows, n_v, tolerance);
        let vanishing = layout.redundant_rows.iter().map(|row| {
            let (element, direction) = split(&row.name);
            Redundant { element, direction, rows: vec![row.name.clone()], identically: true }
        });
        let dependent = orthogonal.dependent().into_iter().map(|(row, others)| {
            let (element, direction) = split(&layout.rows[row].name);
            let rows = [row].into_iter().chain(others).map(|row| layout.rows[row].name.clone());
            Redundant { element, direction, rows: rows.collect(), identically: false }
        });
        let redundant = vanishing.chain(dependent).collect();
        Self { degrees_of_freedom: n_v - orthogonal.rank, redundant, gap, closes }
    }
}

/// One Newton step on g, moved through p' = T v.
fn correct(evaluator: &mut Evaluator<'_>, state: &State) -> State {
    // Far from the solution nearly dependent rows must not throw the step away.
    const NEARLY_DEPENDENT: f64 = 1e-3;
    let layout = &evaluator.program.layout;
    let (n_p, n_v, rows) = (layout.positions.len(), layout.velocities.len(), layout.rows.len());
    let mut right = evaluator.one(FunctionKind::Constraints, state);
    let jacobian = evaluator.one(FunctionKind::ConstraintJacobian, state);
    // Non-holonomic rows have no position to correct.
    let n_g = right.len();
    let holonomic: Vec<f64> =
        (0..n_v).flat_map(|c| (0..n_g).map(move |r| (r, c))).map(|(r, c)| jacobian[r + rows * c]).collect();
    for value in &mut right {
        *value = -*value;
    }
    let step = Orthogonal::new(&holonomic, n_g, n_v, NEARLY_DEPENDENT).solve(&right);
    let kinematics = evaluator.one(FunctionKind::KinematicMatrix, state);
    let mut next = state.clone();
    for (i, p) in next.p.iter_mut().enumerate() {
        *p += (0..n_v).map(|k| kinematics[i + n_p * k] * step[k]).sum::<f64>();
    }
    for block in &layout.quaternions {
        let part = &mut next.p[block.p as usize..block.p as usize + 4];
        let length = norm(part);
        if length > 0.0 {
            part.iter_mut().for_each(|q| *q /= length);
        }
    }
    next
}

/// `closure.x` → (`closure`, `x`).
fn split(name: &str) -> (String, String) {
    let (element, direction) = name.split_once('.').unwrap_or((name, ""));
    (element.to_owned(), direction.to_owned())
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

fn answer(compiled: &Compiled, assembly: &Assembly) -> Map<String, Value> {
    let redundant = assembly
        .redundant
        .iter()
        .map(|row| json!({"joint": row.element, "direction": row.direction, "rows": row.rows}));
    let cut_joints = compiled
        .planned
        .topology
        .cut_joints
        .iter()
        .map(|&id| compiled.planned.model.joints[id].name.text.clone());
    let mut object = Map::new();
    object.insert("ok".to_owned(), json!(true));
    object.insert("model".to_owned(), json!(compiled.planned.model.name));
    object.insert("dimensions".to_owned(), dimensions(&compiled.program.layout));
    object.insert("degrees_of_freedom".to_owned(), json!(assembly.degrees_of_freedom));
    object.insert("loops".to_owned(), json!(compiled.planned.topology.cut_joints.len()));
    object.insert("cut_joints".to_owned(), cut_joints.collect());
    object.insert("redundant".to_owned(), redundant.collect());
    object.insert("closes".to_owned(), json!(assembly.closes));
    object.insert("gap".to_owned(), json!(assembly.gap));
    object.insert(
        "diagnostics".to_owned(),
        report::diagnostics_json(&compiled.planned.warnings, &compiled.planned.sources),
    );
    object
}

fn text(compiled: &Compiled, assembly: &Assembly) -> String {
    let layout = &compiled.program.layout;
    let model = &compiled.planned.model;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {}",
        model.name,
        if model.description.is_empty() { "ok" } else { &model.description }
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
    let _ = writeln!(out, "  degrees of freedom: {}", assembly.degrees_of_freedom);
    let cuts: Vec<&str> =
        compiled.planned.topology.cut_joints.iter().map(|&id| model.joints[id].name.text.as_str()).collect();
    let cuts = if cuts.is_empty() {
        "none".to_owned()
    } else {
        format!("{}, cut at {}", cuts.len(), cuts.join(", "))
    };
    let _ = writeln!(out, "  loops: {cuts}");
    let (vanishing, dependent): (Vec<&Redundant>, Vec<&Redundant>) =
        assembly.redundant.iter().partition(|row| row.rows.len() == 1);
    for (what, identically) in [("vanish identically", true), ("vanish at this position", false)] {
        let rows = vanishing.iter().filter(|row| row.identically == identically);
        let names: Vec<&str> = rows.flat_map(|row| &row.rows).map(String::as_str).collect();
        if !names.is_empty() {
            let _ = writeln!(out, "  {what}: {}", names.join(", "));
        }
    }
    for row in dependent {
        let _ = writeln!(out, "  redundant: {} follows from {}", row.rows[0], row.rows[1..].join(", "));
    }
    if !assembly.closes {
        let _ = writeln!(
            out,
            "  the loops do not close from the initial values (|g| = {:.1e}); degrees of freedom are those of \
             the position reached",
            assembly.gap
        );
    }
    out
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
