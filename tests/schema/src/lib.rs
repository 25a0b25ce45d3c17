//! Nothing but tests; see `tests/schema.rs`.
