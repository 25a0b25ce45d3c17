//! Stage 7: equations and programs as text.

pub mod latex;
pub mod readable;
pub mod text;
