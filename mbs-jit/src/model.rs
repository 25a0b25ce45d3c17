//! What both ways of running a program have in common: its layout, and the check of
//! every slice before every call.

use crate::layout::layout;
use mbs_runtime::{Accelerated, At, Energy, Fused, Layout, NotGenerated, System, wrong_length};
use mbs_symbolic::expr::Symbol;
use mbs_symbolic::program::{Function, FunctionKind, Inputs, Operand, Program, verify};

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
    /// The slices of `inputs` that the function reads, and all `results`, have the
    /// lengths the program says.
    unsafe fn run(
        &self,
        kind: FunctionKind,
        inputs: &Inputs<'_>,
        results: &mut [&mut [f64]],
        clean: &[usize],
    );
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

/// The slices of [`Inputs`]: p, v, x, u, modes, prepared, v', λ.
const N_INPUTS: usize = 8;
/// The first of them are those of [`At`].
const N_AT: usize = 6;
/// Most arrays one function fills.
pub(crate) const N_RESULTS: usize = 6;

/// The lengths a function relies on.
#[derive(Debug)]
struct Lengths {
    /// Of each input.
    inputs: [usize; N_INPUTS],
    /// All bits for an input it reads, none for one that may have any length.
    needed: [usize; N_INPUTS],
    /// Of the results it has.
    results: [usize; N_RESULTS],
    n_results: usize,
}

impl Lengths {
    fn new(program: &Program, kind: FunctionKind) -> Self {
        let function = program.function(kind);
        let layout = &program.layout;
        let inputs = [
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
        let needed = needed.map(|needed| if needed { usize::MAX } else { 0 });
        Self { inputs, needed, results, n_results }
    }

    /// Whether all lengths are right, found without a branch for each.
    #[inline]
    fn accept<const N: usize>(&self, inputs: &Inputs<'_>, results: &[&mut [f64]; N]) -> bool {
        let given = [
            inputs.p.len(),
            inputs.v.len(),
            inputs.x.len(),
            inputs.u.len(),
            inputs.modes.len(),
            inputs.prepared.len(),
            inputs.v_dot.len(),
            inputs.lambda.len(),
        ];
        let mut wrong = self.n_results ^ N;
        for (index, given) in given.into_iter().enumerate() {
            wrong |= (given ^ self.inputs[index]) & self.needed[index];
        }
        for (result, length) in results.iter().zip(self.results) {
            wrong |= result.len() ^ length;
        }
        wrong == 0
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
    #[inline]
    fn call<const N: usize>(
        &self,
        kind: FunctionKind,
        inputs: &Inputs<'_>,
        mut results: [&mut [f64]; N],
        clean: &[usize],
    ) -> bool {
        const { assert!(N <= N_RESULTS) };
        let accepted = self.functions[kind as usize].accept(inputs, &results);
        if accepted {
            // SAFETY: `accept` has compared the length of every result and of every
            // input the function reads with the program's.
            unsafe { self.engine.run(kind, inputs, &mut results, clean) };
        }
        accepted
    }

    #[inline]
    fn fill(&self, kind: FunctionKind, inputs: &Inputs<'_>, out: &mut [f64]) {
        if !self.call(kind, inputs, [&mut *out], &[]) {
            wrong_length(out);
        }
    }

    /// As `fill`, where `out` has its zeros already.
    #[inline]
    fn update(&self, kind: FunctionKind, inputs: &Inputs<'_>, out: &mut [f64]) {
        if !self.call(kind, inputs, [&mut *out], &[0]) {
            wrong_length(out);
        }
    }

    #[inline]
    fn fuse(&self, at: &At<'_>, out: &mut Fused<'_>, clean: &[usize]) {
        let results = [
            &mut *out.p_dot,
            &mut *out.mass_matrix,
            &mut *out.forces,
            &mut *out.constraint_jacobian,
            &mut *out.acceleration_bias,
            &mut *out.auxiliary,
        ];
        if !self.call(FunctionKind::Fused, &inputs(at), results, clean) {
            out.wrong_length();
        }
    }
}

fn inputs<'a>(at: &At<'a>) -> Inputs<'a> {
    let &At { t, p, v, x, u, modes, prepared } = at;
    Inputs { t, p, v, x, u, modes, prepared, ..Inputs::default() }
}

macro_rules! fills_one_array {
    ($($name:ident $kind:ident,)*) => {
        $(fn $name(&self, at: &At<'_>, out: &mut [f64]) {
            self.fill(FunctionKind::$kind, &inputs(at), out);
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
        self.update(FunctionKind::MassMatrix, &inputs(at), out);
    }

    fn update_constraint_jacobian(&self, at: &At<'_>, out: &mut [f64]) {
        self.update(FunctionKind::ConstraintJacobian, &inputs(at), out);
    }

    fn update_fused(&self, at: &At<'_>, out: &mut Fused<'_>) {
        // M and G.
        self.fuse(at, out, &[1, 3]);
    }

    fn inverse_dynamics(&self, at: &At<'_>, v_dot: &[f64], out: &mut [f64]) {
        self.fill(FunctionKind::InverseDynamics, &Inputs { v_dot, ..inputs(at) }, out);
    }

    fn outputs(&self, at: &At<'_>, v_dot: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.fill(FunctionKind::Outputs, &Inputs { v_dot, lambda, ..inputs(at) }, out);
    }

    fn energy(&self, at: &At<'_>) -> Energy {
        let mut energy = [0.0; 2];
        self.fill(FunctionKind::Energy, &inputs(at), &mut energy);
        let [kinetic, potential] = energy;
        Energy { kinetic, potential }
    }

    fn input_defaults(&self, t: f64, prepared: &[f64], u: &mut [f64]) {
        self.fill(FunctionKind::InputDefaults, &Inputs { t, prepared, ..Inputs::default() }, u);
    }

    fn initial(&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        let inputs = Inputs { prepared, ..Inputs::default() };
        if !self.call(FunctionKind::Initial, &inputs, [&mut *p, &mut *v, &mut *x], &[]) {
            v.fill(f64::NAN);
            x.fill(f64::NAN);
            wrong_length(p);
        }
    }

    fn derived(&self, prepared: &[f64], out: &mut [f64]) {
        self.fill(FunctionKind::Derived, &Inputs { prepared, ..Inputs::default() }, out);
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
        self.fill(FunctionKind::Jacobian, &Inputs { v_dot, lambda, ..inputs(at) }, out);
        Ok(())
    }

    fn accelerations(&self, at: &At<'_>, out: &mut Accelerated<'_>) -> Result<(), NotGenerated> {
        if !self.has_accelerations {
            return Err(NotGenerated);
        }
        let results =
            [&mut *out.p_dot, &mut *out.v_dot, &mut *out.lambda, &mut *out.auxiliary, &mut *out.pivots];
        if !self.call(FunctionKind::Accelerations, &inputs(at), results, &[]) {
            out.wrong_length();
        }
        Ok(())
    }
}
