//! Force elements.

use super::Resolver;
use super::assemblies::negative;
use super::fields::Fields;
use crate::diag::{Problem, Span};
use crate::ids::{CoordinateId, ForceId, Id, IdVec, VelocityId};
use crate::model::evaluate::constant;
use crate::model::language::FORCES;
use crate::model::{Force, ForceKind};

impl<'a> Resolver<'a> {
    pub(super) fn resolve_forces(&mut self, top: &Fields<'a>) -> IdVec<ForceId, Force> {
        let mut forces = IdVec::new();
        for (key, node) in self.own_entries(top, "forces") {
            let Some((kind, fields)) = self.element(&FORCES, key, node) else { continue };
            if let Some(kind) = self.force(kind, &key.text, &fields) {
                forces.push(Force { name: self.entry_name(key), kind });
            }
        }
        forces
    }

    fn force(&mut self, kind: &str, name: &str, fields: &Fields<'a>) -> Option<ForceKind> {
        Some(match kind {
            "spring_damper" => self.spring_damper(name, fields),
            "joint_force" | "joint_torque" => {
                let key = if kind == "joint_force" { "force" } else { "torque" };
                let value = self.field(fields, key, 0.0);
                let velocity = self.acted_velocity(fields)?;
                self.check_along(fields, self.moved_quantity(velocity), &[(key, &value)]);
                let turned = self.velocity_negates(velocity, fields.owner);
                ForceKind::JointForce { velocity, value: if turned { negative(value) } else { value } }
            }
            "joint_spring" => {
                let [stiffness, damping, rest, preload] =
                    ["stiffness", "damping", "rest", "preload"].map(|key| self.field(fields, key, 0.0));
                let coordinate = self.acted_coordinate(fields)?;
                let laws = [
                    ("stiffness", &stiffness),
                    ("damping", &damping),
                    ("rest", &rest),
                    ("preload", &preload),
                ];
                self.check_along(fields, self.coordinate_quantity(coordinate), &laws);
                let [rest, preload] = if self.coordinate_negates(coordinate, fields.owner) {
                    [negative(rest), negative(preload)]
                } else {
                    [rest, preload]
                };
                ForceKind::JointSpring { coordinate, stiffness, damping, rest, preload }
            }
            "joint_friction" => {
                let coulomb = self.field(fields, "coulomb", 0.0);
                let regularisation = self.field(fields, "regularisation", 1e-3);
                let viscous = self.field(fields, "viscous", 0.0);
                let coordinate = self.acted_coordinate(fields)?;
                let laws =
                    [("coulomb", &coulomb), ("regularisation", &regularisation), ("viscous", &viscous)];
                self.check_along(fields, self.coordinate_quantity(coordinate), &laws);
                ForceKind::JointFriction { coordinate, coulomb, regularisation, viscous }
            }
            "force" => ForceKind::Force {
                on: self.frame_or_ground(fields, "on"),
                axes: self.frame_or_ground(fields, "in"),
                force: self.vector(fields, "force", [0.0; 3]),
                reaction: self.frame(fields, "reaction"),
            },
            "torque" => ForceKind::Torque {
                on: self.frame_or_ground(fields, "on"),
                axes: self.frame_or_ground(fields, "in"),
                torque: self.vector(fields, "torque", [0.0; 3]),
                reaction: self.frame(fields, "reaction"),
            },
            "bushing" => {
                let [from, to] = self.two_frames(fields, name, ["from", "to"]);
                let keys = ["stiffness", "damping", "rotational_stiffness", "rotational_damping"];
                let [stiffness, damping, rotational_stiffness, rotational_damping] =
                    keys.map(|key| self.vector(fields, key, [0.0; 3]));
                ForceKind::Bushing { from, to, stiffness, damping, rotational_stiffness, rotational_damping }
            }
            "contact" | "point_contact_tyre" => {
                let on = self.frame_or_ground(fields, "on");
                let [radius, road, stiffness, damping] =
                    ["radius", "road", "stiffness", "damping"].map(|key| self.field(fields, key, 0.0));
                if kind == "contact" {
                    ForceKind::Contact { on, radius, road, stiffness, damping }
                } else {
                    ForceKind::PointContactTyre { on, radius, road, stiffness, damping }
                }
            }
            _ => return None,
        })
    }

    fn spring_damper(&mut self, name: &str, fields: &Fields<'a>) -> ForceKind {
        let [from, to] = self.two_frames(fields, name, ["from", "to"]);
        let Some((force_key, _)) = fields.entry("force") else {
            let [stiffness, damping, length, preload] =
                ["stiffness", "damping", "length", "preload"].map(|key| self.field(fields, key, 0.0));
            let stiff = fields.entry("stiffness").filter(|_| constant(&stiffness) != Some(0.0));
            if let (Some((key, _)), false) = (stiff, fields.lacks("length") || fields.get("length").is_some())
            {
                self.error(key.span, Problem::SpringWithoutLength { spring: name.to_owned() });
            }
            return ForceKind::SpringDamper { from, to, stiffness, damping, length, preload };
        };
        for key in ["stiffness", "damping", "length", "preload"] {
            if let Some((given, _)) = fields.entry(key) {
                let place = fields.place.clone();
                let problem = Problem::KeysExclude { first: "force", second: key, place };
                let report = crate::diag::Diagnostic::error(given.span, problem);
                self.problems.push(report.with(force_key.span, "the law is given here"));
            }
        }
        ForceKind::PointForce { from, to, force: self.field(fields, "force", 0.0) }
    }

    /// The joint or coordinate a joint force acts on or a joint follows, as (names, place).
    fn acted(&mut self, fields: &Fields<'a>) -> Option<(Vec<String>, Span, bool)> {
        match (fields.get("joint"), fields.get("coordinate")) {
            (Some(node), None) => {
                let joint = self.find_joint(node.text()?.trim(), node.span)?;
                let velocities = self.joint_velocities.get(joint.index())?;
                let names = velocities
                    .iter()
                    .map(|id| self.written_at(&self.velocities[*id].name.text, node.span).to_owned());
                Some((names.collect(), node.span, true))
            }
            (None, Some(node)) => Some((vec![node.text()?.trim().to_owned()], node.span, false)),
            (Some(_), Some(second)) => {
                let place = fields.place.clone();
                self.error(second.span, Problem::KeysExclude { first: "joint", second: "coordinate", place });
                None
            }
            (None, None) => {
                let place = fields.place.clone();
                self.error(fields.owner, Problem::NeedsOneOf { keys: "a `joint` or a `coordinate`", place });
                None
            }
        }
    }

    fn acted_name(&mut self, fields: &Fields<'a>) -> Option<(String, Span)> {
        let (names, span, by_joint) = self.acted(fields)?;
        match names.as_slice() {
            [name] => Some((name.clone(), span)),
            _ => {
                let joint = fields.get("joint").and_then(|node| node.text()).unwrap_or("");
                let listed: Vec<String> = names.iter().map(|name| format!("`coordinate: {name}`")).collect();
                let problem = Problem::JointCoordinates { joint: joint.to_owned(), names: listed.join(", ") };
                debug_assert!(by_joint, "a coordinate is one name");
                self.error(span, problem);
                None
            }
        }
    }

    fn acted_velocity(&mut self, fields: &Fields<'a>) -> Option<VelocityId> {
        let (name, span) = self.acted_name(fields)?;
        self.find_velocity(&name, span)
    }

    /// A coordinate with a rate: not a component of a quaternion.
    pub(super) fn acted_coordinate(&mut self, fields: &Fields<'a>) -> Option<CoordinateId> {
        let (name, span) = self.acted_name(fields)?;
        let coordinate = self.find_coordinate(&name, span)?;
        if self.coordinates[coordinate].rate.is_none() {
            let problem = Problem::WrongKindOfName {
                name,
                expected: "a distance or an angle",
                found: "a component of a quaternion",
            };
            self.error(span, problem);
            return None;
        }
        Some(coordinate)
    }
}
