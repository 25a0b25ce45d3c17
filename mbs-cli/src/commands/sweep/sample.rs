//! One run of a sweep.

use super::columns::{Columns, Series};
use super::design::Design;
use crate::commands::simulate::table::{Evaluator, quote};
use crate::report::Failure;
use mbs_runtime::integrate::{self, Progress, simulate_with};
use mbs_runtime::{Layout, Plant, Settings, Signals, SimulationError, State, System, Trajectory};
use mbs_symbolic::model::Model;

/// Everything runs have in common. Shared by all threads.
pub(super) struct Study<'s> {
    pub(super) system: &'s dyn System,
    pub(super) model: &'s Model,
    pub(super) design: Design,
    pub(super) columns: Columns,
    pub(super) settings: Settings,
    pub(super) method: String,
    slots: Vec<Slot>,
}

/// Where the value of a name goes.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Parameter(usize),
    /// First slot of the input.
    Input(usize),
    Position(usize),
    Velocity(usize),
}

impl Slot {
    fn find(layout: &Layout, name: &str) -> Option<Self> {
        if let Some(name) = name.strip_prefix("positions.") {
            layout.positions.position(name).map(Self::Position)
        } else if let Some(name) = name.strip_prefix("velocities.") {
            layout.velocities.position(name).map(Self::Velocity)
        } else {
            let parameter = layout.parameters.position(name).map(Self::Parameter);
            parameter.or_else(|| layout.inputs.position(name).map(Self::Input))
        }
    }
}

/// Inputs held at a value; their derivatives are zero.
#[derive(Clone)]
struct Constant(Vec<(usize, f64)>);

impl Signals for Constant {
    fn set(&mut self, _: f64, u: &mut [f64]) {
        for &(slot, value) in &self.0 {
            u[slot] = value;
        }
    }
}

/// A line of the table.
pub(super) struct Row {
    pub(super) text: String,
    pub(super) failed: bool,
}

impl<'s> Study<'s> {
    pub(super) fn new(
        system: &'s dyn System,
        model: &'s Model,
        design: Design,
        columns: Columns,
        settings: Settings,
        method: String,
    ) -> Result<Self, Failure> {
        let layout = system.layout();
        // A name no run can have is refused before the first.
        integrate::method(&method, layout).map_err(|error| Failure::new("MBS-C032", error.to_string()))?;
        let slot = |name: &String| {
            Slot::find(layout, name)
                .ok_or_else(|| Failure::new("MBS-C040", format!("`{name}` does not occur in the equations")))
        };
        let slots = design.names.iter().map(slot).collect::<Result<_, _>>()?;
        Ok(Self { system, model, design, columns, settings, method, slots })
    }

    /// Names of the columns.
    pub(super) fn header(&self) -> Vec<String> {
        let mut names = vec!["sample".to_owned()];
        names.extend(self.design.header());
        names.extend(self.columns.header());
        names.extend(["steps", "status", "message"].map(str::to_owned));
        names
    }

    /// Runs a sample. What comes out depends on nothing but the sample.
    pub(super) fn row(&self, sample: usize) -> Row {
        let values = self.design.values(sample);
        let mut texts = vec![sample.to_string()];
        texts.extend(values.iter().map(|value| format!("{value:?}")));
        let values = self.design.si(&values);
        let (theta, constant) = self.arguments(&values);
        let run = match self.design.refuses(self.model, &values) {
            Some(reason) => Err(reason),
            None => self.simulate(&values, &theta, &constant).map_err(|error| error.message()),
        };
        let failed = match run {
            Ok((trajectory, numbers)) => {
                texts.extend(numbers.iter().map(|value| format!("{value:?}")));
                let warnings = crate::start::warnings(&trajectory.start, self.system.layout());
                let message = if warnings.is_empty() { String::new() } else { quote(&warnings.join("; ")) };
                texts.extend([trajectory.statistics.steps.to_string(), "ok".to_owned(), message]);
                false
            }
            Err(message) => {
                texts.extend(self.columns.header().iter().map(|_| String::new()));
                let message = message.replace('\n', " ");
                texts.extend([String::new(), "failed".to_owned(), quote(&message)]);
                true
            }
        };
        Row { text: texts.join(",") + "\n", failed }
    }

    /// Parameters and held inputs of a sample, from its values in SI.
    fn arguments(&self, values: &[f64]) -> (Vec<f64>, Constant) {
        let layout = self.system.layout();
        let mut theta = layout.parameter_defaults.to_vec();
        let mut held = Vec::new();
        for (slot, &value) in self.slots.iter().zip(values) {
            match *slot {
                Slot::Parameter(index) => theta[index] = value,
                Slot::Input(first) => {
                    held.push((first, value));
                    let derivatives = layout.input_derivatives.iter().enumerate().skip(first + 1);
                    held.extend(
                        derivatives.take_while(|&(_, &order)| order > 0).map(|(slot, _)| (slot, 0.0)),
                    );
                }
                Slot::Position(_) | Slot::Velocity(_) => {}
            }
        }
        (theta, Constant(held))
    }

    /// The run of a sample, and what the table tells of it.
    fn simulate(
        &self,
        values: &[f64],
        theta: &[f64],
        inputs: &Constant,
    ) -> Result<(Trajectory, Vec<f64>), SimulationError> {
        let layout = self.system.layout();
        let mut plant = Plant::new(self.system, theta, Box::new(inputs.clone()));
        let mut start = State::new(layout);
        start.t = self.settings.t_start;
        plant.initial(&mut start);
        for (slot, &value) in self.slots.iter().zip(values) {
            match *slot {
                Slot::Position(index) => start.p[index] = value,
                Slot::Velocity(index) => start.v[index] = value,
                Slot::Parameter(_) | Slot::Input(_) => {}
            }
        }
        let Ok(mut method) = integrate::method(&self.method, layout) else {
            unreachable!("the method was found when the study was made");
        };
        let looks = Plant::new(self.system, theta, Box::new(inputs.clone()));
        let evaluator = Evaluator::new(looks);
        let mut series = vec![Series::default(); self.columns.len()];
        let mut look = |state: &State| {
            for (series, value) in series.iter_mut().zip(self.columns.chosen(&evaluator, state)) {
                series.push(state.t, value);
            }
        };
        let mut observer = |told: Progress<'_>| {
            if let Progress::Recorded(state) = told
                && self.columns.needs_every_state()
            {
                look(state);
            }
            true
        };
        // Lines of the table need no state but the last.
        let settings = Settings { max_points: 2, ..self.settings.clone() };
        let trajectory = simulate_with(&mut plant, &mut *method, start, &settings, &mut observer)?;
        if let Some(last) = trajectory.states.last().filter(|_| !self.columns.needs_every_state()) {
            look(last);
        }
        let numbers = self.columns.values(&series);
        Ok((trajectory, numbers))
    }
}
