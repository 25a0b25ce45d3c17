//! A compiled model with other parameters, inputs and initial values.

use mbs_runtime::wrapper::Wraps;
use mbs_runtime::{Layout, System};

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

impl<'s> Wraps for Adjusted<'s> {
    type Inner = dyn System + 's;

    fn inner(&self) -> &Self::Inner {
        self.inner
    }

    fn layout(&self) -> &Layout {
        &self.layout
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbs_runtime::{At, Fused};
    use mbs_symbolic::model::NoFiles;
    use std::fmt::Write;

    /// Eight bodies that slide side by side: most of M is zero.
    fn sliders() -> Box<dyn System> {
        let (mut bodies, mut joints) = (String::new(), String::new());
        for k in 0..8 {
            writeln!(bodies, "  b{k}: {{mass: 1}}").expect("memory");
            writeln!(
                joints,
                "  j{k}: {{type: prismatic, from: ground, to: b{k}, axis: x, coordinate: s{k}}}"
            )
            .expect("memory");
        }
        let text = format!("model: sliders\nbodies:\n{bodies}joints:\n{joints}");
        let compiled =
            mbs_symbolic::compile("sliders.yaml", &text, &NoFiles, mbs_symbolic::Options::default());
        mbs_jit::system(&compiled.unwrap_or_else(|rejected| panic!("{rejected}")).program).0
    }

    /// What leaves zeros alone in the model must do so in the live page, which would otherwise write
    /// all of M and G at every stage.
    #[test]
    fn zeros_are_left_alone() {
        let inner = sliders();
        let adjusted = Adjusted::new(&*inner, Vec::new());
        let layout = inner.layout();
        let n = layout.n_v();
        let mut prepared = vec![0.0; layout.n_prepared];
        inner.prepare(&layout.parameter_defaults, &mut prepared);
        let rest = vec![0.0; n];
        let at = At { t: 0.0, p: &rest, v: &rest, x: &[], u: &[], modes: &[], prepared: &prepared };
        let matrices = |system: &dyn System| {
            let (mut alone, mut fused) = (vec![7.0; n * n], vec![7.0; n * n]);
            system.update_mass_matrix(&at, &mut alone);
            let (mut p_dot, mut forces) = (vec![0.0; n], vec![0.0; n]);
            system.update_fused(
                &at,
                &mut Fused {
                    p_dot: &mut p_dot,
                    mass_matrix: &mut fused,
                    forces: &mut forces,
                    constraint_jacobian: &mut [],
                    acceleration_bias: &mut [],
                    auxiliary: &mut [],
                },
            );
            [alone, fused]
        };
        assert_eq!(matrices(&adjusted), matrices(&*inner));
    }
}
