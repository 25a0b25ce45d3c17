//! The parts of the page that are text and tables.

use super::{MAX_EVENTS, Report, escape};
use crate::commands::simulate::accuracy::{Agreement, rounded};
use crate::graph::{Picture, svg};
use mbs_symbolic::model::{Defaults, Model, ParameterValue};
use mbs_symbolic::program::Counts;
use std::fmt::Write;

/// A table with a row of headings.
fn table(class: &str, headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = format!("<div class=\"scroll\"><table class=\"{class}\"><thead><tr>");
    for heading in headings {
        let _ = write!(out, "<th scope=\"col\">{heading}</th>");
    }
    out += "</tr></thead><tbody>";
    for row in rows {
        out += "<tr>";
        for (index, cell) in row.iter().enumerate() {
            let tag = if index == 0 { "th scope=\"row\"" } else { "td" };
            let _ = write!(out, "<{tag}>{cell}</{}>", if index == 0 { "th" } else { "td" });
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>"
}

/// What was, and what about it.
pub(super) fn summary(report: &Report<'_>) -> String {
    let mut out = String::from("<dl class=\"facts\">");
    for (what, about) in &report.summary {
        let _ = write!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escape(what), escape(about));
    }
    out + "</dl>"
}

/// The digits that agree with a tighter run, where they were asked for.
pub(super) fn accuracy(report: &Report<'_>) -> String {
    let Some(accuracy) = report.accuracy else { return String::new() };
    let shown = |digits: Option<f64>| digits.map_or("–".to_owned(), |digits| format!("{digits:.1}"));
    let row = |column: &Agreement| {
        vec![escape(&column.name), shown(column.digits_at_end()), shown(column.digits_throughout())]
    };
    let rows: Vec<Vec<String>> = accuracy.columns.iter().map(row).collect();
    format!(
        "<section class=\"card\"><h2>Accuracy</h2><p class=\"quiet\">Digits that agree with a run at rtol {:e}, \
         measured by the largest value.</p>{}</section>\n  ",
        rounded(accuracy.rtol),
        table("accuracy", &["", "at the end", "throughout"], &rows)
    )
}

/// Remarks the page spells out.
const MAX_NOTICES: usize = 50;

/// Warnings and notes, folded behind the picture.
pub(super) fn notices(report: &Report<'_>) -> String {
    let count = report.warnings.len();
    if count == 0 {
        return String::new();
    }
    let s = if count == 1 { "" } else { "s" };
    let mut out = format!("<details class=\"notices\"><summary>{count} remark{s} on model and run</summary>");
    for warning in report.warnings.iter().take(MAX_NOTICES) {
        // Lines of a file stand under each other.
        let tag = if warning.contains('\n') { "pre" } else { "p" };
        let _ = write!(out, "<{tag} class=\"notice\" role=\"note\">{}</{tag}>", escape(warning));
    }
    if count > MAX_NOTICES {
        let _ = write!(out, "<p class=\"quiet\">and {} more</p>", count - MAX_NOTICES);
    }
    out + "</details>"
}

/// A text whose parts between backticks are of the model's language.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(index, part)| match index % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    });
    parts.collect()
}

pub(super) fn events(report: &Report<'_>) -> String {
    let events = &report.events;
    if events.is_empty() {
        return "<p class=\"quiet\">No event: no conditional of the model switched.</p>".to_owned();
    }
    let rows: Vec<Vec<String>> = events
        .iter()
        .take(MAX_EVENTS)
        .map(|event| {
            let jump = format!(
                "<button type=\"button\" class=\"jump\" data-time=\"{:?}\" title=\"Go to this time\">{:.6} s</button>",
                event.t, event.t
            );
            vec![jump, escape(&event.element), with_code(&event.meaning)]
        })
        .collect();
    let mut out = table("events", &["time", "element", "event"], &rows);
    if events.len() > MAX_EVENTS {
        let _ = write!(out, "<p class=\"quiet\">and {} more</p>", events.len() - MAX_EVENTS);
    }
    out
}

pub(super) fn parameters(report: &Report<'_>) -> String {
    let model: &Model = report.model;
    if model.parameters.is_empty() {
        return "<p class=\"quiet\">The model has no parameters.</p>".to_owned();
    }
    let values = Defaults::new(model);
    let rows: Vec<Vec<String>> = model
        .parameters
        .iter_enumerated()
        .map(|(id, parameter)| {
            let mut about = escape(parameter.doc.as_deref().unwrap_or_default());
            if matches!(parameter.value, ParameterValue::Derived(_)) {
                about += if about.is_empty() { "" } else { " " };
                about += "<span class=\"tag\">derived</span>";
            }
            let unit = parameter.unit.as_deref().filter(|unit| *unit != "1").unwrap_or_default();
            vec![escape(&parameter.name.text), number(values.parameter(id)), pretty(unit), about]
        })
        .collect();
    table("parameters", &["name", "value", "unit", "meaning"], &rows)
}

/// A unit with raised dots and exponents.
fn pretty(unit: &str) -> String {
    let mut out = String::new();
    let mut raised = false;
    for letter in escape(unit).chars() {
        match letter {
            '*' => {
                raised = false;
                out.push('·');
            }
            '/' => {
                raised = false;
                out.push('/');
            }
            '^' => raised = true,
            '2' if raised => out.push('²'),
            '3' if raised => out.push('³'),
            '4'..='9' if raised => {
                out.push(char::from_u32(letter as u32 - '4' as u32 + 0x2074).unwrap_or(letter))
            }
            other => out.push(other),
        }
    }
    out
}

/// As many digits as people read.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.7e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

pub(super) fn statistics(report: &Report<'_>) -> String {
    let counts = &report.trajectory.statistics;
    let rows = [
        ("accepted steps", counts.steps),
        ("rejected steps", counts.rejected),
        ("mass matrix M", counts.mass_matrix),
        ("forces f", counts.forces),
        ("constraints g", counts.constraints),
        ("constraint Jacobian G", counts.constraint_jacobian),
        ("acceleration bias z", counts.acceleration_bias),
        ("factorisations", counts.factorisations),
        ("linear solves", counts.solves),
        ("position projections", counts.position_projections),
        ("their Newton iterations", counts.projection_iterations),
        ("velocity projections", counts.velocity_projections),
        ("Jacobians of the right-hand side", counts.jacobians),
        ("events", counts.events),
    ];
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(what, count)| vec![(*what).to_owned(), grouped(*count)]).collect();
    table("numbers", &["solver", "count"], &rows)
}

/// A whole number in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

pub(super) fn operations(report: &Report<'_>) -> String {
    let row = |name: &str, counts: &Counts| {
        let numbers =
            [counts.add, counts.mul, counts.div, counts.sqrt, counts.trig, counts.other, counts.total()];
        let mut row = vec![name.replace('_', " ")];
        row.extend(numbers.map(|count| if count == 0 { "·".to_owned() } else { grouped(count as u64) }));
        row
    };
    let functions = report.program.functions().map(|(kind, function)| (kind.name(), function.counts()));
    let mut rows: Vec<Vec<String>> =
        functions.filter(|(_, counts)| counts.total() > 0).map(|(name, counts)| row(name, &counts)).collect();
    rows.push(row("per parameter set", &report.program.per_parameter_set()));
    table("numbers", &["function", "+ −", "×", "÷", "√", "sin cos", "other", "total"], &rows)
}

/// The picture of the tree, as wide as it is, in a box that scrolls.
pub(super) fn topology(report: &Report<'_>) -> String {
    let picture = svg::draw(&Picture::new(report.model, report.topology));
    format!(
        "<div class=\"scroll drawing\" tabindex=\"0\" role=\"img\" aria-label=\"Tree of bodies and joints\">{picture}</div>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units_for_people() {
        assert_eq!(
            [0.0, 0.3, 75000.0, 1e-9, -4319.0462355].map(number),
            ["0", "0.3", "75000", "1e-9", "-4319.0462"]
        );
        assert_eq!(["kg*m^2", "m/s^6", "1/m"].map(pretty), ["kg·m²", "m/s⁶", "1/m"]);
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(grouped),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }

    #[test]
    fn conditions_are_code() {
        assert_eq!(with_code("`x < 3` becomes true"), "<code>x &lt; 3</code> becomes true");
    }

    #[test]
    fn tables_have_headings() {
        let text = table("a", &["x", "y"], &[vec!["1".to_owned(), "2".to_owned()]]);
        assert!(
            text.contains("<th scope=\"col\">x</th>") && text.contains("<th scope=\"row\">1</th><td>2</td>")
        );
    }
}
