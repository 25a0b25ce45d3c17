//! Where a model is wrong, said so that its author can mend it.
//!
//! A stage reports everything it finds as [`Diagnostics`]; each [`Diagnostic`] is a
//! typed [`Problem`] with a stable code, a place, and help in the user's words.

mod decode;
mod diagnostic;
mod explain;
mod group;
mod problem;
mod render;
mod source;
mod span;

pub use decode::{NotUtf8, decode};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use explain::{Explanation, codes, explanations, sections};
pub use problem::Problem;
pub use render::{Style, render, render_with};
pub use source::{Position, Quoting, SourceFile, Sources};
pub use span::{FileId, Span};
