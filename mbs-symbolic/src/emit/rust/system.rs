//! The object-safe view of the model.

use super::Scalar;
use super::arguments::{self, Argument};
use super::functions;
use super::typed;
use super::zeros::Zeros;
use crate::emit::Writer;
use crate::program::{FunctionKind, Program};

/// The functions of the same shape: at a state, into one array.
const PLAIN: [FunctionKind; 11] = [
    FunctionKind::Kinematics,
    FunctionKind::KinematicMatrix,
    FunctionKind::MassMatrix,
    FunctionKind::Forces,
    FunctionKind::Constraints,
    FunctionKind::ConstraintJacobian,
    FunctionKind::VelocityBias,
    FunctionKind::AccelerationBias,
    FunctionKind::Auxiliary,
    FunctionKind::SwitchingFunctions,
    FunctionKind::Poses,
];

pub(super) fn emit(out: &mut Writer, program: &Program) {
    out.line("/// The model as a [`System`](runtime::System).");
    out.line("#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]");
    out.line("pub struct Model;");
    out.blank();
    out.block("impl runtime::System for Model {", "}", |out| {
        out.block("fn layout(&self) -> &runtime::Layout {", "}", |out| out.line("&LAYOUT"));
        prepare(out);
        for kind in PLAIN {
            for zeros in Zeros::ways(program, kind) {
                fill(out, program, kind, "at: &runtime::At<'_>", *zeros);
            }
        }
        method(out, program, FunctionKind::InverseDynamics, "at: &runtime::At<'_>, v_dot: &[f64]");
        let arguments = "at: &runtime::At<'_>, v_dot: &[f64], lambda: &[f64]";
        method(out, program, FunctionKind::Outputs, arguments);
        method(out, program, FunctionKind::Derived, "prepared: &[f64]");
        method(out, program, FunctionKind::InputDefaults, "t: f64, modes: &[bool], prepared: &[f64]");
        for zeros in Zeros::ways(program, FunctionKind::Fused) {
            fused(out, program, *zeros);
        }
        initial(out, program);
        energy(out);
        if program.has(FunctionKind::ClosureCosines) {
            method(out, program, FunctionKind::ClosureCosines, "at: &runtime::At<'_>");
        }
        if program.has(FunctionKind::Jacobian) {
            jacobian(out, program);
        }
        if program.has(FunctionKind::Accelerations) {
            accelerations(out, program);
        }
    });
}

fn prepare(out: &mut Writer) {
    out.blank();
    out.block("fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {", "}", |out| {
        out.block("match (theta.try_into(), <&mut Prepared>::try_from(&mut *prepared)) {", "}", |out| {
            out.line("(Ok(theta), Ok(prepared)) => eval_prepare(theta, prepared),");
            out.line("_ => runtime::wrong_length(prepared),");
        });
    });
}

fn method(out: &mut Writer, program: &Program, kind: FunctionKind, arguments: &str) {
    fill(out, program, kind, arguments, Zeros::Written);
}

/// One method that fills one array: checks every length it relies on, once.
fn fill(out: &mut Writer, program: &Program, kind: FunctionKind, arguments: &str, zeros: Zeros) {
    let name = zeros.method(kind);
    let body = program.function(kind);
    let reads = arguments::of(body);
    let uses = |argument| reads.contains(&argument);
    let from_at = arguments.starts_with("at:");
    let empty = functions::is_empty(program, kind);
    let quantity = kind.quantities()[0];
    let result = if kind == FunctionKind::InputDefaults { "u" } else { "out" };
    let signature = format!("&self, {arguments}, {result}: &mut [f64]");
    out.blank();
    out.block(format!("fn {name}({signature}) {{"), "}", |out| {
        if empty {
            out.block(format!("if !{result}.is_empty() {{"), "}", |out| {
                out.line(format!("runtime::wrong_length({result});"));
            });
            return;
        }
        let mut wanted = Vec::new();
        if from_at {
            wanted.push(("Some(at)", "At::from_slices(at)".to_string()));
        }
        if !from_at && uses(Argument::Modes) {
            wanted.push(("Ok(modes)", "<&[bool; N_MODES]>::try_from(modes)".to_string()));
        }
        if !from_at && uses(Argument::Prepared) {
            wanted.push(("Ok(prepared)", "<&Prepared>::try_from(prepared)".to_string()));
        }
        if uses(Argument::VDot) {
            wanted.push(("Ok(v_dot)", "<&[f64; N_V]>::try_from(v_dot)".to_string()));
        }
        if uses(Argument::Lambda) {
            wanted.push(("Ok(lambda)", "<&[f64; N_LAMBDA]>::try_from(lambda)".to_string()));
        }
        for (pattern, value) in wanted {
            out.line(format!("let {pattern} = {value} else {{ return runtime::wrong_length({result}) }};"));
        }
        let array = functions::array(quantity);
        out.line(format!("let Ok({}) = <&mut {array}>::try_from(&mut *{result}) else {{", quantity.name()));
        out.indented(|out| out.line(format!("return runtime::wrong_length({result});")));
        out.line("};");
        zeros.write(out, program, kind, Scalar::F64);
        typed::call(out, program, kind, from_at, str::to_string);
    });
}

/// Binds the parts of a result to arrays; `part` says where one is and what to do
/// if it has the wrong length.
fn bind_fields(
    out: &mut Writer,
    program: &Program,
    kind: FunctionKind,
    part: impl Fn(&str) -> (String, String),
) {
    for block in functions::filled(program.function(kind)) {
        let (name, array) = (block.quantity.name(), functions::array(block.quantity));
        let (place, otherwise) = part(name);
        out.line(format!("let Ok({name}) = <&mut {array}>::try_from(&mut *{place}) else {{"));
        out.indented(|out| out.line(format!("return {otherwise};")));
        out.line("};");
    }
}

fn fused(out: &mut Writer, program: &Program, zeros: Zeros) {
    let kind = FunctionKind::Fused;
    out.blank();
    let signature = "&self, at: &runtime::At<'_>, out: &mut runtime::Fused<'_>";
    out.block(format!("fn {}({signature}) {{", zeros.method(kind)), "}", |out| {
        if functions::is_empty(program, kind) {
            return;
        }
        out.line("let Some(at) = At::from_slices(at) else { return out.wrong_length() };");
        bind_fields(out, program, kind, |name| (format!("out.{name}"), "out.wrong_length()".into()));
        zeros.write(out, program, kind, Scalar::F64);
        typed::call(out, program, kind, true, str::to_string);
    });
}

fn initial(out: &mut Writer, program: &Program) {
    let kind = FunctionKind::Initial;
    let signature = "&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]";
    out.blank();
    out.block(format!("fn initial({signature}) {{"), "}", |out| {
        if functions::is_empty(program, kind) {
            return;
        }
        out.line("let Ok(prepared) = <&Prepared>::try_from(prepared) else {");
        out.indented(|out| out.line("return runtime::wrong_length(p);"));
        out.line("};");
        bind_fields(out, program, kind, |name| (name.into(), format!("runtime::wrong_length({name})")));
        typed::call(out, program, kind, false, str::to_string);
    });
}

fn energy(out: &mut Writer) {
    out.blank();
    out.block("fn energy(&self, at: &runtime::At<'_>) -> runtime::Energy {", "}", |out| {
        out.block("match At::from_slices(at) {", "}", |out| {
            out.line("Some(at) => energy(&at),");
            out.block("None => {", "}", |out| {
                out.line("let mut energy = [0.0; 2];");
                out.line("runtime::wrong_length(&mut energy);");
                out.line("runtime::Energy { kinetic: energy[0], potential: energy[1] }");
            });
        });
    });
}

/// A method a model may lack.
fn accelerations(out: &mut Writer, program: &Program) {
    let kind = FunctionKind::Accelerations;
    out.blank();
    let arguments = ["&self", "at: &runtime::At<'_>", "out: &mut runtime::Accelerated<'_>"];
    let returns = ") -> Result<(), runtime::NotGenerated> {";
    out.list("fn accelerations(", &arguments.map(String::from), returns);
    out.indented(|out| {
        if !functions::is_empty(program, kind) {
            let otherwise = "Ok(out.wrong_length())";
            out.line(format!("let Some(at) = At::from_slices(at) else {{ return {otherwise} }};"));
            bind_fields(out, program, kind, |name| (format!("out.{name}"), otherwise.into()));
            typed::call(out, program, kind, true, str::to_string);
        }
        out.line("Ok(())");
    });
    out.line("}");
}

/// A method a model may lack.
fn jacobian(out: &mut Writer, program: &Program) {
    let kind = FunctionKind::Jacobian;
    out.blank();
    let arguments = ["&self", "at: &runtime::At<'_>", "v_dot: &[f64]", "lambda: &[f64]", "out: &mut [f64]"];
    let returns = ") -> Result<(), runtime::NotGenerated> {";
    out.list("fn jacobian(", &arguments.map(String::from), returns);
    out.indented(|out| {
        if functions::is_empty(program, kind) {
            out.block("if !out.is_empty() {", "}", |out| out.line("runtime::wrong_length(out);"));
        } else {
            let mut wanted = vec![("Some(at)", "At::from_slices(at)")];
            let reads = arguments::of(program.function(kind));
            if reads.contains(&Argument::VDot) {
                wanted.push(("Ok(v_dot)", "<&[f64; N_V]>::try_from(v_dot)"));
            }
            if reads.contains(&Argument::Lambda) {
                wanted.push(("Ok(lambda)", "<&[f64; N_LAMBDA]>::try_from(lambda)"));
            }
            let array = functions::array(kind.quantities()[0]);
            let result = format!("<&mut {array}>::try_from(&mut *out)");
            wanted.push(("Ok(jacobian)", &result));
            for (pattern, value) in wanted {
                out.block(format!("let {pattern} = {value} else {{"), "};", |out| {
                    out.line("runtime::wrong_length(out);");
                    out.line("return Ok(());");
                });
            }
            typed::call(out, program, kind, true, str::to_string);
        }
        out.line("Ok(())");
    });
    out.line("}");
}
