//! Robots in URDF against another program, against matrices composed by hand, and against
//! their own import.

use mbs_symbolic::diag::{Severity, render};
use mbs_symbolic::emit::rust::{RustOptions, emit};
use mbs_symbolic::model::urdf::{UrdfOptions, import, read_urdf};
use mbs_symbolic::model::{Model, NoFiles};
use mbs_symbolic::program::FunctionKind;
use mbs_symbolic::{Compiled, Options, compile};
use mbs_tests::close::assert_close;
use mbs_tests::load::Loaded;
use mbs_tests::models::compiled;
use mbs_tests::peers;
use mbs_tests::states::Random;
use serde_json::json;

const KEEP_DUST: UrdfOptions = UrdfOptions { keep_dust: true, floating_base: false, lenient: false };

fn data(path: &str) -> String {
    let path = format!("{}/data/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn model(name: &str, text: &str, options: UrdfOptions) -> Model {
    let reading = read_urdf(name, text, options);
    match reading.result {
        Ok((model, _)) => model,
        Err(problems) => panic!("{}", render(&problems, &reading.sources)),
    }
}

fn compiled_text(name: &str, text: &str, options: Options) -> Compiled {
    compile(name, text, &NoFiles, options).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// M, h and v' of the arms another program computed, with the numbers of the file and with
/// right angles exact.
#[test]
fn arms_against_another_program() {
    for (robot, peer) in [("ur5", "ur5"), ("panda", "panda7")] {
        let text = data(&format!("urdf/{robot}.urdf"));
        let samples = peers::read(&data(&format!("peers/{peer}.json"))).samples;
        for (options, tolerance) in [(KEEP_DUST, 1e-11), (UrdfOptions::default(), 1e-9)] {
            let loaded = Loaded::resolved(model(robot, &text, options)).expect("a tree");
            for sample in &samples {
                let mut state = loaded.default_state();
                state.p.clone_from(&sample.q);
                state.v.clone_from(&sample.v);
                for (who, numbers) in loaded.numbers(&state) {
                    let name = format!("{robot}, {who}, dust kept: {}", options.keep_dust);
                    assert_close(
                        &format!("{name}: M"),
                        &numbers.mass_matrix,
                        &sample.mass_matrix,
                        0.0,
                        tolerance,
                    );
                    let h: Vec<f64> = numbers.f.iter().map(|f| -f).collect();
                    assert_close(&format!("{name}: h"), &h, &sample.h, 0.0, tolerance);
                }
                assert_eq!(state.u.len(), sample.tau.len(), "{robot}: a torque per joint");
                for (u, tau) in state.u.iter_mut().zip(&sample.tau) {
                    u[0] = *tau;
                }
                let solutions = loaded.accelerations(&state);
                assert!(!solutions.is_empty());
                for (who, v_dot) in solutions {
                    assert_close(&format!("{robot}, {who}: v'"), &v_dot, &sample.v_dot, 0.0, tolerance);
                }
            }
        }
    }
}

/// What an evaluation costs, beside the same arms written as models by hand.
#[test]
fn arms_cost_no_more_than_models_by_hand() {
    for robot in ["ur5", "panda"] {
        let by_hand = compiled(robot).program;
        let imported = compiled_text(robot, &data(&format!("urdf/{robot}.urdf")), Options::default()).program;
        for kind in [
            FunctionKind::MassMatrix,
            FunctionKind::Forces,
            FunctionKind::Fused,
            FunctionKind::Accelerations,
            FunctionKind::InverseDynamics,
        ] {
            let [ours, theirs] = [&imported, &by_hand].map(|program| program.function(kind).counts());
            eprintln!("{robot} {}: {} flops, by hand {}", kind.name(), ours.flops(), theirs.flops());
            assert!(ours.flops() <= theirs.flops() && ours.trig <= theirs.trig, "{robot} {}", kind.name());
        }
    }
}

/// What `mbs import` writes is the same model as the robot itself.
#[test]
fn the_import_is_the_robot() {
    for robot in ["ur5", "panda", "every_element"] {
        let text = data(&format!("urdf/{robot}.urdf"));
        for options in [UrdfOptions::default(), KEEP_DUST] {
            let yaml = import(robot, &text, options).unwrap_or_else(|rejected| panic!("{rejected}")).yaml;
            let from_yaml = compiled_text(robot, &yaml, Options::default());
            assert!(from_yaml.warnings.is_empty(), "{}", render(&from_yaml.warnings, &from_yaml.sources));
            if options.keep_dust {
                continue;
            }
            let direct = compiled_text(robot, &text, Options::default());
            let rust = |compiled: &Compiled| emit(&compiled.program, &RustOptions::default());
            assert!(rust(&from_yaml) == rust(&direct), "{robot}: the import is another program\n{yaml}");
        }
    }
}

/// A robot with turned placements, a turned inertia and an axis that is not of length one, once
/// as URDF and once with its matrices multiplied out here: R = Rz(yaw) Ry(pitch) Rx(roll).
#[test]
fn turned_frames_and_inertias_are_those_of_the_matrices() {
    let robot = r#"<robot name="two">
      <link name="base"/>
      <link name="a"><inertial><origin xyz="0.1 -0.02 0.3" rpy="0.3 -0.4 0.5"/><mass value="2.5"/>
        <inertia ixx="0.12" ixy="0.01" ixz="-0.02" iyy="0.15" iyz="0.005" izz="0.09"/></inertial></link>
      <link name="b"><inertial><origin xyz="0.4 0 0.05" rpy="0 1.2 0"/><mass value="1.5"/>
        <inertia ixx="0.11" ixy="0.002" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
      <joint name="yaw" type="continuous"><origin xyz="0.1 0.2 0.3" rpy="0.7 -0.2 1.1"/>
        <parent link="base"/><child link="a"/><axis xyz="0 3 4"/></joint>
      <joint name="slide" type="prismatic"><origin xyz="0 0 0.5" rpy="0 -0.3 2"/>
        <parent link="a"/><child link="b"/><axis xyz="1 -2 2"/></joint>
    </robot>"#;
    let i_a = turned([[0.12, 0.01, -0.02], [0.01, 0.15, 0.005], [-0.02, 0.005, 0.09]], [0.3, -0.4, 0.5]);
    let i_b = turned([[0.11, 0.002, 0.0], [0.002, 0.2, 0.0], [0.0, 0.0, 0.2]], [0.0, 1.2, 0.0]);
    let by_hand = json!({
        "name": "two", "gravity": [0.0, 0.0, -9.81], "states": [],
        "bodies": [
            {"name": "a", "parent": -1, "p": [0.1, 0.2, 0.3], "R": matrix([0.7, -0.2, 1.1]),
             "joint": {"type": "revolute", "axis": [0.0, 0.6, 0.8]}, "mass": 2.5, "com": [0.1, -0.02, 0.3], "I_com": i_a},
            {"name": "b", "parent": 0, "p": [0.0, 0.0, 0.5], "R": matrix([0.0, -0.3, 2.0]),
             "joint": {"type": "prismatic", "axis": [1.0 / 3.0, -2.0 / 3.0, 2.0 / 3.0]},
             "mass": 1.5, "com": [0.4, 0.0, 0.05], "I_com": i_b},
        ],
    });
    let by_hand = Loaded::resolved(peers::read(&by_hand.to_string()).model).expect("a tree");
    for options in [KEEP_DUST, UrdfOptions::default()] {
        let imported = Loaded::resolved(model("two", robot, options)).expect("a tree");
        for seed in 0..5 {
            let mut random = Random::new(seed);
            let mut states = [imported.default_state(), by_hand.default_state()];
            let (p, v) = (
                [random.between(-1.0, 1.0), random.between(-1.0, 1.0)],
                [random.between(-1.0, 1.0), random.between(-1.0, 1.0)],
            );
            for state in &mut states {
                state.p.copy_from_slice(&p);
                state.v.copy_from_slice(&v);
            }
            let (_, ours) = &imported.numbers(&states[0])[0];
            let (_, theirs) = &by_hand.numbers(&states[1])[0];
            assert_close("M", &ours.mass_matrix, &theirs.mass_matrix, 0.0, 1e-13);
            assert_close("f", &ours.f, &theirs.f, 0.0, 1e-13);
        }
    }
}

type Matrix = [[f64; 3]; 3];

fn product(a: Matrix, b: Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn matrix([roll, pitch, yaw]: [f64; 3]) -> Matrix {
    let rx = [[1.0, 0.0, 0.0], [0.0, roll.cos(), -roll.sin()], [0.0, roll.sin(), roll.cos()]];
    let ry = [[pitch.cos(), 0.0, pitch.sin()], [0.0, 1.0, 0.0], [-pitch.sin(), 0.0, pitch.cos()]];
    let rz = [[yaw.cos(), -yaw.sin(), 0.0], [yaw.sin(), yaw.cos(), 0.0], [0.0, 0.0, 1.0]];
    product(rz, product(ry, rx))
}

/// R I Rᵀ.
fn turned(inertia: Matrix, rpy: [f64; 3]) -> Matrix {
    let r = matrix(rpy);
    let transposed = std::array::from_fn(|i| std::array::from_fn(|j| r[j][i]));
    product(product(r, inertia), transposed)
}

/// Every kind of joint, friction, a joint that follows another: against the oracle, and to read.
#[test]
fn every_element() {
    let text = data("urdf/every_element.urdf");
    let loaded = Loaded::resolved(model("every_element", &text, UrdfOptions::default())).expect("a tree");
    assert_eq!(
        loaded.position_names()[..5],
        ["yaw", "extend", "grip_left", "flight.x", "flight.y"].map(str::to_owned)
    );
    for seed in 0..3 {
        let differences: Vec<String> =
            loaded.compare_at_random_state(seed).iter().map(ToString::to_string).collect();
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
    let imported = import("every_element.urdf", &text, UrdfOptions::default()).expect("a robot");
    insta::assert_snapshot!("every_element_yaml", imported.yaml);
    insta::assert_snapshot!("every_element_notes", render(&imported.notes, &imported.sources));
    assert!(imported.notes.iter().all(|note| note.severity == Severity::Note));
    let free = UrdfOptions { floating_base: true, ..UrdfOptions::default() };
    let free = Loaded::resolved(model("every_element", &text, free)).expect("a tree");
    assert_eq!(free.position_names().len(), loaded.position_names().len() + 7);
}
