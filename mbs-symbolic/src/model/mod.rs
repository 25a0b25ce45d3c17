//! Stage 1: source text → [`Model`].
//!
//! A [`Model`] is the mechanism as its author wrote it, with every name resolved
//! to an id and every formula parsed. Nothing is expanded: a joint keeps its type,
//! a force its law. Frames are the user's own; the frames equations are computed in
//! are chosen later.
//!
//! What holds afterwards: all ids are valid; `bodies[0]` is ground; the reference
//! frame of body `bN` is frame `fN` and has zero position and no rotation; every
//! [`Formula`] contains only what its place allows (see [`Scope`]); derived
//! parameters and variables refer only to earlier entries of their order.

mod builtin;
mod evaluate;
mod expand;
mod format;
mod formula;
mod frame_name;
pub mod language;
mod layout;
mod lexer;
pub mod limits;
mod names;
mod no_yaml;
mod parser;
pub mod place;
mod reactions;
mod read;
mod repair;
mod resolve;
mod scalar;
pub mod setting;
mod suggest;
mod table;
mod tree;
mod types;
mod units;
pub mod urdf;

pub use evaluate::Defaults;
pub use format::format;
pub use formula::{BinaryOperator, Comparison, Formula, Function, Query, Term, TermId, TermKind};
pub use names::rust_name;
pub use read::{Fragment, Loader, NoFiles, Reading, read, read_with};
pub(crate) use resolve::{INERTIA_NOT_POSITIVE, least_eigenvalue, negative_moment};
pub use suggest::nearest;
pub use table::pieces;
pub use types::*;
pub use units::{Dimension, Unit, UnknownUnit, parse as unit};
