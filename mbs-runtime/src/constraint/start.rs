//! Consistent initial values (Simeon 1996, task 1): what is listed is met, or said to be changed, or refused.
//!
//! Order decides. Constraints come first, prescribed motions among them, then listed values one
//! after the other. A listed position that those before it determine already is an estimate: the
//! assembly nearest to it is taken, and [`Start`] says what became of it. Estimates of velocities
//! would have nothing to choose between, so that a listed velocity which contradicts those before
//! it is refused.

use super::closing::{Closer, Ending, largest};
use super::contradiction::{self, Contradiction};
use super::holding::{free, hold};
use super::normalise;
use super::settling::settle;
use crate::Layout;
use crate::plant::Plant;
use crate::state::State;
use std::collections::HashMap;
use std::vec;
use std::vec::Vec;

/// A listed value that is off by more, relative to one plus its size, is worth a warning; a
/// velocity that is off by more is refused.
pub const MET: f64 = 1e-6;

/// The initial values admit no consistent start near them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Inconsistent {
    /// No pose was found that meets the constraints with what is held.
    Positions {
        /// Rows that stay open, the widest first.
        rows: Vec<usize>,
        /// What is left of the first, in its own unit.
        value: f64,
        /// Indices into p of listed values that were held.
        held: Vec<usize>,
    },
    /// All rows are met, but one side of a joint is turned over against the other.
    TurnedOver {
        /// The joint, one of [`Layout::closures`].
        closure: usize,
        /// Indices into p of listed values that were held.
        held: Vec<usize>,
    },
    /// No velocities satisfy the constraints.
    Velocities {
        /// The row that is violated most.
        row: usize,
        /// Its value.
        value: f64,
    },
    /// A listed velocity contradicts what comes before it.
    ListedVelocity {
        /// Index into v.
        index: usize,
        /// Its value as listed.
        listed: f64,
        /// Its value as what comes before determines it.
        value: f64,
        /// Indices into v of listed velocities it follows from.
        others: Vec<usize>,
        /// Rows it follows from.
        rows: Vec<usize>,
    },
    /// Rows ask for different things of the same motion.
    Contradiction(Contradiction),
}

/// Initial values in the order in which they are to be met; others are free.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// Indices into p.
    pub positions: Vec<usize>,
    /// Indices into v.
    pub velocities: Vec<usize>,
}

impl Listed {
    /// As the model lists them.
    pub fn of(layout: &Layout) -> Self {
        let indices = |list: &[u32]| list.iter().map(|&index| index as usize).collect();
        Self { positions: indices(&layout.held_positions), velocities: indices(&layout.held_velocities) }
    }
}

/// What became of the initial values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Start {
    /// Of listed positions in their order, then of those the constraints completed.
    pub positions: Vec<StartValue>,
    /// The same of velocities.
    pub velocities: Vec<StartValue>,
}

/// What became of one initial value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartValue {
    /// Index into p or v.
    pub index: usize,
    /// As listed; `None` if it was not.
    pub listed: Option<f64>,
    /// Where the motion starts.
    pub value: f64,
}

impl StartValue {
    /// Listed, and met to rounding: quaternions are normalised.
    pub fn is_held(&self) -> bool {
        self.listed.is_some_and(|listed| differs_by_rounding(listed, self.value))
    }

    /// Listed, and changed.
    pub fn is_changed(&self) -> bool {
        self.listed.is_some_and(|listed| !differs_by_rounding(listed, self.value))
    }

    /// Changed by so much that one should know.
    pub fn is_far_off(&self) -> bool {
        self.listed.is_some_and(|listed| !is_near(listed, self.value))
    }
}

fn differs_by_rounding(listed: f64, value: f64) -> bool {
    (value - listed).abs() <= 4.0 * f64::EPSILON * (1.0 + listed.abs())
}

/// Whether a value meets what is listed.
pub(super) fn is_near(listed: f64, value: f64) -> bool {
    (value - listed).abs() <= MET * (1.0 + listed.abs())
}

/// Makes p and v of `state` consistent with the constraints at `state.t`, by what the model lists.
pub fn consistent(plant: &mut Plant<'_>, state: &mut State) -> Result<Start, Inconsistent> {
    let listed = Listed::of(plant.layout());
    consistent_with(plant, state, &listed)
}

/// Makes p and v of `state` consistent with the constraints at `state.t`, and decides which rows
/// are redundant.
///
/// What is listed stays as it is as far as what comes before it allows. Other positions move to
/// the assembly nearest to where they are, those no constraint feels not at all; other velocities
/// are completed with the smallest change in the metric of the mass matrix (Simeon 1996, eqs. 12a, 12b): from
/// rest that is the least kinetic energy. Where this fails the state holds the best pose found.
pub fn consistent_with(
    plant: &mut Plant<'_>,
    state: &mut State,
    listed: &Listed,
) -> Result<Start, Inconsistent> {
    let layout = plant.layout();
    let given = state.clone();
    plant.keep_all_rows();
    normalise(layout, &mut state.p);
    choose_pose(plant, state, &listed.positions)?;
    settle(plant, state, &listed.velocities)?;
    plant.decide_rank(state);
    if let Some(contradiction) = contradiction::of_accelerations(plant, state) {
        return Err(Inconsistent::Contradiction(contradiction));
    }
    let became = |listed: &[usize], given: &[f64], values: &[f64]| {
        let of_listed = listed.iter().map(|&index| (index, Some(given[index])));
        let moved = |&index: &usize| !listed.contains(&index) && values[index] != given[index];
        let completed = (0..values.len()).filter(moved).map(|index| (index, None));
        let value = |(index, listed)| StartValue { index, listed, value: values[index] };
        of_listed.chain(completed).map(value).collect()
    };
    Ok(Start {
        positions: became(&listed.positions, &given.p, &state.p),
        velocities: became(&listed.velocities, &given.v, &state.v),
    })
}

/// Closes the loops with every position free: the nearest assembled pose.
pub(super) fn assemble(plant: &mut Plant<'_>, state: &mut State) -> Result<(), Inconsistent> {
    plant.keep_all_rows();
    choose_pose(plant, state, &[])
}

/// Moves p to an assembled pose with what is listed held, as far as it can be.
fn choose_pose(plant: &mut Plant<'_>, state: &mut State, listed: &[usize]) -> Result<(), Inconsistent> {
    let layout = plant.layout();
    normalise(layout, &mut state.p);
    if layout.n_g == 0 {
        return Ok(());
    }
    let mut closer = Closer::new(plant, state);
    if closer.is_met(plant, state) {
        return Ok(());
    }
    let columns = motions(layout, listed);
    let guess = state.clone();
    // What the guess says may be all there is to do.
    let unlisted = closer.involved(&free(layout.n_v(), &columns));
    if closer.close(plant, state, &unlisted).is_closed() {
        return Ok(());
    }
    let compromise = state.clone();
    let all = closer.involved(&free(layout.n_v(), &[]));
    let mut assembled = guess.clone();
    let ending = closer.close_from_around(plant, &mut assembled, &all);
    if !ending.is_closed() || columns.is_empty() {
        state.copy_from(&assembled);
        return conclude(plant, state, ending, &[]);
    }
    let held = holdable(plant, &mut closer, &assembled, &all, &columns);
    let held_positions: Vec<usize> = listed
        .iter()
        .copied()
        .filter(|&index| motions(layout, &[index]).iter().any(|column| held.contains(column)))
        .collect();
    // Values listed to the last digit may all belong to one pose, however far it is in the others.
    if held.len() < columns.len() {
        state.copy_from(&guess);
        if closer.close_from_around(plant, state, &unlisted).is_closed() {
            return Ok(());
        }
    }
    state.copy_from(&guess);
    let rest = closer.involved(&free(layout.n_v(), &held));
    for &index in &held_positions {
        assembled.p[index] = guess.p[index];
    }
    normalise(layout, &mut assembled.p);
    let starts = [compromise, guess.clone(), assembled];
    let ending = nearest(plant, &mut closer, state, &starts, &rest, listed);
    closer.unwind(plant, state, &guess);
    conclude(plant, state, ending, &held_positions)
}

/// What of the listed motions can be held, in their order. Ranks mean nothing off the constraints, and
/// little in special poses such as the end of a reach, so they are asked in a pose beside the assembled
/// one.
fn holdable(
    plant: &mut Plant<'_>,
    closer: &mut Closer,
    assembled: &State,
    all: &[usize],
    columns: &[usize],
) -> Vec<usize> {
    let layout = plant.layout();
    let beside = closer.beside(plant, assembled, all);
    plant.eval_jacobian(beside.t, &beside.p, &beside.v, &beside.x);
    hold(&plant.constraint_jacobian, layout.n_lambda(), layout.n_g, layout.n_v(), columns)
}

/// Closes with the motions `rest` from several poses, and, where none closes, from around the guess in
/// `state`. Of those that close the one nearest to the guess in what is listed is taken.
fn nearest(
    plant: &mut Plant<'_>,
    closer: &mut Closer,
    state: &mut State,
    starts: &[State],
    rest: &[usize],
    listed: &[usize],
) -> Ending {
    let layout = plant.layout();
    let guess = state.clone();
    let mut best = f64::INFINITY;
    for start in starts {
        let mut trial = start.clone();
        if closer.close(plant, &mut trial, rest).is_closed() {
            closer.unwind(plant, &mut trial, &guess);
            let distance = closer.distance(layout, &trial.p, &guess.p, Some(listed));
            // Rounding chooses nothing.
            if distance < best - 1e-6 {
                best = distance;
                state.copy_from(&trial);
            }
        }
    }
    if best.is_finite() { Ending::Closed } else { closer.close_from_around(plant, state, rest) }
}

fn conclude(
    plant: &mut Plant<'_>,
    state: &State,
    ending: Ending,
    held: &[usize],
) -> Result<(), Inconsistent> {
    match ending {
        Ending::Closed => Ok(()),
        Ending::TurnedOver(closure) => Err(Inconsistent::TurnedOver { closure, held: held.to_vec() }),
        Ending::Open(_) => {
            let mut g = vec![0.0; plant.layout().n_g];
            plant.constraints(state.t, &state.p, &state.v, &state.x, &mut g);
            let size = |row: usize| if g[row].is_nan() { f64::INFINITY } else { g[row].abs() };
            let mut rows: Vec<usize> = (0..g.len()).filter(|&row| size(row) > 1e-3 * largest(&g)).collect();
            rows.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
            let value = rows.first().map_or(0.0, |&row| g[row]);
            Err(Inconsistent::Positions { rows, value, held: held.to_vec() })
        }
    }
}

/// The velocity indices of listed position indices; a quaternion counts as a whole.
fn motions(layout: &Layout, listed: &[usize]) -> Vec<usize> {
    let velocities: HashMap<&str, usize> = layout.velocities.iter().zip(0..).collect();
    let mut list = Vec::new();
    for &index in listed {
        let position = index as u32;
        let quaternion = layout.quaternions.iter().find(|block| (block.p..block.p + 4).contains(&position));
        match quaternion {
            Some(block) => list.extend((block.v..block.v + 3).map(|v| v as usize)),
            None => {
                let name = layout.positions.get(index).unwrap_or_default();
                list.extend(velocities.get(name));
            }
        }
    }
    let mut seen = vec![false; layout.n_v()];
    list.retain(|&index| !core::mem::replace(&mut seen[index], true));
    list
}
