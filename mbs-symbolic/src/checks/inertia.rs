//! Moments of inertia a body of positive mass can have.
//!
//! Principal moments are sums of two of the three integrals ∫x²dm, ∫y²dm, ∫z²dm, so that none
//! is larger than the other two together. A body of which not all three diagonal entries are
//! given is left alone: whoever models in a plane needs one of them only.

use crate::diag::{Diagnostics, Problem};
use crate::model::{Defaults, Formula, Model, least_eigenvalue, negative_moment};

/// How much larger the largest moment may be, as a part of it: data have few digits.
const TOLERANCE: f64 = 1e-3;

pub(super) fn check(model: &Model, found: &mut Diagnostics) {
    let defaults = Defaults::new(model);
    for body in model.bodies.iter().skip(1) {
        let [xx, yy, zz, ..] = &body.inertia;
        // Entries that are not given all have the same place.
        let sharing = |entry: &Formula| body.inertia.iter().filter(|other| other.span == entry.span).count();
        if [xx, yy, zz].iter().any(|entry| sharing(entry) > 1) {
            continue;
        }
        let entries: Option<Vec<f64>> = body.inertia.iter().map(|entry| defaults.evaluate(entry)).collect();
        let Some(entries) = entries.and_then(|entries| <[f64; 6]>::try_from(entries).ok()) else {
            continue;
        };
        let [least, middle, largest] = principal_moments(entries);
        // A negative one is the reader's business.
        if negative_moment(entries).is_none() && largest > (least + middle) + TOLERANCE * largest {
            found.warning(
                xx.span.to(zz.span),
                Problem::InertiaTriangle {
                    body: body.name.text.clone(),
                    largest: super::short(largest),
                    others: super::short(least + middle),
                },
            );
        }
    }
}

/// Smallest first.
fn principal_moments(matrix: [f64; 6]) -> [f64; 3] {
    let least = least_eigenvalue(matrix);
    let largest = -least_eigenvalue(matrix.map(|x| -x));
    [least, matrix[0] + matrix[1] + matrix[2] - least - largest, largest]
}

#[cfg(test)]
mod tests {
    use super::principal_moments;

    #[test]
    fn moments_of_a_turned_body() {
        // diag(1, 2, 5) turned by 45° about z.
        let found = principal_moments([1.5, 1.5, 5.0, -0.5, 0.0, 0.0]);
        assert!(found.iter().zip([1.0, 2.0, 5.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }
}
