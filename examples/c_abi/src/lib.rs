//! One model as a shared library: mass matrix, bias forces, inverse and forward dynamics on
//! plain arrays. `include/mbs_model.h` declares the same for C.
//!
//! ```sh
//! MBS_MODEL=models/panda.yaml cargo build --release -p example-c-abi
//! ```
//!
//! builds it for any model (UR5 without the variable); the library is
//! `target/release/libexample_c_abi.so`, or what the platform calls it. Parameters are the
//! model's defaults, time is zero, auxiliary states have their initial values.
#![expect(unsafe_code, reason = "pointers from C")]

mod dynamics;

use std::ffi::{c_char, c_int};
use std::slice;

include!(concat!(env!("OUT_DIR"), "/model.rs"));
use model::{N_LAMBDA, N_P, N_U, N_V};

/// What the functions return.
const OK: c_int = 0;
const NULL_POINTER: c_int = 1;
const SINGULAR: c_int = 2;

/// The model's name for C, with the zero at its end.
static NAME: [u8; NAME_LENGTH] = {
    let mut text = [0; NAME_LENGTH];
    let mut index = 0;
    while index + 1 < NAME_LENGTH {
        text[index] = MODULE.as_bytes()[index];
        index += 1;
    }
    text
};
const NAME_LENGTH: usize = MODULE.len() + 1;

/// Name of the model, ending in zero; lives as long as the library.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub extern "C" fn mbs_model_name() -> *const c_char {
    NAME.as_ptr().cast()
}

/// Number of positions q.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub extern "C" fn mbs_n_q() -> usize {
    N_P
}

/// Number of velocities v.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub extern "C" fn mbs_n_v() -> usize {
    N_V
}

/// Number of constraint rows; zero for trees.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub extern "C" fn mbs_n_lambda() -> usize {
    N_LAMBDA
}

/// Number of input slots, all of them zero here.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub extern "C" fn mbs_n_u() -> usize {
    N_U
}

/// Initial values of the model, not yet made consistent: q and v.
///
/// # Safety
/// `q` and `v` are null or point to `mbs_n_q()` and `mbs_n_v()` numbers that nobody else uses
/// during the call.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub unsafe extern "C" fn mbs_initial(q: *mut f64, v: *mut f64) -> c_int {
    // SAFETY: lengths and exclusiveness are the caller's promise.
    let (Some(q), Some(v)) = (unsafe { array_mut::<N_P>(q) }, unsafe { array_mut::<N_V>(v) }) else {
        return NULL_POINTER;
    };
    dynamics::initial(q, v);
    OK
}

/// M(q), `mbs_n_v()` squared numbers. Symmetric, so that row by row and column by column are
/// the same.
///
/// # Safety
/// `q` is null or points to `mbs_n_q()` numbers, `m` is null or points to `mbs_n_v()` squared
/// numbers that nobody else uses during the call.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub unsafe extern "C" fn mbs_mass_matrix(q: *const f64, m: *mut f64) -> c_int {
    // SAFETY: lengths and exclusiveness are the caller's promise.
    let (Some(q), Some(m)) = (unsafe { array::<N_P>(q) }, unsafe { array_mut::<{ N_V * N_V }>(m) }) else {
        return NULL_POINTER;
    };
    dynamics::mass_matrix(q, m);
    OK
}

/// h(q, v) of M v' + h = τ: gravity, springs and velocity terms, inputs at zero.
///
/// # Safety
/// `q` and `v` are null or point to `mbs_n_q()` and `mbs_n_v()` numbers, `h` is null or points
/// to `mbs_n_v()` numbers that nobody else uses during the call.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub unsafe extern "C" fn mbs_bias(q: *const f64, v: *const f64, h: *mut f64) -> c_int {
    // SAFETY: lengths and exclusiveness are the caller's promise.
    let inputs = unsafe { (array::<N_P>(q), array::<N_V>(v), array_mut::<N_V>(h)) };
    let (Some(q), Some(v), Some(h)) = inputs else { return NULL_POINTER };
    dynamics::bias(q, v, h);
    OK
}

/// τ = M v' + h: the generalised forces that produce v'.
///
/// # Safety
/// `q`, `v` and `v_dot` are null or point to `mbs_n_q()`, `mbs_n_v()` and `mbs_n_v()` numbers,
/// `tau` is null or points to `mbs_n_v()` numbers that nobody else uses during the call.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub unsafe extern "C" fn mbs_inverse_dynamics(
    q: *const f64,
    v: *const f64,
    v_dot: *const f64,
    tau: *mut f64,
) -> c_int {
    // SAFETY: lengths and exclusiveness are the caller's promise.
    let inputs = unsafe { (array::<N_P>(q), array::<N_V>(v), array::<N_V>(v_dot), array_mut::<N_V>(tau)) };
    let (Some(q), Some(v), Some(v_dot), Some(tau)) = inputs else { return NULL_POINTER };
    dynamics::inverse(q, v, v_dot, tau);
    OK
}

/// v' of M v' + h = τ − Gᵀλ, 0 = G v' + z: accelerations under generalised forces τ. Returns 2
/// if nothing resists some motion.
///
/// # Safety
/// `q`, `v` and `tau` are null or point to `mbs_n_q()`, `mbs_n_v()` and `mbs_n_v()` numbers,
/// `v_dot` is null or points to `mbs_n_v()` numbers that nobody else uses during the call.
#[unsafe(no_mangle)] // SAFETY: no other function of the program has this name.
pub unsafe extern "C" fn mbs_forward_dynamics(
    q: *const f64,
    v: *const f64,
    tau: *const f64,
    v_dot: *mut f64,
) -> c_int {
    // SAFETY: lengths and exclusiveness are the caller's promise.
    let inputs = unsafe { (array::<N_P>(q), array::<N_V>(v), array::<N_V>(tau), array_mut::<N_V>(v_dot)) };
    let (Some(q), Some(v), Some(tau), Some(v_dot)) = inputs else { return NULL_POINTER };
    match dynamics::forward(q, v, tau, v_dot) {
        Some(()) => OK,
        None => SINGULAR,
    }
}

/// The numbers a pointer from C points to.
///
/// # Safety
/// `pointer` is null or points to `N` numbers that nobody writes while the array is used.
unsafe fn array<'a, const N: usize>(pointer: *const f64) -> Option<&'a [f64; N]> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and the caller promises N numbers that stay as they are.
    unsafe { slice::from_raw_parts(pointer, N) }.try_into().ok()
}

/// The same, to write to.
///
/// # Safety
/// `pointer` is null or points to `N` numbers that nobody else uses while the array is.
unsafe fn array_mut<'a, const N: usize>(pointer: *mut f64) -> Option<&'a mut [f64; N]> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and the caller promises N numbers for us alone.
    unsafe { slice::from_raw_parts_mut(pointer, N) }.try_into().ok()
}
