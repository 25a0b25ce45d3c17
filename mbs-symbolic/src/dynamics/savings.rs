//! What each choice of formulation saves where M, f, G and z are computed together.

use super::axes::Candidate;
use super::base_parameters::Inertias;
use super::equations::Saving;
use super::formulation::DynamicsProblem;
use super::frame_choice::FrameChoice;
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::ExprId;
use crate::kinematics::Chain;

/// A formulation as far as it has been chosen.
#[derive(Debug, Clone, Copy)]
struct Way<'a> {
    chain: &'a Chain,
    inertias: &'a Inertias,
    applied: &'a Applied,
}

impl Way<'_> {
    fn cost(
        &self,
        graph: &mut Graph,
        problem: &DynamicsProblem<'_>,
        plan: &FrameChoice,
        shared_roots: &[ExprId],
    ) -> usize {
        let candidate = Candidate::build(graph, self.chain, self.inertias, plan);
        let mut roots = problem.mass(graph, &candidate);
        roots.extend(problem.inverse_dynamics(
            graph,
            &candidate.forces,
            self.applied,
            super::newton_euler::Accelerations::Bias,
        ));
        roots.extend(shared_roots);
        graph.operations(&roots)
    }
}

/// The choices one after the other, from links with their own inertia in their own axes to what
/// was chosen: `chain`, `candidate` and `applied` instead of `own` and `problem.applied`, and last, if
/// it was taken, the way with first moments as ground sees them, which takes `with_moments`
/// operations.
pub(super) fn savings(
    graph: &mut Graph,
    problem: &DynamicsProblem<'_>,
    own: &Chain,
    (chain, candidate, applied): (&Chain, &Candidate, &Applied),
    with_moments: Option<usize>,
    shared_roots: &[ExprId],
) -> Vec<Saving> {
    let as_given = Inertias::given(own);
    let first = Way { chain: own, inertias: &as_given, applied: problem.applied };
    let regrouped = Way { inertias: problem.inertias, ..first };
    let known = Way { chain, ..regrouped };
    let plans = [
        FrameChoice::own(own),
        FrameChoice::parallel(graph, own),
        FrameChoice {
            rotors: Vec::new(),
            aligned: Vec::new(),
            transported_links: None,
            ..candidate.plan.clone()
        },
        FrameChoice { aligned: Vec::new(), transported_links: None, ..candidate.plan.clone() },
        FrameChoice { transported_links: None, ..candidate.plan.clone() },
    ];
    let [own_axes, parallel, sides, rotors, aligned] = &plans;
    let steps = [
        ("base parameters", regrouped, own_axes),
        ("parallel joints", regrouped, parallel),
        ("reuse loop accelerations", known, parallel),
        ("sides of turns", known, sides),
        ("rotors", known, rotors),
        ("centres of mass", known, aligned),
        ("base-frame composite momenta", known, &candidate.plan),
        ("loads", Way { applied, ..known }, &candidate.plan),
    ];
    let mut before = first.cost(graph, problem, own_axes, shared_roots);
    let mut list = Vec::with_capacity(steps.len());
    for (choice, way, plan) in steps {
        let after = way.cost(graph, problem, plan, shared_roots);
        list.push(Saving { choice, before, after });
        before = after;
    }
    list.extend(with_moments.map(|after| Saving { choice: "moments as ground sees them", before, after }));
    list
}
