//! Velocities that satisfy the constraints.

use super::closing::largest;
use super::contradiction;
use super::equilibrium::least_squares;
use super::holding::{free, hold};
use super::part::Part;
use super::start::{Inconsistent, is_near};
use crate::plant::Plant;
use crate::state::State;
use std::vec;
use std::vec::Vec;

/// G v + c, relative to one plus the largest velocity, below which velocities are consistent.
const SETTLED: f64 = 1e-9;

/// More unknowns than this are not looked through for what contradicts a listed velocity.
const EXPLAINED: usize = 400;

/// Moves v to G v + c = 0 with what is listed held, as far as what comes before allows.
pub(super) fn settle(plant: &mut Plant<'_>, state: &mut State, listed: &[usize]) -> Result<(), Inconsistent> {
    let layout = plant.layout();
    let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
    let State { t, p, v, x, p_dot, x_dot, .. } = state;
    plant.eval_all(*t, p, v, x, p_dot, x_dot);
    if n_lambda == 0 {
        return Ok(());
    }
    let given = state.v.clone();
    let held = hold(&plant.constraint_jacobian, n_lambda, n_lambda, n_v, listed);
    let over = held.len() < listed.len();
    // Listed velocities that agree with each other stay as they are to the last digit.
    if over && complete(plant, state, &free(n_v, listed)).is_ok() {
        return Ok(());
    }
    state.v.copy_from_slice(&given);
    if let Err(rate) = complete(plant, state, &free(n_v, &held)) {
        return Err(failure(plant, state, &rate));
    }
    let far = listed.iter().copied().find(|&index| !is_near(given[index], state.v[index]));
    let Some(index) = far else { return Ok(()) };
    let before: Vec<usize> = held.iter().copied().filter(|held| is_before(listed, *held, index)).collect();
    let (others, rows) = reasons(plant, &before, index);
    let (listed, value) = (given[index], state.v[index]);
    Err(Inconsistent::ListedVelocity { index, listed, value, others, rows })
}

fn is_before(listed: &[usize], one: usize, other: usize) -> bool {
    let place = |index| listed.iter().position(|&listed| listed == index);
    place(one) < place(other)
}

/// Linear solves for G v + c = 0 with the free velocities; what is left of it if that is too much.
fn complete(plant: &mut Plant<'_>, state: &mut State, free: &[usize]) -> Result<(), Vec<f64>> {
    let layout = plant.layout();
    let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
    let mut rate = vec![0.0; n_lambda];
    let mut delta = vec![0.0; n_v];
    let mut part = Part::new(layout, free, n_lambda);
    let State { t, p, v, x, .. } = state;
    for _ in 0..if free.is_empty() { 0 } else { 2 } {
        plant.velocity_residual(*t, p, v, x, &mut rate);
        part.solve(plant, &rate, &mut delta);
        for (v, delta) in v.iter_mut().zip(&delta) {
            *v += delta;
        }
    }
    plant.velocity_residual(*t, p, v, x, &mut rate);
    if largest(&rate) <= SETTLED * (1.0 + largest(v)) { Ok(()) } else { Err(rate) }
}

/// Why there are no velocities that satisfy the constraints.
fn failure(plant: &mut Plant<'_>, state: &State, rate: &[f64]) -> Inconsistent {
    if let Some(contradiction) = contradiction::of_velocities(plant, state, rate) {
        return Inconsistent::Contradiction(contradiction);
    }
    let size = |value: f64| if value.is_nan() { f64::INFINITY } else { value.abs() };
    let worst = rate.iter().enumerate().max_by(|(_, a), (_, b)| size(**a).total_cmp(&size(**b)));
    let (row, value) = worst.map_or((0, 0.0), |(row, &value)| (row, value));
    Inconsistent::Velocities { row, value }
}

/// The held velocities and the rows from which one velocity follows: it is a combination of them.
fn reasons(plant: &Plant<'_>, held: &[usize], index: usize) -> (Vec<usize>, Vec<usize>) {
    let layout = plant.layout();
    let (n_v, rows) = (layout.n_v(), layout.n_lambda());
    if n_v + rows > EXPLAINED {
        return (held.to_vec(), Vec::new());
    }
    // e = Σ y G + Σ w e_held, with rows of equal length.
    let g = &plant.constraint_jacobian;
    let entry = |row: usize, column: usize| g[column * rows + row];
    let mut columns: Vec<Vec<f64>> =
        (0..rows).map(|row| (0..n_v).map(|column| entry(row, column)).collect()).collect();
    columns.extend(
        held.iter().map(|&held| (0..n_v).map(|column| f64::from(u8::from(column == held))).collect()),
    );
    let lengths: Vec<f64> = columns.iter().map(|column| largest(column)).collect();
    let target: Vec<f64> = (0..n_v).map(|column| f64::from(u8::from(column == index))).collect();
    let weights = least_squares(n_v, columns.len(), columns.concat(), &target);
    let counts = |k: usize| (weights[k] * lengths[k]).abs() > 1e-9;
    let others = held.iter().copied().enumerate().filter(|&(k, _)| counts(rows + k)).map(|(_, held)| held);
    (others.collect(), (0..rows).filter(|&row| counts(row)).collect())
}
