//! Stage 3: [`Topology`](crate::topology::Topology) → kinematics.
//!
//! The tree becomes a chain of elementary moves per link ([`chain`]), in computation
//! frames the compiler chooses ([`frames`]); the user's frames are placed on the links
//! and used only where something is asked or acts in them. Quantities of one link as
//! another sees them, with their derivatives, are [`relative`] and [`jet`].

pub(crate) mod chain;
mod frames;
mod inward;
pub(crate) mod jet;
pub(crate) mod motion;
pub(crate) mod queries;
pub(crate) mod relative;
mod spins;

pub(crate) use chain::{Chain, FrameOnLink, Link, Move};
pub(crate) use frames::{Transform, z_onto};
pub(crate) use jet::{Jet, VecJet};
pub(crate) use motion::{Column, Motion};
pub(crate) use queries::Kinematics;
