//! First mass moments by partial velocities in ground axes.
//!
//! Where loops close, G and z tell how links turn as ground sees them, and the recursion tells it once
//! more, in the axes of the links. A link's first moment h = ∫ r dm about its origin O needs nothing
//! else: with its partial velocities ∂ḣ/∂v and its second rate ḧ where v' = 0, it adds
//!
//! ```text
//! to M_ij        ∂v_O/∂v_i · ∂ḣ/∂v_j + ∂ḣ/∂v_i · ∂v_O/∂v_j
//! to what f_i needs      ∂v_O/∂v_i · ḧ + ∂ḣ/∂v_i · (a_O − gravity)
//! ```
//!
//! so that it can be left out of the recursion, which keeps the mass and the moments of inertia.

use super::axes::{self, Candidate};
use super::base_parameters::Inertias;
use super::formulation::DynamicsProblem;
use super::frame_choice::FrameChoice;
use super::loads;
use super::newton_euler::Accelerations;
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, Id, LinkId};
use crate::kinematics::{Chain, Column, FrameOnLink, Kinematics, Link, Move, Transform, VecJet};
use crate::lower::EquationContext;
use crate::spatial::{Axes, Inertia, Vec3};
use std::collections::BTreeMap;

/// With more links than this none is tried: it would take long.
const MAX_LINKS: usize = 40;

/// Behind more velocities than this a moment has too many pairs of partial velocities.
const MAX_VELOCITIES: usize = 8;

/// M and f with some first moments as ground sees them.
#[derive(Debug)]
pub(super) struct WithMoments {
    pub(super) mass_matrix: Vec<ExprId>,
    /// Generalised inertia forces less the applied loads where v' = 0: −f.
    pub(super) inertia_forces: Vec<ExprId>,
    /// Those links, the axes the rest is computed in, and the loads.
    pub(super) links: Vec<LinkId>,
    pub(super) plan: FrameChoice,
    pub(super) applied: Applied,
    /// What they take, with all that is computed beside.
    pub(super) operations: usize,
}

/// M and f with the first moments as ground sees them of those links of which that is cheaper, beside
/// G, z and whatever else is computed with them; `None` if it never is. `chain`, `recursive` and `applied`
/// are the best there is without.
pub(super) fn select_first_moments(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    problem: &DynamicsProblem<'_>,
    (chain, recursive, applied): (&Chain, &Candidate, &Applied),
    shared_roots: &[ExprId],
) -> Option<WithMoments> {
    if chain.links.len() > MAX_LINKS {
        return None;
    }
    let form = |graph: &mut Graph, candidate: &Candidate, applied: &Applied, moments: &Moments| {
        let mut mass_matrix = problem.mass(graph, candidate);
        moments.add_to_mass(graph, &mut mass_matrix, problem.n_v);
        let mut inertia_forces =
            problem.inverse_dynamics(graph, &candidate.forces, applied, Accelerations::Bias);
        moments.add_to_needs(graph, &mut inertia_forces);
        let roots: Vec<ExprId> =
            mass_matrix.iter().chain(&inertia_forces).chain(shared_roots).copied().collect();
        let (operations, plan) = (graph.operations(&roots), candidate.plan.clone());
        WithMoments {
            mass_matrix,
            inertia_forces,
            links: Vec::new(),
            plan,
            applied: applied.clone(),
            operations,
        }
    };
    let mut links = Vec::new();
    let mut moments = Moments::default();
    let mut inertias = problem.inertias.clone();
    // Along centres of mass there would be no moment to leave out.
    let plan = FrameChoice { aligned: Vec::new(), ..recursive.plan.clone() };
    let without = form(&mut context.graph, recursive, applied, &moments).operations;
    let mut least = without;
    for link in chain.links.ids() {
        let Some((own, left)) = of_link(context, kinematics, &inertias, problem.gravity, link) else {
            continue;
        };
        let graph = &mut context.graph;
        let both = moments.and(graph, &own);
        let candidate = Candidate::build(graph, chain, &left, &plan);
        let operations = form(graph, &candidate, applied, &both).operations;
        if operations < least {
            (least, moments, inertias) = (operations, both, left);
            links.push(link);
        }
    }
    if least == without {
        return None;
    }
    let candidate = axes::select_frames(&mut context.graph, chain, &inertias, false, |graph, candidate| {
        form(graph, candidate, applied, &moments).operations
    });
    let candidate = axes::with_bases(&context.graph, candidate, |graph, candidate| {
        let formed = form(graph, candidate, applied, &moments);
        (formed.mass_matrix, formed.operations)
    });
    let mut roots = problem.mass(&mut context.graph, &candidate);
    moments.add_to_mass(&mut context.graph, &mut roots, problem.n_v);
    roots.extend(shared_roots);
    let applied = loads::select_load_paths(context, kinematics, &candidate.forces, problem, &roots);
    let formed = form(&mut context.graph, &candidate, &applied, &moments);
    (formed.operations < without).then_some(WithMoments { links, ..formed })
}

/// M and what inertia needs where v' = 0, with the first moments of some links as ground sees them, in the
/// axes of a plan. `chain` has all inertia there is.
pub(super) fn formed(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    problem: &DynamicsProblem<'_>,
    (chain, plan, links, applied): (&Chain, &FrameChoice, &[LinkId], &Applied),
) -> [Vec<ExprId>; 2] {
    let mut moments = Moments::default();
    let mut inertias = Inertias::regrouped(&mut context.graph, chain);
    for &link in links {
        if let Some((own, left)) = of_link(context, kinematics, &inertias, problem.gravity, link) {
            moments = moments.and(&mut context.graph, &own);
            inertias = left;
        }
    }
    let graph = &mut context.graph;
    let candidate = Candidate::build(graph, chain, &inertias, plan);
    let mut matrix = problem.mass(graph, &candidate);
    moments.add_to_mass(graph, &mut matrix, problem.n_v);
    let mut inertia_forces = problem.inverse_dynamics(graph, &candidate.forces, applied, Accelerations::Bias);
    moments.add_to_needs(graph, &mut inertia_forces);
    [matrix, inertia_forces]
}

/// What first moments left out of the recursion add to M and to what f needs.
#[derive(Debug, Clone, Default)]
struct Moments {
    /// By row and column, both triangles.
    mass: BTreeMap<(u32, u32), ExprId>,
    inertia_forces: BTreeMap<u32, ExprId>,
}

impl Moments {
    /// Adds them to M, n_v × n_v.
    fn add_to_mass(&self, graph: &mut Graph, matrix: &mut [ExprId], n_v: usize) {
        for (&(i, j), &term) in &self.mass {
            let entry = &mut matrix[j as usize * n_v + i as usize];
            *entry = graph.add(*entry, term);
        }
    }

    /// Adds them to what inertia needs along every velocity where v' = 0.
    fn add_to_needs(&self, graph: &mut Graph, inertia_forces: &mut [ExprId]) {
        for (&i, &term) in &self.inertia_forces {
            let entry = &mut inertia_forces[i as usize];
            *entry = graph.add(*entry, term);
        }
    }

    /// Those of another link as well.
    fn and(&self, graph: &mut Graph, other: &Self) -> Self {
        let mut both = self.clone();
        for (&place, &term) in &other.mass {
            add(graph, &mut both.mass, place, term);
        }
        for (&place, &term) in &other.inertia_forces {
            add(graph, &mut both.inertia_forces, place, term);
        }
        both
    }
}

fn add<K: Ord>(graph: &mut Graph, sums: &mut BTreeMap<K, ExprId>, place: K, term: ExprId) {
    let zero = graph.zero();
    let sum = sums.entry(place).or_insert(zero);
    *sum = graph.add(*sum, term);
}

/// What the first moment of a link adds, and the inertias without it; `None` if it has none, or
/// if its orientation is not for ground to see in few steps, or in so few that nothing is gained.
fn of_link(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    inertias: &Inertias,
    gravity: Vec3,
    link: LinkId,
) -> Option<(Moments, Inertias)> {
    let mut left = inertias.clone();
    let moment = take(&mut context.graph, &kinematics.chain.links[link], link, &mut left);
    if moment.is_zero(&context.graph)
        || has_quaternion(&kinematics.chain, link)
        || turns_in_plane(context, kinematics, link)
    {
        return None;
    }
    let axes = kinematics.chain.links[link].axes;
    let in_link = Transform::identity(&mut context.graph, axes, axes);
    let (place, ground) = (FrameOnLink { link, in_link }, LinkId::new(0));
    let origin = kinematics.point(context, ground, place);
    let turning = kinematics.direction(context, ground, place, moment);
    let graph = &mut context.graph;
    let (of_origin, of_moment) = (columns(graph, &origin), columns(graph, &turning));
    if of_origin.len() > MAX_VELOCITIES || of_moment.is_empty() {
        return None;
    }
    let bias = |jets: &VecJet| Vec3::new(gravity.axes, [0, 1, 2].map(|k| jets[k].bias));
    let (a_origin, swing) = (bias(&origin).sub(graph, gravity), bias(&turning));
    let mut moments = Moments::default();
    for &(i, o) in &of_origin {
        let term = o.dot(graph, swing);
        add(graph, &mut moments.inertia_forces, i, term);
        for &(j, m) in &of_moment {
            let term = o.dot(graph, m);
            add(graph, &mut moments.mass, (i, j), term);
            add(graph, &mut moments.mass, (j, i), term);
        }
    }
    for &(i, m) in &of_moment {
        let term = m.dot(graph, a_origin);
        add(graph, &mut moments.inertia_forces, i, term);
    }
    Some((moments, left))
}

/// Takes first moments away that turn with a link: its own, and what was left before turns that it lies on
/// the axes of. In the link's axes.
fn take(graph: &mut Graph, link: &Link, id: LinkId, inertias: &mut Inertias) -> Vec3 {
    let zero = Vec3::zero(graph, link.axes);
    let own = &mut inertias.at_links[id].first_moment;
    let mut moment = std::mem::replace(own, zero);
    for (place, Inertia { first_moment, .. }) in &mut inertias.between[id] {
        let turns_with_link = link.moves[*place + 1..].iter().all(|step| {
            matches!(step, Move::Rotate { axis, .. }
                if (0..3).all(|k| k == *axis || graph.is_zero(first_moment.xyz[k])))
        });
        if turns_with_link {
            moment = moment.add(graph, first_moment.relabelled(link.axes));
            *first_moment = Vec3::zero(graph, first_moment.axes);
        }
    }
    moment
}

/// Whether everything turns a link about one direction, in which case the recursion has it in the axes
/// of ground, too.
fn turns_in_plane(context: &mut EquationContext<'_>, kinematics: &mut Kinematics, link: LinkId) -> bool {
    let spin = kinematics.spin(context, LinkId::new(0), link);
    let mut axes = spin.columns.into_iter().map(|(_, axis)| axis);
    let Some(first) = axes.next() else { return true };
    let opposite = first.neg(&mut context.graph);
    axes.all(|axis| axis.xyz == first.xyz || axis.xyz == opposite.xyz)
}

/// Whether orientation passes through quaternions on the way to a link.
fn has_quaternion(chain: &Chain, link: LinkId) -> bool {
    let mut way = std::iter::successors(Some(link), |&at| chain.links[at].parent);
    way.any(|at| chain.links[at].moves.iter().any(|step| matches!(step, Move::Spherical { .. })))
}

/// ∂rate/∂v of a vector.
fn columns(graph: &mut Graph, jets: &VecJet) -> Vec<(u32, Vec3)> {
    let mut list: BTreeMap<u32, [ExprId; 3]> = BTreeMap::new();
    for (k, jet) in jets.iter().enumerate() {
        for (&column, &term) in &jet.columns {
            if let Column::V(index) = column {
                list.entry(index).or_insert([graph.zero(); 3])[k] = term;
            }
        }
    }
    list.into_iter().map(|(index, xyz)| (index, Vec3::new(Axes::GROUND, xyz))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::frame_choice::rewrite;
    use crate::dynamics::inverse_dynamics::inverse_dynamics;
    use crate::dynamics::mass_matrix::mass_matrix;
    use crate::expr::{Environment, evaluate};
    use crate::kinematics::chain;
    use crate::model::{self, NoFiles};
    use crate::topology;

    /// Turns, slides, and a link that does not turn with what it hangs on; centres of mass off every
    /// axis.
    const MODEL: &str = "
model: moments
bodies:
  arm: {mass: 3, com: [0.2, -0.1, 0.3], inertia: {xx: 0.4, yy: 0.5, zz: 0.6, xy: 0.01}, frames: {tip: {position: [0.5, 0.1, -0.2]}}}
  slide: {mass: 2, com: [-0.1, 0.3, 0.2], inertia: {xx: 0.3, yy: 0.2, zz: 0.3, yz: 0.02}, frames: {tip: {position: [0.1, 0.4, 0.3]}}}
  carrier: {mass: 5, com: [0.1, 0.2, -0.3], inertia: {xx: 0.7, yy: 0.8, zz: 0.9, xz: 0.03}, frames: {hub: {position: [0.2, 0.1, 0.1]}}}
  wheel: {mass: 4, com: [0.05, 0, 0.02], inertia: {xx: 0.2, yy: 0.3, zz: 0.2}}
joints:
  shoulder: {type: universal, from: ground, to: arm, axes: [z, y], coordinates: [phi, psi]}
  rail: {type: prismatic, from: arm.tip, to: slide, axis: x, coordinate: s}
  ball: {type: spherical, from: slide.tip, to: carrier, sequence: xyz, coordinates: [a, b, c], relative_to: ground}
  hub: {type: revolute, from: carrier.hub, to: wheel, axis: y, coordinate: d}
";

    #[test]
    fn each_moment_can_leave_the_recursion() {
        let (model, _) = model::read("moments.yaml", MODEL, &NoFiles).result.expect("a correct model");
        let topology = topology::build(&model).expect("a tree");
        let mut context = EquationContext::new(&model, &topology);
        let mut kinematics = Kinematics::new(chain::build(&mut context, &topology));
        let gravity = context.parameter_vector(Axes::GROUND, &model.gravity);
        let inertias = Inertias::regrouped(&mut context.graph, &kinematics.chain);
        let n_v = topology.velocities.len();
        let chain = kinematics.chain.clone();
        let values = |context: &mut EquationContext<'_>, inertias: &Inertias, moments: &Moments| {
            let graph = &mut context.graph;
            let rewritten = rewrite(graph, &chain, inertias, &FrameChoice::own(&chain));
            let mut mass = mass_matrix(graph, &rewritten.chain, &rewritten.inertias, None, n_v);
            moments.add_to_mass(graph, &mut mass, n_v);
            let applied = Applied::default();
            let mut inertia_forces =
                inverse_dynamics(graph, &rewritten, gravity, Accelerations::Bias, &applied, n_v);
            moments.add_to_needs(graph, &mut inertia_forces);
            let p: Vec<f64> = (0..n_v).map(|i| 0.3 + 0.4 * i as f64).collect();
            let v: Vec<f64> = (0..n_v).map(|i| 1.7 - 0.6 * i as f64).collect();
            let environment = Environment { p: &p, v: &v, ..Environment::default() };
            let no_table = |_, _, _, _| unreachable!("the model reads no table");
            evaluate(graph, &environment, &no_table, &[mass, inertia_forces].concat())
        };
        let expected = values(&mut context, &inertias, &Moments::default());
        let mut n_links = 0;
        for link in chain.links.ids() {
            let found = of_link(&mut context, &mut kinematics, &inertias, gravity, link);
            let Some((moments, left)) = found else { continue };
            n_links += 1;
            let without = values(&mut context, &left, &Moments::default());
            let with = values(&mut context, &left, &moments);
            let far = |a: &[f64]| a.iter().zip(&expected).any(|(a, b)| (a - b).abs() > 1e-11);
            assert!(!far(&with), "{link:?}: {with:?} instead of {expected:?}");
            assert!(far(&without), "{link:?}: what was taken away counts for nothing");
        }
        assert_eq!(n_links, 4, "arm, slide, carrier and wheel have moments");
    }
}
