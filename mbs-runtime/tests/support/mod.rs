//! Small mechanisms written by hand, and what tests of integrators share.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod closed_forms;
pub(crate) mod constrained;
pub(crate) mod failing;
pub(crate) mod switching;

use mbs_runtime::constraint::{Tolerances, consistent};
use mbs_runtime::integrate::{Method, Projection, StepSettings};
use mbs_runtime::linalg::Saddle;
use mbs_runtime::{
    At, Defaults, Energy, Fused, Layout, List, ModeKind, ModeUse, Names, NotGenerated, Plant, Quaternion,
    RowKind, State, System,
};

/// The equations of a mechanism; what it does not say is zero, and T = I.
pub(crate) trait Mechanism: Send + Sync + Sized + 'static {
    fn sizes(&self) -> Sizes;
    fn start(&self, p: &mut [f64], v: &mut [f64], x: &mut [f64]);
    fn mass(&self, at: &At<'_>, m: &mut [f64]);
    fn force(&self, at: &At<'_>, f: &mut [f64]);
    fn g(&self, _: &At<'_>, _: &mut [f64]) {}
    fn jacobian(&self, _: &At<'_>, _: &mut [f64]) {}
    fn c(&self, _: &At<'_>, _: &mut [f64]) {}
    fn z(&self, _: &At<'_>, _: &mut [f64]) {}
    fn rates(&self, _: &At<'_>, _: &mut [f64]) {}
    fn cosines(&self, _: &At<'_>, _: &mut [f64]) {}
    fn switches(&self, _: &At<'_>, _: &mut [f64]) {}
    fn t_matrix(&self, _: &At<'_>, t: &mut [f64]) {
        let n = self.sizes().v;
        (0..n).for_each(|i| t[i * n + i] = 1.0);
    }
    fn energy(&self, _: &At<'_>) -> Energy {
        Energy::default()
    }
    /// From when on inverse dynamics is no number.
    fn spoilt_from(&self) -> f64 {
        f64::INFINITY
    }
    fn model(self) -> Model<Self> {
        Model { layout: self.sizes().layout(), mechanism: self }
    }
}

/// Dimensions of a mechanism.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sizes {
    pub(crate) p: usize,
    pub(crate) v: usize,
    pub(crate) x: usize,
    pub(crate) g: usize,
    pub(crate) lambda: usize,
    pub(crate) u: usize,
    /// For each mode, whether its function is one of time alone.
    pub(crate) modes: &'static [bool],
    /// Where modes matter, with the conditions; empty for always.
    pub(crate) uses: &'static [ModeUse],
    pub(crate) conditions: &'static [(u32, bool)],
    pub(crate) quaternions: &'static [Quaternion],
    /// Joints that can be turned over.
    pub(crate) closures: &'static [&'static str],
}

impl Sizes {
    fn layout(&self) -> Layout {
        let names = |letter: &str, n: usize| -> Names {
            (0..n).map(|k| format!("{letter}{k}")).collect::<Vec<_>>().into()
        };
        let rows = (0..self.lambda)
            .map(|row| if row < self.g { RowKind::Distance } else { RowKind::Nonholonomic })
            .collect::<Vec<_>>();
        Layout {
            model: Names::from_static(&["by_hand"]),
            positions: names("q", self.p),
            velocities: names("q", self.v),
            states: names("x", self.x),
            inputs: names("u", self.u),
            rows: names("row", self.lambda),
            row_kinds: rows.into(),
            n_g: self.g,
            quaternions: List::from_static(self.quaternions),
            modes: names("mode", self.modes.len()),
            mode_kinds: vec![ModeKind::Negative; self.modes.len()].into(),
            time_modes: List::from_static(self.modes),
            mode_uses: List::from_static(self.uses),
            mode_conditions: List::from_static(self.conditions),
            closures: Names::from_static(self.closures),
            ..Layout::default()
        }
    }
}

/// A mechanism as a system.
pub(crate) struct Model<M> {
    layout: Layout,
    mechanism: M,
}

impl<M: Mechanism> System for Model<M> {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn prepare(&self, _: &[f64], _: &mut [f64]) {}
    fn kinematics(&self, at: &At<'_>, out: &mut [f64]) {
        let mut t = [0.0; 64];
        let t = &mut t[..self.layout.n_p() * self.layout.n_v()];
        self.mechanism.t_matrix(at, t);
        out.fill(0.0);
        for (column, v) in t.chunks_exact(self.layout.n_p()).zip(at.v) {
            for (out, t) in out.iter_mut().zip(column) {
                *out += t * v;
            }
        }
    }
    fn kinematic_matrix(&self, at: &At<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.mechanism.t_matrix(at, out);
    }
    fn mass_matrix(&self, at: &At<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.mechanism.mass(at, out);
    }
    fn forces(&self, at: &At<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.mechanism.force(at, out);
    }
    fn constraints(&self, at: &At<'_>, out: &mut [f64]) {
        self.mechanism.g(at, out);
    }
    fn constraint_jacobian(&self, at: &At<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.mechanism.jacobian(at, out);
    }
    fn velocity_bias(&self, at: &At<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.mechanism.c(at, out);
    }
    fn acceleration_bias(&self, at: &At<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.mechanism.z(at, out);
    }
    fn closure_cosines(&self, at: &At<'_>, out: &mut [f64]) {
        self.mechanism.cosines(at, out);
    }
    fn auxiliary(&self, at: &At<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.mechanism.rates(at, out);
    }
    fn fused(&self, at: &At<'_>, out: &mut Fused<'_>) {
        self.kinematics(at, out.p_dot);
        self.mass_matrix(at, out.mass_matrix);
        self.forces(at, out.forces);
        self.constraint_jacobian(at, out.constraint_jacobian);
        self.acceleration_bias(at, out.acceleration_bias);
        self.auxiliary(at, out.auxiliary);
    }
    fn inverse_dynamics(&self, at: &At<'_>, v_dot: &[f64], out: &mut [f64]) {
        let n = out.len();
        let (mut m, mut f) = ([0.0; 64], [0.0; 8]);
        self.mass_matrix(at, &mut m[..n * n]);
        self.forces(at, &mut f[..n]);
        for (i, out) in out.iter_mut().enumerate() {
            *out = (0..n).map(|j| m[j * n + i] * v_dot[j]).sum::<f64>() - f[i];
        }
        if at.t > self.mechanism.spoilt_from() {
            out.fill(f64::NAN);
        }
    }
    fn switching_functions(&self, at: &At<'_>, out: &mut [f64]) {
        self.mechanism.switches(at, out);
    }
    fn outputs(&self, _: &At<'_>, _: &[f64], _: &[f64], _: &mut [f64]) {}
    fn poses(&self, _: &At<'_>, _: &mut [f64]) {}
    fn energy(&self, at: &At<'_>) -> Energy {
        self.mechanism.energy(at)
    }
    fn input_defaults(&self, _: f64, _: &[bool], _: &[f64], _: &mut [f64]) {}
    fn initial(&self, _: &[f64], p: &mut [f64], v: &mut [f64], x: &mut [f64]) {
        self.mechanism.start(p, v, x);
    }
    fn derived(&self, _: &[f64], _: &mut [f64]) {}
    /// By central differences: good enough for Newton's method.
    fn jacobian(
        &self,
        at: &At<'_>,
        v_dot: &[f64],
        lambda: &[f64],
        out: &mut [f64],
    ) -> Result<(), NotGenerated> {
        let Layout { n_g, .. } = self.layout;
        let (n_p, n_v, n_lambda) = (at.p.len(), at.v.len(), lambda.len());
        let residuals = |y: &[f64; 32], out: &mut [f64; 32]| {
            let (p, rest) = y.split_at(n_p);
            let (v, x) = rest.split_at(n_v);
            let at = At { p, v, x: &x[..at.x.len()], ..*at };
            let mut g = [0.0; 64];
            let g = &mut g[..n_lambda * n_v];
            self.constraint_jacobian(&at, g);
            self.inverse_dynamics(&at, v_dot, &mut out[..n_v]);
            for (i, out) in out[..n_v].iter_mut().enumerate() {
                *out = -*out - (0..n_lambda).map(|k| g[i * n_lambda + k] * lambda[k]).sum::<f64>();
            }
            let (out, rest) = out[n_v..].split_at_mut(n_g);
            self.constraints(&at, out);
            let (out, rest) = rest.split_at_mut(n_lambda);
            self.velocity_bias(&at, out);
            for (k, out) in out.iter_mut().enumerate() {
                *out += (0..n_v).map(|i| g[i * n_lambda + k] * v[i]).sum::<f64>();
            }
            self.auxiliary(&at, &mut rest[..at.x.len()]);
        };
        let mut y = [0.0; 32];
        for (y, value) in y.iter_mut().zip(at.p.iter().chain(at.v).chain(at.x)) {
            *y = *value;
        }
        for (k, column) in out.chunks_exact_mut(self.layout.jacobian_rows()).enumerate() {
            let step = 1e-6 * (1.0 + y[k].abs());
            let (mut low, mut high) = ([0.0; 32], [0.0; 32]);
            let here = y[k];
            y[k] = here - step;
            residuals(&y, &mut low);
            y[k] = here + step;
            residuals(&y, &mut high);
            y[k] = here;
            for ((out, low), high) in column.iter_mut().zip(low).zip(high) {
                *out = (high - low) / (2.0 * step);
            }
        }
        Ok(())
    }
}

/// A system at work with default inputs.
pub(crate) fn plant(system: &dyn System) -> Plant<'_> {
    Plant::new(system, &[], Box::new(Defaults))
}

/// The consistent start with its rates.
pub(crate) fn start(plant: &mut Plant<'_>) -> State {
    let layout = plant.layout();
    let mut state = State::new(layout);
    plant.initial(&mut state);
    consistent(plant, &mut state).unwrap();
    let mut saddle = Saddle::new(layout.n_v(), layout.n_lambda());
    plant.eval_derivatives(&mut state, &mut saddle).unwrap();
    state
}

/// Tolerances for runs with a fixed step: only projections look at them.
pub(crate) fn tight(projection: Projection) -> StepSettings {
    StepSettings { tolerances: Tolerances { rtol: 1e-10, atol: 1e-10 }, projection }
}

/// `n` equal steps from the start to `t_end`.
pub(crate) fn fixed_steps(
    plant: &mut Plant<'_>,
    method: &mut dyn Method,
    t_end: f64,
    n: u32,
    projection: Projection,
) -> State {
    let mut state = start(plant);
    let mut next = state.clone();
    let settings = tight(projection);
    for step in 0..n {
        let h = (t_end - state.t) / f64::from(n - step);
        method.attempt(plant, &state, h, &settings, &mut next).unwrap();
        method.accepted(plant);
        std::mem::swap(&mut state, &mut next);
    }
    state
}

/// Largest difference of two vectors.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Least-squares slope of log error over log step for steps halved each time; errors below
/// 1e-12 are rounding and left out.
pub(crate) fn slope(errors: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = errors
        .iter()
        .enumerate()
        .filter(|(_, error)| **error > 1e-12)
        .map(|(k, error)| (-(k as f64), error.log2()))
        .collect();
    assert!(points.len() >= 2, "too few points above rounding: {errors:?}");
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / n, sum.1 + point.1 / n));
    let (mut up, mut down) = (0.0, 0.0);
    for point in points {
        up += (point.0 - x) * (point.1 - y);
        down += (point.0 - x) * (point.0 - x);
    }
    up / down
}
