//! Scenes of whole models.

use super::vector::{Vec3, distance, length, sub};
use super::*;
use crate::arguments::{NumberOptions, VariantOptions};
use crate::commands::simulate::{compile_variant, integrate};
use mbs_runtime::Settings;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The scene of a run over `t_end` seconds in 400 frames.
fn scene(model: PathBuf, t_end: f64) -> Scene {
    let options =
        VariantOptions { model, numbers: NumberOptions::default(), scenario: None, settings: Vec::new() };
    let kept = RefCell::new(None);
    let keep = |model: &mut Model| {
        *kept.borrow_mut() = Some(model.clone());
        Ok(())
    };
    let ready = compile_variant(&options, true, |_| false, keep).expect("a model");
    let settings = Settings { t_end, output_step: Some(t_end / 400.0), ..Settings::default() };
    let run = integrate(&*ready.system, "mdop5", &settings, &options.model, &mut |_| true).expect("a run");
    Scene::new(&kept.take().expect("a model"), &*ready.system, &run.states)
}

fn own(name: &str, t_end: f64) -> Scene {
    scene(Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(name), t_end)
}

fn written(name: &str, text: &str, t_end: f64) -> Scene {
    let file = std::env::temp_dir().join(format!("mbs-scene-{}-{name}.yaml", std::process::id()));
    std::fs::write(&file, text).expect("a scratch file");
    let scene = scene(file.clone(), t_end);
    // A leftover in the temporary directory is no reason to fail.
    let _ = std::fs::remove_file(file);
    scene
}

fn close(a: Vec3, b: Vec3, tolerance: f64) {
    assert!(distance(a, b) <= tolerance, "{a:?} is not {b:?}");
}

fn wheels(scene: &Scene) -> usize {
    let solids = scene.bodies.iter().flat_map(|body| &body.solids);
    solids.filter(|solid| matches!(solid.shape, Shape::Wheel { .. })).count()
}

/// The wheel of the suspension spins in its place: the road comes to meet it at the speed
/// at which it rolls.
#[test]
fn the_road_below_a_spinning_wheel() {
    let scene = own("five_link.yaml", 0.25);
    let road = scene.road.as_ref().expect("a road");
    close(road.along, [-1.0, 0.0, 0.0], 1e-2);
    assert!((road.speed - 30.0).abs() < 0.1, "{}", road.speed);
    let highest = road.heights.iter().copied().fold(0.0, f64::max);
    assert!((highest - 0.05).abs() < 1e-3, "{highest}");
    // The bump begins at 0.1 s, that is 3 m ahead, and is 3 m long.
    let first = road.heights.iter().position(|height| *height > 1e-9).expect("a bump");
    assert!((road.start + first as f64 * road.step - 3.0).abs() < 0.1);
    assert_eq!((wheels(&scene), scene.links.len(), scene.view.follow), (1, 1, None));
    assert_eq!(scene.links[0].kind, LinkKind::SpringDamper);
}

/// The vehicle drives over a road that stays where it is, and is followed.
#[test]
fn the_road_below_a_vehicle_that_moves() {
    let scene = own("planar_vehicle.yaml", 1.0);
    let road = scene.road.as_ref().expect("a road");
    close(road.along, [0.0, 1.0, 0.0], 1e-9);
    assert_eq!((road.speed, wheels(&scene)), (0.0, 4));
    assert_eq!(scene.view.follow.map(|body| scene.bodies[body].name.as_str()), Some("carbody"));
    // The front wheels meet the bump after 0.5 s at 20 m/s.
    let first = road.heights.iter().position(|height| *height > 1e-9).expect("a bump");
    assert!((road.start + first as f64 * road.step - 10.0).abs() < 0.1);
}

/// The axles of the truck stand still; the rear one meets the hump 0.3 s after the front one.
#[test]
fn the_road_below_two_axles() {
    let scene = own("truck.yaml", 12.0);
    let road = scene.road.as_ref().expect("a road");
    close(road.along, [1.0, 0.0, 0.0], 1e-9);
    assert!((road.speed - 15.0).abs() < 0.5, "{}", road.speed);
    assert_eq!(wheels(&scene), 2);
}

/// A contact says itself where its road is.
#[test]
fn the_road_of_a_contact() {
    let text = "
model: hopper
bodies:
  wheel: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shape: [{cylinder: {from: [0, -0.05, 0], to: [0, 0.05, 0], radius: 0.3}}]}
joints:
  way: {type: planar, from: ground, to: wheel, normal: y, coordinates: [z, x, turn]}
forces:
  tyre: {type: contact, on: wheel, radius: 0.3, road: 0.1*sin(x), stiffness: 1e4, damping: 100}
initial: {positions: {z: 0.3}, velocities: {x: 2}}
";
    let scene = written("contact", text, 0.5);
    let road = scene.road.as_ref().expect("a road");
    let at = |x: f64| road.heights[((x - road.start) / road.step).round() as usize];
    for x in [-1.0, 0.0, 0.7, 2.0] {
        assert!((at(x) - 0.1 * x.sin()).abs() < 1e-2, "{} at {x}", at(x));
    }
    assert_eq!((road.origin, road.speed, wheels(&scene)), ([0.0; 3], 0.0, 1));
}

/// A road that moves is seen where it is at the time of the picture.
#[test]
fn the_road_of_a_contact_that_changes_with_time() {
    let text = "
model: wave
bodies:
  wheel: {mass: 1, shape: [{cylinder: {from: [0, -0.05, 0], to: [0, 0.05, 0], radius: 0.3}}]}
joints:
  way: {type: prismatic, from: ground, to: wheel, axis: z, coordinate: z}
forces:
  tyre: {type: contact, on: wheel, radius: 0.3, road: 0.1*sin(x - 2*t), stiffness: 1e4, damping: 100}
initial: {positions: {z: 0.3}}
";
    let scene = written("wave", text, 1.0);
    let road = scene.road.as_ref().expect("a road");
    for t in [0.0, 0.5, 1.0] {
        let heights = road.heights_at(&scene.motion, t);
        for (k, height) in heights.iter().enumerate() {
            let x = road.start + k as f64 * road.step;
            assert!((height - 0.1 * (x - 2.0 * t).sin()).abs() < 1e-4, "{t} {x}: {height}");
        }
    }
}

/// A body without shapes is seen all the same; a force that merely depends on time is no road.
#[test]
fn models_without_shapes() {
    let text = "
model: bare
bodies:
  ground: {frames: {wall: {position: [0, 1, 0]}}}
  arm: {mass: 1, com: [0.5, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}, frames: {tip: {position: [1, 0, 0]}}}
  weight: {mass: 2}
joints:
  turn: {type: revolute, from: ground, to: arm, axis: y}
  slide: {type: prismatic, from: arm.tip, to: weight, axis: x}
variables: {push: sin(t)}
forces:
  s: {type: spring_damper, from: ground.wall, to: weight, stiffness: 100, length: 1}
  d: {type: spring_damper, from: ground.wall, to: arm.tip, stiffness: 0, damping: 5, length: 1}
  f: {type: force, on: weight, force: [0, 0, push]}
";
    let scene = written("bare", text, 0.2);
    assert!(scene.road.is_none());
    let arm = &scene.bodies[1];
    let rod = arm.solids.iter().find(|solid| solid.role == Role::Shape).expect("a stand-in");
    let Shape::Cylinder { from, to, .. } = rod.shape else { panic!("{rod:?}") };
    assert!((length(sub(to, from)) - 1.0).abs() < 1e-12);
    let kinds: Vec<LinkKind> = scene.links.iter().map(|link| link.kind).collect();
    assert_eq!(kinds, [LinkKind::Spring, LinkKind::Damper]);
    // A pin on ground, a rail on the arm, a slider on the weight.
    let has = |body: usize| scene.bodies[body].solids.iter().any(|solid| solid.role == Role::Joint);
    assert!(has(0) && has(1) && has(2));
    assert_eq!(scene.view.up, [0.0, 0.0, 1.0]);
}

/// Plane mechanisms without weight lie on paper; gravity decides what is up elsewhere.
#[test]
fn what_is_up() {
    let flat = own("andrews.yaml", 0.01);
    assert_eq!((flat.view.up, flat.view.floor.1), ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]));
    let spatial = own("bricard.yaml", 0.5);
    close(spatial.view.up, [0.0, 1.0, 0.0], 0.0);
    close(spatial.view.floor.1, [0.0, 1.0, 0.0], 0.0);
    // Everything is above the floor.
    for frame in spatial.motion.some_frames() {
        for (index, body) in spatial.bodies.iter().enumerate() {
            for (point, reach) in body.solids.iter().flat_map(|solid| solid.shape.reach()) {
                let lowest = spatial.motion.point(frame, index, point)[1] - reach;
                assert!(body.solids.is_empty() || lowest >= spatial.view.floor.0[1] - 0.1, "{}", body.name);
            }
        }
    }
}
