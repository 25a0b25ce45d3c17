//! Explicit until the motion turns stiff, then implicit.

use super::{Diverged, Mdop5, Method, Radau5, StepSettings, Turn};
use crate::Layout;
use crate::plant::Plant;
use crate::state::State;
use std::boxed::Box;

/// [`Mdop5`], and from where the run turns stiff [`Radau5`], which it stays with unless that finds
/// no step any more; then MDOP5 goes on for the rest of the run.
///
/// Up to there every step has the bits of MDOP5. Without a Jacobian of the model the run goes
/// on as it was.
#[derive(Debug)]
pub struct Auto {
    explicit: Mdop5,
    implicit: Option<Box<Radau5>>,
}

impl Auto {
    /// The name users know it by.
    pub const NAME: &'static str = "auto";

    /// The method it begins with.
    pub const EXPLICIT: &'static str = "mdop5";

    /// Workspace for a layout.
    pub fn new(layout: &Layout) -> Self {
        Self { explicit: Mdop5::new(layout), implicit: None }
    }

    fn current(&self) -> &dyn Method {
        match &self.implicit {
            Some(implicit) => &**implicit,
            None => &self.explicit,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Method {
        match &mut self.implicit {
            Some(implicit) => &mut **implicit,
            None => &mut self.explicit,
        }
    }
}

impl Method for Auto {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn order(&self) -> u32 {
        self.current().order()
    }

    fn error_order(&self) -> u32 {
        self.current().error_order()
    }

    fn attempt(
        &mut self,
        plant: &mut Plant<'_>,
        from: &State,
        h: f64,
        settings: &StepSettings,
        to: &mut State,
    ) -> Result<f64, Diverged> {
        self.current_mut().attempt(plant, from, h, settings, to)
    }

    fn accepted(&mut self, plant: &mut Plant<'_>) {
        self.current_mut().accepted(plant);
    }

    fn step_factor(&self, factor: f64) -> f64 {
        self.current().step_factor(factor)
    }

    fn singularity_fraction(&self) -> Option<f64> {
        self.current().singularity_fraction()
    }

    fn restart(&mut self) {
        self.current_mut().restart();
    }

    fn writes_full_rates(&self) -> bool {
        self.current().writes_full_rates()
    }

    fn prepare_dense(&mut self, plant: &mut Plant<'_>, from: &State, to: &State) -> Result<(), Diverged> {
        self.current_mut().prepare_dense(plant, from, to)
    }

    fn interpolate(&self, from: &State, to: &State, theta: f64, out: &mut State) {
        self.current().interpolate(from, to, theta, out);
    }

    fn stage_before_end(&mut self, plant: &mut Plant<'_>) -> Option<&State> {
        self.current_mut().stage_before_end(plant)
    }

    fn turn_implicit(&mut self, plant: &mut Plant<'_>, state: &State) -> Turn {
        let mut implicit = Box::new(Radau5::new(plant.layout()));
        match implicit.linearise(plant, state) {
            Ok(()) => {
                let name = implicit.name();
                self.implicit = Some(implicit);
                Turn::Turned { name }
            }
            Err(_) => Turn::NoJacobian,
        }
    }

    fn turn_explicit(&mut self) -> bool {
        self.explicit.restart();
        self.implicit.take().is_some()
    }
}
