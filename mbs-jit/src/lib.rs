//! Programs that run: the equations of a model as a [`System`], without a compiler for
//! Rust at hand.
//!
//! ```text
//! Program ──> Native        code in memory, where Cranelift knows the machine
//!         └─> Interpreted   one instruction at a time, anywhere
//! ```
//!
//! [`system`] chooses. Both give the same bits: elementary functions and tables are
//! those of `mbs-math` in either case, and no operation is fused or re-associated. (What
//! a NaN carries beside being one is left to the processor.)
//!
//! Calls neither keep state nor allocate, except that a thread's first call of a long
//! function may make room for intermediate values, which then stays with the thread.
#![expect(unsafe_code, reason = "calls code that was compiled at run time")]

mod call;
mod derivatives;
#[cfg(feature = "verify")]
mod exact;
mod interpret;
mod layout;
mod model;
// The targets Cranelift writes code for; the manifest names the same.
#[cfg_attr(
    not(all(
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64", target_arch = "s390x")
    )),
    path = "unsupported.rs"
)]
mod native;

pub use call::call;
#[cfg(feature = "verify")]
pub use exact::Exact;
pub use interpret::{Instructions, Interpreted};
pub use model::{Engine, Model, Read};
pub use native::{Native, NativeCode};

use mbs_runtime::System;
use mbs_symbolic::program::Program;
use std::fmt;

/// Why a program is interpreted and not compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    reason: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the equations are interpreted, ten to forty times slower than native code: {}",
            self.reason
        )
    }
}

impl std::error::Error for Warning {}

/// The program, ready to run: compiled to native code if this machine allows it, else
/// interpreted, with the reason.
///
/// # Panics
/// If the program does not pass [`mbs_symbolic::program::verify`]; what the compiler
/// makes does.
pub fn system(program: &Program) -> (Box<dyn System>, Option<Warning>) {
    match Native::new(program) {
        Ok(native) => (Box::new(native), None),
        Err(warning) => (Box::new(Interpreted::new(program)), Some(warning)),
    }
}

/// As [`system`], for a program without a Jacobian: `derive` gives the program of the same model
/// with it when a Jacobian is first asked for, or nothing if there is none to be had.
///
/// # Panics
/// As [`system`].
pub fn system_with_derivatives(
    program: &Program,
    derive: impl Fn() -> Option<Program> + Send + Sync + 'static,
) -> (Box<dyn System>, Option<Warning>) {
    match Native::new(program) {
        Ok(native) => (Box::new(native.with_derivatives(derive)), None),
        Err(warning) => (Box::new(Interpreted::new(program).with_derivatives(derive)), Some(warning)),
    }
}
