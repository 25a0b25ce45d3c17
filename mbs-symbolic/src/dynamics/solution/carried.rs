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
use crate::dynamics::equations::{Element, Formulation, RowKind};
use crate::dynamics::formulation::{Given, Recipe};
use crate::expr::{Graph, is_parametric, simplified};
use crate::ids::{ExprId, Id, LinkId};
use crate::kinematics::{Chain, Column, Kinematics, Move, Placement};
use crate::lower::Lowering;
use crate::model::JointKind;
use crate::spatial::Inertia;
use std::collections::BTreeSet;

/// M with the masses of rods where they are carried.
#[derive(Debug, Default)]
pub(in crate::dynamics) struct Carried {
    /// Empty if there are none.
    pub(super) mass_matrix: Vec<ExprId>,
    masses: Vec<(Rod, Mass)>,
}

/// What a rod has given away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mass {
    /// m.
    pub(super) mass: ExprId,
    /// Which of the rod's velocities has no inertia left.
    pub(super) free: usize,
}

impl Carried {
    /// What a rod has given away.
    pub(super) fn by(&self, rod: &Rod) -> Option<Mass> {
        self.masses.iter().find(|(other, _)| other == rod).map(|(_, mass)| *mass)
    }
}

/// Lets the masses of all rods be carried whose end is tied to a point of a body, both as
/// ground sees them.
pub(in crate::dynamics) fn carried(
    lowering: &mut Lowering<'_>,
    kinematics: &mut Kinematics,
    given: &Given<'_>,
    rows: &Rows,
    (first, recipe): (&Formulation, &Recipe),
) -> Carried {
    let n_v = given.n_v;
    let mut masses = Vec::new();
    let mut added = Vec::new();
    for rod in Rod::find(&pattern(&lowering.graph, &first.mass_matrix, rows, n_v), n_v) {
        let parts = rod.rows.map(|row| &rows.list[row - n_v]);
        let Some(place) = held(lowering, &kinematics.chain, &rod, parts) else { continue };
        let graph = &mut lowering.graph;
        let Some(mass) = end_mass(graph, &first.mass_matrix, n_v, &rod, parts) else { continue };
        let axes = kinematics.chain.links[place.link].axes;
        let point = Inertia { mass: mass.mass, ..Inertia::zero(graph, axes) };
        added.push((place.link, point.shifted(graph, place.in_link.r)));
        masses.push((rod, mass));
    }
    if masses.is_empty() {
        return Carried::default();
    }
    let mut mass_matrix = recipe.mass_with(lowering, kinematics, given, &added);
    // Of the rods themselves, and where nothing is carried, M stays what it is to the last zero.
    let fixed = |v: usize| masses.iter().any(|(rod, _)| rod.velocities.contains(&v));
    for (place, entry) in mass_matrix.iter_mut().enumerate() {
        if fixed(place % n_v) || fixed(place / n_v) {
            *entry = first.mass_matrix[place];
        }
    }
    Carried { mass_matrix, masses }
}

/// The other unknowns each is coupled to: velocities, then rows.
fn pattern(graph: &Graph, mass_matrix: &[ExprId], rows: &Rows, n_v: usize) -> Vec<BTreeSet<usize>> {
    let mut coupled = vec![BTreeSet::new(); n_v + rows.list.len()];
    let mut couple = |i: usize, j: usize| {
        coupled[i].insert(j);
        coupled[j].insert(i);
    };
    for (place, &entry) in mass_matrix.iter().enumerate() {
        let (i, j) = (place % n_v, place / n_v);
        if i != j && !graph.is_zero(entry) {
            couple(i, j);
        }
    }
    for (k, parts) in rows.list.iter().enumerate() {
        for (column, &entry) in &parts.columns {
            if let Column::V(v) = column
                && !graph.is_zero(entry)
            {
                couple(n_v + k, *v as usize);
            }
        }
    }
    coupled
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
