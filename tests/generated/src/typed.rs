//! The functions on nalgebra's types, callable for all models alike.

use mbs_runtime::At;

/// The typed functions of a generated model, behind lists.
///
/// Methods panic if a slice has not the length the model's layout says, or there is no
/// function of a name.
pub trait Typed: Sync {
    /// Parameters as the struct of names has them by default.
    fn defaults(&self) -> Vec<f64>;
    /// Prepared values by the struct of named parameters.
    fn prepare(&self, theta: &[f64]) -> Vec<f64>;
    /// A function by its name: one list per quantity.
    fn call(&self, function: &str, at: &At<'_>, v_dot: &[f64], lambda: &[f64]) -> Vec<Vec<f64>>;
}

/// Implements [`Typed`] for the models of these modules and lists them in order; each is followed by
/// the functions it was asked for.
macro_rules! typed {
    ($($model:ident $($asked:ident)*),*) => {
        /// Typed functions of all models, in the order of [`MODELS`].
        pub static TYPED: &[&dyn Typed] = &[$(&$model::Model),*];
        $(typed!(@implement $model $($asked)*);)*
    };
    (@asked $model:ident $at:ident $v_dot:ident $lambda:ident jacobian) => {
        $model::jacobian($at, $v_dot, $lambda)
    };
    (@asked $model:ident $at:ident $v_dot:ident $lambda:ident frame_jacobian) => {
        $model::frame_jacobian($at)
    };
    (@implement $model:ident $($asked:ident)*) => {
        impl Typed for $model::Model {
            fn defaults(&self) -> Vec<f64> {
                $model::Params::default().to_array().to_vec()
            }

            fn prepare(&self, theta: &[f64]) -> Vec<f64> {
                let theta = theta.try_into().expect("as many parameters as the model has");
                $model::Params::from_array(theta).prepare().to_vec()
            }

            fn call(
                &self,
                function: &str,
                at: &mbs_runtime::At<'_>,
                v_dot: &[f64],
                lambda: &[f64],
            ) -> Vec<Vec<f64>> {
                let place = at;
                let at = &$model::At::from_slices(at).expect("lengths as the layout says");
                let v_dot: &[f64; $model::N_V] = v_dot.try_into().expect("n_v accelerations");
                let lambda: &[f64; $model::N_LAMBDA] = lambda.try_into().expect("n_lambda multipliers");
                match function {
                    "fused" => {
                        let $model::Fused {
                            p_dot,
                            mass_matrix,
                            forces,
                            constraint_jacobian,
                            acceleration_bias,
                            auxiliary,
                        } = $model::fused(at);
                        vec![
                            p_dot.as_slice().to_vec(),
                            mass_matrix.as_slice().to_vec(),
                            forces.as_slice().to_vec(),
                            constraint_jacobian.as_slice().to_vec(),
                            acceleration_bias.as_slice().to_vec(),
                            auxiliary.as_slice().to_vec(),
                        ]
                    }
                    "accelerations" => {
                        let $model::Accelerations { p_dot, v_dot, lambda, auxiliary, pivots } =
                            $model::accelerations(at);
                        vec![
                            p_dot.as_slice().to_vec(),
                            v_dot.as_slice().to_vec(),
                            lambda.as_slice().to_vec(),
                            auxiliary.as_slice().to_vec(),
                            pivots.as_slice().to_vec(),
                        ]
                    }
                    "initial" => {
                        let $model::Initial { p, v, x } = $model::initial(at.prepared);
                        vec![p.as_slice().to_vec(), v.as_slice().to_vec(), x.as_slice().to_vec()]
                    }
                    "energy" => {
                        let mbs_runtime::Energy { kinetic, potential } = $model::energy(at);
                        vec![vec![kinetic, potential]]
                    }
                    "kinematics" => vec![$model::kinematics(at).as_slice().to_vec()],
                    "kinematic_matrix" => vec![$model::kinematic_matrix(at).as_slice().to_vec()],
                    "mass_matrix" => vec![$model::mass_matrix(at).as_slice().to_vec()],
                    "forces" => vec![$model::forces(at).as_slice().to_vec()],
                    "constraints" => vec![$model::constraints(at).as_slice().to_vec()],
                    "constraint_jacobian" => vec![$model::constraint_jacobian(at).as_slice().to_vec()],
                    "velocity_bias" => vec![$model::velocity_bias(at).as_slice().to_vec()],
                    "acceleration_bias" => vec![$model::acceleration_bias(at).as_slice().to_vec()],
                    "auxiliary" => vec![$model::auxiliary(at).as_slice().to_vec()],
                    "inverse_dynamics" => vec![$model::inverse_dynamics(at, v_dot).as_slice().to_vec()],
                    "switching_functions" => vec![$model::switching_functions(at).as_slice().to_vec()],
                    "outputs" => vec![$model::outputs(at, v_dot, lambda).as_slice().to_vec()],
                    "poses" => vec![$model::poses(at).as_slice().to_vec()],
                    "input_defaults" => {
                        vec![$model::input_defaults(at.t, at.modes, at.prepared).as_slice().to_vec()]
                    }
                    "derived" => vec![$model::derived(at.prepared).as_slice().to_vec()],
                    // Models without joints that close loops have no such function.
                    "closure_cosines" => {
                        let mut cosines = vec![f64::NAN; $model::Model.layout().closures.len()];
                        $model::Model.closure_cosines(place, &mut cosines);
                        vec![cosines]
                    }
                    $(stringify!($asked) => {
                        vec![typed!(@asked $model at v_dot lambda $asked).as_slice().to_vec()]
                    })*
                    _ => panic!("there is no function `{function}`"),
                }
            }
        }
    };
}
