//! Where values wait that cross a cut.

use crate::program::Function;
use std::ops::Range;

/// Slots in the scratch array, and its length.
///
/// A slot that is read in a chunk is not written in the same one, since code may read it as late
/// as it likes.
pub(super) fn assign(
    function: &Function,
    chunks: &[Range<usize>],
    chunk_of: &[usize],
) -> (Vec<Option<usize>>, usize) {
    let mut last_reader: Vec<usize> = chunk_of.to_vec();
    for (index, instruction) in function.body.iter().enumerate() {
        for value in instruction.operands().iter().filter_map(|operand| operand.value()) {
            last_reader[value] = chunk_of[index];
        }
    }
    let mut slots = vec![None; function.body.len()];
    let mut free: Vec<usize> = Vec::new();
    let mut freed_after: Vec<Vec<usize>> = vec![Vec::new(); chunks.len()];
    let mut length = 0;
    for (chunk, range) in chunks.iter().enumerate() {
        for value in range.clone().filter(|&value| last_reader[value] > chunk) {
            let slot = free.pop().unwrap_or_else(|| {
                length += 1;
                length - 1
            });
            slots[value] = Some(slot);
            freed_after[last_reader[value]].push(slot);
        }
        free.append(&mut freed_after[chunk]);
    }
    (slots, length)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{P, mul};
    use super::*;
    use crate::program::Operand::Value;

    /// Chunks of two instructions. The first value waits for the second chunk and the second for
    /// the third, which may take the slot of the first again; the chunk between may not.
    #[test]
    fn slots_are_used_again_after_their_last_reader() {
        let body = vec![
            mul(P, P),
            mul(P, P),
            mul(Value(0), P),
            mul(Value(2), P),
            mul(Value(1), Value(3)),
            mul(Value(4), P),
            mul(Value(5), P),
        ];
        let function = Function { body, results: Vec::new() };
        let (slots, length) = assign(&function, &[0..2, 2..4, 4..6, 6..7], &[0, 0, 1, 1, 2, 2, 3]);
        assert_eq!(slots, [Some(0), Some(1), None, Some(2), None, Some(0), None]);
        assert_eq!(length, 3);
        assert_eq!(assign(&function, std::slice::from_ref(&(0..7)), &[0; 7]), (vec![None; 7], 0));
    }
}
