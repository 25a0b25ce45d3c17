//! A compiled model with other parameters, inputs and initial values.

use mbs_runtime::{Accelerated, At, Energy, Fused, Layout, NotGenerated, System};

/// Something that has been set, by its place in the layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Setting {
    Parameter(usize, f64),
    /// First slot of the input; its derivatives are zero.
    Input(usize, f64),
    Position(usize, f64),
    Velocity(usize, f64),
}

/// The same equations from another start; nothing is compiled anew.
pub(super) struct Adjusted<'s> {
    inner: &'s dyn System,
    layout: Layout,
    settings: Vec<Setting>,
}

impl<'s> Adjusted<'s> {
    pub(super) fn new(inner: &'s dyn System, settings: Vec<Setting>) -> Self {
        let mut layout = inner.layout().clone();
        let mut theta = layout.parameter_defaults.to_vec();
        let (mut positions, mut velocities) =
            (layout.held_positions.to_vec(), layout.held_velocities.to_vec());
        // What is set is held before what the model lists.
        let first = |list: &mut Vec<u32>, index: usize| {
            list.retain(|&other| other as usize != index);
            list.insert(0, index as u32);
        };
        for setting in &settings {
            match *setting {
                Setting::Parameter(index, value) => theta[index] = value,
                Setting::Position(index, _) => first(&mut positions, index),
                Setting::Velocity(index, _) => first(&mut velocities, index),
                Setting::Input(..) => {}
            }
        }
        layout.parameter_defaults = theta.into();
        layout.held_positions = positions.into();
        layout.held_velocities = velocities.into();
        Self { inner, layout, settings }
    }
}

/// Functions that only pass on.
macro_rules! passed_on {
    ($($function:ident)*) => {
        $(fn $function(&self, at: &At<'_>, out: &mut [f64]) {
            self.inner.$function(at, out);
        })*
    };
}

impl System for Adjusted<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn prepare(&self, theta: &[f64], prepared: &mut [f64]) {
        self.inner.prepare(theta, prepared);
    }

    passed_on!(
        kinematics kinematic_matrix mass_matrix forces constraints constraint_jacobian
        velocity_bias acceleration_bias auxiliary switching_functions poses closure_cosines
    );

    fn fused(&self, at: &At<'_>, out: &mut Fused<'_>) {
        self.inner.fused(at, out);
    }

    fn inverse_dynamics(&self, at: &At<'_>, v_dot: &[f64], out: &mut [f64]) {
        self.inner.inverse_dynamics(at, v_dot, out);
    }

    fn outputs(&self, at: &At<'_>, v_dot: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.inner.outputs(at, v_dot, lambda, out);
    }

    fn energy(&self, at: &At<'_>) -> Energy {
        self.inner.energy(at)
    }

    fn input_defaults(&self, t: f64, modes: &[bool], prepared: &[f64], u: &mut [f64]) {
        self.inner.input_defaults(t, modes, prepared, u);
        for setting in &self.settings {
            if let Setting::Input(first, value) = *setting {
                u[first] = value;
                let rest = self.layout.input_derivatives.iter().enumerate().skip(first + 1);
                for (slot, _) in rest.take_while(|&(_, &order)| order > 0) {
                    u[slot] = 0.0;
                }
            }
        }
    }

    fn initial(&self, prepared: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        self.inner.initial(prepared, p, v, x);
        for setting in &self.settings {
            match *setting {
                Setting::Position(index, value) => p[index] = value,
                Setting::Velocity(index, value) => v[index] = value,
                Setting::Parameter(..) | Setting::Input(..) => {}
            }
        }
    }

    fn derived(&self, prepared: &[f64], out: &mut [f64]) {
        self.inner.derived(prepared, out);
    }

    fn jacobian(
        &self,
        at: &At<'_>,
        v_dot: &[f64],
        lambda: &[f64],
        out: &mut [f64],
    ) -> Result<(), NotGenerated> {
        self.inner.jacobian(at, v_dot, lambda, out)
    }

    fn accelerations(&self, at: &At<'_>, out: &mut Accelerated<'_>) -> Result<(), NotGenerated> {
        self.inner.accelerations(at, out)
    }
}
