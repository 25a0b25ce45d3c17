//! In place of native code on machines Cranelift knows nothing of.

use crate::Warning;
use crate::model::{Engine, Model, Read};
use mbs_symbolic::program::{FunctionKind, Program};

/// A program compiled to native code: there is none on this machine.
pub type Native = Model<NativeCode>;

/// The code of a [`Native`] program: there is none on this machine.
#[derive(Debug)]
pub enum NativeCode {}

impl Native {
    /// Says why this machine cannot compile `program`.
    pub fn new(_: &Program) -> Result<Self, Warning> {
        Err(Warning { reason: "there is no code generator for this processor".into() })
    }
}

impl Engine for NativeCode {
    unsafe fn prepare(&self, _: &[f64], _: &mut [f64]) {
        match *self {}
    }

    unsafe fn run<const N: usize>(&self, _: FunctionKind, _: Read<'_>, _: [&mut [f64]; N], _: &[usize]) {
        match *self {}
    }
}
