//! What compiled code is given: one pointer to a record of pointers.
//!
//! One argument keeps the signature of all functions the same, whatever they read.

use mbs_symbolic::expr::Symbol;
use mbs_symbolic::ids::Id;
use mbs_symbolic::program::{Operand, ProgramTable};
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
    /// Values that travel from one chunk to a later one.
    pub(super) scratch: *mut f64,
    /// Those that a function has.
    pub(super) results: [MaybeUninit<*mut f64>; N_RESULTS],
}

/// One compiled chunk of a function.
pub(super) type Chunk = unsafe extern "C" fn(*const Frame);

/// An array of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Array {
    P,
    V,
    X,
    U,
    Modes,
    Prepared,
    VDot,
    Lambda,
    Tables,
    Scratch,
    Result(usize),
}

impl Array {
    /// How many there are.
    pub(super) const COUNT: usize = 10 + N_RESULTS;

    /// A number of its own, below [`Self::COUNT`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::P => 0,
            Self::V => 1,
            Self::X => 2,
            Self::U => 3,
            Self::Modes => 4,
            Self::Prepared => 5,
            Self::VDot => 6,
            Self::Lambda => 7,
            Self::Tables => 8,
            Self::Scratch => 9,
            Self::Result(block) => 10 + block,
        }
    }

    /// Where its pointer is in the frame, in bytes.
    pub(super) fn offset(self) -> usize {
        match self {
            Self::P => offset_of!(Frame, p),
            Self::V => offset_of!(Frame, v),
            Self::X => offset_of!(Frame, x),
            Self::U => offset_of!(Frame, u),
            Self::Modes => offset_of!(Frame, modes),
            Self::Prepared => offset_of!(Frame, prepared),
            Self::VDot => offset_of!(Frame, v_dot),
            Self::Lambda => offset_of!(Frame, lambda),
            Self::Tables => offset_of!(Frame, tables),
            Self::Scratch => offset_of!(Frame, scratch),
            Self::Result(block) => offset_of!(Frame, results) + block * size_of::<*mut f64>(),
        }
    }
}

/// Where an operand is found at run time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Constant(f64),
    Time,
    Number(Array, usize),
    Mode(usize),
    Value(u32),
}

/// Where an operand is found; the prepared values start with `n_theta` parameters.
pub(super) fn place(operand: Operand, n_theta: usize) -> Place {
    match operand {
        Operand::Constant(bits) => Place::Constant(bits.get()),
        Operand::Prepared(slot) => Place::Number(Array::Prepared, n_theta + slot as usize),
        Operand::Value(index) => Place::Value(index),
        Operand::Symbol(symbol) => match symbol {
            Symbol::Theta(i) => Place::Number(Array::Prepared, i as usize),
            Symbol::Time => Place::Time,
            Symbol::P(i) => Place::Number(Array::P, i as usize),
            Symbol::V(i) => Place::Number(Array::V, i as usize),
            Symbol::X(i) => Place::Number(Array::X, i as usize),
            Symbol::U(i) => Place::Number(Array::U, i as usize),
            Symbol::Mode(id) => Place::Mode(id.index()),
            Symbol::VDot(i) => Place::Number(Array::VDot, i as usize),
            Symbol::Lambda(i) => Place::Number(Array::Lambda, i as usize),
        },
    }
}
