//! What all spellings decide alike: where parentheses stand, and what is above and below the bar
//! of a fraction.

use super::number::{Spelled, spell};
use super::{Product, Tree};
use crate::expr::{BinaryOp, UnaryOp};

/// How tightly an expression binds, the loosest first. An operand that binds less than is expected
/// in its place is put in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Power,
    Atom,
}

/// How expressions are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// On a line, as one types: `sin(a)`, `a/b`, `a^b`.
    Typed,
    /// As in books: sin a, bars of fractions, raised exponents, cases in braces.
    Printed,
}

impl Tree {
    /// How tightly the expression binds.
    pub(crate) fn binding(&self, style: Style) -> Binding {
        match (self, style) {
            (Self::Number(_) | Self::Symbol(_) | Self::Quantity(_) | Self::Table { .. }, _) => Binding::Atom,
            (Self::Sum(_), _) => Binding::Sum,
            (Self::Product(product), Style::Typed) if product.is_power() => Binding::Power,
            (Self::Product(_), _) => Binding::Product,
            (Self::Function(UnaryOp::Sqrt | UnaryOp::Floor, _), _) => Binding::Atom,
            (Self::Function2(BinaryOp::Atan2, _), _) => Binding::Atom,
            (Self::Function2(BinaryOp::Pow, _), Style::Typed) => Binding::Power,
            (Self::Function(..) | Self::Function2(..) | Self::Select(_), Style::Typed) => Binding::Atom,
            (Self::Function(..) | Self::Function2(BinaryOp::Pow, _), Style::Printed) => Binding::Product,
            (Self::Function2(..) | Self::Select(_), Style::Printed) => Binding::Sum,
            (Self::Logic(BinaryOp::Or, _), _) => Binding::Or,
            (Self::Logic(BinaryOp::And, _), _) => Binding::And,
            (Self::Logic(..) | Self::Not(_), _) => Binding::Comparison,
        }
    }

    /// How tightly the operands of a comparison, `and` or `or` have to bind.
    pub(crate) fn operand_binding(&self) -> Binding {
        match self.binding(Style::Typed) {
            // Comparisons do not chain.
            Binding::Comparison => Binding::Sum,
            own => own,
        }
    }
}

/// A product as a fraction.
#[derive(Debug, PartialEq)]
pub(crate) struct Fraction<'t> {
    /// The number above the bar, unless it is 1.
    pub(crate) numerator: Option<String>,
    /// Whether π is above the bar, too.
    pub(crate) pi: bool,
    pub(crate) above: Vec<Factor<'t>>,
    /// The number below the bar, unless it is 1.
    pub(crate) denominator: Option<String>,
    pub(crate) below: Vec<Factor<'t>>,
}

/// A factor above or below the bar.
#[derive(Debug, PartialEq)]
pub(crate) struct Factor<'t> {
    pub(crate) base: &'t Tree,
    /// Never zero.
    pub(crate) exponent: u32,
    /// How tightly the base has to bind if the bar is drawn: a bar needs no parentheses around what
    /// stands alone above or below it.
    pub(crate) least: Binding,
}

impl Product {
    pub(crate) fn fraction(&self) -> Fraction<'_> {
        let Spelled { numerator, pi, denominator } = spell(self.number);
        let numerator = numerator.filter(|text| text != "1");
        let has_number = [numerator.is_some() || pi, denominator.is_some()];
        let has_bar = denominator.is_some() || self.factors.iter().any(|(_, exponent)| *exponent < 0);
        let side = |is_below: bool| {
            let factors = || self.factors.iter().filter(move |(_, exponent)| (*exponent < 0) == is_below);
            let is_alone = has_bar && factors().count() == 1 && !has_number[usize::from(is_below)];
            let least = |exponent: u32| match exponent {
                1 if is_alone => Binding::Sum,
                1 => Binding::Product,
                _ => Binding::Atom,
            };
            factors()
                .map(|(base, exponent)| (base, exponent.unsigned_abs()))
                .map(|(base, exponent)| Factor { base, exponent, least: least(exponent) })
                .collect()
        };
        Fraction { numerator, pi, above: side(false), denominator, below: side(true) }
    }

    /// Whether it is but one factor with an exponent.
    fn is_power(&self) -> bool {
        self.number == 1.0 && matches!(self.factors.as_slice(), [(_, exponent)] if *exponent > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Symbol;

    fn symbol(index: u32) -> Tree {
        Tree::Symbol(Symbol::P(index))
    }

    /// How tightly bases have to bind above and below the bar of number · Π pᵢ^exponent.
    fn least(number: f64, exponents: &[i32]) -> [Vec<Binding>; 2] {
        let factors = exponents.iter().zip(0..).map(|(&exponent, index)| (symbol(index), exponent));
        let product = Product { number, factors: factors.collect() };
        let fraction = product.fraction();
        [&fraction.above, &fraction.below].map(|side| side.iter().map(|factor| factor.least).collect())
    }

    #[test]
    fn what_is_alone_at_a_bar_needs_no_parentheses() {
        use Binding::{Atom, Product, Sum};
        assert_eq!(least(1.0, &[1, -1]), [vec![Sum], vec![Sum]]);
        assert_eq!(least(3.0, &[1, -1]), [vec![Product], vec![Sum]]);
        assert_eq!(least(0.5, &[1]), [vec![Sum], vec![]], "the 2 is below the bar");
        assert_eq!(least(0.5, &[1, -1]), [vec![Sum], vec![Product]]);
        assert_eq!(least(3.0, &[1]), [vec![Product], vec![]], "no bar");
        assert_eq!(least(1.0, &[1, 1, -2]), [vec![Product, Product], vec![Atom]]);
    }

    #[test]
    fn styles_differ_where_print_shows_what_belongs_together() {
        let sine = Tree::Function(UnaryOp::Sin, Box::new(symbol(0)));
        let bindings = |tree: &Tree| [Style::Typed, Style::Printed].map(|style| tree.binding(style));
        assert_eq!(bindings(&sine), [Binding::Atom, Binding::Product]);
        let power = Product { number: 1.0, factors: vec![(symbol(0), 2)] };
        assert_eq!(bindings(&Tree::Product(power)), [Binding::Power, Binding::Product]);
        let less = Tree::Logic(BinaryOp::Less, Box::new([symbol(0), symbol(1)]));
        assert_eq!(
            (less.binding(Style::Printed), less.operand_binding()),
            (Binding::Comparison, Binding::Sum)
        );
        assert!(Tree::Logic(BinaryOp::And, Box::new([less.clone(), less])).operand_binding() == Binding::And);
    }
}
