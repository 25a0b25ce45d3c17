//! Hostile and random input for the readers and the compiler.
//!
//! The usual fuzzers need a nightly toolchain; this is a small one of our own on stable Rust.
//! It mutates a corpus, which is the models, robots and broken files of the repository, and keeps
//! a mutant if it behaves in a way not seen before: another set of diagnostics, other elements,
//! another order of size. Everything follows from the seed.
//!
//! A finding is a panic, an overflow of the stack, a run that takes too long, or a broken
//! promise: a model that was accepted and gives values that are not finite, a robot whose import is
//! not accepted. Findings become files under `regressions/`, which the tests replay.

pub mod corpus;
pub mod driver;
pub mod generate;
pub mod mutate;
pub mod random;
pub mod targets;
