//! Orientations as unit quaternions.

use crate::{Layout, math};

/// Scales every quaternion to unit length.
pub fn normalise(layout: &Layout, p: &mut [f64]) {
    for block in layout.quaternions.iter() {
        let start = block.p as usize;
        let q = &mut p[start..start + 4];
        let norm = math::sqrt(q.iter().map(|q| q * q).sum());
        if norm > 0.0 {
            q.iter_mut().for_each(|q| *q /= norm);
        }
    }
}
