//! Four runs at a time: whichever is done makes room for the next sample.

use super::attempt::Attempt;
use super::{Lanes, Outcome, Sample};
use crate::Settings;
use crate::integrate::Mdop5;
use crate::integrate::driver::{Driver, Proposal};
use crate::plant::{Plant, State};
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
                let start = core::mem::take(start);
                let begun = Driver::new(plant, method, start, settings).and_then(|mut driver| {
                    driver.record(&mut |_| true)?;
                    next(sample, driver)
                });
                *slot = keep(sample, begun, &mut outcomes);
            }
        }
        if lanes.iter().all(Option::is_none) {
            break;
        }
        let errors = attempt.run(model, &mut lanes);
        for (slot, error) in lanes.iter_mut().zip(errors) {
            let Some(Lane { sample, mut driver, proposal }) = slot.take() else { continue };
            let went_on = driver.conclude(proposal, error, &mut |_| true).and_then(|_| next(sample, driver));
            *slot = keep(sample, went_on, &mut outcomes);
        }
    }
    outcomes.into_iter().map(|outcome| outcome.expect("every sample was run")).collect()
}

/// A run that goes on, or what came of it.
enum Next<'r, 's> {
    Goes(Lane<'r, 's>),
    Done(crate::Trajectory),
}

fn next<'r, 's>(
    sample: usize,
    mut driver: Driver<'r, 's, Mdop5>,
) -> Result<Next<'r, 's>, crate::SimulationError> {
    if driver.is_done() {
        return Ok(Next::Done(driver.finish()));
    }
    let proposal = driver.propose()?;
    Ok(Next::Goes(Lane { sample, driver, proposal }))
}

/// What stays in a lane.
fn keep<'r, 's>(
    sample: usize,
    next: Result<Next<'r, 's>, crate::SimulationError>,
    outcomes: &mut [Option<Outcome>],
) -> Option<Lane<'r, 's>> {
    let outcome = match next {
        Ok(Next::Goes(lane)) => return Some(lane),
        Ok(Next::Done(trajectory)) => Ok(trajectory),
        Err(error) => Err(error),
    };
    outcomes[sample] = Some(outcome);
    None
}
