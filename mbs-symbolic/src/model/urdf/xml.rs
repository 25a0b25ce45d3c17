//! XML elements with places, and what URDF knows of each.

use super::robot::{Named, Num};
use crate::diag::{Diagnostic, Diagnostics, Problem, Severity, Span};
use crate::model::limits;
use crate::model::suggest::nearest;
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::collections::BTreeMap;
use std::ops::Range;

/// Elements that are read: their attributes and the elements in them.
const KNOWN: &[(&str, &[&str], &[&str])] = &[
    ("robot", &["name", "version"], &["link", "joint"]),
    ("link", &["name", "type"], &["inertial", "visual"]),
    ("inertial", &[], &["origin", "mass", "inertia"]),
    ("origin", &["xyz", "rpy"], &[]),
    ("mass", &["value"], &[]),
    ("inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[]),
    ("visual", &["name"], &["origin", "geometry"]),
    ("geometry", &[], &["box", "cylinder", "sphere"]),
    ("box", &["size"], &[]),
    ("cylinder", &["radius", "length"], &[]),
    ("sphere", &["radius"], &[]),
    ("joint", &["name", "type"], &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"]),
    ("parent", &["link"], &[]),
    ("child", &["link"], &[]),
    ("axis", &["xyz"], &[]),
    ("limit", &["lower", "upper", "effort", "velocity"], &[]),
    ("dynamics", &["damping", "friction"], &[]),
    ("mimic", &["joint", "multiplier", "offset"], &[]),
];

/// Elements that are left out, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("transmission", "every joint has an input for its torque or force instead"),
    ("gazebo", "it is for another simulator"),
    ("sensor", "outputs are written in the model"),
    ("collision", "contact is described by forces in the model"),
    ("mesh", "shapes are boxes, cylinders and spheres"),
    ("capsule", "shapes are boxes, cylinders and spheres"),
    ("material", "shapes have no colour"),
    ("calibration", "it concerns a controller"),
    ("safety_controller", "it concerns a controller"),
    ("ros2_control", "it concerns a controller"),
];

/// Refuses text that is too long, or whose elements have so many attributes that parsing takes long.
pub(super) fn check_size(text: &str) -> Result<(), Box<Diagnostic>> {
    if text.len() > limits::FILE_BYTES {
        let problem = Problem::FileTooLarge { bytes: text.len(), limit: limits::FILE_BYTES };
        return Err(Box::new(Diagnostic::error(Span::default(), problem)));
    }
    // The parser compares each attribute of an element with all others.
    let mut at = 0;
    for tag in text.split_inclusive('<') {
        let comment = tag.starts_with("!--");
        let crowded = tag.bytes().filter(|byte| *byte == b'=').count() > limits::ATTRIBUTES;
        if comment || !crowded {
            at += tag.len();
            continue;
        }
        let problem =
            Problem::TooLarge { what: "attributes of an element".to_owned(), limit: limits::ATTRIBUTES };
        return Err(Box::new(Diagnostic::error(Span::default().part(at, 1), problem)));
    }
    Ok(())
}

/// Parses `text`, refusing what is hostile.
pub(super) fn parse(text: &str) -> Result<Document<'_>, Box<Diagnostic>> {
    // Without a DTD there are no entities that could grow.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: limits::XML_NODES, entity_resolver: None };
    Document::parse_with_options(text, options).map_err(|error| Box::new(diagnose(text, &error)))
}

fn diagnose(text: &str, error: &Error) -> Diagnostic {
    let place = error.pos();
    let line_start: usize =
        text.split_inclusive('\n').take((place.row as usize).saturating_sub(1)).map(str::len).sum();
    let rest = text.get(line_start..).unwrap_or("");
    let column: usize = rest.chars().take((place.col as usize).saturating_sub(1)).map(char::len_utf8).sum();
    let span = Span::default().part(line_start + column, 1);
    let problem = match error {
        Error::NodesLimitReached => Problem::TooLarge {
            what: "elements and texts of an XML file".to_owned(),
            limit: limits::XML_NODES as usize,
        },
        Error::UnknownNamespace(prefix, _) => Problem::UrdfPrefix { prefix: prefix.clone() },
        Error::DtdDetected => {
            Problem::Xml { message: "it has a DTD, which a robot does not need".to_owned() }
        }
        other => {
            let message = other.to_string();
            let end = message.rfind(" at ").unwrap_or(message.len());
            Problem::Xml { message: message[..end].to_owned() }
        }
    };
    Diagnostic::error(span, problem)
}

/// Reads elements and gathers what is wrong or left out.
pub(super) struct Reader<'i> {
    pub(super) text: &'i str,
    pub(super) problems: Diagnostics,
    /// Accept what can be understood in one way only, with a warning.
    lenient: bool,
    /// Prefixes that are not declared, each with the `_` that stands behind it: told already.
    pub(super) undeclared: Vec<String>,
    /// Whether what is read now is of no consequence for the dynamics: mistakes are warnings.
    is_spare: bool,
    /// Where each kind of thing that is passed over stands.
    groups: BTreeMap<String, Group>,
}

/// One kind of thing that is passed over, wherever it stands.
struct Group {
    severity: Severity,
    places: Vec<Span>,
    /// The problem, given how often it is met: nothing, or " (3 times)".
    problem: Box<dyn Fn(String) -> Problem>,
}

impl<'i> Reader<'i> {
    pub(super) fn new(text: &'i str, lenient: bool) -> Self {
        let (problems, undeclared, groups) = (Diagnostics::new(), Vec::new(), BTreeMap::new());
        Self { text, problems, lenient, undeclared, is_spare: false, groups }
    }

    /// All that was found; each kind of thing that is passed over makes one report.
    pub(super) fn finish(mut self) -> Diagnostics {
        for Group { severity, places, problem } in std::mem::take(&mut self.groups).into_values() {
            let times = if places.len() > 1 { format!(" ({} times)", places.len()) } else { String::new() };
            let mut report = Diagnostic { severity, ..Diagnostic::note(places[0], problem(times)) };
            for place in places.iter().skip(1).take(8) {
                report = report.with(*place, "");
            }
            self.problems.push(report);
        }
        self.problems
    }

    /// Reports `problem` of this kind once for all its places.
    fn group(
        &mut self,
        kind: String,
        span: Span,
        severity: Severity,
        problem: impl Fn(String) -> Problem + 'static,
    ) {
        let new = || Group { severity, places: Vec::new(), problem: Box::new(problem) };
        self.groups.entry(kind).or_insert_with(new).places.push(span);
    }

    /// Notes that something is left out.
    pub(super) fn leave_out(&mut self, what: impl Into<String>, why: &'static str, span: Span) {
        let what = what.into();
        self.group(what.clone(), span, Severity::Note, move |times| Problem::NotImported {
            what: format!("{what}{times}"),
            why: why.to_owned(),
        });
    }

    /// Warns that something the dynamics does not need is wrong and passed over.
    pub(super) fn pass_over(&mut self, what: &'static str, why: &'static str, span: Span) {
        self.group(format!("{what} {why}"), span, Severity::Warning, move |times| Problem::UrdfIgnored {
            what: format!("{what}{times}"),
            why: why.to_owned(),
        });
    }

    /// Reads what the dynamics does not need: mistakes in it are warnings.
    pub(super) fn spare<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.is_spare, true);
        let value = read(self);
        self.is_spare = outside;
        value
    }

    /// Reports a mistake in what is read now.
    fn mistake(&mut self, span: Span, problem: Problem) {
        let severity = if self.is_spare { Severity::Warning } else { Severity::Error };
        self.problems.push(Diagnostic { severity, ..Diagnostic::error(span, problem) });
    }

    /// How bad something is that can be read in one way only.
    pub(super) fn doubtful(&self) -> Severity {
        if self.lenient || self.is_spare { Severity::Warning } else { Severity::Error }
    }

    /// The element's name in its opening tag.
    pub(super) fn tag(&self, node: Node<'_, '_>) -> Span {
        let start = node.range().start + 1;
        let rest = self.text.get(start..).unwrap_or("");
        let length = rest.find(|c: char| c.is_whitespace() || c == '/' || c == '>').unwrap_or(rest.len());
        Span::default().part(start, length)
    }

    /// The elements of this name in `node`.
    pub(super) fn children<'a, 'd>(
        &self,
        node: Node<'a, 'd>,
        name: &'static str,
    ) -> impl Iterator<Item = Node<'a, 'd>> + use<'a, 'd> {
        node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
    }

    /// The one element of this name in `node`, if there is one; complains about a second.
    pub(super) fn child<'a, 'd>(&mut self, node: Node<'a, 'd>, name: &'static str) -> Option<Node<'a, 'd>> {
        let mut found = self.children(node, name);
        let first = found.next()?;
        if let Some(second) = found.next() {
            let problem = Problem::UrdfElementTwice { element: name };
            let report =
                Diagnostic { severity: self.doubtful(), ..Diagnostic::error(self.tag(second), problem) };
            self.problems.push(report.with(self.tag(first), "first given here"));
        }
        Some(first)
    }

    /// As `child`; complains if there is none.
    pub(super) fn need<'a, 'd>(&mut self, node: Node<'a, 'd>, name: &'static str) -> Option<Node<'a, 'd>> {
        let found = self.child(node, name);
        if found.is_none() {
            self.missing(node, format!("`<{name}>`"));
        }
        found
    }

    fn missing(&mut self, node: Node<'_, '_>, what: String) {
        let place = format!("`<{}>`", node.tag_name().name());
        self.mistake(self.tag(node), Problem::UrdfMissing { what, place });
    }

    fn is_undeclared(&self, name: &str) -> bool {
        self.undeclared.iter().any(|prefix| name.starts_with(prefix.as_str()))
    }

    /// Looks for attributes and elements URDF does not know, or that are left out.
    pub(super) fn check(&mut self, node: Node<'_, '_>) {
        let name = node.tag_name().name();
        let Some((_, attributes, elements)) = KNOWN.iter().find(|(known, ..)| *known == name) else { return };
        for attribute in node.attributes() {
            if !attributes.contains(&attribute.name()) && !self.is_undeclared(attribute.name()) {
                let what = format!("the attribute `{}`", attribute.name());
                let near = nearest(attribute.name(), attributes.iter().copied());
                self.unknown(what, name, near, span(attribute.range_qname()));
            }
        }
        for child in node.children().filter(Node::is_element) {
            let inner = child.tag_name().name();
            if elements.contains(&inner) || self.is_undeclared(inner) {
                continue;
            }
            let place = self.tag(child);
            if child.tag_name().namespace().is_some_and(|uri| uri.contains("xacro")) {
                let severity = self.doubtful();
                self.group("xacro".to_owned(), place, severity, |times| Problem::UrdfMacro { times });
                continue;
            }
            if let Some((_, why)) = LEFT_OUT.iter().find(|(known, _)| *known == inner) {
                self.leave_out(format!("`<{inner}>`"), why, place);
                continue;
            }
            let near = nearest(inner, elements.iter().copied());
            if near.is_some() {
                self.unknown(format!("`<{inner}>`"), name, near, place);
            } else {
                self.leave_out(format!("`<{inner}>`"), "it is not part of URDF", place);
            }
        }
    }

    fn unknown(&mut self, what: String, element: &str, nearest: Option<String>, span: Span) {
        let place = format!("`<{element}>`");
        self.group(format!("{what} in {place}"), span, Severity::Warning, move |times| {
            Problem::UrdfUnknown {
                what: what.clone(),
                place: format!("{place}{times}"),
                nearest: nearest.clone(),
            }
        });
    }

    /// A name in an attribute; complains if it is not given.
    pub(super) fn name(&mut self, node: Node<'_, '_>, attribute: &'static str) -> Option<Named> {
        match node.attribute_node(attribute) {
            Some(found) if !found.value().trim().is_empty() => {
                Some(Named { text: found.value().trim().to_owned(), span: span(found.range_value()) })
            }
            _ => {
                self.missing(node, format!("the attribute `{attribute}`"));
                None
            }
        }
    }

    /// A number in an attribute, if it is given and one.
    pub(super) fn number(&mut self, node: Node<'_, '_>, attribute: &'static str) -> Option<Num> {
        self.numbers::<1>(node, attribute, "a number").map(|[number]| number)
    }

    /// As `number`; complains if it is not given.
    pub(super) fn need_number(&mut self, node: Node<'_, '_>, attribute: &'static str) -> Option<Num> {
        if node.attribute_node(attribute).is_none() {
            self.missing(node, format!("the attribute `{attribute}`"));
        }
        self.number(node, attribute)
    }

    /// Three numbers in an attribute, if they are given.
    pub(super) fn three(&mut self, node: Node<'_, '_>, attribute: &'static str) -> Option<[Num; 3]> {
        self.numbers::<3>(node, attribute, "three numbers")
    }

    fn numbers<const N: usize>(
        &mut self,
        node: Node<'_, '_>,
        attribute: &'static str,
        expected: &'static str,
    ) -> Option<[Num; N]> {
        let found = node.attribute_node(attribute)?;
        let range = found.range_value();
        let raw = self.text.get(range.clone()).unwrap_or("");
        let mut end = 0;
        let numbers: Option<Vec<Num>> = raw
            .split_whitespace()
            .map(|word| {
                let start = end + raw[end..].find(word)?;
                end = start + word.len();
                let value: f64 = word.parse().ok()?;
                let place = Span::default().part(range.start + start, word.len());
                value.is_finite().then(|| Num::new(value, word.trim_start_matches('+'), place))
            })
            .collect();
        let numbers = numbers.and_then(|numbers| <[Num; N]>::try_from(numbers).ok());
        if numbers.is_none() {
            let short: String = found.value().chars().take(40).collect();
            let problem = if short.contains("${") {
                Problem::UrdfExpression { found: short }
            } else {
                Problem::UrdfValue { name: attribute, expected, found: short }
            };
            self.mistake(span(range), problem);
        }
        numbers
    }
}

pub(super) fn span(range: Range<usize>) -> Span {
    Span::default().part(range.start, range.len())
}
