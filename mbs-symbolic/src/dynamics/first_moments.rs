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

use super::axes::{self, Chosen};
use super::base_parameters::Inertias;
use super::formulation::Given;
use super::frame_choice::Plan;
use super::loads;
use super::newton_euler::Accelerations;
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, Id, LinkId};
use crate::kinematics::{Chain, Column, Kinematics, Link, Move, Placement, Transform, VecJet};
use crate::lower::Lowering;
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
    /// What inertia needs on top of the applied forces where v' = 0: −f.
    pub(super) needs: Vec<ExprId>,
    /// Those links, the axes the rest is computed in, and the loads.
    pub(super) links: Vec<LinkId>,
    pub(super) plan: Plan,
    pub(super) applied: Applied,
    /// What they take, with all that is computed beside.
    pub(super) operations: usize,
}

/// M and f with the first moments as ground sees them of those links of which that is cheaper, beside
/// G, z and whatever else is computed with them; `None` if it never is. `chain`, `recursive` and `applied`
/// are the best there is without.
pub(super) fn cheapest(
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    given: &Given<'_>,
    (chain, recursive, applied): (&Chain, &Chosen, &Applied),
    beside: &[ExprId],
) -> Option<WithMoments> {
    if chain.links.len() > MAX_LINKS {
        return None;
    }
    let form = |graph: &mut Graph, chosen: &Chosen, applied: &Applied, moments: &Moments| {
        let mut mass_matrix = given.mass(graph, chosen);
        moments.add_to_mass(graph, &mut mass_matrix, given.n_v);
        let mut needs = given.needs(graph, &chosen.forces, applied, Accelerations::Bias);
        moments.add_to_needs(graph, &mut needs);
        let roots: Vec<ExprId> = mass_matrix.iter().chain(&needs).chain(beside).copied().collect();
        let (operations, plan) = (graph.operations(&roots), chosen.plan.clone());
        WithMoments { mass_matrix, needs, links: Vec::new(), plan, applied: applied.clone(), operations }
    };
    let mut links = Vec::new();
    let mut moments = Moments::default();
    let mut inertias = given.inertias.clone();
    // Along centres of mass there would be no moment to leave out.
    let plan = Plan { aligned: Vec::new(), ..recursive.plan.clone() };
    let without = form(&mut lowering.graph, recursive, applied, &moments).operations;
    let mut least = without;
    for link in chain.links.ids() {
        let Some((own, left)) = of_link(lowering, kinematics, &inertias, given.gravity, link) else {
            continue;
        };
        let graph = &mut lowering.graph;
        let both = moments.and(graph, &own);
        let chosen = Chosen::by(graph, chain, &left, &plan);
        let operations = form(graph, &chosen, applied, &both).operations;
        if operations < least {
            (least, moments, inertias) = (operations, both, left);
            links.push(link);
        }
    }
    if least == without {
        return None;
    }
    let chosen = axes::cheapest(&mut lowering.graph, chain, &inertias, false, |graph, chosen| {
        form(graph, chosen, applied, &moments).operations
    });
    let chosen = axes::with_bases(&lowering.graph, chosen, |graph, chosen| {
        let formed = form(graph, chosen, applied, &moments);
        (formed.mass_matrix, formed.operations)
    });
    let mut roots = given.mass(&mut lowering.graph, &chosen);
    moments.add_to_mass(&mut lowering.graph, &mut roots, given.n_v);
    roots.extend(beside);
    let applied = loads::cheapest(lowering, kinematics, &chosen.forces, given, &roots);
    let formed = form(&mut lowering.graph, &chosen, &applied, &moments);
    (formed.operations < without).then_some(WithMoments { links, ..formed })
}

/// M and what inertia needs where v' = 0, with the first moments of some links as ground sees them, in the
/// axes of a plan. `chain` has all inertia there is.
pub(super) fn formed(
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    given: &Given<'_>,
    (chain, plan, links, applied): (&Chain, &Plan, &[LinkId], &Applied),
) -> [Vec<ExprId>; 2] {
    let mut moments = Moments::default();
    let mut inertias = Inertias::regrouped(&mut lowering.graph, chain);
    for &link in links {
        if let Some((own, left)) = of_link(lowering, kinematics, &inertias, given.gravity, link) {
            moments = moments.and(&mut lowering.graph, &own);
            inertias = left;
        }
    }
    let graph = &mut lowering.graph;
    let chosen = Chosen::by(graph, chain, &inertias, plan);
    let mut matrix = given.mass(graph, &chosen);
    moments.add_to_mass(graph, &mut matrix, given.n_v);
    let mut needs = given.needs(graph, &chosen.forces, applied, Accelerations::Bias);
    moments.add_to_needs(graph, &mut needs);
    [matrix, needs]
}

/// What first moments left out of the recursion add to M and to what f needs.
#[derive(Debug, Clone, Default)]
struct Moments {
    /// By row and column, both triangles.
    mass: BTreeMap<(u32, u32), ExprId>,
    needs: BTreeMap<u32, ExprId>,
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
    fn add_to_needs(&self, graph: &mut Graph, needs: &mut [ExprId]) {
        for (&i, &term) in &self.needs {
            let entry = &mut needs[i as usize];
            *entry = graph.add(*entry, term);
        }
    }

    /// Those of another link as well.
    fn and(&self, graph: &mut Graph, other: &Self) -> Self {
        let mut both = self.clone();
        for (&place, &term) in &other.mass {
            add(graph, &mut both.mass, place, term);
        }
        for (&place, &term) in &other.needs {
            add(graph, &mut both.needs, place, term);
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
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    inertias: &Inertias,
    gravity: Vec3,
    link: LinkId,
) -> Option<(Moments, Inertias)> {
    let mut left = inertias.clone();
    let moment = take(&mut lowering.graph, &kinematics.chain.links[link], link, &mut left);
    if moment.is_zero(&lowering.graph)
        || has_quaternion(&kinematics.chain, link)
        || turns_in_plane(lowering, kinematics, link)
    {
        return None;
    }
    let axes = kinematics.chain.links[link].axes;
    let in_link = Transform::identity(&mut lowering.graph, axes, axes);
    let (place, ground) = (Placement { link, in_link }, LinkId::new(0));
    let origin = kinematics.point(lowering, ground, place);
    let turning = kinematics.direction(lowering, ground, place, moment);
    let graph = &mut lowering.graph;
    let (of_origin, of_moment) = (columns(graph, &origin), columns(graph, &turning));
    if of_origin.len() > MAX_VELOCITIES || of_moment.is_empty() {
        return None;
    }
    let bias = |jets: &VecJet| Vec3::new(gravity.axes, [0, 1, 2].map(|k| jets[k].bias));
    let (a_origin, swing) = (bias(&origin).sub(graph, gravity), bias(&turning));
    let mut moments = Moments::default();
    for &(i, o) in &of_origin {
        let term = o.dot(graph, swing);
        add(graph, &mut moments.needs, i, term);
        for &(j, m) in &of_moment {
            let term = o.dot(graph, m);
            add(graph, &mut moments.mass, (i, j), term);
            add(graph, &mut moments.mass, (j, i), term);
        }
    }
    for &(i, m) in &of_moment {
        let term = m.dot(graph, a_origin);
        add(graph, &mut moments.needs, i, term);
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
fn turns_in_plane(lowering: &mut Lowering<'_>, kinematics: &mut Kinematics, link: LinkId) -> bool {
    let spin = kinematics.spin(lowering, LinkId::new(0), link);
    let mut axes = spin.columns.into_iter().map(|(_, axis)| axis);
    let Some(first) = axes.next() else { return true };
    let opposite = first.neg(&mut lowering.graph);
    axes.all(|axis| axis.xyz == first.xyz || axis.xyz == opposite.xyz)
}

/// Whether orientation passes through quaternions on the way to a link.
fn has_quaternion(chain: &Chain, link: LinkId) -> bool {
    let mut way = std::iter::successors(Some(link), |&at| chain.links[at].parent);
    way.any(|at| chain.links[at].moves.iter().any(|step| matches!(step, Move::Quaternion { .. })))
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
    use crate::dynamics::frame_choice::computed;
    use crate::dynamics::inverse_dynamics::generalised;
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
        let mut lowering = Lowering::new(&model, &topology);
        let mut kinematics = Kinematics::new(chain::build(&mut lowering, &topology));
        let gravity = lowering.parameter_vector(Axes::GROUND, &model.gravity);
        let inertias = Inertias::regrouped(&mut lowering.graph, &kinematics.chain);
        let n_v = topology.velocities.len();
        let chain = kinematics.chain.clone();
        let values = |lowering: &mut Lowering<'_>, inertias: &Inertias, moments: &Moments| {
            let graph = &mut lowering.graph;
            let computed = computed(graph, &chain, inertias, &Plan::own(&chain));
            let mut mass = mass_matrix(graph, &computed.chain, &computed.inertias, None, n_v);
            moments.add_to_mass(graph, &mut mass, n_v);
            let applied = Applied::default();
            let mut needs = generalised(graph, &computed, gravity, Accelerations::Bias, &applied, n_v);
            moments.add_to_needs(graph, &mut needs);
            let p: Vec<f64> = (0..n_v).map(|i| 0.3 + 0.4 * i as f64).collect();
            let v: Vec<f64> = (0..n_v).map(|i| 1.7 - 0.6 * i as f64).collect();
            let environment = Environment { p: &p, v: &v, ..Environment::default() };
            let no_table = |_, _, _, _| unreachable!("the model reads no table");
            evaluate(graph, &environment, &no_table, &[mass, needs].concat())
        };
        let expected = values(&mut lowering, &inertias, &Moments::default());
        let mut n_links = 0;
        for link in chain.links.ids() {
            let found = of_link(&mut lowering, &mut kinematics, &inertias, gravity, link);
            let Some((moments, left)) = found else { continue };
            n_links += 1;
            let without = values(&mut lowering, &left, &Moments::default());
            let with = values(&mut lowering, &left, &moments);
            let far = |a: &[f64]| a.iter().zip(&expected).any(|(a, b)| (a - b).abs() > 1e-11);
            assert!(!far(&with), "{link:?}: {with:?} instead of {expected:?}");
            assert!(far(&without), "{link:?}: what was taken away counts for nothing");
        }
        assert_eq!(n_links, 4, "arm, slide, carrier and wheel have moments");
    }
}
