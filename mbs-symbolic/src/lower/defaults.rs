//! Numbers for decisions: values with default parameters.

use super::Lowering;
use crate::expr::{Environment, evaluate};
use crate::ids::ExprId;
use crate::model::{ParameterValue, coefficients};
use mbs_math::{Table, TableKind};

impl Lowering<'_> {
    /// The value of an expression of parameters alone, with default parameters.
    pub(crate) fn default_value(&self, expr: ExprId) -> f64 {
        let theta = self.default_parameters();
        let model = self.model;
        let read = |id, kind, derivative, at| {
            let table = &model.tables[id];
            let coefficients = coefficients(table, kind);
            let table = Table { x: &table.x, coefficients: &coefficients };
            match kind {
                TableKind::Spline => mbs_math::spline(table, derivative, at),
                TableKind::Linear => mbs_math::linear(table, derivative, at),
            }
        };
        evaluate(&self.graph, &Environment { theta: &theta, ..Environment::default() }, &read, &[expr])[0]
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
