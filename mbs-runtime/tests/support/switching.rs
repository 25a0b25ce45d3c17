//! Mechanisms whose forces switch.

use super::{Mechanism, Sizes};
use mbs_runtime::{At, ModeUse};
use std::f64::consts::PI;

/// A mass that falls on a spring it is not tied to.
pub(crate) struct Bouncer;

impl Bouncer {
    pub(crate) const GRAVITY: f64 = 9.81;
    pub(crate) const HEIGHT: f64 = 0.5;
    const STIFFNESS: f64 = 4000.0;

    /// When the mass meets the spring for the first time, how long they stay together, and
    /// how long it flies until they meet again.
    pub(crate) fn times() -> (f64, f64, f64) {
        let fall = (2.0 * Self::HEIGHT / Self::GRAVITY).sqrt();
        let frequency = Self::STIFFNESS.sqrt();
        let contact = 2.0 / frequency * (PI - (Self::GRAVITY * fall * frequency / Self::GRAVITY).atan());
        (fall, contact, 2.0 * fall)
    }
}

impl Mechanism for Bouncer {
    fn sizes(&self) -> Sizes {
        Sizes { p: 1, v: 1, modes: &[false], ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], _: &mut [f64], _: &mut [f64]) {
        p[0] = Self::HEIGHT;
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = -Self::GRAVITY - if at.modes[0] { Self::STIFFNESS * at.p[0] } else { 0.0 };
    }
    fn switches(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = at.p[0];
    }
}

/// Three equal masses that fall on springs of their own at the same instant, their conditions
/// written in different units, and a condition on the time at which they arrive.
pub(crate) struct Together;

impl Together {
    /// The factors of the conditions.
    const SCALES: [f64; 3] = [1.0, 1e6, -1e-3];
}

impl Mechanism for Together {
    fn sizes(&self) -> Sizes {
        Sizes { p: 3, v: 3, modes: &[false, false, true, false], ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], _: &mut [f64], _: &mut [f64]) {
        p.fill(Bouncer::HEIGHT);
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        (m[0], m[4], m[8]) = (1.0, 1.0, 1.0);
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        // The last condition is written the other way round.
        let touches = [at.modes[0], at.modes[1], !at.modes[3]];
        for (k, f) in f.iter_mut().enumerate() {
            *f = -Bouncer::GRAVITY - if touches[k] { Bouncer::STIFFNESS * at.p[k] } else { 0.0 };
        }
    }
    fn switches(&self, at: &At<'_>, out: &mut [f64]) {
        let of = |k: usize| Self::SCALES[k] * at.p[k];
        out.copy_from_slice(&[of(0), of(1), at.t - Bouncer::times().0, of(2)]);
    }
}

/// A mass pushed by its input.
pub(crate) struct Driven;

impl Mechanism for Driven {
    fn sizes(&self) -> Sizes {
        Sizes { p: 1, v: 1, u: 1, ..Sizes::default() }
    }
    fn start(&self, _: &mut [f64], _: &mut [f64], _: &mut [f64]) {}
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = at.u[0];
    }
}

/// A mass pushed from 0.3 s on, until 0.7 s.
pub(crate) struct Pushed;

impl Mechanism for Pushed {
    fn sizes(&self) -> Sizes {
        Sizes { p: 1, v: 1, modes: &[true, true], ..Sizes::default() }
    }
    fn start(&self, _: &mut [f64], _: &mut [f64], _: &mut [f64]) {}
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = if !at.modes[0] && at.modes[1] { 2.0 } else { 0.0 };
    }
    fn switches(&self, at: &At<'_>, out: &mut [f64]) {
        (out[0], out[1]) = (at.t - 0.3, at.t - 0.7);
    }
}

/// A mass under dry friction without a dead band, pushed less than friction holds: it stops
/// and then switches without end.
pub(crate) struct DryFriction;

impl Mechanism for DryFriction {
    fn sizes(&self) -> Sizes {
        Sizes { p: 1, v: 1, modes: &[false], ..Sizes::default() }
    }
    fn start(&self, _: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        v[0] = 1.0;
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = 0.5 + if at.modes[0] { 2.0 } else { -2.0 };
    }
    fn switches(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = at.v[0];
    }
}

/// A relay that switches a thousand times a second on purpose: a saw-tooth between ±δ.
pub(crate) struct Relay;

impl Mechanism for Relay {
    fn sizes(&self) -> Sizes {
        Sizes { p: 1, v: 1, modes: &[false], ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        (p[0], v[0]) = (0.0, 0.00025);
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = if at.modes[0] { 1.0 } else { -1.0 };
    }
    fn switches(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = at.p[0];
    }
}

/// A mass at constant speed; `if(p > 1.25, if(sin(pi p) < 0, 2, 1), 0)` is the rate of x. The
/// inner function is not even defined at first.
pub(crate) struct Nested;

impl Mechanism for Nested {
    fn sizes(&self) -> Sizes {
        Sizes {
            p: 1,
            v: 1,
            x: 1,
            modes: &[false, false],
            uses: &[ModeUse { mode: 0, first: 0, count: 0 }, ModeUse { mode: 1, first: 0, count: 1 }],
            conditions: &[(0, true)],
            ..Sizes::default()
        }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        (p[0], v[0]) = (-3.5, 1.0);
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, _: &At<'_>, _: &mut [f64]) {}
    fn rates(&self, at: &At<'_>, x_dot: &mut [f64]) {
        x_dot[0] = match (at.modes[0], at.modes[1]) {
            (false, _) => 0.0,
            (true, false) => 1.0,
            (true, true) => 2.0,
        };
    }
    fn switches(&self, at: &At<'_>, out: &mut [f64]) {
        let p = at.p[0];
        out[0] = 1.25 - p;
        out[1] = if p < -2.0 { f64::NAN } else { (PI * p).sin() };
    }
}
