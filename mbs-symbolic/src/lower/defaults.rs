//! Numbers for decisions: values with default parameters.

use super::EquationContext;
use crate::expr::{Environment, Node, Symbol, evaluate};
use crate::ids::ExprId;
use crate::model::{ParameterValue, pieces};
use mbs_math::{Table, TableKind};

impl EquationContext<'_> {
    /// The value of an expression of parameters alone, with default parameters.
    pub(crate) fn default_value(&self, expr: ExprId) -> f64 {
        self.value(expr, &Environment { theta: &self.default_parameters(), ..Environment::default() })
    }

    /// The value with default parameters, all joints at zero and at rest, inputs at zero.
    pub(crate) fn value_at_rest(&mut self, expr: ExprId) -> f64 {
        let model = self.model;
        let mut p = vec![0.0; self.symbols.positions.iter().flatten().count()];
        for joint in &model.joints {
            if let Some((q, _)) = self.quaternion(&joint.kind)
                && let Node::Symbol(Symbol::P(scalar)) = self.graph.node(q[0])
            {
                p[scalar as usize] = 1.0;
            }
        }
        let v = vec![0.0; self.symbols.velocities.iter().flatten().count()];
        let x = vec![0.0; model.states.len()];
        let u = vec![0.0; self.input_slots()];
        let theta = self.default_parameters();
        self.value(expr, &Environment { theta: &theta, p: &p, v: &v, x: &x, u: &u, ..Environment::default() })
    }

    fn value(&self, expr: ExprId, environment: &Environment<'_>) -> f64 {
        let read = |id, kind, derivative, at| {
            let table = &self.tables[id];
            let (x, coefficients) = pieces(table, kind);
            let table = Table { x: &x, coefficients: &coefficients };
            match kind {
                TableKind::Spline => mbs_math::spline(table, derivative, at),
                TableKind::Linear => mbs_math::linear(table, derivative, at),
            }
        };
        evaluate(&self.graph, environment, &read, &[expr])[0]
    }

    /// Defaults of θ in order.
    pub(crate) fn default_parameters(&self) -> Vec<f64> {
        let given = |value: &ParameterValue| match value {
            ParameterValue::Given(value) => *value,
            ParameterValue::Derived(_) => unreachable!("θ holds given parameters"),
        };
        self.symbols.theta.iter().map(|&id| given(&self.model.parameters[id].value)).collect()
    }
}
