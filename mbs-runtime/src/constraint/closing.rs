//! Closing loops: from a guess to a pose that meets the constraints.
//!
//! Newton's method comes first: from a good guess it moves the free motions least in the metric of
//! M. Where it fails, as at guesses where rows depend on each other, the method of Levenberg and
//! Marquardt goes on; where that ends in a pose that does not close, or in one in which a joint is
//! turned over, it starts again from poses around the guess, always the same ones.

use super::newton;
use super::normalise;
use super::projection::multiply;
use crate::linalg::{LARGE, cholesky, solve_lower, solve_lower_transposed};
use crate::plant::Plant;
use crate::state::State;
use crate::{Layout, RowKind};
use core::f64::consts::{PI, TAU};
use mbs_math::sqrt;
use std::vec;
use std::vec::Vec;

/// Violation of the constraints, in their own units, below which a loop is closed.
pub(super) const CLOSED: f64 = 1e-9;

/// Steps of Levenberg and Marquardt after which an attempt is given up.
const MAX_STEPS: usize = 120;

/// How far poses are from the guess, rad and parts of the mechanism's size; several of each.
const PUSHES: [f64; 5] = [0.3, 1.0, 2.0, PI, PI];

/// Poses tried at each distance.
const POSES: usize = 6;

/// How far a pose beside another one is, one after the other until one closes.
const BESIDE: [f64; 4] = [0.05, 0.1, 0.02, 0.2];

/// Distances tried with mechanisms so large that each attempt takes long.
const PUSHES_OF_LARGE: usize = 2;

/// How an attempt ended, best first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// All rows are met and no joint is turned over.
    Closed,
    /// All rows are met, but this one of [`Layout::closures`] is turned over.
    TurnedOver(usize),
    /// Rows stay open by this much, free of dimension.
    Open(f64),
}

impl Ending {
    pub(super) fn is_closed(self) -> bool {
        self == Self::Closed
    }

    /// Smaller is better.
    fn order(self) -> f64 {
        match self {
            Self::Closed => -2.0,
            Self::TurnedOver(_) => -1.0,
            Self::Open(gap) if gap.is_nan() => f64::INFINITY,
            Self::Open(gap) => gap,
        }
    }
}

/// What closing needs to know of a mechanism.
pub(super) struct Closer {
    /// Whether any holonomic row feels a motion.
    involved: Vec<bool>,
    /// What a row and a motion are measured by: the size of the mechanism, m, or 1.
    row_scales: Vec<f64>,
    column_scales: Vec<f64>,
    position_scales: Vec<f64>,
    g: Vec<f64>,
    /// Cosines that are looked at while closing: all, or none of mechanisms so large that their
    /// derivatives take long.
    n_cosines: usize,
}

impl Closer {
    /// Looks at the lever arms in the pose of `state`.
    pub(super) fn new(plant: &mut Plant<'_>, state: &State) -> Self {
        let layout = plant.layout();
        let (n_v, n_g) = (layout.n_v(), layout.n_g);
        let mut involved = vec![layout.jacobian_pattern.is_empty(); n_v];
        for &(row, column) in layout.jacobian_pattern.iter().filter(|entry| (entry.0 as usize) < n_g) {
            debug_assert!((row as usize) < n_g);
            involved[column as usize] = true;
        }
        let length = size(plant, state);
        let lengths = |is_length: bool| if is_length { length } else { 1.0 };
        let kind = |row| layout.row_kinds.get(row);
        let is_length = |row| matches!(kind(row), Some(RowKind::Position | RowKind::Distance));
        let row_scales = (0..n_g).map(|row| lengths(is_length(row))).collect();
        let unit = |column| layout.velocity_units.get(column).unwrap_or_default();
        let column_scales = (0..n_v).map(|column| lengths(unit(column) == "m/s")).collect();
        let unit = |index| layout.position_units.get(index).unwrap_or_default();
        let position_scales = (0..layout.n_p()).map(|index| lengths(unit(index) == "m")).collect();
        let n_cosines = if layout.is_large() { 0 } else { layout.closures.len() };
        Self { involved, row_scales, column_scales, position_scales, g: vec![0.0; n_g], n_cosines }
    }

    /// The motions among `free` that any constraint feels: no other need move.
    pub(super) fn involved(&self, free: &[usize]) -> Vec<usize> {
        free.iter().copied().filter(|&column| self.involved[column]).collect()
    }

    /// Whether the pose meets the constraints to rounding.
    pub(super) fn is_met(&mut self, plant: &mut Plant<'_>, state: &State) -> bool {
        let rounding = 1e-14 * (1.0 + largest(&state.p));
        plant.constraints(state.t, &state.p, &state.v, &state.x, &mut self.g);
        largest(&self.g) <= rounding && plant.turned_over(state).is_none()
    }

    /// From the guess alone, with the motions `free`: the state becomes the best pose met.
    pub(super) fn close(&mut self, plant: &mut Plant<'_>, state: &mut State, free: &[usize]) -> Ending {
        if free.is_empty() {
            return self.ending(plant, state);
        }
        let guess = state.clone();
        newton::close(plant, state, free);
        let first = self.ending(plant, state);
        if first.is_closed() {
            self.unwind(plant, state, &guess);
            return first;
        }
        let mut other = guess.clone();
        self.levenberg_marquardt(plant, &mut other, free);
        let second = self.ending(plant, &other);
        if second.order() < first.order() {
            state.copy_from(&other);
            self.unwind(plant, state, &guess);
            return second;
        }
        first
    }

    /// As [`close`](Self::close), then from poses around the guess, until one closes: the nearest
    /// of those tried at the same distance.
    pub(super) fn close_from_around(
        &mut self,
        plant: &mut Plant<'_>,
        state: &mut State,
        free: &[usize],
    ) -> Ending {
        let guess = state.clone();
        let mut best = self.close(plant, state, free);
        if best.is_closed() || free.is_empty() {
            return best;
        }
        let is_large = free.len() + self.g.len() >= LARGE;
        let pushes = &PUSHES[..if is_large { PUSHES_OF_LARGE } else { PUSHES.len() }];
        let mut random = Random(1);
        let mut trial = guess.clone();
        for &push in pushes {
            let mut nearest = f64::INFINITY;
            for _ in 0..POSES {
                self.push(plant, &mut trial, &guess, push, &mut random, free);
                self.levenberg_marquardt(plant, &mut trial, free);
                let ending = self.ending(plant, &trial);
                if ending.is_closed() {
                    self.unwind(plant, &mut trial, &guess);
                    let distance = self.distance(plant.layout(), &trial.p, &guess.p, None);
                    if distance < nearest {
                        nearest = distance;
                        best = ending;
                        state.copy_from(&trial);
                    }
                } else if ending.order() < best.order() {
                    best = ending;
                    state.copy_from(&trial);
                }
            }
            if best.is_closed() {
                return best;
            }
        }
        best
    }

    /// An assembled pose near another one, which may be a special one; that one if none is found.
    pub(super) fn beside(&mut self, plant: &mut Plant<'_>, assembled: &State, free: &[usize]) -> State {
        let mut random = Random(2);
        let mut beside = assembled.clone();
        for push in BESIDE {
            self.push(plant, &mut beside, assembled, push, &mut random, free);
            if self.close(plant, &mut beside, free).is_closed() {
                return beside;
            }
        }
        assembled.clone()
    }

    /// `state` becomes a pose around another one.
    fn push(
        &self,
        plant: &mut Plant<'_>,
        state: &mut State,
        from: &State,
        length: f64,
        random: &mut Random,
        free: &[usize],
    ) {
        let mut delta = vec![0.0; from.v.len()];
        for &column in free {
            delta[column] = length * random.next() * self.column_scales[column];
        }
        state.copy_from(from);
        step(plant, state, &from.p, &delta);
    }

    /// How far apart two poses are, free of dimension; in some positions alone, or in all.
    pub(super) fn distance(&self, layout: &Layout, p: &[f64], other: &[f64], among: Option<&[usize]>) -> f64 {
        let counts = |index: &usize| among.is_none_or(|among| among.contains(index));
        let mut sum = 0.0;
        for index in (0..p.len()).filter(counts).filter(|&index| !is_quaternion(layout, index)) {
            let difference = (p[index] - other[index]) / self.position_scales[index];
            sum += difference * difference;
        }
        for block in layout.quaternions.iter() {
            let range = block.p as usize..block.p as usize + 4;
            if range.clone().any(|index| counts(&index)) {
                // q and −q are the same orientation; the angle between two is about twice their
                // distance.
                let along: f64 = p[range.clone()].iter().zip(&other[range]).map(|(a, b)| a * b).sum();
                sum += 8.0 * (1.0 - along.abs()).max(0.0);
            }
        }
        sqrt(sum)
    }

    fn ending(&mut self, plant: &mut Plant<'_>, state: &State) -> Ending {
        plant.constraints(state.t, &state.p, &state.v, &state.x, &mut self.g);
        if largest(&self.g) <= CLOSED {
            return plant.turned_over(state).map_or(Ending::Closed, Ending::TurnedOver);
        }
        Ending::Open(self.gap())
    }

    /// Length of g, free of dimension.
    fn gap(&self) -> f64 {
        sqrt(self.g.iter().zip(&self.row_scales).map(|(g, scale)| (g / scale) * (g / scale)).sum())
    }

    /// Brings angles that went round to the turn nearest to the guess, where nothing in the
    /// constraints counts turns.
    pub(super) fn unwind(&mut self, plant: &mut Plant<'_>, state: &mut State, guess: &State) {
        let layout = plant.layout();
        for index in 0..state.p.len() {
            let turns = mbs_math::floor((state.p[index] - guess.p[index]) / TAU + 0.5);
            let is_angle = layout.position_units.get(index) == Some("rad");
            if turns == 0.0 || !turns.is_finite() || !is_angle || is_quaternion(layout, index) {
                continue;
            }
            let before = state.p[index];
            state.p[index] -= turns * TAU;
            if !self.ending(plant, state).is_closed() {
                state.p[index] = before;
            }
        }
    }

    /// Levenberg and Marquardt with the damping |g| (Fan & Yuan, *Computing* 74, 2005): as fast as
    /// Newton's method where rows are independent, and at its ease where they are not. Ends where g
    /// falls no more. That cosines are 1 is asked for beside the rows: it leads away from where those
    /// vanish because a joint is turned over.
    fn levenberg_marquardt(&mut self, plant: &mut Plant<'_>, state: &mut State, free: &[usize]) {
        const ENOUGH: f64 = 1e-14;
        let mut delta = vec![0.0; state.v.len()];
        let mut damped = Damped::new(self.g.len() + self.n_cosines, free.len());
        let mut gap = self.residuals(plant, state, &mut damped.residuals);
        let (mut damping, mut stalled) = (1.0, 0);
        let mut trial = state.clone();
        for _ in 0..MAX_STEPS {
            if gap <= ENOUGH || !gap.is_finite() || stalled > 8 {
                break;
            }
            self.slopes(plant, state, free, &mut damped);
            gap = self.residuals(plant, state, &mut damped.residuals);
            if !damped.solve(damping * gap) {
                break;
            }
            for (&column, step) in free.iter().zip(&damped.step) {
                delta[column] = step * self.column_scales[column];
            }
            step(plant, &mut trial, &state.p, &delta);
            let now = self.residuals(plant, &trial, &mut damped.residuals);
            if now < gap {
                stalled = if now > 0.999 * gap { stalled + 1 } else { 0 };
                damping = f64::max(0.2 * damping, 1e-4);
                gap = now;
                state.p.copy_from_slice(&trial.p);
            } else {
                stalled += 1;
                damping *= 8.0;
            }
        }
    }

    /// g free of dimension, then what cosines lack of 1; the length of all.
    fn residuals(&mut self, plant: &mut Plant<'_>, state: &State, out: &mut [f64]) -> f64 {
        let (rows, closures) = out.split_at_mut(self.g.len());
        plant.constraints(state.t, &state.p, &state.v, &state.x, &mut self.g);
        for ((out, g), scale) in rows.iter_mut().zip(&self.g).zip(&self.row_scales) {
            *out = g / scale;
        }
        if !closures.is_empty() {
            let cosines = plant.closure_cosines(state);
            closures.iter_mut().zip(cosines).for_each(|(out, cosine)| *out = 1.0 - cosine);
        }
        sqrt(out.iter().map(|value| value * value).sum())
    }

    /// Derivatives of the residuals with respect to free motions; those of cosines by differences.
    fn slopes(&mut self, plant: &mut Plant<'_>, state: &State, free: &[usize], damped: &mut Damped) {
        const STEP: f64 = 1e-6;
        plant.eval_jacobian(state.t, &state.p, &state.v, &state.x);
        let (n_g, all_rows) = (self.g.len(), plant.layout().n_lambda());
        let mut beside = state.clone();
        let mut delta = vec![0.0; state.v.len()];
        for (to, &column) in damped.jacobian.chunks_exact_mut(damped.rows).zip(free) {
            let (rows, closures) = to.split_at_mut(n_g);
            let scale = self.column_scales[column];
            let from = &plant.constraint_jacobian[column * all_rows..column * all_rows + n_g];
            for ((to, from), row_scale) in rows.iter_mut().zip(from).zip(&self.row_scales) {
                *to = from * scale / row_scale;
            }
            closures.fill(0.0);
            for sign in [STEP, -STEP] {
                if closures.is_empty() {
                    break;
                }
                delta[column] = sign * scale;
                step(plant, &mut beside, &state.p, &delta);
                let cosines = plant.closure_cosines(&beside);
                closures.iter_mut().zip(cosines).for_each(|(slope, cosine)| *slope -= cosine / (2.0 * sign));
            }
            delta[column] = 0.0;
        }
    }
}

/// −Jᵀ (J Jᵀ + μ)⁻¹ g with its workspace.
struct Damped {
    rows: usize,
    /// Residuals by free columns, free of dimension, column by column.
    jacobian: Vec<f64>,
    residuals: Vec<f64>,
    lower: Vec<f64>,
    right: Vec<f64>,
    step: Vec<f64>,
}

impl Damped {
    fn new(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            jacobian: vec![0.0; rows * columns],
            residuals: vec![0.0; rows],
            lower: vec![0.0; rows * rows],
            right: vec![0.0; rows],
            step: vec![0.0; columns],
        }
    }

    /// Whether there is a step; rounding may leave nothing of it.
    fn solve(&mut self, damping: f64) -> bool {
        let Self { rows, jacobian, residuals, lower, right, step } = self;
        lower.fill(0.0);
        for column in jacobian.chunks_exact(*rows) {
            for (j, &factor) in column.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                for (i, entry) in column.iter().enumerate().skip(j) {
                    lower[i + j * *rows] += factor * entry;
                }
            }
        }
        lower.iter_mut().step_by(*rows + 1).for_each(|diagonal| *diagonal += damping);
        if cholesky(*rows, lower).is_err() {
            return false;
        }
        right.copy_from_slice(residuals);
        solve_lower(*rows, lower, right);
        solve_lower_transposed(*rows, lower, right);
        for (step, column) in step.iter_mut().zip(jacobian.chunks_exact(*rows)) {
            *step = -column.iter().zip(&*right).map(|(entry, y)| entry * y).sum::<f64>();
        }
        true
    }
}

/// p of `state` becomes `from` moved by δ in velocity space.
fn step(plant: &mut Plant<'_>, state: &mut State, from: &[f64], delta: &[f64]) {
    let layout = plant.layout();
    let State { t, p, v, x, p_dot, .. } = state;
    if layout.is_large() {
        plant.at(*t, from, delta, x, |system, at| system.kinematics(at, p_dot));
    } else {
        let mut kinematic_matrix = vec![0.0; p.len() * v.len()];
        plant.at(*t, from, v, x, |system, at| system.kinematic_matrix(at, &mut kinematic_matrix));
        multiply(&kinematic_matrix, delta, p_dot);
    }
    for ((p, from), delta) in p.iter_mut().zip(from).zip(&*p_dot) {
        *p = from + delta;
    }
    normalise(layout, p);
}

fn is_quaternion(layout: &Layout, index: usize) -> bool {
    layout.quaternions.iter().any(|block| (block.p as usize..block.p as usize + 4).contains(&index))
}

/// The longest lever arm of a row that measures lengths, or what is left of such a row, m; 1 where
/// there is none.
fn size(plant: &mut Plant<'_>, state: &State) -> f64 {
    let layout = plant.layout();
    let rows = layout.n_lambda();
    let mut g = vec![0.0; layout.n_g];
    plant.constraints(state.t, &state.p, &state.v, &state.x, &mut g);
    plant.eval_jacobian(state.t, &state.p, &state.v, &state.x);
    let is_length =
        |row: usize| matches!(layout.row_kinds.get(row), Some(RowKind::Position | RowKind::Distance));
    let is_turn: Vec<bool> = layout.velocity_units.iter().map(|unit| unit == "rad/s").collect();
    let gaps = g.iter().enumerate().filter(|&(row, _)| is_length(row)).map(|(_, gap)| gap.abs());
    let arms = (0..layout.n_v()).filter(|&column| is_turn.get(column) == Some(&true)).flat_map(|column| {
        let entries = &plant.constraint_jacobian[column * rows..column * rows + layout.n_g];
        entries.iter().enumerate().filter(|&(row, entry)| *entry != 0.0 && is_length(row))
    });
    let longest = gaps.chain(arms.map(|(_, arm)| arm.abs())).fold(0.0, f64::max);
    if longest > 1e-9 && longest.is_finite() { longest } else { 1.0 }
}

pub(super) fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest, value| if value.is_nan() { f64::INFINITY } else { largest.max(value.abs()) })
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    /// Between −1 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        2.0 * ((z >> 11) as f64 / (1_u64 << 53) as f64) - 1.0
    }
}
