//! Motion of a point accumulated from tip to base.
//!
//! Going from a point towards the reference link, each move needs only the motion inside of it: for a turn
//! about a principal axis k at the rate w
//!
//! ```text
//! r := R r,   v := R (v + w k×r),   a := R (a + 2w k×v + w² k×(k×r) + w' k×r)
//! ```
//!
//! For a single point behind a few turns this takes fewer operations than the motion of its link
//! seen from the reference link, which pays where a link has many points.

use super::{Chain, Move};
use crate::expr::Graph;
use crate::ids::{ExprId, LinkId};
use crate::spatial::Vec3;

/// A point with the directions in which it moves, followed from inside out as far as the
/// reference link or the first reorientation.
pub(super) struct InwardMotion {
    /// The point, in the reference link's axes: from the reference link's origin or from the place of the
    /// reorientation.
    pub(super) r: Vec3,
    /// Its rate per unit rate of every step on the way, outermost first.
    pub(super) directions: Vec<Vec3>,
    /// Whether nothing but turns about one place was met: then `r` is fixed in the link.
    pub(super) about_origin: bool,
}

/// What is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    /// A point, which every move carries along.
    Point,
    /// A direction, which turns but does not shift.
    Direction,
}

/// Follows a point or a direction fixed in a link; `None` where a move has no rule for it.
pub(super) fn follow(
    graph: &mut Graph,
    chain: &Chain,
    reference_link: LinkId,
    link: LinkId,
    r_l: Vec3,
    carries: Carries,
) -> Option<InwardMotion> {
    let (mut r, mut directions) = (r_l, Vec::new());
    let mut about_origin = true;
    let mut at = link;
    'way: while at != reference_link {
        for step in chain.links[at].moves.iter().rev() {
            let rot = match step {
                Move::Translate { r: shift, motion } if carries == Carries::Point => {
                    if let Some((axis, _)) = motion {
                        directions.push(Vec3::unit(graph, shift.axes, *axis));
                    }
                    r = r.add(graph, *shift);
                    about_origin = false;
                    continue;
                }
                Move::Translate { motion, .. } => {
                    directions.extend(motion.iter().map(|_| Vec3::zero(graph, r.axes)));
                    continue;
                }
                Move::Rotate { rot, axis, motion, .. } => {
                    if motion.is_some() {
                        let k = Vec3::unit(graph, r.axes, *axis);
                        directions.push(k.cross(graph, r));
                    }
                    *rot
                }
                Move::FixedRotation { rot } => *rot,
                Move::WorldAligned { rot_w, .. } => *rot_w,
                Move::Spherical { .. } => return None,
            };
            r = rot.apply(graph, r);
            directions = directions.into_iter().map(|direction| rot.apply(graph, direction)).collect();
            if matches!(step, Move::WorldAligned { .. }) {
                about_origin &= at == link;
                break 'way;
            }
        }
        at = chain.links[at].parent?;
        about_origin &= at == reference_link;
    }
    directions.reverse();
    Some(InwardMotion { r, directions, about_origin })
}

/// Position, velocity and acceleration (v' = 0) of a point fixed in a link, in the reference link's
/// axes; `None` where a move has no such rule.
pub(super) fn point(
    graph: &mut Graph,
    chain: &Chain,
    reference_link: LinkId,
    link: LinkId,
    r_l: Vec3,
) -> Option<[Vec3; 3]> {
    let zero = Vec3::zero(graph, r_l.axes);
    let mut motion = [r_l, zero, zero];
    let mut at = link;
    while at != reference_link {
        for step in chain.links[at].moves.iter().rev() {
            motion = before(graph, motion, step)?;
        }
        at = chain.links[at].parent?;
    }
    Some(motion)
}

fn before(graph: &mut Graph, [r, v, a]: [Vec3; 3], step: &Move) -> Option<[Vec3; 3]> {
    match step {
        Move::Translate { r: shift, motion } => {
            let moved = [r.add(graph, *shift), v, a];
            let Some((axis, motion)) = motion else { return Some(moved) };
            let k = Vec3::unit(graph, shift.axes, *axis);
            let (sliding, along) = (k.scale(graph, motion.rate), k.scale(graph, motion.bias));
            Some([moved[0], v.add(graph, sliding), a.add(graph, along)])
        }
        Move::FixedRotation { rot } => Some([r, v, a].map(|vector| rot.apply(graph, vector))),
        Move::Rotate { rot, axis, motion, .. } => {
            let Some(motion) = motion else {
                return Some([r, v, a].map(|vector| rot.apply(graph, vector)));
            };
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let w = motion.rate;
            let square = graph.mul(w, w);
            let twice = graph.scale(2.0, w);
            let bias = motion.bias;
            // k×r has −r_j along i and r_i along j.
            let mut component = |own: usize, other: usize, sign: f64| -> [ExprId; 2] {
                let swing = graph.mul(w, r.xyz[other]);
                let swing = graph.scale(sign, swing);
                let coriolis = graph.mul(twice, v.xyz[other]);
                let tangential = graph.mul(bias, r.xyz[other]);
                let across = graph.add(coriolis, tangential);
                let across = graph.scale(sign, across);
                let centripetal = graph.mul(square, r.xyz[own]);
                let sum = graph.add(a.xyz[own], across);
                [graph.add(v.xyz[own], swing), graph.sub(sum, centripetal)]
            };
            let (along_i, along_j) = (component(i, j, -1.0), component(j, i, 1.0));
            let (mut v, mut a) = (v, a);
            (v.xyz[i], a.xyz[i]) = (along_i[0], along_i[1]);
            (v.xyz[j], a.xyz[j]) = (along_j[0], along_j[1]);
            Some([r, v, a].map(|vector| rot.apply(graph, vector)))
        }
        Move::Spherical { .. } | Move::WorldAligned { .. } => None,
    }
}
