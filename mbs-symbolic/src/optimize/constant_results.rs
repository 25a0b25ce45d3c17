//! Results that are numbers, kept out of the passes' way.
//!
//! Of a large mechanism almost all entries of M and G are zero. Passes read and rename all
//! entries of results; with the numbers set aside, their time grows with the operations and not
//! with the square of the number of velocities.

use crate::program::{Function, Operand, Program};

/// The results of all functions as they were; those that are constants stay so.
pub(super) struct ConstantResults {
    /// By function and block.
    whole: Vec<Vec<Vec<Operand>>>,
}

impl ConstantResults {
    /// Takes the numbers out of the results of all functions, which leaves the others in their
    /// order.
    pub(super) fn detach(program: &mut Program) -> Self {
        let aside = |function: &mut Function| {
            let blocks = function.results.iter_mut().map(|block| {
                let others = block.entries.iter().copied().filter(|entry| !is_number(*entry)).collect();
                std::mem::replace(&mut block.entries, others)
            });
            blocks.collect()
        };
        Self { whole: program.functions.iter_mut().map(aside).collect() }
    }

    /// Puts them back in their places.
    pub(super) fn reattach(self, program: &mut Program) {
        for (function, whole) in program.functions.iter_mut().zip(self.whole) {
            for (block, mut whole) in function.results.iter_mut().zip(whole) {
                let others = whole.iter_mut().filter(|entry| !is_number(**entry));
                others.zip(&block.entries).for_each(|(entry, &other)| *entry = other);
                block.entries = whole;
            }
        }
    }

    /// The program with all its results, for looking at it between passes.
    pub(super) fn completed(&self, program: &Program) -> Program {
        let mut completed = program.clone();
        Self { whole: self.whole.clone() }.reattach(&mut completed);
        completed
    }
}

fn is_number(entry: Operand) -> bool {
    matches!(entry, Operand::Constant(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{fixture, lower};

    #[test]
    fn what_is_detached_comes_back() {
        let before = lower(&fixture::everything());
        let mut program = before.clone();
        let numbers = ConstantResults::detach(&mut program);
        let constants = |program: &Program| {
            program.functions.iter().flat_map(Function::entries).filter(|&entry| is_number(entry)).count()
        };
        assert!(constants(&before) > 0 && constants(&program) == 0);
        // Passes give other entries in the same order, numbers among them.
        let five = Operand::constant(5.0);
        program.functions.iter_mut().for_each(|function| function.map_results(|_| five));
        numbers.reattach(&mut program);
        let expected = |entry| if is_number(entry) { entry } else { five };
        for (function, before) in program.functions.iter().zip(&before.functions) {
            assert!(function.entries().eq(before.entries().map(expected)));
        }
    }
}
