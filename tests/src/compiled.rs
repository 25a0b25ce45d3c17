//! The compiler's equations and the oracle's, side by side at one state.

use mbs_symbolic::dynamics::{Equations, ModeKind};
use mbs_symbolic::expr::{Environment, evaluate};
use mbs_symbolic::ids::{ExprId, Id, TableId};
use mbs_symbolic::model::{Model, ParameterValue};

use crate::close;
use crate::mechanism::{Kept, State};
use crate::oracle::{Constraints, Oracle};
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

/// The compiler's equations at one state.
struct Compiled<'a> {
    equations: &'a Equations,
    environment: Environment<'a>,
}

impl Compiled<'_> {
    fn get(&self, roots: &[ExprId]) -> Vec<f64> {
        let tables = &self.equations.tables;
        let read = |id: TableId, kind, derivative, at| table::read(&tables[id], kind, derivative, at);
        evaluate(&self.equations.graph, &self.environment, &read, roots)
    }
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
pub fn compare(model: &Model, kept: &Kept, equations: &Equations, state: &State, seed: u64) -> Vec<Difference> {
    let layout = &equations.layout;
    let mut comparison = Comparison::default();
    let mut random = Random::new(seed);
    let given = model.parameters.iter_enumerated().filter(|(_, p)| matches!(p.value, ParameterValue::Given(_)));
    let theta: Vec<f64> = given.map(|(id, _)| state.theta[id.index()]).collect();
    let u: Vec<f64> =
        layout.inputs.iter().map(|slot| state.u[slot.input.index()][usize::from(slot.derivative)]).collect();
    let v_dot: Vec<f64> = state.v.iter().map(|_| random.between(-3.0, 3.0)).collect();
    let lambda: Vec<f64> = layout.rows.iter().map(|_| random.between(-5.0, 5.0)).collect();
    let environment = Environment {
        theta: &theta,
        t: state.t,
        p: &state.p,
        v: &state.v,
        x: &state.x,
        u: &u,
        modes: &[],
        v_dot: &v_dot,
        lambda: &lambda,
    };
    let modes = settle_modes(equations, environment);
    let compiled = Compiled { equations, environment: Environment { modes: &modes, ..environment } };
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
        comparison.check("rotation", &compiled.get(pose.rot_wb.as_flattened()), rot.as_flattened(), 1.0, name);
    }
    let [kinetic, potential] =
        [equations.kinetic_energy, equations.potential_energy].map(|root| compiled.get(&[root]));
    comparison.check("kinetic energy", &kinetic, &[oracle.kinetic_energy()], 1.0, |_| String::new());
    if let Some(expected) = oracle.potential_energy() {
        comparison.check("potential energy", &potential, &[expected], 1.0, |_| String::new());
    }
    let outputs = compiled.get(&equations.outputs);
    let expected = oracle.outputs(&v_dot, &lambda_oracle);
    for (i, name) in layout.outputs.iter().enumerate() {
        comparison.check("output", &outputs[i..=i], &expected[i..=i], 10.0, |_| name.clone());
    }
    comparison.differences
}

/// Modes at the state: each by its switching function, until none changes.
fn settle_modes(equations: &Equations, environment: Environment<'_>) -> Vec<bool> {
    let kinds: Vec<ModeKind> = equations.layout.modes.iter().map(|mode| mode.kind).collect();
    let mut modes = vec![false; kinds.len()];
    for _ in 0..20 {
        let compiled = Compiled { equations, environment: Environment { modes: &modes, ..environment } };
        let functions = compiled.get(&equations.switching);
        let settled: Vec<bool> = functions
            .iter()
            .zip(&kinds)
            .map(|(function, kind)| match kind {
                ModeKind::Negative => *function < 0.0,
                ModeKind::NotPositive => *function <= 0.0,
            })
            .collect();
        if settled == modes {
            break;
        }
        modes = settled;
    }
    modes
}

/// Compares g, G, c, z row by row, by name. Returns the multipliers in the order of
/// the oracle's rows.
fn check_constraints(comparison: &mut Comparison, compiled: &Compiled<'_>, expected: &Constraints) -> Vec<f64> {
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
                let multiplier = compiled.environment.lambda[place + k];
                lambda[i] += q[k][0] * multiplier;
                lambda[i + 1] += q[k][1] * multiplier;
            }
            last = Some(place + 1);
            skip = true;
        } else {
            comparison.row(name, &compiled_row(place), &expected_row(i), expected);
            lambda[i] = compiled.environment.lambda[place];
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
struct RowValues {
    g: f64,
    jac_g: Vec<f64>,
    c: f64,
    z: f64,
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
fn mixing(rows: &[RowValues; 2], references: &[RowValues; 2]) -> [[f64; 2]; 2] {
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
