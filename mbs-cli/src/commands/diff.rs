//! `mbs diff`: which equations differ between two models, and which elements make the difference.
//!
//! Exit codes as those of diff(1): 0 no difference, 1 there are some, 2 trouble.

use super::check::dimensions;
use crate::arguments::{DiffOptions, NumberOptions};
use crate::pipeline::{self, Compiled, Derived};
use crate::report::{self, Failure};
use mbs_symbolic::Options;
use mbs_symbolic::diag::{Sources, Span};
use mbs_symbolic::dynamics::Part;
use mbs_symbolic::explain::{self, Change, ChangedElement, ChangedEntry, Comparison, ParameterChange};
use mbs_symbolic::program::Program;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// Differences were found.
const DIFFERENT: u8 = 1;
/// A model could not be compiled.
const TROUBLE: u8 = 2;

pub(crate) fn run(options: &DiffOptions) -> Result<(), Failure> {
    let difference = match difference(&options.before, &options.after, options.numbers) {
        Ok(difference) => difference,
        Err(Failure::Closed) => return Err(Failure::Closed),
        Err(failure) => {
            report::print_failure(&failure, options.json);
            return Err(Failure::Reported { exit_code: TROUBLE });
        }
    };
    if options.json {
        report::print_json(difference.json())?;
    } else {
        report::print(&difference.text())?;
    }
    if difference.is_empty() { Ok(()) } else { Err(Failure::Reported { exit_code: DIFFERENT }) }
}

struct Difference {
    comparison: Comparison,
    sources: [Sources; 2],
    programs: [Program; 2],
    names: [String; 2],
}

fn difference(before: &Path, after: &Path, numbers: NumberOptions) -> Result<Difference, Failure> {
    let wanted = Options { provenance: true, ..numbers.equations() };
    let (a, b) = (pipeline::derive(before, wanted.clone())?, pipeline::derive(after, wanted)?);
    let comparison = explain::compare([&a.planned.model, &b.planned.model], [&a.equations, &b.equations]);
    let compile = |derived: Derived| -> Result<(Sources, Program), Failure> {
        let Compiled { planned, program, .. } = pipeline::compile_derived(derived)?;
        Ok((planned.sources, program))
    };
    let ((sources_a, program_a), (sources_b, program_b)) = (compile(a)?, compile(b)?);
    let names = [before, after].map(|path| path.display().to_string());
    Ok(Difference { comparison, sources: [sources_a, sources_b], programs: [program_a, program_b], names })
}

impl Difference {
    fn is_empty(&self) -> bool {
        self.comparison.is_empty() && self.dimensions().is_empty()
    }

    /// Dimensions that differ.
    fn dimensions(&self) -> Vec<(&'static str, [usize; 2])> {
        let [a, b] = [0, 1].map(|k| {
            let layout = &self.programs[k].layout;
            [
                layout.positions.len(),
                layout.velocities.len(),
                layout.n_g,
                layout.rows.len(),
                layout.states.len(),
            ]
        });
        let names = ["n_p", "n_v", "n_g", "n_lambda", "n_x"];
        let list = names.into_iter().zip(a.into_iter().zip(b));
        list.filter(|(_, (a, b))| a != b).map(|(name, (a, b))| (name, [a, b])).collect()
    }

    /// Operations per function, where they differ.
    fn operations(&self) -> Vec<(&'static str, [u32; 2])> {
        let [a, b] = &self.programs;
        let mut list: Vec<(&'static str, [u32; 2])> = a
            .functions()
            .zip(b.functions())
            .map(|((kind, before), (_, after))| {
                (kind.name(), [before.counts().total(), after.counts().total()])
            })
            .collect();
        list.push(("per parameter set", [a, b].map(|program| program.per_parameter_set().total())));
        list.retain(|(_, [a, b])| a != b);
        list
    }

    /// `model.yaml:12`.
    fn place(&self, side: usize, span: Span) -> String {
        let sources = &self.sources[side];
        format!("{}:{}", sources.name(span.file), sources.position(span).line)
    }

    fn json(&self) -> Map<String, Value> {
        let Comparison { entries, rewritten, others, parameters } = &self.comparison;
        let element = |element: &ChangedElement| {
            let place = |side: usize| element.spans[side].map(|span| self.place(side, span));
            json!({
                "element": element.name, "kind": element.kind, "part": element.part.name(),
                "change": word(element.change), "before": place(0), "after": place(1),
            })
        };
        let entry = |entry: &ChangedEntry| {
            let elements: Vec<Value> = entry.elements.iter().map(element).collect();
            json!({ "entry": entry.name, "change": word(entry.change), "elements": elements })
        };
        let [a, b] = &self.programs;
        let operations: Map<String, Value> = self
            .operations()
            .into_iter()
            .map(|(name, [a, b])| (name.to_owned(), json!({ "before": a, "after": b })))
            .collect();
        let list = [
            ("equal", json!(self.is_empty())),
            ("files", json!(self.names)),
            ("models", json!([a.layout.model, b.layout.model])),
            ("dimensions", json!({ "before": dimensions(&a.layout), "after": dimensions(&b.layout) })),
            ("entries", entries.iter().map(entry).collect()),
            ("rewritten", json!(rewritten)),
            (
                "parameters",
                parameters
                    .iter()
                    .map(
                        |change| json!({"name": change.name, "before": change.before, "after": change.after}),
                    )
                    .collect(),
            ),
            (
                "others",
                others.iter().map(|(name, change)| json!({"what": name, "change": word(*change)})).collect(),
            ),
            ("operations", Value::Object(operations)),
        ];
        list.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn text(&self) -> String {
        let Comparison { entries, rewritten, others, parameters } = &self.comparison;
        let [before, after] = &self.names;
        if self.is_empty() {
            return format!("{before} and {after} have the same equations\n");
        }
        let mut out = format!("from {before} to {after}\n");
        let dimensions = self.dimensions();
        if !dimensions.is_empty() {
            let list: Vec<String> =
                dimensions.iter().map(|(name, [a, b])| format!("{name} {a} -> {b}")).collect();
            let _ = writeln!(out, "\ndimensions\n  {}", list.join(", "));
        }
        if !parameters.is_empty() {
            out += "\nparameters\n";
            let width = widest(parameters.iter().map(|change| change.name.as_str()));
            for ParameterChange { name, before, after } in parameters {
                let _ = match (before, after) {
                    (Some(a), Some(b)) => writeln!(out, "  {name:<width$}  {a} -> {b}"),
                    (Some(a), None) => writeln!(out, "  {name:<width$}  removed, was {a}"),
                    (None, Some(b)) => writeln!(out, "  {name:<width$}  added, {b}"),
                    (None, None) => Ok(()),
                };
            }
        }
        if !others.is_empty() {
            out += "\nvalues\n";
            for (name, change) in others {
                let _ = writeln!(out, "  {name} {}", word(*change));
            }
        }
        if !entries.is_empty() {
            self.entries(&mut out, entries);
        }
        if !rewritten.is_empty() {
            let _ = writeln!(out, "\nwritten differently, same value: {}", rewritten.join(", "));
        }
        let operations = self.operations();
        if !operations.is_empty() {
            out += "\noperations per call\n";
            let width = widest(operations.iter().map(|(name, _)| *name));
            for (name, [a, b]) in operations {
                let change = i64::from(b) - i64::from(a);
                let _ = writeln!(out, "  {name:<width$}  {a:>6} -> {b:<6} {change:>+6}");
            }
        }
        out
    }

    fn entries(&self, out: &mut String, entries: &[ChangedEntry]) {
        out.push_str("\nequations\n");
        let width = widest(entries.iter().map(|entry| entry.name.as_str()).filter(|name| name.len() <= 32));
        let mut last: Option<&[ChangedElement]> = None;
        for entry in entries {
            let change = match entry.change {
                Change::Added => "is no longer zero",
                Change::Removed => "became zero",
                Change::Changed => "changed",
            };
            let same = last.is_some_and(|elements| elements == entry.elements);
            let note = if same { ", for the same reason" } else { "" };
            let _ = writeln!(out, "  {:<width$}  {change}{note}", entry.name);
            if !same {
                for element in &entry.elements {
                    let _ = writeln!(out, "      {}", self.reason(element));
                }
            }
            last = Some(&entry.elements);
        }
    }

    /// `force strut added (b.yaml:31)`.
    fn reason(&self, element: &ChangedElement) -> String {
        let ChangedElement { kind, name, part, change, spans } = element;
        let what = match part {
            Part::Inertia => "inertia of ",
            Part::InertialForce => "inertial force of ",
            Part::Weight => "weight of ",
            Part::Applied | Part::Constraint | Part::Formula => "",
        };
        let place = match spans {
            [Some(a), Some(b)] => format!("{} -> {}", self.place(0, *a), self.place(1, *b)),
            [Some(a), None] => self.place(0, *a),
            [None, Some(b)] => self.place(1, *b),
            [None, None] => String::new(),
        };
        format!("{what}{kind} `{name}` {} ({place})", word(*change))
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Changed => "changed",
    }
}

fn widest<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}
