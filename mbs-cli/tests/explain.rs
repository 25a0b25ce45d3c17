//! `mbs explain`, `mbs verify`, `mbs diff`, and what `mbs simulate` says of values that are not
//! numbers.

mod common;

use common::{Scratch, has_keys, json, mbs, stderr, stdout, succeed};
use serde_json::Value;

/// Lines of a text, each once, for comparison of shapes.
fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    let list = value.as_array().expect("a list").iter();
    list.map(|item| item[key].as_str().unwrap_or_default()).collect()
}

#[test]
fn explain_for_people() {
    insta::assert_snapshot!("explain_force", succeed(&["explain", "models/four_bar.yaml", "f[0]"]));
    insta::assert_snapshot!("explain_row", succeed(&["explain", "models/four_bar.yaml", "g[closure.x]"]));
    insta::assert_snapshot!("explain_mass", succeed(&["explain", "models/double_pendulum.yaml", "M[0, 1]"]));
    for line in succeed(&["explain", "models/five_link.yaml", "f[0]"]).lines() {
        assert!(line.chars().count() <= 140, "{line}");
    }
}

#[test]
fn explain_for_programs() {
    let value = json(&["explain", "models/four_bar.yaml", "f[0]", "--json"], 0);
    has_keys(&value, &["model", "entry", "terms", "quantities", "ops", "compiled"]);
    let terms = value["terms"].as_array().expect("terms");
    assert!(terms.len() > 2, "{value:#}");
    let source =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../models/four_bar.yaml")).unwrap();
    let mut own = 0;
    for term in terms {
        has_keys(term, &["element", "file", "line", "ops", "text"]);
        let line =
            source.lines().nth(term["line"].as_u64().expect("a line") as usize - 1).expect("in the file");
        let element = term["element"].as_str().expect("a name");
        assert!(line.trim_start().starts_with(&format!("{element}:")), "{element}: {line}");
        own += term["ops"].as_u64().expect("a number");
    }
    let ops = &value["ops"];
    assert_eq!(ops["own"], own);
    let total = own + ops["shared"].as_u64().unwrap() + ops["sums"].as_u64().unwrap();
    assert_eq!(ops["total"], total);
    // Numbers and names lead to the same entry.
    let name = value["entry"].as_str().expect("a name");
    assert_eq!(json(&["explain", "models/four_bar.yaml", name, "--json"], 0), value);
}

#[test]
fn entries_that_are_not_there() {
    for (entry, expected) in [
        ("f[closur]", "there are 0 to 2"),
        ("g[closure.y]", "did you mean `closure.x`?"),
        ("Q[0]", "there are M, f, g, G, c, z, a, output"),
        ("f", "write for example f[0]"),
        ("M[0]", "write M[i, j]"),
    ] {
        let output = mbs(&["explain", "models/four_bar.yaml", entry]);
        assert_eq!(output.status.code(), Some(1), "{entry}");
        assert!(stderr(&output).contains(expected), "{entry}: {}", stderr(&output));
        assert_eq!(stdout(&output), "");
        let value = json(&["explain", "models/four_bar.yaml", entry, "--json"], 1);
        assert_eq!(value["diagnostics"][0]["code"], "MBS-C046");
    }
    let output = mbs(&["explain", "tests/fail/unknown_body.yaml", "f[0]"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("MBS-N"), "{}", stderr(&output));
}

#[test]
fn verify_says_that_all_is_well() {
    let text = succeed(&["verify", "models/four_bar.yaml"]);
    assert!(text.contains("all identities hold"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    let value = json(&["verify", "models/heavy_top.yaml", "--samples", "3", "--seed", "9", "--json"], 0);
    has_keys(&value, &["ok", "model", "samples", "undefined", "checks"]);
    assert_eq!((&value["ok"], &value["samples"]), (&Value::from(true), &Value::from(3)));
    for check in value["checks"].as_array().expect("checks") {
        has_keys(check, &["name", "identity", "holds", "error", "tolerance", "entry", "sample", "state"]);
        assert_eq!(check["holds"], true, "{check:#}");
    }
    // The same seed, the same states.
    assert_eq!(
        json(&["verify", "models/heavy_top.yaml", "--samples", "3", "--seed", "9", "--json"], 0),
        value
    );
    let other = json(&["verify", "models/heavy_top.yaml", "--samples", "3", "--seed", "10", "--json"], 0);
    assert_ne!(other["checks"], value["checks"]);
}

/// A mechanism whose loop cannot close from its initial values does not pass.
#[test]
fn verify_fails_where_the_run_does() {
    let scratch = Scratch::new("verify-fails");
    let model = scratch.file("open.yaml", &FOUR_BAR_OPEN);
    let value = json(&["verify", &model, "--json"], 1);
    let broken: Vec<&Value> =
        value["checks"].as_array().expect("checks").iter().filter(|check| check["holds"] == false).collect();
    assert_eq!(broken.len(), 1, "{broken:#?}");
    assert_eq!(broken[0]["name"], "run");
    let output = mbs(&["verify", &model]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("one identity does not hold"), "{}", stdout(&output));
    assert_eq!(mbs(&["verify", "models/four_bar.yaml", "--samples", "0"]).status.code(), Some(1));
}

const SLIDER: &str = "model: slider
parameters: {k: 100, m: 2}
bodies:
  ground: {frames: {wall: {position: [-1, 0, 0]}}}
  cart: {mass: m}
  bob: {mass: 1, com: [0, 0, -0.5], frames: {tip: {position: [0, 0, -1]}}}
joints:
  rail: {type: prismatic, from: ground, to: cart, axis: x, coordinate: s}
  pin: {type: revolute, from: cart, to: bob, axis: y, coordinate: phi}
forces:
  spring: {type: joint_spring, joint: rail, stiffness: k}
outputs: {height: position(bob.tip).z}
initial: {positions: {phi: 0.5}}
";

static FOUR_BAR_OPEN: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
    "model: open
bodies:
  rod: {mass: 1, inertia: {yy: 0.1}, frames: {tip: {position: [1, 0, 0]}}}
joints:
  pin: {type: revolute, from: ground, to: rod, axis: y, coordinate: phi}
constraints:
  far: {type: distance, from: ground, to: rod.tip, length: 3}
"
    .replace("from: ground, to: rod.tip", "from: ground.far, to: rod.tip")
    .replace("bodies:\n", "bodies:\n  ground: {frames: {far: {position: [9, 0, 0]}}}\n")
});

#[test]
fn diff_of_the_same() {
    let scratch = Scratch::new("diff-same");
    let a = scratch.file("a.yaml", SLIDER);
    // Comments, order of sections and spelling do not matter.
    let (head, forces) = SLIDER.split_once("forces:").expect("forces");
    let (forces, rest) = forces.split_once("outputs:").expect("outputs");
    let reordered = format!("# the same\n{head}outputs:{rest}forces:{forces}  # a comment\n");
    let b = scratch.file("b.yaml", &reordered.replace("mass: m}", "mass: (m + m)/2}"));
    let text = succeed(&["diff", &a, &b]);
    assert!(text.contains("have the same equations"), "{text}");
    let value = json(&["diff", &a, &b, "--json"], 0);
    assert_eq!(value["equal"], true);
    for key in ["entries", "parameters", "others"] {
        assert_eq!(value[key], Value::Array(Vec::new()), "{key}");
    }
}

#[test]
fn diff_of_a_default() {
    let scratch = Scratch::new("diff-default");
    let a = scratch.file("a.yaml", SLIDER);
    let b = scratch.file("b.yaml", &SLIDER.replace("k: 100", "k: 150"));
    let value = json(&["diff", &a, &b, "--json"], 1);
    assert_eq!(value["parameters"], serde_json::json!([{"name": "k", "before": 100.0, "after": 150.0}]));
    assert_eq!((&value["entries"], &value["others"]), (&Value::Array(vec![]), &Value::Array(vec![])));
}

#[test]
fn diff_of_an_added_spring() {
    let scratch = Scratch::new("diff-spring");
    let a = scratch.file("a.yaml", SLIDER);
    let strut =
        "  strut: {type: spring_damper, from: ground.wall, to: bob.tip, stiffness: 50, length: 1}\noutputs:";
    let b = scratch.file("b.yaml", &SLIDER.replace("outputs:", strut));
    let value = json(&["diff", &a, &b, "--json"], 1);
    assert_eq!(texts(&value["entries"], "entry"), ["f[phi]", "f[s]"]);
    for entry in value["entries"].as_array().expect("entries") {
        let elements = &entry["elements"];
        assert_eq!(texts(elements, "element"), ["strut"]);
        assert_eq!(texts(elements, "change"), ["added"]);
        assert!(elements[0]["after"].as_str().expect("a place").ends_with("b.yaml:12"), "{elements}");
        assert!(elements[0]["before"].is_null());
    }
    assert!(value["operations"].get("forces").is_some());
    let text = stdout(&mbs(&["diff", &a, &b]));
    assert!(text.contains("force `strut` added"), "{text}");
    // And back.
    let value = json(&["diff", &b, &a, "--json"], 1);
    assert_eq!(texts(&value["entries"][0]["elements"], "change"), ["removed"]);
}

#[test]
fn diff_of_bodies_and_values() {
    let scratch = Scratch::new("diff-bodies");
    let a = scratch.file("a.yaml", SLIDER);
    let b = scratch.file(
        "b.yaml",
        &SLIDER.replace("com: [0, 0, -0.5]", "com: [0, 0, -0.6]").replace("phi: 0.5", "phi: 0.7"),
    );
    let value = json(&["diff", &a, &b, "--json"], 1);
    let entries = texts(&value["entries"], "entry");
    assert_eq!(entries, ["M[phi, phi]", "M[phi, s]", "f[phi]", "f[s]"]);
    assert_eq!(value["others"][0]["what"], "initial position phi");
    let all = value["entries"].as_array().expect("entries").iter();
    assert!(
        all.flat_map(|entry| entry["elements"].as_array().expect("elements")).all(|e| e["element"] == "bob")
    );
    // Another dimension.
    let c = scratch.file(
        "c.yaml",
        &SLIDER.replace("joints:", "  extra: {mass: 1}\njoints:\n  up: {type: prismatic, from: cart, to: extra, axis: z, coordinate: h}"),
    );
    let value = json(&["diff", &a, &c, "--json"], 1);
    assert_eq!(
        (&value["dimensions"]["before"]["n_v"], &value["dimensions"]["after"]["n_v"]),
        (&2.into(), &3.into())
    );
    let text = stdout(&mbs(&["diff", &a, &c]));
    assert!(text.contains("n_v 2 -> 3"), "{text}");
}

/// As diff(1) does: 2 where there is nothing to compare.
#[test]
fn diff_in_trouble() {
    let output = mbs(&["diff", "models/four_bar.yaml", "tests/fail/unknown_body.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("MBS-N"), "{}", stderr(&output));
    let value = json(&["diff", "models/four_bar.yaml", "no_such_file.yaml", "--json"], 2);
    assert_eq!(value["ok"], false);
}

fn bead(force: &str) -> String {
    format!(
        "model: bead
tables: {{kt: {{points: [[0, 1], [1, 2]]}}}}
bodies:
  ground: {{frames: {{post: {{position: [0.5, 0, 0]}}}}}}
  bead: {{mass: 1}}
joints:
  slide: {{type: prismatic, from: ground, to: bead, axis: x, coordinate: s}}
{force}
initial: {{velocities: {{s: 1}}}}
"
    )
}

/// What made a run stop is shown with its place.
#[test]
fn values_that_are_not_numbers() {
    let law = |law: &str| {
        format!("forces:\n  drive: {{type: force, on: bead, in: ground, force: [\"{law}\", 0, 0]}}")
    };
    for (name, model, cause, line) in [
        ("root", law("sqrt(0.3 - s)"), "sqrt(-", 9),
        ("logarithm", law("log(t - t)"), "log(0) in force `drive`", 9),
        ("quotient", law("1/(s - s*cos(t*0))"), "1 / 0 in force `drive`", 9),
        ("table", law("linear(kt, 1/(t*s))"), "1 / 0 in force `drive`", 9),
        ("power", law("(0.2 - t)^0.7"), "^0.7 in force `drive`", 9),
        (
            "variable",
            format!("variables: {{gap: asin(1.2 + s)}}\n{}", law("gap")),
            "asin(1.2) in variable `gap`",
            8,
        ),
        (
            "spring",
            "forces:\n  strut: {type: spring_damper, from: ground, to: bead, stiffness: 5, length: 1}"
                .to_owned(),
            "in force `strut` (its direction: two points that coincide have none)",
            9,
        ),
    ] {
        let scratch = Scratch::new(&format!("undefined-{name}"));
        let model = scratch.file("bead.yaml", &bead(&model));
        let output = mbs(&["simulate", &model]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let text = stderr(&output);
        assert!(text.contains("error[MBS-R001]") && text.contains(cause), "{name}: {text}");
        assert!(text.contains(&format!("bead.yaml:{line}:")), "{name}: {text}");
        assert!(text.contains("^^"), "{name}: {text}");
        let value = json(&["simulate", &model, "--json"], 1);
        assert_eq!(value["diagnostics"][0]["line"], line, "{name}");
    }
}

#[test]
fn an_output_that_is_not_a_number() {
    let scratch = Scratch::new("undefined-output");
    let model = scratch.file("bead.yaml", &bead("outputs: {fine: s, root: sqrt(0.5 - s)}"));
    let output = mbs(&["simulate", &model]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("warning[MBS-R001]") && text.contains("output `root` is not a number"), "{text}");
    assert!(text.contains("in output `root`") && text.contains("bead.yaml:8:"), "{text}");
}
