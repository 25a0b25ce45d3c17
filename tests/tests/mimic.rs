//! Joints that follow others: as the same mechanism with a constraint row for each, and what they cost.

mod runs;

use mbs_runtime::linalg::Saddle;
use mbs_runtime::{Defaults, Layout, Plant, State, System};
use mbs_symbolic::model::NoFiles;
use mbs_symbolic::program::FunctionKind;
use mbs_tests::close::assert_close;
use mbs_tests::load::Loaded;
use mbs_tests::states::Random;
use std::fmt::Write;

/// A joint that follows another.
struct Follower {
    name: &'static str,
    master: &'static str,
    ratio: f64,
    offset: f64,
}

/// Followers on the branch of what they follow, on others and of each other.
const FOLLOWERS: [Follower; 5] = [
    Follower { name: "knuckle", master: "finger", ratio: 0.8, offset: 0.0 },
    Follower { name: "nail", master: "knuckle", ratio: -0.5, offset: 0.2 },
    Follower { name: "thumb", master: "nail", ratio: 2.5, offset: 0.1 },
    Follower { name: "rack", master: "finger", ratio: 0.03, offset: 0.01 },
    Follower { name: "worm", master: "wrist.angle", ratio: -1.5, offset: 0.0 },
];

/// A hand whose joints follow each other, by `mimic` or by constraint rows.
fn hand(by_mimic: bool) -> String {
    let mut text = String::from("model: hand\nbodies:\n");
    for (k, name) in ["arm", "palm", "one", "two", "three", "four", "bar", "nut"].into_iter().enumerate() {
        let (mass, com) = (1.0 / (k as f64 + 1.0), 0.02 * k as f64 - 0.05);
        let _ = writeln!(
            text,
            "  {name}: {{mass: {mass}, com: [0.1, {com}, 0.03], inertia: {{xx: 0.01, yy: 0.02, zz: 0.015, \
             xy: 0.002, xz: -0.001, yz: 0.003}}, frames: {{a: {{position: [0.2, 0.05, 0], \
             rotation: [{{axis: x, angle: 0.3}}]}}, b: {{position: [0.2, -0.05, 0.01]}}}}}}"
        );
    }
    text.push_str("joints:\n");
    for (name, keys) in [
        ("shoulder", "type: revolute, from: ground, to: arm, axis: y"),
        ("wrist", "type: cylindrical, from: arm.a, to: palm, axis: x"),
        ("finger", "type: revolute, from: palm.a, to: one, axis: z"),
        ("knuckle", "type: revolute, from: one.a, to: two, axis: z"),
        ("nail", "type: revolute, from: two.b, to: three, axis: [0, 1, 1]"),
        ("thumb", "type: revolute, from: palm.b, to: four, axis: z"),
        ("rack", "type: prismatic, from: arm.b, to: bar, axis: x"),
        ("worm", "type: screw, from: bar.a, to: nut, axis: x, pitch: 0.05"),
    ] {
        let mimic = FOLLOWERS.iter().find(|follower| by_mimic && follower.name == name);
        let mimic = mimic.map(|Follower { master, ratio, offset, .. }| {
            let key = if master.contains('.') { "coordinate" } else { "joint" };
            format!(", mimic: {{{key}: {master}, ratio: {ratio}, offset: {offset}}}")
        });
        let _ = writeln!(text, "  {name}: {{{keys}{}}}", mimic.unwrap_or_default());
    }
    if !by_mimic {
        text.push_str("constraints:\n");
        for Follower { name, master, ratio, offset } in &FOLLOWERS {
            let _ = writeln!(
                text,
                "  of_{name}: {{type: coupling, coordinates: {{{name}: 1, {master}: {}}}, offset: {offset}}}",
                -ratio
            );
        }
    }
    text.push_str(
        "forces:
  drive: {type: joint_torque, joint: finger, torque: 0.3}
  push: {type: joint_torque, joint: thumb, torque: -0.2}
  back: {type: joint_spring, joint: nail, stiffness: 2, damping: 0.1, rest: 0.3, preload: 0.1}
  rub: {type: joint_friction, joint: rack, coulomb: 1, regularisation: 0.1, viscous: 3}
  string: {type: spring_damper, from: three.a, to: four.b, stiffness: 20, damping: 0.3, length: 0.1}
outputs:
  q: knuckle + 2*nail - thumb*rack
  rate: der(worm) + der(thumb)*rack
  a: acceleration(three).x + acceleration(nut, in=nut).y
  w: angular_velocity(four, in=three).z
",
    );
    for joint in ["wrist", "finger", "knuckle", "nail", "thumb", "rack", "worm"] {
        let _ = writeln!(
            text,
            "  f_{joint}: reaction({joint}).fx + 2*reaction({joint}).fy - reaction({joint}).fz"
        );
        let _ = writeln!(
            text,
            "  t_{joint}: reaction({joint}).tx + 2*reaction({joint}).ty - reaction({joint}).tz"
        );
    }
    text
}

/// A value of every coordinate or velocity of `names` from those of `known`.
fn of_all(names: &[&str], known: &[&str], values: &[f64], with_offset: bool) -> Vec<f64> {
    fn of(name: &str, known: &[&str], values: &[f64], with_offset: bool) -> f64 {
        match FOLLOWERS.iter().find(|follower| follower.name == name) {
            Some(Follower { master, ratio, offset, .. }) => {
                let offset = if with_offset { *offset } else { 0.0 };
                ratio * of(master, known, values, with_offset) + offset
            }
            None => values[known.iter().position(|known| *known == name).expect("an unknown")],
        }
    }
    names.iter().map(|name| of(name, known, values, with_offset)).collect()
}

/// Positions and velocities.
fn names(layout: &Layout) -> (Vec<&str>, Vec<&str>) {
    (layout.positions.iter().collect(), layout.velocities.iter().collect())
}

/// v', outputs, poses and energies at a state.
fn numbers(system: &dyn System, p: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let layout = system.layout();
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut state = State::new(layout);
    state.p.copy_from_slice(p);
    state.v.copy_from_slice(v);
    let mut saddle = Saddle::new(layout.n_v(), layout.n_lambda());
    plant.eval_derivatives(&mut state, &mut saddle).expect("accelerations exist");
    let mut outputs = vec![0.0; layout.outputs.len()];
    let mut poses = vec![0.0; 12 * layout.bodies.len()];
    let energy = plant.at(0.0, p, v, &[], |system, at| {
        system.outputs(at, &state.v_dot, &state.lambda, &mut outputs);
        system.poses(at, &mut poses);
        system.energy(at)
    });
    outputs.extend(poses);
    outputs.extend([energy.kinetic, energy.potential]);
    (state.v_dot, outputs)
}

#[test]
fn as_with_constraint_rows() {
    let (few, all) = (runs::compile("hand", &hand(true)), runs::compile("hand", &hand(false)));
    assert_eq!((few.layout().n_lambda(), all.layout().n_lambda()), (0, FOLLOWERS.len()));
    let (few_names, all_names) = (names(few.layout()), names(all.layout()));
    assert_eq!(few_names.0, ["shoulder", "wrist.distance", "wrist.angle", "finger"]);
    let mut random = Random::new(7);
    for _ in 0..20 {
        let [p, v] = [1.0, 2.0].map(|most| (0..4).map(|_| random.between(-most, most)).collect::<Vec<f64>>());
        let (v_dot, found) = numbers(&*few, &p, &v);
        let positions = of_all(&all_names.0, &few_names.0, &p, true);
        let velocities = of_all(&all_names.1, &few_names.1, &v, false);
        let (expected_v_dot, expected) = numbers(&*all, &positions, &velocities);
        let accelerations = of_all(&all_names.1, &few_names.1, &v_dot, false);
        assert_close("v'", &accelerations, &expected_v_dot, 1e-10, 1e-10);
        assert_close("outputs, poses and energies", &found, &expected, 1e-10, 1e-10);
    }
}

/// In a mirrored instance what follows a coordinate that changes its sign moves as the reflection does.
#[test]
fn mirrored() {
    let text = "model: pair
assemblies:
  leg:
    connections: [base]
    bodies:
      foot: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
      toe: {mass: 1, com: [0.1, 0.2, 0.3], inertia: {xx: 1, yy: 1, zz: 1}}
      nail: {mass: 1, com: [0.1, 0.2, 0.3], inertia: {xx: 1, yy: 1, zz: 1}}
    joints:
      step: {type: planar, from: base, to: foot, normal: z}
      slide: {type: prismatic, from: foot, to: toe, axis: [1, 2, 3], mimic: {coordinate: step.y, ratio: 0.5, offset: 0.1}}
      turn: {type: revolute, from: toe, to: nail, axis: [3, 1, 2], mimic: {joint: slide, ratio: -2}}
instances:
  left: {of: leg, connect: {base: ground}}
  right: {of: leg, connect: {base: ground}, mirror: y}
outputs:
  left: position(left.nail).y
  right: -position(right.nail).y
  left_slide: left.slide
  right_slide: right.slide
  left_twist: rotation(left.nail).xy
  right_twist: -rotation(right.nail).xy
";
    let system = runs::compile("pair", text);
    let names: Vec<&str> = system.layout().positions.iter().collect();
    let sides =
        ["left.step.x", "left.step.y", "left.step.angle", "right.step.x", "right.step.y", "right.step.angle"];
    assert_eq!(names, sides);
    let (_, found) = numbers(&*system, &[0.3, 0.7, 0.4, 0.3, -0.7, -0.4], &[1.0, 2.0, 3.0, 1.0, -2.0, -3.0]);
    for pair in found[..6].chunks(2) {
        assert_close("left and right", &pair[..1], &pair[1..], 0.0, 1e-13);
    }
    assert_close("what follows", &found[2..3], &[0.45], 0.0, 1e-13);
}

/// Also the parts each element contributes, and derivatives of the residuals.
#[test]
fn against_the_oracle() {
    let loaded = Loaded::text("hand", &hand(true));
    let mut differences = loaded.compare_at_random_state(1);
    differences.extend(Loaded::text("hand", &hand(true)).with_contributions().compare_contributions(2));
    differences.extend(Loaded::text("hand", &hand(true)).with_jacobian().compare_jacobian(3));
    let list: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}

/// Operations of the accelerations of a model.
fn flops(text: &str) -> u32 {
    let compiled = mbs_symbolic::compile("hand", text, &NoFiles, mbs_symbolic::Options::default());
    let compiled = compiled.unwrap_or_else(|rejected| panic!("{rejected}"));
    compiled.program.function(FunctionKind::Accelerations).counts().flops()
}

/// A joint that follows another costs less than one that moves by itself, and than a row.
#[test]
fn accelerations_cost_less_than_without() {
    let with_mimics = flops(&hand(true));
    let with_rows = flops(&hand(false));
    let text = hand(false);
    let (start, end) = (text.find("constraints:").expect("rows"), text.find("forces:").expect("forces"));
    let without = flops(&format!("{}{}", &text[..start], &text[end..]));
    assert!(with_mimics < without && without < with_rows, "{with_mimics}, {without}, {with_rows}");
}
