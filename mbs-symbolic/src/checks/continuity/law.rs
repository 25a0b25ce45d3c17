//! The laws of force elements as functions of what they read.

use crate::diag::Span;
use crate::ids::{CoordinateId, FrameId, Id, IdVec, InputId, StateId, VariableId, VelocityId};
use crate::model::{Comparison, Defaults, ForceKind, Formula, Model, Query, TermKind};

/// Something a law reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Leaf {
    Time,
    Input(InputId),
    Coordinate(CoordinateId),
    Velocity(VelocityId),
    State(StateId),
    Local(u8),
    Query(Query),
    /// `der` of a query.
    QueryRate(Query),
    /// `der` of a variable.
    VariableRate(VariableId),
    /// `der` of anything else, by its place.
    Rate(Span),
}

impl Leaf {
    /// What a leaf term of `formula` reads; `None` for anything but a leaf.
    fn of(model: &Model, formula: &Formula, kind: TermKind, span: Span) -> Option<Self> {
        Some(match kind {
            TermKind::Time => Self::Time,
            TermKind::Input(id) => Self::Input(id),
            TermKind::Coordinate(id) => Self::Coordinate(id),
            TermKind::Velocity(id) => Self::Velocity(id),
            TermKind::State(id) => Self::State(id),
            TermKind::Local(index) => Self::Local(index),
            TermKind::Query(query) => Self::Query(query),
            TermKind::Der(operand) => match formula.terms[operand as usize].kind {
                TermKind::Coordinate(id) => match model.coordinates[id].rate {
                    Some(rate) => Self::Velocity(rate),
                    None => Self::Rate(span),
                },
                TermKind::Query(Query::Position { of, relative_to, axes, component }) => {
                    Self::Query(Query::Velocity { of, relative_to, axes, component })
                }
                TermKind::Query(query) => Self::QueryRate(query),
                TermKind::Variable(id) => Self::VariableRate(id),
                _ => Self::Rate(span),
            },
            _ => return None,
        })
    }

    /// As its author would write it.
    pub(super) fn name(self, model: &Model, locals: &'static [&'static str]) -> String {
        let frame = |id: FrameId| {
            let frame = &model.frames[id];
            let body = &model.bodies[frame.body].name.text;
            if id.index() < model.bodies.len() { body.clone() } else { format!("{body}.{}", frame.name.text) }
        };
        let letter = |component: u8| ["x", "y", "z"][usize::from(component) % 3];
        let query = |query: Query| match query {
            Query::Position { of, component, .. } => format!("position({}).{}", frame(of), letter(component)),
            Query::Velocity { of, component, .. } => format!("velocity({}).{}", frame(of), letter(component)),
            Query::AngularVelocity { of, component, .. } => {
                format!("angular_velocity({}).{}", frame(of), letter(component))
            }
            Query::Rotation { of, .. } => format!("rotation({})", frame(of)),
            Query::Distance { from, to } => format!("distance({}, {})", frame(from), frame(to)),
            Query::Acceleration { of, .. } => format!("acceleration({})", frame(of)),
            Query::Reaction { joint, .. } => format!("reaction({})", model.joints[joint].name.text),
        };
        match self {
            Self::Time => "t".to_owned(),
            Self::Input(id) => model.inputs[id].name.text.clone(),
            Self::Coordinate(id) => model.coordinates[id].name.text.clone(),
            Self::Velocity(id) => match model.velocities[id].coordinate {
                Some(coordinate) => format!("der({})", model.coordinates[coordinate].name.text),
                None => model.velocities[id].name.text.clone(),
            },
            Self::State(id) => model.states[id].name.text.clone(),
            Self::Local(index) => locals.get(usize::from(index)).copied().unwrap_or("x").to_owned(),
            Self::Query(asked) => query(asked),
            Self::QueryRate(asked) => format!("der({})", query(asked)),
            Self::VariableRate(id) => format!("der({})", model.variables[id].name.text),
            Self::Rate(_) => "a rate".to_owned(),
        }
    }
}

/// The law of one force element.
pub(super) struct Law<'m> {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) unit: &'static str,
    pub(super) locals: &'static [&'static str],
    /// Everything it reads.
    pub(super) leaves: Vec<Leaf>,
    /// The work of evaluating it: each term may have to be looked for among the leaves.
    pub(super) cost: usize,
    formulas: Vec<&'m Formula>,
    /// Variables it needs, those they use first.
    variables: Vec<VariableId>,
    /// Components from the values of the formulas.
    parts: Parts,
}

/// How forces are made of the values of a law's formulas.
enum Parts {
    /// Each value is one.
    Each,
    /// stiffness, damping, rest, offset of a spring along (leaf of length, leaf of rate):
    /// offset − stiffness · (length − rest) − damping · rate.
    Spring(usize, usize),
    /// Coulomb, regularisation, viscous along a leaf of rate.
    Friction(usize),
    /// Pairs of stiffness and damping along pairs of leaves.
    Springs(Vec<(usize, usize)>),
}

/// The laws of all force elements in which something may jump.
pub(super) fn laws(model: &Model) -> Vec<Law<'_>> {
    let mut laws = Vec::new();
    for force in &model.forces {
        let along = |velocity: VelocityId| {
            if model.velocities[velocity].unit.starts_with("rad") { "N*m" } else { "N" }
        };
        let coordinate_leaves = |id: CoordinateId| {
            let rate = model.coordinates[id].rate.map_or(Leaf::Coordinate(id), Leaf::Velocity);
            (Leaf::Coordinate(id), rate)
        };
        let unit_of = |id: CoordinateId| model.coordinates[id].rate.map_or("N", along);
        let mut law = Law {
            name: force.name.text.clone(),
            span: force.name.span,
            unit: "N",
            locals: &[],
            leaves: Vec::new(),
            cost: 0,
            formulas: Vec::new(),
            variables: Vec::new(),
            parts: Parts::Each,
        };
        match &force.kind {
            ForceKind::SpringDamper { from, to, stiffness, damping, length, preload } => {
                law.formulas = vec![stiffness, damping, length, preload];
                let length = Query::Distance { from: *from, to: *to };
                law.leaves = vec![Leaf::Query(length), Leaf::QueryRate(length)];
                law.parts = Parts::Spring(0, 1);
            }
            ForceKind::PointForce { force, .. } => {
                law.formulas = vec![force];
                law.locals = &["length", "rate"];
            }
            ForceKind::JointForce { velocity, value } => {
                law.formulas = vec![value];
                law.unit = along(*velocity);
            }
            ForceKind::JointSpring { coordinate, stiffness, damping, rest, preload } => {
                law.formulas = vec![stiffness, damping, rest, preload];
                let (position, rate) = coordinate_leaves(*coordinate);
                law.leaves = vec![position, rate];
                law.parts = Parts::Spring(0, 1);
                law.unit = unit_of(*coordinate);
            }
            ForceKind::JointFriction { coordinate, coulomb, regularisation, viscous } => {
                law.formulas = vec![coulomb, regularisation, viscous];
                law.leaves = vec![coordinate_leaves(*coordinate).1];
                law.parts = Parts::Friction(0);
                law.unit = unit_of(*coordinate);
            }
            ForceKind::Force { force, .. } => law.formulas = force.iter().collect(),
            ForceKind::Torque { torque, .. } => {
                law.formulas = torque.iter().collect();
                law.unit = "N*m";
            }
            ForceKind::Bushing { from, to, stiffness, damping, rotational_stiffness, rotational_damping } => {
                let linear = stiffness.iter().zip(damping);
                let angular = rotational_stiffness.iter().zip(rotational_damping);
                law.formulas = linear.chain(angular).flat_map(|(k, c)| [k, c]).collect();
                let (of, relative_to, axes) = (*to, *from, *from);
                for component in 0..3 {
                    law.leaves.push(Leaf::Query(Query::Position { of, relative_to, axes, component }));
                    law.leaves.push(Leaf::Query(Query::Velocity { of, relative_to, axes, component }));
                }
                for component in 0..3 {
                    law.leaves.push(Leaf::Query(Query::Rotation {
                        of,
                        relative_to,
                        row: component,
                        column: component,
                    }));
                    law.leaves.push(Leaf::Query(Query::AngularVelocity { of, relative_to, axes, component }));
                }
                law.parts = Parts::Springs((0..6).map(|k| (2 * k, 2 * k + 1)).collect());
            }
            // Contact is declared, with its damper that sets in on touching; its road may have steps.
            ForceKind::Contact { .. } | ForceKind::PointContactTyre { .. } => continue,
        }
        law.complete(model);
        laws.push(law);
    }
    laws
}

impl<'m> Law<'m> {
    /// Finds the variables and leaves it needs.
    fn complete(&mut self, model: &'m Model) {
        let mut needed: IdVec<VariableId, bool> = model.variables.ids().map(|_| false).collect();
        let mut stack: Vec<&Formula> = self.formulas.clone();
        while let Some(formula) = stack.pop() {
            self.cost += formula.terms.len();
            for term in &formula.terms {
                if let TermKind::Variable(id) = term.kind
                    && !std::mem::replace(&mut needed[id], true)
                {
                    stack.push(&model.variables[id].value);
                }
                if let Some(leaf) = Leaf::of(model, formula, term.kind, term.span)
                    && !self.leaves.contains(&leaf)
                {
                    self.leaves.push(leaf);
                }
            }
        }
        self.cost = self.cost * self.leaves.len().max(1) + model.variables.len();
        self.variables = model.variable_order.iter().copied().filter(|&id| needed[id]).collect();
    }

    /// Values of the variables it needs.
    fn variables(&self, model: &Model, defaults: &Defaults<'_>, values: &[f64]) -> IdVec<VariableId, f64> {
        let mut variables: IdVec<VariableId, f64> = model.variables.ids().map(|_| f64::NAN).collect();
        for &id in &self.variables {
            let value = self.evaluate(model, defaults, &model.variables[id].value, values, &variables);
            variables[id] = value.unwrap_or(f64::NAN);
        }
        variables
    }

    fn evaluate(
        &self,
        model: &Model,
        defaults: &Defaults<'_>,
        formula: &Formula,
        values: &[f64],
        variables: &IdVec<VariableId, f64>,
    ) -> Option<f64> {
        // Leaves are told apart by the place of their term, which `evaluate_with` does not know.
        let mut at = formula.terms.iter().filter(|term| is_open(term.kind));
        defaults.evaluate_with(formula, |kind| {
            let term = at.next()?;
            if let TermKind::Variable(id) = kind {
                return Some(variables[id]);
            }
            let leaf = Leaf::of(model, formula, kind, term.span)?;
            self.leaves.iter().position(|known| *known == leaf).map(|index| values[index])
        })
    }

    /// The forces it makes of these values of its leaves.
    pub(super) fn force(&self, model: &Model, defaults: &Defaults<'_>, values: &[f64]) -> Option<Vec<f64>> {
        let variables = self.variables(model, defaults, values);
        let of: Option<Vec<f64>> = self
            .formulas
            .iter()
            .map(|formula| self.evaluate(model, defaults, formula, values, &variables))
            .collect();
        let of = of?;
        Some(match &self.parts {
            Parts::Each => of,
            Parts::Spring(length, rate) => {
                vec![of[3] - of[0] * (values[*length] - of[2]) - of[1] * values[*rate]]
            }
            Parts::Friction(rate) => {
                vec![-of[0] * mbs_math::tanh(values[*rate] / of[1]) - of[2] * values[*rate]]
            }
            Parts::Springs(leaves) => leaves
                .iter()
                .enumerate()
                .map(|(k, &(d, rate))| -of[2 * k] * values[d] - of[2 * k + 1] * values[rate])
                .collect(),
        })
    }

    /// The comparisons its force may depend on: the formula, the term in it, and whether the
    /// formula is that of a variable.
    pub(super) fn comparisons(&self, model: &'m Model) -> Vec<(&'m Formula, usize, bool)> {
        let own = self.formulas.iter().map(|formula| (*formula, false));
        let elsewhere = self.variables.iter().map(|&id| (&model.variables[id].value, true));
        let all = own.chain(elsewhere).flat_map(|(formula, is_elsewhere)| {
            (0..formula.terms.len()).map(move |term| (formula, term, is_elsewhere))
        });
        all.filter(|(formula, term, _)| matches!(formula.terms[*term].kind, TermKind::Compare(..))).collect()
    }

    /// A comparison, if something that moves decides it.
    pub(super) fn condition(
        &self,
        model: &Model,
        (formula, term, is_elsewhere): (&Formula, usize, bool),
    ) -> Option<Condition> {
        let TermKind::Compare(comparison, a, b) = formula.terms[term].kind else { return None };
        let leaves = self.reached(model, formula, [a, b]);
        let moves = |leaf: &usize| !matches!(self.leaves[*leaf], Leaf::Time | Leaf::Input(_));
        if !leaves.iter().any(moves) {
            return None;
        }
        // Terms come after what they use: the formula up to an operand is the operand.
        let side = |id: u32| Formula { terms: formula.terms[..=id as usize].to_vec(), span: formula.span };
        let sides = [side(a), side(b)];
        Some(Condition { span: formula.terms[term].span, is_elsewhere, comparison, sides, leaves })
    }

    /// The leaves that two terms of a formula depend on, through variables too.
    fn reached(&self, model: &Model, formula: &Formula, roots: [u32; 2]) -> Vec<usize> {
        let mut leaves = Vec::new();
        let mut seen: IdVec<VariableId, bool> = model.variables.ids().map(|_| false).collect();
        let mut work: Vec<(&Formula, Vec<u32>)> = vec![(formula, roots.to_vec())];
        while let Some((formula, mut stack)) = work.pop() {
            let mut visited = vec![false; formula.terms.len()];
            while let Some(id) = stack.pop() {
                if std::mem::replace(&mut visited[id as usize], true) {
                    continue;
                }
                let term = &formula.terms[id as usize];
                if let Some(leaf) = Leaf::of(model, formula, term.kind, term.span) {
                    let index = self.leaves.iter().position(|known| *known == leaf);
                    leaves.extend(index.filter(|index| !leaves.contains(index)));
                    continue;
                }
                if let TermKind::Variable(id) = term.kind
                    && !std::mem::replace(&mut seen[id], true)
                {
                    let value = &model.variables[id].value;
                    work.push((value, vec![value.terms.len() as u32 - 1]));
                }
                term.kind.for_each_operand(|operand| stack.push(operand));
            }
        }
        leaves
    }
}

/// Whether `evaluate_with` asks for the value of such a term.
fn is_open(kind: TermKind) -> bool {
    matches!(
        kind,
        TermKind::Input(_)
            | TermKind::Time
            | TermKind::Coordinate(_)
            | TermKind::Velocity(_)
            | TermKind::State(_)
            | TermKind::Variable(_)
            | TermKind::Local(_)
            | TermKind::Der(_)
            | TermKind::Query(_)
    )
}

/// One comparison in a law.
pub(super) struct Condition {
    pub(super) span: Span,
    /// Whether it stands in a variable the law uses.
    pub(super) is_elsewhere: bool,
    comparison: Comparison,
    /// Both sides of it.
    sides: [Formula; 2],
    /// The leaves of the law it depends on.
    pub(super) leaves: Vec<usize>,
}

impl Condition {
    /// Whether it holds at these values of the law's leaves.
    pub(super) fn holds(
        &self,
        model: &Model,
        defaults: &Defaults<'_>,
        law: &Law<'_>,
        values: &[f64],
    ) -> Option<bool> {
        let variables = law.variables(model, defaults, values);
        let [a, b] =
            self.sides.each_ref().map(|side| law.evaluate(model, defaults, side, values, &variables));
        let (a, b) = (a?, b?);
        (!a.is_nan() && !b.is_nan()).then(|| self.comparison.holds(a, b))
    }
}
