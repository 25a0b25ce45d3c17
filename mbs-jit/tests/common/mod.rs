//! Models and states for all tests.
#![allow(dead_code, reason = "each test uses its part")]

use mbs_jit::Read;
use mbs_runtime::{At, Layout, Names, System};
use mbs_symbolic::Options;
use mbs_symbolic::model::{self, Loader};
use mbs_symbolic::program::{FunctionKind, Program};
use std::path::{Path, PathBuf};

/// Files beside a model.
struct Files(PathBuf);

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(self.0.join(path)).map_err(|error| error.to_string())
    }
}

/// Compiles the model of a file with the Jacobians of all its frames, with or without its own.
fn compile(path: &Path, jacobian: bool) -> Program {
    let source = std::fs::read_to_string(path).expect("a readable model");
    let files = Files(path.parent().expect("a folder").to_owned());
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let (model, _) = model::read(name, &source, &files).result.expect("a model");
    let frame_jacobians = model.frames.ids().map(|id| model.frame_name(id)).collect();
    let options = Options { jacobian, frame_jacobians, ..Options::default() };
    match mbs_symbolic::compile(name, &source, &files, options) {
        Ok(compiled) => compiled.program,
        Err(rejected) => panic!("{rejected}"),
    }
}

/// The models of the repository, and one with tables, modes and laws of every kind.
fn paths() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("../models"), here.join("tests/models")];
    let listed = |folder: &PathBuf| std::fs::read_dir(folder).expect("a folder of models");
    let mut paths: Vec<PathBuf> =
        folders.iter().flat_map(listed).map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    assert!(paths.len() > 20, "the models have moved");
    paths
}

fn name(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).expect("a name")
}

/// All models with their names.
pub(crate) fn models() -> Vec<(String, Program)> {
    paths().iter().map(|path| (name(path).to_owned(), compile(path, false))).collect()
}

/// One of them.
pub(crate) fn model(wanted: &str) -> Program {
    compile(&path(wanted), false)
}

/// One of them with its Jacobian.
pub(crate) fn model_with_jacobian(wanted: &str) -> Program {
    compile(&path(wanted), true)
}

fn path(wanted: &str) -> PathBuf {
    let path = paths().into_iter().find(|path| name(path) == wanted);
    path.expect("a model of this name")
}

/// All models with their Jacobians but the longest chain, which takes long and says
/// nothing new.
pub(crate) fn models_with_jacobian() -> Vec<(String, Program)> {
    let paths = paths().into_iter().filter(|path| name(path) != "chain30");
    paths.map(|path| (name(&path).to_owned(), compile(&path, true))).collect()
}

/// Names as a list.
pub(crate) fn names(names: &Names) -> Vec<String> {
    names.iter().map(str::to_owned).collect()
}

/// The bits, but all NaN alike.
pub(crate) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect()
}

/// Numbers that look random and are the same in every run (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: &str) -> Self {
        Self(seed.bytes().fold(0x9E37_79B9_7F4A_7C15, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between −2 and 2.
    pub(crate) fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0
    }

    fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

/// Everything a function may depend on.
pub(crate) struct State {
    pub(crate) theta: Vec<f64>,
    t: f64,
    p: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
    modes: Vec<bool>,
    v_dot: Vec<f64>,
    lambda: Vec<f64>,
}

impl State {
    pub(crate) fn random(layout: &Layout, random: &mut Random) -> Self {
        Self {
            theta: layout.parameter_defaults.to_vec(),
            t: random.number().abs(),
            p: random.numbers(layout.n_p()),
            v: random.numbers(layout.n_v()),
            x: random.numbers(layout.n_x()),
            u: random.numbers(layout.n_u()),
            modes: (0..layout.modes.len()).map(|_| random.number() < 0.0).collect(),
            v_dot: random.numbers(layout.n_v()),
            lambda: random.numbers(layout.n_lambda()),
        }
    }

    pub(crate) fn prepared(&self, system: &dyn System) -> Vec<f64> {
        let mut prepared = vec![f64::NAN; system.layout().n_prepared];
        system.prepare(&self.theta, &mut prepared);
        prepared
    }

    pub(crate) fn at<'a>(&'a self, prepared: &'a [f64]) -> At<'a> {
        At { t: self.t, p: &self.p, v: &self.v, x: &self.x, u: &self.u, modes: &self.modes, prepared }
    }

    /// The Jacobian of a system that has one.
    pub(crate) fn jacobian(&self, system: &dyn System) -> Vec<f64> {
        let layout = system.layout();
        let mut out = vec![1e99; layout.jacobian_rows() * layout.jacobian_columns()];
        let prepared = self.prepared(system);
        let result = system.jacobian(&self.at(&prepared), &self.v_dot, &self.lambda, &mut out);
        assert_eq!(result, Ok(()), "compiled with its Jacobian");
        out
    }

    /// All functions of a system made of a program, by name.
    pub(crate) fn evaluate(&self, program: &Program, system: &dyn System) -> Vec<(&'static str, Vec<f64>)> {
        let prepared = self.prepared(system);
        let at = &self.at(&prepared);
        let read = Read { at, v_dot: &self.v_dot, lambda: &self.lambda };
        let mut all = Vec::new();
        for kind in FunctionKind::ALL.into_iter().filter(|&kind| program.has(kind)) {
            let shapes = kind.quantities().iter().map(|&quantity| program.shape(quantity));
            let mut parts: Vec<Vec<f64>> = shapes.map(|(rows, columns)| vec![1e99; rows * columns]).collect();
            let mut slices: Vec<&mut [f64]> = parts.iter_mut().map(Vec::as_mut_slice).collect();
            assert_eq!(mbs_jit::call(system, kind, read, &mut slices), Ok(()), "the program has it");
            all.push((kind.name(), parts.concat()));
        }
        all.push(("prepare", prepared));
        all
    }
}
