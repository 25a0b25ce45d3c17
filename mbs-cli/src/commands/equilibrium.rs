//! `mbs equilibrium`: a pose at which all forces balance.

use super::simulate::{CompiledVariant, ready};
use crate::arguments::EquilibriumOptions;
use crate::report::{self, Failure};
use mbs_runtime::constraint::{Equilibrium, Unbalanced, balancing_parameters, equilibrium};
use mbs_runtime::{Defaults, Layout, Plant, State};
use mbs_symbolic::model::setting::Target;
use mbs_symbolic::model::{Model, nearest};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(crate) fn run(options: &EquilibriumOptions) -> Result<(), Failure> {
    let CompiledVariant { system, planned, .. } = ready(&options.variant, options.json, |_| false)?;
    let layout = system.layout();
    let mut theta = layout.parameter_defaults.to_vec();
    let solved = indices(layout, options)?;
    let found = if solved.is_empty() {
        let mut plant = Plant::new(&*system, &theta, Box::new(Defaults));
        let mut start = State::new(layout);
        plant.initial(&mut start);
        equilibrium(&mut plant, start, options.tolerance)
    } else {
        balancing_parameters(&*system, &mut theta, &solved, 0.0, options.tolerance)
    };
    let found = found.map_err(|error| failure(layout, options, error))?;
    let parameters: Vec<(&str, f64)> = solved
        .iter()
        .map(|&index| (layout.parameters.get(index).unwrap_or_default(), theta[index]))
        .collect();
    if options.json {
        report::print_json(answer(layout, &found, &parameters))
    } else {
        report::print(&text(layout, &found, &parameters, &planned.model))
    }
}

fn indices(layout: &Layout, options: &EquilibriumOptions) -> Result<Vec<usize>, Failure> {
    let find = |name: &String| {
        layout.parameters.position(name).ok_or_else(|| {
            let failure =
                Failure::new("MBS-C036", format!("there is no given parameter `{name}` to solve for"));
            let failure = failure.argument("--solve", name, 0..name.len());
            match nearest(name, layout.parameters.iter()) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure,
            }
        })
    };
    options.solve.iter().map(find).collect()
}

fn failure(layout: &Layout, options: &EquilibriumOptions, error: Unbalanced) -> Failure {
    let message = match error.velocity.and_then(|index| layout.velocities.get(index)) {
        Some(velocity) => {
            format!("no equilibrium was found: {:.3e} along `{velocity}` stays unbalanced", error.value)
        }
        None => "the initial pose cannot be assembled".to_owned(),
    };
    Failure::new("MBS-C037", message)
        .about(&options.variant.model)
        .help("start closer to the pose you expect, or name other parameters to solve for")
}

fn answer(layout: &Layout, found: &Equilibrium, parameters: &[(&str, f64)]) -> Map<String, Value> {
    let named = |names: &mbs_runtime::Names, values: &[f64]| -> Value {
        Value::Object(names.iter().zip(values).map(|(name, value)| (name.to_owned(), json!(value))).collect())
    };
    let solved: Map<String, Value> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let mut object = Map::new();
    object.insert("model".to_owned(), json!(layout.model()));
    object.insert("positions".to_owned(), named(&layout.positions, &found.state.p));
    object.insert("lambda".to_owned(), named(&layout.rows, &found.state.lambda));
    object.insert("parameters".to_owned(), Value::Object(solved));
    object.insert("residual".to_owned(), json!(found.residual));
    object.insert("iterations".to_owned(), json!(found.iterations));
    object
}

fn text(layout: &Layout, found: &Equilibrium, parameters: &[(&str, f64)], model: &Model) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: equilibrium after {} Newton steps, unbalanced part {:.1e}\n",
        layout.model(),
        found.iterations,
        found.residual
    );
    let names = layout.positions.iter().chain(parameters.iter().map(|(name, _)| *name));
    let width = names.map(str::len).max().unwrap_or(0);
    for (name, value) in parameters {
        // As `--set` takes it again.
        let declared = Target::find(model, name).map(|target| target.declared(model));
        let (value, unit) =
            declared.map_or((*value, String::new()), |unit| (unit.from_si(*value), unit.name));
        let _ = writeln!(out, "{}", format!("  {name:<width$}  {value:>22.15e} {unit}").trim_end());
    }
    for (index, name) in layout.positions.iter().enumerate() {
        let unit = layout.position_units.get(index).filter(|unit| *unit != "1").unwrap_or_default();
        let value = found.state.p[index];
        let _ = writeln!(out, "{}", format!("  {name:<width$}  {value:>22.15e} {unit}").trim_end());
    }
    out
}
