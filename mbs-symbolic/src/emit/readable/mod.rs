//! Equations of motion arranged for people.
//!
//! Sharing in the graph is right for machines, but a page on which every operation
//! has its own name cannot be read. Here the graph is folded up again: what is small
//! or used once stands where it is used, what is used often gets a name, sums and
//! products are written flat with like factors collected. [`super::text`],
//! [`super::latex`] and [`super::mathml`] only spell what is arranged here.
//!
//! On return: a quantity refers only to quantities before it, and evaluating the
//! arranged equations gives the values of the graph up to rounding, because only the
//! order of additions and multiplications changes.

mod arrange;
mod layout;
mod names;
mod number;
mod quantities;
mod summary;
mod symbol;
#[cfg(test)]
mod tests;
mod tree;

pub use summary::summary;
pub use tree::{Product, Term, Tree};

pub(crate) use layout::{Binding, Factor, Fraction, Style};
pub(crate) use names::SymbolNames;
pub(crate) use number::decimal;
pub(crate) use symbol::{Glyph, Symbolic};

use crate::dynamics::{Equations, Layout};
use crate::expr::Symbol;
use crate::ids::ExprId;

/// More named quantities than this are not written out: nobody reads them.
pub const MAX_QUANTITIES: usize = 400;
/// More quantities and entries together than this are not written out.
pub const MAX_LINES: usize = 800;

/// What a quantity depends on, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Numbers and parameters.
    Parameters,
    /// Also positions and time.
    Positions,
    /// Also velocities, states, inputs and modes.
    Velocities,
    /// Also v' and λ.
    Accelerations,
}

/// A named intermediate quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// Its name; unique among quantities and symbols.
    pub name: String,
    /// What it depends on.
    pub level: Level,
    /// Its value.
    pub value: Tree,
}

/// One non-zero entry of a vector or matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Row, and column for matrices.
    pub index: (usize, Option<usize>),
    /// Its value.
    pub value: Tree,
}

/// What a block of entries is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in Equations")]
pub enum BlockKind {
    PDot,
    MassMatrix,
    Forces,
    Constraints,
    ConstraintJacobian,
    VelocityBias,
    AccelerationBias,
    Auxiliary,
    Switching,
}

/// A vector or matrix; entries that are zero are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Which.
    pub kind: BlockKind,
    /// Its non-zero entries, row by row; of M the lower triangle.
    pub entries: Vec<Entry>,
}

impl Block {
    /// Whether every entry is listed, or all are zero and the block says so.
    pub fn is_full(&self, layout: &Layout) -> bool {
        let (n_v, n_lambda) = (layout.velocities.len(), layout.rows.len());
        let all = match self.kind {
            BlockKind::PDot => layout.positions.len(),
            BlockKind::MassMatrix => n_v * (n_v + 1) / 2,
            BlockKind::Forces => n_v,
            BlockKind::Constraints => layout.n_g,
            BlockKind::ConstraintJacobian => n_lambda * n_v,
            BlockKind::VelocityBias | BlockKind::AccelerationBias => n_lambda,
            BlockKind::Auxiliary => layout.states.len(),
            BlockKind::Switching => layout.modes.len(),
        };
        self.entries.is_empty() || self.entries.len() == all
    }
}

/// Equations arranged for people.
#[derive(Debug, Clone)]
pub struct Readable<'a> {
    /// Where they come from.
    pub equations: &'a Equations,
    /// Named quantities, each before those that use it, ordered by level.
    pub quantities: Vec<Quantity>,
    /// The equations; blocks without rows are left out.
    pub blocks: Vec<Block>,
    pub(crate) symbols: SymbolNames,
}

impl Readable<'_> {
    /// The name of a symbol, as text.
    pub fn symbol(&self, symbol: Symbol) -> &str {
        self.symbols.get(symbol)
    }

    /// Whether p' = v row by row, so that rates are written as derivatives.
    pub fn rates_are_velocities(&self) -> bool {
        self.blocks.iter().all(|block| block.kind != BlockKind::PDot)
    }
}

/// Arranges equations for people; `None` if there are more than
/// [`MAX_QUANTITIES`] quantities or [`MAX_LINES`] lines.
pub fn arrange(equations: &Equations) -> Option<Readable<'_>> {
    let blocks = blocks(equations);
    let roots: Vec<ExprId> = blocks.iter().flat_map(|(_, entries)| entries).map(|entry| entry.1).collect();
    let chosen = quantities::choose(equations, &roots);
    if chosen.len() > MAX_QUANTITIES || chosen.len() + roots.len() > MAX_LINES {
        return None;
    }
    Some(arrange::arrange(equations, blocks, chosen))
}

/// Arranges some expressions for people, as one block; `None` if they have more than
/// [`MAX_QUANTITIES`] quantities.
pub fn arrange_some<'e>(equations: &'e Equations, expressions: &[ExprId]) -> Option<Readable<'e>> {
    let chosen = quantities::choose(equations, expressions);
    if chosen.len() > MAX_QUANTITIES {
        return None;
    }
    let entries = expressions.iter().enumerate().map(|(row, &value)| ((row, None), value)).collect();
    Some(arrange::arrange(equations, vec![(BlockKind::Forces, entries)], chosen))
}

type Entries = Vec<((usize, Option<usize>), ExprId)>;

/// The blocks to write, zeros left out.
fn blocks(equations: &Equations) -> Vec<(BlockKind, Entries)> {
    let e = equations;
    let n_v = e.layout.velocities.len();
    let vector = |list: &[ExprId]| -> Entries {
        let entries = list.iter().enumerate().map(|(row, &value)| ((row, None), value));
        entries.filter(|(_, value)| !e.graph.is_zero(*value)).collect()
    };
    let matrix = |list: &[ExprId], rows: usize, keep: fn(usize, usize) -> bool| -> Entries {
        let indices = (0..rows).flat_map(|row| (0..n_v).map(move |column| (row, column)));
        let entries = indices
            .filter(|&(row, column)| keep(row, column))
            .map(|(row, column)| ((row, Some(column)), list[row + rows * column]));
        entries.filter(|(_, value)| !e.graph.is_zero(*value)).collect()
    };
    let mut list = Vec::new();
    let trivial = e.p_dot.len() == n_v
        && e.p_dot.iter().enumerate().all(|(row, &value)| {
            matches!(e.graph.node(value), crate::expr::Node::Symbol(Symbol::V(i)) if i as usize == row)
        });
    if !trivial {
        list.push((BlockKind::PDot, vector(&e.p_dot)));
    }
    list.push((BlockKind::MassMatrix, matrix(&e.mass_matrix, n_v, |row, column| column <= row)));
    list.push((BlockKind::Forces, vector(&e.forces)));
    if !e.layout.rows.is_empty() {
        let n_lambda = e.layout.rows.len();
        list.push((BlockKind::Constraints, vector(&e.constraints)));
        list.push((BlockKind::ConstraintJacobian, matrix(&e.constraint_jacobian, n_lambda, |_, _| true)));
        list.push((BlockKind::VelocityBias, vector(&e.velocity_bias)));
        list.push((BlockKind::AccelerationBias, vector(&e.acceleration_bias)));
    }
    list.push((BlockKind::Auxiliary, vector(&e.auxiliary)));
    list.push((BlockKind::Switching, vector(&e.switching)));
    // c is zero for most mechanisms; every other block of a mechanism that has its rows
    // is worth a line even when all of it is zero.
    list.retain(|(kind, entries)| {
        !entries.is_empty()
            || matches!(kind, BlockKind::MassMatrix | BlockKind::Forces | BlockKind::AccelerationBias)
    });
    list
}
