//! Approach to a singular pose: step sizes chosen such that it falls between stages.
//!
//! Where constraint rows become dependent at one pose of a smooth motion, rounding of the
//! positions is divided by the square of the distance to the pose before it reaches the
//! accelerations. A stage close to the pose knows little, and a step that starts close to it
//! hands this on, so that the error estimate asks for ever smaller steps. Far enough from
//! the pose nothing is lost, and the motion through it is smooth. So steps are chosen such
//! that the pose falls where the formula looks least.

use crate::constraint::Weakest;
use mbs_math::{floor, sqrt};

/// A row of whose pivot less than this part is left is watched.
const NEAR: f64 = 0.3;

/// So many steps ahead of a pose their sizes are adjusted; more would be hardly longer.
const STEPS_AHEAD: f64 = 3.0;

/// A pose nearer than this part of the step needs no care: all stages are beyond it.
const AT_ONCE: f64 = 0.1;

/// Watches a row lose its independence and tells when it will have lost it.
#[derive(Debug)]
pub(super) struct SingularApproach {
    /// Where in a step a pose shall fall, as a part of the step; none for methods that do
    /// not care.
    fraction: Option<f64>,
    /// Time of the last accepted state, and the root of the part left there.
    last: Option<(f64, f64)>,
    /// Time of the pose ahead.
    pose: Option<f64>,
}

impl SingularApproach {
    pub(super) fn new(fraction: Option<f64>) -> Self {
        Self { fraction, last: None, pose: None }
    }

    /// A step was kept. It ended at time t with the part `after` left of the weakest row, and
    /// `weakest` was the weakest of all its stages. Where the step led over a pose this gives
    /// the parts left at its ends.
    pub(super) fn arrived(&mut self, t: f64, after: f64, weakest: Weakest) -> Option<[f64; 2]> {
        self.fraction?;
        let planned = self.pose.take().is_some_and(|pose| pose < t);
        // A pivot is the square of what is independent, and that goes to zero linearly.
        let distance = sqrt(after);
        let (start, far) = self.last.replace((t, distance))?;
        let before = far * far;
        if planned || weakest.part < NEAR && weakest.part < 0.5 * after && weakest.part < before {
            return Some([before, after]);
        }
        if after < NEAR && distance < far {
            self.pose = Some(t + distance * (t - start) / (far - distance));
        }
        None
    }

    /// The motion changed.
    pub(super) fn restart(&mut self) {
        (self.last, self.pose) = (None, None);
    }

    /// The step size to try from time t where the error allows h.
    pub(super) fn limit(&self, t: f64, h: f64) -> f64 {
        let (Some(fraction), Some(pose)) = (self.fraction, self.pose) else { return h };
        let left = pose - t;
        // Steps before the one that leads over the pose.
        let before = -floor(fraction - left / h);
        if left < AT_ONCE * h || before > STEPS_AHEAD {
            return h;
        }
        left / (before.max(0.0) + fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Steps of a motion that loses a row at t = 1, with errors that allow h.
    fn ends(h: f64, first: f64) -> Vec<f64> {
        let mut approach = SingularApproach::new(Some(0.55));
        let part = |t: f64| (1.0 - t) * (1.0 - t);
        let mut ends = std::vec![first];
        while *ends.last().unwrap() < 1.0 {
            let before = *ends.last().unwrap();
            let t = before + approach.limit(before, h);
            let weakest = if t > 1.0 { 0.0 } else { part(t) };
            let passed = approach.arrived(t, part(t), Weakest { row: 0, part: weakest });
            assert_eq!(passed.is_some(), t > 1.0);
            ends.push(t);
        }
        assert_eq!(approach.limit(*ends.last().unwrap(), h), h, "behind the pose all is as before");
        ends
    }

    #[test]
    fn the_pose_falls_between_stages_wherever_steps_begin() {
        for k in 0..100 {
            let h = 0.02;
            let ends = ends(h, 0.5 + 0.0003 * f64::from(k));
            let steps: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let last = *steps.last().unwrap();
            let fraction: f64 = (1.0 - ends[ends.len() - 2]) / last;
            assert!((fraction - 0.55).abs() < 1e-9, "{fraction}");
            assert!(steps.iter().all(|step| (0.7 * h..=1.000001 * h).contains(step)), "{steps:?}");
        }
    }

    #[test]
    fn a_pose_met_too_closely_is_left_at_full_speed() {
        let mut approach = SingularApproach::new(Some(0.55));
        for (t, part) in [(0.9, 0.01), (0.999, 1e-6)] {
            assert_eq!(approach.arrived(t, part, Weakest { row: 0, part }), None);
        }
        assert_eq!(approach.limit(0.999, 0.02), 0.02);
        assert!((approach.limit(0.999, 0.005) - 0.001 / 0.55).abs() < 1e-9);
    }
}
