//! Turns the crank of a four-bar linkage once and prints how the rocker follows and
//! how the crank would start to move if it were let go.

use mbs_runtime::linalg::{Accelerations, accelerations, workspace_len};
use mbs_runtime::nalgebra::{Matrix2, Vector2};

mbs_runtime::include_model!("four_bar");
use four_bar::{At, N_LAMBDA, N_V, Params, Prepared};

/// The angles that close the loop for a crank angle, by Newton's method from a guess.
fn close(prepared: &Prepared, crank: f64, guess: [f64; 2]) -> Option<[f64; 3]> {
    let mut p = [crank, guess[0], guess[1]];
    for _ in 0..20 {
        let at = state(prepared, &p);
        let (g, jacobian) = (four_bar::constraints(&at), four_bar::constraint_jacobian(&at));
        if g.norm() < 1e-13 {
            return Some(p);
        }
        let columns = Matrix2::new(jacobian[(0, 1)], jacobian[(0, 2)], jacobian[(1, 1)], jacobian[(1, 2)]);
        let step = columns.lu().solve(&Vector2::new(g[0], g[1]))?;
        p[1] -= step[0];
        p[2] -= step[1];
    }
    None
}

fn state<'a>(prepared: &'a Prepared, p: &'a [f64; 3]) -> At<'a> {
    At { t: 0.0, p, v: &[0.0; 3], x: &[], u: &[0.0], modes: &[], prepared }
}

/// Acceleration of the crank when the linkage is let go at rest.
fn crank_acceleration(at: &At<'_>) -> Option<f64> {
    let fused = four_bar::fused(at);
    let system = Accelerations {
        mass_matrix: fused.mass_matrix.as_slice(),
        forces: fused.forces.as_slice(),
        constraint_jacobian: fused.constraint_jacobian.as_slice(),
        acceleration_bias: fused.acceleration_bias.as_slice(),
    };
    let mut workspace = [0.0; workspace_len(N_V, N_LAMBDA)];
    let (mut v_dot, mut lambda) = ([0.0; N_V], [0.0; N_LAMBDA]);
    accelerations(&system, &mut workspace, &mut v_dot, &mut lambda).ok()?;
    Some(v_dot[0])
}

#[expect(clippy::print_stdout, reason = "the program's output")]
fn main() {
    let prepared = Params::default().prepare();
    let mut angles = [-0.58, 1.45];
    println!("crank rad  rocker rad  let go, rad/s^2");
    for step in 0..=72 {
        let crank = std::f64::consts::FRAC_PI_3 + f64::from(step) * std::f64::consts::TAU / 72.0;
        let Some(p) = close(&prepared, crank, angles) else {
            println!("{crank:9.3}  the loop does not close");
            return;
        };
        angles = [p[1], p[2]];
        if step % 6 == 0 {
            let acceleration = crank_acceleration(&state(&prepared, &p)).unwrap_or(f64::NAN);
            println!("{crank:9.3}  {:10.5}  {acceleration:15.5}", p[2]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equations_agree_with_each_other() {
        four_bar::self_check(20).unwrap();
    }

    #[test]
    fn the_loop_closes_as_the_cosine_rule_says() {
        let params = Params::default();
        let prepared = params.prepare();
        let p = close(&prepared, std::f64::consts::FRAC_PI_3, [-0.58, 1.45]).unwrap();
        let tip = [params.l1 * p[0].cos(), params.l1 * p[0].sin()];
        let pin = [params.l0 + params.l3 * p[2].cos(), params.l3 * p[2].sin()];
        let coupler = ((pin[0] - tip[0]).powi(2) + (pin[1] - tip[1]).powi(2)).sqrt();
        assert!((coupler - params.l2).abs() < 1e-12);
    }

    #[test]
    fn power_of_gravity_is_what_accelerates() {
        // At rest the kinetic energy grows as v'M v'/2 per second squared, and so must
        // the potential energy fall: v'·(M v' − f) = 0 for motions along the constraints.
        let prepared = Params::default().prepare();
        let p = close(&prepared, 1.2, [-0.58, 1.45]).unwrap();
        let at = state(&prepared, &p);
        let fused = four_bar::fused(&at);
        let acceleration = crank_acceleration(&at).unwrap();
        let jacobian = fused.constraint_jacobian;
        let columns = Matrix2::new(jacobian[(0, 1)], jacobian[(0, 2)], jacobian[(1, 1)], jacobian[(1, 2)]);
        let others = columns.lu().solve(&-Vector2::new(jacobian[(0, 0)], jacobian[(1, 0)])).unwrap();
        let direction = mbs_runtime::nalgebra::Vector3::new(1.0, others[0], others[1]);
        let inertia = (direction.transpose() * fused.mass_matrix * direction)[0];
        let force = direction.dot(&fused.forces);
        assert!((inertia * acceleration - force).abs() < 1e-12 * force.abs());
    }
}
