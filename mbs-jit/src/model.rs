//! What both ways of running a program have in common: its layout, and the check of
//! every slice before every call.

use crate::layout::layout;
use mbs_runtime::{Accelerated, At, Energy, Fused, Layout, NotGenerated, System, wrong_length};
use mbs_symbolic::expr::Symbol;
use mbs_symbolic::program::{Function, FunctionKind, Operand, Program, verify};

/// Runs the functions of one program on slices whose lengths have been checked.
pub trait Engine: Send + Sync {
    /// Fills `prepared` from θ.
    ///
    /// # Safety
    /// Both slices have the lengths the program says.
    unsafe fn prepare(&self, theta: &[f64], prepared: &mut [f64]);

    /// Runs one function; `results` has one slice per quantity it fills, in order. What is always
    /// zero in those that are listed as `clean` is zero already.
    ///
    /// # Safety
    /// The slices of `read` that the function reads, and all `results`, have the
    /// lengths the program says.
    unsafe fn run<const N: usize>(
        &self,
        kind: FunctionKind,
        read: Read<'_>,
        results: [&mut [f64]; N],
        clean: &[usize],
    );
}

/// What a function reads. Where a model is evaluated stays with the caller: it has been written a
/// moment ago number by number, and a copy in larger pieces would wait for that.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// Where.
    pub at: &'a At<'a>,
    /// v'.
    pub v_dot: &'a [f64],
    /// λ.
    pub lambda: &'a [f64],
}

impl<'a> Read<'a> {
    fn at(at: &'a At<'a>) -> Self {
        Self { at, v_dot: &[], lambda: &[] }
    }
}

/// A program that runs: a [`System`] made at run time.
///
/// Made by `Interpreted::new` and `Native::new`. Parameters are an argument of
/// [`System::prepare`], so other values need no other model.
#[derive(Debug)]
pub struct Model<E> {
    layout: Layout,
    n_theta: usize,
    has_jacobian: bool,
    has_accelerations: bool,
    /// By [`FunctionKind`].
    functions: Vec<Lengths>,
    engine: E,
}

/// The slices of [`Read`]: p, v, x, u, modes, prepared, v', λ.
const N_INPUTS: usize = 8;
/// The first of them are those of [`At`].
const N_AT: usize = 6;
/// Most arrays one function fills.
pub(crate) const N_RESULTS: usize = 6;
/// The length of an input that may have any.
const ANY: usize = usize::MAX;

/// The lengths a function relies on.
#[derive(Debug)]
struct Lengths {
    /// Of each input, or [`ANY`].
    inputs: [usize; N_INPUTS],
    /// Of the results it has.
    results: [usize; N_RESULTS],
    n_results: usize,
}

impl Lengths {
    fn new(program: &Program, kind: FunctionKind) -> Self {
        let function = program.function(kind);
        let layout = &program.layout;
        let mut inputs = [
            layout.positions.len(),
            layout.velocities.len(),
            layout.states.len(),
            layout.inputs.len(),
            layout.modes.len(),
            program.n_prepared(),
            layout.velocities.len(),
            layout.rows.len(),
        ];
        let mut needed = reads(function);
        let n_results = function.results.len();
        assert!(n_results <= N_RESULTS, "more results than there is room for");
        let mut results = [0; N_RESULTS];
        for (length, block) in results.iter_mut().zip(&function.results) {
            *length = block.entries.len();
        }
        // A state of the wrong size is refused even where nothing is read of it, as
        // long as there is anything to compute from it.
        let from_state = !kind.is_per_parameter_set() && kind != FunctionKind::InputDefaults;
        if from_state && results != [0; N_RESULTS] {
            needed[..N_AT].fill(true);
        }
        for (length, needed) in inputs.iter_mut().zip(needed) {
            if !needed {
                *length = ANY;
            }
        }
        Self { inputs, results, n_results }
    }

    /// Whether all lengths are right. One after the other: taken together they would be read in
    /// larger pieces than they were written, see [`Read`].
    #[inline(always)]
    fn accept<const N: usize>(&self, read: Read<'_>, results: &[&mut [f64]; N]) -> bool {
        let Read { at, v_dot, lambda } = read;
        let fits = |input: usize, given: usize| self.inputs[input] == given || self.inputs[input] == ANY;
        self.n_results == N
            && fits(0, at.p.len())
            && fits(1, at.v.len())
            && fits(2, at.x.len())
            && fits(3, at.u.len())
            && fits(4, at.modes.len())
            && fits(5, at.prepared.len())
            && fits(6, v_dot.len())
            && fits(7, lambda.len())
            && results.iter().zip(self.results).all(|(result, length)| result.len() == length)
    }
}

/// Which inputs a function reads.
fn reads(function: &Function) -> [bool; N_INPUTS] {
    let mut reads = [false; N_INPUTS];
    let operands = function.body.iter().flat_map(|instruction| instruction.operands().iter().copied());
    for operand in operands.chain(function.entries()) {
        let input = match operand {
            Operand::Constant(_) | Operand::Value(_) | Operand::Symbol(Symbol::Time) => continue,
            Operand::Symbol(Symbol::P(_)) => 0,
            Operand::Symbol(Symbol::V(_)) => 1,
            Operand::Symbol(Symbol::X(_)) => 2,
            Operand::Symbol(Symbol::U(_)) => 3,
            Operand::Symbol(Symbol::Mode(_)) => 4,
            Operand::Symbol(Symbol::Theta(_)) | Operand::Prepared(_) => 5,
            Operand::Symbol(Symbol::VDot(_)) => 6,
            Operand::Symbol(Symbol::Lambda(_)) => 7,
        };
        reads[input] = true;
    }
    reads
}

impl<E: Engine> Model<E> {
    /// A model; `engine` makes what runs `program`, and may rely on all [`verify`]
    /// checks.
    ///
    /// # Panics
    /// If the program does not hold together.
    pub(crate) fn with_engine<X>(
        program: &Program,
        engine: impl FnOnce(&Program) -> Result<E, X>,
    ) -> Result<Self, X> {
        if let Err(problem) = verify(program) {
            panic!("a program that does not hold together: {problem}");
        }
        Ok(Self {
            layout: layout(program),
            n_theta: program.layout.parameters.len(),
            has_jacobian: program.has(FunctionKind::Jacobian),
            has_accelerations: program.has(FunctionKind::Accelerations),
            functions: FunctionKind::ALL.map(|kind| Lengths::new(program, kind)).into(),
            engine: engine(program)?,
        })
    }

    /// Runs a function, or returns false if a slice has the wrong length.
    #[inline(always)]
    fn call<const N: usize>(
        &self,
        kind: FunctionKind,
        read: Read<'_>,
        results: [&mut [f64]; N],
        clean: &[usize],
    ) -> bool {
        const { assert!(N <= N_RESULTS) };
        let accepted = self.functions[kind as usize].accept(read, &results);
        if accepted {
            // SAFETY: `accept` has compared the length of every result and of every
            // input the function reads with the program's.
            unsafe { self.engine.run(kind, read, results, clean) };
        }
        accepted
    }

    #[inline(always)]
    fn fill(&self, kind: FunctionKind, read: Read<'_>, out: &mut [f64]) {
        if !self.call(kind, read, [&mut *out], &[]) {
            wrong_length(out);
        }
    }

    /// As `fill`, where `out` has its zeros already.
    #[inline(always)]
    fn update(&self, kind: FunctionKind, read: Read<'_>, out: &mut [f64]) {
        if !self.call(kind, read, [&mut *out], &[0]) {
            wrong_length(out);
        }
    }

    #[inline(always)]
    fn fuse(&self, at: &At<'_>, out: &mut Fused<'_>, clean: &[usize]) {
        let results = [
            &mut *out.p_dot,
            &mut *out.mass_matrix,
            &mut *out.forces,
            &mut *out.constraint_jacobian,
            &mut *out.acceleration_bias,
            &mut *out.auxiliary,
        ];
        if !self.call(FunctionKind::Fused, Read::at(at), results, clean) {
            out.wrong_length();
        }
    }
}

/// For functions of parameters and time alone.
fn nowhere(t: f64, prepared: &[f64]) -> At<'_> {
    At { t, p: &[], v: &[], x: &[], u: &[], modes: &[], prepared }
}

macro_rules! fills_one_array {
    ($($name:ident $kind:ident,)*) => {
        $(fn $name(&self, at: &At<'_>, out: &mut [f64]) {
            self.fill(FunctionKind::$kind, Read::at(at), out);
        })*
    };
}

impl<E: Engine> System for Model<E> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {
        if theta.len() != self.n_theta || prepared.len() != self.layout.n_prepared {
            return wrong_length(prepared);
        }
        // SAFETY: both lengths have just been checked.
        unsafe { self.engine.prepare(theta, prepared) };
    }

    fills_one_array! {
        kinematics Kinematics,
        kinematic_matrix KinematicMatrix,
        mass_matrix MassMatrix,
        forces Forces,
        constraints Constraints,
        constraint_jacobian ConstraintJacobian,
        velocity_bias VelocityBias,
        acceleration_bias AccelerationBias,
        auxiliary Auxiliary,
        switching_functions SwitchingFunctions,
        poses Poses,
    }

    fn fused(&self, at: &At<'_>, out: &mut Fused<'_>) {
        self.fuse(at, out, &[]);
    }

    fn update_mass_matrix(&self, at: &At<'_>, out: &mut [f64]) {
        self.update(FunctionKind::MassMatrix, Read::at(at), out);
    }

    fn update_constraint_jacobian(&self, at: &At<'_>, out: &mut [f64]) {
        self.update(FunctionKind::ConstraintJacobian, Read::at(at), out);
    }

    fn update_fused(&self, at: &At<'_>, out: &mut Fused<'_>) {
        // M and G.
        self.fuse(at, out, &[1, 3]);
    }

    fn inverse_dynamics(&self, at: &At<'_>, v_dot: &[f64], out: &mut [f64]) {
        self.fill(FunctionKind::InverseDynamics, Read { v_dot, ..Read::at(at) }, out);
    }

    fn outputs(&self, at: &At<'_>, v_dot: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.fill(FunctionKind::Outputs, Read { at, v_dot, lambda }, out);
    }

    fn energy(&self, at: &At<'_>) -> Energy {
        let mut energy = [0.0; 2];
        self.fill(FunctionKind::Energy, Read::at(at), &mut energy);
        let [kinetic, potential] = energy;
        Energy { kinetic, potential }
    }

    fn input_defaults(&self, t: f64, prepared: &[f64], u: &mut [f64]) {
        self.fill(FunctionKind::InputDefaults, Read::at(&nowhere(t, prepared)), u);
    }

    fn initial(&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        let at = nowhere(0.0, prepared);
        if !self.call(FunctionKind::Initial, Read::at(&at), [&mut *p, &mut *v, &mut *x], &[]) {
            v.fill(f64::NAN);
            x.fill(f64::NAN);
            wrong_length(p);
        }
    }

    fn derived(&self, prepared: &[f64], out: &mut [f64]) {
        self.fill(FunctionKind::Derived, Read::at(&nowhere(0.0, prepared)), out);
    }

    fn jacobian(
        &self,
        at: &At<'_>,
        v_dot: &[f64],
        lambda: &[f64],
        out: &mut [f64],
    ) -> Result<(), NotGenerated> {
        if !self.has_jacobian {
            return Err(NotGenerated);
        }
        self.fill(FunctionKind::Jacobian, Read { at, v_dot, lambda }, out);
        Ok(())
    }

    fn accelerations(&self, at: &At<'_>, out: &mut Accelerated<'_>) -> Result<(), NotGenerated> {
        if !self.has_accelerations {
            return Err(NotGenerated);
        }
        let results =
            [&mut *out.p_dot, &mut *out.v_dot, &mut *out.lambda, &mut *out.auxiliary, &mut *out.pivots];
        if !self.call(FunctionKind::Accelerations, Read::at(at), results, &[]) {
            out.wrong_length();
        }
        Ok(())
    }
}
