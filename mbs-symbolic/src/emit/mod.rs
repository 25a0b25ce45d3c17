//! Stage 7: [`Program`](crate::program::Program) → text.
