//! Readable equations as a LaTeX document.
//!
//! Needs amsmath only. Names become symbols: `phi1` is φ₁, `m_rod` is m with an upright
//! index, the rate of `phi` carries a dot.

use super::readable::{
    self, Binding, Block, BlockKind, Factor, Fraction, Glyph, Level, Product, Readable, Style, Symbolic,
    Term, Tree,
};
use super::text::rate_of;
use crate::dynamics::{Equations, ModeKind};
use crate::expr::{BinaryOp, Symbol, UnaryOp};
use crate::ids::Id;
use crate::printable;

/// A new line is begun after about this many characters as printed.
const WIDTH: usize = 72;

/// Writes the equations of motion as a document of its own.
pub fn emit(equations: &Equations) -> String {
    let layout = &equations.layout;
    let mut out = String::from(
        "\\documentclass[fleqn]{article}\n\\usepackage[margin=20mm]{geometry}\n\\usepackage{amsmath}\n\
         \\allowdisplaybreaks\n\\setcounter{MaxMatrixCols}{100}\n\\begin{document}\n",
    );
    out += &format!("\\section*{{{}}}\n", escaped(&layout.model));
    if !layout.description.is_empty() {
        out += &format!("{}\n", escaped(&layout.description));
    }
    match readable::arrange(equations) {
        Some(readable) => body(&mut out, &readable),
        None => out += &format!("\\begin{{verbatim}}\n{}\\end{{verbatim}}\n", readable::summary(equations)),
    }
    out += "\\end{document}\n";
    out
}

fn body(out: &mut String, readable: &Readable<'_>) {
    let layout = &readable.equations.layout;
    let loops = !layout.rows.is_empty();
    let kinematics = if readable.rates_are_velocities() {
        r"\dot{\mathbf p} &= \mathbf v"
    } else {
        r"\dot{\mathbf p} &= \mathbf T\,\mathbf v"
    };
    let dynamics = if loops {
        r"\mathbf M\,\dot{\mathbf v} &= \mathbf f - \mathbf G^{\mathsf T}\boldsymbol\lambda"
    } else {
        r"\mathbf M\,\dot{\mathbf v} &= \mathbf f"
    };
    let mut lines = vec![kinematics.to_owned(), dynamics.to_owned()];
    if layout.n_g > 0 {
        lines.push(r"\mathbf 0 &= \mathbf g".to_owned());
    }
    if loops {
        lines.push(r"\mathbf 0 &= \mathbf G\,\mathbf v + \mathbf c \\ \mathbf 0 &= \mathbf G\,\dot{\mathbf v} + \mathbf z".to_owned());
    }
    if !layout.states.is_empty() {
        lines.push(r"\dot{\mathbf x} &= \mathbf a".to_owned());
    }
    align(out, &lines);
    let vector = |name: &str, entries: Vec<String>| {
        format!(
            "\\mathbf {name} &= \\begin{{pmatrix}} {} \\end{{pmatrix}}^{{\\mathsf T}}",
            entries.join(" & ")
        )
    };
    let symbols = |count: usize, of: fn(u32) -> Symbol| -> Vec<String> {
        (0..count as u32).map(|i| symbol(readable, of(i))).collect()
    };
    let mut lines = vec![
        vector("p", symbols(layout.positions.len(), Symbol::P)),
        vector("v", symbols(layout.velocities.len(), Symbol::V)),
    ];
    if !layout.states.is_empty() {
        lines.push(vector("x", symbols(layout.states.len(), Symbol::X)));
    }
    align(out, &lines);

    for (level, title) in [
        (Level::Parameters, "Quantities of the parameters"),
        (Level::Positions, "Quantities of position"),
        (Level::Velocities, "Quantities of motion"),
    ] {
        let quantities = readable.quantities.iter().filter(|quantity| quantity.level == level);
        let lines: Vec<String> = quantities
            .map(|quantity| format!("{} &= {}", name(&quantity.name), broken(readable, &quantity.value)))
            .collect();
        if !lines.is_empty() {
            out.push_str(&format!("\\subsection*{{{title}}}\n"));
            align(out, &lines);
        }
    }
    for block in &readable.blocks {
        write_block(out, readable, block);
    }
}

fn write_block(out: &mut String, readable: &Readable<'_>, block: &Block) {
    let layout = &readable.equations.layout;
    let (title, letter) = match block.kind {
        BlockKind::PDot => ("Rates of the positions", "\\dot{\\mathbf p}"),
        BlockKind::MassMatrix => ("Mass matrix, symmetric", "\\mathbf M"),
        BlockKind::Forces => ("Forces", "\\mathbf f"),
        BlockKind::Constraints => ("Constraints", "\\mathbf g"),
        BlockKind::ConstraintJacobian => ("Constraint Jacobian", "\\mathbf G"),
        BlockKind::VelocityBias => ("Velocity bias", "\\mathbf c"),
        BlockKind::AccelerationBias => ("Acceleration bias", "\\mathbf z"),
        BlockKind::Auxiliary => ("Rates of the states", "\\dot{\\mathbf x}"),
        BlockKind::Switching => ("Modes", "s"),
    };
    let mut lines = Vec::new();
    for entry in &block.entries {
        let value = broken(readable, &entry.value);
        let row = entry.index.0 + 1;
        lines.push(match (block.kind, entry.index.1) {
            (BlockKind::Switching, _) => {
                let mode = &layout.modes.as_slice()[entry.index.0];
                let relation = match mode.kind {
                    ModeKind::Negative => "<",
                    ModeKind::NotPositive => "\\le",
                };
                format!("\\text{{{}}}:\\quad & {value} {relation} 0", escaped(&mode.name))
            }
            (_, Some(column)) => format!("{{{letter}}}_{{{row},{}}} &= {value}", column + 1),
            (_, None) => format!("{{{letter}}}_{{{row}}} &= {value}"),
        });
    }
    if lines.is_empty() {
        lines.push(format!("{letter} &= 0"));
    }
    let suffix = if block.is_full(layout) { "" } else { "; entries not listed are zero" };
    out.push_str(&format!("\\subsection*{{{title}{suffix}}}\n"));
    align(out, &lines);
}

fn align(out: &mut String, lines: &[String]) {
    out.push_str("\\begin{align*}\n");
    for (i, line) in lines.iter().enumerate() {
        out.push_str("  ");
        out.push_str(line);
        out.push_str(if i + 1 < lines.len() { " \\\\\n" } else { "\n" });
    }
    out.push_str("\\end{align*}\n");
}

/// An expression with line breaks between its terms, or within the parentheses of a
/// long one, where it is long.
fn broken(readable: &Readable<'_>, tree: &Tree) -> String {
    let terms = match tree {
        Tree::Sum(terms) => {
            terms.iter().enumerate().map(|(i, term)| signed(readable, i == 0, term)).collect()
        }
        other => vec![spell(readable, other, Binding::Or)],
    };
    let mut out = String::new();
    let mut column = 0;
    for piece in terms.iter().flat_map(|term| pieces(term)) {
        let width = printed_width(piece);
        if column > 0 && column + width > WIDTH {
            out.push_str(" \\\\\n  &\\qquad {}");
            column = 8;
        } else if column > 0 {
            out.push(' ');
        }
        out.push_str(piece);
        column += width;
    }
    out
}

/// A term in parts between which a line may be broken: not within braces, nor between
/// `\left` and `\right`.
fn pieces(term: &str) -> Vec<&str> {
    if printed_width(term) <= WIDTH / 2 {
        return vec![term];
    }
    let mut list = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (i, c) in term.char_indices() {
        let rest = &term[i..];
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '\\' if rest.starts_with("\\left") => depth += 1,
            '\\' if rest.starts_with("\\right") => depth -= 1,
            ' ' if depth == 0 && i > 0 && (rest.starts_with(" + ") || rest.starts_with(" - ")) => {
                list.push(&term[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    list.push(&term[start..]);
    list
}

/// About how many characters wide the text prints: a command counts as one.
fn printed_width(text: &str) -> usize {
    let mut width = 0;
    let mut in_command = false;
    for c in text.chars() {
        if c == '\\' {
            in_command = true;
            width += 1;
        } else if in_command && c.is_ascii_alphabetic() {
        } else {
            in_command = false;
            width += usize::from(!matches!(c, '{' | '}' | '_' | '^' | ',' | ' '));
        }
    }
    width
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

/// Parentheses that grow only where something tall is inside: a line may be broken
/// within plain ones.
fn parenthesised(text: &str) -> String {
    let tall = ["\\frac", "\\sqrt", "\\begin", "\\left"].iter().any(|command| text.contains(command));
    if tall { format!("\\left({text}\\right)") } else { format!("({text})") }
}

fn spell(readable: &Readable<'_>, tree: &Tree, least: Binding) -> String {
    let inner = |tree: &Tree, least: Binding| spell(readable, tree, least);
    let text = match tree {
        Tree::Number(value) => decimal(&readable::decimal(*value)),
        Tree::Symbol(s) => symbol(readable, *s),
        Tree::Quantity(index) => name(&readable.quantities[*index].name),
        Tree::Sum(terms) => {
            let terms = terms.iter().enumerate().map(|(i, term)| signed(readable, i == 0, term));
            terms.collect::<Vec<_>>().join(" ")
        }
        Tree::Product(product) => spell_product(readable, product),
        Tree::Function(op, a) => spell_function(readable, *op, a, 1),
        Tree::Function2(op, ab) => match op {
            BinaryOp::Pow => format!("{}^{{{}}}", inner(&ab[0], Binding::Atom), inner(&ab[1], Binding::Or)),
            BinaryOp::Atan2 => {
                let [y, x] = ab.each_ref().map(|tree| inner(tree, Binding::Or));
                format!("\\operatorname{{atan2}}\\left({y}, {x}\\right)")
            }
            _ => format!("{} \\bmod {}", inner(&ab[0], Binding::Atom), inner(&ab[1], Binding::Atom)),
        },
        Tree::Logic(op, ab) => {
            let sign = match op {
                BinaryOp::Or => "\\lor",
                BinaryOp::And => "\\land",
                BinaryOp::Less => "<",
                _ => "\\le",
            };
            let least = tree.operand_binding();
            format!("{} {sign} {}", inner(&ab[0], least), inner(&ab[1], least))
        }
        Tree::Not(a) => format!("\\lnot {}", inner(a, Binding::Atom)),
        Tree::Select(abc) => {
            let [condition, then, otherwise] = abc.each_ref().map(|tree| inner(tree, Binding::Or));
            format!(
                "\\begin{{cases}} {then} & \\text{{if }} {condition} \\\\ {otherwise} & \\text{{otherwise}} \\end{{cases}}"
            )
        }
        Tree::Table { table, derivative, at, .. } => {
            let table_name = readable.equations.tables.get(*table);
            let table_name =
                table_name.map_or_else(|| format!("table{}", table.index()), |table| table.name.text.clone());
            let primes = "'".repeat(usize::from(*derivative));
            let at = inner(at, Binding::Or);
            format!("\\mathrm{{{}}}{primes}\\left({at}\\right)", escaped(&table_name))
        }
    };
    if tree.binding(Style::Printed) < least { parenthesised(&text) } else { text }
}

/// f(a)ⁿ, with the exponent at the function's name where that is usual.
fn spell_function(readable: &Readable<'_>, op: UnaryOp, a: &Tree, exponent: u32) -> String {
    let plain = spell(readable, a, Binding::Or);
    let power = if exponent == 1 { String::new() } else { format!("^{{{exponent}}}") };
    let command = match op {
        UnaryOp::Sqrt => return format!("\\sqrt{{{plain}}}{power}"),
        UnaryOp::Floor => return format!("\\left\\lfloor {plain} \\right\\rfloor{power}"),
        UnaryOp::Exp if exponent == 1 => return format!("e^{{{plain}}}"),
        UnaryOp::Exp => "\\exp",
        UnaryOp::Sin => "\\sin",
        UnaryOp::Cos => "\\cos",
        UnaryOp::Tan => "\\tan",
        UnaryOp::Asin => "\\arcsin",
        UnaryOp::Acos => "\\arccos",
        UnaryOp::Atan => "\\arctan",
        UnaryOp::Sinh => "\\sinh",
        UnaryOp::Cosh => "\\cosh",
        UnaryOp::Tanh => "\\tanh",
        UnaryOp::Log => "\\ln",
        UnaryOp::Neg => "-",
        UnaryOp::Not => "\\lnot",
    };
    // sin φ, but sin(φ + ψ) and sin(2 φ).
    let argument = match a {
        Tree::Symbol(_) | Tree::Quantity(_) => format!(" {plain}"),
        _ => parenthesised(&plain),
    };
    format!("{command}{power}{argument}")
}

fn spell_product(readable: &Readable<'_>, product: &Product) -> String {
    let Fraction { numerator, pi, above, denominator, below } = product.fraction();
    let factor = |factor: &Factor<'_>| match (factor.base, factor.exponent) {
        (Tree::Function(op, a), n) if !matches!(op, UnaryOp::Exp if n == 1) => {
            spell_function(readable, *op, a, n)
        }
        (base, 1) => spell(readable, base, factor.least),
        (base, n) => power(&spell(readable, base, factor.least), n),
    };
    let numerator = numerator.map(|text| decimal(&text));
    let mut numerators: Vec<String> = numerator.into_iter().chain(pi.then(|| "\\pi".to_owned())).collect();
    numerators.extend(above.iter().map(factor));
    let denominators: Vec<String> = denominator.into_iter().chain(below.iter().map(factor)).collect();
    let above = if numerators.is_empty() { "1".to_owned() } else { numerators.join("\\,") };
    if denominators.is_empty() { above } else { format!("\\frac{{{above}}}{{{}}}", denominators.join("\\,")) }
}

/// `base`ⁿ; a base that carries a dot or an index keeps it outside of the exponent.
fn power(base: &str, n: u32) -> String {
    format!("{base}^{{{n}}}")
}

/// A decimal number, its exponent as a power of ten.
fn decimal(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa}\\cdot 10^{{{exponent}}}"),
        None => text.to_owned(),
    }
}

/// A symbol of the model; rates of coordinates carry dots.
fn symbol(readable: &Readable<'_>, symbol: Symbol) -> String {
    let equations = readable.equations;
    if let Some((position, order)) = rate_of(equations, symbol) {
        return dotted(&equations.layout.positions[position], usize::from(order));
    }
    match symbol {
        Symbol::U(slot) => {
            let slot = &equations.layout.inputs[slot as usize];
            dotted(&slot.name, usize::from(slot.derivative))
        }
        Symbol::VDot(i) => dotted(&equations.layout.velocities[i as usize], 1),
        Symbol::Lambda(i) => format!("\\lambda_{{{}}}", i + 1),
        Symbol::Mode(_) => format!("\\text{{{}}}", escaped(readable.symbol(symbol))),
        other => name(readable.symbol(other)),
    }
}

fn dotted(text: &str, order: usize) -> String {
    typeset(&Symbolic::derivative(text, order))
}

/// A name as a symbol: `phi1` → `\varphi_{1}`, `m_rod` → `m_{\mathrm{rod}}`,
/// `wheel.x` → `x_{\mathrm{wheel}}`.
fn name(text: &str) -> String {
    typeset(&Symbolic::of(text))
}

fn typeset(symbol: &Symbolic) -> String {
    let stem = glyph(&symbol.stem);
    let base = match symbol.dots {
        0 => stem,
        1 => format!("\\dot{{{stem}}}"),
        _ => format!("\\ddot{{{stem}}}"),
    };
    if symbol.indices.is_empty() {
        return base;
    }
    let indices: Vec<String> = symbol.indices.iter().map(glyph).collect();
    format!("{base}_{{{}}}", indices.join(","))
}

fn glyph(glyph: &Glyph) -> String {
    match glyph {
        Glyph::Plain(text) => text.clone(),
        Glyph::Greek(command, _) => format!("\\{command}"),
        Glyph::Word(text) => format!("\\mathrm{{{}}}", escaped(text)),
    }
}

/// Text with LaTeX's own characters made ordinary.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(name(text), expected);
    }

    #[test]
    fn names_become_symbols() {
        check("phi", r"\varphi");
        check("phi1", r"\varphi_{1}");
        check("l1", "l_{1}");
        check("m_rod", r"m_{\mathrm{rod}}");
        check("omega_crank_y", r"\omega_{\mathrm{crank},y}");
        check("gap", r"\mathrm{gap}");
        check("wheel.x", r"x_{\mathrm{wheel}}");
        check("body.qw", r"\mathrm{qw}_{\mathrm{body}}");
        check("phi_dot", r"\dot{\varphi}");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("50% of a_b"), r"50\% of a\_b");
    }
}
