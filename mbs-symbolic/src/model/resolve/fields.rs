//! One map of the file against its entry in the language table.

use super::Resolver;
use crate::diag::{Problem, Span};
use crate::model::language::{Elements, Field, Kind, Measure, Reflection, Section};
use crate::model::layout;
use crate::model::suggest::nearest;
use crate::model::tree::{Key, Node, Value};

/// The keys of one map that exist and have the right shape.
pub(super) struct Fields<'a> {
    found: Vec<(&'static Field, &'a Key, &'a Node)>,
    /// Keys whose values are missing or misshapen, which is reported.
    lacking: Vec<&'static str>,
    /// What the map is called in messages.
    pub(super) place: String,
    /// Where to point when something is missing.
    pub(super) owner: Span,
}

impl<'a> Fields<'a> {
    /// The value of `key`, if it is given and well formed.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// The key itself with its value.
    pub(super) fn entry(&self, key: &str) -> Option<(&'a Key, &'a Node)> {
        self.found.iter().find(|(field, ..)| field.key == key).map(|(_, key, node)| (*key, *node))
    }

    /// Whether `key` has no value although it should: that is reported already.
    pub(super) fn lacks(&self, key: &str) -> bool {
        self.lacking.contains(&key)
    }

    /// What the language table says of `key`.
    pub(super) fn kind(&self, key: &str) -> Option<Kind> {
        self.found.iter().find(|(field, ..)| field.key == key).map(|(field, ..)| field.kind)
    }

    /// What the language table says the expressions behind `key` measure.
    pub(super) fn measure(&self, key: &str) -> Measure {
        let field = self.found.iter().find(|(field, ..)| field.key == key);
        field.map_or(Measure::Any, |(field, ..)| field.measure)
    }

    /// How the components behind `key` change in a reflection.
    pub(super) fn reflection(&self, key: &str) -> Reflection {
        let field = self.found.iter().find(|(field, ..)| field.key == key);
        field.map_or(Reflection::None, |(field, ..)| field.reflection)
    }

    /// The user's entries of a map behind `key`.
    pub(super) fn entries(&self, key: &str) -> &'a [(Key, Node)] {
        self.get(key).map_or(&[], Node::entries)
    }

    /// The items of a list behind `key`.
    pub(super) fn items(&self, key: &str) -> &'a [Node] {
        self.get(key).map_or(&[], Node::items)
    }
}

impl<'a> Resolver<'a> {
    /// Reads a map with the keys of `section`.
    pub(super) fn fields(&mut self, section: &'static Section, owner: Span, node: &'a Node) -> Fields<'a> {
        self.read_fields(section.name.to_owned(), &[section.fields], owner, node)
    }

    /// Reads an element chosen by its `type`; `None` if there is no such type.
    pub(super) fn element(
        &mut self,
        elements: &'static Elements,
        key: &'a Key,
        node: &'a Node,
    ) -> Option<(&'static str, Fields<'a>)> {
        let kind = elements.name;
        let called = format!("{kind} `{}`", key.text);
        if !matches!(node.value, Value::Map(_)) {
            let expected = format!("a map with its `type`, such as {{type: {}}}", elements.variants[1].name);
            self.wrong_shape(&key.text, expected, key.span, node);
            return None;
        }
        let known = || elements.variants.iter().map(|variant| variant.name);
        let Some((_, type_node)) = node.entries().iter().find(|(key, _)| key.text == "type") else {
            let joined = node.entries().iter().find(|(key, _)| key.text.starts_with("type:"));
            if let Some((key, _)) = joined {
                let (problem, _) = unknown_key(&key.text, &called, &["type"]);
                self.error(key.span, problem);
                return None;
            }
            let problem = Problem::NeedsOneOf { keys: "a `type`", place: called };
            self.error(key.span, problem);
            return None;
        };
        let Some(name) = type_node.text() else {
            self.wrong_shape("type", "a word".to_owned(), key.span, type_node);
            return None;
        };
        let Some(variant) = elements.variants.iter().find(|variant| variant.name == name) else {
            let problem = Problem::UnknownType {
                kind,
                name: name.to_owned(),
                nearest: nearest(name, known()),
                known: known().collect::<Vec<_>>().join(", "),
            };
            self.error(type_node.span, problem);
            return None;
        };
        let place = match kind {
            "force" if variant.name == "force" => "a `force`".to_owned(),
            _ => format!("a `{}` {kind}", variant.name),
        };
        let fields = self.read_fields(place, &[elements.common, variant.fields], key.span, node);
        Some((variant.name, fields))
    }

    fn read_fields(
        &mut self,
        place: String,
        groups: &[&'static [Field]],
        owner: Span,
        node: &'a Node,
    ) -> Fields<'a> {
        let known = || groups.iter().flat_map(|group| group.iter());
        let mut found = Vec::new();
        let mut given = Vec::new();
        let mut lacking = Vec::new();
        if !matches!(node.value, Value::Map(_) | Value::Null) {
            self.wrong_shape(&place, "a map".to_owned(), owner, node);
            let lacking = known().map(|field| field.key).collect();
            return Fields { found, lacking, place, owner };
        }
        let named = |field: &&Field| node.entries().iter().any(|(key, _)| key.text == field.key);
        let present: Vec<&str> = known().filter(named).map(|field| field.key).collect();
        for (key, value) in node.entries() {
            let Some(field) = known().find(|field| field.key == key.text) else {
                let names: Vec<&'static str> = known().map(|field| field.key).collect();
                let (problem, meant) = unknown_key(&key.text, &place, &names);
                self.error(key.span, problem);
                // What was meant is not missing as well.
                if let Some(meant) = meant.filter(|meant| !present.contains(meant)) {
                    given.push(meant);
                    lacking.push(meant);
                }
                continue;
            };
            given.push(field.key);
            if self.has_shape(field.kind, key, value) {
                found.push((field, key, value));
            } else {
                lacking.push(field.key);
            }
        }
        for field in known().filter(|field| field.required && !given.contains(&field.key)) {
            let problem = Problem::MissingKey { key: field.key, place: place.clone(), doc: field.doc };
            self.error(owner, problem);
            lacking.push(field.key);
        }
        Fields { found, lacking, place, owner }
    }

    /// Whether `node` can be read as `kind` at all; complains if not.
    fn has_shape(&mut self, kind: Kind, key: &Key, node: &Node) -> bool {
        let scalar = node.is_scalar();
        let list = matches!(node.value, Value::Seq(_));
        let map = matches!(node.value, Value::Map(_) | Value::Null);
        let scalars = list && node.items().iter().all(Node::is_scalar);
        let right = match kind {
            Kind::Name
            | Kind::Text
            | Kind::Flag
            | Kind::Number
            | Kind::Formula(_)
            | Kind::Frame
            | Kind::Joint
            | Kind::Coordinate
            | Kind::Choice(_) => scalar,
            Kind::Vector(_) => scalars,
            Kind::Axis => scalar || scalars,
            Kind::Axes => {
                list && node.items().iter().all(|item| item.is_scalar() || !item.items().is_empty())
            }
            Kind::Names => scalars,
            Kind::Files => scalar || scalars,
            Kind::Rotations(_) | Kind::List(_) => {
                list && node.items().iter().all(|item| matches!(item.value, Value::Map(_)))
            }
            Kind::Pairs => list,
            Kind::Column => scalar || scalars,
            Kind::Map(_)
            | Kind::Entries(_)
            | Kind::ShortEntries(_)
            | Kind::Elements(_)
            | Kind::Frames
            | Kind::Formulas(_) => map,
        };
        if !right {
            self.wrong_shape(&key.text, kind.describe().to_owned(), key.span, node);
            return false;
        }
        let three = match kind {
            Kind::Vector(_) => true,
            Kind::Axis => list,
            _ => false,
        };
        if three && node.items().len() != 3 {
            let problem = Problem::WrongCount {
                what: format!("`{}`", key.text),
                expected: "three components".to_owned(),
                found: node.items().len(),
            };
            self.error(self.span_of(node, key.span), problem);
            return false;
        }
        true
    }

    pub(super) fn wrong_shape(&mut self, key: &str, expected: String, owner: Span, node: &Node) {
        let found = node.describe();
        let span = self.span_of(node, owner);
        if let (Value::Plain(text), false) = (&node.value, expected.starts_with("an expression"))
            && let Some((key, value)) = layout::without_space(text)
        {
            let (key, value) = (key.to_owned(), value.to_owned());
            self.error(span, Problem::NoSpaceAfterColon { key, value });
            return;
        }
        self.error(span, Problem::WrongShape { key: key.to_owned(), expected, found });
    }

    /// The node's place, or the key's where the node has only a start.
    pub(super) fn span_of(&self, node: &Node, owner: Span) -> Span {
        if node.span.start == node.span.end { owner } else { node.span }
    }
}

/// What is said of a key that is none of `names`, and the one that was meant.
fn unknown_key(key: &str, place: &str, names: &[&'static str]) -> (Problem, Option<&'static str>) {
    if let Some((before, value)) = layout::without_space(key)
        && let Some(meant) = names.iter().copied().find(|name| *name == before)
    {
        let problem = Problem::NoSpaceAfterColon { key: before.to_owned(), value: value.to_owned() };
        return (problem, Some(meant));
    }
    let nearest = nearest(key, names.iter().copied());
    let meant = names.iter().copied().find(|name| Some(*name) == nearest.as_deref());
    let problem = Problem::UnknownKey {
        key: key.to_owned(),
        place: place.to_owned(),
        nearest,
        known: names.join(", "),
    };
    (problem, meant)
}
