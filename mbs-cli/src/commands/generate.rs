//! `mbs generate`: the equations of motion as source code.

use crate::arguments::{GenerateOptions, Language};
use crate::output;
use crate::pipeline;
use crate::report::{self, Failure};
use mbs_symbolic::{Options, emit};

pub(crate) fn run(options: &GenerateOptions) -> Result<(), Failure> {
    if options.lang == Language::C {
        return Err(Failure::new("MBS-C006", "there is no C emitter yet").help("use `--lang rust`"));
    }
    let wanted = Options { jacobian: options.jacobian, ..options.numbers.equations() };
    let wanted = options.frames.with_frames(wanted);
    let compiled = pipeline::compile(&options.model, wanted)?;
    output::check(options.out.as_deref(), &compiled.planned.files)?;
    report::print_warnings(&compiled.planned.warnings, &compiled.planned.sources);
    let text = emit::rust::emit(&compiled.program, &emit::rust::RustOptions::default());
    output::deliver(&text, options.out.as_deref())
}
