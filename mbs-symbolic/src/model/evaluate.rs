//! Formulas as numbers, with the default values of parameters.

use super::table::pieces;
use super::{BinaryOperator, Comparison, Formula, Function, Model, ParameterValue, Table, TermKind};
use crate::ids::{Id, IdVec, ParamId, TableId, VariableId};
use mbs_math::{self as math, TableKind};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Points and coefficients of a table.
type Pieces = (Vec<f64>, Vec<[f64; 4]>);

/// Default values of all parameters, given and derived, ready to evaluate formulas.
#[derive(Debug)]
pub struct Defaults<'m> {
    parameters: IdVec<ParamId, f64>,
    tables: &'m IdVec<TableId, Table>,
    splines: Vec<OnceCell<Pieces>>,
    lines: Vec<OnceCell<Pieces>>,
}

impl<'m> Defaults<'m> {
    /// Computes the derived parameters of `model` from the given ones.
    pub fn new(model: &'m Model) -> Self {
        Self::with(model, |_, default| default)
    }

    /// As [`Defaults::new`], with given parameters set to what `given` makes of their
    /// ids and defaults.
    pub fn with(model: &'m Model, mut given: impl FnMut(ParamId, f64) -> f64) -> Self {
        let mut defaults = Self {
            parameters: model
                .parameters
                .iter_enumerated()
                .map(|(id, parameter)| match parameter.value {
                    ParameterValue::Given(value) => given(id, value),
                    ParameterValue::Derived(_) => f64::NAN,
                })
                .collect(),
            tables: &model.tables,
            splines: vec![OnceCell::new(); model.tables.len()],
            lines: vec![OnceCell::new(); model.tables.len()],
        };
        for &id in &model.derived_order {
            if let ParameterValue::Derived(formula) = &model.parameters[id].value {
                defaults.parameters[id] = defaults.evaluate(formula).unwrap_or(f64::NAN);
            }
        }
        defaults
    }

    /// The value of a parameter.
    pub fn parameter(&self, id: ParamId) -> f64 {
        self.parameters[id]
    }

    /// The value of a formula of parameters; `None` if it uses anything else.
    pub fn evaluate(&self, formula: &Formula) -> Option<f64> {
        self.evaluate_with(formula, |_| None)
    }

    /// The value of a formula of parameters and time.
    pub fn evaluate_at(&self, formula: &Formula, time: f64) -> Option<f64> {
        self.evaluate_with(formula, |kind| (kind == TermKind::Time).then_some(time))
    }

    /// The value of a formula whose other leaves (coordinates, queries, …) `leaf`
    /// knows; truth values are 1 and 0.
    pub fn evaluate_with(
        &self,
        formula: &Formula,
        mut leaf: impl FnMut(TermKind) -> Option<f64>,
    ) -> Option<f64> {
        let mut values: Vec<f64> = Vec::with_capacity(formula.terms.len());
        for term in &formula.terms {
            let v = |id: u32| values[id as usize];
            let value = match term.kind {
                TermKind::Number(value) => value,
                TermKind::Parameter(id) => self.parameters[id],
                TermKind::Neg(a) => -v(a),
                TermKind::Binary(operator, a, b) => arithmetic(operator, v(a), v(b)),
                TermKind::Call(function, a, b) => function.evaluate(v(a), v(b)),
                TermKind::Compare(comparison, a, b) => truth(comparison.holds(v(a), v(b))),
                TermKind::And(a, b) => truth(v(a) != 0.0 && v(b) != 0.0),
                TermKind::Or(a, b) => truth(v(a) != 0.0 || v(b) != 0.0),
                TermKind::Not(a) => truth(v(a) == 0.0),
                TermKind::If(condition, a, b) => v(if v(condition) != 0.0 { a } else { b }),
                TermKind::Table(table, kind, a) => self.look_up(table, kind, v(a)),
                other => leaf(other)?,
            };
            values.push(value);
        }
        values.last().copied()
    }

    /// The value of each term of a formula, `None` for those that depend on more than parameters
    /// and the variables that are known.
    pub(super) fn terms(
        &self,
        formula: &Formula,
        variables: &BTreeMap<VariableId, Option<f64>>,
    ) -> Vec<Option<f64>> {
        let mut values: Vec<Option<f64>> = Vec::with_capacity(formula.terms.len());
        for term in &formula.terms {
            let v = |id: u32| values[id as usize];
            let value = match term.kind {
                TermKind::Number(value) => Some(value),
                TermKind::Parameter(id) => Some(self.parameters[id]),
                TermKind::Variable(id) => variables.get(&id).copied().flatten(),
                TermKind::Neg(a) => v(a).map(|a| -a),
                TermKind::Binary(operator, a, b) => v(a).zip(v(b)).map(|(a, b)| arithmetic(operator, a, b)),
                TermKind::Call(function, a, b) => v(a).zip(v(b)).map(|(a, b)| function.evaluate(a, b)),
                TermKind::Compare(comparison, a, b) => {
                    v(a).zip(v(b)).map(|(a, b)| truth(comparison.holds(a, b)))
                }
                TermKind::And(a, b) => v(a).zip(v(b)).map(|(a, b)| truth(a != 0.0 && b != 0.0)),
                TermKind::Or(a, b) => v(a).zip(v(b)).map(|(a, b)| truth(a != 0.0 || b != 0.0)),
                TermKind::Not(a) => v(a).map(|a| truth(a == 0.0)),
                TermKind::If(condition, a, b) => {
                    v(condition).and_then(|holds| v(if holds != 0.0 { a } else { b }))
                }
                TermKind::Table(table, kind, a) => v(a).map(|at| self.look_up(table, kind, at)),
                _ => None,
            };
            values.push(value);
        }
        values
    }

    fn look_up(&self, id: TableId, kind: TableKind, at: f64) -> f64 {
        let table = &self.tables[id];
        let cells = match kind {
            TableKind::Spline => &self.splines,
            TableKind::Linear => &self.lines,
        };
        let (x, coefficients) = cells[id.index()].get_or_init(|| pieces(table, kind));
        let ready = math::Table { x, coefficients };
        match kind {
            TableKind::Spline => math::spline(ready, 0, at),
            TableKind::Linear => math::linear(ready, 0, at),
        }
    }
}

fn arithmetic(operator: BinaryOperator, a: f64, b: f64) -> f64 {
    match operator {
        BinaryOperator::Add => a + b,
        BinaryOperator::Sub => a - b,
        BinaryOperator::Mul => a * b,
        BinaryOperator::Div => a / b,
        BinaryOperator::Pow => math::pow(a, b),
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

impl Comparison {
    /// Whether it holds between two numbers.
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
        }
    }
}

impl Function {
    /// Its value; functions of one argument ignore `b`.
    pub fn evaluate(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sin => math::sin(a),
            Self::Cos => math::cos(a),
            Self::Tan => math::tan(a),
            Self::Asin => math::asin(a),
            Self::Acos => math::acos(a),
            Self::Atan => math::atan(a),
            Self::Atan2 => math::atan2(a, b),
            Self::Sinh => math::sinh(a),
            Self::Cosh => math::cosh(a),
            Self::Tanh => math::tanh(a),
            Self::Exp => math::exp(a),
            Self::Log => math::log(a),
            Self::Sqrt => math::sqrt(a),
            Self::Abs => a.abs(),
            Self::Sign => truth(a > 0.0) - truth(a < 0.0),
            Self::Min => {
                if b < a {
                    b
                } else {
                    a
                }
            }
            Self::Max => {
                if b > a {
                    b
                } else {
                    a
                }
            }
            Self::Floor => math::floor(a),
            Self::Mod => math::modulo(a, b),
        }
    }
}

/// The value of a formula of numbers alone.
pub(super) fn constant(formula: &Formula) -> Option<f64> {
    let tables = IdVec::new();
    let nothing =
        Defaults { parameters: IdVec::new(), tables: &tables, splines: Vec::new(), lines: Vec::new() };
    let fixed = |kind| !matches!(kind, TermKind::Parameter(_) | TermKind::Table(..));
    formula.terms.iter().all(|term| fixed(term.kind)).then(|| nothing.evaluate(formula))?
}
