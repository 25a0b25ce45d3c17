//! How many digits of a run agree with one at a tenth of its tolerances.

use super::table::{self, Evaluator};
use super::{Run, integrate};
use crate::report::Failure;
use mbs_runtime::{Settings, State};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// Times at which the runs are compared, evenly over the run.
const POINTS: f64 = 200.0;

/// The tolerances of the second run over those of the first.
const TIGHTER: f64 = 0.1;

/// What doubles can tell.
const MAX_DIGITS: f64 = 15.0;

/// The agreement of two runs.
pub(crate) struct Accuracy {
    /// Relative and absolute tolerance of the tighter run.
    pub(crate) rtol: f64,
    atol: f64,
    pub(crate) columns: Vec<Agreement>,
}

/// The agreement of one coordinate or output.
pub(crate) struct Agreement {
    kind: &'static str,
    pub(crate) name: String,
    /// Largest absolute value.
    size: f64,
    /// Largest difference at the end and throughout.
    end: f64,
    throughout: f64,
}

impl Agreement {
    /// Digits that agree at the end, measured by the largest value; none of what is always zero
    /// or not a number.
    pub(crate) fn digits_at_end(&self) -> Option<f64> {
        digits(self.end, self.size)
    }

    /// The same at all times.
    pub(crate) fn digits_throughout(&self) -> Option<f64> {
        digits(self.throughout, self.size)
    }
}

fn digits(difference: f64, size: f64) -> Option<f64> {
    let ratio = difference / size;
    let digits = -ratio.log10();
    // A tenth of a digit is more than is known.
    ratio.is_finite().then(|| (10.0 * digits.clamp(0.0, MAX_DIGITS)).floor() / 10.0)
}

/// Runs once more, with the tolerances of the run and with a tenth of them, at even distances of
/// time; where they lie has no influence on the steps.
pub(super) fn compare(run: &Run<'_>, model: &Path) -> Result<Accuracy, Failure> {
    let settings = &run.settings;
    let step = (settings.t_end - settings.t_start) / POINTS;
    let same = Settings { output_step: Some(step), max_points: usize::MAX, ..settings.clone() };
    let (rtol, atol) = (TIGHTER * settings.rtol, settings.atol.map(|atol| TIGHTER * atol));
    let tighter = Settings { rtol, atol, ..same.clone() };
    let states = |settings: &Settings| -> Result<Vec<State>, Failure> {
        Ok(integrate(&*run.system, &run.method, settings, model, &mut |_| true)?.states)
    };
    let (states, exact) = (states(&same)?, states(&tighter)?);
    let evaluator = Evaluator::of(run);
    let rows = |states: &[State]| -> Vec<Vec<f64>> {
        let row = |state: &State| {
            let (own, _) = run.split_outputs(evaluator.outputs(state));
            [&state.p, &state.v, &state.x, &own].into_iter().flatten().copied().collect()
        };
        states.iter().map(row).collect()
    };
    let (rows, exact) = (rows(&states), rows(&exact));
    let columns = names(run).into_iter().enumerate().map(|(index, (kind, name))| {
        let pairs = || rows.iter().zip(&exact).map(move |(a, b)| (a[index], b[index]));
        Agreement {
            kind,
            name,
            size: max(pairs().map(|(_, b)| b.abs())),
            end: pairs().next_back().map_or(f64::NAN, |(a, b)| (a - b).abs()),
            throughout: max(pairs().map(|(a, b)| (a - b).abs())),
        }
    });
    Ok(Accuracy { rtol, atol: tighter.atol.unwrap_or(0.01 * rtol), columns: columns.collect() })
}

/// The largest of some numbers; NaN wins.
fn max(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |max, value| if value > max || value.is_nan() { value } else { max })
}

/// What is compared: kind and name.
fn names(run: &Run<'_>) -> Vec<(&'static str, String)> {
    let layout = run.system.layout();
    let of = |kind: &'static str, names: &mut dyn Iterator<Item = String>| -> Vec<(&'static str, String)> {
        names.map(|name| (kind, name)).collect()
    };
    [
        of("position", &mut layout.positions.iter().map(str::to_owned)),
        of("velocity", &mut layout.velocities.iter().map(|name| table::rate(layout, name))),
        of("state", &mut layout.states.iter().map(str::to_owned)),
        of("output", &mut layout.outputs.iter().take(run.own_outputs).map(str::to_owned)),
    ]
    .concat()
}

impl Accuracy {
    /// For people.
    pub(super) fn text(&self) -> String {
        let mut out = format!(
            "\naccuracy: digits that agree with a run at rtol {:e}, at the end and throughout\n",
            rounded(self.rtol)
        );
        let width = self.columns.iter().map(|column| column.name.len()).max().unwrap_or(0);
        let shown = |digits: Option<f64>| digits.map_or("-".to_owned(), |digits| format!("{digits:.1}"));
        for column in &self.columns {
            let (end, throughout) = (shown(column.digits_at_end()), shown(column.digits_throughout()));
            let _ = writeln!(out, "  {:<width$}  {end:>5}  {throughout:>5}", column.name);
        }
        out
    }

    pub(super) fn json(&self) -> Value {
        let columns: Value = self
            .columns
            .iter()
            .map(|column| {
                json!({
                    "kind": column.kind, "name": column.name, "size": column.size,
                    "end": {"difference": column.end, "digits": column.digits_at_end()},
                    "throughout": {"difference": column.throughout, "digits": column.digits_throughout()},
                })
            })
            .collect();
        let mut object = Map::new();
        object.insert("rtol".to_owned(), json!(rounded(self.rtol)));
        object.insert("atol".to_owned(), json!(rounded(self.atol)));
        object.insert("columns".to_owned(), columns);
        Value::Object(object)
    }
}

/// A tenth of a decimal number, without the rounding of the product.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_differences() {
        assert_eq!(digits(0.0, 2.0), Some(15.0));
        assert_eq!(digits(2e-6, 2.0), Some(6.0));
        assert_eq!(digits(5e-6, 2.0), Some(5.6));
        assert_eq!(digits(3.0, 2.0), Some(0.0));
        assert_eq!(digits(0.0, 0.0), None);
        assert_eq!(digits(f64::NAN, 1.0), None);
        assert!(max([1.0, f64::NAN, 2.0].into_iter()).is_nan());
    }
}
