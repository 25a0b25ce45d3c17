//! Contacts against closed forms: when they act, where they push, and what they keep of the energy.

mod runs;

use mbs_runtime::{Settings, State, System, Trajectory};
use runs::{compile, energy, last, output, run, tight};

const GRAVITY: f64 = 9.81;

/// A ball of 1 kg and 0.1 m that moves in the plane of x and z without turning.
fn ball_in_plane(contact: &str, initial: &str) -> Box<dyn System> {
    compile(
        "ball",
        &format!(
            "model: ball
bodies: {{ball: {{mass: 1}}}}
joints: {{p: {{type: planar, from: ground, to: ball, normal: y, coordinates: [z, x, th]}}}}
constraints: {{still: {{type: motion, coordinate: th, value: 0}}}}
forces: {{c: {{type: contact, on: ball, radius: 0.1, {contact}}}}}
outputs: {{az: acceleration(ball).z, ax: acceleration(ball).x}}
initial: {initial}
"
        ),
    )
}

/// A ball of 1 kg and 0.1 m that falls along z.
fn falling_ball(forces: &str, initial: &str) -> Box<dyn System> {
    compile(
        "ball",
        &format!(
            "model: ball
parameters: {{k: 1e4, d: 20}}
bodies: {{ball: {{mass: 1}}}}
joints: {{fall: {{type: prismatic, from: ground, to: ball, axis: z, coordinate: z}}}}
{forces}
outputs: {{az: acceleration(ball).z}}
initial: {initial}
"
        ),
    )
}

const FLOOR: &str = "forces: {c: {type: contact, on: ball, radius: 0.1, stiffness: k, damping: d}}";

fn position(system: &dyn System, state: &State, name: &str) -> f64 {
    state.p[system.layout().positions.position(name).expect("a coordinate")]
}

fn velocity(system: &dyn System, state: &State, name: &str) -> f64 {
    state.v[system.layout().velocities.position(name).expect("a velocity")]
}

/// Largest departure of the energy from its value at the start, over that value's size.
fn energy_error(system: &dyn System, trajectory: &Trajectory) -> f64 {
    let start = energy(system, &trajectory.states[0]);
    let off = trajectory.states.iter().map(|state| (energy(system, state) - start).abs());
    off.fold(0.0, f64::max) / start.abs().max(1.0)
}

fn every(step: f64, t_end: f64) -> Settings {
    Settings { output_step: Some(step), atol: Some(1e-13), ..tight(t_end, 1e-11) }
}

/// Where and how fast a ball is that touched the ground with `speed` a time `t` ago:
/// m d'' = m g − k d − c d' with d = 0 at first, and the force k d + c d' there.
struct HalfWave {
    k: f64,
    c: f64,
    speed: f64,
}

impl HalfWave {
    /// Depth, its rate and the force at `t`; the mass is 1.
    fn at(&self, t: f64) -> [f64; 3] {
        let delta = 0.5 * self.c;
        let omega = (self.k - delta * delta).sqrt();
        let rest = GRAVITY / self.k;
        let b = (self.speed - delta * rest) / omega;
        let (sin, cos) = (omega * t).sin_cos();
        let decay = (-delta * t).exp();
        let depth = rest + decay * (-rest * cos + b * sin);
        let rate = decay * ((delta * rest + omega * b) * cos + (omega * rest - delta * b) * sin);
        [depth, rate, self.k * depth + self.c * rate]
    }

    /// When the force is zero again, by bisection between the deepest point and half a period.
    fn end(&self) -> f64 {
        let omega = (self.k - 0.25 * self.c * self.c).sqrt();
        let (mut low, mut high) = (0.5 / omega, std::f64::consts::PI / omega);
        assert!(self.at(low)[2] > 0.0 && self.at(high)[2] < 0.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.at(middle)[2] > 0.0 { low = middle } else { high = middle }
        }
        low
    }
}

/// A frictionless ball slides down a slope with g sin α cos α along x, from where it touches.
#[test]
fn slides_down_a_slope() {
    let system = ball_in_plane(
        "road: -0.5*x, stiffness: 1e5, damping: 300",
        &format!("{{positions: {{z: {}}}}}", 0.1 * 1.25_f64.sqrt()),
    );
    let end = run(&*system, "mdop5", &tight(1.0, 1e-9));
    let x = position(&*system, last(&end), "x");
    assert!((x - 0.5 * GRAVITY * 0.5 / 1.25).abs() < 1e-4, "{x}");
}

/// The settled ball presses with m g cos α along the normal: its depth is that over k.
#[test]
fn presses_along_the_normal() {
    let system = ball_in_plane(
        "road: -0.5*x, stiffness: 1e5, damping: 1000",
        &format!("{{positions: {{z: {}}}}}", 0.1 * 1.25_f64.sqrt()),
    );
    let trajectory = run(&*system, "mdop5", &tight(1.0, 1e-10));
    let state = last(&trajectory);
    let cosine = 1.0 / 1.25_f64.sqrt();
    let above = position(&*system, state, "z") + 0.5 * position(&*system, state, "x");
    let depth = 0.1 - above * cosine;
    assert!((depth - GRAVITY * cosine / 1e5).abs() < 1e-9, "{depth:e}");
    let (ax, az) = (output(&*system, state, "ax"), output(&*system, state, "az"));
    assert!((ax - GRAVITY * 0.5 / 1.25).abs() < 1e-4, "{ax}");
    assert!((az + GRAVITY * 0.25 / 1.25).abs() < 1e-4, "{az}");
}

/// Without damping a ball that bounces down a slope keeps its energy.
#[test]
fn keeps_energy_on_a_slope() {
    let system = ball_in_plane(
        "road: -0.5*x, stiffness: 1e5",
        "{positions: {z: 0.0999019}, velocities: {x: 2, z: -1}}",
    );
    let trajectory = run(&*system, "mdop5", &every(1e-3, 1.0));
    let off = energy_error(&*system, &trajectory);
    assert!(off < 1e-9, "{off:e}");
}

/// Nor does it lose energy on a road that bends, whatever the road's curvature.
#[test]
fn keeps_energy_in_a_bowl() {
    for radius in [0.0, 0.1] {
        let system = compile(
            "bowl",
            &format!(
                "model: bowl
bodies: {{ball: {{mass: 1}}}}
joints: {{p: {{type: planar, from: ground, to: ball, normal: y, coordinates: [z, x, th]}}}}
constraints: {{still: {{type: motion, coordinate: th, value: 0}}}}
forces: {{c: {{type: contact, on: ball, radius: {radius}, road: 0.5*x^2 + 0.05*sin(3*x), stiffness: 1e4}}}}
initial: {{positions: {{x: 0.6, z: 0.45}}}}
"
            ),
        );
        let trajectory = run(&*system, "mdop5", &every(1e-3, 2.0));
        assert!(trajectory.events.len() > 2, "it lifts off and lands");
        let off = energy_error(&*system, &trajectory);
        assert!(off < 1e-8, "radius {radius}: {off:e}");
    }
}

/// The road may slope across, too: down the steepest line with g sin α cos α.
#[test]
fn slides_across() {
    let system = compile(
        "across",
        "model: across
bodies: {ball: {mass: 1}, sx: {}, sy: {}}
joints:
  jx: {type: prismatic, from: ground, to: sx, axis: x, coordinate: x}
  jy: {type: prismatic, from: sx, to: sy, axis: y, coordinate: y}
  jz: {type: prismatic, from: sy, to: ball, axis: z, coordinate: z}
forces: {c: {type: contact, on: ball, road: -0.3*x - 0.4*y, stiffness: 1e5, damping: 600}}
",
    );
    let trajectory = run(&*system, "mdop5", &tight(1.0, 1e-9));
    let state = last(&trajectory);
    for (name, slope) in [("x", 0.3), ("y", 0.4)] {
        let found = position(&*system, state, name);
        assert!((found - 0.5 * GRAVITY * slope / 1.25).abs() < 1e-4, "{name}: {found}");
    }
}

/// A ball that falls is free until it touches: 5 mm above the ground nothing pushes.
#[test]
fn nothing_pushes_before_it_touches() {
    let system = falling_ball(FLOOR, "{positions: {z: 0.105}, velocities: {z: -4.18}}");
    let trajectory = run(&*system, "mdop5", &tight(1e-3, 1e-9));
    assert!((output(&*system, &trajectory.states[0], "az") + GRAVITY).abs() < 1e-12);
    // And on touching the damper pushes at once.
    let system = falling_ball(FLOOR, "{positions: {z: 0.0999999}, velocities: {z: -4.18}}");
    let trajectory = run(&*system, "mdop5", &tight(1e-6, 1e-9));
    let found = output(&*system, &trajectory.states[0], "az");
    assert!((found - (20.0 * 4.18 + 1e4 * 1e-7 - GRAVITY)).abs() < 1e-9, "{found}");
}

/// The damped half wave, cut where the force is zero: times of the events and the speed after.
#[test]
fn bounces_as_the_damped_half_wave() {
    let system = falling_ball(FLOOR, "{positions: {z: 1}}");
    let fall = (2.0 * 0.9 / GRAVITY).sqrt();
    let wave = HalfWave { k: 1e4, c: 20.0, speed: GRAVITY * fall };
    let contact = wave.end();
    let [depth, rate, _] = wave.at(contact);
    assert!(depth > 0.0 && rate < 0.0, "it is cut before the ball is out");
    // Free flight from there: z − 0.1 = −depth − rate t − ½ g t².
    let out = (-rate - (rate * rate - 2.0 * GRAVITY * depth).sqrt()) / GRAVITY;
    let trajectory = run(&*system, "mdop5", &every(1e-2, 0.6));
    let times: Vec<f64> = trajectory.events.iter().map(|event| event.t).collect();
    let expected = [fall, fall + contact, fall + contact + out];
    assert_eq!(times.len(), 3, "{:?}", trajectory.events);
    for (found, expected) in times.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8, "{times:?} instead of {expected:?}");
    }
    let flight = 0.6 - fall - contact;
    let state = last(&trajectory);
    let speed = -rate - GRAVITY * flight;
    let height = 0.1 - depth - rate * flight - 0.5 * GRAVITY * flight * flight;
    assert!((velocity(&*system, state, "z") - speed).abs() < 1e-7);
    assert!((position(&*system, state, "z") - height).abs() < 1e-8);
}

/// Without gravity the half wave of d'' + 2 ζ ω₀ d' + ω₀² d = 0 ends where d'' is zero, at the
/// time T with cos ωT = 2ζ² − 1, ω = ω₀ √(1 − ζ²), and the ball leaves with e^{−ζ ω₀ T} of its speed.
#[test]
fn ratio_of_speeds() {
    for ratio in [0.02, 0.1, 0.3] {
        let (k, omega_0) = (1e4_f64, 100.0_f64);
        let c = 2.0 * ratio * omega_0;
        let text = format!(
            "model: ball
gravity: [0, 0, 0]
bodies: {{ball: {{mass: 1}}}}
joints: {{fall: {{type: prismatic, from: ground, to: ball, axis: z, coordinate: z}}}}
forces: {{c: {{type: contact, on: ball, radius: 0.1, stiffness: {k}, damping: {c}}}}}
initial: {{positions: {{z: 0.2}}, velocities: {{z: -2}}}}
"
        );
        let system = compile("ball", &text);
        let trajectory = run(&*system, "mdop5", &tight(0.2, 1e-11));
        let damped = (1.0 - ratio * ratio).sqrt();
        let end = (2.0 * ratio * ratio - 1.0).acos() / (omega_0 * damped);
        let expected = 2.0 * (-ratio * omega_0 * end).exp();
        let found = velocity(&*system, last(&trajectory), "z");
        assert!((found - expected).abs() < 1e-8, "damping ratio {ratio}: {found} instead of {expected}");
    }
}

/// A road that moves: touched by a road rising with 0.5 m/s, a resting ball leaves with twice that.
#[test]
fn a_road_that_moves() {
    let text = "model: lift
gravity: [0, 0, 0]
bodies: {ball: {mass: 1}}
joints: {fall: {type: prismatic, from: ground, to: ball, axis: z, coordinate: z}}
forces: {c: {type: contact, on: ball, radius: 0.1, road: 0.5*t, stiffness: 1e4}}
initial: {positions: {z: 0.2}}
";
    let system = compile("lift", text);
    let trajectory = run(&*system, "mdop5", &tight(0.4, 1e-11));
    let state = last(&trajectory);
    assert!((velocity(&*system, state, "z") - 1.0).abs() < 1e-9);
    // It touched at 0.2 s for half a period π/100.
    let expected = 0.1 + 0.5 * (0.2 + std::f64::consts::PI / 100.0) + (0.2 - std::f64::consts::PI / 100.0);
    assert!((position(&*system, state, "z") - expected).abs() < 1e-8);
}

/// A slope that travels along x at 1 m/s pushes a ball at rest as one at rest does a ball that
/// comes at it: the other's motion plus 1 m/s.
#[test]
fn a_slope_that_travels() {
    let start = 0.1 * 1.25_f64.sqrt() + 0.001;
    let still = ball_in_plane(
        "road: 0.5*x, stiffness: 1e5, damping: 100",
        &format!("{{positions: {{z: {start}}}, velocities: {{x: 1}}}}"),
    );
    let moving = ball_in_plane(
        "road: 0.5*(x + t), stiffness: 1e5, damping: 100",
        &format!("{{positions: {{z: {start}}}}}"),
    );
    let [a, b] = [&still, &moving].map(|system| run(&**system, "mdop5", &tight(0.3, 1e-11)));
    let (a, b) = (last(&a), last(&b));
    assert!(position(&*still, a, "x") < 0.28, "it was pushed back");
    for (name, shift) in [("x", 0.3), ("z", 0.0)] {
        let off = position(&*still, a, name) - position(&*moving, b, name) - shift;
        assert!(off.abs() < 1e-8, "{name}: {off:e}");
    }
}

/// The same law written by hand has the same events and ends at the same place.
#[test]
fn the_law_by_hand_has_the_same_events() {
    let by_hand = "variables:
  depth: 0.1 - z
  push: k*depth + d*der(depth)
forces: {c: {type: force, on: ball, force: [0, 0, \"if(depth > 0, max(0, push), 0)\"]}}";
    let [built_in, written] = [FLOOR, by_hand].map(|forces| {
        let system = falling_ball(forces, "{positions: {z: 0.4}}");
        let trajectory = run(&*system, "mdop5", &every(0.05, 2.0));
        let events: Vec<_> = trajectory.events.iter().map(|event| (event.t, event.rising)).collect();
        (events, last(&trajectory).p.clone())
    });
    assert!(built_in.0.len() > 9, "{:?}", built_in.0);
    assert_eq!(built_in.0.len(), written.0.len(), "{built_in:?}\n{written:?}");
    for (a, b) in built_in.0.iter().zip(&written.0) {
        assert!((a.0 - b.0).abs() < 1e-8 && a.1 == b.1, "{a:?} beside {b:?}");
    }
    assert!((built_in.1[0] - written.1[0]).abs() < 1e-8);
}

/// What damping takes of a bounce is what energy is lost, and it is lost for good.
#[test]
fn energy_only_falls() {
    let system = ball_in_plane(
        "road: 0.2*sin(2*x), stiffness: 1e4, damping: 20",
        "{positions: {z: 0.5}, velocities: {x: 1}}",
    );
    let trajectory = run(&*system, "mdop5", &every(1e-3, 2.0));
    let energies: Vec<f64> = trajectory.states.iter().map(|state| energy(&*system, state)).collect();
    assert!(energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-8));
    assert!(energies[0] - energies[energies.len() - 1] > 0.5);
}

/// A step of the road is met by the tyre that follows heights alone, straight up.
#[test]
fn a_point_contact_tyre_pushes_up() {
    let system = compile(
        "tyre",
        "model: tyre
bodies: {wheel: {mass: 1}}
joints: {p: {type: planar, from: ground, to: wheel, normal: y, coordinates: [z, x, th]}}
constraints: {still: {type: motion, coordinate: th, value: 0}}
forces: {c: {type: point_contact_tyre, on: wheel, radius: 0.1, road: -0.5*x, stiffness: 1e5, damping: 300}}
outputs: {az: acceleration(wheel).z, ax: acceleration(wheel).x}
initial: {positions: {z: 0.0999}, velocities: {x: 2, z: -1}}
",
    );
    let trajectory = run(&*system, "mdop5", &tight(0.2, 1e-9));
    let start = &trajectory.states[0];
    assert!(output(&*system, start, "ax").abs() < 1e-12);
    // A depth of 0.1 mm that the road leaves as fast as the wheel comes.
    assert!((output(&*system, start, "az") - (1e5 * 1e-4 - GRAVITY)).abs() < 1e-9);
    assert!((velocity(&*system, last(&trajectory), "x") - 2.0).abs() < 1e-12);
}
