//! Dense output from the values and rates at both ends of a step.

use crate::Layout;
use crate::linalg::{Saddle, Singular, cholesky, solve_lower, solve_lower_transposed};
use crate::plant::Plant;
use crate::state::State;
use mbs_math as math;
use std::vec;
use std::vec::Vec;

/// Positions by the quintic through p, p' and p'' at both ends; velocities as its
/// derivative, where p' is not v by the quartic through v and v' at both ends and the
/// velocities in the middle; auxiliary states by the cubic through x and x'.
#[derive(Debug)]
pub(super) struct Hermite {
    /// Whether p' = v.
    plain: bool,
    ready: bool,
    start: End,
    end: End,
    /// Velocities in the middle.
    middle: Vec<f64>,
    scratch: State,
    kinematic_matrix: Vec<f64>,
    normal_matrix: Vec<f64>,
}

/// Second derivatives at an end of the step.
#[derive(Debug)]
struct End {
    is_set: bool,
    /// Where, with full rates.
    state: State,
    p_dot_dot: Vec<f64>,
}

impl End {
    fn new(layout: &Layout) -> Self {
        Self { is_set: false, state: State::new(layout), p_dot_dot: vec![0.0; layout.n_p()] }
    }
}

impl Hermite {
    pub(super) fn new(layout: &Layout) -> Self {
        let (n_p, n_v) = (layout.n_p(), layout.n_v());
        let plain = n_p == n_v && layout.quaternions.is_empty();
        let (t_len, normal_len) = if plain { (0, 0) } else { (n_p * n_v, n_v * n_v) };
        Self {
            plain,
            ready: false,
            start: End::new(layout),
            end: End::new(layout),
            middle: vec![0.0; if plain { 0 } else { n_v }],
            scratch: State::new(layout),
            kinematic_matrix: vec![0.0; t_len],
            normal_matrix: vec![0.0; normal_len],
        }
    }

    /// A new step is tried.
    pub(super) fn forget_step(&mut self) {
        self.ready = false;
    }

    /// The motion changed discontinuously.
    pub(super) fn restart(&mut self) {
        self.ready = false;
        self.start.is_set = false;
        self.end.is_set = false;
    }

    /// Collects second derivatives. With a `saddle` they come from Q at both ends, without
    /// from the rates of the states.
    pub(super) fn prepare(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        to: &State,
        mut saddle: Option<&mut Saddle>,
    ) -> Result<(), Singular> {
        if self.ready {
            return Ok(());
        }
        if self.end.is_set && self.end.state.is_at(from) {
            core::mem::swap(&mut self.start, &mut self.end);
        } else if !(self.start.is_set && self.start.state.is_at(from)) {
            second_derivatives(
                plant,
                from,
                saddle.as_deref_mut(),
                self.plain,
                &mut self.start,
                &mut self.scratch,
            )?;
        }
        second_derivatives(plant, to, saddle, self.plain, &mut self.end, &mut self.scratch)?;
        if !self.plain {
            self.velocities_in_the_middle(plant, from, to);
        }
        self.ready = true;
        Ok(())
    }

    pub(super) fn interpolate(&self, from: &State, to: &State, theta: f64, out: &mut State) {
        let h = to.t - from.t;
        out.t = from.t + theta * h;
        for i in 0..out.p.len() {
            let (p, rate) = self.position(from, to, theta, i);
            out.p[i] = p;
            if self.plain {
                out.v[i] = rate;
            }
        }
        if !self.plain {
            let (first, last) = (&self.start.state.v_dot, &self.end.state.v_dot);
            let bulge = 16.0 * theta * theta * (1.0 - theta) * (1.0 - theta);
            for i in 0..out.v.len() {
                let ends = [from.v[i], h * first[i], to.v[i], h * last[i]];
                out.v[i] = cubic(ends, theta) + bulge * (self.middle[i] - cubic(ends, 0.5));
            }
        }
        for i in 0..out.x.len() {
            out.x[i] = cubic([from.x[i], h * from.x_dot[i], to.x[i], h * to.x_dot[i]], theta);
        }
    }

    /// A position and its rate on the quintic.
    fn position(&self, from: &State, to: &State, s: f64, i: usize) -> (f64, f64) {
        let h = to.t - from.t;
        let c1 = h * from.p_dot[i];
        let c2 = 0.5 * h * h * self.start.p_dot_dot[i];
        let r0 = to.p[i] - from.p[i] - c1 - c2;
        let r1 = h * to.p_dot[i] - c1 - 2.0 * c2;
        let r2 = h * h * self.end.p_dot_dot[i] - 2.0 * c2;
        let c3 = 10.0 * r0 - 4.0 * r1 + 0.5 * r2;
        let c4 = -15.0 * r0 + 7.0 * r1 - r2;
        let c5 = 6.0 * r0 - 3.0 * r1 + 0.5 * r2;
        let p = from.p[i] + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))));
        let rate = c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)));
        (p, if h == 0.0 { from.p_dot[i] } else { rate / h })
    }

    /// v of T v = p' at half the step, by the normal equations Tᵀ T v = Tᵀ p'.
    fn velocities_in_the_middle(&mut self, plant: &mut Plant<'_>, from: &State, to: &State) {
        let (n_p, n_v) = (from.p.len(), from.v.len());
        for i in 0..n_p {
            (self.scratch.p[i], self.scratch.p_dot[i]) = self.position(from, to, 0.5, i);
        }
        let t = 0.5 * (from.t + to.t);
        let State { p, v, x, p_dot, .. } = &self.scratch;
        plant.at(t, p, v, x, |system, at| system.kinematic_matrix(at, &mut self.kinematic_matrix));
        let column = |j: usize| &self.kinematic_matrix[j * n_p..(j + 1) * n_p];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for j in 0..n_v {
            self.middle[j] = dot(column(j), p_dot);
            for i in 0..n_v {
                self.normal_matrix[j * n_v + i] = dot(column(i), column(j));
            }
        }
        if cholesky(n_v, &mut self.normal_matrix).is_ok() {
            solve_lower(n_v, &self.normal_matrix, &mut self.middle);
            solve_lower_transposed(n_v, &self.normal_matrix, &mut self.middle);
        } else {
            // Where T has lost rank the cubic alone must do.
            let h = to.t - from.t;
            let (first, last) = (&self.start.state.v_dot, &self.end.state.v_dot);
            for i in 0..n_v {
                self.middle[i] = cubic([from.v[i], h * first[i], to.v[i], h * last[i]], 0.5);
            }
        }
    }
}

/// v' of a state and p'' = T v' + T' v, the latter by a central difference along p', which is
/// exact but for rounding where T is linear in p.
fn second_derivatives(
    plant: &mut Plant<'_>,
    at: &State,
    saddle: Option<&mut Saddle>,
    plain: bool,
    end: &mut End,
    scratch: &mut State,
) -> Result<(), Singular> {
    end.is_set = false;
    end.state.copy_from(at);
    if let Some(saddle) = saddle {
        plant.eval_derivatives(&mut end.state, saddle)?;
    }
    let State { t, p, v, x, p_dot, v_dot, .. } = &end.state;
    if plain {
        end.p_dot_dot.copy_from_slice(v_dot);
    } else {
        plant.at(*t, p, v_dot, x, |system, at| system.kinematics(at, &mut end.p_dot_dot));
        let (size, speed) = (norm(p), norm(p_dot));
        if speed > 0.0 {
            let reach = math::pow(f64::EPSILON, 1.0 / 3.0) * size.max(1.0) / speed;
            for sign in [1.0, -1.0] {
                for ((out, p), rate) in scratch.p.iter_mut().zip(p).zip(p_dot) {
                    *out = p + sign * reach * rate;
                }
                let (near, rate) = (&scratch.p, &mut scratch.p_dot);
                plant.at(*t, near, v, x, |system, at| system.kinematics(at, rate));
                for (sum, rate) in end.p_dot_dot.iter_mut().zip(&scratch.p_dot) {
                    *sum += sign * rate / (2.0 * reach);
                }
            }
        }
    }
    end.is_set = true;
    Ok(())
}

/// The cubic through [y₀, h y₀', y₁, h y₁'].
fn cubic([y0, d0, y1, d1]: [f64; 4], s: f64) -> f64 {
    let change = y1 - y0;
    let rest = 1.0 - s;
    y0 + s * (change + rest * (rest * (d0 - change) - s * (d1 - change)))
}

fn norm(values: &[f64]) -> f64 {
    math::sqrt(values.iter().map(|value| value * value).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_met_exactly() {
        let y = |s: f64| 1.0 - 2.0 * s + 0.5 * s * s + 3.0 * s * s * s;
        let ends = [y(0.0), -2.0, y(1.0), -2.0 + 1.0 + 9.0];
        for s in [0.0, 0.25, 0.6, 1.0] {
            assert!((cubic(ends, s) - y(s)).abs() < 1e-15);
        }
    }
}
