//! Finished tables as files: CSV, or Parquet by the ending of the name.
//!
//! Everything else works on the text of the CSV table, from which both formats are made and which
//! both give back to the last byte.

use super::store::beside;
use crate::report::{self, Failure};
use std::fs;
use std::path::Path;

/// Whether a table is Parquet by its name.
pub(crate) fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

/// Refuses a format this program was built without, before hours are spent on it.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    if is_parquet(path) && cfg!(not(feature = "parquet")) {
        let failure = Failure::new("MBS-C044", "this mbs was built without Parquet").about(path);
        return Err(failure.help("use tables whose names end in .csv, or build with `--features parquet`"));
    }
    Ok(())
}

/// The text of a table.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    check(path)?;
    let text = if is_parquet(path) { read_parquet(path) } else { fs::read_to_string(path) };
    text.map_err(|error| Failure::new("MBS-C001", format!("cannot read the table: {error}")).about(path))
}

/// Writes a table; the file is complete or not there.
pub(crate) fn write(text: &str, path: &Path) -> Result<(), Failure> {
    if !is_parquet(path) {
        return report::deliver(text, Some(path));
    }
    check(path)?;
    let neighbour = beside(path, &format!(".{}.tmp", std::process::id()));
    let written = write_parquet(text, &neighbour).and_then(|()| fs::rename(&neighbour, path));
    written.map_err(|error| {
        // The first error is the one to report; a leftover is all there is to lose.
        let _ = fs::remove_file(&neighbour);
        Failure::new("MBS-C002", format!("cannot write the file: {error}")).about(path)
    })
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path) -> std::io::Result<String> {
    super::parquet::read(fs::File::open(path)?).map_err(std::io::Error::other)
}

#[cfg(feature = "parquet")]
fn write_parquet(text: &str, path: &Path) -> std::io::Result<()> {
    super::parquet::write(text, fs::File::create(path)?).map_err(std::io::Error::other)
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(_: &Path) -> std::io::Result<String> {
    unreachable!("such a name is refused")
}

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &str, _: &Path) -> std::io::Result<()> {
    unreachable!("such a name is refused")
}
