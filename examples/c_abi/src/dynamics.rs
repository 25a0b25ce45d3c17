//! The functions of the model on arrays, without a pointer.

use crate::model::{Model, N_LAMBDA, N_MODES, N_P, N_PREPARED, N_U, N_V, N_X, Params};
use mbs_runtime::linalg::{Accelerations, accelerations, workspace_len};
use mbs_runtime::{Accelerated, At, Fused, System};
use std::sync::OnceLock;

/// What depends on parameters alone.
struct Fixed {
    prepared: [f64; N_PREPARED],
    p: [f64; N_P],
    v: [f64; N_V],
    x: [f64; N_X],
    /// Whether input k is the generalised force along velocity k, and nothing else.
    inputs_are_forces: bool,
}

fn fixed() -> &'static Fixed {
    static FIXED: OnceLock<Fixed> = OnceLock::new();
    FIXED.get_or_init(|| {
        let prepared = Params::default().prepare();
        let (mut p, mut v, mut x) = ([0.0; N_P], [0.0; N_V], [0.0; N_X]);
        Model.initial(&prepared, &mut p, &mut v, &mut x);
        let inputs_are_forces = inputs_are_forces(&At {
            t: 0.0,
            p: &p,
            v: &v,
            x: &x,
            u: &[0.0; N_U],
            modes: &[false; N_MODES],
            prepared: &prepared,
        });
        Fixed { prepared, p, v, x, inputs_are_forces }
    })
}

/// Robots have a motor in every joint, and then forces from outside are inputs.
fn inputs_are_forces(at: &At<'_>) -> bool {
    let forces = |u: &[f64; N_U]| {
        let mut f = [0.0; N_V];
        Model.forces(&At { u, ..*at }, &mut f);
        f
    };
    let passive = forces(&[0.0; N_U]);
    N_U == N_V
        && (0..N_U).all(|k| {
            let mut u = [0.0; N_U];
            u[k] = 1.0;
            let change = forces(&u).into_iter().zip(passive).map(|(with, without)| with - without);
            change.enumerate().all(|(row, change)| (change - f64::from(u8::from(row == k))).abs() < 1e-9)
        })
}

/// Calls `work` with the point (q, v), inputs at zero, conditionals as they are there.
fn at<R>(q: &[f64; N_P], v: &[f64; N_V], work: impl FnOnce(&At<'_>) -> R) -> R {
    let Fixed { prepared, x, .. } = fixed();
    let mut modes = [false; N_MODES];
    let anywhere = At { t: 0.0, p: q, v, x, u: &[0.0; N_U], modes: &[], prepared };
    // Conditions may depend on each other, each at most on all others.
    for _ in 0..Model.layout().modes.len() {
        let mut values = [0.0; N_MODES];
        Model.switching_functions(&At { modes: &modes, ..anywhere }, &mut values);
        let mut changed = false;
        for ((mode, kind), value) in modes.iter_mut().zip(Model.layout().mode_kinds.iter()).zip(values) {
            changed |= std::mem::replace(mode, kind.holds(value)) != kind.holds(value);
        }
        if !changed {
            break;
        }
    }
    work(&At { modes: &modes, ..anywhere })
}

pub(crate) fn initial(q: &mut [f64; N_P], v: &mut [f64; N_V]) {
    let fixed = fixed();
    (*q, *v) = (fixed.p, fixed.v);
}

pub(crate) fn mass_matrix(q: &[f64; N_P], m: &mut [f64]) {
    at(q, &[0.0; N_V], |at| Model.mass_matrix(at, m));
}

pub(crate) fn bias(q: &[f64; N_P], v: &[f64; N_V], h: &mut [f64; N_V]) {
    at(q, v, |at| Model.forces(at, h));
    for h in h {
        *h = -*h;
    }
}

pub(crate) fn inverse(q: &[f64; N_P], v: &[f64; N_V], v_dot: &[f64; N_V], tau: &mut [f64; N_V]) {
    at(q, v, |at| Model.inverse_dynamics(at, v_dot, tau));
}

/// Accelerations by the model's own solution, where forces from outside are its inputs.
fn forward_by_inputs(q: &[f64; N_P], v: &[f64; N_V], tau: &[f64; N_V], v_dot: &mut [f64; N_V]) -> Option<()> {
    if !fixed().inputs_are_forces {
        return None;
    }
    at(q, v, |at| {
        let mut out = Accelerated {
            p_dot: &mut [0.0; N_P],
            v_dot,
            lambda: &mut [0.0; N_LAMBDA],
            auxiliary: &mut [0.0; N_X],
            pivots: &mut [0.0; N_V + N_LAMBDA],
        };
        Model.accelerations(&At { u: tau, ..*at }, &mut out).ok()?;
        out.is_reliable().then_some(())
    })
}

/// Solves for the accelerations; `None` if M is not positive definite.
pub(crate) fn forward(
    q: &[f64; N_P],
    v: &[f64; N_V],
    tau: &[f64; N_V],
    v_dot: &mut [f64; N_V],
) -> Option<()> {
    if let Some(()) = forward_by_inputs(q, v, tau, v_dot) {
        return Some(());
    }
    let (mut m, mut f) = ([0.0; N_V * N_V], [0.0; N_V]);
    let (mut g, mut z) = ([0.0; N_LAMBDA * N_V], [0.0; N_LAMBDA]);
    at(q, v, |at| {
        Model.fused(
            at,
            &mut Fused {
                p_dot: &mut [0.0; N_P],
                mass_matrix: &mut m,
                forces: &mut f,
                constraint_jacobian: &mut g,
                acceleration_bias: &mut z,
                auxiliary: &mut [0.0; N_X],
            },
        );
    });
    for (f, tau) in f.iter_mut().zip(tau) {
        *f += tau;
    }
    let system =
        Accelerations { mass_matrix: &m, forces: &f, constraint_jacobian: &g, acceleration_bias: &z };
    let mut workspace = [0.0; workspace_len(N_V, N_LAMBDA)];
    accelerations(&system, &mut workspace, v_dot, &mut [0.0; N_LAMBDA]).ok().map(drop)
}
