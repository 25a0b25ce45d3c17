//! Keeping to the constraints: projection and consistent initial values.

#[cfg(feature = "std")]
mod initial;
#[cfg(feature = "std")]
mod projection;
mod quaternion;

#[cfg(feature = "std")]
pub use initial::{Inconsistent, consistent};
#[cfg(feature = "std")]
pub use projection::{NotConverged, Projector, Tolerances};
pub use quaternion::normalise;
