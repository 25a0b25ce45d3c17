//! The folding rules, applied when a node is made. Each holds over the reals
//! wherever its left side is defined, and each has a test below.

use super::{BinaryOp, Graph, Node, Parity, UnaryOp};
use crate::ids::ExprId;
use std::f64::consts::FRAC_PI_2;

pub(super) fn unary(graph: &mut Graph, op: UnaryOp, a: ExprId) -> ExprId {
    if let Some(value) = graph.as_constant(a) {
        let folded = match op {
            UnaryOp::Sin => quarter_turns(value).map_or_else(|| op.eval(value), |k| [0.0, 1.0, 0.0, -1.0][k]),
            UnaryOp::Cos => quarter_turns(value).map_or_else(|| op.eval(value), |k| [1.0, 0.0, -1.0, 0.0][k]),
            _ => op.eval(value),
        };
        // What is not a number stays an operation and shows at run time.
        if folded.is_finite() {
            return graph.constant(folded);
        }
    }
    match (op, graph.node(a)) {
        // −(−a) = a, not not a = a
        (UnaryOp::Neg, Node::Unary(UnaryOp::Neg, inner))
        | (UnaryOp::Not, Node::Unary(UnaryOp::Not, inner)) => return inner,
        (_, Node::Unary(UnaryOp::Neg, inner)) => match op.parity() {
            // sin(−a) = −sin a, and the other odd functions
            Some(Parity::Odd) => {
                let positive = graph.unary(op, inner);
                return graph.neg(positive);
            }
            // cos(−a) = cos a, cosh likewise
            Some(Parity::Even) => return graph.unary(op, inner),
            None => {}
        },
        _ => {}
    }
    graph.intern(Node::Unary(op, a))
}

/// k mod 4 if `angle` is the double nearest to k·π/2: the author wrote a multiple of
/// `pi/2`, whose sine and cosine are exact.
fn quarter_turns(angle: f64) -> Option<usize> {
    let k = (angle / FRAC_PI_2).round();
    let near = k.abs() < 1e6 && (angle - k * FRAC_PI_2).abs() <= 2.0 * f64::EPSILON * angle.abs();
    near.then(|| (k as i64).rem_euclid(4) as usize)
}

pub(super) fn binary(graph: &mut Graph, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    if let (Some(x), Some(y)) = (graph.as_constant(a), graph.as_constant(b)) {
        let folded = op.eval(x, y);
        if folded.is_finite() {
            return graph.constant(folded);
        }
        return graph.intern(Node::Binary(op, a, b));
    }
    let (a, b) = if op.is_commutative() && a > b { (b, a) } else { (a, b) };
    let folded = match op {
        BinaryOp::Add => add(graph, a, b),
        BinaryOp::Sub => sub(graph, a, b),
        BinaryOp::Mul => mul(graph, a, b),
        BinaryOp::Div => div(graph, a, b),
        BinaryOp::Pow => pow(graph, a, b),
        BinaryOp::And => and(graph, a, b),
        BinaryOp::Or => or(graph, a, b),
        BinaryOp::Atan2 | BinaryOp::Mod | BinaryOp::Less | BinaryOp::LessEqual => None,
    };
    folded.unwrap_or_else(|| graph.intern(Node::Binary(op, a, b)))
}

pub(super) fn select(graph: &mut Graph, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
    if a == b {
        return a;
    }
    match (graph.as_constant(condition), graph.node(condition)) {
        (Some(value), _) => {
            if value == 0.0 {
                b
            } else {
                a
            }
        }
        (None, Node::Unary(UnaryOp::Not, inner)) => select(graph, inner, b, a),
        _ => graph.intern(Node::Select(condition, a, b)),
    }
}

/// The operand, if the expression is its negative.
fn negated(graph: &Graph, a: ExprId) -> Option<ExprId> {
    match graph.node(a) {
        Node::Unary(UnaryOp::Neg, inner) => Some(inner),
        _ => None,
    }
}

/// (c, x) of c·x with a number c; (1, x) of any other x.
fn with_factor(graph: &Graph, a: ExprId) -> (f64, ExprId) {
    match graph.node(a) {
        Node::Binary(BinaryOp::Mul, x, y) => match (graph.as_constant(x), graph.as_constant(y)) {
            (Some(c), _) => (c, y),
            (_, Some(c)) => (c, x),
            _ => (1.0, a),
        },
        _ => (1.0, a),
    }
}

/// Products of more factors than this are not taken apart.
const MAX_FACTORS: usize = 8;

/// The factors of a product in order of their ids, those of inner products too; `None` if it
/// is none or has too many.
fn factors(graph: &Graph, product: ExprId) -> Option<Vec<ExprId>> {
    if !matches!(graph.node(product), Node::Binary(BinaryOp::Mul, ..)) {
        return None;
    }
    let mut list = vec![product];
    let mut next = 0;
    while next < list.len() {
        match graph.node(list[next]) {
            Node::Binary(BinaryOp::Mul, x, y) if list.len() < MAX_FACTORS => {
                list[next] = x;
                list.push(y);
            }
            Node::Binary(BinaryOp::Mul, ..) => return None,
            _ => next += 1,
        }
    }
    list.sort_unstable();
    Some(list)
}

/// Whether a and b are sin x and cos x of the same x.
fn is_pair(graph: &Graph, a: ExprId, b: ExprId) -> bool {
    matches!(
        (graph.node(a), graph.node(b)),
        (Node::Unary(UnaryOp::Sin, x), Node::Unary(UnaryOp::Cos, y))
        | (Node::Unary(UnaryOp::Cos, x), Node::Unary(UnaryOp::Sin, y)) if x == y
    )
}

/// The factors a of a·sin²x and a·cos²x.
fn pythagorean(graph: &Graph, left: &[ExprId], right: &[ExprId]) -> Option<Vec<ExprId>> {
    if left.len() != right.len() {
        return None;
    }
    let mut rest = Vec::with_capacity(left.len());
    let mut own: [Vec<ExprId>; 2] = [Vec::new(), Vec::new()];
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) if a == b => {
                rest.push(*a);
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), other) if other.is_none_or(|b| a < b) => {
                own[0].push(*a);
                i += 1;
            }
            (_, Some(b)) => {
                own[1].push(*b);
                j += 1;
            }
            _ => break,
        }
    }
    match (own[0].as_slice(), own[1].as_slice()) {
        ([a, also_a], [b, also_b]) if a == also_a && b == also_b && is_pair(graph, *a, *b) => Some(rest),
        _ => None,
    }
}

fn add(graph: &mut Graph, a: ExprId, b: ExprId) -> Option<ExprId> {
    // 0 + a = a
    if graph.is_zero(a) {
        return Some(b);
    }
    if graph.is_zero(b) {
        return Some(a);
    }
    match (negated(graph, a), negated(graph, b)) {
        // (−a) + (−b) = −(a + b)
        (Some(a), Some(b)) => {
            let sum = graph.add(a, b);
            return Some(graph.neg(sum));
        }
        // (−a) + b = b − a
        (Some(a), None) => return Some(graph.sub(b, a)),
        (None, Some(b)) => return Some(graph.sub(a, b)),
        (None, None) => {}
    }
    // c·a + d·a = (c + d)·a
    let ((c, x), (d, y)) = (with_factor(graph, a), with_factor(graph, b));
    // Numbers that are too large together stay apart: a graph holds finite ones only.
    if x == y && (c + d).is_finite() {
        return Some(graph.scale(c + d, x));
    }
    if let (Some(left), Some(right)) = (factors(graph, x), factors(graph, y)) {
        // c·(a·b) + d·(b·a) = (c + d)·(a·b)
        if left == right && (c + d).is_finite() {
            return Some(graph.scale(c + d, x));
        }
        // c·a·sin² + c·a·cos² = c·a
        if c == d
            && let Some(rest) = pythagorean(graph, &left, &right)
        {
            let product = rest.into_iter().reduce(|a, b| graph.mul(a, b));
            let product = product.unwrap_or_else(|| graph.one());
            return Some(graph.scale(c, product));
        }
    }
    // (x − y) + y = x
    for (sum, term) in [(a, b), (b, a)] {
        if let Node::Binary(BinaryOp::Sub, x, y) = graph.node(sum)
            && y == term
        {
            return Some(x);
        }
    }
    None
}

fn sub(graph: &mut Graph, a: ExprId, b: ExprId) -> Option<ExprId> {
    // a − a = 0
    if a == b {
        return Some(graph.zero());
    }
    // a − 0 = a
    if graph.is_zero(b) {
        return Some(a);
    }
    // 0 − a = −a
    if graph.is_zero(a) {
        return Some(graph.neg(b));
    }
    match (negated(graph, a), negated(graph, b)) {
        // (−a) − (−b) = b − a
        (Some(a), Some(b)) => return Some(graph.sub(b, a)),
        // (−a) − b = −(a + b)
        (Some(a), None) => {
            let sum = graph.add(a, b);
            return Some(graph.neg(sum));
        }
        // a − (−b) = a + b
        (None, Some(b)) => return Some(graph.add(a, b)),
        (None, None) => {}
    }
    // c·a − d·a = (c − d)·a
    let ((c, x), (d, y)) = (with_factor(graph, a), with_factor(graph, b));
    if x == y && (c - d).is_finite() {
        return Some(graph.scale(c - d, x));
    }
    // c·(a·b) − d·(b·a) = (c − d)·(a·b)
    if let (Some(left), Some(right)) = (factors(graph, x), factors(graph, y))
        && left == right
        && (c - d).is_finite()
    {
        return Some(graph.scale(c - d, x));
    }
    // (x + y) − y = x
    if let Node::Binary(BinaryOp::Add, x, y) = graph.node(a) {
        if y == b {
            return Some(x);
        }
        if x == b {
            return Some(y);
        }
    }
    // x − (x − y) = y
    if let Node::Binary(BinaryOp::Sub, x, y) = graph.node(b)
        && x == a
    {
        return Some(y);
    }
    // a − b = −(b − a), if that difference is there already
    graph.find(Node::Binary(BinaryOp::Sub, b, a)).map(|difference| graph.neg(difference))
}

fn mul(graph: &mut Graph, a: ExprId, b: ExprId) -> Option<ExprId> {
    // A number goes first.
    let (a, b) = if graph.as_constant(b).is_some() { (b, a) } else { (a, b) };
    match graph.as_constant(a) {
        // 0 · a = 0, 1 · a = a, −1 · a = −a
        Some(0.0) => return Some(graph.zero()),
        Some(1.0) => return Some(b),
        Some(-1.0) => return Some(graph.neg(b)),
        // −c · a = −(c · a)
        Some(c) if c < 0.0 => {
            let product = graph.scale(-c, b);
            return Some(graph.neg(product));
        }
        _ => {}
    }
    // (−a) · b = −(a · b)
    for (signed, other) in [(a, b), (b, a)] {
        if let Some(inner) = negated(graph, signed) {
            let product = graph.mul(inner, other);
            return Some(graph.neg(product));
        }
    }
    // c · (d · a) = (c·d) · a and a · (c · b) = c · (a · b)
    if let Some(c) = graph.as_constant(a) {
        let (d, x) = with_factor(graph, b);
        if d != 1.0 && x != b && (c * d).is_finite() {
            return Some(graph.scale(c * d, x));
        }
        return None;
    }
    for (scaled, other) in [(a, b), (b, a)] {
        let (c, x) = with_factor(graph, scaled);
        if c != 1.0 {
            let product = graph.mul(x, other);
            return Some(graph.scale(c, product));
        }
    }
    // √a · √a = a
    if a == b
        && let Node::Unary(UnaryOp::Sqrt, x) = graph.node(a)
    {
        return Some(x);
    }
    for (quotient, other) in [(a, b), (b, a)] {
        if let Node::Binary(BinaryOp::Div, x, y) = graph.node(quotient) {
            // (x / a) · a = x
            if y == other {
                return Some(x);
            }
            // (1 / a) · b = b / a
            if graph.as_constant(x) == Some(1.0) {
                return Some(graph.div(other, y));
            }
        }
    }
    None
}

fn div(graph: &mut Graph, a: ExprId, b: ExprId) -> Option<ExprId> {
    // 0 / a = 0
    if graph.is_zero(a) && !graph.is_zero(b) {
        return Some(a);
    }
    // a / a = 1
    if a == b {
        return Some(graph.one());
    }
    // a / c = (1/c) · a
    if let Some(c) = graph.as_constant(b) {
        let reciprocal = 1.0 / c;
        return reciprocal.is_finite().then(|| graph.scale(reciprocal, a));
    }
    // (−a) / b = a / (−b) = −(a / b)
    if let Some(inner) = negated(graph, a) {
        let quotient = graph.div(inner, b);
        return Some(graph.neg(quotient));
    }
    if let Some(inner) = negated(graph, b) {
        let quotient = graph.div(a, inner);
        return Some(graph.neg(quotient));
    }
    // (x · b) / b = x
    if let Node::Binary(BinaryOp::Mul, x, y) = graph.node(a) {
        if y == b {
            return Some(x);
        }
        if x == b {
            return Some(y);
        }
    }
    None
}

fn pow(graph: &mut Graph, a: ExprId, b: ExprId) -> Option<ExprId> {
    const MAX_PRODUCT: f64 = 16.0;
    let exponent = graph.as_constant(b)?;
    // a^n as products, a^½ = √a
    if exponent.fract() == 0.0 && exponent.abs() <= MAX_PRODUCT {
        return Some(graph.powi(a, exponent as i32));
    }
    if exponent.abs() == 0.5 {
        let root = graph.sqrt(a);
        return Some(graph.powi(root, exponent.signum() as i32));
    }
    None
}

fn and(graph: &mut Graph, a: ExprId, b: ExprId) -> Option<ExprId> {
    match (graph.as_constant(a), graph.as_constant(b)) {
        (Some(0.0), _) | (_, Some(0.0)) => Some(graph.zero()),
        (Some(_), _) => Some(b),
        (_, Some(_)) => Some(a),
        _ => (a == b).then_some(a),
    }
}

fn or(graph: &mut Graph, a: ExprId, b: ExprId) -> Option<ExprId> {
    match (graph.as_constant(a), graph.as_constant(b)) {
        (Some(0.0), _) => Some(b),
        (_, Some(0.0)) => Some(a),
        (Some(_), _) | (_, Some(_)) => Some(graph.one()),
        _ => (a == b).then_some(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Symbol;
    use crate::ids::Id;
    use crate::ids::ModeId;

    /// Each rule: both sides must be the same node.
    macro_rules! same {
        ($($name:ident: |$g:ident, $a:ident, $b:ident, $c:ident| $left:expr => $right:expr;)*) => {$(
            #[test]
            fn $name() {
                let $g = &mut Graph::new();
                let $a = $g.symbol(Symbol::P(0));
                let $b = $g.symbol(Symbol::P(1));
                let $c = $g.symbol(Symbol::Mode(ModeId::new(0)));
                let _ = ($a, $b, $c);
                let left = $left;
                let right = $right;
                assert_eq!(left, right, "{} against {}", $g.display(left), $g.display(right));
            }
        )*};
    }

    same! {
        double_negation: |g, a, b, c| { let n = g.neg(a); g.neg(n) } => a;
        double_not: |g, a, b, c| { let n = g.unary(UnaryOp::Not, c); g.unary(UnaryOp::Not, n) } => c;
        sine_is_odd: |g, a, b, c| { let n = g.neg(a); g.sin(n) } => { let s = g.sin(a); g.neg(s) };
        cosine_is_even: |g, a, b, c| { let n = g.neg(a); g.cos(n) } => g.cos(a);
        sine_of_half_pi: |g, a, b, c| { let h = g.constant(std::f64::consts::PI); g.sin(h) } => g.zero();
        cosine_of_three_half_pi: |g, a, b, c| { let h = g.constant(3.0 * FRAC_PI_2); g.cos(h) } => g.zero();
        sum_commutes: |g, a, b, c| g.add(a, b) => g.add(b, a);
        zero_plus: |g, a, b, c| { let z = g.zero(); g.add(z, a) } => a;
        sum_of_negatives: |g, a, b, c| { let (x, y) = (g.neg(a), g.neg(b)); g.add(x, y) } => { let s = g.add(a, b); g.neg(s) };
        negative_plus: |g, a, b, c| { let x = g.neg(a); g.add(x, b) } => g.sub(b, a);
        like_terms: |g, a, b, c| { let x = g.scale(2.0, a); g.add(x, a) } => g.scale(3.0, a);
        like_terms_cancel: |g, a, b, c| { let x = g.scale(2.0, a); g.sub(x, a) } => a;
        pythagoras: |g, a, b, c| { let (s, k) = (g.sin(a), g.cos(a)); let (s2, k2) = (g.mul(s, s), g.mul(k, k)); g.add(s2, k2) } => g.one();
        pythagoras_with_factors: |g, a, b, c| { let (s, k) = (g.sin(a), g.cos(a)); let (bs, kb) = (g.mul(b, s), g.mul(k, b)); let (x, y) = (g.mul(bs, s), g.mul(k, kb)); g.add(x, y) } => b;
        like_products: |g, a, b, c| { let (s, t) = (g.sin(a), g.sin(b)); let (x, y) = (g.mul(a, s), g.mul(s, t)); let (x, y) = (g.mul(x, t), g.mul(a, y)); g.add(x, y) } => { let (s, t) = (g.sin(a), g.sin(b)); let x = g.mul(a, s); let x = g.mul(x, t); g.scale(2.0, x) };
        like_products_cancel: |g, a, b, c| { let s = g.sin(a); let (x, y) = (g.mul(a, s), g.mul(s, b)); let (x, y) = (g.mul(x, b), g.mul(a, y)); g.sub(x, y) } => g.zero();
        difference_restored: |g, a, b, c| { let d = g.sub(a, b); g.add(d, b) } => a;
        sum_undone: |g, a, b, c| { let s = g.add(a, b); g.sub(s, b) } => a;
        difference_undone: |g, a, b, c| { let d = g.sub(a, b); g.sub(a, d) } => b;
        difference_turned: |g, a, b, c| { let d = g.sub(a, b); g.neg(d) } => g.sub(b, a);
        minus_itself: |g, a, b, c| g.sub(a, a) => g.zero();
        minus_negative: |g, a, b, c| { let n = g.neg(b); g.sub(a, n) } => g.add(a, b);
        negative_minus: |g, a, b, c| { let n = g.neg(a); g.sub(n, b) } => { let s = g.add(a, b); g.neg(s) };
        negative_minus_negative: |g, a, b, c| { let (x, y) = (g.neg(a), g.neg(b)); g.sub(x, y) } => g.sub(b, a);
        zero_times: |g, a, b, c| { let z = g.zero(); g.mul(a, z) } => g.zero();
        one_times: |g, a, b, c| { let o = g.one(); g.mul(a, o) } => a;
        minus_one_times: |g, a, b, c| g.scale(-1.0, a) => g.neg(a);
        negative_factor: |g, a, b, c| g.scale(-2.0, a) => { let x = g.scale(2.0, a); g.neg(x) };
        sign_leaves_product: |g, a, b, c| { let n = g.neg(a); g.mul(n, b) } => { let x = g.mul(a, b); g.neg(x) };
        numbers_meet: |g, a, b, c| { let x = g.scale(2.0, a); g.scale(3.0, x) } => g.scale(6.0, a);
        number_leaves_product: |g, a, b, c| { let x = g.scale(2.0, a); g.mul(x, b) } => { let x = g.mul(a, b); g.scale(2.0, x) };
        root_squared: |g, a, b, c| { let r = g.sqrt(a); g.mul(r, r) } => a;
        quotient_restored: |g, a, b, c| { let q = g.div(a, b); g.mul(q, b) } => a;
        times_reciprocal: |g, a, b, c| { let o = g.one(); let r = g.div(o, b); g.mul(a, r) } => g.div(a, b);
        zero_over: |g, a, b, c| { let z = g.zero(); g.div(z, a) } => g.zero();
        over_itself: |g, a, b, c| g.div(a, a) => g.one();
        over_number: |g, a, b, c| { let k = g.constant(4.0); g.div(a, k) } => g.scale(0.25, a);
        sign_leaves_numerator: |g, a, b, c| { let n = g.neg(a); g.div(n, b) } => { let q = g.div(a, b); g.neg(q) };
        sign_leaves_denominator: |g, a, b, c| { let n = g.neg(b); g.div(a, n) } => { let q = g.div(a, b); g.neg(q) };
        product_undone: |g, a, b, c| { let x = g.mul(a, b); g.div(x, b) } => a;
        integer_power: |g, a, b, c| { let k = g.constant(3.0); g.binary(BinaryOp::Pow, a, k) } => { let s = g.mul(a, a); g.mul(a, s) };
        half_power: |g, a, b, c| { let k = g.constant(0.5); g.binary(BinaryOp::Pow, a, k) } => g.sqrt(a);
        true_and: |g, a, b, c| { let o = g.one(); g.binary(BinaryOp::And, c, o) } => c;
        false_and: |g, a, b, c| { let z = g.zero(); g.binary(BinaryOp::And, c, z) } => g.zero();
        false_or: |g, a, b, c| { let z = g.zero(); g.binary(BinaryOp::Or, c, z) } => c;
        true_or: |g, a, b, c| { let o = g.one(); g.binary(BinaryOp::Or, c, o) } => g.one();
        select_alike: |g, a, b, c| g.select(c, a, a) => a;
        select_true: |g, a, b, c| { let o = g.one(); g.select(o, a, b) } => a;
        select_false: |g, a, b, c| { let z = g.zero(); g.select(z, a, b) } => b;
        select_not: |g, a, b, c| { let n = g.unary(UnaryOp::Not, c); g.select(n, a, b) } => g.select(c, b, a);
    }

    #[test]
    fn division_by_zero_is_left_to_run_time() {
        let mut graph = Graph::new();
        let (one, zero) = (graph.one(), graph.zero());
        let quotient = graph.div(one, zero);
        assert!(graph.as_constant(quotient).is_none());
    }

    /// Numbers whose product or sum overflows are left as they are.
    #[test]
    fn numbers_stay_finite() {
        let mut graph = Graph::new();
        let x = graph.symbol(Symbol::P(0));
        let large = graph.scale(1e300, x);
        let product = graph.scale(1e300, large);
        let twice = graph.scale(f64::MAX, x);
        let sum = graph.add(twice, twice);
        let negative = graph.scale(-f64::MAX, x);
        let difference = graph.sub(twice, negative);
        for id in [product, sum, difference] {
            assert!(graph.as_constant(id).is_none());
        }
    }
}
