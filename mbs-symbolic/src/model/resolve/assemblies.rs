//! What stands in instances of assemblies: names in their own scope, geometry reflected.

use super::Resolver;
use super::fields::Fields;
use super::names::Entity;
use crate::diag::{Problem, Span};
use crate::ids::{BodyId, CoordinateId, FrameId, Id, JointId, VelocityId};
use crate::model::expand::{Character, Mirror};
use crate::model::language::{ASSEMBLY, INSTANCE, REPEAT};
use crate::model::{BinaryOperator, Formula, Query, Term, TermId, TermKind};

impl<'a> Resolver<'a> {
    /// Checks the keys of all assemblies and instances; what they hold is checked where
    /// it is used.
    pub(super) fn check_assemblies(&mut self, top: &Fields<'a>) {
        let entries = self.own_entries(top, "assemblies");
        for (key, node) in entries {
            let fields = self.fields(&ASSEMBLY, key.span, node);
            for (name, span) in self.name_list(&fields, "connections") {
                self.check_name(&name, span);
            }
            self.check_instances(&fields);
        }
        self.check_instances(top);
    }

    fn check_instances(&mut self, owner: &Fields<'a>) {
        for (key, node) in self.own_entries(owner, "instances") {
            let fields = self.fields(&INSTANCE, key.span, node);
            self.choice(&fields, "mirror");
            if let Some((key, node)) = fields.entry("repeat") {
                let repeat = self.fields(&REPEAT, key.span, node);
                if let Some(node) = repeat.get("index") {
                    self.check_name(node.text().unwrap_or(""), node.span);
                }
            }
        }
    }

    /// The name as everyone else writes it.
    pub(super) fn qualified(&self, name: &str, span: Span) -> String {
        format!("{}{name}", self.prefix(span))
    }

    /// What stands before the names of the instance `span` belongs to.
    pub(super) fn prefix(&self, span: Span) -> &'a str {
        self.instances.get(usize::from(span.instance)).map_or("", |instance| instance.prefix.as_str())
    }

    /// What a name written at `span` means: a member of its instance, or else of the model.
    pub(super) fn lookup(&self, name: &str, span: Span) -> Option<Entity> {
        let own = (span.instance > 0).then(|| self.names.find(&self.qualified(name, span))).flatten();
        own.or_else(|| self.names.find(name))
    }

    /// Names as they are written at `span`, for suggestions.
    pub(super) fn written_at<'n>(&self, name: &'n str, span: Span) -> &'n str {
        name.strip_prefix(self.prefix(span)).unwrap_or(name)
    }

    /// The body of this name, in the instance first.
    pub(super) fn lookup_body(&self, name: &str, span: Span) -> Option<BodyId> {
        let own = (span.instance > 0).then(|| self.bodies.get(&self.qualified(name, span))).flatten();
        own.or_else(|| self.bodies.get(name)).copied()
    }

    /// The joint of this name, in the instance first.
    pub(super) fn lookup_joint(&self, name: &str, span: Span) -> Option<JointId> {
        let own = (span.instance > 0).then(|| self.joints.get(&self.qualified(name, span))).flatten();
        own.or_else(|| self.joints.get(name)).copied()
    }

    /// The frame of this name if there is one: `body`, `body.frame`, or the same with a
    /// connection for the body; bodies and frames of instances have dots themselves.
    pub(super) fn lookup_frame(&mut self, name: &str, span: Span) -> Option<FrameId> {
        let instance = self.instances.get(usize::from(span.instance))?;
        let (head, rest) = name.split_once('.').map_or((name, None), |(head, rest)| (head, Some(rest)));
        if let Some((_, outside)) = instance.connections.iter().find(|(known, _)| known == head) {
            let frame = self.lookup_frame(outside.text()?.trim(), outside.span)?;
            return match rest {
                None => Some(frame),
                Some(rest) => self.frame_of(self.body_of(frame)?, rest, span),
            };
        }
        if let Some(body) = self.lookup_body(name, span) {
            return Some(FrameId::new(body.index()));
        }
        name.match_indices('.').rev().find_map(|(at, _)| {
            let body = self.lookup_body(&name[..at], span)?;
            self.frame_of(body, &name[at + 1..], span)
        })
    }

    /// A frame of a body, one added by the instance at `span` first.
    fn frame_of(&self, body: BodyId, frame: &str, span: Span) -> Option<FrameId> {
        let own = self.frame_names.get(&(body, self.qualified(frame, span)));
        own.or_else(|| self.frame_names.get(&(body, frame.to_owned()))).copied()
    }

    /// The body whose frame this is, known as soon as frames have numbers.
    pub(super) fn body_of(&self, frame: FrameId) -> Option<BodyId> {
        if frame.index() < self.bodies.len() {
            return Some(BodyId::new(frame.index()));
        }
        self.frame_names.iter().find(|(_, id)| **id == frame).map(|((body, _), _)| *body)
    }

    /// The body a connection of an instance stands for, to which frames are added.
    pub(super) fn connected_body(&mut self, name: &str, span: Span) -> Option<BodyId> {
        let frame = self.find_frame(name, span)?;
        if frame.index() < self.bodies.len() {
            return Some(BodyId::new(frame.index()));
        }
        self.error(span, Problem::NotABody { name: name.to_owned() });
        None
    }

    /// How the instance at `span` is reflected.
    pub(super) fn mirror(&self, span: Span) -> Mirror {
        self.instances.get(usize::from(span.instance)).map(|instance| instance.mirror).unwrap_or_default()
    }

    /// Whether what is written at `span` changes its sign.
    pub(super) fn negates(&self, span: Span, character: Character) -> bool {
        self.mirror(span).negates(character)
    }

    /// A formula written at `span` as it is in its instance.
    pub(super) fn reflected(&self, formula: Formula, span: Span, character: Character) -> Formula {
        if self.negates(span, character) { negative(formula) } else { formula }
    }

    /// Whether a coordinate counts the other way for a formula at `span`: only those of
    /// the instance itself, and of instances in it, are reflected with it.
    pub(super) fn coordinate_negates(&self, id: CoordinateId, span: Span) -> bool {
        let name = &self.coordinates[id].name.text;
        let character = self.coordinate_characters.get(id.index()).copied().unwrap_or_default();
        name.starts_with(self.prefix(span)) && self.negates(span, character)
    }

    /// The same for a velocity.
    pub(super) fn velocity_negates(&self, id: VelocityId, span: Span) -> bool {
        match self.velocities[id].coordinate {
            Some(coordinate) => self.coordinate_negates(coordinate, span),
            None => {
                let name = &self.velocities[id].name.text;
                let axis = name.bytes().last().map_or(0, |letter| letter.wrapping_sub(b'x') % 3);
                name.starts_with(self.prefix(span)) && self.negates(span, Character::Axial(axis))
            }
        }
    }

    /// Whether the answer to a query at `span` changes its sign.
    pub(super) fn query_negates(&self, query: Query, span: Span) -> bool {
        let character = match query {
            Query::Position { component, .. }
            | Query::Velocity { component, .. }
            | Query::Acceleration { component, .. } => Character::Polar(component),
            Query::AngularVelocity { component, .. } => Character::Axial(component),
            Query::Rotation { row, column, .. } => Character::Entry(row, column),
            Query::Distance { .. } => Character::Scalar,
            Query::Reaction { component, .. } if component < 3 => Character::Polar(component),
            Query::Reaction { component, .. } => Character::Axial(component - 3),
        };
        self.negates(span, character)
    }
}

/// −formula, without an operation where it is a number; what could not be read stays unknown.
pub(super) fn negative(mut formula: Formula) -> Formula {
    if formula.is_unknown() {
        return formula;
    }
    let last = (formula.terms.len() - 1) as TermId;
    let span = formula.span;
    match formula.terms.last_mut().map(|term| &mut term.kind) {
        Some(TermKind::Number(value)) if last == 0 => *value = if *value == 0.0 { 0.0 } else { -*value },
        // −(a − b) is b − a to the last bit.
        Some(TermKind::Binary(BinaryOperator::Sub, a, b)) => std::mem::swap(a, b),
        _ => formula.terms.push(Term::new(TermKind::Neg(last), span)),
    }
    formula
}
