//! Balances nothing, but shows the numbers a controller would be made from: the mass
//! matrix and the accelerations of a rotary pendulum near its upright position.

use furuta::{At, Params};
use mbs_runtime::System;
use mbs_runtime::nalgebra::Vector2;

/// The equations of motion, compiled when this crate is.
#[mbs_derive::multibody("models/furuta.yaml")]
pub struct Furuta;

/// Accelerations of arm and rod at angle `phi` of the rod under a motor torque.
fn accelerations(params: &Params, phi: f64, speed: [f64; 2], torque: f64) -> Option<Vector2<f64>> {
    let prepared = params.prepare();
    let at = At { t: 0.0, p: &[0.0, phi], v: &speed, x: &[], u: &[torque], modes: &[], prepared: &prepared };
    let furuta::Fused { mass_matrix, forces, .. } = furuta::fused(&at);
    mass_matrix.cholesky().map(|factors| factors.solve(&forces))
}

#[expect(clippy::print_stdout, reason = "the program's output")]
fn main() {
    let params = Params { l: 0.18, ..Params::default() };
    println!("{} has the coordinates {:?}", Furuta.layout().model(), furuta::POSITION_NAMES);
    for torque in [0.0, 0.01, 0.02] {
        let v_dot = accelerations(&params, 3.0, [0.0, 0.0], torque).unwrap_or(Vector2::repeat(f64::NAN));
        println!("motor {torque:.2} N m: arm {:8.3} rad/s^2, rod {:8.3} rad/s^2", v_dot[0], v_dot[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerations_agree_with_the_equations_by_hand() {
        let p = Params::default();
        let (phi, torque) = (2.6_f64, 0.03);
        let v_dot = accelerations(&p, phi, [0.0, 0.0], torque).unwrap();
        let (s, c) = phi.sin_cos();
        // At rest the Coriolis terms vanish:
        // (J_arm + m r² + m l² sin²) ψ'' + m r l cos φ'' = τ and
        // m r l cos ψ'' + (J_rod + m l²) φ'' = −m g l sin, with J_rod about x and y.
        let first = (p.J_arm + p.m * p.r * p.r + (p.m * p.l * p.l + p.J_rod) * s * s) * v_dot[0]
            + p.m * p.r * p.l * c * v_dot[1];
        let second = p.m * p.r * p.l * c * v_dot[0] + (p.J_rod + p.m * p.l * p.l) * v_dot[1];
        assert!((first - torque).abs() < 1e-14, "{first}");
        assert!((second + p.m * 9.81 * p.l * s).abs() < 1e-14, "{second}");
    }

    #[test]
    fn the_struct_is_a_system() {
        let system: &dyn System = &Furuta;
        let mut prepared = [0.0; furuta::N_PREPARED];
        system.prepare(&system.layout().parameter_defaults, &mut prepared);
        assert_eq!(prepared, Params::default().prepare());
        let (mut p, mut v) = ([0.0; 2], [0.0; 2]);
        system.initial(&prepared, &mut p, &mut v, &mut []);
        assert_eq!((p, v), ([0.0, 3.0], [0.0, 0.0]));
    }
}
