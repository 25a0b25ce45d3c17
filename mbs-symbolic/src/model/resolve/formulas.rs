//! Syntax → formula: names become ids, user functions are written out.

use super::Resolver;
use super::names::Entity;
use crate::diag::{Problem, Span};
use crate::model::builtin::{self, Builtin, QueryKind};
use crate::model::expand::Character;
use crate::model::lexer::{self, FormulaText, Places};
use crate::model::parser::{self, Call, Syntax, SyntaxKind};
use crate::model::place::FormulaContext;
use crate::model::scalar;
use crate::model::tree::{Node, Value};
use crate::model::{Formula, Term, TermId, TermKind, limits};
use std::rc::Rc;

/// A user function, its arguments being `Local` terms.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) arguments: Vec<String>,
    /// `None` if it could not be resolved; that was reported where it is defined.
    pub(super) body: Option<Rc<Formula>>,
}

/// What a piece of syntax stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    Number(TermId),
    Condition(TermId),
    /// A name to be looked up by the call it is an argument of.
    Reference,
    /// Wrong, and already reported.
    Failed,
}

/// A formula under construction.
pub(super) struct Draft<'s> {
    pub(super) syntax: &'s Syntax,
    meanings: Vec<Meaning>,
    terms: Vec<Term>,
    place: FormulaContext,
    locals: &'s [String],
}

impl Draft<'_> {
    fn push(&mut self, kind: TermKind, span: Span) -> TermId {
        self.terms.push(Term::new(kind, span));
        // The number of terms is limited.
        (self.terms.len() - 1) as TermId
    }

    /// The same with its sign changed, if it is `turned` round by a reflection.
    fn push_turned(&mut self, kind: TermKind, span: Span, turned: bool) -> TermId {
        let term = self.push(kind, span);
        if turned { self.push(TermKind::Neg(term), span) } else { term }
    }

    pub(super) fn span(&self, node: u32) -> Span {
        self.syntax.nodes[node as usize].span
    }
}

impl<'a> Resolver<'a> {
    /// Parses a scalar as a formula.
    pub(super) fn syntax(&mut self, node: &Node) -> Option<Syntax> {
        let text = node.text()?;
        let offsets = {
            let source = self.sources.get(node.span.file).map_or("", |file| file.text.as_str());
            scalar::offsets(node, text, source)
        };
        let places = match (&node.value, &offsets) {
            (Value::Plain(_) | Value::Text { exact: true, .. }, _) => Places::Contiguous,
            (_, Some(offsets)) => Places::Each(offsets),
            (_, None) => Places::Unknown,
        };
        let span = match node.value {
            // Within the quotes.
            Value::Text { exact: true, .. } => node.span.part(1, text.len()),
            _ => node.span,
        };
        let formula = FormulaText { text, span, places };
        // YAML spells these three; a formula cannot.
        let word = text.trim().trim_start_matches(['+', '-']).to_ascii_lowercase();
        if matches!(word.as_str(), ".nan" | ".inf" | "nan" | "inf" | "infinity") {
            self.error(node.span, Problem::NotFinite { text: text.trim().to_owned() });
            return None;
        }
        match parser::parse(formula) {
            Ok(syntax) => Some(syntax),
            Err(diagnostic) => {
                self.problems.push(*diagnostic);
                None
            }
        }
    }

    /// Reads a scalar as a formula of `place`; unknown if it is wrong, which is reported.
    pub(super) fn formula(&mut self, node: &Node, place: FormulaContext) -> Formula {
        let locals: Vec<String> = place.locals().iter().map(|name| (*name).to_owned()).collect();
        let formula = self
            .syntax(node)
            .and_then(|syntax| self.resolve_syntax(&syntax, place, &locals))
            .filter(|formula| self.check_place(formula, place));
        formula.unwrap_or_else(|| Formula::unknown(node.span))
    }

    /// Resolves names only; what the place allows is checked by the caller.
    pub(super) fn resolve_syntax(
        &mut self,
        syntax: &Syntax,
        place: FormulaContext,
        locals: &[String],
    ) -> Option<Formula> {
        if self.full {
            return None;
        }
        let mut draft = Draft {
            syntax,
            meanings: Vec::with_capacity(syntax.nodes.len()),
            terms: Vec::new(),
            place,
            locals,
        };
        for node in &syntax.nodes {
            let meaning = self.meaning(&mut draft, &node.kind, node.span);
            draft.meanings.push(meaning);
        }
        self.terms += draft.terms.len();
        if self.terms > limits::MODEL_TERMS {
            self.full = true;
            let what = "terms of all formulas, functions written out".to_owned();
            self.error(syntax.span, Problem::TooLarge { what, limit: limits::MODEL_TERMS });
            return None;
        }
        let last = u32::try_from(syntax.nodes.len().checked_sub(1)?).ok()?;
        let root = self.number(&draft, last)?;
        let mut terms = draft.terms;
        terms.truncate(root as usize + 1);
        Some(Formula { terms, span: syntax.span })
    }

    /// The operand as a number; complains about conditions.
    fn number(&mut self, draft: &Draft<'_>, node: u32) -> Option<TermId> {
        match draft.meanings[node as usize] {
            Meaning::Number(term) => Some(term),
            Meaning::Condition(_) => {
                let found = "this comparison".to_owned();
                self.error(draft.span(node), Problem::NumberExpected { found });
                None
            }
            Meaning::Reference | Meaning::Failed => None,
        }
    }

    /// The operand as a condition; complains about numbers.
    fn condition(&mut self, draft: &Draft<'_>, node: u32) -> Option<TermId> {
        match draft.meanings[node as usize] {
            Meaning::Condition(term) => Some(term),
            Meaning::Number(_) => {
                let found = "this".to_owned();
                self.error(draft.span(node), Problem::ConditionExpected { found });
                None
            }
            Meaning::Reference | Meaning::Failed => None,
        }
    }

    fn meaning(&mut self, draft: &mut Draft<'_>, kind: &SyntaxKind, span: Span) -> Meaning {
        let draft_len = draft.terms.len() as TermId;
        match kind {
            SyntaxKind::Number(value, dimension) => {
                let term = draft.push(TermKind::Number(*value), span);
                draft.terms[term as usize].dimension = *dimension;
                Meaning::Number(term)
            }
            SyntaxKind::Reference(_) => Meaning::Reference,
            SyntaxKind::Name(name) => match self.name(draft, name, span) {
                Some(kind) => {
                    if let TermKind::Velocity(id) = kind
                        && let Some(coordinate) = self.velocities[id].coordinate
                    {
                        // `phi_dot`, as equations are printed, is der(phi).
                        let turned = self.velocity_negates(id, span);
                        let of = draft.push_turned(TermKind::Coordinate(coordinate), span, turned);
                        return Meaning::Number(draft.push(TermKind::Der(of), span));
                    }
                    let turned = match kind {
                        TermKind::Coordinate(id) => self.coordinate_negates(id, span),
                        TermKind::Velocity(id) => self.velocity_negates(id, span),
                        TermKind::Local(axis) if draft.place == FormulaContext::Road => {
                            self.negates(span, Character::Polar(axis))
                        }
                        _ => false,
                    };
                    Meaning::Number(draft.push_turned(kind, span, turned))
                }
                None => Meaning::Failed,
            },
            SyntaxKind::Neg(a) => match self.number(draft, *a) {
                // A negative literal is a number, not an operation.
                Some(a) => match draft.terms.last_mut() {
                    Some(Term { kind: TermKind::Number(value), span: place, .. }) if a + 1 == draft_len => {
                        *value = -*value;
                        *place = span;
                        Meaning::Number(a)
                    }
                    _ => Meaning::Number(draft.push(TermKind::Neg(a), span)),
                },
                None => Meaning::Failed,
            },
            SyntaxKind::Binary(operator, a, b) => {
                let operands = (self.number(draft, *a), self.number(draft, *b));
                numbers(draft, operands, span, |a, b| TermKind::Binary(*operator, a, b))
            }
            SyntaxKind::Compare(comparison, a, b) => {
                let operands = (self.number(draft, *a), self.number(draft, *b));
                conditions(draft, operands, span, |a, b| TermKind::Compare(*comparison, a, b))
            }
            SyntaxKind::And(a, b) => {
                let operands = (self.condition(draft, *a), self.condition(draft, *b));
                conditions(draft, operands, span, TermKind::And)
            }
            SyntaxKind::Or(a, b) => {
                let operands = (self.condition(draft, *a), self.condition(draft, *b));
                conditions(draft, operands, span, TermKind::Or)
            }
            SyntaxKind::Not(a) => match self.condition(draft, *a) {
                Some(a) => Meaning::Condition(draft.push(TermKind::Not(a), span)),
                None => Meaning::Failed,
            },
            SyntaxKind::Call(call) => match self.call(draft, call, span) {
                Some(term) => Meaning::Number(term),
                None => Meaning::Failed,
            },
        }
    }

    fn name(&mut self, draft: &Draft<'_>, name: &str, span: Span) -> Option<TermKind> {
        if let Some(index) = draft.locals.iter().position(|local| local == name) {
            if !draft.place.locals().is_empty() && self.lookup(name, span).is_some() {
                let by = match name {
                    "x" => "the ground x of the point",
                    "y" => "the ground y of the point",
                    _ => "a quantity of the element",
                };
                self.problems.warning(span, Problem::Hidden { name: name.to_owned(), by });
            }
            return u8::try_from(index).ok().map(TermKind::Local);
        }
        match name {
            "t" => return Some(TermKind::Time),
            "pi" => return Some(TermKind::Number(std::f64::consts::PI)),
            _ => {}
        }
        let wrong = |resolver: &mut Self, found| {
            let problem = Problem::WrongKindOfName { name: name.to_owned(), expected: "a value", found };
            resolver.error(span, problem);
            None
        };
        match self.lookup(name, span) {
            Some(Entity::Parameter(id)) => Some(TermKind::Parameter(id)),
            Some(Entity::Input(id)) => Some(TermKind::Input(id)),
            Some(Entity::State(id)) => Some(TermKind::State(id)),
            Some(Entity::Variable(id)) => Some(TermKind::Variable(id)),
            Some(Entity::Coordinate(id)) => {
                let joint = self.coordinates[id].joint;
                if self.may_use_coordinate(&draft.place, joint, name, span) {
                    self.mark_used(joint);
                    return Some(TermKind::Coordinate(id));
                }
                None
            }
            Some(Entity::Velocity(id)) => {
                let joint = self.velocities[id].joint;
                self.mark_used(joint);
                Some(TermKind::Velocity(id))
            }
            Some(Entity::Table(_)) => {
                wrong(self, "a table; read it with `spline(name, x)` or `linear(name, x)`")
            }
            Some(Entity::Function(_)) => wrong(self, "a function; call it with its arguments"),
            None => {
                if self.lookup_joint(name, span).is_some() {
                    return wrong(self, "a joint");
                }
                if self.lookup_body(name, span).is_some() {
                    return wrong(self, "a body; ask for its `position(…)` or the like");
                }
                if builtin::find(name).is_some() {
                    return wrong(self, "a function; call it with its arguments");
                }
                if let Some(Entity::Coordinate(id)) = self.dotted(name, "_dot", span)
                    && let Some(rate) = self.coordinates[id].rate
                {
                    let joint = self.coordinates[id].joint;
                    let may = self.may_use_coordinate(&draft.place, joint, name, span);
                    self.mark_used(joint);
                    return may.then_some(TermKind::Velocity(rate));
                }
                if self.suggests()
                    && let Some(joined) = self.spaced_unit(draft, span)
                {
                    self.error(span, Problem::SpacesInUnit { name: name.to_owned(), joined });
                    return None;
                }
                let known = draft
                    .locals
                    .iter()
                    .map(String::as_str)
                    .chain(self.names.all().map(|known| self.written_at(known, span)));
                let nearest =
                    self.rate_of(name, span).or_else(|| self.nearest(name, known.chain(["t", "pi"])));
                self.error(span, Problem::UnknownName { kind: "name", name: name.to_owned(), nearest });
                None
            }
        }
    }

    /// The number with its unit that a name ends as was meant, if it is written with spaces.
    fn spaced_unit(&self, draft: &Draft<'_>, span: Span) -> Option<String> {
        let with_unit = |kind: &SyntaxKind| matches!(kind, SyntaxKind::Number(_, Some(_)));
        let before =
            draft.syntax.nodes.iter().filter(|node| with_unit(&node.kind) && node.span.end <= span.start);
        let number = before.max_by_key(|node| node.span.start)?.span;
        let text = &self.sources.get(span.file)?.text;
        let formula = text.get(number.start as usize..draft.syntax.span.end.max(span.end) as usize)?;
        lexer::spaced_unit(formula, (span.end - number.start) as usize)
    }

    fn call(&mut self, draft: &mut Draft<'_>, call: &Call, span: Span) -> Option<TermId> {
        let Some(builtin) = builtin::find(&call.name) else {
            return self.user_call(draft, call, span);
        };
        if !matches!(builtin, Builtin::Query(_)) {
            self.no_extras(call)?;
        }
        let count = call.arguments.len();
        let arity = |resolver: &mut Self, expected: &str, right: bool| {
            if right {
                return Some(());
            }
            let problem =
                Problem::WrongArity { name: call.name.clone(), expected: expected.to_owned(), found: count };
            resolver.error(span, problem);
            None
        };
        match builtin {
            Builtin::One(function) => {
                arity(self, "one argument", count == 1)?;
                let a = self.number(draft, call.arguments[0])?;
                Some(draft.push(TermKind::Call(function, a, a), span))
            }
            Builtin::Two(function) => {
                arity(self, "two arguments", count == 2)?;
                let operands = (self.number(draft, call.arguments[0]), self.number(draft, call.arguments[1]));
                let (a, b) = (operands.0?, operands.1?);
                Some(draft.push(TermKind::Call(function, a, b), span))
            }
            Builtin::Many(function) => {
                arity(self, "two or more arguments", count >= 2)?;
                let mut result = self.number(draft, call.arguments[0])?;
                for argument in &call.arguments[1..] {
                    let next = self.number(draft, *argument)?;
                    result = draft.push(TermKind::Call(function, result, next), span);
                }
                Some(result)
            }
            Builtin::If => {
                arity(self, "three arguments: a condition and two values", count == 3)?;
                let condition = self.condition(draft, call.arguments[0]);
                let a = self.number(draft, call.arguments[1]);
                let b = self.number(draft, call.arguments[2]);
                Some(draft.push(TermKind::If(condition?, a?, b?), span))
            }
            Builtin::Der => {
                arity(self, "one argument", count == 1)?;
                let a = self.number(draft, call.arguments[0])?;
                Some(draft.push(TermKind::Der(a), span))
            }
            Builtin::Table(kind) => {
                arity(self, "a table and one argument", count == 2)?;
                let table = self.table_reference(draft, call.arguments[0]);
                let a = self.number(draft, call.arguments[1])?;
                Some(draft.push(TermKind::Table(table?, kind, a), span))
            }
            Builtin::Query(kind) => {
                let expected = if kind == QueryKind::Distance {
                    "two frames"
                } else if kind == QueryKind::Reaction {
                    "one joint"
                } else {
                    "one frame"
                };
                arity(self, expected, count == if kind == QueryKind::Distance { 2 } else { 1 })?;
                let query = self.query(draft, call, kind, span)?;
                let turned = self.query_negates(query, span);
                Some(draft.push_turned(TermKind::Query(query), span, turned))
            }
        }
    }

    /// Ordinary functions have neither options nor components.
    fn no_extras(&mut self, call: &Call) -> Option<()> {
        if let Some((option, span, _)) = call.options.first() {
            let problem =
                Problem::UnknownOption { query: call.name.clone(), option: option.clone(), options: "" };
            self.error(*span, problem);
            return None;
        }
        if let Some((component, span)) = &call.component {
            let problem = Problem::UnknownComponent {
                query: call.name.clone(),
                component: component.clone(),
                components: "",
            };
            self.error(*span, problem);
            return None;
        }
        Some(())
    }

    fn user_call(&mut self, draft: &mut Draft<'_>, call: &Call, span: Span) -> Option<TermId> {
        let Some(Entity::Function(index)) = self.lookup(&call.name, span) else {
            let problem = match self.lookup(&call.name, span) {
                Some(entity) => Problem::WrongKindOfName {
                    name: call.name.clone(),
                    expected: "a function",
                    found: entity.describe(),
                },
                None => {
                    let builtins = builtin::BUILTINS.iter().map(|(name, _)| *name);
                    let nearest = self.nearest(&call.name, builtins.chain(self.names.functions()));
                    Problem::UnknownFunction { name: call.name.clone(), nearest }
                }
            };
            self.error(call.name_span, problem);
            return None;
        };
        self.no_extras(call)?;
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(self.number(draft, *argument)?);
        }
        // Functions are resolved in an order in which callees come first.
        let template = self.functions.get(index)?.clone();
        if template.arguments.len() != arguments.len() {
            let problem = Problem::WrongArity {
                name: call.name.clone(),
                expected: format!(
                    "{} arguments ({})",
                    template.arguments.len(),
                    template.arguments.join(", ")
                ),
                found: arguments.len(),
            };
            self.error(span, problem);
            return None;
        }
        let body = template.body?;
        if draft.terms.len() + body.terms.len() > limits::FORMULA_TERMS {
            let what = "terms of one formula, functions written out".to_owned();
            self.error(span, Problem::TooLarge { what, limit: limits::FORMULA_TERMS });
            return None;
        }
        let mut written: Vec<TermId> = Vec::with_capacity(body.terms.len());
        for term in &body.terms {
            let id = match term.kind {
                TermKind::Local(argument) => arguments[usize::from(argument)],
                kind => {
                    let id = draft.push(kind.map_operands(|id| written[id as usize]), span);
                    draft.terms[id as usize].dimension = term.dimension;
                    id
                }
            };
            written.push(id);
        }
        written.last().copied()
    }
}

fn numbers(
    draft: &mut Draft<'_>,
    operands: (Option<TermId>, Option<TermId>),
    span: Span,
    kind: impl FnOnce(TermId, TermId) -> TermKind,
) -> Meaning {
    match operands {
        (Some(a), Some(b)) => Meaning::Number(draft.push(kind(a, b), span)),
        _ => Meaning::Failed,
    }
}

fn conditions(
    draft: &mut Draft<'_>,
    operands: (Option<TermId>, Option<TermId>),
    span: Span,
    kind: impl FnOnce(TermId, TermId) -> TermKind,
) -> Meaning {
    match operands {
        (Some(a), Some(b)) => Meaning::Condition(draft.push(kind(a, b), span)),
        _ => Meaning::Failed,
    }
}
