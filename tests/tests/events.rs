//! Events with known times: several at one instant, kinks of tables, conditions in inputs.

mod runs;

use mbs_runtime::{Settings, SimulationError, State, System, Trajectory};
use mbs_symbolic::model::NoFiles;
use runs::{compile, last, run, tight, try_run};

/// Name, direction and time of every event.
fn listed(trajectory: &Trajectory) -> Vec<(&str, bool, f64)> {
    trajectory.events.iter().map(|event| (event.name.as_str(), event.rising, event.t)).collect()
}

/// The events are these, with times known to `tolerance`.
fn assert_events(trajectory: &Trajectory, expected: &[(&str, bool, f64)], tolerance: f64) {
    let found = listed(trajectory);
    let names = |list: &[(&str, bool, f64)]| -> Vec<String> {
        list.iter().map(|(name, rising, _)| format!("{name} {rising}")).collect()
    };
    assert_eq!(names(&found), names(expected), "{found:?}");
    for ((name, _, t), (.., time)) in found.iter().zip(expected) {
        assert!((t - time).abs() <= tolerance, "{name} at {t}, not {time}");
    }
}

/// A cart on a rail along x, and what drives it.
fn cart(x: f64, v: f64, rest: &str) -> Box<dyn System> {
    let text = format!(
        "model: cart\nbodies: {{cart: {{mass: 1}}, other: {{mass: 1}}}}\ngravity: [0, 0, 0]\n\
         joints:\n  track: {{type: prismatic, from: ground, to: cart, axis: x, coordinate: x}}\n  \
         rail: {{type: prismatic, from: ground, to: other, axis: y, coordinate: y}}\n\
         initial: {{positions: {{x: {x}}}, velocities: {{x: {v}}}}}\n{rest}\n"
    );
    compile("cart", &text)
}

/// Equal balls, their law written in four ways: every landing and every lift-off of each.
#[test]
fn equal_balls_land_together() {
    let system = compile(
        "balls",
        "model: balls\nparameters: {k: 1e4, r: 0.1, t_land: sqrt(2*0.9/9.81)}\n\
         bodies: {b1: {mass: 1}, b2: {mass: 1}, b3: {mass: 1}, b4: {mass: 1}}\n\
         joints:\n  f1: {type: prismatic, from: ground, to: b1, axis: z, coordinate: z1}\n  \
         f2: {type: prismatic, from: ground, to: b2, axis: z, coordinate: z2}\n  \
         f3: {type: prismatic, from: ground, to: b3, axis: z, coordinate: z3}\n  \
         f4: {type: prismatic, from: ground, to: b4, axis: y, coordinate: y4}\n\
         forces:\n  c1: {type: joint_force, joint: f1, force: \"max(0, k*(r - z1))\"}\n  \
         c2: {type: joint_force, joint: f2, force: \"k*max(0, r - z2)\"}\n  \
         c3: {type: joint_force, joint: f3, force: \"if(z3 >= r, 0, k*(r - z3))\"}\n  \
         c4: {type: joint_force, joint: f4, force: \"if(t > t_land, 3, 0)\"}\n\
         initial: {positions: {z1: 1, z2: 1, z3: 1}}\n",
    );
    let g: f64 = 9.81;
    let (fall, speed, omega) = ((2.0 * 0.9 / g).sqrt(), (2.0 * 0.9 * g).sqrt(), 100.0);
    // Harmonic about the depth g/ω², entered at the surface with the speed of the fall.
    let touch = 2.0 / omega * (std::f64::consts::PI - (speed * omega / g).atan());
    let times = [fall, fall + touch, 3.0 * fall + touch, 3.0 * fall + 2.0 * touch];
    let mut expected = Vec::new();
    for (k, time) in times.into_iter().enumerate() {
        // Functions: 0 − k (r − z) rises where z does not; r − z; r − z of z ≥ r.
        let lands = k % 2 == 0;
        expected.extend([("c1", !lands, time), ("c2", !lands, time), ("c3", lands, time)]);
        if k == 0 {
            expected.push(("c4", false, time));
        }
    }
    for name in ["mdop5", "radau5"] {
        let trajectory = run(&*system, name, &tight(1.6, 1e-10));
        assert_events(&trajectory, &expected, 1e-7);
        let instants: Vec<f64> = trajectory.events.iter().map(|event| event.t).collect();
        assert!(instants[..4].iter().all(|t| *t == instants[0]), "{name}: {instants:?}");
        assert!((instants[0] - fall).abs() < 1e-12);
        // v of the fourth: 3 N from the landing on.
        assert!((last(&trajectory).v[3] - 3.0 * (1.6 - fall)).abs() < 1e-9, "{name}");
    }
}

/// Conditions that say the same in different words change together.
#[test]
fn opposite_conditions_change_together() {
    let forces = "forces:\n  a: {type: joint_force, joint: rail, force: \"if(x > 0, 1, 0)\"}\n  \
                  b: {type: joint_force, joint: rail, force: \"if(x < 0, 0, 1)\"}\n  \
                  c: {type: joint_force, joint: rail, force: \"max(0, 1e5*x)*1e-5\"}\n  \
                  d: {type: joint_force, joint: rail, force: \"abs(1e-6*x)\"}";
    let system = cart(-1.0, 1.0, forces);
    let trajectory = run(&*system, "mdop5", &tight(2.0, 1e-9));
    let expected = [("a", false, 1.0), ("b", true, 1.0), ("c", false, 1.0), ("d", true, 1.0)];
    assert_events(&trajectory, &expected, 1e-12);
}

/// A condition on what another event makes jump is an event of the same instant.
#[test]
fn an_event_makes_another() {
    let rest = "variables: {push: \"if(x > 0, 5, 0)\"}\n\
                forces:\n  a: {type: joint_force, joint: rail, force: \"if(push > 2, 1, 0)\"}";
    let trajectory = run(&*cart(-0.5, 1.0, rest), "mdop5", &tight(1.5, 1e-9));
    let found = listed(&trajectory);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(_, rising, t)| !rising && (t - 0.5).abs() < 1e-12), "{found:?}");
    assert!((last(&trajectory).v[1] - 1.0).abs() < 1e-12, "1 N for 1 s");
}

const CURVE: &str =
    "tables: {curve: {points: [[0, 0], [0.25, 1], [0.5, -1], [0.75, 2], [1, 0], [5, 0]], events: true}}\n";

/// x = t − 1/8: every kink when the cart is there, and twice the integral of the table.
#[test]
fn kinks_where_the_cart_is() {
    let rest =
        format!("{CURVE}forces: {{f: {{type: joint_force, joint: rail, force: \"linear(curve, x)\"}}}}");
    let system = cart(-0.125, 1.0, &rest);
    let expected = [0.25, 0.5, 0.75, 1.0].map(|at| (format!("f.curve at {at}"), true, at + 0.125));
    let expected: Vec<(&str, bool, f64)> = expected.iter().map(|(name, up, t)| (&**name, *up, *t)).collect();
    for name in ["mdop5", "hedop5", "radau5"] {
        let trajectory = run(&*system, name, &tight(2.125, 1e-8));
        assert_events(&trajectory, &expected, 1e-12);
        // ∫ from −1/8 on: −1/32 from the continued first piece, 1/8 + 0 + 1/8 + 1/4 above.
        let v = 0.5 - 1.0 / 32.0;
        assert!((last(&trajectory).v[1] - v).abs() < 1e-12, "{name}: {}", last(&trajectory).v[1]);
        assert_eq!(trajectory.statistics.rejected, 0, "{name}");
    }
}

/// A thousand points take ten modes; a step of any length meets each kink, in order.
#[test]
fn many_kinks_in_one_step() {
    let points: Vec<String> =
        (0..1000).map(|k| format!("[{}, {}]", 0.01 * f64::from(k), f64::from(k % 7))).collect();
    let rest = format!(
        "tables: {{curve: {{points: [{}], events: true}}}}\n\
         forces: {{f: {{type: joint_force, joint: rail, force: \"linear(curve, 3*x)\"}}}}",
        points.join(", ")
    );
    let system = cart(-1.0, 1.0, &rest);
    assert_eq!(system.layout().modes.len(), 10);
    let trajectory = run(&*system, "mdop5", &tight(5.0, 1e-4));
    assert_eq!(trajectory.events.len(), 998);
    for (k, event) in trajectory.events.iter().enumerate() {
        let kink = 0.01 * (k + 1) as f64;
        assert_eq!(event.name, format!("f.curve at {kink}"));
        assert!((event.t - (1.0 + kink / 3.0)).abs() < 1e-11, "{} at {}", event.name, event.t);
    }
}

/// x = sin t: to the kink at 1/2 and back.
#[test]
fn a_kink_is_met_on_the_way_back() {
    let rest = "tables: {curve: {points: [[-3, 0], [0.5, 0], [3, 5]], events: true}}\n\
                forces:\n  spring: {type: joint_spring, joint: track, stiffness: 1}\n  \
                f: {type: joint_force, joint: rail, force: \"linear(curve, x)\"}";
    let trajectory = run(&*cart(0.0, 1.0, rest), "mdop5", &tight(3.0, 1e-11));
    let rise = 0.5_f64.asin();
    let expected = [("f.curve at 0.5", true, rise), ("f.curve at 0.5", false, std::f64::consts::PI - rise)];
    assert_events(&trajectory, &expected, 1e-9);
    // y'' = 2 (x − 1/2) between the two.
    let v = 2.0 * (2.0 * rise.cos() - 0.5 * (std::f64::consts::PI - 2.0 * rise));
    assert!((last(&trajectory).v[1] - v).abs() < 1e-9, "{} not {v}", last(&trajectory).v[1]);
}

/// Where a table holds its value outside its points its ends are kinks; where it is nothing there,
/// a run ends at them.
#[test]
fn ends_of_a_table() {
    let rest = |outside: &str| {
        format!(
            "tables: {{curve: {{points: [[0, 0], [1, 2]], events: true, outside: {outside}}}}}\n\
             forces: {{f: {{type: joint_force, joint: rail, force: \"linear(curve, x)\"}}}}"
        )
    };
    for name in ["mdop5", "radau5"] {
        let trajectory = run(&*cart(-0.5, 1.0, &rest("hold")), name, &tight(2.0, 1e-6));
        assert_events(&trajectory, &[("f.curve at 0", true, 0.5), ("f.curve at 1", true, 1.5)], 1e-12);
        // y'' is 0, then 2 (t − 1/2), then 2.
        let State { p, v, .. } = last(&trajectory);
        assert!((v[1] - 2.0).abs() < 1e-12, "{name}: {}", v[1]);
        assert!((p[1] - (1.0 / 3.0 + 0.5 + 0.25)).abs() < 1e-12, "{name}: {}", p[1]);

        let system = cart(0.25, 1.0, &rest("error"));
        let error = try_run(&*system, name, &[], &tight(2.0, 1e-6)).expect_err("nothing stands there");
        let SimulationError::NotANumber { t, .. } = error else { panic!("{name}: {error}") };
        assert!((t - 0.75).abs() < 1e-9, "{name}: {t}");
    }
}

/// At an argument affine in time the times are known beforehand.
#[test]
fn kinks_in_time_are_hit_exactly() {
    let rest = format!(
        "{CURVE}forces: {{f: {{type: joint_force, joint: rail, force: \"linear(curve, 2*t - 0.1)\"}}}}"
    );
    let system = cart(0.0, 0.0, &rest);
    let trajectory = run(&*system, "mdop5", &tight(2.0, 1e-6));
    let expected = [
        ("f.curve at 0.25", true, 0.175),
        ("f.curve at 0.5", true, 0.3),
        ("f.curve at 0.75", true, 0.425),
        ("f.curve at 1", true, 0.55),
    ];
    assert_events(&trajectory, &expected, 1e-15);
    // Half of ∫ from −0.1 on: −0.02 + 1/8 + 0 + 1/8 + 1/4.
    assert!((last(&trajectory).v[1] - 0.24).abs() < 1e-13, "{}", last(&trajectory).v[1]);
    assert_eq!(trajectory.statistics.rejected, 0);
    // Backwards in the table.
    let rest = rest.replace("2*t - 0.1", "1.1 - 2*t");
    let trajectory = run(&*cart(0.0, 0.0, &rest), "mdop5", &tight(0.4, 1e-6));
    let expected =
        [("f.curve at 1", false, 0.05), ("f.curve at 0.75", false, 0.175), ("f.curve at 0.5", false, 0.3)];
    assert_events(&trajectory, &expected, 1e-15);
}

/// A table without `events` makes none, nor does a spline.
#[test]
fn other_tables_make_no_events() {
    for (from, to) in [(", events: true", ""), ("linear(", "spline(")] {
        let rest =
            format!("{CURVE}forces: {{f: {{type: joint_force, joint: rail, force: \"linear(curve, x)\"}}}}");
        let system = cart(-0.125, 1.0, &rest.replace(from, to));
        assert!(system.layout().modes.is_empty());
        assert!(run(&*system, "mdop5", &tight(2.0, 1e-6)).events.is_empty());
    }
}

/// A step in an input's default, at a tolerance that finds every jump in a step.
#[test]
fn a_step_in_an_input() {
    let rest = "inputs: {zr: \"if(t > 0.1, sin(30*t), 0)\"}\n\
                forces: {f: {type: joint_force, joint: rail, force: 100*zr}}";
    let system = cart(0.0, 0.0, rest);
    for name in ["mdop5", "phem56", "radau5"] {
        let rtol = if name == "radau5" { 1e-9 } else { 1e-12 };
        let trajectory = run(&*system, name, &tight(1.0, rtol));
        assert_events(&trajectory, &[("zr", false, 0.1)], 1e-16);
        let (three, thirty) = (3.0_f64, 30.0_f64);
        let v = 10.0 / 3.0 * (three.cos() - thirty.cos());
        let y = 10.0 / 3.0 * (0.9 * three.cos() - (thirty.sin() - three.sin()) / 30.0);
        let end = last(&trajectory);
        assert!((end.v[1] - v).abs() < 1e-7 && (end.p[1] - y).abs() < 1e-7, "{name}: {end:?}");
    }
    // The same as a variable, to the same times.
    let variable = rest.replace("inputs:", "variables:");
    let of = |text: &str| run(&*cart(0.0, 0.0, text), "mdop5", &tight(1.0, 1e-10));
    let (input, variable) = (of(rest), of(&variable));
    assert_eq!(listed(&input).len(), listed(&variable).len());
    // What is rejected is the sine's, and no search for a jump.
    let rejected = [&input, &variable].map(|run| run.statistics.rejected);
    assert!(rejected[0] <= rejected[1] + 1 && rejected[0] < 10, "{rejected:?}");
    assert!((last(&input).v[1] - last(&variable).v[1]).abs() < 1e-9);
}

/// Kinks and jumps of every kind in one input; its integral in closed form.
#[test]
fn all_kinds_of_kinks_in_an_input() {
    let rest = format!(
        "{CURVE}parameters: {{t_kink: 0.4}}\n\
         inputs: {{u: \"abs(t - t_kink) + min(t, 0.6) + max(t, 0.65) + sign(t - 0.7) + linear(curve, t) \
         + if(sin(10*t) > 0, 0, 2)\"}}\n\
         forces: {{f: {{type: joint_force, joint: rail, force: u}}}}"
    );
    let system = cart(0.0, 0.0, &rest);
    let sine = [0.1, 0.2, 0.3].map(|k: f64| k * std::f64::consts::PI);
    // The order of modes is that of the text, the table's after its own.
    let mut times = vec![0.4, 0.6, 0.65, 0.7, 0.25, 0.5, 0.75];
    times.extend(sine);
    times.sort_by(f64::total_cmp);
    let trajectory = run(&*system, "mdop5", &tight(0.95, 1e-10));
    let found = listed(&trajectory);
    assert_eq!(found.len(), times.len(), "{found:?}");
    for ((name, _, t), time) in found.iter().zip(&times) {
        assert!((t - time).abs() < 1e-12, "{name} at {t}, not {time}");
        assert!(name.starts_with('u'), "{name}");
    }
    let end: f64 = 0.95;
    let parts = [
        0.5 * (0.4_f64.powi(2) + (end - 0.4).powi(2)),
        0.18 + 0.6 * (end - 0.6),
        0.65 * 0.65 + 0.5 * (end * end - 0.65 * 0.65),
        (end - 0.7) - 0.7,
        // 1/8 + 0 + 1/8, and 2 falling by 8 per second for 0.2 s.
        0.25 + (2.0 * 0.2 - 4.0 * 0.2 * 0.2),
        2.0 * (sine[1] - sine[0] + (end - sine[2])),
    ];
    let v: f64 = parts.iter().sum();
    assert!((last(&trajectory).v[1] - v).abs() < 1e-9, "{} not {v}", last(&trajectory).v[1]);
    // The times follow the parameters.
    let moved = try_run(&*system, "mdop5", &[("t_kink", 0.45)], &tight(0.48, 1e-8)).expect("a run");
    assert!(moved.events.iter().any(|event| event.t == 0.45), "{:?}", moved.events);
}

/// A law that asks an input which jumps: both are events of the same instant.
#[test]
fn a_condition_on_an_input_that_jumps() {
    let rest = "inputs: {u: \"if(t >= 0.25, 3, 1)\"}\n\
                forces: {f: {type: joint_force, joint: rail, force: \"if(u > 2, 4, 0)\"}}";
    let trajectory = run(&*cart(0.0, 0.0, rest), "mdop5", &tight(1.0, 1e-9));
    assert_events(&trajectory, &[("f", false, 0.25), ("u", false, 0.25)], 0.0);
    assert!((last(&trajectory).v[1] - 3.0).abs() < 1e-13);
}

/// The interpreter and native code list the same events, to the bit.
#[test]
fn interpreter_and_native_code_agree() {
    let text = include_str!("../generated/models/kinks.yaml");
    let options = mbs_symbolic::Options { jacobian: true, ..mbs_symbolic::Options::default() };
    let program = mbs_symbolic::compile("kinks", text, &NoFiles, options).expect("a model").program;
    let (native, interpreted) = (mbs_jit::Native::new(&program), mbs_jit::Interpreted::new(&program));
    let native = native.expect("native code");
    for name in ["mdop5", "radau5"] {
        let settings = Settings { t_end: 1.5, rtol: 1e-7, ..Settings::default() };
        let [one, other] = [&native as &dyn System, &interpreted].map(|system| run(system, name, &settings));
        assert_eq!(one.events, other.events);
        assert!(one.events.len() > 12, "{:?}", one.events);
    }
}

/// Derivatives of inputs need smooth defaults: jumps and kinks are refused.
#[test]
fn smooth_inputs_refuse_kinks() {
    for value in ["if(t > 0.1, 1, 0)", "abs(t - 1)", "linear(curve, t)", "floor(t)"] {
        let text = format!(
            "model: m\n{CURVE}inputs: {{u: {{value: \"{value}\", derivatives: 2}}}}\n\
             bodies: {{b: {{mass: 1}}}}\n\
             joints: {{j: {{type: prismatic, from: ground, to: b, axis: x, coordinate: x}}}}\n"
        );
        let outcome = mbs_symbolic::compile("m", &text, &NoFiles, mbs_symbolic::Options::default());
        let rejected = outcome.err().unwrap_or_else(|| panic!("`{value}` was accepted")).to_string();
        assert!(rejected.contains("m:3"), "{rejected}");
    }
}
