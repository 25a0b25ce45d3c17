//! Joints, with their limits, friction, drives, and what follows another joint.

use super::{Converter, key, map, text, vector};
use crate::diag::{Diagnostic, Problem, Severity};
use crate::model::suggest::nearest;
use crate::model::tree::{Node, Value};
use crate::model::urdf::NEAR_EXACT_TOLERANCE;
use crate::model::urdf::robot::{Joint, Kind, Num};

impl Converter {
    pub(super) fn joint(&mut self, joint: &Joint, name: &str) -> Option<Node> {
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
        let straight = joint.kind.is_straight();
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
            match self.mimic(joint) {
                Some(mimic) => fields.push(("mimic", mimic)),
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
        let dust = if self.options.keep_dust { 0.0 } else { NEAR_EXACT_TOLERANCE * length };
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

    /// What the coordinate of a joint follows; `None` if nothing that is there.
    fn mimic(&mut self, joint: &Joint) -> Option<Node> {
        let mimic = joint.mimic.as_ref()?;
        let followed = |other: &String| *other != joint.name.text && self.straight.contains(other);
        let other = self.joints.get(&mimic.joint.text).filter(|_| followed(&mimic.joint.text));
        let Some(other) = other.cloned() else {
            let known = self.straight.iter().filter(|known| followed(known));
            // As in `unknown`.
            let near = if self.problems.len() < 100 {
                nearest(&mimic.joint.text, known.map(String::as_str))
            } else {
                None
            };
            let problem = Problem::UrdfMimic { joint: mimic.joint.text.clone(), nearest: near };
            let severity = if self.options.lenient { Severity::Warning } else { Severity::Error };
            self.problems.push(Diagnostic { severity, ..Diagnostic::error(mimic.joint.span, problem) });
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
