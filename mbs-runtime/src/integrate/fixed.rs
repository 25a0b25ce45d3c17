//! Fixed steps of bounded cost, for real time: no allocation, no iteration to a tolerance.
//!
//! The caller owns all memory: the motion, what is held over a step, and a workspace of
//! [`FixedStep::workspace_len`] numbers.

use crate::constraint::normalise;
use crate::linalg::{DependentRow, LostPivot, add_scaled, assemble, ldlt, solve_ldlt};
use crate::{Accelerated, At, Fused, Layout, System};
use core::fmt;

/// A formula of fixed step size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// Semi-explicit Euler of order 1: velocities first, positions with the new ones.
    Euler,
    /// The classical Runge–Kutta formula of order 4.
    Rk4,
}

/// How a fixed-step method keeps to the constraints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stabilisation {
    /// Not at all: the index-1 form as it is.
    None,
    /// Positions and velocities are moved onto the constraints after every step.
    Projection {
        /// Iterations of each, one or two; more count as two.
        iterations: u8,
    },
    /// z + 2α (G v + c) + β² g in place of z (J. Baumgarte, *Comput. Methods Appl. Mech.
    /// Eng.* 1 (1972) 1–16). Violations decay like a critically damped oscillator for α = β.
    Baumgarte {
        /// 1/s.
        alpha: f64,
        /// 1/s.
        beta: f64,
    },
}

/// Iterations of a projection at most.
const MAX_ITERATIONS: u8 = 2;

/// A motion in the caller's memory, advanced in place.
#[derive(Debug)]
pub struct Motion<'a> {
    /// Time, s.
    pub t: f64,
    /// Positions.
    pub p: &'a mut [f64],
    /// Velocities.
    pub v: &'a mut [f64],
    /// Auxiliary states.
    pub x: &'a mut [f64],
}

/// What stays as it is over a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Held<'a> {
    /// Inputs, slot by slot.
    pub u: &'a [f64],
    /// Conditionals.
    pub modes: &'a [bool],
    /// What [`System::prepare`] made of the parameters.
    pub prepared: &'a [f64],
}

/// A workspace is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkspaceTooShort {
    /// Numbers needed.
    pub needed: usize,
    /// Numbers there are.
    pub given: usize,
}

impl fmt::Display for WorkspaceTooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the workspace has {} numbers, {} are needed", self.given, self.needed)
    }
}

impl core::error::Error for WorkspaceTooShort {}

/// A fixed-step method for one layout on a borrowed workspace.
#[derive(Debug)]
pub struct FixedStep<'w> {
    formula: Formula,
    stabilisation: Stabilisation,
    n_v: usize,
    n_g: usize,
    n_lambda: usize,
    mass_matrix: &'w mut [f64],
    jacobian: &'w mut [f64],
    /// Q, and its factors.
    saddle: &'w mut [f64],
    /// Right-hand side, and the solution.
    right: &'w mut [f64],
    forces: &'w mut [f64],
    bias: &'w mut [f64],
    residual: &'w mut [f64],
    point: Part<'w>,
    rate: Part<'w>,
    sum: Part<'w>,
    lambda: &'w mut [f64],
}

/// Positions, velocities and auxiliary states, or their rates.
#[derive(Debug)]
struct Part<'w> {
    p: &'w mut [f64],
    v: &'w mut [f64],
    x: &'w mut [f64],
}

impl Part<'_> {
    fn set(&mut self, p: &[f64], v: &[f64], x: &[f64]) {
        self.p.copy_from_slice(p);
        self.v.copy_from_slice(v);
        self.x.copy_from_slice(x);
    }

    fn add(&mut self, factor: f64, other: &Part<'_>) {
        add_scaled(self.p, factor, other.p);
        add_scaled(self.v, factor, other.v);
        add_scaled(self.x, factor, other.x);
    }
}

impl<'w> FixedStep<'w> {
    /// Numbers a workspace for a layout must have.
    pub fn workspace_len(layout: &Layout) -> usize {
        let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
        let n = n_v + n_lambda;
        let parts = 3 * (layout.n_p() + n_v + layout.n_x());
        n_v * n_v + n_lambda * n_v + n * n + n + n_v + 3 * n_lambda + parts
    }

    /// A method for models of this layout.
    pub fn new(
        formula: Formula,
        stabilisation: Stabilisation,
        layout: &Layout,
        workspace: &'w mut [f64],
    ) -> Result<Self, WorkspaceTooShort> {
        let (n_p, n_v, n_x) = (layout.n_p(), layout.n_v(), layout.n_x());
        let n_lambda = layout.n_lambda();
        let n = n_v + n_lambda;
        let (needed, given) = (Self::workspace_len(layout), workspace.len());
        let mut rest = workspace;
        let mut take = |length: usize| -> Result<&'w mut [f64], WorkspaceTooShort> {
            let all = core::mem::take(&mut rest);
            let (part, left) = all.split_at_mut_checked(length).ok_or(WorkspaceTooShort { needed, given })?;
            rest = left;
            part.fill(0.0);
            Ok(part)
        };
        Ok(Self {
            formula,
            stabilisation,
            n_v,
            n_g: layout.n_g,
            n_lambda,
            mass_matrix: take(n_v * n_v)?,
            jacobian: take(n_lambda * n_v)?,
            saddle: take(n * n)?,
            right: take(n)?,
            forces: take(n_v)?,
            bias: take(n_lambda)?,
            residual: take(n_lambda)?,
            point: Part { p: take(n_p)?, v: take(n_v)?, x: take(n_x)? },
            rate: Part { p: take(n_p)?, v: take(n_v)?, x: take(n_x)? },
            sum: Part { p: take(n_p)?, v: take(n_v)?, x: take(n_x)? },
            lambda: take(n_lambda)?,
        })
    }

    /// Order of the formula.
    pub fn order(&self) -> u32 {
        match self.formula {
            Formula::Euler => 1,
            Formula::Rk4 => 4,
        }
    }

    /// Multipliers at the start of the last step.
    pub fn lambda(&self) -> &[f64] {
        self.lambda
    }

    /// Advances a motion by h. On an error it stays where it is; the index tells the
    /// velocity whose motion has no inertia.
    ///
    /// # Panics
    /// If the motion has not the lengths of the layout.
    pub fn step(
        &mut self,
        system: &dyn System,
        motion: &mut Motion<'_>,
        held: &Held<'_>,
        h: f64,
    ) -> Result<(), LostPivot> {
        match self.formula {
            Formula::Euler => self.euler(system, motion, held, h)?,
            Formula::Rk4 => self.rk4(system, motion, held, h)?,
        }
        normalise(system.layout(), self.point.p);
        let t = motion.t + h;
        if let Stabilisation::Projection { iterations } = self.stabilisation
            && self.n_lambda > 0
        {
            self.project(system, t, held, iterations.clamp(1, MAX_ITERATIONS))?;
        }
        motion.p.copy_from_slice(self.point.p);
        motion.v.copy_from_slice(self.point.v);
        motion.x.copy_from_slice(self.point.x);
        motion.t = t;
        Ok(())
    }

    /// Leaves the new values in `point`.
    fn euler(
        &mut self,
        system: &dyn System,
        motion: &Motion<'_>,
        held: &Held<'_>,
        h: f64,
    ) -> Result<(), LostPivot> {
        self.point.set(motion.p, motion.v, motion.x);
        self.evaluate(system, motion.t, held)?;
        self.lambda.copy_from_slice(&self.right[self.n_v..]);
        add_scaled(self.point.v, h, self.rate.v);
        add_scaled(self.point.x, h, self.rate.x);
        let at = place(motion.t, self.point.p, self.point.v, self.point.x, held);
        system.kinematics(&at, self.rate.p);
        add_scaled(self.point.p, h, self.rate.p);
        Ok(())
    }

    /// Leaves the new values in `point`.
    fn rk4(
        &mut self,
        system: &dyn System,
        motion: &Motion<'_>,
        held: &Held<'_>,
        h: f64,
    ) -> Result<(), LostPivot> {
        const NODES: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
        const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
        self.sum.set(motion.p, motion.v, motion.x);
        for stage in 0..4 {
            self.point.set(motion.p, motion.v, motion.x);
            if stage > 0 {
                self.point.add(NODES[stage] * h, &self.rate);
            }
            self.evaluate(system, motion.t + NODES[stage] * h, held)?;
            if stage == 0 {
                self.lambda.copy_from_slice(&self.right[self.n_v..]);
            }
            self.sum.add(WEIGHTS[stage] * h, &self.rate);
        }
        self.point.set(self.sum.p, self.sum.v, self.sum.x);
        Ok(())
    }

    /// Rates at `point`.
    fn evaluate(&mut self, system: &dyn System, t: f64, held: &Held<'_>) -> Result<(), LostPivot> {
        let at = place(t, self.point.p, self.point.v, self.point.x, held);
        // Baumgarte's terms go into z, which the model's own solution does not show.
        if !matches!(self.stabilisation, Stabilisation::Baumgarte { .. }) {
            let mut out = Accelerated {
                p_dot: self.rate.p,
                v_dot: self.rate.v,
                lambda: &mut self.right[self.n_v..],
                auxiliary: self.rate.x,
                // Free until something is factored.
                pivots: &mut self.saddle[..self.n_v + self.n_lambda],
            };
            if system.accelerations(&at, &mut out).is_ok() && out.is_reliable() {
                return Ok(());
            }
        }
        let mut out = Fused {
            p_dot: self.rate.p,
            mass_matrix: self.mass_matrix,
            forces: self.forces,
            constraint_jacobian: self.jacobian,
            acceleration_bias: self.bias,
            auxiliary: self.rate.x,
        };
        system.fused(&at, &mut out);
        if let Stabilisation::Baumgarte { alpha, beta } = self.stabilisation {
            system.velocity_bias(&at, self.residual);
            add_product(self.jacobian, at.v, self.residual);
            add_scaled(self.bias, 2.0 * alpha, self.residual);
            system.constraints(&at, &mut self.residual[..self.n_g]);
            add_scaled(&mut self.bias[..self.n_g], beta * beta, &self.residual[..self.n_g]);
        }
        self.factor()?;
        let (accelerations, multipliers) = self.right.split_at_mut(self.n_v);
        accelerations.copy_from_slice(self.forces);
        for (right, bias) in multipliers.iter_mut().zip(&*self.bias) {
            *right = -bias;
        }
        solve_ldlt(self.saddle, self.right);
        self.rate.v.copy_from_slice(&self.right[..self.n_v]);
        Ok(())
    }

    fn factor(&mut self) -> Result<(), LostPivot> {
        let (n_v, n_lambda) = (self.n_v, self.n_lambda);
        assemble(n_v, n_lambda, self.mass_matrix, self.jacobian, n_lambda, self.saddle);
        ldlt(n_v, n_lambda, self.saddle, DependentRow::LeaveOut).map(|_| ())
    }

    /// Moves `point` onto the constraints, with Q of where it was. Positions move along
    /// directions non-holonomic rows allow.
    fn project(
        &mut self,
        system: &dyn System,
        t: f64,
        held: &Held<'_>,
        iterations: u8,
    ) -> Result<(), LostPivot> {
        let at = place(t, self.point.p, self.point.v, self.point.x, held);
        system.mass_matrix(&at, self.mass_matrix);
        system.constraint_jacobian(&at, self.jacobian);
        self.factor()?;
        if self.n_g > 0 {
            for _ in 0..iterations {
                self.residual.fill(0.0);
                let at = place(t, self.point.p, self.point.v, self.point.x, held);
                system.constraints(&at, &mut self.residual[..self.n_g]);
                self.correct();
                let at = place(t, self.point.p, &self.right[..self.n_v], self.point.x, held);
                system.kinematics(&at, self.rate.p);
                add_scaled(self.point.p, 1.0, self.rate.p);
            }
            normalise(system.layout(), self.point.p);
            let at = place(t, self.point.p, self.point.v, self.point.x, held);
            system.constraint_jacobian(&at, self.jacobian);
        }
        for _ in 0..iterations {
            let at = place(t, self.point.p, self.point.v, self.point.x, held);
            system.velocity_bias(&at, self.residual);
            add_product(self.jacobian, at.v, self.residual);
            self.correct();
            add_scaled(self.point.v, 1.0, &self.right[..self.n_v]);
        }
        Ok(())
    }

    /// The smallest motion that removes the residual, in the first part of `right`.
    fn correct(&mut self) {
        let (motion, rows) = self.right.split_at_mut(self.n_v);
        motion.fill(0.0);
        for (right, residual) in rows.iter_mut().zip(&*self.residual) {
            *right = -residual;
        }
        solve_ldlt(self.saddle, self.right);
    }
}

fn place<'a>(t: f64, p: &'a [f64], v: &'a [f64], x: &'a [f64], held: &Held<'a>) -> At<'a> {
    At { t, p, v, x, u: held.u, modes: held.modes, prepared: held.prepared }
}

/// y += A x, column-major.
fn add_product(a: &[f64], x: &[f64], y: &mut [f64]) {
    for (column, factor) in a.chunks_exact(y.len().max(1)).zip(x) {
        add_scaled(y, *factor, column);
    }
}
