//! Bodies and the frames fixed in them.

use super::Resolver;
use super::fields::Fields;
use crate::diag::Span;
use crate::diag::{Diagnostic, Problem};
use crate::ids::{BodyId, FrameId, Id, IdVec};
use crate::model::expand::{AddedFrame, Character};
use crate::model::language::{BODY, BOX, CYLINDER, FRAME, INERTIA, SHAPE, SPHERE};
use crate::model::names::is_identifier;
use crate::model::tree::{Key, Node};
use crate::model::{Body, Formula, Frame, Name, Shape, limits};

/// Bodies in the order of their ids; ground first, with no key if it is not listed.
pub(super) struct PendingBodies<'a> {
    bodies: Vec<(Name, Option<Fields<'a>>)>,
    frames: Vec<(BodyId, &'a Key, &'a Node)>,
}

const GROUND: &str = "ground";

impl<'a> Resolver<'a> {
    /// Declares bodies and frames; the reference frame of body `bN` is `fN`.
    pub(super) fn declare_bodies(&mut self, top: &Fields<'a>, added: &'a [AddedFrame]) -> PendingBodies<'a> {
        let entries = top.entries("bodies");
        let (ground, others): (Vec<_>, Vec<_>) = entries.iter().partition(|(key, _)| key.text == GROUND);
        if others.len() > limits::BODIES {
            let span = others[limits::BODIES].0.span;
            self.error(span, Problem::TooLarge { what: "bodies".to_owned(), limit: limits::BODIES });
        }
        if let (true, Some((key, _))) = (others.is_empty(), top.entry("bodies")) {
            self.error(key.span, Problem::EmptySection { section: "bodies" });
        }
        self.check_names(others.iter().map(|(key, _)| key));
        let mut pending = PendingBodies { bodies: Vec::new(), frames: Vec::new() };
        if ground.is_empty() {
            pending.bodies.push((Name { text: GROUND.to_owned(), span: Span::default() }, None));
            self.bodies.insert(GROUND.to_owned(), BodyId::new(0));
        }
        for (key, node) in ground.into_iter().chain(others.into_iter().take(limits::BODIES)) {
            let id = BodyId::new(pending.bodies.len());
            self.bodies.insert(key.text.clone(), id);
            let fields = self.fields(&BODY, key.span, node);
            pending.frames.extend(fields.entries("frames").iter().map(|(key, node)| (id, key, node)));
            pending.bodies.push((self.entry_name(key), Some(fields)));
        }
        if pending.frames.len() + added.len() > limits::ELEMENTS {
            let last = pending.frames.get(limits::ELEMENTS).map(|(_, key, _)| *key);
            let span = last.or(added.last().map(|added| &added.key)).map_or(Span::default(), |key| key.span);
            self.error(span, Problem::TooLarge { what: "frames".to_owned(), limit: limits::ELEMENTS });
            pending.frames.truncate(limits::ELEMENTS);
        }
        for (index, (body, key, _)) in pending.frames.iter().enumerate() {
            self.declare_frame(*body, key, FrameId::new(pending.bodies.len() + index));
        }
        // Instances come in an order in which those outside come first.
        for AddedFrame { body, key, node } in added.iter().take(limits::ELEMENTS) {
            let Some(body) = self.connected_body(&body.text, body.span) else { continue };
            self.declare_frame(body, key, FrameId::new(pending.bodies.len() + pending.frames.len()));
            pending.frames.push((body, key, node));
        }
        pending
    }

    fn declare_frame(&mut self, body: BodyId, key: &Key, id: FrameId) {
        if !is_identifier(key.local()) {
            self.error(key.span, Problem::NotAName { name: key.local().to_owned() });
        }
        self.frame_names.insert((body, key.text.clone()), id);
    }

    pub(super) fn resolve_bodies(&mut self, pending: &PendingBodies<'a>) -> IdVec<BodyId, Body> {
        for (index, (name, _)) in pending.bodies.iter().enumerate() {
            let zero = || Formula::number(0.0, name.span);
            self.frames.push(Frame {
                name: name.clone(),
                body: BodyId::new(index),
                position: [zero(), zero(), zero()],
                rotation: Vec::new(),
            });
        }
        for (body, key, node) in &pending.frames {
            let fields = self.fields(&FRAME, key.span, node);
            let frame = Frame {
                name: self.entry_name(key),
                body: *body,
                position: self.vector(&fields, "position", [0.0; 3]),
                rotation: self.rotations(&fields, "rotation"),
            };
            self.frames.push(frame);
        }
        let mut bodies = IdVec::new();
        for (index, (name, fields)) in pending.bodies.iter().enumerate() {
            bodies.push(self.body(BodyId::new(index), name, fields.as_ref()));
        }
        bodies
    }

    fn body(&mut self, id: BodyId, name: &Name, fields: Option<&Fields<'a>>) -> Body {
        let zero = || Formula::number(0.0, name.span);
        let mut body = Body {
            name: name.clone(),
            mass: zero(),
            com: [zero(), zero(), zero()],
            inertia: std::array::from_fn(|_| zero()),
            inertia_axes: FrameId::new(id.index()),
            shapes: Vec::new(),
        };
        let Some(fields) = fields else { return body };
        body.shapes = self.shapes(fields);
        if id.index() == 0 {
            for key in ["mass", "com", "inertia"] {
                if let Some((key, _)) = fields.entry(key) {
                    self.error(key.span, Problem::GroundHasNoMass { key: key.text.clone() });
                }
            }
            return body;
        }
        body.mass = self.field(fields, "mass", 0.0);
        body.com = self.vector(fields, "com", [0.0; 3]);
        if let Some((key, node)) = fields.entry("inertia") {
            let inertia = self.fields(&INERTIA, key.span, node);
            let entries =
                [("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2)];
            body.inertia = entries.map(|(entry, row, column)| {
                let value = self.field(&inertia, entry, 0.0);
                self.reflected(value, key.span, Character::Entry(row, column))
            });
            if let Some(node) = inertia.get("frame") {
                let text = node.text().unwrap_or("");
                body.inertia_axes = self.own_frame(id, name, text, node.span).unwrap_or(body.inertia_axes);
            }
        }
        body
    }

    /// A frame of this body, with or without the body's name before it.
    fn own_frame(&mut self, body: BodyId, name: &Name, text: &str, span: Span) -> Option<FrameId> {
        let local = self.written_at(&name.text, span);
        let frame = text.strip_prefix(&format!("{local}.")).unwrap_or(text);
        if frame == local {
            return Some(FrameId::new(body.index()));
        }
        if let Some(id) = self.frame_names.get(&(body, frame.to_owned())) {
            return Some(*id);
        }
        let own = self.frame_names.keys().filter(|(owner, _)| *owner == body);
        let nearest = self.nearest(frame, own.map(|(_, frame)| frame.as_str()));
        let problem = Problem::UnknownFrame { body: name.text.clone(), frame: frame.to_owned(), nearest };
        self.problems.push(Diagnostic::error(span, problem));
        None
    }

    fn shapes(&mut self, fields: &Fields<'a>) -> Vec<Shape> {
        let Some((owner, _)) = fields.entry("shape") else { return Vec::new() };
        let mut shapes = Vec::new();
        for item in fields.items("shape") {
            let span = self.span_of(item, owner.span);
            let shape = self.fields(&SHAPE, span, item);
            if item.entries().len() != 1 {
                let problem = Problem::NeedsOneOf {
                    keys: "exactly one of `cylinder`, `sphere`, `box`",
                    place: "a shape".to_owned(),
                };
                self.error(span, problem);
            }
            if let Some((key, node)) = shape.entry("cylinder") {
                let fields = self.fields(&CYLINDER, key.span, node);
                let (from, to) =
                    (self.vector(&fields, "from", [0.0; 3]), self.vector(&fields, "to", [0.0; 3]));
                shapes.push(Shape::Cylinder { from, to, radius: self.field(&fields, "radius", 0.0) });
            }
            if let Some((key, node)) = shape.entry("sphere") {
                let fields = self.fields(&SPHERE, key.span, node);
                let center = self.vector(&fields, "center", [0.0; 3]);
                shapes.push(Shape::Sphere { center, radius: self.field(&fields, "radius", 0.0) });
            }
            if let Some((key, node)) = shape.entry("box") {
                let fields = self.fields(&BOX, key.span, node);
                let center = self.vector(&fields, "center", [0.0; 3]);
                shapes.push(Shape::Box { center, size: self.vector(&fields, "size", [0.0; 3]) });
            }
        }
        shapes
    }
}
