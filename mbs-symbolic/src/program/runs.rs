//! Angles whose sines and cosines may be computed at once.

use super::{Function, Op};
use std::ops::Range;

/// Most angles of a run: what the widest vector registers in use hold.
pub const MAX_RUN: usize = 4;

impl Function {
    /// Pairs of sine and cosine that follow each other and whose angles are all known before the
    /// first of them, as ranges of instructions; each pair is in one of them, alone if need be.
    /// Functions are not cut within a run.
    pub fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (index, instruction) in self.body.iter().enumerate() {
            if instruction.op != Op::SinCos {
                continue;
            }
            let joins = |run: &Range<usize>| {
                let angle = instruction.operands()[0].value();
                run.end == index && run.len() < 2 * MAX_RUN && angle.is_none_or(|angle| angle < run.start)
            };
            match runs.last_mut().filter(|run| joins(run)) {
                Some(run) => run.end = index + 2,
                None => runs.push(index..index + 2),
            }
        }
        runs
    }

    /// For each instruction whether it is computed together with the one before it.
    pub fn joined(&self) -> Vec<bool> {
        let mut joined = vec![false; self.body.len()];
        for run in self.runs() {
            joined[run.start + 1..run.end].fill(true);
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Instruction, Operand};
    use super::*;
    use crate::expr::Symbol;

    /// Pairs one after the other; the angle of each is a position, or the sine of the pair so far
    /// before it.
    fn runs(angles: &[Option<u32>]) -> Vec<usize> {
        let mut function = Function::default();
        for back in angles {
            let at = function.body.len() as u32;
            let angle = back.map_or(Operand::Symbol(Symbol::P(0)), |back| Operand::Value(at - 2 * back));
            function.body.push(Instruction::new(Op::SinCos, &[angle]));
            function.body.push(Instruction::new(Op::PairedCos, &[Operand::Value(at)]));
        }
        let runs = function.runs();
        let alone = function.joined().iter().filter(|joined| !**joined).count();
        assert_eq!(alone, runs.len());
        runs.iter().map(|run| run.len() / 2).collect()
    }

    #[test]
    fn an_angle_of_the_run_ends_it() {
        assert_eq!(runs(&[None; 6]), [4, 2]);
        assert_eq!(runs(&[None, Some(1), None]), [1, 2]);
        assert_eq!(runs(&[None, None, Some(2), Some(3)]), [2, 2]);
        assert!(runs(&[]).is_empty());
    }
}
