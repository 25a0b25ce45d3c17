//! Readable equations as HTML with MathML, which browsers typeset without scripts.
//!
//! Names become symbols as in [`super::latex`]; entries carry the names of coordinates
//! and joints as indices.

mod spell;

use super::readable::{self, Block, BlockKind, Level, Readable, Tree};
use crate::dynamics::{Equations, Layout, ModeKind};
use crate::expr::Symbol;
use spell::{Set, escaped, indexed, name, operator, row_name, symbol, terms, words};
use std::fmt::Write;

/// The style sheet [`fragment`] needs; colours are left to the page.
pub const STYLE: &str = "\
table.equations { border-collapse: collapse; margin: 0 0 1em; }
table.equations td { padding: 0.25em 0.15em; vertical-align: baseline; text-align: left; border: 0; }
table.equations td:first-child { text-align: right; white-space: nowrap; }
table.equations td:last-child { padding-left: 2.15em; text-indent: -2em; }
table.equations math { text-indent: 0; }
table.equations mtd { padding: 0.1em 0.4em 0.1em 0; text-align: left; }
table.equations mi.up { font-style: normal; }
";

/// A page of its own.
pub fn document(equations: &Equations) -> String {
    let layout = &equations.layout;
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n\
         :root {{ color-scheme: light dark; }}\n\
         body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}\n\
         h3 {{ margin: 1.6em 0 0.4em; font-size: 1.05em; }}\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        title = escaped(&layout.model),
    );
    if !layout.description.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", escaped(&layout.description));
    }
    out += &fragment(equations);
    out += "</body>\n</html>\n";
    out
}

/// The equations as sections with headings of the third level; of a large model its
/// summary.
pub fn fragment(equations: &Equations) -> String {
    let Some(readable) = readable::arrange(equations) else {
        return format!("<pre>{}</pre>\n", escaped(&readable::summary(equations)));
    };
    let mut out = String::new();
    table(&mut out, &forms(&readable));
    table(&mut out, &unknowns(&readable));
    for (level, title) in [
        (Level::Parameters, "Quantities of the parameters"),
        (Level::Positions, "Quantities of position"),
        (Level::Velocities, "Quantities of motion"),
    ] {
        let quantities = readable.quantities.iter().filter(|quantity| quantity.level == level);
        let lines: Vec<Line> = quantities
            .map(|quantity| Line::new(name(&quantity.name), "=", terms(&readable, &quantity.value)))
            .collect();
        if !lines.is_empty() {
            let _ = writeln!(out, "<h3>{title}</h3>");
            table(&mut out, &lines);
        }
    }
    for block in &readable.blocks {
        write_block(&mut out, &readable, block);
    }
    out
}

/// One equation: left side, relation, and the right side in parts that may be parted.
struct Line {
    left: Set,
    relation: &'static str,
    right: Vec<Set>,
}

impl Line {
    fn new(left: Set, relation: &'static str, right: Vec<Set>) -> Self {
        Self { left, relation, right }
    }
}

/// The form of the equations of motion.
fn forms(readable: &Readable<'_>) -> Vec<Line> {
    let layout = &readable.equations.layout;
    let raw = |markup: &str| Set::new(markup);
    let line = |left: &str, right: &str| Line::new(raw(left), "=", vec![raw(right)]);
    let rate = |letter: &str| format!("<mover accent=\"true\">{letter}<mo>˙</mo></mover>");
    let bold = |letter: &str| format!("<mi>{}</mi>", bold(letter));
    let (p, v, m, f) = (bold("p"), bold("v"), bold("M"), bold("f"));
    let (g, jac, c, z, zero) = (bold("g"), bold("G"), bold("c"), bold("z"), bold("0"));
    let p_dot = if readable.rates_are_velocities() { v.clone() } else { format!("{}{v}", bold("T")) };
    let reaction = format!("{f}<mo>−</mo><msup>{jac}<mi class=\"up\">T</mi></msup><mi>𝛌</mi>");
    let loops = !layout.rows.is_empty();
    let mut lines =
        vec![line(&rate(&p), &p_dot), line(&format!("{m}{}", rate(&v)), if loops { &reaction } else { &f })];
    if layout.n_g > 0 {
        lines.push(line(&zero, &g));
    }
    if loops {
        lines.push(line(&zero, &format!("{jac}{v}<mo>+</mo>{c}")));
        lines.push(line(&zero, &format!("{jac}{}<mo>+</mo>{z}", rate(&v))));
    }
    if !layout.states.is_empty() {
        lines.push(line(&rate(&bold("x")), &bold("a")));
    }
    lines
}

/// What the vectors hold.
fn unknowns(readable: &Readable<'_>) -> Vec<Line> {
    let layout = &readable.equations.layout;
    let list = |letter: &str, count: usize, of: fn(u32) -> Symbol| {
        let letter = Set::new(format!("<mi>{}</mi>", bold(letter)));
        let right = (0..count as u32).map(|i| {
            let mut entry = symbol(readable, of(i));
            if i as usize + 1 < count {
                entry.markup += "<mo separator=\"true\">,</mo>";
            }
            entry
        });
        Line::new(letter, ":", right.collect())
    };
    let mut lines =
        vec![list("p", layout.positions.len(), Symbol::P), list("v", layout.velocities.len(), Symbol::V)];
    if !layout.states.is_empty() {
        lines.push(list("x", layout.states.len(), Symbol::X));
    }
    if !layout.inputs.is_empty() {
        lines.push(list("u", layout.inputs.len(), Symbol::U));
    }
    lines
}

/// A letter of a vector or matrix, as the bold character.
fn bold(letter: &str) -> String {
    let shift = |c: char| match c {
        'A'..='Z' => char::from_u32(0x1D400 + (c as u32 - 'A' as u32)),
        'a'..='z' => char::from_u32(0x1D41A + (c as u32 - 'a' as u32)),
        '0'..='9' => char::from_u32(0x1D7CE + (c as u32 - '0' as u32)),
        _ => None,
    };
    letter.chars().map(|c| shift(c).unwrap_or(c)).collect()
}

fn write_block(out: &mut String, readable: &Readable<'_>, block: &Block) {
    let layout = &readable.equations.layout;
    let (title, letter) = match block.kind {
        BlockKind::PDot => ("Rates of the positions", "p"),
        BlockKind::MassMatrix => ("Mass matrix, symmetric", "M"),
        BlockKind::Forces => ("Forces", "f"),
        BlockKind::Constraints => ("Constraints", "g"),
        BlockKind::ConstraintJacobian => ("Constraint Jacobian", "G"),
        BlockKind::VelocityBias => ("Velocity bias", "c"),
        BlockKind::AccelerationBias => ("Acceleration bias", "z"),
        BlockKind::Auxiliary => ("Rates of the states", "x"),
        BlockKind::Switching => ("Modes", "s"),
    };
    let suffix = if block.is_full(layout) { "" } else { "; entries not listed are zero" };
    let _ = writeln!(out, "<h3>{title}{suffix}</h3>");
    let mut lines: Vec<Line> = Vec::new();
    for entry in &block.entries {
        let right = terms(readable, &entry.value);
        lines.push(if block.kind == BlockKind::Switching {
            let mode = &layout.modes.as_slice()[entry.index.0];
            let relation = match mode.kind {
                ModeKind::Negative => operator("&lt;"),
                ModeKind::NotPositive => operator("≤"),
            };
            let zero = Set::new("<mn>0</mn>");
            Line::new(words(&mode.name), ":", right.into_iter().chain([relation, zero]).collect())
        } else {
            let entry_name = entry_name(readable, layout, block.kind, letter, entry.index);
            Line::new(entry_name, "=", right)
        });
    }
    if lines.is_empty() {
        let letter = Set::new(format!("<mi>{}</mi>", bold(letter)));
        lines.push(Line::new(letter, "=", terms(readable, &Tree::Number(0.0))));
    }
    table(out, &lines);
}

/// M with the symbols of row and column as indices, or the rate of a coordinate.
fn entry_name(
    readable: &Readable<'_>,
    layout: &Layout,
    kind: BlockKind,
    letter: &str,
    (row, column): (usize, Option<usize>),
) -> Set {
    let velocity = |index: usize| name(&layout.velocities[index]);
    let row = match kind {
        BlockKind::PDot => return name(&format!("{}_dot", layout.positions[row])),
        BlockKind::Auxiliary => return name(&format!("{}_dot", readable.symbol(Symbol::X(row as u32)))),
        BlockKind::MassMatrix | BlockKind::Forces => velocity(row),
        _ => row_name(&layout.rows[row].name),
    };
    let letter = Set::new(format!("<mi>{letter}</mi>"));
    let indices: Vec<Set> = [row].into_iter().chain(column.map(velocity)).collect();
    indexed(letter, &indices)
}

/// Equations under each other, aligned at their relation. Every term is a formula of
/// its own, so that the browser can begin a new line before it.
fn table(out: &mut String, lines: &[Line]) {
    out.push_str("<table class=\"equations\">\n");
    for line in lines {
        let Line { left, relation, right } = line;
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{}</td><td>",
            math(&left.markup),
            math(&format!("<mo>{relation}</mo>"))
        );
        let terms: Vec<String> = right.iter().map(|term| math(&term.markup)).collect();
        out.push_str(&terms.join("<wbr/>"));
        out.push_str("</td></tr>\n");
    }
    out.push_str("</table>\n");
}

fn math(markup: &str) -> String {
    format!("<math displaystyle=\"true\"><mrow>{markup}</mrow></math>")
}
