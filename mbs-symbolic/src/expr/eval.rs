//! Values of expressions at one state.

use super::{Graph, Node, Symbol};
use crate::ids::{ExprId, Id, TableId};
use mbs_math::TableKind;

/// Values of all symbols.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "named as in Symbol")]
pub struct Environment<'a> {
    pub theta: &'a [f64],
    pub t: f64,
    pub p: &'a [f64],
    pub v: &'a [f64],
    pub x: &'a [f64],
    pub u: &'a [f64],
    pub modes: &'a [bool],
    pub v_dot: &'a [f64],
    pub lambda: &'a [f64],
}

impl Environment<'_> {
    /// The value of one symbol; truth values are 1 and 0.
    pub fn get(&self, symbol: Symbol) -> f64 {
        match symbol {
            Symbol::Theta(i) => self.theta[i as usize],
            Symbol::Time => self.t,
            Symbol::P(i) => self.p[i as usize],
            Symbol::V(i) => self.v[i as usize],
            Symbol::X(i) => self.x[i as usize],
            Symbol::U(i) => self.u[i as usize],
            Symbol::Mode(id) => f64::from(u8::from(self.modes[id.index()])),
            Symbol::VDot(i) => self.v_dot[i as usize],
            Symbol::Lambda(i) => self.lambda[i as usize],
        }
    }
}

/// Values of `roots`. `table` reads a table: which, how, derivative, argument.
pub fn evaluate(
    graph: &Graph,
    environment: &Environment<'_>,
    table: &dyn Fn(TableId, TableKind, u8, f64) -> f64,
    roots: &[ExprId],
) -> Vec<f64> {
    let values = values(graph, environment, table, roots);
    roots.iter().map(|root| values[root.index()]).collect()
}

/// Values of `roots` and of all they depend on, by id; zero for all other ids.
pub fn values(
    graph: &Graph,
    environment: &Environment<'_>,
    table: &dyn Fn(TableId, TableKind, u8, f64) -> f64,
    roots: &[ExprId],
) -> Vec<f64> {
    let Some(last) = roots.iter().max() else { return Vec::new() };
    let mut needed = vec![false; last.index() + 1];
    for root in roots {
        needed[root.index()] = true;
    }
    for index in (0..needed.len()).rev() {
        if needed[index] {
            for operand in graph.node(ExprId::new(index)).operands() {
                needed[operand.index()] = true;
            }
        }
    }
    let mut values = vec![0.0; needed.len()];
    for index in 0..needed.len() {
        if !needed[index] {
            continue;
        }
        let value = |id: ExprId| values[id.index()];
        values[index] = match graph.node(ExprId::new(index)) {
            Node::Constant(bits) => bits.get(),
            Node::Symbol(symbol) => environment.get(symbol),
            Node::Unary(op, a) => op.eval(value(a)),
            Node::Binary(op, a, b) => op.eval(value(a), value(b)),
            Node::Select(condition, a, b) => {
                if value(condition) != 0.0 {
                    value(a)
                } else {
                    value(b)
                }
            }
            Node::Table { table: id, kind, derivative, at } => table(id, kind, derivative, value(at)),
        };
    }
    values
}
