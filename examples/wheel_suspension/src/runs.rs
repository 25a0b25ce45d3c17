//! The runs.

use crate::five_link::{Model, Params};
use mbs_runtime::integrate::{Event, Projection, method, simulate_with};
use mbs_runtime::{Defaults, Plant, Settings, State, System, Trajectory};
use std::error::Error;

/// Tolerance of the table.
pub(crate) const RTOL: f64 = 1e-4;

/// One line of the table.
pub(crate) struct Version {
    pub(crate) name: &'static str,
    pub(crate) trajectory: Trajectory,
    /// Time and |g| at every step.
    pub(crate) drift: Vec<(f64, f64)>,
    /// Largest distance of a position from the reference at the end, over the largest position.
    pub(crate) error: f64,
}

/// The bump under four kinds of projection, and with a half-explicit method, which keeps
/// velocities on the constraints by itself.
pub(crate) fn table() -> Result<Vec<Version>, Box<dyn Error>> {
    let params = Params::default();
    let settings = Settings { rtol: RTOL, ..Settings::default() };
    let tight = Settings { rtol: 1e-10, projection: Projection::EveryStep, ..settings.clone() };
    let reference = simulate(&params, "mdop5", &tight)?;
    let versions = [
        ("mdop5, index 1", "mdop5", Projection::None),
        ("mdop5, velocities", "mdop5", Projection::Velocity),
        ("mdop5, controlled", "mdop5", Projection::Controlled),
        ("mdop5, every step", "mdop5", Projection::EveryStep),
        ("hem5", "hem5", Projection::None),
    ];
    let run = |(name, method, projection)| {
        let trajectory = simulate(&params, method, &Settings { projection, ..settings.clone() })?;
        let (drift, error) = (drift(&params, &trajectory), error(&trajectory, &reference));
        Ok(Version { name, trajectory, drift, error })
    };
    versions.into_iter().map(run).collect()
}

/// Events of the stair: the road drops by 5 cm under a wheel that may lift off.
pub(crate) fn contacts() -> Result<Vec<Event>, Box<dyn Error>> {
    let params =
        Params { bump_height: 0.0, stair_drop: 0.05, d_spring: 700.0, F_tyre_min: 0.0, ..Params::default() };
    let settings = Settings { t_end: 0.6, ..Settings::default() };
    let events = simulate(&params, "mdop5", &settings)?.events;
    // The bump has no height; its beginning and end are events all the same.
    Ok(events.into_iter().filter(|event| !event.name.starts_with("bump")).collect())
}

fn simulate(params: &Params, name: &str, settings: &Settings) -> Result<Trajectory, Box<dyn Error>> {
    let layout = Model.layout();
    let mut plant = Plant::new(&Model, &params.to_array(), Box::new(Defaults));
    let mut method = method(name, layout)?;
    let mut start = State::new(layout);
    plant.initial(&mut start);
    Ok(simulate_with(&mut plant, &mut *method, start, settings, &mut |_| true)?)
}

fn drift(params: &Params, trajectory: &Trajectory) -> Vec<(f64, f64)> {
    let mut plant = Plant::new(&Model, &params.to_array(), Box::new(Defaults));
    let mut g = vec![0.0; Model.layout().n_g];
    let mut size = |state: &State| {
        plant.constraints(state.t, &state.p, &state.v, &state.x, &mut g);
        (state.t, g.iter().map(|g| g * g).sum::<f64>().sqrt())
    };
    trajectory.states.iter().map(&mut size).collect()
}

fn error(trajectory: &Trajectory, reference: &Trajectory) -> f64 {
    let (Some(end), Some(exact)) = (trajectory.states.last(), reference.states.last()) else {
        return f64::NAN;
    };
    let off = end.p.iter().zip(&exact.p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    off / exact.p.iter().map(|p| p.abs()).fold(0.0, f64::max)
}
