//! Point masses shifted from a rod's end to the body it is attached to.
//!
//! A point mass moves the same whether it is fixed to the end of a rod or to the point of another
//! body the end is tied to. Accelerations stay the same when it changes sides; so a rod can be rid of its
//! inertia about the second axis of its joint, and what it holds gains a mass, which is
//! work on parameters alone. With rows ±(x − x_held), ẍ = ±([g₁ g₂] q') + a where q are the rod's velocities,
//!
//! ```text
//! M_jk − m g_j·g_k is what the rod keeps,    m = M_22 / g₂²
//! λ + m ([g₁ g₂] q' ± (a − gravity)) are the multipliers of the mechanism with m on the other side
//! ```

use super::rods::Rod;
use crate::dynamics::constraints::{RowParts, Rows};
use crate::dynamics::equations::{Element, RowKind};
use crate::dynamics::formulation::DynamicsProblem;
use crate::expr::{Graph, is_parametric, simplified};
use crate::ids::{ExprId, Id, LinkId};
use crate::kinematics::{Chain, Column, FrameOnLink, Kinematics, Move};
use crate::lower::EquationContext;
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
    /// ±(a − gravity).
    pub(super) pull: [ExprId; 3],
}

/// The links a mass leaves and joins, with what they gain, in their axes.
type Moved = [(LinkId, Inertia); 2];

/// The mass a rod gives away and where it goes; `None` unless the rod's end is tied to a point of a
/// body, both as ground sees them.
pub(super) fn carried(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    (mass_matrix, problem): (&[ExprId], &DynamicsProblem<'_>),
    rows: &Rows,
    rod: &Rod,
) -> Option<(Mass, Moved)> {
    let parts = rod.rows.map(|row| &rows.list[row - problem.n_v]);
    let Tie { end, held, is_reversed } = Tie::find(context, &kinematics.chain, rod, parts)?;
    let (mass, free) = end_mass(&mut context.graph, mass_matrix, problem.n_v, rod, parts)?;
    let motion = kinematics.point(context, LinkId::new(0), end);
    let graph = &mut context.graph;
    let pull = [0, 1, 2].map(|k| {
        let pull = graph.sub(motion[k].bias, problem.gravity.xyz[k]);
        if is_reversed { graph.neg(pull) } else { pull }
    });
    let opposite = graph.neg(mass);
    let mut point = |place: FrameOnLink, mass: ExprId| {
        let point = Inertia { mass, ..Inertia::zero(graph, kinematics.chain.links[place.link].axes) };
        (place.link, point.shifted(graph, place.in_link.r))
    };
    Some((Mass { mass, free, pull }, [point(end, opposite), point(held, mass)]))
}

/// The end of a rod and the point it is tied to.
struct Tie {
    end: FrameOnLink,
    held: FrameOnLink,
    /// Whether rows are the held point less the end.
    is_reversed: bool,
}

impl Tie {
    /// What three rows of a rod tie, if they are along the axes of ground.
    fn find(context: &EquationContext<'_>, chain: &Chain, rod: &Rod, parts: [&RowParts; 3]) -> Option<Self> {
        let Element::Joint(id) = parts[0].row.element else { return None };
        let is_of_joint = |parts: &RowParts| {
            parts.row.element == Element::Joint(id)
                && parts.row.kind == RowKind::Position
                && parts.reference_link == LinkId::new(0)
        };
        let joint = &context.model.joints[id];
        let is_ball = matches!(joint.kind, JointKind::Spherical { .. });
        if !is_ball
            || !parts.into_iter().all(is_of_joint)
            || chain.welds.iter().any(|(welded, _)| *welded == id)
        {
            return None;
        }
        let ends = [joint.from, joint.to].map(|frame| chain.frames[frame]);
        let is_end_of_rod = |place: &FrameOnLink| {
            let velocities = velocities(chain, place.link);
            rod.velocities.iter().all(|&v| velocities.contains(&(v as u32)))
        };
        match ends.each_ref().map(is_end_of_rod) {
            [true, false] => Some(Self { end: ends[0], held: ends[1], is_reversed: false }),
            [false, true] => Some(Self { end: ends[1], held: ends[0], is_reversed: true }),
            _ => None,
        }
    }
}

/// The velocities that move a link.
fn velocities(chain: &Chain, link: LinkId) -> BTreeSet<u32> {
    let way = std::iter::successors(Some(link), |&at| chain.links[at].parent);
    let mut list = BTreeSet::new();
    for step in way.flat_map(|at| &chain.links[at].moves) {
        match step {
            Move::Translate { motion: Some((_, motion)), .. } | Move::Rotate { motion: Some(motion), .. } => {
                list.extend(motion.partials.iter().filter_map(|(column, _)| match column {
                    Column::V(v) => Some(*v),
                    _ => None,
                }));
            }
            Move::Spherical { v, .. } => list.extend(v),
            _ => {}
        }
    }
    list
}

/// The mass at a rod's end that has the inertia of one of its velocities, and which, if that depends on
/// parameters alone; of two the last.
fn end_mass(
    graph: &mut Graph,
    mass_matrix: &[ExprId],
    n_v: usize,
    rod: &Rod,
    parts: [&RowParts; 3],
) -> Option<(ExprId, usize)> {
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
        is_known.then(|| (graph.div(inertia, square), free))
    })
}
