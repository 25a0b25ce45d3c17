//! RADAU5 where explicit methods crawl, and where they do not.

mod runs;

use mbs_runtime::Settings;
use runs::{last, output, run, system, tight, worst};

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
