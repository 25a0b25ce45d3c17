//! Andrews' squeezing mechanism: accelerations and multipliers against the published
//! problem (Test Set for IVP Solvers; Hairer and Wanner, *Solving ODEs II*, VII.7).

use mbs_tests::close::assert_close;
use mbs_tests::csv::Csv;
use mbs_tests::load::Loaded;

const ANGLES: [&str; 7] = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];

fn named(prefix: &str) -> Vec<String> {
    ANGLES.iter().map(|angle| format!("{prefix}{angle}")).collect()
}

/// Along the whole run, which begins with the published initial values.
#[test]
fn accelerations_and_multipliers() {
    let loaded = Loaded::model("andrews");
    let trajectory = Csv::read("andrews_trajectory.csv");
    let names = loaded.position_names();
    assert_eq!(names, ANGLES, "published order of the coordinates");
    let multipliers: Vec<String> = (1..=6).map(|k| format!("lambda{k}")).collect();
    for row in trajectory.rows.iter().step_by(10) {
        let mut state = loaded.default_state();
        state.t = row[0];
        state.p = trajectory.get(row, &named(""));
        state.v = trajectory.get(row, &named("d_"));
        for (who, numbers) in loaded.numbers(&state) {
            let numbers = numbers.without_empty_rows();
            let at = |what: &str| format!("{who} {what} at t = {}", row[0]);
            assert_close(&at("g"), &numbers.g, &[0.0; 6], 0.07, 1e-13);
            let (v_dot, lambda) = numbers.accelerations();
            // The state is given to 16 digits; the accelerations lose three of them.
            assert_close(&at("v'"), &v_dot, &trajectory.get(row, &named("dd_")), 0.0, 1e-10);
            assert_close(&at("lambda"), &lambda, &trajectory.get(row, &multipliers), 0.0, 1e-10);
        }
    }
}

/// The published initial values, digit for digit.
#[test]
fn published_start() {
    let loaded = Loaded::model("andrews");
    let state = loaded.default_state();
    for (who, numbers) in loaded.numbers(&state) {
        let (v_dot, lambda) = numbers.without_empty_rows().accelerations();
        let expected = [14222.443919954114, -10666.832939965585, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_close(&format!("{who} v'"), &v_dot, &expected, 0.0, 1e-12);
        let expected = [98.56687039624109, -6.122688344255662, 0.0, 0.0, 0.0, 0.0];
        assert_close(&format!("{who} lambda"), &lambda, &expected, 0.0, 1e-12);
    }
}
