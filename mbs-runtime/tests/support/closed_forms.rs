//! Mechanisms whose motion is known in closed form.

use super::{Mechanism, Sizes};
use mbs_runtime::{At, Quaternion};

/// A bead on a rod that turns with constant speed: a constraint that depends on time, and
/// an auxiliary state that follows the bead.
///
/// r = r₀ cosh ωt, x = r₀ sinh(ωt)/ω, λ = −2 m ω r'.
pub(crate) struct Bead;

impl Bead {
    pub(crate) const OMEGA: f64 = 2.0;
    const MASS: f64 = 1.5;
    const START: f64 = 0.3;

    /// p, v, x and λ at a time.
    pub(crate) fn at(t: f64) -> ([f64; 2], [f64; 2], [f64; 1], [f64; 1]) {
        let angle = Self::OMEGA * t;
        let (sin, cos) = angle.sin_cos();
        let r = Self::START * angle.cosh();
        let rate = Self::START * Self::OMEGA * angle.sinh();
        let p = [r * cos, r * sin];
        let v = [rate * cos - Self::OMEGA * p[1], rate * sin + Self::OMEGA * p[0]];
        let push = -2.0 * Self::MASS * Self::OMEGA * rate;
        (p, v, [Self::START * angle.sinh() / Self::OMEGA], [push])
    }
}

impl Mechanism for Bead {
    fn sizes(&self) -> Sizes {
        Sizes { p: 2, v: 2, x: 1, g: 1, lambda: 1, ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        let start = Self::at(0.0);
        p.copy_from_slice(&start.0);
        v.copy_from_slice(&start.1);
        x.copy_from_slice(&start.2);
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m.copy_from_slice(&[Self::MASS, 0.0, 0.0, Self::MASS]);
    }
    fn force(&self, _: &At<'_>, _: &mut [f64]) {}
    /// g = y cos ωt − x sin ωt.
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        let (sin, cos) = (Self::OMEGA * at.t).sin_cos();
        g[0] = at.p[1] * cos - at.p[0] * sin;
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        let (sin, cos) = (Self::OMEGA * at.t).sin_cos();
        g.copy_from_slice(&[-sin, cos]);
    }
    fn c(&self, at: &At<'_>, c: &mut [f64]) {
        let (sin, cos) = (Self::OMEGA * at.t).sin_cos();
        c[0] = -Self::OMEGA * (at.p[0] * cos + at.p[1] * sin);
    }
    fn z(&self, at: &At<'_>, z: &mut [f64]) {
        let (sin, cos) = (Self::OMEGA * at.t).sin_cos();
        let along = at.v[0] * cos + at.v[1] * sin;
        let across = at.p[1] * cos - at.p[0] * sin;
        z[0] = -2.0 * Self::OMEGA * along - Self::OMEGA * Self::OMEGA * across;
    }
    fn rates(&self, at: &At<'_>, x: &mut [f64]) {
        x[0] = (at.p[0] * at.p[0] + at.p[1] * at.p[1]).sqrt();
    }
}

/// The bead with a mode for being inside a radius.
pub(crate) struct WatchedBead;

impl WatchedBead {
    const RADIUS: f64 = 1.1;

    /// When the bead leaves.
    pub(crate) fn leaves() -> f64 {
        (Self::RADIUS / Bead::START).acosh() / Bead::OMEGA
    }
}

impl Mechanism for WatchedBead {
    fn sizes(&self) -> Sizes {
        Sizes { modes: &[false], ..Bead.sizes() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        Bead.start(p, v, x);
    }
    fn mass(&self, at: &At<'_>, m: &mut [f64]) {
        Bead.mass(at, m);
    }
    fn force(&self, _: &At<'_>, _: &mut [f64]) {}
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        Bead.g(at, g);
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        Bead.jacobian(at, g);
    }
    fn c(&self, at: &At<'_>, c: &mut [f64]) {
        Bead.c(at, c);
    }
    fn z(&self, at: &At<'_>, z: &mut [f64]) {
        Bead.z(at, z);
    }
    fn rates(&self, at: &At<'_>, x: &mut [f64]) {
        Bead.rates(at, x);
    }
    fn switches(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = at.p[0] * at.p[0] + at.p[1] * at.p[1] - Self::RADIUS * Self::RADIUS;
    }
}

/// A knife edge on an inclined plane: one non-holonomic row. From rest, spun about the
/// normal, it does not slide down but drifts sideways on a cycloid.
pub(crate) struct KnifeEdge;

impl KnifeEdge {
    pub(crate) const SPIN: f64 = 1.7;
    const SLOPE: f64 = 4.0;

    /// p and v at a time.
    pub(crate) fn at(t: f64) -> ([f64; 3], [f64; 3]) {
        let angle = Self::SPIN * t;
        let (sin, cos) = angle.sin_cos();
        let size = Self::SLOPE / (2.0 * Self::SPIN * Self::SPIN);
        let p = [size * sin * sin, size * (angle - sin * cos), angle];
        let speed = Self::SLOPE / Self::SPIN * sin;
        (p, [speed * cos, speed * sin, Self::SPIN])
    }
}

impl Mechanism for KnifeEdge {
    fn sizes(&self) -> Sizes {
        Sizes { p: 3, v: 3, g: 0, lambda: 1, ..Sizes::default() }
    }
    fn start(&self, _: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        v[2] = Self::SPIN;
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4]);
    }
    fn force(&self, _: &At<'_>, f: &mut [f64]) {
        f[0] = Self::SLOPE;
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        g[0] = at.p[2].sin();
        g[1] = -at.p[2].cos();
    }
    fn z(&self, at: &At<'_>, z: &mut [f64]) {
        z[0] = at.v[2] * (at.v[0] * at.p[2].cos() + at.v[1] * at.p[2].sin());
    }
}

/// A symmetric top without torque, turning with a quaternion and ω in its own axes. The
/// angular momentum points along z of the ground, so that precession and spin are known.
pub(crate) struct Top;

impl Top {
    const ACROSS: f64 = 2.0;
    const ALONG: f64 = 3.0;
    const TILT: f64 = 0.4;
    const MOMENTUM: f64 = 5.0;

    /// q and ω at a time: precession about z, tilt about x, spin about z.
    pub(crate) fn at(t: f64) -> ([f64; 4], [f64; 3]) {
        let precession = Self::MOMENTUM / Self::ACROSS;
        let along = Self::MOMENTUM * Self::TILT.cos() / Self::ALONG;
        let spin = along - precession * Self::TILT.cos();
        let (a, b) = (0.5 * precession * t, 0.5 * spin * t);
        let (half_sin, half_cos) = (0.5 * Self::TILT).sin_cos();
        let q = [
            half_cos * (a + b).cos(),
            half_sin * (a - b).cos(),
            half_sin * (a - b).sin(),
            half_cos * (a + b).sin(),
        ];
        let across = Self::MOMENTUM * Self::TILT.sin() / Self::ACROSS;
        (q, [across * (spin * t).sin(), across * (spin * t).cos(), along])
    }
}

impl Mechanism for Top {
    fn sizes(&self) -> Sizes {
        Sizes { p: 4, v: 3, quaternions: &[Quaternion { p: 0, v: 0 }], ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        let (q, omega) = Self::at(0.0);
        p.copy_from_slice(&q);
        v.copy_from_slice(&omega);
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        (m[0], m[4], m[8]) = (Self::ACROSS, Self::ACROSS, Self::ALONG);
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        let excess = Self::ALONG - Self::ACROSS;
        f[0] = -excess * at.v[1] * at.v[2];
        f[1] = excess * at.v[2] * at.v[0];
    }
    /// q' = q ∘ (0, ω) / 2.
    fn t_matrix(&self, at: &At<'_>, t: &mut [f64]) {
        let &[w, x, y, z] = at.p else { return };
        let columns = [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]];
        for (column, entries) in t.chunks_exact_mut(4).zip(columns) {
            for (out, entry) in column.iter_mut().zip(entries) {
                *out = 0.5 * entry;
            }
        }
    }
}

/// A mass that a strong damper ties to the velocity cos t: stiff once it has caught up.
pub(crate) struct Dragged {
    /// From when on inverse dynamics, which only implicit methods ask for, is no number.
    pub(crate) spoilt_from: f64,
}

impl Dragged {
    const DAMPING: f64 = 1e4;

    /// Velocity from rest.
    pub(crate) fn velocity(t: f64) -> f64 {
        let d = Self::DAMPING;
        let share = d * d / (d * d + 1.0);
        share * (t.cos() + t.sin() / d - (-d * t).exp())
    }
}

impl Mechanism for Dragged {
    fn sizes(&self) -> Sizes {
        Sizes { p: 1, v: 1, ..Sizes::default() }
    }
    fn start(&self, _: &mut [f64], _: &mut [f64], _: &mut [f64]) {}
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m[0] = 1.0;
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        f[0] = -Self::DAMPING * (at.v[0] - at.t.cos());
    }
    fn spoilt_from(&self) -> f64 {
        self.spoilt_from
    }
}
