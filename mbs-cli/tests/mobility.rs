//! `mbs check` on mechanisms whose motions are known.

mod common;

use common::{Scratch, json, mbs, stdout, succeed};
use serde_json::Value;

fn check(model: &str) -> Value {
    json(&["check", model, "--json"], 0)
}

fn length(value: &Value) -> usize {
    value.as_array().expect("a list").len()
}

/// The text of a model of this repository with parts of it replaced.
fn changed(model: &str, changes: &[(&str, &str)]) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(model);
    let mut text = std::fs::read_to_string(path).expect("readable");
    for (from, to) in changes {
        assert!(text.contains(from), "{model} has no `{from}`");
        text = text.replace(from, to);
    }
    text
}

/// A plane linkage of full revolute joints: the closing joint holds three freedoms too many,
/// one slide along and two turns across the common axis.
#[test]
fn a_four_bar_linkage_of_revolute_joints() {
    let value = check("models/four_bar_spatial.yaml");
    assert_eq!(value["degrees_of_freedom"], 1);
    assert_eq!(value["degrees_of_freedom_at_start"], 1);
    let redundant = value["redundant"].as_array().expect("rows");
    assert_eq!(redundant.len(), 3);
    assert!(redundant.iter().all(|row| row["joint"] == "closure"), "{redundant:#?}");
    let directions: Vec<&str> = redundant.iter().filter_map(|row| row["direction"].as_str()).collect();
    assert_eq!(directions.iter().filter(|words| words.starts_with("rotation about")).count(), 2);
    assert!(directions.contains(&"translation along its axis"), "{directions:?}");
    assert_eq!(length(&value["singular"]), 0);
    let gap = |key: &str| value["rank"][key].as_f64().expect("a number");
    assert!(gap("smallest_kept") > 1e-3 && gap("largest_dropped") < 1e-12, "{:#}", value["rank"]);
}

/// What the advice says, done: nothing is redundant, and the linkage moves as before.
#[test]
fn released_as_advised_nothing_is_redundant() {
    let advice = check("models/four_bar_spatial.yaml")["release"][0]["advice"].clone();
    assert_eq!(advice, "make it `spherical`, and one of crank_pivot, crank_pin, rocker_pivot `cylindrical`");
    let scratch = Scratch::new("released");
    let text = changed(
        "four_bar_spatial.yaml",
        &[
            (
                "closure: {type: revolute, from: coupler.tip, to: rocker.tip, axis: [-2, 2, -1], cut: true}",
                "closure: {type: spherical, from: coupler.tip, to: rocker.tip, cut: true}",
            ),
            (
                "rocker_pivot: {type: revolute, from: ground.d, to: rocker, axis: [-2, 2, -1], coordinate: phi3}",
                "rocker_pivot: {type: cylindrical, from: ground.d, to: rocker, axis: [-2, 2, -1], coordinates: [s3, phi3]}",
            ),
        ],
    );
    let value = check(&scratch.file("released.yaml", &text));
    assert_eq!(value["degrees_of_freedom"], 1);
    assert_eq!(length(&value["redundant"]), 0, "{:#}", value["redundant"]);
}

/// Counting gives Bricard's loop no freedom; it has one, and one row too many in every pose.
#[test]
fn bricards_mechanism() {
    let value = check("models/bricard.yaml");
    assert_eq!(value["degrees_of_freedom"], 1);
    assert_eq!(length(&value["redundant"]), 1);
    assert_eq!(value["redundant"][0]["joint"], "joint5");
    assert!(value["rank"]["largest_dropped"].as_f64().expect("a number") < 1e-12);
    // Without the row the advice releases, the loop is well determined.
    let advice = value["release"][0]["advice"].as_str().expect("words");
    assert!(advice.starts_with("make it `universal` with "), "{advice}");
    let axis = &advice["make it `universal` with ".len()..][..1];
    let scratch = Scratch::new("bricard");
    let released =
        format!("joint5: {{type: universal, from: rod5.tip, to: ground.P5, axes: [x, {axis}], cut: true}}");
    let joint = "joint5: {type: revolute, from: rod5.tip, to: ground.P5, axis: x, cut: true}";
    let value = check(&scratch.file("bricard.yaml", &changed("bricard.yaml", &[(joint, &released)])));
    assert_eq!(value["degrees_of_freedom"], 1);
    assert_eq!(length(&value["redundant"]), 0, "{:#}", value["redundant"]);
}

#[test]
fn the_five_link_suspension_has_nothing_redundant() {
    let value = check("models/five_link.yaml");
    assert_eq!(value["degrees_of_freedom"], 2);
    assert_eq!(length(&value["redundant"]), 0);
    assert_eq!(length(&value["singular"]), 0);
}

/// Two four-bar linkages in a row, started with all rods in one line.
fn rods_in_line(scratch: &Scratch) -> String {
    let text = (0..3).fold(changed("n_four_bar_2.yaml", &[]), |text, k| {
        text.replace(&format!("    phi{k}: 0\n"), &format!("    phi{k}: pi/2\n"))
            .replace(&format!("    psi{k}: 0\n"), &format!("    psi{k}: -pi/2\n"))
    });
    scratch.file("in_line.yaml", &text)
}

/// Three instantaneous freedoms with all rods in line, one elsewhere; there is nothing to
/// tell of the model's own start, in which they stand upright.
#[test]
fn a_start_in_a_singular_pose() {
    let value = check("models/n_four_bar_2.yaml");
    assert_eq!((&value["degrees_of_freedom"], &value["degrees_of_freedom_at_start"]), (&1.into(), &1.into()));
    let scratch = Scratch::new("singular");
    let model = rods_in_line(&scratch);
    let value = check(&model);
    assert_eq!(value["degrees_of_freedom"], 1);
    assert_eq!(value["degrees_of_freedom_at_start"], 3);
    assert_eq!(length(&value["singular"]), 2);
    // The rows that vanish in the plane are redundant anyway.
    assert!(value["redundant"].as_array().expect("rows").iter().all(|row| row["identically"] == true));
    insta::assert_snapshot!(succeed(&["check", &model]));
}

#[test]
fn redundancy_for_people() {
    insta::assert_snapshot!(succeed(&["check", "models/four_bar_spatial.yaml"]));
}

/// Links too short to meet: the joint that stays open and by how much.
#[test]
fn a_linkage_that_cannot_close() {
    let scratch = Scratch::new("open");
    let text = changed("four_bar_spatial.yaml", &[("l0: {value: 0.5", "l0: {value: 1.5")]);
    let model = scratch.file("open.yaml", &text);
    let value = json(&["check", &model, "--json"], 1);
    assert_eq!(value["ok"], false);
    assert_eq!(value["closes"], false);
    assert_eq!(value["open"][0]["joint"], "closure");
    // Stretched out, crank, coupler and rocker reach 1.1 m of 1.5 m.
    let distance = value["open"][0]["distance_m"].as_f64().expect("a number");
    assert!((distance - 0.4).abs() < 1e-3, "{distance}");
    let output = mbs(&["check", &model]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("`closure` stays open by 4.00"), "{}", stdout(&output));
}

/// Axes that are not quite parallel: the loop closes but for an angle, which is told.
#[test]
fn a_linkage_that_nearly_closes() {
    let scratch = Scratch::new("nearly");
    let askew = [("to: rocker.tip, axis: [-2, 2, -1], cut", "to: rocker.tip, axis: [-2, 2, -1.001], cut")];
    let value = json(
        &["check", &scratch.file("nearly.yaml", &changed("four_bar_spatial.yaml", &askew)), "--json"],
        1,
    );
    // The axis given in the coupler turns away from the other three by 3e-4 rad.
    let angle = value["open"][0]["angle_rad"].as_f64().expect("a number");
    assert!((1e-4..1e-3).contains(&angle), "{angle}");
    assert!(value["degrees_of_freedom"].as_u64().expect("a number") <= 1);
}

/// Singular poses along a run are in the summary and in the JSON answer.
#[test]
fn singular_poses_of_a_run_are_told() {
    let scratch = Scratch::new("singular-run");
    let model = rods_in_line(&scratch);
    let arguments = ["simulate", &model, "--t-end", "0.1"];
    assert!(stdout(&mbs(&arguments)).contains("singular pose of"));
    let value = json(&[&arguments[..], &["--json"]].concat(), 0);
    let pose = &value["singular_poses"][0];
    assert_eq!(pose["t"], 0.0);
    assert!(pose["element"].as_str().expect("a name").starts_with("closure"));
}

#[test]
fn the_answer_is_the_same_every_time() {
    let once = succeed(&["check", "models/rssr.yaml", "--json"]);
    assert_eq!(once, succeed(&["check", "models/rssr.yaml", "--json"]));
}

/// Advice by the element it is for.
fn advice(value: &Value, element: &str) -> Option<String> {
    let all = value["release"].as_array().expect("a list");
    let own = all.iter().find(|advice| advice["joint"] == element)?;
    own["advice"].as_str().map(str::to_owned)
}

/// Two wheels on one axle: what is redundant is the contact of each, which no wheel set can leave,
/// and the slip across of one. No constraint of the language leaves just that out, and without
/// `roll1` there would be three degrees of freedom in place of two: nothing is advised.
#[test]
fn what_would_set_a_wheel_free_is_not_advised() {
    let value = check("tests/data/redundancy/rolling_wheel_set.yaml");
    assert_eq!((&value["degrees_of_freedom"], length(&value["redundant"])), (&2.into(), 3));
    assert_eq!(length(&value["release"]), 0, "{:#}", value["release"]);
}

/// A pin in a slot, both in one plane: without the slot the lever would swing freely. The slot as
/// a plane holds what it held, and nothing twice.
#[test]
fn a_slot_in_a_plane_mechanism_becomes_a_plane() {
    let path = "tests/data/redundancy/quick_return.yaml";
    let value = check(path);
    assert_eq!(advice(&value, "slot").as_deref(), Some("make it a `point_on_plane` with normal z"));
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join(path)).expect("readable");
    let line = "type: point_on_line, point: crank.pin, line: lever, axis: x";
    assert!(text.contains(line));
    let plane = text.replace(line, "type: point_on_plane, point: crank.pin, plane: lever, normal: z");
    let after = check(&Scratch::new("slot").file("plane.yaml", &plane));
    assert_eq!(after["degrees_of_freedom"], value["degrees_of_freedom"]);
    assert_eq!(length(&after["redundant"]), 0);
}

/// Two rods between the same two points: one of them can go, and only one is advised to.
#[test]
fn of_two_that_say_the_same_one_may_go() {
    let model = "
model: twice
bodies: {arm: {mass: 1, frames: {tip: {position: [0, 0, -1]}}}, ground: {frames: {peg: {position: [0.5, 0, 0]}}}}
joints: {hinge: {type: planar, from: ground, to: arm, normal: y, coordinates: [z, x, phi]}}
constraints:
  one: {type: distance, from: ground.peg, to: arm.tip, length: 1}
  two: {type: distance, from: ground.peg, to: arm.tip, length: 1}
initial: {positions: {x: 0, z: 0.2}}
";
    let value = check(&Scratch::new("twice").file("twice.yaml", model));
    assert_eq!((&value["degrees_of_freedom"], length(&value["redundant"])), (&2.into(), 1));
    assert_eq!(length(&value["release"]), 1);
    assert!(advice(&value, "two").is_some_and(|advice| advice.starts_with("leave this constraint out")));
}

/// Fixed joints that close loops of a plane mechanism: every advice, followed here by hand, leaves
/// the degrees of freedom as they were and nothing redundant.
#[test]
fn advice_followed_by_hand() {
    let model = |pin: &str, more: &str| {
        format!(
            "
model: linkage
bodies:
  ground: {{frames: {{d: {{position: [1, 0, 0]}}}}}}
  crank: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}, frames: {{tip: {{position: [0, 0, 0.3]}}}}}}
  coupler: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}, frames: {{tip: {{position: [1, 0, 0]}}}}}}
  rocker: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}, frames: {{tip: {{position: [0, 0, 0.3]}}}}}}
joints:
  a: {{type: revolute, from: ground, to: crank, axis: y, coordinate: qa}}
  b: {{type: revolute, from: crank.tip, to: coupler, axis: y, coordinate: qb}}
  c: {{type: revolute, from: ground.d, to: rocker, axis: y, coordinate: qc}}
  {pin}
{more}"
        )
    };
    for (pin, expected, instead, more) in [
        ("pin: {type: universal, from: coupler.tip, to: rocker.tip, axes: [y, x], cut: true}", None, "", ""),
        (
            "pin: {type: cylindrical, from: coupler.tip, to: rocker.tip, axis: y, cut: true}",
            Some("put a `point_on_line` constraint along its axis in its place"),
            "",
            "constraints: {pin: {type: point_on_line, point: rocker.tip, line: coupler.tip, axis: y}}",
        ),
        (
            "pin: {type: spherical, from: coupler.tip, to: rocker.tip, cut: true}",
            Some("put a `point_on_line` constraint along y in its place"),
            "",
            "constraints: {pin: {type: point_on_line, point: rocker.tip, line: coupler.tip, axis: y}}",
        ),
    ] {
        let scratch = Scratch::new("by-hand");
        let value = check(&scratch.file("model.yaml", &model(pin, "")));
        assert_eq!(value["degrees_of_freedom"], 1, "{pin}");
        let found = advice(&value, "pin");
        if let Some(expected) = expected {
            assert_eq!(found.as_deref(), Some(expected), "{pin}");
            let after = check(&scratch.file("after.yaml", &model(instead, more)));
            assert_eq!((&after["degrees_of_freedom"], length(&after["redundant"])), (&1.into(), 0), "{pin}");
        } else {
            assert!(length(&value["redundant"]) == 2 && found.is_none(), "{pin}: {found:?}");
        }
    }
}
