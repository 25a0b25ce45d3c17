//! Newton's method on g, in the metric of M.

use super::closing::largest;
use super::normalise;
use super::part::Part;
use super::projection::multiply;
use crate::plant::Plant;
use crate::state::State;
use std::vec;

/// Iterations after which the search is given up.
const MAX_ITERATIONS: usize = 100;

/// Halvings of a step that makes things worse.
const MAX_HALVINGS: u32 = 12;

/// Moves the free motions towards g = 0, less far where a full step promises more than it keeps.
/// What is left of g says whether it arrived.
pub(super) fn close(plant: &mut Plant<'_>, state: &mut State, free: &[usize]) {
    let layout = plant.layout();
    let (n_p, n_v, n_g) = (layout.n_p(), layout.n_v(), layout.n_g);
    let mut g = vec![0.0; n_g];
    let mut part = Part::new(layout, free, n_g);
    let mut delta = vec![0.0; n_v];
    let mut delta_p = vec![0.0; n_p];
    let mut kinematic_matrix = vec![0.0; if layout.is_large() { 0 } else { n_p * n_v }];
    let mut trial = state.p.clone();
    plant.constraints(state.t, &state.p, &state.v, &state.x, &mut g);
    let mut size = largest(&g);
    for _ in 0..MAX_ITERATIONS {
        let State { t, p, v, x, p_dot, x_dot, .. } = state;
        plant.eval_all(*t, p, v, x, p_dot, x_dot);
        part.solve(plant, &g, &mut delta);
        if layout.is_large() {
            plant.at(*t, p, &delta, x, |system, at| system.kinematics(at, &mut delta_p));
        } else {
            plant.at(*t, p, v, x, |system, at| system.kinematic_matrix(at, &mut kinematic_matrix));
            multiply(&kinematic_matrix, &delta, &mut delta_p);
        }
        let step = largest(&delta_p);
        let mut factor = 1.0;
        for _ in 0..=MAX_HALVINGS {
            for ((trial, p), delta) in trial.iter_mut().zip(p.iter()).zip(&delta_p) {
                *trial = p + factor * delta;
            }
            normalise(layout, &mut trial);
            plant.constraints(*t, &trial, v, x, &mut g);
            let now = largest(&g);
            // A step that leaves more than a part of what it should remove has gone too far, perhaps
            // to another assembly. At rounding level the violation no longer falls.
            if now < (1.0 - 0.25 * factor) * size || now < 1e-14 {
                break;
            }
            factor *= 0.5;
        }
        p.copy_from_slice(&trial);
        size = largest(&g);
        if step <= 1e-13 * (1.0 + largest(p)) || !size.is_finite() {
            break;
        }
    }
}
