//! How M and f are formulated: the cheapest ways that are tried.
//!
//! Equations are evaluated together, as integrators do, or one by one, as controllers do, and what
//! is cheapest differs: together, M and f share sines and velocities; alone, each has the axes
//! that suit it. So the functions that compute M or f alone have formulations of their own, and
//! which is cheapest in the end is decided when programs are optimised.

use super::axes::{self, Chosen};
use super::base_parameters::Inertias;
use super::constraints::Rows;
use super::equations::{Formulation, Saving};
use super::first_moments::{self, WithMoments};
use super::frame_choice::{self, Computed, Plan};
use super::inverse_dynamics::generalised;
use super::loads;
use super::mass_matrix::mass_matrix;
use super::newton_euler::Accelerations;
use super::savings::savings;
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, Id, LinkId};
use crate::kinematics::{Chain, Column, Kinematics, Move};
use crate::lower::Lowering;
use crate::spatial::{Inertia, Vec3};

/// What all formulations start from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a> {
    /// Those of the chain, regrouped.
    pub(super) inertias: &'a Inertias,
    pub(super) gravity: Vec3,
    pub(super) applied: &'a Applied,
    pub(super) n_v: usize,
    /// Whether to count what each choice saves.
    pub(super) with_savings: bool,
}

/// M and f for people and for programs.
#[derive(Debug)]
pub(super) struct Formulated {
    pub(super) readable: Formulation,
    /// As in [`Equations::formulations`](super::Equations::formulations).
    pub(super) formulations: Vec<Formulation>,
    /// How the first of them is formed.
    pub(super) recipe: Recipe,
    /// The links in axes worth trying for accelerations.
    pub(super) computed: Vec<Computed>,
    pub(super) savings: Vec<Saving>,
}

/// How M and f are formed, to form them anew of other inertias.
#[derive(Debug)]
pub(super) struct Recipe {
    chain: Chain,
    plan: Plan,
    /// The links whose first moments ground sees.
    moments: Vec<LinkId>,
    applied: Applied,
}

impl Recipe {
    /// M and f of the mechanism with more inertia at some links, in their axes.
    pub(super) fn with(
        &self,
        lowering: &mut Lowering<'_>,
        kinematics: &mut Kinematics,
        given: &Given<'_>,
        added: &[(LinkId, Inertia)],
    ) -> [Vec<ExprId>; 2] {
        let mut chain = self.chain.clone();
        for &(link, inertia) in added {
            let own = &mut chain.links[link].inertia;
            *own = own.add(&mut lowering.graph, inertia);
        }
        let how = (&chain, &self.plan, &self.moments[..], &self.applied);
        let [mass_matrix, needs] = first_moments::formed(lowering, kinematics, given, how);
        let graph = &mut lowering.graph;
        [mass_matrix, needs.into_iter().map(|entry| graph.neg(entry)).collect()]
    }
}

impl Given<'_> {
    /// What inertia needs along every velocity on top of `applied`.
    pub(super) fn needs(
        &self,
        graph: &mut Graph,
        computed: &Computed,
        applied: &Applied,
        accelerations: Accelerations,
    ) -> Vec<ExprId> {
        generalised(graph, computed, self.gravity, accelerations, applied, self.n_v)
    }

    /// f and M v' − f, beside M as it is.
    fn formulation(
        &self,
        graph: &mut Graph,
        mass_matrix: Vec<ExprId>,
        computed: &Computed,
        applied: &Applied,
    ) -> Formulation {
        let needs = self.needs(graph, computed, applied, Accelerations::Bias);
        Formulation {
            mass_matrix,
            forces: needs.into_iter().map(|entry| graph.neg(entry)).collect(),
            inverse_dynamics: self.needs(graph, computed, applied, Accelerations::Full),
        }
    }

    pub(super) fn mass(&self, graph: &mut Graph, chosen: &Chosen) -> Vec<ExprId> {
        let Computed { chain, inertias, .. } = &chosen.mass;
        mass_matrix(graph, chain, inertias, chosen.plan.carried, self.n_v)
    }
}

/// Formulates M and f.
pub(super) fn cheapest(
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    given: &Given<'_>,
    rows: &Rows,
    auxiliary: &[ExprId],
) -> Formulated {
    let mut beside = auxiliary.to_vec();
    for parts in &rows.list {
        let of_velocities = parts.columns.iter().filter(|(column, _)| matches!(column, Column::V(_)));
        beside.extend(of_velocities.map(|(_, entry)| *entry));
        beside.push(parts.bias);
    }
    let (chain, together) = together(lowering, kinematics, given, &beside);
    let n_beside = beside.len();
    let mass_matrix = given.mass(&mut lowering.graph, &together);
    beside.extend(&mass_matrix);
    let applied = loads::cheapest(lowering, kinematics, &together.forces, given, &beside);
    beside.truncate(n_beside);
    // Where nothing else is seen from ground, moments are cheaper to see from their links.
    let seen = if rows.list.is_empty() {
        None
    } else {
        first_moments::cheapest(lowering, kinematics, given, (&chain, &together, &applied), &beside)
    };
    let savings = if given.with_savings {
        let taken = (&chain, &together, &applied);
        let operations = seen.as_ref().map(|seen| seen.operations);
        savings(&mut lowering.graph, given, &kinematics.chain, taken, operations, &beside)
    } else {
        Vec::new()
    };
    let (own_forces, own_applied) = forces_alone(lowering, kinematics, given);
    let graph = &mut lowering.graph;
    let recursive = given.formulation(graph, mass_matrix, &together.forces, &applied);
    let own_mass = mass_alone(graph, &kinematics.chain, given);
    let alone = given.formulation(graph, own_mass, &own_forces, &own_applied);
    let mut readable = match together.readable(graph, &chain, given.inertias) {
        Some(chosen) => {
            let mass = given.mass(graph, &chosen);
            given.formulation(graph, mass, &chosen.forces, &applied)
        }
        None => recursive.clone(),
    };
    let recipe = match &seen {
        Some(WithMoments { plan, links, applied, .. }) => {
            Recipe { chain, plan: plan.clone(), moments: links.clone(), applied: applied.clone() }
        }
        None => Recipe { chain, plan: together.plan, moments: Vec::new(), applied },
    };
    let with_moments = seen.map(|WithMoments { mass_matrix, needs, .. }| Formulation {
        mass_matrix,
        forces: needs.into_iter().map(|entry| graph.neg(entry)).collect(),
        inverse_dynamics: recursive.inverse_dynamics.clone(),
    });
    let mut formulations: Vec<Formulation> = with_moments.into_iter().chain([recursive, alone]).collect();
    share_zeros(graph, formulations.iter_mut().chain([&mut readable]));
    Formulated { readable, formulations, recipe, computed: vec![together.forces, own_forces], savings }
}

/// An entry of M that is zero by the form of one formulation is zero in all, so that M has the same
/// pattern whichever function computes it.
fn share_zeros<'a>(graph: &mut Graph, formulations: impl Iterator<Item = &'a mut Formulation>) {
    let mut matrices: Vec<&mut Vec<ExprId>> = formulations.map(|way| &mut way.mass_matrix).collect();
    let zero = graph.zero();
    let n = matrices.first().map_or(0, |matrix| matrix.len());
    for entry in 0..n {
        if matrices.iter().any(|matrix| graph.is_zero(matrix[entry])) {
            matrices.iter_mut().for_each(|matrix| matrix[entry] = zero);
        }
    }
}

/// The axes in which M and f together, `beside` what else is evaluated with them, are cheapest,
/// and the chain they are axes of.
fn together(
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    given: &Given<'_>,
    beside: &[ExprId],
) -> (Chain, Chosen) {
    let known = with_known_accelerations(lowering, kinematics, given.gravity);
    let graph = &mut lowering.graph;
    let cost = |graph: &mut Graph, chain: &Chain| {
        let plan = Plan::parallel(graph, chain);
        let computed = frame_choice::computed(graph, chain, given.inertias, &plan);
        let mut roots = given.needs(graph, &computed, given.applied, Accelerations::Bias);
        roots.extend(beside);
        graph.operations(&roots)
    };
    let chain = match known {
        Some(chain) if cost(graph, &chain) < cost(graph, &kinematics.chain) => chain,
        _ => kinematics.chain.clone(),
    };
    let form = |graph: &mut Graph, chosen: &Chosen| {
        let mass_matrix = given.mass(graph, chosen);
        let mut roots = mass_matrix.clone();
        roots.extend(given.needs(graph, &chosen.forces, given.applied, Accelerations::Bias));
        roots.extend(beside);
        (mass_matrix, graph.operations(&roots))
    };
    let cost = |graph: &mut Graph, chosen: &Chosen| form(graph, chosen).1;
    let chosen = axes::cheapest(graph, &chain, given.inertias, true, cost);
    let chosen = axes::with_bases(graph, chosen, form);
    (chain, chosen)
}

/// The axes in which f alone is cheapest, and how the loads get there.
fn forces_alone(
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    given: &Given<'_>,
) -> (Computed, Applied) {
    let graph = &mut lowering.graph;
    let Chosen { forces, .. } =
        axes::cheapest(graph, &kinematics.chain, given.inertias, true, |graph, chosen| {
            let roots = given.needs(graph, &chosen.forces, given.applied, Accelerations::Bias);
            graph.operations(&roots)
        });
    let applied = loads::cheapest(lowering, kinematics, &forces, given, &[]);
    (forces, applied)
}

/// M in the axes in which it is cheapest alone.
fn mass_alone(graph: &mut Graph, chain: &Chain, given: &Given<'_>) -> Vec<ExprId> {
    let form = |graph: &mut Graph, chosen: &Chosen| {
        let mass_matrix = given.mass(graph, chosen);
        let operations = graph.operations(&mass_matrix);
        (mass_matrix, operations)
    };
    let cost = |graph: &mut Graph, chosen: &Chosen| form(graph, chosen).1;
    let chosen = axes::cheapest(graph, chain, given.inertias, true, cost);
    let chosen = axes::with_bases(graph, chosen, form);
    given.mass(graph, &chosen)
}

/// The chain with the accelerations of places past which links do not turn with anything
/// before, as ground sees them: closed loops need them too. `None` if there are no such places.
fn with_known_accelerations(
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    gravity: Vec3,
) -> Option<Chain> {
    let mut chain = kinematics.chain.clone();
    let mut found = None;
    for id in kinematics.chain.links.ids() {
        if !kinematics.chain.links[id].reorients {
            continue;
        }
        let Some((_, [_, a_bias])) = kinematics.see(lowering, LinkId::new(0), id).reoriented_at else {
            continue;
        };
        let known = a_bias.sub(&mut lowering.graph, gravity);
        for step in &mut chain.links[id].moves {
            if let Move::Reorient { a_w, .. } = step {
                *a_w = Some(known);
                found = Some(());
            }
        }
    }
    found.map(|()| chain)
}
