//! Keeping to the constraints: projection and consistent initial values.

mod initial;
mod projection;

pub use initial::{Inconsistent, consistent};
pub use projection::{NotConverged, Projector, Tolerances, normalise};
