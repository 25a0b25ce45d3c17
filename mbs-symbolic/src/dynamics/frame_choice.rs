//! Axes that do not turn about parallel joints.
//!
//! Links that turn about parallel axes one after the other can all be computed in the axes
//! before the first of them: forces and accelerations pass from link to link without being
//! turned, and only what is fixed to a link (its inertia, where the next joint sits) is turned, by
//! the sum of the angles. For planar mechanisms these are the axes of ground.

use super::aligned::align;
use super::base_parameters::Inertias;
use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Link, Motion, Move};
use crate::spatial::{Axes, Inertia, Rot3, Vec3};

/// The links in the axes they are computed in.
#[derive(Debug)]
pub(crate) struct RewrittenTree {
    /// Parents, moves and axes; inertia is in `inertias`.
    pub(crate) chain: Chain,
    /// Where inertia is, in those axes.
    pub(crate) inertias: Inertias,
    /// From each link's own axes to those it is computed in, if they differ.
    pub(crate) turned: IdVec<LinkId, Option<Rot3>>,
}

/// Which axes links are computed in.
#[derive(Debug, Clone)]
pub(crate) struct FrameChoice {
    /// Whether a link that ends with a turn about z is computed in the axes before it.
    pub(crate) stay_before_joint: IdVec<LinkId, bool>,
    /// The turns, by link and move, before which the moment of inertia about their own axis is
    /// computed: it is the same there.
    pub(crate) rotors: Vec<(LinkId, usize)>,
    /// The links whose x axis points to their centre of mass.
    pub(crate) aligned: Vec<LinkId>,
    /// How many links a momentum is carried through to make M before a base sees it; all if `None`.
    pub(crate) transported_links: Option<usize>,
}

impl FrameChoice {
    /// Parallel turns in a row leave the axes alone.
    pub(crate) fn parallel(graph: &Graph, chain: &Chain) -> Self {
        Self { stay_before_joint: stays_before_joint(graph, chain), ..Self::own(chain) }
    }

    /// Every link is computed in its own axes.
    pub(crate) fn own(chain: &Chain) -> Self {
        let stay_before_joint = chain.links.ids().map(|_| false).collect();
        Self { stay_before_joint, rotors: Vec::new(), aligned: Vec::new(), transported_links: None }
    }
}

/// The links in the axes of a plan; `inertias` are those of the chain, regrouped.
pub(crate) fn rewrite(
    graph: &mut Graph,
    chain: &Chain,
    inertias: &Inertias,
    plan: &FrameChoice,
) -> RewrittenTree {
    if plan.aligned.is_empty() {
        return unturned(graph, chain, inertias.clone(), plan);
    }
    let mut chain = chain.clone();
    let turns: Vec<(LinkId, Rot3)> =
        plan.aligned.iter().map(|&id| (id, align(graph, &mut chain, id))).collect();
    let inertias = Inertias::regrouped(graph, &chain);
    let mut rewritten = unturned(graph, &chain, inertias, plan);
    for (id, onto) in turns {
        rewritten.turned[id] = Some(match rewritten.turned[id] {
            Some(turned) => turned.compose(graph, onto),
            None => onto,
        });
    }
    rewritten
}

/// Rewrites the moves of a chain so that links are computed in the axes of a plan.
fn unturned(graph: &mut Graph, chain: &Chain, inertias: Inertias, plan: &FrameChoice) -> RewrittenTree {
    let FrameChoice { stay_before_joint, rotors, .. } = plan;
    let mut rewritten = RewrittenTree { chain: chain.clone(), inertias, turned: IdVec::new() };
    let mut ends: IdVec<LinkId, Walk> = IdVec::new();
    for (id, link) in chain.links.iter_enumerated() {
        let Some(parent) = link.parent else {
            ends.push(Walk { moves: Vec::new(), axes: link.axes, own: link.axes, angle: None });
            rewritten.turned.push(None);
            continue;
        };
        let start = &ends[parent];
        let mut walk = Walk { moves: Vec::new(), axes: start.axes, own: start.own, angle: start.angle };
        let mut between = std::mem::take(&mut rewritten.inertias.between[id]);
        let last_turn = link.moves.iter().rposition(turns_about_z);
        for (index, step) in link.moves.iter().enumerate() {
            let keep = stay_before_joint[id] || last_turn.is_some_and(|last| index < last);
            if rotors.contains(&(id, index)) {
                let is_last = index + 1 == link.moves.len();
                let behind = if is_last {
                    Some(&mut rewritten.inertias.at_links[id])
                } else {
                    between.iter_mut().find(|(place, _)| *place == index).map(|(_, inertia)| inertia)
                };
                if let (Some(behind), Move::Rotate { axis, motion: Some(motion), .. }) = (behind, step) {
                    let place = walk.spin(graph, *axis, motion);
                    let rotor = take_rotor(graph, behind, *axis, walk.axes);
                    rewritten.inertias.between[id].push((place, rotor));
                    walk.go(graph, &at_rest(step), keep);
                } else {
                    walk.go(graph, step, keep);
                }
            } else {
                walk.go(graph, step, keep);
            }
            if let Some((_, inertia)) = between.iter().find(|(place, _)| *place == index) {
                let inertia = walk.turn_inertia(graph, *inertia);
                let place = walk.moves.len() - 1;
                // Where the axes are kept, a rotor may be there already.
                match rewritten.inertias.between[id].last_mut() {
                    Some((own, rotor)) if *own == place => *rotor = rotor.add(graph, inertia),
                    _ => rewritten.inertias.between[id].push((place, inertia)),
                }
            }
        }
        rewritten.inertias.at_links[id] = walk.turn_inertia(graph, rewritten.inertias.at_links[id]);
        rewritten.turned.push(walk.rot(graph));
        let own = &mut rewritten.chain.links[id];
        own.moves = std::mem::take(&mut walk.moves);
        own.axes = walk.axes;
        ends.push(walk);
    }
    rewritten
}

/// Takes the moment of inertia about a principal axis away and returns it, in axes that share
/// this axis.
fn take_rotor(graph: &mut Graph, inertia: &mut Inertia, axis: usize, axes: Axes) -> Inertia {
    let moments = &mut inertia.about_origin;
    let moment = [&mut moments.xx, &mut moments.yy, &mut moments.zz].into_iter().nth(axis);
    let mut rotor = Inertia::zero(graph, axes);
    let own = &mut rotor.about_origin;
    let place = [&mut own.xx, &mut own.yy, &mut own.zz].into_iter().nth(axis);
    if let (Some(moment), Some(place)) = (moment, place) {
        std::mem::swap(moment, place);
    }
    rotor
}

/// A turn without its motion.
fn at_rest(step: &Move) -> Move {
    match step {
        Move::Rotate { rot, axis, angle, .. } => {
            Move::Rotate { rot: *rot, axis: *axis, angle: *angle, motion: None }
        }
        _ => step.clone(),
    }
}

/// Whether a link's equations are expressed in the joint's inboard frame: it turns about z at the end, and
/// something behind it goes on turning about the same direction, or nothing is behind it and
/// the axes before have not turned either.
fn stays_before_joint(graph: &Graph, chain: &Chain) -> IdVec<LinkId, bool> {
    let mut followed: IdVec<LinkId, bool> = chain.links.ids().map(|_| false).collect();
    let mut has_child: IdVec<LinkId, bool> = chain.links.ids().map(|_| false).collect();
    for link in chain.links.iter() {
        let Some(parent) = link.parent else { continue };
        has_child[parent] = true;
        followed[parent] |= goes_on_turning(link);
    }
    let mut stay_before_joint: IdVec<LinkId, bool> = IdVec::new();
    for (id, link) in chain.links.iter_enumerated() {
        let keep = match link.parent {
            None => false,
            Some(parent) => {
                let on_own_axis = ends_with_turn(graph, link);
                let is_end = !has_child[id] && stay_before_joint[parent] && goes_on_turning(link);
                on_own_axis && (followed[id] || is_end)
            }
        };
        stay_before_joint.push(keep);
    }
    stay_before_joint
}

fn turns_about_z(step: &Move) -> bool {
    matches!(step, Move::Rotate { axis: 2, motion: Some(_), .. })
}

/// Whether the first turn of a link is a moving one about z.
fn goes_on_turning(link: &Link) -> bool {
    for step in &link.moves {
        match step {
            Move::Rotate { axis: 2, motion, .. } => {
                if motion.is_some() {
                    return true;
                }
            }
            Move::Translate { motion, .. } if motion.as_ref().is_none_or(|(axis, _)| *axis == 2) => {}
            _ => return false,
        }
    }
    false
}

/// Whether all a link does after its last turn is to shift along z.
pub(crate) fn ends_with_turn(graph: &Graph, link: &Link) -> bool {
    for step in link.moves.iter().rev() {
        match step {
            Move::Rotate { axis: 2, motion: Some(_), .. } => return true,
            Move::Translate { r, .. } if graph.is_zero(r.xyz[0]) && graph.is_zero(r.xyz[1]) => {}
            _ => return false,
        }
    }
    false
}

/// A way through moves in axes that may lag behind the moves' own by a turn about z.
#[derive(Debug)]
struct Walk {
    moves: Vec<Move>,
    axes: Axes,
    /// The moves' own axes, which lie turned by `angle` about z from `axes`.
    own: Axes,
    angle: Option<ExprId>,
}

impl Walk {
    /// A motion about a principal axis that does not turn the axes; the place of the move.
    fn spin(&mut self, graph: &mut Graph, axis: usize, motion: &Motion) -> usize {
        if axis != 2 {
            self.catch_up(graph);
        }
        let (rot, angle) = (Rot3::identity(graph, self.axes, self.axes), graph.zero());
        self.moves.push(Move::Rotate { rot, axis, angle, motion: Some(motion.clone()) });
        self.moves.len() - 1
    }

    /// One more move; turns about z leave the axes alone if `keep`.
    fn go(&mut self, graph: &mut Graph, step: &Move, keep: bool) {
        match step {
            Move::Rotate { rot, axis: 2, angle, motion } if keep => {
                let total = match self.angle {
                    Some(before) => graph.add(before, *angle),
                    None => *angle,
                };
                self.angle = Some(total);
                self.own = rot.from;
                if motion.is_some() {
                    let (rot, angle) = (Rot3::identity(graph, self.axes, self.axes), graph.zero());
                    self.moves.push(Move::Rotate { rot, axis: 2, angle, motion: motion.clone() });
                }
            }
            // What lagged behind is caught up in one turn.
            Move::Rotate { rot, axis: 2, angle, motion } => {
                let total = match self.angle.take() {
                    Some(before) => graph.add(before, *angle),
                    None => *angle,
                };
                let turned = Rot3::about(graph, rot.from, self.axes, 2, total);
                self.moves.push(Move::Rotate { rot: turned, axis: 2, angle: total, motion: motion.clone() });
                (self.axes, self.own) = (rot.from, rot.from);
            }
            Move::Translate { r, motion } if motion.as_ref().is_none_or(|(axis, _)| *axis == 2) => {
                let r = self.turn(graph, *r);
                self.moves.push(Move::Translate { r, motion: motion.clone() });
            }
            _ => {
                self.catch_up(graph);
                self.moves.push(step.clone());
                self.axes = match step {
                    Move::Translate { .. } => self.axes,
                    Move::FixedRotation { rot }
                    | Move::Rotate { rot, .. }
                    | Move::Spherical { rot, .. }
                    | Move::WorldAligned { rot, .. } => rot.from,
                };
                self.own = self.axes;
            }
        }
    }

    fn catch_up(&mut self, graph: &mut Graph) {
        if let Some(angle) = self.angle.take() {
            let rot = Rot3::about(graph, self.own, self.axes, 2, angle);
            self.moves.push(Move::Rotate { rot, axis: 2, angle, motion: None });
            self.axes = self.own;
        }
    }

    fn rot(&self, graph: &mut Graph) -> Option<Rot3> {
        self.angle.map(|angle| Rot3::about(graph, self.own, self.axes, 2, angle))
    }

    fn turn(&self, graph: &mut Graph, r: Vec3) -> Vec3 {
        match self.rot(graph) {
            Some(rot) => rot.apply(graph, r),
            None => r,
        }
    }

    fn turn_inertia(&self, graph: &mut Graph, inertia: Inertia) -> Inertia {
        let Some(angle) = self.angle else { return inertia };
        Inertia {
            mass: inertia.mass,
            first_moment: self.turn(graph, inertia.first_moment),
            about_origin: inertia.about_origin.turned(graph, self.axes, 2, angle),
        }
    }
}
