//! The five-link suspension against a trajectory computed elsewhere.

use mbs_tests::close::assert_close;
use mbs_tests::csv::Csv;
use mbs_tests::load::Loaded;

/// The preload makes the design position an exact equilibrium; the wheel spins about a
/// principal axis, so it may turn.
#[test]
fn the_design_position_is_an_equilibrium() {
    let loaded = Loaded::model("five_link");
    let state = loaded.default_state();
    for (who, numbers) in loaded.numbers(&state) {
        let (v_dot, _) = numbers.accelerations();
        assert_close(&format!("{who} v'"), &v_dot, &[0.0; 14], 1.0, 1e-9);
    }
}

/// The bushings are mounted with the reactions of the joints they replace. A length of one
/// rounding error is 10⁻⁸ N in them.
#[test]
fn bushings_hold_the_design_position() {
    let loaded = Loaded::model("five_link_bushings");
    let state = loaded.default_state();
    for (who, numbers) in loaded.numbers(&state) {
        let (v_dot, _) = numbers.accelerations();
        assert_close(&format!("{who} v'"), &v_dot, &[0.0; 17], 1.0, 1e-6);
    }
}

/// Every state of the trajectory closes the loops at position and velocity level, and
/// gives the same outputs.
#[test]
fn states_of_the_bump() {
    let loaded = Loaded::model("five_link");
    let trajectory = Csv::read("fivelink_bump_trajectory.csv");
    let names = loaded.position_names();
    let rates: Vec<String> = names.iter().map(|name| format!("d_{name}")).collect();
    let outputs = ["wc_x", "wc_y", "wc_z", "spring_length", "F_spring", "F_tire"].map(str::to_owned);
    for row in &trajectory.rows {
        let mut state = loaded.default_state();
        state.t = row[0];
        state.p = trajectory.get(row, &names);
        state.v = trajectory.get(row, &rates);
        for (who, numbers) in loaded.numbers(&state) {
            let at = |what: &str| format!("{who} {what} at t = {}", row[0]);
            assert_close(&at("g"), &numbers.g, &[0.0; 12], 1.0, 1e-14);
            let n = numbers.z.len();
            let velocity: Vec<f64> = (0..n)
                .map(|i| numbers.c[i] + (0..14).map(|j| numbers.jac_g[i + n * j] * state.v[j]).sum::<f64>())
                .collect();
            assert_close(&at("G v + c"), &velocity, &[0.0; 12], 1.0, 1e-13);
        }
        let expected = trajectory.get(row, &outputs);
        for (who, values) in loaded.outputs(&state) {
            for (i, name) in outputs.iter().enumerate() {
                let largest = if i < 4 { 1.0 } else { 4000.0 };
                let what = format!("{who} {name} at t = {}", row[0]);
                assert_close(&what, &values[i..=i], &expected[i..=i], largest, 1e-12);
            }
        }
    }
}
