//! Stage 5: [`Equations`](crate::dynamics::Equations) → [`Program`].
//!
//! A program is everything a backend needs and owns it all: names and dimensions,
//! tables with their coefficients, and one list of instructions per function. Each
//! function holds only what it needs, operands before their use.
//!
//! What depends on parameters alone is found by [`optimize`](crate::optimize) and
//! moved into [`Program::prepare`], which runs once per parameter set. The array of
//! prepared values starts with θ itself, followed by the results of `prepare`.

mod count;
#[cfg(test)]
pub(crate) mod fixture;
mod functions;
mod interpret;
mod lower;
mod runs;
mod scalar;
mod table;
mod tangent;
mod verify;

pub use crate::dynamics::{
    Algorithm, Decision, InputSlot, Kinks, Layout, Mode, ModeCondition, ModeKind, QuaternionBlock, Row,
    RowKind,
};
pub use count::Counts;
pub use functions::{Form, FunctionKind, Length, Presence, Quantity, Signature, Use};
pub use interpret::{Inputs, Interpreter};
pub use lower::{expressions, lower, solved};
pub use runs::MAX_RUN;
pub use scalar::Scalar;
pub use table::ProgramTable;
pub use tangent::Rates;
pub use verify::verify;

use crate::expr::{BinaryOp, Bits, CostClass, Symbol, UnaryOp};

/// The equations of one model as straight-line code.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Names and dimensions.
    pub layout: Layout,
    /// The tables instructions read.
    pub tables: Vec<ProgramTable>,
    /// What depends on parameters alone; its one block is the prepared values after θ.
    pub prepare: Function,
    /// One function per [`FunctionKind`], in that order; one that was not asked for has no
    /// results.
    pub functions: Vec<Function>,
    /// How [`FunctionKind::Accelerations`] finds them, if the program has it.
    pub algorithm: Option<Algorithm>,
    /// Functions in other ways, until [`optimize`](crate::optimize) has chosen.
    pub alternatives: Vec<Alternative>,
    /// Names of intermediate quantities, for people.
    pub labels: Vec<String>,
}

/// A function of a program in another way.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// Which function.
    pub kind: FunctionKind,
    /// How it finds accelerations, if it does.
    pub algorithm: Option<Algorithm>,
    /// What may take its place.
    pub function: Function,
}

/// One function of a program: instructions in order, and what it returns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Function {
    /// Instructions; each defines the value of its position.
    pub body: Vec<Instruction>,
    /// The arrays it fills.
    pub results: Vec<Block>,
}

/// One array a function fills.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// What it is.
    pub quantity: Quantity,
    /// Its entries; matrices column by column.
    pub entries: Vec<Operand>,
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instruction {
    /// What is computed.
    pub op: Op,
    /// The operands; those past the arity repeat the first.
    args: [Operand; 3],
    /// Index into [`Program::labels`], if the value has a name people know.
    pub label: Option<u32>,
}

/// What an instruction computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// A function of one value.
    Unary(UnaryOp),
    /// A function of two values.
    Binary(BinaryOp),
    /// The second operand where the first, a truth value, holds; else the third.
    Select,
    /// A table of [`Program::tables`] or its derivative.
    Table {
        /// Index of the table.
        table: u32,
        /// Order of the derivative.
        derivative: u8,
    },
    /// Sine of an angle whose cosine is the next instruction, an [`Op::PairedCos`].
    SinCos,
    /// Cosine that the [`Op::SinCos`] just before it, its operand, has computed.
    PairedCos,
}

/// Where an instruction takes a value from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A number.
    Constant(Bits),
    /// Something the equations depend on.
    Symbol(Symbol),
    /// A result of `prepare`, by its position there.
    Prepared(u32),
    /// The value of an earlier instruction.
    Value(u32),
}

impl Op {
    /// Number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Unary(_) | Self::Table { .. } | Self::SinCos | Self::PairedCos => 1,
            Self::Binary(_) => 2,
            Self::Select => 3,
        }
    }

    /// What it counts as.
    pub fn cost(self) -> CostClass {
        match self {
            Self::Unary(op) => op.cost(),
            Self::Binary(op) => op.cost(),
            Self::Select | Self::Table { .. } => CostClass::Other,
            Self::SinCos => CostClass::Trig,
            Self::PairedCos => CostClass::Free,
        }
    }

    /// Whether the value is a truth value.
    pub fn is_logical(self) -> bool {
        match self {
            Self::Unary(op) => op.is_logical(),
            Self::Binary(op) => op.is_logical(),
            _ => false,
        }
    }
}

impl Instruction {
    /// An instruction; `operands` must be as many as the operator takes.
    pub fn new(op: Op, operands: &[Operand]) -> Self {
        assert_eq!(operands.len(), op.arity(), "wrong number of operands for {op:?}");
        let mut args = [operands[0]; 3];
        args[..operands.len()].copy_from_slice(operands);
        Self { op, args, label: None }
    }

    /// The same with a label.
    pub fn labelled(self, label: Option<u32>) -> Self {
        Self { label, ..self }
    }

    /// The operands.
    pub fn operands(&self) -> &[Operand] {
        &self.args[..self.op.arity()]
    }

    /// The same operation on other operands.
    pub fn map(self, mut replace: impl FnMut(Operand) -> Operand) -> Self {
        let mut args = self.args;
        for arg in &mut args[..self.op.arity()] {
            *arg = replace(*arg);
        }
        for index in self.op.arity()..3 {
            args[index] = args[0];
        }
        Self { args, ..self }
    }

    /// What the value is, apart from its name: equal keys are equal values.
    pub(crate) fn key(&self) -> (Op, [Operand; 3]) {
        (self.op, self.args)
    }
}

impl Operand {
    /// The number `value`; must be finite.
    pub fn constant(value: f64) -> Self {
        Self::Constant(Bits::new(value))
    }

    /// Whether it is the number `value`.
    pub fn is_constant(self, value: f64) -> bool {
        matches!(self, Self::Constant(bits) if bits.get() == value)
    }

    /// The instruction it is the value of.
    pub fn value(self) -> Option<usize> {
        match self {
            Self::Value(index) => Some(index as usize),
            _ => None,
        }
    }
}

impl Function {
    /// All results, block by block.
    pub fn entries(&self) -> impl Iterator<Item = Operand> {
        self.results.iter().flat_map(|block| block.entries.iter().copied())
    }

    /// How often each value is used, by instructions and results.
    pub(crate) fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.body.len()];
        let operands = self.body.iter().flat_map(|instruction| instruction.operands().iter().copied());
        for index in operands.chain(self.entries()).filter_map(Operand::value) {
            uses[index] += 1;
        }
        uses
    }

    /// Replaces every result.
    pub(crate) fn map_results(&mut self, mut replace: impl FnMut(Operand) -> Operand) {
        for block in &mut self.results {
            for entry in &mut block.entries {
                *entry = replace(*entry);
            }
        }
    }
}

impl Program {
    /// The function of a kind.
    pub fn function(&self, kind: FunctionKind) -> &Function {
        &self.functions[kind as usize]
    }

    /// Whether the program has a function; only those that are
    /// [optional](FunctionKind::is_optional) may be missing.
    pub fn has(&self, kind: FunctionKind) -> bool {
        !self.function(kind).results.is_empty()
    }

    /// All functions with their kinds.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionKind, &Function)> {
        FunctionKind::ALL.into_iter().zip(&self.functions)
    }

    /// Length of the array of prepared values: θ, then the results of `prepare`.
    pub fn n_prepared(&self) -> usize {
        self.layout.parameters.len() + self.n_slots()
    }

    /// Number of results of `prepare`.
    pub fn n_slots(&self) -> usize {
        self.prepare.results.iter().map(|block| block.entries.len()).sum()
    }

    /// Where modes are used: each with conditions that hold together.
    pub fn mode_uses(&self) -> impl Iterator<Item = (usize, &[ModeCondition])> {
        let modes = self.layout.modes.iter().enumerate();
        modes.flat_map(|(index, mode)| mode.uses.iter().map(move |alternative| (index, &alternative[..])))
    }

    /// Rows and columns of a quantity; one column for vectors.
    pub fn shape(&self, quantity: Quantity) -> (usize, usize) {
        let (rows, columns) = quantity.lengths();
        (rows.of(self), columns.map_or(1, |columns| columns.of(self)))
    }

    /// Rows and columns of the entries that are not the number zero, column by
    /// column; empty for a quantity no function computes alone.
    pub fn pattern(&self, quantity: Quantity) -> Vec<(u32, u32)> {
        let rows = self.shape(quantity).0.max(1);
        let block = self.functions.iter().flat_map(|f| &f.results).find(|block| block.quantity == quantity);
        let entries = block.map(|block| block.entries.as_slice()).unwrap_or_default();
        let nonzero = entries.iter().enumerate().filter(|(_, entry)| !entry.is_constant(0.0));
        nonzero.map(|(index, _)| ((index % rows) as u32, (index / rows) as u32)).collect()
    }
}
