//! The functions once more for other kinds of numbers, each in a module of its own.

use super::zeros::Zeros;
use super::{RustOptions, Scalar, functions, needs_math, system, typed};
use crate::emit::Writer;
use crate::program::{Form, Function, FunctionKind, Presence, Program, Use};

/// Writes a module for each kind of number that is asked for beside `f64`.
pub(super) fn emit(out: &mut Writer, program: &Program, options: &RustOptions) {
    let mut scalars = options.scalars.clone();
    scalars.sort_unstable();
    scalars.dedup();
    for scalar in scalars {
        match scalar {
            Scalar::F64 => {}
            Scalar::F32 => single(out, program, options),
            Scalar::F64x4 => four(out, program, options),
            Scalar::F64x8 => eight(out, program, options),
        }
    }
}

fn single(out: &mut Writer, program: &Program, options: &RustOptions) {
    out.blank();
    out.line("/// The functions in single precision.");
    out.block("pub mod single {", "}", |out| {
        out.line("use super::*;");
        if needs_math(program, options) {
            out.line("use super::runtime::math::single as math;");
        }
        out.blank();
        module(out, program, Scalar::F32, options, |_| true);
        functions::prepare(out, program, options, Scalar::F32);
        out.blank();
        out.line("/// All parameter-only work: θ first, then what follows from it.");
        out.block("pub fn prepare(theta: &[f32; N_THETA], prepared: &mut Prepared) {", "}", |out| {
            out.line("eval_prepare(theta, prepared);");
        });
    });
}

fn four(out: &mut Writer, program: &Program, options: &RustOptions) {
    lanes(out, "four", "x4", |out| {
        out.line("use super::runtime::batch::{Accelerated4, At4, Fused4, Lanes, wrong_length};");
        out.line("use super::runtime::math::lanes as math;");
        out.line("use super::runtime::math::lanes::f64x4;");
        states(out, program, Scalar::F64x4, options);
        out.blank();
        out.block("impl Lanes for super::Model {", "}", |out| {
            out.block("fn as_system(&self) -> &dyn runtime::System {", "}", |out| out.line("self"));
            for kind in system::methods(program).into_iter().filter(|kind| kind.used() == Use::Stage) {
                for zeros in Zeros::ways(program, kind) {
                    out.blank();
                    match kind.form() {
                        Form::Array => method(out, program, kind, *zeros),
                        Form::Fields(parts) => fields(out, program, kind, parts, *zeros),
                        Form::Arrays | Form::Value => unreachable!("no stage calls {kind:?}"),
                    }
                }
            }
        });
    });
}

fn eight(out: &mut Writer, program: &Program, options: &RustOptions) {
    lanes(out, "eight", "x8", |out| {
        out.line("use super::runtime::math::lanes::x8 as math;");
        out.line("use super::runtime::math::lanes::x8::f64x8;");
        states(out, program, Scalar::F64x8, options);
    });
}

fn lanes(out: &mut Writer, number: &str, module: &str, items: impl FnOnce(&mut Writer)) {
    out.blank();
    out.line(format!(
        "/// The functions for {number} states at once. Each lane has the bits of the functions for one"
    ));
    out.line("/// state, whatever the others hold. Truth values are masks.");
    out.block(format!("pub mod {module} {{"), "}", |out| {
        out.line("use super::*;");
        items(out);
    });
}

/// The functions at several states.
fn states(out: &mut Writer, program: &Program, scalar: Scalar, options: &RustOptions) {
    out.blank();
    out.line(format!("const ZERO: {} = math::splat(0.0);", scalar.name()));
    out.blank();
    let wanted = |kind: FunctionKind| matches!(kind.used(), Use::Stage | Use::State);
    module(out, program, scalar, options, wanted);
}

/// Where a model is evaluated, and the functions that are wanted.
fn module(
    out: &mut Writer,
    program: &Program,
    scalar: Scalar,
    options: &RustOptions,
    wanted: impl Fn(FunctionKind) -> bool,
) {
    let (number, truth) = (scalar.name(), scalar.truth());
    out.line("/// Parameters and what is computed from them alone.");
    out.line(format!("pub type Prepared = [{number}; N_PREPARED];"));
    out.blank();
    out.line("/// Where the model is evaluated.");
    out.line("#[derive(Debug, Clone, Copy, PartialEq)]");
    out.block("pub struct At<'a> {", "}", |out| {
        out.line("/// Time, s.");
        out.line(format!("pub t: {number},"));
        for (name, doc, ty, length) in [
            ("p", "Positions", number, "N_P"),
            ("v", "Velocities", number, "N_V"),
            ("x", "Auxiliary states", number, "N_X"),
            ("u", "Inputs, slot by slot", number, "N_U"),
            ("modes", "Conditionals frozen within a step", truth, "N_MODES"),
        ] {
            out.line(format!("/// {doc}."));
            out.line(format!("pub {name}: &'a [{ty}; {length}],"));
        }
        out.line("/// Prepared parameters.");
        out.line("pub prepared: &'a Prepared,");
    });
    if scalar == Scalar::F64x4 {
        out.blank();
        out.block("impl<'a> At<'a> {", "}", |out| {
            out.line("/// From slices, if they have the lengths of the model.");
            out.block("pub fn from_slices(at: &At4<'a>) -> Option<Self> {", "}", |out| {
                out.block("Some(Self {", "})", |out| {
                    out.line("t: at.t,");
                    for name in ["p", "v", "x", "u", "modes", "prepared"] {
                        out.line(format!("{name}: at.{name}.try_into().ok()?,"));
                    }
                });
            });
        });
    }
    for (kind, function) in program.functions().filter(|&(kind, _)| program.has(kind) && wanted(kind)) {
        for zeros in Zeros::ways(program, kind) {
            public(out, program, kind, function, scalar, *zeros);
        }
    }
    for (kind, function) in program.functions().filter(|&(kind, _)| wanted(kind)) {
        functions::emit_one(out, program, kind, function, options, scalar);
    }
}

/// One function on arrays, whatever it reads.
fn public(
    out: &mut Writer,
    program: &Program,
    kind: FunctionKind,
    function: &Function,
    scalar: Scalar,
    zeros: Zeros,
) {
    let from_at = kind.takes_state();
    let mut arguments = typed::given(kind, scalar);
    for block in &function.results {
        let array = functions::array_of(block.quantity, scalar);
        arguments.push(format!("{}: &mut {array}", block.quantity.name()));
    }
    out.blank();
    out.line(format!("/// {}", kind.doc()));
    if zeros == Zeros::AreThere {
        out.line("///");
        out.line("/// Zeros by the pattern of the layout are left as they are.");
    }
    out.list(&format!("pub fn {}(", zeros.method(kind)), &arguments, ") {");
    out.indented(|out| {
        if !functions::is_empty(program, kind) {
            zeros.write(out, program, kind, scalar);
            typed::call(out, program, kind, from_at, str::to_string);
        }
    });
    out.line("}");
}

/// One method of the trait: checks every length it relies on, once.
fn method(out: &mut Writer, program: &Program, kind: FunctionKind, zeros: Zeros) {
    let name = zeros.method(kind);
    out.block(format!("fn {name}_x4(&self, at: &At4<'_>, out: &mut [f64x4]) {{"), "}", |out| {
        if functions::is_empty(program, kind) {
            out.block("if !out.is_empty() {", "}", |out| out.line("wrong_length(out);"));
            return;
        }
        let array = functions::array_of(kind.quantities()[0], Scalar::F64x4);
        out.line("let Some(at) = At::from_slices(at) else { return wrong_length(out) };");
        out.line(format!("match <&mut {array}>::try_from(&mut *out) {{"));
        out.indented(|out| {
            out.line(format!("Ok(out) => {name}(&at, out),"));
            out.line("Err(_) => wrong_length(out),");
        });
        out.line("}");
    });
}

/// As [`method`], for a function that fills the fields of a struct.
fn fields(out: &mut Writer, program: &Program, kind: FunctionKind, parts: &str, zeros: Zeros) {
    let name = zeros.method(kind);
    let on_request = kind.presence() == Presence::OnRequest;
    let arguments = ["&self".to_owned(), "at: &At4<'_>".to_owned(), format!("out: &mut {parts}4<'_>")];
    if on_request {
        out.list(&format!("fn {name}_x4("), &arguments, ") -> Result<(), runtime::NotGenerated> {");
    } else {
        out.line(format!("fn {name}_x4({}) {{", arguments.join(", ")));
    }
    out.indented(|out| {
        if !functions::is_empty(program, kind) {
            let refused = if on_request { "Ok(out.wrong_length())" } else { "out.wrong_length()" };
            into_parts(out, program, kind, zeros, refused);
        }
        if on_request {
            out.line("Ok(())");
        }
    });
    out.line("}");
}

/// Calls a function that fills the parts of `out`; returns `otherwise` if a length is wrong.
fn into_parts(out: &mut Writer, program: &Program, kind: FunctionKind, zeros: Zeros, otherwise: &str) {
    out.line(format!("let Some(at) = At::from_slices(at) else {{ return {otherwise} }};"));
    for block in functions::filled(program.function(kind)) {
        let (name, array) = (block.quantity.name(), functions::array_of(block.quantity, Scalar::F64x4));
        out.line(format!("let Ok({name}) = <&mut {array}>::try_from(&mut *out.{name}) else {{"));
        out.indented(|out| out.line(format!("return {otherwise};")));
        out.line("};");
    }
    zeros.write(out, program, kind, Scalar::F64x4);
    typed::call(out, program, kind, true, str::to_string);
}
