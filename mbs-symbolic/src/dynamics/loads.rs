//! Two ways from an applied load to f, and which is cheaper.
//!
//! A load is either propagated inward by the recursion or projected directly with the partial velocities
//! of its point of application, which constraints and force laws often need anyway.

use super::equations::Element;
use super::formulation::DynamicsProblem;
use super::frame_choice::RewrittenTree;
use super::inverse_dynamics::inverse_dynamics;
use super::newton_euler::Accelerations;
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, Id};
use crate::kinematics::{Column, Kinematics};
use crate::lower::EquationContext;

/// With more elements than this all are propagated by the recursion: trying each would take long.
const MAX_TRIED: usize = 24;

/// The applied forces with the loads of some elements turned into forces along velocities,
/// wherever that makes f, together with `shared_roots`, cheaper.
pub(super) fn select_load_paths(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    rewritten: &RewrittenTree,
    problem: &DynamicsProblem<'_>,
    shared_roots: &[ExprId],
) -> Applied {
    let DynamicsProblem { applied, gravity, n_v, .. } = *problem;
    let mut chosen = applied.clone();
    let mut elements: Vec<Element> = Vec::new();
    for load in &applied.on_links {
        if !elements.contains(&load.element) {
            elements.push(load.element);
        }
    }
    if elements.len() > MAX_TRIED {
        return chosen;
    }
    let cost = |graph: &mut Graph, applied: &Applied| {
        let mut roots = inverse_dynamics(graph, rewritten, gravity, Accelerations::Bias, applied, n_v);
        roots.extend(shared_roots);
        graph.operations(&roots)
    };
    let mut least = cost(&mut context.graph, &chosen);
    for element in elements {
        let Some(along) = along(context, kinematics, applied, element) else { continue };
        let mut other = chosen.clone();
        other.on_links.retain(|load| load.element != element);
        other.along.extend(along);
        let other_cost = cost(&mut context.graph, &other);
        if other_cost < least {
            (chosen, least) = (other, other_cost);
        }
    }
    chosen
}

/// The loads of an element along every velocity: f·∂r/∂v + n·∂ω/∂v, as the element's
/// reference link sees them. `None` if the reference link moves and the loads do not balance.
pub(super) fn along(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    applied: &Applied,
    element: Element,
) -> Option<Vec<(Element, u32, ExprId)>> {
    let mut list: Vec<(Element, u32, ExprId)> = Vec::new();
    for load in applied.on_links.iter().filter(|load| load.element == element) {
        if load.reference_link.index() != 0 && !load.balanced {
            return None;
        }
        for (column, value) in load.along(context, kinematics) {
            let Column::V(index) = column else { continue };
            match list.iter_mut().find(|(_, own, _)| *own == index) {
                Some((_, _, sum)) => *sum = context.graph.add(*sum, value),
                None => list.push((element, index, value)),
            }
        }
    }
    Some(list)
}
