//! `mbs schema`: the model language as a JSON Schema.

use crate::arguments::SchemaOptions;
use crate::report::{self, Failure};
use mbs_symbolic::model::language;

pub(crate) fn run(options: &SchemaOptions) -> Result<(), Failure> {
    report::deliver(&language::schema(), options.out.as_deref())
}
