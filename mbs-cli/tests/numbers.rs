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

/// A slider that is where the time says, and tables of its place.
const TABLES: &str = "
model: tables
bodies: {block: {mass: 1}}
joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: s}}
constraints: {drive: {type: motion, coordinate: s, value: t}}
tables:
  goes_on: {points: [[0, 0], [0.5, 1], [1, 3]]}
  held: {points: [[0, 0], [0.5, 1], [1, 3]], outside: hold}
  unread: {points: [[0, 0], [1, 1]]}
outputs:
  a: linear(goes_on, s)
  b: spline(held, s)
  c: linear(held, s)
  d: 'if(s < 1, linear(unread, s), 0)'
simulation: {t_end: 2, step: 0.5}
";

#[test]
fn tables_say_what_they_are_outside_their_points() {
    let scratch = Scratch::new("numbers-tables");
    let model = scratch.file("tables.yaml", TABLES);
    let value = json(&["simulate", &model, "--json"], 0);
    let outputs = |value: &serde_json::Value| {
        ["a", "b", "c"].map(|name| value["outputs"][name].as_f64().expect("a number"))
    };
    // At s = 2: three and a slope of four more, or the last value.
    let expected = |found: [f64; 3]| {
        found
            .iter()
            .zip([7.0, 3.0, 3.0])
            .for_each(|(&found, expected)| near(found, expected, "beyond the points"));
    };
    expected(outputs(&value));
    // The interpreter says the same as native code.
    let state = scratch.file("state.json", r#"{"t": 2, "positions": {"s": 2}, "velocities": {"s": 1}}"#);
    expected(outputs(&json(&["eval", &model, "--state", &state, "--json"], 0)));
    let left = value["tables_left"].as_array().expect("a list");
    let names: Vec<&str> = left.iter().filter_map(|left| left["table"].as_str()).collect();
    assert_eq!(names, ["goes_on", "held"], "{left:#?}");
    for (path, expected) in [("/t", 1.5), ("/at", 1.5), ("/to", 1.0), ("/farthest/at", 2.0)] {
        near(left[0].pointer(path).and_then(serde_json::Value::as_f64).expect(path), expected, path);
    }
    assert_eq!((&left[0]["outside"], &left[1]["outside"]), (&json!("extrapolate"), &json!("hold")));
    let text = stdout(&mbs(&["simulate", &model]));
    assert!(text.contains("table `goes_on` is read at 1.5") && text.contains("outside: hold"), "{text}");
    // No warning where every table is read within its points.
    let value = json(&["simulate", &model, "--t-end", "1", "--json"], 0);
    assert_eq!(value["tables_left"], json!([]));
}

#[test]
fn a_table_may_end_the_run() {
    let scratch = Scratch::new("numbers-table-ends");
    let yaml = "
model: ends
bodies: {block: {mass: 1}}
joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: s}}
tables: {force: {points: [[0, 1], [1, 1]], outside: error}}
forces: {push: {type: joint_force, joint: rail, force: 'linear(force, s)'}}
simulation: {t_end: 3}
";
    let model = scratch.file("ends.yaml", yaml);
    // s = t²/2 reaches the last point at √2.
    let message = stderr(&mbs(&["simulate", &model]));
    assert!(
        message.contains("MBS-R001") && message.contains("t = 1.414") && message.contains("force"),
        "{message}"
    );
    assert!(mbs(&["simulate", &model, "--t-end", "1.41"]).status.success());
    let code = stdout(&mbs(&["generate", &model]));
    assert!(code.contains("f64::NAN"));
}

/// Values that are not finite have a place, wherever they stand, and nothing panics.
#[test]
fn what_is_not_finite_has_a_place() {
    let scratch = Scratch::new("numbers-finite");
    for (index, (place, code)) in [
        ("inputs: {u: {value: 0/0}}", "P009"),
        ("inputs: {u: {value: 1e308, unit: kN}}", "F005"),
        ("inputs: {u: 1/0 + t}", "P009"),
        ("parameters: {c: {value: 1e308, unit: kN}}", "F005"),
        ("parameters: {c: {value: 1, unit: kN, max: 1e308}}", "F005"),
        ("parameters: {c: 1/0}", "P009"),
        ("variables: {o: 1/0}\nforces: {d: {type: joint_torque, joint: hinge, torque: o}}", "P009"),
        ("forces: {d: {type: joint_torque, joint: hinge, torque: 0/0}}", "P009"),
        ("forces: {d: {type: joint_torque, joint: hinge, torque: 1e200*1e200*phi}}", "P009"),
        ("forces: {d: {type: joint_torque, joint: hinge, torque: sqrt(-1)*phi}}", "P009"),
        ("forces: {d: {type: joint_spring, joint: hinge, stiffness: 1/0}}", "P009"),
        ("forces: {d: {type: joint_torque, joint: hinge, torque: 1e308 kN*m}}", "F005"),
        ("outputs: {o: phi + 1/0}", "P009"),
        ("states: {x: {derivative: 1/0 - phi, initial: 0}}", "P009"),
        ("constraints: {m: {type: motion, coordinate: phi, value: t/0}}", "none"),
        ("constraints: {m: {type: motion, coordinate: phi, value: 0/0 + t}}", "P009"),
        ("tables: {a: {points: [[0, 0], [1, 1e308]], y_unit: kN}}", "F005"),
        ("inputs: {u: 1}\nsimulation: {scenarios: {a: {set: {u: 0/0}}}}", "P009"),
        ("parameters: {c: {value: 1, unit: kN}}\nsimulation: {scenarios: {a: {set: {c: 1e308}}}}", "F005"),
        ("inputs: {u: {value: 1, unit: kN}}\nsimulation: {scenarios: {a: {set: {u: 1e308}}}}", "F005"),
        ("simulation: {t_end: 1/0}", "F005"),
    ]
    .into_iter()
    .enumerate()
    {
        let model = format!(
            "model: x\nbodies: {{arm: {{mass: 1, inertia: {{yy: 1}}}}}}\n\
             joints: {{hinge: {{type: revolute, from: ground, to: arm, axis: y, coordinate: phi}}}}\n{place}\n"
        );
        let file = scratch.file(&format!("{index}.yaml"), &model);
        let output = mbs(&["check", &file]);
        let message = stderr(&output);
        assert!(!message.contains("panicked"), "{place}: {message}");
        if code != "none" {
            assert_eq!(output.status.code(), Some(1), "{place}: {message}");
            assert!(message.contains(&format!("MBS-{code}")), "{place}: {message}");
            assert_eq!(message.matches("error[").count(), 1, "{place}: {message}");
            assert!(message.contains(&format!("{index}.yaml:")), "{place}: {message}");
        }
    }
}

#[test]
fn eval_marks_what_is_not_a_number() {
    let scratch = Scratch::new("numbers-eval");
    let yaml = "
model: root
bodies: {block: {mass: 1}}
joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: s}}
forces: {pull: {type: joint_force, joint: rail, force: -sqrt(s)}}
outputs: {inverse: 1/(s + 1)}
";
    let model = scratch.file("root.yaml", yaml);
    assert!(mbs(&["eval", &model]).status.success());
    let state = scratch.file("state.json", r#"{"positions": {"s": -1}}"#);
    let output = mbs(&["eval", &model, "--state", &state]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(
        text.contains("not defined at this state: f[s], v'[s], output[inverse]") && text.contains("NaN !"),
        "{text}"
    );
    let value = json(&["eval", &model, "--state", &state, "--json"], 1);
    assert_eq!(value["undefined"], json!(["f[s]", "v'[s]", "output[inverse]"]));
    assert_eq!(value["ok"], false);
    let ball = "model: ball\nbodies: {top: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}\n\
                joints: {ball: {type: spherical, from: ground, to: top, coordinates: [q0, q1, q2, q3]}}\n";
    let ball = scratch.file("ball.yaml", ball);
    let state = scratch.file("zero.json", r#"{"positions": {"q0": 0}}"#);
    for arguments in
        [&["eval", &ball, "--state", &state][..], &["simulate", &ball, "--set", "positions.q0=0"]]
    {
        let message = stderr(&mbs(arguments));
        assert!(message.contains("MBS-P041"), "{arguments:?}: {message}");
    }
}

/// What was not checked does not count as holding.
#[test]
fn verify_counts_what_it_skipped() {
    let value = json(&["verify", "models/pendulum.yaml", "--samples", "2", "--json"], 0);
    let checks = value["checks"].as_array().expect("checks");
    let skipped = checks.iter().filter(|check| check["checked"] == false).count();
    assert!(skipped >= 4 && value["skipped"] == skipped, "{value:#}");
    assert_eq!(value["checked"], checks.len() - skipped);
    assert!(checks.iter().all(|check| (check["checked"] == false) == check["error"].is_null()));
    assert!(checks.iter().all(|check| check["checked"] == true || check["skipped"].is_string()));
    let text = stdout(&mbs(&["verify", "models/pendulum.yaml", "--samples", "2"]));
    assert!(text.contains(&format!("checked, {skipped} skipped")), "{text}");
}

/// A pendulum can be run for long; for a thousand million seconds it cannot, and the reason is not
/// its motion.
#[test]
fn an_end_too_far_away_is_named() {
    for end in ["1e9", "1e16", "1e300"] {
        let message = stderr(&mbs(&["simulate", "models/pendulum.yaml", "--t-end", end]));
        assert!(message.contains("MBS-R012") && message.contains("steps of"), "{end}: {message}");
        assert!(!message.contains("error stays too large"), "{end}: {message}");
    }
    let message = stderr(&mbs(&["simulate", "models/pendulum.yaml", "--t-end", "1e9", "--step", "1e-8"]));
    assert!(message.contains("1.0e17"), "{message}");
    // What moves evenly gets there in few steps.
    let scratch = Scratch::new("numbers-far");
    let coasting = "model: coasting\ngravity: [0, 0, 0]\nbodies: {block: {mass: 1}}\n\
                    joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: s}}\n\
                    initial: {velocities: {s: 1}}\n";
    let model = scratch.file("coasting.yaml", coasting);
    let value = json(&["simulate", &model, "--t-end", "1e17", "--json"], 0);
    near(value["positions"]["s"].as_f64().expect("a number"), 1e17, "the place");
}
