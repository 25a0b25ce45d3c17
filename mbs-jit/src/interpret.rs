//! Programs one instruction at a time: for targets without native code, and as the
//! reference native code is compared with.

use crate::model::{Engine, Model, Read};
use mbs_runtime::At;
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Program};
use std::cell::RefCell;
use std::convert::Infallible;

/// A program that is interpreted: slow, but runs anywhere.
pub type Interpreted = Model<Instructions>;

/// The instructions of an [`Interpreted`] program.
#[derive(Debug)]
pub struct Instructions {
    program: Program,
}

thread_local! {
    /// Values of the instructions of one call. A model holds no memory of its own that
    /// calls could share, so each thread has one scratch for all models; it grows to the
    /// longest function the thread has run and is then never allocated again.
    static SCRATCH: RefCell<Interpreter> = RefCell::default();
}

impl Interpreted {
    /// The program, ready to run.
    ///
    /// # Panics
    /// If the program does not pass [`mbs_symbolic::program::verify`]; what the
    /// compiler makes does.
    pub fn new(program: &Program) -> Self {
        let instructions = |program: &Program| Ok::<_, Infallible>(Instructions { program: program.clone() });
        let Ok(model) = Model::with_engine(program, instructions);
        model
    }
}

impl Engine for Instructions {
    unsafe fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {
        SCRATCH.with_borrow_mut(|scratch| scratch.prepare(&self.program, theta, prepared));
    }

    unsafe fn run<const N: usize>(
        &self,
        kind: FunctionKind,
        read: Read<'_>,
        mut results: [&mut [f64]; N],
        _: &[usize],
    ) {
        let Read { at: &At { t, p, v, x, u, modes, prepared }, v_dot, lambda } = read;
        let inputs = Inputs { t, p, v, x, u, modes, prepared, v_dot, lambda };
        SCRATCH.with_borrow_mut(|scratch| scratch.run(&self.program, kind, &inputs, &mut results));
    }
}
