//! Bushings against closed forms: torques of large rotations, momentum and energy.

mod runs;

use mbs_runtime::{Defaults, Plant, Settings, State, System, Trajectory};
use runs::{compile, energy, last, output, run, tight};
use std::f64::consts::PI;

/// A body on a ball joint at ground, held by the rotational part of a bushing.
fn held(laws: &str, initial: &str) -> Box<dyn System> {
    compile(
        "held",
        &format!(
            "model: held
gravity: [0, 0, 0]
bodies: {{b: {{mass: 1, inertia: {{xx: 0.1, yy: 0.2, zz: 0.25}}}}}}
joints: {{ball: {{type: spherical, from: ground, to: b}}}}
forces: {{mount: {{type: bushing, from: ground, to: b, {laws}}}}}
initial: {initial}
"
        ),
    )
}

/// The quaternion of a turn by `angle` about `axis`, as initial values.
fn turned(axis: [f64; 3], angle: f64) -> String {
    let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
    let [x, y, z] = axis.map(|a| a / length * (0.5 * angle).sin());
    format!("ball.qw: {}, ball.qx: {x}, ball.qy: {y}, ball.qz: {z}", (0.5 * angle).cos())
}

/// The torque at the start, body axes: I ω' of a body at rest.
fn torque(system: &dyn System) -> [f64; 3] {
    let trajectory = run(system, "mdop5", &tight(1e-9, 1e-6));
    let v_dot = &trajectory.states[0].v_dot;
    [0.1 * v_dot[0], 0.2 * v_dot[1], 0.25 * v_dot[2]]
}

fn every(step: f64, t_end: f64) -> Settings {
    Settings { output_step: Some(step), atol: Some(1e-14), ..tight(t_end, 1e-12) }
}

fn energy_error(system: &dyn System, trajectory: &Trajectory) -> f64 {
    let start = energy(system, &trajectory.states[0]);
    let off = trajectory.states.iter().map(|state| (energy(system, state) - start).abs());
    off.fold(0.0, f64::max) / start.abs()
}

/// A turn about one axis is resisted by k times the angle, up to half a turn.
#[test]
fn linear_in_the_angle() {
    for angle in [1e-9, 1e-4, 0.1, 1.0, 0.5 * PI, 2.0, 3.0, 3.13, -2.5] {
        for (axis, k) in [(0, 2.0), (1, 3.0), (2, 5.0)] {
            let mut along = [0.0; 3];
            along[axis] = 1.0;
            let initial = format!("{{positions: {{{}}}}}", turned(along, angle));
            let system = held("rotational_stiffness: [2, 3, 5]", &initial);
            let mut expected = [0.0; 3];
            expected[axis] = -k * angle;
            for (found, expected) in torque(&*system).iter().zip(expected) {
                let allowed = 1e-12 + 1e-11 * angle.abs();
                assert!((found - expected).abs() < allowed, "{angle} about {axis}: {found} not {expected}");
            }
        }
    }
}

/// Equal stiffnesses resist a turn about any axis by k times the angle, about that axis.
#[test]
fn alike_in_all_directions() {
    let axis = [0.6, -0.48, 0.64];
    for angle in [0.3, 1.5, 3.0] {
        let initial = format!("{{positions: {{{}}}}}", turned(axis, angle));
        let system = held("rotational_stiffness: [4, 4, 4]", &initial);
        for (found, along) in torque(&*system).iter().zip(axis) {
            assert!((found + 4.0 * angle * along).abs() < 1e-10, "{found}");
        }
    }
}

/// Torques of unequal stiffnesses are the slopes of ½ φ·K φ: as differences of the energies of
/// poses turned a little further, quaternion algebra alone.
#[test]
fn torque_is_the_slope_of_the_energy() {
    let k = [1.0, 4.0, 9.0];
    let of_vector = |v: [f64; 3]| {
        let angle = v.iter().map(|a| a * a).sum::<f64>().sqrt();
        let factor = (0.5 * angle).sin() / angle;
        [(0.5 * angle).cos(), v[0] * factor, v[1] * factor, v[2] * factor]
    };
    let stored = |q: [f64; 4]| {
        let sine = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
        let factor = 2.0 * sine.atan2(q[0]) / sine;
        (0..3).map(|i| 0.5 * k[i] * (factor * q[i + 1]).powi(2)).sum::<f64>()
    };
    let product = |a: [f64; 4], b: [f64; 4]| {
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    };
    for v in [[0.3, -0.5, 0.8], [1.2, 0.9, -1.5], [-2.0, 1.4, 0.9]] {
        let q = of_vector(v);
        let initial = format!(
            "{{positions: {{ball.qw: {}, ball.qx: {}, ball.qy: {}, ball.qz: {}}}}}",
            q[0], q[1], q[2], q[3]
        );
        let system = held("rotational_stiffness: [1, 4, 9]", &initial);
        let found = torque(&*system);
        for axis in 0..3 {
            // Turned about the body's own axes.
            let slope = |h: f64| {
                let turn = |h: f64| {
                    let mut small = [(0.5 * h).cos(), 0.0, 0.0, 0.0];
                    small[axis + 1] = (0.5 * h).sin();
                    stored(product(q, small))
                };
                (turn(h) - turn(-h)) / (2.0 * h)
            };
            let expected = -(4.0 * slope(0.5e-3) - slope(1e-3)) / 3.0;
            assert!((found[axis] - expected).abs() < 1e-8, "{v:?}: {} not {expected}", found[axis]);
        }
    }
}

/// For small turns the law is that of linear theory, −K φ with the vector of the skew part of R.
#[test]
fn small_turns_are_linear() {
    let (axis, angle) = ([0.6, -0.48, 0.64], 1e-5);
    let initial = format!("{{positions: {{{}}}}}", turned(axis, angle));
    let system = held("rotational_stiffness: [100, 200, 300]", &initial);
    for (i, found) in torque(&*system).iter().enumerate() {
        let expected = -[100.0, 200.0, 300.0][i] * axis[i] * angle;
        // What is left is of second order.
        assert!((found - expected).abs() < 2e-8, "{found} not {expected}");
    }
}

/// Turns about one axis oscillate as φ'' = −k/J φ, however large.
#[test]
fn large_oscillation_is_harmonic() {
    let (k, inertia, amplitude) = (0.9_f64, 0.25_f64, 2.8_f64);
    let omega = (k / inertia).sqrt();
    let system = held(
        &format!("rotational_stiffness: [5, 7, {k}]"),
        &format!("{{velocities: {{ball.wz: {}}}}}", amplitude * omega),
    );
    let trajectory = run(&*system, "mdop5", &every(0.05, 10.0));
    for state in &trajectory.states {
        let angle = 2.0 * state.p[3].atan2(state.p[0]);
        let expected = amplitude * (omega * state.t).sin();
        let off = (angle - expected).sin();
        assert!(off.abs() < 1e-7, "t = {}: {angle} not {expected}", state.t);
    }
}

/// Unequal stiffnesses, no damping, large turns: the energy stays.
#[test]
fn energy_of_large_turns() {
    let system =
        held("rotational_stiffness: [1, 4, 9]", "{velocities: {ball.wx: 1.5, ball.wy: 1.5, ball.wz: 2}}");
    let trajectory = run(&*system, "mdop5", &every(0.1, 100.0));
    let off = energy_error(&*system, &trajectory);
    assert!(off < 1e-9, "{off:e}");
}

/// The derivatives the implicit method uses hold at no turn, too: φ is twice the vector of the
/// quaternion there.
#[test]
fn derivatives_at_no_turn() {
    let system = held("rotational_stiffness: [1, 4, 9]", "{}");
    let layout = system.layout();
    let (height, width) = (layout.jacobian_rows(), layout.jacobian_columns());
    let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
    for turn in [0.0, 1e-12, 1e-9, 1e-6] {
        let mut found = vec![0.0; height * width];
        plant.at(0.0, &[1.0, turn, 0.0, -turn], &[0.0; 3], &[], |system, at| {
            system.jacobian(at, &[0.0; 3], &[], &mut found).expect("asked for");
        });
        for (i, k) in [1.0, 4.0, 9.0].into_iter().enumerate() {
            for column in 0..4 {
                let expected = if column == i + 1 { -2.0 * k } else { 0.0 };
                let entry = found[column * height + i];
                assert!((entry - expected).abs() < 1e-4, "{turn}: d f[{i}]/d q[{column}] is {entry}");
            }
        }
    }
}

/// The implicit method ends where the explicit one does, through turns of more than a radian.
#[test]
fn implicit_steps() {
    let system =
        held("rotational_stiffness: [1, 4, 9]", "{velocities: {ball.wx: 1.5, ball.wy: 1.5, ball.wz: 2}}");
    let [implicit, explicit] = ["radau5", "mdop5"].map(|name| run(&*system, name, &tight(5.0, 1e-9)));
    let off = runs::worst(&last(&implicit).p, &last(&explicit).p);
    assert!(off < 1e-7, "{off:e}");
}

const TWO_BODIES: &str = "model: pair
gravity: [0, 0, 0]
parameters: {k: 100, kr: 10, c: 0, cr: 0}
bodies:
  a: {mass: 1, inertia: {xx: 0.1, yy: 0.2, zz: 0.25}, frames: {m: {position: [0.3, 0.1, -0.2], rotation: [{axis: x, angle: 0.4}]}}}
  b: {mass: 2, inertia: {xx: 0.3, yy: 0.2, zz: 0.4}, frames: {m: {position: [-0.2, 0.2, 0.1], rotation: [{axis: z, angle: 0.7}]}}}
joints:
  fa: {type: free, from: ground, to: a}
  fb: {type: free, from: ground, to: b}
forces:
  mount: {type: bushing, from: a.m, to: b.m, stiffness: [k, 2*k, 3*k], damping: [c, c, c], rotational_stiffness: [kr, 2*kr, 3*kr], rotational_damping: [cr, cr, cr]}
outputs:
  Px: velocity(a).x + 2*velocity(b).x
  Py: velocity(a).y + 2*velocity(b).y
  Lz: \"position(a).x*velocity(a).y - position(a).y*velocity(a).x + 2*(position(b).x*velocity(b).y - position(b).y*velocity(b).x) + rotation(a).zx*0.1*angular_velocity(a, in=a).x + rotation(a).zy*0.2*angular_velocity(a, in=a).y + rotation(a).zz*0.25*angular_velocity(a, in=a).z + rotation(b).zx*0.3*angular_velocity(b, in=b).x + rotation(b).zy*0.2*angular_velocity(b, in=b).y + rotation(b).zz*0.4*angular_velocity(b, in=b).z\"
initial:
  positions: {fa.x: 0, fb.x: 0.6, fb.y: 0.1}
  velocities: {fa.wx: 1, fb.wy: -2, fb.wz: 1, fa.z: 0.4, fb.x: 0.2}
";

fn momenta(system: &dyn System, state: &State) -> [f64; 3] {
    ["Px", "Py", "Lz"].map(|name| output(system, state, name))
}

/// Two free bodies and a bushing: momentum, angular momentum and energy stay.
#[test]
fn two_bodies_keep_momentum_and_energy() {
    let system = compile("pair", TWO_BODIES);
    let trajectory = run(&*system, "mdop5", &every(0.1, 10.0));
    let off = energy_error(&*system, &trajectory);
    assert!(off < 1e-9, "{off:e}");
    let start = momenta(&*system, &trajectory.states[0]);
    for state in &trajectory.states {
        let off = runs::worst(&momenta(&*system, state), &start);
        assert!(off < 1e-9, "t = {}: {off:e}", state.t);
    }
}

/// With damping the energy only falls, and momentum stays.
#[test]
fn damping_takes_energy_but_no_momentum() {
    let text = TWO_BODIES.replace("c: 0, cr: 0", "c: 3, cr: 0.4");
    let system = compile("pair", &text);
    let trajectory = run(&*system, "mdop5", &every(0.02, 5.0));
    let energies: Vec<f64> = trajectory.states.iter().map(|state| energy(&*system, state)).collect();
    assert!(energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
    assert!(energies[energies.len() - 1] < 0.5 * energies[0]);
    let [start, end] = [&trajectory.states[0], last(&trajectory)].map(|state| momenta(&*system, state));
    assert!(runs::worst(&start, &end) < 1e-8, "{start:?} {end:?}");
}

/// A damped turn about one axis is the damped oscillator, in torque, energy and time.
#[test]
fn damped_oscillation() {
    let (k, c, inertia) = (0.9_f64, 0.05_f64, 0.25_f64);
    let (delta, omega_0) = (0.5 * c / inertia, (k / inertia).sqrt());
    let omega = (omega_0 * omega_0 - delta * delta).sqrt();
    let system = held(
        &format!("rotational_stiffness: [5, 7, {k}], rotational_damping: [1, 1, {c}]"),
        "{velocities: {ball.wz: 3}}",
    );
    let trajectory = run(&*system, "mdop5", &every(0.1, 8.0));
    for state in &trajectory.states {
        let angle = 2.0 * state.p[3].atan2(state.p[0]);
        let expected = 3.0 / omega * (-delta * state.t).exp() * (omega * state.t).sin();
        assert!((angle - expected).abs() < 1e-8, "t = {}: {angle} not {expected}", state.t);
    }
}

/// Half a turn is where the law has no direction: just before and just after it the torque has
/// opposite signs, and the energy is the same.
#[test]
fn the_torque_turns_round_at_half_a_turn() {
    for past in [1e-4, 1e-3] {
        let torques = [PI - past, PI + past].map(|angle| {
            let initial = format!("{{positions: {{{}}}}}", turned([0.0, 0.0, 1.0], angle));
            torque(&*held("rotational_stiffness: [1, 1, 2]", &initial))[2]
        });
        let expected = 2.0 * (PI - past);
        assert!((torques[0] + expected).abs() < 1e-8, "{torques:?}");
        assert!((torques[1] - expected).abs() < 1e-8, "{torques:?}");
    }
}
