//! Who is called what.

use super::Resolver;
use crate::diag::{Diagnostic, Problem, Span};
use crate::ids::{
    BodyId, CoordinateId, FrameId, Id, InputId, JointId, ParamId, StateId, TableId, VariableId, VelocityId,
};
use crate::model::names::{is_identifier, is_reserved, rust_name};
use crate::model::place::FormulaContext;
use crate::model::suggest::nearest;
use crate::model::tree::{Key, Node};
use std::collections::BTreeMap;

/// What a name in a formula can mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Entity {
    Parameter(ParamId),
    Input(InputId),
    State(StateId),
    Table(TableId),
    Function(usize),
    Variable(VariableId),
    Coordinate(CoordinateId),
    Velocity(VelocityId),
}

impl Entity {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Parameter(_) => "a parameter",
            Self::Input(_) => "an input",
            Self::State(_) => "a state",
            Self::Table(_) => "a table",
            Self::Function(_) => "a function",
            Self::Variable(_) => "a variable",
            Self::Coordinate(_) => "a coordinate",
            Self::Velocity(_) => "a velocity",
        }
    }
}

/// The one namespace of everything a formula may name.
#[derive(Debug, Default)]
pub(super) struct Names {
    entities: BTreeMap<String, (Entity, Span)>,
}

impl Names {
    pub(super) fn find(&self, name: &str) -> Option<Entity> {
        self.entities.get(name).map(|(entity, _)| *entity)
    }

    /// Where a name is declared.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        self.entities.get(name).map(|(_, span)| *span)
    }

    /// All names in alphabetical order.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.entities.keys().map(String::as_str)
    }

    fn of(&self, filter: impl Fn(Entity) -> bool) -> impl Iterator<Item = &str> {
        self.entities.iter().filter(move |(_, (entity, _))| filter(*entity)).map(|(name, _)| name.as_str())
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = &str> {
        self.of(|entity| matches!(entity, Entity::Table(_)))
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = &str> {
        self.of(|entity| matches!(entity, Entity::Function(_)))
    }

    pub(super) fn coordinates(&self) -> impl Iterator<Item = &str> {
        self.of(|entity| matches!(entity, Entity::Coordinate(_)))
    }

    /// Names that stand for a velocity: rates of coordinates and angular velocities.
    pub(super) fn velocities(&self) -> impl Iterator<Item = &str> {
        self.of(|entity| matches!(entity, Entity::Coordinate(_) | Entity::Velocity(_)))
    }

    pub(super) fn settable(&self) -> impl Iterator<Item = &str> {
        self.of(|entity| matches!(entity, Entity::Parameter(_) | Entity::Input(_)))
    }
}

/// Names of one kind that must differ in generated code too.
#[derive(Debug, Default)]
pub(super) struct RustNames {
    taken: BTreeMap<String, (String, Span)>,
}

impl<'a> Resolver<'a> {
    /// Complains unless `key` is a name that is free to use.
    pub(super) fn check_name(&mut self, name: &str, span: Span) {
        if !is_identifier(name) {
            self.error(span, Problem::NotAName { name: name.to_owned() });
        } else if is_reserved(name) {
            self.error(span, Problem::ReservedName { name: name.to_owned() });
        }
    }

    /// Enters a name into the namespace of formulas.
    pub(super) fn declare(&mut self, name: &str, span: Span, entity: Entity) {
        if let Some((earlier, first)) = self.names.entities.get(name) {
            let problem = Problem::DuplicateName {
                name: name.to_owned(),
                kind: entity.describe().split_once(' ').map_or("", |(_, kind)| kind),
                earlier: earlier.describe(),
            };
            let report = Diagnostic::error(span, problem).with(*first, "also used here");
            self.problems.push(report);
            return;
        }
        self.names.entities.insert(name.to_owned(), (entity, span));
        let mut taken = std::mem::take(&mut self.rust_names);
        self.check_rust_name(&mut taken, name, span);
        self.rust_names = taken;
    }

    /// Declares a user's own name after checking that it is one.
    pub(super) fn declare_key(&mut self, key: &Key, entity: Entity) {
        self.check_name(key.local(), key.span);
        self.declare(&key.text, key.span, entity);
    }

    /// Complains if another name becomes the same identifier in generated code.
    pub(super) fn check_rust_name(&mut self, taken: &mut RustNames, name: &str, span: Span) {
        let rust = rust_name(name);
        match taken.taken.get(&rust) {
            Some((first, first_span)) if first != name => {
                let problem = Problem::NamesCollide {
                    first: first.clone(),
                    second: name.to_owned(),
                    rust: rust.clone(),
                };
                let report = Diagnostic::error(span, problem).with(*first_span, "the other one");
                self.problems.push(report);
            }
            Some(_) => {}
            None => {
                taken.taken.insert(rust, (name.to_owned(), span));
            }
        }
    }

    /// Checks the names of a section that has a namespace of its own.
    pub(super) fn check_names<'n>(&mut self, keys: impl Iterator<Item = &'n Key>) {
        let mut taken = RustNames::default();
        for key in keys {
            self.check_name(key.local(), key.span);
            self.check_rust_name(&mut taken, &key.text, key.span);
        }
    }

    /// The frame called `body` or `body.frame`.
    pub(super) fn find_frame(&mut self, name: &str, span: Span) -> Option<FrameId> {
        if let Some(frame) = self.lookup_frame(name, span) {
            return Some(frame);
        }
        // The longest beginning that is a body.
        let split = name.match_indices('.').rev().map(|(at, _)| (&name[..at], &name[at + 1..]));
        let known = split.filter_map(|(body, frame)| Some((self.known_body(body, span)?, body, frame)));
        let Some((id, body, frame)) = known.into_iter().next() else {
            if self.lookup_joint(name, span).is_some() {
                let expected = "a body or frame";
                self.error(
                    span,
                    Problem::WrongKindOfName { name: name.to_owned(), expected, found: "a joint" },
                );
                return None;
            }
            let (body, rest) = name.find('.').map_or((name, ""), |at| name.split_at(at));
            // A frame's name without its body is the commonest mistake.
            let complete = if self.suggests() { self.complete_frame(name) } else { None };
            let nearest = complete.or_else(|| {
                let bodies = self.bodies.keys().map(|known| self.written_at(known, span));
                self.nearest(body, bodies).map(|body| body + rest)
            });
            self.error(span, Problem::UnknownName { kind: "body", name: body.to_owned(), nearest });
            return None;
        };
        let siblings = self.frame_names.keys().filter(|(body, _)| *body == id);
        let nearest = self.nearest(frame, siblings.map(|(_, frame)| frame.as_str()));
        let problem = Problem::UnknownFrame {
            body: body.to_owned(),
            frame: frame.to_owned(),
            nearest: nearest.map(|frame| format!("{body}.{frame}")),
        };
        self.error(span, problem);
        None
    }

    /// A body, or the body behind a connection.
    fn known_body(&mut self, name: &str, span: Span) -> Option<BodyId> {
        let frame = self.lookup_frame(name, span).filter(|_| !name.is_empty())?;
        self.body_of(frame)
    }

    /// The joint of this name.
    pub(super) fn find_joint(&mut self, name: &str, span: Span) -> Option<JointId> {
        if let Some(id) = self.lookup_joint(name, span) {
            return Some(id);
        }
        if self.suggests()
            && let Some((found, joints)) = self.instead_of_joint(name, span)
        {
            self.error(span, Problem::NotAJoint { name: name.to_owned(), found, joints });
            return None;
        }
        let nearest = self.nearest(name, self.joints.keys().map(|known| self.written_at(known, span)));
        self.error(span, Problem::UnknownName { kind: "joint", name: name.to_owned(), nearest });
        None
    }

    /// What a name means that is none of a joint, and the joints that may have been meant.
    fn instead_of_joint(&self, name: &str, span: Span) -> Option<(&'static str, Vec<String>)> {
        let joint = |id: JointId| {
            let (name, _) = self.joints.iter().find(|(_, known)| **known == id)?;
            Some(self.written_at(name, span).to_owned())
        };
        let of_velocity = |entity: Entity| match entity {
            Entity::Coordinate(id) => Some(self.coordinates[id].joint),
            Entity::Velocity(id) => Some(self.velocities[id].joint),
            _ => None,
        };
        if let Some(entity) = self.lookup(name, span) {
            return Some((entity.describe(), of_velocity(entity).and_then(joint).into_iter().collect()));
        }
        let of_element = |node: &Node| {
            let text = |key: &str| {
                node.entries().iter().find(|(known, _)| known.text == key).and_then(|(_, node)| node.text())
            };
            let moved = text("coordinate").and_then(|name| of_velocity(self.lookup(name.trim(), span)?));
            let named = || text("joint").and_then(|name| self.lookup_joint(name.trim(), span));
            moved.or_else(named).and_then(joint).into_iter().collect()
        };
        let elements = [("constraints", "a constraint"), ("forces", "a force element"), ("bodies", "a body")];
        elements.iter().find_map(|(section, found)| {
            let node = self.element_node(section, name, span)?;
            let is_body = *section == "bodies";
            Some((*found, if is_body { self.joints_at(name, span) } else { of_element(node) }))
        })
    }

    /// The tree of an element, in the instance first.
    fn element_node(&self, section: &str, name: &str, span: Span) -> Option<&'a Node> {
        let (_, elements) = self.root.entries().iter().find(|(key, _)| key.text == section)?;
        let find =
            |name: &str| elements.entries().iter().find(|(key, _)| key.text == name).map(|(_, node)| node);
        find(&self.qualified(name, span)).or_else(|| find(name))
    }

    /// The joints that name a body or one of its frames.
    fn joints_at(&self, body: &str, span: Span) -> Vec<String> {
        let Some((_, joints)) = self.root.entries().iter().find(|(key, _)| key.text == "joints") else {
            return Vec::new();
        };
        let names = |node: &Node| {
            let is_body = |text: &str| {
                text.strip_prefix(body).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let ends = node.entries().iter().filter(|(key, _)| key.text == "from" || key.text == "to");
            ends.filter_map(|(_, node)| node.text()).any(is_body)
        };
        let found = joints.entries().iter().filter(|(_, node)| names(node));
        found.take(5).map(|(key, _)| self.written_at(&key.text, span).to_owned()).collect()
    }

    /// The coordinate of this name.
    pub(super) fn find_coordinate(&mut self, name: &str, span: Span) -> Option<CoordinateId> {
        match self.lookup(name, span) {
            Some(Entity::Coordinate(id)) => {
                self.mark_used(self.coordinates[id].joint);
                Some(id)
            }
            Some(other) => {
                let found = other.describe();
                let problem =
                    Problem::WrongKindOfName { name: name.to_owned(), expected: "a coordinate", found };
                self.error(span, problem);
                None
            }
            None => {
                let nearest = self
                    .nearest_of_joint(name, span)
                    .or_else(|| self.without_dot(name, span))
                    .or_else(|| self.nearest(name, self.names.coordinates()));
                self.error(span, Problem::UnknownName { kind: "coordinate", name: name.to_owned(), nearest });
                None
            }
        }
    }

    /// The velocity of this name: an angular velocity, or the rate of a coordinate.
    pub(super) fn find_velocity(&mut self, name: &str, span: Span) -> Option<VelocityId> {
        let found = match self.lookup(name, span) {
            Some(Entity::Velocity(id)) => {
                self.mark_used(self.velocities[id].joint);
                return Some(id);
            }
            Some(Entity::Coordinate(id)) => {
                self.mark_used(self.coordinates[id].joint);
                if let Some(rate) = self.coordinates[id].rate {
                    return Some(rate);
                }
                "a quaternion component; its joint's velocities are wx, wy, wz"
            }
            Some(other) => other.describe(),
            None => {
                let nearest = self
                    .nearest_of_joint(name, span)
                    .or_else(|| self.without_dot(name, span))
                    .or_else(|| self.nearest(name, self.names.velocities()));
                self.error(span, Problem::UnknownName { kind: "velocity", name: name.to_owned(), nearest });
                return None;
            }
        };
        self.error(span, Problem::WrongKindOfName { name: name.to_owned(), expected: "a velocity", found });
        None
    }

    /// If `name` is a joint, the name of its first velocity.
    fn nearest_of_joint(&self, name: &str, span: Span) -> Option<String> {
        let joint = self.lookup_joint(name, span)?;
        let first = self.joint_velocities.get(joint.index())?.first()?;
        Some(self.written_at(&self.velocities[*first].name.text, span).to_owned())
    }

    /// What is meant by a name, of which the end that stands for a rate is taken off.
    pub(super) fn dotted(&self, name: &str, dot: &str, span: Span) -> Option<Entity> {
        self.lookup(name.strip_suffix(dot)?, span)
    }

    /// How the rate a name seems to stand for is written: `der(u)` for `u_dot`.
    pub(super) fn rate_of(&self, name: &str, span: Span) -> Option<String> {
        let has_rate = |entity| match entity {
            Entity::Input(_) | Entity::State(_) | Entity::Variable(_) => true,
            Entity::Coordinate(id) => self.coordinates[id].rate.is_some(),
            _ => false,
        };
        let of = |dot: &str| {
            self.dotted(name, dot, span)
                .filter(|entity| has_rate(*entity))
                .and_then(|_| name.strip_suffix(dot))
        };
        let first = of("_dot").map(|of| format!("der({of})"));
        first.or_else(|| of("_ddot").map(|of| format!("der(der({of}))")))
    }

    /// `phi` for `phi_dot`: where a velocity is named, the name of its coordinate does.
    fn without_dot(&self, name: &str, span: Span) -> Option<String> {
        let name = name.strip_suffix("_dot")?;
        matches!(self.lookup(name, span)?, Entity::Coordinate(_) | Entity::Velocity(_))
            .then(|| name.to_owned())
    }

    /// `body.frame` of a body that has a frame of this name.
    fn complete_frame(&self, frame: &str) -> Option<String> {
        let ((owner, _), _) = self.frame_names.iter().find(|((_, name), _)| name == frame)?;
        let (body, _) = self.bodies.iter().find(|(_, id)| *id == owner)?;
        Some(format!("{body}.{frame}"))
    }

    /// Whether there are still few enough problems that looking for suggestions is
    /// worth its time: a large file full of mistakes would take minutes.
    pub(super) fn suggests(&self) -> bool {
        self.problems.len() < 100
    }

    /// The candidate nearest to a misspelt name.
    pub(super) fn nearest<'n>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<String> {
        if self.suggests() { nearest(name, candidates) } else { None }
    }

    /// A joint's arguments may use only its own coordinates.
    pub(super) fn may_use_coordinate(
        &mut self,
        place: &FormulaContext,
        owner: JointId,
        name: &str,
        span: Span,
    ) -> bool {
        match self.current_joint {
            Some((joint, ref joint_name)) if *place == FormulaContext::JointArgument && joint != owner => {
                let problem =
                    Problem::ForeignCoordinate { coordinate: name.to_owned(), joint: joint_name.clone() };
                self.error(span, problem);
                false
            }
            _ => true,
        }
    }

    /// Notes that a coordinate of `joint` matters outside the joint itself.
    pub(super) fn mark_used(&mut self, joint: JointId) {
        let own = self.current_joint.as_ref().is_some_and(|(current, _)| *current == joint);
        if let Some(used) = self.used_joints.get_mut(joint.index()) {
            *used |= !own;
        }
    }
}
