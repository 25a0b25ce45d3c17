//! Which quantities the table holds, and what is told of each.

use crate::arguments::Reduction;
use crate::commands::simulate::table::{Evaluator, measured, rate};
use crate::page::units;
use crate::report::Failure;
use mbs_runtime::{Layout, State};
use mbs_symbolic::model::{Model, nearest};

const GROUPS: [&str; 7] =
    ["positions", "velocities", "states", "outputs", "lambda", "accelerations", "energy"];

/// The quantities of a table.
#[derive(Debug)]
pub(super) struct Columns {
    names: Vec<String>,
    /// SI, empty where nothing is known.
    units: Vec<String>,
    /// Places in the list of all quantities.
    places: Vec<usize>,
    reductions: Vec<Reduction>,
}

/// Names of all quantities, group by group.
fn groups(layout: &Layout) -> [Vec<String>; GROUPS.len()] {
    let own = |names: &mbs_runtime::Names| names.iter().map(str::to_owned).collect::<Vec<_>>();
    let rates: Vec<String> = layout.velocities.iter().map(|name| rate(layout, name)).collect();
    let accelerations = rates.iter().map(|name| format!("der({name})")).collect();
    [
        own(&layout.positions),
        rates,
        own(&layout.states),
        own(&layout.outputs),
        layout.rows.iter().map(|name| format!("lambda({name})")).collect(),
        accelerations,
        ["kinetic_energy", "potential_energy"].map(str::to_owned).to_vec(),
    ]
}

/// Their units, in the same order.
fn units(layout: &Layout, model: &Model) -> Vec<String> {
    let own = |names: &mbs_runtime::Names| names.iter().map(str::to_owned).collect::<Vec<_>>();
    let mut all = own(&layout.position_units);
    all.extend(own(&layout.velocity_units));
    all.extend(layout.states.iter().map(|_| String::new()));
    all.extend(units::outputs(model));
    all.extend(layout.row_kinds.iter().map(|&kind| units::multiplier(kind).to_owned()));
    all.extend(layout.velocity_units.iter().map(units::rate));
    all.extend(["J", "J"].map(str::to_owned));
    all
}

/// All quantities at a state, in the order of [`groups`].
fn quantities(evaluator: &Evaluator<'_>, state: &State) -> Vec<f64> {
    let mut all = Vec::new();
    all.extend(&state.p);
    all.extend(&state.v);
    all.extend(&state.x);
    all.extend(evaluator.outputs(state));
    all.extend(&state.lambda);
    all.extend(&state.v_dot);
    all.extend(evaluator.energy(state));
    all
}

impl Columns {
    /// The columns asked for, each once, in the order asked for.
    pub(super) fn new(
        layout: &Layout,
        model: &Model,
        asked: &[String],
        reduce: &[Reduction],
    ) -> Result<Self, Failure> {
        let groups = groups(layout);
        let all: Vec<&String> = groups.iter().flatten().collect();
        let mut places = Vec::new();
        for name in asked.iter().map(|name| name.trim()) {
            let found = if let Some(group) = GROUPS.iter().position(|group| *group == name) {
                let first: usize = groups[..group].iter().map(Vec::len).sum();
                first..first + groups[group].len()
            } else if let Some(place) = all.iter().position(|known| *known == name) {
                place..place + 1
            } else {
                let failure = Failure::new("MBS-C041", format!("there is no quantity `{name}` to tabulate"));
                let known = GROUPS.into_iter().chain(all.iter().map(|name| name.as_str()));
                return Err(failure.help(match nearest(name, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("groups are {}", GROUPS.join(", ")),
                }));
            };
            places.extend(found);
        }
        let mut seen = Vec::new();
        places.retain(|place| {
            !seen.contains(place) && {
                seen.push(*place);
                true
            }
        });
        let names = places.iter().map(|&place| all[place].clone()).collect();
        let known = units(layout, model);
        let units = places.iter().map(|&place| known.get(place).cloned().unwrap_or_default()).collect();
        let mut reductions = Vec::new();
        for &reduction in reduce {
            if !reductions.contains(&reduction) {
                reductions.push(reduction);
            }
        }
        Ok(Self { names, units, places, reductions })
    }

    /// Names of the columns with their units: all of one reduction, then all of the next.
    pub(super) fn header(&self) -> Vec<String> {
        let name = |reduction: Reduction, (name, unit): (&String, &String)| {
            let reduced = match reduction {
                Reduction::Final => name.clone(),
                Reduction::Max => format!("max({name})"),
                Reduction::Min => format!("min({name})"),
                Reduction::Rms => format!("rms({name})"),
            };
            measured(&reduced, unit)
        };
        let every = |&kind: &Reduction| {
            self.names.iter().zip(&self.units).map(move |named| name(kind, named)).collect::<Vec<_>>()
        };
        self.reductions.iter().flat_map(every).collect()
    }

    /// The values of a run, in the order of the header.
    pub(super) fn values(&self, evaluator: &Evaluator<'_>, states: &[State]) -> Vec<f64> {
        let only_final = self.reductions == [Reduction::Final];
        let looked_at = if only_final { &states[states.len().saturating_sub(1)..] } else { states };
        let mut at = |state: &State| {
            let all = quantities(evaluator, state);
            let chosen: Vec<f64> = self.places.iter().map(|&place| all[place]).collect();
            (state.t, chosen)
        };
        let records: Vec<(f64, Vec<f64>)> = looked_at.iter().map(&mut at).collect();
        let column = |kind: Reduction, index: usize| {
            let mut series = records.iter().map(|(_, values)| values[index]);
            match kind {
                Reduction::Final => series.next_back().unwrap_or(f64::NAN),
                Reduction::Max => series.reduce(larger).unwrap_or(f64::NAN),
                Reduction::Min => series.map(|x| -x).reduce(larger).map_or(f64::NAN, |x| -x),
                Reduction::Rms => {
                    rms(&records.iter().map(|(t, values)| (*t, values[index])).collect::<Vec<_>>())
                }
            }
        };
        let every = |&kind: &Reduction| (0..self.places.len()).map(move |index| (kind, index));
        self.reductions.iter().flat_map(every).map(|(kind, index)| column(kind, index)).collect()
    }
}

/// A run in which a quantity is not a number at some point has no largest value.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// √(∫ y² dt / ∫ dt) by the trapezoidal rule: points need not be equally spaced.
fn rms(series: &[(f64, f64)]) -> f64 {
    let (mut square, mut time) = (0.0, 0.0);
    for pair in series.windows(2) {
        let ((t0, y0), (t1, y1)) = (pair[0], pair[1]);
        square += 0.5 * (y0 * y0 + y1 * y1) * (t1 - t0);
        time += t1 - t0;
    }
    match series {
        [(_, only)] => only.abs(),
        _ => (square / time).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_square_is_over_time() {
        assert_eq!(rms(&[(0.0, 2.0), (1.0, 2.0), (1.5, 2.0)]), 2.0);
        // y = 0 for one second and 1 for three, with a jump recorded twice.
        assert_eq!(rms(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (4.0, 1.0)]), 0.75_f64.sqrt());
        assert_eq!(rms(&[(0.0, -3.0)]), 3.0);
        assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
    }
}
