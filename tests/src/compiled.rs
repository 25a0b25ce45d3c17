//! The compiler's equations and the oracle's, side by side at one state.

use mbs_symbolic::dynamics::{Equations, InputSlot, ModeKind, Quantity};
use mbs_symbolic::expr::{Environment, evaluate};
use mbs_symbolic::ids::{ExprId, Id, ParamId, TableId};
use mbs_symbolic::model::{Model, ParameterValue};
use mbs_symbolic::program::FunctionKind;

use crate::accelerations;
use crate::close;
use crate::mechanism::{Kept, State};
use crate::numbers::Numbers;
use crate::oracle::{Constraints, Oracle};
use crate::program;
use crate::scalar::Jet;
use crate::states::Random;
use crate::table;

/// Relative error allowed between the two, in the measure of [`close::error`].
pub const TOLERANCE: f64 = 1e-11;

/// A quantity on which the two disagree.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The quantity, with the entry that is worst.
    pub what: String,
    /// In the measure of [`close::error`].
    pub error: f64,
    /// The compiler's value of the worst entry.
    pub compiled: f64,
    /// The oracle's value.
    pub expected: f64,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { what, error, compiled, expected } = self;
        write!(f, "{what}: error {error:.1e}, compiled {compiled:?}, oracle {expected:?}")
    }
}

/// Values of all symbols of the compiler at one state.
#[derive(Clone)]
pub(crate) struct Symbols {
    pub(crate) theta: Vec<f64>,
    pub(crate) u: Vec<f64>,
    pub(crate) v_dot: Vec<f64>,
    pub(crate) lambda: Vec<f64>,
    pub(crate) modes: Vec<bool>,
}

/// The compiler's equations at one state.
pub(crate) struct Compiled<'a> {
    pub(crate) equations: &'a Equations,
    pub(crate) state: &'a State,
    pub(crate) symbols: Symbols,
}

impl<'a> Compiled<'a> {
    /// With v' and λ zero.
    pub(crate) fn new(model: &Model, equations: &'a Equations, state: &'a State) -> Self {
        let layout = &equations.layout;
        let value = |id: ParamId| state.theta[id.index()];
        let given =
            model.parameters.iter_enumerated().filter(|(_, p)| matches!(p.value, ParameterValue::Given(_)));
        let slot = |slot: &InputSlot| state.u[slot.input.index()][usize::from(slot.derivative)];
        let symbols = Symbols {
            theta: given.map(|(id, _)| value(id)).collect(),
            u: layout.inputs.iter().map(slot).collect(),
            v_dot: vec![0.0; state.v.len()],
            lambda: vec![0.0; layout.rows.len()],
            modes: vec![false; layout.modes.len()],
        };
        let mut compiled = Self { equations, state, symbols };
        compiled.settle_modes();
        compiled
    }

    pub(crate) fn get(&self, roots: &[ExprId]) -> Vec<f64> {
        let environment = Environment {
            theta: &self.symbols.theta,
            t: self.state.t,
            p: &self.state.p,
            v: &self.state.v,
            x: &self.state.x,
            u: &self.symbols.u,
            modes: &self.symbols.modes,
            v_dot: &self.symbols.v_dot,
            lambda: &self.symbols.lambda,
        };
        let tables = &self.equations.tables;
        let read = |id: TableId, kind, derivative, at| table::read(&tables[id], kind, derivative, at);
        evaluate(&self.equations.graph, &environment, &read, roots)
    }

    /// M, f, g, G, c, z.
    pub(crate) fn numbers(&self) -> Numbers {
        let equations = self.equations;
        Numbers {
            mass_matrix: self.get(&equations.mass_matrix),
            f: self.get(&equations.forces),
            g: self.get(&equations.constraints),
            jac_g: self.get(&equations.constraint_jacobian),
            c: self.get(&equations.velocity_bias),
            z: self.get(&equations.acceleration_bias),
        }
    }

    /// Each mode by its switching function, until none changes.
    fn settle_modes(&mut self) {
        for _ in 0..20 {
            let functions = self.get(&self.equations.switching);
            let modes = functions.iter().zip(&self.equations.layout.modes);
            let settled: Vec<bool> = modes
                .map(|(function, mode)| match mode.kind {
                    ModeKind::Negative => *function < 0.0,
                    ModeKind::NotPositive => *function <= 0.0,
                })
                .collect();
            if settled == self.symbols.modes {
                break;
            }
            self.symbols.modes = settled;
        }
    }
}

/// M, f, g, G, c, z as the compiler has them.
pub fn numbers(model: &Model, equations: &Equations, state: &State) -> Numbers {
    Compiled::new(model, equations, state).numbers()
}

/// Outputs as the compiler has them, with v' and λ zero.
pub fn outputs(model: &Model, equations: &Equations, state: &State) -> Vec<f64> {
    Compiled::new(model, equations, state).get(&equations.outputs)
}

/// Collects disagreements.
#[derive(Default)]
struct Comparison {
    differences: Vec<Difference>,
}

impl Comparison {
    /// `name` says what an entry is; `largest_term` as for [`close::error`].
    fn check(
        &mut self,
        what: &str,
        compiled: &[f64],
        expected: &[f64],
        largest_term: f64,
        name: impl Fn(usize) -> String,
    ) {
        let error = close::error(compiled, expected, largest_term);
        if error > TOLERANCE {
            let gap = |i: &usize| (compiled[*i] - expected[*i]).abs();
            let count = compiled.len().min(expected.len());
            let worst = (0..count).max_by(|i, j| gap(i).total_cmp(&gap(j)));
            let at = |values: &[f64]| worst.map_or(values.len() as f64, |i| values[i]);
            let entry = worst.map_or("lengths differ".to_owned(), name);
            self.differences.push(Difference {
                what: format!("{what}[{entry}]"),
                error,
                compiled: at(compiled),
                expected: at(expected),
            });
        }
    }
}

/// Everything the compiler says of `state` that the oracle does not confirm.
pub fn compare(
    model: &Model,
    kept: &Kept,
    equations: &Equations,
    state: &State,
    seed: u64,
) -> Vec<Difference> {
    let layout = &equations.layout;
    let mut comparison = Comparison::default();
    let mut random = Random::new(seed);
    let mut compiled = Compiled::new(model, equations, state);
    for value in &mut compiled.symbols.v_dot {
        *value = random.between(-3.0, 3.0);
    }
    for value in &mut compiled.symbols.lambda {
        *value = random.between(-5.0, 5.0);
    }
    let v_dot = compiled.symbols.v_dot.clone();
    let oracle = Oracle::new(model, kept, state);

    let n_p = state.p.len();
    let position = |i: usize| layout.positions[i].clone();
    let velocity = |i: usize| layout.velocities[i].clone();
    comparison.check("p_dot", &compiled.get(&equations.p_dot), &oracle.p_dot(), 1.0, position);
    let kinematic_matrix = compiled.get(&equations.kinematic_matrix);
    comparison.check("T", &kinematic_matrix, &oracle.kinematic_matrix(), 1.0, |k| {
        format!("{}, {}", position(k % n_p), velocity(k / n_p))
    });
    let mass_matrix = compiled.get(&equations.mass_matrix);
    comparison.check("M", &mass_matrix, &oracle.mass_matrix(), 0.0, |k| {
        format!("{}, {}", velocity(k % state.v.len()), velocity(k / state.v.len()))
    });
    let forces = oracle.forces();
    comparison.check("f", &compiled.get(&equations.forces), &forces.values, forces.largest_term, velocity);
    let inverse = oracle.inverse_dynamics(&v_dot);
    let inverse_dynamics = compiled.get(&equations.inverse_dynamics);
    comparison.check("M v' - f", &inverse_dynamics, &inverse.values, inverse.largest_term, velocity);
    comparison.check("a", &compiled.get(&equations.auxiliary), &oracle.auxiliary(), 1.0, |i| {
        layout.states[i].clone()
    });

    let lambda_oracle = check_constraints(&mut comparison, &compiled, &oracle.constraints());

    for (index, (pose, (r, rot))) in equations.poses.iter().zip(oracle.poses()).enumerate() {
        let name = |_| layout.bodies[index].clone();
        comparison.check("position", &compiled.get(&pose.r_wb_w), &r, 1.0, name);
        comparison.check(
            "rotation",
            &compiled.get(pose.rot_wb.as_flattened()),
            rot.as_flattened(),
            1.0,
            name,
        );
    }
    let [kinetic, potential] =
        [equations.kinetic_energy, equations.potential_energy].map(|root| compiled.get(&[root]));
    comparison.check("kinetic energy", &kinetic, &[oracle.kinetic_energy()], 1.0, |_| String::new());
    comparison.check("potential energy", &potential, &[oracle.potential_energy()], 1.0, |_| String::new());
    let derived: Vec<f64> = model.derived_order.iter().map(|id| state.theta[id.index()]).collect();
    comparison.check("derived parameter", &compiled.get(&equations.derived), &derived, 0.0, |i| {
        layout.derived[i].clone()
    });

    let outputs = compiled.get(&equations.outputs);
    let expected = oracle.outputs(&v_dot, &lambda_oracle);
    for (i, name) in layout.outputs.iter().enumerate() {
        comparison.check("output", &outputs[i..=i], &expected[i..=i], 10.0, |_| name.clone());
    }
    comparison.differences.extend(program::compare(&compiled, &FunctionKind::ALL));
    comparison.differences.extend(accelerations::compare(&compiled));
    comparison.differences
}

/// Defaults the compiler computes that are not those of `state`, which holds the
/// model's initial values and its inputs at their defaults.
pub fn compare_defaults(model: &Model, equations: &Equations, state: &State) -> Vec<Difference> {
    let compiled = Compiled::new(model, equations, state);
    let layout = &equations.layout;
    let mut comparison = Comparison::default();
    let [p, v, x] = &equations.initial;
    comparison.check("initial position", &compiled.get(p), &state.p, 1.0, |i| layout.positions[i].clone());
    comparison.check("initial velocity", &compiled.get(v), &state.v, 1.0, |i| layout.velocities[i].clone());
    comparison.check("initial state", &compiled.get(x), &state.x, 1.0, |i| layout.states[i].clone());
    let inputs = compiled.get(&equations.input_defaults);
    comparison.check("input", &inputs, &compiled.symbols.u, 1.0, |i| layout.inputs[i].name.clone());
    comparison.differences
}

/// Entries of M, f, g, G and z that are not the sum of what their elements contribute.
pub fn compare_contributions(model: &Model, equations: &Equations, state: &State) -> Vec<Difference> {
    let compiled = Compiled::new(model, equations, state);
    let numbers = numbers(model, equations, state);
    let (n_v, n_rows) = (numbers.f.len(), numbers.z.len());
    let mut sums = Numbers {
        mass_matrix: vec![0.0; n_v * n_v],
        f: vec![0.0; n_v],
        g: vec![0.0; numbers.g.len()],
        jac_g: vec![0.0; n_rows * n_v],
        c: vec![0.0; n_rows],
        z: vec![0.0; n_rows],
    };
    let mut auxiliary = vec![0.0; equations.auxiliary.len()];
    let mut outputs = vec![0.0; equations.outputs.len()];
    let mut energies = [0.0; 2];
    let mut largest_energy = 0.0_f64;
    let roots: Vec<ExprId> = equations.contributions.iter().map(|contribution| contribution.value).collect();
    let mut largest_force = 0.0_f64;
    for (contribution, value) in equations.contributions.iter().zip(compiled.get(&roots)) {
        let entry = match contribution.quantity {
            Quantity::Mass(i, j) => &mut sums.mass_matrix[i as usize + n_v * j as usize],
            Quantity::Force(i) => {
                largest_force = largest_force.max(value.abs());
                &mut sums.f[i as usize]
            }
            Quantity::Constraint(i) => &mut sums.g[i as usize],
            Quantity::Jacobian(i, j) => &mut sums.jac_g[i as usize + n_rows * j as usize],
            Quantity::VelocityBias(i) => &mut sums.c[i as usize],
            Quantity::AccelerationBias(i) => &mut sums.z[i as usize],
            Quantity::Auxiliary(i) => &mut auxiliary[i as usize],
            Quantity::Output(i) => &mut outputs[i as usize],
            Quantity::KineticEnergy => &mut energies[0],
            Quantity::PotentialEnergy => {
                largest_energy = largest_energy.max(value.abs());
                &mut energies[1]
            }
        };
        *entry += value;
    }
    let mut comparison = Comparison::default();
    let entry = |k: usize| format!("entry {k} of contributions");
    comparison.check("M", &sums.mass_matrix, &numbers.mass_matrix, 0.0, entry);
    comparison.check("f", &sums.f, &numbers.f, largest_force, entry);
    comparison.check("g", &sums.g, &numbers.g, 1.0, entry);
    comparison.check("G", &sums.jac_g, &numbers.jac_g, 1.0, entry);
    comparison.check("c", &sums.c, &numbers.c, 1.0, entry);
    comparison.check("z", &sums.z, &numbers.z, 1.0, entry);
    comparison.check("a", &auxiliary, &compiled.get(&equations.auxiliary), 1.0, entry);
    comparison.check("outputs", &outputs, &compiled.get(&equations.outputs), 1.0, entry);
    let energy = compiled.get(&[equations.kinetic_energy, equations.potential_energy]);
    comparison.check("energy", &energies, &energy, largest_energy, entry);
    comparison.differences
}

/// Where G v + c is not the rate of g, or z not the rate of G v + c, by central
/// differences of the compiler's own values along the motion with v' = 0.
pub fn compare_rates(model: &Model, kept: &Kept, equations: &Equations, state: &State) -> Vec<Difference> {
    const STEP: f64 = 2e-4;
    const ALLOWED: f64 = 1e-6;
    let moving = Oracle::new(model, kept, state).uniform();
    // The motion is known to third order; the step makes the rest small.
    let at = |tau: f64| {
        let series = |jet: &Jet<f64>| jet.0.iter().rev().fold(0.0, |sum, a| sum * tau + a);
        let moved = State {
            t: state.t + tau,
            p: kept.positions.iter().map(|id| series(&moving.values.coordinates[id.index()])).collect(),
            u: state
                .u
                .iter()
                .map(|[u, u1, u2]| [u + tau * (u1 + 0.5 * tau * u2), u1 + tau * u2, *u2])
                .collect(),
            ..state.clone()
        };
        let numbers = numbers(model, equations, &moved);
        let n = numbers.c.len();
        let rate = |i: usize| {
            numbers.c[i] + (0..state.v.len()).map(|j| numbers.jac_g[i + n * j] * state.v[j]).sum::<f64>()
        };
        ((0..n).map(rate).collect::<Vec<f64>>(), numbers)
    };
    let samples = [-2.0, -1.0, 1.0, 2.0].map(|k| at(k * STEP));
    let difference =
        |value: &dyn Fn(usize) -> f64| (8.0 * (value(2) - value(1)) - (value(3) - value(0))) / (12.0 * STEP);
    let (rate, now) = at(0.0);
    let mut differences = Vec::new();
    let mut check = |what: &str, row: usize, value: f64, expected: f64| {
        let error = (value - expected).abs() / expected.abs().max(1.0);
        if error.is_nan() || error > ALLOWED {
            let what = format!("{what} off the unit sphere[{}]", equations.layout.rows[row].name);
            differences.push(Difference { what, error, compiled: value, expected });
        }
    };
    for (row, rate) in rate.iter().enumerate() {
        if row < now.g.len() {
            check("G v + c", row, *rate, difference(&|k| samples[k].1.g[row]));
        }
        check("z", row, now.z[row], difference(&|k| samples[k].0[row]));
    }
    differences
}

/// Differences of g, G, c and z alone, which hold off the unit sphere of quaternions too.
pub fn compare_constraints(
    model: &Model,
    kept: &Kept,
    equations: &Equations,
    state: &State,
) -> Vec<Difference> {
    let compiled = Compiled::new(model, equations, state);
    let oracle = Oracle::new(model, kept, state);
    let mut comparison = Comparison::default();
    check_constraints(&mut comparison, &compiled, &oracle.constraints());
    comparison.differences
}

/// Compares g, G, c, z row by row, by name. Returns the multipliers in the order of
/// the oracle's rows.
fn check_constraints(
    comparison: &mut Comparison,
    compiled: &Compiled<'_>,
    expected: &Constraints,
) -> Vec<f64> {
    let equations = compiled.equations;
    let layout = &equations.layout;
    let n_v = layout.velocities.len();
    let g = compiled.get(&equations.constraints);
    let jac_g = compiled.get(&equations.constraint_jacobian);
    let c = compiled.get(&equations.velocity_bias);
    let z = compiled.get(&equations.acceleration_bias);
    let n_rows = layout.rows.len();
    let compiled_row = |i: usize| RowValues {
        g: g.get(i).copied().unwrap_or(0.0),
        jac_g: (0..n_v).map(|j| jac_g[i + n_rows * j]).collect(),
        c: c[i],
        z: z[i],
    };
    let n_expected = expected.names.len();
    let expected_row = |i: usize| RowValues {
        g: expected.g.get(i).copied().unwrap_or(0.0),
        jac_g: (0..n_v).map(|j| expected.jac_g[i + n_expected * j]).collect(),
        c: expected.c[i],
        z: expected.z[i],
    };

    let mut lambda = vec![0.0; n_expected];
    let mut last = None;
    let mut skip = false;
    for (i, name) in expected.names.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let place = layout.rows.iter().position(|row| row.name == *name);
        let Some(place) = place else {
            // Rows that vanish identically are dropped.
            comparison.row(&format!("dropped {name}"), &RowValues::zero(n_v), &expected_row(i), expected);
            continue;
        };
        if last.is_some_and(|last| last >= place) || (place < layout.n_g) != (i < expected.n_g) {
            comparison.check("row order", &[place as f64], &[i as f64], 0.0, |_| name.clone());
        }
        last = Some(place);
        if expected.free_directions[i] {
            // The pair spans the same directions: A = Q B, and Aᵀλ = Bᵀ Qᵀ λ.
            let rows = [compiled_row(place), compiled_row(place + 1)];
            let references = [expected_row(i), expected_row(i + 1)];
            let q = mixing(&rows, &references);
            for k in 0..2 {
                let mixed = RowValues::mix(q[k], &references);
                comparison.row(&expected.names[i + k], &rows[k], &mixed, expected);
                let multiplier = compiled.symbols.lambda[place + k];
                lambda[i] += q[k][0] * multiplier;
                lambda[i + 1] += q[k][1] * multiplier;
            }
            last = Some(place + 1);
            skip = true;
        } else {
            comparison.row(name, &compiled_row(place), &expected_row(i), expected);
            lambda[i] = compiled.symbols.lambda[place];
        }
    }
    for row in &layout.rows {
        if !expected.names.contains(&row.name) {
            comparison.check("unknown row", &[1.0], &[0.0], 0.0, |_| row.name.clone());
        }
    }
    lambda
}

/// One row of g, G, c, z.
pub(crate) struct RowValues {
    pub(crate) g: f64,
    pub(crate) jac_g: Vec<f64>,
    pub(crate) c: f64,
    pub(crate) z: f64,
}

impl RowValues {
    fn zero(n_v: usize) -> Self {
        Self { g: 0.0, jac_g: vec![0.0; n_v], c: 0.0, z: 0.0 }
    }

    fn list(&self) -> Vec<f64> {
        let mut list = vec![self.g, self.c, self.z];
        list.extend(&self.jac_g);
        list
    }

    fn mix([a, b]: [f64; 2], [first, second]: &[Self; 2]) -> Self {
        Self {
            g: a * first.g + b * second.g,
            jac_g: first.jac_g.iter().zip(&second.jac_g).map(|(x, y)| a * x + b * y).collect(),
            c: a * first.c + b * second.c,
            z: a * first.z + b * second.z,
        }
    }
}

/// The 2×2 matrix Q with rows = Q · references in the least-squares sense.
pub(crate) fn mixing(rows: &[RowValues; 2], references: &[RowValues; 2]) -> [[f64; 2]; 2] {
    let [a, b] = [references[0].list(), references[1].list()];
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let (aa, ab, bb) = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
    let determinant = aa * bb - ab * ab;
    [0, 1].map(|k| {
        let row = rows[k].list();
        let (ra, rb) = (dot(&row, &a), dot(&row, &b));
        [(ra * bb - rb * ab) / determinant, (rb * aa - ra * ab) / determinant]
    })
}

impl Comparison {
    fn row(&mut self, name: &str, compiled: &RowValues, expected: &RowValues, scale: &Constraints) {
        let label = |_| name.to_owned();
        self.check("g", &[compiled.g], &[expected.g], scale.largest_distance.max(1e-3), label);
        self.check("G", &compiled.jac_g, &expected.jac_g, scale.largest_distance.max(1e-3), label);
        self.check("c", &[compiled.c], &[expected.c], scale.largest_distance.max(1e-3), label);
        self.check("z", &[compiled.z], &[expected.z], scale.largest_acceleration.max(1e-3), label);
    }
}
