//! Symbolic differentiation on the graph: forward and reverse accumulation.

use super::{Graph, Node};
use crate::ids::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Forward derivative along one direction.
///
/// A direction is a derivative for each of some expressions, usually symbols; those
/// of kinematic quantities may be given too, so that known velocities are used
/// instead of being derived again. All other leaves have derivative zero.
#[derive(Debug, Clone, Default)]
pub struct Derivative {
    known: FxHashMap<ExprId, ExprId>,
}

impl Derivative {
    /// The direction that gives each listed expression its derivative.
    pub fn new(seeds: impl IntoIterator<Item = (ExprId, ExprId)>) -> Self {
        Self { known: seeds.into_iter().collect() }
    }

    /// Adds one more known derivative; the first one given stands.
    pub fn seed(&mut self, expr: ExprId, derivative: ExprId) {
        self.known.entry(expr).or_insert(derivative);
    }

    /// Derivative of `expr` along this direction.
    pub fn of(&mut self, graph: &mut Graph, expr: ExprId) -> ExprId {
        // Matrices of derivatives ask this of every symbol along every direction.
        if let Some(&known) = self.known.get(&expr) {
            return known;
        }
        if graph.node(expr).operands().next().is_none() {
            return graph.zero();
        }
        for id in below(graph, expr, |id| self.known.contains_key(&id)) {
            let mut total = graph.zero();
            let node = graph.node(id);
            for (position, operand) in node.operands().enumerate() {
                let inner = self.known[&operand];
                if !graph.is_zero(inner) {
                    let term = chain(graph, id, position, inner);
                    total = graph.add(total, term);
                }
            }
            self.known.insert(id, total);
        }
        self.known[&expr]
    }
}

/// Derivatives of one expression with respect to many, by reverse accumulation.
pub fn gradient(graph: &mut Graph, of: ExprId, with_respect_to: &[ExprId]) -> Vec<ExprId> {
    let mut adjoint: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let one = graph.one();
    adjoint.insert(of, one);
    for id in below(graph, of, |_| false).into_iter().rev() {
        let Some(&outer) = adjoint.get(&id) else { continue };
        for (position, operand) in graph.node(id).operands().enumerate() {
            let term = chain(graph, id, position, outer);
            let sum = match adjoint.get(&operand) {
                Some(&sum) => graph.add(sum, term),
                None => term,
            };
            adjoint.insert(operand, sum);
        }
    }
    let zero = graph.zero();
    with_respect_to.iter().map(|id| adjoint.get(id).copied().unwrap_or(zero)).collect()
}

/// `expr` and all it depends on, operands first, not looking past what `stop` names.
fn below(graph: &Graph, expr: ExprId, stop: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![expr];
    let mut list = Vec::new();
    while let Some(id) = stack.pop() {
        if stop(id) || !seen.insert(id) {
            continue;
        }
        list.push(id);
        stack.extend(graph.node(id).operands());
    }
    list.sort_unstable();
    list
}

/// `factor` times the derivative of node `id` with respect to its operand at
/// `position`.
fn chain(graph: &mut Graph, id: ExprId, position: usize, factor: ExprId) -> ExprId {
    match (graph.node(id), position) {
        (Node::Unary(op, a), _) => op.differential(graph, a, id, factor),
        (Node::Binary(op, a, b), _) => op.differential(graph, [a, b], id, position, factor),
        (Node::Select(..), 0) => graph.zero(),
        // The derivative of a choice is the choice of the derivatives.
        (Node::Select(condition, ..), _) => {
            let zero = graph.zero();
            match position {
                1 => graph.select(condition, factor, zero),
                _ => graph.select(condition, zero, factor),
            }
        }
        (Node::Table { table, kind, derivative, at }, _) => {
            let slope = graph.table(table, kind, derivative + 1, at);
            graph.mul(slope, factor)
        }
        (Node::Constant(_) | Node::Symbol(_), _) => unreachable!("leaves have no operands"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{BinaryOp, Environment, Symbol, UnaryOp, evaluate};
    use crate::ids::TableId;

    fn no_table(_: TableId, _: mbs_math::TableKind, _: u8, _: f64) -> f64 {
        unreachable!("no table in these expressions")
    }

    /// Forward and reverse derivatives against a central difference of the
    /// interpreter, for one expression of p0 and p1.
    fn check(build: impl Fn(&mut Graph, ExprId, ExprId) -> ExprId) {
        let mut graph = Graph::new();
        let symbols = [graph.symbol(Symbol::P(0)), graph.symbol(Symbol::P(1))];
        let expr = build(&mut graph, symbols[0], symbols[1]);
        let reverse = gradient(&mut graph, expr, &symbols);
        let one = graph.one();
        let at = [0.37, 0.61];
        let value = |graph: &Graph, id: ExprId, p: [f64; 2]| {
            evaluate(graph, &Environment { p: &p, ..Environment::default() }, &no_table, &[id])[0]
        };
        for k in 0..2 {
            let forward = Derivative::new([(symbols[k], one)]).of(&mut graph, expr);
            let (mut low, mut high) = (at, at);
            low[k] -= 1e-5;
            high[k] += 1e-5;
            let difference = (value(&graph, expr, high) - value(&graph, expr, low)) / 2e-5;
            for derivative in [forward, reverse[k]] {
                let exact = value(&graph, derivative, at);
                assert!(
                    (exact - difference).abs() < 1e-8 * (1.0 + exact.abs()),
                    "{exact} against {difference}"
                );
            }
        }
    }

    #[test]
    fn every_function_of_one_value() {
        use UnaryOp::*;
        for op in [Neg, Sqrt, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Log, Floor] {
            check(|graph, a, b| {
                let product = graph.mul(a, b);
                graph.unary(op, product)
            });
        }
    }

    #[test]
    fn every_function_of_two_values() {
        use BinaryOp::*;
        for op in [Add, Sub, Mul, Div, Pow, Atan2, Mod] {
            check(|graph, a, b| {
                let sum = graph.add(a, b);
                graph.binary(op, sum, b)
            });
        }
    }

    #[test]
    fn choice_of_derivatives() {
        check(|graph, a, b| {
            let condition = graph.binary(BinaryOp::Less, a, b);
            let (x, y) = (graph.mul(a, a), graph.sin(b));
            graph.select(condition, x, y)
        });
    }
}
