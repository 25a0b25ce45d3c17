//! What formulas measure.
//!
//! A number without a unit may measure anything, so a product with one is not judged:
//! every error is one whatever the plain numbers mean. Where a plain number is one
//! that people write for itself (2, ½, π, 12) and what it multiplies was given a unit
//! by the user, the product is judged as if the number were pure, and only warned of.
//! Where the user gave no unit at all nothing is judged: in `sin(t)` and `torque: -phi`
//! a factor of one, with its unit, is understood.

use super::Resolver;
use super::fields::Fields;
use crate::diag::{Diagnostic, Problem, Severity, Span};
use crate::ids::{CoordinateId, Id, VelocityId};
use crate::model::language::Measure;
use crate::model::place::FormulaContext;
use crate::model::{BinaryOperator, Dimension, Formula, Function, Query, Term, TermId, TermKind, units};

/// What is known of what a value measures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Quantity {
    /// `None` if it may measure anything.
    pub(super) dimension: Option<Dimension>,
    /// Holds only if the plain numbers in it are pure numbers.
    supposed: bool,
    /// The user gave a unit to something in it.
    declared: bool,
}

impl Quantity {
    const UNKNOWN: Self = Self { dimension: None, supposed: false, declared: false };

    /// What the language itself fixes.
    pub(super) fn fixed(dimension: Dimension) -> Self {
        Self { dimension: Some(dimension), supposed: false, declared: false }
    }

    /// What the user wrote.
    pub(super) fn declared(dimension: Dimension) -> Self {
        Self { declared: true, ..Self::fixed(dimension) }
    }

    /// Of something formed from both, if each has a dimension.
    fn with(self, other: Self, f: impl FnOnce(Dimension, Dimension) -> Option<Dimension>) -> Self {
        match (self.dimension, other.dimension) {
            (Some(a), Some(b)) => Self {
                dimension: f(a, b),
                supposed: self.supposed || other.supposed,
                declared: self.declared || other.declared,
            },
            _ => Self::UNKNOWN,
        }
    }

    fn map(self, f: impl FnOnce(Dimension) -> Option<Dimension>) -> Self {
        Self { dimension: self.dimension.and_then(f), ..self }
    }

    /// Times or over a number that is pure if any is.
    fn supposedly(self) -> Self {
        match self.dimension {
            Some(_) if self.declared => Self { supposed: true, ..self },
            _ => Self::UNKNOWN,
        }
    }

    /// Of two values that must measure the same; the one that is known, or surer.
    fn either(self, other: Self) -> Self {
        match (self.dimension, other.dimension) {
            (None, _) => other,
            (Some(_), Some(_)) if self.supposed => {
                Self { declared: self.declared || other.declared, ..other }
            }
            _ => Self { declared: self.declared || other.declared, ..self },
        }
    }
}

/// Numbers that hardly ever hide a unit.
fn is_pure(value: f64) -> bool {
    const PURE: [f64; 14] =
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 24.0, 0.5, 0.25, 0.75, 1.5, std::f64::consts::PI];
    PURE.contains(&value.abs())
}

impl<'a> Resolver<'a> {
    /// What `formula` measures; complains about what does not fit together in it.
    pub(super) fn quantity(&mut self, formula: &Formula, place: FormulaContext) -> Quantity {
        let mut known: Vec<Quantity> = Vec::with_capacity(formula.terms.len());
        let mut quiet = false;
        for (index, term) in formula.terms.iter().enumerate() {
            let quantity = match self.term_quantity(formula, term, &known, place) {
                Ok(quantity) => quantity,
                Err(diagnostic) => {
                    // What follows would only repeat it.
                    if !quiet {
                        self.problems.push(*diagnostic);
                    }
                    quiet = true;
                    Quantity::UNKNOWN
                }
            };
            debug_assert_eq!(known.len(), index);
            known.push(quantity);
        }
        known.last().copied().filter(|_| !quiet).unwrap_or_default()
    }

    fn term_quantity(
        &self,
        formula: &Formula,
        term: &Term,
        known: &[Quantity],
        place: FormulaContext,
    ) -> Result<Quantity, Box<Diagnostic>> {
        let q = |id: TermId| known[id as usize];
        let listed = |list: &[Quantity], index: usize| list.get(index).copied().unwrap_or_default();
        Ok(match term.kind {
            TermKind::Number(_) => term.dimension.map_or(Quantity::UNKNOWN, Quantity::declared),
            TermKind::Parameter(id) => listed(&self.parameter_quantities, id.index()),
            TermKind::Input(id) => listed(&self.input_quantities, id.index()),
            TermKind::State(id) => listed(&self.state_quantities, id.index()),
            TermKind::Variable(id) => listed(&self.variable_quantities, id.index()),
            TermKind::Time => Quantity::fixed(Dimension::TIME),
            TermKind::Coordinate(id) => self.coordinate_quantity(id),
            TermKind::Velocity(id) => self.velocity_quantity(id),
            TermKind::Local(index) => match place.locals().get(usize::from(index)) {
                Some(&"rate") => Quantity::fixed(Dimension::VELOCITY),
                Some(_) => Quantity::fixed(Dimension::LENGTH),
                None => Quantity::UNKNOWN,
            },
            TermKind::Neg(a) => q(a),
            TermKind::Der(a) => q(a).map(|dimension| dimension.over(Dimension::TIME)),
            TermKind::Binary(operator, a, b) => return self.binary(formula, known, operator, [a, b]),
            TermKind::Compare(_, a, b) => {
                self.alike(formula, known, [a, b], "compared")?;
                Quantity::fixed(Dimension::ONE)
            }
            TermKind::If(_, a, b) => {
                self.alike(formula, known, [a, b], "alternatives of one `if`")?;
                q(a).either(q(b))
            }
            TermKind::And(..) | TermKind::Or(..) | TermKind::Not(_) => Quantity::fixed(Dimension::ONE),
            TermKind::Call(function, a, b) => return self.function(formula, known, function, [a, b]),
            TermKind::Table(table, _, a) => {
                let (x, y) = self.table_quantities.get(table.index()).copied().unwrap_or_default();
                if let Some(expected) = x.dimension {
                    self.expect_term(
                        formula,
                        a,
                        q(a),
                        expected.to_string(),
                        expected,
                        "the argument of this table",
                    )?;
                }
                y
            }
            TermKind::Query(query) => Quantity::fixed(match query {
                Query::Position { .. } | Query::Distance { .. } => Dimension::LENGTH,
                Query::Velocity { .. } => Dimension::VELOCITY,
                Query::Acceleration { .. } => Dimension::ACCELERATION,
                Query::AngularVelocity { .. } => Dimension::RATE,
                Query::Rotation { .. } => Dimension::ONE,
                Query::Reaction { component: 0..=2, .. } => Dimension::FORCE,
                Query::Reaction { .. } => Dimension::TORQUE,
            }),
        })
    }

    fn binary(
        &self,
        formula: &Formula,
        known: &[Quantity],
        operator: BinaryOperator,
        [a, b]: [TermId; 2],
    ) -> Result<Quantity, Box<Diagnostic>> {
        let (qa, qb) = (known[a as usize], known[b as usize]);
        let plain = |id: TermId| match &formula.terms[id as usize] {
            Term { kind: TermKind::Number(value), dimension: None, .. } => Some(*value),
            _ => None,
        };
        Ok(match operator {
            BinaryOperator::Add | BinaryOperator::Sub => {
                let verb = if operator == BinaryOperator::Add { "added" } else { "subtracted" };
                self.alike(formula, known, [a, b], verb)?;
                qa.either(qb)
            }
            BinaryOperator::Mul => match (plain(a), plain(b)) {
                (Some(number), None) if is_pure(number) => qb.supposedly(),
                (None, Some(number)) if is_pure(number) => qa.supposedly(),
                _ => qa.with(qb, Dimension::times),
            },
            BinaryOperator::Div => match plain(b) {
                Some(number) if is_pure(number) => qa.supposedly(),
                _ => qa.with(qb, Dimension::over),
            },
            BinaryOperator::Pow => {
                self.pure(formula, b, qb, "an exponent")?;
                match (plain(b), qa.dimension) {
                    (Some(exponent), _) => qa.map(|dimension| dimension.power(exponent)),
                    (None, Some(Dimension::ONE)) => qa,
                    _ => Quantity::UNKNOWN,
                }
            }
        })
    }

    fn function(
        &self,
        formula: &Formula,
        known: &[Quantity],
        function: Function,
        [a, b]: [TermId; 2],
    ) -> Result<Quantity, Box<Diagnostic>> {
        let (qa, qb) = (known[a as usize], known[b as usize]);
        let one = Quantity::fixed(Dimension::ONE);
        Ok(match function {
            Function::Sin
            | Function::Cos
            | Function::Tan
            | Function::Asin
            | Function::Acos
            | Function::Atan
            | Function::Sinh
            | Function::Cosh
            | Function::Tanh
            | Function::Exp
            | Function::Log => {
                self.pure(formula, a, qa, &format!("the argument of `{}`", function.name()))?;
                one
            }
            Function::Atan2 => {
                self.alike(formula, known, [a, b], "the two arguments of `atan2`")?;
                one
            }
            Function::Sqrt => qa.map(|dimension| dimension.power(0.5)),
            Function::Abs | Function::Floor => qa,
            Function::Sign => one,
            Function::Min | Function::Max | Function::Mod => {
                let verb = match function {
                    Function::Min => "arguments of one `min`",
                    Function::Max => "arguments of one `max`",
                    _ => "arguments of one `mod`",
                };
                self.alike(formula, known, [a, b], verb)?;
                qa.either(qb)
            }
        })
    }

    /// Complains unless both terms can measure the same.
    fn alike(
        &self,
        formula: &Formula,
        known: &[Quantity],
        [a, b]: [TermId; 2],
        verb: &'static str,
    ) -> Result<(), Box<Diagnostic>> {
        let (qa, qb) = (known[a as usize], known[b as usize]);
        let (Some(left), Some(right)) = (qa.dimension, qb.dimension) else { return Ok(()) };
        if left == right || !(qa.declared || qb.declared) {
            return Ok(());
        }
        let (left_span, span) = (formula.terms[a as usize].span, formula.terms[b as usize].span);
        let sure = !qa.supposed && !qb.supposed;
        let problem = Problem::CannotCombine {
            left: self.snippet(left_span),
            left_unit: said(left),
            right: self.snippet(span),
            right_unit: said(right),
            verb,
            sure,
        };
        let mut report = Diagnostic { severity: severity(sure), ..Diagnostic::error(span, problem) };
        if left_span != span {
            report = report.with(left_span, said(left));
        }
        let report = self.with_origins(report, formula, a);
        Err(Box::new(self.with_origins(report, formula, b)))
    }

    fn pure(
        &self,
        formula: &Formula,
        term: TermId,
        found: Quantity,
        what: &str,
    ) -> Result<(), Box<Diagnostic>> {
        match found.dimension {
            Some(dimension) if !dimension.is_one() && found.declared => {
                let span = formula.terms[term as usize].span;
                let sure = !found.supposed;
                let problem = Problem::NotAPureNumber {
                    what: what.to_owned(),
                    text: self.snippet(span),
                    found: said(dimension),
                    sure,
                };
                let report = Diagnostic { severity: severity(sure), ..Diagnostic::error(span, problem) };
                Err(Box::new(self.with_origins(report, formula, term)))
            }
            _ => Ok(()),
        }
    }

    fn expect_term(
        &self,
        formula: &Formula,
        term: TermId,
        found: Quantity,
        unit: String,
        expected: Dimension,
        what: &str,
    ) -> Result<(), Box<Diagnostic>> {
        match found.dimension {
            Some(dimension) if dimension != expected && found.declared => {
                let span = formula.terms[term as usize].span;
                let sure = !found.supposed;
                let problem = Problem::WrongDimension {
                    what: what.to_owned(),
                    expected: if unit == "1" { said(expected) } else { format!("in {unit}") },
                    text: self.snippet(span),
                    found: said(dimension),
                    sure,
                };
                let report = Diagnostic { severity: severity(sure), ..Diagnostic::error(span, problem) };
                Err(Box::new(self.with_origins(report, formula, term)))
            }
            _ => Ok(()),
        }
    }

    /// Complains unless `formula` can be in `unit`.
    pub(super) fn expect(
        &mut self,
        formula: &Formula,
        place: FormulaContext,
        unit: &str,
        what: &str,
    ) -> Quantity {
        let found = self.quantity(formula, place);
        self.expect_quantity(formula, found, unit, what, None);
        found
    }

    /// The same for a formula whose quantity is known; `reason` is where the unit was given.
    pub(super) fn expect_quantity(
        &mut self,
        formula: &Formula,
        found: Quantity,
        unit: &str,
        what: &str,
        reason: Option<Span>,
    ) {
        let (Ok(expected), Some(last)) = (units::parse(unit), formula.terms.len().checked_sub(1)) else {
            return;
        };
        let last = last as TermId;
        let result = self.expect_term(formula, last, found, expected.si, expected.dimension, what);
        if let Err(mut report) = result {
            // The whole formula, as people see it.
            report.span = formula.span;
            if let Problem::WrongDimension { text, .. } = &mut report.problem {
                *text = self.snippet(formula.span);
            }
            let report = match reason {
                Some(span) => report.with(span, "the unit is given here"),
                None => *report,
            };
            self.problems.push(report);
        }
    }

    /// Checks the formula behind `key` against what the language table says of it.
    pub(super) fn check_measure(
        &mut self,
        fields: &Fields<'a>,
        key: &str,
        formula: &Formula,
        place: FormulaContext,
    ) {
        match fields.measure(key) {
            Measure::In(unit) => {
                self.expect(formula, place, unit, &format!("`{key}`"));
            }
            Measure::Any => {
                self.quantity(formula, place);
            }
            // Checked when it is known what it acts along.
            Measure::Along(..) => {}
        }
    }

    /// Checks formulas behind keys whose unit depends on the coordinate they act along.
    pub(super) fn check_along(
        &mut self,
        fields: &Fields<'a>,
        coordinate: Quantity,
        values: &[(&str, &Formula)],
    ) {
        for (key, formula) in values {
            let unit = match (fields.measure(key), coordinate.dimension) {
                (Measure::Along(distance, _), Some(Dimension::LENGTH)) => distance,
                (Measure::Along(_, angle), Some(Dimension::ONE)) => angle,
                _ => {
                    self.quantity(formula, FormulaContext::Law);
                    continue;
                }
            };
            self.expect(formula, FormulaContext::Law, unit, &format!("`{key}`"));
        }
    }

    /// What a coordinate measures.
    pub(super) fn coordinate_quantity(&self, id: CoordinateId) -> Quantity {
        self.coordinate_quantities.get(id.index()).copied().unwrap_or_default()
    }

    /// What a velocity measures.
    pub(super) fn velocity_quantity(&self, id: VelocityId) -> Quantity {
        match self.velocities[id].coordinate {
            Some(coordinate) => {
                self.coordinate_quantity(coordinate).map(|dimension| dimension.over(Dimension::TIME))
            }
            None => Quantity::fixed(Dimension::RATE),
        }
    }

    /// The coordinate of the velocity: a distance or an angle.
    pub(super) fn moved_quantity(&self, id: VelocityId) -> Quantity {
        self.velocity_quantity(id).map(|dimension| dimension.times(Dimension::TIME))
    }

    fn snippet(&self, span: Span) -> String {
        let text = self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = text.chars().take(40).collect();
        if short.len() < text.len() { format!("{short}…") } else { short }
    }

    /// Adds where the names below `root` got their dimensions.
    fn with_origins(&self, mut report: Diagnostic, formula: &Formula, root: TermId) -> Diagnostic {
        const SHOWN: usize = 3;
        let mut pending = vec![root];
        let mut named: Vec<&str> = Vec::new();
        while let Some(id) = pending.pop() {
            let term = &formula.terms[id as usize];
            let (names, list): (&[String], &[Quantity]) = match term.kind {
                TermKind::Parameter(_) => (&self.parameter_names, &self.parameter_quantities),
                TermKind::Variable(_) => (&self.variable_names, &self.variable_quantities),
                TermKind::State(_) => (&self.state_names, &self.state_quantities),
                TermKind::Input(id) => {
                    let name = self.input_names.get(id.index()).map(|(name, _)| name.as_str());
                    let quantity = self.input_quantities.get(id.index()).copied();
                    report = self.origin(report, name.zip(quantity), &mut named);
                    continue;
                }
                kind => {
                    kind.for_each_operand(|operand| pending.push(operand));
                    continue;
                }
            };
            let index = match term.kind {
                TermKind::Parameter(id) => id.index(),
                TermKind::Variable(id) => id.index(),
                TermKind::State(id) => id.index(),
                _ => continue,
            };
            let name = names.get(index).map(String::as_str);
            report = self.origin(report, name.zip(list.get(index).copied()), &mut named);
            if named.len() >= SHOWN {
                break;
            }
        }
        report
    }

    fn origin<'n>(
        &self,
        report: Diagnostic,
        found: Option<(&'n str, Quantity)>,
        named: &mut Vec<&'n str>,
    ) -> Diagnostic {
        let Some((name, Quantity { dimension: Some(dimension), .. })) = found else { return report };
        let place = self.names.place(name).filter(|_| !named.contains(&name));
        let Some(span) = place else { return report };
        named.push(name);
        if report.related.iter().any(|(known, _)| *known == span) {
            return report;
        }
        report.with(span, said(dimension))
    }
}

/// What it measures, for messages.
fn said(dimension: Dimension) -> String {
    if dimension.is_one() { "a pure number".to_owned() } else { format!("in {dimension}") }
}

fn severity(sure: bool) -> Severity {
    if sure { Severity::Error } else { Severity::Warning }
}
