//! Physics that can be judged with the default values of parameters.

use crate::diag::{Diagnostic, Diagnostics, Problem, Severity, Span};
use crate::ids::{CoordinateId, ParamId, VariableId, VelocityId};
use crate::model::evaluate::Defaults;
use crate::model::{
    Axis, AxisAngle, Body, Constraint, ConstraintKind, Formula, Joint, JointKind, Limits, Model, Orientation,
    ParameterValue, Shape, Term, TermKind,
};
use std::collections::BTreeMap;

/// Reports masses, inertias, axes and lengths that no mechanism can have. What could not
/// be read, and what is computed from it, is passed over.
pub(in crate::model) fn check(model: &Model) -> Diagnostics {
    check_with(model, |_, default| default)
}

/// The same with given parameters set to what `given` makes of their ids and defaults.
pub(in crate::model) fn check_with(model: &Model, given: impl FnMut(ParamId, f64) -> f64) -> Diagnostics {
    let mut checker = Checker::with(model, given);
    checker.elements(model);
    checker.initial(model, &model.initial.positions, &model.initial.velocities);
    checker.problems
}

/// Formulas looked at for all scenarios together; what is left is looked at when it is run.
const SCENARIO_FORMULAS: usize = 2_000_000;

/// Reports what scenarios make of the model that no mechanism can be.
pub(super) fn check_scenarios(model: &Model) -> Diagnostics {
    let size = model.bodies.len() + model.frames.len() + model.joints.len() + model.constraints.len();
    let looked_at = SCENARIO_FORMULAS / (size + model.parameters.len());
    let mut found = Diagnostics::new();
    for scenario in model.simulation.scenarios.iter().take(looked_at) {
        let set = |id, default| {
            scenario
                .parameters
                .iter()
                .rev()
                .find(|(other, _)| *other == id)
                .map_or(default, |(_, value)| *value)
        };
        let mut checker = Checker::with(model, set);
        checker.elements(model);
        for diagnostic in &std::mem::take(&mut checker.problems).from_severity(Severity::Error) {
            let words = format!("in scenario `{}`", scenario.name.text);
            found.push(diagnostic.clone().with(scenario.name.span, words));
        }
        for (_, value) in &scenario.inputs {
            checker.signal(value);
        }
        checker.initial(model, &scenario.positions, &scenario.velocities);
        found.append(checker.problems);
    }
    found
}

struct Checker<'m> {
    defaults: Defaults<'m>,
    /// Variables that parameters alone decide.
    variables: BTreeMap<VariableId, Option<f64>>,
    /// How bad an inertia is that is not positive; `allow:` decides.
    inertia: Severity,
    problems: Diagnostics,
}

impl<'m> Checker<'m> {
    fn with(model: &'m Model, given: impl FnMut(ParamId, f64) -> f64) -> Self {
        let defaults = Defaults::with(model, given);
        let allowed = model.allow.iter().any(|entry| entry.text == INERTIA_NOT_POSITIVE);
        let inertia = if allowed { Severity::Warning } else { Severity::Error };
        Self { defaults, variables: BTreeMap::new(), inertia, problems: Diagnostics::new() }
    }

    /// Everything but initial positions and velocities.
    fn elements(&mut self, model: &Model) {
        for parameter in &model.parameters {
            if let ParameterValue::Derived(formula) = &parameter.value {
                self.finite(formula, &format!("parameter `{}`", parameter.name.text));
            }
        }
        for component in &model.gravity {
            self.finite(component, "`gravity`");
        }
        for input in &model.inputs {
            self.signal(&input.default);
        }
        for frame in &model.frames {
            for component in &frame.position {
                self.finite(component, "this position");
            }
            self.rotations(&frame.rotation);
        }
        for body in model.bodies.iter().skip(1) {
            self.body(body);
        }
        for joint in &model.joints {
            self.joint(joint);
        }
        for mimic in model.coordinates.iter().filter_map(|coordinate| coordinate.mimic.as_ref()) {
            self.finite(&mimic.ratio, "this ratio");
            self.finite(&mimic.offset, "this offset");
        }
        for constraint in &model.constraints {
            self.constraint(constraint);
        }
        for state in &model.states {
            self.finite(&state.initial, "this initial value");
        }
        self.laws(model);
    }

    fn initial(
        &mut self,
        model: &Model,
        positions: &[(CoordinateId, Formula)],
        velocities: &[(VelocityId, Formula)],
    ) {
        for (coordinate, value) in positions {
            let value_at = self.finite(value, "this initial value");
            let coordinate = &model.coordinates[*coordinate];
            let joint = &model.joints[coordinate.joint];
            self.within_limits(value_at, value.span, joint, &coordinate.name.text);
        }
        for (id, coordinate) in model.coordinates.iter_enumerated() {
            let Some((value, span)) = self.follows(model, positions, id) else { continue };
            let joint = &model.joints[coordinate.joint];
            self.within_limits(Some(value), span, joint, &coordinate.name.text);
        }
        for (_, value) in velocities {
            self.finite(value, "this initial value");
        }
        self.quaternions(model, positions);
    }

    /// What an input is while nothing else is set; what depends on time only as far as it does not.
    fn signal(&mut self, default: &Formula) {
        self.law(default);
    }

    /// Laws, equations and outputs: parts of them that nothing but parameters decide.
    fn laws(&mut self, model: &Model) {
        for id in &model.variable_order {
            let value = self.defaults.terms(&model.variables[*id].value, &self.variables).last().copied();
            self.variables.insert(*id, value.flatten());
        }
        for force in &model.forces {
            force.kind.formulas().into_iter().for_each(|formula| self.law(formula));
        }
        for state in &model.states {
            self.law(&state.derivative);
        }
        for constraint in &model.constraints {
            match &constraint.kind {
                ConstraintKind::Motion { value, .. }
                | ConstraintKind::Equation { value }
                | ConstraintKind::VelocityEquation { value } => self.law(value),
                _ => {}
            }
        }
        for output in &model.outputs {
            self.law(&output.value);
        }
    }

    /// Complains about the first part of a formula that is always used, depends on parameters
    /// alone, and is not a finite number.
    fn law(&mut self, formula: &Formula) {
        let values = self.defaults.terms(formula, &self.variables);
        let mut used = vec![false; values.len()];
        if let Some(last) = used.last_mut() {
            *last = true;
        }
        for index in (0..values.len()).rev().filter(|_| !formula.is_unknown()) {
            if !used[index] {
                continue;
            }
            let term = &formula.terms[index];
            match values[index] {
                Some(value) if value.is_finite() => {}
                Some(value) => {
                    // A parameter that is wrong is reported where it is.
                    let parameter = |term: &Term| match term.kind {
                        TermKind::Parameter(id) => !self.defaults.parameter(id).is_finite(),
                        _ => false,
                    };
                    // And so is a number that its unit made too large.
                    let is_number = matches!(term.kind, TermKind::Number(_));
                    if !is_number && !formula.terms.iter().any(parameter) {
                        self.error(term.span, Problem::NotANumber { what: "this value".to_owned(), value });
                    }
                    return;
                }
                // Which branch is taken shows in the run.
                None => match term.kind {
                    TermKind::If(condition, a, b) => {
                        used[condition as usize] = true;
                        if let Some(holds) = values[condition as usize] {
                            used[if holds != 0.0 { a } else { b } as usize] = true;
                        }
                    }
                    kind => kind.for_each_operand(|operand| used[operand as usize] = true),
                },
            }
        }
    }

    /// Complains about orientations that are none: quaternions without length.
    fn quaternions(&mut self, model: &Model, positions: &[(CoordinateId, Formula)]) {
        for joint in &model.joints {
            let (JointKind::Spherical { orientation } | JointKind::Free { orientation, .. }) = &joint.kind
            else {
                continue;
            };
            let Orientation::Quaternion { coordinates, .. } = orientation else { continue };
            let mut values = [1.0, 0.0, 0.0, 0.0];
            let mut place = None;
            for (id, formula) in positions {
                let Some(component) = coordinates.iter().position(|own| own == id) else { continue };
                values[component] = self.defaults.evaluate(formula).unwrap_or(1.0);
                place = Some(place.map_or(formula.span, |place: Span| place.to(formula.span)));
            }
            if let Some(place) = place.filter(|_| values == [0.0; 4]) {
                self.error(place, Problem::ZeroQuaternion { joint: joint.name.text.clone() });
            }
        }
    }

    fn error(&mut self, span: Span, problem: Problem) {
        self.problems.push(Diagnostic::error(span, problem));
    }

    /// The value, if it has one and it is finite.
    fn finite(&mut self, formula: &Formula, what: &str) -> Option<f64> {
        let value = self.defaults.evaluate(formula)?;
        if value.is_finite() {
            return Some(value);
        }
        // A parameter that is wrong is reported once, not wherever it is used.
        let from_parameter = formula.terms.iter().any(|term| match term.kind {
            TermKind::Parameter(id) => !self.defaults.parameter(id).is_finite(),
            _ => false,
        });
        if from_parameter {
            return None;
        }
        self.error(formula.span, Problem::NotANumber { what: what.to_owned(), value });
        None
    }

    fn positive(&mut self, formula: &Formula, what: &str) {
        if let Some(value) = self.finite(formula, what).filter(|value| *value <= 0.0) {
            self.error(formula.span, Problem::NotPositive { what: what.to_owned(), value });
        }
    }

    fn body(&mut self, body: &Body) {
        let name = &body.name.text;
        if let Some(mass_kg) = self.finite(&body.mass, "this mass").filter(|mass| *mass < 0.0) {
            self.error(body.mass.span, Problem::MassNotPositive { body: name.clone(), mass_kg });
        }
        for component in &body.com {
            self.finite(component, "this position");
        }
        let entries: Vec<f64> =
            body.inertia.iter().filter_map(|entry| self.finite(entry, "this moment of inertia")).collect();
        if let &[xx, yy, zz, xy, xz, yz] = entries.as_slice()
            && let Some(least) = negative_moment([xx, yy, zz, xy, xz, yz])
        {
            let span = body
                .inertia
                .iter()
                .map(|entry| entry.span)
                .find(|span| *span != body.name.span)
                .unwrap_or(body.name.span);
            let value = format!("{least:.3e}").parse().unwrap_or(least);
            let problem = Problem::InertiaNotPositive { body: name.clone(), value };
            self.problems.push(Diagnostic { severity: self.inertia, ..Diagnostic::error(span, problem) });
        }
        for shape in &body.shapes {
            match shape {
                Shape::Cylinder { radius, .. } | Shape::Sphere { radius, .. } => {
                    self.positive(radius, "this radius");
                }
                Shape::Box { size, .. } => size.iter().for_each(|edge| self.positive(edge, "this edge")),
            }
        }
    }

    fn rotations(&mut self, rotations: &[AxisAngle]) {
        for rotation in rotations {
            self.axis(&rotation.axis);
            self.finite(&rotation.angle, "this angle");
        }
    }

    /// The components of a direction, scaled to length one.
    fn axis(&mut self, axis: &Axis) -> Option<[f64; 3]> {
        let components = match axis {
            Axis::Principal { index, negative } => {
                let mut components = [0.0; 3];
                components[usize::from(*index)] = if *negative { -1.0 } else { 1.0 };
                return Some(components);
            }
            Axis::Vector(components) => components,
        };
        let values: Vec<f64> =
            components.iter().filter_map(|component| self.finite(component, "this axis")).collect();
        let &[x, y, z] = values.as_slice() else { return None };
        let length = mbs_math::sqrt(x * x + y * y + z * z);
        if length == 0.0 {
            self.error(components[0].span.to(components[2].span), Problem::ZeroAxis {});
            return None;
        }
        Some([x / length, y / length, z / length])
    }

    fn joint(&mut self, joint: &Joint) {
        self.limits(&joint.limits);
        match &joint.kind {
            JointKind::Revolute { axis, .. }
            | JointKind::Prismatic { axis, .. }
            | JointKind::Cylindrical { axis, .. } => {
                self.axis(axis);
            }
            JointKind::Screw { axis, pitch, .. } => {
                self.axis(axis);
                self.finite(pitch, "this pitch");
            }
            JointKind::Universal { axes, .. } => {
                let [first, second] = axes.each_ref().map(|axis| self.axis(axis));
                if let (Some(a), Some(b)) = (first, second) {
                    let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                    if cosine.abs() > 1e-9 {
                        let span = axes.iter().rev().find_map(Axis::span).unwrap_or(joint.name.span);
                        self.error(span, Problem::AxesNotPerpendicular { cosine });
                    }
                }
            }
            JointKind::Curve { rotation, .. } => self.rotations(rotation),
            JointKind::Compound { steps } => {
                for step in steps {
                    self.axis(&step.axis);
                }
            }
            JointKind::Fixed
            | JointKind::Spherical { .. }
            | JointKind::Free { .. }
            | JointKind::Planar { .. } => {}
        }
    }

    /// Complains about limits that contradict each other.
    fn limits(&mut self, limits: &Limits) {
        let [lower, upper] = [&limits.lower, &limits.upper]
            .map(|limit| limit.as_ref().and_then(|limit| self.finite(limit, "this limit")));
        if let (Some(min), Some(max), Some(first)) = (lower, upper, &limits.lower)
            && min > max
        {
            self.error(first.span, Problem::MinAboveMax { min, max });
        }
        for (limit, what) in [(&limits.velocity, "this speed"), (&limits.effort, "this effort")] {
            if let Some(limit) = limit {
                self.positive(limit, what);
            }
        }
    }

    /// Where a coordinate is that follows one of the listed, and what is listed for that.
    fn follows(
        &self,
        model: &Model,
        listed: &[(CoordinateId, Formula)],
        id: CoordinateId,
    ) -> Option<(f64, Span)> {
        let leader = model.leader(id);
        let (_, value) = listed.iter().find(|(other, _)| *other == leader && leader != id)?;
        let (mut ratio, mut offset, mut master) = (1.0, 0.0, id);
        while let Some(mimic) = &model.coordinates[master].mimic {
            offset += ratio * self.defaults.evaluate(&mimic.offset)?;
            ratio *= self.defaults.evaluate(&mimic.ratio)?;
            master = mimic.master;
        }
        Some((ratio * self.defaults.evaluate(value)? + offset, value.span))
    }

    /// Warns of an initial value its joint cannot reach.
    fn within_limits(&mut self, value: Option<f64>, span: Span, joint: &Joint, coordinate: &str) {
        let Some(value) = value else { return };
        let bound = |limit: &Option<Formula>| limit.as_ref().and_then(|limit| self.defaults.evaluate(limit));
        let outside = match (bound(&joint.limits.lower), bound(&joint.limits.upper)) {
            (Some(lower), _) if value < lower => Some(("lower", lower)),
            (_, Some(upper)) if value > upper => Some(("upper", upper)),
            _ => None,
        };
        if let Some((bound, limit)) = outside {
            let coordinate = coordinate.to_owned();
            self.problems.warning(span, Problem::OutsideLimits { coordinate, value, bound, limit });
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        match &constraint.kind {
            ConstraintKind::Distance { length, .. } => self.positive(length, "this length"),
            ConstraintKind::Rolling { radius, axis, .. } => {
                self.positive(radius, "this radius");
                self.axis(axis);
            }
            ConstraintKind::PointOnLine { axis, .. }
            | ConstraintKind::PointOnPlane { normal: axis, .. }
            | ConstraintKind::KnifeEdge { axis, .. } => {
                self.axis(axis);
            }
            ConstraintKind::Coupling { terms, offset } => {
                for (_, factor) in terms {
                    self.finite(factor, "this factor");
                }
                self.finite(offset, "this offset");
            }
            ConstraintKind::Motion { .. }
            | ConstraintKind::Equation { .. }
            | ConstraintKind::VelocityEquation { .. } => {}
        }
    }
}

/// The code of [`Problem::InertiaNotPositive`], which `allow:` makes a warning.
pub(crate) const INERTIA_NOT_POSITIVE: &str = "MBS-P002";

/// The least principal moment of an inertia given as xx, yy, zz, xy, xz, yz, if it is negative by
/// more than rounding.
pub(crate) fn negative_moment(inertia: [f64; 6]) -> Option<f64> {
    let least = least_eigenvalue(inertia);
    let size: f64 = inertia.iter().map(|entry| entry.abs()).sum();
    (least < -1e-9 * size).then_some(least)
}

/// Least eigenvalue of a symmetric matrix given as xx, yy, zz, xy, xz, yz, by the
/// trigonometric solution of its characteristic polynomial (Smith 1961).
pub(crate) fn least_eigenvalue([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> f64 {
    let off = xy * xy + xz * xz + yz * yz;
    if off == 0.0 {
        return xx.min(yy).min(zz);
    }
    let mean = (xx + yy + zz) / 3.0;
    let (a, b, c) = (xx - mean, yy - mean, zz - mean);
    let scale = mbs_math::sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
    let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    let cosine = (determinant / (2.0 * scale * scale * scale)).clamp(-1.0, 1.0);
    let third = 2.0 * std::f64::consts::PI / 3.0;
    mean + 2.0 * scale * mbs_math::cos(mbs_math::acos(cosine) / 3.0 + third)
}

#[cfg(test)]
mod tests {
    use super::least_eigenvalue;

    #[test]
    fn least_eigenvalues_of_known_matrices() {
        let close = |entries, expected: f64| {
            let found = least_eigenvalue(entries);
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        };
        close([3.0, 1.0, 2.0, 0.0, 0.0, 0.0], 1.0);
        close([2.0, 2.0, 5.0, 1.0, 0.0, 0.0], 1.0);
        close([1.0, 1.0, 1.0, 2.0, 0.0, 0.0], -1.0);
        close([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 0.0);
    }
}
