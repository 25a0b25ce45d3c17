//! The choice of integrators: stiffness, what is said of it, and how accurate runs are.

mod common;

use common::{Scratch, has_keys, json, mbs, stderr, stdout, succeed};
use serde_json::Value;

/// A block that slides from 2 m/s and sticks from t = 1 s on.
const BRAKED: &str = "
model: braked_block
gravity: [3, 0, -9]
bodies: {block: {mass: 1}}
joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: x}}
forces: {rub: {type: joint_friction, joint: rail, coulomb: 5, regularisation: 1e-6}}
initial: {velocities: {x: 2}}
simulation: {t_end: 20}
";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_run_that_turns_stiff_goes_on_implicitly() {
    let scratch = Scratch::new("methods-stiff");
    let model = scratch.file("block.yaml", BRAKED);
    let value = json(&["simulate", &model, "--json"], 0);
    assert_eq!(value["method"], "auto");
    assert_eq!(value["rtol"], 1e-9);
    assert!((number(&value["atol"]) - 1e-11).abs() < 1e-20);
    let methods = value["methods"].as_array().expect("methods");
    assert_eq!(methods.len(), 2, "{methods:?}");
    assert_eq!((&methods[0]["name"], &methods[0]["from"]), (&Value::from("mdop5"), &Value::from(0.0)));
    assert_eq!(methods[1]["name"], "radau5");
    assert!((1.0..1.01).contains(&number(&methods[1]["from"])), "{methods:?}");
    assert_eq!(value["stiff"]["remedy"], "switched");
    assert_eq!(value["stiff"]["t"], methods[1]["from"]);
    assert!(number(&value["statistics"]["jacobians"]) > 0.0);
    let expected = 1.0 + 19.0 * 1e-6 * f64::atanh(0.6);
    assert!((number(&value["positions"]["x"]) - expected).abs() < 1e-9, "{}", value["positions"]);

    let page = scratch.0.join("run.html").display().to_string();
    let text = succeed(&["simulate", &model, "--report", &page]);
    let line = text.lines().find(|line| line.starts_with("  method")).expect("a line");
    assert!(line.contains("auto: mdop5, from t = 1.0") && line.contains(" s on radau5, rtol 1e-9"), "{line}");
    assert!(!text.contains("warning"), "{text}");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("auto: mdop5, from t = 1.0"), "the page does not say it");
}

/// What was chosen by name is kept, and a warning says what would be better.
#[test]
fn an_explicit_method_says_that_the_run_is_stiff() {
    let scratch = Scratch::new("methods-explicit");
    let model = scratch.file("block.yaml", BRAKED);
    let run = ["simulate", &model, "--method", "hem5", "--t-end", "1.01"];
    let value = json(&[&run[..], &["--json"]].concat(), 0);
    assert_eq!(
        (&value["stiff"]["remedy"], &value["methods"][0]["name"]),
        (&Value::from("none"), &Value::from("hem5"))
    );
    let text = succeed(&run);
    let warning = text.lines().find(|line| line.contains("warning: stiff from t = 1.0")).expect("a warning");
    assert!(warning.contains("`hem5`") && warning.contains("--method auto"), "{warning}");
}

/// What is not stiff stays explicit, and no derivatives are taken.
#[test]
fn a_run_that_is_not_stiff_stays_explicit() {
    let value = json(&["simulate", "models/five_link.yaml", "--method", "auto", "--json"], 0);
    assert_eq!(value["stiff"], Value::Null);
    assert_eq!(value["methods"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["methods"][0]["name"], "mdop5");
    assert_eq!(value["statistics"]["jacobians"], 0);
    let named = json(&["simulate", "models/five_link.yaml", "--method", "mdop5", "--json"], 0);
    assert_eq!((&value["positions"], &value["statistics"]), (&named["positions"], &named["statistics"]));
}

/// Samples that turn stiff, and the derivatives they share, are the same on any number of threads.
#[test]
fn sweeps_turn_implicit_sample_by_sample() {
    let scratch = Scratch::new("methods-sweep");
    let model = scratch.file("block.yaml", BRAKED);
    let table = |name: &str, threads: &str| {
        let path = scratch.0.join(name).display().to_string();
        // Two blocks that stick and one that still slides at the end.
        let sweep =
            ["sweep", &model, "--output", &path, "--param", "velocities.x=2:50:3", "--threads", threads];
        let output = mbs(&sweep);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        std::fs::read_to_string(path).expect("the table")
    };
    let one = table("one.csv", "1");
    assert_eq!(one, table("three.csv", "3"));
    let header: Vec<&str> = one.lines().next().expect("a header").split(',').collect();
    let place = |name: &str| header.iter().position(|own| own.split(" [").next() == Some(name)).expect(name);
    let (x, steps) = (place("x"), place("steps"));
    for (line, v) in one.lines().skip(1).zip([2.0, 26.0, 50.0]) {
        let cells: Vec<&str> = line.split(',').collect();
        let stop = f64::min(0.5 * v, 20.0);
        let expected = v * stop - stop * stop + (20.0 - stop) * 1e-6 * f64::atanh(0.6);
        let found: f64 = cells[x].parse().expect("a number");
        assert!((found - expected).abs() < 1e-8 * expected, "{found} beside {expected}");
        assert!(cells[steps].parse::<u32>().expect("a number") < 1000, "{line}");
    }
}

#[test]
fn comparisons_say_which_runs_are_stiff() {
    let scratch = Scratch::new("methods-compare");
    let model = scratch.file("block.yaml", BRAKED);
    let run = ["compare", &model, "--methods", "mdop5,radau5,auto", "--t-end", "1.01", "--rtol", "1e-6"];
    let value = json(&[&run[..], &["--json"]].concat(), 0);
    let runs = value["runs"].as_array().expect("runs");
    let remedies: Vec<&Value> = runs.iter().map(|run| &run["stiff"]["remedy"]).collect();
    assert_eq!(remedies, [&Value::from("none"), &Value::Null, &Value::from("switched")]);
    assert!(runs.iter().all(|run| number(&run["error"]) < 1e-6), "{runs:#?}");
    assert_eq!(succeed(&run).matches("stiff from t = 1.0").count(), 2);
}

/// The digits told are those a far tighter run confirms, and the page and the text have them, too.
#[test]
fn accuracy_is_what_a_far_tighter_run_says() {
    let scratch = Scratch::new("methods-accuracy");
    let page = scratch.0.join("run.html").display().to_string();
    for model in ["models/slider_crank.yaml", "models/euler_top.yaml"] {
        let run = ["simulate", model, "--rtol", "1e-6"];
        let value = json(&[&run[..], &["--accuracy", "--json"]].concat(), 0);
        let exact = json(&["simulate", model, "--rtol", "1e-12", "--json"], 0);
        let accuracy = &value["accuracy"];
        assert_eq!((&accuracy["rtol"], &accuracy["atol"]), (&Value::from(1e-7), &Value::from(1e-9)));
        let columns = accuracy["columns"].as_array().expect("columns");
        let kinds =
            ["position", "output"].map(|kind| columns.iter().filter(|column| column["kind"] == kind).count());
        assert!(kinds[0] > 0 && kinds[1] > 0, "{accuracy:#}");
        for column in columns {
            has_keys(column, &["kind", "name", "size", "end", "throughout"]);
            let group = match column["kind"].as_str() {
                Some("position") => "positions",
                Some("output") => "outputs",
                _ => continue,
            };
            let name = column["name"].as_str().expect("a name");
            if column["end"]["digits"].is_null() {
                assert_eq!(column["size"], 0.0, "{column}");
                continue;
            }
            let off =
                (number(&value[group][name]) - number(&exact[group][name])).abs() / number(&column["size"]);
            let (told, true_digits) = (number(&column["end"]["digits"]), -off.log10());
            assert!((told - true_digits.min(15.0)).abs() < 0.5, "{model}, {name}: {told} not {true_digits}");
            assert!(number(&column["throughout"]["digits"]) <= told, "{column}");
        }
        let text = succeed(&[&run[..], &["--accuracy", "--report", &page]].concat());
        assert!(text.contains("accuracy: digits that agree with a run at rtol 1e-7"), "{text}");
        let page = std::fs::read_to_string(&page).expect("a page");
        assert!(page.contains("<h2>Accuracy</h2>") && page.contains("a run at rtol 1e-7"));
    }
    assert!(json(&["simulate", "models/pendulum.yaml", "--json"], 0).get("accuracy").is_none());
}
