//! The unknowns of the stabilised index-2 form and their residuals.

use crate::Layout;
use crate::constraint::multiply;
use crate::plant::Plant;
use crate::state::State;
use core::ops::Range;
use std::vec;
use std::vec::Vec;

/// Where p, v, x, w = v', λ and μ lie in a vector of unknowns, and where their equations lie
/// among the residuals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unknowns {
    pub(super) p: Range<usize>,
    pub(super) v: Range<usize>,
    pub(super) x: Range<usize>,
    pub(super) w: Range<usize>,
    pub(super) lambda: Range<usize>,
    pub(super) mu: Range<usize>,
}

impl Unknowns {
    pub(super) fn new(layout: &Layout) -> Self {
        let mut end = 0;
        let mut take = |n: usize| {
            end += n;
            end - n..end
        };
        let (n_p, n_v, n_x) = (layout.n_p(), layout.n_v(), layout.n_x());
        Self {
            p: take(n_p),
            v: take(n_v),
            x: take(n_x),
            w: take(n_v),
            lambda: take(layout.n_lambda()),
            mu: take(layout.n_g),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.mu.end
    }

    /// How many stand under a derivative; the others are algebraic.
    pub(super) fn differential(&self) -> usize {
        self.x.end
    }

    /// The unknowns at a state; μ is zero on the exact solution.
    pub(super) fn set(&self, state: &State, y: &mut [f64]) {
        y[self.p.clone()].copy_from_slice(&state.p);
        y[self.v.clone()].copy_from_slice(&state.v);
        y[self.x.clone()].copy_from_slice(&state.x);
        y[self.w.clone()].copy_from_slice(&state.v_dot);
        y[self.lambda.clone()].copy_from_slice(&state.lambda);
        y[self.mu.clone()].fill(0.0);
    }
}

/// Evaluates F of B y' = F(t, y):
///
/// ```text
/// p' = T (v − Y μ),   v' = w,   x' = a,   0 = f − M w − Gᵀλ,   0 = G v + c,   0 = g
/// ```
///
/// with Y = M⁻¹Gᵀ of the holonomic rows, frozen where the Jacobian was taken: μ vanishes on
/// the exact solution whatever Y, so this costs no accuracy.
#[derive(Debug)]
pub(super) struct Residuals {
    unknowns: Unknowns,
    /// v − Y μ.
    stabilised: Vec<f64>,
    shift: Vec<f64>,
    inverse_dynamics: Vec<f64>,
}

impl Residuals {
    pub(super) fn new(unknowns: &Unknowns) -> Self {
        let n_v = unknowns.v.len();
        Self {
            unknowns: unknowns.clone(),
            stabilised: vec![0.0; n_v],
            shift: vec![0.0; n_v],
            inverse_dynamics: vec![0.0; n_v],
        }
    }

    /// F at (t, y); `metric` is Y.
    pub(super) fn evaluate(
        &mut self,
        plant: &mut Plant<'_>,
        t: f64,
        y: &[f64],
        metric: &[f64],
        out: &mut [f64],
    ) {
        let at = &self.unknowns;
        let [p, v, x, w, lambda, mu] =
            [&at.p, &at.v, &at.x, &at.w, &at.lambda, &at.mu].map(|range| &y[range.clone()]);
        multiply(metric, mu, &mut self.shift);
        for ((out, v), shift) in self.stabilised.iter_mut().zip(v).zip(&self.shift) {
            *out = v - shift;
        }
        plant.at(t, p, &self.stabilised, x, |system, here| system.kinematics(here, &mut out[at.p.clone()]));
        out[at.v.clone()].copy_from_slice(w);
        plant.at(t, p, v, x, |system, here| {
            system.auxiliary(here, &mut out[at.x.clone()]);
            system.inverse_dynamics(here, w, &mut self.inverse_dynamics);
        });
        // Inverse dynamics is one evaluation of f and of M, in one.
        plant.statistics.forces += 1;
        plant.eval_jacobian(t, p, v, x);
        let rows = lambda.len();
        for (i, (out, load)) in out[at.w.clone()].iter_mut().zip(&self.inverse_dynamics).enumerate() {
            let column = &plant.constraint_jacobian[i * rows..(i + 1) * rows];
            *out = -load - column.iter().zip(lambda).map(|(g, lambda)| g * lambda).sum::<f64>();
        }
        if rows > 0 {
            plant.velocity_residual(t, p, v, x, &mut out[at.lambda.clone()]);
        }
        if !mu.is_empty() {
            plant.constraints(t, p, v, x, &mut out[at.mu.clone()]);
        }
    }
}
