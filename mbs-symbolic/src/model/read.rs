//! Reading a model from its text.

use super::urdf::{self, UrdfOptions};
use super::{Model, expand, resolve, tree};
use crate::diag::{Diagnostics, FileId, Problem, Sources, Span};
use crate::ids::{BodyId, JointId};

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
    /// Of a model with mistakes, what later stages can still judge.
    pub fragment: Option<Box<Fragment>>,
}

/// A model with mistakes whose bodies and joints are known well enough to look at how
/// they hang together; see [`crate::all_problems`].
#[derive(Debug)]
pub struct Fragment {
    pub(crate) model: Model,
    /// Joints that are wrong, with the bodies they were probably meant to connect.
    pub(crate) broken_joints: Vec<(JointId, Vec<BodyId>)>,
}

/// Reads the model in `source`, in YAML or URDF. `name` is the file's name in messages; files
/// the model names are asked from `loader`.
pub fn read(name: &str, source: &str, loader: &dyn Loader) -> Reading {
    read_with(name, source, loader, UrdfOptions::default())
}

/// As [`read`]; `options` say how a robot in URDF becomes a model. They change no model in YAML,
/// which is warned of where it would be another one.
pub fn read_with(name: &str, source: &str, loader: &dyn Loader, options: UrdfOptions) -> Reading {
    if urdf::is_urdf(source) {
        return urdf::read_urdf(name, source, options);
    }
    let mut reading = read_yaml(name, source, loader);
    if options.floating_base
        && let Ok((_, found)) = &mut reading.result
    {
        found.warning(Span::default(), Problem::FloatingBaseOfModel {});
    }
    reading
}

fn read_yaml(name: &str, source: &str, loader: &dyn Loader) -> Reading {
    let mut sources = Sources::new();
    sources.add(name, source);
    let (result, fragment) = match tree::read(source, FileId(0)) {
        Ok((root, mut problems)) => {
            let (expanded, found) = expand::expand(root, &mut sources, loader);
            // Of a tree with holes everything else would be said to be missing.
            if found.has_errors() {
                problems.append(found);
                problems.sort();
                (Err(problems), None)
            } else {
                problems.append(found);
                match resolve::resolve(&expanded, problems, &mut sources, loader) {
                    Ok(read) => (Ok(read), None),
                    Err((problems, fragment)) => (Err(problems), fragment),
                }
            }
        }
        Err(problems) => (Err(problems), None),
    };
    Reading { sources, result, fragment }
}
