//! Rows of the constraints: residuals g, constraint Jacobian G, velocity bias c and acceleration bias z of cut joints
//! and constraint elements.

use super::{Element, Row, RowKind};
use crate::diag::Problem;
use crate::expr::{Derivative, Symbol};
use crate::ids::{ExprId, FrameId, Id, JointId, LinkId};
use crate::joints::closure::{OrientationRows, PositionRows, closure};
use crate::kinematics::{Column, Jet, Kinematics, Placement, VecJet};
use crate::lower::{Lowering, NoQueries};
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
    /// Where the virtual motions of the columns are taken: an observer.
    pub(crate) observer: LinkId,
}

/// All rows, holonomic ones first, and the names of rows that say nothing.
pub(crate) struct Rows {
    pub(crate) list: Vec<RowParts>,
    pub(crate) redundant: Vec<Row>,
}

/// Forms the rows of all cut joints and constraint elements.
pub(crate) fn rows(lowering: &mut Lowering<'_>, kinematics: &mut Kinematics, topology: &Topology) -> Rows {
    let model = lowering.model;
    let mut builder =
        Builder { lowering, kinematics, holonomic: Vec::new(), other: Vec::new(), redundant: Vec::new() };
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
    lowering: &'l mut Lowering<'m>,
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
        let observer = crate::kinematics::relative::observer(&self.kinematics.chain, from.link, to.link);
        let closure = closure(&joint.kind);
        let start = self.kinematics.point(self.lowering, observer, from);
        let end = self.kinematics.point(self.lowering, observer, to);
        let gap = Jet::difference(&mut self.lowering.graph, &start, &end);
        let name = &joint.name.text;
        match &closure.position {
            PositionRows::Free => {}
            PositionRows::All => {
                for (index, suffix) in ["x", "y", "z"].into_iter().enumerate() {
                    let axis = self.observer_axis(observer, index);
                    let jet = Jet::dot(&mut self.lowering.graph, &axis, &gap);
                    self.push(format!("{name}.{suffix}"), element, RowKind::Position, jet, observer);
                }
            }
            PositionRows::Across(axis) => {
                for (across, suffix) in self.across(observer, from, axis).into_iter().zip(["e1", "e2"]) {
                    let jet = Jet::dot(&mut self.lowering.graph, &across, &gap);
                    self.push(format!("{name}.{suffix}"), element, RowKind::Position, jet, observer);
                }
            }
            PositionRows::Along(axis) => {
                let along = self.axis(observer, from, axis);
                let jet = Jet::dot(&mut self.lowering.graph, &along, &gap);
                self.push(format!("{name}.n"), element, RowKind::Position, jet, observer);
            }
        }
        let orientation = self.orientation(observer, from, to, &closure.orientation);
        for (suffix, jet) in orientation {
            self.push(format!("{name}.{suffix}"), element, RowKind::Orientation, jet, observer);
        }
    }

    fn orientation(
        &mut self,
        observer: LinkId,
        from: Placement,
        to: Placement,
        rows: &OrientationRows,
    ) -> Vec<(&'static str, Jet)> {
        match rows {
            OrientationRows::Free => Vec::new(),
            // y_from·z_to, z_from·x_to, x_from·y_to
            OrientationRows::All => [("rx", 1, 2), ("ry", 2, 0), ("rz", 0, 1)]
                .into_iter()
                .map(|(suffix, i, j)| {
                    let left = self.kinematics.unit(self.lowering, observer, from, i);
                    let right = self.kinematics.unit(self.lowering, observer, to, j);
                    (suffix, Jet::dot(&mut self.lowering.graph, &left, &right))
                })
                .collect(),
            OrientationRows::Parallel(axis) => {
                let moved = self.axis(observer, to, axis);
                let across = self.across(observer, from, axis);
                across
                    .into_iter()
                    .zip(["rx", "ry"])
                    .map(|(across, suffix)| (suffix, Jet::dot(&mut self.lowering.graph, &across, &moved)))
                    .collect()
            }
            OrientationRows::Angle([first, second]) => {
                let fixed = self.axis(observer, from, first);
                let moved = self.axis(observer, to, second);
                let product = Jet::dot(&mut self.lowering.graph, &fixed, &moved);
                // The angle between the two when the frames coincide.
                let (a, b) =
                    (self.lowering.axis(Axes::GROUND, first), self.lowering.axis(Axes::GROUND, second));
                let graph = &mut self.lowering.graph;
                let cosine = a.dot(graph, b);
                let cosine = Jet::fixed(graph, cosine);
                vec![("rx", product.sub(graph, &cosine))]
            }
        }
    }

    /// An axis of the body that observes, fixed for it.
    fn observer_axis(&mut self, observer: LinkId, index: usize) -> VecJet {
        let body = self.kinematics.chain.links[observer].body.expect("a massless end observes nothing");
        let reference = self.kinematics.chain.frames[FrameId::new(body.index())];
        self.kinematics.unit(self.lowering, observer, reference, index)
    }

    /// An axis given in a placed frame.
    fn axis(&mut self, observer: LinkId, place: Placement, axis: &Axis) -> VecJet {
        let e = self.lowering.axis(place.in_link.rot.from, axis);
        self.kinematics.direction(self.lowering, observer, place, e)
    }

    /// Two directions across an axis: the principal axes that follow it in cyclic order,
    /// or any two for a general axis.
    fn across(&mut self, observer: LinkId, place: Placement, axis: &Axis) -> [VecJet; 2] {
        let onto = crate::kinematics::z_onto(self.lowering, place.in_link.rot.from, axis);
        [0, 1].map(|k| {
            let e = onto.rot.column(k);
            self.kinematics.direction(self.lowering, observer, place, e)
        })
    }

    fn constraint(&mut self, name: &str, element: Element, kind: &ConstraintKind, span: crate::diag::Span) {
        match kind {
            ConstraintKind::Distance { from, to, length } => {
                let length = self.lowering.parameter(length);
                let observer = self.kinematics.observer(&[*from, *to]);
                let d = self.kinematics.between(self.lowering, observer, *from, *to);
                let graph = &mut self.lowering.graph;
                let square = Jet::dot(graph, &d, &d);
                let length_square = graph.mul(length, length);
                let target = Jet::fixed(graph, length_square);
                let half = graph.constant(0.5);
                let factor = graph.div(half, length);
                let jet = square.sub(graph, &target).scale(graph, factor);
                self.push(format!("{name}.distance"), element, RowKind::Distance, jet, observer);
            }
            ConstraintKind::PointOnLine { point, line, axis } => {
                let observer = self.kinematics.observer(&[*point, *line]);
                let d = self.kinematics.between(self.lowering, observer, *line, *point);
                let place = self.kinematics.chain.frames[*line];
                for (across, suffix) in self.across(observer, place, axis).into_iter().zip(["e1", "e2"]) {
                    let jet = Jet::dot(&mut self.lowering.graph, &across, &d);
                    self.push(format!("{name}.{suffix}"), element, RowKind::Position, jet, observer);
                }
            }
            ConstraintKind::PointOnPlane { point, plane, normal } => {
                let observer = self.kinematics.observer(&[*point, *plane]);
                let d = self.kinematics.between(self.lowering, observer, *plane, *point);
                let normal = self.axis(observer, self.kinematics.chain.frames[*plane], normal);
                let jet = Jet::dot(&mut self.lowering.graph, &normal, &d);
                self.push(format!("{name}.n"), element, RowKind::Position, jet, observer);
            }
            ConstraintKind::Coupling { terms, offset } => {
                let offset = self.lowering.parameter(offset);
                let mut value = self.lowering.graph.neg(offset);
                for (coordinate, factor) in terms {
                    let (q, factor) =
                        (self.lowering.coordinate(*coordinate), self.lowering.parameter(factor));
                    let term = self.lowering.graph.mul(factor, q);
                    value = self.lowering.graph.add(value, term);
                }
                self.equation(name, element, RowKind::Coordinate, value, span);
            }
            ConstraintKind::Motion { coordinate, value } => {
                let q = self.lowering.coordinate(*coordinate);
                let target = self.lowering.formula(value, &[], &mut NoQueries, None);
                let value = self.lowering.graph.sub(q, target);
                self.equation(name, element, RowKind::Coordinate, value, span);
            }
            ConstraintKind::Equation { value } => {
                let value = self.lowering.formula(value, &[], self.kinematics, None);
                self.equation(name, element, RowKind::Equation, value, span);
            }
            ConstraintKind::VelocityEquation { value } => {
                let rate = self.lowering.formula(value, &[], self.kinematics, None);
                self.velocity_equation(name, element, rate, span);
            }
            ConstraintKind::Rolling { wheel, axis, radius, plane } => {
                self.rolling(name, element, [*wheel, *plane], axis, radius, span);
            }
            ConstraintKind::KnifeEdge { frame, axis } => {
                let observer = LinkId::new(0);
                let place = self.kinematics.chain.frames[*frame];
                let point = self.kinematics.point(self.lowering, observer, place);
                let edge = self.axis(observer, place, axis);
                let zero = self.lowering.graph.zero();
                let mut parts = RowParts {
                    row: Row { name: name.to_owned(), element, kind: RowKind::Nonholonomic },
                    value: None,
                    columns: BTreeMap::new(),
                    bias: zero,
                    observer,
                };
                // w = v·e, w' = a·e + v·e'
                let graph = &mut self.lowering.graph;
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
        let rate = self.lowering.total_derivative(value, self.kinematics, span);
        let Some((columns, bias)) = self.of_rate(rate, name, span) else { return };
        let jet = Jet { value, columns, rate, bias };
        self.push(name.to_owned(), element, kind, jet, LinkId::new(0));
    }

    fn velocity_equation(&mut self, name: &str, element: Element, rate: ExprId, span: crate::diag::Span) {
        let Some((columns, bias)) = self.of_rate(rate, name, span) else { return };
        let row = Row { name: name.to_owned(), element, kind: RowKind::Nonholonomic };
        if columns.keys().any(|column| matches!(column, Column::V(_))) {
            self.other.push(RowParts { row, value: None, columns, bias, observer: LinkId::new(0) });
        } else {
            self.lowering
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
        let velocities = self.lowering.symbols.velocities.iter().flatten().count() as u32;
        let second = self.lowering.total_derivative(rate, self.kinematics, span);
        let lowering = &mut *self.lowering;
        let (zero, one) = (lowering.graph.zero(), lowering.graph.one());
        let mut columns = BTreeMap::new();
        let (mut drift, mut bias) = (rate, second);
        for index in 0..velocities {
            let v = lowering.graph.symbol(Symbol::V(index));
            let v_dot = lowering.graph.symbol(Symbol::VDot(index));
            let partial = Derivative::new([(v, one)]).of(&mut lowering.graph, rate);
            if lowering.graph.is_zero(partial) {
                continue;
            }
            if lowering.depends_on(partial, |symbol| matches!(symbol, Symbol::V(_))) {
                let constraint = name.to_owned();
                lowering.problems.error(span, Problem::NotAffineInVelocities { constraint });
                return None;
            }
            columns.insert(Column::V(index), partial);
            drift = lowering.graph.substitute(drift, v, zero);
            bias = lowering.graph.substitute(bias, v_dot, zero);
        }
        if !lowering.graph.is_zero(drift) {
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
        let observer = self.kinematics.observer(&[wheel, plane]);
        let (wheel_place, plane_place) =
            (self.kinematics.chain.frames[wheel], self.kinematics.chain.frames[plane]);
        if observer != plane_place.link {
            let what = format!("rolling (`{name}`) on a body that does not carry the wheel's tree");
            self.lowering.problems.error(span, Problem::Unsupported { what });
            return;
        }
        let radius = self.lowering.parameter(radius);
        let center = self.kinematics.between(self.lowering, observer, plane, wheel);
        let a = self.axis(observer, wheel_place, axis);
        let [x, y, n] = [0, 1, 2].map(|k| self.kinematics.unit(self.lowering, observer, plane_place, k));
        let spin = self.kinematics.spin(self.lowering, observer, wheel_place.link);
        let graph = &mut self.lowering.graph;
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
            slip_rows.push(RowParts { row, value: None, columns, bias, observer });
        }
        self.push(format!("{name}.contact"), element, RowKind::Position, contact, observer);
        self.other.append(&mut slip_rows);
    }

    /// Adds a holonomic row, unless no coordinate changes it: then it holds by itself, or
    /// never.
    fn push(&mut self, name: String, element: Element, kind: RowKind, jet: Jet, observer: LinkId) {
        let row = Row { name, element, kind };
        if jet.columns.keys().any(|column| matches!(column, Column::V(_))) {
            let Jet { value, columns, bias, .. } = jet;
            self.holonomic.push(RowParts { row, value: Some(value), columns, bias, observer });
            return;
        }
        let model = self.lowering.model;
        let name = element.name(model).to_owned();
        let span = element.span(model);
        if jet.columns.contains_key(&Column::Time) {
            self.lowering.problems.error(span, Problem::ConstraintWithoutMotion { constraint: name });
            return;
        }
        let off = self.lowering.value_at_rest(jet.value);
        // Default geometry is rarely exact to the last bit.
        if off.abs() < 1e-9 {
            self.redundant.push(row);
        } else {
            self.lowering
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
