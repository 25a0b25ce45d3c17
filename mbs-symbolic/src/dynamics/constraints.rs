//! Rows of the constraints: residuals g, constraint Jacobian G, velocity bias c and acceleration bias z of cut joints
//! and constraint elements.

use super::{Element, Row, RowKind};
use crate::diag::Problem;
use crate::expr::{Derivative, Symbol};
use crate::ids::{ExprId, FrameId, Id, JointId, LinkId};
use crate::joints::closure::{OrientationRows, PositionRows, closure};
use crate::kinematics::{Column, FrameOnLink, Jet, Kinematics, VecJet};
use crate::lower::{EquationContext, NoQueries};
use crate::model::{Axis, ConstraintKind, Model};
use crate::spatial::{Axes, Vec3};
use crate::topology::Topology;
use std::collections::BTreeMap;

/// One row with everything the equations need of it.
#[derive(Debug, Clone)]
pub(crate) struct RowParts {
    pub(crate) row: Row,
    /// g; `None` for non-holonomic rows.
    pub(crate) value: Option<ExprId>,
    /// G by column, and c as the column of time.
    pub(crate) columns: BTreeMap<Column, ExprId>,
    /// z.
    pub(crate) bias: ExprId,
    /// Where the virtual motions of the columns are taken: a reference link.
    pub(crate) reference_link: LinkId,
}

/// All rows, holonomic ones first, and the names of rows that say nothing.
pub(crate) struct Rows {
    pub(crate) list: Vec<RowParts>,
    pub(crate) redundant: Vec<Row>,
}

/// Forms the rows of all cut joints and constraint elements.
pub(crate) fn rows(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    topology: &Topology,
) -> Rows {
    let model = context.model;
    let mut builder =
        Builder { context, kinematics, holonomic: Vec::new(), other: Vec::new(), redundant: Vec::new() };
    for &joint in &topology.cut_joints {
        builder.cut_joint(model, joint);
    }
    for (id, constraint) in model.constraints.iter_enumerated() {
        let name = constraint.name.text.clone();
        builder.constraint(&name, Element::Constraint(id), &constraint.kind, constraint.name.span);
    }
    let Builder { mut holonomic, mut other, redundant, .. } = builder;
    holonomic.append(&mut other);
    Rows { list: holonomic, redundant }
}

struct Builder<'l, 'm> {
    context: &'l mut EquationContext<'m>,
    kinematics: &'l mut Kinematics,
    holonomic: Vec<RowParts>,
    other: Vec<RowParts>,
    redundant: Vec<Row>,
}

impl Builder<'_, '_> {
    fn cut_joint(&mut self, model: &Model, id: JointId) {
        let joint = &model.joints[id];
        let element = Element::Joint(id);
        let chain = &self.kinematics.chain;
        let (from, to) = (chain.closing_frame(id, joint.from), chain.frames[joint.to]);
        let reference_link =
            crate::kinematics::relative::common_ancestor(&self.kinematics.chain, from.link, to.link);
        let closure = closure(&joint.kind);
        let start = self.kinematics.point(self.context, reference_link, from);
        let end = self.kinematics.point(self.context, reference_link, to);
        let gap = Jet::difference(&mut self.context.graph, &start, &end);
        let name = &joint.name.text;
        match &closure.position {
            PositionRows::Free => {}
            PositionRows::All => {
                for (index, suffix) in ["x", "y", "z"].into_iter().enumerate() {
                    let axis = self.reference_axis(reference_link, index);
                    let jet = Jet::dot(&mut self.context.graph, &axis, &gap);
                    self.push(format!("{name}.{suffix}"), element, RowKind::Position, jet, reference_link);
                }
            }
            PositionRows::Across(axis) => {
                for (across, suffix) in self.across(reference_link, from, axis).into_iter().zip(["e1", "e2"])
                {
                    let jet = Jet::dot(&mut self.context.graph, &across, &gap);
                    self.push(format!("{name}.{suffix}"), element, RowKind::Position, jet, reference_link);
                }
            }
            PositionRows::Along(axis) => {
                let along = self.axis(reference_link, from, axis);
                let jet = Jet::dot(&mut self.context.graph, &along, &gap);
                self.push(format!("{name}.n"), element, RowKind::Position, jet, reference_link);
            }
        }
        let orientation = self.orientation(reference_link, from, to, &closure.orientation);
        for (suffix, jet) in orientation {
            self.push(format!("{name}.{suffix}"), element, RowKind::Orientation, jet, reference_link);
        }
    }

    fn orientation(
        &mut self,
        reference_link: LinkId,
        from: FrameOnLink,
        to: FrameOnLink,
        rows: &OrientationRows,
    ) -> Vec<(&'static str, Jet)> {
        match rows {
            OrientationRows::Free => Vec::new(),
            // y_from·z_to, z_from·x_to, x_from·y_to
            OrientationRows::All => [("rx", 1, 2), ("ry", 2, 0), ("rz", 0, 1)]
                .into_iter()
                .map(|(suffix, i, j)| {
                    let left = self.kinematics.unit(self.context, reference_link, from, i);
                    let right = self.kinematics.unit(self.context, reference_link, to, j);
                    (suffix, Jet::dot(&mut self.context.graph, &left, &right))
                })
                .collect(),
            OrientationRows::Parallel(axis) => {
                let moved = self.axis(reference_link, to, axis);
                let across = self.across(reference_link, from, axis);
                across
                    .into_iter()
                    .zip(["rx", "ry"])
                    .map(|(across, suffix)| (suffix, Jet::dot(&mut self.context.graph, &across, &moved)))
                    .collect()
            }
            OrientationRows::Angle([first, second]) => {
                let fixed = self.axis(reference_link, from, first);
                let moved = self.axis(reference_link, to, second);
                let product = Jet::dot(&mut self.context.graph, &fixed, &moved);
                // The angle between the two when the frames coincide.
                let (a, b) =
                    (self.context.axis(Axes::GROUND, first), self.context.axis(Axes::GROUND, second));
                let graph = &mut self.context.graph;
                let cosine = a.dot(graph, b);
                let cosine = Jet::fixed(graph, cosine);
                vec![("rx", product.sub(graph, &cosine))]
            }
        }
    }

    /// An axis of the body that observes, fixed for it.
    fn reference_axis(&mut self, reference_link: LinkId, index: usize) -> VecJet {
        let body = self.kinematics.chain.links[reference_link].body.expect("a massless end observes nothing");
        let reference = self.kinematics.chain.frames[FrameId::new(body.index())];
        self.kinematics.unit(self.context, reference_link, reference, index)
    }

    /// An axis given in a placed frame.
    fn axis(&mut self, reference_link: LinkId, place: FrameOnLink, axis: &Axis) -> VecJet {
        let e = self.context.axis(place.in_link.rot.from, axis);
        self.kinematics.direction(self.context, reference_link, place, e)
    }

    /// Two directions across an axis: the principal axes that follow it in cyclic order,
    /// or any two for a general axis.
    fn across(&mut self, reference_link: LinkId, place: FrameOnLink, axis: &Axis) -> [VecJet; 2] {
        let onto = crate::kinematics::z_onto(self.context, place.in_link.rot.from, axis);
        [0, 1].map(|k| {
            let e = onto.rot.column(k);
            self.kinematics.direction(self.context, reference_link, place, e)
        })
    }

    fn constraint(&mut self, name: &str, element: Element, kind: &ConstraintKind, span: crate::diag::Span) {
        match kind {
            ConstraintKind::Distance { from, to, length } => {
                let length = self.context.parameter(length);
                let reference_link = self.kinematics.common_ancestor(&[*from, *to]);
                let d = self.kinematics.between(self.context, reference_link, *from, *to);
                let graph = &mut self.context.graph;
                let square = Jet::dot(graph, &d, &d);
                let length_square = graph.mul(length, length);
                let target = Jet::fixed(graph, length_square);
                let half = graph.constant(0.5);
                let factor = graph.div(half, length);
                let jet = square.sub(graph, &target).scale(graph, factor);
                self.push(format!("{name}.distance"), element, RowKind::Distance, jet, reference_link);
            }
            ConstraintKind::PointOnLine { point, line, axis } => {
                let reference_link = self.kinematics.common_ancestor(&[*point, *line]);
                let d = self.kinematics.between(self.context, reference_link, *line, *point);
                let place = self.kinematics.chain.frames[*line];
                for (across, suffix) in self.across(reference_link, place, axis).into_iter().zip(["e1", "e2"])
                {
                    let jet = Jet::dot(&mut self.context.graph, &across, &d);
                    self.push(format!("{name}.{suffix}"), element, RowKind::Position, jet, reference_link);
                }
            }
            ConstraintKind::PointOnPlane { point, plane, normal } => {
                let reference_link = self.kinematics.common_ancestor(&[*point, *plane]);
                let d = self.kinematics.between(self.context, reference_link, *plane, *point);
                let normal = self.axis(reference_link, self.kinematics.chain.frames[*plane], normal);
                let jet = Jet::dot(&mut self.context.graph, &normal, &d);
                self.push(format!("{name}.n"), element, RowKind::Position, jet, reference_link);
            }
            ConstraintKind::Coupling { terms, offset } => {
                let offset = self.context.parameter(offset);
                let mut value = self.context.graph.neg(offset);
                for (coordinate, factor) in terms {
                    let (q, factor) = (self.context.coordinate(*coordinate), self.context.parameter(factor));
                    let term = self.context.graph.mul(factor, q);
                    value = self.context.graph.add(value, term);
                }
                self.equation(name, element, RowKind::Coordinate, value, span);
            }
            ConstraintKind::Motion { coordinate, value } => {
                let q = self.context.coordinate(*coordinate);
                let target = self.context.formula(value, &[], &mut NoQueries, None);
                let value = self.context.graph.sub(q, target);
                self.equation(name, element, RowKind::Coordinate, value, span);
            }
            ConstraintKind::Equation { value } => {
                let value = self.context.formula(value, &[], self.kinematics, None);
                self.equation(name, element, RowKind::Equation, value, span);
            }
            ConstraintKind::VelocityEquation { value } => {
                let rate = self.context.formula(value, &[], self.kinematics, None);
                self.velocity_equation(name, element, rate, span);
            }
            ConstraintKind::Rolling { wheel, axis, radius, plane } => {
                self.rolling(name, element, [*wheel, *plane], axis, radius, span);
            }
            ConstraintKind::KnifeEdge { frame, axis } => {
                let reference_link = LinkId::new(0);
                let place = self.kinematics.chain.frames[*frame];
                let point = self.kinematics.point(self.context, reference_link, place);
                let edge = self.axis(reference_link, place, axis);
                let zero = self.context.graph.zero();
                let mut parts = RowParts {
                    row: Row { name: name.to_owned(), element, kind: RowKind::Nonholonomic },
                    value: None,
                    columns: BTreeMap::new(),
                    bias: zero,
                    reference_link,
                };
                // w = v·e, w' = a·e + v·e'
                let graph = &mut self.context.graph;
                for (p, e) in point.iter().zip(&edge) {
                    for (&column, &term) in &p.columns {
                        let product = graph.mul(term, e.value);
                        add(graph, &mut parts.columns, column, product);
                    }
                    let (first, second) = (graph.mul(p.bias, e.value), graph.mul(p.rate, e.rate));
                    parts.bias = graph.sum([parts.bias, first, second]);
                }
                self.other.push(parts);
            }
        }
    }

    /// A row given by an expression of position level.
    fn equation(
        &mut self,
        name: &str,
        element: Element,
        kind: RowKind,
        value: ExprId,
        span: crate::diag::Span,
    ) {
        let rate = self.context.total_derivative(value, self.kinematics, span);
        let Some((columns, bias)) = self.of_rate(rate, name, span) else { return };
        let jet = Jet { value, columns, rate, bias };
        self.push(name.to_owned(), element, kind, jet, LinkId::new(0));
    }

    fn velocity_equation(&mut self, name: &str, element: Element, rate: ExprId, span: crate::diag::Span) {
        let Some((columns, bias)) = self.of_rate(rate, name, span) else { return };
        let row = Row { name: name.to_owned(), element, kind: RowKind::Nonholonomic };
        if columns.keys().any(|column| matches!(column, Column::V(_))) {
            self.other.push(RowParts { row, value: None, columns, bias, reference_link: LinkId::new(0) });
        } else {
            self.context
                .problems
                .error(span, Problem::ConstraintWithoutMotion { constraint: name.to_owned() });
        }
    }

    /// G, c and z of a row from its rate G v + c.
    fn of_rate(
        &mut self,
        rate: ExprId,
        name: &str,
        span: crate::diag::Span,
    ) -> Option<(BTreeMap<Column, ExprId>, ExprId)> {
        let velocities = self.context.symbols.velocities.iter().flatten().count() as u32;
        let second = self.context.total_derivative(rate, self.kinematics, span);
        let context = &mut *self.context;
        let (zero, one) = (context.graph.zero(), context.graph.one());
        let mut columns = BTreeMap::new();
        let (mut drift, mut bias) = (rate, second);
        for index in 0..velocities {
            let v = context.graph.symbol(Symbol::V(index));
            let v_dot = context.graph.symbol(Symbol::VDot(index));
            let partial = Derivative::new([(v, one)]).of(&mut context.graph, rate);
            if context.graph.is_zero(partial) {
                continue;
            }
            if context.depends_on(partial, |symbol| matches!(symbol, Symbol::V(_))) {
                let constraint = name.to_owned();
                context.problems.error(span, Problem::NotAffineInVelocities { constraint });
                return None;
            }
            columns.insert(Column::V(index), partial);
            drift = context.graph.substitute(drift, v, zero);
            bias = context.graph.substitute(bias, v_dot, zero);
        }
        if !context.graph.is_zero(drift) {
            columns.insert(Column::Time, drift);
        }
        Some((columns, bias))
    }

    /// A thin disc on a plane: n·c = R s with s = √(1 − (n·a)²), and no slip at the
    /// contact point c − R u, u = (n − (n·a) a)/s.
    fn rolling(
        &mut self,
        name: &str,
        element: Element,
        [wheel, plane]: [FrameId; 2],
        axis: &Axis,
        radius: &crate::model::Formula,
        span: crate::diag::Span,
    ) {
        let reference_link = self.kinematics.common_ancestor(&[wheel, plane]);
        let (wheel_place, plane_place) =
            (self.kinematics.chain.frames[wheel], self.kinematics.chain.frames[plane]);
        if reference_link != plane_place.link {
            let what = format!("rolling (`{name}`) on a body that does not carry the wheel's tree");
            self.context.problems.error(span, Problem::Unsupported { what });
            return;
        }
        let radius = self.context.parameter(radius);
        let center = self.kinematics.between(self.context, reference_link, plane, wheel);
        let a = self.axis(reference_link, wheel_place, axis);
        let [x, y, n] = [0, 1, 2].map(|k| self.kinematics.unit(self.context, reference_link, plane_place, k));
        let spin = self.kinematics.spin(self.context, reference_link, wheel_place.link);
        let graph = &mut self.context.graph;
        let tilt = Jet::dot(graph, &n, &a);
        let square = tilt.mul(graph, &tilt);
        let one = graph.one();
        let one = Jet::fixed(graph, one);
        let s = one.sub(graph, &square).sqrt(graph);
        let height = Jet::dot(graph, &n, &center);
        let contact = s.scale(graph, radius);
        let contact = height.sub(graph, &contact);
        let inverse = s.reciprocal(graph);
        let u: VecJet = [0, 1, 2].map(|k| {
            let along = tilt.mul(graph, &a[k]);
            let across = n[k].sub(graph, &along);
            across.mul(graph, &inverse)
        });
        let axes = spin.omega.axes;
        let vector =
            |jets: &VecJet, pick: fn(&Jet) -> ExprId| Vec3::new(axes, [0, 1, 2].map(|k| pick(&jets[k])));
        let (u_value, u_rate) = (vector(&u, |jet| jet.value), vector(&u, |jet| jet.rate));
        let mut slip_rows = Vec::new();
        for (direction, suffix) in [(x, "x"), (y, "y")] {
            let e = vector(&direction, |jet| jet.value);
            // e·(ω × u) = ω·(u × e)
            let lever = u_value.cross(graph, e).scale(graph, radius);
            let lever_rate = u_rate.cross(graph, e).scale(graph, radius);
            let forward = Jet::dot(graph, &direction, &center);
            let mut columns = forward.columns.clone();
            for &(column, axis) in &spin.columns {
                let turn = lever.dot(graph, axis);
                let turn = graph.neg(turn);
                add(graph, &mut columns, column, turn);
            }
            let (first, second) = (lever.dot(graph, spin.alpha_bias), lever_rate.dot(graph, spin.omega));
            let turning = graph.add(first, second);
            let bias = graph.sub(forward.bias, turning);
            let row = Row { name: format!("{name}.{suffix}"), element, kind: RowKind::Nonholonomic };
            slip_rows.push(RowParts { row, value: None, columns, bias, reference_link });
        }
        self.push(format!("{name}.contact"), element, RowKind::Position, contact, reference_link);
        self.other.append(&mut slip_rows);
    }

    /// Adds a holonomic row, unless no coordinate changes it: then it holds by itself, or
    /// never.
    fn push(&mut self, name: String, element: Element, kind: RowKind, jet: Jet, reference_link: LinkId) {
        let row = Row { name, element, kind };
        if jet.columns.keys().any(|column| matches!(column, Column::V(_))) {
            let Jet { value, columns, bias, .. } = jet;
            self.holonomic.push(RowParts { row, value: Some(value), columns, bias, reference_link });
            return;
        }
        let model = self.context.model;
        let name = element.name(model).to_owned();
        let span = element.span(model);
        if jet.columns.contains_key(&Column::Time) {
            self.context.problems.error(span, Problem::ConstraintWithoutMotion { constraint: name });
            return;
        }
        let off = self.context.value_at_rest(jet.value);
        // Default geometry is rarely exact to the last bit.
        if off.abs() < 1e-9 {
            self.redundant.push(row);
        } else {
            self.context
                .problems
                .error(span, Problem::LoopCannotClose { joint: name, row: row.name, value: off });
        }
    }
}

fn add(graph: &mut crate::expr::Graph, columns: &mut BTreeMap<Column, ExprId>, column: Column, term: ExprId) {
    if graph.is_zero(term) {
        return;
    }
    let sum = match columns.get(&column) {
        Some(&sum) => graph.add(sum, term),
        None => term,
    };
    columns.insert(column, sum);
}
