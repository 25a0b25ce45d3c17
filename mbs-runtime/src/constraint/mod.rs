//! Keeping to the constraints: projection, redundant rows, consistent initial values,
//! equilibrium.

#[cfg(feature = "std")]
mod closing;
#[cfg(feature = "std")]
mod columns;
#[cfg(feature = "std")]
mod contradiction;
#[cfg(feature = "std")]
mod equilibrium;
#[cfg(feature = "std")]
mod full_rank;
#[cfg(feature = "std")]
mod holding;
#[cfg(feature = "std")]
mod newton;
#[cfg(feature = "std")]
mod part;
#[cfg(feature = "std")]
mod projection;
mod quaternion;
#[cfg(feature = "std")]
mod redundancy;
#[cfg(feature = "std")]
mod row_conditioning;
#[cfg(feature = "std")]
mod settling;
#[cfg(feature = "std")]
mod start;

#[cfg(feature = "std")]
pub use contradiction::{Contradiction, Level, contradiction_over_time};
#[cfg(feature = "std")]
pub use equilibrium::{Equilibrium, Unbalanced, balancing_parameters, equilibrium};
#[cfg(feature = "std")]
pub(crate) use projection::multiply;
#[cfg(feature = "batch")]
pub(crate) use projection::{MAX_ITERATIONS, ROUNDING, SMALL_ENOUGH};
#[cfg(feature = "std")]
pub use projection::{NotConverged, Projector, Tolerances};
pub use quaternion::normalise;
#[cfg(feature = "std")]
pub use redundancy::{Reduction, Redundancy};
#[cfg(feature = "std")]
pub(crate) use row_conditioning::{NEAR_SINGULAR, RowConditioning, Weakest};
#[cfg(feature = "std")]
pub use start::{Inconsistent, Listed, MET, Start, StartValue, consistent, consistent_with};
