//! Vectors, rotations and inertias over expressions.
//!
//! A value carries the axes its components are in; mixing axes is a bug of the
//! compiler and caught by an assertion while equations are built.

mod articulated;
mod inertia;
mod rot3;
mod spin;
mod turning;
mod vec3;

pub(crate) use articulated::{Articulated, Direction};
pub(crate) use inertia::{Inertia, Symmetric3};
pub(crate) use rot3::Rot3;
pub(crate) use spin::{acceleration_at, angular_acceleration_operator};
pub(crate) use turning::sin_cos;
pub(crate) use vec3::Vec3;

/// A set of axes equations are computed in. Ground's are [`Axes::GROUND`]; the others
/// are numbered as the kinematic chain is laid out and are not the user's frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Axes(pub(crate) u32);

impl Axes {
    /// Ground's axes, which are the user's ground axes.
    pub(crate) const GROUND: Self = Self(0);
}
