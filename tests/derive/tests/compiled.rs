//! The attribute in its forms, under the strictest lints.
#![deny(warnings, missing_docs)]

use mbs_runtime::System;

/// A model beside this file.
#[mbs_derive::multibody("./models/swing.yaml")]
pub struct Swing;

/// The same model under another path of the runtime.
#[mbs_derive::multibody("tests/models/swing.yaml", crate = "crate::dependencies::runtime")]
#[derive(Debug, Clone)]
struct PrivateSwing;

/// A model in the text itself, with its Jacobian.
#[mbs_derive::multibody(
    jacobian,
    yaml = "
model: slider
parameters: {m: 2}
bodies: {block: {mass: m}}
joints: {rail: {type: prismatic, from: ground, to: block, axis: x, coordinate: s}}
"
)]
pub struct Slider;

/// A pendulum whose placement is 3e-11 rad from upside down, and stays so.
#[mbs_derive::multibody(
    keep_dust,
    yaml = "
model: hung
bodies: {rod: {mass: 1, com: [0, 0, 1]}, ground: {frames: {peg: {rotation: [{axis: y, angle: 3.14159265356}]}}}}
joints: {pivot: {type: revolute, from: ground.peg, to: rod, axis: y, coordinate: phi}}
"
)]
pub struct Hung;

/// A robot whose base flies, with an axis too many.
#[mbs_derive::multibody("./models/arm.urdf", floating_base, lenient)]
pub struct FlyingArm;

/// An arm with the Jacobians of two frames, in their own axes.
#[mbs_derive::multibody(
    frame_jacobians = "rod.tip, rod",
    frame_axes = "frame",
    yaml = "
model: arm
bodies: {rod: {mass: 1, com: [2, 0, 0], frames: {tip: {position: [2, 0, 0]}}}}
joints: {pivot: {type: revolute, from: ground, to: rod, axis: z, coordinate: phi}}
"
)]
pub struct Arm;

/// Where a user may keep its crates.
pub mod dependencies {
    pub use mbs_runtime as runtime;
}

#[test]
fn all_forms_are_systems() {
    let systems: [&dyn System; 3] = [&Swing, &PrivateSwing, &Slider];
    assert_eq!(systems.map(|system| system.layout().model()), ["swing", "swing", "slider"]);
    let prepared = slider::Params { m: 3.0 }.prepare();
    let at = slider::At { t: 0.0, p: &[0.0], v: &[0.0], x: &[], u: &[], modes: &[], prepared: &prepared };
    assert_eq!(slider::mass_matrix(&at)[0], 3.0);
    assert_eq!(format!("{:?}", PrivateSwing.clone()), "PrivateSwing");
}

/// Gravity turns the rod that hangs nearly straight: m g l sin(π − 3.14159265356).
#[test]
fn dust_is_kept_if_asked_for() {
    let prepared = hung::Params::default().prepare();
    let at = hung::At { t: 0.0, p: &[0.0], v: &[0.0], x: &[], u: &[], modes: &[], prepared: &prepared };
    let angle: f64 = "3.14159265356".parse().expect("a number");
    let expected = 9.81 * (std::f64::consts::PI - angle);
    assert!((hung::forces(&at)[0].abs() - expected).abs() < 1e-4 * expected, "{:?}", hung::forces(&at));
}

/// Seven coordinates of the base and one of the arm.
#[test]
fn the_base_flies_if_asked_for() {
    let layout = FlyingArm.layout();
    assert_eq!((layout.n_p(), layout.n_v()), (8, 7));
}

#[test]
fn the_jacobian_is_there_if_asked_for() {
    let prepared = slider::Params { m: 3.0 }.prepare();
    let at = slider::At { t: 0.0, p: &[0.0], v: &[0.0], x: &[], u: &[], modes: &[], prepared: &prepared };
    assert_eq!(slider::jacobian(&at, &[1.0], &[]).as_slice(), [0.0, 0.0]);
    let slices =
        mbs_runtime::At { t: 0.0, p: &[0.0], v: &[0.0], x: &[], u: &[], modes: &[], prepared: &prepared };
    let mut out = [1.0; 2];
    assert_eq!((Slider.jacobian(&slices, &[1.0], &[], &mut out), out), (Ok(()), [0.0; 2]));
    assert_eq!(Swing.jacobian(&slices, &[1.0], &[], &mut out), Err(mbs_runtime::NotGenerated));
}

#[test]
fn jacobians_of_frames_are_there_if_asked_for() {
    let prepared = arm::Params::default().prepare();
    let at = arm::At { t: 0.0, p: &[0.7], v: &[0.0], x: &[], u: &[], modes: &[], prepared: &prepared };
    let expected = [[0.0, 2.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]].concat();
    let found = arm::frame_jacobian(&at);
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found}");
    let slices =
        mbs_runtime::At { t: 0.0, p: &[0.7], v: &[0.0], x: &[], u: &[], modes: &[], prepared: &prepared };
    let mut out = [1.0; 12];
    assert_eq!((Arm.frame_jacobian(&slices, &mut out), &out[..]), (Ok(()), found.as_slice()));
    assert!(Arm.frame_names().iter().eq(["rod.tip", "rod"]) && arm::FRAME_NAMES == ["rod.tip", "rod"]);
    assert_eq!(Swing.frame_jacobian(&slices, &mut out), Err(mbs_runtime::NotGenerated));
    assert_eq!(Swing.frame_names().len(), 0);
}

#[test]
fn tables_are_found_beside_the_model() {
    let prepared = swing::Params::default().prepare();
    let at = swing::At { t: 0.5, p: &[0.0], v: &[0.0], x: &[], u: &[], modes: &[], prepared: &prepared };
    assert_eq!(swing::forces(&at)[0], 1.0);
}
