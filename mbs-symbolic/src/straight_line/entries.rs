//! Which entries of the results are stored where, and who writes their zeros.
//!
//! Of a large mechanism almost all of M and G is zero. Who calls again and again keeps these
//! arrays, whose zeros are then written once.

use crate::program::{Block, Function, Operand, Quantity};
use std::ops::Range;

/// So many zeros of M and G are not written again where they are known to be there.
const MIN_KEPT_ZEROS: usize = 40;

/// An entry of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The result, by its position among those of the function.
    pub block: usize,
    /// The entry's position in it.
    pub index: usize,
}

/// Neighbouring entries with the same value, which no instruction computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The result, by its position among those of the function.
    pub block: usize,
    /// Positions in it.
    pub entries: Range<usize>,
    /// The value.
    pub operand: Operand,
}

/// Who fills an array with zeros before other entries are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Nobody: its zeros, if any, are stored one by one.
    Nobody,
    /// The function.
    Function,
    /// Whoever calls it, unless the array has its zeros from an earlier call.
    Caller,
}

/// Who fills a result of a function; `min_zeros` are worth being filled at once.
pub fn fill(block: &Block, min_zeros: usize) -> Fill {
    let zeros = block.entries.iter().filter(|entry| entry.is_constant(0.0)).count();
    match block.quantity {
        Quantity::MassMatrix | Quantity::ConstraintJacobian if zeros >= MIN_KEPT_ZEROS => Fill::Caller,
        _ if zeros >= min_zeros => Fill::Function,
        _ => Fill::Nobody,
    }
}

/// The arrays a function fills: those with any entry.
pub fn filled(function: &Function) -> impl Iterator<Item = &Block> {
    function.results.iter().filter(|block| !block.entries.is_empty())
}

/// Values and the entries they are stored in, ordered by value.
pub(super) fn stores(function: &Function) -> Vec<(usize, Entry)> {
    let entries = |(block, result)| indexed(block, result);
    let mut stores: Vec<(usize, Entry)> = function
        .results
        .iter()
        .enumerate()
        .flat_map(entries)
        .filter_map(|(entry, operand)| operand.value().map(|value| (value, entry)))
        .collect();
    stores.sort_by_key(|&(value, _)| value);
    stores
}

/// Entries that are no values of instructions, without the zeros of arrays that are filled.
pub(super) fn leaves(function: &Function, fills: &[Fill]) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    for (block, (result, &fill)) in function.results.iter().zip(fills).enumerate() {
        for (Entry { index, .. }, operand) in indexed(block, result) {
            if operand.value().is_some() || fill != Fill::Nobody && operand.is_constant(0.0) {
                continue;
            }
            let continues = |leaf: &&mut Leaf| {
                leaf.block == block && leaf.entries.end == index && leaf.operand == operand
            };
            match leaves.last_mut().filter(continues) {
                Some(leaf) => leaf.entries.end += 1,
                None => leaves.push(Leaf { block, entries: index..index + 1, operand }),
            }
        }
    }
    leaves
}

fn indexed(block: usize, result: &Block) -> impl Iterator<Item = (Entry, Operand)> {
    result.entries.iter().enumerate().map(move |(index, &operand)| (Entry { block, index }, operand))
}

#[cfg(test)]
mod tests {
    use super::super::testing::P;
    use super::*;

    fn zero() -> Operand {
        Operand::constant(0.0)
    }

    fn zeros(quantity: Quantity, count: usize) -> Block {
        Block { quantity, entries: vec![zero(); count] }
    }

    #[test]
    fn callers_fill_what_they_keep() {
        assert_eq!(fill(&zeros(Quantity::Forces, 2), 3), Fill::Nobody);
        assert_eq!(fill(&zeros(Quantity::Forces, 3), 3), Fill::Function);
        assert_eq!(fill(&zeros(Quantity::Forces, 400), 3), Fill::Function);
        for kept in [Quantity::MassMatrix, Quantity::ConstraintJacobian] {
            assert_eq!(fill(&zeros(kept, MIN_KEPT_ZEROS - 1), 3), Fill::Function);
            assert_eq!(fill(&zeros(kept, MIN_KEPT_ZEROS), 3), Fill::Caller);
            assert_eq!(fill(&zeros(kept, MIN_KEPT_ZEROS), 100), Fill::Caller);
        }
    }

    #[test]
    fn neighbours_of_the_same_value_are_one_leaf() {
        let two = Operand::constant(2.0);
        let entries = vec![zero(), zero(), Operand::Value(0), zero(), P, P, two];
        let block = |entries| Block { quantity: Quantity::Outputs, entries };
        let function = Function { body: Vec::new(), results: vec![block(entries), block(vec![two])] };
        let leaf = |block, entries, operand| Leaf { block, entries, operand };
        let others = [leaf(0, 4..6, P), leaf(0, 6..7, two), leaf(1, 0..1, two)];
        assert_eq!(leaves(&function, &[Fill::Function, Fill::Nobody]), others);
        let all = [&[leaf(0, 0..2, zero()), leaf(0, 3..4, zero())][..], &others].concat();
        assert_eq!(leaves(&function, &[Fill::Nobody, Fill::Nobody]), all);
    }

    #[test]
    fn a_value_may_be_stored_more_than_once() {
        let entries = [Operand::Value(1), P, Operand::Value(0), Operand::Value(1)].to_vec();
        let results = vec![Block { quantity: Quantity::Outputs, entries }];
        let entry = |index| Entry { block: 0, index };
        let expected = [(0, entry(2)), (1, entry(0)), (1, entry(3))];
        assert_eq!(stores(&Function { body: Vec::new(), results }), expected);
    }
}
