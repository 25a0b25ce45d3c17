//! Formulas with every name resolved.

use super::Dimension;
use crate::diag::Span;
use crate::ids::{
    CoordinateId, FrameId, InputId, JointId, ParamId, StateId, TableId, VariableId, VelocityId,
};
use mbs_math::TableKind;

/// Index of a term within its formula.
pub type TermId = u32;

/// A parsed formula: terms in an order in which operands come first.
///
/// The last term is the value. There is no recursion anywhere, so a long or
/// deeply nested formula cannot exhaust the stack.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Operands before the terms that use them; empty only in a model with mistakes.
    pub terms: Vec<Term>,
    /// The whole formula in its source.
    pub span: Span,
}

/// One operation or leaf of a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// What it computes.
    pub kind: TermKind,
    /// Where it is written.
    pub span: Span,
    /// What a literal written with a unit measures; its value is in SI.
    pub dimension: Option<Dimension>,
}

impl Term {
    /// A term without a unit.
    pub fn new(kind: TermKind, span: Span) -> Self {
        Self { kind, span, dimension: None }
    }
}

/// What a term computes. Comparisons and `And`, `Or`, `Not` are truth values and
/// occur only as operands of those or as the condition of `If`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TermKind {
    /// A literal, or `pi`.
    Number(f64),
    /// A parameter.
    Parameter(ParamId),
    /// A signal set from outside.
    Input(InputId),
    /// Time `t`, s.
    Time,
    /// A position coordinate.
    Coordinate(CoordinateId),
    /// A velocity by its name (`joint.wx`).
    Velocity(VelocityId),
    /// An auxiliary state.
    State(StateId),
    /// A named expression.
    Variable(VariableId),
    /// A quantity the surrounding element supplies: `length` and `rate` in a
    /// spring law, `x` and `y` in the road of a contact. Its index in that element's list.
    Local(u8),
    /// −a.
    Neg(TermId),
    /// a ∘ b.
    Binary(BinaryOperator, TermId, TermId),
    /// A function of one argument (the second operand is the first again) or two.
    Call(Function, TermId, TermId),
    /// a < b and the like.
    Compare(Comparison, TermId, TermId),
    /// Both conditions.
    And(TermId, TermId),
    /// Either condition.
    Or(TermId, TermId),
    /// The opposite condition.
    Not(TermId),
    /// `if(condition, a, b)`.
    If(TermId, TermId, TermId),
    /// A table read at an argument.
    Table(TableId, TableKind, TermId),
    /// Total time derivative.
    Der(TermId),
    /// A question about the mechanism's motion.
    Query(Query),
}

impl TermKind {
    /// The same operation on other operands.
    #[must_use]
    pub fn map_operands(self, mut f: impl FnMut(TermId) -> TermId) -> Self {
        match self {
            Self::Neg(a) => Self::Neg(f(a)),
            Self::Binary(operator, a, b) => Self::Binary(operator, f(a), f(b)),
            Self::Call(function, a, b) => Self::Call(function, f(a), f(b)),
            Self::Compare(comparison, a, b) => Self::Compare(comparison, f(a), f(b)),
            Self::And(a, b) => Self::And(f(a), f(b)),
            Self::Or(a, b) => Self::Or(f(a), f(b)),
            Self::Not(a) => Self::Not(f(a)),
            Self::If(condition, a, b) => Self::If(f(condition), f(a), f(b)),
            Self::Table(table, kind, a) => Self::Table(table, kind, f(a)),
            Self::Der(a) => Self::Der(f(a)),
            leaf => leaf,
        }
    }

    /// Calls `f` with every operand.
    pub fn for_each_operand(self, mut f: impl FnMut(TermId)) {
        let _ = self.map_operands(|operand| {
            f(operand);
            operand
        });
    }
}

impl Formula {
    /// The formula that is a number.
    pub fn number(value: f64, span: Span) -> Self {
        Self { terms: vec![Term::new(TermKind::Number(value), span)], span }
    }

    /// Stands for a formula that could not be read, so that the rest of its model can
    /// still be judged. No model without mistakes has one.
    pub(super) fn unknown(span: Span) -> Self {
        Self { terms: Vec::new(), span }
    }

    /// Whether the formula could not be read.
    pub(super) fn is_unknown(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number, if the formula is one.
    pub fn as_number(&self) -> Option<f64> {
        match self.terms.as_slice() {
            [Term { kind: TermKind::Number(value), .. }] => Some(*value),
            _ => None,
        }
    }
}

/// Arithmetic on two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// a + b
    Add,
    /// a − b
    Sub,
    /// a · b
    Mul,
    /// a / b
    Div,
    /// a ^ b
    Pow,
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// a < b
    Less,
    /// a ≤ b
    LessEqual,
    /// a > b
    Greater,
    /// a ≥ b
    GreaterEqual,
}

/// A named function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the function of its name")]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    Sign,
    Min,
    Max,
    Floor,
    Mod,
}

/// A question about the mechanism's motion; vectors are asked by component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// Component of the vector from the origin of `relative_to` to the origin of
    /// `of`, in `axes`. m
    Position {
        /// The frame asked about.
        of: FrameId,
        /// The frame it is seen from; ground unless written.
        relative_to: FrameId,
        /// The axes of the components; those of `relative_to` unless written.
        axes: FrameId,
        /// 0, 1, 2 for x, y, z.
        component: u8,
    },
    /// The rate of that vector as an observer fixed in `relative_to` sees it, in
    /// `axes`. m/s
    #[expect(missing_docs, reason = "as for Position")]
    Velocity { of: FrameId, relative_to: FrameId, axes: FrameId, component: u8 },
    /// The second rate as an observer fixed in `relative_to` sees it, in `axes`;
    /// outputs only. m/s²
    #[expect(missing_docs, reason = "as for Position")]
    Acceleration { of: FrameId, relative_to: FrameId, axes: FrameId, component: u8 },
    /// Angular velocity of `of` relative to `relative_to`, in `axes`. rad/s
    #[expect(missing_docs, reason = "as for Position")]
    AngularVelocity { of: FrameId, relative_to: FrameId, axes: FrameId, component: u8 },
    /// Entry of the matrix that maps components in `of` to components in
    /// `relative_to`.
    #[expect(missing_docs, reason = "as for Position")]
    Rotation { of: FrameId, relative_to: FrameId, row: u8, column: u8 },
    /// Distance between two origins. m
    #[expect(missing_docs, reason = "the two frames")]
    Distance { from: FrameId, to: FrameId },
    /// Component of the force (0 to 2, N) and torque (3 to 5, N·m) the joint puts on
    /// the `to` body, at the joint's `to` frame, in its axes; outputs only.
    #[expect(missing_docs, reason = "the joint and the component")]
    Reaction { joint: JointId, component: u8 },
}
