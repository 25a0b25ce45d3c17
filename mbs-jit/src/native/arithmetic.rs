//! Sums, products and constants in the form the code generator likes.
//!
//! Beside an operand, a constant on the right is read from memory by the operation itself; on the left it would take
//! two instructions and a register. Changing places changes no bits: constants are numbers.

use cranelift_codegen::ir::{InstBuilder, InstructionData, Opcode, Type, Value, ValueDef};
use cranelift_frontend::FunctionBuilder;

/// a + b.
pub(super) fn add(builder: &mut FunctionBuilder<'_>, a: Value, b: Value) -> Value {
    let (a, b) = ordered(builder, a, b);
    builder.ins().fadd(a, b)
}

/// a · b.
pub(super) fn multiply(builder: &mut FunctionBuilder<'_>, a: Value, b: Value) -> Value {
    let (a, b) = ordered(builder, a, b);
    builder.ins().fmul(a, b)
}

fn ordered(builder: &FunctionBuilder<'_>, a: Value, b: Value) -> (Value, Value) {
    if is_constant(builder, a) { (b, a) } else { (a, b) }
}

fn is_constant(builder: &FunctionBuilder<'_>, value: Value) -> bool {
    let graph = &builder.func.dfg;
    let ValueDef::Result(instruction, _) = graph.value_def(value) else { return false };
    matches!(graph.insts[instruction], InstructionData::UnaryIeee64 { opcode: Opcode::F64const, .. })
}

/// The same number in both lanes of a type.
pub(super) fn constant(builder: &mut FunctionBuilder<'_>, ty: Type, bits: u64) -> Value {
    let bytes: Vec<u8> = [bits.to_le_bytes(); 2].concat();
    let handle = builder.func.dfg.constants.insert(bytes.into());
    builder.ins().vconst(ty, handle)
}
