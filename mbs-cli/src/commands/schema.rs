//! `mbs schema`: the model language as a JSON Schema.

use crate::arguments::SchemaOptions;
use crate::output;
use crate::report::Failure;
use mbs_symbolic::model::language;

pub(crate) fn run(options: &SchemaOptions) -> Result<(), Failure> {
    output::check(options.out.as_deref(), &[])?;
    output::deliver(&language::schema(), options.out.as_deref())
}
