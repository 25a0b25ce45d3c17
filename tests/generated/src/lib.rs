//! Every model of `models/` as generated Rust.
//!
//! Compiled once, used by every test that runs generated code. [`MODELS`] lists them;
//! each is also a module of its own.

use mbs_runtime::{At, System};

/// A generated model: its slices and its nalgebra types.
pub trait Model: System {
    /// Prepared values by the struct of named parameters.
    ///
    /// # Panics
    /// If there are not as many θ as the model has.
    fn typed_prepare(&self, theta: &[f64]) -> Vec<f64>;

    /// Default parameters by the struct of named parameters.
    fn typed_parameters(&self) -> Vec<f64>;

    /// A function by its name, through the nalgebra types: one list per quantity.
    /// `None` if there is no such function.
    ///
    /// # Panics
    /// If a slice has not the length the model's layout says.
    fn typed(&self, function: &str, at: &At<'_>, v_dot: &[f64], lambda: &[f64]) -> Option<Vec<Vec<f64>>>;
}

macro_rules! models {
    ($($model:ident = $name:literal,)*) => {
        $(mbs_runtime::include_model!($name);)*

        /// Every model by its name, in alphabetical order.
        pub static MODELS: &[(&str, &dyn Model)] = &[$(($name, &$model::Model)),*];

        $(impl Model for $model::Model {
            fn typed_prepare(&self, theta: &[f64]) -> Vec<f64> {
                let theta = theta.try_into().expect("as many parameters as the model has");
                $model::Params::from_array(theta).prepare().to_vec()
            }

            fn typed_parameters(&self) -> Vec<f64> {
                $model::Params::default().to_array().to_vec()
            }

            fn typed(
                &self,
                function: &str,
                at: &At<'_>,
                v_dot: &[f64],
                lambda: &[f64],
            ) -> Option<Vec<Vec<f64>>> {
                use $model as m;
                let at = &m::At::from_slices(at).expect("lengths as the layout says");
                let v_dot: &[f64; m::N_V] = v_dot.try_into().expect("n_v accelerations");
                let lambda: &[f64; m::N_LAMBDA] = lambda.try_into().expect("n_lambda multipliers");
                Some(match function {
                    "kinematics" => vec![m::kinematics(at).as_slice().to_vec()],
                    "kinematic_matrix" => vec![m::kinematic_matrix(at).as_slice().to_vec()],
                    "mass_matrix" => vec![m::mass_matrix(at).as_slice().to_vec()],
                    "forces" => vec![m::forces(at).as_slice().to_vec()],
                    "constraints" => vec![m::constraints(at).as_slice().to_vec()],
                    "constraint_jacobian" => vec![m::constraint_jacobian(at).as_slice().to_vec()],
                    "velocity_bias" => vec![m::velocity_bias(at).as_slice().to_vec()],
                    "acceleration_bias" => vec![m::acceleration_bias(at).as_slice().to_vec()],
                    "auxiliary" => vec![m::auxiliary(at).as_slice().to_vec()],
                    "fused" => {
                        let fused = m::fused(at);
                        vec![
                            fused.p_dot.as_slice().to_vec(),
                            fused.mass_matrix.as_slice().to_vec(),
                            fused.forces.as_slice().to_vec(),
                            fused.constraint_jacobian.as_slice().to_vec(),
                            fused.acceleration_bias.as_slice().to_vec(),
                            fused.auxiliary.as_slice().to_vec(),
                        ]
                    }
                    "inverse_dynamics" => vec![m::inverse_dynamics(at, v_dot).as_slice().to_vec()],
                    "switching_functions" => vec![m::switching_functions(at).as_slice().to_vec()],
                    "outputs" => vec![m::outputs(at, v_dot, lambda).as_slice().to_vec()],
                    "poses" => vec![m::poses(at).as_slice().to_vec()],
                    "energy" => {
                        let energy = m::energy(at);
                        vec![vec![energy.kinetic, energy.potential]]
                    }
                    "input_defaults" => vec![m::input_defaults(at.t, at.prepared).as_slice().to_vec()],
                    "initial" => {
                        let initial = m::initial(at.prepared);
                        vec![
                            initial.p.as_slice().to_vec(),
                            initial.v.as_slice().to_vec(),
                            initial.x.as_slice().to_vec(),
                        ]
                    }
                    "derived" => vec![m::derived(at.prepared).as_slice().to_vec()],
                    _ => return None,
                })
            }
        })*
    };
}

include!(concat!(env!("OUT_DIR"), "/list_of_models.rs"));
