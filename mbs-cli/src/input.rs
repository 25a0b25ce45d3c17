//! Reading files: only what has an end, and never more than its kind may have.

use mbs_symbolic::diag::{NotUtf8, Position, decode};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes of a state (`mbs eval --state`).
pub(crate) const STATE_BYTES: usize = 64 << 20;
/// Bytes of a table of samples, or of what a table was made of.
pub(crate) const SAMPLES_BYTES: usize = 1 << 30;

/// The text of a regular file, at most one byte more than `limit`: enough for the compiler to
/// say that it is too long.
pub(crate) fn text_of(path: &Path, limit: usize) -> io::Result<String> {
    check_regular(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    decode(bytes, limit).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Refuses devices and pipes: opening a FIFO waits for a writer, and a device may have no end.
pub(crate) fn check_regular(path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() || metadata.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file"))
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

/// The files of a model: which may be read, and which were asked for.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Folders the files a model names must lie in, links followed; everywhere if `None`.
    folders: Option<Vec<PathBuf>>,
    asked: RefCell<Vec<(PathBuf, Stamp)>>,
}

impl Files {
    /// Files in these folders alone.
    pub(crate) fn within(folders: Vec<PathBuf>) -> Self {
        Self { folders: Some(folders), ..Self::default() }
    }

    /// The text of the model itself.
    pub(crate) fn model(&self, path: &Path, limit: usize) -> io::Result<String> {
        self.note(path);
        text_of(path, limit)
    }

    /// The text of a file that a model names.
    pub(crate) fn named(&self, path: &Path, limit: usize) -> io::Result<String> {
        self.note(path);
        let Some(folders) = &self.folders else { return text_of(path, limit) };
        let whole = fs::canonicalize(path)?;
        let is_within =
            |folder: &PathBuf| fs::canonicalize(folder).is_ok_and(|folder| whole.starts_with(folder));
        if !folders.iter().any(is_within) {
            let message = "this lies outside the folder of the model; `--allow-folder` lets it be read";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        text_of(&whole, limit)
    }

    /// A change while the file is read makes its stamp the older one.
    fn note(&self, path: &Path) {
        self.asked.borrow_mut().push((path.to_owned(), Stamp::of(path)));
    }

    /// The files asked for, whether they could be read or not.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.asked.borrow().iter().map(|(path, _)| path.clone()).collect()
    }

    /// The same with the stamps they had before they were read.
    pub(crate) fn into_asked(self) -> Vec<(PathBuf, Stamp)> {
        self.asked.into_inner()
    }
}

/// What changes when a file is saved, comes or goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Stamp(Option<(SystemTime, u64)>);

impl Stamp {
    /// As the file stands.
    pub(crate) fn of(path: &Path) -> Self {
        let data = fs::metadata(path);
        Self(data.ok().and_then(|data| Some((data.modified().ok()?, data.len()))))
    }
}
