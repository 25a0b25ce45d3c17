//! What both ways of running a program have in common: its layout, and the check of
//! every slice before every call.

use crate::derivatives::Derivatives;
use crate::layout::layout;
use mbs_runtime::{Accelerated, At, Energy, Fused, Layout, Names, NotGenerated, System, wrong_length};
use mbs_symbolic::program::{FunctionKind, Program, verify};
use mbs_symbolic::straight_line::{Argument, arguments};
use mbs_symbolic::with_functions;

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
    /// Frames with a Jacobian.
    frames: Names,
    n_theta: usize,
    /// Where a Jacobian comes from that the program has not.
    derivatives: Option<Derivatives>,
    /// By [`FunctionKind`].
    functions: [Lengths; FunctionKind::ALL.len()],
    engine: E,
}

/// Most arrays one function fills.
pub(crate) const N_RESULTS: usize = 6;

/// The lengths a function relies on.
#[derive(Debug)]
struct Lengths {
    /// Of p, v, x, u, modes and prepared.
    at: [usize; 6],
    /// Of v' and λ; zero where they are not read, and then they may have any.
    solution: [usize; 2],
    /// Of the results it has.
    results: [usize; N_RESULTS],
    /// Whether the program has the function.
    is_there: bool,
    /// Whether there is nothing to compute.
    is_empty: bool,
}

impl Lengths {
    fn new(program: &Program, kind: FunctionKind) -> Self {
        let function = program.function(kind);
        let layout = &program.layout;
        assert!(function.results.len() <= N_RESULTS, "more results than there is room for");
        let mut results = [0; N_RESULTS];
        for (length, block) in results.iter_mut().zip(&function.results) {
            *length = block.entries.len();
        }
        let mut at = [
            layout.positions.len(),
            layout.velocities.len(),
            layout.states.len(),
            layout.inputs.len(),
            layout.modes.len(),
            program.n_prepared(),
        ];
        if !kind.takes_state() {
            at[..4].fill(0);
        }
        if kind.is_per_parameter_set() {
            at[4] = 0;
        }
        let arguments = arguments(function);
        let solution = [
            if arguments.contains(&Argument::VDot) { layout.velocities.len() } else { 0 },
            if arguments.contains(&Argument::Lambda) { layout.rows.len() } else { 0 },
        ];
        Self { at, solution, results, is_there: program.has(kind), is_empty: results == [0; N_RESULTS] }
    }

    /// Whether all lengths are right. A state of the wrong size is refused even where nothing is
    /// read of it, as long as there is anything to compute from it. One after the other: taken
    /// together they would be read in larger pieces than they were written, see [`Read`].
    #[inline(always)]
    fn accept<const N: usize>(&self, kind: FunctionKind, read: Read<'_>, results: &[&mut [f64]; N]) -> bool {
        let Read { at, v_dot, lambda } = read;
        let [p, v, x, u, modes, prepared] = self.at;
        let fits = |length: usize, given: usize| length == given || length == 0;
        debug_assert_eq!(kind.quantities().len(), N, "one slice for each quantity");
        results.iter().zip(self.results).all(|(result, length)| result.len() == length)
            && (self.is_empty
                || at.p.len() == p
                    && at.v.len() == v
                    && at.x.len() == x
                    && at.u.len() == u
                    && at.modes.len() == modes
                    && at.prepared.len() == prepared
                    && (!kind.takes_accelerations() || fits(self.solution[0], v_dot.len()))
                    && (!kind.takes_multipliers() || fits(self.solution[1], lambda.len())))
    }
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
            frames: program.layout.frames.clone().into(),
            n_theta: program.layout.parameters.len(),
            derivatives: None,
            functions: FunctionKind::ALL.map(|kind| Lengths::new(program, kind)),
            engine: engine(program)?,
        })
    }

    /// The model with a Jacobian that is compiled when it is first asked for.
    #[must_use]
    pub(crate) fn with_derivatives(
        mut self,
        derive: impl Fn() -> Option<Program> + Send + Sync + 'static,
    ) -> Self {
        self.derivatives = (!self.has(FunctionKind::Jacobian)).then(|| Derivatives::new(derive));
        self
    }

    #[inline(always)]
    fn has(&self, kind: FunctionKind) -> bool {
        self.functions[kind as usize].is_there
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
        let accepted = self.functions[kind as usize].accept(kind, read, &results);
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

    /// As `fill`, of a function the program may lack.
    #[inline(always)]
    fn request(&self, kind: FunctionKind, read: Read<'_>, out: &mut [f64]) -> Result<(), NotGenerated> {
        if !self.has(kind) {
            return self.compile_and_fill(kind, read, out);
        }
        self.fill(kind, read, out);
        Ok(())
    }

    /// A Jacobian by a program that is compiled when the first one is asked for.
    #[cold]
    fn compile_and_fill(
        &self,
        kind: FunctionKind,
        read: Read<'_>,
        out: &mut [f64],
    ) -> Result<(), NotGenerated> {
        let derivatives = self.derivatives.as_ref().filter(|_| kind == FunctionKind::Jacobian);
        let Read { at, v_dot, lambda } = read;
        // What is prepared begins with θ.
        let theta = at.prepared.get(..self.n_theta).unwrap_or_default();
        derivatives.ok_or(NotGenerated)?.jacobian(theta, at, v_dot, lambda, out)
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

/// The methods of [`System`] that fill one array, by the table of functions.
macro_rules! methods {
    ($(
        $(#[$doc:meta])*
        $kind:ident $name:ident $signature:ident $form:ident $(($fields:ident))? $presence:ident $use:ident
            [$($quantity:ident),*];
    )*) => {
        $(method!($signature $form $presence, $name $kind);)*
    };
}

/// One of them; functions with several results are written out below.
macro_rules! method {
    (State Array Always, $name:ident $kind:ident) => {
        fn $name(&self, at: &At<'_>, out: &mut [f64]) {
            self.fill(FunctionKind::$kind, Read::at(at), out);
        }
    };
    (State Array WhereNeeded, $name:ident $kind:ident) => {
        fn $name(&self, at: &At<'_>, out: &mut [f64]) {
            // A program that needs no such function has nothing to fill.
            if self.has(FunctionKind::$kind) || !out.is_empty() {
                self.fill(FunctionKind::$kind, Read::at(at), out);
            }
        }
    };
    (State Array OnRequest, $name:ident $kind:ident) => {
        fn $name(&self, at: &At<'_>, out: &mut [f64]) -> Result<(), NotGenerated> {
            self.request(FunctionKind::$kind, Read::at(at), out)
        }
    };
    (StateAndRates Array Always, $name:ident $kind:ident) => {
        fn $name(&self, at: &At<'_>, v_dot: &[f64], out: &mut [f64]) {
            self.fill(FunctionKind::$kind, Read { v_dot, ..Read::at(at) }, out);
        }
    };
    (StateAndSolution Array Always, $name:ident $kind:ident) => {
        fn $name(&self, at: &At<'_>, v_dot: &[f64], lambda: &[f64], out: &mut [f64]) {
            self.fill(FunctionKind::$kind, Read { at, v_dot, lambda }, out);
        }
    };
    (StateAndSolution Array OnRequest, $name:ident $kind:ident) => {
        fn $name(
            &self,
            at: &At<'_>,
            v_dot: &[f64],
            lambda: &[f64],
            out: &mut [f64],
        ) -> Result<(), NotGenerated> {
            self.request(FunctionKind::$kind, Read { at, v_dot, lambda }, out)
        }
    };
    (Parameters Array Always, $name:ident $kind:ident) => {
        fn $name(&self, prepared: &[f64], out: &mut [f64]) {
            self.fill(FunctionKind::$kind, Read::at(&nowhere(0.0, prepared)), out);
        }
    };
    (Time Array Always, $name:ident $kind:ident) => {
        fn $name(&self, t: f64, modes: &[bool], prepared: &[f64], u: &mut [f64]) {
            let at = At { modes, ..nowhere(t, prepared) };
            self.fill(FunctionKind::$kind, Read::at(&at), u);
        }
    };
    ($signature:ident Fields $presence:ident, $name:ident $kind:ident) => {};
    ($signature:ident Arrays $presence:ident, $name:ident $kind:ident) => {};
    ($signature:ident Value $presence:ident, $name:ident $kind:ident) => {};
}

impl<E: Engine> System for Model<E> {
    with_functions!(methods);

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn frame_names(&self) -> &Names {
        &self.frames
    }

    fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {
        if theta.len() != self.n_theta || prepared.len() != self.layout.n_prepared {
            return wrong_length(prepared);
        }
        // SAFETY: both lengths have just been checked.
        unsafe { self.engine.prepare(theta, prepared) };
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

    fn energy(&self, at: &At<'_>) -> Energy {
        let mut energy = [0.0; 2];
        self.fill(FunctionKind::Energy, Read::at(at), &mut energy);
        let [kinetic, potential] = energy;
        Energy { kinetic, potential }
    }

    fn initial(&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        let at = nowhere(0.0, prepared);
        if !self.call(FunctionKind::Initial, Read::at(&at), [&mut *p, &mut *v, &mut *x], &[]) {
            v.fill(f64::NAN);
            x.fill(f64::NAN);
            wrong_length(p);
        }
    }

    fn accelerations(&self, at: &At<'_>, out: &mut Accelerated<'_>) -> Result<(), NotGenerated> {
        if !self.has(FunctionKind::Accelerations) {
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
