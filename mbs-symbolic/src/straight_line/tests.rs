use super::testing::{P, V, add, mul, pairs};
use super::*;
use crate::program::Operand::Value;
use crate::program::{Block, Instruction, MAX_RUN, Quantity};

const PLAIN: Form = Form {
    max_chunk: usize::MAX,
    counts_stores: false,
    min_filled_zeros: usize::MAX,
    max_angles: MAX_RUN,
    fused_multiply_add: false,
};

/// Two angles, a product that only the sum after it reads, and a chain of products; the sum is an
/// entry twice, and one entry is a position.
fn function() -> Function {
    let mut body = pairs(2);
    body.extend([mul(Value(0), Value(3)), add(Value(4), V), mul(Value(5), P), mul(Value(6), V)]);
    let forces = Block { quantity: Quantity::Forces, entries: vec![Value(5), P, Value(5)] };
    let outputs = Block { quantity: Quantity::Outputs, entries: vec![Value(7)] };
    Function { body, results: vec![forces, outputs] }
}

#[test]
fn every_instruction_is_in_one_step_of_one_chunk() {
    let function = function();
    for max_chunk in 1..10 {
        for (fused_multiply_add, max_angles) in [(false, 1), (false, 4), (true, 2)] {
            let form = Form { max_chunk, fused_multiply_add, max_angles, ..PLAIN };
            let line = StraightLine::new(&function, form);
            let mut computed = Vec::new();
            for (chunk, range) in line.chunks.iter().enumerate() {
                for step in &line.steps[chunk] {
                    let of_step = match step {
                        Step::Instruction(value) => *value..value + 1,
                        Step::MultiplyAdd(fused) => fused.product..fused.sum + 1,
                        Step::SinCos(run) => run.clone(),
                    };
                    assert!(of_step.clone().all(|value| range.contains(&value)), "chunks of {max_chunk}");
                    assert!(of_step.clone().all(|value| line.chunk_of[value] == chunk));
                    computed.extend(of_step);
                }
            }
            assert_eq!(computed, (0..8).collect::<Vec<_>>(), "chunks of {max_chunk}");
        }
    }
}

#[test]
fn steps_join_angles_and_products() {
    let function = function();
    let steps = |form: Form| StraightLine::new(&function, form).steps.swap_remove(0);
    let alone = steps(Form { max_angles: 1, ..PLAIN });
    assert_eq!(alone[..3], [Step::SinCos(0..2), Step::SinCos(2..4), Step::Instruction(4)]);
    let fused = steps(Form { fused_multiply_add: true, ..PLAIN });
    assert_eq!(fused[0], Step::SinCos(0..4));
    let Step::MultiplyAdd(sum) = fused[1] else { panic!("{:?}", fused[1]) };
    assert_eq!((sum.product, sum.sum, sum.factors, sum.addend), (4, 5, [Value(0), Value(3)], V));
    assert_eq!(fused[2..], [Step::Instruction(6), Step::Instruction(7)]);
}

#[test]
fn chunks_know_what_they_read_and_store() {
    let function = function();
    let line = StraightLine::new(&function, Form { max_chunk: 4, ..PLAIN });
    assert_eq!(line.chunks, [0..4, 4..8]);
    assert_eq!(line.arguments(), [Argument::P, Argument::V]);
    assert_eq!(line.chunk_arguments(0), [Argument::P]);
    assert_eq!((line.chunk_results(0), line.chunk_results(1)), (vec![], vec![0, 1]));
    assert_eq!((line.slots[0], line.slots[1], line.slots[3], line.n_slots), (Some(0), None, Some(1), 2));
    assert!(line.uses_slots(0) && line.uses_slots(1));
    let entries: Vec<usize> = line.stores(5).map(|entry| entry.index).collect();
    assert_eq!(entries, [0, 2]);
    assert_eq!(line.leaves, [Leaf { block: 0, entries: 1..2, operand: P }]);
    // Of the first pair the sine is read and the cosine is not.
    assert_eq!([0, 1, 2, 3].map(|value| line.is_read(value)), [true, false, false, true]);
    assert!(!StraightLine::new(&function, PLAIN).uses_slots(0));
}

#[test]
fn stores_count_where_a_target_wants_it() {
    let body: Vec<Instruction> = (0..8).map(|_| mul(P, V)).collect();
    let mut entries = vec![Value(0); 6];
    entries.push(Value(7));
    let function = Function { body, results: vec![Block { quantity: Quantity::Outputs, entries }] };
    let ends = |counts_stores| -> Vec<usize> {
        let form = Form { max_chunk: 8, counts_stores, ..PLAIN };
        StraightLine::new(&function, form).chunks.iter().map(|range| range.end).collect()
    };
    assert_eq!((ends(false), ends(true)), (vec![8], vec![1, 8]));
}
