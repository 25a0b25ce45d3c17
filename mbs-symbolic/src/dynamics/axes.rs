//! Which axes links are computed in: the cheapest that are tried.
//!
//! Three things can be had in more than one set of axes. A link that ends with a turn can be
//! computed before or behind it: behind, its inertia is fixed; before, what moves it is. The
//! moment of inertia about the axis of a turn is the same on both sides, so that its
//! momentum can be had where angular velocities are simpler: for a wheel, a rod on a universal
//! joint, and whatever else turns about an axis of symmetry, no angle is needed. And the axes of a
//! last link may point to its centre of mass.

use super::aligned;
use super::base_parameters::Inertias;
use super::composite_far;
use super::frame_choice::{FrameChoice, RewrittenTree, ends_with_turn, rewrite};
use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Move};
use crate::model::limits;
use crate::spatial::Inertia;

/// With more choices than this, or more links, none is tried: it would take long.
const MAX_TRIED: usize = 32;
const MAX_LINKS: usize = 40;

/// With no more links than this every link is tried on both sides.
const FEW_LINKS: usize = 16;

/// Behind more turns than this an angular velocity is full in any axes.
const SIMPLE_TURNS: usize = 2;

/// How many links momenta are carried through before bases see them, the likeliest first: of longer
/// chains nothing else is tried.
const TRANSPORTED_LINKS: [usize; 3] = [1, 0, 2];

/// Bases must save one in so many operations: the optimiser finds a little more where momenta are carried.
const MIN_SAVING: usize = 40;

#[derive(Debug, Clone, Copy)]
enum Choice {
    /// Which side of its last turn a link is computed on.
    Side(LinkId),
    /// A moment of inertia before the turn at a move instead of behind it.
    Rotor(LinkId, usize),
    /// The axes of a last link along its centre of mass.
    Aligned(LinkId),
}

/// The links in the axes they are computed in.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) plan: FrameChoice,
    /// For forces and accelerations.
    pub(super) forces: RewrittenTree,
    /// For M, in the same axes; rotors are where the other inertia is, since composite
    /// inertias gain nothing from moving them.
    pub(super) mass: RewrittenTree,
}

impl Candidate {
    pub(super) fn build(graph: &mut Graph, chain: &Chain, inertias: &Inertias, plan: &FrameChoice) -> Self {
        let whole = FrameChoice { rotors: Vec::new(), ..plan.clone() };
        Self {
            forces: rewrite(graph, chain, inertias, plan),
            mass: rewrite(graph, chain, inertias, &whole),
            plan: plan.clone(),
        }
    }

    /// The same, but for axes along centres of mass, whose angles people would have to puzzle out;
    /// `None` if there are none.
    pub(super) fn readable(&self, graph: &mut Graph, chain: &Chain, inertias: &Inertias) -> Option<Self> {
        let plan = FrameChoice { aligned: Vec::new(), ..self.plan.clone() };
        (!self.plan.aligned.is_empty()).then(|| Self::build(graph, chain, inertias, &plan))
    }
}

/// The links in the axes in which `cost` is least, as far as trying one choice after the other
/// finds them: from axes that do not turn about parallel joints, and from each link's own.
/// `may_align` tells whether axes along centres of mass are tried, which takes `inertias` to be all
/// inertia of the chain.
pub(super) fn select_frames(
    graph: &mut Graph,
    chain: &Chain,
    inertias: &Inertias,
    may_align: bool,
    mut cost: impl FnMut(&mut Graph, &Candidate) -> usize,
) -> Candidate {
    let parallel = FrameChoice::parallel(graph, chain);
    let is_small = |choices: &[Choice]| choices.len() <= MAX_TRIED && chain.links.len() <= MAX_LINKS;
    let choices = |plan: &FrameChoice| {
        let mut list = choices(graph, chain, inertias, plan);
        list.retain(|choice| may_align || !matches!(choice, Choice::Aligned(_)));
        list
    };
    let from_parallel = choices(&parallel);
    if from_parallel.is_empty() || !is_small(&from_parallel) {
        return Candidate::build(graph, chain, inertias, &parallel);
    }
    let own = FrameChoice::own(chain);
    let starts_differ = own.stay_before_joint != parallel.stay_before_joint;
    let from_own = choices(&own);
    let best = greedy_descent(graph, chain, inertias, parallel, from_parallel, &mut cost);
    if !starts_differ || !is_small(&from_own) {
        return best.candidate;
    }
    let other = greedy_descent(graph, chain, inertias, own, from_own, &mut cost);
    if other.cost < best.cost { other.candidate } else { best.candidate }
}

/// The same with momenta met as bases see them, after as many links as cost least, if M keeps all
/// zeros it has by its form. `form` gives M and what it costs, with all that is computed beside.
///
/// M of a long chain is large: what is tried is tried on a copy of the graph.
pub(super) fn with_bases(
    graph: &Graph,
    mut candidate: Candidate,
    form: impl Fn(&mut Graph, &Candidate) -> (Vec<ExprId>, usize),
) -> Candidate {
    let chain = &candidate.mass.chain;
    if !composite_far::any(graph, chain) {
        return candidate;
    }
    let tried = if chain.links.len() <= FEW_LINKS { &TRANSPORTED_LINKS[..] } else { &TRANSPORTED_LINKS[..1] };
    let form = |candidate: &Candidate| {
        let mut copy = graph.clone();
        let (mass, cost) = form(&mut copy, candidate);
        let n_zeros = mass.into_iter().filter(|&entry| copy.is_zero(entry)).count();
        // An over-budget graph was truncated; treat its cost as infinite.
        if copy.len() > limits::NODES { (0, usize::MAX) } else { (n_zeros, cost) }
    };
    let (n_zeros, all) = form(&candidate);
    let mut best = (all - all / MIN_SAVING, None);
    for &transported_links in tried {
        candidate.plan.transported_links = Some(transported_links);
        let (zeros, cost) = form(&candidate);
        if cost < best.0 && zeros >= n_zeros {
            best = (cost, Some(transported_links));
        }
    }
    candidate.plan.transported_links = best.1;
    candidate
}

struct Scored {
    candidate: Candidate,
    cost: usize,
}

/// A plan with those choices that make it cheaper.
fn greedy_descent(
    graph: &mut Graph,
    chain: &Chain,
    inertias: &Inertias,
    plan: FrameChoice,
    choices: Vec<Choice>,
    cost: &mut impl FnMut(&mut Graph, &Candidate) -> usize,
) -> Scored {
    let candidate = Candidate::build(graph, chain, inertias, &plan);
    let mut best = Scored { cost: cost(graph, &candidate), candidate };
    for choice in choices {
        let mut other = best.candidate.plan.clone();
        match choice {
            Choice::Side(link) => other.stay_before_joint[link] = !other.stay_before_joint[link],
            Choice::Rotor(link, index) => other.rotors.push((link, index)),
            Choice::Aligned(link) => other.aligned.push(link),
        }
        let candidate = Candidate::build(graph, chain, inertias, &other);
        let cost = cost(graph, &candidate);
        if cost < best.cost {
            best = Scored { candidate, cost };
        }
    }
    best
}

/// The choices that may gain something: where angular velocities are simple, at the ends of
/// the tree, and between the turns of one joint. Rotors first, as they change less.
fn choices(graph: &Graph, chain: &Chain, inertias: &Inertias, plan: &FrameChoice) -> Vec<Choice> {
    let mut is_end: IdVec<LinkId, bool> = chain.links.ids().map(|_| true).collect();
    for id in chain.links.ids().rev() {
        let link = &chain.links[id];
        if let Some(parent) = link.parent {
            is_end[parent] &= is_end[id] && link.moves.iter().all(is_fixed);
        }
    }
    let mut turns: IdVec<LinkId, usize> = IdVec::new();
    let (mut rotors, mut sides, mut aligned) = (Vec::new(), Vec::new(), Vec::new());
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
            if is_simple && !plan.stay_before_joint[id] && behind.is_some_and(has_moment) {
                rotors.push(Choice::Rotor(id, index));
            }
            n_turns += 1;
        }
        let may_gain = chain.links.len() <= FEW_LINKS
            || is_end[id]
            || plan.stay_before_joint[id]
            || n_turns > before + 1;
        if link.parent.is_some() && may_gain && ends_with_turn(graph, link) {
            sides.push(Choice::Side(id));
        }
        if is_end[id] && aligned::may_gain(graph, chain, id) {
            aligned.push(Choice::Aligned(id));
        }
        turns.push(n_turns);
    }
    [rotors, sides, aligned].concat()
}

fn is_fixed(step: &Move) -> bool {
    match step {
        Move::FixedRotation { .. } => true,
        Move::Translate { motion, .. } => motion.is_none(),
        Move::Rotate { motion, .. } => motion.is_none(),
        Move::Spherical { .. } | Move::WorldAligned { .. } => false,
    }
}
