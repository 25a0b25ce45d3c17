//! `mbs_runtime::verify`: the identities hold for every model, and fail where an instruction is
//! wrong.

use mbs_jit::{Exact, Interpreted};
use mbs_runtime::At;
use mbs_runtime::verify::{self, Differences, ForcePowers, IDENTITIES, Options, Report, verify};
use mbs_symbolic::dynamics::{Contribution, Element, Quantity};
use mbs_symbolic::explain::{ForcePower, Tables, force_powers, forces_without_potential, is_conservative};
use mbs_symbolic::expr::{BinaryOp, Environment, Graph, evaluate};
use mbs_symbolic::ids::{ExprId, ForceId, Id};
use mbs_symbolic::model::NoFiles;
use mbs_symbolic::program::{FunctionKind, Inputs, Instruction, Interpreter, Op, Operand, Program};
use mbs_symbolic::{Compiled, Options as Wanted, compile};
use mbs_tests::load::model_names;
use mbs_tests::models::compiled_with;

fn compiled(name: &str) -> Compiled {
    compiled_with(name, Wanted { provenance: true, ..Wanted::default() })
}

/// What forces do beyond their potential, and the powers of the elements, by their contributions.
struct Others {
    graph: Graph,
    forces: Vec<ExprId>,
    powers: Vec<ForcePower>,
    names: Vec<String>,
    tables: Tables,
}

impl Others {
    fn of(compiled: &mut Compiled) -> Self {
        let forces = forces_without_potential(&mut compiled.equations);
        let powers = force_powers(&mut compiled.equations);
        let names = powers.iter().map(|power| power.element.name(&compiled.model).to_owned()).collect();
        let tables = Tables::of(&compiled.equations);
        Self { graph: compiled.equations.graph.clone(), forces, powers, names, tables }
    }

    fn values(&self, at: &At<'_>, n_theta: usize, roots: &[ExprId]) -> Vec<f64> {
        let At { t, p, v, x, u, modes, prepared } = *at;
        let theta = &prepared[..n_theta];
        let environment = Environment { theta, t, p, v, x, u, modes, ..Environment::default() };
        let read = |id, kind, derivative, at| self.tables.read(id, kind, derivative, at);
        evaluate(&self.graph, &environment, &read, roots)
    }

    fn powers(&self, at: &At<'_>, n_theta: usize) -> Vec<verify::ForcePower> {
        let one = |power: &ForcePower| {
            let rest = self.values(at, n_theta, &[power.stored, power.dissipated]);
            let applied = self.values(at, n_theta, &power.applied);
            verify::ForcePower { applied, stored: rest[0], dissipated: rest[1] }
        };
        self.powers.iter().map(one).collect()
    }
}

/// All identities of a program, with exact derivatives.
fn check(program: &Program, others: &Others, samples: usize) -> Report {
    check_with_run(program, others, samples, Options::default().run)
}

/// The same with a run of another length; without one if zero.
fn check_with_run(program: &Program, others: &Others, samples: usize, run: f64) -> Report {
    let n_theta = program.layout.parameters.len();
    let forces = |at: &At<'_>, out: &mut [f64]| {
        out.copy_from_slice(&others.values(at, n_theta, &others.forces));
    };
    let powers = |at: &At<'_>| others.powers(at, n_theta);
    let force_powers = ForcePowers { names: &others.names, at: &powers };
    let options =
        Options { samples, seed: 7, other_forces: Some(&forces), force_powers: Some(force_powers), run };
    verify(&Interpreted::new(program), &Exact::new(program), &options)
}

#[test]
fn every_model_satisfies_the_identities() {
    let mut failures = Vec::new();
    for name in model_names() {
        let mut compiled = compiled(&name);
        let others = Others::of(&mut compiled);
        // The largest have hundreds of columns.
        let samples = if compiled.program.layout.velocities.len() > 20 { 1 } else { 4 };
        let report = check(&compiled.program, &others, samples);
        if let Err(broken) = report.result() {
            failures.push(format!("{name}: {broken}"));
        }
        // Exact derivatives leave rounding only.
        for check in report.checks.iter().filter(|check| check.name == "G" || check.name == "z") {
            let error = check.worst.as_ref().map_or(0.0, |worst| worst.error);
            assert!(error < 1e-12, "{name}: {} is off by {error:.1e}", check.name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What a generated model can check by itself, by differences.
#[test]
fn differences_are_good_enough() {
    for name in ["four_bar", "heavy_top", "rolling_disc", "five_link", "car_axis"] {
        let mut compiled = compiled(name);
        let system = Interpreted::new(&compiled.program);
        let conservative = is_conservative(&mut compiled.equations);
        let other_forces = conservative.then_some(mbs_runtime::verify::CONSERVATIVE);
        let options = Options { samples: 5, other_forces, ..Options::default() };
        let report = verify(&system, &Differences::new(&system), &options);
        report.result().unwrap_or_else(|broken| panic!("{name}: {broken}"));
    }
}

#[test]
fn what_has_a_potential() {
    for (name, expected) in [("heavy_top", true), ("pendulum", true), ("five_link", false), ("truck", false)]
    {
        assert_eq!(is_conservative(&mut compiled(name).equations), expected, "{name}");
    }
}

/// The opposite of an addition or subtraction.
fn flipped(instruction: &Instruction) -> Option<Instruction> {
    let op = match instruction.op {
        Op::Binary(BinaryOp::Add) => BinaryOp::Sub,
        Op::Binary(BinaryOp::Sub) => BinaryOp::Add,
        _ => return None,
    };
    Some(Instruction::new(Op::Binary(op), instruction.operands()))
}

/// Entries of a function that need an instruction, as the report names them.
fn entries(program: &Program, kind: FunctionKind, index: usize) -> Vec<String> {
    let function = program.function(kind);
    let mut touched = vec![false; function.body.len()];
    touched[index] = true;
    for k in index + 1..function.body.len() {
        touched[k] =
            function.body[k].operands().iter().any(|operand| operand.value().is_some_and(|i| touched[i]));
    }
    let layout = &program.layout;
    let rows = layout.rows.len();
    let name = |k: usize| match kind {
        FunctionKind::Forces => format!("f[{}]", layout.velocities[k]),
        FunctionKind::ConstraintJacobian => {
            format!("G[{}, {}]", layout.rows[k % rows].name, layout.velocities[k / rows])
        }
        FunctionKind::AccelerationBias => format!("z[{}]", layout.rows[k].name),
        FunctionKind::MassMatrix => {
            let n = layout.velocities.len();
            format!("M[{}, {}]", layout.velocities[k % n], layout.velocities[k / n])
        }
        other => panic!("{other:?} is not tried"),
    };
    let results = function.entries().enumerate();
    results.filter(|(_, entry)| entry.value().is_some_and(|i| touched[i])).map(|(k, _)| name(k)).collect()
}

/// What a function gives at some state.
fn values(program: &Program, kind: FunctionKind) -> Vec<f64> {
    let layout = &program.layout;
    let some = |n: usize, first: f64| -> Vec<f64> { (0..n).map(|i| first - 0.17 * i as f64).collect() };
    let (p, v) = (some(layout.positions.len(), 0.9), some(layout.velocities.len(), 1.3));
    let (x, u) = (some(layout.states.len(), 0.4), some(layout.inputs.len(), 0.6));
    let modes = vec![false; layout.modes.len()];
    let mut interpreter = Interpreter::new(program);
    let mut prepared = vec![0.0; program.n_prepared()];
    interpreter.prepare(program, &layout.parameter_defaults, &mut prepared);
    let inputs = Inputs {
        t: 0.2,
        p: &p,
        v: &v,
        x: &x,
        u: &u,
        modes: &modes,
        prepared: &prepared,
        ..Inputs::default()
    };
    let mut out = vec![0.0; program.function(kind).entries().count()];
    interpreter.run(program, kind, &inputs, &mut [&mut out]);
    out
}

/// Whether a change changes nothing: cos(a - (a + b)) is cos(a - (a - b)).
fn is_harmless(before: &Program, after: &Program, kind: FunctionKind) -> bool {
    let (before, after) = (values(before, kind), values(after, kind));
    let largest = before.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    before.iter().zip(&after).all(|(a, b)| (a - b).abs() <= 1e-12 * largest)
}

/// One sign turned round in one instruction is found, and one of the entries it spoils is named.
#[test]
fn a_wrong_sign_is_found() {
    let mut tried = 0;
    for name in ["four_bar", "heavy_top", "double_pendulum", "rssr"] {
        let mut compiled = compiled(name);
        let others = Others::of(&mut compiled);
        for (kind, identity) in [
            (FunctionKind::MassMatrix, "M"),
            (FunctionKind::Forces, "f"),
            (FunctionKind::ConstraintJacobian, "G"),
            (FunctionKind::AccelerationBias, "z"),
        ] {
            let body = &compiled.program.function(kind).body;
            let places: Vec<usize> = (0..body.len()).filter(|&i| flipped(&body[i]).is_some()).collect();
            // Some of many; all of few.
            for &index in places.iter().step_by(places.len() / 6 + 1) {
                let mut program = compiled.program.clone();
                let instruction = &mut program.functions[kind as usize].body[index];
                *instruction = flipped(instruction).expect("chosen so");
                if is_harmless(&compiled.program, &program, kind) {
                    continue;
                }
                // Integrating wrong equations may take long.
                let report = check_with_run(&program, &others, 3, 0.0);
                let broken = report.broken().find(|check| check.name == identity);
                let check =
                    broken.unwrap_or_else(|| panic!("{name}: nothing wrong with {kind:?} at {index}"));
                let worst = check.worst.as_ref().expect("it is broken");
                let spoilt = entries(&program, kind, index);
                assert!(spoilt.contains(&worst.entry), "{name}: {} is not in {spoilt:?}", worst.entry);
                assert!(worst.state.is_some());
                tried += 1;
            }
        }
    }
    assert!(tried > 30, "only {tried} instructions");
}

/// Errors of g, c, the energies, T and the poses are found too.
#[test]
fn every_function_is_watched() {
    for (name, kind) in [
        ("four_bar", FunctionKind::Constraints),
        ("four_bar", FunctionKind::Energy),
        ("four_bar", FunctionKind::Fused),
        ("four_bar", FunctionKind::InverseDynamics),
        ("four_bar", FunctionKind::Accelerations),
        ("heavy_top", FunctionKind::Kinematics),
        ("heavy_top", FunctionKind::KinematicMatrix),
        ("heavy_top", FunctionKind::Poses),
    ] {
        let mut compiled = compiled(name);
        let others = Others::of(&mut compiled);
        assert!(check(&compiled.program, &others, 3).result().is_ok(), "{name}");
        // A result with the opposite sign.
        let mut program = compiled.program.clone();
        let function = &mut program.functions[kind as usize];
        let block =
            function.results.iter().position(|block| block.entries.iter().any(|e| e.value().is_some()));
        let block = block.unwrap_or_else(|| panic!("{name}: {kind:?} computes nothing"));
        let entry = function.results[block].entries.iter().position(|e| e.value().is_some()).expect("found");
        let value = function.results[block].entries[entry];
        function.body.push(Instruction::new(Op::Unary(mbs_symbolic::expr::UnaryOp::Neg), &[value]));
        let last = function.body.len() as u32 - 1;
        function.results[block].entries[entry] = Operand::Value(last);
        let report = check(&program, &others, 3);
        assert!(report.result().is_err(), "{name}: {kind:?} with a wrong sign passes");
    }
}

/// A body on a ball joint with a bushing, and a ball over a slope with a contact, each with a law by
/// hand beside it.
const BESIDE_BY_HAND: [(&str, &str); 2] = [
    (
        "mount",
        "model: held
gravity: [0, 0, 0]
bodies: {b: {mass: 1, inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}}
joints: {ball: {type: spherical, from: ground, to: b}}
forces:
  mount: {type: bushing, from: ground, to: b, rotational_stiffness: [1, 4, 9], rotational_damping: [0.1, 0.2, 0.3]}
  by_hand: {type: torque, on: b, torque: [\"(rotation(b).yz - rotation(b).zy)/2\", \"2*(rotation(b).zx - rotation(b).xz)\", \"9*(rotation(b).xy - rotation(b).yx)/2\"]}
",
    ),
    (
        "c",
        "model: slope
bodies: {ball: {mass: 1}}
joints: {p: {type: planar, from: ground, to: ball, normal: y, coordinates: [z, x, th]}}
forces:
  c: {type: contact, on: ball, radius: 0.1, road: -0.5*x, stiffness: 1e5}
  by_hand: {type: force, on: ball, force: [0, 0, \"max(0, 1e5*(0.1 - 0.5*x - z))\"]}
",
    ),
];

/// The balance of power holds for bushings and contacts, and would not for laws that have no
/// potential: a torque by the skew part of R with unequal stiffnesses, a vertical push on a slope.
#[test]
fn a_law_without_potential_is_found() {
    for (name, text) in BESIDE_BY_HAND {
        let wanted = Wanted { provenance: true, ..Wanted::default() };
        let compiled =
            || compile(name, text, &NoFiles, wanted.clone()).unwrap_or_else(|rejected| panic!("{rejected}"));
        let check = |mut compiled: Compiled| {
            let others = Others::of(&mut compiled);
            assert_eq!(others.names, [name], "the law by hand has no balance");
            let report = check_with_run(&compiled.program, &others, 20, 0.0);
            report.checks.into_iter().find(|check| check.name == "force powers").expect("an identity")
        };
        let right = check(compiled());
        let error = right.worst.as_ref().expect("it was checked").error;
        assert!(error < 1e-13, "{name}: {error:e}");
        // Now the law by hand in its place.
        let [element, by_hand] = [0, 1].map(|index| Element::Force(ForceId::new(index)));
        let mut wrong = compiled();
        let is_force = |term: &Contribution| matches!(term.quantity, Quantity::Force(_));
        wrong.equations.contributions.retain(|term| !(term.element == element && is_force(term)));
        for term in wrong.equations.contributions.iter_mut().filter(|term| term.element == by_hand) {
            term.element = element;
        }
        let wrong = check(wrong);
        assert!(!wrong.holds(), "{name}: nothing wrong");
        assert_eq!(wrong.worst.expect("it was checked").entry, format!("force {name}"));
    }
}

/// The power of every element whose law the compiler knows is in balance, above roads that move and
/// bend, too; laws by value and stiffnesses that depend on the motion have none.
#[test]
fn every_known_law_is_in_balance() {
    let text = "model: all
inputs: {lift: {value: 0.1*sin(2*t), derivatives: 2}}
bodies:
  a: {mass: 1, inertia: {xx: 0.1, yy: 0.2, zz: 0.25}, frames: {tip: {position: [0.3, 0.1, -0.2], rotation: [{axis: x, angle: 0.4}]}}}
  b: {mass: 2, inertia: {xx: 0.3, yy: 0.2, zz: 0.4}, frames: {tip: {position: [-0.2, 0.2, 0.5], rotation: [{axis: z, angle: 0.7}]}}}
joints:
  free: {type: free, from: ground, to: a}
  arm: {type: revolute, from: a.tip, to: b, axis: y, coordinate: phi}
forces:
  strut: {type: spring_damper, from: ground, to: b.tip, stiffness: 20, damping: 2, length: 0.4, preload: 3}
  coil: {type: joint_spring, joint: arm, stiffness: 5, damping: 0.3, rest: 0.2, preload: 1}
  rub: {type: joint_friction, joint: arm, coulomb: 2, regularisation: 0.5, viscous: 0.3}
  mount: {type: bushing, from: ground, to: b.tip, stiffness: [3, 2, 1], damping: [0.1, 0.2, 0.3], rotational_stiffness: [3, 4, 5], rotational_damping: [0.3, 0.4, 0.5]}
  ball: {type: contact, on: b.tip, radius: 0.2, road: \"0.2*sin(x + t) + 0.1*x*y + 1 + lift\", stiffness: 40, damping: 2}
  level: {type: point_contact_tyre, on: a.tip, radius: 0.2, road: 0.5 + lift, stiffness: 40, damping: 2}
  rough: {type: point_contact_tyre, on: a.tip, radius: 0.2, road: 0.5*x, stiffness: 40}
  drive: {type: joint_torque, joint: arm, torque: -phi}
  hard: {type: joint_spring, joint: arm, stiffness: 5 + phi^2}
";
    let wanted = Wanted { provenance: true, ..Wanted::default() };
    let compiled = compile("all", text, &NoFiles, wanted);
    let mut compiled = compiled.unwrap_or_else(|rejected| panic!("{rejected}"));
    assert_eq!(compiled.program.layout.without_potential, ["rough", "drive", "hard"]);
    let others = Others::of(&mut compiled);
    assert_eq!(others.names, ["strut", "coil", "rub", "mount", "ball", "level"]);
    let report = check_with_run(&compiled.program, &others, 60, 0.0);
    report.result().unwrap_or_else(|broken| panic!("{broken}"));
    let powers = report.checks.iter().find(|check| check.name == "force powers").expect("an identity");
    let worst = powers.worst.as_ref().expect("it was checked");
    assert!(worst.error < 1e-12, "{worst:?}");
}

#[test]
fn identities_have_different_names() {
    let names: std::collections::BTreeSet<&str> = IDENTITIES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), IDENTITIES.len());
}
