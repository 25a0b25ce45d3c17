//! Models of `models/`, compiled all the way.

use mbs_symbolic::program::{Counts, FunctionKind, Program};
use mbs_symbolic::{Compiled, Options, compile};
use std::fmt::Write;

use crate::load::SiblingFiles;

/// A model of `models/`; panics with the compiler's messages if it is rejected.
pub fn compiled(name: &str) -> Compiled {
    compiled_with(name, Options::default())
}

/// The same with more than the equations.
pub fn compiled_with(name: &str, options: Options) -> Compiled {
    let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file = format!("models/{name}.yaml");
    compile(&file, &text, &SiblingFiles, options).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// What each function costs, as a table; functions that only hand on numbers are left
/// out.
pub fn count_table(program: &Program) -> String {
    let mut out = String::new();
    let titles = ["add", "mul", "div", "sqrt", "trig", "other", "flops"];
    let _ = write!(out, "{:<20}", "operations per call");
    for title in titles {
        let _ = write!(out, " {title:>6}");
    }
    out.push('\n');
    let mut row = |name: &str, counts: Counts| {
        let Counts { add, mul, div, sqrt, trig, other } = counts;
        let _ = write!(out, "{name:<20}");
        for count in [add, mul, div, sqrt, trig, other, counts.flops()] {
            let _ = write!(out, " {count:>6}");
        }
        out.push('\n');
    };
    for kind in FunctionKind::ALL {
        let counts = program.function(kind).counts();
        if counts.total() > 0 {
            row(kind.name(), counts);
        }
    }
    row("per parameter set", program.per_parameter_set());
    out
}
