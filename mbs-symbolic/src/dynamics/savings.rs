//! What each choice of formulation saves where M, f, G and z are computed together.

use super::axes::Chosen;
use super::base_parameters::Inertias;
use super::equations::Saving;
use super::formulation::Given;
use super::frame_choice::Plan;
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
    fn cost(&self, graph: &mut Graph, given: &Given<'_>, plan: &Plan, beside: &[ExprId]) -> usize {
        let chosen = Chosen::by(graph, self.chain, self.inertias, plan);
        let mut roots = given.mass(graph, &chosen);
        roots.extend(given.needs(
            graph,
            &chosen.forces,
            self.applied,
            super::newton_euler::Accelerations::Bias,
        ));
        roots.extend(beside);
        graph.operations(&roots)
    }
}

/// The choices one after the other, from links with their own inertia in their own axes to what
/// was chosen: `chain`, `chosen` and `applied` instead of `own` and `given.applied`, and last, if
/// it was taken, the way with first moments as ground sees them, which takes `with_moments`
/// operations.
pub(super) fn savings(
    graph: &mut Graph,
    given: &Given<'_>,
    own: &Chain,
    (chain, chosen, applied): (&Chain, &Chosen, &Applied),
    with_moments: Option<usize>,
    beside: &[ExprId],
) -> Vec<Saving> {
    let as_given = Inertias::given(own);
    let first = Way { chain: own, inertias: &as_given, applied: given.applied };
    let regrouped = Way { inertias: given.inertias, ..first };
    let known = Way { chain, ..regrouped };
    let plans = [
        Plan::own(own),
        Plan::parallel(graph, own),
        Plan { rotors: Vec::new(), aligned: Vec::new(), carried: None, ..chosen.plan.clone() },
        Plan { aligned: Vec::new(), carried: None, ..chosen.plan.clone() },
        Plan { carried: None, ..chosen.plan.clone() },
    ];
    let [own_axes, parallel, sides, rotors, aligned] = &plans;
    let steps = [
        ("base parameters", regrouped, own_axes),
        ("parallel joints", regrouped, parallel),
        ("accelerations loops need too", known, parallel),
        ("sides of turns", known, sides),
        ("rotors", known, rotors),
        ("centres of mass", known, aligned),
        ("momenta as bases see them", known, &chosen.plan),
        ("loads", Way { applied, ..known }, &chosen.plan),
    ];
    let mut before = first.cost(graph, given, own_axes, beside);
    let mut list = Vec::with_capacity(steps.len());
    for (choice, way, plan) in steps {
        let after = way.cost(graph, given, plan, beside);
        list.push(Saving { choice, before, after });
        before = after;
    }
    list.extend(with_moments.map(|after| Saving { choice: "moments as ground sees them", before, after }));
    list
}
