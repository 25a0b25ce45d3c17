//! RADAU5 where explicit methods crawl, and where they do not.

mod runs;

use mbs_runtime::integrate::{Remedy, Stiffness};
use mbs_runtime::{Settings, Trajectory};
use mbs_symbolic::Options;
use mbs_symbolic::model::NoFiles;
use mbs_symbolic::program::Program;
use runs::{compile, last, output, run, system, tight, try_run, worst};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// IFToMM A05: damping so strong that stability alone limits the steps of explicit methods.
#[test]
fn flyball_governor() {
    let system = system("flyball_governor");
    let slider = system.layout().positions.position("s").expect("the slider");
    let [explicit, implicit] = ["mdop5", "radau5"].map(|name| run(&*system, name, &tight(10.0, 1e-6)));
    for trajectory in [&explicit, &implicit] {
        let height = last(trajectory).p[slider];
        assert!((height - 0.619_622_917_061_365).abs() < 1e-6, "{height}");
    }
    let (few, many) = (implicit.statistics.steps, explicit.statistics.steps);
    assert!(10 * few <= many, "{few} steps beside {many}");
    assert!(implicit.drift.g_max < 1e-8, "{:?}", implicit.drift);
}

/// The five-link suspension with its rods on bushings of 1e8 N/m instead of joints.
#[test]
fn five_link_on_bushings() {
    let (stiff, rigid) = (system("five_link_bushings"), system("five_link"));
    let settings = Settings { output_step: Some(0.05), ..tight(1.0, 1e-4) };
    let [explicit, implicit] = ["mdop5", "radau5"].map(|name| run(&*stiff, name, &settings));
    let (few, many) = (implicit.statistics.steps, explicit.statistics.steps);
    assert!(10 * few <= many, "{few} steps beside {many}");
    // Bushings this stiff are joints, but for the tolerance.
    let joints = run(&*rigid, "mdop5", &Settings { rtol: 1e-8, ..settings });
    for (soft, hard) in implicit.states.iter().zip(&joints.states) {
        let [soft_z, hard_z] = [output(&*stiff, soft, "wc_z"), output(&*rigid, hard, "wc_z")];
        assert!((soft_z - hard_z).abs() < 5e-5, "t = {}: {soft_z} beside {hard_z}", soft.t);
    }
}

/// Test Set for IVP Solvers, problem Car axis: a constraint that depends on time. It is only
/// moderately stiff, so the implicit method is no faster, but as accurate.
#[test]
fn car_axis() {
    let system = system("car_axis");
    let trajectory = run(&*system, "radau5", &tight(3.0, 1e-9));
    let expected =
        [0.049_345_578_427_524_09, 0.496_989_460_230_008_1, 1.041_742_524_885_426, 0.373_911_027_265_365_8];
    assert!(worst(&last(&trajectory).p, &expected) < 1e-8, "{:?}", last(&trajectory).p);
}

/// Quaternions, and a non-holonomic constraint: the implicit method ends where MDOP5 does.
#[test]
fn quaternions_and_rolling() {
    for name in ["heavy_top", "euler_top", "rolling_disc", "bricard", "five_link"] {
        let system = system(name);
        let t_end = 1.0;
        let [explicit, implicit] = ["mdop5", "radau5"].map(|name| run(&*system, name, &tight(t_end, 1e-9)));
        let off = worst(&last(&explicit).p, &last(&implicit).p);
        assert!(off < 1e-6, "{name}: off by {off:e}");
        assert!(implicit.drift.g_dot < 1e-9, "{name}: {:?}", implicit.drift);
    }
}

/// A pendulum of length 1/2 above a pivot that a motion constraint shakes by cos(20 t)/20.
const SHAKEN: &str = "
model: shaken_pivot
bodies:
  cart: {mass: 2}
  rod: {mass: 1, com: [0, 0, 0.5]}
joints:
  shake: {type: prismatic, from: ground, to: cart, axis: z, coordinate: s}
  pin: {type: revolute, from: cart, to: rod, axis: y, coordinate: phi}
constraints: {drive: {type: motion, coordinate: s, value: 0.05*cos(20*t)}}
initial: {positions: {phi: 0.3}}
";

/// The angle and rate of the shaken pendulum at a time: φ'' = (g + s'') sin φ / l, by the classical
/// Runge–Kutta formula with 2 · 10⁵ steps.
fn shaken_pendulum(t_end: f64) -> [f64; 2] {
    let rates = |t: f64, [phi, rate]: [f64; 2]| [rate, (9.81 - 20.0 * (20.0 * t).cos()) / 0.5 * phi.sin()];
    let ahead = |y: [f64; 2], h: f64, k: [f64; 2]| [y[0] + h * k[0], y[1] + h * k[1]];
    let (n, mut y) = (200_000, [0.3, 0.0]);
    let h = t_end / f64::from(n);
    for i in 0..n {
        let t = f64::from(i) * h;
        let k1 = rates(t, y);
        let k2 = rates(t + 0.5 * h, ahead(y, 0.5 * h, k1));
        let k3 = rates(t + 0.5 * h, ahead(y, 0.5 * h, k2));
        let k4 = rates(t + h, ahead(y, h, k3));
        y = core::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y
}

/// No step with a motion constraint is kept that Newton's method has not solved.
#[test]
fn a_motion_constraint() {
    let system = compile("shaken_pivot", SHAKEN);
    let expected = shaken_pendulum(2.0);
    for (rtol, allowed) in [(1e-5, 1e-4), (1e-6, 1e-5), (1e-7, 1e-6), (1e-8, 1e-6)] {
        let end = last(&run(&*system, "radau5", &tight(2.0, rtol))).clone();
        let off = worst(&[end.p[1], end.v[1]], &expected);
        assert!(off < allowed, "rtol {rtol:e}: off by {off:e}");
    }
}

const BRAKED: &str = "
model: braked_block
gravity: [slope, 0, -9]
parameters: {slope: 3, width: 1e-6}
bodies: {block: {mass: 1}}
joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: x}}
forces: {rub: {type: joint_friction, joint: rail, coulomb: 5, regularisation: width}}
initial: {velocities: {x: 2}}
";

/// A block that dry friction stops on a slope, and that creeps from then on: v' = s − 5 tanh(v/w).
/// It is braked by 5 − s for 2/(5 − s) seconds and creeps with w artanh(s/5); the transition takes
/// times and ways of the size of w and w².
#[test]
fn a_stop_by_dry_friction() {
    let system = compile("braked_block", BRAKED);
    for width in [1e-5, 1e-6, 1e-7, 1e-8] {
        for slope in [0.0, 1.0, 3.0, 4.5] {
            let creep = width * f64::atanh(slope / 5.0);
            let (stop, way) = (2.0 / (5.0 - slope), 2.0 / (5.0 - slope));
            let expected = way + creep * (20.0 - stop);
            for rtol in [1e-5, 1e-6, 1e-7, 1e-8] {
                let parameters = [("slope", slope), ("width", width)];
                let trajectory = try_run(&*system, "radau5", &parameters, &tight(20.0, rtol)).expect("a run");
                let end = last(&trajectory);
                let (off, steps) = ((end.p[0] - expected).abs(), trajectory.statistics.steps);
                assert!(
                    off < 1e-8 + 0.1 * rtol,
                    "width {width:e}, slope {slope}, rtol {rtol:e}: off by {off:e}"
                );
                assert!((end.v[0] - creep).abs() < 1e-8, "{} beside {creep}", end.v[0]);
                // A law that changes within less than the absolute tolerance is a jump to it.
                let is_jump = width < 0.01 * rtol;
                assert!(
                    is_jump || steps < 200,
                    "width {width:e}, slope {slope}, rtol {rtol:e}: {steps} steps"
                );
            }
        }
    }
}

/// A body without mass, held by a coupling to one with mass: M is singular, but not on the
/// constraints. With y = x/2 the spring gives x'' = −x.
#[test]
fn a_massless_body_that_is_held() {
    let text = "
model: held
bodies: {a: {mass: 1}, b: {}}
joints:
  ja: {type: prismatic, from: ground, to: a, axis: x, coordinate: x}
  jb: {type: prismatic, from: ground, to: b, axis: x, coordinate: y}
constraints: {c: {type: coupling, coordinates: {x: 1, y: -2}}}
forces: {k: {type: joint_spring, joint: jb, stiffness: 4}}
initial: {positions: {x: 1}}
";
    let system = compile("held", text);
    let end = last(&run(&*system, "radau5", &tight(1.0, 1e-9))).clone();
    assert!((end.p[0] - 1_f64.cos()).abs() < 1e-8, "{end:?}");
    assert!((end.v[1] + 0.5 * 1_f64.sin()).abs() < 1e-8, "{end:?}");
}

/// When a run went on with an implicit method.
fn switched(trajectory: &Trajectory) -> Option<f64> {
    match trajectory.stiffness {
        Some(Stiffness { t, remedy: Remedy::Switched { to: "radau5" }, until: None }) => Some(t),
        _ => None,
    }
}

/// Stiff from the start on: every explicit method notices within a fiftieth of the run (a limit of
/// real eigenvalues for the governor, of damped oscillations for the bushings).
#[test]
fn explicit_methods_notice_stiffness() {
    for (name, t_end, rtol) in [
        ("flyball_governor", 10.0, 1e-6),
        ("five_link_bushings", 1.0, 1e-4),
        ("five_link_bushings", 1.0, 1e-8),
    ] {
        let system = system(name);
        for method in ["mdop5", "hem5", "hedop5", "phem56"] {
            let found = run(&*system, method, &tight(t_end, rtol)).stiffness;
            let Some(Stiffness { t, remedy: Remedy::Nothing, .. }) = found else {
                panic!("{name} with {method}: {found:?}")
            };
            assert!(t < 0.02 * t_end, "{name} with {method}: at {t} s");
        }
        let implicit = run(&*system, "radau5", &tight(t_end, rtol));
        assert_eq!(implicit.stiffness, None);
    }
}

/// A run that gives up names the method that stiffness calls for, and no other where there is none.
#[test]
fn what_gives_up_says_whether_it_is_stiff() {
    let system = system("flyball_governor");
    let give_up = |max_steps| {
        let settings = Settings { max_steps, ..tight(10.0, 1e-6) };
        let error = try_run(&*system, "mdop5", &[], &settings).expect_err("too few steps");
        assert_eq!(error.code(), "MBS-R007");
        error.to_string()
    };
    let stiff = give_up(3000);
    assert!(stiff.contains("stiff from t = ") && stiff.contains("use the method `radau5`"), "{stiff}");
    let early = give_up(20);
    assert!(!early.contains("stiff from") && early.contains("no stiffness was found"), "{early}");
    assert!(!early.contains("`radau5`") && !early.contains("`auto`"), "{early}");
}

/// `auto` goes on implicitly, and ends where it should.
#[test]
fn auto_turns_implicit() {
    let governor = system("flyball_governor");
    let slider = governor.layout().positions.position("s").expect("the slider");
    let [auto, explicit] = ["auto", "mdop5"].map(|name| run(&*governor, name, &tight(10.0, 1e-6)));
    assert!(switched(&auto).is_some_and(|t| t < 0.1), "{:?}", auto.stiffness);
    assert!((last(&auto).p[slider] - 0.619_622_917_061_365).abs() < 1e-6, "{}", last(&auto).p[slider]);
    let (few, many) = (auto.statistics.steps, explicit.statistics.steps);
    assert!(10 * few <= many, "{few} steps beside {many}");

    // It slides, comes to a stop, and is stiff from there on.
    let block = compile("braked_block", BRAKED);
    let auto = run(&*block, "auto", &tight(20.0, 1e-7));
    assert!(switched(&auto).is_some_and(|t| (1.0..1.01).contains(&t)), "{:?}", auto.stiffness);
    let creep = 1e-6 * f64::atanh(0.6);
    assert!((last(&auto).p[0] - 1.0 - 19.0 * creep).abs() < 1e-8, "{}", last(&auto).p[0]);
    assert!(auto.statistics.steps < 400, "{}", auto.statistics.steps);
}

/// None of the published benchmarks that are not stiff is taken for stiff, and
/// `auto` has the bits of MDOP5 there.
#[test]
fn what_is_not_stiff_stays_explicit() {
    for (name, t_end) in [
        ("andrews", 0.03),
        ("bricard", 10.0),
        ("car_axis", 3.0),
        ("double_pendulum", 10.0),
        ("euler_top", 50.0),
        ("five_link", 1.0),
        ("four_bar", 2.0),
        ("heavy_top", 2.0),
        ("n_four_bar_2", 10.0),
        ("panda", 2.0),
        ("planar_vehicle", 3.0),
        ("rolling_disc", 10.0),
        ("rssr", 2.0),
        ("slider_crank", 0.25),
        ("truck", 20.0),
        ("ur5", 2.0),
    ] {
        let system = system(name);
        for rtol in [1e-5, 1e-6, 1e-9] {
            let [auto, explicit] = ["auto", "mdop5"].map(|name| run(&*system, name, &tight(t_end, rtol)));
            assert_eq!(auto.stiffness, None, "{name} at rtol {rtol:e}");
            assert_eq!(auto, explicit, "{name} at rtol {rtol:e}");
        }
        for method in ["hem5", "hedop5", "phem56"] {
            assert_eq!(run(&*system, method, &tight(t_end, 1e-6)).stiffness, None, "{name} with {method}");
        }
    }
}

/// The program of a model, with or without its Jacobian.
fn program(text: &str, jacobian: bool) -> Program {
    let options = Options { jacobian, ..Options::default() };
    mbs_symbolic::compile("model", text, &NoFiles, options)
        .unwrap_or_else(|rejected| panic!("{rejected}"))
        .program
}

/// Without derivatives the run goes on as it was and says so; where they can be had they are
/// compiled once, and only when a run turns stiff.
#[test]
fn derivatives_are_compiled_at_the_switch() {
    let governor =
        std::fs::read_to_string(format!("{}/../models/flyball_governor.yaml", env!("CARGO_MANIFEST_DIR")));
    let governor = governor.expect("the model exists");
    let settings = tight(0.5, 1e-6);

    let without = mbs_jit::system(&program(&governor, false)).0;
    let [auto, explicit] = ["auto", "mdop5"].map(|name| run(&*without, name, &settings));
    assert!(
        matches!(auto.stiffness, Some(Stiffness { remedy: Remedy::NoJacobian, .. })),
        "{:?}",
        auto.stiffness
    );
    assert_eq!(auto.states, explicit.states);

    let lazy = |text: &str| {
        let (count, derivatives) = (Arc::new(AtomicUsize::new(0)), text.to_owned());
        let counted = Arc::clone(&count);
        let derive = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Some(program(&derivatives, true))
        };
        (mbs_jit::system_with_derivatives(&program(text, false), derive).0, count)
    };
    let (system, count) = lazy(&governor);
    let first = run(&*system, "auto", &settings);
    assert!(switched(&first).is_some(), "{:?}", first.stiffness);
    assert_eq!(run(&*system, "auto", &settings), first);
    assert_eq!(count.load(Ordering::Relaxed), 1);
    // What is compiled later is the same.
    let at_once = mbs_jit::system(&program(&governor, true)).0;
    assert_eq!(run(&*at_once, "auto", &settings), first);

    let (system, count) = lazy(SHAKEN);
    assert_eq!(run(&*system, "auto", &tight(2.0, 1e-6)).stiffness, None);
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

/// A robot arm that collapses under its weight with dry friction in all joints, made smooth over
/// 1 mrad/s as readers of URDF do.
#[test]
fn an_arm_with_dry_friction() {
    let text = std::fs::read_to_string(format!("{}/../models/ur5.yaml", env!("CARGO_MANIFEST_DIR")));
    let friction: String = (1..=6)
        .map(|k| {
            format!("  rub{k}: {{type: joint_friction, joint: q{k}, coulomb: 5, regularisation: 1e-3}}\n")
        })
        .collect();
    let arm = compile(
        "ur5",
        &text.expect("the model exists").replace("\nforces:\n", &format!("\nforces:\n{friction}")),
    );
    let [auto, explicit] = ["auto", "mdop5"].map(|name| run(&*arm, name, &tight(0.3, 1e-7)));
    assert!(switched(&auto).is_some_and(|t| t < 0.01), "{:?}", auto.stiffness);
    let (few, many) = (auto.statistics.steps, explicit.statistics.steps);
    assert!(10 * few <= many, "{few} steps beside {many}");
    let off = worst(&last(&auto).p, &last(&explicit).p);
    assert!(off < 1e-6, "{off:e}");
}
