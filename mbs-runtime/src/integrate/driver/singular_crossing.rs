//! Singular poses between the stages of a step.

use super::Driver;
use crate::constraint::Weakest;
use crate::integrate::Method;
use mbs_math::sqrt;

/// Looks within one step; each comes several times closer.
const MAX_LOOKS: u32 = 4;

impl<M: Method + ?Sized> Driver<'_, '_, M> {
    /// Notes how weak the constraint rows become within the trial step, at whose ends these
    /// parts of them are left. Not part of the integration.
    pub(super) fn look_between(&mut self, [before, after]: [f64; 2]) {
        if self.method.prepare_dense(self.plant, &self.state, &self.trial).is_err() {
            return;
        }
        let counts = self.plant.statistics;
        // The part is a square, and its root goes to zero in straight lines from both sides.
        let (root_before, root_after) = (sqrt(before), sqrt(after));
        let mut theta = root_before / (root_before + root_after);
        let mut around = [(0.0, before), (1.0, after)];
        let mut best: Option<(f64, Weakest)> = None;
        for _ in 0..MAX_LOOKS {
            // Also false where the ends left nothing to divide by.
            if !(theta > around[0].0 && theta < around[1].0) {
                break;
            }
            let weakest = self.weakest_at(theta);
            self.singular.note(self.between.t, weakest);
            match best {
                Some((other, held)) if held.part <= weakest.part => {
                    around[usize::from(theta > other)] = (theta, weakest.part);
                }
                _ => {
                    if let Some((other, held)) = best {
                        around[usize::from(other > theta)] = (other, held.part);
                    }
                    best = Some((theta, weakest));
                }
            }
            let Some((middle, held)) = best else { break };
            theta = lowest([around[0], (middle, held.part), around[1]]);
        }
        self.plant.statistics = counts;
        self.plant.row_conditioning.take();
    }

    /// The weakest row in the middle of the trial step.
    fn weakest_at(&mut self, theta: f64) -> Weakest {
        self.method.interpolate(&self.state, &self.trial, theta, &mut self.between);
        let state = &self.between;
        self.plant.row_conditioning.take();
        self.plant.eval_mass_and_jacobian(state.t, &state.p, &state.v, &state.x);
        // Where the factors do not exist no row is told; what was seen elsewhere stays.
        let _ = self.plant.factor(&mut self.saddle);
        self.plant.row_conditioning.take()
    }
}

/// Where the parabola through three points is lowest.
fn lowest([(x0, y0), (x1, y1), (x2, y2)]: [(f64, f64); 3]) -> f64 {
    let (left, right) = ((x1 - x0) * (y1 - y2), (x1 - x2) * (y1 - y0));
    x1 - 0.5 * ((x1 - x0) * left - (x1 - x2) * right) / (left - right)
}

#[cfg(test)]
mod tests {
    use super::lowest;

    #[test]
    fn a_parabola_is_met_at_its_vertex() {
        let at = |x: f64| (x, 3.0 * (x - 0.4) * (x - 0.4) + 0.1);
        assert!((lowest([at(0.0), at(0.55), at(1.0)]) - 0.4).abs() < 1e-14);
    }
}
