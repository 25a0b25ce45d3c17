//! The curves of a page: every quantity of the run over time.

use super::{Report, units};
use crate::base64;
use crate::commands::simulate::table::{Evaluator, rate};
use crate::mobility;
use mbs_runtime::{Defaults, Plant, State};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Numbers are written in double precision up to so many bytes, in single precision beyond.
const DOUBLE_BYTES: usize = 1_200_000;
/// Rows are left out where single precision would take more.
const MAX_BYTES: usize = 12_000_000;
/// Where there are so many steps, curves are smooth without points in between.
const MANY_STEPS: usize = 5_000;

/// A quantity over time.
pub(crate) struct Column {
    pub(crate) name: String,
    /// The kind of quantity it is listed under.
    pub(crate) group: &'static str,
    pub(crate) unit: String,
    pub(crate) values: Vec<f64>,
    /// Whether the values are zero up to rounding.
    pub(crate) is_noise: bool,
}

/// Values below this part of what is usual for their unit are rounding.
const NOISE: f64 = 1e-10;

/// Columns over the same times.
pub(crate) struct Table {
    pub(crate) times: Vec<f64>,
    pub(crate) columns: Vec<Column>,
}

/// All tables as JSON: what moves, and what the integrator did.
pub(super) fn tables(report: &Report<'_>) -> Value {
    json!([motion(report).json(), steps(report).json()])
}

/// The recorded points, and those in between that make curves smooth.
fn points<'r>(report: &Report<'r>) -> Vec<&'r State> {
    let recorded = &report.trajectory.states;
    let mut points: Vec<&State> = recorded.iter().collect();
    if points.len() < MANY_STEPS {
        points.extend(report.dense);
        points.sort_by(|a, b| a.t.total_cmp(&b.t));
        points.dedup_by(|b, a| b.t - a.t <= 1e-12 * (1.0 + a.t.abs()));
    }
    points
}

/// Everything that moves.
pub(crate) fn motion(report: &Report<'_>) -> Table {
    let layout = report.system.layout();
    let mut table = Table { times: Vec::new(), columns: Vec::new() };
    let mut head = |group: &'static str, name: String, unit: String| {
        table.columns.push(Column { name, group, unit, values: Vec::new(), is_noise: false });
    };
    let output_units = units::outputs(report.model);
    let outputs = || layout.outputs.iter().zip(&output_units);
    for (name, unit) in outputs().take(report.own_outputs) {
        head("outputs", name.to_owned(), unit.clone());
    }
    for (name, unit) in layout.positions.iter().zip(layout.position_units.iter()) {
        head("positions", name.to_owned(), unit.to_owned());
    }
    for (name, unit) in layout.velocities.iter().zip(layout.velocity_units.iter()) {
        head("velocities", rate(layout, name), unit.to_owned());
    }
    for (name, unit) in layout.velocities.iter().zip(layout.velocity_units.iter()) {
        head("accelerations", format!("der({})", rate(layout, name)), units::rate(unit));
    }
    for name in layout.states.iter() {
        head("states", name.to_owned(), String::new());
    }
    for (name, unit) in outputs().skip(report.own_outputs) {
        head("reactions", name.to_owned(), unit.clone());
    }
    for (name, kind) in layout.rows.iter().zip(layout.row_kinds.iter()) {
        head("lambda", format!("lambda({name})"), units::multiplier(*kind).to_owned());
    }
    for name in ["kinetic", "potential", "total"] {
        head("energy", format!("{name} energy"), "J".to_owned());
    }
    let evaluator = evaluator(report);
    for state in points(report) {
        let (outputs, [kinetic, potential]) = (evaluator.outputs(state), evaluator.energy(state));
        let (own, reactions) = outputs.split_at(report.own_outputs);
        let State { p, v, v_dot, x, lambda, .. } = state;
        let energies = [kinetic, potential, kinetic + potential];
        let values = [own, p, v, v_dot, x, reactions, lambda, &energies].concat();
        table.times.push(state.t);
        for (column, value) in table.columns.iter_mut().zip(values) {
            column.values.push(value);
        }
    }
    let duration = table.times.last().zip(table.times.first()).map_or(1.0, |(end, start)| end - start);
    mark_noise(&mut table.columns, mobility::size(report.model), duration);
    table
}

/// Marks what is small beside all other curves of its unit, and beside a radian and the size of the
/// mechanism, m, covered in the time of the run, s.
fn mark_noise(columns: &mut [Column], size: f64, duration: f64) {
    let largest = |column: &Column| {
        column.values.iter().filter(|value| value.is_finite()).fold(0.0, |m: f64, x| m.max(x.abs()))
    };
    let mut scales: BTreeMap<String, f64> = BTreeMap::new();
    for (unit, of_one) in [("rad", 1.0), ("m", size)] {
        scales.insert(unit.to_owned(), of_one);
        scales.insert(format!("{unit}/s"), of_one / duration);
        scales.insert(format!("{unit}/s^2"), of_one / (duration * duration));
    }
    for column in columns.iter() {
        let scale = scales.entry(column.unit.clone()).or_insert(0.0);
        *scale = scale.max(largest(column));
    }
    for column in columns {
        let own = largest(column);
        column.is_noise = own > 0.0 && own < NOISE * scales[&column.unit];
    }
}

fn evaluator<'r>(report: &Report<'r>) -> Evaluator<'r> {
    let defaults = &report.system.layout().parameter_defaults;
    Evaluator::new(Plant::new(report.system, defaults, Box::new(Defaults)))
}

/// Step sizes and how far the recorded states are from the constraints.
fn steps(report: &Report<'_>) -> Table {
    let layout = report.system.layout();
    let states = &report.trajectory.states;
    let times: Vec<f64> = states.iter().map(|state| state.t).collect();
    let mut columns = Vec::new();
    if report.has_every_step {
        // The step that led to a point; the first point has none and takes the next.
        let size = |k: usize| match k.max(1) {
            k if k < times.len() => times[k] - times[k - 1],
            _ => 0.0,
        };
        let values = (0..times.len()).map(size).collect();
        let (name, unit) = ("step size".to_owned(), "s".to_owned());
        columns.push(Column { name, group: "solver", unit, values, is_noise: false });
    }
    if layout.n_lambda() > 0 {
        let evaluator = evaluator(report);
        let (g, g_dot) = states.iter().map(|state| evaluator.drift(state)).unzip();
        let drift = [("|g|", g), ("|G v + c|", g_dot)];
        columns.extend(drift.map(|(name, values)| Column {
            name: name.to_owned(),
            group: "solver",
            unit: name.to_owned(),
            values,
            // How small it is is what is asked.
            is_noise: false,
        }));
    }
    Table { times, columns }
}

impl Table {
    fn json(&self) -> Value {
        let bytes = 8 * self.times.len() * (self.columns.len() + 1);
        let stride = (bytes / 2).div_ceil(MAX_BYTES).max(1);
        let rows: Vec<usize> = thinned(self.times.len(), stride);
        let double = bytes <= DOUBLE_BYTES;
        let column = |column: &Column| {
            let mut value = json!({"name": column.name, "group": column.group, "unit": column.unit});
            if column.is_noise {
                value["noise"] = json!(true);
            }
            let values = || rows.iter().map(|&row| column.values[row]);
            match column.values.first() {
                // Most components of reactions of a plane mechanism are zero.
                Some(&first) if values().all(|value| value == first) => value["constant"] = json!(first),
                _ if double => value["f64"] = json!(doubles(values())),
                _ => {
                    let bytes = values().flat_map(|value| (value as f32).to_le_bytes());
                    value["f32"] = json!(base64::encode(bytes));
                }
            }
            value
        };
        json!({
            "times": doubles(rows.iter().map(|&row| self.times[row])),
            "every": stride,
            "columns": self.columns.iter().map(column).collect::<Value>(),
        })
    }
}

fn doubles(values: impl Iterator<Item = f64>) -> String {
    base64::encode(values.flat_map(f64::to_le_bytes))
}

/// Every so many of n, and the last.
fn thinned(n: usize, stride: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..n).step_by(stride).collect();
    if rows.last().is_some_and(|&last| last + 1 < n) {
        rows.push(n - 1);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_told_from_motion() {
        let column = |name: &str, unit: &str, values: &[f64]| Column {
            name: name.to_owned(),
            group: "positions",
            unit: unit.to_owned(),
            values: values.to_vec(),
            is_noise: false,
        };
        let mut columns = [
            column("x", "m", &[0.0, 0.3]),
            column("y", "m", &[1e-17, -3e-14]),
            column("still", "m", &[0.0, 0.0]),
            column("tilt", "rad", &[1e-13, 2e-12]),
            column("slow", "rad/s", &[1e-6, 2e-6]),
            column("f", "N", &[1e-13, 2e-13]),
        ];
        mark_noise(&mut columns, 2.0, 10.0);
        let noise: Vec<&str> =
            columns.iter().filter(|column| column.is_noise).map(|column| column.name.as_str()).collect();
        // What is alone with its unit may be small by its nature.
        assert_eq!(noise, ["y", "tilt"]);
    }

    #[test]
    fn the_last_row_stays() {
        assert_eq!(thinned(7, 1), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(thinned(6, 4), [0, 4, 5]);
        assert_eq!(thinned(5, 4), [0, 4]);
        assert!(thinned(0, 3).is_empty());
    }

    #[test]
    fn large_tables_are_thinned_and_small_ones_exact() {
        let table = |rows: usize| {
            let values: Vec<f64> = (0..rows).map(|k| k as f64 / 3.0).collect();
            let column = |k: usize| Column {
                name: format!("c{k}"),
                group: "outputs",
                is_noise: false,
                unit: String::new(),
                values: if k == 0 { vec![2.5; rows] } else { values.clone() },
            };
            Table { times: values.clone(), columns: (0..100).map(column).collect() }.json()
        };
        let small = table(100);
        assert_eq!((&small["every"], &small["columns"][0]["constant"]), (&json!(1), &json!(2.5)));
        assert!(small["columns"][1]["f64"].is_string());
        let large = table(100_000);
        assert_eq!(large["every"], 4);
        let text = large["columns"][1]["f32"].as_str().expect("single precision");
        assert_eq!(text.len(), (4 * 25_001_usize).div_ceil(3) * 4);
    }
}
