//! Starts of spatial loops: listed poses, branches and turns.

mod common;

use common::{Scratch, fail, json};
use serde_json::Value;
use std::f64::consts::PI;

/// Three bodies between joints `j1` to `j4`, of which one is cut.
fn loop_of_three(joints: &str, initial: &str) -> String {
    format!(
        "model: loop
gravity: [1, -2, -9.81]
bodies:
  ground: {{frames: {{g: {{position: [1.1, 0.2, 0.1], rotation: [{{axis: y, angle: 1.1}}, {{axis: x, angle: 0.3}}]}}}}}}
  a:
    mass: 1
    com: [0.2, 0.01, 0]
    inertia: {{xx: 0.02, yy: 0.03, zz: 0.025}}
    frames: {{e: {{position: [0.4, 0.05, 0], rotation: [{{axis: x, angle: 0.2}}]}}}}
  b:
    mass: 1.5
    com: [0.3, 0, 0.05]
    inertia: {{xx: 0.02, yy: 0.06, zz: 0.05, xy: 0.004}}
    frames: {{e: {{position: [0.7, 0, 0.1], rotation: [{{axis: z, angle: 0.4}}]}}}}
  c:
    mass: 2
    com: [0.05, 0.02, 0.1]
    inertia: {{xx: 0.05, yy: 0.06, zz: 0.07}}
    frames: {{e: {{position: [0.1, 0.15, 0.05], rotation: [{{axis: y, angle: -0.5}}]}}}}
joints:
{joints}{initial}
simulation: {{t_end: 1e-3}}
allow: [MBS-P015]
"
    )
}

const HINGE_CUT: &str = "  j1: {type: revolute, from: ground, to: a, axis: [0.2, 0.1, 1]}
  j2: {type: universal, axes: [y, z], from: a.e, to: b}
  j3: {type: spherical, from: b.e, to: c.e}
  j4: {type: revolute, axis: z, from: ground.g, to: c, cut: true}
";

const SCREW: &str = "  j1: {type: revolute, from: ground, to: a, axis: [0.2, 0.1, 1], cut: true}
  j2: {type: universal, axes: [x, z], from: a.e, to: b}
  j3: {type: spherical, from: b.e, to: c.e}
  j4: {type: screw, axis: z, pitch: 0.3, from: ground.g, to: c}
";

/// The largest |g| at the state where a run starts.
fn gap(model: &str) -> f64 {
    let answer = json(&["eval", model, "--json"], 0);
    let rows = answer["g"].as_array().expect("rows").clone();
    rows.iter().map(|g| g.as_f64().expect("a number").abs()).fold(0.0, f64::max)
}

/// Three values of a mechanism with one degree of freedom, from a pose of it and to the last digit:
/// the orientation that goes with them is far from where it begins.
#[test]
fn values_that_belong_together_are_all_held() {
    let scratch = Scratch::new("belong-together");
    let cases = [
        (
            HINGE_CUT,
            [
                ("j1", 0.018_402_882_180_176_17),
                ("j2.angle1", -0.222_411_081_866_043_2),
                ("j2.angle2", 0.163_585_916_569_285_76),
            ],
        ),
        (
            SCREW,
            [
                ("j2.angle1", -21.858_002_297_500_057),
                ("j2.angle2", 5.427_501_867_979_824),
                ("j4", -5.419_866_087_421_895),
            ],
        ),
    ];
    for (number, (joints, values)) in cases.into_iter().enumerate() {
        let list: Vec<String> = values.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
        let initial = format!("initial: {{positions: {{{}}}}}", list.join(", "));
        let model = scratch.file(&format!("{number}.yaml"), &loop_of_three(joints, &initial));
        let start = json(&["simulate", &model, "--json"], 0)["start"].clone();
        for (name, value) in values {
            assert_eq!(start["held"][name].as_f64(), Some(value), "{start:#}");
        }
        assert!(gap(&model) < 1e-9);
    }
}

/// Free assembly turns nothing by more than it must.
#[test]
fn assembly_winds_no_angle() {
    let scratch = Scratch::new("winds");
    let model = scratch.file("screw.yaml", &loop_of_three(SCREW, ""));
    let start = json(&["simulate", &model, "--json"], 0)["start"].clone();
    for name in ["j2.angle1", "j2.angle2"] {
        let angle = start["completed"][name].as_f64().expect("an angle");
        assert!(angle.abs() <= PI, "{name}: {angle}");
    }
    assert!(gap(&model) < 1e-9);
}

/// A crank of 0.3, a coupler of 1 and a rocker of 0.5 m over a base of 1 m: the coupler's angle to the
/// line from the crank's tip to the rocker's pivot follows from the law of cosines.
#[test]
fn an_estimate_chooses_the_branch_of_a_four_bar() {
    let scratch = Scratch::new("four-bar");
    let link = |name: &str, length: f64| {
        format!(
            "  {name}: {{mass: 1, inertia: {{yy: 0.1}}, frames: {{e: {{position: [{length}, 0, 0]}}}}}}\n"
        )
    };
    let bodies = link("crank", 0.3) + &link("coupler", 1.0) + &link("rocker", 0.5);
    let (x, z) = (0.3 * 1.0_f64.cos(), 0.3 * 1.0_f64.sin());
    let distance = ((1.0 - x) * (1.0 - x) + z * z).sqrt();
    let line = (-z).atan2(1.0 - x);
    let open = ((distance * distance + 1.0 - 0.25) / (2.0 * distance)).acos();
    for (estimate, side) in [(0.3, 1.0), (-0.5, 1.0), (-1.7, -1.0), (-2.5, -1.0)] {
        let text = format!(
            "model: four_bar
bodies:
  ground: {{frames: {{o: {{position: [1, 0, 0]}}}}}}
{bodies}joints:
  a: {{type: revolute, from: ground, to: crank, axis: -y, coordinate: phi}}
  b: {{type: revolute, from: crank.e, to: coupler, axis: -y, coordinate: psi}}
  d: {{type: revolute, from: ground.o, to: rocker, axis: -y}}
  c: {{type: revolute, from: coupler.e, to: rocker.e, axis: -y, cut: true}}
initial: {{positions: {{phi: 1, psi: {estimate}}}}}
simulation: {{t_end: 1e-3}}
"
        );
        let model = scratch.file("four_bar.yaml", &text);
        let start = json(&["simulate", &model, "--json"], 0)["start"].clone();
        let psi = start["changed"]["psi"]["to"].as_f64().expect("it is changed");
        assert!((psi - (line + side * open - 1.0)).abs() < 1e-9, "{estimate}: {psi}");
        assert_eq!(start["held"]["phi"], Value::from(1.0));
    }
}

/// Two rates of a mechanism with one degree of freedom.
#[test]
fn a_second_rate_is_refused() {
    let scratch = Scratch::new("second-rate");
    let initial = "initial: {positions: {j1: 0.0184}, velocities: {j1: 4, j2.angle1: 7}}";
    let message = fail(&["simulate", &scratch.file("loop.yaml", &loop_of_three(HINGE_CUT, initial))]);
    assert!(message.contains("7 of `j2.angle1` contradicts `j1` = 4, `j4`"), "{message}");
}
