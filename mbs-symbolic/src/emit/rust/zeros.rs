//! Who writes the zeros of an array.
//!
//! Of a large mechanism almost all of M and G is zero. Who calls again and again keeps the arrays
//! and calls the methods `update_…`, which leave the zeros alone.

use super::Scalar;
use crate::emit::Writer;
use crate::program::{Block, FunctionKind, Program};
use crate::straight_line::{Fill, fill};

/// So many zeros of an array are filled in at once.
pub(super) const MIN_FILLED: usize = 3;

/// Whether whoever calls a function sees to the zeros of an array first.
fn zeroed_outside(block: &Block) -> bool {
    fill(block, MIN_FILLED) == Fill::Caller
}

/// Whether a function has another method for arrays that have their zeros.
fn leaves_zeros(program: &Program, kind: FunctionKind) -> bool {
    program.function(kind).results.iter().any(zeroed_outside)
}

/// Whether a method writes the many zeros of M and G, or finds them in the arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Zeros {
    Written,
    AreThere,
}

impl Zeros {
    /// The methods a function has.
    pub(super) fn ways(program: &Program, kind: FunctionKind) -> &'static [Self] {
        if leaves_zeros(program, kind) { &[Self::Written, Self::AreThere] } else { &[Self::Written] }
    }

    /// The name of the method for a function.
    pub(super) fn method(self, kind: FunctionKind) -> String {
        match self {
            Self::Written => kind.name().to_string(),
            Self::AreThere => format!("update_{}", kind.name()),
        }
    }

    /// Fills the arrays whose zeros the inner function leaves to its callers.
    pub(super) fn write(self, out: &mut Writer, program: &Program, kind: FunctionKind, scalar: Scalar) {
        if self == Self::Written {
            let results = program.function(kind).results.iter();
            for block in results.filter(|block| zeroed_outside(block)) {
                out.line(format!("{}.fill({});", block.quantity.name(), scalar.zero()));
            }
        }
    }
}
