//! Position projection in lanes.

use super::attempt::Attempt;
use super::linalg::{largest, multiply, solve_ldlt};
use super::point::normalise;
use super::{Lanes, f64x4};
use crate::Layout;
use crate::constraint::{MAX_ITERATIONS, ROUNDING, SMALL_ENOUGH, Tolerances};
use mbs_math::lanes::{mask, select, splat};

/// What became of the projection of one lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Projected {
    /// None was due.
    No,
    /// The weighted size of its first correction, and how many there were.
    Done { first: f64, iterations: u64 },
    /// It did not converge.
    Failed,
}

impl Attempt {
    /// Projects the positions of the lanes in which it is due, each until it converges; see
    /// [`Projector::positions`](crate::constraint::Projector::positions).
    pub(super) fn project(
        &mut self,
        model: &dyn Lanes,
        layout: &Layout,
        due: [bool; 4],
        tolerances: Tolerances,
    ) -> [Projected; 4] {
        let n_v = layout.n_v();
        let mut outcome = due.map(|due| if due { Projected::Failed } else { Projected::No });
        let mut active = due;
        let mut first = [0.0; 4];
        let mut previous = [f64::INFINITY; 4];
        for iteration in 0..MAX_ITERATIONS {
            model.constraints_x4(&self.inputs.at(&self.to), &mut self.g);
            let right = &mut self.right[..n_v + layout.n_g];
            right[..n_v].fill(splat(0.0));
            for (right, g) in right[n_v..].iter_mut().zip(&self.g) {
                *right = -*g;
            }
            let factors = if layout.n_g < layout.n_lambda() { &self.holonomic } else { &self.chord };
            solve_ldlt(factors, right);
            model.kinematic_matrix_x4(&self.inputs.at(&self.to), &mut self.kinematic_matrix);
            multiply(&self.kinematic_matrix, &right[..n_v], &mut self.delta_p);
            let moves = mask(active);
            for (p, delta) in self.to.p.iter_mut().zip(&self.delta_p) {
                *p = select(moves, *p + *delta, *p);
            }
            let sizes = norm(tolerances, &self.delta_p, &self.to.p).to_array();
            let far = largest(&self.to.p).to_array();
            let corrections = largest(&self.delta_p).to_array();
            let violations = largest(&self.g).to_array();
            for lane in 0..4 {
                if !active[lane] {
                    continue;
                }
                let size = sizes[lane];
                if iteration == 0 {
                    first[lane] = size;
                }
                let rounding = 4.0 * f64::EPSILON * (1.0 + far[lane]);
                let stagnates = size > 0.5 * previous[lane]
                    && size <= 1.0
                    && violations[lane] <= ROUNDING * (1.0 + far[lane]);
                if size.is_nan() {
                    active[lane] = false;
                } else if size <= SMALL_ENOUGH || stagnates || corrections[lane] <= rounding {
                    active[lane] = false;
                    outcome[lane] =
                        Projected::Done { first: first[lane], iterations: u64::from(iteration) + 1 };
                } else if size > 2.0 * previous[lane] {
                    active[lane] = false;
                }
                previous[lane] = size;
            }
            if active == [false; 4] {
                break;
            }
        }
        let done = outcome.map(|outcome| matches!(outcome, Projected::Done { .. }));
        normalise(layout, &mut self.to.p, mask(done));
        outcome
    }
}

/// [`Tolerances::norm`] in lanes.
pub(super) fn norm(tolerances: Tolerances, errors: &[f64x4], reference: &[f64x4]) -> f64x4 {
    if errors.is_empty() {
        return splat(0.0);
    }
    let (rtol, atol) = (splat(tolerances.rtol), splat(tolerances.atol));
    let square = |(error, reference): (&f64x4, &f64x4)| {
        let scaled = *error / (rtol * reference.abs() + atol);
        scaled * scaled
    };
    let sum = errors.iter().zip(reference).map(square).fold(super::linalg::NOTHING, |sum, x| sum + x);
    (sum / splat(errors.len() as f64)).sqrt()
}
