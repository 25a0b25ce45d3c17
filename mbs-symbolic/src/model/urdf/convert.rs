//! [`Robot`] → the tree of a model.
//!
//! Links become bodies, the root link ground; each joint starts at a frame of its parent that
//! carries the joint's name. Masses, centres, inertias, lengths and friction become parameters,
//! and every joint that can be driven gets an input.

use super::names::Taken;
use super::robot::{Geometry, Inertial, Joint, Kind, Link, Mimic, Named, Num, Pose, Robot};
use super::{DUST, UrdfOptions};
use crate::diag::{Diagnostic, Diagnostics, Problem, Span};
use crate::model::names::to_snake_case;
use crate::model::suggest::nearest;
use crate::model::tree::{Key, Node, Value};
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

type Entries = Vec<(Key, Node)>;

/// The tree of `robot`; adds to the `problems` found while reading it.
pub(super) fn tree(robot: &Robot, options: UrdfOptions, problems: Diagnostics) -> (Node, Diagnostics) {
    let mut converter = Converter {
        options,
        problems,
        bodies: BTreeMap::new(),
        joints: BTreeMap::new(),
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
        if let (true, Some(base)) = (self.options.floating_base, base) {
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
        let ground = base.filter(|_| !self.options.floating_base);
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
        !self.options.keep_dust && length.abs() < DUST
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
        let is_meant = quarters.abs() <= 8.0 && (angle - quarters * FRAC_PI_2).abs() <= DUST;
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

    fn body(&mut self, link: &Link, name: &str, mut frames: Entries) -> Node {
        let mut fields = Vec::new();
        match &link.inertial {
            Some(inertial) if name == "ground" => {
                let link = link.name.text.clone();
                self.problems.push(Diagnostic::note(inertial.span, Problem::BaseDoesNotMove { link }));
            }
            Some(inertial) => fields = self.inertial(inertial, name, &mut frames),
            None => {}
        }
        if !frames.is_empty() {
            fields.push(("frames", Node { span: link.name.span, value: Value::Map(frames) }));
        }
        let mut shapes = Vec::new();
        for visual in &link.visuals {
            match self.shape(&visual.pose, &visual.geometry) {
                Some((kind, shape)) => shapes.push(map(visual.span, [(kind, shape)])),
                None => {
                    let what = "a box that is turned against its link".to_owned();
                    let why = "boxes stand along the axes of their body".to_owned();
                    self.problems.push(Diagnostic::note(visual.span, Problem::NotImported { what, why }));
                }
            }
        }
        if !shapes.is_empty() {
            fields.push(("shape", Node { span: link.name.span, value: Value::Seq(shapes) }));
        }
        map(link.name.span, fields)
    }

    fn inertial(
        &mut self,
        inertial: &Inertial,
        body: &str,
        frames: &mut Entries,
    ) -> Vec<(&'static str, Node)> {
        let mut fields = vec![("mass", self.parameter(&format!("m_{body}"), &inertial.mass, "kg"))];
        let com = self.lengths(&format!("c_{body}"), &inertial.pose.xyz);
        if com.items().iter().any(|item| item.text() != Some("0")) {
            fields.push(("com", com));
        }
        let largest = inertial.inertia.iter().fold(0.0, |most: f64, entry| most.max(entry.value.abs()));
        let mut entries = Vec::new();
        for (entry, letters) in inertial.inertia.iter().zip(["xx", "yy", "zz", "xy", "xz", "yz"]) {
            let dust = !self.options.keep_dust && entry.value.abs() < DUST * largest;
            if entry.value != 0.0 && !dust {
                let value = self.parameter(&format!("I_{body}_{letters}"), entry, "kg*m^2");
                entries.push((letters, value));
            }
        }
        let rotation = self.rotation(&inertial.pose.rpy);
        if !rotation.is_empty() && !entries.is_empty() {
            let mut name = "inertia".to_owned();
            while frames.iter().any(|(frame, _)| frame.text == name) {
                name.push('_');
            }
            let span = inertial.pose.span;
            let turned = map(span, [("rotation", Node { span, value: Value::Seq(rotation) })]);
            frames.push((key(&name, span), turned));
            entries.push(("frame", text(&name, span)));
        }
        if !entries.is_empty() {
            fields.push(("inertia", map(inertial.span, entries)));
        }
        fields
    }

    /// A shape for pictures; `None` for a box that is turned.
    fn shape(&self, pose: &Pose, geometry: &Geometry) -> Option<(&'static str, Node)> {
        let span = pose.span;
        let center: [f64; 3] =
            std::array::from_fn(|k| if self.is_dust(pose.xyz[k].value) { 0.0 } else { pose.xyz[k].value });
        let columns = self.columns(&pose.rpy);
        Some(match geometry {
            Geometry::Sphere { radius } => {
                ("sphere", map(span, [("center", vector(center, span)), ("radius", radius.node())]))
            }
            Geometry::Cylinder { radius, length } => {
                let end = |half: f64| vector(std::array::from_fn(|k| center[k] + half * columns[2][k]), span);
                let half = 0.5 * length.value;
                let fields = [("from", end(-half)), ("to", end(half)), ("radius", radius.node())];
                ("cylinder", map(span, fields))
            }
            Geometry::Box(size) => {
                // Behind right angles the edges only change their order.
                let mut edges = [0.0; 3];
                for (column, edge) in columns.iter().zip(size) {
                    let along = (0..3).find(|&k| column[k].abs() > 1.0 - DUST)?;
                    edges[along] = edge.value;
                }
                ("box", map(span, [("center", vector(center, span)), ("size", vector(edges, span))]))
            }
        })
    }

    /// The columns of Rz(yaw) Ry(pitch) Rx(roll); right angles are exact unless dust is kept.
    fn columns(&self, rpy: &[Num; 3]) -> [[f64; 3]; 3] {
        let sin_cos = |angle: f64| match self.right_angle(angle) {
            Some(quarters) => {
                [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][quarters.rem_euclid(4) as usize]
            }
            None => mbs_math::sin_cos(angle),
        };
        let [(sr, cr), (sp, cp), (sy, cy)] = [0, 1, 2].map(|k| sin_cos(rpy[k].value));
        [
            [cy * cp, sy * cp, -sp],
            [cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr],
            [cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr],
        ]
    }

    fn joint(&mut self, joint: &Joint, name: &str) -> Option<Node> {
        let (parent, child) =
            (self.bodies.get(&joint.parent.text)?.clone(), self.bodies.get(&joint.child.text)?.clone());
        let moved = joint.pose.xyz.iter().any(|x| x.value != 0.0 && !self.is_dust(x.value))
            || !self.rotation(&joint.pose.rpy).is_empty();
        let from = if moved { format!("{parent}.{name}") } else { parent };
        let mut fields = vec![
            ("type", text("fixed", joint.name.span)),
            ("from", text(&from, joint.parent.span)),
            ("to", text(&child, joint.child.span)),
        ];
        let straight = matches!(joint.kind, Kind::Revolute | Kind::Continuous | Kind::Prismatic);
        let kind = match joint.kind {
            Kind::Fixed => "fixed",
            Kind::Floating => "free",
            Kind::Prismatic => "prismatic",
            Kind::Revolute | Kind::Continuous => "revolute",
            Kind::Planar => "planar",
        };
        fields[0].1 = text(kind, joint.name.span);
        if straight {
            fields.push(("axis", self.axis(&joint.axis)));
        }
        if joint.kind == Kind::Planar {
            let axis = self.axis(&joint.axis);
            let Value::Text { .. } = axis.value else {
                self.problems
                    .error(joint.axis[0].span.to(joint.axis[2].span), Problem::NormalNotPrincipal {});
                return None;
            };
            fields.push(("normal", axis));
        }
        if let (Some(limit), true) = (&joint.limit, straight && joint.kind != Kind::Continuous) {
            let given = [
                ("lower", &limit.lower),
                ("upper", &limit.upper),
                ("velocity", &limit.velocity),
                ("effort", &limit.effort),
            ];
            // URDF writes 0 for limits that are not known.
            let unknown =
                |key: &str, number: &Num| number.value == 0.0 && matches!(key, "velocity" | "effort");
            let entries: Vec<(&'static str, Node)> = given
                .into_iter()
                .filter_map(|(key, number)| number.as_ref().map(|number| (key, number)))
                .filter(|(key, number)| !unknown(key, number))
                .map(|(key, number)| (key, number.node()))
                .collect();
            if !entries.is_empty() {
                fields.push(("limits", map(limit.span, entries)));
            }
        }
        if straight {
            self.friction(joint, name);
            match &joint.mimic {
                Some(mimic) => fields.extend(self.mimic(joint, mimic).map(|node| ("mimic", node))),
                None => self.drive(joint, name),
            }
        }
        Some(map(joint.name.span, fields))
    }

    /// A letter, or three components of length one.
    fn axis(&self, axis: &[Num; 3]) -> Node {
        let span = axis[0].span.to(axis[2].span);
        let values = [0, 1, 2].map(|k| axis[k].value);
        let length = mbs_math::sqrt(values.iter().map(|x| x * x).sum());
        let dust = if self.options.keep_dust { 0.0 } else { DUST * length };
        for (k, letter) in ["x", "y", "z"].into_iter().enumerate() {
            let others = values[(k + 1) % 3].abs().max(values[(k + 2) % 3].abs());
            if length > 0.0 && others <= dust {
                let sign = if values[k] < 0.0 { "-" } else { "" };
                return text(&format!("{sign}{letter}"), span);
            }
        }
        if length > 0.0 && (length - 1.0).abs() > 4.0 * f64::EPSILON {
            return vector(values.map(|x| x / length), span);
        }
        Node { span, value: Value::Seq(axis.iter().map(Num::node).collect()) }
    }

    fn friction(&mut self, joint: &Joint, name: &str) {
        let angular = joint.kind != Kind::Prismatic;
        let positive = |number: &Option<Num>| number.clone().filter(|number| number.value != 0.0);
        let (damping, friction) = (positive(&joint.damping), positive(&joint.friction));
        let Some(span) = damping.as_ref().or(friction.as_ref()).map(|number| number.span) else { return };
        let mut fields = vec![("type", text("joint_friction", span)), ("joint", text(name, span))];
        if let Some(friction) = &friction {
            let unit = if angular { "N*m" } else { "N" };
            fields.push(("coulomb", self.parameter(&format!("mu_{name}"), friction, unit)));
        }
        if let Some(damping) = &damping {
            let unit = if angular { "N*m*s/rad" } else { "N*s/m" };
            fields.push(("viscous", self.parameter(&format!("d_{name}"), damping, unit)));
        }
        self.forces.push((key(&format!("friction_{name}"), span), map(span, fields)));
    }

    /// What the coordinate of a joint follows.
    fn mimic(&mut self, joint: &Joint, mimic: &Mimic) -> Option<Node> {
        if mimic.joint.text == joint.name.text {
            let found = mimic.joint.text.chars().take(40).collect();
            let expected = "another joint than the one that mimics it";
            self.problems.error(mimic.joint.span, Problem::UrdfValue { name: "joint", expected, found });
            return None;
        }
        let Some(other) = self.joints.get(&mimic.joint.text).cloned() else {
            let known: Vec<String> = self.joints.keys().cloned().collect();
            self.unknown("joint", &mimic.joint, known.iter().map(String::as_str));
            return None;
        };
        let mut fields = vec![("joint", text(&other, mimic.joint.span)), ("ratio", mimic.multiplier.node())];
        if mimic.offset.value != 0.0 {
            fields.push(("offset", mimic.offset.node()));
        }
        Some(map(mimic.span, fields))
    }

    /// An input for the torque or force of a joint.
    fn drive(&mut self, joint: &Joint, name: &str) {
        let span = joint.name.span;
        let (kind, quantity, stem, unit) = match joint.kind {
            Kind::Prismatic => ("joint_force", "force", "f", "N"),
            _ => ("joint_torque", "torque", "tau", "N*m"),
        };
        let input = self.taken.take(&format!("{stem}_{name}"));
        let entry = map(span, [("value", text("0", span)), ("unit", text(unit, span))]);
        self.inputs.push((key(&input, span), entry));
        let fields =
            [("type", text(kind, span)), ("joint", text(name, span)), (quantity, text(&input, span))];
        self.forces.push((key(&format!("drive_{name}"), span), map(span, fields)));
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
