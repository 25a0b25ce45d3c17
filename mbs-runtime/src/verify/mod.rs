//! A model checks its own equations.
//!
//! What is generated or compiled in different ways must agree: G is the derivative of g, z the
//! rate of G v + c, M the Hessian of the kinetic energy, f what Lagrange's equations (in
//! Poincaré's form, which allows quasi-velocities) make of the energies, and so on. [`verify`]
//! evaluates these [`IDENTITIES`] at random states and says how far and where each fails.
//!
//! Derivatives come from a [`Derivatives`]: from [`Differences`] of the [`System`]'s own
//! functions, or exact ones of whoever has them.
//!
//! ```no_run
//! # fn check(system: &dyn mbs_runtime::System) -> Result<(), mbs_runtime::verify::Broken> {
//! use mbs_runtime::verify::{Differences, Options, verify};
//! let report = verify(system, &Differences::new(system), &Options::default());
//! report.result()?;
//! # Ok(())
//! # }
//! ```

mod derivatives;
mod identities;
mod powers;
mod report;
mod sample;

pub use derivatives::{Derivatives, Differences, Direction, Function};
pub use powers::{ForcePower, ForcePowers};
pub use report::{Broken, Check, Report, Worst};
pub use sample::Sample;

use crate::{At, Settings, System, simulate};
use identities::Point;
use sample::Sampler;
use std::format;
use std::string::ToString;
use std::vec;

/// Generalised forces, one per velocity, that the potential energy does not account for.
pub type OtherForces<'a> = &'a dyn Fn(&At<'_>, &mut [f64]);

/// What to check, and where.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Number of random states.
    pub samples: usize,
    /// Seed of the random states.
    pub seed: u64,
    /// Forces the potential energy does not account for: damping, friction, drives. Without
    /// them f is compared neither with Lagrange's equations nor with the change of energy.
    pub other_forces: Option<OtherForces<'a>>,
    /// What force elements do, store and take. Without it their balances are not checked.
    pub force_powers: Option<ForcePowers<'a>>,
    /// Length of the run on which the constraints are watched, s; none if zero.
    pub run: f64,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { samples: 20, seed: 1, other_forces: None, force_powers: None, run: 0.02 }
    }
}

/// The forces of a model in which all forces have a potential.
pub const CONSERVATIVE: OtherForces<'static> = &|_, forces| forces.fill(0.0);

/// What [`verify`] checks: a short name and the identity.
pub const IDENTITIES: [(&str, &str); 16] = [
    ("G", "G = (dg/dp) T"),
    ("c", "c = dg/dt at rest"),
    ("z", "z = d/dt (G v + c) at v' = 0"),
    ("M symmetric", "M = M^T"),
    ("M positive", "no pivot of M is negative"),
    ("M", "M = d2 T_kin / dv2"),
    ("f", "f = Poincare(T_kin, V) + forces without potential"),
    ("energy", "d/dt (v dL/dv - L) = power - dL/dt"),
    ("force powers", "v Q + dV/dt + damping = 0 of every force element"),
    ("p_dot", "p' = T v, unit quaternions stay so"),
    ("inverse dynamics", "inverse dynamics = M v' - f"),
    ("fused", "fused functions = single ones"),
    ("accelerations", "M v' = f - G^T lambda, 0 = G v' + z"),
    ("poses", "rotations of bodies are orthogonal"),
    ("jacobian", "generated Jacobian = derivative of the residuals"),
    ("run", "|g| <= tolerance along a short run"),
];

/// Checks all identities of `system` with its default parameters.
pub fn verify(system: &dyn System, derivatives: &dyn Derivatives, options: &Options<'_>) -> Report {
    let layout = system.layout();
    let mut report = Report::new(derivatives.tolerance());
    let mut sampler = Sampler::new(system, options.seed);
    for index in 0..options.samples {
        let Some(sample) = sampler.next() else {
            report.undefined += 1;
            continue;
        };
        report.samples += 1;
        report.current = Some((index, sample.clone()));
        let at = sample.at(sampler.prepared());
        Point::new(system, derivatives, at).check(options, &mut report);
    }
    report.current = None;
    if options.other_forces.is_none() {
        report.skip("f", "the forces without potential are not known");
        report.skip("energy", "the forces without potential are not known");
    }
    match options.force_powers {
        None => report.skip("force powers", "the powers of force elements are not known"),
        Some(powers) if powers.names.is_empty() => {
            report.skip("force powers", "no force element has a potential or a damper");
        }
        Some(_) => {}
    }
    if layout.n_lambda() == 0 {
        for name in ["G", "c", "z", "run"] {
            report.skip(name, "there are no constraints");
        }
    } else if options.run > 0.0 {
        run(system, options.run, &mut report);
    } else {
        report.skip("run", "it was not asked for");
    }
    // What has no entries was looked at in vain.
    for check in &mut report.checks {
        if check.worst.is_none() && check.skipped.is_none() {
            check.skipped =
                Some(if report.samples == 0 { "no state was found" } else { "the model has no such entry" });
        }
    }
    report
}

/// The constraints along a short run from the initial values.
fn run(system: &dyn System, length: f64, report: &mut Report) {
    // Tight enough that what is left on the constraints is what projection leaves.
    let settings = Settings { t_end: length, rtol: 1e-8, max_steps: 50_000, ..Settings::default() };
    match simulate(system, &settings) {
        Ok(trajectory) => {
            let (g, g_dot) = (trajectory.drift.g_max, trajectory.drift.g_dot_max);
            report.note("run", g, || format!("|g| = {g:.1e}, |G v + c| = {g_dot:.1e}"));
        }
        Err(error) => report.note("run", f64::INFINITY, || error.message().to_string()),
    }
}

/// Room for numbers.
fn zeros(n: usize) -> vec::Vec<f64> {
    vec![0.0; n]
}
