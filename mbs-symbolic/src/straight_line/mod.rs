//! Stage 7: functions as straight-line code, ready to be spelled in a target language.
//!
//! What every backend has to know beside the order of the instructions is decided here once:
//! where a long function is cut into chunks, in which slots of a scratch array values wait that
//! later chunks read, which entries are stored after each value, which arrays are filled with
//! zeros first, which products are rounded together with a sum, whose sines and cosines are
//! computed at once, and which arguments a function and each chunk read. A backend states the
//! [`Form`] it wants and spells the [`Step`]s.

mod arguments;
mod chunks;
mod entries;
mod multiply_add;
mod slots;
#[cfg(test)]
mod testing;

pub use arguments::{Argument, Source, arguments};
pub use entries::{Entry, Fill, Leaf, fill, filled};
pub use multiply_add::{MultiplyAdd, Sign};

use crate::program::{Function, Op, Operand};
use arguments::collect;
use std::ops::Range;

/// What a target wants of straight-line code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Most instructions of a chunk.
    pub max_chunk: usize,
    /// Whether an entry stored counts in a chunk as much as an instruction.
    pub counts_stores: bool,
    /// With so many zeros an array is filled before its other entries are stored.
    pub min_filled_zeros: usize,
    /// Most angles whose sines and cosines are computed at once.
    pub max_angles: usize,
    /// Whether a product that only one sum reads is rounded together with it.
    pub fused_multiply_add: bool,
}

/// What is spelled at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An instruction, neither [`Op::SinCos`] nor [`Op::PairedCos`].
    Instruction(usize),
    /// A sum together with a product that is no step of its own.
    MultiplyAdd(MultiplyAdd),
    /// Sines and cosines of one or more angles: pairs of instructions, whose angles are all known
    /// before the first of them.
    SinCos(Range<usize>),
}

/// A function of a program in a [`Form`].
#[derive(Debug)]
#[non_exhaustive]
pub struct StraightLine<'p> {
    /// The function.
    pub function: &'p Function,
    /// Ranges of the function's instructions, in order; there is at least one.
    pub chunks: Vec<Range<usize>>,
    /// The chunk that computes each value.
    pub chunk_of: Vec<usize>,
    /// What each chunk computes, in order.
    pub steps: Vec<Vec<Step>>,
    /// Where in the scratch array each value waits for later chunks, if any reads it. A slot is used
    /// again as soon as nothing waits in it, but no chunk both reads and writes one.
    pub slots: Vec<Option<usize>>,
    /// Length of the scratch array.
    pub n_slots: usize,
    /// Entries that are no values of instructions, without the zeros of arrays that are filled.
    pub leaves: Vec<Leaf>,
    /// Who fills each result with zeros.
    pub fills: Vec<Fill>,
    /// How often each value is read.
    uses: Vec<u32>,
    /// Ordered by value.
    stores: Vec<(usize, Entry)>,
}

impl<'p> StraightLine<'p> {
    /// Brings a function into a form.
    pub fn new(function: &'p Function, form: Form) -> Self {
        let uses = function.uses();
        let stores = entries::stores(function);
        let mut work = vec![1; function.body.len()];
        for &(value, _) in stores.iter().filter(|_| form.counts_stores) {
            work[value] += 1;
        }
        let chunks = chunks::split(function, &work, form.max_chunk.max(1));
        let mut chunk_of = vec![0; function.body.len()];
        for (index, range) in chunks.iter().enumerate() {
            chunk_of[range.clone()].fill(index);
        }
        let (slots, n_slots) = slots::assign(function, &chunks, &chunk_of);
        let fused = match form.fused_multiply_add {
            true => multiply_add::find(function, &uses, &chunk_of),
            false => Vec::new(),
        };
        let steps = steps(function, &chunks, fused, form.max_angles.max(1));
        let fills: Vec<Fill> =
            function.results.iter().map(|block| fill(block, form.min_filled_zeros)).collect();
        let leaves = entries::leaves(function, &fills);
        Self { function, chunks, chunk_of, steps, slots, n_slots, leaves, fills, uses, stores }
    }

    /// Whether a chunk reads or writes the scratch array.
    pub fn uses_slots(&self, chunk: usize) -> bool {
        let is_before =
            |operand: &Operand| operand.value().is_some_and(|value| self.chunk_of[value] != chunk);
        self.chunks[chunk].clone().any(|value| {
            self.slots[value].is_some() || self.function.body[value].operands().iter().any(is_before)
        })
    }

    /// Whether anything reads a value, apart from the second half of its own pair.
    pub fn is_read(&self, value: usize) -> bool {
        self.uses[value] > u32::from(self.function.body[value].op == Op::SinCos)
    }

    /// The entries a value is stored in.
    pub fn stores(&self, value: usize) -> impl Iterator<Item = Entry> {
        let start = self.stores.partition_point(|&(other, _)| other < value);
        self.stores[start..].iter().take_while(move |&&(other, _)| other == value).map(|&(_, entry)| entry)
    }

    /// The arguments the function reads, in order.
    pub fn arguments(&self) -> Vec<Argument> {
        arguments(self.function)
    }

    /// The arguments a chunk reads, in order.
    pub fn chunk_arguments(&self, chunk: usize) -> Vec<Argument> {
        collect(self.function.body[self.chunks[chunk].clone()].iter().flat_map(|i| i.operands()).copied())
    }

    /// The results a chunk stores values in, by position.
    pub fn chunk_results(&self, chunk: usize) -> Vec<usize> {
        let mut results: Vec<usize> = self.chunks[chunk]
            .clone()
            .flat_map(|value| self.stores(value))
            .map(|entry| entry.block)
            .collect();
        results.sort_unstable();
        results.dedup();
        results
    }
}

/// The steps of each chunk; `fused` are sums with products, or none.
fn steps(
    function: &Function,
    chunks: &[Range<usize>],
    fused: Vec<Option<MultiplyAdd>>,
    max_angles: usize,
) -> Vec<Vec<Step>> {
    let mut is_within = vec![false; function.body.len()];
    for taken_up in fused.iter().flatten() {
        is_within[taken_up.product] = true;
    }
    let mut step_at: Vec<Option<Step>> = fused.into_iter().map(|sum| sum.map(Step::MultiplyAdd)).collect();
    step_at.resize(function.body.len(), None);
    for run in function.runs() {
        is_within[run.clone()].fill(true);
        for start in run.clone().step_by(2 * max_angles) {
            is_within[start] = false;
            step_at[start] = Some(Step::SinCos(start..run.end.min(start + 2 * max_angles)));
        }
    }
    let mut step = |value: usize| step_at[value].take().unwrap_or(Step::Instruction(value));
    let of_chunk =
        |range: &Range<usize>| range.clone().filter(|&value| !is_within[value]).map(&mut step).collect();
    chunks.iter().map(of_chunk).collect()
}

#[cfg(test)]
mod tests;
