//! URDF → the tree of a model.
//!
//! A robot is read into `robot`'s types with the place of every value, turned into the same
//! tree a YAML file gives (`convert`), and from there on read like any other model. Written
//! down ([`write`]), that tree is what `mbs import` prints: the two ways give the same model.

mod convert;
mod names;
mod prefixes;
mod read;
mod robot;
mod write;
mod xml;

use super::read::Reading;
use super::tree::Node;
use super::{NoFiles, expand, resolve};
use crate::diag::{Diagnostics, Sources};
use crate::{Rejected, all_problems};

/// Angles closer than this to a multiple of π/2 are taken as that, rad; lengths shorter than
/// this as zero, m; products of inertia as zero if they are so small beside the largest moment.
pub const NEAR_EXACT_TOLERANCE: f64 = 1e-10;

/// How a robot becomes a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UrdfOptions {
    /// Take all numbers as they are written, see [`NEAR_EXACT_TOLERANCE`].
    pub keep_dust: bool,
    /// Let the root link move freely; otherwise it is ground.
    pub floating_base: bool,
    /// Accept files with mistakes that other readers of URDF pass over, each with a warning:
    /// inertias that are not positive, elements given twice (the first holds), left-over elements
    /// of xacro, prefixes that are not declared, and `mimic` of a joint that cannot be followed.
    pub lenient: bool,
}

/// A robot as a model file.
#[derive(Debug)]
pub struct Imported {
    /// The model.
    pub yaml: String,
    /// What was left out or renamed, and warnings.
    pub notes: Diagnostics,
    /// The URDF file the notes point into.
    pub sources: Sources,
}

/// Whether `text` is XML, which no model in YAML begins like.
pub(super) fn is_urdf(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// Reads the robot in `source`; `name` is the file's name in messages.
pub fn read_urdf(name: &str, source: &str, options: UrdfOptions) -> Reading {
    let mut sources = Sources::new();
    sources.add(name, source);
    let (result, fragment) = match tree(source, options) {
        Ok((root, notes)) => match model(&root, notes, &mut sources) {
            Ok(read) => (Ok(read), None),
            Err((problems, fragment)) => (Err(problems), fragment),
        },
        Err(problems) => (Err(problems), None),
    };
    Reading { sources, result, fragment }
}

/// Writes the robot in `source` as a model in YAML; `name` is the file's name in messages.
pub fn import(name: &str, source: &str, options: UrdfOptions) -> Result<Imported, Box<Rejected>> {
    let mut sources = Sources::new();
    sources.add(name, source);
    let outcome = tree(source, options).and_then(|(root, notes)| match model(&root, notes, &mut sources) {
        Ok((_, notes)) => Ok((root, notes)),
        Err((found, fragment)) => Err(all_problems(found, fragment.as_deref())),
    });
    match outcome {
        Ok((root, notes)) => {
            let left_out: Vec<String> = notes
                .iter()
                .filter(|note| note.problem.code().starts_with("MBS-X"))
                .map(|note| format!("line {}: {}", sources.position(note.span).line, note.problem))
                .collect();
            let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
            Ok(Imported { yaml: write::yaml(&root, file, &left_out), notes, sources })
        }
        Err(diagnostics) => Err(Box::new(Rejected { diagnostics, sources })),
    }
}

/// The tree of the model, with notes and warnings; or everything that is wrong.
fn tree(source: &str, options: UrdfOptions) -> Result<(Node, Diagnostics), Diagnostics> {
    let (robot, problems) = read::robot(source, options.lenient)?;
    let (root, mut problems) = convert::tree(&robot, options, problems);
    if problems.has_errors() {
        problems.sort();
        return Err(problems);
    }
    Ok((root, problems))
}

/// A robot names no files, so none are asked for.
fn model(root: &Node, mut notes: Diagnostics, sources: &mut Sources) -> resolve::Resolved {
    let (expanded, found) = expand::expand(root.clone(), sources, &NoFiles);
    notes.append(found);
    resolve::resolve(&expanded, notes, sources, &NoFiles)
}
