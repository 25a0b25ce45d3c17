//! Detection of stiffness in explicit methods.
//!
//! Where stability and not accuracy limits the steps of an explicit method, h times the dominant
//! eigenvalue stays at the boundary of its stability region, which is 3.3 on the negative real
//! axis for all methods here, and not much less up to an angle of 10° from the imaginary one. Two stages at the end of a step tell the eigenvalue (E. Hairer,
//! G. Wanner, *Solving ODEs II*, IV.2):
//!
//! ```text
//! ρ = ‖v'₆ − v'₇‖ / ‖v₆ − v₇‖
//! ```
//!
//! The norm is that of M, in which damping and stiffness are symmetric and units do not matter,
//! and the accelerations are those constraints leave. Positions take no part: their rates are
//! the velocities, and in an eigenvector v'/v is the eigenvalue.

use super::run::{Remedy, Stiffness};
use crate::constraint::Tolerances;
use crate::plant::Plant;
use crate::state::State;
use mbs_math as math;

/// h ρ near the boundary of the stability region. DOPRI5 takes 3.25; with tight tolerances the
/// error of the fast motion keeps steps a little within, while motions that are not stiff stay
/// below 1.
const BOUNDARY: f64 = 2.0;

/// So many steps at the boundary, without so many elsewhere in between, make a run stiff.
const STIFF: u32 = 15;
const NOT_STIFF: u32 = 6;

/// While nothing is suspected every so many steps are looked at.
const INTERVAL: u64 = 10;

/// A run that has fewer steps to go is not worth another method.
const WORTH_CHANGING: f64 = 200.0;

/// Differences of the stages below this part of the tolerances are taken for rounding.
const ROUNDING: f64 = 1e-3;

/// Counts steps at the boundary of stability, as DOPRI5 does.
#[derive(Debug)]
pub(crate) struct StiffnessWatch {
    steps: u64,
    at_boundary: u32,
    elsewhere: u32,
    /// When the run turned stiff, and what became of it.
    found: Option<Stiffness>,
    mass_matrix: std::vec::Vec<f64>,
}

impl StiffnessWatch {
    pub(super) fn new(n_v: usize) -> Self {
        Self { steps: 0, at_boundary: 0, elsewhere: 0, found: None, mass_matrix: std::vec![0.0; n_v * n_v] }
    }

    /// Whether the step now accepted is looked at.
    pub(super) fn is_due(&mut self) -> bool {
        self.steps += 1;
        self.found.is_none() && (self.at_boundary > 0 || self.steps.is_multiple_of(INTERVAL))
    }

    /// A step of length h had these stages at its end, with `left` to go; whether the run has
    /// turned out to be stiff.
    pub(super) fn is_stiff(
        &mut self,
        plant: &mut Plant<'_>,
        [stage, end]: [&State; 2],
        h: f64,
        left: f64,
        tolerances: Tolerances,
    ) -> bool {
        plant.at(end.t, &end.p, &end.v, &end.x, |system, at| {
            system.mass_matrix(at, &mut self.mass_matrix);
        });
        let of_velocities = {
            let difference = relevant(&stage.v, &end.v, tolerances);
            let norm = |a: &[f64], b: &[f64]| kinetic_norm(&self.mass_matrix, a, b);
            if difference { norm(&stage.v_dot, &end.v_dot) / norm(&stage.v, &end.v) } else { 0.0 }
        };
        let of_states = {
            let difference = relevant(&stage.x, &end.x, tolerances);
            let norm = |a: &[f64], b: &[f64]| weighted_norm(a, b, &end.x, tolerances);
            if difference { norm(&stage.x_dot, &end.x_dot) / norm(&stage.x, &end.x) } else { 0.0 }
        };
        self.count(h * of_velocities.max(of_states)) && left > WORTH_CHANGING * h
    }

    /// Counts a step with this h ρ.
    fn count(&mut self, h_rho: f64) -> bool {
        if h_rho > BOUNDARY {
            self.elsewhere = 0;
            self.at_boundary += 1;
        } else {
            self.elsewhere += 1;
            if self.elsewhere >= NOT_STIFF {
                self.at_boundary = 0;
            }
        }
        self.at_boundary >= STIFF
    }

    /// Notes when the run turned stiff and what was done about it.
    pub(crate) fn note(&mut self, t: f64, remedy: Remedy) {
        self.found = Some(Stiffness { t, remedy, until: None });
    }

    /// Notes that the implicit method has failed.
    pub(super) fn note_failure(&mut self, t: f64) {
        if let Some(found) = &mut self.found {
            found.until = Some(t);
        }
    }

    pub(crate) fn found(&self) -> Option<Stiffness> {
        self.found
    }
}

/// Whether the difference of two stages is more than rounding.
fn relevant(a: &[f64], b: &[f64], tolerances: Tolerances) -> bool {
    weighted_norm(a, b, b, tolerances) > ROUNDING
}

/// ‖a − b‖ by the weights of the tolerances.
fn weighted_norm(a: &[f64], b: &[f64], reference: &[f64], Tolerances { rtol, atol }: Tolerances) -> f64 {
    let square = |((a, b), reference): ((&f64, &f64), &f64)| {
        let scaled = (a - b) / (rtol * reference.abs() + atol);
        scaled * scaled
    };
    let sum: f64 = a.iter().zip(b).zip(reference).map(square).sum();
    math::sqrt(sum / a.len().max(1) as f64)
}

/// √((a − b)ᵀ M (a − b)).
fn kinetic_norm(m: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let columns = m.chunks_exact(a.len().max(1));
    let sum: f64 = columns
        .zip(a.iter().zip(b))
        .map(|(column, (aj, bj))| {
            let row: f64 = column.iter().zip(a.iter().zip(b)).map(|(m, (a, b))| m * (a - b)).sum();
            row * (aj - bj)
        })
        .sum();
    math::sqrt(sum.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_steps_at_the_boundary_are_stiff_and_six_elsewhere_are_not() {
        let mut watch = StiffnessWatch::new(0);
        for _ in 0..14 {
            assert!(!watch.count(3.3));
        }
        assert!((0..6).all(|_| !watch.count(1.0)));
        for _ in 0..14 {
            assert!(!watch.count(3.3));
            assert!((0..5).all(|_| !watch.count(1.0)));
        }
        assert!(watch.count(3.3));
    }

    #[test]
    fn a_norm_in_the_metric_of_m() {
        // [2 1; 1 3] with the difference [1, −2]: 2 − 4 + 12.
        let norm = kinetic_norm(&[2.0, 1.0, 1.0, 3.0], &[1.0, 0.0], &[0.0, 2.0]);
        assert!((norm - 10_f64.sqrt()).abs() < 1e-15);
    }
}
