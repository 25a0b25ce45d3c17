//! `mbs stats`: what the equations cost, and what they cost to make.

use super::check::dimensions;
use crate::arguments::StatsOptions;
use crate::pipeline::{self, Compiled};
use crate::report::{self, Failure};
use mbs_symbolic::Options;
use mbs_symbolic::program::{Counts, FunctionKind};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(crate) fn run(options: &StatsOptions) -> Result<(), Failure> {
    let wanted =
        Options { savings: options.choices, jacobian: options.jacobian, ..options.numbers.equations() };
    let compiled = pipeline::compile(&options.model, options.frames.with_frames(wanted))?;
    if options.json {
        return report::print_json(answer(&compiled));
    }
    report::print_warnings(&compiled.planned.warnings, &compiled.planned.sources);
    report::print(&text(&compiled))
}

fn functions(compiled: &Compiled) -> impl Iterator<Item = (FunctionKind, Counts)> {
    let present = compiled.program.functions().filter(|&(kind, _)| compiled.program.has(kind));
    present.map(|(kind, function)| (kind, function.counts()))
}

fn counts_json(counts: &Counts) -> Value {
    json!({
        "add": counts.add,
        "mul": counts.mul,
        "div": counts.div,
        "sqrt": counts.sqrt,
        "trig": counts.trig,
        "other": counts.other,
        "flops": counts.flops(),
        "total": counts.total(),
    })
}

fn answer(compiled: &Compiled) -> Map<String, Value> {
    let table: Map<String, Value> =
        functions(compiled).map(|(kind, counts)| (kind.name().to_owned(), counts_json(&counts))).collect();
    let passes = compiled.passes.passes.iter().map(|pass| {
        json!({
            "name": pass.name,
            "before": counts_json(&pass.before),
            "after": counts_json(&pass.after),
            "per_parameter_set": counts_json(&pass.per_parameter_set),
        })
    });
    let stages: Map<String, Value> =
        compiled.planned.times.iter().map(|(name, ms)| ((*name).to_owned(), json!(ms))).collect();
    let mut object = Map::new();
    object.insert("model".to_owned(), json!(compiled.planned.model.name));
    object.insert("functions".to_owned(), Value::Object(table));
    object.insert("per_parameter_set".to_owned(), counts_json(&compiled.program.per_parameter_set()));
    object.insert("dimensions".to_owned(), dimensions(&compiled.program.layout));
    let algorithms = compiled.passes.algorithms.iter();
    let algorithms = algorithms
        .map(|(algorithm, counts)| json!({ "name": algorithm.name(), "counts": counts_json(counts) }));
    object.insert("accelerations_by".to_owned(), algorithms.collect());
    if !compiled.savings.is_empty() {
        let choices = compiled
            .savings
            .iter()
            .map(|saving| json!({ "name": saving.choice, "before": saving.before, "after": saving.after }));
        object.insert("choices".to_owned(), choices.collect());
    }
    object.insert("passes".to_owned(), passes.collect());
    object.insert("rotation_dust".to_owned(), json!(compiled.dust));
    object.insert("stage_ms".to_owned(), Value::Object(stages));
    object
}

fn text(compiled: &Compiled) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}: operations per call\n", compiled.planned.model.name);
    let _ = writeln!(
        out,
        "  {:<20} {:>6} {:>6} {:>5} {:>5} {:>5} {:>6} {:>7}",
        "function", "add", "mul", "div", "sqrt", "trig", "other", "total"
    );
    let mut row = |name: &str, counts: &Counts| {
        let _ = writeln!(
            out,
            "  {name:<20} {:>6} {:>6} {:>5} {:>5} {:>5} {:>6} {:>7}",
            counts.add,
            counts.mul,
            counts.div,
            counts.sqrt,
            counts.trig,
            counts.other,
            counts.total()
        );
    };
    for (kind, counts) in functions(compiled) {
        // Functions that only hand on numbers say nothing here.
        if counts.total() > 0 {
            row(kind.name(), &counts);
        }
    }
    row("per parameter set", &compiled.program.per_parameter_set());
    match &compiled.passes.algorithms[..] {
        [] => out.push_str("\naccelerations are left to the solvers of the runtime\n"),
        [(taken, _), others @ ..] => {
            let _ = write!(out, "\naccelerations by {}", taken.name());
            for (algorithm, counts) in others {
                let _ = write!(out, "; by {} they would take {}", algorithm.name(), counts.total());
            }
            out.push('\n');
        }
    }

    if !compiled.savings.is_empty() {
        let _ = writeln!(out, "\nchoices of formulation: M, f, G and z together, not yet optimised\n");
        let _ = writeln!(out, "  {:<30} {:>8} {:>8}", "choice", "before", "after");
        for saving in &compiled.savings {
            let _ = writeln!(out, "  {:<30} {:>8} {:>8}", saving.choice, saving.before, saving.after);
        }
    }

    let _ = writeln!(out, "\npasses, all functions together\n");
    let _ = writeln!(out, "  {:<20} {:>8} {:>8}   {:>18}", "pass", "before", "after", "per parameter set");
    let mut per_parameter_set = 0;
    let mut idle = 0;
    for pass in &compiled.passes.passes {
        let now = pass.per_parameter_set.total();
        if (pass.before.total(), per_parameter_set) == (pass.after.total(), now) {
            idle += 1;
            continue;
        }
        per_parameter_set = now;
        let _ = writeln!(
            out,
            "  {:<20} {:>8} {:>8}   {:>18}",
            pass.name,
            pass.before.total(),
            pass.after.total(),
            now
        );
    }
    if idle > 0 {
        let _ = writeln!(out, "  {idle} other passes save nothing here");
    }

    if compiled.dust > 0 {
        let _ = writeln!(
            out,
            "\n{} angles were within 1e-10 rad of a multiple of a right angle and were taken as that",
            compiled.dust
        );
    }

    let _ = writeln!(out, "\nstages\n");
    for (name, ms) in &compiled.planned.times {
        let _ = writeln!(out, "  {name:<20} {ms:>8.2} ms");
    }
    let total: f64 = compiled.planned.times.iter().map(|(_, ms)| ms).sum();
    let _ = writeln!(out, "  {:<20} {total:>8.2} ms", "total");
    out
}
