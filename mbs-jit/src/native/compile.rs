//! From a program to code in memory.
//!
//! Pieces do not depend on each other, so several threads compile them; what they give
//! is put together in order, the same on every run.

use super::frame::PieceFn;
use super::lower::{self, Target};
use super::plan::{Piece, Plan};
use super::shims::Shim;
use super::trig;
use crate::model::N_RESULTS;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, ModuleReloc, default_libcall_names};
use mbs_symbolic::program::{MAX_RUN, Program};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// One function in memory.
#[derive(Debug)]
pub(super) struct Compiled {
    /// Its pieces, to be run in order.
    pub(super) pieces: Vec<PieceFn>,
    /// Length of the scratch array they share.
    pub(super) n_scratch: usize,
    /// Whether each result is to be zeroed before, and whether any is.
    pub(super) zeroed: [bool; N_RESULTS],
    pub(super) zeroes: bool,
}

/// The memory compiled code is in; freed when dropped.
///
/// The module itself is never used again: the lock only makes it shareable.
pub(super) struct Code(Mutex<Option<JITModule>>);

impl Code {
    fn module(&mut self) -> &mut JITModule {
        let module = self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        module.as_mut().expect("only Drop takes the module")
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let module = self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(module) = module {
            // SAFETY: the pointers to the code are private to the engine that owns this
            // memory, are called only through a borrow of it, and go with it.
            unsafe { module.free_memory() };
        }
    }
}

/// Why there is no code.
#[derive(Debug)]
pub(super) struct Failed(pub(super) String);

impl From<ModuleError> for Failed {
    fn from(error: ModuleError) -> Self {
        Self(error.to_string())
    }
}

impl From<CodegenError> for Failed {
    fn from(error: CodegenError) -> Self {
        Self(error.to_string())
    }
}

/// Compiles all functions of a verified program in pieces of at most about `length`
/// instructions; `prepare` comes last.
pub(super) fn compile(program: &Program, length: usize) -> Result<(Vec<Compiled>, Code), Failed> {
    let functions = || program.functions.iter().chain([&program.prepare]);
    let longest = functions().flat_map(|function| &function.results).map(|block| block.entries.len()).max();
    if longest.unwrap_or(0).max(program.n_prepared()) > i32::MAX as usize / size_of::<f64>() {
        return Err(Failed("an array is longer than 2 GiB".into()));
    }
    let isa = isa()?;
    let mut builder = JITBuilder::with_isa(isa.clone(), default_libcall_names());
    builder.symbols(Shim::ALL.map(|shim| (shim.name(), shim.address())));
    let mut code = Code(Mutex::new(Some(JITModule::new(builder))));
    let module = code.module();
    let mut shims = Vec::new();
    for shim in Shim::ALL {
        let signature = shim.signature(isa.default_call_conv(), isa.pointer_type());
        shims.push(module.declare_function(shim.name(), Linkage::Import, &signature)?);
    }

    let plans: Vec<Plan<'_>> = functions().map(|function| Plan::new(function, length)).collect();
    let mut jobs = Vec::new();
    let signature = lower::signature(&*isa);
    for plan in &plans {
        for piece in &plan.pieces {
            jobs.push(Job { plan, piece, id: module.declare_anonymous_function(&signature)? });
        }
    }
    let pair = trig::signature(isa.pointer_type());
    let far = module.declare_anonymous_function(&pair)?;
    let mut near = [far; MAX_RUN];
    for near in &mut near {
        *near = module.declare_anonymous_function(&pair)?;
    }
    let target = Target { isa: &*isa, shims: &shims, far, near, n_theta: program.layout.parameters.len() };
    if trig::IS_INLINED {
        let mut building = FunctionBuilderContext::new();
        let write: [(_, fn(&mut _, &mut _, &_)); MAX_RUN + 1] = [
            (far, lower::lower_far),
            (near[0], lower::lower_near::<1>),
            (near[1], lower::lower_near::<2>),
            (near[2], lower::lower_near::<3>),
            (near[3], lower::lower_near::<4>),
        ];
        for (id, lower) in write {
            let mut context = Context::new();
            lower(&mut context, &mut building, &target);
            let bytes = bytes(&mut context, &target, id)?;
            module.define_function_bytes(id, bytes.alignment, &bytes.code, &bytes.relocations)?;
        }
    }
    for (job, bytes) in jobs.iter().zip(run(&jobs, &target)?) {
        module.define_function_bytes(job.id, bytes.alignment, &bytes.code, &bytes.relocations)?;
    }
    module.finalize_definitions()?;

    let mut ids = jobs.iter().map(|job| job.id);
    let compiled = plans.iter().map(|plan| Compiled {
        pieces: ids.by_ref().take(plan.pieces.len()).map(|id| entry(module, id)).collect(),
        n_scratch: plan.line.n_slots,
        zeroed: std::array::from_fn(|block| plan.is_zeroed(block)),
        zeroes: (0..N_RESULTS).any(|block| plan.is_zeroed(block)),
    });
    let compiled = compiled.collect();
    Ok((compiled, code))
}

fn entry(module: &JITModule, id: FuncId) -> PieceFn {
    let address = module.get_finalized_function(id);
    // SAFETY: the code at this address was compiled with the signature and calling
    // convention of `PieceFn`, see `lower::signature`.
    unsafe { std::mem::transmute::<*const u8, PieceFn>(address) }
}

/// The machine this runs on.
fn isa() -> Result<OwnedTargetIsa, Failed> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    // Code in memory is not position independent, and calls reach any distance.
    let chosen = [
        ("opt_level", "none"),
        ("enable_verifier", verify),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
    ];
    for (name, value) in chosen {
        flags.set(name, value).map_err(|error| Failed(error.to_string()))?;
    }
    let native = cranelift_native::builder().map_err(|reason| Failed(reason.to_owned()))?;
    Ok(native.finish(settings::Flags::new(flags))?)
}

/// One piece to compile.
struct Job<'a> {
    plan: &'a Plan<'a>,
    piece: &'a Piece,
    id: FuncId,
}

/// One compiled piece.
struct Bytes {
    alignment: u64,
    code: Vec<u8>,
    relocations: Vec<ModuleReloc>,
}

/// Instructions for which another thread is worth its start.
const WORTH_A_THREAD: usize = 1000;

/// Compiles all pieces, on several threads if there is enough to do; in order.
fn run(jobs: &[Job<'_>], target: &Target<'_>) -> Result<Vec<Bytes>, Failed> {
    let work: usize = jobs.iter().map(|job| job.plan.length(job.piece)).sum();
    let available = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = available.min(1 + work / WORTH_A_THREAD);
    let next = AtomicUsize::new(0);
    let worker = || {
        let (mut context, mut building) = (Context::new(), FunctionBuilderContext::new());
        let mut done = Vec::new();
        while let Some((index, job)) = take(&next, jobs) {
            done.push((index, compile_one(job, target, &mut context, &mut building)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut done = worker();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

fn compile_one(
    job: &Job<'_>,
    target: &Target<'_>,
    context: &mut Context,
    building: &mut FunctionBuilderContext,
) -> Result<Bytes, Failed> {
    context.clear();
    lower::lower(context, building, target, job.plan, job.piece);
    bytes(context, target, job.id)
}

/// Compiles the function in `context`.
fn bytes(context: &mut Context, target: &Target<'_>, id: FuncId) -> Result<Bytes, Failed> {
    context.compile(target.isa, &mut ControlPlane::default()).map_err(|error| error.inner)?;
    let compiled = context.compiled_code().expect("just compiled");
    let relocations = compiled.buffer.relocs().iter();
    Ok(Bytes {
        alignment: u64::from(compiled.buffer.alignment),
        code: compiled.code_buffer().to_vec(),
        relocations: relocations
            .map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, id))
            .collect(),
    })
}
