//! What is fed: each target takes a text and says how it behaved.

use crate::corpus::{self, FORMULAS, URDF_WORDS};
use crate::generate;
use crate::random::Random;
use mbs_symbolic::diag::{Diagnostics, render};
use mbs_symbolic::model::urdf::{UrdfOptions, import, read_urdf};
use mbs_symbolic::model::{self, NoFiles, Reading};
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Program};
use mbs_symbolic::{Options, all_problems, compile};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Something to feed.
pub struct Target {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Feeds one text. A number for each way it behaved, or the promise it broke.
    pub run: fn(&str) -> Result<Vec<u64>, String>,
    /// Texts to start from.
    pub corpus: fn() -> Vec<String>,
    /// Words to put into them.
    pub words: fn() -> Vec<&'static str>,
    /// A text from nothing, in place of mutation.
    pub fresh: Option<fn(&mut Random) -> String>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "yaml", run: yaml, corpus: models_and_failures, words: corpus::words, fresh: None },
    Target { name: "formula", run: formula, corpus: formulas, words: corpus::words, fresh: None },
    Target { name: "urdf", run: urdf, corpus: robots, words: || URDF_WORDS.to_vec(), fresh: None },
    Target {
        name: "compile",
        run: compile_and_evaluate,
        corpus: small_models,
        words: corpus::words,
        fresh: None,
    },
    Target {
        name: "generate",
        run: compile_and_expect_numbers,
        corpus: Vec::new,
        words: Vec::new,
        fresh: Some(generate::model),
    },
];

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

fn models_and_failures() -> Vec<String> {
    let mut texts = corpus::files("models", &["yaml"], 8 << 10);
    texts.extend(corpus::files("tests/pass", &["yaml"], 8 << 10));
    texts.extend(corpus::files("tests/fail", &["yaml"], 8 << 10));
    texts
}

fn small_models() -> Vec<String> {
    let mut texts = corpus::files("models", &["yaml"], 4 << 10);
    texts.extend(corpus::files("tests/pass", &["yaml"], 6 << 10));
    texts
}

fn robots() -> Vec<String> {
    let mut texts = corpus::files("tests/data/urdf", &["urdf"], 16 << 10);
    texts.extend(corpus::files("tests/fail", &["urdf"], 16 << 10));
    texts
}

fn formulas() -> Vec<String> {
    FORMULAS.iter().map(|formula| (*formula).to_owned()).collect()
}

/// Reads a model and shows what is wrong with it.
fn yaml(text: &str) -> Result<Vec<u64>, String> {
    Ok(behaviour(model::read("fuzz.yaml", text, &NoFiles)))
}

/// A reading as features: which diagnostics, and which pairs of them.
fn behaviour(reading: Reading) -> Vec<u64> {
    let Reading { sources, result, fragment } = reading;
    let (problems, size) = match result {
        Ok((model, warnings)) => (warnings, model.joints.len() + model.forces.len()),
        Err(found) => (all_problems(found, fragment.as_deref()), 0),
    };
    let text = render(&problems, &sources);
    let mut features = codes(&problems);
    features.push(hash(&("size", size.min(40))));
    features.push(hash(&("lines", text.len().checked_ilog2())));
    features
}

fn codes(problems: &Diagnostics) -> Vec<u64> {
    let mut codes: Vec<&str> = problems.iter().map(|problem| problem.problem.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    let mut features: Vec<u64> = codes.iter().map(hash).collect();
    features.extend(codes.windows(2).map(|pair| hash(&pair)));
    features
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A formula as an output of a small model in which every kind of name exists.
fn formula(text: &str) -> Result<Vec<u64>, String> {
    let mut quoted = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            ' '..='~' => quoted.push(letter),
            _ => quoted += &format!("\\U{:08X}", u32::from(letter)),
        }
    }
    let source = format!(
        "model: x\nparameters: {{k: 2}}\ninputs: {{u: 0}}\n\
         functions: {{f: {{arguments: [a, b], value: a*b + 1}}}}\ntables: {{curve: {{points: [[0, 0], [1, 1], [2, 0]]}}}}\n\
         bodies: {{arm: {{mass: 1, inertia: {{yy: 1}}, frames: {{tip: {{position: [1, 0, 0]}}}}}}}}\n\
         joints: {{hinge: {{type: revolute, from: ground, to: arm, axis: y, coordinate: q}}}}\noutputs: {{o: \"{quoted}\"}}\n"
    );
    let features = behaviour(model::read("fuzz.yaml", &source, &NoFiles));
    if let Ok(compiled) = compile("fuzz.yaml", &source, &NoFiles, Options::default()) {
        evaluate(&compiled.program);
    }
    Ok(features)
}

/// Reads a robot; what is imported must be a model that is accepted.
fn urdf(text: &str) -> Result<Vec<u64>, String> {
    let mut features = behaviour(read_urdf("fuzz.urdf", text, UrdfOptions::default()));
    for options in
        [UrdfOptions::default(), UrdfOptions { keep_dust: true, floating_base: true, lenient: true }]
    {
        let Ok(imported) = import("fuzz.urdf", text, options) else { continue };
        let reading = model::read("fuzz.yaml", &imported.yaml, &NoFiles);
        if let Err(problems) = reading.result {
            return Err(format!(
                "the import is rejected:\n{}\n{}",
                render(&problems, &reading.sources),
                imported.yaml
            ));
        }
        features.push(hash(&("imported", imported.yaml.len().checked_ilog2())));
    }
    Ok(features)
}

/// Compiles a model and evaluates it; what it gives is its author's business.
fn compile_and_evaluate(text: &str) -> Result<Vec<u64>, String> {
    match compile("fuzz.yaml", text, &NoFiles, Options::default()) {
        Ok(compiled) => {
            evaluate(&compiled.program);
            let layout = &compiled.program.layout;
            let size =
                (layout.velocities.len().min(12), layout.rows.len().min(12), layout.modes.len().min(5));
            Ok(vec![hash(&size)])
        }
        Err(rejected) => Ok(codes(&rejected.diagnostics)),
    }
}

/// Compiles a model that is right by construction: it must be accepted and give numbers.
fn compile_and_expect_numbers(text: &str) -> Result<Vec<u64>, String> {
    let compiled = compile("fuzz.yaml", text, &NoFiles, Options::default())
        .map_err(|rejected| format!("a model that is right is rejected:\n{rejected}"))?;
    match evaluate(&compiled.program) {
        Some(name) => Err(format!("`{name}` is not finite")),
        None => Ok(Vec::new()),
    }
}

/// Evaluates what integrators use at the initial state; the first function that gives
/// something that is not finite.
fn evaluate(program: &Program) -> Option<&'static str> {
    let layout = &program.layout;
    let mut interpreter = Interpreter::new(program);
    let mut prepared = vec![0.0; program.n_prepared()];
    interpreter.prepare(program, &layout.parameter_defaults, &mut prepared);
    let zeros = |count: usize| vec![0.0; count];
    let (mut p, mut v, mut x) =
        (zeros(layout.positions.len()), zeros(layout.velocities.len()), zeros(layout.states.len()));
    let mut u = zeros(layout.inputs.len());
    let (modes, v_dot, lambda) = (vec![false; layout.modes.len()], zeros(v.len()), zeros(layout.rows.len()));
    let mut run = |kind: FunctionKind, p: &[f64], v: &[f64], x: &[f64], u: &[f64]| {
        let inputs =
            Inputs { t: 0.5, p, v, x, u, modes: &modes, prepared: &prepared, v_dot: &v_dot, lambda: &lambda };
        let function = program.function(kind);
        let mut results: Vec<Vec<f64>> =
            function.results.iter().map(|block| zeros(block.entries.len())).collect();
        let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        interpreter.run(program, kind, &inputs, &mut slices);
        results
    };
    if let [initial_p, initial_v, initial_x] = run(FunctionKind::Initial, &p, &v, &x, &u).as_slice() {
        (p, v, x) = (initial_p.clone(), initial_v.clone(), initial_x.clone());
    }
    if let Some(defaults) = run(FunctionKind::InputDefaults, &p, &v, &x, &u).into_iter().next() {
        u = defaults;
    }
    let wanted =
        [FunctionKind::Fused, FunctionKind::Energy, FunctionKind::Outputs, FunctionKind::SwitchingFunctions];
    wanted
        .into_iter()
        .find(|kind| run(*kind, &p, &v, &x, &u).iter().flatten().any(|value| !value.is_finite()))
        .map(FunctionKind::name)
}
