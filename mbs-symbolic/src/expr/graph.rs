//! The hash-consed graph.

use super::{BinaryOp, UnaryOp, fold};
use crate::ids::{ExprId, Id, ModeId, TableId};
use mbs_math::TableKind;
use rustc_hash::FxHashMap;

/// A number by its bits, so that it can be hashed. Never NaN or infinite, and zero
/// is always +0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits(u64);

impl Bits {
    /// The bits of `value`.
    pub fn new(value: f64) -> Self {
        Self((if value == 0.0 { 0.0 } else { value }).to_bits())
    }

    /// The number.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// What equations depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// θ: given parameter by its position in `Layout::parameters`.
    Theta(u32),
    /// t, s.
    Time,
    /// p: position coordinate.
    P(u32),
    /// v: velocity.
    V(u32),
    /// x: auxiliary state.
    X(u32),
    /// u: slot of the input array; an input with derivatives takes three slots
    /// (u, u', u'').
    U(u32),
    /// Truth value of a mode.
    Mode(ModeId),
    /// v': outputs, inverse dynamics and the Jacobian only.
    VDot(u32),
    /// λ: outputs and the Jacobian only.
    Lambda(u32),
}

/// One operation or leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Constant(Bits),
    /// Something the equations depend on.
    Symbol(Symbol),
    /// A function of one value.
    Unary(UnaryOp, ExprId),
    /// A function of two values. Commutative operands are ordered by id.
    Binary(BinaryOp, ExprId, ExprId),
    /// The second value where the first, a truth value, holds; else the third. The
    /// value not chosen has no influence, be it NaN.
    Select(ExprId, ExprId, ExprId),
    /// A table or its derivative at a value.
    Table {
        /// Which table.
        table: TableId,
        /// How it is read.
        kind: TableKind,
        /// Order of the derivative, 0 to 3.
        derivative: u8,
        /// The argument.
        at: ExprId,
    },
}

impl Node {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = ExprId> {
        let list = match self {
            Self::Constant(_) | Self::Symbol(_) => [None, None, None],
            Self::Unary(_, a) | Self::Table { at: a, .. } => [Some(a), None, None],
            Self::Binary(_, a, b) => [Some(a), Some(b), None],
            Self::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        list.into_iter().flatten()
    }
}

/// All expressions of one model.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, ExprId>,
    /// Angles that were close to a multiple of π/2 and taken as exactly that.
    pub snapped_angles: usize,
    /// Whether all angles stay as they are.
    pub keep_dust: bool,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of an id.
    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.index()]
    }

    /// The number, if the expression is one.
    pub fn as_constant(&self, id: ExprId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(bits) => Some(bits.get()),
            _ => None,
        }
    }

    /// Whether the expression is the number zero.
    pub fn is_zero(&self, id: ExprId) -> bool {
        self.as_constant(id) == Some(0.0)
    }

    /// The id of a node, if it is there.
    pub(super) fn find(&self, node: Node) -> Option<ExprId> {
        self.ids.get(&node).copied()
    }

    /// Interns a node as it is, without folding.
    pub(super) fn intern(&mut self, node: Node) -> ExprId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = ExprId::new(self.nodes.len());
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }

    /// A number; must be finite.
    pub fn constant(&mut self, value: f64) -> ExprId {
        assert!(value.is_finite(), "non-finite constant in the expression graph");
        self.intern(Node::Constant(Bits::new(value)))
    }

    /// 0.
    pub fn zero(&mut self) -> ExprId {
        self.constant(0.0)
    }

    /// 1.
    pub fn one(&mut self) -> ExprId {
        self.constant(1.0)
    }

    /// A leaf.
    pub fn symbol(&mut self, symbol: Symbol) -> ExprId {
        self.intern(Node::Symbol(symbol))
    }

    /// A function of one value, folded.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        fold::unary(self, op, a)
    }

    /// A function of two values, folded.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        fold::binary(self, op, a, b)
    }

    /// `a` where the truth value `condition` holds, else `b`; folded.
    pub fn select(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        fold::select(self, condition, a, b)
    }

    /// A table or its derivative at a value. Derivatives past the third are zero.
    pub fn table(&mut self, table: TableId, kind: TableKind, derivative: u8, at: ExprId) -> ExprId {
        let last = match kind {
            TableKind::Spline => 3,
            TableKind::Linear => 1,
        };
        if derivative > last { self.zero() } else { self.intern(Node::Table { table, kind, derivative, at }) }
    }

    /// a + b
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Add, a, b)
    }

    /// a − b
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// a · b
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// a / b
    pub fn div(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Div, a, b)
    }

    /// −a
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Neg, a)
    }

    /// √a
    pub fn sqrt(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Sqrt, a)
    }

    /// sin a
    pub fn sin(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Sin, a)
    }

    /// cos a
    pub fn cos(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Cos, a)
    }

    /// a·factor with a number.
    pub fn scale(&mut self, factor: f64, a: ExprId) -> ExprId {
        let factor = self.constant(factor);
        self.mul(factor, a)
    }

    /// aⁿ by repeated squaring.
    pub fn powi(&mut self, a: ExprId, n: i32) -> ExprId {
        let mut result = self.one();
        let mut square = a;
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = self.mul(result, square);
            }
            left >>= 1;
            if left > 0 {
                square = self.mul(square, square);
            }
        }
        if n < 0 {
            let one = self.one();
            self.div(one, result)
        } else {
            result
        }
    }

    /// Sum of many.
    pub fn sum(&mut self, terms: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut total = self.zero();
        for term in terms {
            total = self.add(total, term);
        }
        total
    }
}

impl Graph {
    /// `expr` with every `old` replaced by `new`, folded again.
    pub fn substitute(&mut self, expr: ExprId, old: ExprId, new: ExprId) -> ExprId {
        let mut replaced: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut list = Vec::new();
        let mut stack = vec![expr];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                list.push(id);
                stack.extend(self.node(id).operands());
            }
        }
        list.sort_unstable();
        for id in list {
            let at = |operand: ExprId| replaced[&operand];
            let result = if id == old {
                new
            } else {
                match self.node(id) {
                    Node::Constant(_) | Node::Symbol(_) => id,
                    Node::Unary(op, a) => {
                        let a = at(a);
                        self.unary(op, a)
                    }
                    Node::Binary(op, a, b) => {
                        let (a, b) = (at(a), at(b));
                        self.binary(op, a, b)
                    }
                    Node::Select(c, a, b) => {
                        let (c, a, b) = (at(c), at(a), at(b));
                        self.select(c, a, b)
                    }
                    Node::Table { table, kind, derivative, at: argument } => {
                        let argument = at(argument);
                        self.table(table, kind, derivative, argument)
                    }
                }
            };
            replaced.insert(id, result);
        }
        replaced[&expr]
    }
}
