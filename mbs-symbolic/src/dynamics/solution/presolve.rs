//! Unknowns eliminated in closed form before LDLᵀ (presolve): rods and rotors.
//!
//! Both are eliminated in closed form, and what elimination would do to M on their behalf is for the most part
//! known beforehand: M is formed of other inertias instead.

use super::MAX_OPERATIONS;
use super::elimination::Saddle;
use super::ordering::Plan;
use super::rod_end_mass::{self, Mass};
use super::rods::{EliminatedRod, Rod};
use super::rotors::{EliminatedRotor, Rotor};
use crate::dynamics::constraints::Rows;
use crate::dynamics::equations::Formulation;
use crate::dynamics::formulation::{DynamicsProblem, Rebuild};
use crate::expr::Graph;
use crate::ids::ExprId;
use crate::kinematics::{Column, Kinematics};
use crate::lower::EquationContext;
use std::collections::BTreeSet;

/// What to take out, and M as it is to be then.
#[derive(Debug)]
pub(in crate::dynamics) struct Reduced {
    /// n_v × n_v; entries of rods and rotors are as they were.
    pub(super) mass_matrix: Vec<ExprId>,
    /// f to go with it.
    pub(super) forces: Vec<ExprId>,
    rods: Vec<(Rod, Option<Mass>)>,
    rotors: Vec<Rotor>,
    /// About how many operations the solution takes; `None` if it is too long.
    pub(super) operations: Option<usize>,
}

impl Reduced {
    /// Finds what to take out of the equations of a formulation.
    pub(in crate::dynamics) fn new(
        context: &mut EquationContext<'_>,
        kinematics: &mut Kinematics,
        problem: &DynamicsProblem<'_>,
        rows: &Rows,
        (first, rebuild): (&Formulation, &Rebuild),
    ) -> Self {
        let n_v = problem.n_v;
        let mut coupled = pattern(&context.graph, &first.mass_matrix, rows, n_v);
        let graph = &mut context.graph;
        let rotors = Rotor::find(graph, &kinematics.chain, problem.inertias, &coupled, n_v);
        rotors.iter().for_each(|rotor| rotor.take_out_of(&mut coupled));
        let spun: BTreeSet<usize> = rotors.iter().map(|rotor| rotor.velocity).collect();
        let (rods, operations) = cheaper(&coupled, n_v, &spun);
        let mut held = Vec::new();
        let mut added = Vec::new();
        for rod in rods {
            let from = (&first.mass_matrix[..], problem);
            let found = rod_end_mass::carried(context, kinematics, from, rows, &rod);
            let mass = found.map(|(mass, moved)| {
                added.extend(moved);
                mass
            });
            held.push((rod, mass));
        }
        let (mut mass_matrix, mut forces) = (first.mass_matrix.clone(), first.forces.clone());
        if !added.is_empty() {
            [_, forces] = rebuild.with(context, kinematics, problem, &added);
        }
        added.extend(rotors.iter().map(|rotor| (rotor.link, rotor.opposite)));
        if !added.is_empty() {
            let own: BTreeSet<usize> = held.iter().flat_map(|(rod, _)| rod.own()).chain(spun).collect();
            let [formed, _] = rebuild.with(context, kinematics, problem, &added);
            for (place, (entry, formed)) in mass_matrix.iter_mut().zip(formed).enumerate() {
                if !own.contains(&(place % n_v)) && !own.contains(&(place / n_v)) {
                    *entry = formed;
                }
            }
        }
        Self { mass_matrix, forces, rods: held, rotors, operations }
    }

    /// Takes everything out.
    pub(super) fn eliminate(&self, graph: &mut Graph, saddle: &mut Saddle) -> Eliminated {
        Eliminated {
            rotors: self.rotors.iter().map(|rotor| rotor.eliminate(graph, saddle)).collect(),
            rods: self
                .rods
                .iter()
                .map(|(rod, mass)| EliminatedRod::eliminate(graph, saddle, rod, *mass))
                .collect(),
        }
    }

    /// The unknowns that are taken out.
    pub(super) fn unknowns(&self) -> BTreeSet<usize> {
        let of_rods = self.rods.iter().flat_map(|(rod, _)| rod.own());
        of_rods.chain(self.rotors.iter().map(|rotor| rotor.velocity)).collect()
    }
}

/// What has been taken out.
#[derive(Debug)]
pub(super) struct Eliminated {
    rods: Vec<EliminatedRod>,
    rotors: Vec<EliminatedRotor>,
}

impl Eliminated {
    /// Unknowns and pivots of what was taken out, from those of the rest.
    pub(super) fn back_substitute(&self, graph: &mut Graph, x: &mut [ExprId], pivots: &mut [ExprId]) {
        self.rods.iter().for_each(|rod| rod.back_substitute(graph, x, pivots));
        self.rotors.iter().for_each(|rotor| rotor.back_substitute(graph, x, pivots));
    }
}

/// All rods if it is cheaper to take them out, or none; and about how many operations the solution
/// takes, unless it is too long.
fn cheaper(coupled: &[BTreeSet<usize>], n_v: usize, out: &BTreeSet<usize>) -> (Vec<Rod>, Option<usize>) {
    let operations = |coupled: &[BTreeSet<usize>], out: &BTreeSet<usize>| {
        Plan::new(coupled, n_v, out, MAX_OPERATIONS).map(|plan| plan.operations)
    };
    let plain = operations(coupled, out);
    let rods = Rod::find(coupled, n_v);
    let mut left = coupled.to_vec();
    let taking_out: usize = rods.iter().map(|rod| Rod::operations(rod.take_out_of(&mut left))).sum();
    let out: BTreeSet<usize> = rods.iter().flat_map(Rod::own).chain(out.iter().copied()).collect();
    let other = operations(&left, &out).map(|operations| operations + taking_out);
    match (other, plain) {
        (Some(other), plain) if plain.is_none_or(|plain| other < plain) => (rods, Some(other)),
        _ => (Vec::new(), plain),
    }
}

/// The other unknowns each is coupled to: velocities, then rows.
fn pattern(graph: &Graph, mass_matrix: &[ExprId], rows: &Rows, n_v: usize) -> Vec<BTreeSet<usize>> {
    let mut coupled = vec![BTreeSet::new(); n_v + rows.list.len()];
    let mut couple = |i: usize, j: usize| {
        coupled[i].insert(j);
        coupled[j].insert(i);
    };
    for (place, &entry) in mass_matrix.iter().enumerate() {
        let (i, j) = (place % n_v, place / n_v);
        if i != j && !graph.is_zero(entry) {
            couple(i, j);
        }
    }
    for (k, parts) in rows.list.iter().enumerate() {
        for (column, &entry) in &parts.columns {
            if let Column::V(v) = column
                && !graph.is_zero(entry)
            {
                couple(n_v + k, *v as usize);
            }
        }
    }
    coupled
}
