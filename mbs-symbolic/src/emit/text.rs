//! Readable equations as plain text.
//!
//! Expressions are spelled in the model language, so that a line can be copied into a
//! model or a calculator; `phi_dot` is the rate of `phi`.

use super::readable::{
    self, Binding, Block, BlockKind, Factor, Fraction, Level, Product, Readable, Style, Term, Tree,
};
use crate::dynamics::{Equations, ModeKind};
use crate::expr::{BinaryOp, Symbol, UnaryOp};
use crate::ids::{ExprId, Id};
use crate::printable;
use mbs_math::TableKind;

/// Lines are broken between terms before this column.
const WIDTH: usize = 100;
const INDENT: &str = "  ";

/// Writes the equations of motion for people; of a large model its summary.
pub fn emit(equations: &Equations) -> String {
    let Some(readable) = readable::arrange(equations) else {
        return header(equations, false) + "\n" + &readable::summary(equations);
    };
    let mut out = header(equations, true);
    for (level, title) in [
        (Level::Parameters, "Quantities of the parameters"),
        (Level::Positions, "Quantities of position"),
        (Level::Velocities, "Quantities of motion"),
    ] {
        let lines = readable.quantities.iter().filter(|quantity| quantity.level == level);
        let lines: Vec<_> = lines.map(|quantity| (quantity.name.clone(), &quantity.value)).collect();
        section(&mut out, &readable, title, &lines);
    }
    for block in &readable.blocks {
        write_block(&mut out, &readable, block);
    }
    out
}

/// Expressions for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Names of intermediate quantities with their values, each before those that use it.
    pub quantities: Vec<(String, Words)>,
    /// The expressions.
    pub values: Vec<Words>,
}

/// A written expression in pieces between which a line may be broken; with spaces between
/// them they are the expression.
pub type Words = Vec<String>;

/// Writes some expressions of the equations; `None` if nobody would read them.
pub fn write(equations: &Equations, expressions: &[ExprId]) -> Option<Written> {
    let readable = readable::arrange_some(equations, expressions)?;
    let quantities = readable.quantities.iter();
    let quantities = quantities.map(|quantity| (quantity.name.clone(), words(&readable, &quantity.value)));
    let entries = readable.blocks.iter().flat_map(|block| &block.entries);
    let values = entries.map(|entry| words(&readable, &entry.value)).collect();
    Some(Written { quantities: quantities.collect(), values })
}

/// Names of everything; values of the parameters if they are to be listed.
fn header(equations: &Equations, list_parameters: bool) -> String {
    let layout = &equations.layout;
    let mut out = layout.model.clone();
    if !layout.description.is_empty() {
        out += ": ";
        out += &printable(&layout.description);
    }
    out += "\n\n";
    let quaternions = !layout.quaternions.is_empty();
    let loops = !layout.rows.is_empty();
    out += if quaternions { "  p' = T(p) v\n" } else { "  p' = v\n" };
    out += if loops { "  M v' = f - G^T lambda\n" } else { "  M v' = f\n" };
    if layout.n_g > 0 {
        out += "   0 = g,   0 = G v + c,   0 = G v' + z\n";
    } else if loops {
        out += "   0 = G v + c,   0 = G v' + z\n";
    }
    if !layout.states.is_empty() {
        out += "  x' = a\n";
    }
    out += "\n";
    let with_units = |names: &[String], units: &[String]| -> Vec<String> {
        names.iter().zip(units).map(|(name, unit)| format!("{name} [{unit}]")).collect()
    };
    let parameters = layout.parameters.iter().zip(&layout.parameter_defaults).enumerate();
    let parameters = parameters.map(|(i, (name, value))| {
        let unit = layout.parameter_docs.get(i).and_then(|(unit, _)| unit.as_deref());
        let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
        format!("{name} = {}{unit}", readable::decimal(*value))
    });
    let rates = layout
        .velocities
        .iter()
        .map(|name| if layout.positions.contains(name) { format!("{name}_dot") } else { name.clone() });
    let rows = layout.rows.iter().map(|row| row.name.clone());
    let inputs = layout.inputs.iter().filter(|slot| slot.derivative == 0).map(|slot| slot.name.clone());
    for (title, items) in [
        ("p", with_units(&layout.positions, &layout.position_units)),
        ("v", with_units(&rates.collect::<Vec<_>>(), &layout.velocity_units)),
        ("x", layout.states.clone()),
        ("u", inputs.collect()),
        ("lambda", rows.collect()),
        ("with", if list_parameters { parameters.collect() } else { Vec::new() }),
    ] {
        if !items.is_empty() {
            let items: Vec<String> = with_commas(items);
            let lead = format!("{INDENT}{title:<8}");
            out += &filled(&lead, &items);
        }
    }
    out
}

fn with_commas(items: Vec<String>) -> Vec<String> {
    let last = items.len().saturating_sub(1);
    items.into_iter().enumerate().map(|(i, item)| if i < last { item + "," } else { item }).collect()
}

/// `lead` and then the words, broken before `WIDTH` and continued under the first.
pub fn filled(lead: &str, words: &[String]) -> String {
    let indent = lead.chars().count();
    let mut out = lead.to_owned();
    let mut column = indent;
    for (i, word) in words.iter().enumerate() {
        let width = word.chars().count();
        if i > 0 {
            if column + 1 + width > WIDTH {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            } else {
                out.push(' ');
                column += 1;
            }
        }
        out += word;
        column += width;
    }
    out.push('\n');
    out
}

fn section(out: &mut String, readable: &Readable<'_>, title: &str, lines: &[(String, &Tree)]) {
    // Labels longer than this do not push all others to the right.
    const WIDEST: usize = 24;
    if lines.is_empty() {
        return;
    }
    out.push('\n');
    out.push_str(title);
    out.push('\n');
    let width = lines.iter().map(|(label, _)| label.chars().count()).filter(|&n| n <= WIDEST).max();
    let width = width.unwrap_or(0);
    for (label, value) in lines {
        let lead = format!("{INDENT}{label:<width$} = ");
        out.push_str(&filled(&lead, &words(readable, value)));
    }
}

fn write_block(out: &mut String, readable: &Readable<'_>, block: &Block) {
    let layout = &readable.equations.layout;
    let row_name = |row: usize| match block.kind {
        BlockKind::PDot => format!("{}_dot", layout.positions[row]),
        BlockKind::MassMatrix | BlockKind::Forces => layout.velocities[row].clone(),
        BlockKind::Auxiliary => format!("{}_dot", layout.states[row]),
        BlockKind::Switching => layout.modes.as_slice()[row].name.clone(),
        _ => layout.rows[row].name.clone(),
    };
    let (title, letter) = match block.kind {
        BlockKind::PDot => ("Rates of the positions p'", ""),
        BlockKind::MassMatrix => ("Mass matrix M, symmetric", "M"),
        BlockKind::Forces => ("Forces f", "f"),
        BlockKind::Constraints => ("Constraints g", "g"),
        BlockKind::ConstraintJacobian => ("Constraint Jacobian G", "G"),
        BlockKind::VelocityBias => ("Velocity bias c", "c"),
        BlockKind::AccelerationBias => ("Acceleration bias z", "z"),
        BlockKind::Auxiliary => ("Rates of the states x'", ""),
        BlockKind::Switching => ("Modes", ""),
    };
    if block.kind == BlockKind::Switching {
        out.push_str("\nModes\n");
        for (entry, mode) in
            block.entries.iter().map(|entry| (entry, &layout.modes.as_slice()[entry.index.0]))
        {
            let mut words = words(readable, &entry.value);
            words.push(match mode.kind {
                ModeKind::Negative => "< 0".to_owned(),
                ModeKind::NotPositive => "<= 0".to_owned(),
            });
            out.push_str(&filled(&format!("{INDENT}{} holds where ", mode.name), &words));
        }
        return;
    }
    let zero = Tree::Number(0.0);
    let mut lines: Vec<(String, &Tree)> = Vec::new();
    for entry in &block.entries {
        let row = row_name(entry.index.0);
        let label = match entry.index.1 {
            Some(column) => format!("{letter}[{row}, {}]", layout.velocities[column]),
            None if letter.is_empty() => row,
            None => format!("{letter}[{row}]"),
        };
        lines.push((label, &entry.value));
    }
    if lines.is_empty() {
        lines.push((letter.to_owned(), &zero));
    }
    let suffix = if block.is_full(layout) { "" } else { "; entries not listed are zero" };
    section(out, readable, &format!("{title}{suffix}"), &lines);
}

/// The expression in pieces between which a line may be broken: terms, and the terms
/// within the outermost parentheses of a long term.
fn words(readable: &Readable<'_>, tree: &Tree) -> Vec<String> {
    const LONG_TERM: usize = 60;
    let mut words = Vec::new();
    for term in terms(readable, tree) {
        if term.len() <= LONG_TERM {
            words.push(term);
            continue;
        }
        // Of each open parenthesis, whether it is that of a call, which stays whole.
        let mut open: Vec<bool> = Vec::new();
        let mut start = 0;
        for (i, c) in term.char_indices() {
            match c {
                '(' => open.push(term[..i].ends_with(char::is_alphanumeric)),
                ')' => {
                    open.pop();
                }
                ' ' if open.len() <= 2 && i > 0 && !open.contains(&true) && is_break(&term[i..]) => {
                    words.push(term[start..i].to_owned());
                    start = i + 1;
                }
                _ => {}
            }
        }
        words.push(term[start..].to_owned());
    }
    words
}

/// A line may begin with an operator.
fn is_break(rest: &str) -> bool {
    [" + ", " - ", " and ", " or "].iter().any(|operator| rest.starts_with(operator))
}

fn terms(readable: &Readable<'_>, tree: &Tree) -> Vec<String> {
    match tree {
        Tree::Sum(terms) => {
            terms.iter().enumerate().map(|(i, term)| signed(readable, i == 0, term)).collect()
        }
        other => vec![spell(readable, other, Binding::Or)],
    }
}

fn signed(readable: &Readable<'_>, first: bool, term: &Term) -> String {
    let sign = match (first, term.negative) {
        (true, false) => "",
        (true, true) => "-",
        (false, false) => "+ ",
        (false, true) => "- ",
    };
    format!("{sign}{}", spell(readable, &term.value, Binding::Product))
}

/// An expression where something binding as tightly as `least` is expected.
pub(super) fn spell(readable: &Readable<'_>, tree: &Tree, least: Binding) -> String {
    let inner = |tree: &Tree, least: Binding| spell(readable, tree, least);
    let text = match tree {
        Tree::Number(value) => readable::decimal(*value),
        Tree::Symbol(symbol) => readable.symbol(*symbol).to_owned(),
        Tree::Quantity(index) => readable.quantities[*index].name.clone(),
        Tree::Sum(_) => terms(readable, tree).join(" "),
        Tree::Product(product) => spell_product(readable, product),
        Tree::Function(op, a) => format!("{}({})", function(*op), inner(a, Binding::Or)),
        Tree::Function2(op, ab) => match op {
            BinaryOp::Pow => format!("{}^{}", inner(&ab[0], Binding::Atom), inner(&ab[1], Binding::Atom)),
            BinaryOp::Atan2 => {
                format!("atan2({}, {})", inner(&ab[0], Binding::Or), inner(&ab[1], Binding::Or))
            }
            _ => format!("mod({}, {})", inner(&ab[0], Binding::Or), inner(&ab[1], Binding::Or)),
        },
        Tree::Logic(op, ab) => {
            let sign = match op {
                BinaryOp::Or => "or",
                BinaryOp::And => "and",
                BinaryOp::Less => "<",
                _ => "<=",
            };
            let least = tree.operand_binding();
            format!("{} {sign} {}", inner(&ab[0], least), inner(&ab[1], least))
        }
        Tree::Not(a) => format!("not {}", inner(a, Binding::Atom)),
        Tree::Select(abc) => {
            let [condition, then, otherwise] = abc.each_ref().map(|tree| inner(tree, Binding::Or));
            format!("if({condition}, {then}, {otherwise})")
        }
        Tree::Table { table, kind, derivative, at } => {
            let kind = match kind {
                TableKind::Spline => "spline",
                TableKind::Linear => "linear",
            };
            let name = readable.equations.tables.get(*table);
            let name =
                name.map_or_else(|| format!("table{}", table.index()), |table| table.name.text.clone());
            let primes = "'".repeat(usize::from(*derivative));
            format!("{kind}{primes}({name}, {})", inner(at, Binding::Or))
        }
    };
    if tree.binding(Style::Typed) < least { format!("({text})") } else { text }
}

fn spell_product(readable: &Readable<'_>, product: &Product) -> String {
    let Fraction { numerator, pi, above, denominator, below } = product.fraction();
    let factor = |factor: &Factor<'_>| match factor.exponent {
        1 => spell(readable, factor.base, Binding::Power),
        n => format!("{}^{n}", spell(readable, factor.base, Binding::Atom)),
    };
    // 2 of 2*a, but nothing of a; pi of pi/2.
    let mut numerators: Vec<String> = numerator.into_iter().chain(pi.then(|| "pi".to_owned())).collect();
    numerators.extend(above.iter().map(factor));
    let denominators: Vec<String> = denominator.into_iter().chain(below.iter().map(factor)).collect();
    let text = if numerators.is_empty() { "1".to_owned() } else { numerators.join("*") };
    match denominators.as_slice() {
        [] => text,
        [one] => format!("{text}/{one}"),
        many => format!("{text}/({})", many.join("*")),
    }
}

/// The model language's name of a function of one value.
pub(crate) fn function(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::Not => "not",
        UnaryOp::Sqrt => "sqrt",
        UnaryOp::Sin => "sin",
        UnaryOp::Cos => "cos",
        UnaryOp::Tan => "tan",
        UnaryOp::Asin => "asin",
        UnaryOp::Acos => "acos",
        UnaryOp::Atan => "atan",
        UnaryOp::Sinh => "sinh",
        UnaryOp::Cosh => "cosh",
        UnaryOp::Tanh => "tanh",
        UnaryOp::Exp => "exp",
        UnaryOp::Log => "log",
        UnaryOp::Floor => "floor",
    }
}

/// Whether a symbol is a rate or second rate of a coordinate, and of which.
pub(super) fn rate_of(equations: &Equations, symbol: Symbol) -> Option<(usize, u8)> {
    let layout = &equations.layout;
    let (index, order) = match symbol {
        Symbol::V(i) => (i as usize, 1),
        Symbol::VDot(i) => (i as usize, 2),
        _ => return None,
    };
    layout.positions.iter().position(|name| *name == layout.velocities[index]).map(|p| (p, order))
}
