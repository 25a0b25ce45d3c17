//! `mbs eval`: all quantities at one state, made consistent as runs begin unless told otherwise.

mod close;
mod state;

use crate::arguments::EvalOptions;
use crate::evaluate::{Evaluator, State};
use crate::limits;
use crate::pipeline::{self, Planned};
use crate::report::{self, Failure};
use mbs_runtime::linalg::{self, Accelerations, Saddle, Singular};
use mbs_symbolic::diag::{Problem, Sources};
use mbs_symbolic::program::{FunctionKind, Layout};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(crate) fn run(options: &EvalOptions) -> Result<(), Failure> {
    let wanted = options.frames.with_frames(options.numbers.equations());
    let compiled = pipeline::compile(&options.model, wanted)?;
    let layout = &compiled.program.layout;
    let given = state::read(options.state.as_deref(), layout)?;
    let mut evaluator = Evaluator::new(&compiled.program, &given.theta);
    let mut state = evaluator.initial(given.t);
    given.apply(&mut state);
    decide_modes(&mut evaluator, &mut state)?;
    oriented(layout, &state)?;
    let closed = match options.raw {
        true => None,
        false => Some(close::close(&compiled, &given, &mut state, &options.model)?),
    };
    decide_modes(&mut evaluator, &mut state)?;
    let values = Values::at(&mut evaluator, &mut state)?;
    let undefined = values.undefined(layout, &state);
    let is_ok = undefined.is_empty() && values.undetermined.is_none();
    if options.json {
        let mut answer = values.answer(layout, &state);
        answer.insert("start".to_owned(), closed.map_or(Value::Null, |closed| closed.json));
        answer.insert("ok".to_owned(), json!(is_ok));
        answer.insert("undefined".to_owned(), json!(undefined));
        report::print_json(answer)?;
    } else {
        let Planned { model, warnings, sources, .. } = &compiled.planned;
        report::print_warnings(&limits::judged(warnings, model, &layout.positions, &state.p), sources);
        let closed = closed.map_or_else(String::new, |closed| closed.text);
        report::print(&values.text(layout, &state, &compiled.planned.sources, &closed, &undefined))?;
    }
    if is_ok { Ok(()) } else { Err(Failure::Reported { exit_code: UNDEFINED }) }
}

fn decide_modes(evaluator: &mut Evaluator<'_>, state: &mut State) -> Result<(), Failure> {
    evaluator
        .decide_modes(state)
        .map_err(|names| Failure::new("MBS-C012", format!("modes do not come to rest: {}", names.join(", "))))
}

/// A value is not a finite number, or not determined.
const UNDEFINED: u8 = 1;

/// Rows of a frame's Jacobian.
const FRAME_ROWS: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "wz"];

/// Refuses quaternions that belong to no orientation.
fn oriented(layout: &Layout, state: &State) -> Result<(), Failure> {
    let zero = layout.quaternions.iter().find(|block| {
        let first = block.p as usize;
        state.p[first..first + 4].iter().all(|q| *q == 0.0)
    });
    let Some(block) = zero else { return Ok(()) };
    let problem = Problem::ZeroQuaternion { joint: block.joint.clone() };
    let failure = Failure::new("MBS-P041", problem.to_string());
    Err(match problem.help() {
        Some(help) => failure.help(help),
        None => failure,
    })
}

/// Everything there is to say about one state.
struct Values {
    p_dot: Vec<f64>,
    mass_matrix: Vec<f64>,
    forces: Vec<f64>,
    constraints: Vec<f64>,
    jacobian: Vec<f64>,
    velocity_bias: Vec<f64>,
    acceleration_bias: Vec<f64>,
    auxiliary: Vec<f64>,
    outputs: Vec<f64>,
    energy: Vec<f64>,
    /// Why there are no accelerations and multipliers, if there are none.
    undetermined: Option<String>,
    /// Six rows for each frame asked for, frame by frame.
    frame_jacobians: Vec<f64>,
}

impl Values {
    /// Evaluates all functions and solves for v' and λ, which `state` receives.
    fn at(evaluator: &mut Evaluator<'_>, state: &mut State) -> Result<Self, Failure> {
        let mass_matrix = evaluator.one(FunctionKind::MassMatrix, state);
        let forces = evaluator.one(FunctionKind::Forces, state);
        let jacobian = evaluator.one(FunctionKind::ConstraintJacobian, state);
        let acceleration_bias = evaluator.one(FunctionKind::AccelerationBias, state);
        let layout = &evaluator.program.layout;
        let solved = solve(&mass_matrix, &forces, &jacobian, &acceleration_bias, state);
        let undetermined = solved.err().map(|singular| undetermined(layout, singular));
        if undetermined.is_some() {
            // What is computed from them is marked, too.
            state.v_dot.fill(f64::NAN);
            state.lambda.fill(f64::NAN);
        }
        Ok(Self {
            undetermined,
            p_dot: evaluator.one(FunctionKind::Kinematics, state),
            constraints: evaluator.one(FunctionKind::Constraints, state),
            velocity_bias: evaluator.one(FunctionKind::VelocityBias, state),
            auxiliary: evaluator.one(FunctionKind::Auxiliary, state),
            outputs: evaluator.one(FunctionKind::Outputs, state),
            energy: evaluator.one(FunctionKind::Energy, state),
            frame_jacobians: evaluator.run(FunctionKind::FrameJacobian, state).concat(),
            mass_matrix,
            forces,
            jacobian,
            acceleration_bias,
        })
    }

    fn answer(&self, layout: &Layout, state: &State) -> Map<String, Value> {
        let (n_v, n_lambda) = (layout.velocities.len(), layout.rows.len());
        let named = |names: &[String], values: &[f64]| -> Value {
            names.iter().cloned().zip(values.iter().map(|value| json!(value))).collect::<Map<_, _>>().into()
        };
        let rows: Vec<String> = layout.rows.iter().map(|row| row.name.clone()).collect();
        let modes: Map<String, Value> = layout
            .modes
            .iter()
            .map(|mode| mode.name.clone())
            .zip(state.modes.iter().map(|m| json!(m)))
            .collect();
        let entries = [
            ("model", json!(layout.model)),
            ("t", json!(state.t)),
            ("positions", json!(layout.positions)),
            ("velocities", json!(layout.velocities)),
            ("rows", json!(rows)),
            ("p", json!(state.p)),
            ("v", json!(state.v)),
            ("states", named(&layout.states, &state.x)),
            ("modes", Value::Object(modes)),
            ("p_dot", json!(self.p_dot)),
            ("M", matrix_json(&self.mass_matrix, n_v, n_v)),
            ("f", json!(self.forces)),
            ("g", json!(self.constraints)),
            ("G", matrix_json(&self.jacobian, n_lambda, n_v)),
            ("c", json!(self.velocity_bias)),
            ("z", json!(self.acceleration_bias)),
            ("x_dot", named(&layout.states, &self.auxiliary)),
            ("v_dot", json!(state.v_dot)),
            ("lambda", json!(state.lambda)),
            (
                "undetermined",
                self.undetermined.as_ref().map_or(
                    Value::Null,
                    |why| json!({"code": "MBS-C011", "message": why, "help": GIVE_INERTIA}),
                ),
            ),
            ("outputs", named(&layout.outputs, &self.outputs)),
            ("energy", json!({"kinetic": self.energy.first(), "potential": self.energy.get(1)})),
        ];
        let mut answer: Map<_, _> = entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        if !layout.frames.is_empty() {
            let matrices =
                self.frames(layout).map(|(name, values)| (name.clone(), matrix_json(values, 6, n_v)));
            answer.insert("frame_jacobians".to_owned(), matrices.collect::<Map<_, _>>().into());
        }
        answer
    }

    /// The frames asked for, each with its Jacobian.
    fn frames<'v>(&'v self, layout: &'v Layout) -> impl Iterator<Item = (&'v String, &'v [f64])> {
        let length = 6 * layout.velocities.len();
        layout
            .frames
            .iter()
            .enumerate()
            .map(move |(k, name)| (name, &self.frame_jacobians[k * length..][..length]))
    }

    /// The entries that are not finite numbers, by name.
    fn undefined(&self, layout: &Layout, state: &State) -> Vec<String> {
        let rows: Vec<String> = layout.rows.iter().map(|row| row.name.clone()).collect();
        let energy = ["kinetic", "potential"].map(str::to_owned);
        let mut found = Vec::new();
        // Said once, with the reason.
        let is_solved = self.undetermined.is_none();
        let solved = |names| if is_solved { names } else { &[][..] };
        for (title, names, values) in [
            ("p'", &layout.positions[..], &self.p_dot),
            ("f", &layout.velocities, &self.forces),
            ("g", &rows, &self.constraints),
            ("c", &rows, &self.velocity_bias),
            ("z", &rows, &self.acceleration_bias),
            ("x'", &layout.states, &self.auxiliary),
            ("v'", solved(&layout.velocities), &state.v_dot),
            ("lambda", solved(&rows), &state.lambda),
            ("output", &layout.outputs, &self.outputs),
            ("energy", &energy, &self.energy),
        ] {
            let entries = names.iter().zip(values).filter(|(_, value)| !value.is_finite());
            found.extend(entries.map(|(name, _)| format!("{title}[{name}]")));
        }
        let n_v = layout.velocities.len();
        for (title, down, values) in
            [("M", &layout.velocities, &self.mass_matrix), ("G", &rows, &self.jacobian)]
        {
            for (index, _) in values.iter().enumerate().filter(|(_, value)| !value.is_finite()) {
                let (row, column) = (index % down.len(), index / down.len());
                found.push(format!("{title}[{}, {}]", down[row], layout.velocities[column.min(n_v - 1)]));
            }
        }
        for (name, values) in self.frames(layout) {
            for (index, _) in values.iter().enumerate().filter(|(_, value)| !value.is_finite()) {
                found.push(format!("J {name}[{}, {}]", FRAME_ROWS[index % 6], layout.velocities[index / 6]));
            }
        }
        found
    }

    fn text(
        &self,
        layout: &Layout,
        state: &State,
        sources: &Sources,
        closed: &str,
        undefined: &[String],
    ) -> String {
        let rows: Vec<String> = layout.rows.iter().map(|row| row.name.clone()).collect();
        let mut out = format!("{} at t = {}\n{closed}", layout.model, number(state.t));
        let holonomic = &rows[..layout.n_g.min(rows.len())];
        vector(&mut out, "p", &layout.positions, &state.p);
        vector(&mut out, "v", &layout.velocities, &state.v);
        vector(&mut out, "x", &layout.states, &state.x);
        modes(&mut out, layout, state, sources);
        vector(&mut out, "p'", &layout.positions, &self.p_dot);
        matrix(&mut out, "M", &self.mass_matrix, [&layout.velocities, &layout.velocities]);
        vector(&mut out, "f", &layout.velocities, &self.forces);
        vector(&mut out, "g", holonomic, &self.constraints);
        matrix(&mut out, "G", &self.jacobian, [&rows, &layout.velocities]);
        vector(&mut out, "c", &rows, &self.velocity_bias);
        vector(&mut out, "z", &rows, &self.acceleration_bias);
        vector(&mut out, "x'", &layout.states, &self.auxiliary);
        match &self.undetermined {
            None => {
                vector(&mut out, "v'", &layout.velocities, &state.v_dot);
                vector(&mut out, "lambda", &rows, &state.lambda);
            }
            Some(why) => {
                let _ =
                    writeln!(out, "\nv' and lambda are not determined (MBS-C011): {why}\n  {GIVE_INERTIA}");
            }
        }
        vector(&mut out, "outputs", &layout.outputs, &self.outputs);
        vector(&mut out, "energy", &["kinetic".to_owned(), "potential".to_owned()], &self.energy);
        let directions = FRAME_ROWS.map(str::to_owned);
        for (name, values) in self.frames(layout) {
            let title = format!("J {name}: {} by v", FRAME_ROWS.join(", "));
            matrix(&mut out, &title, values, [&directions, &layout.velocities]);
        }
        if !undefined.is_empty() {
            let _ = writeln!(out, "\nnot defined at this state: {}", undefined.join(", "));
        }
        out
    }
}

/// What to do about accelerations that are not determined.
const GIVE_INERTIA: &str = "every coordinate needs inertia: give the bodies it moves a mass or an inertia";

/// Why M v' = f − Gᵀλ, 0 = G v' + z have no one solution.
fn undetermined(layout: &Layout, singular: Singular) -> String {
    match singular.velocity {
        Some(index) => {
            format!("the mass matrix is singular: `{}` moves no inertia", layout.velocities[index])
        }
        None => "the mass matrix is singular".to_owned(),
    }
}

/// Solves M v' = f − Gᵀλ, 0 = G v' + z; the velocity that neither inertia nor a constraint
/// holds if there is one.
fn solve(
    mass: &[f64],
    forces: &[f64],
    jacobian: &[f64],
    bias: &[f64],
    state: &mut State,
) -> Result<(), Singular> {
    let system =
        Accelerations { mass_matrix: mass, forces, constraint_jacobian: jacobian, acceleration_bias: bias };
    let mut workspace = vec![0.0; linalg::workspace_len(state.v_dot.len(), state.lambda.len())];
    if linalg::accelerations(&system, &mut workspace, &mut state.v_dot, &mut state.lambda).is_ok() {
        return Ok(());
    }
    // A motion without inertia may still be held by the constraints.
    let (n_v, n_lambda) = (state.v_dot.len(), state.lambda.len());
    let mut saddle = Saddle::new(n_v, n_lambda);
    saddle.factor(mass, jacobian, n_lambda)?;
    let mut right: Vec<f64> = forces.iter().copied().chain(bias.iter().map(|z| -z)).collect();
    saddle.solve(&mut right);
    state.v_dot.copy_from_slice(&right[..n_v]);
    state.lambda.copy_from_slice(&right[n_v..]);
    Ok(())
}

fn matrix_json(values: &[f64], rows: usize, columns: usize) -> Value {
    (0..rows).map(|r| (0..columns).map(|c| json!(values[r + rows * c])).collect::<Value>()).collect()
}

/// Six digits, as much as one reads.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        format!("{value} !")
    } else if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&magnitude) {
        let digits = 5 - (magnitude.log10().floor() as i32).min(5);
        let text = format!("{value:.*}", digits.unsigned_abs() as usize);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.5e}")
    }
}

fn vector(out: &mut String, title: &str, names: &[String], values: &[f64]) {
    if names.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, value) in names.iter().zip(values) {
        let _ = writeln!(out, "  {name:<width$}  {:>13}", number(*value));
    }
}

/// The entries that are not zero, row by row; of M those up to the diagonal.
fn entries(out: &mut String, title: &str, values: &[f64], [down, across]: [&[String]; 2]) {
    let is_symmetric = title == "M";
    let mut list: Vec<(String, f64)> = Vec::new();
    for (i, row) in down.iter().enumerate() {
        for (j, column) in across.iter().enumerate().take(if is_symmetric { i + 1 } else { across.len() }) {
            let value = values[i + down.len() * j];
            if value != 0.0 {
                list.push((format!("[{row}, {column}]"), value));
            }
        }
    }
    let symmetric = if is_symmetric { " symmetric;" } else { "" };
    let _ = writeln!(out, "\n{title},{symmetric} entries not listed are zero");
    let width = list.iter().take(MAX_ENTRIES).map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, value) in list.iter().take(MAX_ENTRIES) {
        let _ = writeln!(out, "  {name:<width$}  {:>13}", number(*value));
    }
    if list.len() > MAX_ENTRIES {
        let _ = writeln!(out, "  … and {} more: `--json` has them all", list.len() - MAX_ENTRIES);
    }
}

/// The modes with what each decides, where that is written in the model.
fn modes(out: &mut String, layout: &Layout, state: &State, sources: &Sources) {
    if layout.modes.is_empty() {
        return;
    }
    out.push_str("\nmodes\n");
    let width = layout.modes.iter().map(|mode| mode.name.chars().count()).max().unwrap_or(0);
    for (mode, holds) in layout.modes.iter().zip(&state.modes) {
        let holds = if *holds { "holds" } else { "does not hold" };
        let condition = mode.condition(sources);
        let line = format!("  {:<width$}  {holds:<13}  {condition}", mode.name);
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Columns of a matrix that fit a terminal.
const MAX_COLUMNS: usize = 6;
/// Entries of a wider one that are listed; JSON has them all.
const MAX_ENTRIES: usize = 60;

/// A matrix column by column, as a square of numbers, or by its entries where that is too wide.
fn matrix(out: &mut String, title: &str, values: &[f64], [down, across]: [&[String]; 2]) {
    let (rows, columns) = (down.len(), across.len());
    if rows == 0 {
        return;
    }
    if columns > MAX_COLUMNS {
        entries(out, title, values, [down, across]);
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for row in 0..rows {
        out.push(' ');
        for column in 0..columns {
            let _ = write!(out, " {:>12}", number(values[row + rows * column]));
        }
        out.push('\n');
    }
}
