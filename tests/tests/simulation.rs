//! Simulations against published and independently computed solutions.
//!
//! Reference numbers are those of tests/data/README.md and, where written out here, of the
//! source each test names.

mod runs;

use mbs_runtime::constraint::{balancing_parameters, equilibrium};
use mbs_runtime::integrate::Projection;
use mbs_runtime::{Defaults, Plant, Settings, State, Trajectory};
use mbs_tests::csv::Csv;
use runs::{last, run, system, tight, try_run, worst};

/// Test Set for IVP Solvers, problem Andrews; the last row of the reference trajectory.
#[test]
fn andrews_with_every_method() {
    let system = system("andrews");
    let reference = Csv::read("andrews_trajectory.csv");
    let row = reference.rows.last().expect("rows");
    let names: Vec<String> = system.layout().positions.iter().map(str::to_owned).collect();
    let rates: Vec<String> = names.iter().map(|name| format!("d_{name}")).collect();
    let (p, v) = (reference.get(row, &names), reference.get(row, &rates));
    let largest = v.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    for name in ["mdop5", "hem5", "hedop5", "phem56", "radau5"] {
        let settings = Settings { atol: Some(1e-11), ..tight(0.03, 1e-9) };
        let trajectory = run(&*system, name, &settings);
        let end = last(&trajectory);
        assert!(worst(&end.p, &p) < 1e-7, "{name}: positions off by {:e}", worst(&end.p, &p));
        assert!(worst(&end.v, &v) < 1e-5 * largest, "{name}: velocities off by {:e}", worst(&end.v, &v));
    }
}

/// Two point masses from rest, both rods level: quadruple precision, angles and rates at 10 s.
#[test]
fn double_pendulum() {
    let system = system("double_pendulum");
    let trajectory = run(&*system, "mdop5", &tight(10.0, 1e-12));
    let end = last(&trajectory);
    // The model's second angle is relative to the first.
    let absolute = |relative: &[f64]| [relative[0], relative[0] + relative[1]];
    let angles = [-0.568_474_664_015_950_2, -0.526_393_727_932_404_7];
    let rates = [6.078_384_885_761_965, -9.681_360_681_708_88];
    assert!(worst(&absolute(&end.p), &angles) < 1e-8, "{:?}", end.p);
    assert!(worst(&absolute(&end.v), &rates) < 1e-7, "{:?}", end.v);
}

/// Torque-free asymmetric body: ω(50 s) by elliptic functions.
#[test]
fn euler_top() {
    let system = system("euler_top");
    let trajectory = run(&*system, "mdop5", &tight(50.0, 1e-11));
    let expected = [0.317_370_661_393_479_3, -1.975_291_336_306_284, 0.182_047_737_982_224_96];
    assert!(worst(&last(&trajectory).v[3..], &expected) < 1e-8, "{:?}", last(&trajectory).v);
}

/// Test Set for IVP Solvers, problem Car axis: a constraint that depends on time.
#[test]
fn car_axis() {
    let system = system("car_axis");
    let trajectory = run(&*system, "mdop5", &tight(3.0, 1e-11));
    let expected =
        [0.049_345_578_427_524_09, 0.496_989_460_230_008_1, 1.041_742_524_885_426, 0.373_911_027_265_365_8];
    assert!(worst(&last(&trajectory).p, &expected) < 1e-8, "{:?}", last(&trajectory).p);
}

/// Planar truck of Eich-Soellner & Führer, constrained, at t = 5 s.
#[test]
fn truck() {
    let system = system("truck");
    let trajectory = run(&*system, "mdop5", &tight(5.0, 1e-11));
    let expected = [
        0.593_824_762_900_772_7,
        2.100_696_841_642_679,
        4.617_984_076_166_6e-3,
        0.603_309_302_258_003_6,
        3.013_449_613_685_251,
        4.619_849_870_704_4e-3,
        -1.464_181_834_278_98,
        2.994_032_458_335_554,
        4.672_416_775_309_6e-3,
    ];
    let layout = system.layout();
    let values: Vec<f64> = last(&trajectory).p.clone();
    assert!(worst(&values, &expected) < 1e-8, "{:?} {values:?}", layout.positions);
}

/// Five-link suspension over the smooth bump, all coordinates at the recorded times.
#[test]
fn five_link_bump() {
    let system = system("five_link");
    let reference = Csv::read("fivelink_bump_trajectory.csv");
    let names: Vec<String> = system.layout().positions.iter().map(str::to_owned).collect();
    for name in ["mdop5", "hedop5"] {
        let settings = Settings { output_step: Some(0.01), ..tight(1.0, 1e-11) };
        let trajectory = run(&*system, name, &settings);
        for (row, state) in reference.rows.iter().zip(&trajectory.states) {
            assert!((row[0] - state.t).abs() < 1e-12);
            let off = worst(&state.p, &reference.get(row, &names));
            assert!(off < 1e-8, "{name}, t = {}: off by {off:e}", state.t);
        }
    }
}

const STAIR: [(&str, f64); 4] =
    [("bump_height", 0.0), ("stair_drop", 0.05), ("d_spring", 700.0), ("F_tyre_min", 0.0)];

fn contacts(trajectory: &Trajectory) -> Vec<f64> {
    let tyre = trajectory.events.iter().filter(|event| event.name == "F_tyre");
    tyre.map(|event| event.t).collect()
}

/// The stair: loss of contact at the step, then landing, lift-off, landing, lift-off, landing.
#[test]
fn five_link_stair() {
    let system = system("five_link");
    let expected = [0.2, 0.2273, 0.2758, 0.3094, 0.3675, 0.3787];
    let times = |rtol: f64| {
        let settings = Settings { atol: Some(1e-2 * rtol), ..tight(0.6, rtol) };
        contacts(&try_run(&*system, "mdop5", &STAIR, &settings).expect("a run"))
    };
    let trajectory = try_run(&*system, "mdop5", &STAIR, &tight(0.6, 1e-8)).expect("a run");
    // Contact is lost where the function `F_tyre_min - contact` rises; the road itself falls.
    let tyre = trajectory.events.iter().filter(|event| event.name == "F_tyre");
    assert!(tyre.enumerate().all(|(k, event)| event.rising == (k % 2 == 0)), "{:?}", trajectory.events);
    let road = trajectory.events.iter().find(|event| event.name == "zr").expect("the stair is an event");
    assert_eq!((road.t, road.rising), (0.2, false));
    let found = times(1e-8);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(worst(&found, &expected) < 1e-4, "{found:?}");
    let (fine, finer) = (times(1e-10), times(1e-11));
    assert!(worst(&fine, &finer) < 1e-9, "{fine:?} {finer:?}");

    let full_damper = &STAIR.map(|(name, value)| (name, if name == "d_spring" { 4500.0 } else { value }));
    let trajectory = try_run(&*system, "mdop5", full_damper, &tight(0.6, 1e-8)).expect("a run");
    let found = contacts(&trajectory);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!((found[1] - 0.2381).abs() < 1e-4, "{found:?}");
}

/// The pattern of table 1 of Simeon's paper, on our suspension at rtol 1e-4.
#[test]
fn five_link_projection_modes() {
    let system = system("five_link");
    let with = |projection| run(&*system, "mdop5", &Settings { projection, ..tight(1.0, 1e-4) });
    let [none, velocity, controlled, every] =
        [Projection::None, Projection::Velocity, Projection::Controlled, Projection::EveryStep].map(with);
    assert!(velocity.drift.g < 0.1 * none.drift.g, "{:e} {:e}", velocity.drift.g, none.drift.g);
    assert!(every.drift.g < 1e-9 && controlled.drift.g < 1e-9, "{:e}", controlled.drift.g);
    let (few, all) = (controlled.statistics.position_projections, every.statistics.position_projections);
    assert!(5 * few <= all, "{few} of {all} projections");
    let iterations = every.statistics.projection_iterations as f64 / all as f64;
    assert!(iterations <= 2.5, "{iterations} Newton iterations per projection");
}

/// Energy of undamped models over a long run, as a part of the largest kinetic energy.
#[test]
fn energy_over_100_s() {
    for name in ["pendulum", "double_pendulum", "four_bar", "heavy_top", "rolling_disc"] {
        let system = system(name);
        let trajectory = run(&*system, "mdop5", &tight(100.0, 1e-8));
        let layout = system.layout();
        let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
        let mut kinetic = |state: &State| {
            plant.at(state.t, &state.p, &state.v, &state.x, |system, at| system.energy(at).kinetic)
        };
        let largest = trajectory.states.iter().map(&mut kinetic).fold(0.0, f64::max);
        let part = (trajectory.drift.energy / largest).abs();
        assert!(part < 1e-5, "{name}: energy changed by {part:e} of {largest} J");
    }
}

/// The design position of the suspension is an equilibrium with the published preload, and
/// the preload follows from it.
#[test]
fn five_link_preload() {
    let system = system("five_link");
    let layout = system.layout();
    let preload = layout.parameters.position("F0").expect("the preload");
    let mut theta = layout.parameter_defaults.to_vec();
    theta[preload] = 1000.0;
    let found = balancing_parameters(&*system, &mut theta, &[preload], 0.0, 1e-12).expect("an equilibrium");
    assert!((theta[preload] - 4_319.046_235_548_606).abs() < 1e-4, "{}", theta[preload]);
    assert!(found.residual < 1e-9);
}

/// A pendulum held level finds its hanging position, a suspension off its design position
/// finds that again.
#[test]
fn equilibrium_from_another_pose() {
    for (name, expected) in [("pendulum", 0.0), ("five_link", -1.594_601_352_979_967)] {
        let system = system(name);
        let layout = system.layout();
        let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
        let mut start = State::new(layout);
        plant.initial(&mut start);
        if name == "five_link" {
            start.p[0] += 0.02;
        }
        let found = equilibrium(&mut plant, start, 1e-10).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!((found.state.p[0] - expected).abs() < 1e-8, "{name}: {:?}", found.state.p);
    }
}

/// A start that cannot be assembled names the joint.
#[test]
fn a_start_too_far_away_names_the_joint() {
    let system = system("four_bar");
    let error = try_run(&*system, "mdop5", &[("l0", 50.0)], &tight(1.0, 1e-6)).unwrap_err();
    assert!(error.to_string().contains("closure"), "{error}");
}
