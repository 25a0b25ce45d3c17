//! One tree out of the model file, the files it includes and the assemblies it uses.
//!
//! Every use of an assembly copies the entries of its definition under a prefix:
//! `front_left.hub`. Formulas stay as written; every place in the copy knows its
//! instance ([`Span::instance`]), and names are looked up in that instance first.
//! So is a mistake shown where it was made, with where it was instantiated.
//!
//! What is not a map or list where one should be is left to the reading that follows,
//! which checks all shapes against the language table.

mod include;
mod instances;

use super::Loader;
use super::tree::{Key, Node, Value};
use crate::diag::{Diagnostic, Diagnostics, Problem, Sources, Span};
use std::collections::BTreeMap;

pub(super) use include::beside;

/// The whole model as one tree.
#[derive(Debug)]
pub(super) struct Expanded {
    /// With everything in its section.
    pub(super) root: Node,
    /// Uses of assemblies by [`Span::instance`]; the model itself comes first.
    pub(super) instances: Vec<Instance>,
    /// Frames that assemblies add to bodies outside them.
    pub(super) added_frames: Vec<AddedFrame>,
}

/// One use of an assembly.
#[derive(Debug, Clone, Default)]
pub(super) struct Instance {
    /// What stands before the names of its members: empty, or `front_left.`.
    pub(super) prefix: String,
    /// Which axes are turned round.
    pub(super) mirror: Mirror,
    /// Its own names of frames outside it.
    pub(super) connections: Vec<(String, Node)>,
}

/// A frame an assembly adds to a body it is connected to.
#[derive(Debug)]
pub(super) struct AddedFrame {
    /// The connection, or `ground`.
    pub(super) body: Key,
    pub(super) key: Key,
    pub(super) node: Node,
}

/// A reflection in planes across the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mirror {
    /// Axes that point the other way.
    pub(super) turned: [bool; 3],
}

/// How a number changes in a reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Character {
    /// Not at all.
    #[default]
    Scalar,
    /// As the component of a position or force.
    Polar(u8),
    /// As the component of an angular velocity or torque.
    Axial(u8),
    /// As an angle about a direction that is reflected as a position is.
    Pseudo,
    /// As an entry of a matrix.
    Entry(u8, u8),
}

impl Mirror {
    /// Whether right hands become left hands.
    fn swaps_hands(self) -> bool {
        self.turned.iter().filter(|turned| **turned).count() % 2 == 1
    }

    /// Whether a number of this character changes its sign.
    pub(super) fn negates(self, character: Character) -> bool {
        let turned = |index: u8| self.turned[usize::from(index)];
        match character {
            Character::Scalar => false,
            Character::Polar(index) => turned(index),
            Character::Axial(index) => turned(index) != self.swaps_hands(),
            Character::Pseudo => self.swaps_hands(),
            Character::Entry(row, column) => turned(row) != turned(column),
        }
    }
}

/// Reads what `root`, the tree of the model file, includes and instantiates.
pub(super) fn expand(root: Node, sources: &mut Sources, loader: &dyn Loader) -> (Expanded, Diagnostics) {
    let mut problems = Diagnostics::new();
    let root = include::include(root, sources, loader, &mut problems);
    let expanded = instances::instantiate(root, sources, &mut problems);
    (expanded, problems)
}

impl Node {
    /// The value behind a key of a map.
    fn value_of(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(known, _)| known.text == key).map(|(_, node)| node)
    }

    fn entries_of(&self, key: &str) -> &[(Key, Node)] {
        self.value_of(key).map_or(&[], Node::entries)
    }

    /// The map behind `key` of a map, which is made if there is none; `None` if there is
    /// something else.
    fn section_mut(&mut self, key: &Key) -> Option<&mut Node> {
        let Value::Map(entries) = &mut self.value else { return None };
        let index = match entries.iter().position(|(known, _)| known.text == key.text) {
            Some(index) => index,
            None => {
                entries.push((key.clone(), Node { span: key.span, value: Value::Map(Vec::new()) }));
                entries.len() - 1
            }
        };
        let node = &mut entries[index].1;
        if node.value == Value::Null {
            node.value = Value::Map(Vec::new());
        }
        matches!(node.value, Value::Map(_)).then_some(node)
    }

    /// Adds entries to a map; complains about names that are taken.
    fn add_entries(&mut self, entries: Vec<(Key, Node)>, problems: &mut Diagnostics) {
        let Value::Map(section) = &mut self.value else { return };
        let mut taken: BTreeMap<String, Span> =
            section.iter().map(|(key, _)| (key.text.clone(), key.span)).collect();
        for (key, node) in entries {
            if let Some(first) = taken.get(&key.text) {
                let problem = Problem::DuplicateKey { key: key.text.clone() };
                problems.push(Diagnostic::error(key.span, problem).with(*first, "first given here"));
                continue;
            }
            taken.insert(key.text.clone(), key.span);
            section.push((key, node));
        }
    }
}

fn too_large(span: Span, what: &str, limit: usize) -> Diagnostic {
    Diagnostic::error(span, Problem::TooLarge { what: what.to_owned(), limit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::limits;

    #[test]
    fn reflections_keep_cross_products() {
        // τ = r × f holds for the images of all three, so the signs of an axial
        // component must be the product of those of the other two.
        for turned in [[false, true, false], [true, false, false], [true, true, false], [true, true, true]] {
            let mirror = Mirror { turned };
            for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
                let product = mirror.negates(Character::Polar(i)) != mirror.negates(Character::Polar(j));
                assert_eq!(mirror.negates(Character::Axial(k)), product, "{turned:?} {k}");
                assert_eq!(mirror.negates(Character::Entry(i, j)), product);
            }
        }
    }

    #[test]
    fn limits_hold() {
        assert!(limits::INSTANCES < usize::from(u16::MAX));
    }
}
