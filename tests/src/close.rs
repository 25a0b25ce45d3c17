//! One measure of error for every comparison.

/// max|a − b| / max(max|b|, `largest_term`); infinite if a value is not finite or the
/// lengths differ. Two lists of zeros agree whatever the scale.
pub fn error(a: &[f64], b: &[f64], largest_term: f64) -> f64 {
    if a.len() != b.len() || a.iter().chain(b).any(|value| !value.is_finite()) {
        return f64::INFINITY;
    }
    let difference = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let scale = b.iter().map(|b| b.abs()).fold(largest_term.abs(), f64::max);
    if difference == 0.0 { 0.0 } else { difference / scale }
}

/// Asserts that `a` and the reference `b` agree to `tolerance` as [`error`] measures it.
/// `largest_term` is the largest term summed into `b`, zero if nothing cancels.
#[track_caller]
pub fn assert_close(what: &str, a: &[f64], b: &[f64], largest_term: f64, tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}: lengths differ");
    let error = error(a, b, largest_term);
    if error > tolerance {
        let worst =
            (0..a.len()).max_by(|i, j| (a[*i] - b[*i]).abs().total_cmp(&(a[*j] - b[*j]).abs())).unwrap_or(0);
        panic!(
            "{what}: error {error:e} > {tolerance:e}; worst entry {worst}: {:?}, expected {:?}",
            a[worst], b[worst]
        );
    }
}
