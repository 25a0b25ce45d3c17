//! Dimensions, names, tables and the layout.

use super::spell::literal;
use crate::emit::Writer;
use crate::ids::Id;
use crate::program::{FunctionKind, Program, Quantity};

pub(super) fn emit(out: &mut Writer, program: &Program) {
    let layout = &program.layout;
    out.line("/// The model's name.");
    out.line(format!("pub const MODEL: &str = {:?};", layout.model));
    out.blank();
    let dimensions = [
        ("N_P", "positions p", layout.positions.len()),
        ("N_V", "velocities v", layout.velocities.len()),
        ("N_X", "auxiliary states x", layout.states.len()),
        ("N_U", "input slots u", layout.inputs.len()),
        ("N_G", "holonomic constraint rows g", layout.n_g),
        ("N_LAMBDA", "constraint rows and multipliers λ", layout.rows.len()),
        ("N_MODES", "conditionals frozen within a step", layout.modes.len()),
        ("N_OUTPUTS", "outputs", layout.outputs.len()),
        ("N_BODIES", "bodies", layout.bodies.len()),
        ("N_THETA", "given parameters θ", layout.parameters.len()),
        ("N_DERIVED", "derived parameters", layout.derived.len()),
        ("N_PREPARED", "prepared values, θ first", program.n_prepared()),
    ];
    for (name, meaning, value) in dimensions {
        out.line(format!("/// Number of {meaning}."));
        out.line(format!("pub const {name}: usize = {value};"));
    }
    if program.has(FunctionKind::ClosureCosines) {
        out.line("/// Number of joints that close loops and hold an orientation.");
        out.line(format!("pub const N_CLOSURES: usize = {};", layout.closures.len()));
    }
    if program.has(FunctionKind::Jacobian) {
        out.line("/// Rows of the Jacobian.");
        out.line("pub const JACOBIAN_ROWS: usize = N_V + N_G + N_LAMBDA + N_X;");
        out.line("/// Columns of the Jacobian.");
        out.line("pub const JACOBIAN_COLUMNS: usize = N_P + N_V + N_X + N_U;");
    }
    if program.has(FunctionKind::FrameJacobian) {
        frames(out, &layout.frames);
    }
    out.blank();
    let inputs: Vec<String> = layout.inputs.iter().map(|slot| slot.name.clone()).collect();
    let rows: Vec<String> = layout.rows.iter().map(|row| row.name.clone()).collect();
    let modes: Vec<String> = layout.modes.iter().map(|mode| mode.name.clone()).collect();
    let names: [(&str, &str, &str, &[String]); 10] = [
        ("POSITION_NAMES", "N_P", "Names of p", &layout.positions),
        ("VELOCITY_NAMES", "N_V", "Names of v", &layout.velocities),
        ("STATE_NAMES", "N_X", "Names of x", &layout.states),
        ("INPUT_NAMES", "N_U", "Name of the input of each slot of u", &inputs),
        ("ROW_NAMES", "N_LAMBDA", "Names of the constraint rows and of λ", &rows),
        ("MODE_NAMES", "N_MODES", "Names of the modes", &modes),
        ("OUTPUT_NAMES", "N_OUTPUTS", "Names of the outputs", &layout.outputs),
        ("BODY_NAMES", "N_BODIES", "Names of the bodies", &layout.bodies),
        ("PARAMETER_NAMES", "N_THETA", "Names of θ", &layout.parameters),
        ("DERIVED_NAMES", "N_DERIVED", "Names of the derived parameters", &layout.derived),
    ];
    for (name, length, doc, items) in names {
        out.line(format!("/// {doc}."));
        out.list(&format!("pub const {name}: [&str; {length}] = ["), &quoted(items), "];");
    }
    out.line("/// Defaults of θ, SI.");
    let defaults: Vec<String> = layout.parameter_defaults.iter().map(|&value| literal(value)).collect();
    out.list("pub const PARAMETER_DEFAULTS: [f64; N_THETA] = [", &defaults, "];");
    out.blank();
    tables(out, program);
    layout_static(out, program);
}

fn frames(out: &mut Writer, names: &[String]) {
    out.line("/// Number of frames with a Jacobian.");
    out.line(format!("pub const N_FRAMES: usize = {};", names.len()));
    out.line("/// Names of the frames with a Jacobian.");
    out.list("pub const FRAME_NAMES: [&str; N_FRAMES] = [", &quoted(names), "];");
    out.line("/// Columns of the Jacobians of all frames.");
    out.line("pub const FRAME_JACOBIAN_COLUMNS: usize = N_FRAMES * N_V;");
    out.line("static FRAMES: runtime::Names = runtime::Names::from_static(&FRAME_NAMES);");
}

fn quoted(items: &[String]) -> Vec<String> {
    items.iter().map(|item| format!("{item:?}")).collect()
}

fn tables(out: &mut Writer, program: &Program) {
    for (index, table) in program.tables.iter().enumerate() {
        let x: Vec<String> = table.x.iter().map(|&x| literal(x)).collect();
        // Outside its points a table may not be a number.
        let number = |value: f64| if value.is_nan() { "f64::NAN".to_owned() } else { literal(value) };
        let piece = |c: &[f64; 4]| format!("[{}]", c.map(number).join(", "));
        let pieces: Vec<String> = table.coefficients.iter().map(piece).collect();
        out.line(format!("/// Points of the table `{}`.", table.name));
        out.list(&format!("static TABLE_{index}_X: [f64; {}] = [", x.len()), &x, "];");
        out.line(format!("/// Coefficients between the points of the table `{}`.", table.name));
        out.list(&format!("static TABLE_{index}_PIECES: [[f64; 4]; {}] = [", pieces.len()), &pieces, "];");
        out.line(format!("/// The table `{}`.", table.name));
        out.line(format!("const TABLE_{index}: math::Table<'static> ="));
        out.indented(|out| {
            out.line(format!("math::Table {{ x: &TABLE_{index}_X, coefficients: &TABLE_{index}_PIECES }};"));
        });
        out.blank();
    }
}

/// One field of the layout: names of a constant, or a list.
fn layout_static(out: &mut Writer, program: &Program) {
    let layout = &program.layout;
    out.block("static LAYOUT: runtime::Layout = runtime::Layout {", "};", |out| {
        out.line("model: runtime::Names::from_static(&[MODEL]),");
        let names = |out: &mut Writer, field: &str, constant: &str| {
            out.line(format!("{field}: runtime::Names::from_static(&{constant}),"));
        };
        let texts = |out: &mut Writer, field: &str, items: &[String]| {
            out.list(&format!("{field}: runtime::Names::from_static(&["), &quoted(items), "]),");
        };
        let list = |out: &mut Writer, field: &str, items: Vec<String>| {
            out.list(&format!("{field}: runtime::List::from_static(&["), &items, "]),");
        };
        let numbers = |items: &[u32]| items.iter().map(u32::to_string).collect();
        let pairs = |items: Vec<(u32, u32)>| items.iter().map(|(a, b)| format!("({a}, {b})")).collect();
        let output_units: Vec<String> =
            layout.output_units.iter().map(|unit| unit.clone().unwrap_or_default()).collect();

        names(out, "positions", "POSITION_NAMES");
        texts(out, "position_units", &layout.position_units);
        names(out, "velocities", "VELOCITY_NAMES");
        texts(out, "velocity_units", &layout.velocity_units);
        names(out, "states", "STATE_NAMES");
        names(out, "inputs", "INPUT_NAMES");
        let derivatives = layout.inputs.iter().map(|slot| slot.derivative.to_string()).collect();
        list(out, "input_derivatives", derivatives);
        names(out, "parameters", "PARAMETER_NAMES");
        out.line("parameter_defaults: runtime::List::from_static(&PARAMETER_DEFAULTS),");
        names(out, "derived", "DERIVED_NAMES");
        out.line("n_prepared: N_PREPARED,");
        names(out, "rows", "ROW_NAMES");
        let kinds = layout.rows.iter().map(|row| format!("runtime::RowKind::{:?}", row.kind)).collect();
        list(out, "row_kinds", kinds);
        out.line("n_g: N_G,");
        let blocks = layout.quaternions.iter();
        let quaternion = |p, v| format!("runtime::Quaternion {{ p: {p}, v: {v} }}");
        list(out, "quaternions", blocks.map(|block| quaternion(block.p, block.v)).collect());
        names(out, "modes", "MODE_NAMES");
        let kinds = layout.modes.iter().map(|mode| format!("runtime::ModeKind::{:?}", mode.kind)).collect();
        list(out, "mode_kinds", kinds);
        let timed = layout.modes.iter().map(|mode| mode.is_time_event.to_string()).collect();
        list(out, "time_modes", timed);
        let (mut uses, mut conditions) = (Vec::new(), Vec::new());
        for (mode, alternative) in program.mode_uses() {
            let (first, count) = (conditions.len(), alternative.len());
            uses.push(format!("runtime::ModeUse {{ mode: {mode}, first: {first}, count: {count} }}"));
            let needs = alternative.iter().map(|c| format!("({}, {})", c.mode.index(), c.holds));
            conditions.extend(needs);
        }
        list(out, "mode_uses", uses);
        list(out, "mode_conditions", conditions);
        let (mut kinks, mut points) = (Vec::new(), Vec::new());
        for table in &layout.kinks {
            let (mode, modes) = (table.first_mode.index(), table.n_modes);
            let (first, count) = (points.len(), table.at.len());
            kinks.push(format!(
                "runtime::Kinks {{ first_mode: {mode}, n_modes: {modes}, first: {first}, count: {count} }}"
            ));
            points.extend(table.at.iter().map(|&at| literal(at)));
        }
        let kink_names: Vec<String> = layout.kinks.iter().map(|table| table.name.clone()).collect();
        list(out, "kinks", kinks);
        texts(out, "kink_names", &kink_names);
        list(out, "kink_points", points);
        names(out, "outputs", "OUTPUT_NAMES");
        texts(out, "output_units", &output_units);
        names(out, "bodies", "BODY_NAMES");
        texts(out, "closures", &layout.closures);
        list(out, "mass_pattern", pairs(program.pattern(Quantity::MassMatrix)));
        list(out, "jacobian_pattern", pairs(program.pattern(Quantity::ConstraintJacobian)));
        list(out, "held_positions", numbers(&layout.held_positions));
        list(out, "held_velocities", numbers(&layout.held_velocities));
    });
    out.blank();
}
