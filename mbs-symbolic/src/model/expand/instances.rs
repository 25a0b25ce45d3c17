//! `instances`: copies of assemblies under names of their own.

use super::{AddedFrame, Expanded, Instance, too_large};
use crate::diag::{Diagnostic, Diagnostics, Problem, Sources, Span};
use crate::model::limits;
use crate::model::suggest::nearest;
use crate::model::tree::{Key, Node, Value};
use std::collections::BTreeMap;

/// Sections of an assembly whose entries get the prefix of the instance.
const PREFIXED: [&str; 10] = [
    "parameters",
    "functions",
    "inputs",
    "states",
    "tables",
    "joints",
    "constraints",
    "variables",
    "forces",
    "outputs",
];

/// A number to be counted up to.
struct Repeat {
    count: usize,
    index: Option<String>,
}

struct Instantiating<'a> {
    definitions: Vec<(Key, Node)>,
    sources: &'a mut Sources,
    problems: &'a mut Diagnostics,
    expanded: Expanded,
    /// Assemblies from the model down to the one being copied.
    open: Vec<String>,
    /// Names of all instances.
    prefixes: BTreeMap<String, Span>,
    /// Nodes copied so far.
    nodes: usize,
    full: bool,
}

/// `root` with everything its instances consist of.
pub(super) fn instantiate(root: Node, sources: &mut Sources, problems: &mut Diagnostics) -> Expanded {
    let definitions = root.entries_of("assemblies").to_vec();
    let uses = root.value_of("instances").cloned();
    let expanded = Expanded { root, instances: vec![Instance::default()], added_frames: Vec::new() };
    let Some(uses) = uses else { return expanded };
    let mut work = Instantiating {
        definitions,
        sources,
        problems,
        expanded,
        open: Vec::new(),
        prefixes: BTreeMap::new(),
        nodes: 0,
        full: false,
    };
    work.uses(uses.entries(), 0);
    work.expanded
}

impl Instantiating<'_> {
    fn uses(&mut self, uses: &[(Key, Node)], parent: u16) {
        for (key, node) in uses {
            self.one_use(key, node, parent);
        }
    }

    fn one_use(&mut self, key: &Key, node: &Node, parent: u16) {
        let Some(of) = node.value_of("of").and_then(|of| Some((of.text()?.trim().to_owned(), of.span)))
        else {
            return;
        };
        let Some((definition_key, definition)) =
            self.definitions.iter().find(|(name, _)| name.text == of.0).cloned()
        else {
            let known = self.definitions.iter().map(|(name, _)| name.text.as_str());
            let problem =
                Problem::UnknownName { kind: "assembly", name: of.0.clone(), nearest: nearest(&of.0, known) };
            self.problems.error(of.1, problem);
            return;
        };
        if self.open.contains(&of.0) {
            let mut chain = self.open.clone();
            chain.push(of.0);
            self.problems.error(of.1, Problem::Cycle { what: "assemblies", chain: chain.join(" → ") });
            return;
        }
        if self.open.len() >= limits::INSTANCE_DEPTH {
            self.problems.push(too_large(
                key.span,
                "levels of assemblies in assemblies",
                limits::INSTANCE_DEPTH,
            ));
            return;
        }
        let repeat = match node.value_of("repeat") {
            Some(repeat) => match self.repeat(repeat, key) {
                Some(repeat) => Some(repeat),
                None => return,
            },
            None => None,
        };
        self.open.push(of.0);
        for number in 1..=repeat.as_ref().map_or(1, |repeat| repeat.count) {
            if self.full {
                break;
            }
            let turn = repeat.as_ref().map(|repeat| Turn { key, repeat, number });
            self.copy(key, node, (&definition_key, &definition), parent, turn);
        }
        self.open.pop();
    }

    fn repeat(&mut self, node: &Node, key: &Key) -> Option<Repeat> {
        let count = node.value_of("count")?;
        let allowed = "a whole number from 1";
        let number: Option<usize> = count.text().and_then(|text| text.trim().parse().ok());
        let Some(number) = number.filter(|number| *number > 0) else {
            let span = if count.span.start == count.span.end { key.span } else { count.span };
            self.problems.error(span, Problem::NotAnInteger { key: "count".to_owned(), allowed });
            return None;
        };
        if number > limits::INSTANCES {
            self.problems.push(too_large(count.span, "instances", limits::INSTANCES));
            return None;
        }
        let index = node.value_of("index").and_then(|node| node.text()).map(|text| text.trim().to_owned());
        Some(Repeat { count: number, index })
    }

    /// One instance of a definition.
    fn copy(
        &mut self,
        key: &Key,
        node: &Node,
        (name, definition): (&Key, &Node),
        parent: u16,
        turn: Option<Turn<'_>>,
    ) {
        if self.expanded.instances.len() > limits::INSTANCES {
            self.full = true;
            self.problems.push(too_large(key.span, "instances", limits::INSTANCES));
            return;
        }
        let outer = self.expanded.instances[usize::from(parent)].clone();
        let local = turn.as_ref().map_or_else(|| key.text.clone(), Turn::name);
        let mut mirror = outer.mirror;
        if let Some(axis) = node.value_of("mirror").and_then(|node| node.text()) {
            let index = ["x", "y", "z"].iter().position(|letter| *letter == axis.trim());
            if let Some(index) = index {
                mirror.turned[index] = !mirror.turned[index];
            }
        }
        let connections = self.connections(key, node, (name, definition), turn.as_ref());
        let prefix = format!("{}{local}.", outer.prefix);
        if let Some(first) = self.prefixes.insert(prefix.clone(), key.span) {
            let problem =
                Problem::DuplicateName { name: local, kind: "instance", earlier: "another instance" };
            self.problems.push(Diagnostic::error(key.span, problem).with(first, "the other one"));
            return;
        }
        let id = self.sources.add_instance(key.span);
        self.expanded.instances.push(Instance { prefix: prefix.clone(), mirror, connections });

        let settings = self.settings(node, (name, definition), turn.as_ref());
        for (section, content) in definition.entries() {
            let mut copy = content.clone();
            self.nodes += copy.stamp(id);
            if self.nodes > limits::INSTANCE_NODES {
                self.full = true;
                let what = "entries of all instances";
                self.problems.push(too_large(key.span, what, limits::INSTANCE_NODES));
                return;
            }
            let Value::Map(mut entries) = copy.value else { continue };
            let text = section.text.as_str();
            if text == "bodies" {
                self.bodies(section, entries, id);
            } else if text == "instances" {
                self.uses(&entries, id);
            } else if text == "initial" {
                for (part, inner) in entries {
                    let (Value::Map(values), Some(initial)) =
                        (inner.value, self.expanded.root.section_mut(section))
                    else {
                        continue;
                    };
                    if let Some(known) = initial.section_mut(&part) {
                        known.extend(values);
                    }
                }
            } else if PREFIXED.contains(&text) {
                if text == "parameters" {
                    set(&mut entries, &settings);
                }
                for (key, _) in &mut entries {
                    key.qualify(&prefix);
                }
                if let Some(known) = self.expanded.root.section_mut(section) {
                    known.extend(entries);
                }
            }
        }
    }

    /// Bodies of an instance; frames on what it is connected to.
    fn bodies(&mut self, section: &Key, entries: Vec<(Key, Node)>, id: u16) {
        let instance = self.expanded.instances[usize::from(id)].clone();
        let mut own = Vec::new();
        for (mut key, node) in entries {
            let outside = key.text == "ground"
                || instance.connections.iter().any(|(connection, _)| *connection == key.text);
            if !outside {
                key.qualify(&instance.prefix);
                own.push((key, node));
                continue;
            }
            for (other, _) in node.entries().iter().filter(|(other, _)| other.text != "frames") {
                let problem = Problem::OnlyFrames { body: key.text.clone(), key: other.text.clone() };
                self.problems.error(other.span, problem);
            }
            for (frame, node) in node.entries_of("frames") {
                let mut frame = frame.clone();
                frame.qualify(&instance.prefix);
                self.expanded.added_frames.push(AddedFrame {
                    body: key.clone(),
                    key: frame,
                    node: node.clone(),
                });
            }
        }
        if let Some(known) = self.expanded.root.section_mut(section) {
            known.extend(own);
        }
    }

    /// What the names of an assembly's connections stand for in this instance.
    fn connections(
        &mut self,
        key: &Key,
        node: &Node,
        (name, definition): (&Key, &Node),
        turn: Option<&Turn<'_>>,
    ) -> Vec<(String, Node)> {
        let declared: Vec<(&str, Span)> = definition
            .value_of("connections")
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(|item| Some((item.text()?.trim(), item.span)))
            .collect();
        let repeat = node.value_of("repeat");
        let special = |end: &'static str| repeat.map_or(&[][..], |repeat| repeat.entries_of(end));
        let mut found = Vec::new();
        let mut given: Vec<&(Key, Node)> = Vec::new();
        if let Some(turn) = turn {
            if turn.number == 1 {
                given.extend(special("first"));
            }
            if turn.number == turn.repeat.count {
                given.extend(special("last"));
            }
        }
        given.extend(node.entries_of("connect"));
        for (connection, _) in &given {
            if !declared.iter().any(|(known, _)| *known == connection.text) {
                let known = declared.iter().map(|(known, _)| *known);
                let problem = Problem::UnknownConnection {
                    assembly: name.text.clone(),
                    name: connection.text.clone(),
                    nearest: nearest(&connection.text, known.clone()),
                    known: known.collect::<Vec<_>>().join(", "),
                };
                self.problems
                    .push(Diagnostic::error(connection.span, problem).with(name.span, "the assembly"));
            }
        }
        for (connection, span) in declared {
            let Some((_, frame)) = given.iter().find(|(known, _)| known.text == connection) else {
                let problem =
                    Problem::NotConnected { assembly: name.text.clone(), name: connection.to_owned() };
                self.problems.push(Diagnostic::error(key.span, problem).with(span, "declared here"));
                continue;
            };
            let mut frame = frame.clone();
            if let Some(turn) = turn {
                turn.neighbours(&mut frame, self.problems);
            }
            found.push((connection.to_owned(), frame));
        }
        found
    }

    /// Values of the instance's parameters; complains about those there are not.
    fn settings(
        &mut self,
        node: &Node,
        (name, definition): (&Key, &Node),
        turn: Option<&Turn<'_>>,
    ) -> Vec<(String, Node)> {
        let parameters = definition.entries_of("parameters");
        let mut settings = Vec::new();
        for (key, value) in node.entries_of("set") {
            if !parameters.iter().any(|(known, _)| known.text == key.text) {
                let known = parameters.iter().map(|(known, _)| known.text.as_str());
                let problem = Problem::UnknownName {
                    kind: "parameter of the assembly",
                    name: key.text.clone(),
                    nearest: nearest(&key.text, known),
                };
                self.problems.push(Diagnostic::error(key.span, problem).with(name.span, "the assembly"));
            }
            let mut value = value.clone();
            if let Some(turn) = turn {
                turn.number_in(&mut value);
            }
            settings.push((key.text.clone(), value));
        }
        settings
    }
}

/// Replaces the defaults of parameters.
fn set(parameters: &mut [(Key, Node)], settings: &[(String, Node)]) {
    for (key, node) in parameters {
        let Some((_, value)) = settings.iter().find(|(name, _)| *name == key.text) else { continue };
        match &mut node.value {
            Value::Map(fields) => match fields.iter_mut().find(|(field, _)| field.text == "value") {
                Some((_, old)) => *old = value.clone(),
                None => {
                    fields.push((Key { text: "value".to_owned(), span: key.span, local: 0 }, value.clone()))
                }
            },
            _ => *node = value.clone(),
        }
    }
}

/// One turn of a repetition.
struct Turn<'a> {
    key: &'a Key,
    repeat: &'a Repeat,
    number: usize,
}

impl Turn<'_> {
    fn name(&self) -> String {
        format!("{}_{}", self.key.text, self.number)
    }

    /// `previous` and `next` at the start of a frame's name, written out.
    fn neighbours(&self, node: &mut Node, problems: &mut Diagnostics) {
        let Some(text) = node.text() else { return };
        let (head, rest) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let number = match head {
            "previous" => self.number - 1,
            "next" => self.number + 1,
            _ => return,
        };
        if number == 0 || number > self.repeat.count {
            let (end, neighbour) = if number == 0 { ("first", "previous") } else { ("last", "next") };
            problems.error(node.span, Problem::NoNeighbour { end, neighbour });
            return;
        }
        let dot = if rest.is_empty() { "" } else { "." };
        let text = format!("{}_{number}{dot}{rest}", self.key.text);
        node.value = Value::Text { text, exact: false };
    }

    /// The index in a formula, written out as a number.
    fn number_in(&self, node: &mut Node) {
        let (Some(index), Some(text)) = (&self.repeat.index, node.text()) else { return };
        let mut written = String::with_capacity(text.len());
        let mut word = String::new();
        for c in text.chars().chain(['\0']) {
            if c.is_ascii_alphanumeric() || c == '_' || c == '.' {
                word.push(c);
                continue;
            }
            if word == *index {
                written += &format!("({})", self.number);
            } else {
                written += &word;
            }
            word.clear();
            written.push(c);
        }
        written.pop();
        if written != text {
            node.value = Value::Text { text: written, exact: false };
        }
    }
}

impl Node {
    /// Adds entries to a map.
    fn extend(&mut self, more: Vec<(Key, Node)>) {
        if let Value::Map(entries) = &mut self.value {
            entries.extend(more);
        }
    }

    /// Marks every place in it as part of an instance; how many nodes there are.
    fn stamp(&mut self, instance: u16) -> usize {
        self.span.instance = instance;
        match &mut self.value {
            Value::Seq(items) => 1 + items.iter_mut().map(|item| item.stamp(instance)).sum::<usize>(),
            Value::Map(entries) => {
                let mut count = 1;
                for (key, node) in entries {
                    key.span.instance = instance;
                    count += node.stamp(instance);
                }
                count
            }
            _ => 1,
        }
    }
}
