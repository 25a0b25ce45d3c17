//! The shared library as a C program sees it: loaded by name, functions by symbol.
#![expect(unsafe_code, reason = "loads a library and calls what is in it")]

use libloading::{Library, Symbol};
use serde_json::Value;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::{CStr, c_char, c_int};

type Count = extern "C" fn() -> usize;
type Two = unsafe extern "C" fn(*const f64, *mut f64) -> c_int;
type Three = unsafe extern "C" fn(*const f64, *const f64, *mut f64) -> c_int;
type Four = unsafe extern "C" fn(*const f64, *const f64, *const f64, *mut f64) -> c_int;

/// The library cargo built beside this test.
fn library() -> Library {
    let test = std::env::current_exe().expect("the test has a path");
    let name = format!("{DLL_PREFIX}example_c_abi{DLL_SUFFIX}");
    let directories = test.ancestors().skip(1).take(2);
    let path = directories.map(|directory| directory.join(&name)).find(|path| path.exists());
    // SAFETY: loading runs nothing of ours.
    unsafe { Library::new(path.expect("cargo builds the library")) }.expect("it can be loaded")
}

/// A function of the library.
fn symbol<'l, T>(library: &'l Library, name: &str) -> Symbol<'l, T> {
    // SAFETY: callers name the type the library declares.
    unsafe { library.get(name.as_bytes()) }.expect(name)
}

struct Model {
    library: Library,
    n_v: usize,
}

impl Model {
    fn new() -> Self {
        let library = library();
        let n_v = symbol::<Count>(&library, "mbs_n_v")();
        assert_eq!(symbol::<Count>(&library, "mbs_n_q")(), n_v, "these tests are for trees of single joints");
        Self { library, n_v }
    }

    fn name(&self) -> String {
        let name = symbol::<extern "C" fn() -> *const c_char>(&self.library, "mbs_model_name")();
        // SAFETY: the library says that the text ends in zero and lives as long as itself.
        unsafe { CStr::from_ptr(name) }.to_str().expect("a name").to_owned()
    }

    fn mass_matrix(&self, q: &[f64]) -> Vec<f64> {
        let mut m = vec![0.0; self.n_v * self.n_v];
        // SAFETY: lengths as the header says.
        let status = unsafe { symbol::<Two>(&self.library, "mbs_mass_matrix")(q.as_ptr(), m.as_mut_ptr()) };
        assert_eq!(status, 0);
        m
    }

    fn bias(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut h = vec![0.0; self.n_v];
        let function = symbol::<Three>(&self.library, "mbs_bias");
        // SAFETY: lengths as the header says.
        assert_eq!(unsafe { function(q.as_ptr(), v.as_ptr(), h.as_mut_ptr()) }, 0);
        h
    }

    fn four(&self, name: &str, [a, b, c]: [&[f64]; 3]) -> Vec<f64> {
        let mut out = vec![0.0; self.n_v];
        let function = symbol::<Four>(&self.library, name);
        // SAFETY: lengths as the header says.
        assert_eq!(unsafe { function(a.as_ptr(), b.as_ptr(), c.as_ptr(), out.as_mut_ptr()) }, 0);
        out
    }
}

/// The model has rotations of its source rounded to right angles, which costs a few units in the
/// eleventh digit.
const TOLERANCE: f64 = 1e-10;

fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    let scale = expected.iter().fold(1e-3, |m: f64, x| m.max(x.abs()));
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= TOLERANCE * scale, "{what}[{index}]: {a} not {b}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// M, h, τ and v' of another program at three states of the UR5.
#[test]
fn ur5_as_another_program_has_it() {
    let model = Model::new();
    if model.name() != "ur5" {
        // The library was built for another model.
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/peers/ur5.json");
    let data: Value = serde_json::from_str(&std::fs::read_to_string(path).expect(path)).expect("JSON");
    let states = data["states"].as_array().expect("states");
    assert_eq!(states.len(), 3);
    for state in states {
        let [q, v, tau, h, qdd] = ["q", "v", "tau", "h", "qdd"].map(|key| numbers(&state[key]));
        let lower: Vec<Vec<f64>> = state["M_lower"].as_array().expect("rows").iter().map(numbers).collect();
        let entry = |k: usize| lower[(k % 6).max(k / 6)][(k % 6).min(k / 6)];
        let m: Vec<f64> = (0..36).map(entry).collect();
        assert_close("M", &model.mass_matrix(&q), &m);
        assert_close("h", &model.bias(&q, &v), &h);
        assert_close("tau", &model.four("mbs_inverse_dynamics", [&q, &v, &qdd]), &tau);
        assert_close("qdd", &model.four("mbs_forward_dynamics", [&q, &v, &tau]), &qdd);
    }
}

#[test]
fn null_is_refused() {
    let model = Model::new();
    let mut out = vec![7.0; model.n_v * model.n_v];
    let function = symbol::<Two>(&model.library, "mbs_mass_matrix");
    // SAFETY: null pointers are allowed.
    unsafe {
        assert_eq!(function(std::ptr::null(), out.as_mut_ptr()), 1);
        assert_eq!(function(out.as_ptr(), std::ptr::null_mut()), 1);
    }
    assert!(out.iter().all(|x| *x == 7.0));
}
