//! Included files, assemblies, mirrors and repetitions.

use mbs_symbolic::diag::render;
use mbs_symbolic::model::{self, Loader, NoFiles};
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Program, Quantity};
use mbs_symbolic::{Compiled, Options, compile};
use std::collections::BTreeMap;

struct Files(BTreeMap<&'static str, String>);

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, String> {
        self.0.get(path).cloned().ok_or_else(|| "no such file".to_owned())
    }
}

fn files<const N: usize>(files: [(&'static str, &str); N]) -> Files {
    Files(files.into_iter().map(|(name, text)| (name, text.to_owned())).collect())
}

fn compiled(source: &str, loader: &dyn Loader) -> Compiled {
    compile("model.yaml", source, loader, Options::default()).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Numbers in (−1, 1), the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 33) as u32) / f64::from(1_u32 << 30) - 1.0
    }

    fn list(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.next()).collect()
    }
}

/// The results of one function at a state.
fn evaluate(program: &Program, kind: FunctionKind, p: &[f64], v: &[f64], theta: &[f64]) -> Vec<f64> {
    let mut interpreter = Interpreter::new(program);
    let mut prepared = vec![0.0; program.n_prepared()];
    interpreter.prepare(program, theta, &mut prepared);
    let modes = vec![false; program.layout.modes.len()];
    let inputs = Inputs { t: 0.3, p, v, modes: &modes, prepared: &prepared, ..Inputs::default() };
    let sizes: Vec<usize> = program.function(kind).results.iter().map(|block| block.entries.len()).collect();
    let mut results: Vec<Vec<f64>> = sizes.iter().map(|size| vec![0.0; *size]).collect();
    let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    interpreter.run(program, kind, &inputs, &mut slices);
    results.concat()
}

const KINDS: [FunctionKind; 5] = [
    FunctionKind::MassMatrix,
    FunctionKind::Forces,
    FunctionKind::Constraints,
    FunctionKind::ConstraintJacobian,
    FunctionKind::AccelerationBias,
];

/// The two programs compute the same bits with as many operations.
fn assert_same(first: &Program, second: &Program) {
    assert_eq!(first.layout.parameter_defaults, second.layout.parameter_defaults);
    assert_eq!(first.layout.parameters.len(), second.layout.parameters.len());
    assert_eq!(first.total_counts(), second.total_counts());
    assert_eq!(first.per_parameter_set(), second.per_parameter_set());
    let mut random = Random(7);
    for _ in 0..20 {
        let p = random.list(first.layout.positions.len());
        let v = random.list(first.layout.velocities.len());
        let theta: Vec<f64> =
            first.layout.parameter_defaults.iter().map(|value| value * (1.0 + 0.1 * random.next())).collect();
        for kind in KINDS {
            let [a, b] = [first, second].map(|program| evaluate(program, kind, &p, &v, &theta));
            let bits = |list: &[f64]| list.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&a), bits(&b), "{}", kind.name());
        }
    }
}

#[test]
fn a_corner_used_four_times_is_four_corners_written_out() {
    let corner = include_str!("../../models/parts/car_corner.yaml");
    let loader = files([("parts/car_corner.yaml", corner)]);
    let car = compiled(include_str!("../../models/full_car.yaml"), &loader);
    let by_hand = compiled(include_str!("../../tests/data/full_car_by_hand.yaml"), &NoFiles);
    assert!(car.warnings.is_empty(), "{}", render(&car.warnings, &car.sources));
    let names = |program: &Program| -> Vec<String> {
        program.layout.velocities.iter().map(|name| name.replace('.', "_")).collect()
    };
    assert_eq!(names(&car.program), names(&by_hand.program));
    assert_eq!(car.program.layout.outputs[1], "front_left.travel");
    assert_same(&car.program, &by_hand.program);
    let read: Vec<&str> = car.sources.files().iter().map(|file| file.name.as_str()).collect();
    assert_eq!(read, ["model.yaml", "parts/car_corner.yaml"]);
}

/// The car stands still where its file says it does.
#[test]
fn the_car_starts_in_equilibrium() {
    let loader = files([("parts/car_corner.yaml", include_str!("../../models/parts/car_corner.yaml"))]);
    let car = compiled(include_str!("../../models/full_car.yaml"), &loader);
    let layout = &car.program.layout;
    let mut p = vec![0.0; layout.positions.len()];
    for (value, name) in p.iter_mut().zip(&layout.positions) {
        *value = match name.as_str() {
            "ride.z" => 0.594_36,
            "ride.qw" => 1.0,
            _ => 0.0,
        };
    }
    let v = vec![0.0; layout.velocities.len()];
    let mut interpreter = Interpreter::new(&car.program);
    let mut prepared = vec![0.0; car.program.n_prepared()];
    interpreter.prepare(&car.program, &layout.parameter_defaults, &mut prepared);
    let mut run = |kind, modes: &[bool], n: usize| {
        let inputs = Inputs { p: &p, v: &v, modes, prepared: &prepared, ..Inputs::default() };
        let mut out = vec![0.0; n];
        interpreter.run(&car.program, kind, &inputs, &mut [&mut out]);
        out
    };
    // Tyres touch, and no bump is near.
    let off = vec![false; layout.modes.len()];
    let functions = run(FunctionKind::SwitchingFunctions, &off, off.len());
    let modes: Vec<bool> = functions.iter().map(|&function| function < 0.0).collect();
    let forces = run(FunctionKind::Forces, &modes, v.len());
    let largest = forces.iter().fold(0.0_f64, |most, force| most.max(force.abs()));
    assert!(largest < 1e-9 * 1100.0 * 9.81, "a force of {largest} N is left");
}

/// Everything that has a direction, in one assembly.
const ZOO: &str = "
assemblies:
  zoo:
    connections: [base]
    parameters: {a: 0.3, b: 0.4}
    functions: {side: {arguments: [s], value: s + a*t}}
    bodies:
      base: {frames: {corner: {position: [a, b, -0.2], rotation: [{axis: x, angle: 0.3}, {axis: [1, 2, 3], angle: 0.2}]}}}
      ground: {frames: {post: {position: [0.5, 0.7, 0.1], rotation: [{axis: z, angle: 0.4}]}}}
      hull: {mass: 2, com: [0.1, 0.2, 0.3], inertia: {xx: 1, yy: 1.2, zz: 1.4, xy: 0.1, xz: 0.2, yz: -0.15, frame: skew}, frames: {skew: {position: [0.1, -0.3, 0.2], rotation: [{axis: y, angle: 0.5}, {axis: x, angle: -0.2}]}}}
      arm: {mass: 1, com: [0.2, 0.1, 0], inertia: {xx: 0.2, yy: 0.3, zz: 0.4, xy: 0.02}, frames: {tip: {position: [b, a, 0.1], rotation: [{axis: z, angle: 0.7}]}}}
      slide: {mass: 1.5, com: [0, 0.1, 0], inertia: {xx: 0.2, yy: 0.3, zz: 0.4, yz: 0.03}}
      tube: {mass: 0.7, com: [0, 0.2, 0.1], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
      cross: {mass: 0.6, com: [0.1, 0.2, 0.1], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
      ball: {mass: 0.5, com: [0.1, 0.2, 0.1], inertia: {xx: 0.2, yy: 0.3, zz: 0.4, xz: 0.05}}
      bolt: {mass: 0.4, com: [0.1, 0.2, 0.1], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
      puck: {mass: 0.3, com: [0.1, 0.2, 0.1], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
      bead: {mass: 0.2, com: [0.1, 0.2, 0.1], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
      mixed: {mass: 0.1, com: [0.1, 0.2, 0.1], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
    joints:
      fly: {type: free, from: base.corner, to: hull.skew}
      turn: {type: revolute, from: hull.skew, to: arm, axis: [1, 2, -0.5], coordinate: phi}
      move: {type: prismatic, from: arm.tip, to: slide, axis: [1, 1, 0.5], coordinate: s}
      pipe: {type: cylindrical, from: slide, to: tube, axis: [0.3, 1, 0.2]}
      cardan: {type: universal, from: tube, to: cross, axes: [y, -z]}
      socket: {type: spherical, from: cross, to: ball, sequence: zxy}
      thread: {type: screw, from: ball, to: bolt, axis: [1, 0.5, 1], pitch: 0.05}
      table: {type: planar, from: bolt, to: puck, normal: x}
      wire: {type: curve, from: puck, to: bead, coordinate: w, position: [w, 0.3*w^2, 0.2*sin(w)], rotation: [{axis: z, angle: w}, {axis: x, angle: 0.5*w}]}
      any: {type: compound, from: bead, to: mixed, coordinates: [c1, c2], steps: [{rotate: x, by: c1}, {translate: y, by: c2}, {rotate: [1, 2, 1], by: 0.4*c1}]}
    constraints:
      rod: {type: distance, from: ground.post, to: arm.tip, length: 0.9}
      rule: {type: equation, value: position(slide).y + 0.3*fly.y - 0.2*fly.qx + socket.angle1 - 1}
      gear: {type: coupling, coordinates: {phi: 1, pipe.angle: 2, table.y: 0.5}, offset: 0.1}
      wall: {type: point_on_plane, point: mixed, plane: ground.post, normal: [1, 2, 3]}
      drive: {type: motion, coordinate: fly.y, value: 0.2*sin(t)}
    forces:
      push: {type: force, on: arm.tip, in: hull, force: [1, 2, 3*side(position(hull).y)]}
      twist: {type: torque, on: slide, in: arm.tip, torque: [0.3, -0.2, 0.1*velocity(arm.tip).y], reaction: hull}
      pad: {type: bushing, from: ground.post, to: hull, stiffness: [10, 20, 30], damping: [1, 2, 3], rotational_stiffness: [4, 5, 6], rotational_damping: [0.4, 0.5, 0.6]}
      coil: {type: spring_damper, from: ground.post, to: tube, stiffness: 50, damping: 2, length: 0.4}
      helix: {type: joint_spring, coordinate: pipe.angle, stiffness: 3, damping: 0.2, rest: 0.3, preload: 0.1}
      sway: {type: joint_spring, coordinate: fly.y, stiffness: 5, rest: 0.2}
      motor: {type: joint_torque, coordinate: fly.wx, torque: 0.4 + fly.qx + 0.1*fly.wz}
      brake: {type: joint_friction, coordinate: socket.angle1, coulomb: 0.3, viscous: 0.1}
      law: {type: joint_force, joint: move, force: 'angular_velocity(hull).x*reaction_free + rotation(hull).xy'}
    variables: {reaction_free: rotation(arm).yz + der(table.z)}
";

/// What a number of this name changes its sign by when y is turned round.
fn sign(name: &str) -> f64 {
    let turned = [
        "fly.y",
        "fly.qx",
        "fly.qz",
        "fly.wx",
        "fly.wz",
        "pipe.angle",
        "socket.angle1",
        "socket.angle2",
        "table.y",
        "table.angle",
    ];
    if turned.iter().any(|end| name.ends_with(end)) { -1.0 } else { 1.0 }
}

/// Physics does not know left from right: the mirrored assembly in the mirrored state has
/// the mirrored equations. Nothing of this test knows how mirrors are made.
#[test]
fn a_mirrored_assembly_moves_as_its_image() {
    let tail = "gravity: [0.5, 0, -9.81]\nbodies: {plate: {mass: 3, inertia: {xx: 1, yy: 1, zz: 1}}}\njoints: {rail: {type: prismatic, from: ground, to: plate, axis: x}}\n";
    let source = |mirror: &str| {
        format!("model: zoo\n{ZOO}{tail}instances: {{it: {{of: zoo, {mirror}connect: {{base: plate}}}}}}\n")
    };
    let plain = compiled(&source(""), &NoFiles).program;
    let image = compiled(&source("mirror: y, "), &NoFiles).program;
    assert_eq!(plain.layout.velocities, image.layout.velocities);
    let signs = |names: &[String]| -> Vec<f64> { names.iter().map(|name| sign(name)).collect() };
    let (of_p, of_v) = (signs(&plain.layout.positions), signs(&plain.layout.velocities));
    let times =
        |list: &[f64], signs: &[f64]| -> Vec<f64> { list.iter().zip(signs).map(|(a, b)| a * b).collect() };
    let n = of_v.len();
    let mut random = Random(3);
    for _ in 0..5 {
        let (p, v) = (random.list(of_p.len()), random.list(n));
        let theta = &plain.layout.parameter_defaults;
        let here = |kind| evaluate(&plain, kind, &p, &v, theta);
        let there = |kind| evaluate(&image, kind, &times(&p, &of_p), &times(&v, &of_v), theta);
        let close = |a: f64, b: f64, what: &str| {
            assert!((a - b).abs() < 1e-10 * (1.0 + a.abs()), "{what}: {a} and {b}")
        };
        let (m, m_image) = (here(FunctionKind::MassMatrix), there(FunctionKind::MassMatrix));
        for i in 0..n {
            for j in 0..n {
                close(m[i * n + j] * of_v[i] * of_v[j], m_image[i * n + j], "M");
            }
        }
        for (i, (a, b)) in here(FunctionKind::Forces).iter().zip(there(FunctionKind::Forces)).enumerate() {
            close(a * of_v[i], b, &format!("f[{}]", plain.layout.velocities[i]));
        }
        // Rows may change their sign as a whole.
        let (g, g_image) = (here(FunctionKind::Constraints), there(FunctionKind::Constraints));
        let (jac, jac_image) =
            (here(FunctionKind::ConstraintJacobian), there(FunctionKind::ConstraintJacobian));
        let rows = plain.layout.rows.len();
        for row in 0..rows {
            let same = (g[row] * g_image[row]).signum();
            close(g[row] * same, g_image[row], "g");
            for column in 0..n {
                close(jac[column * rows + row] * same * of_v[column], jac_image[column * rows + row], "G");
            }
        }
    }
    assert_eq!(plain.shape(Quantity::MassMatrix), (n, n));
}

const PENDULUM: &str = "
assemblies:
  link:
    connections: [base]
    parameters: {l: 0.5, m: 1}
    bodies:
      rod: {mass: m, com: [0, 0, -l/2], inertia: {xx: m*l^2/12, yy: m*l^2/12}, frames: {end: {position: [0, 0, -l]}}}
    joints:
      pin: {type: revolute, from: base, to: rod, axis: y}
";

#[test]
fn a_chain_of_repeated_links_is_a_chain_written_out() {
    let source = format!(
        "model: chain\n{PENDULUM}bodies: {{}}\ninstances:\n  link: {{of: link, repeat: {{count: 4, index: i, first: {{base: ground}}}}, connect: {{base: previous.rod.end}}, set: {{l: 0.1*i + i^2, m: 2}}}}\n"
    );
    let chain = compiled(&source, &NoFiles);
    let mut by_hand = String::from("model: chain\nparameters:\n");
    for i in 1..=4 {
        by_hand += &format!("  l{i}: 0.1*{i} + {i}^2\n  m{i}: 2\n");
    }
    by_hand += "bodies:\n";
    for i in 1..=4 {
        by_hand += &format!(
            "  rod{i}: {{mass: m{i}, com: [0, 0, -l{i}/2], inertia: {{xx: m{i}*l{i}^2/12, yy: m{i}*l{i}^2/12}}, frames: {{end: {{position: [0, 0, -l{i}]}}}}}}\n"
        );
    }
    by_hand += "joints:\n";
    for i in 1..=4 {
        let from = if i == 1 { "ground".to_owned() } else { format!("rod{}.end", i - 1) };
        by_hand += &format!("  pin{i}: {{type: revolute, from: {from}, to: rod{i}, axis: y}}\n");
    }
    let by_hand = compiled(&by_hand, &NoFiles);
    assert_eq!(chain.program.layout.positions[2], "link_3.pin");
    assert_eq!(chain.program.layout.parameters[0], "link_1.l");
    assert_same(&chain.program, &by_hand.program);
}

#[test]
fn assemblies_hold_assemblies_and_mirrors_of_mirrors_are_turned() {
    let source = format!(
        "model: nested\n{PENDULUM}  pair:\n    connections: [base]\n    parameters: {{length: 0.3}}\n    instances:\n      upper: {{of: link, connect: {{base: base}}, set: {{l: length}}}}\n      lower: {{of: link, mirror: y, connect: {{base: upper.rod.end}}, set: {{l: 2*length}}}}\n    outputs: {{height: position(lower.rod.end).z}}\nbodies: {{}}\ninstances:\n  left: {{of: pair, connect: {{base: ground}}, set: {{length: 0.4}}}}\n  right: {{of: pair, mirror: y, connect: {{base: left.lower.rod.end}}}}\n"
    );
    let nested = compiled(&source, &NoFiles);
    assert_eq!(
        nested.program.layout.positions,
        ["left.upper.pin", "left.lower.pin", "right.upper.pin", "right.lower.pin"]
    );
    assert_eq!(nested.program.layout.outputs, ["left.height", "right.height"]);
}

fn codes(source: &str, loader: &dyn Loader) -> (Vec<&'static str>, String) {
    let reading = model::read("model.yaml", source, loader);
    let problems = match reading.result {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    };
    let codes = problems.iter().map(|diagnostic| diagnostic.problem.code()).collect();
    (codes, render(&problems, &reading.sources))
}

#[test]
fn mistakes_in_included_files_are_shown_there() {
    let loader = files([
        ("parts/a.yaml", "include: [deeper/b.yaml]\nbodies: {one: {mass: 1 furlong}}\n"),
        ("parts/deeper/b.yaml", "tables: {road: {file: ../road.csv, x: s, y: h}}\nmodel: other\n"),
        ("parts/road.csv", "s,h\n0,0\n1,1\n"),
    ]);
    let (found, text) = codes("model: whole\ninclude: [parts/a.yaml]\nbodies: {two: {mass: 2}}\n", &loader);
    assert_eq!(found, ["MBS-S015"]);
    insta::assert_snapshot!(text);
}

#[test]
fn files_that_include_each_other_are_refused() {
    let loader = files([
        ("a.yaml", "include: b.yaml\nbodies: {one: {mass: 1}}\n"),
        ("b.yaml", "include: [a.yaml]\nbodies: {two: {mass: 1}}\n"),
        ("c.yaml", "include: [d.yaml]\nbodies: {three: {mass: 1}}\n"),
        ("d.yaml", "parameters: {k: 1, k2: [1\n"),
        ("e.yaml", "bodies: {two: {mass: 3}}\n"),
    ]);
    let (found, text) = codes("model: whole\ninclude: [a.yaml, c.yaml, e.yaml]\n", &loader);
    assert_eq!(found, ["MBS-N010", "MBS-Y001", "MBS-Y002"]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_file_that_includes_itself_is_told_so() {
    let model = "model: whole\ninclude: whole.yaml\nbodies: {two: {mass: 2}}\n";
    let loader = files([("whole.yaml", model)]);
    let (found, text) = codes(model, &loader);
    assert_eq!(found, ["MBS-N019"]);
    assert!(text.contains("`whole.yaml` includes itself") && text.contains("model.yaml:2:10"), "{text}");

    let part = "include: part.yaml\nbodies: {one: {mass: 1}}\n";
    let (found, text) = codes("model: whole\ninclude: part.yaml\n", &files([("part.yaml", part)]));
    assert_eq!(found, ["MBS-N019"]);
    assert!(text.contains("part.yaml:1:10"), "{text}");

    let loader =
        files([("part.yaml", "include: whole.yaml\n"), ("whole.yaml", "model: a\ninclude: part.yaml\n")]);
    let (found, text) = codes("model: a\ninclude: part.yaml\n", &loader);
    assert_eq!(found, ["MBS-N010"]);
    assert!(text.contains("model.yaml → part.yaml → whole.yaml"), "{text}");
}

#[test]
fn a_file_included_twice_is_read_once() {
    let loader = files([
        ("a.yaml", "include: [c.yaml]\nbodies: {one: {mass: m}}\n"),
        ("b.yaml", "include: [./c.yaml]\nbodies: {two: {mass: m}}\n"),
        ("c.yaml", "parameters: {m: 2}\n"),
    ]);
    let (found, text) = codes("model: whole\ninclude: [a.yaml, b.yaml, c.yaml]\n", &loader);
    assert!(found.is_empty(), "{text}");
}
