//! Sine and cosine as code of our own.
//!
//! The algorithm of [`mbs_math::trig`] is run once on values of the code to be made, which
//! writes its operations in its order: the same bits, for one angle or for two in a vector. Only
//! arguments beyond its range leave the straight line, through a function that preserves all
//! registers, so that nothing has to be saved around a call that hardly ever happens. Written out
//! at every place, a pair takes 750 bytes, which a function of many angles fetches from farther
//! away than the call of one copy takes: such a function calls, and that copy preserves all
//! registers too.

use super::arithmetic;
use cranelift_codegen::Context;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    self, AbiParam, BlockArg, FuncRef, InstBuilder, MemFlagsData, Signature, Type, Value, types,
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

/// Bytes of two arguments, which become sines, and of as many cosines.
pub(super) const PAIRS: u32 = 32;

/// The offset of a number in them.
fn offset(index: usize) -> i32 {
    8 * index as i32
}

/// The signature of functions that work on arguments and make them sines, followed by as many
/// cosines, given as a pointer: the one for an argument out of range, and those for any.
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
    let cosine = builder.ins().iadd_imm_s(pair, i64::from(offset(1)));
    let call = builder.ins().call(sin_cos, &[x, cosine]);
    let sine = builder.inst_results(call)[0];
    builder.ins().store(MemFlagsData::trusted(), sine, pair, 0);
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
}

/// Writes the function for N arguments of any size into `context`; `import` makes the one for an
/// argument out of range known.
pub(super) fn lower_near<const N: usize>(
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
    let place = builder.block_params(block)[0];
    let far = import(builder.func);
    let angles: [Value; N] = std::array::from_fn(|index| load(&mut builder, place, index));
    let pairs = sin_cos(&mut builder, angles, far, place);
    for (index, (sine, cosine)) in pairs.into_iter().enumerate() {
        builder.ins().store(MemFlagsData::trusted(), sine, place, offset(index));
        builder.ins().store(MemFlagsData::trusted(), cosine, place, offset(N + index));
    }
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
}

fn load(builder: &mut FunctionBuilder<'_>, place: Value, index: usize) -> Value {
    builder.ins().load(types::F64, MemFlagsData::trusted(), place, offset(index))
}

/// Writes sines and cosines of one angle, or of two at once; `far` is the function for an argument out
/// of range and `place` points to what it works on.
pub(super) fn sin_cos<const N: usize>(
    builder: &mut FunctionBuilder<'_>,
    angles: [Value; N],
    far: FuncRef,
    place: Value,
) -> [(Value, Value); N] {
    let (within, beyond, after) = (builder.create_block(), builder.create_block(), builder.create_block());
    let pairs_after = [(); N].map(|()| {
        let mut number = || builder.append_block_param(after, types::F64);
        (number(), number())
    });
    let x = joined(builder, &angles);
    let is_near = is_near(builder, x);
    // Asked before and not after the work, through which both sides of the question would wait.
    builder.ins().brif(is_near, within, &[], beyond, &[]);

    builder.switch_to_block(beyond);
    builder.set_cold_block(beyond);
    let pairs = angles.map(|angle| call(builder, [angle], far, place)[0]);
    jump(builder, after, &pairs);

    builder.switch_to_block(within);
    let (sines, cosines) = near(builder, x);
    let pairs: [_; N] =
        std::array::from_fn(|index| (lane(builder, sines, index), lane(builder, cosines, index)));
    jump(builder, after, &pairs);
    builder.switch_to_block(after);
    pairs_after
}

fn jump(builder: &mut FunctionBuilder<'_>, to: ir::Block, pairs: &[(Value, Value)]) {
    let numbers: Vec<BlockArg> =
        pairs.iter().flat_map(|&(sine, cosine)| [sine.into(), cosine.into()]).collect();
    builder.ins().jump(to, &numbers);
}

/// Writes a call for sines and cosines, through `place`.
pub(super) fn call<const N: usize>(
    builder: &mut FunctionBuilder<'_>,
    angles: [Value; N],
    function: FuncRef,
    place: Value,
) -> [(Value, Value); N] {
    for (index, angle) in angles.into_iter().enumerate() {
        builder.ins().store(MemFlagsData::trusted(), angle, place, offset(index));
    }
    builder.ins().call(function, &[place]);
    std::array::from_fn(|index| (load(builder, place, index), load(builder, place, N + index)))
}

/// One angle as it is, two as a vector, which needs nothing but SSE2 on x86-64.
fn joined(builder: &mut FunctionBuilder<'_>, angles: &[Value]) -> Value {
    match *angles {
        [first, second] => {
            let vector = builder.ins().scalar_to_vector(types::F64X2, first);
            builder.ins().insertlane(vector, second, 1)
        }
        _ => angles[0],
    }
}

fn lane(builder: &mut FunctionBuilder<'_>, value: Value, index: usize) -> Value {
    if builder.func.dfg.value_type(value).is_vector() {
        builder.ins().extractlane(value, index as u8)
    } else {
        value
    }
}

/// Whether x, or both in it, is within the range of the algorithm.
fn is_near(builder: &mut FunctionBuilder<'_>, x: Value) -> Value {
    let ty = builder.func.dfg.value_type(x);
    let size = builder.ins().fabs(x);
    let largest = constant(builder, ty, LARGEST.to_bits());
    let is_near = builder.ins().fcmp(FloatCC::LessThanOrEqual, size, largest);
    if !ty.is_vector() {
        return is_near;
    }
    let both = builder.ins().vhigh_bits(types::I32, is_near);
    builder.ins().icmp_imm_u(IntCC::Equal, both, 0b11)
}

/// The same number in all lanes of a type.
fn constant(builder: &mut FunctionBuilder<'_>, ty: Type, bits: u64) -> Value {
    if ty.is_vector() {
        let bytes: Vec<u8> = [bits.to_le_bytes(); 2].concat();
        let handle = builder.func.dfg.constants.insert(bytes.into());
        return builder.ins().vconst(ty, handle);
    }
    match ty {
        types::F64 => builder.ins().f64const(f64::from_bits(bits)),
        _ => builder.ins().iconst(ty, bits as i64),
    }
}

/// [`mbs_math::sin_cos`] within its range.
fn near(builder: &mut FunctionBuilder<'_>, x: Value) -> (Value, Value) {
    let (turns, sine, cosine) = {
        let shared = RefCell::new(&mut *builder);
        let x = Written::Value(&shared, x);
        let turns = quarter_turns(x);
        let (sine, cosine) = kernels(x, turns);
        let value = |written| match written {
            Written::Value(_, value) => value,
            Written::Constant(_) => unreachable!("these depend on x"),
        };
        (value(turns), value(sine), value(cosine))
    };
    let number = builder.func.dfg.value_type(x);
    let integer = number.as_int();
    let cast =
        |builder: &mut FunctionBuilder<'_>, value| builder.ins().bitcast(integer, MemFlagsData::new(), value);
    let turns = cast(builder, turns);
    let (sine, cosine) = (cast(builder, sine), cast(builder, cosine));
    let [zero, one, negative] = [0, 1, 1 << 63].map(|bits| constant(builder, integer, bits));
    // All bits where the number is odd: then the two change places.
    let odd = builder.ins().band(turns, one);
    let odd = builder.ins().isub(zero, odd);
    let difference = builder.ins().bxor(sine, cosine);
    let difference = builder.ins().band(difference, odd);
    let next = builder.ins().iadd(turns, one);
    let [sine, cosine] = [(sine, turns), (cosine, next)].map(|(value, turns)| {
        let value = builder.ins().bxor(value, difference);
        let places = builder.ins().iconst(types::I32, 62);
        let sign = builder.ins().ishl(turns, places);
        let sign = builder.ins().band(sign, negative);
        let value = builder.ins().bxor(value, sign);
        builder.ins().bitcast(number, MemFlagsData::new(), value)
    });
    (sine, cosine)
}

/// A number of the code that is written while the algorithm runs.
#[derive(Clone, Copy)]
enum Written<'b, 'r, 'f> {
    Constant(f64),
    Value(&'b RefCell<&'r mut FunctionBuilder<'f>>, Value),
}

impl Written<'_, '_, '_> {
    /// As a value of the type of the other operand.
    fn value(self, builder: &mut FunctionBuilder<'_>, ty: Type) -> Value {
        match self {
            Self::Constant(value) => constant(builder, ty, value.to_bits()),
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
                let (shared, known) = match (self, other) {
                    (Self::Constant(a), Self::Constant(b)) => return Self::Constant($operator::$method(a, b)),
                    (Self::Value(shared, known), _) | (_, Self::Value(shared, known)) => (shared, known),
                };
                let builder = &mut **shared.borrow_mut();
                let ty = builder.func.dfg.value_type(known);
                let (a, b) = (self.value(builder, ty), other.value(builder, ty));
                Self::Value(shared, $write(builder, a, b))
            }
        })*
    };
}

written! {
    Add add arithmetic::add,
    Sub sub |builder: &mut FunctionBuilder<'_>, a, b| builder.ins().fsub(a, b),
    Mul mul arithmetic::multiply,
}
