//! Products that are rounded together with the sum they go into.
//!
//! ```text
//! w1 = a·b          w2 = madd(a, b, c)
//! w2 = w1 + c
//! ```

use crate::expr::BinaryOp;
use crate::program::{Function, Op, Operand};

/// How a sum takes up a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// a·b + c
    Madd,
    /// a·b − c
    Msub,
    /// c − a·b
    Nmadd,
}

impl Form {
    /// The function of `math`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Madd => "madd",
            Self::Msub => "msub",
            Self::Nmadd => "nmadd",
        }
    }
}

/// What a sum takes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fused {
    pub(super) form: Form,
    /// The instruction of the product.
    pub(super) product: usize,
    /// What is added.
    pub(super) other: Operand,
}

/// For each sum the product it takes up: one that nothing else reads, and that is in the same
/// chunk. Of two, the later one, so that the earlier need not wait for it.
pub(super) fn find(function: &Function, chunk_of: &[usize]) -> Vec<Option<Fused>> {
    let uses = function.uses();
    let product = |operand: Operand, user: usize| {
        operand.value().filter(|&value| {
            function.body[value].op == Op::Binary(BinaryOp::Mul)
                && uses[value] == 1
                && chunk_of[value] == chunk_of[user]
        })
    };
    let fused = |(index, instruction): (usize, &crate::program::Instruction)| {
        let Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub)) = instruction.op else { return None };
        let &[left, right] = instruction.operands() else { return None };
        let (first, second) = (product(left, index), product(right, index));
        if second > first {
            let form = if op == BinaryOp::Add { Form::Madd } else { Form::Nmadd };
            return Some(Fused { form, product: second?, other: left });
        }
        let form = if op == BinaryOp::Add { Form::Madd } else { Form::Msub };
        Some(Fused { form, product: first?, other: right })
    };
    function.body.iter().enumerate().map(fused).collect()
}

/// Whether any sum of a function takes up a product.
pub(super) fn fuses(function: &Function) -> bool {
    find(function, &vec![0; function.body.len()]).iter().any(Option::is_some)
}
