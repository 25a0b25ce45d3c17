//! The view an integrator has of a model that evaluates four states at once.

use super::f64x4;
use crate::System;

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
}

/// What a model does with a result when a slice has not the length the layout says.
#[track_caller]
pub fn wrong_length(out: &mut [f64x4]) {
    out.fill(f64x4::splat(f64::NAN));
    debug_assert!(false, "a slice has not the length the model's layout says");
}
