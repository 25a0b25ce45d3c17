//! How a run is integrated: what was asked for, what the model says, and what no run can have.

use crate::arguments::{ProjectionMode, RunOptions};
use crate::report::Failure;
use mbs_runtime::Settings;
use mbs_runtime::integrate::{self, DEFAULT_RTOL, Projection};
use mbs_symbolic::model::Simulation;

impl RunOptions {
    /// The integrator: as asked for, as the model says, or the usual one.
    pub(crate) fn method(&self, simulation: &Simulation) -> String {
        let method = self.method.clone().or_else(|| simulation.method.clone());
        method.unwrap_or_else(|| integrate::DEFAULT_METHOD.to_owned())
    }

    /// Settings as asked for, or as the model says.
    pub(crate) fn settings(&self, simulation: &Simulation) -> Settings {
        Settings {
            t_end: self.t_end.or(simulation.t_end).unwrap_or(1.0),
            rtol: self.rtol.or(simulation.rtol).unwrap_or(DEFAULT_RTOL),
            atol: self.atol.or(simulation.atol),
            projection: match self.projection {
                ProjectionMode::None => Projection::None,
                ProjectionMode::Velocity => Projection::Velocity,
                ProjectionMode::Controlled => Projection::Controlled,
                ProjectionMode::EveryStep => Projection::EveryStep,
            },
            output_step: self.step.or(simulation.step),
            ..Settings::default()
        }
    }
}

/// More recorded points than this fill disks.
const MAX_POINTS: f64 = 1e8;

/// a/b in words, also where no number is so large.
fn quotient(a: f64, b: f64) -> String {
    let whole = a / b;
    if whole.is_finite() {
        return format!("{whole:.1e}");
    }
    let exponent = a.log10() - b.log10();
    format!("{:.1}e{}", 10_f64.powf(exponent.fract()), exponent.trunc())
}

/// Refuses settings no run can have.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    let positive = |value: f64| value > 0.0 && value.is_finite();
    for (name, value) in [
        ("rtol", Some(settings.rtol)),
        ("atol", settings.atol),
        ("step", settings.output_step),
        ("t_end", Some(settings.t_end)),
    ] {
        if value.is_some_and(|value| !positive(value)) {
            return Err(Failure::new("MBS-C031", format!("`{name}` must be a positive number")));
        }
    }
    if let Some(step) = settings.output_step
        && settings.t_end / step > MAX_POINTS
    {
        let (t_end, points) = (settings.t_end, quotient(settings.t_end, step));
        let message = format!("a point every {step:e} s up to {t_end:e} s makes {points} of them");
        let help = format!("at most {MAX_POINTS:.0e} are recorded: choose a larger `step` or an earlier end");
        return Err(Failure::new("MBS-C031", message).help(help));
    }
    Ok(())
}
