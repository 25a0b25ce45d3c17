//! Inverse dynamics by the recursive Newton-Euler algorithm (RNEA): generalised inertia forces less the applied
//! loads, which is −f for v' = 0 and M v' − f else.

use super::frame_choice::RewrittenTree;
use super::newton_euler::{self, Accelerations, Wrench, Wrenches};
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, LinkId};
use crate::spatial::{Rot3, Vec3};

/// Generalised inertia forces M v' + h less the applied loads, by the recursive Newton-Euler algorithm (RNEA).
pub(super) fn inverse_dynamics(
    graph: &mut Graph,
    rewritten: &RewrittenTree,
    gravity: Vec3,
    accelerations: Accelerations,
    applied: &Applied,
    n_v: usize,
) -> Vec<ExprId> {
    let wrenches = wrenches(graph, rewritten, gravity, accelerations, applied);
    let mut needed = newton_euler::project(graph, &rewritten.chain, &wrenches, n_v, |_, _, _| {});
    for &(_, index, value) in &applied.along {
        let entry = &mut needed[index as usize];
        *entry = graph.sub(*entry, value);
    }
    needed
}

/// Net inertia wrench at each link minus the applied wrench.
pub(super) fn wrenches(
    graph: &mut Graph,
    rewritten: &RewrittenTree,
    gravity: Vec3,
    accelerations: Accelerations,
    applied: &Applied,
) -> Wrenches {
    let RewrittenTree { chain, inertias, turned } = rewritten;
    let spatial_motions = newton_euler::spatial_motions(graph, chain, gravity, accelerations);
    let mut wrenches = Wrenches::of_inertia(graph, chain, inertias, &spatial_motions, accelerations);
    apply(graph, &mut wrenches, applied, |link| turned[link]);
    wrenches
}

/// Takes applied loads from the wrenches of inertia, in the axes `turned` leads to from a
/// link's own.
pub(super) fn apply(
    graph: &mut Graph,
    wrenches: &mut Wrenches,
    applied: &Applied,
    turned: impl Fn(LinkId) -> Option<Rot3>,
) {
    for load in &applied.on_links {
        let Wrench { force: f, moment: n } = load.wrench(graph, turned(load.link));
        let wrench = &mut wrenches.at_links[load.link];
        *wrench =
            wrench.map(|net| Wrench { force: net.force.sub(graph, f), moment: net.moment.sub(graph, n) });
    }
}
