//! Rotations of robots whose right angles were written with five digits.

mod common;

use common::{Scratch, json, mbs, stderr};
use serde_json::Value;
use std::fmt::Write;

/// Roll angles between the joints, as files of robots have them: four of these are near a right
/// angle, but no right angles.
#[expect(clippy::approx_constant, reason = "angles as people write them")]
const ROLLS: [f64; 7] = [3.1416, 1.5708, -1.5708, 1.5708, -1.5707, 0.3, std::f64::consts::FRAC_PI_2];
const ANGLES: [f64; 7] = [0.3, -0.7, 1.1, 2.0, -0.4, 0.9, -1.3];

/// An arm of seven revolute joints about z, each turned by its roll against the one before it.
fn arm() -> String {
    let mut yaml = "model: arm\nbodies:\n".to_owned();
    for k in 0..ROLLS.len() {
        let _ = writeln!(
            yaml,
            "  link{k}: {{mass: {}, com: [0.05, 0.02, 0.1], inertia: {{xx: 0.02, yy: 0.03, zz: 0.01}}, frames: {{end: \
             {{position: [0.02, 0, 0.25], rotation: [{{axis: x, angle: {}}}]}}}}}}",
            1.0 + 0.3 * k as f64,
            ROLLS.get(k + 1).copied().unwrap_or(0.0)
        );
    }
    let _ = writeln!(
        yaml,
        "  base: {{mass: 1, frames: {{end: {{rotation: [{{axis: x, angle: {}}}]}}}}}}",
        ROLLS[0]
    );
    yaml += "joints:\n  stand: {type: fixed, from: ground, to: base}\n";
    for k in 0..ROLLS.len() {
        let from = if k == 0 { "base.end".to_owned() } else { format!("link{}.end", k - 1) };
        let _ = writeln!(
            yaml,
            "  joint{k}: {{type: revolute, from: {from}, to: link{k}, axis: z, coordinate: q{k}}}"
        );
    }
    yaml += "outputs:\n";
    for (row, i) in ["x", "y", "z"].iter().zip(0..) {
        for (column, j) in ["x", "y", "z"].iter().zip(0..) {
            let _ = writeln!(yaml, "  r{i}{j}: rotation(link6).{row}{column}");
        }
    }
    yaml += "initial:\n  positions: {";
    let all = ANGLES.iter().enumerate().map(|(k, angle)| format!("q{k}: {angle}")).collect::<Vec<_>>();
    yaml + &all.join(", ") + "}\n"
}

type Matrix = [[f64; 3]; 3];

fn product(a: Matrix, b: Matrix) -> Matrix {
    a.map(|row| [0, 1, 2].map(|j| (0..3).map(|k| row[k] * b[k][j]).sum()))
}

/// R_x(roll) R_z(angle) of all joints, multiplied out.
fn expected() -> Matrix {
    ROLLS.iter().zip(ANGLES).fold([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], |r, (roll, angle)| {
        let (s, c) = roll.sin_cos();
        let r = product(r, [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]);
        let (s, c) = angle.sin_cos();
        product(r, [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    })
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn rotations_are_orthonormal_to_rounding() {
    let scratch = Scratch::new("rotations");
    let model = scratch.file("arm.yaml", &arm());
    let answers =
        [&[][..], &["--keep-dust"]].map(|dust| json(&[&["eval", &model, "--json"], dust].concat(), 0));
    for answer in &answers {
        let r = [0, 1, 2].map(|i| [0, 1, 2].map(|j| number(&answer["outputs"][format!("r{i}{j}")])));
        for (found, expected) in r.iter().flatten().zip(expected().iter().flatten()) {
            assert!((found - expected).abs() < 4e-15, "{found} is not {expected}");
        }
        for i in 0..3 {
            for j in 0..3 {
                let dot: f64 = (0..3).map(|k| r[i][k] * r[j][k]).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 4e-15, "rows {i} and {j}: {dot}");
            }
        }
    }
    let [exact, kept] = answers.map(|answer| answer["v_dot"].as_array().expect("accelerations").clone());
    for (a, b) in exact.iter().zip(&kept) {
        assert!((number(a) - number(b)).abs() < 1e-11 * number(b).abs().max(1.0), "{a} is not {b}");
    }
}

/// A right angle with eleven digits is one, unless dust is kept: in every command that reads models.
#[test]
fn every_command_keeps_dust_if_asked_to() {
    let scratch = Scratch::new("dust");
    let yaml = arm().replace("angle: 1.5708", "angle: 1.57079632675");
    let model = scratch.file("arm.yaml", &yaml);
    let at = |name: &str| scratch.0.join(name).display().to_string();
    let (out, svg, csv) = (at("out"), at("out.svg"), at("out.csv"));
    for arguments in [
        &["check", &model][..],
        &["graph", &model],
        &["stats", &model],
        &["equations", &model],
        &["explain", &model, "f[0]"],
        &["verify", &model, "--samples", "1"],
        &["diff", &model, &model],
        &["generate", &model, "--out", &out],
        &["eval", &model],
        &["simulate", &model, "--t-end", "0.01"],
        &["picture", &model, "--t-end", "0.01", "--out", &svg],
        &["equilibrium", &model, "--tolerance", "1"],
        &["compare", &model, "--t-end", "0.01", "--methods", "mdop5"],
        &["sweep", &model, "--param", "positions.q0=0:1:2", "--t-end", "0.01", "--output", &csv],
    ] {
        let output = mbs(&[arguments, &["--keep-dust"]].concat());
        let message = stderr(&output);
        assert!(!message.contains("unexpected argument"), "{arguments:?}: {message}");
    }
    let dust =
        |more: &[&str]| json(&[&["stats", &model, "--json"], more].concat(), 0)["rotation_dust"].clone();
    assert!(dust(&[]).as_u64().expect("a count") > 0);
    assert_eq!(dust(&["--keep-dust"]), 0);
    let operations = |more: &[&str]| {
        json(&[&["stats", &model, "--json"], more].concat(), 0)["functions"]["mass_matrix"].to_string()
    };
    assert_ne!(operations(&[]), operations(&["--keep-dust"]));
}

/// A robot read as it is, too: lengths below 1e-10 m and angles within 1e-10 rad.
#[test]
fn a_robot_keeps_its_dust() {
    let scratch = Scratch::new("dust-urdf");
    let robot = r#"<robot name="r"><link name="base"/>
      <link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="j" type="continuous"><origin xyz="0 3e-11 0.5" rpy="1.57079632675 0 0"/>
        <parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint></robot>"#;
    let model = scratch.file("r.urdf", robot);
    let names = |more: &[&str]| {
        let output = mbs(&[&["equations", &model], more].concat());
        String::from_utf8(output.stdout).expect("text")
    };
    let (meant, kept) = (names(&[]), names(&["--keep-dust"]));
    assert_ne!(meant, kept);
    assert!(!meant.contains("e-11") && kept.contains("e-11") || kept.contains("r_j_y"), "{kept}");
}
