//! Derivatives of a system's functions along a direction.

use super::zeros;
use crate::{At, Layout, System};
use std::vec::Vec;

/// A function of a system that can be differentiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in System")]
pub enum Function {
    Kinematics,
    KinematicMatrix,
    MassMatrix,
    Forces,
    Constraints,
    ConstraintJacobian,
    VelocityBias,
    Auxiliary,
    /// Kinetic, then potential energy.
    Energy,
}

impl Function {
    /// Length of the result.
    pub fn len(self, layout: &Layout) -> usize {
        let (n_p, n_v, rows) = (layout.n_p(), layout.n_v(), layout.n_lambda());
        match self {
            Self::Kinematics => n_p,
            Self::KinematicMatrix => n_p * n_v,
            Self::MassMatrix => n_v * n_v,
            Self::Forces => n_v,
            Self::Constraints => layout.n_g,
            Self::ConstraintJacobian => rows * n_v,
            Self::VelocityBias => rows,
            Self::Auxiliary => layout.n_x(),
            Self::Energy => 2,
        }
    }

    /// The value.
    pub fn evaluate(self, system: &dyn System, at: &At<'_>, out: &mut [f64]) {
        match self {
            Self::Kinematics => system.kinematics(at, out),
            Self::KinematicMatrix => system.kinematic_matrix(at, out),
            Self::MassMatrix => system.mass_matrix(at, out),
            Self::Forces => system.forces(at, out),
            Self::Constraints => system.constraints(at, out),
            Self::ConstraintJacobian => system.constraint_jacobian(at, out),
            Self::VelocityBias => system.velocity_bias(at, out),
            Self::Auxiliary => system.auxiliary(at, out),
            Self::Energy => {
                let energy = system.energy(at);
                out.copy_from_slice(&[energy.kinetic, energy.potential]);
            }
        }
    }
}

/// How fast everything changes along a direction.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "rates of what At has under these names")]
pub struct Direction {
    pub t: f64,
    pub p: Vec<f64>,
    pub v: Vec<f64>,
    pub x: Vec<f64>,
    pub u: Vec<f64>,
}

impl Direction {
    /// Nothing changes.
    pub fn still(layout: &Layout) -> Self {
        let [p, v, x, u] = [layout.n_p(), layout.n_v(), layout.n_x(), layout.n_u()].map(zeros);
        Self { t: 0.0, p, v, x, u }
    }
}

/// Whoever knows derivatives of a system.
pub trait Derivatives {
    /// Derivative of a function along a direction, modes frozen.
    fn along(&self, of: Function, at: &At<'_>, direction: &Direction, out: &mut [f64]);
    /// Errors up to this, relative to the largest term, are those of the derivatives.
    fn tolerance(&self) -> f64;
}

/// Central differences with two step sizes, extrapolated.
#[derive(Clone, Copy)]
pub struct Differences<'s> {
    system: &'s dyn System,
}

impl<'s> Differences<'s> {
    /// Of the functions of a system.
    pub fn new(system: &'s dyn System) -> Self {
        Self { system }
    }

    fn moved(&self, of: Function, at: &At<'_>, direction: &Direction, h: f64, out: &mut [f64]) {
        let moved = |values: &[f64], rates: &[f64]| -> Vec<f64> {
            values.iter().zip(rates).map(|(value, rate)| value + h * rate).collect()
        };
        let (p, v) = (moved(at.p, &direction.p), moved(at.v, &direction.v));
        let (x, u) = (moved(at.x, &direction.x), moved(at.u, &direction.u));
        let at = At { t: at.t + h * direction.t, p: &p, v: &v, x: &x, u: &u, ..*at };
        of.evaluate(self.system, &at, out);
    }
}

impl Derivatives for Differences<'_> {
    fn along(&self, of: Function, at: &At<'_>, direction: &Direction, out: &mut [f64]) {
        const STEP: f64 = 1e-3;
        let mut forward = zeros(out.len());
        let mut backward = zeros(out.len());
        out.fill(0.0);
        // (4 D(h/2) − D(h)) / 3
        for (h, weight) in [(STEP, -1.0 / 3.0), (0.5 * STEP, 4.0 / 3.0)] {
            self.moved(of, at, direction, h, &mut forward);
            self.moved(of, at, direction, -h, &mut backward);
            for ((out, a), b) in out.iter_mut().zip(&forward).zip(&backward) {
                *out += weight * (a - b) / (2.0 * h);
            }
        }
    }

    fn tolerance(&self) -> f64 {
        1e-6
    }
}
