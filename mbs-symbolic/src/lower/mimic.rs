//! Coordinates that follow others: q = ratio · master + offset.

use super::EquationContext;
use crate::ids::{CoordinateId, ExprId, VelocityId};

/// What a coordinate is of one that is an unknown of its own; chains are multiplied out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Follower {
    pub(super) master: CoordinateId,
    pub(super) ratio: ExprId,
    pub(super) offset: ExprId,
}

impl EquationContext<'_> {
    /// Forms ratios and offsets of all coordinates that follow others.
    pub(super) fn follow(&mut self) {
        let model = self.model;
        for id in model.coordinates.ids() {
            // Up to what is known already; the reader lets no circle through.
            let (mut chain, mut last) = (Vec::new(), id);
            while let (Some(mimic), None) = (&model.coordinates[last].mimic, self.symbols.followers[last]) {
                chain.push((last, mimic));
                last = mimic.master;
            }
            let itself = Follower { master: last, ratio: self.graph.one(), offset: self.graph.zero() };
            let mut followed = self.symbols.followers[last].unwrap_or(itself);
            for (id, mimic) in chain.into_iter().rev() {
                let (ratio, offset) = (self.parameter(&mimic.ratio), self.parameter(&mimic.offset));
                let passed = self.graph.mul(ratio, followed.offset);
                followed.offset = self.graph.add(passed, offset);
                followed.ratio = self.graph.mul(ratio, followed.ratio);
                self.symbols.followers[id] = Some(followed);
            }
        }
    }

    /// What the coordinate of a velocity follows, if it follows another.
    fn follower(&self, velocity: VelocityId) -> Option<(Follower, VelocityId)> {
        let follower = self.symbols.followers[self.model.velocities[velocity].coordinate?]?;
        let rate = self.model.coordinates[follower.master].rate;
        Some((follower, rate.expect("only coordinates with a rate are followed")))
    }

    /// The unknown velocity that a velocity is, or is a multiple of.
    pub(super) fn independent(&self, velocity: VelocityId) -> VelocityId {
        self.follower(velocity).map_or(velocity, |(_, rate)| rate)
    }

    /// How fast a velocity is per unit of the one it follows; `None` if it follows none.
    pub(crate) fn ratio(&self, velocity: VelocityId) -> Option<ExprId> {
        self.follower(velocity).map(|(follower, _)| follower.ratio)
    }

    /// The index in v of the velocity that a velocity is, or follows; `None` for cut joints.
    pub(crate) fn moved_by(&self, velocity: VelocityId) -> Option<u32> {
        self.symbols.velocities[self.independent(velocity)]
    }
}
