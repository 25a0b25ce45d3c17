//! One file per command.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod equations;
pub(crate) mod equilibrium;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod explain_code;
pub(crate) mod fmt;
pub(crate) mod generate;
pub(crate) mod graph;
pub(crate) mod import;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod picture;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod stats;
pub(crate) mod sweep;
pub(crate) mod verify;
