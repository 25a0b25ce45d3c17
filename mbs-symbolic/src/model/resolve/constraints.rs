//! Constraint elements.

use super::Resolver;
use super::assemblies::negative;
use super::fields::Fields;
use crate::diag::Problem;
use crate::ids::{ConstraintId, IdVec};
use crate::model::language::{CONSTRAINTS, Reflection};
use crate::model::place::FormulaContext;
use crate::model::tree::Node;
use crate::model::{Constraint, ConstraintKind, Formula};

impl<'a> Resolver<'a> {
    pub(super) fn resolve_constraints(&mut self, top: &Fields<'a>) -> IdVec<ConstraintId, Constraint> {
        let mut constraints = IdVec::new();
        for (key, node) in self.own_entries(top, "constraints") {
            let Some((kind, fields)) = self.element(&CONSTRAINTS, key, node) else { continue };
            if let Some(kind) = self.constraint(kind, &key.text, &fields) {
                constraints.push(Constraint { name: self.entry_name(key), kind });
            }
        }
        constraints
    }

    fn constraint(&mut self, kind: &str, name: &str, fields: &Fields<'a>) -> Option<ConstraintKind> {
        Some(match kind {
            "distance" => {
                let [from, to] = self.two_frames(fields, name, ["from", "to"]);
                ConstraintKind::Distance { from, to, length: self.field(fields, "length", 1.0) }
            }
            "point_on_line" => {
                let [point, line] = self.two_frames(fields, name, ["point", "line"]);
                ConstraintKind::PointOnLine {
                    point,
                    line,
                    axis: self.axis_field(fields, "axis", 2, Reflection::Polar),
                }
            }
            "point_on_plane" => {
                let [point, plane] = self.two_frames(fields, name, ["point", "plane"]);
                ConstraintKind::PointOnPlane {
                    point,
                    plane,
                    normal: self.axis_field(fields, "normal", 2, Reflection::Polar),
                }
            }
            "coupling" => self.coupling(fields),
            "motion" => {
                let value = self.field(fields, "value", 0.0);
                let node = fields.get("coordinate")?;
                let name = node.text()?.trim();
                let coordinate = self.find_coordinate(name, node.span)?;
                if self.coordinate_quantity(coordinate).dimension.is_some() {
                    let (unit, what) = (self.coordinates[coordinate].unit, format!("`{name}`"));
                    self.expect(&value, FormulaContext::Motion, unit, &what);
                }
                let value =
                    if self.coordinate_negates(coordinate, node.span) { negative(value) } else { value };
                ConstraintKind::Motion { coordinate, value }
            }
            "rolling" => {
                let [wheel, plane] = self.two_frames(fields, name, ["wheel", "on"]);
                let axis = self.axis_field(fields, "axis", 1, Reflection::Polar);
                ConstraintKind::Rolling { wheel, axis, radius: self.field(fields, "radius", 1.0), plane }
            }
            "knife_edge" => ConstraintKind::KnifeEdge {
                frame: self.frame_or_ground(fields, "frame"),
                axis: self.axis_field(fields, "axis", 1, Reflection::Polar),
            },
            "equation" => {
                let velocity = self.choice(fields, "level") == "velocity";
                let place =
                    if velocity { FormulaContext::VelocityConstraint } else { FormulaContext::Constraint };
                let value = self.formula(fields.get("value")?, place);
                self.quantity(&value, place);
                if velocity {
                    ConstraintKind::VelocityEquation { value }
                } else {
                    ConstraintKind::Equation { value }
                }
            }
            _ => return None,
        })
    }

    fn coupling(&mut self, fields: &Fields<'a>) -> ConstraintKind {
        let mut terms = Vec::new();
        for (key, node) in fields.entries("coordinates") {
            let coordinate = self.find_coordinate(&key.text, key.span);
            let factor = self.scalar_formula(&key.text, key.span, node, FormulaContext::Parameters);
            terms.extend(coordinate.zip(factor).map(|(coordinate, factor)| {
                let turned = self.coordinate_negates(coordinate, key.span);
                (coordinate, if turned { negative(factor) } else { factor })
            }));
        }
        if let Some((key, node)) = fields.entry("coordinates").filter(|(_, node)| node.entries().is_empty()) {
            self.wrong_shape("coordinates", "a map from coordinates to factors".to_owned(), key.span, node);
        }
        ConstraintKind::Coupling { terms, offset: self.field(fields, "offset", 0.0) }
    }

    /// The expression behind a user's key; complains if it is a list or a map.
    pub(super) fn scalar_formula(
        &mut self,
        key: &str,
        owner: crate::diag::Span,
        node: &'a Node,
        place: FormulaContext,
    ) -> Option<Formula> {
        if !node.is_scalar() {
            let found = node.describe();
            let expected = "an expression".to_owned();
            self.error(owner, Problem::WrongShape { key: key.to_owned(), expected, found });
            return None;
        }
        Some(self.formula(node, place))
    }
}
