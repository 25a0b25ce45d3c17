//! Stage 3: [`Topology`](crate::topology::Topology) → kinematics.
//!
//! The tree becomes a chain of elementary moves per link ([`chain`]), in computation
//! frames the compiler chooses ([`frames`]); the user's frames are placed on the links
//! and used only where something is asked or acts in them. Quantities of one link as
//! another sees them, with their derivatives, are [`seen`] and [`jet`].

pub(crate) mod chain;
mod frames;
pub(crate) mod jet;
pub(crate) mod motion;
mod nested;
pub(crate) mod queries;
pub(crate) mod seen;
mod spins;

pub(crate) use chain::{Chain, Link, Move, Placement};
pub(crate) use frames::{Transform, z_onto};
pub(crate) use jet::{Jet, VecJet};
pub(crate) use motion::{Column, Motion};
pub(crate) use queries::Kinematics;
