//! MDOP5: the Dormand-Prince Runge-Kutta method (DOPRI5) on the index-1 form with projection (Simeon 1996, section 4.2).

use super::parts::{PARTS, VELOCITIES, combine, values};
use super::projection_control::ProjectionControl;
use super::run::Projection;
use super::tableau::dormand_prince::{A, B_HAT, C, D};
use super::{Diverged, Method, StepSettings};
use crate::constraint::{NEAR_SINGULAR, Projector};
use crate::linalg::Saddle;
use crate::plant::Plant;
use crate::state::State;
use crate::{Layout, math};
use std::vec;
use std::vec::Vec;

/// The explicit method of order 5 for constrained systems; without constraints it is
/// DOPRI5.
#[derive(Debug)]
pub struct Mdop5 {
    name: &'static str,
    stages: Vec<State>,
    saddle: Saddle,
    chord: Saddle,
    projector: Projector,
    error: Vec<f64>,
    dense: [Vec<f64>; 3],
    control: ProjectionControl,
    h: f64,
}

impl Mdop5 {
    /// Workspace for a layout.
    pub fn new(layout: &Layout) -> Self {
        let (n_p, n_v, n_x) = (layout.n_p(), layout.n_v(), layout.n_x());
        Self {
            name: "mdop5",
            stages: (0..7).map(|_| State::new(layout)).collect(),
            saddle: layout.saddle(layout.n_lambda()),
            chord: layout.saddle(layout.n_lambda()),
            projector: Projector::new(layout),
            error: vec![0.0; n_p.max(n_v).max(n_x)],
            dense: [vec![0.0; n_p], vec![0.0; n_v], vec![0.0; n_x]],
            control: ProjectionControl::new(),
            h: 0.0,
        }
    }

    /// DOPRI5 for a layout; `None` if it has constraints.
    pub fn unconstrained(layout: &Layout) -> Option<Self> {
        (layout.n_lambda() == 0).then(|| Self { name: "dopri5", ..Self::new(layout) })
    }
}

/// For steps that are computed elsewhere, in lanes.
#[cfg(feature = "batch")]
impl Mdop5 {
    /// Whether the step now tried projects its positions.
    pub(crate) fn is_due(&mut self, projection: Projection, relative_pivot: f64) -> bool {
        self.control.is_due(projection, relative_pivot)
    }

    /// The step projected its positions, with a first correction of this size.
    pub(crate) fn projected(&mut self, size: f64) {
        self.control.projected(size);
    }

    /// A step of length h was tried: where its dense output goes, and its last stage before the
    /// end.
    pub(crate) fn attempted(&mut self, h: f64) -> (&mut [Vec<f64>; 3], &mut State) {
        self.h = h;
        (&mut self.dense, &mut self.stages[5])
    }
}

impl Method for Mdop5 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn order(&self) -> u32 {
        5
    }

    fn error_order(&self) -> u32 {
        5
    }

    fn attempt(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        h: f64,
        settings: &StepSettings,
        to: &mut State,
    ) -> Result<f64, Diverged> {
        let tolerances = settings.tolerances;
        self.h = h;
        self.stages[0].copy_from(from);
        let layout = plant.layout();
        let mut is_due = false;
        for i in 1..6 {
            if i == 5 {
                is_due = self.control.is_due(settings.projection, plant.row_conditioning.relative_pivot());
            }
            let (done, rest) = self.stages.split_at_mut(i);
            let stage = &mut rest[0];
            combine(from, done, A[i], h, stage);
            stage.t = from.t + C[i] * h;
            // The last factors serve the position projection.
            let outcome = match i == 5 && is_due && layout.n_g > 0 {
                true => plant.eval_derivatives_and_factors(stage, &mut self.chord),
                false => plant.eval_derivatives(stage, &mut self.saddle),
            };
            outcome.map_err(Diverged::Singular)?;
        }

        combine(from, &self.stages[..6], A[6], h, to);
        to.t = from.t + h;
        if is_due {
            let size = self
                .projector
                .positions(plant, &mut self.chord, to, tolerances)
                .map_err(Diverged::Projection)?;
            self.control.projected(size);
        }
        crate::constraint::normalise(layout, &mut to.p);
        let projects = layout.n_lambda() > 0 && settings.projection != Projection::None;
        if plant.use_generated_solver && !projects {
            plant.eval_derivatives(to, &mut self.saddle).map_err(Diverged::Singular)?;
        } else {
            plant.eval_mass_and_jacobian(to.t, &to.p, &to.v, &to.x);
            plant.factor(&mut self.saddle).map_err(Diverged::Singular)?;
            if projects {
                self.projector.velocities(plant, &mut self.saddle, to);
            }
            let State { t, p, v, x, p_dot, v_dot, x_dot, lambda, .. } = to;
            plant.eval_bias(*t, p, v, x, p_dot, x_dot);
            plant.solve(&mut self.saddle, v_dot, lambda);
        }
        self.stages[6].copy_from(to);

        let mut worst = 0.0_f64;
        for (part, pick) in PARTS.iter().enumerate() {
            let (new, _) = pick(to);
            let error = &mut self.error[..new.len()];
            // Of the formula alone: a projection also removes what earlier steps left, which
            // no smaller step can mend.
            for (i, error) in error.iter_mut().enumerate() {
                *error = h * self
                    .stages
                    .iter()
                    .zip(error_weights())
                    .map(|(stage, e)| e * pick(stage).1[i])
                    .sum::<f64>();
            }
            let mut norm = tolerances.norm(error, new);
            if part == VELOCITIES && projects && plant.row_conditioning.relative_pivot() < NEAR_SINGULAR {
                // What the projection removes of a deviation δ leaves some δ² behind.
                let removed = norm * math::sqrt(tolerances.rtol);
                self.projector.tangential(plant, &mut self.saddle, error);
                norm = removed.max(tolerances.norm(error, new));
            }
            if norm.is_nan() {
                return Err(Diverged::NotANumber);
            }
            worst = worst.max(norm);
            for (i, dense) in self.dense[part].iter_mut().enumerate() {
                *dense = h * self.stages.iter().zip(D).map(|(stage, d)| d * pick(stage).1[i]).sum::<f64>();
            }
        }
        Ok(worst)
    }

    fn accepted(&mut self, _: &mut Plant<'_>) {
        self.control.accepted();
    }

    /// Between the stages that are farthest apart.
    fn singularity_fraction(&self) -> Option<f64> {
        Some(0.5 * (C[2] + C[3]))
    }

    fn restart(&mut self) {
        self.control.restart();
    }

    fn stage_before_end(&mut self, _: &mut Plant<'_>) -> Option<&State> {
        self.stages.get(5)
    }

    /// Order 4, continuous with its derivative over projected steps.
    fn interpolate(&self, from: &State, to: &State, theta: f64, out: &mut State) {
        let (h, rest) = (self.h, 1.0 - theta);
        out.t = from.t + theta * h;
        for (part, pick) in PARTS.iter().enumerate() {
            let ((y0, k1), (y1, k7)) = (pick(from), pick(to));
            for (i, out) in values(out, part).iter_mut().enumerate() {
                let r2 = y1[i] - y0[i];
                let r3 = h * k1[i] - r2;
                let r4 = r2 - h * k7[i] - r3;
                let r5 = self.dense[part][i];
                *out = y0[i] + theta * (r2 + rest * (r3 + theta * (r4 + rest * r5)));
            }
        }
    }
}

/// b − b̂: weights of the error estimate.
pub(crate) fn error_weights() -> [f64; 7] {
    core::array::from_fn(|j| A[6].get(j).copied().unwrap_or(0.0) - B_HAT[j])
}
