//! The parts of a state that are integrated, each with its rate.

use crate::state::State;

pub(super) type Pick = fn(&State) -> (&[f64], &[f64]);

/// p, v and x.
pub(super) const PARTS: [Pick; 3] =
    [|state| (&state.p, &state.p_dot), |state| (&state.v, &state.v_dot), |state| (&state.x, &state.x_dot)];

/// The index of v among [`PARTS`].
pub(super) const VELOCITIES: usize = 1;

/// The values of a part.
pub(super) fn values(state: &mut State, part: usize) -> &mut [f64] {
    match part {
        0 => &mut state.p,
        1 => &mut state.v,
        _ => &mut state.x,
    }
}

/// y = y₀ + h Σ weight · rate, for all parts.
pub(super) fn combine(from: &State, stages: &[State], weights: &[f64], h: f64, into: &mut State) {
    for part in 0..PARTS.len() {
        combine_part(from, stages, weights, h, part, into);
    }
}

/// y = y₀ + h Σ weight · rate, for one part.
pub(super) fn combine_part(
    from: &State,
    stages: &[State],
    weights: &[f64],
    h: f64,
    part: usize,
    into: &mut State,
) {
    let pick = PARTS[part];
    let out = values(into, part);
    out.copy_from_slice(pick(from).0);
    for (stage, weight) in stages.iter().zip(weights) {
        let factor = h * weight;
        if factor != 0.0 {
            for (out, rate) in out.iter_mut().zip(pick(stage).1) {
                *out += factor * rate;
            }
        }
    }
}
