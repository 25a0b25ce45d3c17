//! `mbs equations`: the equations of motion for people.

use crate::arguments::{EquationsFormat, EquationsOptions};
use crate::output;
use crate::pipeline;
use crate::report::{self, Failure};
use mbs_symbolic::emit;

pub(crate) fn run(options: &EquationsOptions) -> Result<(), Failure> {
    let derived = pipeline::derive(&options.model, options.numbers.equations())?;
    output::check(options.out.as_deref(), &derived.planned.files)?;
    report::print_warnings(&derived.planned.warnings, &derived.planned.sources);
    let text = match options.format {
        EquationsFormat::Text => emit::text::emit(&derived.equations),
        EquationsFormat::Latex => emit::latex::emit(&derived.equations),
        EquationsFormat::Html => emit::mathml::document(&derived.equations),
    };
    output::deliver(&text, options.out.as_deref())
}
