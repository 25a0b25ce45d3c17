//! `mbs verify`: the equations against independent identities at random states.

use crate::arguments::VerifyOptions;
use crate::pipeline::{self, Compiled, Derived};
use crate::report::{self, Failure};
use mbs_jit::Exact;
use mbs_runtime::At;
use mbs_runtime::verify::{self, Check, Report, Sample, Worst};
use mbs_symbolic::Options;
use mbs_symbolic::dynamics::Layout;
use mbs_symbolic::explain::{ForcePower, Tables, force_powers, forces_without_potential};
use mbs_symbolic::expr::{Environment, evaluate};
use mbs_symbolic::ids::ExprId;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// An identity does not hold.
const BROKEN: u8 = 1;

pub(crate) fn run(options: &VerifyOptions) -> Result<(), Failure> {
    if options.samples == 0 {
        return Err(Failure::new("MBS-C041", "`samples` must be at least 1"));
    }
    let wanted = Options { provenance: true, ..options.numbers.equations() };
    let Derived { planned, mut equations } = pipeline::derive(&options.model, wanted)?;
    // What no potential explains comes from the contributions, not from the program.
    let rest = forces_without_potential(&mut equations);
    let powers = force_powers(&mut equations);
    let names: Vec<String> =
        powers.iter().map(|power| power.element.name(&planned.model).to_owned()).collect();
    let tables = Tables::of(&equations);
    let (graph, n_theta) = (equations.graph.clone(), equations.layout.parameters.len());
    let values = |at: &At<'_>, roots: &[ExprId]| {
        let At { t, p, v, x, u, modes, prepared } = *at;
        let theta = &prepared[..n_theta];
        let environment = Environment { theta, t, p, v, x, u, modes, ..Environment::default() };
        let read = |id, kind, derivative, at| tables.read(id, kind, derivative, at);
        evaluate(&graph, &environment, &read, roots)
    };
    let others = |at: &At<'_>, out: &mut [f64]| out.copy_from_slice(&values(at, &rest));
    let at_state = |at: &At<'_>| {
        let one = |power: &ForcePower| {
            let rest = values(at, &[power.stored, power.dissipated]);
            verify::ForcePower { applied: values(at, &power.applied), stored: rest[0], dissipated: rest[1] }
        };
        powers.iter().map(one).collect()
    };
    let Compiled { planned, program, .. } = pipeline::compile_derived(Derived { planned, equations })?;
    let (system, _) = mbs_jit::system(&program);
    let settings = verify::Options {
        samples: options.samples,
        seed: options.seed,
        other_forces: Some(&others),
        force_powers: Some(verify::ForcePowers { names: &names, at: &at_state }),
        ..verify::Options::default()
    };
    let found = verify::verify(&*system, &Exact::new(&program), &settings);
    if options.json {
        report::print_json(json(&found, &program.layout))?;
    } else {
        report::print_diagnostics(&planned.warnings, &planned.sources);
        report::print(&text(&found, &program.layout))?;
    }
    if found.result().is_ok() { Ok(()) } else { Err(Failure::Reported { exit_code: BROKEN }) }
}

fn json(found: &Report, layout: &Layout) -> Map<String, Value> {
    let named = |names: &[String], values: &[f64]| -> Value {
        names.iter().cloned().zip(values.iter().map(|value| json!(value))).collect::<Map<_, _>>().into()
    };
    let state = |sample: &Sample| {
        let inputs: Vec<String> = layout.inputs.iter().map(|slot| slot.name.clone()).collect();
        json!({
            "t": sample.t,
            "positions": named(&layout.positions, &sample.p),
            "velocities": named(&layout.velocities, &sample.v),
            "states": named(&layout.states, &sample.x),
            "inputs": named(&inputs, &sample.u),
        })
    };
    let checks = found.checks.iter().map(|check| {
        let worst = check.worst.as_ref();
        json!({
            "name": check.name,
            "identity": check.identity,
            "holds": check.holds(),
            "checked": check.is_checked(),
            "error": worst.map(|worst| worst.error),
            "tolerance": check.tolerance,
            "entry": worst.map(|worst| &worst.entry),
            "sample": worst.and_then(|worst| worst.state.as_ref()).map(|(index, _)| index),
            "state": worst.and_then(|worst| worst.state.as_ref()).map(|(_, sample)| state(sample)),
            "skipped": check.skipped,
            "skipped_states": check.skipped_states,
        })
    });
    let entries = [
        ("ok", json!(found.result().is_ok())),
        ("model", json!(layout.model)),
        ("samples", json!(found.samples)),
        ("undefined", json!(found.undefined)),
        ("checked", json!(found.checks.iter().filter(|check| check.is_checked()).count())),
        ("skipped", json!(found.checks.iter().filter(|check| !check.is_checked()).count())),
        ("checks", checks.collect()),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn text(found: &Report, layout: &Layout) -> String {
    let mut out = format!("{}: {} random states", layout.model, found.samples);
    if found.undefined > 0 {
        let _ = write!(out, ", {} more at which the equations are not defined", found.undefined);
    }
    out += "\n\n";
    let _ = writeln!(out, "  {:<50} {:>9}  {:>9}  worst entry", "identity", "error", "allowed");
    for check in &found.checks {
        let Check { identity, tolerance, worst, skipped, .. } = check;
        let _ = match (worst, skipped) {
            (Some(Worst { error, entry, state }), _) => {
                let verdict = if check.holds() { ' ' } else { '!' };
                // Where nothing is off there is no worst entry.
                let place = match state {
                    _ if *error == 0.0 => String::new(),
                    Some((index, _)) => format!("{entry}, state {index}"),
                    None => entry.clone(),
                };
                let error = if *error == 0.0 { "0".to_owned() } else { format!("{error:.1e}") };
                let line = format!("{verdict} {identity:<50} {error:>9}  {tolerance:>9.0e}  {place}");
                let (skipped_states, samples) = (check.skipped_states, found.samples);
                let left_out = match skipped {
                    Some(why) => format!("\n    skipped at {skipped_states} of {samples} states: {why}"),
                    None => String::new(),
                };
                writeln!(out, "{}{left_out}", line.trim_end())
            }
            (None, Some(why)) => writeln!(out, "  {identity:<50} {:>9}  {:>9}  {why}", "skipped", ""),
            (None, None) => writeln!(out, "  {identity:<50} {:>9}", "skipped"),
        };
    }
    let checked = found.checks.iter().filter(|check| check.is_checked()).count();
    let skipped = found.checks.len() - checked;
    let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
    match found.broken().count() {
        _ if found.samples == 0 => {
            out += "\nnothing was checked: the equations are not defined at random states\n"
        }
        0 => {
            let _ = writeln!(out, "\nall identities hold: {checked} checked{skipped}");
        }
        1 => {
            let _ = writeln!(
                out,
                "\none identity does not hold: {checked} checked{skipped}; --json has the state"
            );
        }
        n => {
            let _ = writeln!(
                out,
                "\n{n} identities do not hold: {checked} checked{skipped}; --json has the states"
            );
        }
    }
    out
}
