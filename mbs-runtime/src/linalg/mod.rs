//! Small dense and larger sparse linear algebra.
//!
//! Matrices are column-major. Nothing allocates after set-up.

mod cholesky;
#[cfg(feature = "std")]
mod elimination;
mod jacobi;
mod kkt;
mod ldlt;
#[cfg(feature = "std")]
mod lu;
#[cfg(feature = "std")]
mod saddle;
#[cfg(feature = "std")]
mod sparse;
#[cfg(feature = "std")]
mod stage_matrix;

pub use cholesky::{NotPositiveDefinite, cholesky, solve_lower, solve_lower_transposed};
pub use jacobi::orthogonalise;
pub use kkt::{Accelerations, RANK_GAP, accelerations, workspace_len};
pub use ldlt::{DependentRow, LOST_PIVOT, LostPivot, assemble, ldlt, solve_ldlt};
#[cfg(feature = "std")]
pub use lu::{Lu, Number};
#[cfg(feature = "std")]
pub(crate) use saddle::{LARGE, worthwhile};
#[cfg(feature = "std")]
pub use saddle::{Saddle, Singular};
#[cfg(feature = "std")]
pub use sparse::SparseLdlt;
#[cfg(feature = "std")]
pub use stage_matrix::NonsymmetricKkt;

/// A factored matrix.
pub trait Factors {
    /// Overwrites `b` with the solution.
    fn solve(&mut self, b: &mut [f64]);
}

/// a · b
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// y += factor · x
pub(crate) fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}
