//! Velocities of several motions in the recursion of articulated bodies.
//!
//! A joint that follows another moves with the velocity of that one, a screw turns and slides with one
//! velocity. Such a velocity cannot be released at its first motion, for it is not free there yet: its
//! acceleration w stays an unknown of what hangs here, beside the acceleration a of the place, until all of
//! its motions hang together (Chignoli, Slotine, Wensing and Kim 2023, "Recursive rigid-body dynamics
//! algorithms for systems with kinematic loops", where they are one cluster). What they take together is
//!
//! ```text
//! ½ aᵀI a + aᵀU w + ½ wᵀD w + b·a + c·w
//! ```
//!
//! and what accelerations make of it is least where they are those of the motion (Gauss).

use crate::dynamics::newton_euler::Wrench;
use crate::expr::Graph;
use crate::ids::ExprId;
use crate::kinematics::Move;
use crate::spatial::{Articulated, Axes, Direction, Rot3, Vec3};
use std::collections::BTreeMap;

/// What hangs at some place of the chain.
#[derive(Debug, Clone)]
pub(super) struct Hanging {
    /// I.
    pub(super) inertia: Articulated,
    /// b: needed on top of what accelerations need.
    pub(super) bias: Wrench,
    pub(super) shared: Shared,
}

/// Velocities that are not released yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    list: BTreeMap<usize, Unreleased>,
    /// D by pairs of velocities, the smaller one first; what is missing is zero.
    inertia: BTreeMap<(usize, usize), ExprId>,
}

/// One velocity that is not released yet.
#[derive(Debug, Clone, Copy)]
struct Unreleased {
    /// How many of its motions hang here.
    motions: u32,
    /// A column of U: what the place needs to stand still while w is one.
    wrench: Wrench,
    /// c: needed along it, on top of what accelerations need.
    bias: ExprId,
}

/// A velocity as it is released: w = alone − scaled·a − Σ coupled w_l.
pub(super) struct Found {
    pub(super) pivot: ExprId,
    pub(super) scaled: [ExprId; 6],
    pub(super) coupled: Vec<(usize, ExprId)>,
    pub(super) alone: ExprId,
}

impl Hanging {
    pub(super) fn new(inertia: Articulated, bias: Wrench) -> Self {
        Self { inertia, bias, shared: Shared::default() }
    }

    /// Hangs something else at the same place.
    pub(super) fn add(&mut self, graph: &mut Graph, other: Self) {
        self.inertia = self.inertia.add(graph, &other.inertia);
        self.bias = self.bias.add(graph, other.bias);
        for (velocity, more) in other.shared.list {
            match self.shared.list.get_mut(&velocity) {
                Some(known) => {
                    known.motions += more.motions;
                    known.wrench = known.wrench.add(graph, more.wrench);
                    known.bias = graph.add(known.bias, more.bias);
                }
                None => {
                    self.shared.list.insert(velocity, more);
                }
            }
        }
        for (pair, more) in other.shared.inertia {
            self.shared.add(graph, pair, more);
        }
    }

    /// The same on the near side of a move that does not move by itself.
    pub(super) fn before(&self, graph: &mut Graph, step: &Move) -> Self {
        let inertia = match step {
            Move::Translate { r, .. } => self.inertia.shifted(graph, *r),
            Move::FixedRotation { rot } | Move::Spherical { rot, .. } => self.inertia.rotated(graph, *rot),
            Move::Rotate { rot, axis, angle, .. } => self.inertia.turned(graph, rot.to, *axis, *angle),
            Move::WorldAligned { rot, .. } => self.inertia.unturning(graph, *rot),
        };
        let bias = before(graph, step, self.bias);
        let mut shared = self.shared.clone();
        for unreleased in shared.list.values_mut() {
            unreleased.wrench = before(graph, step, unreleased.wrench);
        }
        Self { inertia, bias, shared }
    }

    /// Lets a direction s move with velocities, each with how fast it does per unit of the velocity:
    ///
    /// ```text
    /// a after = a + s Σ ρ_k w_k
    /// D_kl += ρ_k ρ_l sᵀI s + ρ_k sᵀU_l + ρ_l sᵀU_k,    U_k += ρ_k I s,    c_k += ρ_k s·b
    /// ```
    pub(super) fn share(&mut self, graph: &mut Graph, direction: Direction, velocities: &[(usize, ExprId)]) {
        let axes = self.inertia.axes;
        let zero = graph.zero();
        let nothing = Unreleased { motions: 0, wrench: Wrench::of_entries(axes, [zero; 6]), bias: zero };
        for &(velocity, _) in velocities {
            self.shared.list.entry(velocity).or_insert(nothing);
        }
        let column = self.inertia.column(direction);
        let along: Vec<(usize, ExprId)> = self
            .shared
            .list
            .iter()
            .map(|(&velocity, unreleased)| (velocity, unreleased.wrench.entries()[direction]))
            .collect();
        for (index, &(k, rho)) in velocities.iter().enumerate() {
            for &(l, met) in &along {
                let mixed = graph.mul(rho, met);
                let mixed = if k == l { graph.scale(2.0, mixed) } else { mixed };
                self.shared.add(graph, (k, l), mixed);
            }
            for &(l, other) in &velocities[index..] {
                let rates = graph.mul(rho, other);
                let own = graph.mul(rates, column[direction]);
                self.shared.add(graph, (k, l), own);
            }
        }
        let bias = self.bias.entries()[direction];
        for &(velocity, rho) in velocities {
            let Some(unreleased) = self.shared.list.get_mut(&velocity) else { continue };
            unreleased.motions += 1;
            let moved = column.map(|entry| graph.mul(rho, entry));
            unreleased.wrench = unreleased.wrench.add(graph, Wrench::of_entries(axes, moved));
            let needed = graph.mul(rho, bias);
            unreleased.bias = graph.add(unreleased.bias, needed);
        }
    }

    /// Releases velocity k, with the torque τ applied along it; `None` if it has no inertia by its very form.
    /// The others keep
    ///
    /// ```text
    /// I' = I − U_k U_kᵀ / D_kk,    b' = b + U_k (τ − c_k) / D_kk,    the same for U_l and c_l with D_kl
    /// ```
    pub(super) fn release(&mut self, graph: &mut Graph, k: usize, torque: ExprId) -> Option<Found> {
        let own = self.shared.list.remove(&k)?;
        let pivot = self.shared.inertia.remove(&(k, k)).filter(|&pivot| !graph.is_zero(pivot))?;
        let one = graph.one();
        let reciprocal = graph.div(one, pivot);
        let missing = graph.sub(torque, own.bias);
        let column = own.wrench.entries();
        let scaled = column.map(|entry| graph.mul(entry, reciprocal));
        let alone = graph.mul(missing, reciprocal);
        let others: Vec<usize> = self.shared.list.keys().copied().collect();
        let mut met: Vec<(usize, ExprId)> = Vec::new();
        for l in others {
            if let Some(entry) = self.shared.inertia.remove(&(k.min(l), k.max(l))) {
                met.push((l, entry));
            }
        }
        let coupled: Vec<(usize, ExprId)> =
            met.iter().map(|&(l, entry)| (l, graph.mul(entry, reciprocal))).collect();
        for (index, &(l, factor)) in coupled.iter().enumerate() {
            for &(m, entry) in &met[index..] {
                let taken = graph.mul(factor, entry);
                let taken = graph.neg(taken);
                self.shared.add(graph, (l, m), taken);
            }
            self.shared.take(graph, l, factor, &column, missing);
        }
        self.inertia = self.inertia.less(graph, &column, &scaled);
        let entries = self.bias.entries();
        let felt = [0, 1, 2, 3, 4, 5].map(|i| {
            let passed = graph.mul(scaled[i], missing);
            graph.add(entries[i], passed)
        });
        self.bias = Wrench::of_entries(self.inertia.axes, felt);
        Some(Found { pivot, scaled, coupled, alone })
    }
}

impl Shared {
    /// A velocity of which all motions hang here.
    pub(super) fn complete(&self, n_motions: &[u32]) -> Option<usize> {
        let mut complete =
            self.list.iter().filter(|&(&velocity, found)| found.motions == n_motions[velocity]);
        complete.next().map(|(&velocity, _)| velocity)
    }

    /// Releases a direction with a velocity of its own, whose column of inertia over its pivot is `scaled` and
    /// along which `missing` is not balanced; the factors of all w that are met there.
    pub(super) fn release(
        &mut self,
        graph: &mut Graph,
        direction: Direction,
        scaled: &[ExprId; 6],
        reciprocal: ExprId,
        missing: ExprId,
    ) -> Vec<(usize, ExprId)> {
        let along = self.list.iter().map(|(&l, unreleased)| (l, unreleased.wrench.entries()[direction]));
        let met: Vec<(usize, ExprId)> = along.filter(|&(_, entry)| !graph.is_zero(entry)).collect();
        let factors: Vec<(usize, ExprId)> =
            met.iter().map(|&(l, entry)| (l, graph.mul(entry, reciprocal))).collect();
        for (index, (&(l, factor), &(_, entry))) in factors.iter().zip(&met).enumerate() {
            for &(m, other) in &met[index..] {
                let taken = graph.mul(factor, other);
                let taken = graph.neg(taken);
                self.add(graph, (l, m), taken);
            }
            let Some(unreleased) = self.list.get_mut(&l) else { continue };
            let passed = graph.mul(factor, missing);
            unreleased.bias = graph.add(unreleased.bias, passed);
            let mut entries = unreleased.wrench.entries();
            for k in 0..6 {
                let taken = graph.mul(scaled[k], entry);
                // What is left along the direction is zero by itself.
                entries[k] = if k == direction { graph.zero() } else { graph.sub(entries[k], taken) };
            }
            unreleased.wrench = Wrench::of_entries(unreleased.wrench.force.axes, entries);
        }
        factors
    }

    /// Takes what another velocity took, with D_kl / D_kk as the factor.
    fn take(&mut self, graph: &mut Graph, l: usize, factor: ExprId, column: &[ExprId; 6], missing: ExprId) {
        let Some(unreleased) = self.list.get_mut(&l) else { return };
        let entries = unreleased.wrench.entries();
        let left = [0, 1, 2, 3, 4, 5].map(|i| {
            let taken = graph.mul(factor, column[i]);
            graph.sub(entries[i], taken)
        });
        unreleased.wrench = Wrench::of_entries(unreleased.wrench.force.axes, left);
        let passed = graph.mul(factor, missing);
        unreleased.bias = graph.add(unreleased.bias, passed);
    }

    fn add(&mut self, graph: &mut Graph, (k, l): (usize, usize), more: ExprId) {
        if !graph.is_zero(more) {
            let zero = graph.zero();
            let entry = self.inertia.entry((k.min(l), k.max(l))).or_insert(zero);
            *entry = graph.add(*entry, more);
        }
    }
}

impl Wrench {
    pub(super) fn add(self, graph: &mut Graph, other: Self) -> Self {
        Self { force: self.force.add(graph, other.force), moment: self.moment.add(graph, other.moment) }
    }

    /// Torque before force.
    pub(super) fn entries(&self) -> [ExprId; 6] {
        let ([x, y, z], [u, v, w]) = (self.moment.xyz, self.force.xyz);
        [x, y, z, u, v, w]
    }

    pub(super) fn of_entries(axes: Axes, [x, y, z, u, v, w]: [ExprId; 6]) -> Self {
        Self { moment: Vec3::new(axes, [x, y, z]), force: Vec3::new(axes, [u, v, w]) }
    }
}

/// A wrench on the near side of a move.
fn before(graph: &mut Graph, step: &Move, wrench: Wrench) -> Wrench {
    let turned = |graph: &mut Graph, rot: Rot3| Wrench {
        force: rot.apply(graph, wrench.force),
        moment: rot.apply(graph, wrench.moment),
    };
    match step {
        Move::Translate { r, .. } => {
            let lever = r.cross(graph, wrench.force);
            Wrench { moment: wrench.moment.add(graph, lever), ..wrench }
        }
        Move::FixedRotation { rot } | Move::Rotate { rot, .. } | Move::Spherical { rot, .. } => {
            turned(graph, *rot)
        }
        Move::WorldAligned { rot, .. } => Wrench { moment: Vec3::zero(graph, rot.to), ..turned(graph, *rot) },
    }
}
