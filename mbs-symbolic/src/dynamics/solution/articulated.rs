//! Articulated body algorithm (ABA), per elementary move (Featherstone 2008, ch. 7).
//!
//! From tip to root every motion is released in turn: what hangs on it is then felt through
//! the motion, as one inertia and one bias wrench. From root to tip accelerations follow. All
//! accelerations here are those v' adds to the motion with v' = 0, so that ground has none.

use super::{Algorithm, Solution, Tree};
use crate::dynamics::recursion::Wrench;
use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Column, Move};
use crate::spatial::{Articulated, Direction, Vec3};

/// What hangs at some place of the chain.
#[derive(Debug, Clone, Copy)]
struct Hanging {
    inertia: Articulated,
    /// Needed on top of what accelerations need.
    bias: Wrench,
}

/// One motion, released.
#[derive(Debug, Clone, Copy)]
struct Released {
    velocity: usize,
    /// v' and the acceleration along the direction have opposite signs.
    is_negative: bool,
    direction: Direction,
    /// What accelerations on its near side are multiplied with.
    scaled: [ExprId; 6],
    /// Acceleration along it where the near side has none.
    alone: ExprId,
}

/// Accelerations of a place: turns, then shifts.
#[derive(Debug, Clone, Copy)]
struct Rates {
    alpha: Vec3,
    a: Vec3,
}

/// Solves a tree in which each velocity is the rate of one motion and no motion has more than
/// one; `None` for others.
pub(super) fn solve(graph: &mut Graph, tree: &Tree<'_>, n_v: usize) -> Option<Solution> {
    let chain = &tree.computed.chain;
    if !each_motion_has_its_velocity(graph, chain, n_v) {
        return None;
    }
    let zero = graph.zero();
    let mut solver = Solver { torques: vec![zero; n_v], pivots: vec![zero; n_v], v_dot: vec![zero; n_v] };
    for &(_, index, value) in &tree.applied.along {
        let torque = &mut solver.torques[index as usize];
        *torque = graph.add(*torque, value);
    }
    let released = solver.inwards(graph, tree)?;
    solver.outwards(graph, chain, &released);
    let Solver { pivots, v_dot, .. } = solver;
    Some(Solution { algorithm: Algorithm::ArticulatedBodies, v_dot, lambda: Vec::new(), pivots })
}

fn each_motion_has_its_velocity(graph: &Graph, chain: &Chain, n_v: usize) -> bool {
    let mut count = vec![0_u32; n_v];
    for step in chain.links.iter().flat_map(|link| &link.moves) {
        match step {
            Move::Shift { motion: Some((_, motion)), .. } | Move::Rotate { motion: Some(motion), .. } => {
                let mut own = 0;
                for &(column, partial) in &motion.partials {
                    let Column::V(index) = column else { continue };
                    if graph.as_constant(partial).is_none_or(|partial| partial.abs() != 1.0) {
                        return false;
                    }
                    own += 1;
                    count[index as usize] += 1;
                }
                if own > 1 {
                    return false;
                }
            }
            Move::Quaternion { v, .. } => v.iter().for_each(|&index| count[index as usize] += 1),
            _ => {}
        }
    }
    count.iter().all(|&count| count == 1)
}

struct Solver {
    /// Applied along each velocity.
    torques: Vec<ExprId>,
    pivots: Vec<ExprId>,
    v_dot: Vec<ExprId>,
}

/// The motions of each link in the order they were released, from its tip.
type Motions = IdVec<LinkId, Vec<Released>>;

impl Solver {
    /// Releases all motions; `None` if one has no inertia by its very form.
    fn inwards(&mut self, graph: &mut Graph, tree: &Tree<'_>) -> Option<Motions> {
        let (chain, inertias) = (&tree.computed.chain, &tree.computed.inertias);
        let mut released: Motions = chain.links.ids().map(|_| Vec::new()).collect();
        let mut hanging: IdVec<LinkId, Hanging> = IdVec::new();
        for id in chain.links.ids() {
            let inertia = Articulated::rigid(graph, &inertias.at_links[id]);
            let zero = Vec3::zero(graph, inertia.axes);
            let bias = tree.wrenches.at_links[id].unwrap_or(Wrench { f: zero, n: zero });
            hanging.push(Hanging { inertia, bias });
        }
        for id in chain.links.ids().rev() {
            let link = &chain.links[id];
            let Some(parent) = link.parent else { continue };
            let mut here = hanging[id];
            for (index, step) in link.moves.iter().enumerate().rev() {
                if let Some((_, met)) = inertias.between[id].iter().find(|(place, _)| *place == index) {
                    let met = Articulated::rigid(graph, met);
                    here.inertia = here.inertia.add(graph, &met);
                }
                if let Some((_, met)) = tree.wrenches.between[id].iter().find(|(place, _)| *place == index) {
                    here.bias = sum(graph, here.bias, *met);
                }
                here = self.back(graph, step, here, &mut released[id])?;
            }
            let inertia = hanging[parent].inertia.add(graph, &here.inertia);
            hanging[parent] = Hanging { inertia, bias: sum(graph, hanging[parent].bias, here.bias) };
        }
        Some(released)
    }

    fn back(
        &mut self,
        graph: &mut Graph,
        step: &Move,
        mut here: Hanging,
        released: &mut Vec<Released>,
    ) -> Option<Hanging> {
        match step {
            Move::Shift { r, motion } => {
                if let Some((axis, motion)) = motion
                    && let Some((velocity, is_negative)) = velocity_of(graph, &motion.partials)
                {
                    here = self.release(graph, here, 3 + axis, velocity, is_negative, released)?;
                }
                let inertia = here.inertia.shifted(graph, *r);
                let lever = r.cross(graph, here.bias.f);
                let n = here.bias.n.add(graph, lever);
                Some(Hanging { inertia, bias: Wrench { n, ..here.bias } })
            }
            Move::Turn { rot } => Some(Hanging {
                inertia: here.inertia.rotated(graph, *rot),
                bias: turned(graph, *rot, here.bias),
            }),
            Move::Rotate { rot, axis, angle, motion } => {
                if let Some(motion) = motion
                    && let Some((velocity, is_negative)) = velocity_of(graph, &motion.partials)
                {
                    here = self.release(graph, here, *axis, velocity, is_negative, released)?;
                }
                let inertia = here.inertia.turned(graph, rot.to, *axis, *angle);
                Some(Hanging { inertia, bias: turned(graph, *rot, here.bias) })
            }
            Move::Quaternion { rot, v, reversed, .. } => {
                let turn = |graph: &mut Graph, here: Hanging| Hanging {
                    inertia: here.inertia.rotated(graph, *rot),
                    bias: turned(graph, *rot, here.bias),
                };
                if *reversed {
                    here = turn(graph, here);
                }
                for (axis, &velocity) in v.iter().enumerate().rev() {
                    here = self.release(graph, here, axis, velocity as usize, *reversed, released)?;
                }
                Some(if *reversed { here } else { turn(graph, here) })
            }
            Move::Reorient { rot, .. } => {
                let inertia = here.inertia.unturning(graph, *rot);
                let f = rot.apply(graph, here.bias.f);
                Some(Hanging { inertia, bias: Wrench { f, n: Vec3::zero(graph, rot.to) } })
            }
        }
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
        here: Hanging,
        direction: Direction,
        velocity: usize,
        is_negative: bool,
        released: &mut Vec<Released>,
    ) -> Option<Hanging> {
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
        let torque = if is_negative { graph.neg(torque) } else { torque };
        let bias = here.bias;
        let entries = [bias.n.xyz, bias.f.xyz].concat();
        let missing = graph.sub(torque, entries[direction]);
        let felt = |graph: &mut Graph, k: usize| {
            if k == direction {
                return torque;
            }
            let passed = graph.mul(scaled[k], missing);
            graph.add(entries[k], passed)
        };
        let n = [0, 1, 2].map(|k| felt(graph, k));
        let f = [3, 4, 5].map(|k| felt(graph, k));
        let alone = graph.mul(missing, reciprocal);
        released.push(Released { velocity, is_negative, direction, scaled, alone });
        let inertia = here.inertia.released(graph, direction, &column, &scaled);
        let axes = inertia.axes;
        Some(Hanging { inertia, bias: Wrench { f: Vec3::new(axes, f), n: Vec3::new(axes, n) } })
    }

    /// Accelerations, from root to tip.
    fn outwards(&mut self, graph: &mut Graph, chain: &Chain, released: &Motions) {
        let mut rates: IdVec<LinkId, Rates> = IdVec::new();
        for (id, link) in chain.links.iter_enumerated() {
            let Some(parent) = link.parent else {
                let zero = Vec3::zero(graph, link.axes);
                rates.push(Rates { alpha: zero, a: zero });
                continue;
            };
            let mut here = rates[parent];
            let mut motions = released[id].iter().rev();
            for step in &link.moves {
                here = self.after(graph, step, here, &mut motions);
            }
            rates.push(here);
        }
    }

    fn after<'a>(
        &mut self,
        graph: &mut Graph,
        step: &Move,
        here: Rates,
        motions: &mut impl Iterator<Item = &'a Released>,
    ) -> Rates {
        let has_velocity = |graph: &Graph, partials| velocity_of(graph, partials).is_some();
        let turn = |graph: &mut Graph, rot: crate::spatial::Rot3, here: Rates| Rates {
            alpha: rot.apply(graph, here.alpha),
            a: rot.apply(graph, here.a),
        };
        match step {
            Move::Shift { r, motion } => {
                let carried = here.alpha.cross(graph, *r);
                let mut here = Rates { a: here.a.add(graph, carried), ..here };
                if motion.as_ref().is_some_and(|(_, motion)| has_velocity(graph, &motion.partials)) {
                    here = self.move_on(graph, here, motions.next());
                }
                here
            }
            Move::Turn { rot } => turn(graph, rot.transpose(), here),
            Move::Rotate { rot, motion, .. } => {
                let mut here = turn(graph, rot.transpose(), here);
                if motion.as_ref().is_some_and(|motion| has_velocity(graph, &motion.partials)) {
                    here = self.move_on(graph, here, motions.next());
                }
                here
            }
            Move::Quaternion { rot, reversed, .. } => {
                let mut here = if *reversed { here } else { turn(graph, rot.transpose(), here) };
                for _ in 0..3 {
                    here = self.move_on(graph, here, motions.next());
                }
                if *reversed { turn(graph, rot.transpose(), here) } else { here }
            }
            Move::Reorient { rot, .. } => {
                let here = turn(graph, rot.transpose(), here);
                Rates { alpha: Vec3::zero(graph, rot.from), ..here }
            }
        }
    }

    /// Accelerations behind a motion, and its v'.
    fn move_on(&mut self, graph: &mut Graph, here: Rates, motion: Option<&Released>) -> Rates {
        let Some(motion) = motion else { return here };
        let k = motion.direction;
        let mut entries = [here.alpha.xyz, here.a.xyz].concat();
        let before = entries[k];
        let mut after = motion.alone;
        for i in (0..6).filter(|&i| i != k) {
            let taken = graph.mul(motion.scaled[i], entries[i]);
            after = graph.sub(after, taken);
        }
        entries[k] = after;
        let v_dot = if motion.is_negative { graph.sub(before, after) } else { graph.sub(after, before) };
        self.v_dot[motion.velocity] = v_dot;
        let vector =
            |axes, from: usize| Vec3::new(axes, [entries[from], entries[from + 1], entries[from + 2]]);
        Rates { alpha: vector(here.alpha.axes, 0), a: vector(here.a.axes, 3) }
    }
}

/// The velocity a motion is the rate of, and whether of opposite sign.
fn velocity_of(graph: &Graph, partials: &[(Column, ExprId)]) -> Option<(usize, bool)> {
    partials.iter().find_map(|&(column, partial)| match column {
        Column::V(index) => Some((index as usize, graph.as_constant(partial) == Some(-1.0))),
        _ => None,
    })
}

fn turned(graph: &mut Graph, rot: crate::spatial::Rot3, wrench: Wrench) -> Wrench {
    Wrench { f: rot.apply(graph, wrench.f), n: rot.apply(graph, wrench.n) }
}

fn sum(graph: &mut Graph, a: Wrench, b: Wrench) -> Wrench {
    Wrench { f: a.f.add(graph, b.f), n: a.n.add(graph, b.n) }
}
