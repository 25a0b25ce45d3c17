//! `mbs graph`: how bodies and joints hang together.

use crate::arguments::{GraphFormat, GraphOptions};
use crate::graph::{self, Picture};
use crate::output;
use crate::pipeline;
use crate::report::{self, Failure};

pub(crate) fn run(options: &GraphOptions) -> Result<(), Failure> {
    let planned = pipeline::plan(&options.model, options.numbers.equations().urdf())?;
    output::check(options.out.as_deref(), &planned.files)?;
    report::print_warnings(&planned.warnings, &planned.sources);
    let picture = Picture::new(&planned.model, &planned.topology);
    let text = match options.format {
        GraphFormat::Text => graph::text::draw(&picture),
        GraphFormat::Dot => graph::dot::draw(&picture),
        GraphFormat::Svg => graph::svg::draw(&picture),
    };
    output::deliver(&text, options.out.as_deref())
}
