//! The functions on nalgebra's fixed-size types.

use super::arguments::{self, Argument};
use super::functions;
use super::inner_name;
use crate::emit::Writer;
use crate::program::{FunctionKind, Program, Quantity};

pub(super) fn emit(out: &mut Writer, program: &Program) {
    structs(out, program);
    for kind in FunctionKind::ALL.into_iter().filter(|&kind| program.has(kind)) {
        function(out, program, kind);
    }
}

/// What functions with several results return.
fn structs(out: &mut Writer, program: &Program) {
    let several = [FunctionKind::Fused, FunctionKind::Initial, FunctionKind::Accelerations];
    for kind in several.into_iter().filter(|&kind| program.has(kind)) {
        out.line(format!("/// What [`{}`] returns.", kind.name()));
        out.line("#[derive(Debug, Clone, Copy, PartialEq)]");
        out.block(format!("pub struct {kind:?} {{"), "}", |out| {
            for &quantity in kind.quantities() {
                out.line(format!("/// {}.", meaning(quantity)));
                out.line(format!("pub {}: {},", quantity.name(), matrix(quantity)));
            }
        });
        out.blank();
    }
}

fn meaning(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::PDot => "p' = T v",
        Quantity::MassMatrix => "Mass matrix M",
        Quantity::Forces => "Applied and gyroscopic forces f",
        Quantity::ConstraintJacobian => "Constraint Jacobian G",
        Quantity::AccelerationBias => "Bias z of 0 = G v' + z",
        Quantity::Auxiliary => "x' = a",
        Quantity::Accelerations => "Accelerations v'",
        Quantity::Multipliers => "Multipliers λ",
        Quantity::Pivots => "Pivots, as [`Accelerated`](runtime::Accelerated) judges them",
        Quantity::InitialP => "Positions",
        Quantity::InitialV => "Velocities",
        Quantity::InitialX => "Auxiliary states",
        other => other.name(),
    }
}

/// The nalgebra type of a quantity.
fn matrix(quantity: Quantity) -> String {
    match quantity {
        Quantity::KinematicMatrix => "SMatrix<f64, N_P, N_V>".into(),
        Quantity::MassMatrix => "SMatrix<f64, N_V, N_V>".into(),
        Quantity::ConstraintJacobian => "SMatrix<f64, N_LAMBDA, N_V>".into(),
        Quantity::Poses => "SMatrix<f64, 12, N_BODIES>".into(),
        Quantity::Jacobian => "SMatrix<f64, JACOBIAN_ROWS, JACOBIAN_COLUMNS>".into(),
        other => format!("SVector<f64, {}>", functions::length(other)),
    }
}

fn function(out: &mut Writer, program: &Program, kind: FunctionKind) {
    let quantities = kind.quantities();
    let returns = match quantities {
        [Quantity::Energy] => "runtime::Energy".into(),
        [quantity] => matrix(*quantity),
        _ => format!("{kind:?}"),
    };
    let body = program.function(kind);
    let mut arguments = match kind {
        _ if kind.is_per_parameter_set() => vec!["prepared: &Prepared".to_string()],
        FunctionKind::InputDefaults => {
            vec!["t: f64".into(), "modes: &[bool; N_MODES]".into(), "prepared: &Prepared".into()]
        }
        _ => vec!["at: &At<'_>".into()],
    };
    if kind.takes_accelerations() {
        arguments.push("v_dot: &[f64; N_V]".into());
    }
    if kind.takes_multipliers() {
        arguments.push("lambda: &[f64; N_LAMBDA]".into());
    }
    out.line(format!("/// {}", kind.doc()));
    out.list(&format!("pub fn {}(", kind.name()), &arguments, &format!(") -> {returns} {{"));
    out.indented(|out| {
        for block in &body.results {
            let mutable = if block.entries.is_empty() { "" } else { "mut " };
            let (name, array) = (block.quantity.name(), functions::array(block.quantity));
            let length = array.trim_start_matches("[f64; ").trim_end_matches(']');
            out.line(format!("let {mutable}{name} = [0.0; {length}];"));
        }
        if !functions::is_empty(program, kind) {
            let from_at = kind.takes_state();
            call(out, program, kind, from_at, |name| format!("&mut {name}"));
        }
        let matrix = |quantity: Quantity| {
            let ty = if matrix(quantity).starts_with("SMatrix") { "SMatrix" } else { "SVector" };
            format!("{ty}::from_column_slice(&{})", quantity.name())
        };
        match quantities {
            [Quantity::Energy] => {
                out.line("let [kinetic, potential] = energy;");
                out.line("runtime::Energy { kinetic, potential }");
            }
            [quantity] => out.line(matrix(*quantity)),
            _ => out.block(format!("{kind:?} {{"), "}", |out| {
                for &quantity in quantities {
                    out.line(format!("{}: {},", quantity.name(), matrix(quantity)));
                }
            }),
        }
    });
    out.line("}");
    out.blank();
}

/// Calls the inner function of a kind.
pub(super) fn call(
    out: &mut Writer,
    program: &Program,
    kind: FunctionKind,
    from_at: bool,
    result: impl Fn(&str) -> String,
) {
    let body = program.function(kind);
    let argument = |argument: &Argument| {
        let name = match argument {
            Argument::Time => "t",
            Argument::P => "p",
            Argument::V => "v",
            Argument::X => "x",
            Argument::U => "u",
            Argument::Modes => "modes",
            Argument::Prepared => "prepared",
            Argument::VDot => return "v_dot".into(),
            Argument::Lambda => return "lambda".into(),
        };
        if from_at { format!("at.{name}") } else { name.to_string() }
    };
    let mut list: Vec<String> = arguments::of(body).iter().map(argument).collect();
    list.extend(functions::filled(body).map(|block| result(block.quantity.name())));
    out.list(&format!("{}(", inner_name(kind.name())), &list, ");");
}
