//! Programs as native code in memory, made with Cranelift.

mod compile;
mod frame;
mod lower;
mod plan;
mod scratch;
mod shims;
#[cfg(test)]
mod tests;
mod trig;

use crate::Warning;
use crate::model::{Engine, Model, N_RESULTS};
use compile::{Code, Compiled, Failed};
use frame::Frame;
use mbs_symbolic::program::{FunctionKind, Inputs, Program, ProgramTable};
use std::fmt;

/// A program compiled to native code, which is freed with it.
///
/// Values that travel between chunks of a long function are on the caller's stack; a
/// model that needs more than 8 KiB uses memory of the calling thread, allocated in its
/// first call.
pub type Native = Model<NativeCode>;

/// The code of a [`Native`] program.
pub struct NativeCode {
    /// By [`FunctionKind`], and `prepare` at the end.
    functions: Vec<Compiled>,
    tables: Vec<ProgramTable>,
    /// What the pointers in `functions` point into; declared last, dropped last.
    _code: Code,
}

/// Instructions and stores per compiled function: long enough that few values cross a
/// cut, short enough that the time to compile grows linearly.
const CHUNK: usize = 500;

impl Native {
    /// Compiles `program`, or says why this machine cannot.
    ///
    /// # Panics
    /// If the program does not pass [`mbs_symbolic::program::verify`]; what the
    /// compiler makes does.
    pub fn new(program: &Program) -> Result<Self, Warning> {
        Self::with_chunks(program, CHUNK)
    }

    fn with_chunks(program: &Program, length: usize) -> Result<Self, Warning> {
        Model::with_engine(program, |program| {
            let (functions, code) =
                compile::compile(program, length).map_err(|Failed(reason)| Warning { reason })?;
            Ok(NativeCode { functions, tables: program.tables.clone(), _code: code })
        })
    }
}

impl NativeCode {
    /// Runs one function. Results listed as `clean` have their zeros already.
    ///
    /// # Safety
    /// As [`Engine::run`].
    #[inline]
    unsafe fn call(
        &self,
        function: &Compiled,
        inputs: &Inputs<'_>,
        results: &mut [&mut [f64]],
        clean: &[usize],
    ) {
        for &block in function.zeroed.iter().filter(|block| !clean.contains(block)) {
            results[block].fill(0.0);
        }
        let mut pointers = [std::ptr::null_mut(); N_RESULTS];
        for (pointer, result) in pointers.iter_mut().zip(results) {
            *pointer = result.as_mut_ptr();
        }
        scratch::with_scratch(function.n_scratch, |scratch| {
            let frame = Frame {
                t: inputs.t,
                p: inputs.p.as_ptr(),
                v: inputs.v.as_ptr(),
                x: inputs.x.as_ptr(),
                u: inputs.u.as_ptr(),
                modes: inputs.modes.as_ptr(),
                prepared: inputs.prepared.as_ptr(),
                v_dot: inputs.v_dot.as_ptr(),
                lambda: inputs.lambda.as_ptr(),
                tables: self.tables.as_ptr(),
                scratch,
                results: pointers,
            };
            for chunk in &function.chunks {
                // SAFETY: the code is that of this program and lives as long as `self`.
                // It reads and writes only entries that the verified program names, all
                // within the lengths our caller has checked, and places of the scratch
                // array below `n_scratch`, each written before it is read. Results are
                // exclusive borrows, so nothing it reads changes meanwhile.
                unsafe { chunk(&frame) };
            }
        });
    }
}

impl Engine for NativeCode {
    unsafe fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {
        let (head, tail) = prepared.split_at_mut(theta.len());
        head.copy_from_slice(theta);
        let inputs = Inputs { prepared: theta, ..Inputs::default() };
        // SAFETY: `prepare` reads nothing but θ and fills what follows it, whose lengths
        // our caller has checked.
        unsafe { self.call(&self.functions[FunctionKind::ALL.len()], &inputs, &mut [tail], &[]) };
    }

    #[inline]
    unsafe fn run(
        &self,
        kind: FunctionKind,
        inputs: &Inputs<'_>,
        results: &mut [&mut [f64]],
        clean: &[usize],
    ) {
        // SAFETY: our caller promises what `call` asks for.
        unsafe { self.call(&self.functions[kind as usize], inputs, results, clean) };
    }
}

impl fmt::Debug for NativeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chunks: usize = self.functions.iter().map(|function| function.chunks.len()).sum();
        f.debug_struct("NativeCode").field("chunks", &chunks).finish_non_exhaustive()
    }
}
