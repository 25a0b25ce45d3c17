//! Where a model is wrong, said so that its author can mend it.

mod span;

pub use span::{FileId, Span};
