//! What compiled code is given: one pointer to a record of pointers.
//!
//! One argument keeps the signature of all functions the same, whatever they read.

use mbs_symbolic::program::ProgramTable;
use mbs_symbolic::straight_line::Argument;
use std::mem::{MaybeUninit, offset_of};

use crate::model::N_RESULTS;

/// Everything compiled code reads and writes.
#[repr(C)]
pub(super) struct Frame {
    pub(super) t: f64,
    pub(super) p: *const f64,
    pub(super) v: *const f64,
    pub(super) x: *const f64,
    pub(super) u: *const f64,
    pub(super) modes: *const bool,
    pub(super) prepared: *const f64,
    pub(super) v_dot: *const f64,
    pub(super) lambda: *const f64,
    pub(super) tables: *const ProgramTable,
    /// Values that travel from one piece to a later one.
    pub(super) scratch: *mut f64,
    /// Those that a function has.
    pub(super) results: [MaybeUninit<*mut f64>; N_RESULTS],
}

/// One compiled piece of a function.
pub(super) type PieceFn = unsafe extern "C" fn(*const Frame);

/// An array of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Array {
    Argument(Argument),
    Tables,
    Scratch,
    Result(usize),
}

impl Array {
    /// How many there are.
    pub(super) const COUNT: usize = Argument::COUNT + 2 + N_RESULTS;

    /// A number of its own, below [`Self::COUNT`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Argument(argument) => argument as usize,
            Self::Tables => Argument::COUNT,
            Self::Scratch => Argument::COUNT + 1,
            Self::Result(block) => Argument::COUNT + 2 + block,
        }
    }

    /// Where its pointer is in the frame, in bytes; of [`Argument::Time`], the number itself.
    pub(super) fn offset(self) -> usize {
        match self {
            Self::Argument(argument) => match argument {
                Argument::Time => offset_of!(Frame, t),
                Argument::P => offset_of!(Frame, p),
                Argument::V => offset_of!(Frame, v),
                Argument::X => offset_of!(Frame, x),
                Argument::U => offset_of!(Frame, u),
                Argument::Modes => offset_of!(Frame, modes),
                Argument::Prepared => offset_of!(Frame, prepared),
                Argument::VDot => offset_of!(Frame, v_dot),
                Argument::Lambda => offset_of!(Frame, lambda),
            },
            Self::Tables => offset_of!(Frame, tables),
            Self::Scratch => offset_of!(Frame, scratch),
            Self::Result(block) => offset_of!(Frame, results) + block * size_of::<*mut f64>(),
        }
    }
}
