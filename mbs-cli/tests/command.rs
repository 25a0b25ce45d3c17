//! The command as a user meets it: what it prints, and with which exit code it ends.

mod common;

use common::{Scratch, has_keys, json, mbs, stderr, stdout, succeed};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const FOUR_BAR: &str = "models/four_bar.yaml";

#[test]
fn check_for_people() {
    insta::assert_snapshot!(succeed(&["check", FOUR_BAR]));
}

#[test]
fn check_for_programs() {
    let answer = json(&["check", FOUR_BAR, "--json"], 0);
    has_keys(&answer, &["ok", "dimensions", "degrees_of_freedom", "loops", "redundant", "diagnostics"]);
    has_keys(&answer["dimensions"], &["n_p", "n_v", "n_g", "n_lambda", "n_x"]);
    assert_eq!(answer["ok"], true);
    assert_eq!(answer["degrees_of_freedom"], 1);
    assert_eq!(answer["loops"], 1);
}

#[test]
fn graph_as_text() {
    insta::assert_snapshot!(succeed(&["graph", FOUR_BAR]));
}

#[test]
fn graph_for_graphviz() {
    insta::assert_snapshot!(succeed(&["graph", FOUR_BAR, "--format", "dot"]));
}

/// The text of the first block of `language` on the front page.
fn readme_block(language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(path).expect("the README");
    let (_, rest) = readme.split_once(&format!("```{language}\n")).expect("a block of the language");
    rest.split_once("```").expect("the end of the block").0.to_owned()
}

/// The front page shows a model, its equations and its picture; all three must be true.
#[test]
fn the_front_page_is_true() {
    let scratch = Scratch::new("readme");
    let model = scratch.file("crank_slider.yaml", &readme_block("yaml"));
    assert_eq!(succeed(&["equations", &model]), readme_block("text"));
    let drawn = succeed(&["graph", &model, "--format", "svg"]);
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/crank_slider.svg");
    let shown = std::fs::read_to_string(shown).expect("the picture of the README");
    assert_eq!(drawn, shown, "redraw it with `mbs graph --format svg --out docs/crank_slider.svg`");
}

#[test]
fn equations_as_text() {
    insta::assert_snapshot!(succeed(&["equations", FOUR_BAR]));
}

#[test]
fn equations_as_latex() {
    insta::assert_snapshot!(succeed(&["equations", FOUR_BAR, "--format", "latex"]));
}

#[test]
fn stats_for_programs() {
    let answer = json(&["stats", FOUR_BAR, "--json"], 0);
    has_keys(&answer, &["functions", "per_parameter_set", "dimensions", "stage_ms"]);
    let counts = ["add", "mul", "div", "sqrt", "trig", "other", "flops", "total"];
    has_keys(&answer["functions"]["forces"], &counts);
    has_keys(&answer["functions"]["fused"], &counts);
    has_keys(&answer["per_parameter_set"], &counts);
}

#[test]
fn the_jacobian_is_made_when_asked_for() {
    let plain = json(&["stats", FOUR_BAR, "--json"], 0);
    let more = json(&["stats", FOUR_BAR, "--jacobian", "--json"], 0);
    assert!(plain["functions"].get("jacobian").is_none());
    assert!(more["functions"]["jacobian"]["total"].as_u64() > plain["functions"]["fused"]["total"].as_u64());
    assert_eq!(more["functions"]["fused"], plain["functions"]["fused"]);
    assert!(!succeed(&["generate", FOUR_BAR]).contains("fn jacobian("));
    assert!(succeed(&["generate", FOUR_BAR, "--jacobian"]).contains("pub fn jacobian("));
}

/// A rod that hangs straight down: its tip moves with −l along x as it turns about y.
#[test]
fn jacobians_of_frames_are_made_when_asked_for() {
    const PENDULUM: &str = "models/pendulum.yaml";
    assert!(!succeed(&["generate", PENDULUM]).contains("frame_jacobian"));
    let code = succeed(&["generate", PENDULUM, "--frame-jacobians", "rod.tip,rod"]);
    assert!(code.contains("pub fn frame_jacobian(") && code.contains("[\"rod.tip\", \"rod\"]"));

    let scratch = Scratch::new("frames");
    let state = scratch.file("state.json", r#"{"positions": {"theta": 0}, "parameters": {"l": 2}}"#);
    let eval = ["eval", PENDULUM, "--state", &state, "--frame-jacobian", "rod.tip", "--json"];
    assert_eq!(
        json(&eval, 0)["frame_jacobians"],
        serde_json::json!({"rod.tip": [[-2.0], [0.0], [0.0], [0.0], [1.0], [0.0]]})
    );
    let plain = ["eval", PENDULUM, "--state", &state, "--json"];
    assert!(json(&plain, 0).get("frame_jacobians").is_none());
    let text = succeed(&eval[..6]);
    assert!(text.contains("\nJ rod.tip: vx, vy, vz, wx, wy, wz by v\n            -2\n"), "{text}");

    let output = mbs(&["eval", PENDULUM, "--frame-jacobians", "rod.tipp"]);
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(error.contains("MBS-N008") && error.contains("rod.tip`"), "{error}");
    assert_eq!(mbs(&["eval", PENDULUM, "--frame-axes", "frame"]).status.code(), Some(2), "of no frame");
}

/// The counts themselves are watched where the models are; here only what is shown.
#[test]
fn stats_for_people() {
    let text = succeed(&["stats", FOUR_BAR]);
    let heads: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for head in ["function", "forces", "fused", "per", "pass", "hoist", "stages", "read", "optimize", "total"]
    {
        assert!(heads.contains(&head), "no line `{head}` in\n{text}");
    }
}

#[test]
fn eval_for_programs() {
    let scratch = Scratch::new("eval");
    let state = scratch.file(
        "state.json",
        r#"{"t": 0.5, "positions": {"phi1": 1.1}, "inputs": {"T_drive": 2}, "parameters": {"m2": 3}}"#,
    );
    let answer = json(&["eval", FOUR_BAR, "--state", &state, "--json"], 0);
    has_keys(
        &answer,
        &[
            "positions",
            "velocities",
            "p_dot",
            "M",
            "f",
            "g",
            "G",
            "c",
            "z",
            "v_dot",
            "lambda",
            "outputs",
            "energy",
        ],
    );
    assert_eq!(answer["positions"][0], "phi1");
    assert_eq!(answer["p"][0], 1.1);
    assert_eq!(answer["outputs"]["crank_angle"], 1.1);
    // The accelerations satisfy M v' + Gᵀλ = f and G v' + z = 0.
    let number = |value: &Value| value.as_f64().expect("a number");
    let sum = |a: &Value, b: &Value| -> f64 {
        let pairs = a.as_array().expect("a row").iter().zip(b.as_array().expect("a vector"));
        pairs.map(|(x, y)| number(x) * number(y)).sum()
    };
    for row in 0..3 {
        let reaction: f64 = (0..2).map(|k| number(&answer["G"][k][row]) * number(&answer["lambda"][k])).sum();
        let residual = sum(&answer["M"][row], &answer["v_dot"]) + reaction - number(&answer["f"][row]);
        assert!(residual.abs() < 1e-9, "row {row} of the dynamics: {residual}");
    }
    for row in 0..2 {
        let residual = sum(&answer["G"][row], &answer["v_dot"]) + number(&answer["z"][row]);
        assert!(residual.abs() < 1e-9, "row {row} of the constraints: {residual}");
    }
}

#[test]
fn eval_for_people() {
    insta::assert_snapshot!(succeed(&["eval", FOUR_BAR]));
}

#[test]
fn eval_refuses_unknown_names() {
    let scratch = Scratch::new("unknown");
    let state = scratch.file("state.json", "{\n  \"positions\": {\"phi\": 1}\n}\n");
    let output = mbs(&["eval", FOUR_BAR, "--state", &state]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output).replace(&state, "state.json");
    insta::assert_snapshot!(message);
    let answer = json(&["eval", FOUR_BAR, "--state", &state, "--json"], 1);
    assert_eq!(answer["ok"], false);
    assert_eq!(answer["diagnostics"][0]["line"], 2);
    assert_eq!(answer["diagnostics"][0]["column"], 17);
}

/// A screw that closes a loop keeps its coordinate, which moves no mass of its own.
#[test]
fn eval_of_a_massless_coordinate() {
    let scratch = Scratch::new("screw");
    let model = scratch.file(
        "press.yaml",
        "model: press
bodies:
  nut: {mass: 2, inertia: {zz: 0.1}}
  table: {mass: 5}
joints:
  turn: {type: revolute, from: ground, to: nut, axis: z, coordinate: phi}
  guide: {type: prismatic, from: ground, to: table, axis: z, coordinate: z}
  thread: {type: screw, from: nut, to: table, axis: z, pitch: 0.01, cut: true}
",
    );
    let value = json(&["eval", &model, "--json"], 0);
    let at = |name: &str| {
        let names = value["velocities"].as_array().expect("names");
        let index = names.iter().position(|known| known == name).expect("a velocity");
        value["v_dot"][index].as_f64().expect("a number")
    };
    // The table hangs on the thread: z = pitch (phi + thread)/2 pi with phi + thread = 0 turned.
    let per_radian = 0.01 / std::f64::consts::TAU;
    assert!((at("z") - per_radian * at("thread")).abs() < 1e-12);
    assert!((at("phi") + at("thread")).abs() < 1e-12);
    let expected = -5.0 * 9.81 * per_radian / (0.1 + 5.0 * per_radian * per_radian);
    assert!((at("thread") - expected).abs() < 1e-9 * expected.abs(), "{} {expected}", at("thread"));
}

#[test]
fn a_wrong_model_is_shown() {
    let scratch = Scratch::new("wrong");
    let source = "model: wrong\nbodies:\n  rod: {mass: 1, com: [0, 0, lenght]}\n";
    let model = scratch.file("wrong.yaml", source);
    let output = mbs(&["check", &model]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "");
    let message = stderr(&output);
    assert!(message.contains("wrong.yaml:3:") && message.contains("lenght"), "{message}");
    let answer = json(&["check", &model, "--json"], 1);
    assert_eq!(answer["ok"], false);
    has_keys(&answer["diagnostics"][0], &["code", "severity", "file", "line", "column", "message", "help"]);
    assert_eq!(answer["diagnostics"][0]["line"], 3);
}

#[test]
fn a_missing_model_is_said_to_be_missing() {
    let output = mbs(&["check", "models/no_such_model.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.contains("models/no_such_model.yaml"), "{message}");
    assert_eq!(json(&["stats", "models/no_such_model.yaml", "--json"], 1)["ok"], false);
}

#[test]
fn wrong_usage_is_exit_code_two() {
    assert_eq!(mbs(&["check"]).status.code(), Some(2));
    assert_eq!(mbs(&["equations", FOUR_BAR, "--format", "word"]).status.code(), Some(2));
    assert_eq!(mbs(&["no-such-command"]).status.code(), Some(2));
}

#[test]
fn generated_files_are_complete() {
    let scratch = Scratch::new("generate");
    let path = scratch.0.join("four_bar.rs").display().to_string();
    assert_eq!(succeed(&["generate", FOUR_BAR, "--lang", "rust", "--out", &path]), "");
    let text = std::fs::read_to_string(&path).expect("the generated file");
    assert_eq!(text, succeed(&["generate", FOUR_BAR]));
    let left: Vec<_> = std::fs::read_dir(&scratch.0).expect("the directory").collect();
    assert_eq!(left.len(), 1, "nothing but the file is left behind");
}

#[test]
fn there_is_no_c_yet() {
    let output = mbs(&["generate", FOUR_BAR, "--lang", "c"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("MBS-C006"));
}

#[test]
fn a_new_model_compiles_and_is_never_overwritten() {
    let scratch = Scratch::new("new");
    let directory = scratch.0.display().to_string();
    succeed(&["new", "my_pendulum", "--dir", &directory]);
    let model = scratch.0.join("my_pendulum.yaml").display().to_string();
    assert_eq!(json(&["check", &model, "--json"], 0)["degrees_of_freedom"], 1);
    let again = mbs(&["new", "my_pendulum", "--dir", &directory]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("MBS-C005"));
    assert_eq!(mbs(&["new", "My-Pendulum", "--dir", &directory]).status.code(), Some(1));
}

/// `mbs equations … | head` must not end in a panic.
#[test]
fn a_closed_pipe_is_no_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbs"));
    command.args(["equations", FOUR_BAR]).current_dir(root).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("mbs starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("mbs ends");
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn compare_for_programs() {
    let value =
        json(&["compare", "models/five_link.yaml", "--rtol", "1e-4", "--methods", "mdop5,hem5", "--json"], 0);
    let runs = value["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 8);
    has_keys(&runs[0], &["method", "projection", "steps", "evaluations", "drift", "error", "wall_ms"]);
    let drift = |run: &Value| run["drift"]["g"].as_f64().expect("a number");
    assert!(drift(&runs[1]) < 0.1 * drift(&runs[0]) && drift(&runs[3]) < 1e-12);
}

#[test]
fn equilibrium_for_programs() {
    let arguments = ["equilibrium", "models/five_link.yaml", "--set", "F0=1000", "--solve", "F0", "--json"];
    let value = json(&arguments, 0);
    has_keys(&value, &["positions", "parameters", "residual"]);
    let preload = value["parameters"]["F0"].as_f64().expect("a number");
    assert!((preload - 4319.046).abs() < 1e-3, "{preload}");
    assert!(
        stderr(&mbs(&["equilibrium", "models/five_link.yaml", "--solve", "F00"]))
            .contains("did you mean `F0`?")
    );
}

/// The closing joint of a linkage in a skew plane holds rows that are nothing but rounding.
#[test]
fn a_loop_in_a_skew_plane_moves() {
    let value = json(&["check", "models/four_bar_spatial.yaml", "--json"], 0);
    assert_eq!(value["degrees_of_freedom"], 1);
    assert_eq!(value["redundant"].as_array().expect("rows").len(), 3);
}
