//! Compiling a model file and the tables beside it.

use mbs_symbolic::diag::decode;
use mbs_symbolic::model::{Loader, limits};
use mbs_symbolic::{Compiled, Options, Rejected};
use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A model compiled from a file.
#[derive(Debug)]
pub struct CompiledFile {
    /// The model, or why there is none.
    pub result: Result<Compiled, Failure>,
    /// Every file that was asked for, the model first: what build tools should watch.
    pub files: Vec<PathBuf>,
}

/// Why a file gave no program.
#[derive(Debug)]
pub enum Failure {
    /// The model cannot be read.
    Unreadable {
        /// The path that was tried.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The model is wrong.
    Rejected(Box<Rejected>),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
            Self::Rejected(rejected) => rejected.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// Compiles the model at `path`; `name` is its name in messages. Tables are looked for
/// beside it.
pub fn compile_file(path: &Path, name: &str, options: Options) -> CompiledFile {
    match text_of(path, limits::FILE_BYTES) {
        Ok(source) => {
            let mut compiled = compile_text(&source, name, path.parent().unwrap_or(Path::new("")), options);
            compiled.files.insert(0, path.to_path_buf());
            compiled
        }
        Err(error) => {
            let path = path.to_path_buf();
            CompiledFile { result: Err(Failure::Unreadable { path: path.clone(), error }), files: vec![path] }
        }
    }
}

/// Compiles a model given as text; tables are looked for in `directory`.
pub fn compile_text(source: &str, name: &str, directory: &Path, options: Options) -> CompiledFile {
    let loader = SiblingFiles { directory, asked: RefCell::default() };
    let result = mbs_symbolic::compile(name, source, &loader, options).map_err(Failure::Rejected);
    CompiledFile { result, files: loader.asked.into_inner() }
}

/// Files beside the model, and which of them were asked for.
struct SiblingFiles<'a> {
    directory: &'a Path,
    asked: RefCell<Vec<PathBuf>>,
}

impl Loader for SiblingFiles<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        let path = self.directory.join(path);
        let text = text_of(&path, limits::TABLE_BYTES).map_err(|error| error.to_string());
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&path) {
            asked.push(path);
        }
        text
    }
}

/// The text of a file, at most one byte more than `limit`: enough for the compiler to
/// say that it is too long, without reading what has no end.
fn text_of(path: &Path, limit: usize) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    decode(bytes, limit).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
