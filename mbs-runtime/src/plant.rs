//! A system at work: parameters set, inputs connected, modes frozen, calls counted.

use crate::constraint::{NEAR_SINGULAR, Redundancy, RowConditioning};
use crate::integrate::instant;
use crate::linalg::{Saddle, Singular, add_scaled};
use crate::state::State;
use crate::statistics::Statistics;
use crate::{Accelerated, At, Fused, Layout, Signals, System};
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

/// A system at work. All evaluations of an integrator go through it and are counted.
///
/// Where rows are redundant, G, z, g and G v + c are given with the redundant combinations
/// taken out (see [`Redundancy`]); a matrix built from them has
/// [`block`](crate::constraint::Reduction::block) subtracted where Q is zero.
pub struct Plant<'s> {
    system: &'s dyn System,
    prepared: Vec<f64>,
    signals: Box<dyn Signals + 's>,
    u: Vec<f64>,
    u_time: f64,
    /// The modes `u` was formed with.
    u_modes: Vec<bool>,
    /// The breakpoints of the signals before and after the step now tried.
    breakpoints: [f64; 2],
    /// Whether accelerations come from the model's own solution, where it has one.
    pub use_generated_solver: bool,
    /// Conditionals, frozen within a step.
    pub modes: Vec<bool>,
    /// Counts so far.
    pub statistics: Statistics,
    /// M of the last evaluation, n_v × n_v.
    pub mass_matrix: Vec<f64>,
    /// f of the last evaluation; zero where the model's own solution took its place.
    pub forces: Vec<f64>,
    /// G of the last evaluation, n_λ × n_v.
    pub constraint_jacobian: Vec<f64>,
    /// Whether what is always zero in G is zero in `constraint_jacobian`; in M it always is.
    is_clean: bool,
    /// z of the last evaluation.
    pub acceleration_bias: Vec<f64>,
    right: Vec<f64>,
    pivots: Vec<f64>,
    /// One for each joint that closes a loop and holds an orientation.
    cosines: Vec<f64>,
    redundancy: Redundancy,
    /// G of the last evaluation with all its rows, kept where some are redundant and some
    /// not holonomic.
    full_jacobian: Vec<f64>,
    /// How independent the rows are of each other.
    pub(crate) row_conditioning: RowConditioning,
    /// Where the last run ended early: the last state that was accepted, or the start.
    pub failed_at: Option<State>,
}

impl<'s> Plant<'s> {
    /// A system with parameters θ; all modes off.
    pub fn new(system: &'s dyn System, theta: &[f64], signals: Box<dyn Signals + 's>) -> Self {
        let layout = system.layout();
        let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
        let mut prepared = vec![0.0; layout.n_prepared];
        system.prepare(theta, &mut prepared);
        Self {
            prepared,
            signals,
            u: vec![0.0; layout.n_u()],
            u_time: f64::NAN,
            u_modes: vec![false; layout.modes.len()],
            breakpoints: [f64::NAN; 2],
            use_generated_solver: true,
            modes: vec![false; layout.modes.len()],
            statistics: Statistics::default(),
            mass_matrix: vec![0.0; n_v * n_v],
            forces: vec![0.0; n_v],
            constraint_jacobian: vec![0.0; n_lambda * n_v],
            is_clean: true,
            acceleration_bias: vec![0.0; n_lambda],
            right: vec![0.0; n_v + n_lambda],
            pivots: vec![0.0; n_v + n_lambda],
            cosines: vec![1.0; layout.closures.len()],
            redundancy: Redundancy::new(layout),
            full_jacobian: vec![0.0; if layout.n_g < n_lambda { n_lambda * n_v } else { 0 }],
            row_conditioning: RowConditioning::new(n_lambda),
            failed_at: None,
            system,
        }
    }

    /// Names and dimensions.
    pub fn layout(&self) -> &'s Layout {
        self.system.layout()
    }

    /// The system itself.
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// What the parameters were prepared to.
    pub fn prepared(&self) -> &[f64] {
        &self.prepared
    }

    /// Default initial values, not yet consistent.
    pub fn initial(&self, state: &mut State) {
        self.system.initial(&self.prepared, &mut state.p, &mut state.v, &mut state.x);
    }

    /// Whether the model has derivatives, asked for at a state with its rates.
    #[cfg(feature = "batch")]
    pub(crate) fn has_jacobian(&mut self, state: &State) -> bool {
        let layout = self.layout();
        let mut jacobian = vec![0.0; layout.jacobian_rows() * layout.jacobian_columns()];
        let State { t, p, v, x, v_dot, lambda, .. } = state;
        self.at(*t, p, v, x, |system, at| system.jacobian(at, v_dot, lambda, &mut jacobian)).is_ok()
    }

    /// Calls `f` with the point (t, p, v, x).
    pub fn at<R>(
        &mut self,
        t: f64,
        p: &[f64],
        v: &[f64],
        x: &[f64],
        f: impl FnOnce(&dyn System, &At<'_>) -> R,
    ) -> R {
        self.set_inputs(t);
        let at = At { t, p, v, x, u: &self.u, modes: &self.modes, prepared: &self.prepared };
        f(self.system, &at)
    }

    /// Calls `f` with a recorded state: its point, modes and inputs.
    pub fn at_recorded<R>(&self, state: &State, f: impl FnOnce(&dyn System, &At<'_>) -> R) -> R {
        let State { t, p, v, x, modes, inputs, .. } = state;
        f(self.system, &At { t: *t, p, v, x, u: inputs, modes, prepared: &self.prepared })
    }

    /// Says in a state which modes and inputs are in force at its time.
    pub(crate) fn stamp(&mut self, state: &mut State) {
        self.set_inputs(state.t);
        state.modes.copy_from_slice(&self.modes);
        state.inputs.copy_from_slice(&self.u);
    }

    /// Brings the inputs to time t.
    fn set_inputs(&mut self, t: f64) {
        if self.u.is_empty() || self.u_time == t && self.u_modes == self.modes {
            return;
        }
        self.system.input_defaults(t, &self.modes, &self.prepared, &mut self.u);
        // The ends of a step belong to it, however they were rounded.
        let [last, next] = self.breakpoints;
        let rounding = 2.0 * instant(t);
        let side = if t <= last && last - t <= rounding {
            last.next_up()
        } else if t >= next && t - next <= rounding {
            next.next_down()
        } else {
            t
        };
        self.signals.set(side, &mut self.u);
        self.u_time = t;
        self.u_modes.copy_from_slice(&self.modes);
    }

    /// The next breakpoint of the signals after t.
    pub(crate) fn next_breakpoint(&self, t: f64) -> Option<f64> {
        self.signals.next_breakpoint(t).filter(|next| *next > t)
    }

    /// Says between which breakpoints of the signals the run is; NaN where there is none.
    pub(crate) fn set_breakpoints(&mut self, breakpoints: [f64; 2]) {
        if self.breakpoints.map(f64::to_bits) != breakpoints.map(f64::to_bits) {
            self.breakpoints = breakpoints;
            self.u_time = f64::NAN;
        }
    }

    /// The inputs at time t.
    #[cfg(feature = "batch")]
    pub(crate) fn inputs(&mut self, t: f64) -> &[f64] {
        self.set_inputs(t);
        &self.u
    }

    /// Evaluates M, f, G, z, p' and x' at once; the matrices stay in this struct.
    pub fn eval_all(
        &mut self,
        t: f64,
        p: &[f64],
        v: &[f64],
        x: &[f64],
        p_dot: &mut [f64],
        x_dot: &mut [f64],
    ) {
        let mut m = core::mem::take(&mut self.mass_matrix);
        let mut f = core::mem::take(&mut self.forces);
        let mut g = core::mem::take(&mut self.constraint_jacobian);
        let mut z = core::mem::take(&mut self.acceleration_bias);
        let is_clean = core::mem::replace(&mut self.is_clean, true);
        self.at(t, p, v, x, |system, at| {
            let mut out = Fused {
                p_dot,
                mass_matrix: &mut m,
                forces: &mut f,
                constraint_jacobian: &mut g,
                acceleration_bias: &mut z,
                auxiliary: x_dot,
            };
            match is_clean {
                true => system.update_fused(at, &mut out),
                false => system.fused(at, &mut out),
            }
        });
        (self.mass_matrix, self.forces, self.constraint_jacobian, self.acceleration_bias) = (m, f, g, z);
        self.reduce_jacobian();
        self.redundancy.all().apply(&mut self.acceleration_bias);
        self.statistics.mass_matrix += 1;
        self.statistics.forces += 1;
        self.statistics.constraint_jacobian += 1;
        self.statistics.acceleration_bias += 1;
    }

    /// Evaluates M and G alone.
    pub fn eval_mass_and_jacobian(&mut self, t: f64, p: &[f64], v: &[f64], x: &[f64]) {
        let mut m = core::mem::take(&mut self.mass_matrix);
        let mut g = core::mem::take(&mut self.constraint_jacobian);
        let is_clean = core::mem::replace(&mut self.is_clean, true);
        self.at(t, p, v, x, |system, at| {
            system.update_mass_matrix(at, &mut m);
            match is_clean {
                true => system.update_constraint_jacobian(at, &mut g),
                false => system.constraint_jacobian(at, &mut g),
            }
        });
        (self.mass_matrix, self.constraint_jacobian) = (m, g);
        self.reduce_jacobian();
        self.statistics.mass_matrix += 1;
        self.statistics.constraint_jacobian += 1;
    }

    /// Evaluates f, z, p' and x' alone.
    pub fn eval_bias(
        &mut self,
        t: f64,
        p: &[f64],
        v: &[f64],
        x: &[f64],
        p_dot: &mut [f64],
        x_dot: &mut [f64],
    ) {
        let mut f = core::mem::take(&mut self.forces);
        let mut z = core::mem::take(&mut self.acceleration_bias);
        self.at(t, p, v, x, |system, at| {
            system.forces(at, &mut f);
            system.acceleration_bias(at, &mut z);
            system.kinematics(at, p_dot);
            system.auxiliary(at, x_dot);
        });
        (self.forces, self.acceleration_bias) = (f, z);
        self.redundancy.all().apply(&mut self.acceleration_bias);
        self.statistics.forces += 1;
        self.statistics.acceleration_bias += 1;
    }

    /// Evaluates M alone.
    pub fn eval_mass(&mut self, t: f64, p: &[f64], v: &[f64], x: &[f64]) {
        let mut m = core::mem::take(&mut self.mass_matrix);
        self.at(t, p, v, x, |system, at| system.update_mass_matrix(at, &mut m));
        self.mass_matrix = m;
        self.statistics.mass_matrix += 1;
    }

    /// Evaluates G alone.
    pub fn eval_jacobian(&mut self, t: f64, p: &[f64], v: &[f64], x: &[f64]) {
        if self.constraint_jacobian.is_empty() {
            return;
        }
        let mut g = core::mem::take(&mut self.constraint_jacobian);
        let is_clean = core::mem::replace(&mut self.is_clean, true);
        self.at(t, p, v, x, |system, at| match is_clean {
            true => system.update_constraint_jacobian(at, &mut g),
            false => system.constraint_jacobian(at, &mut g),
        });
        self.constraint_jacobian = g;
        self.reduce_jacobian();
        self.statistics.constraint_jacobian += 1;
    }

    /// Evaluates f alone.
    pub fn eval_forces(&mut self, t: f64, p: &[f64], v: &[f64], x: &[f64]) {
        let mut f = core::mem::take(&mut self.forces);
        self.at(t, p, v, x, |system, at| system.forces(at, &mut f));
        self.forces = f;
        self.statistics.forces += 1;
    }

    /// p' and x'.
    pub fn eval_kinematics_and_aux(
        &mut self,
        t: f64,
        p: &[f64],
        v: &[f64],
        x: &[f64],
        p_dot: &mut [f64],
        x_dot: &mut [f64],
    ) {
        self.at(t, p, v, x, |system, at| {
            system.kinematics(at, p_dot);
            system.auxiliary(at, x_dot);
        });
    }

    /// Factors Q of the last evaluation.
    pub fn factor(&mut self, saddle: &mut Saddle) -> Result<(), Singular> {
        self.statistics.factorisations += 1;
        let (rows, block) = (self.layout().n_lambda(), self.redundancy.all().block());
        let outcome = saddle.factor_reduced(&self.mass_matrix, &self.constraint_jacobian, rows, block);
        self.row_conditioning.look(saddle);
        outcome
    }

    /// Factors Q of the last evaluation for the holonomic rows alone.
    pub fn factor_holonomic(&mut self, saddle: &mut Saddle) -> Result<(), Singular> {
        self.statistics.factorisations += 1;
        let layout = self.layout();
        let (n_g, n_lambda) = (layout.n_g, layout.n_lambda());
        let reduction = self.redundancy.holonomic();
        if !self.redundancy.is_active() || n_g == n_lambda {
            let block = reduction.block();
            return saddle.factor_reduced(&self.mass_matrix, &self.constraint_jacobian, n_lambda, block);
        }
        for column in self.full_jacobian.chunks_exact_mut(n_lambda) {
            reduction.apply(&mut column[..n_g]);
        }
        saddle.factor_reduced(&self.mass_matrix, &self.full_jacobian, n_lambda, reduction.block())
    }

    /// Accelerations and multipliers of the last evaluation: Q [v'; λ] = [f; −z].
    pub fn solve(&mut self, saddle: &mut Saddle, v_dot: &mut [f64], lambda: &mut [f64]) {
        let n_v = v_dot.len();
        self.right[..n_v].copy_from_slice(&self.forces);
        for (right, z) in self.right[n_v..].iter_mut().zip(&self.acceleration_bias) {
            *right = -z;
        }
        saddle.solve(&mut self.right);
        self.statistics.solves += 1;
        v_dot.copy_from_slice(&self.right[..n_v]);
        lambda.copy_from_slice(&self.right[n_v..]);
    }

    /// All rates of a state (4): by the model's own solution where it has one that can be trusted, else
    /// as [`eval_derivatives_and_factors`](Self::eval_derivatives_and_factors). The matrices in this
    /// struct and in `saddle` may or may not be those of the state.
    pub fn eval_derivatives(&mut self, state: &mut State, saddle: &mut Saddle) -> Result<(), Singular> {
        if self.accelerations(state) { Ok(()) } else { self.eval_derivatives_and_factors(state, saddle) }
    }

    /// Rates by the model's own solution; whether there is one and it can be trusted. Counts as
    /// what it stands for.
    fn accelerations(&mut self, state: &mut State) -> bool {
        // Where rows are redundant another system of equations is solved.
        if !self.use_generated_solver || self.redundancy.is_active() {
            return false;
        }
        let State { t, p, v, x, p_dot, v_dot, x_dot, lambda, .. } = state;
        let mut pivots = core::mem::take(&mut self.pivots);
        let sound = self.at(*t, p, v, x, |system, at| {
            let mut out = Accelerated { p_dot, v_dot, lambda, auxiliary: x_dot, pivots: &mut pivots };
            system.accelerations(at, &mut out).is_ok() && out.is_reliable()
        });
        if sound {
            self.row_conditioning.look_at(pivots[v.len()..].iter().copied());
        }
        // Near a singular pose every digit counts, and the solver that pivots keeps more of them.
        let sound = sound && self.row_conditioning.relative_pivot() >= NEAR_SINGULAR;
        if sound {
            // Clear f so stale forces cannot be mistaken for those of this state.
            self.forces.fill(0.0);
            self.statistics.mass_matrix += 1;
            self.statistics.forces += 1;
            self.statistics.constraint_jacobian += 1;
            self.statistics.acceleration_bias += 1;
            self.statistics.factorisations += 1;
            self.statistics.solves += 1;
        }
        self.pivots = pivots;
        sound
    }

    /// All rates of a state (4): evaluates, factors and solves. M, f, G, z and the factors stay.
    pub fn eval_derivatives_and_factors(
        &mut self,
        state: &mut State,
        saddle: &mut Saddle,
    ) -> Result<(), Singular> {
        let State { t, p, v, x, p_dot, v_dot, x_dot, lambda, .. } = state;
        self.eval_all(*t, p, v, x, p_dot, x_dot);
        self.factor(saddle)?;
        self.solve(saddle, v_dot, lambda);
        Ok(())
    }

    /// Which rows are redundant.
    pub fn redundancy(&self) -> &Redundancy {
        &self.redundancy
    }

    /// All rows count again.
    pub fn keep_all_rows(&mut self) {
        self.redundancy.forget();
        self.row_conditioning.restart();
    }

    /// Decides at a consistent state which rows are redundant.
    pub fn decide_rank(&mut self, state: &State) {
        self.sample_matrices(state);
        let layout = self.layout();
        self.redundancy.decide(layout);
    }

    /// Follows the redundant combinations of rows to another state; `meets_constraints` says
    /// whether it lies on the constraints, or only near. Whether the rank has grown: then it
    /// was decided at a singular pose.
    pub fn track_rank(&mut self, state: &State, meets_constraints: bool) -> bool {
        if !self.redundancy.is_active() {
            return false;
        }
        self.sample_matrices(state);
        self.redundancy.follow(meets_constraints)
    }

    /// Gives the redundancy M and G of a state; the last evaluation stays as it is.
    fn sample_matrices(&mut self, state: &State) {
        let mut redundancy = core::mem::take(&mut self.redundancy);
        let (m, g) = redundancy.matrices();
        self.at(state.t, &state.p, &state.v, &state.x, |system, at| {
            system.update_mass_matrix(at, m);
            system.update_constraint_jacobian(at, g);
        });
        self.redundancy = redundancy;
        self.statistics.mass_matrix += 1;
        self.statistics.constraint_jacobian += 1;
    }

    fn reduce_jacobian(&mut self) {
        if self.redundancy.is_active() {
            if !self.full_jacobian.is_empty() {
                self.full_jacobian.copy_from_slice(&self.constraint_jacobian);
            }
            self.redundancy.all().apply(&mut self.constraint_jacobian);
            self.is_clean = false;
        }
    }

    /// Takes G of the last evaluation away and leaves another matrix of its size, whatever it
    /// holds.
    pub(crate) fn exchange_jacobian(&mut self, other: &mut Vec<f64>) {
        core::mem::swap(other, &mut self.constraint_jacobian);
        self.is_clean = false;
    }

    /// g.
    pub fn constraints(&mut self, t: f64, p: &[f64], v: &[f64], x: &[f64], g: &mut [f64]) {
        self.at(t, p, v, x, |system, at| system.constraints(at, g));
        self.redundancy.holonomic().apply(g);
        self.statistics.constraints += 1;
    }

    /// The cosines of [`System::closure_cosines`].
    pub fn closure_cosines(&mut self, state: &State) -> &[f64] {
        if !self.cosines.is_empty() {
            let mut cosines = core::mem::take(&mut self.cosines);
            self.at(state.t, &state.p, &state.v, &state.x, |system, at| {
                system.closure_cosines(at, &mut cosines);
            });
            self.cosines = cosines;
        }
        &self.cosines
    }

    /// The first of [`Layout::closures`] that is turned over, which its rows do not tell.
    pub fn turned_over(&mut self, state: &State) -> Option<usize> {
        self.closure_cosines(state).iter().position(|&cosine| cosine < 0.0)
    }

    /// G v + c with G of the last evaluation, which must have been at p.
    pub fn velocity_residual(&mut self, t: f64, p: &[f64], v: &[f64], x: &[f64], out: &mut [f64]) {
        self.at(t, p, v, x, |system, at| system.velocity_bias(at, out));
        self.redundancy.all().apply(out);
        self.add_jacobian_product(v, out);
    }

    /// out += G v with G of the last evaluation.
    pub(crate) fn add_jacobian_product(&self, v: &[f64], out: &mut [f64]) {
        if self.redundancy.is_active() {
            // With redundant combinations taken out G has no pattern.
            for (column, v) in self.constraint_jacobian.chunks_exact(out.len().max(1)).zip(v) {
                add_scaled(out, *v, column);
            }
        } else {
            self.layout().add_jacobian_product(&self.constraint_jacobian, v, out);
        }
    }

    /// Switching functions.
    pub fn switching(&mut self, t: f64, p: &[f64], v: &[f64], x: &[f64], out: &mut [f64]) {
        self.at(t, p, v, x, |system, at| system.switching_functions(at, out));
    }
}
