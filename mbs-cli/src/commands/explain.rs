//! `mbs explain`: which model elements make an entry of the equations.

use crate::arguments::ExplainOptions;
use crate::pipeline::{self, Derived, Planned};
use crate::report::{self, Failure};
use mbs_symbolic::Options;
use mbs_symbolic::diag::Span;
use mbs_symbolic::dynamics::{Contribution, Quantity};
use mbs_symbolic::emit::text::{self, Written};
use mbs_symbolic::explain::{self, Explanation, describe, frames};
use mbs_symbolic::program::{self, Counts, FunctionKind};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Where the place of a term stands in its line.
const PLACE_COLUMN: usize = 50;

pub(crate) fn run(options: &ExplainOptions) -> Result<(), Failure> {
    let wanted = Options { provenance: true, ..options.numbers.equations() };
    let derived = pipeline::derive(&options.model, wanted)?;
    let layout = &derived.equations.layout;
    let quantity = explain::parse(&options.entry, layout).map_err(|unknown| {
        let failure = Failure::new("MBS-C046", unknown.to_string()).argument(
            "",
            &options.entry,
            0..options.entry.len(),
        );
        failure.help(unknown.help())
    })?;
    let answer = Answer::new(derived, quantity)?;
    if options.json {
        return report::print_json(answer.json());
    }
    let Planned { warnings, sources, .. } = &answer.planned;
    report::print_diagnostics(warnings, sources);
    report::print(&answer.text())
}

/// Everything there is to say about one entry.
struct Answer {
    planned: Planned,
    /// `f[phi]`.
    name: String,
    explanation: Explanation,
    /// The terms as text, unless they are too long for anybody to read.
    written: Option<Written>,
    /// What the entry costs in the optimised program, and the function it belongs to.
    compiled: (Counts, Counts, &'static str),
}

impl Answer {
    fn new(derived: Derived, quantity: Quantity) -> Result<Self, Failure> {
        let equations = &derived.equations;
        let name = explain::name(quantity, &equations.layout);
        let explanation = explain::explain(equations, quantity);
        let roots: Vec<_> = explanation.terms.iter().map(|term| term.value).collect();
        let written = text::write(equations, &roots);
        let pipeline::Compiled { planned, program, .. } = pipeline::compile_derived(derived)?;
        let (kind, index) = place(quantity, &program.layout);
        let function = program.function(kind);
        let entry = function.results[0].entries[index];
        let compiled = (function.counts_behind(entry), function.counts(), kind.name());
        Ok(Self { planned, name, explanation, written, compiled })
    }

    /// File, line and column.
    fn place(&self, span: Span) -> (&str, usize, usize) {
        let position = self.planned.sources.position(span);
        (self.planned.sources.name(span.file), position.line, position.column)
    }

    /// The frames an element acts between, with their lines.
    fn between(&self, term: &Contribution) -> Vec<(String, usize)> {
        let model = &self.planned.model;
        let ids = frames(term.element, model).into_iter();
        let frame = |id| (model.frame_name(id), self.place(model.frames[id].name.span).1);
        ids.map(frame).collect()
    }

    fn json(&self) -> Map<String, Value> {
        let model = &self.planned.model;
        let shares = &self.explanation.shares;
        let terms = self.explanation.terms.iter().enumerate().map(|(i, term)| {
            let (file, line, column) = self.place(term.element.span(model));
            let between: Vec<String> = self.between(term).into_iter().map(|(name, _)| name).collect();
            json!({
                "element": term.element.name(model),
                "kind": term.element.kind(),
                "part": term.part.name(),
                "file": file,
                "line": line,
                "column": column,
                "between": between,
                "ops": shares.own[i],
                "text": self.written.as_ref().map(|written| written.values[i].join(" ")),
            })
        });
        let quantities = self.written.iter().flat_map(|written| &written.quantities);
        let quantities = quantities.map(|(name, words)| json!({ "name": name, "text": words.join(" ") }));
        let (entry, function, name) = &self.compiled;
        let entries = [
            ("model", json!(model.name)),
            ("entry", json!(self.name)),
            ("terms", terms.collect()),
            ("quantities", quantities.collect()),
            (
                "ops",
                json!({
                    "own": shares.own.iter().sum::<usize>(),
                    "shared": shares.shared,
                    "sums": shares.sums,
                    "total": shares.total(),
                }),
            ),
            (
                "compiled",
                json!({ "function": name, "entry_ops": entry.total(), "function_ops": function.total() }),
            ),
        ];
        entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn text(&self) -> String {
        let model = &self.planned.model;
        let Explanation { quantity, terms, shares } = &self.explanation;
        let mut out = format!("{}, {} of {}: ", self.name, explain::words(*quantity), model.name);
        match terms.len() {
            0 => out += "zero; no element of the model adds to it\n",
            1 => out += "one term\n",
            n => {
                let _ = writeln!(out, "the sum of {n} terms");
            }
        }
        for (i, term) in terms.iter().enumerate() {
            let (file, line, _) = self.place(term.element.span(model));
            let what = describe(term.element, term.part, model);
            let cost = count(shares.own[i]);
            let _ = write!(out, "\n  {what:<PLACE_COLUMN$}  {file}:{line}  {cost}\n");
            let between: Vec<String> =
                self.between(term).into_iter().map(|(name, line)| format!("{name} (line {line})")).collect();
            if !between.is_empty() {
                let lead = if between.len() > 1 { "between" } else { "on" };
                let _ = writeln!(out, "    {lead} {}", between.join(" and "));
            }
            match &self.written {
                Some(written) => out += &text::filled("    ", &written.values[i]),
                None => out += "    too long to be read\n",
            }
        }
        if let Some(written) = self.written.as_ref().filter(|written| !written.quantities.is_empty()) {
            out += "\nwith\n";
            let names = written.quantities.iter().map(|(name, _)| name.chars().count());
            let width = names.filter(|&width| width <= 24).max().unwrap_or(0);
            for (name, words) in &written.quantities {
                out += &text::filled(&format!("  {name:<width$} = "), words);
            }
        }
        if !terms.is_empty() {
            self.costs(&mut out);
        }
        out
    }

    fn costs(&self, out: &mut String) {
        let shares = &self.explanation.shares;
        let own: usize = shares.own.iter().sum();
        let _ = write!(out, "\n{} by the terms alone", count(own));
        if shares.shared > 0 {
            let _ = write!(out, ", {} shared by several", shares.shared);
        }
        if shares.sums > 0 {
            let _ = write!(out, ", {} to add them up: {} in all", shares.sums, shares.total());
        }
        let (entry, function, name) = &self.compiled;
        let _ = writeln!(
            out,
            "\nas compiled, the entry needs {} of the {} of `{name}`",
            entry.total(),
            count(function.total() as usize)
        );
    }
}

fn count(operations: usize) -> String {
    format!("{operations} {}", if operations == 1 { "operation" } else { "operations" })
}

/// The function that computes an entry, and the entry's position in its result.
fn place(quantity: Quantity, layout: &program::Layout) -> (FunctionKind, usize) {
    let (n_v, rows) = (layout.velocities.len(), layout.rows.len());
    let at = |row: u32, column: u32, rows: usize| row as usize + rows * column as usize;
    match quantity {
        Quantity::Mass(i, j) => (FunctionKind::MassMatrix, at(i, j, n_v)),
        Quantity::Force(i) => (FunctionKind::Forces, i as usize),
        Quantity::Constraint(i) => (FunctionKind::Constraints, i as usize),
        Quantity::Jacobian(i, j) => (FunctionKind::ConstraintJacobian, at(i, j, rows)),
        Quantity::VelocityBias(i) => (FunctionKind::VelocityBias, i as usize),
        Quantity::AccelerationBias(i) => (FunctionKind::AccelerationBias, i as usize),
        Quantity::Auxiliary(i) => (FunctionKind::Auxiliary, i as usize),
        Quantity::Output(i) => (FunctionKind::Outputs, i as usize),
        Quantity::KineticEnergy => (FunctionKind::Energy, 0),
        Quantity::PotentialEnergy => (FunctionKind::Energy, 1),
    }
}
