//! A function with which a generated model checks itself.

use super::RustOptions;
use crate::emit::Writer;

/// What the compiler knows that a generated model does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelfCheck {
    /// Whether all applied forces have a potential, so that f and the change of energy follow
    /// from the energies.
    pub conservative: bool,
}

pub(super) fn emit(out: &mut Writer, options: &RustOptions) {
    let Some(SelfCheck { conservative }) = options.self_check else { return };
    out.blank();
    out.line("/// Checks the equations against each other at random states: G against differences of g, z");
    out.line("/// against those of G v + c, M against the kinetic energy and so on.");
    out.line("#[cfg(test)]");
    let returns = "-> ::core::result::Result<(), runtime::verify::Broken>";
    out.block(format!("pub fn self_check(samples: usize) {returns} {{"), "}", |out| {
        out.block("let options = runtime::verify::Options {", "};", |out| {
            out.line("samples,");
            if conservative {
                out.line("other_forces: ::core::option::Option::Some(runtime::verify::CONSERVATIVE),");
            }
            out.line("..::core::default::Default::default()");
        });
        out.line("let derivatives = runtime::verify::Differences::new(&Model);");
        out.line("runtime::verify::verify(&Model, &derivatives, &options).result()");
    });
}
