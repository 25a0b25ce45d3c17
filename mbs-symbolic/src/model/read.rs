//! Reading a model from its text.

use super::{Model, expand, resolve, tree};
use crate::diag::{Diagnostics, FileId, Sources};

/// Where the files a model names come from; the compiler itself reads none.
pub trait Loader {
    /// The text of the file the model calls `path`, or why there is none.
    fn load(&self, path: &str) -> Result<String, String>;
}

/// A loader for models that are complete in themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str) -> Result<String, String> {
        Err("no files can be read here".to_owned())
    }
}

/// What reading a model gives.
#[derive(Debug)]
pub struct Reading {
    /// The model file and every file it names that was read, in that order; for
    /// messages, and for build tools that watch files.
    pub sources: Sources,
    /// The model with warnings, or everything that is wrong with it.
    pub result: Result<(Model, Diagnostics), Diagnostics>,
}

/// Reads the model in `source`. `name` is the file's name in messages; files the model
/// names are asked from `loader`.
pub fn read(name: &str, source: &str, loader: &dyn Loader) -> Reading {
    let mut sources = Sources::new();
    sources.add(name, source);
    let result = match tree::read(source, FileId(0)) {
        Ok(root) => {
            let (expanded, mut problems) = expand::expand(root, &mut sources, loader);
            // Of a tree with holes everything else would be said to be missing.
            problems.sort();
            if problems.has_errors() {
                Err(problems)
            } else {
                resolve::resolve(&expanded, &mut sources, loader)
            }
        }
        Err(diagnostic) => Err((*diagnostic).into()),
    };
    Reading { sources, result }
}
