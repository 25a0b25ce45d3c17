//! `mbs import`: a robot in URDF as a model.

use crate::arguments::ImportOptions;
use crate::input::text_of;
use crate::output;
use crate::report::{self, Failure};
use mbs_symbolic::model::limits;
use mbs_symbolic::model::urdf;

pub(crate) fn run(options: &ImportOptions) -> Result<(), Failure> {
    let path = &options.robot;
    output::check(options.out.as_deref(), std::slice::from_ref(path))?;
    let source = text_of(path, limits::FILE_BYTES)
        .map_err(|error| Failure::new("MBS-C001", format!("cannot read the robot: {error}")).about(path))?;
    match urdf::import(&path.display().to_string(), &source, options.numbers.equations().urdf()) {
        Ok(imported) => {
            report::print_diagnostics(&imported.notes, &imported.sources);
            output::deliver(&imported.yaml, options.out.as_deref())
        }
        Err(rejected) => Err(Failure::Model { diagnostics: rejected.diagnostics, sources: rejected.sources }),
    }
}
