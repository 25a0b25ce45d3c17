//! Static equilibrium: a pose at which forces and constraint forces balance.

use super::normalise;
use super::projection::multiply;
use super::start::assemble;
use crate::linalg::{Saddle, orthogonalise};
use crate::plant::Plant;
use crate::state::State;
use mbs_math as math;
use std::vec;
use std::vec::Vec;

/// Newton steps after which the search is given up.
const MAX_ITERATIONS: usize = 200;

/// Halvings of a Newton step that makes things worse.
const MAX_HALVINGS: u32 = 20;

/// Longest Newton step of a motion, m or rad; farther away the linearisation is worth little.
const MAX_STEP: f64 = 0.5;

/// Singular values below this part of the largest are directions in which nothing
/// resists, such as the spin of a wheel; they are left alone.
const NEUTRAL: f64 = 1e-9;

/// A balanced pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// The state, at rest, with multipliers.
    pub state: State,
    /// Largest unbalanced force or torque over the largest force or torque met.
    pub residual: f64,
    /// Newton steps taken.
    pub iterations: usize,
}

/// No balanced pose was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unbalanced {
    /// The velocity along which forces are least balanced; `None` if the constraints could
    /// not be closed.
    pub velocity: Option<usize>,
    /// The unbalanced force or torque there, N or N·m.
    pub value: f64,
}

/// Finds p with f(p, v = 0) = Gᵀλ and g(p) = 0 near the pose of `state`, by Newton's method
/// in least squares, modes following their switching functions.
pub fn equilibrium(
    plant: &mut Plant<'_>,
    mut state: State,
    tolerance: f64,
) -> Result<Equilibrium, Unbalanced> {
    state.v.fill(0.0);
    if assemble(plant, &mut state).is_err() {
        return Err(Unbalanced { velocity: None, value: f64::NAN });
    }
    let layout = plant.layout();
    let (n_p, n_v, n_lambda) = (layout.n_p(), layout.n_v(), layout.n_lambda());
    let mut balance = Balance::new(n_v, n_lambda, layout.n_g);
    let mut kinematic_matrix = vec![0.0; n_p * n_v];
    let mut delta_p = vec![0.0; n_p];
    balance.multipliers(plant, &mut state);
    let mut size = balance.size();
    for iteration in 0..=MAX_ITERATIONS {
        if balance.relative() <= tolerance {
            return Ok(Equilibrium { residual: balance.relative(), state, iterations: iteration });
        }
        let start = state.clone();
        // Where Newton's method leads nowhere or far away, as with a pendulum held level, the
        // way things would begin to fall leads to the near, stable equilibrium.
        let mut newton = balance.step(plant, &start);
        newton.truncate(n_v);
        let longest = largest(&newton);
        let falling = fall(plant, &start);
        let directions = if longest <= MAX_STEP {
            [newton, falling]
        } else {
            newton.iter_mut().for_each(|delta| *delta *= MAX_STEP / longest);
            [falling, newton]
        };
        for direction in directions {
            let mut factor = 1.0;
            for _ in 0..=MAX_HALVINGS {
                state.copy_from(&start);
                plant.at(state.t, &state.p, &state.v, &state.x, |system, at| {
                    system.kinematic_matrix(at, &mut kinematic_matrix);
                });
                multiply(&kinematic_matrix, &direction, &mut delta_p);
                for (p, delta) in state.p.iter_mut().zip(&delta_p) {
                    *p += factor * delta;
                }
                normalise(layout, &mut state.p);
                balance.multipliers(plant, &mut state);
                if balance.size() < size {
                    break;
                }
                factor *= 0.5;
            }
            if balance.size() < size {
                break;
            }
        }
        if balance.size() >= size {
            break;
        }
        size = balance.size();
    }
    let worst = balance.worst();
    Err(Unbalanced { velocity: Some(worst), value: balance.right[worst] })
}

/// How far a pose is from balance, and the matrices that say how to get there.
struct Balance {
    n_v: usize,
    n_lambda: usize,
    n_g: usize,
    /// f − Gᵀλ, then g.
    right: Vec<f64>,
    /// Largest force or torque met, and at least what gives the largest inertia unit
    /// acceleration: without it a pose in which nothing acts could not be told from one
    /// in which all is unbalanced.
    scale: f64,
}

impl Balance {
    fn new(n_v: usize, n_lambda: usize, n_g: usize) -> Self {
        Self { n_v, n_lambda, n_g, right: vec![0.0; n_v + n_g], scale: 0.0 }
    }

    /// The multipliers that balance the forces best, and what is left.
    fn multipliers(&mut self, plant: &mut Plant<'_>, state: &mut State) {
        settle(plant, state);
        let State { t, p, v, x, p_dot, x_dot, lambda, .. } = state;
        plant.eval_all(*t, p, v, x, p_dot, x_dot);
        // Gᵀ λ = f in least squares.
        let mut transposed = vec![0.0; self.n_v * self.n_lambda];
        for j in 0..self.n_v {
            for i in 0..self.n_lambda {
                transposed[i * self.n_v + j] = plant.constraint_jacobian[j * self.n_lambda + i];
            }
        }
        let inertia = plant.mass_matrix.iter().step_by(self.n_v + 1).copied().fold(0.0, f64::max);
        self.scale = self.scale.max(inertia);
        let solution = least_squares(self.n_v, self.n_lambda, transposed, &plant.forces);
        lambda.copy_from_slice(&solution);
        self.residual(plant, state);
    }

    /// f − Gᵀλ and g at the last evaluation.
    fn residual(&mut self, plant: &mut Plant<'_>, state: &State) {
        let (forces, constraints) = self.right.split_at_mut(self.n_v);
        forces.copy_from_slice(&plant.forces);
        for (j, force) in forces.iter_mut().enumerate() {
            self.scale = self.scale.max(force.abs());
            for (i, lambda) in state.lambda.iter().enumerate() {
                let part = plant.constraint_jacobian[j * self.n_lambda + i] * lambda;
                self.scale = self.scale.max(part.abs());
                *force -= part;
            }
        }
        plant.constraints(state.t, &state.p, &state.v, &state.x, constraints);
    }

    /// Balance counts in parts of the largest force, closure in metres or radians.
    fn size(&self) -> f64 {
        let scale = self.scale.max(f64::MIN_POSITIVE);
        let square = |(row, value): (usize, &f64)| {
            let value = if row < self.n_v { value / scale } else { *value };
            value * value
        };
        let sum: f64 = self.right.iter().enumerate().map(square).sum();
        if sum.is_nan() { f64::INFINITY } else { math::sqrt(sum) }
    }

    fn relative(&self) -> f64 {
        let scale = self.scale.max(f64::MIN_POSITIVE);
        let forces =
            self.right[..self.n_v].iter().fold(0.0, |worst: f64, value| worst.max(value.abs() / scale));
        self.right[self.n_v..].iter().fold(forces, |worst, value| worst.max(value.abs()))
    }

    fn worst(&self) -> usize {
        let forces = self.right[..self.n_v].iter().enumerate();
        forces.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs())).map_or(0, |(index, _)| index)
    }

    /// The Newton step (δ, Δλ) in least squares, by differences of f − Gᵀλ.
    fn step(&mut self, plant: &mut Plant<'_>, state: &State) -> Vec<f64> {
        let (n_v, n_lambda, n_g) = (self.n_v, self.n_lambda, self.n_g);
        let (rows, columns) = (n_v + n_g, n_v + n_lambda);
        let scale = self.scale.max(f64::MIN_POSITIVE);
        let right: Vec<f64> = self.right.clone();
        let jacobian_here = plant.constraint_jacobian.clone();
        let mut matrix = vec![0.0; rows * columns];
        let mut probe = state.clone();
        let mut kinematic_matrix = vec![0.0; state.p.len() * n_v];
        plant.at(state.t, &state.p, &state.v, &state.x, |system, at| {
            system.kinematic_matrix(at, &mut kinematic_matrix);
        });
        for j in 0..n_v {
            const STEP: f64 = 1e-6;
            let mut sides = [Vec::new(), Vec::new()];
            for (side, sign) in sides.iter_mut().zip([STEP, -STEP]) {
                probe.copy_from(state);
                let column = &kinematic_matrix[j * state.p.len()..(j + 1) * state.p.len()];
                for (p, direction) in probe.p.iter_mut().zip(column) {
                    *p += sign * direction;
                }
                let State { t, p, v, x, p_dot, x_dot, .. } = &mut probe;
                plant.eval_all(*t, p, v, x, p_dot, x_dot);
                self.residual(plant, &probe);
                side.clone_from(&self.right);
            }
            for i in 0..n_v {
                matrix[j * rows + i] = (sides[0][i] - sides[1][i]) / (2.0 * STEP) / scale;
            }
            for i in 0..n_g {
                matrix[j * rows + n_v + i] = jacobian_here[j * n_lambda + i];
            }
            for i in 0..n_lambda {
                matrix[(n_v + i) * rows + j] = -jacobian_here[j * n_lambda + i] / scale;
            }
        }
        let target: Vec<f64> = right
            .iter()
            .enumerate()
            .map(|(row, value)| if row < n_v { -value / scale } else { -value })
            .collect();
        self.right = right;
        least_squares(rows, columns, matrix, &target)
    }
}

/// The direction of the accelerations from rest, at most a tenth of a metre or radian.
fn fall(plant: &mut Plant<'_>, state: &State) -> Vec<f64> {
    let mut state = state.clone();
    let mut saddle = Saddle::new(state.v.len(), state.lambda.len());
    if plant.eval_derivatives(&mut state, &mut saddle).is_err() {
        return vec![0.0; state.v.len()];
    }
    let scale = 0.1 / largest(&state.v_dot).max(f64::MIN_POSITIVE);
    state.v_dot.iter().map(|value| scale * value).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Modes follow their switching functions at rest.
fn settle(plant: &mut Plant<'_>, state: &State) {
    let layout = plant.layout();
    let mut values = vec![0.0; layout.modes.len()];
    for _ in 0..=values.len() {
        plant.switching(state.t, &state.p, &state.v, &state.x, &mut values);
        let mut changed = false;
        for (mode, value) in values.iter().enumerate() {
            let holds = layout.mode_kinds[mode].holds(*value);
            changed |= core::mem::replace(&mut plant.modes[mode], holds) != holds;
        }
        if !changed {
            return;
        }
    }
}

/// The shortest x that makes |A x − b| smallest, by singular values.
pub(super) fn least_squares(rows: usize, columns: usize, mut a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; columns];
    if columns == 0 || rows == 0 {
        return x;
    }
    // Columns of unit size make the threshold on singular values meaningful.
    let sizes: Vec<f64> =
        a.chunks_exact(rows).map(|column| math::sqrt(column.iter().map(|a| a * a).sum())).collect();
    for (column, &size) in a.chunks_exact_mut(rows).zip(&sizes) {
        if size > 0.0 {
            column.iter_mut().for_each(|entry| *entry /= size);
        }
    }
    let mut v = vec![0.0; columns * columns];
    orthogonalise(rows, columns, &mut a, &mut v);
    let values: Vec<f64> =
        a.chunks_exact(rows).map(|column| math::sqrt(column.iter().map(|a| a * a).sum())).collect();
    let largest = values.iter().copied().fold(0.0, f64::max);
    for (j, &sigma) in values.iter().enumerate() {
        if sigma <= NEUTRAL * largest {
            continue;
        }
        let along: f64 = a[j * rows..(j + 1) * rows].iter().zip(b).map(|(a, b)| a * b).sum();
        let factor = along / (sigma * sigma);
        for (x, v) in x.iter_mut().zip(&v[j * columns..(j + 1) * columns]) {
            *x += factor * v;
        }
    }
    for (x, &size) in x.iter_mut().zip(&sizes) {
        if size > 0.0 {
            *x /= size;
        }
    }
    x
}

/// Finds values of some parameters with which a pose is balanced: f depends on them, and
/// Newton's method in least squares removes what the multipliers cannot carry.
///
/// `theta` holds all parameters and receives those solved for. Returns the equilibrium at
/// the pose of `state`, which is made consistent first.
pub fn balancing_parameters<'s>(
    system: &'s dyn crate::System,
    theta: &mut [f64],
    solved: &[usize],
    t: f64,
    tolerance: f64,
) -> Result<Equilibrium, Unbalanced> {
    let layout = system.layout();
    let at = |theta: &[f64]| -> Result<(Balance, State), Unbalanced> {
        let mut plant: Plant<'s> = Plant::new(system, theta, std::boxed::Box::new(crate::Defaults));
        let mut state = State::new(layout);
        state.t = t;
        plant.initial(&mut state);
        state.v.fill(0.0);
        if assemble(&mut plant, &mut state).is_err() {
            return Err(Unbalanced { velocity: None, value: f64::NAN });
        }
        let mut balance = Balance::new(layout.n_v(), layout.n_lambda(), layout.n_g);
        balance.multipliers(&mut plant, &mut state);
        Ok((balance, state))
    };
    for iteration in 0..=MAX_ITERATIONS {
        let (balance, state) = at(theta)?;
        if balance.relative() <= tolerance {
            return Ok(Equilibrium { residual: balance.relative(), state, iterations: iteration });
        }
        let rows = layout.n_v();
        let mut matrix = Vec::with_capacity(rows * solved.len());
        for &index in solved {
            let step = 1e-6 * (1.0 + theta[index].abs());
            let mut moved = theta.to_vec();
            moved[index] += step;
            let (there, _) = at(&moved)?;
            matrix.extend((0..rows).map(|i| (there.right[i] - balance.right[i]) / step));
        }
        let target: Vec<f64> = balance.right[..rows].iter().map(|value| -value).collect();
        let change = least_squares(rows, solved.len(), matrix, &target);
        let largest =
            change.iter().zip(solved).map(|(c, &i)| c.abs() / (1.0 + theta[i].abs())).fold(0.0, f64::max);
        for (&index, change) in solved.iter().zip(&change) {
            theta[index] += change;
        }
        if largest < 1e-15 {
            break;
        }
    }
    let (balance, state) = at(theta)?;
    if balance.relative() <= 1e3 * tolerance {
        return Ok(Equilibrium { residual: balance.relative(), state, iterations: MAX_ITERATIONS });
    }
    let worst = balance.worst();
    Err(Unbalanced { velocity: Some(worst), value: balance.right[worst] })
}
