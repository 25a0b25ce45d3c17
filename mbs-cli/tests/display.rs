//! What commands show: long lists are folded, equal warnings are one, events say what they mean.

mod common;

use common::{Scratch, json, mbs, stderr, stdout, succeed};
use std::fmt::Write;

/// A ball that falls on a floor, bounces, and switches something over on its way.
const BALL: &str = "model: ball
bodies: {ball: {mass: 1}}
joints: {fall: {type: prismatic, from: ground, to: ball, axis: z, coordinate: z}}
forces:
  floor: {type: contact, on: ball, radius: 0.1, stiffness: 1e4, damping: 20}
states:
  high: {derivative: 'if(z > 0.2, 1, 0)'}
  way: {derivative: abs(der(z))}
initial: {positions: {z: 0.3}}
simulation: {t_end: 0.5}
";

#[test]
fn events_say_what_they_mean() {
    let scratch = Scratch::new("display-events");
    let model = scratch.file("ball.yaml", BALL);
    let text = succeed(&["simulate", &model]);
    for meaning in [
        "floor  landing\n",
        "floor  lift-off\n",
        "floor  stops pushing\n",
        "high   `z > 0.2` becomes false\n",
        "way    the argument of `abs(der(z))` becomes positive\n",
    ] {
        assert!(text.contains(meaning), "no {meaning} in\n{text}");
    }
    assert!(!text.contains("floor.2"), "{text}");
    let value = json(&["simulate", &model, "--json"], 0);
    let first = &value["events"][0];
    assert_eq!(
        (&first["name"], &first["direction"], &first["meaning"], &first["condition"]),
        (&"high".into(), &"rising".into(), &"`z > 0.2` becomes false".into(), &"z > 0.2".into())
    );
    let landing = value["events"].as_array().expect("events").iter().find(|event| event["name"] == "floor");
    let landing = landing.expect("a landing");
    assert_eq!((&landing["meaning"], &landing["direction"]), (&"landing".into(), &"falling".into()));
    assert!(landing["condition"].is_null());
    // The same words on the page, and what modes decide beside their values.
    let page = scratch.0.join("ball.html").display().to_string();
    succeed(&["simulate", &model, "--report", &page]);
    let html = std::fs::read_to_string(page).expect("the page");
    assert!(html.contains("<td>floor</td><td>landing</td>"));
    let text = succeed(&["eval", &model]);
    assert!(text.contains("modes\n") && text.contains("  high     holds          z > 0.2\n"), "{text}");
}

#[test]
fn many_events_are_folded() {
    let scratch = Scratch::new("display-many");
    let model = scratch.file(
        "clock.yaml",
        "model: clock
bodies: {cart: {mass: 1}}
joints: {rail: {type: prismatic, from: ground, to: cart, axis: x, coordinate: s}}
forces: {spring: {type: joint_spring, joint: rail, stiffness: 400}}
states: {ticks: {derivative: 'if(s > 0, 1, 0)'}}
initial: {positions: {s: 1}}
simulation: {t_end: 10}
",
    );
    let lines = |more: &[&str]| {
        let text = succeed(&[&["simulate", &model], more].concat());
        text.lines().filter(|line| line.contains("`s > 0` becomes")).count()
    };
    let all = json(&["simulate", &model, "--json"], 0)["events"].as_array().expect("events").len();
    assert!(all > 60, "{all}");
    assert_eq!((lines(&[]), lines(&["--events"])), (20, all));
    let text = succeed(&["simulate", &model]);
    assert!(text.contains(&format!("… and {} more: `--events` lists all\n", all - 20)), "{text}");
}

#[test]
fn equal_warnings_are_one() {
    let scratch = Scratch::new("display-warnings");
    let mut text = "model: plates\nbodies:\n".to_owned();
    for k in 0..9 {
        let _ = writeln!(text, "  b{k}: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: {}}}}}", 3 + k);
    }
    text += "joints:\n";
    for k in 0..9 {
        let _ = writeln!(text, "  j{k}: {{type: revolute, from: ground, to: b{k}, axis: x}}");
    }
    let model = scratch.file("plates.yaml", &text);
    let output = mbs(&["check", &model]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("MBS-P014").count(), 1, "{said}");
    assert!(said.contains("the same of 8 others: `b1` at 4:"), "{said}");
    assert!(said.trim_end().ends_with(" and 2 more"), "{said}");
    let value = json(&["check", &model, "--json"], 0);
    assert_eq!(value["diagnostics"].as_array().expect("diagnostics").len(), 9);
}

/// A revolute joint beside a ball joint: its angle and its rate have names of their own.
#[test]
fn rates_are_told_from_angles() {
    let scratch = Scratch::new("display-ball");
    let model = scratch.file(
        "arm.yaml",
        "model: arm
bodies: {arm: {mass: 1, com: [0, 0, 1], inertia: {xx: 1, yy: 1, zz: 1}}, hand: {mass: 1, com: [1, 0, 0]}}
joints:
  shoulder: {type: spherical, from: ground, to: arm}
  elbow: {type: revolute, from: arm, to: hand, axis: y, coordinate: phi}
simulation: {t_end: 0.1}
",
    );
    let text = succeed(&["simulate", &model]);
    let heads: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(heads.iter().filter(|head| **head == "phi").count(), 1, "{text}");
    assert!(heads.contains(&"der(phi)"), "{text}");
}

#[test]
fn times_are_those_asked_for() {
    let scratch = Scratch::new("display-times");
    let csv = scratch.0.join("run.csv").display().to_string();
    succeed(&["simulate", "models/pendulum.yaml", "--t-end", "2", "--step", "0.05", "--csv", &csv]);
    let text = std::fs::read_to_string(csv).expect("the table");
    let times: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let expected: Vec<String> = (0..=40).map(|k| format!("{:?}", f64::from(5 * k) / 100.0)).collect();
    assert_eq!(times, expected);
    assert!(times.contains(&"0.35"));
    // So are the points of a sweep.
    let table = scratch.0.join("sweep.csv").display().to_string();
    let run =
        ["sweep", "models/pendulum.yaml", "--param", "l=0.1:1.1:11", "--t-end", "0.01", "--output", &table];
    succeed(&run);
    let text = std::fs::read_to_string(table).expect("the table");
    let lengths: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(lengths, ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0", "1.1"]);
}

/// A plane mechanism in space: what leaves the plane is rounding.
#[test]
fn noise_is_not_shown_unless_asked_for() {
    let scratch = Scratch::new("display-noise");
    let model = scratch.file(
        "swing.yaml",
        "model: swing
bodies: {bob: {mass: 1, com: [0.3, 0, -0.4]}}
joints:
  pin: {type: revolute, from: ground, to: bob, axis: y, coordinate: phi}
states: {dust: {derivative: 1e-14*sin(phi)}, more: {derivative: 1}}
outputs: {x: position(bob).x}
initial: {positions: {phi: 0.5}}
simulation: {t_end: 1}
",
    );
    let page = scratch.0.join("swing.html").display().to_string();
    succeed(&["simulate", &model, "--report", &page]);
    let html = std::fs::read_to_string(page).expect("the page");
    // States have no unit, and one of them is of the size of one.
    assert_eq!(html.matches("\"noise\":true").count(), 1);
    let model = scratch.file(
        "slide.yaml",
        "model: slide
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  one: {type: prismatic, from: ground, to: a, axis: x, coordinate: s}
  two: {type: prismatic, from: ground, to: b, axis: x, coordinate: dust}
initial: {positions: {s: 1}, velocities: {s: 1, dust: 1e-13}}
simulation: {t_end: 1}
",
    );
    let plot = scratch.0.join("slide.svg").display().to_string();
    succeed(&["simulate", &model, "--plot", &plot]);
    let svg = std::fs::read_to_string(&plot).expect("the figure");
    assert!(svg.contains("zero up to rounding, not drawn: dust"), "{svg}");
    succeed(&["simulate", &model, "--plot", &plot, "--curves", "dust"]);
    let svg = std::fs::read_to_string(&plot).expect("the figure");
    assert!(!svg.contains("not drawn") && svg.contains(">dust<"), "{svg}");
}

/// Loops that share nothing are examined one by one; of many, some joints get no advice and the
/// answer says so.
#[test]
fn many_loops_apart() {
    const LOOPS: usize = 40;
    let scratch = Scratch::new("display-loops");
    let (mut bodies, mut joints, mut start) = (String::new(), String::new(), String::new());
    let mut anchors = String::new();
    for k in 0..LOOPS {
        for (name, length) in [("a", "1"), ("b", "1.5"), ("c", "1.2")] {
            let _ = writeln!(
                bodies,
                "  {name}{k}: {{mass: 1, inertia: {{yy: 0.1}}, frames: {{tip: {{position: [{length}, 0, 0]}}}}}}"
            );
        }
        let _ = write!(anchors, "r{k}: {{position: [1.3, 0, 0]}}, ");
        let _ = writeln!(
            joints,
            "  ja{k}: {{type: revolute, from: ground, to: a{k}, axis: -y, coordinate: qa{k}}}"
        );
        let _ = writeln!(
            joints,
            "  jb{k}: {{type: revolute, from: a{k}.tip, to: b{k}, axis: -y, coordinate: qb{k}}}"
        );
        let _ = writeln!(
            joints,
            "  jc{k}: {{type: revolute, from: ground.r{k}, to: c{k}, axis: -y, coordinate: qc{k}}}"
        );
        let _ = writeln!(
            joints,
            "  jd{k}: {{type: revolute, from: b{k}.tip, to: c{k}.tip, axis: -y, cut: true}}"
        );
        let _ = write!(start, "qa{k}: 1, qb{k}: -1, qc{k}: 1, ");
    }
    let text = format!(
        "model: loops\nbodies:\n  ground: {{frames: {{{anchors}}}}}\n{bodies}joints:\n{joints}initial: {{positions: {{{start}}}}}\n"
    );
    let model = scratch.file("loops.yaml", &text);
    let value = json(&["check", &model, "--json"], 0);
    assert_eq!(value["degrees_of_freedom"], LOOPS);
    assert_eq!(value["redundant"].as_array().expect("rows").len(), 3 * LOOPS);
    let advised = value["release"].as_array().expect("advice").len();
    assert!(advised > 0);
    assert_eq!(value["release_unexamined"], LOOPS - advised);
    let output = mbs(&["check", &model]);
    let text = stdout(&output);
    assert!(text.contains("were not examined for this, because the model is large"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 140), "{text}");
    assert!(text.contains("warning: 75 more listed values are not met"), "{text}");
}

/// Nothing is to be examined in a tree, however long it is.
#[test]
fn a_long_chain() {
    const BODIES: usize = 250;
    let scratch = Scratch::new("display-chain");
    let mut text = "model: chain\nbodies:\n".to_owned();
    for k in 0..BODIES {
        let _ = writeln!(text, "  b{k}: {{mass: 1, frames: {{tip: {{position: [1, 0, 0]}}}}}}");
    }
    text += "joints:\n";
    for k in 0..BODIES {
        let from = if k == 0 { "ground".to_owned() } else { format!("b{}.tip", k - 1) };
        let _ =
            writeln!(text, "  j{k}: {{type: prismatic, from: {from}, to: b{k}, axis: x, coordinate: q{k}}}");
    }
    let value = json(&["check", &scratch.file("chain.yaml", &text), "--json"], 0);
    assert_eq!(value["degrees_of_freedom"], BODIES);
    assert_eq!(value["rank"]["assemblies"], 0);
}

/// Tables of results have nothing in them that says nothing.
#[test]
fn tables_without_noise() {
    let text = succeed(&["compare", "models/pendulum.yaml", "--t-end", "0.1", "--methods", "mdop5"]);
    assert!(!text.contains("|g|") && !text.contains("projection"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let text = succeed(&["compare", "models/four_bar.yaml", "--t-end", "0.1", "--methods", "mdop5"]);
    assert!(text.contains("|g| max") && text.contains("every-step"), "{text}");
    let text = succeed(&["equilibrium", "models/full_car.yaml"]);
    assert!(text.lines().all(|line| !line.ends_with(" 1")), "{text}");
    let text = succeed(&["stats", "models/pendulum.yaml"]);
    assert!(text.contains("other passes save nothing here"), "{text}");
    // A matrix too wide for a terminal is listed by its entries.
    let text = succeed(&["eval", "models/five_link.yaml"]);
    assert!(text.contains("\nM, symmetric; entries not listed are zero\n  [phi1, phi1] "), "{text}");
    assert!(text.contains("\nG, entries not listed are zero\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}
