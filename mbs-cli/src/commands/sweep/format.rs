//! Finished tables as files: CSV, or Parquet by the ending of the name.
//!
//! Everything else works on the text of the CSV table, from which both formats are made and which
//! both give back to the last byte.

#[cfg(feature = "parquet")]
use crate::input::check_regular;
use crate::input::{SAMPLES_BYTES, whole_text_of};
use crate::output::{self, Growing};
use crate::report::Failure;
use std::path::{Path, PathBuf};

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
    let text = if is_parquet(path) { read_parquet(path) } else { whole_text_of(path, SAMPLES_BYTES) };
    text.map_err(|error| Failure::new("MBS-C001", format!("cannot read the table: {error}")).about(path))
}

/// Writes a table; the file is complete or not there.
pub(crate) fn write(text: &str, path: &Path) -> Result<(), Failure> {
    if !is_parquet(path) {
        return output::write(text.as_bytes(), path);
    }
    check(path)?;
    let bytes = parquet_of(text).map_err(|error| output::unwritable(&error, path))?;
    output::write(&bytes, path)
}

/// A table that grows line by line.
pub(crate) enum Table {
    Csv(Growing),
    /// Made of its lines when they are complete.
    Parquet {
        path: PathBuf,
        text: String,
    },
}

impl Table {
    pub(crate) fn new(path: &Path) -> Result<Self, Failure> {
        check(path)?;
        Ok(if is_parquet(path) {
            Self::Parquet { path: path.to_owned(), text: String::new() }
        } else {
            Self::Csv(Growing::new(path))
        })
    }

    pub(crate) fn append(&mut self, lines: &str) -> Result<(), Failure> {
        match self {
            Self::Csv(growing) => growing.append(lines.as_bytes()),
            Self::Parquet { text, .. } => {
                text.push_str(lines);
                Ok(())
            }
        }
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Csv(growing) => growing.finish(),
            Self::Parquet { path, text } => write(&text, &path),
        }
    }
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path) -> std::io::Result<String> {
    check_regular(path)?;
    super::parquet::read(std::fs::File::open(path)?).map_err(std::io::Error::other)
}

#[cfg(feature = "parquet")]
fn parquet_of(text: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    super::parquet::write(text, &mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(_: &Path) -> std::io::Result<String> {
    unreachable!("such a name is refused")
}

#[cfg(not(feature = "parquet"))]
fn parquet_of(_: &str) -> std::io::Result<Vec<u8>> {
    unreachable!("such a name is refused")
}
