//! What a model's author may want to look at: things that are possible but rarely meant.
//!
//! Nothing here stops a compilation. Each check has a code, and the model's `allow:` list
//! switches codes off. What no mechanism can be (negative masses, axes of zero length) is an
//! error of the reader; here are warnings, and notes where even a warning would be too much.
//! Tolerances are described in docs/checks.md.

mod angles;
mod continuity;
mod inertia;
mod massless;
mod preload;

use crate::diag::{Diagnostics, Problem};
use crate::model::{INERTIA_NOT_POSITIVE, Model, nearest};
use crate::program::Program;
use crate::topology::Topology;

/// The codes that `allow:` may list; MBS-P002, an error, becomes a warning by it.
pub const CODES: [&str; 8] =
    ["MBS-P002", "MBS-P014", "MBS-P015", "MBS-P016", "MBS-P017", "MBS-P018", "MBS-E003", "MBS-N011"];

/// What the model alone says, with its default parameters.
pub fn of_model(model: &Model) -> Diagnostics {
    let mut found = Diagnostics::new();
    inertia::check(model, &mut found);
    angles::check(model, &mut found);
    preload::check(model, &mut found);
    continuity::check(model, &mut found);
    let mut found = without_allowed(model, found);
    for entry in &model.allow {
        if !CODES.contains(&entry.text.as_str()) {
            let nearest = nearest(&entry.text, CODES);
            found.warning(entry.span, Problem::UnknownCheck { code: entry.text.clone(), nearest });
        }
    }
    found
}

/// What the compiled equations say, with default parameters.
pub fn of_program(model: &Model, topology: &Topology, program: &Program) -> Diagnostics {
    let mut found = Diagnostics::new();
    massless::check(model, topology, program, &mut found);
    without_allowed(model, found)
}

/// All but what the model allows; errors stay.
pub fn without_allowed(model: &Model, found: Diagnostics) -> Diagnostics {
    let mut kept = Diagnostics::new();
    for diagnostic in &found {
        let code = diagnostic.problem.code();
        let allowed = code != INERTIA_NOT_POSITIVE && model.allow.iter().any(|entry| entry.text == code);
        if !allowed || diagnostic.severity == crate::diag::Severity::Error {
            kept.push(diagnostic.clone());
        }
    }
    kept.sort();
    kept
}

/// A number between −1 and 1 that depends on nothing but its place: the same on every machine.
fn sample(series: u64, index: u64) -> f64 {
    // The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
    let mut z = (series << 32 ^ index).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Four digits, for messages.
fn short(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
