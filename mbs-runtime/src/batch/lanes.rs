//! The view an integrator has of a model that evaluates four states at once.

use super::f64x4;
use crate::system::TRUSTED_PIVOT;
use crate::{NotGenerated, System};
use mbs_math::lanes::{less, mask, select, splat};

/// Where a model is evaluated: four states, entry by entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At4<'a> {
    /// Time, s.
    pub t: f64x4,
    /// Positions.
    pub p: &'a [f64x4],
    /// Velocities.
    pub v: &'a [f64x4],
    /// Auxiliary states.
    pub x: &'a [f64x4],
    /// Inputs, slot by slot.
    pub u: &'a [f64x4],
    /// Conditionals frozen within a step, as masks.
    pub modes: &'a [f64x4],
    /// What [`System::prepare`] made of the parameters of each lane.
    pub prepared: &'a [f64x4],
}

/// What an integrator needs per stage.
#[derive(Debug)]
pub struct Fused4<'a> {
    /// p' = T v, n_p.
    pub p_dot: &'a mut [f64x4],
    /// M, n_v × n_v.
    pub mass_matrix: &'a mut [f64x4],
    /// f, n_v.
    pub forces: &'a mut [f64x4],
    /// G, n_λ × n_v.
    pub constraint_jacobian: &'a mut [f64x4],
    /// z, n_λ.
    pub acceleration_bias: &'a mut [f64x4],
    /// x' = a, n_x.
    pub auxiliary: &'a mut [f64x4],
}

impl Fused4<'_> {
    /// [`wrong_length`] for all parts.
    #[track_caller]
    pub fn wrong_length(&mut self) {
        let vectors = [&mut self.p_dot, &mut self.forces, &mut self.acceleration_bias, &mut self.auxiliary];
        for part in vectors.into_iter().chain([&mut self.constraint_jacobian]) {
            part.fill(f64x4::splat(f64::NAN));
        }
        wrong_length(self.mass_matrix);
    }
}

/// What a model's own solution gives.
#[derive(Debug)]
pub struct Accelerated4<'a> {
    /// p' = T v, n_p.
    pub p_dot: &'a mut [f64x4],
    /// v', n_v.
    pub v_dot: &'a mut [f64x4],
    /// λ, n_λ.
    pub lambda: &'a mut [f64x4],
    /// x' = a, n_x.
    pub auxiliary: &'a mut [f64x4],
    /// The pivots, n_v + n_λ: positive for velocities, negative for rows.
    pub pivots: &'a mut [f64x4],
}

impl Accelerated4<'_> {
    /// The lanes in which v' and λ can be trusted, as a mask; see
    /// [`Accelerated::is_reliable`](crate::Accelerated::is_reliable).
    pub fn sound(&self) -> f64x4 {
        let (velocities, rows) = self.pivots.split_at(self.v_dot.len().min(self.pivots.len()));
        self.v_dot
            .iter()
            .fold(sound(velocities, 1.0) & sound(rows, -1.0), |all, rate| all & is_finite(rate.abs()))
    }

    /// [`wrong_length`] for all parts.
    #[track_caller]
    pub fn wrong_length(&mut self) {
        for part in [&mut self.p_dot, &mut self.lambda, &mut self.auxiliary, &mut self.pivots] {
            part.fill(f64x4::splat(f64::NAN));
        }
        wrong_length(self.v_dot);
    }
}

/// Where all pivots have the sign and none is small among them.
fn sound(pivots: &[f64x4], sign: f64) -> f64x4 {
    let sizes = || pivots.iter().map(|pivot| splat(sign) * *pivot);
    let largest = sizes().fold(splat(0.0), |largest, size| select(less(largest, size), size, largest));
    let least = splat(TRUSTED_PIVOT) * largest;
    sizes().fold(mask([true; 4]) & is_finite(largest), |all, size| all & less(least, size))
}

/// Where a number that is not negative is finite.
fn is_finite(size: f64x4) -> f64x4 {
    less(size, splat(f64::INFINITY))
}

/// The equations of motion of a model at four states at once.
///
/// Each lane of a result has the bits of the method of [`System`] without `_x4`, whatever the
/// other lanes hold. Matrices are dense and column-major. Slices have the lengths the layout
/// says; for others a model fills its results with NaN, and panics in debug builds.
pub trait Lanes: System {
    /// The model for one state.
    fn as_system(&self) -> &dyn System;
    /// p' = T v, n_p.
    fn kinematics_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// T, n_p × n_v.
    fn kinematic_matrix_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// M, n_v × n_v.
    fn mass_matrix_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// f, n_v.
    fn forces_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// g, n_g.
    fn constraints_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// G, n_λ × n_v.
    fn constraint_jacobian_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// c of 0 = G v + c, n_λ.
    fn velocity_bias_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// z of 0 = G v' + z, n_λ.
    fn acceleration_bias_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// x' = a, n_x.
    fn auxiliary_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// The switching function of each mode.
    fn switching_functions_x4(&self, at: &At4<'_>, out: &mut [f64x4]);
    /// p', M, f, G, z and x', with what they share computed once.
    fn fused_x4(&self, at: &At4<'_>, out: &mut Fused4<'_>);
    /// As [`mass_matrix_x4`](Self::mass_matrix_x4), for a slice whose entries outside
    /// [`Layout::mass_pattern`](crate::Layout::mass_pattern) are zero already.
    fn update_mass_matrix_x4(&self, at: &At4<'_>, out: &mut [f64x4]) {
        self.mass_matrix_x4(at, out);
    }
    /// As [`constraint_jacobian_x4`](Self::constraint_jacobian_x4), for a slice whose entries outside
    /// [`Layout::jacobian_pattern`](crate::Layout::jacobian_pattern) are zero already.
    fn update_constraint_jacobian_x4(&self, at: &At4<'_>, out: &mut [f64x4]) {
        self.constraint_jacobian_x4(at, out);
    }
    /// As [`fused_x4`](Self::fused_x4), for M and G whose entries outside their patterns are zero already.
    fn update_fused_x4(&self, at: &At4<'_>, out: &mut Fused4<'_>) {
        self.fused_x4(at, out);
    }
    /// p', v', λ and x' by the model's own solution, where it was compiled with one.
    fn accelerations_x4(&self, at: &At4<'_>, out: &mut Accelerated4<'_>) -> Result<(), NotGenerated> {
        let _ = (at, out);
        Err(NotGenerated)
    }
}

/// What a model does with a result when a slice has not the length the layout says.
#[track_caller]
pub fn wrong_length(out: &mut [f64x4]) {
    out.fill(f64x4::splat(f64::NAN));
    debug_assert!(false, "a slice has not the length the model's layout says");
}
