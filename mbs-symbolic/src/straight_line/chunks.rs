//! Where long functions are cut.

use crate::program::Function;
use std::ops::Range;

/// As few ranges as have at most `max` work each, of about the same work, cut where few values
/// cross; runs of pairs stay together. At least one range.
pub(super) fn split(function: &Function, work: &[usize], max: usize) -> Vec<Range<usize>> {
    let crossing = crossing(function);
    // Before each instruction, and at the end.
    let mut done = vec![0];
    for work in work {
        done.push(done[done.len() - 1] + work);
    }
    let (end, total) = (work.len(), done[work.len()]);
    let first = |reached: usize| done.partition_point(|&done| done < reached);
    let can_cut = |&cut: &usize| crossing[cut] != usize::MAX;
    let mut chunks = Vec::new();
    let mut start = 0;
    for rest in (1..total.div_ceil(max)).rev() {
        if start == end {
            break;
        }
        let share = (total - done[start]).div_ceil(rest + 1);
        let least = (done[start] + share - share / 4).max(total.saturating_sub(rest * max));
        let most = (done[start] + share + share / 4).min(done[start] + max).min(total);
        let cuts = (first(least.min(most))..first(most + 1)).filter(can_cut);
        // Without a place in range the run at its end goes with what is before it.
        let after = || (first(most)..=end).find(can_cut).unwrap_or(end);
        let cut = cuts.min_by_key(|&cut| crossing[cut]).unwrap_or_else(after);
        chunks.push(start..cut);
        start = cut;
    }
    if start < end || chunks.is_empty() {
        chunks.push(start..end);
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

#[cfg(test)]
mod tests {
    use super::super::testing::{P, add, mul, pairs};
    use super::*;
    use crate::program::Operand;

    /// Sums of groups of six products each; between groups only the sum is waiting.
    fn groups() -> Function {
        let mut body = vec![mul(P, P)];
        for _ in 0..8 {
            let sum = body.len() as u32 - 1;
            for _ in 0..6 {
                body.push(mul(P, Operand::Value(sum)));
            }
            for product in 1..=6 {
                let before = Operand::Value(if product == 1 { sum } else { body.len() as u32 - 1 });
                body.push(add(before, Operand::Value(sum + product)));
            }
        }
        Function { body, results: Vec::new() }
    }

    #[test]
    fn cuts_are_where_few_values_cross() {
        let function = groups();
        let chunks = split(&function, &vec![1; function.body.len()], 40);
        assert_eq!(chunks.len(), 3);
        assert!(chunks.iter().all(|range| range.len() <= 40));
        let crossing = crossing(&function);
        assert!(chunks[1..].iter().all(|range| crossing[range.start] == 1));
        assert_eq!((chunks[0].start, chunks[2].end), (0, function.body.len()));
    }

    #[test]
    fn runs_stay_together() {
        // Runs of four, four and two pairs.
        let function = Function { body: pairs(10), results: Vec::new() };
        for max in 1..22 {
            let chunks = split(&function, &[1; 20], max);
            assert!(chunks.iter().all(|range| range.start % 8 == 0 && !range.is_empty()), "{max}");
            assert_eq!(chunks.iter().map(ExactSizeIterator::len).sum::<usize>(), 20);
        }
    }

    #[test]
    fn chunks_are_of_the_same_work() {
        let function = Function { body: vec![mul(P, P); 12], results: Vec::new() };
        // As much work in the first three as in the other nine.
        let work: Vec<usize> = (0..12).map(|index| if index < 3 { 3 } else { 1 }).collect();
        assert_eq!(split(&function, &work, 10), [0..3, 3..12]);
        assert_eq!(split(&function, &work, 18).len(), 1);
        // Nothing is lost where one instruction is more than a chunk.
        assert_eq!(split(&function, &[5; 12], 1), (0..12).map(|index| index..index + 1).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_one_chunk() {
        assert_eq!(split(&Function::default(), &[], 3).as_slice(), std::slice::from_ref(&(0..0)));
    }
}
