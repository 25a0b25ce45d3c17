//! Half-explicit Runge-Kutta methods (HEM5, HEDOP5, PHEM56): constraints at velocity level, stage by stage.
//!
//! Positions and velocities advance explicitly; only the multipliers of a stage are found
//! such that the velocities at its constraint point meet 0 = G v + c there:
//!
//! ```text
//! P_i = p₀ + h Σ_j<i a_ij P'_j,   V_i = v₀ + h Σ_j<i a_ij V'_j,   P'_i = T(P_i) V_i
//! P̄_i = p₀ + h Σ_j≤i ā_ij P'_j,   R_i = v₀ + h Σ_j<i ā_ij V'_j
//! M(P_i) V'_i + G(P_i)ᵀ Λ_i = f(P_i, V_i)                                        (1)
//! G(P̄_i) V'_i = −(G(P̄_i) R_i + c(P̄_i)) / (h ā_ii)                               (2)
//! ```
//!
//! So G v + c = 0 holds to rounding after every step, z is needed for output only, and g
//! drifts linearly in time (V. Brasey, E. Hairer, *SIAM J. Numer. Anal.* 30 (1993) 538–552).

use super::hermite::Hermite;
use super::parts::{PARTS, combine, combine_part};
use super::projection_control::ProjectionControl;
use super::tableau::half_explicit::{Estimate, HEDOP5, HEM5, PHEM56, Table};
use super::{Diverged, Method, StepSettings};
use crate::Layout;
use crate::constraint::{Projector, Tolerances, normalise};
use crate::linalg::{NonsymmetricKkt, Saddle};
use crate::plant::Plant;
use crate::state::State;
use std::vec;
use std::vec::Vec;

/// Index of the velocities among the parts of a state.
const VELOCITIES: usize = 1;

/// A half-explicit method of order 5.
#[derive(Debug)]
pub struct HalfExplicit {
    table: &'static Table,
    stages: Vec<State>,
    /// The constraint point of a stage, with R as its velocities.
    point: State,
    /// G at the stage; the plant holds that of the last constraint point.
    jacobian: Vec<f64>,
    stage_matrix: NonsymmetricKkt,
    saddle: Saddle,
    projector: Projector,
    control: ProjectionControl,
    start: Known,
    end: Known,
    right: Vec<f64>,
    rate: Vec<f64>,
    error: Vec<f64>,
    dense: Hermite,
}

impl HalfExplicit {
    /// HEM5: eight stages, starts itself, never needs z within a step.
    pub fn hem5(layout: &Layout) -> Self {
        Self::new(&HEM5, layout)
    }

    /// HEDOP5: six stages and the one before.
    pub fn hedop5(layout: &Layout) -> Self {
        Self::new(&HEDOP5, layout)
    }

    /// PHEM56: six stages and the one before, constraint points of their own.
    pub fn phem56(layout: &Layout) -> Self {
        Self::new(&PHEM56, layout)
    }

    fn new(table: &'static Table, layout: &Layout) -> Self {
        let (n_p, n_v, n_lambda) = (layout.n_p(), layout.n_v(), layout.n_lambda());
        Self {
            table,
            stages: (0..table.stages()).map(|_| State::new(layout)).collect(),
            point: State::new(layout),
            jacobian: vec![0.0; n_v * n_lambda],
            stage_matrix: NonsymmetricKkt::new(n_v, n_lambda),
            saddle: layout.saddle(n_lambda),
            projector: Projector::new(layout),
            control: ProjectionControl::new(),
            start: Known::new(layout),
            end: Known::new(layout),
            right: vec![0.0; n_v + n_lambda],
            rate: vec![0.0; n_lambda],
            error: vec![0.0; n_p.max(n_v).max(layout.n_x())],
            dense: Hermite::new(layout),
        }
    }

    /// M, f and G at the start of a step; a repeated step has them already, a new one has G
    /// from the end of the step before.
    fn stand_at_start(&mut self, plant: &mut Plant<'_>, from: &State) {
        let State { t, p, v, x, .. } = from;
        if !self.start.is_at(from) {
            if self.end.is_at(from) {
                core::mem::swap(&mut self.start, &mut self.end);
            } else {
                plant.eval_jacobian(*t, p, v, x);
                self.start.set(from, &plant.constraint_jacobian);
            }
            plant.eval_mass(*t, p, v, x);
            plant.eval_forces(*t, p, v, x);
            self.start.mass_matrix.copy_from_slice(&plant.mass_matrix);
            self.start.forces.copy_from_slice(&plant.forces);
        }
        plant.mass_matrix.copy_from_slice(&self.start.mass_matrix);
        plant.forces.copy_from_slice(&self.start.forces);
        self.jacobian.copy_from_slice(&self.start.jacobian);
    }

    /// M, f, p' and x' at stage i, with G taken from the constraint point of the stage
    /// before where that is the same point.
    fn stand_at(&mut self, plant: &mut Plant<'_>, i: usize, mass_is_known: bool) {
        let State { t, p, v, x, p_dot, x_dot, .. } = &mut self.stages[i];
        if !self.table.shared[i - 1] {
            plant.eval_jacobian(*t, p, v, x);
        }
        plant.exchange_jacobian(&mut self.jacobian);
        if !mass_is_known {
            plant.eval_mass(*t, p, v, x);
        }
        plant.eval_forces(*t, p, v, x);
        plant.eval_kinematics_and_aux(*t, p, v, x, p_dot, x_dot);
    }

    /// V'_i and Λ_i from (1) and (2).
    fn accelerate(&mut self, plant: &mut Plant<'_>, from: &State, i: usize, h: f64) -> Result<(), Diverged> {
        let weights = self.table.a_bar[i];
        let own = h * weights[i];
        self.point.t = from.t + self.table.c_bar[i] * h;
        for part in 0..PARTS.len() {
            let reach = if part == VELOCITIES { i } else { i + 1 };
            combine_part(from, &self.stages[..reach], &weights[..reach], h, part, &mut self.point);
        }
        let State { t, p, v, x, .. } = &self.point;
        plant.eval_jacobian(*t, p, v, x);
        plant.velocity_residual(*t, p, v, x, &mut self.rate);

        let n_v = plant.forces.len();
        self.right[..n_v].copy_from_slice(&plant.forces);
        for (right, rate) in self.right[n_v..].iter_mut().zip(&self.rate) {
            *right = -rate / own;
        }
        plant.statistics.factorisations += 1;
        let block = plant.redundancy().all().block();
        self.stage_matrix
            .factor_reduced(&plant.mass_matrix, &self.jacobian, &plant.constraint_jacobian, block)
            .map_err(Diverged::Singular)?;
        self.stage_matrix.solve(&mut self.right);
        plant.statistics.solves += 1;
        let stage = &mut self.stages[i];
        stage.v_dot.copy_from_slice(&self.right[..n_v]);
        stage.lambda.copy_from_slice(&self.right[n_v..]);
        Ok(())
    }

    /// Projects the end of a step with the last stage matrix, and its velocities with Q
    /// there. On return the plant holds M and G of the new point.
    fn project(
        &mut self,
        plant: &mut Plant<'_>,
        end: &mut State,
        tolerances: Tolerances,
    ) -> Result<(), Diverged> {
        let size = self
            .projector
            .positions(plant, &mut self.stage_matrix, end, tolerances)
            .map_err(Diverged::Projection)?;
        self.control.projected(size);
        plant.eval_mass_and_jacobian(end.t, &end.p, &end.v, &end.x);
        plant.factor(&mut self.saddle).map_err(Diverged::Singular)?;
        self.projector.velocities(plant, &mut self.saddle, end);
        Ok(())
    }

    /// All stages carry a constraint; the last constraint point is the end of the step.
    fn attempt_from_stages(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        h: f64,
        settings: &StepSettings,
        to: &mut State,
    ) -> Result<f64, Diverged> {
        let last = self.table.stages() - 1;
        self.stand_at_start(plant, from);
        self.accelerate(plant, from, 0, h)?;
        for i in 1..=last {
            self.advance_to(from, i, h);
            self.stand_at(plant, i, false);
            self.accelerate(plant, from, i, h)?;
        }
        combine(from, &self.stages, self.table.a_bar[last], h, to);
        to.t = from.t + h;
        normalise(plant.layout(), &mut to.p);
        if self.control.is_due(settings.projection, plant.row_conditioning.relative_pivot()) {
            self.project(plant, to, settings.tolerances)?;
        }
        plant.eval_kinematics_and_aux(to.t, &to.p, &to.v, &to.x, &mut to.p_dot, &mut to.x_dot);
        to.v_dot.copy_from_slice(&self.stages[last].v_dot);
        to.lambda.copy_from_slice(&self.stages[last].lambda);
        self.end.set(to, &plant.constraint_jacobian);
        Ok(self.error_from_lower_orders(to, h, settings.tolerances))
    }

    /// The first stage is known; the last stands at the end of the step.
    fn attempt_after_stage(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        h: f64,
        settings: &StepSettings,
        to: &mut State,
        embedded: &[f64],
    ) -> Result<f64, Diverged> {
        let last = self.table.stages() - 1;
        for i in 1..last {
            self.advance_to(from, i, h);
            self.stand_at(plant, i, false);
            self.accelerate(plant, from, i, h)?;
        }
        combine(from, &self.stages, self.table.a[last], h, to);
        to.t = from.t + h;
        normalise(plant.layout(), &mut to.p);
        let projects = self.control.is_due(settings.projection, plant.row_conditioning.relative_pivot());
        if projects {
            self.project(plant, to, settings.tolerances)?;
        }
        self.stages[last].copy_from(to);
        self.stand_at(plant, last, projects);
        self.accelerate(plant, from, last, h)?;
        to.copy_from(&self.stages[last]);
        Ok(self.error_from_embedded(plant, to, h, settings.tolerances, embedded))
    }

    fn advance_to(&mut self, from: &State, i: usize, h: f64) {
        let (done, rest) = self.stages.split_at_mut(i);
        combine(from, done, self.table.a[i], h, &mut rest[0]);
        rest[0].t = from.t + self.table.c[i] * h;
    }

    /// Orders 3 and 2 against 5: e₁² / (e₁ + e₂/100) goes like h⁵. The last stage is the
    /// solution of order 3, 5/2 V'₇ − 3/2 V'₈ leads to that of order 2.
    ///
    /// As below the error is that of the formula alone: a projection also removes what
    /// earlier steps left, which no smaller step can mend.
    fn error_from_lower_orders(&mut self, to: &State, h: f64, tolerances: Tolerances) -> f64 {
        let last = self.table.stages() - 1;
        let (weights, third_weights) = (self.table.a_bar[last], self.table.a[last]);
        let (mut third, mut second) = (0.0_f64, 0.0_f64);
        for pick in PARTS {
            let new = pick(to).0;
            let error = &mut self.error[..new.len()];
            let sum = |weights: &[f64], i: usize| -> f64 {
                self.stages.iter().zip(weights).map(|(stage, weight)| weight * pick(stage).1[i]).sum()
            };
            for (i, error) in error.iter_mut().enumerate() {
                *error = h * (sum(weights, i) - sum(third_weights, i));
            }
            third = larger(third, tolerances.norm(error, new));
            for (i, error) in error.iter_mut().enumerate() {
                let (before, end) = (pick(&self.stages[last - 1]).1[i], pick(&self.stages[last]).1[i]);
                *error = h * (sum(weights, i) - 2.5 * before + 1.5 * end);
            }
            second = larger(second, tolerances.norm(error, new));
        }
        if third == 0.0 { 0.0 } else { third * third / (third + 0.01 * second) }
    }

    /// Order 4 against 5. The embedded velocities have order 3 only across the constraints;
    /// that part is taken out with the last stage matrix.
    fn error_from_embedded(
        &mut self,
        plant: &mut Plant<'_>,
        to: &State,
        h: f64,
        tolerances: Tolerances,
        weights: &[f64],
    ) -> f64 {
        let own = self.table.a[self.table.stages() - 1];
        let mut worst = 0.0_f64;
        for (part, pick) in PARTS.iter().enumerate() {
            let new = pick(to).0;
            let error = &mut self.error[..new.len()];
            for (i, error) in error.iter_mut().enumerate() {
                let weighted = |(j, stage): (usize, &State)| {
                    (weights[j] - own.get(j).copied().unwrap_or(0.0)) * pick(stage).1[i]
                };
                *error = h * self.stages.iter().enumerate().map(weighted).sum::<f64>();
            }
            if part == VELOCITIES && !self.rate.is_empty() {
                let n_v = new.len();
                self.right.fill(0.0);
                let rows = &mut self.right[n_v..];
                for (column, error) in self.jacobian.chunks_exact(rows.len()).zip(&*error) {
                    for (row, g) in rows.iter_mut().zip(column) {
                        *row -= g * error;
                    }
                }
                self.stage_matrix.solve(&mut self.right);
                plant.statistics.solves += 1;
                for (error, delta) in error.iter_mut().zip(&self.right) {
                    *error += delta;
                }
            }
            worst = larger(worst, tolerances.norm(error, new));
        }
        worst
    }
}

/// The larger of two norms; NaN wins.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

impl Method for HalfExplicit {
    fn name(&self) -> &'static str {
        self.table.name
    }

    fn order(&self) -> u32 {
        5
    }

    fn error_order(&self) -> u32 {
        5
    }

    fn attempt(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        h: f64,
        settings: &StepSettings,
        to: &mut State,
    ) -> Result<f64, Diverged> {
        self.dense.forget_step();
        self.stages[0].copy_from(from);
        let error = match &self.table.estimate {
            Estimate::LowerOrders => self.attempt_from_stages(plant, from, h, settings, to)?,
            Estimate::Embedded(weights) => self.attempt_after_stage(plant, from, h, settings, to, weights)?,
        };
        if error.is_nan() { Err(Diverged::NotANumber) } else { Ok(error) }
    }

    fn accepted(&mut self, _: &mut Plant<'_>) {
        self.control.accepted();
    }

    fn restart(&mut self) {
        self.control.restart();
        self.start.forget();
        self.end.forget();
        self.dense.restart();
    }

    /// With rates that meet the constraints as those of the end do: the accelerations of the
    /// stages meet them elsewhere.
    fn stage_before_end(&mut self, plant: &mut Plant<'_>) -> Option<&State> {
        let stage = match self.table.estimate {
            Estimate::LowerOrders => self.stages.last(),
            Estimate::Embedded(_) => self.stages.get(self.table.stages() - 2),
        };
        self.point.copy_from(stage?);
        let counts = plant.statistics;
        let outcome = plant.eval_derivatives(&mut self.point, &mut self.saddle);
        plant.statistics = counts;
        outcome.ok().map(|()| &self.point)
    }

    /// The multipliers of the last stage are of order 3 (HEM5) or 4.
    fn writes_full_rates(&self) -> bool {
        false
    }

    fn prepare_dense(&mut self, plant: &mut Plant<'_>, from: &State, to: &State) -> Result<(), Diverged> {
        let saddle = match self.table.estimate {
            Estimate::LowerOrders => Some(&mut self.saddle),
            Estimate::Embedded(_) => None,
        };
        self.dense.prepare(plant, from, to, saddle).map_err(Diverged::Singular)
    }

    fn interpolate(&self, from: &State, to: &State, theta: f64, out: &mut State) {
        self.dense.interpolate(from, to, theta, out);
    }
}

/// What is known at a point.
#[derive(Debug)]
struct Known {
    is_set: bool,
    state: State,
    jacobian: Vec<f64>,
    mass_matrix: Vec<f64>,
    forces: Vec<f64>,
}

impl Known {
    fn new(layout: &Layout) -> Self {
        let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
        Self {
            is_set: false,
            state: State::new(layout),
            jacobian: vec![0.0; n_v * n_lambda],
            mass_matrix: vec![0.0; n_v * n_v],
            forces: vec![0.0; n_v],
        }
    }

    fn is_at(&self, state: &State) -> bool {
        self.is_set && self.state.is_at(state)
    }

    fn set(&mut self, state: &State, jacobian: &[f64]) {
        self.is_set = true;
        self.state.copy_from(state);
        self.jacobian.copy_from_slice(jacobian);
    }

    fn forget(&mut self) {
        self.is_set = false;
    }
}
