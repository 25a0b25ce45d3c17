//! What a formula uses, held against what its place allows.

use super::Resolver;
use crate::diag::{Diagnostic, Problem, Span};
use crate::ids::{Id, InputId};
use crate::model::place::{FormulaContext, Needs};
use crate::model::{Formula, Query, Term, TermKind};
use mbs_math::TableKind;

/// What a term depends on, as far as `der` and places care.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Dependence {
    /// Everything used by it and its operands.
    pub(super) needs: Needs,
    /// Highest derivative of motion in it: 1 for positions, 2 velocities, 3
    /// accelerations, 0 for none.
    motion: u8,
    /// The same for inputs.
    input: u8,
    /// The same for auxiliary states.
    state: u8,
    /// An input in it that comes without derivatives.
    plain_input: Option<InputId>,
    /// A quantity of the surrounding element in it.
    local: Option<u8>,
    reaction: bool,
}

impl Dependence {
    fn join(self, other: Self) -> Self {
        Self {
            needs: self.needs.and(other.needs),
            motion: self.motion.max(other.motion),
            input: self.input.max(other.input),
            state: self.state.max(other.state),
            plain_input: self.plain_input.or(other.plain_input),
            local: self.local.or(other.local),
            reaction: self.reaction || other.reaction,
        }
    }

    /// Whether it changes while parameters do not.
    fn varies(self) -> bool {
        self.local.is_some() || self.needs.without(Needs::PARAMETER.and(Needs::VARIABLE)) != Needs::NOTHING
    }
}

impl<'a> Resolver<'a> {
    /// Complains about everything in `formula` that `place` does not allow.
    pub(super) fn check_place(&mut self, formula: &Formula, place: FormulaContext) -> bool {
        self.analyse(formula, place).is_some()
    }

    /// What `formula` depends on; `None` if something in it is not allowed at `place`.
    pub(super) fn analyse(&mut self, formula: &Formula, place: FormulaContext) -> Option<Dependence> {
        let allowed = place.allowed();
        let mut terms: Vec<Dependence> = Vec::with_capacity(formula.terms.len());
        let mut reported = Needs::NOTHING;
        let mut good = true;
        for term in &formula.terms {
            let mut operands = Dependence::default();
            let mut varying = false;
            term.kind.for_each_operand(|id| {
                let operand = terms[id as usize];
                operands = operands.join(operand);
                varying |= operand.varies();
            });
            if let TermKind::If(condition, ..) = term.kind {
                varying = terms[condition as usize].varies();
            }
            let own = match self.own(term, operands, varying, place) {
                Ok(own) => own,
                Err(diagnostic) => {
                    self.problems.push(*diagnostic);
                    good = false;
                    Dependence::default()
                }
            };
            let excess = own.needs.without(allowed).without(reported);
            if excess != Needs::NOTHING {
                good = false;
                // One report for each reason; the rest of the formula would repeat it.
                reported = reported.and(excess);
                let report = self.not_allowed(term, excess, place);
                self.problems.push(report);
            }
            terms.push(match term.kind {
                TermKind::Der(_) => Dependence { needs: operands.needs.and(own.needs), ..own },
                _ => operands.join(own),
            });
        }
        terms.last().copied().filter(|_| good)
    }

    /// What the term adds to its operands.
    fn own(
        &self,
        term: &Term,
        operands: Dependence,
        varying: bool,
        place: FormulaContext,
    ) -> Result<Dependence, Box<Diagnostic>> {
        let none = Dependence::default();
        let needs = |needs| Dependence { needs, ..none };
        let kink = |has: bool| if has && varying { needs(Needs::KINK) } else { none };
        Ok(match term.kind {
            TermKind::Parameter(_) => needs(Needs::PARAMETER),
            TermKind::Time => needs(Needs::TIME),
            TermKind::Input(id) if self.has_derivatives(id) => {
                Dependence { input: 1, ..needs(Needs::SMOOTH_INPUT) }
            }
            TermKind::Input(id) => Dependence { input: 1, plain_input: Some(id), ..needs(Needs::INPUT) },
            TermKind::Coordinate(_) => Dependence { motion: 1, ..needs(Needs::COORDINATE) },
            TermKind::Velocity(_) => Dependence { motion: 2, ..needs(Needs::VELOCITY) },
            TermKind::State(_) => Dependence { state: 1, ..needs(Needs::STATE) },
            TermKind::Variable(id) => {
                let inside = self.variable_dependence.get(id.index()).copied().unwrap_or_default();
                Dependence { needs: inside.needs.and(Needs::VARIABLE), ..inside }
            }
            TermKind::Local(index) => Dependence { local: Some(index), ..none },
            TermKind::If(..) => kink(true),
            TermKind::Call(function, ..) => kink(function.has_kinks()),
            TermKind::Table(id, kind, _) => {
                let holds = self.held_tables.get(id.index()).copied().unwrap_or_default();
                kink(kind == TableKind::Linear || holds)
            }
            TermKind::Query(Query::Position { .. } | Query::Rotation { .. } | Query::Distance { .. }) => {
                Dependence { motion: 1, ..needs(Needs::POSITION_QUERY) }
            }
            TermKind::Query(Query::Velocity { .. } | Query::AngularVelocity { .. }) => {
                Dependence { motion: 2, ..needs(Needs::VELOCITY) }
            }
            TermKind::Query(Query::Acceleration { .. }) => {
                Dependence { motion: 3, ..needs(Needs::ACCELERATION) }
            }
            TermKind::Query(Query::Reaction { .. }) => {
                Dependence { reaction: true, ..needs(Needs::ACCELERATION) }
            }
            TermKind::Der(_) => return self.rate(term.span, operands, place),
            _ => none,
        })
    }

    /// What `der` of something depends on.
    fn rate(&self, span: Span, of: Dependence, place: FormulaContext) -> Result<Dependence, Box<Diagnostic>> {
        let fail = |problem| Err(Box::new(Diagnostic::error(span, problem)));
        let too_high = |what: &str| fail(Problem::RateTooHigh { what: what.to_owned() });
        if let Some(local) = of.local {
            let name = place.locals().get(usize::from(local)).copied().unwrap_or("an argument");
            return fail(Problem::DerOfLocal { name: name.to_owned() });
        }
        if let Some(input) = of.plain_input {
            return fail(Problem::InputNeedsDerivatives { input: self.input_name(input) });
        }
        if of.reaction {
            return too_high("a reaction");
        }
        let mut rate = of;
        rate.needs = Needs::NOTHING;
        match of.motion {
            0 => {}
            1 => rate.needs = rate.needs.and(Needs::VELOCITY),
            2 => rate.needs = rate.needs.and(Needs::ACCELERATION),
            _ => return too_high("an acceleration"),
        }
        match of.input {
            0 => {}
            1 => rate.needs = rate.needs.and(Needs::VELOCITY),
            2 => rate.needs = rate.needs.and(Needs::INPUT_ACCELERATION),
            _ => return too_high("the second derivative of an input"),
        }
        match of.state {
            0 => {}
            1 => rate.needs = rate.needs.and(Needs::STATE_RATE),
            _ => return too_high("the rate of a state"),
        }
        rate.motion += u8::from(of.motion > 0);
        rate.input += u8::from(of.input > 0);
        rate.state += u8::from(of.state > 0);
        Ok(rate)
    }

    fn not_allowed(&self, term: &Term, excess: Needs, place: FormulaContext) -> Diagnostic {
        let allowed = place.allowed();
        let what = self.describe(term, excess);
        let problem = match term.kind {
            TermKind::Input(id) if allowed.contains(Needs::SMOOTH_INPUT) => {
                Problem::InputNeedsDerivatives { input: self.input_name(id) }
            }
            _ if excess == Needs::KINK => {
                let what = what.split(',').next().unwrap_or("").to_owned();
                Problem::NotSmooth { what, place: place.describe() }
            }
            _ => Problem::NotAllowedHere { what, place: place.describe(), allowed: place.allowed_words() },
        };
        let report = Diagnostic::error(term.span, problem);
        match term.kind {
            TermKind::Variable(id) => match self.variable_spans.get(id.index()) {
                Some(span) => report.with(*span, "the variable"),
                None => report,
            },
            _ => report,
        }
    }

    fn input_name(&self, id: InputId) -> String {
        self.input_names.get(id.index()).map_or_else(String::new, |(name, _)| name.clone())
    }

    fn has_derivatives(&self, id: InputId) -> bool {
        self.input_names.get(id.index()).is_some_and(|(_, derivatives)| *derivatives > 0)
    }

    fn describe(&self, term: &Term, excess: Needs) -> String {
        let used = || {
            [
                (Needs::ACCELERATION, "accelerations or reactions"),
                (Needs::KINK, "functions with jumps or kinks"),
                (Needs::STATE_RATE, "rates of states"),
                (Needs::STATE, "states"),
                (Needs::INPUT, "inputs without derivatives"),
                (Needs::VELOCITY, "velocities"),
                (Needs::POSITION_QUERY, "positions"),
                (Needs::COORDINATE, "coordinates"),
                (Needs::SMOOTH_INPUT, "inputs"),
                (Needs::INPUT_ACCELERATION, "second derivatives of inputs"),
                (Needs::TIME, "time"),
                (Needs::PARAMETER, "parameters"),
            ]
            .into_iter()
            .find(|(need, _)| excess.contains(*need))
            .map_or("", |(_, words)| words)
        };
        match term.kind {
            TermKind::Parameter(id) => {
                let name = self.parameter_names.get(id.index()).map_or("", String::as_str);
                format!("parameter `{name}`")
            }
            TermKind::Time => "time `t`".to_owned(),
            TermKind::Input(id) => format!("input `{}`", self.input_name(id)),
            TermKind::Coordinate(id) => format!("coordinate `{}`", self.coordinates[id].name.text),
            TermKind::Velocity(id) => format!("velocity `{}`", self.velocities[id].name.text),
            TermKind::State(id) => {
                format!("state `{}`", self.state_names.get(id.index()).map_or("", String::as_str))
            }
            TermKind::Variable(id) => {
                let name = self.variable_names.get(id.index()).map_or("", String::as_str);
                match used() {
                    "" => format!("variable `{name}`"),
                    words => format!("variable `{name}`, which uses {words},"),
                }
            }
            TermKind::If(..) => "`if`".to_owned(),
            TermKind::Call(function, ..) => format!("`{}`", function.name()),
            TermKind::Table(..) => "a `linear` table".to_owned(),
            TermKind::Der(_) => match used() {
                "accelerations or reactions" => "`der` of a velocity".to_owned(),
                _ => "`der`".to_owned(),
            },
            TermKind::Query(query) => match query {
                Query::Position { .. } => "`position`",
                Query::Velocity { .. } => "`velocity`",
                Query::Acceleration { .. } => "`acceleration`",
                Query::AngularVelocity { .. } => "`angular_velocity`",
                Query::Rotation { .. } => "`rotation`",
                Query::Distance { .. } => "`distance`",
                Query::Reaction { .. } => "`reaction`",
            }
            .to_owned(),
            _ => "this".to_owned(),
        }
    }
}
