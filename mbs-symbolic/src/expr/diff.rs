//! Symbolic differentiation on the graph: forward and reverse accumulation.

use super::{BinaryOp, Graph, Node, UnaryOp};
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
        (Node::Unary(op, a), _) => chain_unary(graph, op, id, a, factor),
        (Node::Binary(op, a, b), _) => chain_binary(graph, op, id, a, b, position, factor),
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

fn chain_unary(graph: &mut Graph, op: UnaryOp, id: ExprId, a: ExprId, factor: ExprId) -> ExprId {
    let one = graph.one();
    match op {
        UnaryOp::Neg => graph.neg(factor),
        UnaryOp::Sqrt => {
            let half = graph.scale(0.5, factor);
            graph.div(half, id)
        }
        UnaryOp::Sin => {
            let cosine = graph.cos(a);
            graph.mul(cosine, factor)
        }
        UnaryOp::Cos => {
            let sine = graph.sin(a);
            let product = graph.mul(sine, factor);
            graph.neg(product)
        }
        // 1 + tan²
        UnaryOp::Tan => {
            let square = graph.mul(id, id);
            let slope = graph.add(one, square);
            graph.mul(slope, factor)
        }
        UnaryOp::Asin | UnaryOp::Acos => {
            let square = graph.mul(a, a);
            let rest = graph.sub(one, square);
            let root = graph.sqrt(rest);
            let quotient = graph.div(factor, root);
            if op == UnaryOp::Asin { quotient } else { graph.neg(quotient) }
        }
        UnaryOp::Atan => {
            let square = graph.mul(a, a);
            let sum = graph.add(one, square);
            graph.div(factor, sum)
        }
        UnaryOp::Sinh => {
            let slope = graph.unary(UnaryOp::Cosh, a);
            graph.mul(slope, factor)
        }
        UnaryOp::Cosh => {
            let slope = graph.unary(UnaryOp::Sinh, a);
            graph.mul(slope, factor)
        }
        UnaryOp::Tanh => {
            let square = graph.mul(id, id);
            let slope = graph.sub(one, square);
            graph.mul(slope, factor)
        }
        UnaryOp::Exp => graph.mul(id, factor),
        UnaryOp::Log => graph.div(factor, a),
        UnaryOp::Floor | UnaryOp::Not => graph.zero(),
    }
}

fn chain_binary(
    graph: &mut Graph,
    op: BinaryOp,
    id: ExprId,
    a: ExprId,
    b: ExprId,
    position: usize,
    factor: ExprId,
) -> ExprId {
    match (op, position) {
        (BinaryOp::Add, _) | (BinaryOp::Sub | BinaryOp::Mod, 0) => factor,
        (BinaryOp::Sub, _) => graph.neg(factor),
        (BinaryOp::Mul, 0) => graph.mul(b, factor),
        (BinaryOp::Mul, _) => graph.mul(a, factor),
        (BinaryOp::Div, 0) => graph.div(factor, b),
        // −(a/b)/b
        (BinaryOp::Div, _) => {
            let slope = graph.div(id, b);
            let product = graph.mul(slope, factor);
            graph.neg(product)
        }
        // b · a^(b−1)
        (BinaryOp::Pow, 0) => {
            let one = graph.one();
            let lower = graph.sub(b, one);
            let power = graph.binary(BinaryOp::Pow, a, lower);
            let slope = graph.mul(b, power);
            graph.mul(slope, factor)
        }
        (BinaryOp::Pow, _) => {
            let log = graph.unary(UnaryOp::Log, a);
            let slope = graph.mul(id, log);
            graph.mul(slope, factor)
        }
        // (b a' − a b') / (a² + b²)
        (BinaryOp::Atan2, _) => {
            let (a2, b2) = (graph.mul(a, a), graph.mul(b, b));
            let sum = graph.add(a2, b2);
            let slope = if position == 0 {
                graph.div(b, sum)
            } else {
                let quotient = graph.div(a, sum);
                graph.neg(quotient)
            };
            graph.mul(slope, factor)
        }
        // −floor(a/b)
        (BinaryOp::Mod, _) => {
            let quotient = graph.div(a, b);
            let whole = graph.unary(UnaryOp::Floor, quotient);
            let product = graph.mul(whole, factor);
            graph.neg(product)
        }
        (BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::And | BinaryOp::Or, _) => graph.zero(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Environment, Symbol, evaluate};
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
