//! A model at a state, with room for what its functions give.

use mbs_runtime::linalg::Saddle;
use mbs_runtime::{Accelerated, At, Fused, System};
use std::hint::black_box;

/// The functions that are measured; `forward_dynamics` is what integrators call per stage: the
/// generated `accelerations` with a look at its pivots, or `fused`, factors and a solution.
pub const FUNCTIONS: [&str; 15] = [
    "prepare",
    "kinematics",
    "mass_matrix",
    "forces",
    "fused",
    "forward_dynamics",
    "inverse_dynamics",
    "constraints",
    "constraint_jacobian",
    "velocity_bias",
    "acceleration_bias",
    "switching_functions",
    "outputs",
    "poses",
    "energy",
];

/// A model at a state at which nothing vanishes.
pub struct Case<'s> {
    system: &'s dyn System,
    theta: Vec<f64>,
    prepared: Vec<f64>,
    p: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
    modes: Vec<bool>,
    v_dot: Vec<f64>,
    lambda: Vec<f64>,
    /// p', M, f, G, z, x'.
    fused: [Vec<f64>; 6],
    out: Vec<f64>,
    right: Vec<f64>,
    saddle: Saddle,
}

impl<'s> Case<'s> {
    /// Near the model's initial values.
    pub fn new(system: &'s dyn System) -> Self {
        let layout = system.layout();
        let (n_p, n_v, n_x, n_lambda) = (layout.n_p(), layout.n_v(), layout.n_x(), layout.n_lambda());
        let theta = layout.parameter_defaults.to_vec();
        let mut prepared = vec![0.0; layout.n_prepared];
        system.prepare(&theta, &mut prepared);
        let [mut p, mut v, mut x] = [n_p, n_v, n_x].map(|n| vec![0.0; n]);
        system.initial(&prepared, &mut p, &mut v, &mut x);
        let mut u = vec![0.0; layout.n_u()];
        let modes = vec![false; layout.modes.len()];
        system.input_defaults(0.0, &modes, &prepared, &mut u);
        for (k, value) in p.iter_mut().chain(&mut v).enumerate() {
            *value += 0.05 + 0.01 * k as f64;
        }
        let longest =
            [n_p, n_v * n_v, n_lambda * n_v, layout.outputs.len(), layout.modes.len(), layout.n_prepared];
        let longest = longest.into_iter().max().unwrap_or(0).max(12 * layout.bodies.len());
        Self {
            system,
            theta,
            prepared,
            p,
            v,
            x,
            u,
            modes,
            v_dot: vec![0.1; n_v],
            lambda: vec![0.1; n_lambda],
            fused: [n_p, n_v * n_v, n_v, n_lambda * n_v, n_lambda, n_x].map(|n| vec![0.0; n]),
            out: vec![0.0; longest],
            right: vec![0.0; n_v + n_lambda],
            saddle: Saddle::new(n_v, n_lambda),
        }
    }

    /// How many numbers a function gives; zero if the model has nothing to tell there.
    pub fn results(&self, function: &str) -> usize {
        let layout = self.system.layout();
        match function {
            "prepare" => layout.n_prepared,
            "kinematics" => layout.n_p(),
            "mass_matrix" => layout.n_v() * layout.n_v(),
            "constraints" => layout.n_g,
            "constraint_jacobian" => layout.n_lambda() * layout.n_v(),
            "velocity_bias" | "acceleration_bias" => layout.n_lambda(),
            "switching_functions" => layout.modes.len(),
            "outputs" => layout.outputs.len(),
            "poses" => 12 * layout.bodies.len(),
            "energy" => 2,
            _ => layout.n_v(),
        }
    }

    /// Calls a function once.
    ///
    /// # Panics
    /// If there is no such function, or the accelerations are not determined.
    pub fn call(&mut self, function: &str) {
        let n = self.results(function);
        let Self { system, theta, prepared, p, v, x, u, modes, v_dot, lambda, fused, out, right, saddle } =
            self;
        let out = &mut out[..n];
        if function == "prepare" {
            system.prepare(black_box(theta), out);
            black_box(out);
            return;
        }
        let at = At { t: 0.0, p, v, x, u, modes, prepared };
        let at = black_box(&at);
        match function {
            "kinematics" => system.kinematics(at, out),
            "mass_matrix" => system.mass_matrix(at, out),
            "forces" => system.forces(at, out),
            "inverse_dynamics" => system.inverse_dynamics(at, v_dot, out),
            "constraints" => system.constraints(at, out),
            "constraint_jacobian" => system.constraint_jacobian(at, out),
            "velocity_bias" => system.velocity_bias(at, out),
            "acceleration_bias" => system.acceleration_bias(at, out),
            "switching_functions" => system.switching_functions(at, out),
            "outputs" => system.outputs(at, v_dot, lambda, out),
            "poses" => system.poses(at, out),
            "energy" => {
                black_box(system.energy(at));
            }
            "forward_dynamics" if accelerated(*system, at, fused, out, lambda, right) => {}
            "fused" | "forward_dynamics" => {
                let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = fused;
                let mut parts =
                    Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
                system.fused(at, &mut parts);
                if function == "forward_dynamics" {
                    let rows = lambda.len();
                    saddle
                        .factor(parts.mass_matrix, parts.constraint_jacobian, rows)
                        .expect("accelerations are determined");
                    right[..n].copy_from_slice(parts.forces);
                    for (right, z) in right[n..].iter_mut().zip(&*parts.acceleration_bias) {
                        *right = -z;
                    }
                    saddle.solve(right);
                    out.copy_from_slice(&right[..n]);
                }
                black_box(fused);
            }
            _ => panic!("there is no function `{function}`"),
        }
        black_box(out);
    }
}

/// Calls the model's own solution; false if it has none or it is not to be trusted.
fn accelerated(
    system: &dyn System,
    at: &At<'_>,
    fused: &mut [Vec<f64>; 6],
    v_dot: &mut [f64],
    lambda: &mut [f64],
    pivots: &mut [f64],
) -> bool {
    let [p_dot, .., auxiliary] = fused;
    let mut out = Accelerated { p_dot, v_dot, lambda, auxiliary, pivots };
    system.accelerations(at, &mut out).is_ok() && out.is_reliable()
}
