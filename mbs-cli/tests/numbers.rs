//! One rule for numbers at every door: a plain number is in the unit its name was declared with,
//! a number may bring its own unit, and what no mechanism can be is refused with the same words.

mod common;

use common::server::Server;
use common::{Scratch, json, mbs, stderr, stdout};
use serde_json::json;
use std::fs;

/// 1000 kg on a damper: the speed after 1 s is v₀ exp(−c) with c in kN·s/m; and on a force of
/// F kN alone v₀ + F.
const CART: &str = "\
model: cart
parameters:
  c: {value: 5, unit: kN*s/m}
  m: {value: 1, unit: t}
inputs: {F: {value: 0, unit: kN}}
bodies: {cart: {mass: m}}
joints: {rail: {type: prismatic, from: ground, to: cart, axis: x, coordinate: s}}
forces: {damper: {type: joint_force, joint: rail, force: F - c*der(s)}}
outputs: {speed: der(s)}
initial: {velocities: {s: 1}}
simulation:
  t_end: 1
  rtol: 1e-10
  scenarios:
    plain: {set: {c: 3}}
    own: {set: {c: 3000 N*s/m}}
    pushed: {set: {c: 0, F: 2}}
    pushed_own: {set: {c: 0, F: 2000 N}}
    started: {set: {c: 0, velocities.s: 10.8 km/h}}
";

/// What a door is given, and the speed that follows.
struct Case {
    arguments: Vec<String>,
    speed: f64,
}

fn case(arguments: &[&str], speed: f64) -> Case {
    Case { arguments: arguments.iter().map(|text| (*text).to_owned()).collect(), speed }
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-8 * expected.abs().max(1e-3), "{what}: {found} is not {expected}");
}

#[test]
fn scenarios_and_settings_agree() {
    let scratch = Scratch::new("numbers-set");
    let model = scratch.file("cart.yaml", CART);
    let damped = |c: f64| (-c).exp();
    let cases = [
        case(&[], damped(5.0)),
        case(&["--scenario", "plain"], damped(3.0)),
        case(&["--scenario", "own"], damped(3.0)),
        case(&["--scenario", "pushed"], 3.0),
        case(&["--scenario", "pushed_own"], 3.0),
        case(&["--scenario", "started"], 3.0),
        case(&["--set", "c=3"], damped(3.0)),
        case(&["--set", "c=3 kN*s/m"], damped(3.0)),
        case(&["--set", "c=3000 N*s/m"], damped(3.0)),
        case(&["--set", "m=2", "--set", "c=2"], damped(1.0)),
        case(&["--set", "m=2000 kg", "--set", "c=2"], damped(1.0)),
        case(&["--set", "c=0", "--set", "F=2"], 3.0),
        case(&["--set", "c=0", "--set", "F=2000N"], 3.0),
        case(&["--set", "c=0", "--set", "velocities.s=3"], 3.0),
        case(&["--set", "c=0", "--set", "velocities.s=10.8 km/h"], 3.0),
    ];
    for Case { arguments, speed } in cases {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let value = json(&[&["simulate", &model, "--json"][..], &arguments].concat(), 0);
        // JSON is SI whatever was declared.
        near(value["outputs"]["speed"].as_f64().expect("a number"), speed, &format!("{arguments:?}"));
    }
}

#[test]
fn sweeps_agree_and_their_tables_say_their_units() {
    let scratch = Scratch::new("numbers-sweep");
    let model = scratch.file("cart.yaml", CART);
    let samples = |name: &str, text: &str| scratch.file(name, text);
    let [plain, headed, celled] = [
        samples("plain.csv", "c\n1\n3\n"),
        samples("headed.csv", "c [N*s/m]\n1000\n3000\n"),
        samples("celled.csv", "c [N*s/m],F\n1 kN*s/m,0\n3000,0 N\n"),
    ];
    for arguments in [
        ["--param", "c=1:3:2"],
        ["--param", "c=1:3:2 kN*s/m"],
        ["--param", "c=1000:3000:2 N*s/m"],
        ["--param", "c=1:3000 N*s/m:2 kN*s/m"],
        ["--from-csv", &plain],
        ["--from-csv", &headed],
        ["--from-csv", &celled],
    ] {
        let out = scratch.0.join("out.csv").display().to_string();
        let run = ["sweep", &model, "--columns", "speed", "--output", &out];
        let output = mbs(&[&run[..], &arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        let table = fs::read_to_string(&out).expect("the table");
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(rows[0][1], "c [kN*s/m]", "{arguments:?}");
        let speed = rows[0].iter().position(|head| *head == "speed [m/s]").expect("the speed with its unit");
        for (row, c) in rows[1..].iter().zip([1.0, 3.0]) {
            near(row[1].parse().expect("a number"), c, "the column of c");
            near(row[speed].parse().expect("a number"), (-c).exp(), &format!("{arguments:?}"));
        }
        fs::remove_file(&out).expect("the table goes");
    }
    let out = scratch.0.join("pushed.csv").display().to_string();
    let run = ["sweep", &model, "--set", "c=0", "--param", "F=1000:2000:2 N", "--output", &out];
    assert_eq!(mbs(&run).status.code(), Some(0));
    let table = fs::read_to_string(&out).expect("the table");
    assert!(table.starts_with("sample,F [kN],s [m],der(s) [m/s],speed [m/s],"), "{table}");
    let last: Vec<&str> = table.lines().last().expect("a line").split(',').collect();
    near(last[1].parse().expect("a number"), 2.0, "F");
    near(last[4].parse().expect("a number"), 3.0, "pushed by 2 kN");
}

#[test]
fn the_live_page_agrees() {
    let scratch = Scratch::new("numbers-serve");
    let server = Server::start(&scratch.file("cart.yaml", CART));
    let (_, page) = server.get("/");
    let settings = page.split("id=\"mbs-live\"").nth(1).expect("what can be set");
    let settings = &settings[settings.find('{').expect("JSON")..settings.find("</script>").expect("its end")];
    let settings: serde_json::Value = serde_json::from_str(settings).expect("JSON");
    let c = &settings["settings"][0];
    assert_eq!((&c["name"], &c["value"], &c["unit"]), (&json!("c"), &json!(5.0), &json!("kN*s/m")));
    let (_, by_number) = server.run(r#"{"set": {"c": 3}}"#);
    let (_, by_text) = server.run(r#"{"set": {"c": "3000 N*s/m"}}"#);
    let (_, other) = server.run(r#"{"set": {"c": 3000}}"#);
    assert_eq!(by_number["ok"], true, "{by_number}");
    assert_eq!(by_number["scene"]["motion"], by_text["scene"]["motion"]);
    assert_ne!(by_number["scene"]["motion"], other["scene"]["motion"]);
    let (status, refused) = server.run(r#"{"set": {"m": -1}}"#);
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(status == 422 && message.contains("MBS-P001") && message.contains("-1000 kg"), "{refused}");
}

/// A mass below zero, and a unit of something else, have the same words at every door.
#[test]
fn every_door_refuses_what_the_model_refuses() {
    let scratch = Scratch::new("numbers-refused");
    let model = scratch.file("cart.yaml", CART);
    let out = scratch.0.join("out.csv").display().to_string();
    let negative = scratch.file("negative.yaml", &CART.replace("value: 1, unit: t", "value: -1, unit: t"));
    let scenario = scratch.file("scenario.yaml", &format!("{CART}    wrong: {{set: {{m: -1}}}}\n"));
    let list = scratch.file("negative.csv", "m\n-1\n");
    const MASS: &str = "the mass of `cart` is -1000 kg";
    for (arguments, expected) in [
        (vec!["simulate", &negative], MASS),
        (vec!["check", &scenario], MASS),
        (vec!["simulate", &scenario, "--scenario", "wrong"], MASS),
        (vec!["simulate", &model, "--set", "m=-1"], MASS),
        (vec!["simulate", &model, "--set", "m=-1000 kg"], MASS),
        (vec!["equilibrium", &model, "--set", "m=-1"], MASS),
        (vec!["sweep", &model, "--param", "m=-1:1:3", "--output", &out], MASS),
        (vec!["simulate", &model, "--set", "m=3 mm"], "`m` is t, but `mm` is m"),
        (vec!["sweep", &model, "--param", "m=1:3:2 mm", "--output", &out], "`m` is t, but `mm` is m"),
        (vec!["simulate", &model, "--set", "m=3 furlong"], "`furlong` is not a unit"),
        (vec!["simulate", &model, "--set", "m=1e308"], "is not a finite number"),
    ] {
        let output = mbs(&arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
    // In a list of samples it is one sample that fails.
    let output = mbs(&["sweep", &model, "--from-csv", &list, "--output", &out]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert!(fs::read_to_string(&out).expect("the table").contains(MASS));
}
