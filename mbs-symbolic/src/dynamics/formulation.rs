//! How M and f are formulated: the cheapest ways that are tried.
//!
//! Equations are evaluated together, as integrators do, or one by one, as controllers do, and what
//! is cheapest differs: together, M and f share sines and velocities; alone, each has the axes
//! that suit it. So the functions that compute M or f alone have formulations of their own, and
//! which is cheapest in the end is decided when programs are optimised.

use super::axes::{self, Candidate};
use super::base_parameters::Inertias;
use super::constraints::Rows;
use super::equations::{Formulation, Saving};
use super::first_moments::{self, WithMoments};
use super::frame_choice::{self, FrameChoice, RewrittenTree};
use super::inverse_dynamics::inverse_dynamics;
use super::loads;
use super::mass_matrix::mass_matrix;
use super::newton_euler::Accelerations;
use super::savings::savings;
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, Id, LinkId};
use crate::kinematics::{Chain, Column, Kinematics, Move};
use crate::lower::EquationContext;
use crate::spatial::{Inertia, Vec3};

/// What all formulations start from.
#[derive(Debug, Clone, Copy)]
pub(super) struct DynamicsProblem<'a> {
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
pub(super) struct Formulations {
    pub(super) readable: Formulation,
    /// As in [`Equations::formulations`](super::Equations::formulations).
    pub(super) formulations: Vec<Formulation>,
    /// How the first of them is formed.
    pub(super) rebuild: Rebuild,
    /// The links in axes worth trying for accelerations.
    pub(super) rewritten: Vec<RewrittenTree>,
    pub(super) savings: Vec<Saving>,
}

/// How M and f are formed, to form them anew of other inertias.
#[derive(Debug)]
pub(super) struct Rebuild {
    chain: Chain,
    plan: FrameChoice,
    /// The links whose first moments ground sees.
    moments: Vec<LinkId>,
    applied: Applied,
}

impl Rebuild {
    /// M and f of the mechanism with more inertia at some links, in their axes.
    pub(super) fn with(
        &self,
        context: &mut EquationContext<'_>,
        kinematics: &mut Kinematics,
        problem: &DynamicsProblem<'_>,
        added: &[(LinkId, Inertia)],
    ) -> [Vec<ExprId>; 2] {
        let mut chain = self.chain.clone();
        for &(link, inertia) in added {
            let own = &mut chain.links[link].inertia;
            *own = own.add(&mut context.graph, inertia);
        }
        let how = (&chain, &self.plan, &self.moments[..], &self.applied);
        let [mass_matrix, inertia_forces] = first_moments::formed(context, kinematics, problem, how);
        let graph = &mut context.graph;
        [mass_matrix, inertia_forces.into_iter().map(|entry| graph.neg(entry)).collect()]
    }
}

impl DynamicsProblem<'_> {
    /// Generalised inertia forces less the loads `applied`.
    pub(super) fn inverse_dynamics(
        &self,
        graph: &mut Graph,
        rewritten: &RewrittenTree,
        applied: &Applied,
        accelerations: Accelerations,
    ) -> Vec<ExprId> {
        inverse_dynamics(graph, rewritten, self.gravity, accelerations, applied, self.n_v)
    }

    /// f and M v' − f, beside M as it is.
    fn formulation(
        &self,
        graph: &mut Graph,
        mass_matrix: Vec<ExprId>,
        rewritten: &RewrittenTree,
        applied: &Applied,
    ) -> Formulation {
        let inertia_forces = self.inverse_dynamics(graph, rewritten, applied, Accelerations::Bias);
        Formulation {
            mass_matrix,
            forces: inertia_forces.into_iter().map(|entry| graph.neg(entry)).collect(),
            inverse_dynamics: self.inverse_dynamics(graph, rewritten, applied, Accelerations::Full),
        }
    }

    pub(super) fn mass(&self, graph: &mut Graph, candidate: &Candidate) -> Vec<ExprId> {
        let RewrittenTree { chain, inertias, .. } = &candidate.mass;
        mass_matrix(graph, chain, inertias, candidate.plan.transported_links, self.n_v)
    }
}

/// Formulates M and f.
pub(super) fn select_formulation(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    problem: &DynamicsProblem<'_>,
    rows: &Rows,
    auxiliary: &[ExprId],
) -> Formulations {
    let mut shared_roots = auxiliary.to_vec();
    for parts in &rows.list {
        let of_velocities = parts.columns.iter().filter(|(column, _)| matches!(column, Column::V(_)));
        shared_roots.extend(of_velocities.map(|(_, entry)| *entry));
        shared_roots.push(parts.bias);
    }
    let (chain, together) = together(context, kinematics, problem, &shared_roots);
    let n_shared_roots = shared_roots.len();
    let mass_matrix = problem.mass(&mut context.graph, &together);
    shared_roots.extend(&mass_matrix);
    let applied = loads::select_load_paths(context, kinematics, &together.forces, problem, &shared_roots);
    shared_roots.truncate(n_shared_roots);
    // Where nothing else is seen from ground, moments are cheaper to see from their links.
    let seen = if rows.list.is_empty() {
        None
    } else {
        first_moments::select_first_moments(
            context,
            kinematics,
            problem,
            (&chain, &together, &applied),
            &shared_roots,
        )
    };
    let savings = if problem.with_savings {
        let taken = (&chain, &together, &applied);
        let operations = seen.as_ref().map(|seen| seen.operations);
        savings(&mut context.graph, problem, &kinematics.chain, taken, operations, &shared_roots)
    } else {
        Vec::new()
    };
    let (own_forces, own_applied) = forces_alone(context, kinematics, problem);
    let graph = &mut context.graph;
    let recursive = problem.formulation(graph, mass_matrix, &together.forces, &applied);
    let own_mass = mass_alone(graph, &kinematics.chain, problem);
    let alone = problem.formulation(graph, own_mass, &own_forces, &own_applied);
    let mut readable = match together.readable(graph, &chain, problem.inertias) {
        Some(candidate) => {
            let mass = problem.mass(graph, &candidate);
            problem.formulation(graph, mass, &candidate.forces, &applied)
        }
        None => recursive.clone(),
    };
    let rebuild = match &seen {
        Some(WithMoments { plan, links, applied, .. }) => {
            Rebuild { chain, plan: plan.clone(), moments: links.clone(), applied: applied.clone() }
        }
        None => Rebuild { chain, plan: together.plan, moments: Vec::new(), applied },
    };
    let with_moments = seen.map(|WithMoments { mass_matrix, inertia_forces, .. }| Formulation {
        mass_matrix,
        forces: inertia_forces.into_iter().map(|entry| graph.neg(entry)).collect(),
        inverse_dynamics: recursive.inverse_dynamics.clone(),
    });
    let mut formulations: Vec<Formulation> = with_moments.into_iter().chain([recursive, alone]).collect();
    share_zeros(graph, formulations.iter_mut().chain([&mut readable]));
    Formulations { readable, formulations, rebuild, rewritten: vec![together.forces, own_forces], savings }
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

/// The axes in which M and f together, `shared_roots` what else is evaluated with them, are cheapest,
/// and the chain they are axes of.
fn together(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    problem: &DynamicsProblem<'_>,
    shared_roots: &[ExprId],
) -> (Chain, Candidate) {
    let known = with_known_accelerations(context, kinematics, problem.gravity);
    let graph = &mut context.graph;
    let cost = |graph: &mut Graph, chain: &Chain| {
        let plan = FrameChoice::parallel(graph, chain);
        let rewritten = frame_choice::rewrite(graph, chain, problem.inertias, &plan);
        let mut roots = problem.inverse_dynamics(graph, &rewritten, problem.applied, Accelerations::Bias);
        roots.extend(shared_roots);
        graph.operations(&roots)
    };
    let chain = match known {
        Some(chain) if cost(graph, &chain) < cost(graph, &kinematics.chain) => chain,
        _ => kinematics.chain.clone(),
    };
    let form = |graph: &mut Graph, candidate: &Candidate| {
        let mass_matrix = problem.mass(graph, candidate);
        let mut roots = mass_matrix.clone();
        roots.extend(problem.inverse_dynamics(
            graph,
            &candidate.forces,
            problem.applied,
            Accelerations::Bias,
        ));
        roots.extend(shared_roots);
        (mass_matrix, graph.operations(&roots))
    };
    let cost = |graph: &mut Graph, candidate: &Candidate| form(graph, candidate).1;
    let candidate = axes::select_frames(graph, &chain, problem.inertias, true, cost);
    let candidate = axes::with_bases(graph, candidate, form);
    (chain, candidate)
}

/// The axes in which f alone is cheapest, and how the loads get there.
fn forces_alone(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    problem: &DynamicsProblem<'_>,
) -> (RewrittenTree, Applied) {
    let graph = &mut context.graph;
    let Candidate { forces, .. } =
        axes::select_frames(graph, &kinematics.chain, problem.inertias, true, |graph, candidate| {
            let roots =
                problem.inverse_dynamics(graph, &candidate.forces, problem.applied, Accelerations::Bias);
            graph.operations(&roots)
        });
    let applied = loads::select_load_paths(context, kinematics, &forces, problem, &[]);
    (forces, applied)
}

/// M in the axes in which it is cheapest alone.
fn mass_alone(graph: &mut Graph, chain: &Chain, problem: &DynamicsProblem<'_>) -> Vec<ExprId> {
    let form = |graph: &mut Graph, candidate: &Candidate| {
        let mass_matrix = problem.mass(graph, candidate);
        let operations = graph.operations(&mass_matrix);
        (mass_matrix, operations)
    };
    let cost = |graph: &mut Graph, candidate: &Candidate| form(graph, candidate).1;
    let candidate = axes::select_frames(graph, chain, problem.inertias, true, cost);
    let candidate = axes::with_bases(graph, candidate, form);
    problem.mass(graph, &candidate)
}

/// The chain with the accelerations of places past which links do not turn with anything
/// before, as ground sees them: closed loops need them too. `None` if there are no such places.
fn with_known_accelerations(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    gravity: Vec3,
) -> Option<Chain> {
    let mut chain = kinematics.chain.clone();
    let mut found = None;
    for id in kinematics.chain.links.ids() {
        if !kinematics.chain.links[id].reorients {
            continue;
        }
        let Some((_, [_, a_bias])) = kinematics.link_motion(context, LinkId::new(0), id).reoriented_at else {
            continue;
        };
        let known = a_bias.sub(&mut context.graph, gravity);
        for step in &mut chain.links[id].moves {
            if let Move::WorldAligned { a_w, .. } = step {
                *a_w = Some(known);
                found = Some(());
            }
        }
    }
    found.map(|()| chain)
}
