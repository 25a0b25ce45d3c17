//! Programs as native code in memory, made with Cranelift.

mod arithmetic;
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
use crate::model::{Engine, Model, N_RESULTS, Read};
use compile::{Code, Compiled, Failed};
use frame::Frame;
use mbs_runtime::At;
use mbs_symbolic::program::{FunctionKind, Program, ProgramTable};
use std::fmt;
use std::mem::MaybeUninit;

/// A program compiled to native code, which is freed with it.
///
/// Values that travel between pieces of a long function are on the caller's stack; a
/// model that needs more than 8 KiB uses memory of the calling thread, allocated in its
/// first call.
pub type Native = Model<NativeCode>;

/// The code of a [`Native`] program.
pub struct NativeCode {
    /// By [`FunctionKind`].
    functions: [Compiled; FunctionKind::ALL.len()],
    prepare: Compiled,
    tables: Vec<ProgramTable>,
    /// What the pointers in `functions` point into; declared last, dropped last.
    _code: Code,
}

/// Most instructions and stores of a compiled function: long enough that few values cross a
/// cut, short enough that the time to compile grows linearly.
const MAX_PIECE: usize = 1100;

impl Native {
    /// Compiles `program`, or says why this machine cannot.
    ///
    /// # Panics
    /// If the program does not pass [`mbs_symbolic::program::verify`]; what the
    /// compiler makes does.
    pub fn new(program: &Program) -> Result<Self, Warning> {
        Self::with_pieces(program, MAX_PIECE)
    }

    fn with_pieces(program: &Program, length: usize) -> Result<Self, Warning> {
        Model::with_engine(program, |program| {
            let (mut functions, code) =
                compile::compile(program, length).map_err(|Failed(reason)| Warning { reason })?;
            let prepare = functions.pop().expect("`prepare` is always there");
            let functions = functions.try_into().expect("a verified program has a function of each kind");
            Ok(NativeCode { functions, prepare, tables: program.tables.clone(), _code: code })
        })
    }
}

impl NativeCode {
    /// Runs one function. Results listed as `clean` have their zeros already.
    ///
    /// # Safety
    /// As [`Engine::run`].
    #[inline(always)]
    unsafe fn call<const N: usize>(
        &self,
        function: &Compiled,
        read: Read<'_>,
        results: [&mut [f64]; N],
        clean: &[usize],
    ) {
        let Read { at, v_dot, lambda } = read;
        // Written where it is read: copies of what was just written wait for it.
        let mut frame = Frame {
            t: at.t,
            p: at.p.as_ptr(),
            v: at.v.as_ptr(),
            x: at.x.as_ptr(),
            u: at.u.as_ptr(),
            modes: at.modes.as_ptr(),
            prepared: at.prepared.as_ptr(),
            v_dot: v_dot.as_ptr(),
            lambda: lambda.as_ptr(),
            tables: self.tables.as_ptr(),
            scratch: std::ptr::null_mut(),
            results: [MaybeUninit::uninit(); N_RESULTS],
        };
        for (block, result) in results.into_iter().enumerate() {
            if function.zeroes && function.zeroed[block] && !clean.contains(&block) {
                result.fill(0.0);
            }
            frame.results[block].write(result.as_mut_ptr());
        }
        scratch::with_scratch(function.n_scratch, |scratch| {
            frame.scratch = scratch;
            for piece in &function.pieces {
                // SAFETY: the code is that of this program and lives as long as `self`.
                // It reads and writes only entries that the verified program names, all
                // within the lengths our caller has checked, and places of the scratch
                // array below `n_scratch`, each written before it is read. Results are
                // exclusive borrows, so nothing it reads changes meanwhile.
                unsafe { piece(&frame) };
            }
        });
    }
}

impl Engine for NativeCode {
    unsafe fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {
        let (head, tail) = prepared.split_at_mut(theta.len());
        head.copy_from_slice(theta);
        let at = At { t: 0.0, p: &[], v: &[], x: &[], u: &[], modes: &[], prepared: theta };
        let read = Read { at: &at, v_dot: &[], lambda: &[] };
        // SAFETY: `prepare` reads nothing but θ and fills what follows it, whose lengths
        // our caller has checked.
        unsafe { self.call(&self.prepare, read, [tail], &[]) };
    }

    #[inline(always)]
    unsafe fn run<const N: usize>(
        &self,
        kind: FunctionKind,
        read: Read<'_>,
        results: [&mut [f64]; N],
        clean: &[usize],
    ) {
        // SAFETY: our caller promises what `call` asks for.
        unsafe { self.call(&self.functions[kind as usize], read, results, clean) };
    }
}

impl fmt::Debug for NativeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces: usize = self.functions.iter().map(|function| function.pieces.len()).sum();
        f.debug_struct("NativeCode").field("pieces", &pieces).finish_non_exhaustive()
    }
}
