//! Step size control.

use mbs_math as math;

/// Proportional-integral control of the step size (Hairer & Wanner, *Solving ODEs II*,
/// IV.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Controller {
    exponent: f64,
    previous: f64,
    after_rejection: bool,
}

const SAFETY: f64 = 0.9;
const BETA: f64 = 0.04;
const MIN_FACTOR: f64 = 0.2;
const MAX_FACTOR: f64 = 10.0;

impl Controller {
    /// For an error that behaves like h^order.
    pub(super) fn new(order: u32) -> Self {
        Self { exponent: 1.0 / f64::from(order), previous: 1e-4, after_rejection: false }
    }

    /// The factor for the next step after one with this weighted error, and whether the
    /// step is kept.
    pub(super) fn judge(&mut self, error: f64) -> (f64, bool) {
        if error <= 1.0 {
            let error = error.max(1e-10);
            let raw =
                SAFETY * math::pow(error, -(self.exponent - 0.75 * BETA)) * math::pow(self.previous, BETA);
            let largest = if self.after_rejection { 1.0 } else { MAX_FACTOR };
            self.previous = error.max(1e-4);
            self.after_rejection = false;
            (raw.clamp(MIN_FACTOR, largest), true)
        } else {
            self.after_rejection = true;
            let raw = if error.is_finite() { SAFETY * math::pow(error, -self.exponent) } else { MIN_FACTOR };
            (raw.clamp(MIN_FACTOR, 1.0), false)
        }
    }

    /// After a step without result.
    pub(super) fn failed(&mut self) -> f64 {
        self.after_rejection = true;
        0.25
    }

    /// Forgets earlier steps.
    pub(super) fn restart(&mut self) {
        self.previous = 1e-4;
        self.after_rejection = false;
    }
}
