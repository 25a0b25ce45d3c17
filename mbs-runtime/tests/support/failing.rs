//! Mechanisms whose runs fail.

use super::{Mechanism, Sizes};
use mbs_runtime::At;

const ONE: Sizes = Sizes {
    p: 1,
    v: 1,
    x: 0,
    g: 0,
    lambda: 0,
    u: 0,
    modes: &[],
    uses: &[],
    conditions: &[],
    quaternions: &[],
    closures: &[],
};

/// A mass that falls into the centre of an inverse-square force.
pub(crate) struct Falling;

impl Falling {
    /// π/(2√2) s.
    pub(crate) fn arrives() -> f64 {
        std::f64::consts::FRAC_PI_2 / 2f64.sqrt()
    }
}

impl Mechanism for Falling {
    fn sizes(&self) -> Sizes {
        ONE
    }
    fn start(&self, p: &mut [f64], _: &mut [f64], _: &mut [f64]) {
        p[0] = 1.0;
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = -1.0 / (at.p[0] * at.p[0]);
    }
}

/// A force that ceases to exist at 0.5 s.
pub(crate) struct Undefined;

impl Mechanism for Undefined {
    fn sizes(&self) -> Sizes {
        ONE
    }
    fn start(&self, _: &mut [f64], _: &mut [f64], _: &mut [f64]) {}
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = (0.5 - at.t).sqrt();
    }
}

/// Two motions, one without mass.
pub(crate) struct Massless;

impl Mechanism for Massless {
    fn sizes(&self) -> Sizes {
        Sizes { p: 2, v: 2, ..ONE }
    }
    fn start(&self, _: &mut [f64], _: &mut [f64], _: &mut [f64]) {}
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, _: &At<'_>, f: &mut [f64]) {
        f[1] = 1.0;
    }
}

/// A point on the unit circle that is to be two away from its centre as well.
pub(crate) struct Impossible;

impl Mechanism for Impossible {
    fn sizes(&self) -> Sizes {
        Sizes { p: 2, v: 2, g: 2, lambda: 2, ..ONE }
    }
    fn start(&self, p: &mut [f64], _: &mut [f64], _: &mut [f64]) {
        p[0] = 1.0;
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        (m[0], m[3]) = (1.0, 1.0);
    }
    fn force(&self, _: &At<'_>, _: &mut [f64]) {}
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        let square = at.p[0] * at.p[0] + at.p[1] * at.p[1];
        (g[0], g[1]) = (square - 1.0, square - 4.0);
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        for (k, p) in at.p.iter().enumerate() {
            (g[2 * k], g[2 * k + 1]) = (2.0 * p, 2.0 * p);
        }
    }
}

/// A joint that a motion turns over after a quarter of a turn, as no mechanism does.
pub(crate) struct TurningOver;

impl Mechanism for TurningOver {
    fn sizes(&self) -> Sizes {
        Sizes { closures: &["weld"], ..ONE }
    }
    fn start(&self, _: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        v[0] = 1.0;
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, _: &At<'_>, _: &mut [f64]) {}
    fn cosines(&self, at: &At<'_>, cosines: &mut [f64]) {
        cosines[0] = at.p[0].cos();
    }
}
