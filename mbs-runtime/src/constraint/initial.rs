//! Consistent initial values (000: task 1).

use super::projection::multiply;
use super::{columns, normalise};
use crate::Layout;
use crate::linalg::{LARGE, Saddle, SparseLdlt, worthwhile};
use crate::plant::{Plant, State};
use std::collections::HashMap;
use std::vec;
use std::vec::Vec;

/// Newton iterations after which the search for an assembly is given up.
const MOST_ITERATIONS: usize = 100;

/// Halvings of a Newton step that makes things worse.
const MOST_HALVINGS: u32 = 12;

/// Smallest part of the largest pivot that counts as rank.
const RANK_TOLERANCE: f64 = 1e-9;

/// Violation of the constraints, in their own units, below which a loop is closed.
const CLOSED: f64 = 1e-9;

/// The listed initial values admit no assembly near the guess.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inconsistent {
    /// The constraint row that is violated most.
    pub row: usize,
    /// Its value, in its own unit.
    pub value: f64,
    /// Whether it is the velocity that cannot be made consistent.
    pub velocity: bool,
}

/// Which initial values were kept as given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Held {
    /// Indices into v of the motions whose positions were held.
    pub positions: Vec<usize>,
    /// Indices into v of the velocities that were held.
    pub velocities: Vec<usize>,
}

/// Makes p and v of `state` consistent with the constraints at `state.t`.
///
/// Values the layout lists as held stay as they are, in the order listed, while the rest
/// can still satisfy the constraints; the rest are completed with the smallest change in
/// the metric of the mass matrix (000: 12a, 12b). Then decides which rows are redundant.
pub fn consistent(plant: &mut Plant<'_>, state: &mut State) -> Result<Held, Inconsistent> {
    let layout = plant.layout();
    let (n_v, n_g) = (layout.n_v(), layout.n_g);
    plant.keep_all_rows();
    normalise(layout, &mut state.p);
    evaluate(plant, state);
    let listed = motions(layout, &layout.held_positions);
    let mut positions = hold(&plant.constraint_jacobian, layout.n_lambda(), n_g, n_v, &listed);
    if positions.len() < listed.len() && !is_closed(plant, state) {
        positions = hold_once_assembled(plant, state, &listed).unwrap_or(positions);
        evaluate(plant, state);
    }
    close(plant, state, &free(n_v, &positions))?;
    evaluate(plant, state);
    let listed: Vec<usize> = layout.held_velocities.iter().map(|&index| index as usize).collect();
    let velocities = hold(&plant.constraint_jacobian, layout.n_lambda(), layout.n_lambda(), n_v, &listed);
    settle(plant, state, &free(n_v, &velocities))?;
    plant.decide_rank(state);
    Ok(Held { positions, velocities })
}

/// Closes the loops with every position free: the nearest assembled pose.
pub(super) fn assemble(plant: &mut Plant<'_>, state: &mut State) -> Result<(), Inconsistent> {
    plant.keep_all_rows();
    normalise(plant.layout(), &mut state.p);
    let all = free(plant.layout().n_v(), &[]);
    close(plant, state, &all)
}

fn evaluate(plant: &mut Plant<'_>, state: &mut State) {
    let State { t, p, v, x, p_dot, x_dot, .. } = state;
    plant.evaluate(*t, p, v, x, p_dot, x_dot);
}

/// The velocity indices of listed position indices; a quaternion counts as a whole.
fn motions(layout: &Layout, listed: &[u32]) -> Vec<usize> {
    let velocities: HashMap<&str, usize> = layout.velocities.iter().zip(0..).collect();
    let mut list = Vec::new();
    for &index in listed {
        let quaternion = layout.quaternions.iter().find(|block| (block.p..block.p + 4).contains(&index));
        match quaternion {
            Some(block) => list.extend((block.v..block.v + 3).map(|v| v as usize)),
            None => {
                let name = layout.positions.get(index as usize).unwrap_or_default();
                list.extend(velocities.get(name));
            }
        }
    }
    let mut seen = vec![false; layout.n_v()];
    list.retain(|&index| !core::mem::replace(&mut seen[index], true));
    list
}

/// The columns of the first `n_rows` rows of G that can be taken out, in the order
/// listed, without losing rank.
fn hold(g: &[f64], rows: usize, n_rows: usize, n_v: usize, listed: &[usize]) -> Vec<usize> {
    if n_v + n_rows >= LARGE {
        return hold_of_many(g, rows, n_rows, n_v, listed);
    }
    let mut held: Vec<usize> = Vec::new();
    let full = rank(g, rows, n_rows, &free(n_v, &held));
    for &column in listed {
        held.push(column);
        if rank(g, rows, n_rows, &free(n_v, &held)) < full {
            held.pop();
        }
    }
    held
}

/// As [`hold`] by one elimination: what does not add to the rank when columns are taken in the
/// reverse order of preference can be held.
fn hold_of_many(g: &[f64], rows: usize, n_rows: usize, n_v: usize, listed: &[usize]) -> Vec<usize> {
    let order: Vec<usize> = free(n_v, listed).into_iter().chain(listed.iter().rev().copied()).collect();
    let taken = columns::independent(g, rows, n_rows, &order, RANK_TOLERANCE);
    let preferred = order.iter().zip(taken).rev().take(listed.len());
    preferred.filter(|&(_, taken)| !taken).map(|(&column, _)| column).collect()
}

fn is_closed(plant: &mut Plant<'_>, state: &State) -> bool {
    let mut g = vec![0.0; plant.layout().n_g];
    plant.constraints(state.t, &state.p, &state.v, &state.x, &mut g);
    largest(&g) <= CLOSED
}

/// What can be held where rows are redundant at the nearest assembled pose but not at a guess
/// off the constraints; `None` where the rank is the same.
fn hold_once_assembled(plant: &mut Plant<'_>, guess: &State, listed: &[usize]) -> Option<Vec<usize>> {
    let layout = plant.layout();
    let (n_v, n_g, n_lambda) = (layout.n_v(), layout.n_g, layout.n_lambda());
    let all = free(n_v, &[]);
    let before = rank(&plant.constraint_jacobian, n_lambda, n_g, &all);
    let mut assembled = guess.clone();
    close(plant, &mut assembled, &all).ok()?;
    evaluate(plant, &mut assembled);
    let g = &plant.constraint_jacobian;
    (rank(g, n_lambda, n_g, &all) < before).then(|| hold(g, n_lambda, n_g, n_v, listed))
}

fn free(n_v: usize, held: &[usize]) -> Vec<usize> {
    let mut is_free = vec![true; n_v];
    held.iter().for_each(|&column| is_free[column] = false);
    (0..n_v).filter(|&column| is_free[column]).collect()
}

/// Rank of some columns of G by elimination with full pivoting.
fn rank(g: &[f64], rows: usize, n_rows: usize, columns: &[usize]) -> usize {
    if columns.len() + n_rows >= LARGE {
        let taken = columns::independent(g, rows, n_rows, columns, RANK_TOLERANCE);
        return taken.into_iter().filter(|taken| *taken).count();
    }
    let mut a: Vec<Vec<f64>> = columns.iter().map(|&j| g[j * rows..j * rows + n_rows].to_vec()).collect();
    let mut open: Vec<usize> = (0..n_rows).collect();
    let mut largest = 0.0_f64;
    for k in 0..n_rows.min(columns.len()) {
        let mut best = (k, 0, 0.0);
        for (j, column) in a.iter().enumerate().skip(k) {
            for (i, &row) in open.iter().enumerate() {
                if column[row].abs() > best.2 {
                    best = (j, i, column[row].abs());
                }
            }
        }
        largest = largest.max(best.2);
        if best.2 <= RANK_TOLERANCE * largest {
            return k;
        }
        a.swap(k, best.0);
        let row = open.swap_remove(best.1);
        let (done, rest) = a.split_at_mut(k + 1);
        let pivot = &done[k];
        for column in rest {
            let factor = column[row] / pivot[row];
            for &i in &open {
                column[i] -= factor * pivot[i];
            }
        }
    }
    n_rows.min(columns.len())
}

/// Newton's method on g with the free motions, damped where the violation grows.
fn close(plant: &mut Plant<'_>, state: &mut State, free: &[usize]) -> Result<(), Inconsistent> {
    let layout = plant.layout();
    let (n_p, n_v, n_g) = (layout.n_p(), layout.n_v(), layout.n_g);
    if n_g == 0 {
        return Ok(());
    }
    let mut g = vec![0.0; n_g];
    let mut part = Part::new(layout, free, n_g);
    let mut delta = vec![0.0; n_v];
    let mut delta_p = vec![0.0; n_p];
    let mut kinematic_matrix = vec![0.0; if layout.is_large() { 0 } else { n_p * n_v }];
    let mut trial = state.p.clone();
    plant.constraints(state.t, &state.p, &state.v, &state.x, &mut g);
    let mut size = largest(&g);
    for _ in 0..MOST_ITERATIONS {
        evaluate(plant, state);
        part.solve(plant, &g, &mut delta);
        let State { t, p, v, x, .. } = state;
        if layout.is_large() {
            plant.at(*t, p, &delta, x, |system, at| system.kinematics(at, &mut delta_p));
        } else {
            plant.at(*t, p, v, x, |system, at| system.kinematic_matrix(at, &mut kinematic_matrix));
            multiply(&kinematic_matrix, &delta, &mut delta_p);
        }
        let step = largest(&delta_p);
        let mut factor = 1.0;
        for _ in 0..=MOST_HALVINGS {
            for ((trial, p), delta) in trial.iter_mut().zip(p.iter()).zip(&delta_p) {
                *trial = p + factor * delta;
            }
            normalise(layout, &mut trial);
            plant.constraints(*t, &trial, v, x, &mut g);
            let now = largest(&g);
            // At rounding level the violation no longer falls.
            if now < size || now < 1e-14 {
                break;
            }
            factor *= 0.5;
        }
        p.copy_from_slice(&trial);
        size = largest(&g);
        if step <= 1e-13 * (1.0 + largest(p)) {
            break;
        }
    }
    if size <= CLOSED {
        return Ok(());
    }
    Err(worst(&g, false))
}

/// One linear solve for G v + c = 0 with the free velocities.
fn settle(plant: &mut Plant<'_>, state: &mut State, free: &[usize]) -> Result<(), Inconsistent> {
    let layout = plant.layout();
    let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
    if n_lambda == 0 {
        return Ok(());
    }
    let mut rate = vec![0.0; n_lambda];
    let mut delta = vec![0.0; n_v];
    let mut part = Part::new(layout, free, n_lambda);
    let State { t, p, v, x, .. } = state;
    for _ in 0..2 {
        plant.velocity_residual(*t, p, v, x, &mut rate);
        part.solve(plant, &rate, &mut delta);
        for (v, delta) in v.iter_mut().zip(&delta) {
            *v += delta;
        }
    }
    plant.velocity_residual(*t, p, v, x, &mut rate);
    if largest(&rate) <= 1e-9 * (1.0 + largest(v)) { Ok(()) } else { Err(worst(&rate, true)) }
}

fn worst(values: &[f64], velocity: bool) -> Inconsistent {
    let size = |value: f64| if value.is_nan() { f64::INFINITY } else { value.abs() };
    let worst = values.iter().enumerate().max_by(|(_, a), (_, b)| size(**a).total_cmp(&size(**b)));
    let (row, value) = worst.map_or((0, 0.0), |(row, &value)| (row, value));
    Inconsistent { row, value, velocity }
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest, value| if value.is_nan() { f64::INFINITY } else { largest.max(value.abs()) })
}

/// The saddle-point system of some columns of M and G.
struct Part<'f> {
    free: &'f [usize],
    rows: usize,
    /// Factors that read M and G where they are.
    sparse: Option<SparseLdlt>,
    /// Where there are none, or they have lost a pivot.
    copied: Option<Copied>,
    right: Vec<f64>,
}

/// Some columns of M and G as matrices of their own.
struct Copied {
    rows: usize,
    saddle: Saddle,
    m: Vec<f64>,
    g: Vec<f64>,
}

impl<'f> Part<'f> {
    fn new(layout: &Layout, free: &'f [usize], rows: usize) -> Self {
        let n = free.len();
        let mut place = vec![None; layout.n_v()];
        free.iter().enumerate().for_each(|(index, &column)| place[column] = Some(index));
        let place = |column: u32| place[column as usize];
        let mass: Vec<_> =
            layout.mass_pattern.iter().filter_map(|&(i, j)| Some((place(i)?, place(j)?))).collect();
        let kept = layout.jacobian_pattern.iter().filter(|&&(row, _)| (row as usize) < rows);
        let jacobian: Vec<_> =
            kept.filter_map(|&(row, column)| Some((row as usize, place(column)?))).collect();
        let sparse = worthwhile(n, rows, &mass, &jacobian);
        let sparse = sparse.map(|sparse| sparse.of_columns(free, layout.n_v()));
        Self { free, rows, sparse, copied: None, right: vec![0.0; n + rows] }
    }

    /// The change of the free motions, smallest in the metric of M, that removes `residual`.
    fn solve(&mut self, plant: &mut Plant<'_>, residual: &[f64], delta: &mut [f64]) {
        let Self { free, rows, sparse, copied, right } = self;
        let n = free.len();
        delta.fill(0.0);
        right[..n].fill(0.0);
        for (right, residual) in right[n..].iter_mut().zip(residual) {
            *right = -residual;
        }
        let (m, g, all_rows) = (&plant.mass_matrix, &plant.constraint_jacobian, plant.layout().n_lambda());
        if let Some(sparse) = sparse
            && sparse.factor(m, g, all_rows).is_ok()
        {
            sparse.solve(right);
        } else {
            let copied = copied.get_or_insert_with(|| Copied::new(n, *rows));
            copied.factor(m, g, all_rows, free);
            copied.saddle.solve(right);
        }
        plant.statistics.factorisations += 1;
        plant.statistics.solves += 1;
        for (&column, value) in free.iter().zip(&*right) {
            delta[column] = *value;
        }
    }
}

impl Copied {
    fn new(n: usize, rows: usize) -> Self {
        Self { rows, saddle: Saddle::new(n, rows), m: vec![0.0; n * n], g: vec![0.0; n * rows] }
    }

    /// Takes the free columns of M and G (`all_rows` × n_v) and factors them.
    fn factor(&mut self, m: &[f64], g: &[f64], all_rows: usize, free: &[usize]) {
        let (n, rows, n_v) = (free.len(), self.rows, m.len().isqrt());
        for (j, &column) in free.iter().enumerate() {
            for (i, &row) in free.iter().enumerate() {
                self.m[j * n + i] = m[column * n_v + row];
            }
            let from = &g[column * all_rows..column * all_rows + rows];
            self.g[j * rows..(j + 1) * rows].copy_from_slice(from);
        }
        // A motion without mass is held by the constraints or not at all; the caller sees
        // what is left of the residual.
        let _ = self.saddle.factor(&self.m, &self.g, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_held_as_few_are() {
        let mut seed = 7_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 16
        };
        for case in 0..200 {
            // Small integers and zeros: many columns depend on others.
            let (n_v, rows) = (8, 5);
            let g: Vec<f64> = (0..n_v * rows).map(|_| f64::from(random() % 5) - 2.0).collect();
            let g: Vec<f64> =
                g.into_iter().map(|entry| if entry.abs() > 1.0 { 0.0 } else { entry }).collect();
            let mut listed: Vec<usize> = (0..n_v).collect();
            listed.sort_by_key(|_| random());
            listed.truncate(2 + case % 7);
            for n_rows in [rows, rows - 1] {
                let expected = hold(&g, rows, n_rows, n_v, &listed);
                assert_eq!(hold_of_many(&g, rows, n_rows, n_v, &listed), expected, "{g:?} {listed:?}");
            }
        }
    }
}
