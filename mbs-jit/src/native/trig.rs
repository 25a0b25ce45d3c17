//! Sine and cosine as code of our own.
//!
//! The algorithm of [`mbs_math::trig`] is run once on values of the code to be made, which
//! writes its operations in its order: the same bits. Only arguments beyond its range leave the
//! straight line, through a function that preserves all registers, so that nothing has to be
//! saved around a call that hardly ever happens. Written out at every place, a pair takes 750
//! bytes, which a function of many angles fetches from farther away than the call of one copy
//! takes: such a function calls, and that copy preserves all registers too.

use super::arithmetic;
use cranelift_codegen::Context;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    self, AbiParam, FuncRef, InstBuilder, MemFlagsData, Signature, Type, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use mbs_math::trig::{LARGEST, Real, kernels, quarter_turns};
use std::cell::RefCell;
use std::ops::{Add, Mul, Sub};

/// Whether this machine has the calling convention that preserves all registers.
pub(super) const IS_INLINED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// With so many pairs a function calls the one copy of them: written out they no longer fit into
/// the nearest cache of instructions.
pub(super) const MANY: usize = 32;

/// Bytes of the argument, which becomes the sine, and of the cosine.
pub(super) const PAIR: u32 = 16;
const COSINE: i32 = 8;

/// The signature of functions that work on a pair, given as a pointer: the one for arguments out
/// of range, and the one for any.
pub(super) fn signature(pointer: Type) -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.push(AbiParam::new(pointer));
    signature
}

/// Writes the function for arguments out of range into `context`; `import` makes the shim known.
pub(super) fn lower_far(
    context: &mut Context,
    building: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
    import: impl FnOnce(&mut ir::Function) -> FuncRef,
) {
    context.func.signature = signature(isa.pointer_type());
    let mut builder = FunctionBuilder::new(&mut context.func, building);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let pair = builder.block_params(block)[0];
    let sin_cos = import(builder.func);
    let x = builder.ins().load(types::F64, MemFlagsData::trusted(), pair, 0);
    let cosine = builder.ins().iadd_imm_s(pair, i64::from(COSINE));
    let call = builder.ins().call(sin_cos, &[x, cosine]);
    let sine = builder.inst_results(call)[0];
    builder.ins().store(MemFlagsData::trusted(), sine, pair, 0);
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
}

/// Writes the function for any argument into `context`; `import` makes the one for arguments out
/// of range known.
pub(super) fn lower_near(
    context: &mut Context,
    building: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
    import: impl FnOnce(&mut ir::Function) -> FuncRef,
) {
    let pointer = isa.pointer_type();
    context.func.signature = signature(pointer);
    let mut builder = FunctionBuilder::new(&mut context.func, building);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let pair = builder.block_params(block)[0];
    let far = import(builder.func);
    let x = builder.ins().load(types::F64, MemFlagsData::trusted(), pair, 0);
    let (sine, cosine) = sin_cos(&mut builder, x, far, pair);
    builder.ins().store(MemFlagsData::trusted(), sine, pair, 0);
    builder.ins().store(MemFlagsData::trusted(), cosine, pair, COSINE);
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
}

/// Writes sine and cosine of x; `far` is the function for arguments out of range and `pair` points to
/// what it works on.
pub(super) fn sin_cos(
    builder: &mut FunctionBuilder<'_>,
    x: Value,
    far: FuncRef,
    pair: Value,
) -> (Value, Value) {
    let (within, beyond, after) = (builder.create_block(), builder.create_block(), builder.create_block());
    let [sine_after, cosine_after] = [(); 2].map(|()| builder.append_block_param(after, types::F64));
    let size = builder.ins().fabs(x);
    let largest = builder.ins().f64const(LARGEST);
    let is_near = builder.ins().fcmp(FloatCC::LessThanOrEqual, size, largest);
    // Asked before and not after the work, through which both sides of the question would wait.
    builder.ins().brif(is_near, within, &[], beyond, &[]);

    builder.switch_to_block(beyond);
    builder.set_cold_block(beyond);
    let (sine, cosine) = call(builder, x, far, pair);
    builder.ins().jump(after, &[sine.into(), cosine.into()]);

    builder.switch_to_block(within);
    let (sine, cosine) = near(builder, x);
    builder.ins().jump(after, &[sine.into(), cosine.into()]);
    builder.switch_to_block(after);
    (sine_after, cosine_after)
}

/// Writes a call for sine and cosine of x, through a pair.
pub(super) fn call(
    builder: &mut FunctionBuilder<'_>,
    x: Value,
    function: FuncRef,
    pair: Value,
) -> (Value, Value) {
    builder.ins().store(MemFlagsData::trusted(), x, pair, 0);
    builder.ins().call(function, &[pair]);
    let [sine, cosine] =
        [0, COSINE].map(|offset| builder.ins().load(types::F64, MemFlagsData::trusted(), pair, offset));
    (sine, cosine)
}

/// [`mbs_math::sin_cos`] within its range.
fn near(builder: &mut FunctionBuilder<'_>, x: Value) -> (Value, Value) {
    let (turns, sine, cosine) = {
        let shared = RefCell::new(&mut *builder);
        let x = Written::Value(&shared, x);
        let turns = quarter_turns(x);
        let (sine, cosine) = kernels(x, turns);
        (turns.value(&shared), sine.value(&shared), cosine.value(&shared))
    };
    let integer = |builder: &mut FunctionBuilder<'_>, value| {
        builder.ins().bitcast(types::I64, MemFlagsData::new(), value)
    };
    let turns = integer(builder, turns);
    let (sine, cosine) = (integer(builder, sine), integer(builder, cosine));
    // All bits where the number is odd: then the two change places.
    let odd = builder.ins().ishl_imm_u(turns, 63);
    let odd = builder.ins().sshr_imm_u(odd, 63);
    let difference = builder.ins().bxor(sine, cosine);
    let difference = builder.ins().band(difference, odd);
    let next = builder.ins().iadd_imm_s(turns, 1);
    let [sine, cosine] = [(sine, turns), (cosine, next)].map(|(value, turns)| {
        let value = builder.ins().bxor(value, difference);
        let sign = builder.ins().ishl_imm_u(turns, 62);
        let sign = builder.ins().band_imm_s(sign, i64::MIN);
        let value = builder.ins().bxor(value, sign);
        builder.ins().bitcast(types::F64, MemFlagsData::new(), value)
    });
    (sine, cosine)
}

/// A number of the code that is written while the algorithm runs.
#[derive(Clone, Copy)]
enum Written<'b, 'r, 'f> {
    Constant(f64),
    Value(&'b RefCell<&'r mut FunctionBuilder<'f>>, Value),
}

impl<'b, 'r, 'f> Written<'b, 'r, 'f> {
    fn value(self, builder: &RefCell<&mut FunctionBuilder<'f>>) -> Value {
        match self {
            Self::Constant(value) => builder.borrow_mut().ins().f64const(value),
            Self::Value(_, value) => value,
        }
    }
}

impl Real for Written<'_, '_, '_> {
    fn of(value: f64) -> Self {
        Self::Constant(value)
    }
}

macro_rules! written {
    ($($operator:ident $method:ident $write:expr,)*) => {
        $(impl $operator for Written<'_, '_, '_> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                let builder = match (self, other) {
                    (Self::Constant(a), Self::Constant(b)) => return Self::Constant($operator::$method(a, b)),
                    (Self::Value(builder, _), _) | (_, Self::Value(builder, _)) => builder,
                };
                let (a, b) = (self.value(builder), other.value(builder));
                Self::Value(builder, $write(&mut **builder.borrow_mut(), a, b))
            }
        })*
    };
}

written! {
    Add add arithmetic::add,
    Sub sub |builder: &mut FunctionBuilder<'_>, a, b| builder.ins().fsub(a, b),
    Mul mul arithmetic::multiply,
}
