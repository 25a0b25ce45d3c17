//! Messages point at what is to blame: an argument of the command, a line of the model, a byte of a file.

mod common;

use common::{Scratch, json, mbs, stderr};

const HINGE: &str = "model: hinge
parameters: {m: {value: 1, unit: kg, min: 0}}
inputs: {torque: 0}
bodies: {arm: {mass: m, com: [1, 0, 0], inertia: {yy: 1}}}
joints: {pin: {type: revolute, from: ground, to: arm, axis: y, coordinate: phi}}
simulation: {scenarios: {fast: {set: {torque: 2}}}}
";

/// The message of a command that is refused.
fn refused(arguments: &[&str]) -> String {
    let output = mbs(arguments);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn slips_on_the_command_line_are_shown_there() {
    let scratch = Scratch::new("arguments");
    let model = scratch.file("hinge.yaml", HINGE);
    let cases: [(&[&str], &str); 9] = [
        (&["simulate", &model, "--set", "torqe=1"], "| --set torqe=1\n  |       ^^^^^\n"),
        (&["simulate", &model, "--set", "torque=many"], "| --set torque=many\n  |              ^^^^\n"),
        (&["simulate", &model, "--set", "m=-1"], "| --set m=-1\n  |         ^^\n"),
        (&["simulate", &model, "--set", "torque"], "| --set torque\n  |       ^^^^^^"),
        (&["simulate", &model, "--scenario", "slow"], "| --scenario slow\n  |            ^^^^\n"),
        (&["sweep", &model, "--param", "torqe=1:2:3"], "| --param torqe=1:2:3\n  |         ^^^^^\n"),
        (&["sweep", &model, "--param", "m=1:2 s:3"], "| --param m=1:2 s:3\n  |           ^^^^^^^\n"),
        (&["equilibrium", &model, "--solve", "torqe"], "| --solve torqe\n  |         ^^^^^"),
        (&["explain", &model, "f[psi]"], "| f[psi]\n  | ^^^^^^\n"),
    ];
    for (arguments, shown) in cases {
        let text = refused(arguments);
        assert!(
            text.contains("  --> command line\n  |\n  ") && text.contains(shown),
            "{arguments:?}\n{text}"
        );
        assert!(!text.contains("hinge.yaml"), "{text}");
    }
    let answer = json(&["simulate", &model, "--json", "--set", "torqe=1"], 1);
    let found = &answer["diagnostics"][0];
    assert_eq!((&found["code"], &found["argument"]), (&"MBS-C035".into(), &"--set torqe=1".into()));
    assert!(found["file"].is_null(), "{found}");
}

const CRANK: &str = "model: crank
bodies:
  a: {mass: 1, inertia: {yy: 1}, frames: {tip: {position: [1, 0, 0]}}}
  b: {mass: 1, inertia: {yy: 1}}
joints:
  j: {type: revolute, from: ground, to: a, axis: y, coordinate: phi}
  k: {type: prismatic, from: ground, to: b, axis: x, coordinate: s}
constraints: {rod: {type: distance, from: a.tip, to: b, length: 2}}
initial:
  positions: {s: 5}
";

#[test]
fn runs_that_are_refused_show_the_line_of_the_model() {
    let scratch = Scratch::new("refused");
    let model = scratch.file("crank.yaml", CRANK);
    let text = refused(&["simulate", &model]);
    assert!(text.contains("error[MBS-R002]") && text.contains("crank.yaml:10:18"), "{text}");
    assert!(text.contains("10 |   positions: {s: 5}") && text.contains("--- has to be met"), "{text}");
    let text = refused(&["eval", &model]);
    assert!(text.contains("error[MBS-R002]") && text.contains("crank.yaml:10:18"), "{text}");
    assert!(text.contains("--raw"), "{text}");

    let answer = json(&["simulate", &model, "--json"], 1);
    let found = &answer["diagnostics"][0];
    assert_eq!((&found["code"], &found["line"]), (&"MBS-R002".into(), &10.into()));
    let output = mbs(&["check", &model]);
    assert!(common::stdout(&output).contains("crank.yaml:10:18\n"), "{}", common::stdout(&output));
    let output: serde_json::Value =
        serde_json::from_str(&common::stdout(&mbs(&["check", "--json", &model]))).expect("JSON");
    assert_eq!(output["refused"]["line"], 10);

    // What was set for one run stands nowhere in the file: its joint does.
    let model = scratch.file("free.yaml", &CRANK.replace("positions: {s: 5}", "positions: {}"));
    let text = refused(&["simulate", &model, "--set", "positions.s=5"]);
    assert!(text.contains("error[MBS-R002]") && text.contains("free.yaml:7:66"), "{text}");

    let massless = "model: massless
bodies: {arm: {mass: 1}}
joints:
  pin: {type: revolute, from: ground, to: arm, axis: y}
";
    let model = scratch.file("massless.yaml", massless);
    let text = refused(&["simulate", &model]);
    let (_, error) = text.split_once("error[MBS-R003]").expect("refused");
    assert!(error.contains("massless.yaml:4:3"), "{text}");
}

#[test]
fn bytes_that_are_no_text_are_placed() {
    let scratch = Scratch::new("bytes");
    let path = scratch.file("broken.yaml", "");
    std::fs::write(&path, b"model: a\ndescription: caf\xe9 x\n").expect("written");
    for arguments in [&["check", &path][..], &["fmt", &path]] {
        let text = refused(arguments);
        assert!(text.contains("byte 0xe9 at line 2, column 17 (25 bytes into the file)"), "{text}");
        assert!(text.contains("broken.yaml:2:17"), "{text}");
    }
    std::fs::write(&path, b"\xff\xfem\0o\0").expect("written");
    assert!(refused(&["check", &path]).contains("UTF-16"));
    let model = scratch.file("model.yaml", "model: a\ninclude: broken.yaml\nbodies: {b: {mass: 1}}\n");
    std::fs::write(&path, b"bodies:\n  \xff: 1\n").expect("written");
    let text = refused(&["check", &model]);
    assert!(text.contains("model.yaml:2:10") && text.contains("line 2, column 3"), "{text}");
}
