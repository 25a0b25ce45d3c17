//! Reading files: only what has an end, and never more than its kind may have.

use mbs_symbolic::diag::{NotUtf8, Position, decode};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a state (`mbs eval --state`).
pub(crate) const STATE_BYTES: usize = 64 << 20;
/// Bytes of a table of samples, or of what a table was made of.
pub(crate) const SAMPLES_BYTES: usize = 1 << 30;

/// The text of a regular file, at most one byte more than `limit`: enough for the compiler to
/// say that it is too long.
pub(crate) fn text_of(path: &Path, limit: usize) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    // Opening a FIFO waits for a writer, and a device may have no end.
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    decode(bytes, limit).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The text of a regular file of at most `limit` bytes.
pub(crate) fn whole_text_of(path: &Path, limit: usize) -> io::Result<String> {
    let text = text_of(path, limit)?;
    if text.len() > limit {
        let message = format!("the file is longer than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// Line and column of what is no text in a file that cannot be read, if that is why.
pub(crate) fn place_in_file(error: &io::Error) -> Option<(usize, usize)> {
    let NotUtf8 { at: Position { line, column }, .. } = error.get_ref()?.downcast_ref::<NotUtf8>()?;
    Some((*line, *column))
}
