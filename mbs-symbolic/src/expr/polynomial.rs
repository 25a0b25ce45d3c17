//! Sums of products in normal form, where directions are computed from few angles.
//!
//! Dot and cross products of such directions often collapse: everything is multiplied out, equal
//! terms are taken together and sin² is 1 − cos², so that what cancels does.

use super::gather::is_parametric;
use super::{BinaryOp, Graph, Node, UnaryOp};
use crate::ids::ExprId;
use std::collections::BTreeMap;

/// Sums of more terms, or products of more factors, are left as they are.
const MAX_TERMS: usize = 32;
const MAX_FACTORS: usize = 12;

/// Factors in order, repeated ones repeated.
type Monomial = Vec<ExprId>;

/// The factor of each product of other expressions.
#[derive(Debug, Clone, PartialEq)]
struct Polynomial(BTreeMap<Monomial, f64>);

/// The expression multiplied out, if that is shorter, or else as it is.
pub fn simplified(graph: &mut Graph, expr: ExprId) -> ExprId {
    let Some(polynomial) = Polynomial::of(graph, expr) else { return expr };
    let written = polynomial.write(graph);
    if graph.operations(&[written]) < graph.operations(&[expr]) { written } else { expr }
}

/// What all components have as a factor, and the components without it.
pub fn without_common_factor(graph: &mut Graph, components: [ExprId; 3]) -> (ExprId, [ExprId; 3]) {
    let one = graph.one();
    let polynomials = components.map(|component| Polynomial::of(graph, component));
    let [Some(a), Some(b), Some(c)] = polynomials else { return (one, components) };
    let mut all = [&a, &b, &c].into_iter().flat_map(|polynomial| polynomial.0.keys());
    let Some(mut common) = all.next().cloned() else { return (one, components) };
    for monomial in all {
        let mut left = monomial.clone();
        common.retain(|factor| {
            let place = left.iter().position(|other| other == factor);
            place.map(|place| left.remove(place)).is_some()
        });
    }
    if common.is_empty() {
        return (one, components);
    }
    let primitive = [a, b, c].map(|polynomial| polynomial.without(&common).write(graph));
    (Polynomial(BTreeMap::from([(common, 1.0)])).write(graph), primitive)
}

/// A quotient, without division where the divisor is a factor of every term.
pub fn quotient(graph: &mut Graph, expr: ExprId, divisor: ExprId) -> ExprId {
    let divided = || {
        let (above, below) = (Polynomial::of(graph, expr)?, Polynomial::of(graph, divisor)?);
        let mut below = below.0.into_iter();
        let (Some((common, 1.0)), None) = (below.next(), below.next()) else { return None };
        above.0.keys().all(|monomial| contains(monomial, &common)).then(|| above.without(&common))
    };
    match divided() {
        Some(quotient) => quotient.write(graph),
        None => graph.div(expr, divisor),
    }
}

fn contains(monomial: &Monomial, factors: &Monomial) -> bool {
    let mut left = monomial.clone();
    factors.iter().all(|factor| {
        let place = left.iter().position(|other| other == factor);
        place.map(|place| left.remove(place)).is_some()
    })
}

impl Polynomial {
    /// `None` if it is long.
    fn of(graph: &Graph, expr: ExprId) -> Option<Self> {
        let mut known: BTreeMap<ExprId, Self> = BTreeMap::new();
        let mut stack = vec![(expr, false)];
        while let Some((id, are_operands_known)) = stack.pop() {
            if known.contains_key(&id) {
                continue;
            }
            let node = graph.node(id);
            let is_taken_apart = match node {
                Node::Unary(UnaryOp::Neg, _) | Node::Binary(BinaryOp::Mul, ..) => true,
                // Sums of parameters are hoisted as they are.
                Node::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => !is_parametric(graph, id),
                _ => false,
            };
            if is_taken_apart && !are_operands_known {
                stack.push((id, true));
                stack.extend(node.operands().map(|operand| (operand, false)));
                continue;
            }
            let found = match node {
                Node::Constant(bits) => Self::number(bits.get()),
                Node::Unary(UnaryOp::Neg, a) => known[&a].times(graph, &Self::number(-1.0))?,
                Node::Binary(BinaryOp::Mul, a, b) => known[&a].times(graph, &known[&b])?,
                Node::Binary(BinaryOp::Add, a, b) if is_taken_apart => known[&a].plus(&known[&b], 1.0)?,
                Node::Binary(BinaryOp::Sub, a, b) if is_taken_apart => known[&a].plus(&known[&b], -1.0)?,
                _ => Self(BTreeMap::from([(vec![id], 1.0)])),
            };
            known.insert(id, found);
        }
        known.remove(&expr)
    }

    fn number(value: f64) -> Self {
        Self(if value == 0.0 { BTreeMap::new() } else { BTreeMap::from([(Vec::new(), value)]) })
    }

    fn plus(&self, other: &Self, scale: f64) -> Option<Self> {
        let mut sum = self.clone();
        for (monomial, &factor) in &other.0 {
            sum.add(monomial.clone(), scale * factor);
        }
        (sum.0.len() <= MAX_TERMS).then_some(sum)
    }

    fn add(&mut self, monomial: Monomial, factor: f64) {
        let sum = self.0.entry(monomial.clone()).or_insert(0.0);
        *sum += factor;
        if *sum == 0.0 {
            self.0.remove(&monomial);
        }
    }

    /// The product, with sin² = 1 − cos².
    fn times(&self, graph: &Graph, other: &Self) -> Option<Self> {
        let mut product = Self::number(0.0);
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut monomial = [&left[..], right].concat();
                if monomial.len() > MAX_FACTORS {
                    return None;
                }
                monomial.sort_unstable();
                let mut open = vec![(monomial, a * b)];
                while let Some((monomial, factor)) = open.pop() {
                    let Some((place, cosine)) = squared_sine(graph, &monomial) else {
                        product.add(monomial, factor);
                        continue;
                    };
                    let mut rest = monomial;
                    rest.drain(place..place + 2);
                    let mut other = rest.clone();
                    other.extend([cosine; 2]);
                    other.sort_unstable();
                    open.extend([(rest, factor), (other, -factor)]);
                }
            }
        }
        (product.0.len() <= MAX_TERMS).then_some(product)
    }

    /// Divided by a monomial all terms contain.
    fn without(&self, common: &Monomial) -> Self {
        let terms = self.0.iter().map(|(monomial, &factor)| {
            let mut left = monomial.clone();
            for divisor in common {
                if let Some(place) = left.iter().position(|other| other == divisor) {
                    left.remove(place);
                }
            }
            (left, factor)
        });
        Self(terms.collect())
    }

    fn write(&self, graph: &mut Graph) -> ExprId {
        let mut sum = graph.zero();
        for (monomial, &factor) in &self.0 {
            let mut product = graph.constant(factor.abs());
            for &other in monomial {
                product = graph.mul(product, other);
            }
            sum = if factor < 0.0 { graph.sub(sum, product) } else { graph.add(sum, product) };
        }
        sum
    }
}

/// Where a sine stands twice in a row, and its cosine, where the graph has one.
fn squared_sine(graph: &Graph, monomial: &[ExprId]) -> Option<(usize, ExprId)> {
    (1..monomial.len()).filter(|&k| monomial[k - 1] == monomial[k]).find_map(|k| {
        let Node::Unary(UnaryOp::Sin, angle) = graph.node(monomial[k]) else { return None };
        Some((k - 1, graph.find(Node::Unary(UnaryOp::Cos, angle))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Symbol;

    fn sine_and_cosine(graph: &mut Graph, index: u32) -> [ExprId; 2] {
        let angle = graph.symbol(Symbol::P(index));
        [graph.sin(angle), graph.cos(angle)]
    }

    #[test]
    fn squares_of_directions_collapse() {
        let mut graph = Graph::new();
        let l = graph.symbol(Symbol::Theta(0));
        let ([s, c], [u, w]) = (sine_and_cosine(&mut graph, 0), sine_and_cosine(&mut graph, 1));
        // l² ((s u)² + (c u)² + w²)
        let components = [graph.mul(s, u), graph.mul(c, u), w].map(|component| graph.mul(l, component));
        let squares = components.map(|component| graph.mul(component, component));
        let sum = graph.sum(squares);
        let expected = graph.mul(l, l);
        assert_eq!(simplified(&mut graph, sum), expected);
    }

    #[test]
    fn what_is_long_anyway_stays() {
        let mut graph = Graph::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| graph.symbol(Symbol::P(k)));
        let (left, right) = (graph.add(a, b), graph.add(c, d));
        let product = graph.mul(left, right);
        assert_eq!(simplified(&mut graph, product), product);
    }

    #[test]
    fn common_factors_are_taken_out() {
        let mut graph = Graph::new();
        let l = graph.symbol(Symbol::Theta(0));
        let ([s, c], [_, w]) = (sine_and_cosine(&mut graph, 0), sine_and_cosine(&mut graph, 1));
        let scale = graph.mul(l, w);
        let (x, y, zero) = (graph.mul(scale, s), graph.mul(scale, c), graph.zero());
        let x = graph.neg(x);
        let opposite = graph.neg(s);
        let (factor, primitive) = without_common_factor(&mut graph, [x, y, zero]);
        assert_eq!((factor, primitive), (scale, [opposite, c, zero]));
        let (above, below) = (quotient(&mut graph, x, l), graph.mul(w, opposite));
        assert_eq!(above, below);
        let fraction = graph.div(s, l);
        assert_eq!(quotient(&mut graph, s, l), fraction);
        let nothing = without_common_factor(&mut graph, [s, c, w]);
        assert_eq!(nothing, (graph.one(), [s, c, w]));
    }
}
