//! Numbers that tell expressions of two models apart.
//!
//! Expressions are evaluated in the field of integers modulo 2⁶¹ − 1, with a fixed element per
//! name. Two expressions that are equal by the laws of arithmetic (order of terms, factoring,
//! expanding) get the same number, and two that are not get different ones but for a chance of
//! about 10⁻¹⁶ (Schwartz 1980, Zippel 1979). Functions other than + − · / are known by their
//! name and the number of their argument; of the odd and even ones signs are understood.

use crate::dynamics::Equations;
use crate::expr::{BinaryOp, Node, Parity, Symbol, UnaryOp};
use crate::ids::{ExprId, Id};

const PRIME: u64 = (1 << 61) - 1;

/// The number of every expression of a model.
pub(super) struct Fingerprints(Vec<u64>);

impl Fingerprints {
    pub(super) fn of(equations: &Equations) -> Self {
        let graph = &equations.graph;
        let tables: Vec<u64> = equations
            .tables
            .iter()
            .map(|table| {
                let words = table.x.iter().chain(&table.y).map(|value| value.to_bits());
                words.fold(hash(&[7]), |sum, word| hash(&[sum, word]))
            })
            .collect();
        let mut list: Vec<u64> = Vec::with_capacity(graph.len());
        for index in 0..graph.len() {
            let at = |id: ExprId| list[id.index()];
            let number = match graph.node(ExprId::new(index)) {
                Node::Constant(bits) => constant(bits.get()),
                Node::Symbol(symbol) => hash_text(&symbol_name(equations, symbol)),
                Node::Unary(op, a) => unary(op, at(a)),
                Node::Binary(op, a, b) => binary(op, at(a), at(b)),
                Node::Select(c, a, b) => hash(&[11, at(c), at(a), at(b)]),
                Node::Table { table, kind, derivative, at: argument } => {
                    hash(&[13, tables[table.index()], kind as u64, u64::from(derivative), at(argument)])
                }
            };
            list.push(number);
        }
        Self(list)
    }

    pub(super) fn get(&self, expr: ExprId) -> u64 {
        self.0[expr.index()]
    }
}

/// A name for a symbol that means the same in every model.
pub(super) fn symbol_name(equations: &Equations, symbol: Symbol) -> String {
    let layout = &equations.layout;
    match symbol {
        Symbol::Theta(i) => format!("parameter {}", layout.parameters[i as usize]),
        Symbol::Time => "time".to_owned(),
        Symbol::P(i) => format!("position {}", layout.positions[i as usize]),
        Symbol::V(i) => format!("velocity {}", layout.velocities[i as usize]),
        Symbol::X(i) => format!("state {}", layout.states[i as usize]),
        Symbol::U(i) => {
            let slot = &layout.inputs[i as usize];
            format!("input {} {}", slot.name, slot.derivative)
        }
        Symbol::Mode(id) => format!("mode {}", layout.modes[id].name),
        Symbol::VDot(i) => format!("acceleration {}", layout.velocities[i as usize]),
        Symbol::Lambda(i) => format!("multiplier {}", layout.rows[i as usize].name),
    }
}

fn unary(op: UnaryOp, a: u64) -> u64 {
    let named = |a: u64| hash(&[3, op as u64, a]);
    let opposite = negate(a);
    match op.parity() {
        _ if op == UnaryOp::Neg => opposite,
        Some(Parity::Odd) if a > opposite => negate(named(opposite)),
        Some(Parity::Even) => named(a.min(opposite)),
        Some(Parity::Odd) | None => named(a),
    }
}

fn binary(op: BinaryOp, a: u64, b: u64) -> u64 {
    match op {
        BinaryOp::Add => (a + b) % PRIME,
        BinaryOp::Sub => (a + negate(b)) % PRIME,
        BinaryOp::Mul => multiply(a, b),
        BinaryOp::Div if b == 0 => hash(&[17, a]),
        BinaryOp::Div => multiply(a, power(b, PRIME - 2)),
        BinaryOp::And | BinaryOp::Or => hash(&[5, op as u64, a.min(b), a.max(b)]),
        BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Mod | BinaryOp::Less | BinaryOp::LessEqual => {
            hash(&[5, op as u64, a, b])
        }
    }
}

fn negate(a: u64) -> u64 {
    (PRIME - a) % PRIME
}

fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut a: u64, mut n: u64) -> u64 {
    let mut result = 1;
    while n > 0 {
        if n & 1 == 1 {
            result = multiply(result, a);
        }
        a = multiply(a, a);
        n >>= 1;
    }
    result
}

/// The field element of a finite number, exactly: it is an integer times a power of two, and
/// 2⁶¹ is one.
fn constant(value: f64) -> u64 {
    let bits = value.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let scale = 1_u64 << exponent.rem_euclid(61);
    let magnitude = multiply(mantissa, scale % PRIME);
    if value < 0.0 { negate(magnitude) } else { magnitude }
}

fn hash_text(text: &str) -> u64 {
    text.bytes().fold(hash(&[1]), |sum, byte| hash(&[sum, u64::from(byte)]))
}

/// A field element that depends on all words (the finaliser of SplitMix64).
fn hash(words: &[u64]) -> u64 {
    let mut z = 0x9e37_79b9_7f4a_7c15_u64;
    for word in words {
        z = (z ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    z % PRIME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_keep_arithmetic() {
        for (a, b) in [(0.1, 3.0), (-2.5, 1e-3), (1e10, -7.0)] {
            // Exact products of short numbers.
            assert_eq!(multiply(constant(a), constant(2.0)), constant(2.0 * a));
            assert_eq!(binary(BinaryOp::Sub, constant(a), constant(a)), 0);
            assert_eq!(multiply(binary(BinaryOp::Div, constant(a), constant(b)), constant(b)), constant(a));
        }
        assert_eq!(constant(0.0), 0);
        assert_eq!(constant(-1.0), PRIME - 1);
    }

    #[test]
    fn signs_of_odd_and_even_functions() {
        for a in [5, 77, PRIME - 3] {
            assert_eq!(unary(UnaryOp::Sin, negate(a)), negate(unary(UnaryOp::Sin, a)));
            assert_eq!(unary(UnaryOp::Cos, negate(a)), unary(UnaryOp::Cos, a));
            assert_ne!(unary(UnaryOp::Exp, negate(a)), unary(UnaryOp::Exp, a));
        }
    }
}
