//! Initial values: what is listed is met, or said to be changed, or refused. Poses and rates are
//! those of closed forms.

mod common;

use common::{Scratch, fail, json, mbs, stderr, stdout};
use serde_json::Value;

/// A hinge about y, tilted by nothing.
const HINGE: &str = "model: hinge
gravity: [0, 0, 0]
bodies: {arm: {mass: 1, inertia: {yy: 1}}}
joints: {hinge: {type: revolute, from: ground, to: arm, axis: y, coordinate: phi}}
";

/// Crank of 1 m and rod of 2 m: (s − cos phi)² + sin² phi = 4.
const SLIDER_CRANK: &str = "model: slider_crank
bodies:
  crank: {mass: 1, inertia: {yy: 0.1}, frames: {tip: {position: [1, 0, 0]}}}
  slider: {mass: 1}
joints:
  pivot: {type: revolute, from: ground, to: crank, axis: y, coordinate: phi}
  guide: {type: prismatic, from: ground, to: slider, axis: x, coordinate: s}
constraints: {rod: {type: distance, from: crank.tip, to: slider, length: 2}}
";

/// a = 2 b.
const GEAR: &str = "model: gear
bodies: {one: {mass: 1, inertia: {yy: 1}}, two: {mass: 1, inertia: {yy: 1}}}
joints:
  first: {type: revolute, from: ground, to: one, axis: y, coordinate: a}
  second: {type: revolute, from: ground, to: two, axis: y, coordinate: b}
constraints: {mesh: {type: coupling, coordinates: {a: 1, b: -2}}}
allow: [MBS-P015]
";

/// A cart on a rail, 1 m above the foot of a telescopic leg: s = √(1 + x²), a = atan x. With the leg
/// folded, which is where coordinates begin, the turn of the leg moves nothing.
const LEG: &str = "model: leg
bodies:
  ground: {frames: {foot: {position: [0, 0, -1]}}}
  cart: {mass: 1}
  tube: {mass: 0.2, inertia: {yy: 0.01}}
  rod: {mass: 0.1, inertia: {yy: 0.01}}
joints:
  rail: {type: prismatic, from: ground, to: cart, axis: x, coordinate: x}
  foot: {type: revolute, from: ground.foot, to: tube, axis: y, coordinate: a}
  slide: {type: prismatic, from: tube, to: rod, axis: z, coordinate: s}
  eye: {type: revolute, from: rod, to: cart, axis: y}
";

/// Two hinges about x, the outer body welded to ground: u + w is a multiple of a full turn.
const WELD: &str = "model: weld
gravity: [0, 0, 0]
bodies:
  one: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  two: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  inner: {type: revolute, from: ground, to: one, axis: x, coordinate: u}
  outer: {type: revolute, from: one, to: two, axis: x, coordinate: w}
  back: {type: fixed, from: ground, to: two, cut: true}
allow: [MBS-P015]
";

/// z = 2 y, and x that no constraint feels; the body of y has no mass.
const SLIDES: &str = "model: slides
bodies: {a: {mass: 1}, b: {}, c: {mass: 1}}
joints:
  ja: {type: prismatic, from: ground, to: a, axis: x, coordinate: x}
  jb: {type: prismatic, from: a, to: b, axis: x, coordinate: y}
  jc: {type: prismatic, from: a, to: c, axis: x, coordinate: z}
constraints: {c: {type: coupling, coordinates: {z: 1, y: -2}}}
forces: {k: {type: joint_spring, joint: jb, stiffness: 4}}
";

/// A point 1 m from the origin.
const BALL: &str = "model: ball
gravity: [0, 0, 0]
bodies: {m: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}
joints: {slide: {type: free, from: ground, to: m, sequence: xyz}}
constraints: {rod: {type: distance, from: ground, to: m, length: 1}}
";

/// A blade that slides along its x axis only.
const SKATE: &str = "model: skate
bodies: {blade: {mass: 1, inertia: {zz: 1}}}
joints: {ice: {type: planar, from: ground, to: blade, normal: z, coordinates: [x, y, psi]}}
constraints: {edge: {type: knife_edge, frame: blade, axis: y}}
";

/// Two sides as long as each other on a parallelogram's crank and rocker: psi = phi, or the crossed
/// assembly.
const PARALLELOGRAM: &str = "model: parallelogram
bodies:
  ground: {frames: {o: {position: [2, 0, 0]}}}
  crank: {mass: 1, inertia: {yy: 0.1}, frames: {tip: {position: [1, 0, 0]}}}
  rocker: {mass: 1, inertia: {yy: 0.1}, frames: {tip: {position: [1, 0, 0]}}}
joints:
  left: {type: revolute, from: ground, to: crank, axis: -y, coordinate: phi}
  right: {type: revolute, from: ground.o, to: rocker, axis: -y, coordinate: psi}
constraints: {rod: {type: distance, from: crank.tip, to: rocker.tip, length: 2}}
";

/// What is to become of a value.
#[derive(Debug, Clone, Copy)]
enum Becomes {
    /// Listed and met to the last digit.
    Held(f64),
    /// Listed and changed to this.
    Changed(f64),
    /// Not listed, and completed to this.
    Completed(f64),
    /// Not listed and left alone.
    Untouched,
}
use Becomes::{Changed, Completed, Held, Untouched};

struct Case {
    model: &'static str,
    /// More of the model.
    more: &'static str,
    positions: &'static str,
    velocities: &'static str,
    /// Positions by name, and velocities as `name'`.
    becomes: Vec<(&'static str, Becomes)>,
}

fn case(
    model: &'static str,
    positions: &'static str,
    velocities: &'static str,
    becomes: Vec<(&'static str, Becomes)>,
) -> Case {
    Case { model, more: "", positions, velocities, becomes }
}

impl Case {
    fn with(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    fn text(&self) -> String {
        let Self { model, more, positions, velocities, .. } = self;
        format!(
            "{model}{more}initial: {{positions: {{{positions}}}, velocities: {{{velocities}}}}}
simulation: {{t_end: 1e-3}}\n"
        )
    }
}

/// The hinge stands at 0.3 rad.
const STANDING: &str = "constraints: {drive: {type: motion, coordinate: phi, value: 0.3}}\n";

/// The hinge turns by half a radian a second.
const TURNING: &str = "constraints: {drive: {type: motion, coordinate: phi, value: 0.5*t}}\n";

/// s of the slider crank on the far side (+1) or the near side (−1) of its crank.
fn slider(phi: f64, side: f64) -> f64 {
    phi.cos() + side * (4.0 - phi.sin() * phi.sin()).sqrt()
}

/// s' at phi' = 1.
fn slider_rate(phi: f64, side: f64) -> f64 {
    -phi.sin() - side * phi.sin() * phi.cos() / (4.0 - phi.sin() * phi.sin()).sqrt()
}

fn cases() -> Vec<Case> {
    let pi = std::f64::consts::PI;
    let wrapped = |angle: f64| angle - 2.0 * pi * (angle / (2.0 * pi)).round();
    let third = 0.25_f64.acos();
    vec![
        case(HINGE, "phi: 0.7", "phi: 2", vec![("phi", Held(0.7)), ("phi'", Held(2.0))]),
        case(HINGE, "phi: 0", "", vec![("phi", Changed(0.3))]).with(STANDING),
        case(HINGE, "phi: 0.3", "", vec![("phi", Held(0.3))]).with(STANDING),
        case(HINGE, "", "", vec![("phi", Completed(0.3)), ("phi'", Untouched)]).with(STANDING),
        case(HINGE, "", "phi: 0.5", vec![("phi'", Held(0.5))]).with(TURNING),
        case(HINGE, "", "phi: 0.5000001", vec![("phi'", Changed(0.5))]).with(TURNING),
        // What is not listed goes to the nearer assembly, from s = 0.
        case(SLIDER_CRANK, "phi: 0.5", "", vec![("phi", Held(0.5)), ("s", Completed(slider(0.5, -1.0)))]),
        // A second position is an estimate that chooses the side.
        case(
            SLIDER_CRANK,
            "phi: 0.5, s: 2.5",
            "",
            vec![("phi", Held(0.5)), ("s", Changed(slider(0.5, 1.0)))],
        ),
        case(
            SLIDER_CRANK,
            "phi: 0.5, s: -2",
            "",
            vec![("phi", Held(0.5)), ("s", Changed(slider(0.5, -1.0)))],
        ),
        // In the other order the other one is.
        case(SLIDER_CRANK, "s: 2, phi: 1", "", vec![("s", Held(2.0)), ("phi", Changed(third))]),
        case(SLIDER_CRANK, "s: 2, phi: -1", "", vec![("s", Held(2.0)), ("phi", Changed(-third))]),
        // With the crank across, s² + 1 = 4 whichever side.
        case(
            SLIDER_CRANK,
            "phi: pi/2, s: sqrt(3)",
            "phi: 3",
            vec![
                ("phi", Held(pi / 2.0)),
                ("phi'", Held(3.0)),
                ("s'", Completed(3.0 * slider_rate(pi / 2.0, 1.0))),
            ],
        ),
        case(
            SLIDER_CRANK,
            "phi: 0.5, s: 2.5",
            "s: -2",
            vec![("s'", Held(-2.0)), ("phi'", Completed(-2.0 / slider_rate(0.5, 1.0)))],
        ),
        // Stretched: the crank's rate moves the slider not at all, and the slider cannot move.
        case(
            SLIDER_CRANK,
            "phi: 0, s: 3",
            "phi: 2",
            vec![("phi", Held(0.0)), ("s", Held(3.0)), ("phi'", Held(2.0))],
        ),
        // Turns that a coupling counts are kept.
        case(GEAR, "a: 40", "", vec![("a", Held(40.0)), ("b", Completed(20.0))]),
        case(GEAR, "b: 7, a: 14", "", vec![("b", Held(7.0)), ("a", Held(14.0))]),
        case(GEAR, "a: 1, b: 3", "b: 2", vec![("a", Held(1.0)), ("b", Changed(0.5)), ("a'", Completed(4.0))]),
        case(
            LEG,
            "x: 0.5",
            "",
            vec![("x", Held(0.5)), ("s", Completed(1.25_f64.sqrt())), ("a", Completed(0.5_f64.atan()))],
        ),
        case(
            LEG,
            "x: -2",
            "",
            vec![("x", Held(-2.0)), ("s", Completed(5.0_f64.sqrt())), ("a", Completed(-(2.0_f64.atan())))],
        ),
        case(LEG, "s: 1.25", "", vec![("s", Held(1.25))]),
        case(SLIDES, "y: 1", "", vec![("y", Held(1.0)), ("z", Completed(2.0)), ("x", Untouched)]),
        case(SLIDES, "x: 3, z: 1", "", vec![("x", Held(3.0)), ("z", Held(1.0)), ("y", Completed(0.5))]),
        case(WELD, "u: 2", "", vec![("u", Held(2.0)), ("w", Completed(-2.0))]),
        case(WELD, "u: -1, w: 2", "", vec![("u", Held(-1.0)), ("w", Changed(1.0))]),
        // The nearest turn to where w is, not the one Newton's method comes to.
        case(WELD, "u: 3.5", "", vec![("u", Held(3.5)), ("w", Completed(wrapped(-3.5)))]),
        case(WELD, "u: 40", "", vec![("u", Held(40.0)), ("w", Completed(wrapped(-40.0)))]),
        case(WELD, "w: 3", "w: 1", vec![("w", Held(3.0)), ("u", Completed(-3.0)), ("u'", Completed(-1.0))]),
        case(
            BALL,
            "slide.x: 0.6, slide.y: 0, slide.z: 2",
            "slide.y: 1",
            vec![
                ("slide.x", Held(0.6)),
                ("slide.z", Changed(0.8)),
                ("slide.y", Held(0.0)),
                ("slide.y'", Held(1.0)),
            ],
        ),
        case(
            BALL,
            "slide.z: -1",
            "slide.x: 2",
            vec![("slide.z", Held(-1.0)), ("slide.x'", Held(2.0)), ("slide.z'", Untouched)],
        ),
        case(
            SKATE,
            "psi: 0.5",
            "x: 1",
            vec![("psi", Held(0.5)), ("x'", Held(1.0)), ("y'", Completed(0.5_f64.tan()))],
        ),
        case(
            PARALLELOGRAM,
            "phi: 1, psi: 0.9",
            "phi: 1",
            vec![("phi", Held(1.0)), ("psi", Changed(1.0)), ("psi'", Completed(1.0))],
        ),
    ]
}

/// One value of a part of `start`.
fn told(start: &Value, kind: &str, name: &str) -> Option<f64> {
    let name = name.strip_suffix('\'').map_or(name.to_owned(), |name| format!("der({name})"));
    let value = start[kind].get(name)?;
    value.get("to").unwrap_or(value).as_f64()
}

#[test]
fn listed_values_are_met_or_said_to_be_changed() {
    let scratch = Scratch::new("start-cases");
    let mut wrong = Vec::new();
    for (number, case) in cases().iter().enumerate() {
        let text = case.text();
        let model = scratch.file(&format!("{number}.yaml"), &text);
        let output = mbs(&["simulate", &model, "--json"]);
        let Ok(answer) = serde_json::from_str::<Value>(&stdout(&output)) else { panic!("{text}") };
        let start = &answer["start"];
        for &(name, becomes) in &case.becomes {
            let is = |kind, value: f64, tolerance: f64| {
                told(start, kind, name).is_some_and(|found| (found - value).abs() <= tolerance)
            };
            let others = |kinds: &[&str]| kinds.iter().all(|kind| told(start, kind, name).is_none());
            let good = match becomes {
                Held(value) => {
                    is("held", value, 0.0) && is("listed", value, 0.0) && others(&["changed", "completed"])
                }
                Changed(value) => is("changed", value, 1e-9) && others(&["held", "completed"]),
                Completed(value) => is("completed", value, 1e-9) && others(&["listed", "held", "changed"]),
                Untouched => start.is_object() && others(&["listed", "held", "changed", "completed"]),
            };
            if !good {
                wrong.push(format!(
                    "case {number}: {name} should be {becomes:?} in\n{text}{start:#}\n{}",
                    answer["diagnostics"]
                ));
            }
        }
    }
    assert!(cases().len() >= 20 && wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What is refused, and what the message names.
#[test]
fn what_cannot_be_met_is_refused_by_name() {
    let scratch = Scratch::new("start-refused");
    let two = "constraints:
  one: {type: motion, coordinate: phi, value: 0.3}
  other: {type: motion, coordinate: phi, value: 0.4}\n";
    let rates = "constraints:
  one: {type: motion, coordinate: phi, value: t}
  other: {type: motion, coordinate: phi, value: 0}\n";
    let none = Vec::new;
    let list = [
        (case(HINGE, "", "phi: 2", none()).with(TURNING), "MBS-R010", vec!["`phi`", "`drive`", "0.5"]),
        (case(HINGE, "", "phi: 0.500002", none()).with(TURNING), "MBS-R010", vec!["0.500002"]),
        (
            case(SLIDER_CRANK, "phi: 0.5, s: 2.5", "phi: 3, s: 0", none()),
            "MBS-R010",
            vec!["0 of `s`", "`phi` = 3", "`rod`"],
        ),
        (
            case(SLIDER_CRANK, "phi: 0.5, s: 2.5", "s: 1, phi: 0", none()),
            "MBS-R010",
            vec!["0 of `phi`", "`s` = 1"],
        ),
        (
            case(SKATE, "psi: 0.5", "x: 1, psi: 2, y: 0", none()),
            "MBS-R010",
            vec!["0 of `y`", "`x` = 1, `edge`"],
        ),
        (case(SLIDER_CRANK, "s: 5", "", none()), "MBS-R002", vec!["`rod.distance`", "`s` is as listed"]),
        // Both could be held, and y completed, if they were not so far out.
        (case(BALL, "slide.x: 0.6, slide.z: 2", "", none()), "MBS-R002", vec!["`slide.x` and `slide.z` are"]),
        (case(HINGE, "", "", none()).with(two), "MBS-R002", vec!["`one`", "`other`"]),
        (case(HINGE, "", "", none()).with(rates), "MBS-R009", vec!["`one` and `other`", "velocities"]),
    ];
    for (number, (case, code, names)) in list.iter().enumerate() {
        let text = case.text();
        let model = scratch.file(&format!("{number}.yaml"), &text);
        let message = fail(&["simulate", &model]);
        for name in names.iter().chain([code]) {
            assert!(message.contains(name), "no {name} in {message}\n{text}");
        }
    }
}

/// A pose that was completed, listed to the last digit, is where the next run starts.
#[test]
fn a_pose_listed_to_the_last_digit_is_kept() {
    let scratch = Scratch::new("start-again");
    for (number, model) in [SLIDER_CRANK, LEG, WELD, PARALLELOGRAM].into_iter().enumerate() {
        let run = |positions: &str, name: &str| {
            let text =
                format!("{model}initial: {{positions: {{{positions}}}}}\nsimulation: {{t_end: 1e-3}}\n");
            json(&["simulate", &scratch.file(name, &text), "--json"], 0)["start"].clone()
        };
        let first = ["phi: 0.6", "x: 0.4", "u: 1.1", "phi: 0.7"][number];
        let start = run(first, &format!("{number}.yaml"));
        let all: Vec<(String, f64)> = ["held", "completed"]
            .iter()
            .flat_map(|kind| start[kind].as_object().expect("values").clone())
            .filter(|(name, _)| !name.starts_with("der("))
            .map(|(name, value)| (name, value.as_f64().expect("a number")))
            .collect();
        assert!(all.len() >= 2, "{start:#}");
        // The completed ones first, so that order would make the listed one an estimate.
        let listed: Vec<String> =
            all.iter().rev().map(|(name, value)| format!("{name}: {value:?}")).collect();
        let again = run(&listed.join(", "), &format!("{number}-again.yaml"));
        for (name, value) in &all {
            assert_eq!(told(&again, "held", name), Some(*value), "{name} in {again:#}");
        }
        // Nine digits are an estimate that is met to nine digits.
        let nine: Vec<String> = all.iter().rev().map(|(name, value)| format!("{name}: {value:.9}")).collect();
        let near = run(&nine.join(", "), &format!("{number}-near.yaml"));
        for (name, value) in &all {
            let found = told(&near, "held", name).or(told(&near, "changed", name)).expect("it is listed");
            assert!((found - value).abs() < 1e-8, "{name}: {found} for {value}");
        }
    }
}

/// A disc on a plane with its quaternion listed to nine digits, z = R √(1 − (n·a)²).
#[test]
fn a_quaternion_to_nine_digits_stays() {
    let scratch = Scratch::new("start-quaternion");
    let length = (0.98_f64 * 0.98 + 0.12 * 0.12 + 0.02 * 0.02 + 0.15 * 0.15).sqrt();
    let q = [0.98, 0.12, 0.02, 0.15].map(|q| q / length);
    // The component along z of the axis y of the disc.
    let along = 2.0 * (q[2] * q[3] + q[0] * q[1]);
    let z = 0.2 * (1.0 - along * along).sqrt();
    let text = format!(
        "model: disc
bodies: {{b: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}}}
joints: {{f: {{type: free, from: ground, to: b}}}}
constraints: {{c: {{type: rolling, wheel: b, axis: y, radius: 0.2, on: ground}}}}
initial: {{positions: {{f.z: {z:.9}, f.qw: {:.9}, f.qx: {:.9}, f.qy: {:.9}, f.qz: {:.9}}}}}
simulation: {{t_end: 1e-4}}\n",
        q[0], q[1], q[2], q[3]
    );
    let start = json(&["simulate", &scratch.file("disc.yaml", &text), "--json"], 0)["start"].clone();
    for (name, value) in [("f.z", z), ("f.qw", q[0]), ("f.qx", q[1]), ("f.qy", q[2]), ("f.qz", q[3])] {
        let found = told(&start, "held", name).or(told(&start, "changed", name)).expect("it is listed");
        assert!((found - value).abs() < 3e-9, "{name}: {found} for {value}");
    }
}

/// Bennett's linkage: tan(t1/2) tan(t2/2) is the same in all poses, and t3 = −t1.
#[test]
fn check_and_simulate_close_the_same_loop() {
    let scratch = Scratch::new("bennett");
    let (al, be, a) = (0.5_f64, 0.9_f64, 0.5_f64);
    let b = a * be.sin() / al.sin();
    let link = |name: &str, length: f64, twist: f64| {
        format!(
            "  {name}: {{mass: 1, com: [{}, 0, 0.02], inertia: {{xx: 0.01, yy: 0.02, zz: 0.02}}, frames: {{tip: \
             {{position: [{length:?}, 0, 0], rotation: [{{axis: x, angle: {twist}}}]}}}}}}\n",
            length / 2.0
        )
    };
    let mut text = String::from("model: bennett\nbodies:\n");
    text += &(link("l1", a, al) + &link("l2", b, be) + &link("l3", a, al));
    text += &link("l4", b, be);
    text += "joints:
  fix: {type: fixed, from: ground, to: l4.tip}
  j1: {type: revolute, from: ground, to: l1, axis: z, coordinate: t1}
  j2: {type: revolute, from: l1.tip, to: l2, axis: z, coordinate: t2}
  j3: {type: revolute, from: l2.tip, to: l3, axis: z, coordinate: t3}
  j4: {type: revolute, from: l3.tip, to: l4, axis: z, cut: true}
initial: {positions: {t1: 1}}
simulation: {t_end: 1e-3}
";
    let model = scratch.file("bennett.yaml", &text);
    let start = json(&["simulate", &model, "--json"], 0)["start"].clone();
    let check = json(&["check", &model, "--json"], 0);
    assert_eq!((&check["closes"], &check["start"]), (&Value::Bool(true), &start));
    let at = |name| told(&start, "completed", name).expect("it is completed");
    assert!((at("t3") + 1.0).abs() < 1e-9, "{start:#}");
    let known = ((be + al) / 2.0).sin() / ((be - al) / 2.0).sin();
    assert!(((0.5_f64).tan() * (at("t2") / 2.0).tan() - known).abs() < 1e-8, "{start:#}");
}

#[test]
fn eval_closes_loops_unless_told_not_to() {
    let scratch = Scratch::new("eval-closes");
    let model =
        scratch.file("crank.yaml", &format!("{SLIDER_CRANK}initial: {{positions: {{phi: 0.5, s: 2.5}}}}\n"));
    let p = |arguments: &[&str]| {
        let answer = json(&[&["eval", &model, "--json"], arguments].concat(), 0);
        let g = answer["g"][0].as_f64().expect("a number");
        (answer["p"][1].as_f64().expect("a number"), g, answer["start"].clone())
    };
    let (s, g, start) = p(&[]);
    assert!((s - slider(0.5, 1.0)).abs() < 1e-9 && g.abs() < 1e-12, "{s} {g}");
    assert!((told(&start, "changed", "s").expect("it is changed") - s).abs() < 1e-15);
    let (s, g, start) = p(&["--raw"]);
    assert!(s == 2.5 && g.abs() > 0.01 && start.is_null(), "{s} {g} {start}");
    // A state file comes before the model.
    let state = scratch.file("state.json", r#"{"positions": {"s": 2, "phi": 1}, "velocities": {"phi": 1}}"#);
    let (s, g, start) = p(&["--state", &state]);
    assert!(s == 2.0 && g.abs() < 1e-12, "{s} {g}");
    assert!((told(&start, "changed", "phi").expect("it is changed") - 0.25_f64.acos()).abs() < 1e-9);
    let text = stdout(&mbs(&["eval", &model]));
    assert!(text.contains("changed      s = ") && text.contains("--raw"), "{text}");
}

/// Every warning of a start is told by all who start runs.
#[test]
fn changes_are_warned_of() {
    let scratch = Scratch::new("start-warnings");
    let initial = "initial: {positions: {phi: 0.5, s: 2.5}}\n";
    let model = scratch.file("crank.yaml", &format!("{SLIDER_CRANK}{initial}simulation: {{t_end: 1e-3}}\n"));
    for command in ["simulate", "check", "eval"] {
        let output = mbs(&[command, &model]);
        let text = stdout(&output) + &stderr(&output);
        assert!(text.contains("warning: `s` is listed as 2.5 at the start"), "{command}: {text}");
    }
    let table = scratch.0.join("sweep.csv").display().to_string();
    let text = format!(
        "{}{initial}simulation: {{t_end: 1e-3}}\nparameters: {{c: 1}}\n",
        SLIDER_CRANK.replace("mass: 1, inertia: {yy: 0.1}", "mass: c, inertia: {yy: 0.1}")
    );
    let model = scratch.file("swept.yaml", &text);
    let output = mbs(&["sweep", &model, "--param", "c=1:2:2", "--out", &table]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = std::fs::read_to_string(&table).expect("the table");
    assert_eq!(rows.matches("`s` is listed as 2.5 at the start").count(), 2, "{rows}");
}

/// Two motions of one coordinate, which have the same gradient whatever they ask for.
#[test]
fn contradictory_motions_are_found_by_all() {
    let scratch = Scratch::new("contradictory");
    for (number, (one, found)) in [("t^2", "t = 0 s"), ("t^3", "t = 0.03 s")].into_iter().enumerate() {
        let text = format!(
            "{HINGE}parameters: {{c: 1}}
constraints:
  one: {{type: motion, coordinate: phi, value: c*{one}}}
  other: {{type: motion, coordinate: phi, value: 0}}\n"
        );
        let model = scratch.file(&format!("{number}.yaml"), &text);
        let check = json(&["check", &model, "--json"], 1);
        assert_eq!((&check["ok"], &check["refused"]["code"]), (&Value::Bool(false), &"MBS-R009".into()));
        assert_eq!(check["release"], serde_json::json!([]), "none says what the other says");
        let text = stdout(&mbs(&["check", &model]));
        assert!(text.contains(&format!("refused: {found}: `one` and `other` contradict")), "{text}");
        assert!(!text.contains("others say the same") && text.starts_with("hinge: not ok"), "{text}");
        assert!(fail(&["simulate", &model]).contains("error[MBS-R009]"));
        let table = scratch.0.join(format!("{number}.csv")).display().to_string();
        mbs(&["sweep", &model, "--param", "c=1:2:2", "--out", &table]);
        let rows = std::fs::read_to_string(&table).expect("the table");
        assert_eq!((rows.matches(",failed,").count(), rows.matches(",ok,").count()), (2, 0), "{rows}");
    }
}

/// A loop that closes only with one side of a joint turned over.
#[test]
fn a_joint_turned_over_is_found_by_all() {
    let scratch = Scratch::new("turned-over");
    let text = "model: turned
bodies: {arm: {mass: 1, inertia: {yy: 1}, frames: {over: {rotation: [{axis: x, angle: pi}]}}}}
joints:
  hinge: {type: revolute, from: ground, to: arm, axis: y, coordinate: u}
  back: {type: revolute, axis: z, from: ground, to: arm.over, cut: true}
constraints: {drive: {type: motion, coordinate: u, value: 0}}
";
    let model = scratch.file("turned.yaml", text);
    for command in ["simulate", "eval"] {
        let message = fail(&[command, &model]);
        assert!(message.contains("error[MBS-R011]") && message.contains("`back` turned over"), "{message}");
    }
    let check = json(&["check", &model, "--json"], 1);
    assert_eq!((&check["ok"], &check["closes"]), (&Value::Bool(false), &Value::Bool(false)));
    assert_eq!(check["refused"]["code"], "MBS-R011");
    let output = mbs(&["verify", &model]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("one identity does not hold"), "{}", stdout(&output));
    // An axis that can only point the wrong way is a mistake of the model.
    let text = text
        .replace("axis: z, from", "axis: y, from")
        .replace("constraints: {drive: {type: motion, coordinate: u, value: 0}}\n", "");
    let message = fail(&["check", &scratch.file("axis.yaml", &text)]);
    assert!(
        message.contains("error[MBS-T002]") && message.contains("its orientation is off by 3.14"),
        "{message}"
    );
}
