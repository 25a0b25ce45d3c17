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

    /// How many quantities there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether runs are looked at on the way, not only where they end.
    pub(super) fn needs_every_state(&self) -> bool {
        self.reductions != [Reduction::Final]
    }

    /// The quantities of the table at a state.
    pub(super) fn chosen(&self, evaluator: &Evaluator<'_>, state: &State) -> Vec<f64> {
        let all = quantities(evaluator, state);
        self.places.iter().map(|&place| all[place]).collect()
    }

    /// The values of a run, in the order of the header; one of `series` for each quantity.
    pub(super) fn values(&self, series: &[Series]) -> Vec<f64> {
        let every = |&kind: &Reduction| series.iter().map(move |series| series.reduced(kind));
        self.reductions.iter().flat_map(every).collect()
    }
}

/// What is told of a quantity, from its values in the order of time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Series {
    last: Option<(f64, f64)>,
    max: Option<f64>,
    min: Option<f64>,
    /// ∫ y² dt and ∫ dt by the trapezoidal rule: points need not be equally spaced.
    square: f64,
    time: f64,
}

impl Series {
    /// The value at a later time.
    pub(super) fn push(&mut self, t: f64, value: f64) {
        if let Some((t_before, before)) = self.last.replace((t, value)) {
            self.square += 0.5 * (before * before + value * value) * (t - t_before);
            self.time += t - t_before;
        }
        self.max = Some(self.max.map_or(value, |max| larger(max, value)));
        self.min = Some(self.min.map_or(value, |min| -larger(-min, -value)));
    }

    fn reduced(&self, kind: Reduction) -> f64 {
        let value = match (kind, self.last) {
            (Reduction::Final, last) => last.map(|(_, value)| value),
            (Reduction::Max, _) => self.max,
            (Reduction::Min, _) => self.min,
            // A single point has no duration.
            (Reduction::Rms, Some((_, only))) if self.time == 0.0 => Some(only.abs()),
            (Reduction::Rms, last) => last.map(|_| (self.square / self.time).sqrt()),
        };
        value.unwrap_or(f64::NAN)
    }
}

/// A run in which a quantity is not a number at some point has no largest value.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_square_is_over_time() {
        let rms = |points: &[(f64, f64)]| {
            let mut series = Series::default();
            points.iter().for_each(|&(t, value)| series.push(t, value));
            series.reduced(Reduction::Rms)
        };
        assert_eq!(rms(&[(0.0, 2.0), (1.0, 2.0), (1.5, 2.0)]), 2.0);
        // y = 0 for one second and 1 for three, with a jump recorded twice.
        assert_eq!(rms(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (4.0, 1.0)]), 0.75_f64.sqrt());
        assert_eq!(rms(&[(0.0, -3.0)]), 3.0);
        assert!(rms(&[]).is_nan());
        assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
    }
}
