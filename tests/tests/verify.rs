//! `mbs_runtime::verify`: the identities hold for every model, and fail where an instruction is
//! wrong.

use mbs_jit::{Exact, Interpreted};
use mbs_runtime::At;
use mbs_runtime::verify::{Differences, IDENTITIES, Options, Report, verify};
use mbs_symbolic::explain::{Tables, forces_without_potential, is_conservative};
use mbs_symbolic::expr::{BinaryOp, Environment, Graph, evaluate};
use mbs_symbolic::ids::ExprId;
use mbs_symbolic::program::{FunctionKind, Inputs, Instruction, Interpreter, Op, Operand, Program};
use mbs_symbolic::{Compiled, Options as Wanted};
use mbs_tests::load::model_names;
use mbs_tests::models::compiled_with;

fn compiled(name: &str) -> Compiled {
    compiled_with(name, Wanted { provenance: true, ..Wanted::default() })
}

/// What forces do beyond their potential, by the contributions of the elements.
struct Others {
    graph: Graph,
    forces: Vec<ExprId>,
    tables: Tables,
}

impl Others {
    fn of(compiled: &mut Compiled) -> Self {
        let forces = forces_without_potential(&mut compiled.equations);
        let tables = Tables::of(&compiled.equations);
        Self { graph: compiled.equations.graph.clone(), forces, tables }
    }

    fn at(&self, at: &At<'_>, n_theta: usize, out: &mut [f64]) {
        let At { t, p, v, x, u, modes, prepared } = *at;
        let theta = &prepared[..n_theta];
        let environment = Environment { theta, t, p, v, x, u, modes, ..Environment::default() };
        let read = |id, kind, derivative, at| self.tables.read(id, kind, derivative, at);
        out.copy_from_slice(&evaluate(&self.graph, &environment, &read, &self.forces));
    }
}

/// All identities of a program, with exact derivatives.
fn check(program: &Program, others: &Others, samples: usize) -> Report {
    check_with_run(program, others, samples, Options::default().run)
}

/// The same with a run of another length; without one if zero.
fn check_with_run(program: &Program, others: &Others, samples: usize, run: f64) -> Report {
    let n_theta = program.layout.parameters.len();
    let forces = |at: &At<'_>, out: &mut [f64]| others.at(at, n_theta, out);
    let options = Options { samples, seed: 7, other_forces: Some(&forces), run };
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

#[test]
fn identities_have_different_names() {
    let names: std::collections::BTreeSet<&str> = IDENTITIES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), IDENTITIES.len());
}
