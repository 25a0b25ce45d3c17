//! Coordinate projection onto the constraints, in the metric of the mass matrix (Simeon 1996, eqs. 12, 13).

use super::normalise;
use crate::linalg::{Factors, Saddle};
use crate::plant::Plant;
use crate::state::State;
use crate::{Layout, math};
use std::vec;
use std::vec::Vec;

/// Newton iterations after which a projection is given up.
pub(crate) const MAX_ITERATIONS: u32 = 8;

/// The weighted size of the last correction at which a projection is done: far below
/// the error the step size control allows, and quadratically smaller already.
pub(crate) const SMALL_ENOUGH: f64 = 1e-3;

/// Violation of the constraints, relative to the size of things, that is rounding.
pub(crate) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A position projection did not converge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotConverged {
    /// The row that is violated most.
    pub row: usize,
    /// Its value.
    pub value: f64,
}

/// Weights of an error norm (Simeon 1996, eq. 15).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Relative.
    pub rtol: f64,
    /// Absolute, in the unit of each component.
    pub atol: f64,
}

impl Tolerances {
    /// Root mean square of `errors`, each over rtol·|reference| + atol.
    pub fn norm(self, errors: &[f64], reference: &[f64]) -> f64 {
        if errors.is_empty() {
            return 0.0;
        }
        let square = |(error, reference): (&f64, &f64)| {
            let scaled = error / (self.rtol * reference.abs() + self.atol);
            scaled * scaled
        };
        let sum: f64 = errors.iter().zip(reference).map(square).sum();
        math::sqrt(sum / errors.len() as f64)
    }
}

/// Projects positions and velocities; keeps its workspace.
#[derive(Debug)]
pub struct Projector {
    holonomic: Option<Saddle>,
    g: Vec<f64>,
    right: Vec<f64>,
    delta: Vec<f64>,
    delta_p: Vec<f64>,
    /// Of systems that are not large.
    kinematic_matrix: Vec<f64>,
    rate: Vec<f64>,
}

impl Projector {
    /// Workspace for a layout.
    pub fn new(layout: &Layout) -> Self {
        let (n_p, n_v, n_lambda) = (layout.n_p(), layout.n_v(), layout.n_lambda());
        Self {
            // Non-holonomic rows take part in velocity projection only.
            holonomic: (layout.n_g < n_lambda).then(|| layout.saddle(layout.n_g)),
            g: vec![0.0; layout.n_g],
            right: vec![0.0; n_v + n_lambda],
            delta: vec![0.0; n_v],
            delta_p: vec![0.0; n_p],
            kinematic_matrix: vec![0.0; if layout.is_large() { 0 } else { n_p * n_v }],
            rate: vec![0.0; n_lambda],
        }
    }

    /// Position projection (Simeon 1996, eqs. 12a, 13): moves p of `state` to g(p, t) = 0 along directions that are
    /// shortest in the metric of M.
    ///
    /// `chord` holds Q of a nearby state, or a matrix near it; the matrices of the plant's
    /// last evaluation belong to it. With M and G frozen there, the upper row of (13)
    /// stays satisfied and each iteration solves Q [δ; ·] = [0; −g]. Returns the weighted
    /// size of the first correction, which measures how far the drift has come.
    pub fn positions(
        &mut self,
        plant: &mut Plant<'_>,
        chord: &mut dyn Factors,
        state: &mut State,
        tolerances: Tolerances,
    ) -> Result<f64, NotConverged> {
        if self.g.is_empty() {
            return Ok(0.0);
        }
        let State { t, p, v, x, .. } = state;
        let layout = plant.layout();
        let n_v = layout.n_v();
        let chord: &mut dyn Factors = match &mut self.holonomic {
            Some(own) => {
                if plant.factor_holonomic(own).is_err() {
                    return Err(NotConverged { row: 0, value: f64::NAN });
                }
                own
            }
            None => chord,
        };
        plant.statistics.position_projections += 1;
        let mut first = 0.0;
        let mut previous = f64::INFINITY;
        for iteration in 0..MAX_ITERATIONS {
            plant.constraints(*t, p, v, x, &mut self.g);
            self.right[..n_v].fill(0.0);
            for (right, g) in self.right[n_v..].iter_mut().zip(&self.g) {
                *right = -g;
            }
            chord.solve(&mut self.right[..n_v + self.g.len()]);
            plant.statistics.solves += 1;
            plant.statistics.projection_iterations += 1;
            self.delta.copy_from_slice(&self.right[..n_v]);
            if layout.is_large() {
                plant.at(*t, p, &self.delta, x, |system, at| system.kinematics(at, &mut self.delta_p));
            } else {
                plant.at(*t, p, v, x, |system, at| system.kinematic_matrix(at, &mut self.kinematic_matrix));
                multiply(&self.kinematic_matrix, &self.delta, &mut self.delta_p);
            }
            for (p, delta) in p.iter_mut().zip(&self.delta_p) {
                *p += delta;
            }
            let size = tolerances.norm(&self.delta_p, p);
            if iteration == 0 {
                first = size;
            }
            if size.is_nan() {
                break;
            }
            // Below rounding of p a correction says nothing, however tight the tolerances.
            let rounding = 4.0 * f64::EPSILON * (1.0 + largest(p));
            // Near a singular pose rounding of g makes corrections that do not shrink.
            let stagnates =
                size > 0.5 * previous && size <= 1.0 && largest(&self.g) <= ROUNDING * (1.0 + largest(p));
            if size <= SMALL_ENOUGH || stagnates || largest(&self.delta_p) <= rounding {
                normalise(layout, p);
                return Ok(first);
            }
            if size > 2.0 * previous {
                break;
            }
            previous = size;
        }
        Err(self.worst(plant, state))
    }

    fn worst(&mut self, plant: &mut Plant<'_>, state: &State) -> NotConverged {
        plant.constraints(state.t, &state.p, &state.v, &state.x, &mut self.g);
        let size = |value: f64| if value.is_nan() { f64::INFINITY } else { value.abs() };
        let worst = self.g.iter().enumerate().max_by(|(_, a), (_, b)| size(**a).total_cmp(&size(**b)));
        worst.map_or(NotConverged { row: 0, value: 0.0 }, |(row, &value)| NotConverged { row, value })
    }

    /// Velocity projection (Simeon 1996, eq. 12b): moves v to G v + c = 0, shortest in the metric of M.
    /// `saddle` holds Q at the state, and the plant's last evaluation was there.
    pub fn velocities(&mut self, plant: &mut Plant<'_>, saddle: &mut Saddle, state: &mut State) {
        if self.rate.is_empty() {
            return;
        }
        let State { t, p, v, x, .. } = state;
        let n_v = v.len();
        plant.velocity_residual(*t, p, v, x, &mut self.rate);
        self.right[..n_v].fill(0.0);
        for (right, rate) in self.right[n_v..].iter_mut().zip(&self.rate) {
            *right = -rate;
        }
        saddle.solve(&mut self.right);
        plant.statistics.solves += 1;
        plant.statistics.velocity_projections += 1;
        for (v, delta) in v.iter_mut().zip(&self.right) {
            *v += delta;
        }
    }

    /// Leaves of a small change of velocities what [`velocities`](Self::velocities) would leave of it;
    /// `saddle` holds Q at the state, and the plant's last evaluation was there.
    pub(crate) fn tangential(&mut self, plant: &mut Plant<'_>, saddle: &mut Saddle, change: &mut [f64]) {
        let (right, rate) = self.right.split_at_mut(change.len());
        right.fill(0.0);
        rate.fill(0.0);
        plant.add_jacobian_product(change, rate);
        rate.iter_mut().for_each(|rate| *rate = -*rate);
        saddle.solve(&mut self.right);
        plant.statistics.solves += 1;
        for (change, delta) in change.iter_mut().zip(&self.right) {
            *change += delta;
        }
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

/// y = A x, column-major.
pub(crate) fn multiply(a: &[f64], x: &[f64], y: &mut [f64]) {
    let rows = y.len();
    y.fill(0.0);
    for (column, factor) in a.chunks_exact(rows.max(1)).zip(x) {
        for (y, entry) in y.iter_mut().zip(column) {
            *y += entry * factor;
        }
    }
}
