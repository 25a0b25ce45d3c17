//! The functions on nalgebra's fixed-size types.

use super::Scalar;
use super::arguments::{self, Argument};
use super::functions::{self, matrix};
use super::inner_name;
use crate::emit::Writer;
use crate::program::{Form, FunctionKind, Program, Quantity, Signature};

pub(super) fn emit(out: &mut Writer, program: &Program) {
    structs(out, program);
    for kind in FunctionKind::ALL.into_iter().filter(|&kind| program.has(kind)) {
        function(out, program, kind);
    }
}

/// What functions with several results return.
fn structs(out: &mut Writer, program: &Program) {
    let several = |kind: &FunctionKind| kind.quantities().len() > 1 && program.has(*kind);
    for kind in FunctionKind::ALL.into_iter().filter(several) {
        out.line(format!("/// What [`{}`] returns.", kind.name()));
        out.line("#[derive(Debug, Clone, Copy, PartialEq)]");
        out.block(format!("pub struct {kind:?} {{"), "}", |out| {
            for &quantity in kind.quantities() {
                out.line(format!("/// {}", meaning(quantity)));
                out.line(format!("pub {}: {},", quantity.name(), matrix(quantity)));
            }
        });
        out.blank();
    }
}

fn meaning(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Pivots => "Pivots, as [`Accelerated`](runtime::Accelerated) judges them.",
        other => other.doc(),
    }
}

fn function(out: &mut Writer, program: &Program, kind: FunctionKind) {
    let quantities = kind.quantities();
    let returns = match (kind.form(), quantities) {
        (Form::Value, _) => format!("runtime::{kind:?}"),
        (_, [quantity]) => matrix(*quantity),
        _ => format!("{kind:?}"),
    };
    let body = program.function(kind);
    out.line(format!("/// {}", kind.doc()));
    out.list(&format!("pub fn {}(", kind.name()), &given(kind, Scalar::F64), &format!(") -> {returns} {{"));
    out.indented(|out| {
        for block in &body.results {
            let mutable = if block.entries.is_empty() { "" } else { "mut " };
            let (name, length) = (block.quantity.name(), functions::length(block.quantity));
            out.line(format!("let {mutable}{name} = [0.0; {length}];"));
        }
        if !functions::is_empty(program, kind) {
            let from_at = kind.takes_state();
            call(out, program, kind, from_at, |name| format!("&mut {name}"));
        }
        let matrix = |quantity: Quantity| {
            let ty = if quantity.lengths().1.is_some() { "SMatrix" } else { "SVector" };
            format!("{ty}::from_column_slice(&{})", quantity.name())
        };
        match (kind.form(), quantities) {
            (Form::Value, _) => {
                out.line("let [kinetic, potential] = energy;");
                out.line("runtime::Energy { kinetic, potential }");
            }
            (_, [quantity]) => out.line(matrix(*quantity)),
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

/// What a function on arrays is given.
pub(super) fn given(kind: FunctionKind, scalar: Scalar) -> Vec<String> {
    let number = scalar.name();
    let mut arguments = match kind.signature() {
        Signature::Parameters => vec!["prepared: &Prepared".to_string()],
        Signature::Time => {
            let modes = format!("modes: &[{}; N_MODES]", scalar.truth());
            vec![format!("t: {number}"), modes, "prepared: &Prepared".into()]
        }
        Signature::State | Signature::StateAndRates | Signature::StateAndSolution => {
            vec!["at: &At<'_>".into()]
        }
    };
    if kind.takes_accelerations() {
        arguments.push(format!("v_dot: &[{number}; N_V]"));
    }
    if kind.takes_multipliers() {
        arguments.push(format!("lambda: &[{number}; N_LAMBDA]"));
    }
    arguments
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
