//! Single values: numbers, words, vectors, axes, frames.

use super::Resolver;
use super::dimensions::Quantity;
use super::fields::Fields;
use crate::diag::{Problem, Span};
use crate::ids::{FrameId, Id};
use crate::model::evaluate::constant;
use crate::model::language::{CURVE_ROTATION, Kind, Measure, ROTATION, Reflection};
use crate::model::place::FormulaContext;
use crate::model::suggest::nearest;
use crate::model::tree::{Key, Node};
use crate::model::{Axis, AxisAngle, Formula, Name, Unit, limits, units};

/// A unit with its place.
pub(super) struct GivenUnit {
    pub(super) unit: Unit,
    text: String,
    pub(super) span: Span,
}

impl<'a> Resolver<'a> {
    /// The name of an entry.
    pub(super) fn entry_name(&self, key: &Key) -> Name {
        Name { text: key.text.clone(), span: key.span }
    }

    /// Text for people.
    pub(super) fn text(&mut self, fields: &Fields<'a>, key: &str) -> Option<String> {
        fields.get(key)?.text().map(str::to_owned)
    }

    /// The place the language table gives for a key.
    fn place(fields: &Fields<'a>, key: &str) -> FormulaContext {
        match fields.kind(key) {
            Some(Kind::Formula(place) | Kind::Vector(place) | Kind::Formulas(place)) => place,
            _ => FormulaContext::Parameters,
        }
    }

    /// An expression, or a number if the key is not given; unknown if what is given is wrong.
    pub(super) fn field(&mut self, fields: &Fields<'a>, key: &str, default: f64) -> Formula {
        match fields.get(key) {
            Some(node) => {
                let place = Self::place(fields, key);
                let formula = self.formula(node, place);
                self.check_measure(fields, key, &formula, place);
                formula
            }
            None if fields.lacks(key) => Formula::unknown(fields.owner),
            None => Formula::number(default, fields.owner),
        }
    }

    /// Three expressions, or three numbers if the key is not given.
    pub(super) fn vector(&mut self, fields: &Fields<'a>, key: &str, default: [f64; 3]) -> [Formula; 3] {
        match fields.get(key).map(|node| node.items()) {
            Some([x, y, z]) => {
                let place = Self::place(fields, key);
                let reflection = fields.reflection(key);
                [(x, 0), (y, 1), (z, 2)].map(|(node, index)| {
                    let formula = self.formula(node, place);
                    self.check_measure(fields, key, &formula, place);
                    self.reflected(formula, node.span, reflection.of(index))
                })
            }
            _ if fields.lacks(key) => default.map(|_| Formula::unknown(fields.owner)),
            _ => default.map(|value| Formula::number(value, fields.owner)),
        }
    }

    /// A number, or an expression of numbers.
    pub(super) fn constant(&mut self, node: &Node) -> Option<f64> {
        self.constant_quantity(node).map(|(value, _)| value)
    }

    /// The same with what it measures.
    pub(super) fn constant_quantity(&mut self, node: &Node) -> Option<(f64, Quantity)> {
        let syntax = self.syntax(node)?;
        let formula = self.resolve_syntax(&syntax, FormulaContext::Constant, &[])?;
        if !self.check_place(&formula, FormulaContext::Constant) {
            return None;
        }
        match constant(&formula) {
            Some(value) if value.is_finite() => {
                Some((value, self.quantity(&formula, FormulaContext::Constant)))
            }
            _ => {
                let text = node.text().unwrap_or("").to_owned();
                self.error(node.span, Problem::NotFinite { text });
                None
            }
        }
    }

    /// A plain number of a unit in SI; complains if there is no such number.
    pub(super) fn converted(&mut self, unit: &Unit, value: f64, span: Span) -> f64 {
        let si = unit.to_si(value);
        if !si.is_finite() {
            self.error(span, Problem::NotFinite { text: format!("{value:e} {}", unit.text) });
        }
        si
    }

    /// A number behind a key.
    pub(super) fn number_field(&mut self, fields: &Fields<'a>, key: &str) -> Option<f64> {
        let node = fields.get(key)?;
        let (value, found) = self.constant_quantity(node)?;
        if let Measure::In(unit) = fields.measure(key) {
            let formula = Formula::number(value, node.span);
            self.expect_quantity(&formula, found, unit, &format!("`{key}`"), None);
        }
        Some(value)
    }

    /// A number behind a key that must be above zero.
    pub(super) fn positive_field(&mut self, fields: &Fields<'a>, key: &str) -> Option<f64> {
        let value = self.number_field(fields, key)?;
        if value <= 0.0 {
            let span = fields.get(key).map_or(fields.owner, |node| node.span);
            self.error(span, Problem::NotPositive { what: format!("`{key}`"), value });
            return None;
        }
        Some(value)
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, fields: &Fields<'a>, key: &str) -> Option<bool> {
        let node = fields.get(key)?;
        match node.text()? {
            "true" => Some(true),
            "false" => Some(false),
            other => {
                let problem = Problem::UnknownChoice {
                    key: key.to_owned(),
                    value: other.to_owned(),
                    nearest: match other.to_ascii_lowercase().as_str() {
                        "yes" | "on" | "y" => Some("true".to_owned()),
                        "no" | "off" | "n" => Some("false".to_owned()),
                        other => nearest(other, ["true", "false"]),
                    },
                    known: "true, false".to_owned(),
                };
                self.error(node.span, problem);
                None
            }
        }
    }

    /// One of the words the language table lists; the first if the key is not given.
    pub(super) fn choice(&mut self, fields: &Fields<'a>, key: &str) -> &'static str {
        let (Some(node), Some(Kind::Choice(words))) = (fields.get(key), fields.kind(key)) else { return "" };
        let value = node.text().unwrap_or("");
        if let Some(word) = words.iter().find(|word| **word == value) {
            return word;
        }
        let problem = Problem::UnknownChoice {
            key: key.to_owned(),
            value: value.to_owned(),
            nearest: nearest(value, words.iter().copied()),
            known: words.join(", "),
        };
        self.error(node.span, problem);
        ""
    }

    /// The unit behind a key.
    pub(super) fn unit(&mut self, fields: &Fields<'a>, key: &str) -> Option<GivenUnit> {
        let node = fields.get(key)?;
        let text = node.text()?.trim();
        match units::parse(text) {
            Ok(unit) => Some(GivenUnit { unit, text: text.to_owned(), span: node.span }),
            Err(unknown) => {
                self.error(
                    node.span,
                    Problem::NotAUnit { name: unknown.part, nearest: unknown.nearest, product: None },
                );
                None
            }
        }
    }

    /// A unit that must be SI, since `what` it belongs to is.
    pub(super) fn si_unit(&mut self, fields: &Fields<'a>, what: &'static str) -> Option<GivenUnit> {
        let given = self.unit(fields, "unit")?;
        self.must_be_si(&given, what);
        Some(given)
    }

    /// Complains about a unit that is not SI.
    pub(super) fn must_be_si(&mut self, given: &GivenUnit, what: &'static str) {
        if !given.unit.is_si() {
            let problem = Problem::UnitNotSi { unit: given.text.clone(), si: given.unit.si.clone(), what };
            self.error(given.span, problem);
        }
    }

    /// A frame behind a key; `None` if it is not given or does not exist.
    pub(super) fn frame(&mut self, fields: &Fields<'a>, key: &str) -> Option<FrameId> {
        let node = fields.get(key)?;
        let name = node.text()?.trim();
        self.find_frame(name, node.span)
    }

    /// A frame behind a key, ground if there is none.
    pub(super) fn frame_or_ground(&mut self, fields: &Fields<'a>, key: &str) -> FrameId {
        self.frame(fields, key).unwrap_or(FrameId::new(0))
    }

    /// Two frames behind two keys, ground where there is none; they must be of two bodies.
    pub(super) fn two_frames(&mut self, fields: &Fields<'a>, element: &str, keys: [&str; 2]) -> [FrameId; 2] {
        let frames = keys.map(|key| self.frame(fields, key));
        self.check_two_bodies(fields, element, keys, frames);
        frames.map(|frame| frame.unwrap_or(FrameId::new(0)))
    }

    /// Complains if both frames are given and of the same body.
    pub(super) fn check_two_bodies(
        &mut self,
        fields: &Fields<'a>,
        element: &str,
        keys: [&str; 2],
        frames: [Option<FrameId>; 2],
    ) {
        let [Some(from), Some(to)] = frames else { return };
        let body = self.frames[from].body;
        if body == self.frames[to].body {
            let body = self.frames[FrameId::new(body.index())].name.text.clone();
            let span = fields.get(keys[1]).map_or(fields.owner, |node| node.span);
            self.error(span, Problem::SameBody { element: element.to_owned(), body });
        }
    }

    /// A direction behind a key, a principal one if it is not given.
    pub(super) fn axis_field(
        &mut self,
        fields: &Fields<'a>,
        key: &str,
        default: u8,
        reflection: Reflection,
    ) -> Axis {
        match fields.get(key) {
            Some(node) => self.axis(node, reflection),
            None => {
                let negative = self.negates(fields.owner, reflection.of(default));
                Axis::Principal { index: default, negative }
            }
        }
    }

    /// A direction.
    pub(super) fn axis(&mut self, node: &'a Node, reflection: Reflection) -> Axis {
        if let [x, y, z] = node.items() {
            return Axis::Vector([(x, 0), (y, 1), (z, 2)].map(|(node, index)| {
                let formula = self.formula(node, FormulaContext::Parameters);
                self.reflected(formula, node.span, reflection.of(index))
            }));
        }
        let text = node.text().unwrap_or("").trim();
        let (negative, letter) = match text.strip_prefix('-') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let index = match letter {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => {
                let found = if node.is_scalar() { text.to_owned() } else { node.describe() };
                self.error(node.span, Problem::NotAnAxis { found });
                0
            }
        };
        let turned = self.negates(node.span, reflection.of(index));
        Axis::Principal { index, negative: negative != turned }
    }

    /// Rotations, left to right about moved axes.
    pub(super) fn rotations(&mut self, fields: &Fields<'a>, key: &str) -> Vec<AxisAngle> {
        let section = match fields.kind(key) {
            Some(Kind::Rotations(FormulaContext::JointArgument)) => &CURVE_ROTATION,
            _ => &ROTATION,
        };
        let owner = fields.entry(key).map_or(fields.owner, |(key, _)| key.span);
        let mut rotations = Vec::new();
        for item in fields.items(key) {
            let rotation = self.fields(section, self.span_of(item, owner), item);
            let axis = self.axis_field(&rotation, "axis", 2, Reflection::Axial);
            let angle = self.field(&rotation, "angle", 0.0);
            rotations.push(AxisAngle { axis, angle });
        }
        rotations
    }

    /// Names behind a key, each with its place.
    pub(super) fn name_list(&mut self, fields: &Fields<'a>, key: &str) -> Vec<(String, Span)> {
        let mut names = Vec::new();
        for item in fields.items(key) {
            names.push((item.text().unwrap_or("").to_owned(), item.span));
        }
        names
    }

    /// Complains if a section lists more elements than can be handled.
    pub(super) fn check_count(
        &mut self,
        what: &str,
        entries: &'a [(Key, Node)],
        limit: usize,
    ) -> &'a [(Key, Node)] {
        if entries.len() > limit {
            self.error(entries[limit].0.span, Problem::TooLarge { what: what.to_owned(), limit });
        }
        &entries[..entries.len().min(limit)]
    }

    /// The elements of a section, with names of their own.
    pub(super) fn own_entries(&mut self, top: &Fields<'a>, section: &str) -> &'a [(Key, Node)] {
        let entries = self.check_count(section, top.entries(section), limits::ELEMENTS);
        self.check_names(entries.iter().map(|(key, _)| key));
        entries
    }
}
