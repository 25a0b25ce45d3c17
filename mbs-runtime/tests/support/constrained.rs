//! Mechanisms with closed loops whose end states are known to twelve digits.

use super::{Mechanism, Sizes};
use mbs_runtime::{At, Energy};

const GRAVITY: f64 = 9.81;

/// A point on a rod in the plane, p = (x, y).
pub(crate) struct Pendulum;

impl Mechanism for Pendulum {
    fn sizes(&self) -> Sizes {
        Sizes { p: 2, v: 2, g: 1, lambda: 1, ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], _: &mut [f64], _: &mut [f64]) {
        p.copy_from_slice(&[1.0, 0.0]);
    }
    fn mass(&self, _: &At<'_>, m: &mut [f64]) {
        m.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    }
    fn force(&self, _: &At<'_>, f: &mut [f64]) {
        f.copy_from_slice(&[0.0, -GRAVITY]);
    }
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        g[0] = 0.5 * (at.p[0] * at.p[0] + at.p[1] * at.p[1] - 1.0);
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        g.copy_from_slice(at.p);
    }
    fn z(&self, at: &At<'_>, z: &mut [f64]) {
        z[0] = at.v[0] * at.v[0] + at.v[1] * at.v[1];
    }
    fn energy(&self, at: &At<'_>) -> Energy {
        let kinetic = 0.5 * (at.v[0] * at.v[0] + at.v[1] * at.v[1]);
        Energy { kinetic, potential: GRAVITY * at.p[1] }
    }
}

/// A point on a bent sphere, with a mass matrix and forces that excite every term.
pub(crate) struct Sphere;

impl Sphere {
    pub(crate) const T_END: f64 = 2.0;
    pub(crate) const P_END: [f64; 3] = [0.38036555140095, -0.35487454148778, -0.8406495038537];
    pub(crate) const V_END: [f64; 3] = [0.60303151626795, 1.24312864507356, -0.2734209735957];
    pub(crate) const LAMBDA_END: [f64; 1] = [5.235908863640];
}

impl Mechanism for Sphere {
    fn sizes(&self) -> Sizes {
        Sizes { p: 3, v: 3, g: 1, lambda: 1, ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        p.copy_from_slice(&[0.8, 0.0, -0.6]);
        v.copy_from_slice(&[0.64214290275206, 1.09747142583488, 0.76839282293596]);
    }
    fn mass(&self, at: &At<'_>, m: &mut [f64]) {
        let &[x, y, z] = at.p else { return };
        let (xy, xz, yz) = (0.2 * (x * y).sin(), 0.1 * z, 0.1 * x);
        let diagonal = [1.0 + 0.3 * y * y, 1.5 + 0.2 * z.cos(), 1.2 + 0.3 * x * x];
        m.copy_from_slice(&[diagonal[0], xy, xz, xy, diagonal[1], yz, xz, yz, diagonal[2]]);
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        let (&[x, y, _], &[u, w, q]) = (at.p, at.v) else { return };
        f[0] = -0.2 * u + 0.4 * y * w * u + 0.5 * (3.0 * at.t).sin();
        f[1] = -0.3 * w - 0.3 * u * u + 0.5 * x.cos();
        f[2] = -GRAVITY - 0.1 * q + 0.2 * w * q;
    }
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        let &[x, y, z] = at.p else { return };
        g[0] = x * x + y * y + z * z - 1.0 + 0.2 * x * y * z;
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        let &[x, y, z] = at.p else { return };
        g.copy_from_slice(&[2.0 * x + 0.2 * y * z, 2.0 * y + 0.2 * x * z, 2.0 * z + 0.2 * x * y]);
    }
    fn z(&self, at: &At<'_>, out: &mut [f64]) {
        let (&[x, y, z], &[u, w, q]) = (at.p, at.v) else { return };
        out[0] = 2.0 * (u * u + w * w + q * q) + 0.4 * (u * w * z + u * q * y + w * q * x);
    }
}

/// A slider-crank, p = (φ, ψ, x), with a driven crank and a spring on the slider.
pub(crate) struct SliderCrank;

impl SliderCrank {
    pub(crate) const T_END: f64 = 0.5;
    pub(crate) const P_END: [f64; 3] = [4.28837312034488, 0.40130379798762, 0.5209595441336];
    pub(crate) const V_END: [f64; 3] = [12.39736844847806, 2.37461814139225, 2.74055290895049];
    pub(crate) const LAMBDA_END: [f64; 2] = [8.759019410246, -8.413254627442];
    const CRANK: f64 = 0.3;
    const ROD: f64 = 0.7;
    const MASSES: [f64; 3] = [0.9, 1.3, 0.6];
    const COUPLING: f64 = Self::MASSES[1] * Self::CRANK * Self::ROD / 2.0;
}

impl Mechanism for SliderCrank {
    fn sizes(&self) -> Sizes {
        Sizes { p: 3, v: 3, g: 2, lambda: 2, ..Sizes::default() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], _: &mut [f64]) {
        let phi = 0.7_f64;
        let psi = -(Self::CRANK * phi.sin() / Self::ROD).asin();
        p.copy_from_slice(&[phi, psi, Self::CRANK * phi.cos() + Self::ROD * psi.cos()]);
        let rate = 6.0;
        let other = -Self::CRANK * phi.cos() * rate / (Self::ROD * psi.cos());
        v.copy_from_slice(&[rate, other, -Self::CRANK * phi.sin() * rate - Self::ROD * psi.sin() * other]);
    }
    fn mass(&self, at: &At<'_>, m: &mut [f64]) {
        let [m1, m2, m3] = Self::MASSES;
        let square = Self::CRANK * Self::CRANK;
        let off = Self::COUPLING * (at.p[0] - at.p[1]).cos();
        let diagonal = [m1 * square / 3.0 + m2 * square, m2 * Self::ROD * Self::ROD / 3.0, m3];
        m.copy_from_slice(&[diagonal[0], off, 0.0, off, diagonal[1], 0.0, 0.0, 0.0, diagonal[2]]);
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        let (&[phi, psi, x], &[u, w, q]) = (at.p, at.v) else { return };
        let [m1, m2, _] = Self::MASSES;
        let swing = Self::COUPLING * (phi - psi).sin();
        f[0] = -swing * w * w - (0.5 * m1 + m2) * GRAVITY * Self::CRANK * phi.cos()
            + 2.0 * (4.0 * at.t).sin()
            - 0.05 * u;
        f[1] = swing * u * u - 0.5 * m2 * GRAVITY * Self::ROD * psi.cos();
        f[2] = -0.4 * q - 20.0 * (x - 0.8);
    }
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        let &[phi, psi, x] = at.p else { return };
        g[0] = Self::CRANK * phi.cos() + Self::ROD * psi.cos() - x;
        g[1] = Self::CRANK * phi.sin() + Self::ROD * psi.sin();
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        let &[phi, psi, _] = at.p else { return };
        let (a, b) = (Self::CRANK, Self::ROD);
        g.copy_from_slice(&[-a * phi.sin(), a * phi.cos(), -b * psi.sin(), b * psi.cos(), -1.0, 0.0]);
    }
    fn z(&self, at: &At<'_>, z: &mut [f64]) {
        let (&[phi, psi, _], &[u, w, _]) = (at.p, at.v) else { return };
        let (a, b) = (Self::CRANK * u * u, Self::ROD * w * w);
        z[0] = -a * phi.cos() - b * psi.cos();
        z[1] = -a * phi.sin() - b * psi.sin();
    }
}

/// The pendulum with its constraint given twice.
pub(crate) struct Twice;

impl Mechanism for Twice {
    fn sizes(&self) -> Sizes {
        Sizes { g: 2, lambda: 2, ..Pendulum.sizes() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        Pendulum.start(p, v, x);
    }
    fn mass(&self, at: &At<'_>, m: &mut [f64]) {
        Pendulum.mass(at, m);
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        Pendulum.force(at, f);
    }
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        Pendulum.g(at, &mut g[..1]);
        g[1] = g[0];
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        g.copy_from_slice(&[at.p[0], at.p[0], at.p[1], at.p[1]]);
    }
    fn z(&self, at: &At<'_>, z: &mut [f64]) {
        Pendulum.z(at, &mut z[..1]);
        z[1] = z[0];
    }
}

/// The pendulum with its constraint given again as one of velocities.
pub(crate) struct TwiceAsVelocity;

impl Mechanism for TwiceAsVelocity {
    fn sizes(&self) -> Sizes {
        Sizes { g: 1, lambda: 2, ..Pendulum.sizes() }
    }
    fn start(&self, p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        Pendulum.start(p, v, x);
    }
    fn mass(&self, at: &At<'_>, m: &mut [f64]) {
        Pendulum.mass(at, m);
    }
    fn force(&self, at: &At<'_>, f: &mut [f64]) {
        Pendulum.force(at, f);
    }
    fn g(&self, at: &At<'_>, g: &mut [f64]) {
        Pendulum.g(at, g);
    }
    fn jacobian(&self, at: &At<'_>, g: &mut [f64]) {
        g.copy_from_slice(&[at.p[0], 3.0 * at.p[0], at.p[1], 3.0 * at.p[1]]);
    }
    fn z(&self, at: &At<'_>, z: &mut [f64]) {
        Pendulum.z(at, &mut z[..1]);
        z[1] = 3.0 * z[0];
    }
}
