//! How a function is cut into chunks, and where values wait that cross a cut.
//!
//! Cranelift's time grows faster than linearly with the length of a function, so each
//! is compiled in chunks. A value read in a later chunk than its own travels in a
//! scratch array, whose places are used again as soon as nothing waits for them.

use mbs_symbolic::expr::UnaryOp;
use mbs_symbolic::program::{Function, Op, Operand};
use std::ops::Range;

/// A function cut into chunks.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) function: &'a Function,
    pub(super) chunks: Vec<Piece>,
    /// Place in the scratch array of values that are read in later chunks.
    scratch: Vec<Option<usize>>,
    /// Length of the scratch array.
    pub(super) n_scratch: usize,
    /// Entries that are values of instructions, ordered by instruction.
    writes: Vec<(usize, Entry)>,
    /// Entries that are no values of instructions.
    leaves: Vec<(Entry, Operand)>,
    /// Blocks that are zeroed as a whole before the first chunk runs.
    pub(super) zeroed: Vec<usize>,
    /// How many sines, cosines and pairs of them there are.
    pub(super) pairs: usize,
    /// Instructions that are computed together with the one before them.
    joined: Vec<bool>,
}

/// One chunk: instructions, then entries that need none.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) body: Range<usize>,
    leaves: Range<usize>,
}

/// An entry of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) block: usize,
    pub(super) index: usize,
}

impl Entry {
    /// Whether another one follows it in memory.
    pub(super) fn is_before(self, other: Self) -> bool {
        self.block == other.block && self.index + 1 == other.index
    }
}

/// So many zeros are cheaper to fill in at once than to store one by one.
const MANY_ZEROS: usize = 40;

impl<'a> Plan<'a> {
    /// Cuts `function` into chunks of about `length` instructions and stores.
    pub(super) fn new(function: &'a Function, length: usize) -> Self {
        let zeros = |entries: &[Operand]| entries.iter().filter(|entry| entry.is_constant(0.0)).count();
        let zeroed: Vec<usize> = (0..function.results.len())
            .filter(|&block| zeros(&function.results[block].entries) >= MANY_ZEROS)
            .collect();
        let (mut writes, mut leaves) = (Vec::new(), Vec::new());
        for (block, result) in function.results.iter().enumerate() {
            for (index, &operand) in result.entries.iter().enumerate() {
                let entry = Entry { block, index };
                match operand.value() {
                    Some(value) => writes.push((value, entry)),
                    None if zeroed.contains(&block) && operand.is_constant(0.0) => {}
                    None => leaves.push((entry, operand)),
                }
            }
        }
        writes.sort_by_key(|&(value, _)| value);
        let is_pair = |op: Op| matches!(op, Op::SinCos | Op::Unary(UnaryOp::Sin | UnaryOp::Cos));
        let pairs = function.body.iter().filter(|instruction| is_pair(instruction.op)).count();
        let (chunks, scratch, joined) = (Vec::new(), Vec::new(), function.joined());
        let mut plan =
            Self { function, chunks, scratch, n_scratch: 0, writes, leaves, zeroed, pairs, joined };
        plan.cut(length.max(1));
        plan.place();
        plan
    }

    /// The entries that are the value of an instruction.
    pub(super) fn writes(&self, value: usize) -> impl Iterator<Item = Entry> {
        let start = self.writes.partition_point(|&(other, _)| other < value);
        self.writes[start..].iter().take_while(move |&&(other, _)| other == value).map(|&(_, entry)| entry)
    }

    /// The entries of a chunk that are no values of instructions.
    pub(super) fn leaves(&self, piece: &Piece) -> &[(Entry, Operand)] {
        &self.leaves[piece.leaves.clone()]
    }

    /// Where a value waits for later chunks.
    pub(super) fn scratch(&self, value: usize) -> Option<usize> {
        self.scratch[value]
    }

    /// Whether an instruction is computed together with the one before it.
    pub(super) fn is_joined(&self, value: usize) -> bool {
        self.joined.get(value).is_some_and(|&joined| joined)
    }

    fn cut(&mut self, length: usize) {
        let body = &self.function.body;
        let (mut start, mut work) = (0, 0);
        for index in 0..body.len() {
            if work >= length && !self.is_joined(index) {
                self.chunks.push(Piece { body: start..index, leaves: 0..0 });
                (start, work) = (index, 0);
            }
            work += 1 + self.writes(index).count();
        }
        let mut body = start..body.len();
        let mut leaf = 0;
        while !body.is_empty() || leaf < self.leaves.len() {
            let end = (leaf + length.saturating_sub(work).max(1)).min(self.leaves.len());
            self.chunks.push(Piece { body: body.clone(), leaves: leaf..end });
            (body, leaf, work) = (body.end..body.end, end, 0);
        }
    }

    /// Gives a place to every value that is read in a later chunk than its own.
    ///
    /// A place that is read in a chunk is not written in the same one: the code may
    /// read it as late as it likes.
    fn place(&mut self) {
        let mut chunk_of = vec![0; self.function.body.len()];
        for (chunk, piece) in self.chunks.iter().enumerate() {
            chunk_of[piece.body.clone()].fill(chunk);
        }
        let mut last_reader = chunk_of.clone();
        for (index, instruction) in self.function.body.iter().enumerate() {
            for value in instruction.operands().iter().filter_map(|operand| operand.value()) {
                last_reader[value] = chunk_of[index];
            }
        }
        self.scratch = vec![None; self.function.body.len()];
        let mut free: Vec<usize> = Vec::new();
        let mut freed_after: Vec<Vec<usize>> = vec![Vec::new(); self.chunks.len()];
        for (chunk, piece) in self.chunks.iter().enumerate() {
            for value in piece.body.clone().filter(|&value| last_reader[value] > chunk) {
                let place = free.pop().unwrap_or_else(|| {
                    self.n_scratch += 1;
                    self.n_scratch - 1
                });
                self.scratch[value] = Some(place);
                freed_after[last_reader[value]].push(place);
            }
            free.append(&mut freed_after[chunk]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbs_symbolic::expr::Symbol;
    use mbs_symbolic::program::{Block, Instruction, Quantity};

    /// w0 = sin p0, w1 = cos p0, then negations of the value before.
    fn function() -> Function {
        let mut body = vec![
            Instruction::new(Op::SinCos, &[Operand::Symbol(Symbol::P(0))]),
            Instruction::new(Op::PairedCos, &[Operand::Value(0)]),
        ];
        for index in 1..7 {
            body.push(Instruction::new(Op::Unary(UnaryOp::Neg), &[Operand::Value(index)]));
        }
        let mut entries = vec![Operand::constant(0.0); MANY_ZEROS];
        entries.extend([Operand::Value(7), Operand::Value(0), Operand::Value(0), Operand::constant(2.0)]);
        Function { body, results: vec![Block { quantity: Quantity::Outputs, entries }] }
    }

    #[test]
    fn every_instruction_and_entry_is_in_one_chunk() {
        let function = function();
        for length in 1..12 {
            let plan = Plan::new(&function, length);
            let bodies: Vec<usize> = plan.chunks.iter().flat_map(|piece| piece.body.clone()).collect();
            assert_eq!(bodies, (0..8).collect::<Vec<_>>(), "chunks of {length}");
            assert!(plan.chunks.iter().all(|piece| piece.body.start != 1), "the pair stays together");
            let leaves: Vec<_> = plan.chunks.iter().flat_map(|piece| plan.leaves(piece)).collect();
            assert_eq!(leaves, [&(Entry { block: 0, index: MANY_ZEROS + 3 }, Operand::constant(2.0))]);
            let sines: Vec<usize> = plan.writes(0).map(|entry| entry.index).collect();
            assert_eq!(sines, [MANY_ZEROS + 1, MANY_ZEROS + 2]);
            // Only the value handed on crosses a cut, and a chunk neither reads nor
            // writes the same place.
            assert!(plan.n_scratch <= 2);
        }
        assert_eq!(Plan::new(&function, 100).n_scratch, 0);
    }

    #[test]
    fn a_run_is_in_one_chunk() {
        let pair = |at: u32| {
            let angle = Operand::Symbol(Symbol::P(at));
            [Instruction::new(Op::SinCos, &[angle]), Instruction::new(Op::PairedCos, &[Operand::Value(at)])]
        };
        // Runs of four pairs and of three.
        let body: Vec<Instruction> = (0..7).flat_map(|k| pair(2 * k)).collect();
        let function = Function { body, results: Vec::new() };
        for length in 1..9 {
            let plan = Plan::new(&function, length);
            let bodies: Vec<Range<usize>> = plan.chunks.iter().map(|piece| piece.body.clone()).collect();
            assert_eq!(bodies, [0..8, 8..14], "chunks of {length}");
        }
    }
}
