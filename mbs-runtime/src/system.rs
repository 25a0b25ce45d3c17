//! The view an integrator has of a model.

use crate::{Layout, Names};
use core::fmt;

/// Where a model is evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At<'a> {
    /// Time, s.
    pub t: f64,
    /// Positions.
    pub p: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Auxiliary states.
    pub x: &'a [f64],
    /// Inputs, slot by slot.
    pub u: &'a [f64],
    /// Conditionals frozen within a step.
    pub modes: &'a [bool],
    /// What [`System::prepare`] made of the parameters.
    pub prepared: &'a [f64],
}

/// What an integrator needs per stage.
#[derive(Debug)]
pub struct Fused<'a> {
    /// p' = T v, n_p.
    pub p_dot: &'a mut [f64],
    /// M, n_v × n_v.
    pub mass_matrix: &'a mut [f64],
    /// f, n_v.
    pub forces: &'a mut [f64],
    /// G, n_λ × n_v.
    pub constraint_jacobian: &'a mut [f64],
    /// z, n_λ.
    pub acceleration_bias: &'a mut [f64],
    /// x' = a, n_x.
    pub auxiliary: &'a mut [f64],
}

impl Fused<'_> {
    /// [`wrong_length`] for all parts.
    #[track_caller]
    pub fn wrong_length(&mut self) {
        let vectors = [&mut self.p_dot, &mut self.forces, &mut self.acceleration_bias, &mut self.auxiliary];
        for part in vectors.into_iter().chain([&mut self.constraint_jacobian]) {
            part.fill(f64::NAN);
        }
        wrong_length(self.mass_matrix);
    }
}

/// What an integrator needs per stage, solved for v' and λ.
#[derive(Debug)]
pub struct Accelerated<'a> {
    /// p' = T v, n_p.
    pub p_dot: &'a mut [f64],
    /// v', n_v.
    pub v_dot: &'a mut [f64],
    /// λ, n_λ.
    pub lambda: &'a mut [f64],
    /// x' = a, n_x.
    pub auxiliary: &'a mut [f64],
    /// The pivots, n_v + n_λ: positive for velocities, negative for rows.
    pub pivots: &'a mut [f64],
}

/// Below this part of the largest pivot of its kind a pivot is not trusted.
pub(crate) const TRUSTED_PIVOT: f64 = 1e-10;

impl Accelerated<'_> {
    /// Whether v' and λ can be trusted. Elimination in generated code has a fixed order; where
    /// it meets a pivot that is small among those of its kind, another order, a solver that
    /// pivots or a smaller rank is needed.
    pub fn is_reliable(&self) -> bool {
        let (velocities, rows) = self.pivots.split_at(self.v_dot.len().min(self.pivots.len()));
        sound(velocities, 1.0) && sound(rows, -1.0) && self.v_dot.iter().all(|rate| rate.is_finite())
    }

    /// [`wrong_length`] for all parts.
    #[track_caller]
    pub fn wrong_length(&mut self) {
        for part in [&mut self.p_dot, &mut self.lambda, &mut self.auxiliary, &mut self.pivots] {
            part.fill(f64::NAN);
        }
        wrong_length(self.v_dot);
    }
}

/// Whether all pivots have the sign and none is small among them.
fn sound(pivots: &[f64], sign: f64) -> bool {
    let largest = pivots.iter().fold(0.0, |largest, pivot| f64::max(largest, sign * pivot));
    // What is not a number is no larger than anything.
    largest.is_finite() && pivots.iter().all(|pivot| sign * pivot > TRUSTED_PIVOT * largest)
}

/// Energy of the mechanism, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of gravity and linear springs.
    pub potential: f64,
}

/// The model was compiled without the function asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotGenerated;

impl fmt::Display for NotGenerated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the model was compiled without this function")
    }
}

impl core::error::Error for NotGenerated {}

/// Declares the trait [`System`] and what follows from its list of methods: [`Wraps`] with the
/// system it makes of a wrapper, and [`FUNCTIONS`]. A method is written once.
macro_rules! system {
    (
        $(#[$about:meta])*
        trait System: required {
            $($(#[$required_doc:meta])*
            fn $required:ident(&self $(, $required_argument:ident: $required_type:ty)* $(,)?)
                $(-> $required_result:ty)?;)*
        }
        provided {
            $($(#[$provided_doc:meta])*
            fn $provided:ident(&$this:ident $(, $provided_argument:ident: $provided_type:ty)* $(,)?)
                $(-> $provided_result:ty)? $body:block)*
        }
    ) => {
        $(#[$about])*
        pub trait System: Send + Sync {
            $($(#[$required_doc])*
            fn $required(&self $(, $required_argument: $required_type)*) $(-> $required_result)?;)*
            $($(#[$provided_doc])*
            fn $provided(&$this $(, $provided_argument: $provided_type)*) $(-> $provided_result)? $body)*
        }

        /// Names of the methods of [`System`].
        pub const FUNCTIONS: &[&str] = &[$(stringify!($required),)* $(stringify!($provided)),*];

        system! { @wraps
            $($required($($required_argument: $required_type),*) $(-> $required_result)?;)*
            $($provided($($provided_argument: $provided_type),*) $(-> $provided_result)?;)*
        }
    };
    (@wraps $($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        /// A [`System`] that is another one but for the methods it overrides; all others reach the
        /// system inside under the same name.
        ///
        /// Functions that compute several results at once ([`System::fused`],
        /// [`System::accelerations`]) and those that leave zeros alone (`update_…`) are methods of
        /// their own: who overrides M overrides them as well.
        ///
        /// ```
        /// use mbs_runtime::{System, wrapper::Wraps};
        ///
        /// /// A model with other initial positions.
        /// struct Moved<'s> {
        ///     inner: &'s dyn System,
        ///     p: Vec<f64>,
        /// }
        ///
        /// impl<'s> Wraps for Moved<'s> {
        ///     type Inner = dyn System + 's;
        ///     fn inner(&self) -> &Self::Inner {
        ///         self.inner
        ///     }
        ///     fn initial(&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        ///         self.inner.initial(prepared, p, v, x);
        ///         p.copy_from_slice(&self.p);
        ///     }
        /// }
        ///
        /// fn moved<'s>(inner: &'s dyn System, p: &[f64]) -> Box<dyn System + 's> {
        ///     Box::new(Moved { inner, p: p.to_vec() })
        /// }
        /// ```
        pub trait Wraps: Send + Sync {
            /// The type of the system inside.
            type Inner: System + ?Sized;
            /// The system inside.
            fn inner(&self) -> &Self::Inner;
            $(#[doc = concat!("As [`System::", stringify!($name), "`]; unless overridden, that of the system inside.")]
            #[inline]
            fn $name(&self $(, $argument: $type)*) $(-> $result)? {
                self.inner().$name($($argument),*)
            })*
        }

        impl<W: Wraps> System for W {
            $(#[inline]
            fn $name(&self $(, $argument: $type)*) $(-> $result)? {
                Wraps::$name(self $(, $argument)*)
            })*
        }
    };
}

system! {
    /// The equations of motion of a model.
    ///
    /// No method keeps state between calls or allocates. Matrices are dense and
    /// column-major, M with both triangles. Slices have the lengths [`Layout`] says; for
    /// others a model fills its results with NaN, and panics in debug builds.
    trait System: required {
        /// Names and dimensions.
        fn layout(&self) -> &Layout;
        /// Parameter-only work: fills `prepared` (`Layout::n_prepared` long) from θ. The
        /// first entries are θ itself.
        fn prepare(&self, theta: &[f64], prepared: &mut [f64]);
        /// p' = T v, n_p.
        fn kinematics(&self, at: &At<'_>, out: &mut [f64]);
        /// T, n_p × n_v.
        fn kinematic_matrix(&self, at: &At<'_>, out: &mut [f64]);
        /// M, n_v × n_v.
        fn mass_matrix(&self, at: &At<'_>, out: &mut [f64]);
        /// f, n_v.
        fn forces(&self, at: &At<'_>, out: &mut [f64]);
        /// g, n_g.
        fn constraints(&self, at: &At<'_>, out: &mut [f64]);
        /// G, n_λ × n_v.
        fn constraint_jacobian(&self, at: &At<'_>, out: &mut [f64]);
        /// c of 0 = G v + c, n_λ.
        fn velocity_bias(&self, at: &At<'_>, out: &mut [f64]);
        /// z of 0 = G v' + z, n_λ.
        fn acceleration_bias(&self, at: &At<'_>, out: &mut [f64]);
        /// x' = a, n_x.
        fn auxiliary(&self, at: &At<'_>, out: &mut [f64]);
        /// p', M, f, G, z and x', with what they share computed once.
        fn fused(&self, at: &At<'_>, out: &mut Fused<'_>);
        /// M v' − f, n_v: the generalised forces that produce v'.
        fn inverse_dynamics(&self, at: &At<'_>, v_dot: &[f64], out: &mut [f64]);
        /// The switching function of each mode.
        fn switching_functions(&self, at: &At<'_>, out: &mut [f64]);
        /// The named outputs.
        fn outputs(&self, at: &At<'_>, v_dot: &[f64], lambda: &[f64], out: &mut [f64]);
        /// Twelve numbers per body: origin in ground axes, then the rotation matrix (body
        /// to ground) row by row.
        fn poses(&self, at: &At<'_>, out: &mut [f64]);
        /// Kinetic and potential energy.
        fn energy(&self, at: &At<'_>) -> Energy;
        /// Inputs while nothing else is set; `modes` decides the conditionals in them.
        fn input_defaults(&self, t: f64, modes: &[bool], prepared: &[f64], u: &mut [f64]);
        /// Default initial values, not yet consistent with the constraints.
        fn initial(&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]);
        /// Values of the derived parameters.
        fn derived(&self, prepared: &[f64], out: &mut [f64]);
    }
    provided {
        /// For each of [`Layout::closures`] a cosine that is 1 where the joint is closed, and negative
        /// where its rows vanish because one side is turned over against the other. A model without
        /// such joints needs none.
        fn closure_cosines(&self, at: &At<'_>, out: &mut [f64]) {
            let _ = at;
            out.fill(1.0);
        }
        /// Derivatives of the residuals f − M v' − Gᵀλ (n_v rows), g (n_g), G v + c (n_λ) and
        /// a (n_x), one below the other, with respect to p, v, x and u side by side, at given v'
        /// and λ, if the model was compiled with them: what implicit integrators and
        /// linearisation need. Modes stay frozen. [`Layout::jacobian_rows`] ×
        /// [`Layout::jacobian_columns`].
        fn jacobian(
            &self,
            at: &At<'_>,
            v_dot: &[f64],
            lambda: &[f64],
            out: &mut [f64],
        ) -> Result<(), NotGenerated> {
            let _ = (at, v_dot, lambda, out);
            Err(NotGenerated)
        }
        /// Names of the frames of [`frame_jacobian`](Self::frame_jacobian): `body.frame`, or `body`
        /// for its reference frame.
        fn frame_names(&self) -> &Names {
            static NONE: Names = Names::from_static(&[]);
            &NONE
        }
        /// Partial derivatives of the velocities of [`frame_names`](Self::frame_names) with respect
        /// to v, if the model was compiled with them. A frame after the other has a matrix 6 × n_v:
        /// three rows for the velocity of its origin, three for its angular velocity, in ground
        /// axes or in its own as the model was compiled. With v in m/s or rad/s the entries are
        /// m/s and rad/s per unit of v. Frames move by time, too, where joints are driven: that part
        /// is not in it.
        fn frame_jacobian(&self, at: &At<'_>, out: &mut [f64]) -> Result<(), NotGenerated> {
            let _ = (at, out);
            Err(NotGenerated)
        }
        /// As [`mass_matrix`](Self::mass_matrix), for a slice whose entries outside
        /// [`Layout::mass_pattern`] are zero already and may be left alone: of a large mechanism they
        /// are almost all.
        fn update_mass_matrix(&self, at: &At<'_>, out: &mut [f64]) {
            self.mass_matrix(at, out);
        }
        /// As [`constraint_jacobian`](Self::constraint_jacobian), for a slice whose entries outside
        /// [`Layout::jacobian_pattern`] are zero already.
        fn update_constraint_jacobian(&self, at: &At<'_>, out: &mut [f64]) {
            self.constraint_jacobian(at, out);
        }
        /// As [`fused`](Self::fused), for M and G whose entries outside their patterns are zero
        /// already.
        fn update_fused(&self, at: &At<'_>, out: &mut Fused<'_>) {
            self.fused(at, out);
        }
        /// p', v', λ and x' at once, if the model was compiled with the solution: M, f, G and z are
        /// not formed as such. Whether to trust v' and λ is for [`Accelerated::is_reliable`] to say.
        fn accelerations(&self, at: &At<'_>, out: &mut Accelerated<'_>) -> Result<(), NotGenerated> {
            let _ = (at, out);
            Err(NotGenerated)
        }
    }
}

/// What a model does with a result when a slice has not the length [`Layout`] says:
/// NaN stops every integrator, and a panic in debug builds names the caller.
#[track_caller]
pub fn wrong_length(out: &mut [f64]) {
    out.fill(f64::NAN);
    debug_assert!(false, "a slice has not the length the model's layout says");
}

#[cfg(test)]
mod tests {
    use super::sound;

    #[test]
    fn small_pivots_of_the_wrong_sign_or_no_number_are_not_trusted() {
        assert!(sound(&[], 1.0) && sound(&[1.0, 1e-6], 1.0) && sound(&[-2.0, -1.0], -1.0));
        for pivots in [&[1.0, 1e-11][..], &[1e-11, 1.0], &[1.0, -1.0], &[f64::NAN, 1.0], &[1.0, f64::NAN]] {
            assert!(!sound(pivots, 1.0), "{pivots:?}");
        }
        assert!(!sound(&[0.0], 1.0) && !sound(&[f64::INFINITY], 1.0) && !sound(&[1.0], -1.0));
    }
}
