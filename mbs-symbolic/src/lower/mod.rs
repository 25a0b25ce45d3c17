//! Formulas of the model → expressions.
//!
//! A [`EquationContext`] owns the expression graph while equations are built: it knows which
//! symbol stands for each parameter, input, state and coordinate, turns conditionals
//! into modes, and forms total time derivatives.

mod defaults;
mod formula;
mod mimic;
mod modes;
mod partials;
mod pieces;
mod time;

pub(crate) use formula::{NoQueries, Queries};
use mimic::Follower;
pub(crate) use modes::{FoundMode, Modes};
pub(crate) use partials::OfLocals;
pub(crate) use pieces::Pieces;

use crate::diag::{Diagnostics, Problem};
use crate::dynamics::SourceNote;
use crate::expr::{Derivative, Graph, Symbol};
use crate::ids::{
    CoordinateId, ExprId, Id, IdVec, InputId, JointId, ParamId, StateId, TableId, VariableId, VelocityId,
};
use crate::model::{Axis, Formula, Model, Name, ParameterValue, Table};
use crate::spatial::{Axes, Vec3};
use crate::topology::Topology;

/// The graph under construction and what its symbols mean.
pub(crate) struct EquationContext<'m> {
    pub(crate) model: &'m Model,
    pub(crate) graph: Graph,
    pub(crate) problems: Diagnostics,
    pub(crate) modes: Modes,
    /// Tables of the model, and those derived from them.
    pub(crate) tables: IdVec<TableId, Table>,
    /// Tables whose kinks are events.
    pub(crate) pieces: Vec<Pieces>,
    pub(crate) symbols: Symbols,
    /// d/dt along the motion: p' = T v, v' free, x' = a.
    pub(crate) time: Derivative,
    /// Where expressions were made, in the order they were; the first place stands.
    pub(crate) places: Vec<(ExprId, SourceNote)>,
    variables: IdVec<VariableId, Option<ExprId>>,
    state_rates: IdVec<StateId, StateRate>,
}

/// How far the rate of a state has been formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StateRate {
    Unknown,
    InProgress,
    Known,
}

/// What the model's names are in the equations.
pub(crate) struct Symbols {
    /// Value of every parameter, derived ones written out.
    pub(crate) parameters: IdVec<ParamId, ExprId>,
    /// Given parameters in the order of θ.
    pub(crate) theta: Vec<ParamId>,
    /// First slot of every input.
    pub(crate) inputs: IdVec<InputId, u32>,
    /// Index in p; `None` for coordinates of cut joints and for those that follow others.
    pub(crate) positions: IdVec<CoordinateId, Option<u32>>,
    /// Index in v; `None` for velocities of cut joints and of coordinates that follow others.
    pub(crate) velocities: IdVec<VelocityId, Option<u32>>,
    /// What coordinates that follow others are of those.
    followers: IdVec<CoordinateId, Option<Follower>>,
}

impl<'m> EquationContext<'m> {
    pub(crate) fn new(model: &'m Model, topology: &Topology) -> Self {
        let mut graph = Graph::new();
        let zero = graph.zero();
        let mut theta = Vec::new();
        let parameters = model.parameters.iter_enumerated().map(|(id, parameter)| match parameter.value {
            ParameterValue::Given(_) => {
                theta.push(id);
                graph.symbol(Symbol::Theta(theta.len() as u32 - 1))
            }
            ParameterValue::Derived(_) => zero,
        });
        let parameters = parameters.collect();
        let mut slots = 0;
        let inputs = model.inputs.iter().map(|input| {
            let first = slots;
            slots += u32::from(input.derivatives) + 1;
            first
        });
        let mut positions: IdVec<CoordinateId, Option<u32>> = model.coordinates.ids().map(|_| None).collect();
        for (index, &coordinate) in topology.positions.iter().enumerate() {
            positions[coordinate] = Some(index as u32);
        }
        let mut velocities: IdVec<VelocityId, Option<u32>> = model.velocities.ids().map(|_| None).collect();
        for (index, &velocity) in topology.velocities.iter().enumerate() {
            velocities[velocity] = Some(index as u32);
        }
        let inputs = inputs.collect();
        let followers = model.coordinates.ids().map(|_| None).collect();
        let symbols = Symbols { parameters, theta, inputs, positions, velocities, followers };
        let mut context = Self {
            model,
            graph,
            problems: Diagnostics::default(),
            modes: Modes::default(),
            tables: model.tables.clone(),
            pieces: Vec::new(),
            symbols,
            time: Derivative::default(),
            places: Vec::new(),
            variables: model.variables.ids().map(|_| None).collect(),
            state_rates: model.states.ids().map(|_| StateRate::Unknown).collect(),
        };
        for &id in &model.derived_order {
            if let ParameterValue::Derived(formula) = &model.parameters[id].value {
                context.symbols.parameters[id] = context.parameter(formula);
            }
        }
        context.follow();
        context.seed_time();
        context
    }

    /// A formula of parameters alone.
    pub(crate) fn parameter(&mut self, formula: &Formula) -> ExprId {
        self.formula(formula, &[], &mut NoQueries, None)
    }

    /// Three formulas of parameters alone, as a vector.
    pub(crate) fn parameter_vector(&mut self, axes: Axes, formulas: &[Formula; 3]) -> Vec3 {
        let xyz = [0, 1, 2].map(|k| self.parameter(&formulas[k]));
        Vec3::new(axes, xyz)
    }

    /// The unit vector of an axis.
    pub(crate) fn axis(&mut self, axes: Axes, axis: &Axis) -> Vec3 {
        match axis {
            Axis::Principal { index, negative } => {
                let unit = Vec3::unit(&mut self.graph, axes, usize::from(*index));
                if *negative { unit.neg(&mut self.graph) } else { unit }
            }
            Axis::Vector(formulas) => {
                let vector = self.parameter_vector(axes, formulas);
                let square = vector.dot(&mut self.graph, vector);
                let length = self.graph.sqrt(square);
                let one = self.graph.one();
                let reciprocal = self.graph.div(one, length);
                vector.scale(&mut self.graph, reciprocal)
            }
        }
    }

    /// Index in p; reports a coordinate whose joint was cut.
    pub(crate) fn position_index(&mut self, id: CoordinateId) -> Option<u32> {
        let index = self.symbols.positions[id];
        if index.is_none() {
            let coordinate = &self.model.coordinates[id];
            self.report_cut(&coordinate.name, coordinate.joint);
        }
        index
    }

    /// Index in v of a velocity, or of the one it follows; reports a velocity whose joint was cut.
    pub(crate) fn velocity_index(&mut self, id: VelocityId) -> Option<u32> {
        let id = self.independent(id);
        let index = self.symbols.velocities[id];
        if index.is_none() {
            let velocity = &self.model.velocities[id];
            self.report_cut(&velocity.name, velocity.joint);
        }
        index
    }

    fn report_cut(&mut self, name: &Name, joint: JointId) {
        let joint = self.model.joints[joint].name.text.clone();
        self.problems
            .error(name.span, Problem::CoordinateOfCutJoint { coordinate: name.text.clone(), joint });
    }

    /// A coordinate of a joint that was not cut: its symbol, or what it is of the one it follows.
    pub(crate) fn coordinate(&mut self, id: CoordinateId) -> ExprId {
        if let Some(Follower { master, ratio, offset }) = self.symbols.followers[id] {
            let master = self.coordinate(master);
            let turned = self.graph.mul(ratio, master);
            return self.graph.add(turned, offset);
        }
        match self.position_index(id) {
            Some(index) => self.graph.symbol(Symbol::P(index)),
            None => self.graph.zero(),
        }
    }

    /// A velocity of a joint that was not cut: its symbol, or a multiple of the one it follows.
    pub(crate) fn velocity(&mut self, id: VelocityId) -> ExprId {
        let Some(index) = self.velocity_index(id) else { return self.graph.zero() };
        let symbol = self.graph.symbol(Symbol::V(index));
        match self.ratio(id) {
            Some(ratio) => self.graph.mul(ratio, symbol),
            None => symbol,
        }
    }

    /// Symbol of derivative 0, 1 or 2 of an input.
    pub(crate) fn input(&mut self, id: InputId, derivative: u32) -> ExprId {
        self.graph.symbol(Symbol::U(self.symbols.inputs[id] + derivative))
    }

    /// Number of slots of u.
    pub(crate) fn input_slots(&self) -> usize {
        self.model.inputs.iter().map(|input| usize::from(input.derivatives) + 1).sum()
    }

    /// Symbol of a state.
    pub(crate) fn state(&mut self, id: StateId) -> ExprId {
        self.graph.symbol(Symbol::X(id.index() as u32))
    }
}
