//! The balance of power of force elements.

use super::Report;
use crate::At;
use std::format;
use std::string::String;
use std::vec::Vec;

/// The power of one force element at a state, joints and roads that move by themselves standing still.
#[derive(Debug, Clone, PartialEq)]
pub struct ForcePower {
    /// Its generalised force times each velocity, W.
    pub applied: Vec<f64>,
    /// The rate of the energy it stores, W.
    pub stored: f64,
    /// What its dampers take, W.
    pub dissipated: f64,
}

/// The powers of force elements.
#[derive(Clone, Copy)]
pub struct ForcePowers<'a> {
    /// Names of the elements.
    pub names: &'a [String],
    /// Their powers at a state.
    pub at: &'a dyn Fn(&At<'_>) -> Vec<ForcePower>,
}

impl ForcePowers<'_> {
    /// What an element does is what its stored energy loses, less what its dampers take.
    pub(super) fn check(&self, at: &At<'_>, report: &mut Report) {
        for (name, power) in self.names.iter().zip((self.at)(at)) {
            let ForcePower { applied, stored, dissipated } = power;
            let terms = applied.iter().chain([&stored, &dissipated]);
            let (sum, scale) =
                terms.fold((0.0, 0.0_f64), |(sum, scale), term| (sum + term, scale.max(term.abs())));
            let error = sum.abs() / scale.max(f64::MIN_POSITIVE);
            report.note("force powers", error, || format!("force {name}"));
        }
    }
}
