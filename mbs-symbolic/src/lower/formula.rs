//! One formula → one expression.

use super::EquationContext;
use crate::diag::{Problem, Span};
use crate::dynamics::{Decision, Element, SourceNote};
use crate::expr::{BinaryOp, Symbol, UnaryOp};
use crate::ids::{ExprId, IdVec, VariableId};
use crate::model::{BinaryOperator, Comparison, Formula, Function, Query, TermId, TermKind};
use mbs_math::TableKind;

/// Answers questions about the mechanism's motion.
pub(crate) trait Queries {
    /// The expression of one answer.
    fn query(&mut self, context: &mut EquationContext<'_>, query: Query) -> ExprId;
}

/// For formulas in places where the model reader allows no query.
pub(crate) struct NoQueries;

impl Queries for NoQueries {
    fn query(&mut self, _: &mut EquationContext<'_>, query: Query) -> ExprId {
        unreachable!("the reader lets no {query:?} into this place")
    }
}

/// Whether a term computes, and does not only hand on or choose.
fn makes_something(kind: TermKind) -> bool {
    matches!(kind, TermKind::Binary(..) | TermKind::Call(..) | TermKind::Table(..) | TermKind::Der(_))
}

impl EquationContext<'_> {
    /// A formula in a force law, auxiliary state or switching condition: it may not
    /// depend on accelerations.
    pub(crate) fn law(
        &mut self,
        formula: &Formula,
        locals: &[ExprId],
        queries: &mut dyn Queries,
        element: Element,
    ) -> ExprId {
        let expr = self.formula(formula, locals, queries, Some(element));
        if self.depends_on(expr, |symbol| matches!(symbol, Symbol::VDot(_) | Symbol::Lambda(_))) {
            self.problems
                .error(formula.span, Problem::RateTooHigh { what: "a velocity in a force law".into() });
            return self.graph.zero();
        }
        expr
    }

    /// Any formula. Conditionals become modes of `element`; without one they are
    /// decided by parameters.
    pub(crate) fn formula(
        &mut self,
        formula: &Formula,
        locals: &[ExprId],
        queries: &mut dyn Queries,
        element: Option<Element>,
    ) -> ExprId {
        let mut values: Vec<ExprId> = Vec::with_capacity(formula.terms.len());
        for term in &formula.terms {
            let at = |id: TermId| values[id as usize];
            let value = match term.kind {
                // The reader lets no infinite or undefined literal through.
                TermKind::Number(value) => self.graph.constant(value),
                TermKind::Parameter(id) => self.symbols.parameters[id],
                TermKind::Input(id) => self.input(id, 0),
                TermKind::Time => self.graph.symbol(Symbol::Time),
                TermKind::Coordinate(id) => self.coordinate(id),
                TermKind::Velocity(id) => self.velocity(id),
                TermKind::State(id) => self.state(id),
                TermKind::Variable(id) => self.variable(id, queries),
                TermKind::Local(index) => locals[usize::from(index)],
                TermKind::Neg(a) => {
                    let a = at(a);
                    self.graph.neg(a)
                }
                TermKind::Binary(op, a, b) => {
                    let op = match op {
                        BinaryOperator::Add => BinaryOp::Add,
                        BinaryOperator::Sub => BinaryOp::Sub,
                        BinaryOperator::Mul => BinaryOp::Mul,
                        BinaryOperator::Div => BinaryOp::Div,
                        BinaryOperator::Pow => BinaryOp::Pow,
                    };
                    let (a, b) = (at(a), at(b));
                    self.graph.binary(op, a, b)
                }
                TermKind::Call(function, a, b) => {
                    let (a, b) = (at(a), at(b));
                    self.call(function, [a, b], term.span, element)
                }
                TermKind::Compare(comparison, a, b) => {
                    let (a, b) = (at(a), at(b));
                    let (function, or_zero) = match comparison {
                        Comparison::Less => (self.graph.sub(a, b), false),
                        Comparison::LessEqual => (self.graph.sub(a, b), true),
                        Comparison::Greater => (self.graph.sub(b, a), false),
                        Comparison::GreaterEqual => (self.graph.sub(b, a), true),
                    };
                    self.negative(function, or_zero, Decision::Condition(term.span), element)
                }
                TermKind::And(a, b) => {
                    let (a, b) = (at(a), at(b));
                    self.graph.binary(BinaryOp::And, a, b)
                }
                TermKind::Or(a, b) => {
                    let (a, b) = (at(a), at(b));
                    self.graph.binary(BinaryOp::Or, a, b)
                }
                TermKind::Not(a) => {
                    let a = at(a);
                    self.graph.unary(UnaryOp::Not, a)
                }
                TermKind::If(condition, a, b) => {
                    let (condition, a, b) = (at(condition), at(a), at(b));
                    self.graph.select(condition, a, b)
                }
                TermKind::Table(table, kind, a) => {
                    let a = at(a);
                    match kind {
                        TableKind::Linear => self.linear(table, a, element),
                        TableKind::Spline => self.graph.table(table, kind, 0, a),
                    }
                }
                TermKind::Der(a) => {
                    let a = at(a);
                    self.total_derivative(a, queries, term.span)
                }
                TermKind::Query(query) => queries.query(self, query),
            };
            values.push(value);
            if makes_something(term.kind) {
                self.places.push((value, SourceNote { span: term.span, element, words: None }));
            }
        }
        *values.last().expect("a formula is never empty")
    }

    fn call(
        &mut self,
        function: Function,
        [a, b]: [ExprId; 2],
        span: Span,
        element: Option<Element>,
    ) -> ExprId {
        let decision = Decision::Branch(function, span);
        let unary = match function {
            Function::Sin => UnaryOp::Sin,
            Function::Cos => UnaryOp::Cos,
            Function::Tan => UnaryOp::Tan,
            Function::Asin => UnaryOp::Asin,
            Function::Acos => UnaryOp::Acos,
            Function::Atan => UnaryOp::Atan,
            Function::Sinh => UnaryOp::Sinh,
            Function::Cosh => UnaryOp::Cosh,
            Function::Tanh => UnaryOp::Tanh,
            Function::Exp => UnaryOp::Exp,
            Function::Log => UnaryOp::Log,
            Function::Sqrt => UnaryOp::Sqrt,
            Function::Floor => UnaryOp::Floor,
            Function::Atan2 => return self.graph.binary(BinaryOp::Atan2, a, b),
            Function::Mod => return self.graph.binary(BinaryOp::Mod, a, b),
            Function::Abs => {
                let minus = self.graph.neg(a);
                let below = self.negative(a, false, decision, element);
                return self.graph.select(below, minus, a);
            }
            Function::Sign => {
                let (one, minus) = (self.graph.one(), self.graph.constant(-1.0));
                let below = self.negative(a, false, decision, element);
                return self.graph.select(below, minus, one);
            }
            Function::Min | Function::Max => {
                let difference = self.graph.sub(a, b);
                let below = self.negative(difference, false, decision, element);
                let (if_below, otherwise) = if function == Function::Min { (a, b) } else { (b, a) };
                return self.graph.select(below, if_below, otherwise);
            }
        };
        self.graph.unary(unary, a)
    }

    /// The value of a named expression, lowered once, after those it uses.
    fn variable(&mut self, id: VariableId, queries: &mut dyn Queries) -> ExprId {
        if let Some(value) = self.variables[id] {
            return value;
        }
        let model = self.model;
        let mut needed: IdVec<VariableId, bool> = model.variables.ids().map(|_| false).collect();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut needed[id], true) {
                continue;
            }
            stack.extend(model.variables[id].value.terms.iter().filter_map(|term| match term.kind {
                TermKind::Variable(used) => Some(used),
                _ => None,
            }));
        }
        for &id in &model.variable_order {
            if needed[id] && self.variables[id].is_none() {
                let element = Some(Element::Variable(id));
                self.variables[id] = Some(self.formula(&model.variables[id].value, &[], queries, element));
            }
        }
        self.variables[id].expect("the reader orders variables after those they use")
    }
}
