//! The multibody benchmark problems A01 to A05 of IFToMM.
//!
//! Mechanisms: M. González, D. Dopico, U. Lugrís, J. Cuadrado, *Multibody Syst. Dyn.* 16 (2006)
//! 151–172. Reference numbers: tests/data/README.md, and closed forms where given here.

mod runs;

use mbs_runtime::integrate::Projection;
use mbs_runtime::{Settings, System};
use mbs_tests::csv::Csv;
use runs::{energy, last, output, run, system, tight, try_run, worst};

const METHODS: [&str; 5] = ["mdop5", "hem5", "hedop5", "phem56", "radau5"];

/// The tolerances of the project's gates.
fn fine(t_end: f64) -> Settings {
    Settings { atol: Some(1e-11), ..tight(t_end, 1e-9) }
}

/// A01: the exact solution by elliptic functions at t = 10 s.
#[test]
fn a01_pendulum() {
    let system = system("pendulum");
    let trajectory = run(&*system, "dopri5", &fine(10.0));
    let end = last(&trajectory);
    let off = worst(
        &[output(&*system, end, "x"), output(&*system, end, "y")],
        &[-0.275_087_462_576_116_9, -0.961_419_205_099_125_1],
    );
    assert!(off < 1e-6, "position off by {off:e}");
    assert!((end.v[0] + 4.343_160_692_864_683).abs() < 1e-6);
    let changes = trajectory.states.iter().map(|state| energy(&*system, state).abs());
    assert!(changes.fold(0.0, f64::max) < 1e-6, "energy changed");
}

/// Largest difference of the angles of the vertical rods.
fn spread(angles: &[f64]) -> f64 {
    worst(angles, &vec![angles[0]; angles.len()])
}

/// Ten tolerances from 1e-4 to 1e-10; the run tells the ten poses it passes.
fn keeps_to_its_branch(system: &dyn System, verticals: usize) {
    for exponent in (0..10).map(|k| 4.0 + f64::from(k) * 2.0 / 3.0) {
        for projection in [Projection::Controlled, Projection::EveryStep] {
            let settings = Settings { projection, ..tight(10.0, 10_f64.powf(-exponent)) };
            let trajectory = run(system, "mdop5", &settings);
            let spread = spread(&last(&trajectory).p[..verticals]);
            assert!(spread < 1e-5, "rtol 1e-{exponent:.2}, {projection:?}: spread {spread:e}");
            let poses = &trajectory.singular_poses;
            // Steps of half a radian may see two looks at one pose, or miss it.
            let is_rough = exponent < 5.0;
            assert!(
                poses.len() == 10 || is_rough && (8..=12).contains(&poses.len()),
                "rtol 1e-{exponent:.2}, {projection:?}: {poses:?}"
            );
        }
    }
}

/// A02: the vertical rods stay parallel through the singular positions.
#[test]
fn a02_two_four_bars() {
    let system = system("n_four_bar_2");
    keeps_to_its_branch(&*system, 3);
    let trajectory = run(&*system, "mdop5", &fine(10.0));
    let angle = last(&trajectory).p[0];
    assert!((angle - 31.750_597_186_986_1).abs() < 1e-6, "{angle}");
    let drift = trajectory.drift.energy;
    assert!(drift.abs() < 1e-4, "energy changed by {drift:e} J");
}

#[test]
fn a02_forty_four_bars() {
    let system = system("n_four_bar_40");
    keeps_to_its_branch(&*system, 41);
    let trajectory = run(&*system, "mdop5", &fine(10.0));
    let end = last(&trajectory);
    assert!(spread(&end.p[..41]) < 1e-5);
    assert!((end.p[0] - 31.597_433_743_985_74).abs() < 1e-6, "{}", end.p[0]);
}

/// A02 without position projection: the run tells where it met a singular pose, and of which
/// joint.
#[test]
fn a02_tells_singular_poses() {
    let system = system("n_four_bar_2");
    for exponent in [4, 6, 8, 10] {
        let settings = Settings { projection: Projection::Velocity, ..tight(10.0, 10_f64.powi(-exponent)) };
        match try_run(&*system, "mdop5", &[], &settings) {
            Ok(trajectory) => {
                let poses = &trajectory.singular_poses;
                assert!(!poses.is_empty(), "1e-{exponent}");
                for pose in poses {
                    assert!((0.5..=10.0).contains(&pose.t), "{pose:?}");
                    assert!(pose.element.starts_with("closure"), "{pose:?}");
                }
            }
            Err(error) => assert!(error.to_string().contains("singular pose of `closure"), "{error}"),
        }
    }
}

/// A02 from a singular pose: the rows that depend on others there count again at once.
#[test]
fn a02_from_a_singular_pose() {
    let text = std::fs::read_to_string(format!("{}/../models/n_four_bar_2.yaml", env!("CARGO_MANIFEST_DIR")));
    let text = text.expect("the model exists");
    let text = (0..3).fold(text, |text, k| {
        text.replace(&format!("    phi{k}: 0\n"), &format!("    phi{k}: pi/2\n"))
            .replace(&format!("    psi{k}: 0\n"), &format!("    psi{k}: -pi/2\n"))
    });
    let system = runs::compile("n_four_bar_2", &text);
    let trajectory = run(&*system, "mdop5", &tight(1.0, 1e-8));
    let end = last(&trajectory);
    assert!(spread(&end.p[..3]) < 1e-5 && trajectory.drift.g < 1e-10, "{:?}", end.p);
    assert_eq!(trajectory.singular_poses[0].t, 0.0);
    assert!(trajectory.redundant.is_empty(), "{:?}", trajectory.redundant);
}

/// A03: point F and the balance of energy with the motor's work, to t = 0.05 s.
#[test]
fn a03_andrews() {
    let system = system("andrews");
    let reference = Csv::read("andrews_pointF_0p05s.csv");
    let trajectory = run(&*system, "mdop5", &Settings { output_step: Some(2e-4), ..fine(0.05) });
    let names = ["t", "xF", "yF"].map(str::to_owned);
    let parameter = |name| {
        system.layout().parameter_defaults[system.layout().parameters.position(name).expect("a parameter")]
    };
    let start = &trajectory.states[0];
    for (row, state) in reference.rows.iter().zip(&trajectory.states) {
        let point = [state.t, output(&*system, state, "Fx"), output(&*system, state, "Fy")];
        let off = worst(&point, &reference.get(row, &names));
        assert!(off < 1e-6, "t = {}: F off by {off:e}", state.t);
        let work = parameter("mom") * (state.p[0] - start.p[0]);
        let balance = energy(&*system, state) - energy(&*system, start) - work;
        assert!(balance.abs() < 1e-8, "t = {}: balance {balance:e} J", state.t);
    }
}

/// A04: redundant constraints. All along the motion, with few rejected steps.
#[test]
fn a04_bricard() {
    let system = system("bricard");
    let reference = Csv::read("bricard_trajectory.csv");
    let names = ["P3x", "P3y", "P3z"].map(str::to_owned);
    for name in METHODS {
        let trajectory = run(&*system, name, &Settings { output_step: Some(0.1), ..fine(10.0) });
        assert_eq!(trajectory.states.len(), reference.rows.len());
        for (row, state) in reference.rows.iter().zip(&trajectory.states) {
            let point: Vec<f64> = names.iter().map(|name| output(&*system, state, name)).collect();
            let off = worst(&point, &reference.get(row, &names));
            assert!(off < 1e-6, "{name}, t = {}: P3 off by {off:e}", state.t);
            let change = energy(&*system, state) + 29.43;
            assert!(change.abs() < 1e-5, "{name}, t = {}: energy changed by {change:e} J", state.t);
        }
        let rough = run(&*system, name, &tight(10.0, 1e-7));
        let counts = rough.statistics;
        assert!(10 * counts.rejected < counts.steps, "{name}: {} of {}", counts.rejected, counts.steps);
        let rows = ["x", "y", "z", "rx", "ry"].map(|row| format!("joint5.{row}"));
        assert_eq!(rough.redundant, rows, "{name}");
    }
}

/// A05, stiff: the slider's height at t = 10 s.
#[test]
fn a05_flyball_governor() {
    let system = system("flyball_governor");
    let slider = system.layout().positions.position("s").expect("the slider");
    for settings in [tight(10.0, 1e-6), fine(10.0)] {
        let trajectory = run(&*system, "mdop5", &settings);
        let height = last(&trajectory).p[slider];
        assert!((height - 0.619_622_917_061_365).abs() < 1e-6, "{height}");
    }
}
