//! A point of the motion.

use crate::Layout;
use std::vec;
use std::vec::Vec;

/// A point of the motion with its rates, and what they were evaluated with.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Positions.
    pub p: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Auxiliary states.
    pub x: Vec<f64>,
    /// p'.
    pub p_dot: Vec<f64>,
    /// v'.
    pub v_dot: Vec<f64>,
    /// x'.
    pub x_dot: Vec<f64>,
    /// Multipliers.
    pub lambda: Vec<f64>,
    /// Modes of a recorded state: those the integrator used, which at an event are those before it.
    pub modes: Vec<bool>,
    /// Inputs of a recorded state, slot by slot.
    pub inputs: Vec<f64>,
}

impl State {
    /// Room for a state of a layout.
    pub fn new(layout: &Layout) -> Self {
        let (n_p, n_v, n_x) = (layout.n_p(), layout.n_v(), layout.n_x());
        Self {
            t: 0.0,
            p: vec![0.0; n_p],
            v: vec![0.0; n_v],
            x: vec![0.0; n_x],
            p_dot: vec![0.0; n_p],
            v_dot: vec![0.0; n_v],
            x_dot: vec![0.0; n_x],
            lambda: vec![0.0; layout.n_lambda()],
            modes: vec![false; layout.modes.len()],
            inputs: vec![0.0; layout.n_u()],
        }
    }

    /// Whether another state has the same time, positions, velocities and auxiliary states.
    pub fn is_at(&self, other: &Self) -> bool {
        self.t == other.t && self.p == other.p && self.v == other.v && self.x == other.x
    }

    /// Takes over another state of the same layout without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        for (to, from) in [
            (&mut self.p, &other.p),
            (&mut self.v, &other.v),
            (&mut self.x, &other.x),
            (&mut self.p_dot, &other.p_dot),
            (&mut self.v_dot, &other.v_dot),
            (&mut self.x_dot, &other.x_dot),
            (&mut self.lambda, &other.lambda),
            (&mut self.inputs, &other.inputs),
        ] {
            to.copy_from_slice(from);
        }
        self.modes.copy_from_slice(&other.modes);
    }
}
