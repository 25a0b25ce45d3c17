//! Four runs at a time: whichever is done makes room for the next sample.

use super::attempt::Attempt;
use super::{Lanes, Outcome, Sample};
use crate::integrate::driver::{Driver, Proposal};
use crate::integrate::{Diverged, Mdop5, Remedy, Stiffness};
use crate::plant::Plant;
use crate::state::State;
use crate::{Settings, SimulationError};
use std::vec::Vec;

/// A run in a lane.
pub(super) struct Lane<'r, 's> {
    /// Which sample it is.
    pub(super) sample: usize,
    pub(super) driver: Driver<'r, 's, Mdop5>,
    /// The step it tries next.
    pub(super) proposal: Proposal,
}

/// Runs of all samples, in order.
pub(super) fn simulate(model: &dyn Lanes, samples: &[Sample], settings: &Settings) -> Vec<Outcome> {
    let layout = model.layout();
    let mut set_up: Vec<(Plant<'_>, Mdop5, State)> = samples
        .iter()
        .map(|sample| {
            let (plant, start) = sample.set_up(model.as_system(), settings);
            (plant, Mdop5::new(layout), start)
        })
        .collect();
    let mut waiting = set_up.iter_mut().enumerate();
    let mut outcomes: Vec<Option<Outcome>> = samples.iter().map(|_| None).collect();
    let mut lanes: [Option<Lane<'_, '_>>; 4] = [const { None }; 4];
    let mut attempt = Attempt::new(layout);
    loop {
        for slot in &mut lanes {
            while slot.is_none() {
                let Some((sample, (plant, method, start))) = waiting.next() else { break };
                match Lane::begin(sample, plant, method, core::mem::take(start), settings) {
                    Ok(lane) => {
                        *slot = Some(lane);
                        finish_if_done(slot, &mut outcomes);
                    }
                    Err(error) => outcomes[sample] = Some(Err(error)),
                }
            }
        }
        if lanes.iter().all(Option::is_none) {
            break;
        }
        let errors = attempt.run(model, &mut lanes);
        for (slot, error) in lanes.iter_mut().zip(errors) {
            let Some(lane) = slot else { continue };
            match lane.go_on(error) {
                Ok(()) if lane.goes_on_alone() => {
                    outcomes[lane.sample] = Some(samples[lane.sample].simulate(model.as_system(), settings));
                    *slot = None;
                }
                Ok(()) => finish_if_done(slot, &mut outcomes),
                Err(error) => {
                    outcomes[lane.sample] = Some(Err(error));
                    *slot = None;
                }
            }
        }
    }
    outcomes.into_iter().map(|outcome| outcome.expect("every sample was run")).collect()
}

/// Makes room where a run has reached its end.
fn finish_if_done(slot: &mut Option<Lane<'_, '_>>, outcomes: &mut [Option<Outcome>]) {
    if let Some(lane) = slot.take_if(|lane| lane.driver.is_done()) {
        outcomes[lane.sample] = Some(lane.driver.finish(&mut |_| true));
    }
}

impl<'r, 's> Lane<'r, 's> {
    fn begin(
        sample: usize,
        plant: &'r mut Plant<'s>,
        method: &'r mut Mdop5,
        start: State,
        settings: &'r Settings,
    ) -> Result<Self, SimulationError> {
        let mut driver = Driver::new(plant, method, start, settings)?;
        driver.record(&mut |_| true)?;
        let mut lane = Self { sample, driver, proposal: Proposal::default() };
        lane.propose()?;
        Ok(lane)
    }

    /// Judges the step that was tried and chooses the next.
    fn go_on(&mut self, outcome: Result<f64, Diverged>) -> Result<(), SimulationError> {
        self.driver.conclude(self.proposal, outcome, &mut |_| true)?;
        self.propose()
    }

    /// Whether the run has turned stiff and the model has what an implicit method needs.
    fn goes_on_alone(&mut self) -> bool {
        let Driver { plant, state, stiffness, .. } = &mut self.driver;
        let Some(Stiffness { t, remedy: Remedy::Nothing, .. }) = stiffness.found() else { return false };
        // As a run alone would have it, which lanes leave to the methods that run in them.
        let has_jacobian = plant.has_jacobian(state);
        stiffness.note(t, Remedy::NoJacobian);
        has_jacobian
    }

    fn propose(&mut self) -> Result<(), SimulationError> {
        if !self.driver.is_done() {
            self.proposal = self.driver.propose()?;
        }
        Ok(())
    }
}
