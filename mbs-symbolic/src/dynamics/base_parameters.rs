//! Base parameters (base inertial parameters, Gautier & Khalil 1990): inertia moved towards the root as far as motion
//! allows.
//!
//! Masses on the axis of a joint move the same whether they are fixed behind the joint or
//! before it. So M and f do not change when they are moved, and what is left behind has
//! fewer parameters: behind a turn about z a link keeps neither mass nor h_z nor I_yy. All this
//! is work on parameters alone, done once per parameter set.
//!
//! Energies, momenta and reactions are another matter: they use the inertias as given.

use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Move};
use crate::spatial::{Inertia, Symmetric3, Vec3};

/// Where inertia is: at the links, and between the moves that lead to them.
#[derive(Debug, Clone)]
pub(crate) struct Inertias {
    /// At each link, in its axes.
    pub(crate) at_links: IdVec<LinkId, Inertia>,
    /// On the way to each link: after which of its moves, in the axes there. In the order of
    /// the moves; never after the last.
    pub(crate) between: IdVec<LinkId, Vec<(usize, Inertia)>>,
}

impl Inertias {
    /// Inertia at links alone.
    pub(crate) fn at_links(at_links: IdVec<LinkId, Inertia>) -> Self {
        let between = at_links.iter().map(|_| Vec::new()).collect();
        Self { at_links, between }
    }

    /// As the bodies of the model have it.
    pub(crate) fn given(chain: &Chain) -> Self {
        Self::at_links(chain.links.iter().map(|link| link.inertia).collect())
    }

    /// Moved towards the root; what reaches ground is gone.
    pub(crate) fn regrouped(graph: &mut Graph, chain: &Chain) -> Self {
        let mut all = Self::given(chain);
        for id in chain.links.ids().rev() {
            let link = &chain.links[id];
            let Some(parent) = link.parent else {
                all.at_links[id] = Inertia::zero(graph, link.axes);
                continue;
            };
            let mut travelling = all.at_links[id];
            for (index, step) in link.moves.iter().enumerate().rev() {
                let is_last = index + 1 == link.moves.len();
                let Split { stays, goes } = split(graph, travelling, step);
                if is_last {
                    all.at_links[id] = stays;
                } else if !is_nothing(graph, &stays) {
                    all.between[id].insert(0, (index, stays));
                }
                travelling = before(graph, goes, step);
            }
            if link.moves.is_empty() {
                all.at_links[id] = Inertia::zero(graph, link.axes);
            }
            all.at_links[parent] = all.at_links[parent].add(graph, travelling);
        }
        all
    }
}

/// An inertia in two parts, both in the axes after a move.
struct Split {
    stays: Inertia,
    goes: Inertia,
}

/// What must stay behind a move and what may go before it.
fn split(graph: &mut Graph, inertia: Inertia, step: &Move) -> Split {
    let Inertia { mass, first_moment: h, about_origin: moments } = inertia;
    let axes = h.axes;
    let nothing = Inertia::zero(graph, axes);
    let zero = graph.zero();
    match step {
        Move::Translate { motion: None, .. }
        | Move::FixedRotation { .. }
        | Move::Rotate { motion: None, .. } => Split { stays: nothing, goes: inertia },
        // Masses on the axis: their mass, first and second moment.
        Move::Rotate { axis, motion: Some(_), .. } => {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let second = diagonal(moments, j);
            let along = only(axes, zero, &[(*axis, h.xyz[*axis])]);
            let line = with_diagonal(Symmetric3::zero(graph, axes), &[(i, second), (j, second)]);
            let across = only(axes, zero, &[(i, h.xyz[i]), (j, h.xyz[j])]);
            let difference = graph.sub(diagonal(moments, i), second);
            let rest = with_diagonal(moments, &[(i, difference), (j, zero)]);
            Split {
                stays: Inertia { mass: zero, first_moment: across, about_origin: rest },
                goes: Inertia { mass, first_moment: along, about_origin: line },
            }
        }
        // A slide does not turn: moments of inertia are the same before it.
        Move::Translate { motion: Some(_), .. } => Split {
            stays: Inertia { about_origin: nothing.about_origin, ..inertia },
            goes: Inertia { about_origin: moments, ..nothing },
        },
        // A mass in the centre.
        Move::Spherical { .. } => {
            Split { stays: Inertia { mass: zero, ..inertia }, goes: Inertia { mass, ..nothing } }
        }
        // Behind it nothing turns with anything before, and what does not turn is a point.
        Move::WorldAligned { .. } => Split { stays: nothing, goes: Inertia { mass, ..nothing } },
    }
}

/// An inertia that may go before a move, in the axes there.
fn before(graph: &mut Graph, inertia: Inertia, step: &Move) -> Inertia {
    match step {
        // A slide lets only moments of inertia through, which it does not change.
        Move::Translate { motion: Some(_), .. } => inertia,
        Move::Translate { r, motion: None } => inertia.shifted(graph, *r),
        Move::FixedRotation { rot } => Inertia {
            mass: inertia.mass,
            first_moment: rot.apply(graph, inertia.first_moment),
            about_origin: inertia.about_origin.rotated(graph, *rot),
        },
        Move::Rotate { rot, axis, angle, motion: None } => Inertia {
            mass: inertia.mass,
            first_moment: rot.apply(graph, inertia.first_moment),
            about_origin: inertia.about_origin.turned(graph, rot.to, *axis, *angle),
        },
        // Unchanged by the turn itself.
        Move::Rotate { rot, motion: Some(_), .. }
        | Move::Spherical { rot, .. }
        | Move::WorldAligned { rot, .. } => Inertia {
            mass: inertia.mass,
            first_moment: inertia.first_moment.relabelled(rot.to),
            about_origin: inertia.about_origin.relabelled(rot.to),
        },
    }
}

fn is_nothing(graph: &Graph, inertia: &Inertia) -> bool {
    let Symmetric3 { xx, yy, zz, xy, xz, yz, .. } = inertia.about_origin;
    let moments = [xx, yy, zz, xy, xz, yz];
    let all = inertia.first_moment.xyz.into_iter().chain(moments).chain([inertia.mass]);
    all.into_iter().all(|entry| graph.is_zero(entry))
}

fn diagonal(matrix: Symmetric3, k: usize) -> ExprId {
    [matrix.xx, matrix.yy, matrix.zz][k]
}

fn with_diagonal(matrix: Symmetric3, entries: &[(usize, ExprId)]) -> Symmetric3 {
    let mut all = [matrix.xx, matrix.yy, matrix.zz];
    for &(k, entry) in entries {
        all[k] = entry;
    }
    Symmetric3 { xx: all[0], yy: all[1], zz: all[2], ..matrix }
}

fn only(axes: crate::spatial::Axes, zero: ExprId, entries: &[(usize, ExprId)]) -> Vec3 {
    let mut xyz = [zero; 3];
    for &(k, entry) in entries {
        xyz[k] = entry;
    }
    Vec3::new(axes, xyz)
}
