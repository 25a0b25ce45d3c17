//! Loops are closed as they are meant, not turned over: rows of orientation vanish for both.

mod runs;

use mbs_runtime::constraint::{Inconsistent, Listed, consistent_with};
use mbs_runtime::{At, Defaults, Plant, Settings, SimulationError, State, System, simulate};
use runs::{compile, last};
use std::f64::consts::{PI, TAU};

/// Two hinges about x, the outer body joined to ground again.
fn two_hinges(joint: &str) -> Box<dyn System> {
    let text = format!(
        "model: two_hinges
gravity: [0, 0, 0]
bodies:
  one: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  two: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  inner: {{type: revolute, from: ground, to: one, axis: x, coordinate: u}}
  outer: {{type: revolute, from: one, to: two, axis: x, coordinate: w}}
  back: {{{joint}, from: ground, to: two, cut: true}}
"
    );
    compile("two_hinges", &text)
}

/// A ball joint, its body joined to ground again.
fn ball(joint: &str) -> Box<dyn System> {
    let text = format!(
        "model: ball
gravity: [0, 0, 0]
bodies: {{body: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}}}
joints:
  ball: {{type: spherical, from: ground, to: body}}
  back: {{{joint}, from: ground, to: body, cut: true}}
"
    );
    compile("ball", &text)
}

/// The rotation matrix of the last body, row by row, where a start from p with `listed` values ends.
fn started(system: &dyn System, p: &[f64], listed: &[usize]) -> Result<(State, Vec<f64>), Inconsistent> {
    let layout = system.layout();
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut state = State::new(layout);
    state.p.copy_from_slice(p);
    let listed = Listed { positions: listed.to_vec(), velocities: Vec::new() };
    consistent_with(&mut plant, &mut state, &listed)?;
    let mut poses = vec![0.0; 12 * layout.bodies.len()];
    let at = At { t: 0.0, p: &state.p, v: &state.v, x: &[], u: &[], modes: &[], prepared: plant.prepared() };
    system.poses(&at, &mut poses);
    Ok((state, poses[poses.len() - 9..].to_vec()))
}

const ALL: [&str; 3] = ["type: fixed", "type: prismatic, axis: z", "type: screw, axis: x, pitch: 0.1"];
const ALONG_Z: [&str; 3] =
    ["type: revolute, axis: z", "type: cylindrical, axis: z", "type: planar, normal: z"];

#[test]
fn hinges_end_the_right_way_up() {
    for joint in ALL.into_iter().chain(ALONG_Z) {
        let system = two_hinges(joint);
        let n_p = system.layout().n_p();
        for k in 0..36 {
            let u = f64::from(k) * TAU / 36.0;
            let mut guess = vec![0.0; n_p];
            guess[0] = u;
            for listed in [&[][..], &[0]] {
                let (state, rotation) = started(&*system, &guess, listed).unwrap();
                assert!(rotation[8] > 0.0, "{joint}, u = {u}, {listed:?}: {rotation:?}");
                // A screw lets the body turn about its axis; all others bring it back.
                if !joint.contains("screw") {
                    let turns = (state.p[0] + state.p[1]) / TAU;
                    assert!((turns - turns.round()).abs() < 1e-9, "{joint}, u = {u}: {:?}", state.p);
                }
                assert!(listed.is_empty() || state.p[0] == u, "{joint}: u is listed");
                assert!(
                    (state.p[0] - u).abs() <= PI + 1e-9 && state.p[1].abs() <= PI + 1e-9,
                    "{:?}",
                    state.p
                );
            }
        }
    }
}

/// Where all three directions are held, the rows vanish for a third of a turn about a diagonal, too,
/// and for half a turn about each axis.
#[test]
fn balls_end_the_right_way_up() {
    let half = 0.5_f64.sqrt();
    let mut starts =
        vec![[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, -0.5, 0.5], [-0.5, 0.5, -0.5, 0.5], [0.5, 0.5, -0.5, -0.5]];
    starts.extend([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, half, half, 0.0]]);
    for q in &starts {
        let (_, rotation) = started(&*ball("type: fixed"), q, &[]).unwrap();
        for (k, entry) in rotation.iter().enumerate() {
            let expected = f64::from(u8::from(k % 4 == 0));
            assert!((entry - expected).abs() < 1e-9, "{q:?}: {rotation:?}");
        }
        for joint in ALONG_Z {
            let (_, rotation) = started(&*ball(joint), q, &[]).unwrap();
            assert!((rotation[8] - 1.0).abs() < 1e-9, "{joint}, {q:?}: {rotation:?}");
        }
    }
}

/// One hinge, its body joined to ground again by a frame that is turned over.
fn turned_over(drive: &str) -> String {
    format!(
        "model: turned
bodies: {{arm: {{mass: 1, inertia: {{yy: 1}}, frames: {{over: {{rotation: [{{axis: x, angle: pi}}]}}}}}}}}
joints:
  hinge: {{type: revolute, from: ground, to: arm, axis: y, coordinate: u}}
  back: {{type: revolute, axis: z, from: ground, to: arm.over, cut: true}}
{drive}"
    )
}

#[test]
fn a_loop_that_closes_turned_over_only_is_refused() {
    // Free, the hinge goes round to where the axes agree.
    let free = compile("turned", &turned_over(""));
    let (state, _) = started(&*free, &[0.4], &[]).unwrap();
    assert!((state.p[0].abs() - PI).abs() < 1e-9, "{:?}", state.p);
    let driven =
        compile("turned", &turned_over("constraints: {drive: {type: motion, coordinate: u, value: 0}}\n"));
    let error = simulate(&*driven, &Settings::default()).unwrap_err();
    assert_eq!(error, SimulationError::TurnedOver { t: 0.0, joint: "back".into(), held: Vec::new() });
    assert!(error.to_string().contains("`back` turned over"), "{error}");
}

/// A loop that is driven through many turns stays as it is.
#[test]
fn turning_is_no_turning_over() {
    let text = "model: driven
gravity: [0, 0, 0]
bodies:
  one: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  two: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  inner: {type: revolute, from: ground, to: one, axis: x, coordinate: u}
  outer: {type: revolute, from: one, to: two, axis: x, coordinate: w}
  back: {type: fixed, from: ground, to: two, cut: true}
initial: {velocities: {u: 10}}
";
    let system = compile("driven", text);
    let trajectory = simulate(&*system, &Settings { t_end: 2.0, ..Settings::default() }).unwrap();
    let end = last(&trajectory);
    assert!((end.p[0] - 20.0).abs() < 1e-6 && (end.p[1] + 20.0).abs() < 1e-6, "{:?}", end.p);
}

/// Joints of a plane hold directions that cannot turn over: there is nothing to look at.
#[test]
fn planar_linkages_need_no_cosines() {
    assert!(runs::system("four_bar").layout().closures.is_empty());
    assert_eq!(two_hinges("type: fixed").layout().closures.get(0), Some("back"));
    assert!(two_hinges("type: universal, axes: [x, y]").layout().closures.is_empty());
}
