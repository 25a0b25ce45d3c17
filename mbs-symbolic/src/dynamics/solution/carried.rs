//! Masses at the ends of rods, carried by what the rods hold.
//!
//! A point mass moves the same whether it is fixed to the end of a rod or to the point of another
//! body the end is tied to. Accelerations stay the same when it changes sides; so a rod can be rid of its
//! inertia about the second axis of its joint, and what it holds gains a mass, which is
//! work on parameters alone. With rows g₁ q₁' + g₂ q₂' + B u' = b between the rod's velocities q and the
//! others u, the mass m adds m BᵀB to M, and the rod keeps
//!
//! ```text
//! M_jk − m g_j·g_k,    m = M_22 / g₂²
//! ```

use super::rods::Rod;
use crate::dynamics::constraints::{RowParts, Rows};
use crate::dynamics::equations::{Element, RowKind};
use crate::expr::{Graph, is_parametric, simplified};
use crate::ids::{ExprId, Id, LinkId};
use crate::kinematics::{Chain, Column, Move, Placement};
use crate::lower::Lowering;
use crate::model::JointKind;
use crate::spatial::Inertia;
use std::collections::BTreeSet;

/// What a rod has given away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mass {
    /// m.
    pub(super) mass: ExprId,
    /// Which of the rod's velocities has no inertia left.
    pub(super) free: usize,
}

/// The mass a rod gives away, and what it is to the link that carries it, in its axes; `None` unless
/// the rod's end is tied to a point of a body, both as ground sees them.
pub(super) fn carried(
    lowering: &mut Lowering<'_>,
    chain: &Chain,
    (mass_matrix, n_v): (&[ExprId], usize),
    rows: &Rows,
    rod: &Rod,
) -> Option<(Mass, LinkId, Inertia)> {
    let parts = rod.rows.map(|row| &rows.list[row - n_v]);
    let place = held(lowering, chain, rod, parts)?;
    let graph = &mut lowering.graph;
    let mass = end_mass(graph, mass_matrix, n_v, rod, parts)?;
    let point = Inertia { mass: mass.mass, ..Inertia::zero(graph, chain.links[place.link].axes) };
    Some((mass, place.link, point.shifted(graph, place.in_link.r)))
}

/// The point a rod's end is tied to by its three rows, all along axes of ground.
fn held(lowering: &Lowering<'_>, chain: &Chain, rod: &Rod, parts: [&RowParts; 3]) -> Option<Placement> {
    let Element::Joint(id) = parts[0].row.element else { return None };
    let is_of_joint = |parts: &RowParts| {
        parts.row.element == Element::Joint(id)
            && parts.row.kind == RowKind::Position
            && parts.observer == LinkId::new(0)
    };
    let joint = &lowering.model.joints[id];
    let is_ball = matches!(joint.kind, JointKind::Spherical { .. });
    if !is_ball || !parts.into_iter().all(is_of_joint) || chain.welds.iter().any(|(welded, _)| *welded == id)
    {
        return None;
    }
    let ends = [joint.from, joint.to].map(|frame| chain.frames[frame]);
    let is_end_of_rod = |place: &Placement| {
        let velocities = velocities(chain, place.link);
        rod.velocities.iter().all(|&v| velocities.contains(&(v as u32)))
    };
    match ends.each_ref().map(is_end_of_rod) {
        [true, false] => Some(ends[1]),
        [false, true] => Some(ends[0]),
        _ => None,
    }
}

/// The velocities that move a link.
fn velocities(chain: &Chain, link: LinkId) -> BTreeSet<u32> {
    let way = std::iter::successors(Some(link), |&at| chain.links[at].parent);
    let mut list = BTreeSet::new();
    for step in way.flat_map(|at| &chain.links[at].moves) {
        match step {
            Move::Shift { motion: Some((_, motion)), .. } | Move::Rotate { motion: Some(motion), .. } => {
                list.extend(motion.partials.iter().filter_map(|(column, _)| match column {
                    Column::V(v) => Some(*v),
                    _ => None,
                }));
            }
            Move::Quaternion { v, .. } => list.extend(v),
            _ => {}
        }
    }
    list
}

/// The mass at a rod's end that has the inertia of one of its velocities, if that depends on
/// parameters alone; of two the last.
fn end_mass(
    graph: &mut Graph,
    mass_matrix: &[ExprId],
    n_v: usize,
    rod: &Rod,
    parts: [&RowParts; 3],
) -> Option<Mass> {
    [1, 0].into_iter().find_map(|free| {
        let v = rod.velocities[free];
        let inertia = mass_matrix[v * n_v + v];
        let squares = parts.map(|parts| {
            let entry = parts.columns.get(&Column::V(v as u32)).copied().unwrap_or_else(|| graph.zero());
            graph.mul(entry, entry)
        });
        let square = graph.sum(squares);
        let square = simplified(graph, square);
        let is_known = is_parametric(graph, inertia) && is_parametric(graph, square);
        is_known.then(|| Mass { mass: graph.div(inertia, square), free })
    })
}
