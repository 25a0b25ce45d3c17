//! Jets: quantities with their first and second derivatives along the motion.

use super::motion::Column;
use crate::expr::{BinaryOp, Graph, UnaryOp};
use crate::ids::ExprId;
use crate::spatial::Vec3;
use std::collections::BTreeMap;

/// A function of p and t with all that constraints need of it: value, ∂rate/∂column,
/// rate, and second rate with v' = 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Jet {
    pub(crate) value: ExprId,
    pub(crate) columns: BTreeMap<Column, ExprId>,
    pub(crate) rate: ExprId,
    pub(crate) bias: ExprId,
}

/// Three of them: a vector in the reference link's axes.
pub(crate) type VecJet = [Jet; 3];

impl Jet {
    /// A quantity that does not move.
    pub(crate) fn fixed(graph: &mut Graph, value: ExprId) -> Self {
        let zero = graph.zero();
        Self { value, columns: BTreeMap::new(), rate: zero, bias: zero }
    }

    /// From vectors of values, rates, second rates and columns.
    pub(crate) fn vector(
        graph: &mut Graph,
        [value, rate, bias]: [Vec3; 3],
        columns: impl IntoIterator<Item = (Column, Vec3)>,
    ) -> VecJet {
        let mut jets = [0, 1, 2].map(|k| Self {
            value: value.xyz[k],
            columns: BTreeMap::new(),
            rate: rate.xyz[k],
            bias: bias.xyz[k],
        });
        for (column, vector) in columns {
            for (jet, component) in jets.iter_mut().zip(vector.xyz) {
                jet.add_to_column(graph, column, component);
            }
        }
        jets
    }

    fn add_to_column(&mut self, graph: &mut Graph, column: Column, term: ExprId) {
        if graph.is_zero(term) {
            return;
        }
        let sum = match self.columns.get(&column) {
            Some(&sum) => graph.add(sum, term),
            None => term,
        };
        self.columns.insert(column, sum);
    }

    /// A function of two values, whose value and second rate are known.
    fn combine(&self, graph: &mut Graph, op: BinaryOp, other: &Self, value: ExprId, bias: ExprId) -> Self {
        let (one, operands) = (graph.one(), [self.value, other.value]);
        let [left, right] = [0, 1].map(|position| op.differential(graph, operands, value, position, one));
        Self::along(graph, value, bias, &[(left, self), (right, other)])
    }

    /// Columns and rate by the chain rule, from what the value depends on and its slope along each.
    fn along(graph: &mut Graph, value: ExprId, bias: ExprId, terms: &[(ExprId, &Self)]) -> Self {
        let zero = graph.zero();
        let mut result = Self { value, columns: BTreeMap::new(), rate: zero, bias };
        for &(factor, jet) in terms {
            for (&column, &term) in &jet.columns {
                let product = graph.mul(factor, term);
                result.add_to_column(graph, column, product);
            }
            let product = graph.mul(factor, jet.rate);
            result.rate = graph.add(result.rate, product);
        }
        result
    }

    /// a + b
    pub(crate) fn add(&self, graph: &mut Graph, other: &Self) -> Self {
        let value = graph.add(self.value, other.value);
        let bias = graph.add(self.bias, other.bias);
        self.combine(graph, BinaryOp::Add, other, value, bias)
    }

    /// a − b
    pub(crate) fn sub(&self, graph: &mut Graph, other: &Self) -> Self {
        let value = graph.sub(self.value, other.value);
        let bias = graph.sub(self.bias, other.bias);
        self.combine(graph, BinaryOp::Sub, other, value, bias)
    }

    /// s·a with s fixed.
    pub(crate) fn scale(&self, graph: &mut Graph, s: ExprId) -> Self {
        let value = graph.mul(s, self.value);
        let bias = graph.mul(s, self.bias);
        Self::along(graph, value, bias, &[(s, self)])
    }

    /// a·b; the second rate is a'' b + 2 a' b' + a b''.
    pub(crate) fn mul(&self, graph: &mut Graph, other: &Self) -> Self {
        let value = graph.mul(self.value, other.value);
        let mixed = graph.mul(self.rate, other.rate);
        let mixed = graph.scale(2.0, mixed);
        let (left, right) = (graph.mul(self.bias, other.value), graph.mul(self.value, other.bias));
        let outer = graph.add(left, right);
        let bias = graph.add(outer, mixed);
        self.combine(graph, BinaryOp::Mul, other, value, bias)
    }

    /// √a; the second rate is a''/2s − s'²/s.
    pub(crate) fn sqrt(&self, graph: &mut Graph) -> Self {
        let value = graph.sqrt(self.value);
        let (zero, one) = (graph.zero(), graph.one());
        let slope = UnaryOp::Sqrt.differential(graph, self.value, value, one);
        let mut result = Self::along(graph, value, zero, &[(slope, self)]);
        let first = graph.mul(slope, self.bias);
        let square = graph.mul(result.rate, result.rate);
        let second = graph.div(square, value);
        result.bias = graph.sub(first, second);
        result
    }

    /// 1/a; the second rate is −a''/a² + 2 a'²/a³. With the value 1/a at hand its slope takes no
    /// second division.
    pub(crate) fn reciprocal(&self, graph: &mut Graph) -> Self {
        let one = graph.one();
        let value = graph.div(one, self.value);
        let square = graph.mul(value, value);
        let slope = graph.neg(square);
        let zero = graph.zero();
        let mut result = Self::along(graph, value, zero, &[(slope, self)]);
        let first = graph.mul(slope, self.bias);
        let product = graph.mul(result.rate, self.rate);
        let product = graph.mul(product, value);
        let second = graph.scale(-2.0, product);
        result.bias = graph.add(first, second);
        result
    }

    /// a·b of vectors.
    pub(crate) fn dot(graph: &mut Graph, a: &VecJet, b: &VecJet) -> Self {
        let zero = graph.zero();
        let mut sum = Self::fixed(graph, zero);
        for (x, y) in a.iter().zip(b) {
            let product = x.mul(graph, y);
            sum = sum.add(graph, &product);
        }
        sum
    }

    /// a − b of positions, which may be far away and close to each other.
    pub(crate) fn difference(graph: &mut Graph, a: &VecJet, b: &VecJet) -> VecJet {
        [0, 1, 2].map(|k| {
            let value = crate::expr::difference(graph, a[k].value, b[k].value);
            Self { value, ..a[k].sub(graph, &b[k]) }
        })
    }

    /// Second rate with v' as symbols: bias + Σ column·v'.
    pub(crate) fn acceleration(&self, graph: &mut Graph) -> ExprId {
        let mut total = self.bias;
        for (&column, &term) in &self.columns {
            if let Column::V(index) = column {
                let v_dot = graph.symbol(crate::expr::Symbol::VDot(index));
                let product = graph.mul(term, v_dot);
                total = graph.add(total, product);
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Derivative, Environment, Symbol, evaluate};

    /// Two quantities of p[0] and p[1] with their derivatives from the rules of `expr::diff`.
    fn operands(graph: &mut Graph) -> [Jet; 2] {
        let [p, q] = [0, 1].map(|k| graph.symbol(Symbol::P(k)));
        let (sin, cos) = (graph.sin(p), graph.cos(q));
        let (product, square) = (graph.mul(p, q), graph.mul(q, q));
        let a = graph.add(sin, square);
        let b = graph.add(cos, product);
        [a, b].map(|value| of(graph, value))
    }

    /// `value` with derivatives by `expr::Derivative`: p' = v, and v' = 0.
    fn of(graph: &mut Graph, value: ExprId) -> Jet {
        let mut along = rates(graph);
        let rate = along.of(graph, value);
        let bias = along.of(graph, rate);
        let columns = [0, 1]
            .into_iter()
            .map(|k| {
                let (p, one) = (graph.symbol(Symbol::P(k)), graph.one());
                (Column::V(k), Derivative::new([(p, one)]).of(graph, value))
            })
            .collect();
        Jet { value, columns, rate, bias }
    }

    fn rates(graph: &mut Graph) -> Derivative {
        Derivative::new([0, 1].map(|k| (graph.symbol(Symbol::P(k)), graph.symbol(Symbol::V(k)))))
    }

    #[test]
    fn operations_agree_with_derivatives() {
        type Operation = fn(&Jet, &mut Graph, &Jet) -> Jet;
        let operations: [(&str, Operation); 6] = [
            ("add", |a, graph, b| a.add(graph, b)),
            ("sub", |a, graph, b| a.sub(graph, b)),
            ("mul", |a, graph, b| a.mul(graph, b)),
            ("sqrt", |a, graph, _| a.sqrt(graph)),
            ("reciprocal", |a, graph, _| a.reciprocal(graph)),
            ("scale", |a, graph, _| {
                let three = graph.constant(3.0);
                a.scale(graph, three)
            }),
        ];
        let environment = Environment { p: &[0.7, 1.3], v: &[-0.4, 0.9], ..Environment::default() };
        for (name, operation) in operations {
            let mut graph = Graph::default();
            let [a, b] = operands(&mut graph);
            let found = operation(&a, &mut graph, &b);
            let expected = of(&mut graph, found.value);
            let parts = |jet: &Jet| {
                let mut parts = vec![jet.rate, jet.bias];
                parts.extend([0, 1].map(|k| jet.columns[&Column::V(k)]));
                parts
            };
            let at = |jet: &Jet| evaluate(&graph, &environment, &|_, _, _, _| 0.0, &parts(jet));
            for (found, expected) in at(&found).into_iter().zip(at(&expected)) {
                assert!(expected != 0.0 && (found - expected).abs() < 1e-13, "{name}: {found}, {expected}");
            }
        }
    }
}
