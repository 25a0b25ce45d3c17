//! Outputs, curves and tables are evaluated with the modes and inputs the integrator used.

mod common;

use common::{Scratch, mbs, stderr};

/// A block of 2 kg under a force with conditions on position, rate and time, and on the time alone in an input.
/// The force is an output, too: at every recorded state it must be what moves the block.
const PUSHED: &str = "
model: pushed_block
gravity: [0, 0, 0]
bodies: {block: {mass: 2}}
joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: x}}
inputs: {step: 'if(t > 0.5, 6, 2)'}
variables: {push: 'if(x > 1, -30 - 100*(x - 1), 0) + step + if(t > 0.7, 3, 1) + max(0, der(x) - 2)'}
forces: {actuator: {type: joint_force, joint: rail, force: push}}
outputs: {push: push}
initial: {velocities: {x: 1}}
simulation: {t_end: 3}
allow: [MBS-P016]
";

/// Columns of a CSV file by what their names begin with.
fn columns<const N: usize>(text: &str, names: [&str; N]) -> Vec<[f64; N]> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let find =
        |name: &str| header.iter().position(|own| own.starts_with(name)).expect("a column of that name");
    let places = names.map(find);
    let row = |line: &str| {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        places.map(|place| cells[place])
    };
    lines.map(row).collect()
}

fn check(name: &str, more: &[&str]) {
    let scratch = Scratch::new(name);
    let model = scratch.file("block.yaml", PUSHED);
    let table = scratch.0.join("run.csv").display().to_string();
    let output = mbs(&[&["simulate", &model, "--csv", &table, "--columns", "accelerations"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(&table).expect("a table");
    let rows = columns(&text, ["t ", "push", "der(der(x))"]);
    assert!(rows.len() > 20, "{} rows", rows.len());
    for [t, push, acceleration] in rows {
        assert!(
            (push - 2.0 * acceleration).abs() < 1e-9,
            "t = {t}: {push} N move 2 kg with {acceleration} m/s²"
        );
    }
}

#[test]
fn forces_at_events_are_those_that_moved_the_body() {
    check("modes-steps", &[]);
}

#[test]
fn forces_on_a_grid_that_meets_events_are_those_that_moved_the_body() {
    check("modes-grid", &["--step", "0.05"]);
}
