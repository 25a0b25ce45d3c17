//! The object-safe view of the model.

use super::Scalar;
use super::arguments::{self, Argument};
use super::functions;
use super::typed;
use super::zeros::Zeros;
use crate::emit::Writer;
use crate::program::{Form, FunctionKind, Presence, Program, Quantity, Signature};

/// The functions a program has, those alike beside each other.
pub(super) fn methods(program: &Program) -> Vec<FunctionKind> {
    let mut kinds: Vec<FunctionKind> =
        FunctionKind::ALL.into_iter().filter(|&kind| program.has(kind)).collect();
    kinds.sort_by_key(|kind| (kind.is_optional(), kind.form(), kind.signature()));
    kinds
}

pub(super) fn emit(out: &mut Writer, program: &Program) {
    out.line("/// The model as a [`System`](runtime::System).");
    out.line("#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]");
    out.line("pub struct Model;");
    out.blank();
    out.block("impl runtime::System for Model {", "}", |out| {
        out.block("fn layout(&self) -> &runtime::Layout {", "}", |out| out.line("&LAYOUT"));
        if program.has(FunctionKind::FrameJacobian) {
            out.blank();
            out.block("fn frame_names(&self) -> &runtime::Names {", "}", |out| out.line("&FRAMES"));
        }
        prepare(out);
        for kind in methods(program) {
            for zeros in Zeros::ways(program, kind) {
                method(out, program, kind, *zeros);
            }
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

/// One method: checks every length it relies on, once.
fn method(out: &mut Writer, program: &Program, kind: FunctionKind, zeros: Zeros) {
    out.blank();
    let given = match kind.signature() {
        Signature::State => "at: &runtime::At<'_>",
        Signature::StateAndRates => "at: &runtime::At<'_>, v_dot: &[f64]",
        Signature::StateAndSolution => "at: &runtime::At<'_>, v_dot: &[f64], lambda: &[f64]",
        Signature::Parameters => "prepared: &[f64]",
        Signature::Time => "t: f64, modes: &[bool], prepared: &[f64]",
    };
    let mut arguments: Vec<String> = given.split(", ").map(str::to_owned).collect();
    arguments.insert(0, "&self".to_owned());
    let result = if kind.signature() == Signature::Time { "u" } else { "out" };
    match kind.form() {
        Form::Array => arguments.push(format!("{result}: &mut [f64]")),
        Form::Fields(parts) => arguments.push(format!("out: &mut runtime::{parts}<'_>")),
        Form::Arrays => {
            let array = |quantity: &Quantity| format!("{}: &mut [f64]", quantity.name());
            arguments.extend(kind.quantities().iter().map(array));
        }
        Form::Value => {}
    }
    let name = zeros.method(kind);
    if kind.presence() == Presence::OnRequest {
        out.list(&format!("fn {name}("), &arguments, ") -> Result<(), runtime::NotGenerated> {");
    } else {
        let returns =
            if kind.form() == Form::Value { format!(" -> runtime::{kind:?}") } else { String::new() };
        out.line(format!("fn {name}({}){returns} {{", arguments.join(", ")));
    }
    out.indented(|out| {
        match kind.form() {
            Form::Array => array(out, program, kind, zeros, result),
            Form::Fields(_) => fields(out, program, kind, zeros),
            Form::Arrays => arrays(out, program, kind),
            Form::Value => energy(out),
        }
        if kind.presence() == Presence::OnRequest {
            out.line("Ok(())");
        }
    });
    out.line("}");
}

/// The body of a method that fills one array.
fn array(out: &mut Writer, program: &Program, kind: FunctionKind, zeros: Zeros, result: &str) {
    if functions::is_empty(program, kind) {
        out.block(format!("if !{result}.is_empty() {{"), "}", |out| {
            out.line(format!("runtime::wrong_length({result});"));
        });
        return;
    }
    let from_at = kind.takes_state();
    let reads = arguments::of(program.function(kind));
    let mut wanted = Vec::new();
    if from_at {
        wanted.push(("Some(at)", "At::from_slices(at)"));
    }
    for (argument, pattern, value) in [
        (Argument::Modes, "Ok(modes)", "<&[bool; N_MODES]>::try_from(modes)"),
        (Argument::Prepared, "Ok(prepared)", "<&Prepared>::try_from(prepared)"),
        (Argument::VDot, "Ok(v_dot)", "<&[f64; N_V]>::try_from(v_dot)"),
        (Argument::Lambda, "Ok(lambda)", "<&[f64; N_LAMBDA]>::try_from(lambda)"),
    ] {
        // What is part of a state is checked with it.
        let alone = !from_at || matches!(argument, Argument::VDot | Argument::Lambda);
        if alone && reads.contains(&argument) {
            wanted.push((pattern, value));
        }
    }
    let quantity = kind.quantities()[0];
    let pattern = format!("Ok({})", quantity.name());
    let value = format!("<&mut {}>::try_from(&mut *{result})", functions::array(quantity));
    let refusal = format!("runtime::wrong_length({result})");
    if kind.presence() == Presence::OnRequest {
        for (pattern, value) in wanted.into_iter().chain([(&*pattern, &*value)]) {
            out.block(format!("let {pattern} = {value} else {{"), "};", |out| {
                out.line(format!("{refusal};"));
                out.line("return Ok(());");
            });
        }
    } else {
        for (pattern, value) in wanted {
            out.line(format!("let {pattern} = {value} else {{ return {refusal} }};"));
        }
        out.block(format!("let {pattern} = {value} else {{"), "};", |out| {
            out.line(format!("return {refusal};"));
        });
    }
    zeros.write(out, program, kind, Scalar::F64);
    typed::call(out, program, kind, from_at, str::to_string);
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

/// The body of a method that fills the fields of a struct.
fn fields(out: &mut Writer, program: &Program, kind: FunctionKind, zeros: Zeros) {
    if functions::is_empty(program, kind) {
        return;
    }
    let on_request = kind.presence() == Presence::OnRequest;
    let refused = if on_request { "Ok(out.wrong_length())" } else { "out.wrong_length()" };
    out.line(format!("let Some(at) = At::from_slices(at) else {{ return {refused} }};"));
    bind_fields(out, program, kind, |name| (format!("out.{name}"), refused.into()));
    zeros.write(out, program, kind, Scalar::F64);
    typed::call(out, program, kind, true, str::to_string);
}

/// The body of a method that fills several arrays from parameters.
fn arrays(out: &mut Writer, program: &Program, kind: FunctionKind) {
    if functions::is_empty(program, kind) {
        return;
    }
    out.block("let Ok(prepared) = <&Prepared>::try_from(prepared) else {", "};", |out| {
        out.line(format!("return runtime::wrong_length({});", kind.quantities()[0].name()));
    });
    bind_fields(out, program, kind, |name| (name.into(), format!("runtime::wrong_length({name})")));
    typed::call(out, program, kind, false, str::to_string);
}

/// The body of the method that returns energies.
fn energy(out: &mut Writer) {
    out.block("match At::from_slices(at) {", "}", |out| {
        out.line("Some(at) => energy(&at),");
        out.block("None => {", "}", |out| {
            out.line("let mut energy = [0.0; 2];");
            out.line("runtime::wrong_length(&mut energy);");
            out.line("runtime::Energy { kinetic: energy[0], potential: energy[1] }");
        });
    });
}
