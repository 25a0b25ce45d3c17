//! Rates of four states: by the model's own solution where it is to be trusted, else by the
//! factors of Q.

use super::attempt::Attempt;
use super::group::Lane;
use super::linalg::{assemble, ldlt, solve_ldlt};
use super::{Accelerated4, Fused4, Lanes, f64x4};
use crate::constraint::NEAR_SINGULAR;
use mbs_math::lanes::{mask, not, select};

/// The stage whose factors serve the position projection.
pub(super) const CHORD: usize = 5;

impl Attempt {
    /// Rates of stage i at `to`, and λ; see [`Plant::eval_derivatives`](crate::Plant::eval_derivatives).
    /// Lanes that are due need the factors of Q, which then stay in `chord`; the others take the model's own
    /// solution, and one in which that is not to be trusted leaves.
    pub(super) fn rates(
        &mut self,
        model: &dyn Lanes,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
        stage: usize,
        due: [bool; 4],
    ) {
        let due = mask(due);
        let wanted = self.alive & not(due);
        let own = self.use_generated_solver && wanted.any() && self.accelerations(model, lanes, stage, due);
        if !own {
            self.rates_and_factors(model, lanes, stage, mask([true; 4]));
        } else if due.any() {
            self.rates_and_factors(model, lanes, stage, due);
        }
    }

    /// Rates by the model's own solution, for lanes that are not due; whether there is one.
    fn accelerations(
        &mut self,
        model: &dyn Lanes,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
        stage: usize,
        due: f64x4,
    ) -> bool {
        let rates = &mut self.rates[stage];
        let mut out = Accelerated4 {
            p_dot: &mut rates.p,
            v_dot: &mut rates.v,
            lambda: &mut self.lambda,
            auxiliary: &mut rates.x,
            pivots: &mut self.pivots,
        };
        if model.accelerations_x4(&self.inputs.at(&self.to), &mut out).is_err() {
            self.use_generated_solver = false;
            return false;
        }
        self.alive &= out.sound() | due;
        if self.lambda.is_empty() {
            return true;
        }
        let told = self.alive & not(due);
        for (lane, slot) in lanes.iter_mut().enumerate() {
            if let Some(Lane { driver, .. }) = slot.as_mut().filter(|_| holds(told, lane)) {
                let rows = self.pivots[self.to.v.len()..].iter();
                let row_conditioning = &mut driver.plant.row_conditioning;
                row_conditioning.look_at(rows.map(|pivot| pivot.as_array()[lane]));
                if row_conditioning.relative_pivot() < NEAR_SINGULAR {
                    self.leave(lane);
                }
            }
        }
        true
    }

    /// Rates where the mask holds: evaluates, factors and solves.
    fn rates_and_factors(
        &mut self,
        model: &dyn Lanes,
        lanes: &mut [Option<Lane<'_, '_>>; 4],
        stage: usize,
        wanted: f64x4,
    ) {
        let (n_v, n_lambda) = (self.to.v.len(), self.lambda.len());
        model.update_fused_x4(
            &self.inputs.at(&self.to),
            &mut Fused4 {
                p_dot: &mut self.other.p,
                mass_matrix: &mut self.m,
                forces: &mut self.f,
                constraint_jacobian: &mut self.jacobian,
                acceleration_bias: &mut self.z,
                auxiliary: &mut self.other.x,
            },
        );
        let factors = if stage == CHORD { &mut self.chord } else { &mut self.factors };
        assemble(n_v, n_lambda, &self.m, &self.jacobian, n_lambda, factors);
        self.alive &= ldlt(n_v, n_lambda, factors) | not(wanted);
        solve(&self.f, &self.z, factors, &mut self.right);
        self.other.v.copy_from_slice(&self.right[..n_v]);
        self.rates[stage].take_where(wanted, &self.other);
        for (lambda, other) in self.lambda.iter_mut().zip(&self.right[n_v..]) {
            *lambda = select(wanted, *other, *lambda);
        }
        self.tell_pivots(lanes, stage, wanted);
    }

    /// Shows the plants the pivots of rows that were just factored, where the mask holds.
    pub(super) fn tell_pivots(&self, lanes: &mut [Option<Lane<'_, '_>>; 4], stage: usize, wanted: f64x4) {
        let n = self.right.len();
        let rows = self.to.v.len()..n;
        if rows.is_empty() {
            return;
        }
        let factors = if stage == CHORD { &self.chord } else { &self.factors };
        let told = self.alive & wanted;
        for (lane, slot) in lanes.iter_mut().enumerate() {
            if let Some(Lane { driver, .. }) = slot.as_mut().filter(|_| holds(told, lane)) {
                let pivots = rows.clone().map(|row| -factors[row * n + row].as_array()[lane]);
                driver.plant.row_conditioning.look_at_pivots(pivots);
            }
        }
    }

    /// The lane does its step alone.
    pub(super) fn leave(&mut self, lane: usize) {
        self.alive.as_mut_array()[lane] = 0.0;
    }
}

/// Whether a mask holds in a lane.
pub(super) fn holds(mask: f64x4, lane: usize) -> bool {
    mask.as_array()[lane].to_bits() != 0
}

/// Q [v'; λ] = [f; −z].
pub(super) fn solve(f: &[f64x4], z: &[f64x4], factors: &[f64x4], right: &mut [f64x4]) {
    right[..f.len()].copy_from_slice(f);
    for (right, z) in right[f.len()..].iter_mut().zip(z) {
        *right = -*z;
    }
    solve_ldlt(factors, right);
}
