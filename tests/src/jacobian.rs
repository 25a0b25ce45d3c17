//! The compiler's Jacobian against derivatives of the oracle.
//!
//! The oracle runs over states that carry a derivative in one direction, so that every
//! entry is compared with an exact one. Where a quaternion leaves the unit sphere the two
//! define M and f differently; there the Jacobian is held to differences of the
//! compiler's own values.

use mbs_symbolic::dynamics::{Equations, Layout};
use mbs_symbolic::ids::Id;
use mbs_symbolic::model::Model;
use mbs_symbolic::program::FunctionKind;

use crate::close;
use crate::compiled::{Compiled, Difference, RowValues, mixing};
use crate::mechanism::{Kept, State};
use crate::numbers::Numbers;
use crate::oracle::{Constraints, Oracle};
use crate::program;
use crate::scalar::{Dual, Jet, Scalar};
use crate::states::Random;

/// Relative error allowed between exact derivatives.
const TOLERANCE: f64 = 1e-10;
/// Relative error allowed against differences.
const DIFFERENCES: f64 = 1e-7;

/// Entries on which the compiler and the oracle disagree at `state`, with random v' and λ.
pub(crate) fn compare(
    model: &Model,
    kept: &Kept,
    equations: &Equations,
    state: &State,
    seed: u64,
) -> Vec<Difference> {
    let mut random = Random::new(seed);
    let mut compiled = Compiled::new(model, equations, state);
    compiled.symbols.v_dot.iter_mut().for_each(|value| *value = random.between(-3.0, 3.0));
    compiled.symbols.lambda.iter_mut().for_each(|value| *value = random.between(-5.0, 5.0));
    let found = Found::new(&compiled);
    let constraints = Oracle::new(model, kept, state).constraints();
    let sources = sources(&compiled, &constraints);

    let mut differences = program::compare(&compiled, &[FunctionKind::Jacobian]);
    for direction in directions(&equations.layout, state) {
        let varied = varied(&equations.layout, state, &direction.seeds);
        let oracle = Oracle::new(model, kept, &varied);
        let expected = Expected::new(&oracle, &compiled, &sources);
        for (block, expected) in found.along(&direction.seeds).into_iter().zip(expected.blocks()) {
            let error = close::error(&block.values, &expected.values, expected.largest_term);
            if error > TOLERANCE {
                differences.push(difference(&block, &direction.name, error, &expected.values));
            }
        }
    }
    differences.extend(compare_quaternions(&compiled, &found));
    differences
}

fn difference(block: &Block, direction: &str, error: f64, expected: &[f64]) -> Difference {
    let gap = |i: &usize| (block.values[*i] - expected[*i]).abs();
    let worst = (0..expected.len()).max_by(|i, j| gap(i).total_cmp(&gap(j))).unwrap_or(0);
    let what = format!("d({})[{worst}]/d({direction})", block.name);
    Difference { what, error, compiled: block.values[worst], expected: expected[worst] }
}

/// A way to vary p, v, x and u side by side.
struct Direction {
    name: String,
    seeds: Vec<f64>,
}

/// Every column, but those of a quaternion made tangent to its unit sphere.
fn directions(layout: &Layout, state: &State) -> Vec<Direction> {
    let inputs =
        layout.inputs.iter().map(|slot| format!("{}{}", slot.name, "'".repeat(slot.derivative.into())));
    let names = layout.positions.iter().chain(&layout.velocities).chain(&layout.states).cloned();
    let names: Vec<String> = names.chain(inputs).collect();
    let unit = |(column, name): (usize, &String)| {
        let mut seeds = vec![0.0; names.len()];
        seeds[column] = 1.0;
        let blocks = layout.quaternions.iter().map(|block| block.p as usize..block.p as usize + 4);
        for block in blocks.filter(|block| block.contains(&column)) {
            for k in block {
                seeds[k] -= state.p[column] * state.p[k];
            }
        }
        Direction { name: name.clone(), seeds }
    };
    names.iter().enumerate().map(unit).collect()
}

/// The state with these derivatives.
fn varied(layout: &Layout, state: &State, seeds: &[f64]) -> State<Dual<f64>> {
    let mut slopes = seeds.iter().copied();
    let mut vary = |values: &[f64]| -> Vec<Dual<f64>> {
        values.iter().zip(slopes.by_ref()).map(|(&value, slope)| Dual { value, slope }).collect()
    };
    let (p, v, x) = (vary(&state.p), vary(&state.v), vary(&state.x));
    let mut u: Vec<[Dual<f64>; 3]> = state.u.iter().map(|u| u.map(Dual::constant)).collect();
    for (slot, slope) in layout.inputs.iter().zip(slopes) {
        u[slot.input.index()][usize::from(slot.derivative)].slope = slope;
    }
    State { t: state.t, p, v, x, u, theta: state.theta.clone() }
}

/// One of the residuals that stand one below the other.
struct Block {
    name: &'static str,
    values: Vec<f64>,
}

/// The compiler's Jacobian.
struct Found {
    entries: Vec<f64>,
    /// Names and lengths of the residuals.
    rows: [(&'static str, usize); 4],
}

impl Found {
    fn new(compiled: &Compiled<'_>) -> Self {
        let equations = compiled.equations;
        let layout = &equations.layout;
        let rows = [
            ("f - M v' - G^T lambda", layout.velocities.len()),
            ("g", layout.n_g),
            ("G v + c", layout.rows.len()),
            ("a", layout.states.len()),
        ];
        let jacobian = equations.jacobian.as_ref().expect("derived with its Jacobian");
        Self { entries: compiled.get(jacobian), rows }
    }

    /// The derivative in one direction.
    fn along(&self, seeds: &[f64]) -> Vec<Block> {
        let n_rows: usize = self.rows.iter().map(|(_, length)| length).sum();
        assert_eq!(self.entries.len(), n_rows * seeds.len(), "shape of the Jacobian");
        let mut begin = 0;
        let blocks = self.rows.iter().map(|&(name, length)| {
            let row = |i: usize| {
                let terms = seeds.iter().enumerate().filter(|(_, seed)| **seed != 0.0);
                terms.map(|(j, seed)| self.entries[i + n_rows * j] * seed).sum()
            };
            let values = (begin..begin + length).map(row).collect();
            begin += length;
            Block { name, values }
        });
        blocks.collect()
    }
}

/// For each of the compiler's rows the oracle's rows it is made of, with their factors.
type Sources = Vec<Vec<(usize, f64)>>;

fn sources(compiled: &Compiled<'_>, expected: &Constraints) -> Sources {
    let layout = &compiled.equations.layout;
    let (n_v, n_rows, n_expected) = (layout.velocities.len(), layout.rows.len(), expected.names.len());
    let Numbers { g, jac_g, c, z, .. } = compiled.numbers();
    let row = |[g, c, z, matrix]: [&[f64]; 4], i: usize| RowValues {
        g: g.get(i).copied().unwrap_or(0.0),
        jac_g: (0..n_v).map(|j| matrix[i + c.len() * j]).collect(),
        c: c[i],
        z: z[i],
    };
    let own: [&[f64]; 4] = [&g, &c, &z, &jac_g];
    let reference: [&[f64]; 4] = [&expected.g, &expected.c, &expected.z, &expected.jac_g];
    let mut sources = vec![Vec::new(); n_rows];
    let mut i = 0;
    while i < n_expected {
        let place = layout.rows.iter().position(|row| row.name == expected.names[i]);
        match place {
            Some(place) if expected.free_directions[i] => {
                let rows = [place, place + 1].map(|k| row(own, k));
                let references = [i, i + 1].map(|k| row(reference, k));
                for (k, [a, b]) in mixing(&rows, &references).into_iter().enumerate() {
                    sources[place + k] = vec![(i, a), (i + 1, b)];
                }
                i += 1;
            }
            Some(place) => sources[place] = vec![(i, 1.0)],
            // Rows that vanish identically are dropped.
            None => {}
        }
        i += 1;
    }
    sources
}

/// Derivatives with the largest term of their sums.
struct Slopes {
    values: Vec<f64>,
    largest_term: f64,
}

/// The oracle's derivatives of the residuals in one direction.
struct Expected {
    forces: Slopes,
    constraints: Slopes,
    rates: Slopes,
    auxiliary: Slopes,
}

impl Expected {
    fn new(oracle: &Oracle<'_, Dual<f64>>, compiled: &Compiled<'_>, sources: &Sources) -> Self {
        let rows = oracle.rows();
        let (n_v, n_rows) = (compiled.symbols.v_dot.len(), rows.len());
        let mut lambda = vec![0.0; n_rows];
        for (source, multiplier) in sources.iter().zip(&compiled.symbols.lambda) {
            source.iter().for_each(|(i, factor)| lambda[*i] += factor * multiplier);
        }
        let (mass, jac_g) = (oracle.mass_matrix(), oracle.constraint_jacobian());
        let terms = oracle.force_terms().into_iter().enumerate().map(|(i, mut terms)| {
            terms.extend((0..n_v).map(|j| -mass[i + n_v * j].scale(compiled.symbols.v_dot[j])));
            terms.extend((0..n_rows).map(|k| -jac_g[k + n_rows * i].scale(lambda[k])));
            terms.into_iter().map(|term| term.slope).collect::<Vec<f64>>()
        });
        let slope = |value: Jet<Dual<f64>>, order: usize| value.rate(order).slope;
        let mixed = |source: &Vec<(usize, f64)>, level: usize| -> Vec<f64> {
            let part = |&(i, factor): &(usize, f64)| {
                factor * slope(rows[i].value, if rows[i].holonomic { level } else { 0 })
            };
            source.iter().map(part).collect()
        };
        let n_g = compiled.equations.layout.n_g;
        Self {
            forces: Slopes::of(terms, 1e-3),
            constraints: Slopes::of(sources[..n_g].iter().map(|source| mixed(source, 0)), 1.0),
            rates: Slopes::of(sources.iter().map(|source| mixed(source, 1)), 10.0),
            auxiliary: Slopes::of(oracle.auxiliary().into_iter().map(|a| vec![a.slope]), 1.0),
        }
    }

    fn blocks(&self) -> [&Slopes; 4] {
        [&self.forces, &self.constraints, &self.rates, &self.auxiliary]
    }
}

impl Slopes {
    /// Sums of terms; `floor` is what rounding of the terms themselves is measured by.
    fn of(sums: impl Iterator<Item = Vec<f64>>, floor: f64) -> Self {
        let mut slopes = Self { values: Vec::new(), largest_term: floor };
        for terms in sums {
            slopes.values.push(terms.iter().sum());
            slopes.largest_term = terms.iter().map(|term| term.abs()).fold(slopes.largest_term, f64::max);
        }
        slopes
    }
}

/// Columns of quaternions against differences of the compiler's own residuals.
fn compare_quaternions(compiled: &Compiled<'_>, found: &Found) -> Vec<Difference> {
    const STEP: f64 = 1e-3;
    let layout = &compiled.equations.layout;
    let n_columns =
        layout.positions.len() + layout.velocities.len() + layout.states.len() + layout.inputs.len();
    let mut differences = Vec::new();
    for column in layout.quaternions.iter().flat_map(|block| block.p as usize..block.p as usize + 4) {
        let samples = [-2.0, -1.0, 1.0, 2.0].map(|k| {
            let mut state = compiled.state.clone();
            state.p[column] += k * STEP;
            residuals(&Compiled {
                equations: compiled.equations,
                state: &state,
                symbols: compiled.symbols.clone(),
            })
        });
        let mut seeds = vec![0.0; n_columns];
        seeds[column] = 1.0;
        for (b, block) in found.along(&seeds).iter().enumerate() {
            let at = |k: usize, i: usize| samples[k][b][i];
            let slope = |i: usize| (8.0 * (at(2, i) - at(1, i)) - (at(3, i) - at(0, i))) / (12.0 * STEP);
            let expected: Vec<f64> = (0..block.values.len()).map(slope).collect();
            let largest = samples[1][b].iter().map(|value| value.abs()).fold(1.0, f64::max);
            let error = close::error(&block.values, &expected, largest);
            if error > DIFFERENCES {
                differences.push(difference(block, &layout.positions[column], error, &expected));
            }
        }
    }
    differences
}

/// The residuals as the compiler's equations have them.
fn residuals(compiled: &Compiled<'_>) -> [Vec<f64>; 4] {
    let equations = compiled.equations;
    let jac_g = compiled.get(&equations.constraint_jacobian);
    let (n_v, n_rows) = (equations.layout.velocities.len(), equations.layout.rows.len());
    let mut forces = compiled.get(&equations.inverse_dynamics);
    let mut rates = compiled.get(&equations.velocity_bias);
    for i in 0..n_v {
        let lambda = &compiled.symbols.lambda;
        forces[i] = -forces[i] - (0..n_rows).map(|k| jac_g[k + n_rows * i] * lambda[k]).sum::<f64>();
        for (k, rate) in rates.iter_mut().enumerate() {
            *rate += jac_g[k + n_rows * i] * compiled.state.v[i];
        }
    }
    [forces, compiled.get(&equations.constraints), rates, compiled.get(&equations.auxiliary)]
}
