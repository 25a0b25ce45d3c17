//! Expressions in MathML Core, which browsers draw without scripts.

use crate::dynamics::Equations;
use crate::emit::readable::{
    self, Binding, Factor, Fraction, Glyph, Product, Readable, Style, Symbolic, Term, Tree,
};
use crate::emit::text::rate_of;
use crate::expr::{BinaryOp, Symbol, UnaryOp};
use crate::ids::Id;
use crate::printable;

/// Markup of an expression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) markup: String,
    /// Higher than a line: parentheses around it grow.
    tall: bool,
}

impl Set {
    pub(super) fn new(markup: impl Into<String>) -> Self {
        Self { markup: markup.into(), tall: false }
    }

    /// Several side by side.
    fn row(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut row = Self::default();
        for part in parts {
            row.markup += &part.markup;
            row.tall |= part.tall;
        }
        row
    }

    /// As one operand of an element with several.
    fn grouped(self) -> Self {
        Self { markup: format!("<mrow>{}</mrow>", self.markup), ..self }
    }

    fn parenthesised(self) -> Self {
        // Only tall content lets its parentheses grow: growing ones are slow to lay out.
        let stretchy = if self.tall { "" } else { " stretchy=\"false\"" };
        Self {
            markup: format!("<mrow><mo{stretchy}>(</mo>{}<mo{stretchy}>)</mo></mrow>", self.markup),
            ..self
        }
    }

    fn power(self, exponent: Self) -> Self {
        let base = self.grouped();
        Self { markup: format!("<msup>{}{}</msup>", base.markup, exponent.markup), tall: base.tall }
    }
}

pub(super) fn operator(sign: &str) -> Set {
    Set::new(format!("<mo>{sign}</mo>"))
}

fn identifier(text: &str) -> Set {
    let variant = if text.chars().count() == 1 { "" } else { " class=\"up\"" };
    Set::new(format!("<mi{variant}>{}</mi>", escaped(text)))
}

fn number(text: &str) -> Set {
    match text.split_once('e') {
        Some((mantissa, exponent)) => Set::new(format!(
            "<mn>{mantissa}</mn><mo>·</mo><msup><mn>10</mn><mn>{}</mn></msup>",
            minus(exponent)
        )),
        None => Set::new(format!("<mn>{text}</mn>")),
    }
}

/// A number's hyphen as the sign it means.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// Text inside markup.
pub(super) fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A name as a symbol with dots and indices.
pub(super) fn name(text: &str) -> Set {
    symbolic(&Symbolic::of(text))
}

fn symbolic(symbol: &Symbolic) -> Set {
    let stem = glyph(&symbol.stem);
    let base = match symbol.dots {
        0 => stem,
        order => {
            let dots = if order == 1 { "˙" } else { "¨" };
            Set::new(format!("<mover accent=\"true\">{}<mo>{dots}</mo></mover>", stem.markup))
        }
    };
    indexed(base, &symbol.indices.iter().map(glyph).collect::<Vec<_>>())
}

/// `base` with indices separated by commas.
pub(super) fn indexed(base: Set, indices: &[Set]) -> Set {
    let inner = match indices {
        [] => return base,
        [one] => one.clone(),
        many => {
            let mut parts = Vec::new();
            for (i, index) in many.iter().enumerate() {
                if i > 0 {
                    parts.push(Set::new("<mo separator=\"true\">,</mo>"));
                }
                parts.push(index.clone());
            }
            Set::row(parts).grouped()
        }
    };
    Set::new(format!("<msub>{}{}</msub>", base.markup, inner.markup))
}

fn glyph(glyph: &Glyph) -> Set {
    match glyph {
        Glyph::Plain(text) if text.chars().all(|c| c.is_ascii_digit()) => number(text),
        Glyph::Plain(text) | Glyph::Word(text) => identifier(text),
        Glyph::Greek(_, character) => Set::new(format!("<mi>{character}</mi>")),
    }
}

/// A symbol of the model; rates of coordinates carry dots.
pub(super) fn symbol(readable: &Readable<'_>, symbol: Symbol) -> Set {
    let equations: &Equations = readable.equations;
    if let Some((position, order)) = rate_of(equations, symbol) {
        return symbolic(&Symbolic::derivative(&equations.layout.positions[position], usize::from(order)));
    }
    match symbol {
        Symbol::U(slot) => {
            let slot = &equations.layout.inputs[slot as usize];
            symbolic(&Symbolic::derivative(&slot.name, usize::from(slot.derivative)))
        }
        Symbol::VDot(i) => symbolic(&Symbolic::derivative(&equations.layout.velocities[i as usize], 1)),
        Symbol::Lambda(i) => indexed(identifier("λ"), &[row_name(&equations.layout.rows[i as usize].name)]),
        Symbol::Mode(_) => words(readable.symbol(symbol)),
        other => name(readable.symbol(other)),
    }
}

/// The name of a constraint row, as an index.
pub(super) fn row_name(text: &str) -> Set {
    words(text)
}

/// Upright text.
pub(super) fn words(text: &str) -> Set {
    Set::new(format!("<mtext>{}</mtext>", escaped(text)))
}

/// An expression in parts between which a line may be broken.
pub(super) fn terms(readable: &Readable<'_>, tree: &Tree) -> Vec<Set> {
    match tree {
        Tree::Sum(terms) => {
            terms.iter().enumerate().map(|(i, term)| signed(readable, i == 0, term)).collect()
        }
        other => vec![spell(readable, other, Binding::Or)],
    }
}

fn signed(readable: &Readable<'_>, first: bool, term: &Term) -> Set {
    let value = spell(readable, &term.value, Binding::Product);
    let sign = match (first, term.negative) {
        (true, false) => return value,
        (true, true) => Set::new("<mo form=\"prefix\">−</mo>"),
        (false, false) => Set::new("<mo form=\"infix\" lspace=\"0.25em\" rspace=\"0.25em\">+</mo>"),
        (false, true) => Set::new("<mo form=\"infix\" lspace=\"0.25em\" rspace=\"0.25em\">−</mo>"),
    };
    Set::row([sign, value])
}

fn spell(readable: &Readable<'_>, tree: &Tree, least: Binding) -> Set {
    let inner = |tree: &Tree, least: Binding| spell(readable, tree, least);
    let set = match tree {
        Tree::Number(value) => number(&minus(&readable::decimal(*value))),
        Tree::Symbol(s) => symbol(readable, *s),
        Tree::Quantity(index) => name(&readable.quantities[*index].name),
        Tree::Sum(_) => Set::row(terms(readable, tree)),
        Tree::Product(product) => spell_product(readable, product),
        Tree::Function(op, a) => spell_function(readable, *op, a, 1),
        Tree::Function2(op, ab) => match op {
            BinaryOp::Pow => inner(&ab[0], Binding::Atom).power(inner(&ab[1], Binding::Or).grouped()),
            BinaryOp::Atan2 => {
                let comma = Set::new("<mo separator=\"true\">,</mo>");
                let [y, x] = ab.each_ref().map(|tree| inner(tree, Binding::Or));
                Set::row([identifier("atan2"), apply(), Set::row([y, comma, x]).parenthesised()])
            }
            _ => {
                let [a, b] = ab.each_ref().map(|tree| inner(tree, Binding::Atom));
                Set::row([a, operator("mod"), b])
            }
        },
        Tree::Logic(op, ab) => {
            let sign = match op {
                BinaryOp::Or => "∨",
                BinaryOp::And => "∧",
                BinaryOp::Less => "&lt;",
                _ => "≤",
            };
            let least = tree.operand_binding();
            Set::row([inner(&ab[0], least), operator(sign), inner(&ab[1], least)])
        }
        Tree::Not(a) => Set::row([Set::new("<mo>¬</mo>"), inner(a, Binding::Atom)]),
        Tree::Select(abc) => {
            let [condition, then, otherwise] = abc.each_ref().map(|tree| inner(tree, Binding::Or));
            cases(&condition, &then, &otherwise)
        }
        Tree::Table { table, derivative, at, .. } => {
            let table_name = readable.equations.tables.get(*table);
            let table_name =
                table_name.map_or_else(|| format!("table{}", table.index()), |table| table.name.text.clone());
            let primes = "′".repeat(usize::from(*derivative));
            let called = words(&format!("{table_name}{primes}"));
            Set::row([called, apply(), inner(at, Binding::Or).parenthesised()])
        }
    };
    if tree.binding(Style::Printed) < least { set.parenthesised() } else { set }
}

fn cases(condition: &Set, then: &Set, otherwise: &Set) -> Set {
    let row = |value: &Set, when: &str| format!("<mtr><mtd>{}</mtd><mtd>{when}</mtd></mtr>", value.markup);
    let when = format!("<mtext>if&nbsp;</mtext>{}", condition.markup);
    let markup = format!(
        "<mrow><mo>{{</mo><mtable>{}{}</mtable></mrow>",
        row(then, &when),
        row(otherwise, "<mtext>otherwise</mtext>")
    );
    Set { markup, tall: true }
}

/// The invisible sign between a function and its argument.
fn apply() -> Set {
    Set::new("<mo>&#x2061;</mo>")
}

/// f(a)ⁿ, with the exponent at the function's name where that is usual.
fn spell_function(readable: &Readable<'_>, op: UnaryOp, a: &Tree, exponent: u32) -> Set {
    let plain = spell(readable, a, Binding::Or);
    let raised = |set: Set| if exponent == 1 { set } else { set.power(number(&exponent.to_string())) };
    let called = match op {
        UnaryOp::Sqrt => {
            let root = Set { markup: format!("<msqrt>{}</msqrt>", plain.markup), tall: true };
            return raised(root);
        }
        UnaryOp::Floor => {
            let floor = Set {
                markup: format!("<mrow><mo>⌊</mo>{}<mo>⌋</mo></mrow>", plain.markup),
                tall: plain.tall,
            };
            return raised(floor);
        }
        UnaryOp::Exp if exponent == 1 => return identifier("e").power(plain.grouped()),
        UnaryOp::Exp => "exp",
        UnaryOp::Sin => "sin",
        UnaryOp::Cos => "cos",
        UnaryOp::Tan => "tan",
        UnaryOp::Asin => "arcsin",
        UnaryOp::Acos => "arccos",
        UnaryOp::Atan => "arctan",
        UnaryOp::Sinh => "sinh",
        UnaryOp::Cosh => "cosh",
        UnaryOp::Tanh => "tanh",
        UnaryOp::Log => "ln",
        UnaryOp::Neg => "−",
        UnaryOp::Not => "¬",
    };
    // sin φ, but sin(φ + ψ) and sin(2 φ).
    let argument = match a {
        Tree::Symbol(_) | Tree::Quantity(_) => Set::row([Set::new("<mspace width=\"0.17em\"/>"), plain]),
        _ => plain.parenthesised(),
    };
    Set::row([raised(identifier(called)), apply(), argument])
}

fn spell_product(readable: &Readable<'_>, product: &Product) -> Set {
    let Fraction { numerator, pi, above, denominator, below } = product.fraction();
    let factor = |factor: &Factor<'_>| match (factor.base, factor.exponent) {
        (Tree::Function(op, a), n) if !matches!(op, UnaryOp::Exp if n == 1) => {
            spell_function(readable, *op, a, n)
        }
        (base, 1) => spell(readable, base, factor.least),
        (base, n) => spell(readable, base, factor.least).power(number(&n.to_string())),
    };
    let numerator = numerator.map(|text| number(&text));
    let mut numerators: Vec<Set> = numerator.into_iter().chain(pi.then(|| identifier("π"))).collect();
    numerators.extend(above.iter().map(factor));
    let denominator = denominator.map(|text| number(&text));
    let denominators: Vec<Set> = denominator.into_iter().chain(below.iter().map(factor)).collect();
    if numerators.is_empty() {
        numerators.push(number("1"));
    }
    let above = multiplied(numerators);
    if denominators.is_empty() {
        return above;
    }
    let below = multiplied(denominators);
    let markup = format!("<mfrac>{}{}</mfrac>", above.grouped().markup, below.grouped().markup);
    Set { markup, tall: true }
}

/// Factors with a thin space between them.
fn multiplied(factors: Vec<Set>) -> Set {
    let mut parts = Vec::new();
    for (i, factor) in factors.into_iter().enumerate() {
        if i > 0 {
            parts.push(Set::new("<mo lspace=\"0\" rspace=\"0.17em\">&#x2062;</mo>"));
        }
        parts.push(factor);
    }
    Set::row(parts)
}
