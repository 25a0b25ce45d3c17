//! Every model of the workspace, compiled once for all tests.
#![deny(warnings, missing_docs)]

#[macro_use]
mod typed;

pub use typed::Typed;

use mbs_runtime::System;

include!(concat!(env!("OUT_DIR"), "/all_models.rs"));
