//! How a function is divided into pieces that are compiled each by itself.
//!
//! Cranelift's time grows faster than linearly with the length of a function.

use mbs_symbolic::expr::UnaryOp;
use mbs_symbolic::program::{Function, MAX_RUN, Op};
use mbs_symbolic::straight_line::{Fill, Form, Leaf, StraightLine};
use std::ops::Range;

/// A function divided into pieces.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) line: StraightLine<'a>,
    /// In the order they run.
    pub(super) pieces: Vec<Piece>,
    /// How many sines, cosines and pairs of them there are.
    pub(super) pairs: usize,
}

/// What is compiled by itself: a chunk, entries that need no instruction, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) chunk: Option<usize>,
    leaves: Range<usize>,
}

/// At this many zeros a bulk fill beats individual stores.
const MIN_FILLED_ZEROS: usize = 40;

impl<'a> Plan<'a> {
    /// Divides `function` into pieces of about `length` instructions and stores.
    pub(super) fn new(function: &'a Function, length: usize) -> Self {
        let length = length.max(1);
        let form = Form {
            max_chunk: length,
            counts_stores: true,
            min_filled_zeros: MIN_FILLED_ZEROS,
            max_angles: MAX_RUN,
            fused_multiply_add: false,
        };
        let line = StraightLine::new(function, form);
        let is_pair = |op: Op| matches!(op, Op::SinCos | Op::Unary(UnaryOp::Sin | UnaryOp::Cos));
        let pairs = function.body.iter().filter(|instruction| is_pair(instruction.op)).count();
        let pieces = pieces(&line, length);
        Self { line, pieces, pairs }
    }

    /// The entries of a piece that need no instruction.
    pub(super) fn leaves(&self, piece: &Piece) -> &[Leaf] {
        &self.line.leaves[piece.leaves.clone()]
    }

    /// How many instructions a piece has.
    pub(super) fn length(&self, piece: &Piece) -> usize {
        piece.chunk.map_or(0, |chunk| self.line.chunks[chunk].len())
    }

    /// Whether a result is zeroed as a whole before the first piece runs.
    pub(super) fn is_zeroed(&self, block: usize) -> bool {
        self.line.fills.get(block).is_some_and(|&fill| fill != Fill::Nobody)
    }
}

/// Leaves go with the last chunk if they fit, else into pieces of their own.
fn pieces(line: &StraightLine<'_>, length: usize) -> Vec<Piece> {
    let (chunks, n_leaves) = (&line.chunks, line.leaves.len());
    let last = chunks[chunks.len() - 1].clone();
    let work: usize = last.map(|value| 1 + line.stores(value).count()).sum();
    let fit = if work + n_leaves <= length { n_leaves } else { 0 };
    let mut pieces: Vec<Piece> =
        (0..chunks.len()).map(|chunk| Piece { chunk: Some(chunk), leaves: 0..0 }).collect();
    pieces[chunks.len() - 1].leaves = 0..fit;
    if work + fit == 0 {
        pieces.pop();
    }
    let rest = (fit..n_leaves).step_by(length);
    pieces.extend(rest.map(|at| Piece { chunk: None, leaves: at..n_leaves.min(at + length) }));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbs_symbolic::expr::Symbol;
    use mbs_symbolic::program::{Block, Instruction, Operand, Quantity};

    /// w0 = sin p0, w1 = cos p0, then negations of the value before.
    fn function() -> Function {
        let mut body = vec![
            Instruction::new(Op::SinCos, &[Operand::Symbol(Symbol::P(0))]),
            Instruction::new(Op::PairedCos, &[Operand::Value(0)]),
        ];
        for index in 1..7 {
            body.push(Instruction::new(Op::Unary(UnaryOp::Neg), &[Operand::Value(index)]));
        }
        let mut entries = vec![Operand::constant(0.0); MIN_FILLED_ZEROS];
        entries.extend([Operand::Value(7), Operand::Value(0), Operand::Value(0)]);
        entries.extend([2.0, 3.0, 4.0].map(Operand::constant));
        Function { body, results: vec![Block { quantity: Quantity::Outputs, entries }] }
    }

    #[test]
    fn every_chunk_and_entry_is_in_one_piece() {
        let function = function();
        for length in 1..20 {
            let plan = Plan::new(&function, length);
            assert_eq!(plan.pieces.iter().map(|piece| plan.length(piece)).sum::<usize>(), 8);
            let chunks: Vec<usize> = plan.pieces.iter().filter_map(|piece| piece.chunk).collect();
            assert_eq!(chunks, (0..plan.line.chunks.len()).collect::<Vec<_>>(), "pieces of {length}");
            let leaves: Vec<&Leaf> = plan.pieces.iter().flat_map(|piece| plan.leaves(piece)).collect();
            assert_eq!(leaves, plan.line.leaves.iter().collect::<Vec<_>>(), "pieces of {length}");
            assert!(plan.pieces.iter().all(|piece| plan.length(piece) + plan.leaves(piece).len() > 0));
            // Only the value handed on crosses a cut.
            assert!(plan.line.n_slots <= 2);
            assert!(plan.is_zeroed(0) && !plan.is_zeroed(1));
        }
        // Eight instructions, three values stored and three numbers.
        assert_eq!(Plan::new(&function, 14).pieces, [Piece { chunk: Some(0), leaves: 0..3 }]);
        let apart = [Piece { chunk: Some(0), leaves: 0..0 }, Piece { chunk: None, leaves: 0..3 }];
        assert_eq!(Plan::new(&function, 13).pieces, apart);
        assert!(Plan::new(&Function::default(), 5).pieces.is_empty());
    }
}
