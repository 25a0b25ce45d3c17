//! Sine and cosine as code of our own.
//!
//! The algorithm of [`mbs_math::trig`] is run once on values of the code to be made, which
//! writes its operations in its order: the same bits, for one angle or for two in a vector, and
//! for two vectors in turns. One angle is a vector too: numbers alone would go through registers of
//! integers where the two change places. Only
//! arguments beyond its range leave the straight line, through a function that preserves all
//! registers, so that nothing has to be saved around a call that hardly ever happens. Written out
//! at every place, a pair takes 750 bytes, which a function of many angles fetches from farther
//! away than the call of one copy takes: such a function calls, and that copy preserves all
//! registers too.

use super::arithmetic::constant;
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

/// Bytes of four arguments, which become sines, and of as many cosines.
pub(super) const PAIRS: u32 = 64;

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

/// Writes sines and cosines of one angle, or of up to four at once; `far` is the function for an
/// argument out of range and `place` points to what it works on.
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
    let vectors: Vec<Value> = angles.chunks(2).map(|angles| joined(builder, angles)).collect();
    let is_near = are_near(builder, &vectors);
    // Asked before and not after the work, through which both sides of the question would wait.
    builder.ins().brif(is_near, within, &[], beyond, &[]);

    builder.switch_to_block(beyond);
    builder.set_cold_block(beyond);
    let pairs = angles.map(|angle| call(builder, [angle], far, place)[0]);
    jump(builder, after, &pairs);

    builder.switch_to_block(within);
    let vectors: Vec<(Value, Value)> = match *vectors {
        [x] => near(builder, [x]).into(),
        [x, y] => near(builder, [x, y]).into(),
        _ => unreachable!("one angle to four"),
    };
    let pairs: [_; N] = std::array::from_fn(|index| {
        let (sines, cosines) = vectors[index / 2];
        let mut lane = |vector| builder.ins().extractlane(vector, index as u8 % 2);
        (lane(sines), lane(cosines))
    });
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

/// One angle, twice, or two as a vector, which needs nothing but SSE2 on x86-64.
fn joined(builder: &mut FunctionBuilder<'_>, angles: &[Value]) -> Value {
    match *angles {
        [first, second] => {
            let vector = builder.ins().scalar_to_vector(types::F64X2, first);
            builder.ins().insertlane(vector, second, 1)
        }
        _ => builder.ins().splat(types::F64X2, angles[0]),
    }
}

/// Whether all angles are within the range of the algorithm.
fn are_near(builder: &mut FunctionBuilder<'_>, vectors: &[Value]) -> Value {
    let largest = constant(builder, types::F64X2, LARGEST.to_bits());
    let near = vectors.iter().map(|&x| {
        let size = builder.ins().fabs(x);
        builder.ins().fcmp(FloatCC::LessThanOrEqual, size, largest)
    });
    let near: Vec<Value> = near.collect();
    let all = near.into_iter().reduce(|a, b| builder.ins().band(a, b)).expect("at least one angle");
    let all = builder.ins().vhigh_bits(types::I32, all);
    builder.ins().icmp_imm_u(IntCC::Equal, all, 0b11)
}

/// [`mbs_math::sin_cos`] within its range, of K vectors.
fn near<const K: usize>(builder: &mut FunctionBuilder<'_>, x: [Value; K]) -> [(Value, Value); K] {
    let (turns, sines, cosines) = {
        let shared = RefCell::new(&mut *builder);
        let x = Written::Value(&shared, x);
        let turns = quarter_turns(x);
        let (sines, cosines) = kernels(x, turns);
        let value = |written| match written {
            Written::Value(_, value) => value,
            Written::Constant(_) => unreachable!("these depend on x"),
        };
        (value(turns), value(sines), value(cosines))
    };
    let [zero, one, negative] = [0, 1, 1 << 63].map(|bits| constant(builder, types::I64X2, bits));
    std::array::from_fn(|k| {
        let cast = |value| builder.ins().bitcast(types::I64X2, MemFlagsData::new(), value);
        let [turns, sine, cosine] = [turns[k], sines[k], cosines[k]].map(cast);
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
            builder.ins().bitcast(types::F64X2, MemFlagsData::new(), value)
        });
        (sine, cosine)
    })
}

/// Numbers of the code that is written while the algorithm runs: the same operation for each of K
/// vectors, one after the other.
#[derive(Clone, Copy)]
enum Written<'b, 'r, 'f, const K: usize> {
    Constant(f64),
    Value(&'b RefCell<&'r mut FunctionBuilder<'f>>, [Value; K]),
}

impl<const K: usize> Written<'_, '_, '_, K> {
    fn values(self, builder: &mut FunctionBuilder<'_>) -> [Value; K] {
        match self {
            Self::Constant(value) => [constant(builder, types::F64X2, value.to_bits()); K],
            Self::Value(_, values) => values,
        }
    }
}

impl<const K: usize> Real for Written<'_, '_, '_, K> {
    fn of(value: f64) -> Self {
        Self::Constant(value)
    }
}

macro_rules! written {
    ($($operator:ident $method:ident $write:ident,)*) => {
        $(impl<const K: usize> $operator for Written<'_, '_, '_, K> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                let shared = match (self, other) {
                    (Self::Constant(a), Self::Constant(b)) => return Self::Constant($operator::$method(a, b)),
                    (Self::Value(shared, _), _) | (_, Self::Value(shared, _)) => shared,
                };
                let builder = &mut **shared.borrow_mut();
                let (a, b) = (self.values(builder), other.values(builder));
                Self::Value(shared, std::array::from_fn(|k| builder.ins().$write(a[k], b[k])))
            }
        })*
    };
}

written! {
    Add add fadd,
    Sub sub fsub,
    Mul mul fmul,
}
