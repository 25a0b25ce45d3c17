//! One step of MDOP5 in lanes.
//!
//! Every lane goes through the operations of [`Mdop5`]'s attempt in the same order, so that it
//! has the same bits; what only some lanes need is masked. A lane that meets something out of
//! the ordinary leaves the others and repeats its step alone.

use super::group::Lane;
use super::linalg::{add_product, assemble, ldlt, solve_ldlt};
use super::point::{Inputs, Point, ZERO, normalise, put, take, weighted_sums};
use super::projection::{Projected, norm};
use super::rates::{CHORD, holds, solve};
use super::{Lanes, f64x4};
use crate::constraint::{NEAR_SINGULAR, RowConditioning};
use crate::integrate::tableau::dormand_prince::{A, C, D};
use crate::integrate::{Diverged, Mdop5, Method, Projection, error_weights};
use crate::statistics::Statistics;
use crate::{Layout, State};
use mbs_math::lanes::{less, less_equal, mask, select, splat};
use std::vec;
use std::vec::Vec;

/// Workspace for steps of four states.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) inputs: Inputs,
    from: Point,
    pub(super) to: Point,
    pub(super) rates: Vec<Point>,
    /// The last stage before the end.
    before_end: Point,
    /// Rates by the factors of Q, which only some lanes may need.
    pub(super) other: Point,
    pub(super) lambda: Vec<f64x4>,
    pub(super) m: Vec<f64x4>,
    pub(super) f: Vec<f64x4>,
    pub(super) jacobian: Vec<f64x4>,
    pub(super) z: Vec<f64x4>,
    pub(super) factors: Vec<f64x4>,
    /// Factors of the last stage but one, for the position projection.
    pub(super) chord: Vec<f64x4>,
    /// The same of the holonomic rows alone, if there are others.
    pub(super) holonomic: Vec<f64x4>,
    /// Pivots of the model's own solution.
    pub(super) pivots: Vec<f64x4>,
    pub(super) right: Vec<f64x4>,
    pub(super) g: Vec<f64x4>,
    rate: Vec<f64x4>,
    pub(super) kinematic_matrix: Vec<f64x4>,
    pub(super) delta_p: Vec<f64x4>,
    error: Vec<f64x4>,
    dense: [Vec<f64x4>; 3],
    /// Lanes that still keep up, as a mask.
    pub(super) alive: f64x4,
    /// Whether accelerations come from the model's own solution.
    pub(super) use_generated_solver: bool,
    /// What the plants knew of their rows before the step.
    before: [RowConditioning; 4],
}

impl Attempt {
    /// Workspace for a layout.
    pub(super) fn new(layout: &Layout) -> Self {
        let (n_p, n_v, n_x, n_g) = (layout.n_p(), layout.n_v(), layout.n_x(), layout.n_g);
        let n_lambda = layout.n_lambda();
        let room = |n: usize| vec![ZERO; n];
        let square = |n: usize| vec![ZERO; n * n];
        let other_rows = n_g < n_lambda;
        Self {
            inputs: Inputs::new(layout),
            from: Point::new(layout),
            to: Point::new(layout),
            rates: (0..7).map(|_| Point::new(layout)).collect(),
            before_end: Point::new(layout),
            other: Point::new(layout),
            lambda: room(n_lambda),
            m: square(n_v),
            f: room(n_v),
            jacobian: room(n_lambda * n_v),
            z: room(n_lambda),
            factors: square(n_v + n_lambda),
            chord: square(n_v + n_lambda),
            holonomic: if other_rows { square(n_v + n_g) } else { Vec::new() },
            pivots: room(n_v + n_lambda),
            right: room(n_v + n_lambda),
            g: room(n_g),
            rate: room(n_lambda),
            kinematic_matrix: room(n_p * n_v),
            delta_p: room(n_p),
            error: room(n_p.max(n_v).max(n_x)),
            dense: [n_p, n_v, n_x].map(room),
            alive: ZERO,
            use_generated_solver: false,
            before: core::array::from_fn(|_| RowConditioning::new(n_lambda)),
        }
    }

    /// Tries the proposed step of every lane that holds a run; writes the trial states. For
    /// lanes without a run the result means nothing.
    pub(super) fn run(
        &mut self,
        model: &dyn Lanes,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
    ) -> [Result<f64, Diverged>; 4] {
        let together: [bool; 4] = core::array::from_fn(|lane| {
            lanes[lane].as_ref().is_some_and(|lane| !lane.driver.plant.redundancy().is_active())
        });
        let mut kept = [false; 4];
        let mut errors = [Ok(0.0); 4];
        // One lane alone is quicker alone.
        let tried = together.iter().filter(|&&holds| holds).count() > 1;
        if tried && let Some(found) = self.step(model, lanes, together) {
            for lane in 0..4 {
                kept[lane] = together[lane] && holds(self.alive, lane);
                errors[lane] = Ok(found.to_array()[lane]);
            }
        }
        for (lane, slot) in lanes.iter_mut().enumerate() {
            if let Some(Lane { driver, proposal, .. }) = slot.as_mut().filter(|_| !kept[lane]) {
                driver.measured = false;
                if together[lane] && tried {
                    driver.plant.row_conditioning.copy_from(&self.before[lane]);
                }
                errors[lane] = driver.method.attempt(
                    driver.plant,
                    &driver.state,
                    proposal.h,
                    &driver.step_settings,
                    &mut driver.trial,
                );
            }
        }
        errors
    }

    /// The step of all lanes that go together; `alive` says which came to a result. `None` if
    /// none did.
    fn step(
        &mut self,
        model: &dyn Lanes,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
        together: [bool; 4],
    ) -> Option<f64x4> {
        let layout = model.layout();
        let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
        // Lanes without a run repeat another one.
        let first = together.iter().position(|&holds| holds)?;
        let source = core::array::from_fn(|lane| if together[lane] { lane } else { first });
        let (start, h) = self.gather(lanes, source);
        let first_lane = lanes[first].as_ref()?;
        let settings = first_lane.driver.step_settings;
        let use_generated_solver = first_lane.driver.plant.use_generated_solver;
        self.use_generated_solver = use_generated_solver;
        self.alive = mask(together);

        let mut due = [false; 4];
        for i in 1..6 {
            if i == CHORD && layout.n_g > 0 {
                due = self.is_due(lanes, together, settings.projection);
            }
            self.to.combine(&self.from, &self.rates[..i], A[i], h);
            self.inputs.set_time(start + splat(C[i]) * h, lanes, source);
            self.rates(model, lanes, i, due);
            if !self.alive.any() {
                return None;
            }
        }

        core::mem::swap(&mut self.before_end, &mut self.to);
        self.to.combine(&self.from, &self.rates[..6], A[6], h);
        self.inputs.set_time(start + h, lanes, source);
        let mut projected = [Projected::No; 4];
        if due.contains(&true) {
            let mut usable = mask(due) & self.alive;
            if layout.n_g < n_lambda {
                assemble(n_v, layout.n_g, &self.m, &self.jacobian, n_lambda, &mut self.holonomic);
                let kept = ldlt(n_v, layout.n_g, &mut self.holonomic);
                self.alive &= kept | mask(due.map(|due| !due));
                usable &= kept;
            }
            let usable = core::array::from_fn(|lane| holds(usable, lane));
            projected = self.project(model, layout, usable, settings.tolerances);
            self.alive &= mask(projected.map(|projected| projected != Projected::Failed));
        }
        normalise(layout, &mut self.to.p, mask([true; 4]));
        let projects = n_lambda > 0 && settings.projection != Projection::None;
        if use_generated_solver && !projects {
            self.rates(model, lanes, 6, [false; 4]);
        } else {
            self.rates_after_projection(model, lanes, projects);
        }

        let mut worst = ZERO;
        for (part, new) in self.to.parts().into_iter().enumerate() {
            let error = &mut self.error[..new.len()];
            weighted_sums(&self.rates, part, error_weights(), h, error);
            let norm = norm(settings.tolerances, error, new);
            self.alive &= less_equal(norm, norm);
            worst = select(less(worst, norm), norm, worst);
        }
        self.leave_singular_poses(lanes);
        self.scatter(lanes, start + h, h, &projected, settings.projection);
        if n_lambda > 0 {
            self.measure(model, lanes, source);
        }
        Some(worst)
    }

    /// Rates at the end of the step, with factors that correct the velocities first if they are
    /// projected.
    fn rates_after_projection(
        &mut self,
        model: &dyn Lanes,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
        projects: bool,
    ) {
        let (n_v, n_lambda) = (self.to.v.len(), self.lambda.len());
        model.update_mass_matrix_x4(&self.inputs.at(&self.to), &mut self.m);
        model.update_constraint_jacobian_x4(&self.inputs.at(&self.to), &mut self.jacobian);
        assemble(n_v, n_lambda, &self.m, &self.jacobian, n_lambda, &mut self.factors);
        self.alive &= ldlt(n_v, n_lambda, &mut self.factors);
        self.tell_pivots(lanes, 6, mask([true; 4]));
        if projects {
            model.velocity_bias_x4(&self.inputs.at(&self.to), &mut self.rate);
            add_product(&self.jacobian, &self.to.v, &mut self.rate);
            self.right[..n_v].fill(ZERO);
            for (right, rate) in self.right[n_v..].iter_mut().zip(&self.rate) {
                *right = -*rate;
            }
            solve_ldlt(&self.factors, &mut self.right);
            for (v, delta) in self.to.v.iter_mut().zip(&self.right) {
                *v += *delta;
            }
        }
        let rates = &mut self.rates[6];
        model.forces_x4(&self.inputs.at(&self.to), &mut self.f);
        model.acceleration_bias_x4(&self.inputs.at(&self.to), &mut self.z);
        model.kinematics_x4(&self.inputs.at(&self.to), &mut rates.p);
        model.auxiliary_x4(&self.inputs.at(&self.to), &mut rates.x);
        solve(&self.f, &self.z, &self.factors, &mut self.right);
        rates.v.copy_from_slice(&self.right[..n_v]);
        self.lambda.copy_from_slice(&self.right[n_v..]);
    }

    /// Takes up the states the lanes start from; returns their times and step sizes.
    fn gather(&mut self, lanes: &[Option<Lane<'_, '_>>; 4], source: [usize; 4]) -> (f64x4, f64x4) {
        let samples = source.map(|lane| lanes[lane].as_ref().map(|lane| lane.sample));
        let same = samples == self.inputs.samples;
        self.inputs.samples = samples;
        let (mut t, mut h) = ([0.0; 4], [0.0; 4]);
        for (lane, &from) in source.iter().enumerate() {
            let Some(Lane { driver, proposal, .. }) = &lanes[from] else { continue };
            let state = &driver.state;
            (t[lane], h[lane]) = (state.t, proposal.h);
            self.before[lane].copy_from(&driver.plant.row_conditioning);
            let rates = &mut self.rates[0];
            for (to, from) in [
                (&mut self.from.p, &state.p),
                (&mut self.from.v, &state.v),
                (&mut self.from.x, &state.x),
                (&mut rates.p, &state.p_dot),
                (&mut rates.v, &state.v_dot),
                (&mut rates.x, &state.x_dot),
            ] {
                put(to, lane, from);
            }
            if !same {
                put(&mut self.inputs.prepared, lane, driver.plant.prepared());
            }
            for (to, &holds) in self.inputs.modes.iter_mut().zip(&driver.plant.modes) {
                to.as_mut_array()[lane] = f64::from_bits(if holds { u64::MAX } else { 0 });
            }
        }
        (f64x4::new(t), f64x4::new(h))
    }

    /// Which lanes project their positions.
    fn is_due(
        &self,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
        together: [bool; 4],
        projection: Projection,
    ) -> [bool; 4] {
        core::array::from_fn(|lane| match &mut lanes[lane] {
            Some(Lane { driver, .. }) if together[lane] && holds(self.alive, lane) => {
                driver.method.is_due(projection, driver.plant.row_conditioning.relative_pivot())
            }
            _ => false,
        })
    }

    /// Lanes near a singular pose go alone: there the error is judged differently.
    fn leave_singular_poses(&mut self, lanes: &[Option<Lane<'_, '_>>; 4]) {
        for (lane, slot) in lanes.iter().enumerate() {
            if slot
                .as_ref()
                .is_some_and(|lane| lane.driver.plant.row_conditioning.relative_pivot() < NEAR_SINGULAR)
            {
                self.leave(lane);
            }
        }
    }

    /// Gives every lane that came to a result its trial state, and counts what it took.
    fn scatter(
        &mut self,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
        t: f64x4,
        h: f64x4,
        projected: &[Projected; 4],
        projection: Projection,
    ) {
        for (part, dense) in self.dense.iter_mut().enumerate() {
            weighted_sums(&self.rates, part, D, h, dense);
        }
        for (lane, slot) in lanes.iter_mut().enumerate() {
            let Some(Lane { driver, .. }) = slot else { continue };
            if !holds(self.alive, lane) {
                continue;
            }
            let State { t: time, p, v, x, p_dot, v_dot, x_dot, lambda, .. } = &mut driver.trial;
            *time = t.to_array()[lane];
            let rates = &self.rates[6];
            for (to, from) in [
                (p, &self.to.p),
                (v, &self.to.v),
                (x, &self.to.x),
                (p_dot, &rates.p),
                (v_dot, &rates.v),
                (x_dot, &rates.x),
                (lambda, &self.lambda),
            ] {
                take(from, lane, to);
            }
            let method: &mut Mdop5 = driver.method;
            let (dense_output, stage) = method.attempted(h.to_array()[lane]);
            for (to, from) in dense_output.iter_mut().zip(&self.dense) {
                take(from, lane, to);
            }
            let (rates, point) = (&self.rates[5], &self.before_end);
            for (to, from) in [
                (&mut stage.v, &point.v),
                (&mut stage.x, &point.x),
                (&mut stage.v_dot, &rates.v),
                (&mut stage.x_dot, &rates.x),
            ] {
                take(from, lane, to);
            }
            if let Projected::Done { first, .. } = projected[lane] {
                method.projected(first);
            }
            let n_lambda = self.lambda.len();
            let other_rows = self.g.len() < n_lambda;
            count(&mut driver.plant.statistics, projected[lane], n_lambda, other_rows, projection);
        }
    }

    /// How far the trial states are from the constraints, at the times they will have.
    fn measure(&mut self, model: &dyn Lanes, lanes: &mut [Option<Lane<'_, '_>>; 4], source: [usize; 4]) {
        let ends = source
            .map(|lane| lanes[lane].as_ref().map_or(0.0, |lane| lane.proposal.end(lane.driver.state.t)));
        self.inputs.set_time(f64x4::new(ends), lanes, source);
        if !self.g.is_empty() {
            model.constraints_x4(&self.inputs.at(&self.to), &mut self.g);
        }
        model.update_constraint_jacobian_x4(&self.inputs.at(&self.to), &mut self.jacobian);
        model.velocity_bias_x4(&self.inputs.at(&self.to), &mut self.rate);
        add_product(&self.jacobian, &self.to.v, &mut self.rate);
        for (lane, slot) in lanes.iter_mut().enumerate() {
            if let Some(Lane { driver, .. }) = slot {
                take(&self.g, lane, &mut driver.g);
                take(&self.rate, lane, &mut driver.rate);
                driver.measured = true;
            }
        }
    }
}

/// Counts what the scalar attempt counts.
fn count(
    counts: &mut Statistics,
    projected: Projected,
    rows: usize,
    other_rows: bool,
    projection: Projection,
) {
    counts.mass_matrix += 6;
    counts.forces += 6;
    counts.constraint_jacobian += 6;
    counts.acceleration_bias += 6;
    counts.factorisations += 6;
    counts.solves += 6;
    if let Projected::Done { iterations, .. } = projected {
        counts.position_projections += 1;
        counts.projection_iterations += iterations;
        counts.constraints += iterations;
        counts.solves += iterations;
        counts.factorisations += u64::from(other_rows);
    }
    if rows > 0 && projection != Projection::None {
        counts.solves += 1;
        counts.velocity_projections += 1;
    }
}
