//! `mbs simulate`: what it prints and writes, and what it says when a run fails.

mod common;

use common::{Scratch, Table, has_keys, json, mbs, stderr, succeed};
use serde_json::Value;

#[test]
fn simulate_for_programs() {
    let scratch = Scratch::new("simulate");
    let csv = scratch.0.join("run.csv").display().to_string();
    let run = [
        "simulate",
        "models/five_link.yaml",
        "--scenario",
        "stair",
        "--csv",
        &csv,
        "--columns",
        "lambda,energy",
    ];
    let value = json(&[&run[..], &["--json"]].concat(), 0);
    has_keys(
        &value,
        &["t", "positions", "velocities", "states", "outputs", "lambda", "events", "statistics", "drift"],
    );
    has_keys(
        &value["statistics"],
        &["steps", "rejected", "evaluations", "factorisations", "solves", "projections"],
    );
    has_keys(&value["statistics"]["evaluations"], &["M", "f", "g", "G", "z"]);
    has_keys(&value["dimensions"], &["n_p", "n_v", "n_g", "n_lambda", "n_x"]);
    assert_eq!(value["degrees_of_freedom"], 2);
    has_keys(&value["drift"], &["g", "g_max", "g_dot", "g_dot_max", "energy"]);
    has_keys(&value["energy"], &["start", "end", "change"]);
    has_keys(&value["wall_ms"], &["compile", "native", "integrate"]);
    assert_eq!(value["t"], 0.6);
    let landing = &value["events"].as_array().expect("events")[4];
    assert_eq!((&landing["name"], &landing["direction"]), (&Value::from("F_tyre"), &Value::from("falling")));
    let table = std::fs::read_to_string(&csv).expect("the table");
    let header = table.lines().next().expect("a header");
    assert!(
        header.starts_with("t [s],phi1 [rad],psi1 [rad],") && header.contains(",der(phi1) [rad/s],"),
        "{header}"
    );
    assert!(header.ends_with(",kinetic_energy [J],potential_energy [J]"), "{header}");
    let columns = header.split(',').count();
    assert!(table.lines().all(|line| line.split(',').count() == columns));
}

#[test]
fn simulate_says_what_is_wrong() {
    for (arguments, expected) in [
        (["simulate", "models/four_bar.yaml", "--scenario", "drivn"], "did you mean `driven`?"),
        (["simulate", "models/four_bar.yaml", "--set", "m9=1"], "did you mean"),
        (["simulate", "models/four_bar.yaml", "--method", "dopri5"], "closure.x"),
        (["simulate", "models/four_bar.yaml", "--set", "l0=50"], "closure"),
        (["simulate", "models/four_bar.yaml", "--rtol", "0"], "must be a positive number"),
    ] {
        let output = mbs(&arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}

/// Lines that do not depend on the machine.
#[test]
fn simulate_for_people() {
    let text = succeed(&["simulate", "models/five_link.yaml", "--scenario", "stair_full_damper"]);
    let steady = |line: &&str| !line.starts_with("  wall time");
    assert!(text.lines().any(|line| !steady(&line)), "no wall time in\n{text}");
    let heads = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    for head in ["size", "method", "steps", "evaluations", "projections", "drift", "energy", "events", "phi1"]
    {
        assert!(heads(&text).iter().any(|found| found == head), "no line `{head}` in\n{text}");
    }
    for part in [
        "12 constraints; 2 degrees of freedom",
        "projection controlled",
        "at most",
        "F_tyre  `max(F_tyre_min, contact)` takes its first argument",
        "J at the end",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

/// The same numbers, to the last bit, whatever the format.
#[cfg(feature = "parquet")]
#[test]
fn parquet_and_csv_read_back_equal() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let scratch = Scratch::new("parquet");
    let [csv, parquet] = ["run.csv", "run.parquet"].map(|name| scratch.0.join(name).display().to_string());
    for file in [&csv, &parquet] {
        succeed(&[
            "simulate",
            "models/four_bar.yaml",
            "--t-end",
            "0.1",
            "--csv",
            file,
            "--columns",
            "energy,lambda",
        ]);
    }
    let table = Table::read(&csv);
    let reader =
        SerializedFileReader::new(std::fs::File::open(&parquet).expect("the file")).expect("Parquet");
    let mut count = 0;
    for (row, expected) in reader.get_row_iter(None).expect("rows").zip(&table.rows) {
        let row = row.expect("a row");
        for (index, expected) in expected.iter().enumerate() {
            let found = row.get_double(index).expect("a number");
            assert_eq!(found.to_bits(), expected.to_bits(), "{}", table.names[index]);
        }
        count += 1;
    }
    assert_eq!(count, table.rows.len());
}

/// A point mass on a massless rod pulls along the rod only: m (l theta'^2 + g cos theta).
#[test]
fn reactions_of_a_pendulum() {
    let scratch = Scratch::new("pendulum-reactions");
    let csv = scratch.0.join("run.csv").display().to_string();
    let (m, l) = (2.0, 0.7);
    let run = ["simulate", "models/pendulum.yaml", "--set", "m=2", "--set", "l=0.7", "--t-end", "2"];
    succeed(&[&run[..], &["--csv", &csv, "--columns", "reactions"]].concat());
    let table = Table::read(&csv);
    assert!(table.rows.len() > 20);
    for row in &table.rows {
        let (theta, rate) = (table.at(row, "theta"), table.at(row, "der(theta)"));
        let pull = m * (l * rate * rate + 9.81 * theta.cos());
        for (component, expected) in
            [("fx", 0.0), ("fy", 0.0), ("fz", pull), ("tx", 0.0), ("ty", 0.0), ("tz", 0.0)]
        {
            let found = table.at(row, &format!("reaction(pivot).{component}"));
            assert!((found - expected).abs() < 1e-9, "{component} at {theta}: {found} not {expected}");
        }
    }
    let value = json(&[&run[..], &["--columns", "reactions", "--json"]].concat(), 0);
    has_keys(&value["reactions"], &["reaction(pivot).fx", "reaction(pivot).tz"]);
    assert!(value["outputs"].get("reaction(pivot).fx").is_none());
}

/// What the joints of a body carry is its mass times its acceleration less gravity, in a loop
/// with a joint that is cut.
#[test]
fn reactions_add_up() {
    let scratch = Scratch::new("reactions-add-up");
    let csv = scratch.0.join("run.csv").display().to_string();
    let model = scratch.file("crank_slider.yaml", CRANK_SLIDER);
    let run =
        ["simulate", &model, "--t-end", "0.1", "--step", "0.01", "--csv", &csv, "--columns", "reactions"];
    succeed(&run);
    let table = Table::read(&csv);
    assert!(table.rows.len() > 10);
    for row in &table.rows {
        let at = |name: &str| table.at(row, name);
        // The rod is turned about -y: components in its axes to ground axes.
        let angle = at("phi") + at("psi");
        let (fx, fz) = (at("reaction(big_end).fx"), at("reaction(big_end).fz"));
        let big_end = [angle.cos() * fx - angle.sin() * fz, angle.sin() * fx + angle.cos() * fz];
        let small_end = [at("reaction(small_end).fx"), at("reaction(small_end).fz")];
        let bore = [at("reaction(bore).fx"), at("reaction(bore).fz")];
        let scale = small_end[0].abs() + small_end[1].abs() + 1.0;
        for (sum, expected) in [
            (big_end[0] - small_end[0], 0.3 * at("ax")),
            (big_end[1] - small_end[1], 0.3 * (at("az") + 9.81)),
            (small_end[0] + bore[0], 0.5 * at("a_piston")),
            (small_end[1] + bore[1], 0.5 * 9.81),
            (bore[0], 0.0),
        ] {
            assert!((sum - expected).abs() < 1e-9 * scale, "{sum} not {expected} at {}", at("t"));
        }
    }
}

const CRANK_SLIDER: &str = "model: crank_slider
bodies:
  crank: {inertia: {yy: 2e-3}, frames: {pin: {position: [0.05, 0, 0]}}}
  rod:
    mass: 0.3
    com: [0.1, 0, 0]
    inertia: {yy: 1e-3}
    frames: {eye: {position: [0.2, 0, 0]}, mid: {position: [0.1, 0, 0]}}
  piston: {mass: 0.5}
joints:
  shaft: {type: revolute, from: ground, to: crank, axis: -y, coordinate: phi}
  big_end: {type: revolute, from: crank.pin, to: rod, axis: -y, coordinate: psi}
  bore: {type: prismatic, from: ground, to: piston, axis: x, coordinate: s}
  small_end: {type: revolute, from: rod.eye, to: piston, axis: -y, cut: true}
outputs:
  ax: acceleration(rod.mid).x
  az: acceleration(rod.mid).z
  a_piston: acceleration(piston).x
initial: {positions: {phi: 0.5, s: 0.2}, velocities: {phi: 100}}
";

#[test]
fn reactions_beside_a_free_equation_are_refused() {
    let scratch = Scratch::new("free-equation");
    let model = scratch.file(
        "free.yaml",
        "model: free
bodies:
  bead: {mass: 1}
joints:
  slide: {type: planar, from: ground, to: bead, normal: y, coordinates: [x, z, turn]}
constraints:
  wire: {type: equation, value: position(bead).z - position(bead).x^2}
",
    );
    let output = mbs(&["simulate", &model, "--columns", "reactions"]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output).replace(&model, "free.yaml");
    insta::assert_snapshot!(message);
}

/// A run that fails: the message, no file, and the table of a former run as it was.
fn fails(name: &str, source: &str) -> String {
    let scratch = Scratch::new(name);
    let model = scratch.file("model.yaml", source);
    let csv = scratch.file("run.csv", "a former run\n");
    let output = mbs(&["simulate", &model, "--csv", &csv, "--columns", "lambda,energy"]);
    assert_eq!(output.status.code(), Some(1), "{name}");
    assert_eq!(common::stdout(&output), "", "{name}");
    let fresh = scratch.0.join("fresh.csv").display().to_string();
    let value = json(&["simulate", &model, "--csv", &fresh, "--json"], 1);
    assert_eq!(value["ok"], Value::from(false));
    let code = value["diagnostics"][0]["code"].as_str().expect("a code");
    assert!(code.starts_with("MBS-R"), "{name}: {code}");
    assert!(!value["diagnostics"][0]["help"].is_null(), "{name}: {value:#}");
    assert_eq!(std::fs::read_to_string(&csv).expect("the former run"), "a former run\n", "{name}");
    let entries = std::fs::read_dir(&scratch.0)
        .expect("the directory")
        .map(|entry| entry.expect("an entry").file_name());
    let mut left: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    left.sort();
    assert_eq!(left, ["model.yaml", "run.csv"], "{name}");
    stderr(&output).replace(&model, "model.yaml")
}

#[test]
fn an_inconsistent_start() {
    insta::assert_snapshot!(fails(
        "inconsistent",
        "model: too_short
bodies:
  left: {mass: 1, com: [0.5, 0, 0], inertia: {yy: 0.1}, frames: {tip: {position: [1, 0, 0]}}}
  right: {mass: 1, com: [0.5, 0, 0], inertia: {yy: 0.1}, frames: {tip: {position: [1, 0, 0]}}}
  ground: {frames: {far: {position: [3, 0, 0]}}}
joints:
  one: {type: revolute, from: ground, to: left, axis: y, coordinate: phi}
  two: {type: revolute, from: ground.far, to: right, axis: y, coordinate: psi}
  pin: {type: revolute, from: left.tip, to: right.tip, axis: y, cut: true}
initial: {positions: {phi: 0.5, psi: 2}}
"
    ));
}

#[test]
fn a_branch_without_mass() {
    insta::assert_snapshot!(fails(
        "massless",
        "model: massless
bodies:
  arm: {mass: 1, com: [0.5, 0, 0], inertia: {yy: 0.1}, frames: {tip: {position: [1, 0, 0]}}}
  tip: {}
joints:
  shoulder: {type: revolute, from: ground, to: arm, axis: y, coordinate: phi}
  wrist: {type: revolute, from: arm.tip, to: tip, axis: y, coordinate: psi}
"
    ));
}

/// The bead falls into the centre in pi/(2 sqrt 2) s.
#[test]
fn a_force_without_bound() {
    insta::assert_snapshot!(fails(
        "unbounded",
        "model: unbounded
bodies: {bead: {mass: 1}}
joints:
  slide: {type: prismatic, from: ground, to: bead, axis: x, coordinate: s}
forces:
  pull: {type: force, on: bead, in: ground, force: [-1/s^2, 0, 0]}
initial: {positions: {s: 1}}
simulation: {t_end: 3}
"
    ));
}

#[test]
fn a_force_that_is_not_a_number() {
    insta::assert_snapshot!(fails(
        "undefined",
        "model: undefined
bodies: {bead: {mass: 1}}
joints:
  slide: {type: prismatic, from: ground, to: bead, axis: x, coordinate: s}
forces:
  drive: {type: force, on: bead, in: ground, force: [sqrt(0.5 - t), 0, 0]}
"
    ));
}

#[test]
fn a_condition_that_chatters() {
    insta::assert_snapshot!(fails(
        "chattering",
        "model: chattering
bodies: {block: {mass: 1}}
joints:
  slide: {type: prismatic, from: ground, to: block, axis: x, coordinate: s}
forces:
  friction: {type: force, on: block, in: ground, force: [0.5 - 2*sign(der(s)), 0, 0]}
initial: {velocities: {s: 1}}
"
    ));
}

/// The inner condition changes many times while the outer one holds it off, where its function
/// is not even defined; it counts only from s = 1.25 on, and is then decided afresh.
#[test]
fn a_condition_on_a_branch_not_taken_makes_no_event() {
    let scratch = Scratch::new("nested");
    let model = scratch.file(
        "nested.yaml",
        "model: nested
gravity: [0, 0, 0]
bodies: {bead: {mass: 1}}
joints:
  slide: {type: prismatic, from: ground, to: bead, axis: x, coordinate: s}
states:
  ticks: {derivative: 'if(s > 1.25, if(sin(pi*s)*sqrt(s + 2) < 0, 2, 1), 0)'}
initial: {positions: {s: -3.5}, velocities: {s: 1}}
simulation: {t_end: 6}
",
    );
    let value = json(&["simulate", &model, "--json"], 0);
    let events = value["events"].as_array().expect("events");
    let text: Vec<String> = events
        .iter()
        .map(|event| format!("{:.6} {}", event["t"].as_f64().expect("a time"), event["direction"]))
        .collect();
    assert_eq!(text, ["4.750000 \"falling\"", "5.500000 \"rising\""], "{events:#?}");
    let ticks = value["states"]["ticks"].as_f64().expect("a number");
    assert!((ticks - 2.0).abs() < 1e-9, "{ticks}");
}

/// A page is complete in itself, holds what it should, and is there whole or not at all.
#[test]
fn the_report_is_one_whole_page() {
    let scratch = Scratch::new("report");
    let page = scratch.0.join("run.html");
    let path = page.display().to_string();
    let plain = succeed(&["simulate", "models/four_bar.yaml", "--t-end", "0.1"]);
    let with_page = succeed(&["simulate", "models/four_bar.yaml", "--t-end", "0.1", "--report", &path]);
    // The page changes nothing of the run; times differ.
    let run = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.contains("wall time")).map(str::to_owned).collect()
    };
    assert_eq!(run(&plain), run(&with_page));

    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(text.starts_with("<!doctype html>") && text.trim_end().ends_with("</html>"));
    assert!(!text.contains("<!--mbs:"), "a part of the page is missing");
    for part in
        ["<h1>four_bar</h1>", "accepted steps", "coupler", "reaction(", "der(phi", "Content-Security-Policy"]
    {
        assert!(text.contains(part), "no `{part}` in the page");
    }
    // No address but the names of SVG's and MathML's languages.
    let foreign =
        text.match_indices("://").map(|(at, _)| &text[at.saturating_sub(5)..(at + 30).min(text.len())]);
    let foreign: Vec<&str> = foreign.filter(|address| !address.contains("www.w3.org")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");

    let lost = scratch.0.join("nowhere/run.html").display().to_string();
    let output = mbs(&["simulate", "models/four_bar.yaml", "--t-end", "0.1", "--report", &lost]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("MBS-C002"), "{}", stderr(&output));
    let broken = mbs(&["simulate", "models/four_bar.yaml", "--t-end", "-1", "--report", &path]);
    assert_ne!(broken.status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&page).expect("the former page"), text);
}

/// The energies hold what springs, bushings and contacts store, and name the laws they leave out.
#[test]
fn the_energy_says_what_it_leaves_out() {
    let scratch = Scratch::new("left_out");
    let text = "model: dropped
bodies: {ball: {mass: 2}}
joints: {fall: {type: prismatic, from: ground, to: ball, axis: z, coordinate: z}}
forces:
  floor: {type: contact, on: ball, radius: 0.1, stiffness: 1e4}
  push: {type: joint_force, joint: fall, force: 1}
  stiff: {type: joint_spring, joint: fall, stiffness: 1 + z^2}
initial: {positions: {z: 0.09}}
simulation: {t_end: 0.01, rtol: 1e-10}
";
    let model = scratch.file("dropped.yaml", text);
    let value = json(&["simulate", &model, "--json"], 0);
    assert_eq!(value["energy"]["without"], serde_json::json!(["push", "stiff"]));
    let start = value["energy"]["start"].as_f64().expect("a number");
    assert!((start - (2.0 * 9.81 * 0.09 + 0.5 * 1e4 * 0.01 * 0.01)).abs() < 1e-9, "{start}");
    let text = succeed(&["simulate", &model]);
    assert!(text.contains("without the work of `push`, `stiff`"), "{text}");
}
