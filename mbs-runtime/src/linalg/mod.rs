//! Small dense linear algebra on the caller's memory.
//!
//! Matrices are column-major. Nothing allocates.

mod cholesky;
mod jacobi;
mod kkt;
#[cfg(feature = "std")]
mod saddle;

pub use cholesky::{NotPositiveDefinite, cholesky, solve_lower, solve_lower_transposed};
pub use jacobi::orthogonalise;
pub use kkt::{Accelerations, RANK_GAP, accelerations, workspace_len};
#[cfg(feature = "std")]
pub use saddle::{Saddle, Singular};

/// a · b
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// y += factor · x
fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}
