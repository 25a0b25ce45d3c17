//! When positions are projected (Simeon 1996, eq. 16).

use super::run::Projection;
use crate::constraint::NEAR_SINGULAR;

/// Steps between position projections: at the start, at most.
const FIRST_INTERVAL: u32 = 4;
const MAX_INTERVAL: u32 = 8;

/// Thresholds on the first correction of a projection, in tolerances.
const CALM: f64 = 0.009;
const STIRRED: f64 = 0.02;

/// Counts steps and watches how large corrections are.
#[derive(Debug)]
pub(super) struct ProjectionControl {
    interval: u32,
    since: u32,
    /// First correction of the attempt, if it projected positions.
    correction: Option<f64>,
}

impl ProjectionControl {
    pub(super) fn new() -> Self {
        Self { interval: FIRST_INTERVAL, since: 0, correction: None }
    }

    /// Whether the step now tried projects its positions; `relative_pivot` is the part left of
    /// the weakest constraint row.
    pub(super) fn is_due(&mut self, mode: Projection, relative_pivot: f64) -> bool {
        self.correction = None;
        match mode {
            Projection::None | Projection::Velocity => false,
            Projection::EveryStep => true,
            // Near a singular pose drift would be blown up.
            Projection::Controlled => self.since + 1 >= self.interval || relative_pivot < NEAR_SINGULAR,
        }
    }

    /// The attempt projected, with a first correction of this size.
    pub(super) fn projected(&mut self, correction: f64) {
        self.correction = Some(correction);
    }

    /// The attempt is kept.
    pub(super) fn accepted(&mut self) {
        let Some(size) = self.correction else {
            self.since += 1;
            return;
        };
        self.since = 0;
        self.interval = if size < CALM {
            (2 * self.interval).min(MAX_INTERVAL)
        } else if size < STIRRED {
            self.interval
        } else {
            (self.interval / 2).max(1)
        };
    }

    /// Forgets earlier steps.
    pub(super) fn restart(&mut self) {
        *self = Self::new();
    }
}
