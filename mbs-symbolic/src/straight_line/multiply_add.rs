//! Products that are rounded together with the sum they go into (fused multiply-add, FMA).
//!
//! ```text
//! w1 = a·b          w2 = madd(a, b, c)
//! w2 = w1 + c
//! ```

use crate::expr::BinaryOp;
use crate::program::{Function, Instruction, Op, Operand};

/// How a sum takes up a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// a·b + c
    Plus,
    /// a·b − c
    MinusAddend,
    /// c − a·b
    MinusProduct,
}

/// A sum together with a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultiplyAdd {
    /// The instruction of the sum.
    pub sum: usize,
    /// The instruction of the product.
    pub product: usize,
    /// What is added and what is subtracted.
    pub sign: Sign,
    /// a and b.
    pub factors: [Operand; 2],
    /// c.
    pub addend: Operand,
}

/// For each sum the product it takes up: one that nothing else reads, and that is in the same
/// chunk. Of two, the later one, so that the earlier need not wait for it.
pub(super) fn find(function: &Function, uses: &[u32], chunk_of: &[usize]) -> Vec<Option<MultiplyAdd>> {
    let product = |operand: Operand, sum: usize| {
        operand.value().filter(|&value| {
            function.body[value].op == Op::Binary(BinaryOp::Mul)
                && uses[value] == 1
                && chunk_of[value] == chunk_of[sum]
        })
    };
    let fused = |(sum, instruction): (usize, &Instruction)| {
        let Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub)) = instruction.op else { return None };
        let &[left, right] = instruction.operands() else { return None };
        let (first, second) = (product(left, sum), product(right, sum));
        let (product, sign, addend) = match (second > first, op) {
            (true, BinaryOp::Add) => (second?, Sign::Plus, left),
            (true, _) => (second?, Sign::MinusProduct, left),
            (false, BinaryOp::Add) => (first?, Sign::Plus, right),
            (false, _) => (first?, Sign::MinusAddend, right),
        };
        let &[a, b] = function.body[product].operands() else { return None };
        Some(MultiplyAdd { sum, product, sign, factors: [a, b], addend })
    };
    function.body.iter().enumerate().map(fused).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{P, V, add, mul, sub};
    use super::*;
    use crate::program::Operand::Value;
    use crate::program::{Block, Quantity};

    /// Which product each sum takes up and how, in chunks that start at `cuts`.
    fn found(body: Vec<Instruction>, cuts: &[usize]) -> Vec<(usize, usize, Sign)> {
        let last = Value(body.len() as u32 - 1);
        let results = vec![Block { quantity: Quantity::Outputs, entries: vec![last] }];
        let function = Function { body, results };
        let chunk_of: Vec<usize> =
            (0..function.body.len()).map(|at| cuts.iter().filter(|&&cut| cut <= at).count()).collect();
        let found = find(&function, &function.uses(), &chunk_of);
        found.into_iter().flatten().map(|fused| (fused.sum, fused.product, fused.sign)).collect()
    }

    #[test]
    fn signs_follow_the_place_of_the_product() {
        assert_eq!(found(vec![mul(P, V), add(Value(0), P)], &[]), [(1, 0, Sign::Plus)]);
        assert_eq!(found(vec![mul(P, V), add(P, Value(0))], &[]), [(1, 0, Sign::Plus)]);
        assert_eq!(found(vec![mul(P, V), sub(Value(0), P)], &[]), [(1, 0, Sign::MinusAddend)]);
        assert_eq!(found(vec![mul(P, V), sub(P, Value(0))], &[]), [(1, 0, Sign::MinusProduct)]);
    }

    #[test]
    fn of_two_products_the_later_is_taken_up() {
        let two = |left, right| vec![mul(P, V), mul(V, P), sub(left, right)];
        assert_eq!(found(two(Value(0), Value(1)), &[]), [(2, 1, Sign::MinusProduct)]);
        assert_eq!(found(two(Value(1), Value(0)), &[]), [(2, 1, Sign::MinusAddend)]);
    }

    #[test]
    fn a_product_read_twice_or_across_a_cut_stays() {
        assert_eq!(found(vec![mul(P, V), add(Value(0), Value(0))], &[]), []);
        assert_eq!(found(vec![mul(P, V), add(Value(0), P), mul(Value(0), Value(1))], &[]), []);
        assert_eq!(found(vec![mul(P, V), add(Value(0), P)], &[1]), []);
        assert_eq!(found(vec![add(P, V), add(Value(0), P)], &[]), [], "sums are no products");
    }
}
