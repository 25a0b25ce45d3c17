//! Rotors: axisymmetric last bodies, eliminated in closed form.
//!
//! A last body that turns about an axis it is symmetric about has one inertia left behind its joint, the
//! moment J about that axis. Its velocity s and the others v then meet in M as
//!
//! ```text
//! M_ss = J,    M_sj = J s_j,    J s_j s_k within M_jk,    s_j = axis·∂ω/∂v_j
//! ```
//!
//! and elimination of s takes J s_j s_k away again. So M is formed without J from the start, and left are
//!
//! ```text
//! f_j − s_j f_s,    s' = f_s / J − Σ s_j v_j'
//! ```

use super::elimination::Saddle;
use crate::dynamics::base_parameters::Inertias;
use crate::expr::{Graph, quotient};
use crate::ids::{ExprId, LinkId};
use crate::kinematics::{Chain, Column, Move};
use crate::spatial::{Inertia, Symmetric3};
use std::collections::BTreeSet;

/// A rotor by the unknown of its velocity, and where its inertia is.
#[derive(Debug)]
pub(super) struct Rotor {
    pub(super) velocity: usize,
    pub(super) link: LinkId,
    /// What takes J away, in the axes of the link.
    pub(super) opposite: Inertia,
    moment: ExprId,
}

impl Rotor {
    /// All rotors that no row feels. `inertias` are those of the chain, regrouped, `coupled` the
    /// other unknowns of each, the first `n_v` of them velocities.
    pub(super) fn find(
        graph: &mut Graph,
        chain: &Chain,
        inertias: &Inertias,
        coupled: &[BTreeSet<usize>],
        n_v: usize,
    ) -> Vec<Self> {
        let mut found = Vec::new();
        for (link, at) in chain.links.iter_enumerated() {
            let Some(Move::Rotate { axis, motion: Some(motion), .. }) = at.moves.last() else { continue };
            let [(Column::V(v), partial)] = motion.partials[..] else { continue };
            let is_last = chain.links.iter().all(|other| other.parent != Some(link));
            let is_own = graph.as_constant(partial).is_some_and(|partial| partial.abs() == 1.0)
                && moves_with(chain, v) == 1;
            let velocity = v as usize;
            let is_felt_by_row = coupled[velocity].range(n_v..).next().is_some();
            if !is_last || !is_own || is_felt_by_row {
                continue;
            }
            if let Some(moment) = only_moment(graph, &inertias.at_links[link], *axis) {
                let mut opposite = Inertia::zero(graph, at.axes);
                let moments = &mut opposite.about_origin;
                *[&mut moments.xx, &mut moments.yy, &mut moments.zz][*axis] = graph.neg(moment);
                found.push(Self { velocity, link, opposite, moment });
            }
        }
        found
    }

    /// Takes it out of a pattern.
    pub(super) fn take_out_of(&self, coupled: &mut [BTreeSet<usize>]) {
        for other in std::mem::take(&mut coupled[self.velocity]) {
            coupled[other].remove(&self.velocity);
        }
    }

    /// Takes it out; M is that without J but for the rotor's own entries.
    pub(super) fn eliminate(&self, graph: &mut Graph, saddle: &mut Saddle) -> EliminatedRotor {
        let (v, force) = (self.velocity, saddle.right[self.velocity]);
        let mut turning = Vec::new();
        for j in saddle.coupled_to(&[v]) {
            let entry = saddle.entry(graph, v, j);
            let part = quotient(graph, entry, self.moment);
            let taken = graph.mul(part, force);
            saddle.right[j] = graph.sub(saddle.right[j], taken);
            turning.push((j, part));
        }
        saddle.remove(&[v]);
        EliminatedRotor { velocity: v, turning, alone: graph.div(force, self.moment), moment: self.moment }
    }
}

/// A rotor that has been taken out.
#[derive(Debug)]
pub(super) struct EliminatedRotor {
    velocity: usize,
    /// s_j by velocity.
    turning: Vec<(usize, ExprId)>,
    /// f_s / J.
    alone: ExprId,
    moment: ExprId,
}

impl EliminatedRotor {
    /// Its velocity from the others.
    pub(super) fn back_substitute(&self, graph: &mut Graph, x: &mut [ExprId], pivots: &mut [ExprId]) {
        let mut rate = self.alone;
        for &(j, part) in &self.turning {
            let taken = graph.mul(part, x[j]);
            rate = graph.sub(rate, taken);
        }
        x[self.velocity] = rate;
        pivots[self.velocity] = self.moment;
    }
}

/// How many moves a velocity is a rate of.
fn moves_with(chain: &Chain, v: u32) -> usize {
    let is_moved = |step: &&Move| match step {
        Move::Translate { motion: Some((_, motion)), .. } | Move::Rotate { motion: Some(motion), .. } => {
            motion.partials.iter().any(|(column, _)| *column == Column::V(v))
        }
        Move::Spherical { v: all, .. } => all.contains(&v),
        _ => false,
    };
    chain.links.iter().flat_map(|link| &link.moves).filter(is_moved).count()
}

/// The moment about an axis, if there is no other inertia.
fn only_moment(graph: &Graph, inertia: &Inertia, axis: usize) -> Option<ExprId> {
    let Symmetric3 { xx, yy, zz, xy, xz, yz, .. } = inertia.about_origin;
    let diagonal = [xx, yy, zz];
    let others = [xy, xz, yz, inertia.mass, diagonal[(axis + 1) % 3], diagonal[(axis + 2) % 3]];
    let is_only = others.into_iter().chain(inertia.first_moment.xyz).all(|entry| graph.is_zero(entry));
    (is_only && !graph.is_zero(diagonal[axis])).then_some(diagonal[axis])
}
