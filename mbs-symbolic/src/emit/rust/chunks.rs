//! Where long functions are cut, and where values wait that cross a cut.

use crate::program::Function;
use std::ops::Range;

/// As few ranges as have at most `chunk` instructions each, of about the same length, cut where few
/// values cross; runs of pairs stay together.
pub(super) fn split(function: &Function, chunk: usize) -> Vec<Range<usize>> {
    let body = &function.body;
    let crossing = crossing(function);
    let mut chunks = Vec::new();
    let mut start = 0;
    for rest in (0..body.len().div_ceil(chunk)).rev() {
        if start == body.len() {
            break;
        }
        let length = (body.len() - start).div_ceil(rest + 1);
        let least = (start + length - length / 4).max(body.len().saturating_sub(rest * chunk));
        let most = (start + length + length / 4).min(start + chunk).min(body.len());
        let can_cut = |&cut: &usize| crossing[cut] != usize::MAX;
        let cuts = (least.min(most)..=most).filter(can_cut);
        // Without a place in range the run at its end goes with what is before it.
        let after = || (most..=body.len()).find(can_cut).unwrap_or(body.len());
        let end = cuts.min_by_key(|&cut| crossing[cut]).unwrap_or_else(after);
        chunks.push(start..if rest == 0 { body.len() } else { end });
        start = end;
    }
    chunks
}

/// How many values from before each instruction are read from it on; none may be cut within a
/// run.
fn crossing(function: &Function) -> Vec<usize> {
    let body = &function.body;
    let mut last_use: Vec<usize> = (0..body.len()).collect();
    for (at, instruction) in body.iter().enumerate() {
        instruction
            .operands()
            .iter()
            .filter_map(|operand| operand.value())
            .for_each(|value| last_use[value] = at);
    }
    let mut ends = vec![0; body.len() + 1];
    let mut live = 0;
    let mut crossing = Vec::with_capacity(body.len() + 1);
    for (at, joined) in function.joined().into_iter().enumerate() {
        crossing.push(if joined { usize::MAX } else { live });
        live = live + usize::from(last_use[at] > at) - ends[at];
        ends[last_use[at]] += usize::from(last_use[at] > at);
    }
    crossing.push(0);
    crossing
}

/// Places in the scratch array, and its length.
pub(super) fn scratch_places(
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
    let mut places = vec![None; function.body.len()];
    let mut free: Vec<usize> = Vec::new();
    let mut freed_after: Vec<Vec<usize>> = vec![Vec::new(); chunks.len()];
    let mut length = 0;
    for (chunk, range) in chunks.iter().enumerate() {
        for value in range.clone().filter(|&value| last_reader[value] > chunk) {
            let place = free.pop().unwrap_or_else(|| {
                length += 1;
                length - 1
            });
            places[value] = Some(place);
            freed_after[last_reader[value]].push(place);
        }
        free.append(&mut freed_after[chunk]);
    }
    (places, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{BinaryOp, Symbol};
    use crate::program::{Instruction, Op, Operand};

    /// Sums of groups of six products each; between groups only the sum is waiting.
    fn groups() -> Function {
        let p = Operand::Symbol(Symbol::P(0));
        let mut body = vec![Instruction::new(Op::Binary(BinaryOp::Mul), &[p, p])];
        for _ in 0..8 {
            let sum = body.len() as u32 - 1;
            for _ in 0..6 {
                body.push(Instruction::new(Op::Binary(BinaryOp::Mul), &[p, Operand::Value(sum)]));
            }
            for product in 1..=6 {
                let before = Operand::Value(if product == 1 { sum } else { body.len() as u32 - 1 });
                body.push(Instruction::new(
                    Op::Binary(BinaryOp::Add),
                    &[before, Operand::Value(sum + product)],
                ));
            }
        }
        Function { body, results: Vec::new() }
    }

    #[test]
    fn cuts_are_where_few_values_cross() {
        let function = groups();
        let chunks = split(&function, 40);
        assert_eq!(chunks.len(), 3);
        assert!(chunks.iter().all(|range| range.len() <= 40));
        let crossing = crossing(&function);
        assert!(chunks[1..].iter().all(|range| crossing[range.start] == 1));
        assert_eq!((chunks[0].start, chunks[2].end), (0, function.body.len()));
    }

    #[test]
    fn runs_stay_together() {
        let p = Operand::Symbol(Symbol::P(0));
        let pair = |at: u32| {
            [Instruction::new(Op::SinCos, &[p]), Instruction::new(Op::PairedCos, &[Operand::Value(at)])]
        };
        // Runs of four, four and two pairs.
        let body: Vec<Instruction> = (0..10).flat_map(|k| pair(2 * k)).collect();
        let function = Function { body, results: Vec::new() };
        for length in 1..22 {
            let chunks = split(&function, length);
            assert!(chunks.iter().all(|range| range.start % 8 == 0 && !range.is_empty()), "{length}");
            assert_eq!(chunks.iter().map(ExactSizeIterator::len).sum::<usize>(), 20);
        }
    }
}
