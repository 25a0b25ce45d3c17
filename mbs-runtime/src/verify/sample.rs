//! Random states, the same on every machine.

use super::zeros;
use crate::{At, System};
use std::vec;
use std::vec::Vec;

/// Attempts at a state where everything is defined.
const ATTEMPTS: usize = 50;
/// Rounds in which modes that depend on each other must come to rest.
const MODE_ROUNDS: usize = 20;

/// A random state.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "as those of At")]
pub struct Sample {
    pub t: f64,
    pub p: Vec<f64>,
    pub v: Vec<f64>,
    pub x: Vec<f64>,
    pub u: Vec<f64>,
    pub modes: Vec<bool>,
}

impl Sample {
    /// The state with prepared parameters.
    pub fn at<'a>(&'a self, prepared: &'a [f64]) -> At<'a> {
        let Self { t, p, v, x, u, modes } = self;
        At { t: *t, p, v, x, u, modes, prepared }
    }
}

/// Draws states around the initial values.
pub(super) struct Sampler<'s> {
    system: &'s dyn System,
    random: Random,
    prepared: Vec<f64>,
    start: [Vec<f64>; 3],
}

impl<'s> Sampler<'s> {
    pub(super) fn new(system: &'s dyn System, seed: u64) -> Self {
        let layout = system.layout();
        let mut prepared = zeros(layout.n_prepared);
        system.prepare(&layout.parameter_defaults, &mut prepared);
        let [mut p, mut v, mut x] = [layout.n_p(), layout.n_v(), layout.n_x()].map(zeros);
        system.initial(&prepared, &mut p, &mut v, &mut x);
        Self { system, random: Random(seed), prepared, start: [p, v, x] }
    }

    pub(super) fn prepared(&self) -> &[f64] {
        &self.prepared
    }

    /// A state where all functions are defined; `None` if none is found.
    pub(super) fn next(&mut self) -> Option<Sample> {
        (0..ATTEMPTS).find_map(|attempt| {
            // Laws with a narrow domain may be defined near the initial values only.
            let width = if attempt < ATTEMPTS / 2 { 1.0 } else { 0.05 };
            let sample = self.draw(width)?;
            self.is_defined(&sample).then_some(sample)
        })
    }

    fn draw(&mut self, width: f64) -> Option<Sample> {
        let layout = self.system.layout();
        let [p, v, x] = &self.start;
        let t = self.random.between(0.0, width);
        let mut around = |values: &[f64], reach: f64| -> Vec<f64> {
            values.iter().map(|value| value + self.random.between(-reach, reach)).collect()
        };
        let (mut p, x) = (around(p, 0.6 * width), around(x, 0.5 * width));
        // Initial velocities may be far from what makes errors visible.
        let v = around(&zeros(v.len()), 1.5);
        let mut u = zeros(layout.n_u());
        let modes = vec![false; layout.modes.len()];
        self.system.input_defaults(t, &modes, &self.prepared, &mut u);
        let u = around(&u, 0.5 * width);
        for block in layout.quaternions.iter() {
            let q = &mut p[block.p as usize..][..4];
            for q in q.iter_mut() {
                *q = self.random.between(-1.0, 1.0);
            }
            let length = mbs_math::sqrt(q.iter().map(|q| q * q).sum());
            if length < 0.1 {
                return None;
            }
            q.iter_mut().for_each(|q| *q /= length);
        }
        let mut sample = Sample { t, p, v, x, u, modes };
        self.settle(&mut sample).then_some(sample)
    }

    /// Sets modes as their switching functions say; whether they come to rest.
    fn settle(&self, sample: &mut Sample) -> bool {
        let kinds = &self.system.layout().mode_kinds;
        let mut functions = zeros(sample.modes.len());
        for _ in 0..MODE_ROUNDS {
            self.system.switching_functions(&sample.at(&self.prepared), &mut functions);
            let modes: Vec<bool> =
                kinds.iter().zip(&functions).map(|(kind, value)| kind.holds(*value)).collect();
            if modes == sample.modes {
                return true;
            }
            sample.modes = modes;
        }
        false
    }

    fn is_defined(&self, sample: &Sample) -> bool {
        let layout = self.system.layout();
        let at = sample.at(&self.prepared);
        let (n_v, rows) = (layout.n_v(), layout.n_lambda());
        let functions: [(usize, Evaluate); 7] = [
            (n_v * n_v, |system, at, out| system.mass_matrix(at, out)),
            (n_v, |system, at, out| system.forces(at, out)),
            (layout.n_g, |system, at, out| system.constraints(at, out)),
            (rows * n_v, |system, at, out| system.constraint_jacobian(at, out)),
            (rows, |system, at, out| system.velocity_bias(at, out)),
            (rows, |system, at, out| system.acceleration_bias(at, out)),
            (layout.n_x(), |system, at, out| system.auxiliary(at, out)),
        ];
        let energy = self.system.energy(&at);
        energy.kinetic.is_finite()
            && energy.potential.is_finite()
            && functions.into_iter().all(|(length, function)| {
                let mut out = zeros(length);
                function(self.system, &at, &mut out);
                out.iter().all(|value| value.is_finite())
            })
    }
}

/// A function of a system.
type Evaluate = fn(&dyn System, &At<'_>, &mut [f64]);

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * (z >> 11) as f64 / (1_u64 << 53) as f64
    }
}
