//! `mbs fmt`: even white space in model files.

use crate::arguments::FormatOptions;
use crate::input::{place_in_file, whole_text_of};
use crate::output;
use crate::report::{self, Failure};
use mbs_symbolic::diag::{Diagnostics, Sources};
use mbs_symbolic::model::{self, limits};
use std::path::Path;

pub(crate) fn run(options: &FormatOptions) -> Result<(), Failure> {
    let mut uneven = false;
    for path in &options.models {
        let source = whole_text_of(path, limits::FILE_BYTES).map_err(|error| {
            let failure = Failure::new("MBS-C001", format!("cannot read the file: {error}"));
            failure.about(path).at(place_in_file(&error))
        })?;
        let text = model::format(&source).map_err(|problems| wrong(path, &source, problems))?;
        if text == source {
            continue;
        }
        if options.check {
            uneven = true;
            report::print(&format!("{}: {}\n", path.display(), difference(&source, &text)))?;
        } else {
            output::write(text.as_bytes(), path)?;
        }
    }
    if uneven { Err(Failure::Reported { exit_code: 1 }) } else { Ok(()) }
}

fn wrong(path: &Path, source: &str, diagnostics: Diagnostics) -> Failure {
    let mut sources = Sources::new();
    sources.add(path.display().to_string(), source);
    Failure::Model { diagnostics, sources }
}

/// Where the first difference is.
fn difference(before: &str, after: &str) -> String {
    let same = before.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
    format!("line {} would change; `mbs fmt` does it", same + 1)
}
