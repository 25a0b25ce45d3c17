//! Articulated body algorithm (ABA), per elementary move (Featherstone 2008, ch. 7).
//!
//! From tip to root every motion is released in turn: what hangs on it is then felt through
//! the motion, as one inertia and one bias wrench. A velocity of several motions is released where
//! all of them hang together ([`shared`](super::shared)). From root to tip accelerations follow. All
//! accelerations here are those v' adds to the motion with v' = 0, so that ground has none.

use super::shared::Hanging;
use super::{Algorithm, Solution, Tree};
use crate::dynamics::newton_euler::Wrench;
use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Column, Move};
use crate::spatial::{Articulated, Direction, Rot3, Vec3};

/// What adds more nodes to the graph than this is longer than any solution worth having.
const MAX_NODES: usize = 4 * super::MAX_OPERATIONS;

/// One velocity, released.
#[derive(Debug, Clone)]
pub(super) struct Released {
    pub(super) velocity: usize,
    /// Before which of the link's moves, or behind all of them.
    place: usize,
    /// The motion it is the rate of, if it is that of one motion alone.
    own: Option<Own>,
    /// What accelerations on its near side are multiplied with.
    pub(super) scaled: [ExprId; 6],
    /// What accelerations of other velocities are multiplied with, which are known before.
    pub(super) coupled: Vec<(usize, ExprId)>,
    /// Its acceleration, or that along its own motion, where all of those are zero.
    pub(super) alone: ExprId,
}

/// A motion with a velocity of its own.
#[derive(Debug, Clone, Copy)]
struct Own {
    direction: Direction,
    /// v' and the acceleration along the direction have opposite signs.
    is_negative: bool,
}

/// Accelerations of a place: turns, then shifts.
#[derive(Debug, Clone, Copy)]
struct Rates {
    alpha: Vec3,
    a: Vec3,
}

/// A direction, with the velocities that move along it and how fast per unit of each.
type Motion = (Direction, Vec<(usize, ExprId)>);

/// Solves a tree; `None` if a velocity moves nothing, or no inertia by the very form of M.
pub(super) fn solve(graph: &mut Graph, tree: &Tree<'_>, n_v: usize) -> Option<Solution> {
    let chain = &tree.rewritten.chain;
    let mut n_motions = vec![0; n_v];
    for step in chain.links.iter().flat_map(|link| &link.moves) {
        for (_, velocities) in motions(graph, step) {
            velocities.iter().for_each(|&(velocity, _)| n_motions[velocity] += 1);
        }
    }
    if n_motions.contains(&0) {
        return None;
    }
    let zero = graph.zero();
    let (torques, pivots, v_dot) = (vec![zero; n_v], vec![zero; n_v], vec![zero; n_v]);
    let mut solver = Solver { n_motions, torques, pivots, v_dot };
    for &(_, index, value) in &tree.applied.along {
        let torque = &mut solver.torques[index as usize];
        *torque = graph.add(*torque, value);
    }
    let released = solver.inwards(graph, tree)?;
    solver.outwards(graph, chain, &released);
    let Solver { pivots, v_dot, .. } = solver;
    Some(Solution { algorithm: Algorithm::ArticulatedBodies, v_dot, lambda: Vec::new(), pivots })
}

/// The motions of a move, from its near side outwards.
fn motions(graph: &mut Graph, step: &Move) -> Vec<Motion> {
    let (direction, motion) = match step {
        Move::Translate { motion: Some((axis, motion)), .. } => (3 + axis, motion),
        Move::Rotate { motion: Some(motion), axis, .. } => (*axis, motion),
        Move::Spherical { v, reversed, .. } => {
            let sign = graph.constant(if *reversed { -1.0 } else { 1.0 });
            return v.iter().enumerate().map(|(axis, &v)| (axis, vec![(v as usize, sign)])).collect();
        }
        _ => return Vec::new(),
    };
    let velocity = |&(column, partial): &(Column, ExprId)| match column {
        Column::V(index) => Some((index as usize, partial)),
        _ => None,
    };
    let velocities: Vec<_> = motion.partials.iter().filter_map(velocity).collect();
    if velocities.is_empty() { Vec::new() } else { vec![(direction, velocities)] }
}

/// Whether a move turns or shifts behind its motions: a reversed quaternion's ω is in the axes before it.
fn moves_first(step: &Move) -> bool {
    matches!(step, Move::Spherical { reversed: true, .. })
}

struct Solver {
    /// How many motions each velocity is the rate of.
    n_motions: Vec<u32>,
    /// Applied along each velocity.
    torques: Vec<ExprId>,
    pivots: Vec<ExprId>,
    v_dot: Vec<ExprId>,
}

/// What was released at each link and on the way to it, from its tip.
type Motions = IdVec<LinkId, Vec<Released>>;

impl Solver {
    /// Releases all motions; `None` if one has no inertia by its very form, or if that takes too long.
    fn inwards(&mut self, graph: &mut Graph, tree: &Tree<'_>) -> Option<Motions> {
        let (chain, inertias) = (&tree.rewritten.chain, &tree.rewritten.inertias);
        let mut released: Motions = chain.links.ids().map(|_| Vec::new()).collect();
        let mut hanging: IdVec<LinkId, Hanging> = IdVec::new();
        for id in chain.links.ids() {
            let inertia = Articulated::rigid(graph, &inertias.at_links[id]);
            let zero = Vec3::zero(graph, inertia.axes);
            let bias = tree.wrenches.at_links[id].unwrap_or(Wrench { force: zero, moment: zero });
            hanging.push(Hanging::new(inertia, bias));
        }
        let most_nodes = graph.len() + MAX_NODES;
        for id in chain.links.ids().rev() {
            // Many velocities that many branches share take more than anyone would generate.
            if graph.len() > most_nodes {
                return None;
            }
            let link = &chain.links[id];
            let Some(parent) = link.parent else { continue };
            let mut here = hanging[id].clone();
            for (index, step) in link.moves.iter().enumerate().rev() {
                if let Some((_, met)) = inertias.between[id].iter().find(|(place, _)| *place == index) {
                    let met = Articulated::rigid(graph, met);
                    here.inertia = here.inertia.add(graph, &met);
                }
                if let Some((_, met)) = tree.wrenches.between[id].iter().find(|(place, _)| *place == index) {
                    here.bias = here.bias.add(graph, *met);
                }
                here = self.back(graph, (step, index), here, &mut released[id])?;
            }
            hanging[parent].add(graph, here);
            let place = chain.links[parent].moves.len();
            self.release_shared(graph, place, &mut hanging[parent], &mut released[parent])?;
        }
        Some(released)
    }

    fn back(
        &mut self,
        graph: &mut Graph,
        (step, place): (&Move, usize),
        mut here: Hanging,
        released: &mut Vec<Released>,
    ) -> Option<Hanging> {
        if moves_first(step) {
            here = here.before(graph, step);
        }
        for (direction, velocities) in motions(graph, step).into_iter().rev() {
            match self.own(graph, direction, &velocities) {
                Some(own) => self.release(graph, &mut here, own, (velocities[0].0, place), released)?,
                None => {
                    here.share(graph, direction, &velocities);
                    self.release_shared(graph, place, &mut here, released)?;
                }
            }
        }
        Some(if moves_first(step) { here } else { here.before(graph, step) })
    }

    /// The motion as that of its own velocity, if nothing else moves with that.
    fn own(&self, graph: &Graph, direction: Direction, velocities: &[(usize, ExprId)]) -> Option<Own> {
        let &[(velocity, partial)] = velocities else { return None };
        let partial = graph.as_constant(partial).filter(|partial| partial.abs() == 1.0)?;
        (self.n_motions[velocity] == 1).then_some(Own { direction, is_negative: partial < 0.0 })
    }

    /// Releases one direction k. With D = I_kk, w = I_k / D, the torque τ along it, and what is
    /// felt on the near side:
    ///
    /// ```text
    /// I' = I − w I_kᵀ,    b' = b + w (τ − b_k),    so b'_k = τ
    /// a_k after = (τ − b_k) / D − Σ w_i a_i before, over all i but k
    /// ```
    fn release(
        &mut self,
        graph: &mut Graph,
        here: &mut Hanging,
        own: Own,
        (velocity, place): (usize, usize),
        released: &mut Vec<Released>,
    ) -> Option<()> {
        let direction = own.direction;
        let column = here.inertia.column(direction);
        let pivot = column[direction];
        if graph.is_zero(pivot) {
            return None;
        }
        self.pivots[velocity] = pivot;
        let one = graph.one();
        let reciprocal = graph.div(one, pivot);
        let mut scaled = column.map(|entry| graph.mul(entry, reciprocal));
        scaled[direction] = one;
        let torque = self.torques[velocity];
        let torque = if own.is_negative { graph.neg(torque) } else { torque };
        let entries = here.bias.entries();
        let missing = graph.sub(torque, entries[direction]);
        let felt = [0, 1, 2, 3, 4, 5].map(|k| {
            if k == direction {
                return torque;
            }
            let passed = graph.mul(scaled[k], missing);
            graph.add(entries[k], passed)
        });
        let alone = graph.mul(missing, reciprocal);
        let coupled = here.shared.release(graph, direction, &scaled, reciprocal, missing);
        released.push(Released { velocity, place, own: Some(own), scaled, coupled, alone });
        here.inertia = here.inertia.released(graph, direction, &column, &scaled);
        here.bias = Wrench::of_entries(here.inertia.axes, felt);
        Some(())
    }

    /// Releases the velocities of which all motions hang here.
    fn release_shared(
        &mut self,
        graph: &mut Graph,
        place: usize,
        here: &mut Hanging,
        released: &mut Vec<Released>,
    ) -> Option<()> {
        while let Some(velocity) = here.shared.complete(&self.n_motions) {
            let found = here.release(graph, velocity, self.torques[velocity])?;
            self.pivots[velocity] = found.pivot;
            let (scaled, coupled, alone) = (found.scaled, found.coupled, found.alone);
            released.push(Released { velocity, place, own: None, scaled, coupled, alone });
        }
        Some(())
    }

    /// Accelerations, from root to tip.
    fn outwards(&mut self, graph: &mut Graph, chain: &Chain, released: &Motions) {
        let mut rates: IdVec<LinkId, Rates> = IdVec::new();
        for (id, link) in chain.links.iter_enumerated() {
            let mut here = match link.parent {
                Some(parent) => rates[parent],
                None => {
                    let zero = Vec3::zero(graph, link.axes);
                    Rates { alpha: zero, a: zero }
                }
            };
            for (place, step) in link.moves.iter().enumerate() {
                here = self.after(graph, (step, place), here, &released[id]);
            }
            self.known(graph, &mut here, link.moves.len(), &released[id]);
            rates.push(here);
        }
    }

    fn after(
        &mut self,
        graph: &mut Graph,
        (step, place): (&Move, usize),
        mut here: Rates,
        released: &[Released],
    ) -> Rates {
        if !moves_first(step) {
            here = here.behind(graph, step);
        }
        self.known(graph, &mut here, place, released);
        for (direction, velocities) in motions(graph, step) {
            if self.own(graph, direction, &velocities).is_some() {
                continue;
            }
            let mut entries = here.entries();
            for (velocity, partial) in velocities {
                let along = graph.mul(partial, self.v_dot[velocity]);
                entries[direction] = graph.add(entries[direction], along);
            }
            here.set(entries);
        }
        if moves_first(step) { here.behind(graph, step) } else { here }
    }

    /// v' of what was released at a place, and the accelerations behind its own motions.
    fn known(&mut self, graph: &mut Graph, here: &mut Rates, place: usize, released: &[Released]) {
        for found in released.iter().rev().filter(|found| found.place == place) {
            let mut entries = here.entries();
            let own = found.own.map(|own| own.direction);
            let mut after = found.alone;
            for i in (0..6).filter(|&i| own != Some(i)) {
                let taken = graph.mul(found.scaled[i], entries[i]);
                after = graph.sub(after, taken);
            }
            for &(velocity, factor) in &found.coupled {
                let taken = graph.mul(factor, self.v_dot[velocity]);
                after = graph.sub(after, taken);
            }
            self.v_dot[found.velocity] = match found.own {
                None => after,
                Some(Own { direction, is_negative }) => {
                    let before = std::mem::replace(&mut entries[direction], after);
                    here.set(entries);
                    if is_negative { graph.sub(before, after) } else { graph.sub(after, before) }
                }
            };
        }
    }
}

impl Rates {
    /// Turns before shifts.
    fn entries(&self) -> [ExprId; 6] {
        let ([x, y, z], [u, v, w]) = (self.alpha.xyz, self.a.xyz);
        [x, y, z, u, v, w]
    }

    fn set(&mut self, [x, y, z, u, v, w]: [ExprId; 6]) {
        self.alpha = Vec3::new(self.alpha.axes, [x, y, z]);
        self.a = Vec3::new(self.a.axes, [u, v, w]);
    }

    /// Those behind a move that does not move by itself.
    fn behind(self, graph: &mut Graph, step: &Move) -> Self {
        let turned = |graph: &mut Graph, rot: Rot3| Self {
            alpha: rot.transpose().apply(graph, self.alpha),
            a: rot.transpose().apply(graph, self.a),
        };
        match step {
            Move::Translate { r, .. } => {
                let carried = self.alpha.cross(graph, *r);
                Self { a: self.a.add(graph, carried), ..self }
            }
            Move::FixedRotation { rot } | Move::Rotate { rot, .. } | Move::Spherical { rot, .. } => {
                turned(graph, *rot)
            }
            Move::WorldAligned { rot, .. } => {
                Self { alpha: Vec3::zero(graph, rot.from), ..turned(graph, *rot) }
            }
        }
    }
}
