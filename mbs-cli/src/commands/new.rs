//! `mbs new`: a commented model to start from.

use crate::arguments::NewOptions;
use crate::report::{self, Failure};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

/// Compiled by a test, so that it never goes stale.
const STARTER: &str = include_str!("starter.yaml");

pub(crate) fn run(options: &NewOptions) -> Result<(), Failure> {
    let name = &options.name;
    if !is_snake_case(name) {
        let failure = Failure::new("MBS-C004", format!("`{name}` cannot name a model"));
        return Err(
            failure.help("use snake_case: a small letter, then small letters, digits and underscores")
        );
    }
    let path = options.dir.join(format!("{name}.yaml"));
    // `create_new` fails where a file is, so that nothing is ever overwritten.
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(STARTER.replace("NAME", name).as_bytes()));
    match written {
        Ok(()) => {
            let path = path.display();
            report::print(&format!("wrote {path}\n\nnext:\n  mbs check {path}\n  mbs equations {path}\n"))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let failure = Failure::new("MBS-C005", "the file exists and is left alone").about(&path);
            Err(failure.help("choose another name, or remove the file first"))
        }
        Err(error) => Err(Failure::new("MBS-C002", format!("cannot write the file: {error}")).about(&path)),
    }
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
