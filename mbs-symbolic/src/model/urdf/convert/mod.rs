//! [`Robot`] → the tree of a model.
//!
//! Links become bodies, the root link ground; each joint starts at a frame of its parent that
//! carries the joint's name. Masses, centres, inertias, lengths and friction become parameters,
//! and every joint that can be driven gets an input.

mod joints;
mod links;

use super::names::Taken;
use super::robot::{Joint, Link, Named, Num, Pose, Robot};
use super::{NEAR_EXACT_TOLERANCE, UrdfOptions};
use crate::diag::{Diagnostic, Diagnostics, Problem, Span};
use crate::model::INERTIA_NOT_POSITIVE;
use crate::model::names::to_snake_case;
use crate::model::suggest::nearest;
use crate::model::tree::{Key, Node, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::FRAC_PI_2;

type Entries = Vec<(Key, Node)>;

/// The tree of `robot`; adds to the `problems` found while reading it.
pub(super) fn tree(robot: &Robot, options: UrdfOptions, problems: Diagnostics) -> (Node, Diagnostics) {
    let mut converter = Converter {
        options,
        problems,
        // Alone and at rest, a link would be ground and nothing else.
        free_base: options.floating_base || (robot.joints.is_empty() && robot.links.len() == 1),
        negative_inertia: false,
        bodies: BTreeMap::new(),
        joints: BTreeMap::new(),
        straight: BTreeSet::new(),
        taken: Taken::default(),
        parameters: Vec::new(),
        inputs: Vec::new(),
        forces: Vec::new(),
    };
    let root = converter.model(robot);
    (root, converter.problems)
}

struct Converter {
    options: UrdfOptions,
    problems: Diagnostics,
    /// What links and joints are called in the model.
    bodies: BTreeMap<String, String>,
    joints: BTreeMap<String, String>,
    /// Joints of one coordinate, which others can follow.
    straight: BTreeSet<String>,
    /// Whether the root link moves freely.
    free_base: bool,
    /// Whether a moment of inertia is negative and accepted.
    negative_inertia: bool,
    /// Names of everything formulas can name.
    taken: Taken,
    parameters: Entries,
    inputs: Entries,
    forces: Entries,
}

impl Converter {
    fn model(&mut self, robot: &Robot) -> Node {
        let here = robot.name.span;
        let base = self.base(robot);
        self.name_all(robot, base);
        let mut bodies: Entries = Vec::new();
        for link in &robot.links {
            let Some(name) = self.bodies.get(&link.name.text).cloned() else { continue };
            let frames = self.frames(robot, &link.name.text);
            let body = self.body(link, &name, frames);
            bodies.push((key(&name, link.name.span), body));
        }
        let mut joints: Entries = Vec::new();
        if let (true, Some(base)) = (self.free_base, base) {
            if !self.options.floating_base {
                let problem = Problem::OneFreeBody { link: base.name.text.clone() };
                self.problems.push(Diagnostic::note(base.name.span, problem));
            }
            let span = base.name.span;
            let ends = [("type", "free"), ("from", "ground"), ("to", self.bodies[&base.name.text].as_str())];
            let name = self.taken.take("base");
            joints.push((key(&name, span), map(span, ends.map(|(key, value)| (key, text(value, span))))));
        }
        for joint in &robot.joints {
            let Some(name) = self.joints.get(&joint.name.text).cloned() else { continue };
            if let Some(node) = self.joint(joint, &name) {
                joints.push((key(&name, joint.name.span), node));
            }
        }
        let sections = [
            ("parameters", std::mem::take(&mut self.parameters)),
            ("inputs", std::mem::take(&mut self.inputs)),
            ("bodies", bodies),
            ("joints", joints),
            ("forces", std::mem::take(&mut self.forces)),
        ];
        let mut top = vec![
            (key("model", here), text(&to_snake_case(&robot.name.text), here)),
            (key("description", here), text(&format!("Robot {}", robot.name.text), here)),
        ];
        if self.negative_inertia {
            let code = text(INERTIA_NOT_POSITIVE, here);
            top.push((key("allow", here), Node { span: here, value: Value::Seq(vec![code]) }));
        }
        let sections = sections.into_iter().filter(|(_, entries)| !entries.is_empty());
        top.extend(
            sections
                .map(|(name, entries)| (key(name, here), Node { span: here, value: Value::Map(entries) })),
        );
        Node { span: here, value: Value::Map(top) }
    }

    /// The link that is nobody's child; complains unless links and joints form one tree.
    fn base<'r>(&mut self, robot: &'r Robot) -> Option<&'r Link> {
        self.once("link", robot.links.iter().map(|link| &link.name));
        self.once("joint", robot.joints.iter().map(|joint| &joint.name));
        let known = |name: &str| robot.links.iter().any(|link| link.name.text == name);
        let mut inboard: BTreeMap<&str, &Joint> = BTreeMap::new();
        for joint in &robot.joints {
            for end in [&joint.parent, &joint.child] {
                if !known(&end.text) {
                    self.unknown("link", end, robot.links.iter().map(|link| link.name.text.as_str()));
                }
            }
            if let Some(first) = inboard.insert(&joint.child.text, joint) {
                let problem = Problem::UrdfParents { link: joint.child.text.clone() };
                let report = Diagnostic::error(joint.child.span, problem);
                self.problems.push(report.with(first.child.span, "carried by this joint already"));
            }
        }
        let roots: Vec<&Link> =
            robot.links.iter().filter(|link| !inboard.contains_key(link.name.text.as_str())).collect();
        if self.problems.has_errors() {
            return roots.first().copied();
        }
        if let [first, second, others @ ..] = roots.as_slice() {
            let problem =
                Problem::UrdfRoots { first: first.name.text.clone(), second: second.name.text.clone() };
            let mut report =
                Diagnostic::error(second.name.span, problem).with(first.name.span, "nor is this one");
            for link in others.iter().take(8) {
                report = report.with(link.name.span, "nor is this one");
            }
            self.problems.push(report);
        } else if robot.links.is_empty() {
            let (what, place) = ("`<link>`".to_owned(), "`<robot>`".to_owned());
            self.problems.error(robot.name.span, Problem::UrdfMissing { what, place });
        } else if roots.is_empty() {
            self.problems.error(robot.name.span, Problem::UrdfNoRoot {});
        }
        roots.first().copied()
    }

    /// Complains about names given twice.
    fn once<'r>(&mut self, kind: &'static str, names: impl Iterator<Item = &'r Named>) {
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for name in names {
            match seen.get(name.text.as_str()) {
                Some(first) => {
                    let problem = Problem::UrdfTwice { what: format!("{kind} `{}`", name.text) };
                    let report = Diagnostic::error(name.span, problem).with(*first, "first given here");
                    self.problems.push(report);
                }
                None => {
                    seen.insert(&name.text, name.span);
                }
            }
        }
    }

    fn unknown<'n>(&mut self, kind: &'static str, name: &Named, known: impl Iterator<Item = &'n str>) {
        // As in the resolver: a file full of mistakes would take long.
        let near = if self.problems.len() < 100 { nearest(&name.text, known) } else { None };
        let problem = Problem::UnknownName { kind, name: name.text.clone(), nearest: near };
        self.problems.error(name.span, problem);
    }

    /// Gives links and joints the names they have in the model.
    fn name_all(&mut self, robot: &Robot, base: Option<&Link>) {
        let mut bodies = Taken::default();
        let ground = base.filter(|_| !self.free_base);
        for link in &robot.links {
            if self.bodies.contains_key(&link.name.text) {
                continue;
            }
            let name = match ground {
                Some(ground) if ground.name == link.name => "ground".to_owned(),
                _ => self.renamed(&link.name, bodies.take(&link.name.text)),
            };
            self.bodies.insert(link.name.text.clone(), name);
        }
        for joint in &robot.joints {
            if self.joints.contains_key(&joint.name.text) {
                continue;
            }
            let name = self.taken.take(&joint.name.text);
            let name = self.renamed(&joint.name, name);
            self.joints.insert(joint.name.text.clone(), name);
            if joint.kind.is_straight() {
                self.straight.insert(joint.name.text.clone());
            }
        }
    }

    fn renamed(&mut self, from: &Named, to: String) -> String {
        if from.text != to {
            let problem = Problem::Renamed { from: from.text.clone(), to: to.clone() };
            self.problems.push(Diagnostic::note(from.span, problem));
        }
        to
    }

    /// A number as a parameter; zero stays zero.
    fn parameter(&mut self, name: &str, number: &Num, unit: &str) -> Node {
        if number.value == 0.0 {
            return text("0", number.span);
        }
        let name = self.taken.take(name);
        let entry = map(number.span, [("value", number.node()), ("unit", text(unit, number.span))]);
        self.parameters.push((key(&name, number.span), entry));
        text(&name, number.span)
    }

    /// A length as a parameter, without dust.
    fn lengths(&mut self, stem: &str, xyz: &[Num; 3]) -> Node {
        let items = xyz.iter().zip(["x", "y", "z"]).map(|(number, axis)| {
            if self.is_dust(number.value) {
                return text("0", number.span);
            }
            self.parameter(&format!("{stem}_{axis}"), number, "m")
        });
        let items = items.collect();
        Node { span: xyz[0].span.to(xyz[2].span), value: Value::Seq(items) }
    }

    fn is_dust(&self, length: f64) -> bool {
        !self.options.keep_dust && length.abs() < NEAR_EXACT_TOLERANCE
    }

    /// Roll, pitch and yaw about fixed axes are yaw, pitch and roll about moved ones.
    fn rotation(&self, rpy: &[Num; 3]) -> Vec<Node> {
        let turns = [(2, "z"), (1, "y"), (0, "x")].into_iter().filter_map(|(index, axis)| {
            let angle = &rpy[index];
            let value = self.angle(angle)?;
            Some(map(angle.span, [("axis", text(axis, angle.span)), ("angle", text(&value, angle.span))]))
        });
        turns.collect()
    }

    /// An angle as an expression; `None` for no angle. Right angles are exact unless dust is kept.
    fn angle(&self, angle: &Num) -> Option<String> {
        if angle.value == 0.0 {
            return None;
        }
        let Some(quarters) = self.right_angle(angle.value) else { return Some(angle.text.clone()) };
        match quarters {
            0 => None,
            1 => Some("pi/2".to_owned()),
            -1 => Some("-pi/2".to_owned()),
            2 => Some("pi".to_owned()),
            -2 => Some("-pi".to_owned()),
            n => Some(format!("{n}*pi/2")),
        }
    }

    /// How many quarter turns an angle is meant to be, if any.
    fn right_angle(&self, angle: f64) -> Option<i32> {
        let quarters = mbs_math::floor(angle / FRAC_PI_2 + 0.5);
        let is_meant = quarters.abs() <= 8.0 && (angle - quarters * FRAC_PI_2).abs() <= NEAR_EXACT_TOLERANCE;
        // At most eight, as just checked.
        (is_meant && !self.options.keep_dust).then_some(quarters as i32)
    }

    /// A frame at `pose`, its position made of parameters; `None` if it is nowhere else.
    fn frame(&mut self, stem: &str, pose: &Pose) -> Option<Node> {
        let position = self.lengths(stem, &pose.xyz);
        let rotation = self.rotation(&pose.rpy);
        let mut fields = Vec::new();
        if position.items().iter().any(|item| item.text() != Some("0")) {
            fields.push(("position", position));
        }
        if !rotation.is_empty() {
            fields.push(("rotation", Node { span: pose.span, value: Value::Seq(rotation) }));
        }
        (!fields.is_empty()).then(|| map(pose.span, fields))
    }

    /// The frames the joints of a link start at.
    fn frames(&mut self, robot: &Robot, link: &str) -> Entries {
        let mut frames = Vec::new();
        for joint in robot.joints.iter().filter(|joint| joint.parent.text == link) {
            let Some(name) = self.joints.get(&joint.name.text).cloned() else { continue };
            if let Some(frame) = self.frame(&format!("p_{name}"), &joint.pose) {
                frames.push((key(&name, joint.pose.span), frame));
            }
        }
        frames
    }
}

impl Num {
    fn node(&self) -> Node {
        text(&self.text, self.span)
    }
}

fn key(text: &str, span: Span) -> Key {
    Key { text: text.to_owned(), span, local: 0 }
}

fn text(text: &str, span: Span) -> Node {
    Node { span, value: Value::Text { text: text.to_owned(), exact: false } }
}

fn map(span: Span, entries: impl IntoIterator<Item = (&'static str, Node)>) -> Node {
    let entries = entries.into_iter().map(|(name, node)| (key(name, span), node)).collect();
    Node { span, value: Value::Map(entries) }
}

fn vector(components: [f64; 3], span: Span) -> Node {
    let items = components.iter().map(|x| text(&format!("{:?}", x + 0.0), span)).collect();
    Node { span, value: Value::Seq(items) }
}
