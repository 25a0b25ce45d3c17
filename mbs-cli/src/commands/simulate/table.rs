//! The motion as a table.

use super::Run;
use crate::arguments::Columns;
use crate::commands::sweep::format;
use crate::page::units;
use crate::report::Failure;
use mbs_runtime::{At, Defaults, Layout, Plant, State, System};
use mbs_symbolic::model::Model;
use std::fmt::Write;
use std::path::Path;

/// A table of a run that grows with it. One line per recorded state: time, positions, velocities,
/// states, outputs, and what was asked for.
pub(crate) struct Rows<'r> {
    evaluator: Evaluator<'r>,
    columns: &'r [Columns],
    /// Outputs of the model itself; those past them are reactions.
    own_outputs: usize,
    table: format::Table,
}

impl<'r> Rows<'r> {
    /// Begins with the names.
    pub(super) fn new(
        path: &Path,
        system: &'r dyn System,
        model: &Model,
        own_outputs: usize,
        columns: &'r [Columns],
    ) -> Result<Self, Failure> {
        let layout = system.layout();
        let mut table = format::Table::new(path)?;
        let header = header(layout, model, own_outputs, columns);
        let quoted: Vec<String> = header.iter().map(|name| quote(name)).collect();
        table.append(&(quoted.join(",") + "\n"))?;
        let plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
        Ok(Self { evaluator: Evaluator::new(plant), columns, own_outputs, table })
    }

    /// Appends the line of a recorded state.
    pub(super) fn append(&mut self, state: &State) -> Result<(), Failure> {
        let outputs = self.evaluator.outputs(state);
        let (own, reactions) = outputs.split_at(self.own_outputs);
        let mut values = vec![state.t];
        values.extend(&state.p);
        values.extend(&state.v);
        values.extend(&state.x);
        values.extend(own);
        for column in self.columns {
            match column {
                Columns::Reactions => values.extend(reactions),
                Columns::Lambda => values.extend(&state.lambda),
                Columns::Accelerations => values.extend(&state.v_dot),
                Columns::Energy => values.extend(self.evaluator.energy(state)),
            }
        }
        let mut line = String::new();
        for (index, value) in values.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            let _ = write!(line, "{separator}{value:?}");
        }
        line.push('\n');
        self.table.append(&line)
    }

    /// The lines so far.
    pub(super) fn into_table(self) -> format::Table {
        self.table
    }
}

/// Names with their units, where they are known: `phi [rad]`.
fn header(layout: &Layout, model: &Model, own_outputs: usize, columns: &[Columns]) -> Vec<String> {
    let outputs = layout.outputs.iter().zip(units::outputs(model)).map(|(name, unit)| measured(name, &unit));
    let outputs: Vec<String> = outputs.collect();
    let (own, reactions) = outputs.split_at(own_outputs);
    let velocities = || layout.velocities.iter().zip(layout.velocity_units.iter());
    let mut names = vec!["t [s]".to_owned()];
    names.extend(
        layout.positions.iter().zip(layout.position_units.iter()).map(|(name, unit)| measured(name, unit)),
    );
    names.extend(velocities().map(|(name, unit)| measured(&rate(layout, name), unit)));
    names.extend(layout.states.iter().map(str::to_owned));
    names.extend(own.iter().cloned());
    for column in columns {
        match column {
            Columns::Reactions => names.extend(reactions.iter().cloned()),
            Columns::Lambda => {
                let rows = layout.rows.iter().zip(layout.row_kinds.iter());
                names.extend(
                    rows.map(|(name, &kind)| measured(&format!("lambda({name})"), units::multiplier(kind))),
                );
            }
            Columns::Accelerations => {
                names.extend(velocities().map(|(name, unit)| {
                    measured(&format!("der({})", rate(layout, name)), &units::rate(unit))
                }))
            }
            Columns::Energy => {
                names.extend(["kinetic_energy", "potential_energy"].map(|name| measured(name, "J")));
            }
        }
    }
    names
}

/// The head of a column: `phi [rad]`.
pub(crate) fn measured(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

/// The name of a velocity as formulas write it.
pub(crate) fn rate(layout: &Layout, name: &str) -> String {
    if layout.positions.position(name).is_some() { format!("der({name})") } else { name.to_owned() }
}

/// A field as CSV writes it.
pub(crate) fn quote(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// Outputs and energies at recorded states, with the modes and inputs recorded there.
pub(crate) struct Evaluator<'r> {
    plant: Plant<'r>,
}

impl<'r> Evaluator<'r> {
    pub(super) fn of(run: &'r Run<'_>) -> Self {
        let layout = run.system.layout();
        Self::new(Plant::new(&*run.system, &layout.parameter_defaults, Box::new(Defaults)))
    }

    /// With the parameters of a plant.
    pub(crate) fn new(plant: Plant<'r>) -> Self {
        Self { plant }
    }

    pub(crate) fn outputs(&self, state: &State) -> Vec<f64> {
        let mut out = vec![0.0; self.plant.layout().outputs.len()];
        self.plant.at_recorded(state, |system, at| system.outputs(at, &state.v_dot, &state.lambda, &mut out));
        out
    }

    /// What a state is evaluated with: modes, inputs and parameters.
    pub(super) fn at(&self, state: &State, look: impl FnOnce(&At<'_>)) {
        self.plant.at_recorded(state, |_, at| look(at));
    }

    pub(crate) fn energy(&self, state: &State) -> [f64; 2] {
        let energy = self.plant.at_recorded(state, |system, at| system.energy(at));
        [energy.kinetic, energy.potential]
    }

    /// G, n_λ × n_v.
    pub(super) fn constraint_jacobian(&self, state: &State) -> Vec<f64> {
        let layout = self.plant.layout();
        let mut out = vec![0.0; layout.n_lambda() * layout.n_v()];
        self.plant.at_recorded(state, |system, at| system.constraint_jacobian(at, &mut out));
        out
    }

    /// ‖g‖₂ and ‖G v + c‖₂.
    pub(crate) fn drift(&self, state: &State) -> (f64, f64) {
        let layout = self.plant.layout();
        let mut g = vec![0.0; layout.n_g];
        let mut rate = vec![0.0; layout.n_lambda()];
        let jacobian = self.constraint_jacobian(state);
        self.plant.at_recorded(state, |system, at| {
            system.constraints(at, &mut g);
            system.velocity_bias(at, &mut rate);
        });
        for (column, v) in jacobian.chunks_exact(rate.len().max(1)).zip(&state.v) {
            for (rate, entry) in rate.iter_mut().zip(column) {
                *rate += entry * v;
            }
        }
        let norm = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>().sqrt();
        (norm(&g), norm(&rate))
    }
}
