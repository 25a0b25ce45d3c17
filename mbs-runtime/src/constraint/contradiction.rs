//! Rows that ask for different things of the same motion.
//!
//! Rows that follow from others are taken out, and only what is left is solved and projected. That
//! they say the same is true of their gradients; two motions of one coordinate have the same gradient
//! whatever they ask for. So what is taken out is looked at on its own: for a combination w of rows
//! with Gᵀ w = 0 the numbers wᵀ g, wᵀ (G v + c) and wᵀ z must vanish.

use super::redundancy::Reduction;
use crate::linalg::orthogonalise;
use crate::plant::Plant;
use crate::state::State;
use mbs_math::sqrt;
use std::vec;
use std::vec::Vec;

/// What of a combination is left where it is met, at least: rounding of lengths as people give them.
const ROUNDING: f64 = 1e-6;

/// How often the tolerance of a run what is left may be: redundant rows are met as well as the
/// others, which are projected to within it.
const MARGIN: f64 = 10.0;

/// A change of this part, in rad or m, could still mend the rows of a mechanism that has drifted off
/// its constraints, where they are not quite dependent.
const WITHIN_REACH: f64 = 0.1;

/// Part of a combination from which on a row is named.
const TAKES_PART: f64 = 0.05;

/// What rows can contradict each other about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// g.
    Positions,
    /// G v + c.
    Velocities,
    /// G v' + z.
    Accelerations,
}

/// A combination of rows that is not met.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// What it is about.
    pub level: Level,
    /// The rows.
    pub rows: Vec<usize>,
    /// By how much the first that takes part most is off, in its own unit.
    pub value: f64,
}

impl Contradiction {
    fn new(level: Level, w: &[f64], value: f64) -> Self {
        let largest = w.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        let rows = (0..w.len()).filter(|&row| w[row].abs() > TAKES_PART * largest).collect();
        Self { level, rows, value: value.abs() / largest }
    }
}

/// A combination of the rows taken out at this reduction whose `values`, g or G v + c, contradict
/// each other by more than `tolerance` and more than any change in reach could mend; `g` is G with all
/// rows, `all_rows` of them.
pub(super) fn of_values(
    level: Level,
    reduction: &Reduction,
    values: &[f64],
    g: &[f64],
    all_rows: usize,
    tolerance: f64,
    reach: f64,
) -> Option<Contradiction> {
    let allowed = f64::max(ROUNDING, MARGIN * tolerance);
    reduction.vectors().find_map(|w| {
        let value = dot(w, values);
        // What is not a number is no contradiction: others find it.
        if value.is_nan() || value.abs() <= allowed {
            return None;
        }
        let slope = g.chunks_exact(all_rows).map(|column| dot(w, column).abs()).fold(0.0, f64::max);
        (value.abs() > WITHIN_REACH * reach * slope).then(|| Contradiction::new(level, w, value))
    })
}

/// Rows that ask for different velocities, where none satisfy all of them: `rate` is what is left of
/// G v + c.
pub(super) fn of_velocities(plant: &mut Plant<'_>, state: &State, rate: &[f64]) -> Option<Contradiction> {
    plant.decide_rank(state);
    let found = plant.redundancy().all().vectors().find_map(|w| {
        let value = dot(w, rate);
        (value.abs() > ROUNDING).then(|| Contradiction::new(Level::Velocities, w, value))
    });
    plant.keep_all_rows();
    found
}

/// Rows that ask for different accelerations wherever the mechanism is.
pub(super) fn of_accelerations(plant: &mut Plant<'_>, state: &State) -> Option<Contradiction> {
    let combinations = lasting(plant, state);
    if combinations.is_empty() {
        return None;
    }
    let mut z = vec![0.0; plant.layout().n_lambda()];
    plant.at(state.t, &state.p, &state.v, &state.x, |system, at| system.acceleration_bias(at, &mut z));
    differing(Level::Accelerations, &combinations, &z)
}

/// The first of these times at which rows that follow from each other wherever the mechanism is ask
/// for different things, and what it is. `state` must be consistent, and the plant's rank decided
/// there.
pub fn contradiction_over_time(
    plant: &mut Plant<'_>,
    state: &State,
    times: &[f64],
) -> Option<(f64, Contradiction)> {
    let (n_g, rows) = (plant.layout().n_g, plant.layout().n_lambda());
    let (of_velocities, of_positions): (Vec<_>, Vec<_>) =
        lasting(plant, state).into_iter().partition(|w| w[n_g..].iter().any(|entry| entry.abs() > 1e-9));
    // Where Gᵀ w = 0 everywhere neither wᵀ g nor wᵀ c depends on where the mechanism is.
    times.iter().find_map(|&t| {
        let (mut g, mut c) = (vec![0.0; rows], vec![0.0; rows]);
        plant.at(t, &state.p, &state.v, &state.x, |system, at| {
            system.constraints(at, &mut g[..n_g]);
            system.velocity_bias(at, &mut c);
        });
        let found = differing(Level::Positions, &of_positions, &g);
        let found = found.or_else(|| differing(Level::Velocities, &of_velocities, &c));
        found.map(|found| (t, found))
    })
}

/// The first combination whose values do not cancel.
fn differing(level: Level, combinations: &[Vec<f64>], values: &[f64]) -> Option<Contradiction> {
    combinations.iter().find_map(|w| {
        let scale: f64 = w.iter().zip(values).map(|(w, value)| (w * value).abs()).sum();
        let value = dot(w, values);
        (value.abs() > ROUNDING * (1.0 + scale)).then(|| Contradiction::new(level, w, value))
    })
}

/// Combinations of rows that vanish not only in this pose, so that they stay while the mechanism
/// moves.
fn lasting(plant: &mut Plant<'_>, state: &State) -> Vec<Vec<f64>> {
    if !plant.redundancy().is_active() {
        return Vec::new();
    }
    let (n_v, rows) = (plant.layout().n_v(), plant.layout().n_lambda());
    let vectors: Vec<Vec<f64>> = plant.redundancy().all().vectors().map(<[f64]>::to_vec).collect();
    // G where every position is a little different.
    let mut beside = state.p.clone();
    for (k, p) in beside.iter_mut().enumerate() {
        *p += 0.01 * (1.0 + 0.37 * (k % 7) as f64);
    }
    let mut g = vec![0.0; rows * n_v];
    plant.at(state.t, &beside, &state.v, &state.x, |system, at| system.constraint_jacobian(at, &mut g));
    let mut products = vec![0.0; n_v * vectors.len()];
    for (product, w) in products.chunks_exact_mut(n_v).zip(&vectors) {
        for (product, column) in product.iter_mut().zip(g.chunks_exact(rows)) {
            *product = dot(w, column);
        }
    }
    let mut turn = vec![0.0; vectors.len() * vectors.len()];
    orthogonalise(n_v, vectors.len(), &mut products, &mut turn);
    let largest = g.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
    let lasting = products
        .chunks_exact(n_v)
        .zip(turn.chunks_exact(vectors.len()))
        .filter(|(product, _)| sqrt(dot(product, product)) <= 1e-10 * largest);
    let combined = |weights: &[f64]| {
        let mut w = vec![0.0; rows];
        for (weight, vector) in weights.iter().zip(&vectors) {
            w.iter_mut().zip(vector).for_each(|(w, entry)| *w += weight * entry);
        }
        w
    };
    lasting.map(|(_, weights)| combined(weights)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
