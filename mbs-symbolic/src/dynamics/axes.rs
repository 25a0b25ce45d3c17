//! Which axes links are computed in: the cheapest that are tried.
//!
//! Two things can be had in more than one set of axes. A link that ends with a turn can be
//! computed before or behind it: behind, its inertia is fixed; before, what moves it is. And
//! the moment of inertia about the axis of a turn is the same on both sides, so that its
//! momentum can be had where angular velocities are simpler: for a wheel, a rod on a universal
//! joint, and whatever else turns about an axis of symmetry, no angle is needed.

use super::parallel::{Computed, Plan, ends_with_turn, unturned};
use super::regroup::Inertias;
use crate::expr::Graph;
use crate::ids::{IdVec, LinkId};
use crate::kinematics::{Chain, Move};
use crate::spatial::Inertia;

/// With more choices than this, or more links, none is tried: it would take long.
const MOST_TRIED: usize = 32;
const MOST_LINKS: usize = 40;

/// With no more links than this every link is tried on both sides.
const FEW_LINKS: usize = 16;

/// Behind more turns than this an angular velocity is full in any axes.
const SIMPLE_TURNS: usize = 2;

/// What the equations cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    /// What must not grow.
    pub(super) kept: usize,
    /// What is to become less.
    pub(super) total: usize,
}

#[derive(Debug, Clone, Copy)]
enum Choice {
    /// Which side of its last turn a link is computed on.
    Side(LinkId),
    /// A moment of inertia before the turn at a move instead of behind it.
    Rotor(LinkId, usize),
}

/// The links in the axes they are computed in.
#[derive(Debug)]
pub(super) struct Chosen {
    /// For forces and accelerations.
    pub(super) forces: Computed,
    /// For M, in the same axes; rotors are where the other inertia is, since composite
    /// inertias gain nothing from moving them.
    pub(super) mass: Computed,
}

impl Chosen {
    fn by(graph: &mut Graph, chain: &Chain, inertias: &Inertias, plan: &Plan) -> Self {
        let whole = Plan { rotors: Vec::new(), ..plan.clone() };
        Self {
            forces: unturned(graph, chain, inertias.clone(), plan),
            mass: unturned(graph, chain, inertias.clone(), &whole),
        }
    }
}

/// The links in the axes in which `cost` is least, as far as trying one choice after the other
/// finds them.
pub(super) fn cheapest(
    graph: &mut Graph,
    chain: &Chain,
    inertias: &Inertias,
    mut cost: impl FnMut(&mut Graph, &Chosen) -> Cost,
) -> Chosen {
    let mut plan = Plan::parallel(graph, chain);
    let mut best = Chosen::by(graph, chain, inertias, &plan);
    let choices = choices(graph, chain, inertias, &plan);
    if choices.is_empty() || choices.len() > MOST_TRIED || chain.links.len() > MOST_LINKS {
        return best;
    }
    let mut least = cost(graph, &best);
    for choice in choices {
        let mut other = plan.clone();
        match choice {
            Choice::Side(link) => other.keeps[link] = !other.keeps[link],
            Choice::Rotor(link, index) => other.rotors.push((link, index)),
        }
        let chosen = Chosen::by(graph, chain, inertias, &other);
        let other_cost = cost(graph, &chosen);
        if other_cost.total < least.total && other_cost.kept <= least.kept {
            (plan, best, least) = (other, chosen, other_cost);
        }
    }
    best
}

/// The choices that may gain something: where angular velocities are simple, at the ends of
/// the tree, and between the turns of one joint. Rotors first, as they change less.
fn choices(graph: &Graph, chain: &Chain, inertias: &Inertias, plan: &Plan) -> Vec<Choice> {
    let mut is_end: IdVec<LinkId, bool> = chain.links.ids().map(|_| true).collect();
    for parent in chain.links.iter().filter_map(|link| link.parent) {
        is_end[parent] = false;
    }
    let mut turns: IdVec<LinkId, usize> = IdVec::new();
    let (mut rotors, mut sides) = (Vec::new(), Vec::new());
    for (id, link) in chain.links.iter_enumerated() {
        let before = link.parent.map_or(0, |parent| turns[parent]);
        let mut n_turns = before;
        for (index, step) in link.moves.iter().enumerate() {
            let Move::Rotate { axis, motion: Some(_), .. } = step else { continue };
            let behind = if index + 1 == link.moves.len() {
                Some(&inertias.at_links[id])
            } else {
                inertias.between[id].iter().find(|(place, _)| *place == index).map(|(_, inertia)| inertia)
            };
            let has_moment = |inertia: &Inertia| {
                let moments = inertia.about_origin;
                !graph.is_zero([moments.xx, moments.yy, moments.zz][*axis])
            };
            let is_simple = n_turns <= SIMPLE_TURNS || is_end[id];
            if is_simple && !plan.keeps[id] && behind.is_some_and(has_moment) {
                rotors.push(Choice::Rotor(id, index));
            }
            n_turns += 1;
        }
        let may_gain = chain.links.len() <= FEW_LINKS || is_end[id] || plan.keeps[id] || n_turns > before + 1;
        if link.parent.is_some() && may_gain && ends_with_turn(graph, link) {
            sides.push(Choice::Side(id));
        }
        turns.push(n_turns);
    }
    rotors.append(&mut sides);
    rotors
}
