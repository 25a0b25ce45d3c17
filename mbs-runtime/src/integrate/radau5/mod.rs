//! RADAU5 on the stabilised index-2 form, for stiff systems (E. Hairer, G. Wanner, *Solving
//! ODEs II*, IV.8, VII; C. W. Gear, G. K. Gupta, B. Leimkuhler, *J. Comput. Appl. Math.* 12
//! (1985) 77–90).
//!
//! Positions and velocities satisfy their constraints at every step, so the modes of projection
//! make no difference.

mod linear;
mod unknowns;

use self::linear::{Linearisation, NoLinearisation, Reduced};
use self::unknowns::{Residuals, Unknowns};
use super::parts::{PARTS, values};
use super::tableau::radau::{ALPHA, BETA, C, ERROR, GAMMA, T, T_INVERSE};
use super::{Diverged, Method, StepSettings};
use crate::Layout;
use crate::constraint::{Projector, Tolerances, normalise};
use crate::linalg::Saddle;
use crate::plant::Plant;
use crate::state::State;
use mbs_math as math;
use nalgebra::Complex;
use std::vec;
use std::vec::Vec;

/// Newton's method converging at least so fast keeps its Jacobian for the next step.
const FAST: f64 = 1e-3;

/// Increments below this part of the tolerances that do not shrink any more are rounding, which
/// large forces make larger than that of the unknowns.
const STAGNANT: f64 = 0.1;

/// Step sizes that grow by no more than this are left alone: the factors serve again.
const WORTH_CHANGING: f64 = 1.2;

/// The implicit method of order 5 for stiff systems, with or without constraints.
#[derive(Debug)]
pub struct Radau5 {
    /// Newton iterations after which a step is given up for a shorter one; 10 unless changed.
    pub most_iterations: u32,
    /// What Newton's method may leave, as a part of the tolerances; 0.01 unless changed.
    pub newton_tolerance: f64,
    unknowns: Unknowns,
    residuals: Residuals,
    linearisation: Linearisation,
    real: Reduced<f64>,
    complex: Reduced<Complex<f64>>,
    saddle: Saddle,
    projector: Projector,
    /// Where the derivatives were taken, if they may be used again.
    taken_at: Option<f64>,
    /// The step size the systems are factored for.
    factored: Option<f64>,
    /// y₀ and F(t₀, y₀).
    start: Vec<f64>,
    start_rates: Vec<f64>,
    /// Stage increments z = Y − y₀, their transforms w = (T⁻¹⊗I) z, and F at the stages.
    z: [Vec<f64>; 3],
    w: [Vec<f64>; 3],
    rates: [Vec<f64>; 3],
    /// Increments of the last accepted step and its size: the guess for the next.
    previous: [Vec<f64>; 3],
    h_previous: Option<f64>,
    right: Vec<f64>,
    complex_right: Vec<Complex<f64>>,
    stage: Vec<f64>,
    error: Vec<f64>,
    attempt: Attempt,
}

/// What the last attempt taught.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Attempt {
    t: f64,
    h: f64,
    iterations: u32,
    /// Rate of convergence of Newton's method.
    theta: f64,
    converged: bool,
    is_first: bool,
}

impl Attempt {
    const NONE: Self =
        Self { t: f64::NAN, h: 0.0, iterations: 0, theta: 1.0, converged: true, is_first: true };
}

impl Radau5 {
    /// Workspace for a layout.
    pub fn new(layout: &Layout) -> Self {
        let unknowns = Unknowns::new(layout);
        let n = unknowns.len();
        let three = || core::array::from_fn(|_| vec![0.0; n]);
        Self {
            most_iterations: 10,
            newton_tolerance: 0.01,
            residuals: Residuals::new(&unknowns),
            linearisation: Linearisation::new(layout, &unknowns),
            real: Reduced::new(&unknowns),
            complex: Reduced::new(&unknowns),
            saddle: layout.saddle(layout.n_lambda()),
            projector: Projector::new(layout),
            taken_at: None,
            factored: None,
            start: vec![0.0; n],
            start_rates: vec![0.0; n],
            z: three(),
            w: three(),
            rates: three(),
            previous: three(),
            h_previous: None,
            right: vec![0.0; n],
            complex_right: vec![Complex::from(0.0); n],
            stage: vec![0.0; n],
            error: vec![0.0; n],
            attempt: Attempt::NONE,
            unknowns,
        }
    }

    /// Takes the derivatives at a state with its rates, which a first step from there uses.
    pub(super) fn linearise(&mut self, plant: &mut Plant<'_>, state: &State) -> Result<(), Diverged> {
        self.linearisation.take(plant, state).map_err(|reason| match reason {
            NoLinearisation::NotGenerated => Diverged::NoJacobian,
            NoLinearisation::Singular(singular) => Diverged::Singular(singular),
        })?;
        self.taken_at = Some(state.t);
        self.factored = None;
        Ok(())
    }

    /// Derivatives and factors for a step of size h from `from`.
    fn prepare(&mut self, plant: &mut Plant<'_>, from: &State, h: f64) -> Result<(), Diverged> {
        let is_stale = self.taken_at.is_some_and(|t| t != from.t);
        // Redundant rows turn with the state, and the derivatives with them.
        let is_slow = !self.attempt.converged || self.attempt.theta > FAST || plant.redundancy().is_active();
        if self.taken_at.is_none() || (is_stale && is_slow) {
            self.linearise(plant, from)?;
        }
        if self.factored != Some(h) {
            self.real.factor(&self.linearisation, GAMMA / h);
            self.complex.factor(&self.linearisation, Complex::new(ALPHA, BETA) / h);
            plant.statistics.factorisations += 1;
            self.factored = Some(h);
        }
        Ok(())
    }

    /// The collocation polynomial of the last step, continued; without one the tangent, and
    /// after a failure nothing.
    fn guess(&mut self, h: f64, failed: bool) {
        match self.h_previous {
            _ if failed => self.z.iter_mut().for_each(|z| z.fill(0.0)),
            Some(h_previous) => {
                for (z, c) in self.z.iter_mut().zip(C) {
                    let weights = collocation_weights(1.0 + c * h / h_previous);
                    for (i, z) in z.iter_mut().enumerate() {
                        let ahead: f64 = weights.iter().zip(&self.previous).map(|(w, z)| w * z[i]).sum();
                        *z = ahead - self.previous[2][i];
                    }
                }
            }
            None => {
                for (z, c) in self.z.iter_mut().zip(C) {
                    for (z, rate) in z.iter_mut().zip(&self.start_rates) {
                        *z = c * h * rate;
                    }
                }
            }
        }
        for (w, row) in self.w.iter_mut().zip(T_INVERSE) {
            combine(row, &self.z, w);
        }
    }

    /// Simplified Newton iterations on the stage increments.
    fn newton(
        &mut self,
        plant: &mut Plant<'_>,
        t: f64,
        h: f64,
        tolerances: Tolerances,
    ) -> Result<(), Diverged> {
        // Below this, increments are rounding.
        let rounding = 20.0 * f64::EPSILON / tolerances.rtol;
        let enough = rounding.max(self.newton_tolerance);
        // What an earlier step taught of the rate says nothing about this one: where a force or a
        // constraint has changed, the first increment alone would pass for the solution.
        let mut eta = 1.0;
        let mut previous = f64::NAN;
        self.attempt.converged = false;
        for iteration in 0..self.most_iterations {
            self.attempt.iterations = iteration + 1;
            for ((z, rates), c) in self.z.iter().zip(&mut self.rates).zip(C) {
                for ((stage, start), z) in self.stage.iter_mut().zip(&self.start).zip(z) {
                    *stage = start + z;
                }
                self.residuals.evaluate(plant, t + c * h, &self.stage, &self.linearisation.metric, rates);
            }
            let norm = self.iterate(plant, h, tolerances);
            if norm.is_nan() {
                return Err(Diverged::NotANumber);
            }
            if iteration > 0 {
                let theta = norm / previous;
                self.attempt.theta = theta;
                let left = f64::from(self.most_iterations - 1 - iteration);
                eta = if theta < 0.99 { theta / (1.0 - theta) } else { f64::INFINITY };
                let converges = eta * norm * math::pow(theta, left) <= enough || norm <= rounding;
                if !converges && norm <= STAGNANT {
                    (self.attempt.converged, self.attempt.theta) = (true, 0.0);
                    return Ok(());
                }
                if !converges {
                    return Err(Diverged::Newton);
                }
            }
            previous = norm;
            if eta * norm <= enough || norm <= rounding {
                self.attempt.converged = true;
                // One iteration says nothing about the rate.
                if iteration == 0 {
                    self.attempt.theta = 0.0;
                }
                return Ok(());
            }
        }
        Err(Diverged::Newton)
    }

    /// One Newton iteration with the rates of the stages; returns the weighted size of the
    /// increment in p, v and x.
    fn iterate(&mut self, plant: &mut Plant<'_>, h: f64, tolerances: Tolerances) -> f64 {
        let differential = self.unknowns.differential();
        combine(T_INVERSE[0], &self.rates, &mut self.right);
        for (right, w) in self.right[..differential].iter_mut().zip(&self.w[0]) {
            *right -= GAMMA / h * w;
        }
        for (i, right) in self.complex_right.iter_mut().enumerate() {
            let [re, im] = [1, 2].map(|k| {
                let row: [f64; 3] = T_INVERSE[k];
                row.iter().zip(&self.rates).map(|(a, rates)| a * rates[i]).sum::<f64>()
            });
            *right = Complex::new(re, im);
            if i < differential {
                *right -= Complex::new(ALPHA, BETA) / h * Complex::new(self.w[1][i], self.w[2][i]);
            }
        }
        self.real.solve(&self.linearisation, &mut self.right);
        self.complex.solve(&self.linearisation, &mut self.complex_right);
        plant.statistics.solves += 1;

        let Unknowns { p, v, x, .. } = &self.unknowns;
        let mut worst = 0.0_f64;
        for part in [p, v, x].into_iter().filter(|part| !part.is_empty()) {
            let mut sum = 0.0;
            for i in part.clone() {
                let weight = tolerances.rtol * self.start[i].abs() + tolerances.atol;
                let (real, complex) = (self.right[i] / weight, self.complex_right[i] / weight);
                sum += real * real + complex.norm_sqr();
            }
            let norm = math::sqrt(sum / (3 * part.len()) as f64);
            // A maximum would forget what is not a number.
            worst = if norm > worst || norm.is_nan() { norm } else { worst };
        }
        for (i, (real, complex)) in self.right.iter().zip(&self.complex_right).enumerate() {
            self.w[0][i] += real;
            self.w[1][i] += complex.re;
            self.w[2][i] += complex.im;
        }
        for (z, row) in self.z.iter_mut().zip(T) {
            combine(row, &self.w, z);
        }
        worst
    }

    /// Weighted error of p, v and x at the end of the step, which the embedded formula of
    /// order 3 has more of.
    fn estimate(
        &mut self,
        plant: &mut Plant<'_>,
        h: f64,
        tolerances: Tolerances,
        to: &State,
        careful: bool,
    ) -> f64 {
        let mut norm = self.filter(plant, h, tolerances, to);
        if norm >= 1.0 && careful {
            // Stiff components make the first estimate far too large.
            for ((stage, start), error) in self.stage.iter_mut().zip(&self.start).zip(&self.error) {
                *stage = start + error;
            }
            let t = self.attempt.t;
            self.residuals.evaluate(plant, t, &self.stage, &self.linearisation.metric, &mut self.start_rates);
            norm = self.filter(plant, h, tolerances, to);
        }
        norm
    }

    fn filter(&mut self, plant: &mut Plant<'_>, h: f64, tolerances: Tolerances, to: &State) -> f64 {
        combine(ERROR, &self.z, &mut self.error);
        for (i, (error, rate)) in self.error.iter_mut().zip(&self.start_rates).enumerate() {
            *error = if i < self.unknowns.differential() { rate + *error / h } else { *rate };
        }
        self.real.solve(&self.linearisation, &mut self.error);
        plant.statistics.solves += 1;
        let Unknowns { p, v, x, .. } = &self.unknowns;
        let mut worst = 0.0_f64;
        for (part, reference) in [(p, &to.p), (v, &to.v), (x, &to.x)] {
            let norm = tolerances.norm(&self.error[part.clone()], reference);
            worst = if norm > worst || norm.is_nan() { norm } else { worst };
        }
        worst
    }
}

impl Method for Radau5 {
    fn name(&self) -> &'static str {
        "radau5"
    }

    fn order(&self) -> u32 {
        5
    }

    fn error_order(&self) -> u32 {
        4
    }

    fn attempt(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        h: f64,
        settings: &StepSettings,
        to: &mut State,
    ) -> Result<f64, Diverged> {
        let tolerances = settings.tolerances;
        let retried = self.attempt.t == from.t;
        let careful = retried || self.attempt.is_first;
        let failed = retried && !self.attempt.converged;
        self.prepare(plant, from, h)?;
        (self.attempt.t, self.attempt.h) = (from.t, h);

        self.unknowns.set(from, &mut self.start);
        // At the start v' and λ satisfy their equations: what is left are the rates.
        self.start_rates.fill(0.0);
        self.start_rates[self.unknowns.p.clone()].copy_from_slice(&from.p_dot);
        self.start_rates[self.unknowns.v.clone()].copy_from_slice(&from.v_dot);
        self.start_rates[self.unknowns.x.clone()].copy_from_slice(&from.x_dot);
        self.guess(h, failed);
        self.newton(plant, from.t, h, tolerances)?;

        to.t = from.t + h;
        for (part, pick) in PARTS.iter().enumerate() {
            let range = [&self.unknowns.p, &self.unknowns.v, &self.unknowns.x][part].clone();
            let (old, _) = pick(from);
            for ((new, old), z) in values(to, part).iter_mut().zip(old).zip(&self.z[2][range]) {
                *new = old + z;
            }
        }
        let error = self.estimate(plant, h, tolerances, to, careful);
        if error.is_nan() {
            return Err(Diverged::NotANumber);
        }
        normalise(plant.layout(), &mut to.p);
        plant.eval_mass_and_jacobian(to.t, &to.p, &to.v, &to.x);
        plant.factor(&mut self.saddle).map_err(Diverged::Singular)?;
        // What Newton's method left of G v + c goes for the price of a solution.
        self.projector.velocities(plant, &mut self.saddle, to);
        // Dense output ends where the step ends.
        for (part, pick) in PARTS.iter().enumerate() {
            let range = [&self.unknowns.p, &self.unknowns.v, &self.unknowns.x][part].clone();
            for ((z, new), old) in self.z[2][range].iter_mut().zip(pick(to).0).zip(pick(from).0) {
                *z = new - old;
            }
        }
        let State { t, p, v, x, p_dot, v_dot, x_dot, lambda, .. } = to;
        plant.eval_bias(*t, p, v, x, p_dot, x_dot);
        plant.solve(&mut self.saddle, v_dot, lambda);
        Ok(error)
    }

    fn step_factor(&self, factor: f64) -> f64 {
        let most = f64::from(2 * self.most_iterations);
        let factor = factor * (most + 1.0) / (most + f64::from(self.attempt.iterations));
        if (1.0..=WORTH_CHANGING).contains(&factor) && self.attempt.theta <= FAST { 1.0 } else { factor }
    }

    fn accepted(&mut self, _: &mut Plant<'_>) {
        for (previous, z) in self.previous.iter_mut().zip(&self.z) {
            previous.copy_from_slice(z);
        }
        self.h_previous = Some(self.attempt.h);
        self.attempt.is_first = false;
    }

    fn restart(&mut self) {
        self.taken_at = None;
        self.factored = None;
        self.h_previous = None;
        self.attempt = Attempt::NONE;
    }

    /// Order 3: the collocation polynomial.
    fn interpolate(&self, from: &State, _: &State, theta: f64, out: &mut State) {
        let weights = collocation_weights(theta);
        out.t = from.t + theta * self.attempt.h;
        for (part, pick) in PARTS.iter().enumerate() {
            let start = [&self.unknowns.p, &self.unknowns.v, &self.unknowns.x][part].start;
            let (old, _) = pick(from);
            for (i, (out, old)) in values(out, part).iter_mut().zip(old).enumerate() {
                let increment: f64 = weights.iter().zip(&self.z).map(|(w, z)| w * z[start + i]).sum();
                *out = old + increment;
            }
        }
    }
}

/// Weights of the stage increments in the collocation polynomial at `theta`, in steps.
fn collocation_weights(theta: f64) -> [f64; 3] {
    core::array::from_fn(|i| {
        let others = (0..3).filter(|&j| j != i);
        others.fold(theta / C[i], |product, j| product * (theta - C[j]) / (C[i] - C[j]))
    })
}

/// out = Σ weight · vector
fn combine(weights: [f64; 3], vectors: &[Vec<f64>; 3], out: &mut [f64]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = weights.iter().zip(vectors).map(|(weight, vector)| weight * vector[i]).sum();
    }
}
