//! Parameters by name, and where a model is evaluated.

use super::names::identifiers;
use super::spell::literal;
use crate::emit::Writer;
use crate::printable::in_line;
use crate::program::Program;

pub(super) fn emit(out: &mut Writer, program: &Program) {
    let fields = identifiers(&program.layout.parameters);
    params(out, program, &fields);
    at(out);
}

fn params(out: &mut Writer, program: &Program, fields: &[String]) {
    let layout = &program.layout;
    out.line("/// The parameters θ by name.");
    out.line("#[derive(Debug, Clone, Copy, PartialEq)]");
    out.block("pub struct Params {", "}", |out| {
        for (index, field) in fields.iter().enumerate() {
            let (unit, doc) = layout.parameter_docs.get(index).cloned().unwrap_or_default();
            let words = |text: String| in_line(&text);
            let doc = doc.map(words).filter(|doc| !doc.is_empty());
            let doc = doc.unwrap_or_else(|| format!("Parameter `{}`", layout.parameters[index]));
            let unit = unit.map(words).map_or_else(String::new, |unit| format!(", `{unit}`"));
            out.line(format!("/// {}{unit}.", doc.trim_end_matches('.')));
            out.line(format!("pub {field}: f64,"));
        }
    });
    out.blank();
    out.block("impl Default for Params {", "}", |out| {
        out.block("fn default() -> Self {", "}", |out| {
            let values = fields.iter().zip(&layout.parameter_defaults);
            let items: Vec<String> =
                values.map(|(field, &value)| format!("{field}: {}", literal(value))).collect();
            if items.is_empty() { out.line("Self {}") } else { out.list("Self { ", &items, " }") }
        });
    });
    out.blank();
    out.block("impl Params {", "}", |out| {
        let own: Vec<String> = fields.iter().map(|field| format!("self.{field}")).collect();
        out.line("/// The values in the order of [`PARAMETER_NAMES`].");
        out.block("pub fn to_array(&self) -> [f64; N_THETA] {", "}", |out| out.list("[", &own, "]"));
        out.blank();
        out.line("/// From values in the order of [`PARAMETER_NAMES`].");
        out.block("pub fn from_array(theta: [f64; N_THETA]) -> Self {", "}", |out| {
            out.list("let [", fields, "] = theta;");
            if fields.is_empty() { out.line("Self {}") } else { out.list("Self { ", fields, " }") }
        });
        out.blank();
        out.line("/// All parameter-only work.");
        out.block("pub fn prepare(&self) -> Prepared {", "}", |out| {
            out.line("let mut prepared = [0.0; N_PREPARED];");
            out.line("eval_prepare(&self.to_array(), &mut prepared);");
            out.line("prepared");
        });
    });
    out.blank();
    out.line("/// Parameters and what is computed from them alone; made by [`Params::prepare`].");
    out.line("pub type Prepared = [f64; N_PREPARED];");
    out.blank();
}

const AT: [(&str, &str, &str); 6] = [
    ("p", "Positions", "&'a [f64; N_P]"),
    ("v", "Velocities", "&'a [f64; N_V]"),
    ("x", "Auxiliary states", "&'a [f64; N_X]"),
    ("u", "Inputs, slot by slot", "&'a [f64; N_U]"),
    ("modes", "Conditionals frozen within a step", "&'a [bool; N_MODES]"),
    ("prepared", "Prepared parameters", "&'a Prepared"),
];

fn at(out: &mut Writer) {
    out.line("/// Where the model is evaluated.");
    out.line("#[derive(Debug, Clone, Copy, PartialEq)]");
    out.block("pub struct At<'a> {", "}", |out| {
        out.line("/// Time, s.");
        out.line("pub t: f64,");
        for (name, doc, ty) in AT {
            out.line(format!("/// {doc}."));
            out.line(format!("pub {name}: {ty},"));
        }
    });
    out.blank();
    out.block("impl<'a> At<'a> {", "}", |out| {
        out.line("/// From slices; `None` if one has the wrong length.");
        out.block("pub fn from_slices(at: &runtime::At<'a>) -> Option<Self> {", "}", |out| {
            out.block("Some(Self {", "})", |out| {
                out.line("t: at.t,");
                for (name, ..) in AT {
                    out.line(format!("{name}: at.{name}.try_into().ok()?,"));
                }
            });
        });
    });
    out.blank();
}
