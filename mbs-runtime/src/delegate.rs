//! A system that is another one by a different name.

/// Implements [`System`](crate::System) for a unit struct through another: what
/// `#[multibody]` writes.
#[macro_export]
macro_rules! delegate_system {
    ($name:ident, $model:path) => {
        impl $crate::System for $name {
            fn layout(&self) -> &$crate::Layout {
                $crate::System::layout(&$model)
            }
            fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {
                $crate::System::prepare(&$model, theta, prepared);
            }
            $crate::delegate_system!(@plain $model;
                kinematics kinematic_matrix mass_matrix forces constraints constraint_jacobian
                velocity_bias acceleration_bias auxiliary switching_functions poses
                update_mass_matrix update_constraint_jacobian closure_cosines
            );
            fn fused(&self, at: &$crate::At<'_>, out: &mut $crate::Fused<'_>) {
                $crate::System::fused(&$model, at, out);
            }
            fn update_fused(&self, at: &$crate::At<'_>, out: &mut $crate::Fused<'_>) {
                $crate::System::update_fused(&$model, at, out);
            }
            fn inverse_dynamics(&self, at: &$crate::At<'_>, v_dot: &[f64], out: &mut [f64]) {
                $crate::System::inverse_dynamics(&$model, at, v_dot, out);
            }
            fn outputs(&self, at: &$crate::At<'_>, v_dot: &[f64], lambda: &[f64], out: &mut [f64]) {
                $crate::System::outputs(&$model, at, v_dot, lambda, out);
            }
            fn energy(&self, at: &$crate::At<'_>) -> $crate::Energy {
                $crate::System::energy(&$model, at)
            }
            fn input_defaults(&self, t: f64, modes: &[bool], prepared: &[f64], u: &mut [f64]) {
                $crate::System::input_defaults(&$model, t, modes, prepared, u);
            }
            fn initial(&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
                $crate::System::initial(&$model, prepared, p, v, x);
            }
            fn derived(&self, prepared: &[f64], out: &mut [f64]) {
                $crate::System::derived(&$model, prepared, out);
            }
            fn jacobian(
                &self,
                at: &$crate::At<'_>,
                v_dot: &[f64],
                lambda: &[f64],
                out: &mut [f64],
            ) -> ::core::result::Result<(), $crate::NotGenerated> {
                $crate::System::jacobian(&$model, at, v_dot, lambda, out)
            }
            fn accelerations(
                &self,
                at: &$crate::At<'_>,
                out: &mut $crate::Accelerated<'_>,
            ) -> ::core::result::Result<(), $crate::NotGenerated> {
                $crate::System::accelerations(&$model, at, out)
            }
        }
    };
    (@plain $model:path; $($function:ident)*) => {
        $(fn $function(&self, at: &$crate::At<'_>, out: &mut [f64]) {
            $crate::System::$function(&$model, at, out);
        })*
    };
}
