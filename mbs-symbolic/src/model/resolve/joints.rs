//! Joints, and the coordinates and velocities they declare.

use super::Resolver;
use super::dimensions::Quantity;
use super::fields::Fields;
use super::names::Entity;
use crate::diag::{Problem, Span};
use crate::ids::{BodyId, CoordinateId, FrameId, Id, IdVec, JointId, VelocityId};
use crate::model::expand::Character;
use crate::model::language::{JOINTS, LIMITS, Reflection, STEP};
use crate::model::place::FormulaContext;
use crate::model::tree::{Key, Node};
use crate::model::{
    Axis, CompoundStep, Coordinate, Cut, Dimension, Formula, Joint, JointKind, Limits, Motion, Name,
    Orientation, Velocity, limits,
};

/// A joint whose coordinates are declared.
pub(super) struct PendingJoint<'a> {
    key: &'a Key,
    kind: &'static str,
    fields: Fields<'a>,
    sequence: Option<[u8; 3]>,
    coordinates: Vec<CoordinateId>,
    velocities: Vec<VelocityId>,
    named: bool,
}

/// A coordinate a joint type has.
struct Plan {
    suffix: &'static str,
    unit: &'static str,
    /// Part of a quaternion, so without a rate of its own.
    quaternion: bool,
    /// What it measures is up to the user's expressions.
    free: bool,
    /// How it changes in a reflection, besides the joint's axes.
    character: Character,
}

const fn angle(suffix: &'static str) -> Plan {
    Plan { suffix, unit: "rad", quaternion: false, free: false, character: Character::Scalar }
}

const fn distance(suffix: &'static str) -> Plan {
    Plan { suffix, unit: "m", quaternion: false, free: false, character: Character::Scalar }
}

const fn quaternion(suffix: &'static str) -> Plan {
    Plan { suffix, unit: "1", quaternion: true, free: false, character: Character::Scalar }
}

impl Plan {
    const fn with(self, character: Character) -> Self {
        Self { character, ..self }
    }
}

impl<'a> Resolver<'a> {
    /// Declares all joints with their coordinates and velocities.
    pub(super) fn declare_joints(&mut self, top: &Fields<'a>) -> Vec<PendingJoint<'a>> {
        let mut pending = Vec::new();
        for (key, node) in self.own_entries(top, "joints") {
            let id = JointId::new(pending.len());
            self.joints.insert(key.text.clone(), id);
            self.used_joints.push(false);
            let Some((kind, fields)) = self.element(&JOINTS, key, node) else {
                // Kept as a fixed joint, so that other places may name it.
                self.break_joint(
                    id,
                    ["from", "to"].map(|end| {
                        let entry = node.entries().iter().find(|(key, _)| key.text == end);
                        entry.and_then(|(_, name)| self.probable_body(name))
                    }),
                );
                self.joint_velocities.push(Vec::new());
                let fields = self.fields(&EMPTY, key.span, &NOTHING);
                pending.push(PendingJoint {
                    key,
                    kind: "fixed",
                    fields,
                    sequence: None,
                    coordinates: Vec::new(),
                    velocities: Vec::new(),
                    named: false,
                });
                continue;
            };
            let joint = self.declare_joint(id, key, kind, fields);
            self.joint_velocities.push(joint.velocities.clone());
            pending.push(joint);
        }
        pending
    }

    fn declare_joint(
        &mut self,
        id: JointId,
        key: &'a Key,
        kind: &'static str,
        fields: Fields<'a>,
    ) -> PendingJoint<'a> {
        let sequence = self.sequence(&fields);
        let plan = self.plan(kind, &fields, sequence);
        let given = self.coordinate_names(&fields);
        let named = !given.is_empty();
        let without_quaternion = plan.iter().filter(|plan| !plan.quaternion).count();
        let fits = given.is_empty()
            || given.len() == plan.len()
            || (kind == "free" && given.len() == without_quaternion);
        if !fits {
            let expected = match plan.len() {
                1 => "one coordinate name".to_owned(),
                7 => "3 or 7 coordinate names".to_owned(),
                count => format!("{count} coordinate names"),
            };
            let span = fields.entry("coordinates").map_or(key.span, |(key, _)| key.span);
            let what = fields.place.clone();
            self.error(span, Problem::WrongCount { what, expected, found: given.len() });
        }
        let (mut coordinates, mut velocities) = (Vec::new(), Vec::new());
        for (index, plan) in plan.iter().enumerate() {
            let name = match given.get(index).filter(|_| fits) {
                Some((text, span)) => {
                    self.check_name(text, *span);
                    Name { text: self.qualified(text, *span), span: *span }
                }
                None if plan.suffix.is_empty() => self.entry_name(key),
                None => Name { text: format!("{}.{}", key.text, plan.suffix), span: key.span },
            };
            let coordinate = CoordinateId::new(self.coordinates.len());
            self.declare(&name.text, name.span, Entity::Coordinate(coordinate));
            let rate = (!plan.quaternion).then(|| {
                let unit = if plan.unit == "m" { "m/s" } else { "rad/s" };
                let velocity = Velocity { name: name.clone(), joint: id, coordinate: Some(coordinate), unit };
                self.velocities.push(velocity)
            });
            velocities.extend(rate);
            coordinates.push(coordinate);
            let dimension = if plan.unit == "m" { Dimension::LENGTH } else { Dimension::ONE };
            let quantity = if plan.free { Quantity::default() } else { Quantity::fixed(dimension) };
            self.coordinate_quantities.push(quantity);
            self.coordinate_characters.push(plan.character);
            self.coordinates.push(Coordinate { name, joint: id, rate, unit: plan.unit, mimic: None });
        }
        if plan.iter().any(|plan| plan.quaternion) {
            for suffix in ["wx", "wy", "wz"] {
                let name = Name { text: format!("{}.{suffix}", key.text), span: key.span };
                let velocity = VelocityId::new(self.velocities.len());
                self.declare(&name.text, name.span, Entity::Velocity(velocity));
                self.velocities.push(Velocity { name, joint: id, coordinate: None, unit: "rad/s" });
                velocities.push(velocity);
            }
        }
        PendingJoint { key, kind, fields, sequence, coordinates, velocities, named }
    }

    /// The coordinates of a joint type.
    fn plan(&mut self, kind: &str, fields: &Fields<'a>, sequence: Option<[u8; 3]>) -> Vec<Plan> {
        let mut orientation = match sequence {
            Some([a, b, c]) => vec![
                angle("angle1").with(Character::Axial(a)),
                angle("angle2").with(Character::Axial(b)),
                angle("angle3").with(Character::Axial(c)),
            ],
            None => vec![
                quaternion("qw"),
                quaternion("qx").with(Character::Axial(0)),
                quaternion("qy").with(Character::Axial(1)),
                quaternion("qz").with(Character::Axial(2)),
            ],
        };
        match kind {
            "revolute" | "screw" => vec![angle("")],
            "prismatic" => vec![distance("")],
            // What a curve's coordinate measures is up to its expressions.
            "curve" => vec![Plan { free: true, ..distance("") }],
            // One axis for both: that of the translation is reflected.
            "cylindrical" => vec![distance("distance"), angle("angle").with(Character::Pseudo)],
            "universal" => vec![angle("angle1"), angle("angle2")],
            "spherical" => orientation,
            "free" => {
                let mut all = vec![
                    distance("x").with(Character::Polar(0)),
                    distance("y").with(Character::Polar(1)),
                    distance("z").with(Character::Polar(2)),
                ];
                all.append(&mut orientation);
                all
            }
            "planar" => {
                let letters = ["x", "y", "z"];
                let normal = self.normal_index(fields).unwrap_or(2);
                let along = |index: u8| {
                    let index = (normal + index) % 3;
                    distance(letters[usize::from(index)]).with(Character::Polar(index))
                };
                vec![along(1), along(2), angle("angle").with(Character::Axial(normal))]
            }
            "compound" => {
                let names = fields.items("coordinates");
                for (what, count) in [("coordinates", names.len()), ("steps", fields.items("steps").len())] {
                    if count > limits::COMPOUND {
                        let what = format!("{what} of a compound joint");
                        self.error(fields.owner, Problem::TooLarge { what, limit: limits::COMPOUND });
                        return Vec::new();
                    }
                }
                names.iter().map(|name| self.compound_plan(fields, name.text().unwrap_or(""))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A compound coordinate is an angle if the first step that is just this
    /// coordinate is a rotation.
    fn compound_plan(&self, fields: &Fields<'a>, name: &str) -> Plan {
        let rotates = fields.items("steps").iter().find_map(|step| {
            let by = step.entries().iter().find(|(key, _)| key.text == "by")?;
            (by.1.text()? == name).then(|| step.entries().iter().any(|(key, _)| key.text == "rotate"))
        });
        let plan = if rotates.unwrap_or(true) { angle("") } else { distance("") };
        Plan { free: rotates.is_none(), ..plan }
    }

    fn normal_index(&self, fields: &Fields<'a>) -> Option<u8> {
        let text = fields.get("normal")?.text()?;
        match text.trim_start_matches(['-', '+']).trim() {
            "x" => Some(0),
            "y" => Some(1),
            "z" => Some(2),
            _ => None,
        }
    }

    fn coordinate_names(&mut self, fields: &Fields<'a>) -> Vec<(String, Span)> {
        if let Some(node) = fields.get("coordinate") {
            return node.text().map(|text| (text.to_owned(), node.span)).into_iter().collect();
        }
        self.name_list(fields, "coordinates")
    }

    fn sequence(&mut self, fields: &Fields<'a>) -> Option<[u8; 3]> {
        let node = fields.get("sequence")?;
        let text = node.text()?;
        let letter = |byte: u8| matches!(byte, b'x'..=b'z').then(|| byte - b'x');
        let sequence = match text.as_bytes() {
            [a, b, c] if a != b && b != c => match (letter(*a), letter(*b), letter(*c)) {
                (Some(a), Some(b), Some(c)) => Some([a, b, c]),
                _ => None,
            },
            _ => None,
        };
        if sequence.is_none() {
            self.error(node.span, Problem::NotASequence { found: text.to_owned() });
        }
        // With an order that is not one, three angles still draw no further complaints.
        Some(sequence.unwrap_or([0, 1, 2]))
    }

    pub(super) fn resolve_joints(&mut self, pending: &[PendingJoint<'a>]) -> IdVec<JointId, Joint> {
        let mut joints = IdVec::new();
        for (index, joint) in pending.iter().enumerate() {
            self.current_joint = Some((JointId::new(index), joint.key.text.clone()));
            let resolved = self.joint(joint);
            self.mimic(&joint.fields, &joint.coordinates);
            self.current_joint = None;
            joints.push(resolved);
        }
        self.break_circles_of_mimics();
        joints
    }

    fn joint(&mut self, pending: &PendingJoint<'a>) -> Joint {
        let fields = &pending.fields;
        let (from, to) = (self.frame(fields, "from"), self.frame(fields, "to"));
        self.check_two_bodies(fields, &pending.key.text, ["from", "to"], [from, to]);
        let ends = [("from", from), ("to", to)].map(|(key, frame)| match frame {
            Some(frame) => Some(self.frames[frame].body),
            None => fields.get(key).and_then(|name| self.probable_body(name)),
        });
        if (from.is_none() || to.is_none() || ends[0] == ends[1])
            && let Some((id, _)) = self.current_joint
            && !self.broken_joints.iter().any(|(broken, _)| *broken == id)
        {
            self.break_joint(id, ends);
        }
        let cut = match self.flag(fields, "cut") {
            None => Cut::Auto,
            Some(true) => Cut::Always,
            Some(false) => Cut::Never,
        };
        Joint {
            name: self.entry_name(pending.key),
            from: from.unwrap_or(FrameId::new(0)),
            to: to.unwrap_or(FrameId::new(0)),
            kind: self.joint_kind(pending),
            cut,
            coordinates: pending.coordinates.clone(),
            velocities: pending.velocities.clone(),
            // A coordinate that follows another needs its joint where it is.
            coordinates_used: pending.named || fields.get("mimic").is_some(),
            limits: self.limits(fields),
        }
    }

    /// Notes that a joint is wrong and which bodies it was meant to connect.
    fn break_joint(&mut self, joint: JointId, ends: [Option<BodyId>; 2]) {
        // A joint within one body may have been meant for any other.
        self.torn |= ends.contains(&None) || ends[0] == ends[1];
        self.broken_joints.push((joint, ends.into_iter().flatten().collect()));
    }

    /// The body a joint's end was probably meant to be on.
    fn probable_body(&self, name: &Node) -> Option<BodyId> {
        let text = name.text()?.trim();
        let body = text.split_once('.').map_or(text, |(body, _)| body);
        let known = || self.bodies.keys().map(String::as_str);
        self.bodies.get(body).or_else(|| self.bodies.get(&self.nearest(body, known())?)).copied()
    }

    fn limits(&mut self, fields: &Fields<'a>) -> Limits {
        let Some((key, node)) = fields.entry("limits") else { return Limits::default() };
        let limits = self.fields(&LIMITS, key.span, node);
        let [lower, upper, velocity, effort] = ["lower", "upper", "velocity", "effort"]
            .map(|key| limits.get(key).map(|node| self.formula(node, FormulaContext::Parameters)));
        Limits { lower, upper, velocity, effort }
    }

    fn joint_kind(&mut self, pending: &PendingJoint<'a>) -> JointKind {
        let fields = &pending.fields;
        match (pending.kind, pending.coordinates.as_slice()) {
            ("revolute", &[angle]) => {
                JointKind::Revolute { axis: self.axis_field(fields, "axis", 2, Reflection::Axial), angle }
            }
            ("prismatic", &[distance]) => {
                JointKind::Prismatic { axis: self.axis_field(fields, "axis", 2, Reflection::Polar), distance }
            }
            ("screw", &[angle]) => {
                let pitch = self.field(fields, "pitch", 0.0);
                JointKind::Screw {
                    axis: self.axis_field(fields, "axis", 2, Reflection::Axial),
                    // A right-handed thread becomes a left-handed one.
                    pitch: self.reflected(pitch, pending.key.span, Character::Pseudo),
                    angle,
                }
            }
            ("cylindrical", &[distance, angle]) => {
                let axis = self.axis_field(fields, "axis", 2, Reflection::Polar);
                JointKind::Cylindrical { axis, distance, angle }
            }
            ("universal", &[first, second]) => {
                JointKind::Universal { axes: self.universal_axes(fields), angles: [first, second] }
            }
            ("spherical", orientation) => match self.orientation(pending, orientation, &pending.velocities) {
                Some(orientation) => JointKind::Spherical { orientation },
                None => JointKind::Fixed,
            },
            ("free", &[x, y, z, ref orientation @ ..]) => {
                let velocities = pending.velocities.get(3..).unwrap_or(&[]);
                match self.orientation(pending, orientation, velocities) {
                    Some(orientation) => JointKind::Free { translation: [x, y, z], orientation },
                    None => JointKind::Fixed,
                }
            }
            ("planar", &[first, second, angle]) => {
                let normal = self.axis_field(fields, "normal", 2, Reflection::None);
                if let (Axis::Vector(_), Some(node)) = (&normal, fields.get("normal")) {
                    self.error(self.span_of(node, node.span), Problem::NormalNotPrincipal {});
                }
                JointKind::Planar { normal, translation: [first, second], angle }
            }
            ("curve", &[coordinate]) => JointKind::Curve {
                coordinate,
                position: self.vector(fields, "position", [0.0; 3]),
                rotation: self.rotations(fields, "rotation"),
            },
            ("compound", _) => JointKind::Compound { steps: self.steps(fields) },
            _ => JointKind::Fixed,
        }
    }

    fn universal_axes(&mut self, fields: &Fields<'a>) -> [Axis; 2] {
        let items = fields.items("axes");
        if let [first, second] = items {
            return [first, second].map(|axis| self.axis(axis, Reflection::Axial));
        }
        if let Some((key, _)) = fields.entry("axes") {
            let problem = Problem::WrongCount {
                what: "`axes`".to_owned(),
                expected: "two axes".to_owned(),
                found: items.len(),
            };
            self.error(key.span, problem);
        }
        [0, 1].map(|index| Axis::Principal { index, negative: false })
    }

    fn orientation(
        &mut self,
        pending: &PendingJoint<'a>,
        coordinates: &[CoordinateId],
        velocities: &[VelocityId],
    ) -> Option<Orientation> {
        let fields = &pending.fields;
        let relative_to = self.frame(fields, "relative_to");
        if let (Some(frame), Some((key, node))) = (relative_to, fields.entry("relative_to")) {
            if self.frames[frame].body.index() != 0 {
                let frame = node.text().unwrap_or("").to_owned();
                self.error(node.span, Problem::NotAGroundFrame { frame });
            }
            if pending.sequence.is_none() {
                self.error(key.span, Problem::NeedsSequence { key: "relative_to" });
            }
        }
        match (pending.sequence, coordinates, velocities) {
            (Some(sequence), &[a, b, c], _) => {
                Some(Orientation::Angles { sequence, coordinates: [a, b, c], relative_to })
            }
            (None, &[w, x, y, z], &[wx, wy, wz]) => {
                Some(Orientation::Quaternion { coordinates: [w, x, y, z], velocities: [wx, wy, wz] })
            }
            _ => None,
        }
    }

    fn steps(&mut self, fields: &Fields<'a>) -> Vec<CompoundStep> {
        let owner = fields.entry("steps").map_or(fields.owner, |(key, _)| key.span);
        let mut steps = Vec::new();
        for item in fields.items("steps") {
            let step = self.fields(&STEP, self.span_of(item, owner), item);
            let (motion, axis) = match (step.get("rotate"), step.get("translate")) {
                (Some(axis), None) => (Motion::Rotation, self.axis(axis, Reflection::Axial)),
                (None, Some(axis)) => (Motion::Translation, self.axis(axis, Reflection::Polar)),
                _ => {
                    let keys = "either `rotate` or `translate`";
                    self.error(step.owner, Problem::NeedsOneOf { keys, place: "a step".to_owned() });
                    continue;
                }
            };
            let argument: Formula = self.field(&step, "by", 0.0);
            let unit = if motion == Motion::Rotation { "rad" } else { "m" };
            self.expect(&argument, FormulaContext::JointArgument, unit, "`by`");
            steps.push(CompoundStep { motion, axis, argument });
        }
        steps
    }
}

/// Stands in for the keys of a joint that could not be read.
const EMPTY: crate::model::language::Section =
    crate::model::language::Section { name: "a joint", fields: &[] };
static NOTHING: crate::model::tree::Node = crate::model::tree::Node {
    span: Span { file: crate::diag::FileId(0), start: 0, end: 0, instance: 0 },
    value: crate::model::tree::Value::Null,
};
