//! Recursive Newton-Euler algorithm (RNEA): motion from root to tip, forces back (Featherstone 2008, ch. 5).
//!
//! With v' = 0 it gives the gyroscopic, centrifugal and Coriolis forces and gravity; Coriolis terms are never made from
//! derivatives of M.
//!
//! Everything is in link axes. Gravity is an upward acceleration of ground.

use super::base_parameters::Inertias;
use crate::expr::{Graph, Symbol};
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Column, Move};
use crate::spatial::{Inertia, Vec3, acceleration_at, angular_acceleration_operator};

/// Motion of a link's axes and origin, in its axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpatialMotion {
    /// rad/s.
    pub(crate) omega: Vec3,
    /// Of the origin, m/s.
    pub(crate) v: Vec3,
    /// rad/s².
    pub(crate) alpha: Vec3,
    /// Of the origin, less gravity, m/s².
    pub(crate) a: Vec3,
}

/// Force and torque about a link's origin, in its axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrench {
    /// N.
    pub(crate) force: Vec3,
    /// N·m.
    pub(crate) moment: Vec3,
}

/// Which accelerations the recursion carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accelerations {
    /// v' = 0.
    Bias,
    /// v' as symbols.
    Full,
}

/// Motion of every link, from root to tip.
pub(crate) fn spatial_motions(
    graph: &mut Graph,
    chain: &Chain,
    gravity: Vec3,
    accelerations: Accelerations,
) -> IdVec<LinkId, SpatialMotion> {
    let mut list: IdVec<LinkId, SpatialMotion> = IdVec::new();
    for link in &chain.links {
        let spatial_motion = match link.parent {
            None => {
                let zero = Vec3::zero(graph, link.axes);
                SpatialMotion { omega: zero, v: zero, alpha: zero, a: gravity.neg(graph) }
            }
            Some(parent) => {
                let mut spatial_motion = list[parent];
                for step in &link.moves {
                    spatial_motion = after(graph, spatial_motion, step, accelerations);
                }
                spatial_motion
            }
        };
        list.push(spatial_motion);
    }
    list
}

/// Motion after each of a link's moves.
pub(crate) fn along(
    graph: &mut Graph,
    chain: &Chain,
    spatial_motions: &IdVec<LinkId, SpatialMotion>,
    link: LinkId,
    accelerations: Accelerations,
) -> Vec<SpatialMotion> {
    let link = &chain.links[link];
    let Some(parent) = link.parent else { return Vec::new() };
    let mut spatial_motion = spatial_motions[parent];
    let step = |step: &Move| {
        spatial_motion = after(graph, spatial_motion, step, accelerations);
        spatial_motion
    };
    link.moves.iter().map(step).collect()
}

/// The twist after one move.
///
/// ```text
/// shift by r along k:  v += ω×r + k s'        a += α×r + ω×(ω×r) + 2 ω×k s' + k s''
/// turn about k:        ω := Rᵀω + k s'        α := Rᵀα + (Rᵀω)×k s' + k s''
/// ```
fn after(
    graph: &mut Graph,
    spatial_motion: SpatialMotion,
    step: &Move,
    accelerations: Accelerations,
) -> SpatialMotion {
    let SpatialMotion { omega, v, alpha, a } = spatial_motion;
    match step {
        Move::Translate { r, motion } => {
            let carried = omega.cross(graph, *r);
            let mut v = v.add(graph, carried);
            let rotational = acceleration_at(graph, omega, alpha, *r);
            let mut a = a.add(graph, rotational);
            if let Some((axis, motion)) = motion {
                let k = Vec3::unit(graph, r.axes, *axis);
                let sliding = k.scale(graph, motion.rate);
                v = v.add(graph, sliding);
                let two = graph.constant(2.0);
                let coriolis = omega.scale(graph, two).cross(graph, sliding);
                a = a.add(graph, coriolis);
                let second = k.scale(graph, second_rate(motion, accelerations));
                a = a.add(graph, second);
            }
            SpatialMotion { omega, v, alpha, a }
        }
        Move::FixedRotation { rot } => turned(graph, spatial_motion, rot.transpose()),
        Move::Rotate { rot, axis, motion, .. } => {
            let mut spatial_motion = turned(graph, spatial_motion, rot.transpose());
            if let Some(motion) = motion {
                let k = Vec3::unit(graph, rot.from, *axis);
                let spin = k.scale(graph, motion.rate);
                let gyroscopic = spatial_motion.omega.cross(graph, spin);
                let second = k.scale(graph, second_rate(motion, accelerations));
                let change = gyroscopic.add(graph, second);
                spatial_motion.alpha = spatial_motion.alpha.add(graph, change);
                spatial_motion.omega = spatial_motion.omega.add(graph, spin);
            }
            spatial_motion
        }
        Move::Spherical { rot, w, v: index, reversed, .. } => {
            let w_dot = index.map(|index| match accelerations {
                Accelerations::Bias => graph.zero(),
                Accelerations::Full => graph.symbol(Symbol::VDot(index)),
            });
            if *reversed {
                // ω of `to` relative to `from` in the axes before the turn, which are
                // those of `to`; the link after it is `from`.
                let (spin, second) = (Vec3::new(rot.to, *w), Vec3::new(rot.to, w_dot));
                let gyroscopic = omega.cross(graph, spin);
                let change = gyroscopic.add(graph, second);
                let alpha = alpha.sub(graph, change);
                let omega = omega.sub(graph, spin);
                turned(graph, SpatialMotion { omega, v, alpha, a }, rot.transpose())
            } else {
                let mut spatial_motion = turned(graph, spatial_motion, rot.transpose());
                let (spin, second) = (Vec3::new(rot.from, *w), Vec3::new(rot.from, w_dot));
                let gyroscopic = spatial_motion.omega.cross(graph, spin);
                let change = gyroscopic.add(graph, second);
                spatial_motion.alpha = spatial_motion.alpha.add(graph, change);
                spatial_motion.omega = spatial_motion.omega.add(graph, spin);
                spatial_motion
            }
        }
        Move::WorldAligned { rot, rot_w, a_w } => {
            let mut spatial_motion = turned(graph, spatial_motion, rot.transpose());
            if let (Some(a_w), Accelerations::Bias) = (a_w, accelerations) {
                spatial_motion.a = rot_w.transpose().apply(graph, *a_w);
            }
            let zero = Vec3::zero(graph, rot.from);
            SpatialMotion { omega: zero, alpha: zero, ..spatial_motion }
        }
    }
}

fn second_rate(motion: &crate::kinematics::Motion, accelerations: Accelerations) -> ExprId {
    match accelerations {
        Accelerations::Bias => motion.bias,
        Accelerations::Full => motion.acceleration,
    }
}

fn turned(graph: &mut Graph, spatial_motion: SpatialMotion, rot: crate::spatial::Rot3) -> SpatialMotion {
    SpatialMotion {
        omega: rot.apply(graph, spatial_motion.omega),
        v: rot.apply(graph, spatial_motion.v),
        alpha: rot.apply(graph, spatial_motion.alpha),
        a: rot.apply(graph, spatial_motion.a),
    }
}

/// The wrench that gives a link its accelerations (Newton and Euler, about the origin):
///
/// ```text
/// f = m a + α×h + ω×(ω×h),    n = I α + ω×(I ω) + h×a
/// ```
pub(crate) fn inertial_wrench(
    graph: &mut Graph,
    inertia: &Inertia,
    spatial_motion: &SpatialMotion,
) -> Wrench {
    let Inertia { mass, first_moment: h, about_origin } = *inertia;
    let linear = spatial_motion.a.scale(graph, mass);
    let rotational = acceleration_at(graph, spatial_motion.omega, spatial_motion.alpha, h);
    let f = linear.add(graph, rotational);
    let lever = h.cross(graph, spatial_motion.a);
    let euler = euler(graph, about_origin, spatial_motion);
    Wrench { force: f, moment: euler.add(graph, lever) }
}

/// I α + ω×(I ω), sorted by the moments of inertia, which regrouping makes zero in part, and
/// sharing the entries of B = [α] + [ω]² with what moves the link's points:
///
/// ```text
/// n_x = I_xx α_x + (I_zz − I_yy) ω_y ω_z − I_xy B_zx + I_xz B_yx + I_yz (ω_y² − ω_z²), …
/// ```
fn euler(graph: &mut Graph, inertia: crate::spatial::Symmetric3, spatial_motion: &SpatialMotion) -> Vec3 {
    let b = angular_acceleration_operator(graph, spatial_motion.omega, spatial_motion.alpha);
    let w = spatial_motion.omega.xyz;
    let alpha = spatial_motion.alpha.xyz;
    let moments = [inertia.xx, inertia.yy, inertia.zz];
    // The product of inertia of the two axes other than k.
    let products = [inertia.yz, inertia.xz, inertia.xy];
    let component = |k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let own = graph.mul(moments[k], alpha[k]);
        let difference = graph.sub(moments[j], moments[i]);
        let rates = graph.mul(w[i], w[j]);
        let gyroscopic = graph.mul(difference, rates);
        let toward_i = graph.mul(products[j], b[j][k]);
        let toward_j = graph.mul(products[i], b[i][k]);
        let (square_i, square_j) = (graph.mul(w[i], w[i]), graph.mul(w[j], w[j]));
        let squares = graph.sub(square_i, square_j);
        let across = graph.mul(products[k], squares);
        let sum = graph.sum([own, gyroscopic, toward_j, across]);
        graph.sub(sum, toward_i)
    };
    Vec3::new(inertia.axes, [0, 1, 2].map(component))
}

/// Wrenches at links, and between the moves that lead to them.
#[derive(Debug, Clone)]
pub(crate) struct Wrenches {
    /// At each link, in its axes.
    pub(crate) at_links: IdVec<LinkId, Option<Wrench>>,
    /// On the way to each link: after which of its moves, in the axes there.
    pub(crate) between: IdVec<LinkId, Vec<(usize, Wrench)>>,
}

impl Wrenches {
    /// None anywhere.
    pub(crate) fn none(chain: &Chain) -> Self {
        Self {
            at_links: chain.links.ids().map(|_| None).collect(),
            between: chain.links.ids().map(|_| Vec::new()).collect(),
        }
    }

    /// The wrenches that give inertias their accelerations.
    pub(crate) fn of_inertia(
        graph: &mut Graph,
        chain: &Chain,
        inertias: &Inertias,
        spatial_motions: &IdVec<LinkId, SpatialMotion>,
        accelerations: Accelerations,
    ) -> Self {
        let mut all = Self::none(chain);
        for id in chain.links.ids() {
            all.at_links[id] = Some(inertial_wrench(graph, &inertias.at_links[id], &spatial_motions[id]));
            if !inertias.between[id].is_empty() {
                let along = along(graph, chain, spatial_motions, id, accelerations);
                for (index, inertia) in &inertias.between[id] {
                    let wrench = inertial_wrench(graph, inertia, &along[*index]);
                    all.between[id].push((*index, wrench));
                }
            }
        }
        all
    }
}

/// What wrenches do along every velocity, from tip to root. `at_joint` is called with each
/// link and the total wrench its parent passes to it: in link axes at the link's origin, and
/// in the parent's axes at the parent's origin.
pub(crate) fn project(
    graph: &mut Graph,
    chain: &Chain,
    wrenches: &Wrenches,
    n_v: usize,
    mut at_joint: impl FnMut(LinkId, Wrench, Wrench),
) -> Vec<ExprId> {
    let mut totals: IdVec<LinkId, Option<Wrench>> = wrenches.at_links.iter().copied().collect();
    let zero = graph.zero();
    let mut generalised = vec![zero; n_v];
    for id in chain.links.ids().rev() {
        let link = &chain.links[id];
        let (Some(parent), Some(wrench)) = (link.parent, totals[id]) else { continue };
        let at_parent = back(graph, &link.moves, wrench, &wrenches.between[id], &mut generalised);
        at_joint(id, wrench, at_parent);
        totals[parent] = Some(match totals[parent] {
            Some(total) => Wrench {
                force: total.force.add(graph, at_parent.force),
                moment: total.moment.add(graph, at_parent.moment),
            },
            None => at_parent,
        });
    }
    generalised
}

/// Carries a wrench back through a link's moves, with those met on the way, collecting the
/// work on each motion.
fn back(
    graph: &mut Graph,
    moves: &[Move],
    wrench: Wrench,
    between: &[(usize, Wrench)],
    generalised: &mut [ExprId],
) -> Wrench {
    let mut collect = |graph: &mut Graph, partials: &[(Column, ExprId)], component: ExprId| {
        for &(column, partial) in partials {
            if let Column::V(index) = column {
                let term = graph.mul(partial, component);
                let entry = &mut generalised[index as usize];
                *entry = graph.add(*entry, term);
            }
        }
    };
    let Wrench { force: mut f, moment: mut n } = wrench;
    for (index, step) in moves.iter().enumerate().rev() {
        if let Some((_, met)) = between.iter().find(|(place, _)| *place == index) {
            f = f.add(graph, met.force);
            n = n.add(graph, met.moment);
        }
        match step {
            Move::Translate { r, motion } => {
                if let Some((axis, motion)) = motion {
                    collect(graph, &motion.partials, f.xyz[*axis]);
                }
                let lever = r.cross(graph, f);
                n = n.add(graph, lever);
            }
            Move::FixedRotation { rot } => {
                f = rot.apply(graph, f);
                n = rot.apply(graph, n);
            }
            Move::Rotate { rot, axis, motion, .. } => {
                if let Some(motion) = motion {
                    collect(graph, &motion.partials, n.xyz[*axis]);
                }
                f = rot.apply(graph, f);
                n = rot.apply(graph, n);
            }
            Move::Spherical { rot, v, reversed, .. } => {
                let one = graph.one();
                if !*reversed {
                    for (&v, &moment) in v.iter().zip(&n.xyz) {
                        collect(graph, &[(Column::V(v), one)], moment);
                    }
                }
                f = rot.apply(graph, f);
                n = rot.apply(graph, n);
                if *reversed {
                    let minus = graph.neg(one);
                    for (&v, &moment) in v.iter().zip(&n.xyz) {
                        collect(graph, &[(Column::V(v), minus)], moment);
                    }
                }
            }
            Move::WorldAligned { rot, .. } => {
                f = rot.apply(graph, f);
                n = Vec3::zero(graph, rot.to);
            }
        }
    }
    Wrench { force: f, moment: n }
}

/// Half the sum of m v·v + 2 v·(ω×h) + ω·I ω.
pub(crate) fn kinetic_energy(graph: &mut Graph, inertia: &Inertia, spatial_motion: &SpatialMotion) -> ExprId {
    let square = spatial_motion.v.dot(graph, spatial_motion.v);
    let linear = graph.mul(inertia.mass, square);
    let swing = spatial_motion.omega.cross(graph, inertia.first_moment);
    let mixed = spatial_motion.v.dot(graph, swing);
    let mixed = graph.scale(2.0, mixed);
    let momentum = inertia.about_origin.apply(graph, spatial_motion.omega);
    let angular = spatial_motion.omega.dot(graph, momentum);
    let sum = graph.sum([linear, mixed, angular]);
    graph.scale(0.5, sum)
}
