//! One piece of a function as Cranelift's intermediate language.
//!
//! Every operation becomes the instruction of the same meaning or a call to a
//! [`Shim`]; nothing is fused or re-associated, so the bits are the interpreter's.

use super::arithmetic;
use super::frame::Array;
use super::plan::{Piece, Plan};
use super::shims::Shim;
use super::trig;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, FuncRef, InstBuilder, MemFlagsData, Signature, StackSlot,
    StackSlotData, StackSlotKind, Type, UserExternalName, Value, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{Context, ir};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::FuncId;
use mbs_symbolic::expr::{BinaryOp, UnaryOp};
use mbs_symbolic::program::{MAX_RUN, Op, Operand};
use mbs_symbolic::straight_line::{Argument, Entry, Leaf, Source, Step, StraightLine};
use std::collections::HashMap;
use std::ops::Range;

/// What the code of all pieces has in common.
pub(super) struct Target<'a> {
    pub(super) isa: &'a dyn TargetIsa,
    /// Symbols of the shims, in the order of [`Shim::ALL`].
    pub(super) shims: &'a [FuncId],
    /// Sine and cosine of an argument out of the range of [`trig`], and of any one to four.
    pub(super) far: FuncId,
    pub(super) near: [FuncId; MAX_RUN],
    /// Number of parameters θ.
    pub(super) n_theta: usize,
}

/// The signature of every piece: [`PieceFn`](super::frame::PieceFn).
pub(super) fn signature(isa: &dyn TargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.push(AbiParam::new(isa.pointer_type()));
    signature
}

/// A value on its way through a piece.
#[derive(Clone, Copy)]
enum Lowered {
    /// An f64.
    Number(Value),
    /// An i8, 1 or 0.
    Truth(Value),
}

/// Writes one piece of `plan` into `context`.
pub(super) fn lower(
    context: &mut Context,
    building: &mut FunctionBuilderContext,
    target: &Target<'_>,
    plan: &Plan<'_>,
    piece: &Piece,
) {
    context.func.signature = signature(target.isa);
    let mut builder = FunctionBuilder::new(&mut context.func, building);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let frame = builder.block_params(block)[0];
    let mut lowering = Lowering {
        builder,
        target,
        line: &plan.line,
        calls_near: plan.pairs >= trig::MANY,
        frame,
        arrays: [None; Array::COUNT],
        shims: [None; Shim::ALL.len()],
        far: None,
        near: [None; MAX_RUN],
        pair: None,
        values: HashMap::with_capacity(plan.length(piece)),
    };
    lowering.leaves(plan.leaves(piece));
    for step in piece.chunk.into_iter().flat_map(|chunk| &plan.line.steps[chunk]) {
        lowering.step(step);
    }
    lowering.builder.ins().return_(&[]);
    lowering.builder.seal_all_blocks();
    lowering.builder.finalize(target.isa.frontend_config());
}

struct Lowering<'a, 'f> {
    builder: FunctionBuilder<'f>,
    target: &'a Target<'a>,
    line: &'a StraightLine<'a>,
    /// Whether sines and cosines are computed by functions that are called.
    calls_near: bool,
    /// Pointer to the [`Frame`](super::frame::Frame).
    frame: Value,
    /// Pointers read from the frame so far.
    arrays: [Option<Value>; Array::COUNT],
    /// Shims called so far.
    shims: [Option<FuncRef>; Shim::ALL.len()],
    /// The functions of [`trig`] that are called, once they are used.
    far: Option<FuncRef>,
    near: [Option<FuncRef>; MAX_RUN],
    /// Where the shim leaves the cosine, or what the functions above work on.
    pair: Option<StackSlot>,
    /// Values of this piece, and those of earlier ones read so far.
    values: HashMap<usize, Lowered>,
}

impl Lowering<'_, '_> {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Instruction(value) => {
                let lowered = self.instruction(*value);
                self.values.insert(*value, lowered);
                self.keep(*value);
            }
            Step::SinCos(pairs) => {
                match pairs.len() / 2 {
                    1 => self.run::<1>(pairs),
                    2 => self.run::<2>(pairs),
                    3 => self.run::<3>(pairs),
                    _ => self.run::<MAX_RUN>(pairs),
                }
                pairs.clone().for_each(|value| self.keep(value));
            }
            Step::MultiplyAdd(_) => unreachable!("the form asks for none"),
        }
    }

    fn instruction(&mut self, index: usize) -> Lowered {
        let instruction = self.line.function.body[index];
        let operands = instruction.operands();
        match instruction.op {
            Op::Unary(op) => self.unary(op, operands[0]),
            Op::Binary(op) => self.binary(op, operands[0], operands[1]),
            Op::Select => {
                let (condition, yes, no) =
                    (self.truth(operands[0]), self.number(operands[1]), self.number(operands[2]));
                Lowered::Number(self.builder.ins().select(condition, yes, no))
            }
            Op::Table { table, derivative } => {
                let tables = self.array(Array::Tables);
                let pointer = self.pointer_type();
                let table = self.builder.ins().iconst(pointer, i64::from(table));
                let derivative = self.builder.ins().iconst(pointer, i64::from(derivative));
                let at = self.number(operands[0]);
                Lowered::Number(self.call(Shim::Table, &[tables, table, derivative, at]))
            }
            Op::SinCos | Op::PairedCos => unreachable!("pairs are steps of their own"),
        }
    }

    /// Puts a value where later pieces and the caller find it.
    fn keep(&mut self, value: usize) {
        let line = self.line;
        let (slot, mut entries) = (line.slots[value], line.stores(value).peekable());
        if slot.is_none() && entries.peek().is_none() {
            return;
        }
        let number = self.as_number(self.values[&value]);
        if let Some(slot) = slot {
            self.store(Array::Scratch, slot, number);
        }
        for entry in entries {
            self.write(entry, number);
        }
    }

    fn unary(&mut self, op: UnaryOp, x: Operand) -> Lowered {
        if op == UnaryOp::Not {
            let x = self.truth(x);
            return Lowered::Truth(self.builder.ins().bxor_imm_u(x, 1));
        }
        let x = self.number(x);
        Lowered::Number(match Shim::unary(op) {
            Some(Shim::Sin) if trig::IS_INLINED => self.pair_of(x).0,
            Some(Shim::Cos) if trig::IS_INLINED => self.pair_of(x).1,
            Some(shim) => self.call(shim, &[x]),
            // Correctly rounded everywhere, as is the one of `mbs-math`.
            None if op == UnaryOp::Sqrt => self.builder.ins().sqrt(x),
            None => self.builder.ins().fneg(x),
        })
    }

    fn binary(&mut self, op: BinaryOp, a: Operand, b: Operand) -> Lowered {
        if let BinaryOp::And | BinaryOp::Or = op {
            let (a, b) = (self.truth(a), self.truth(b));
            let ins = self.builder.ins();
            return Lowered::Truth(if op == BinaryOp::And { ins.band(a, b) } else { ins.bor(a, b) });
        }
        let (a, b) = (self.number(a), self.number(b));
        if let Some(shim) = Shim::binary(op) {
            return Lowered::Number(self.call(shim, &[a, b]));
        }
        let builder = &mut self.builder;
        match op {
            BinaryOp::Add => Lowered::Number(arithmetic::add(builder, a, b)),
            BinaryOp::Sub => Lowered::Number(builder.ins().fsub(a, b)),
            BinaryOp::Mul => Lowered::Number(arithmetic::multiply(builder, a, b)),
            BinaryOp::Div => Lowered::Number(builder.ins().fdiv(a, b)),
            BinaryOp::Less => Lowered::Truth(builder.ins().fcmp(FloatCC::LessThan, a, b)),
            BinaryOp::LessEqual => Lowered::Truth(builder.ins().fcmp(FloatCC::LessThanOrEqual, a, b)),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Mod => {
                unreachable!("{op:?} is handled above")
            }
        }
    }

    /// Sines and cosines of N angles.
    fn run<const N: usize>(&mut self, pairs: &Range<usize>) {
        let line = self.line;
        let angle = |k: usize| line.function.body[pairs.start + 2 * k].operands()[0];
        let angles: [Value; N] = std::array::from_fn(|k| self.number(angle(k)));
        let lowered =
            if trig::IS_INLINED { self.pairs_of(angles) } else { angles.map(|angle| self.pair_of(angle)) };
        for (at, (sine, cosine)) in pairs.clone().step_by(2).zip(lowered) {
            self.values.insert(at, Lowered::Number(sine));
            self.values.insert(at + 1, Lowered::Number(cosine));
        }
    }

    /// Sine and cosine.
    fn pair_of(&mut self, angle: Value) -> (Value, Value) {
        if trig::IS_INLINED {
            let [pair] = self.pairs_of([angle]);
            return pair;
        }
        let place = self.pair_place();
        let sine = self.call(Shim::SinCos, &[angle, place]);
        (sine, self.builder.ins().load(types::F64, MemFlagsData::trusted(), place, 0))
    }

    /// Sines and cosines of up to four angles by code of our own.
    fn pairs_of<const N: usize>(&mut self, angles: [Value; N]) -> [(Value, Value); N] {
        let (place, pointer) = (self.pair_place(), self.pointer_type());
        let (known, id) = match self.calls_near {
            false => (&mut self.far, self.target.far),
            true => (&mut self.near[N - 1], self.target.near[N - 1]),
        };
        let function = *known.get_or_insert_with(|| import(self.builder.func, id, trig::signature(pointer)));
        let write = if self.calls_near { trig::call } else { trig::sin_cos };
        write(&mut self.builder, angles, function, place)
    }

    /// Where functions of [`trig`] and the shim find and leave numbers.
    fn pair_place(&mut self) -> Value {
        let pointer = self.pointer_type();
        let slot = *self.pair.get_or_insert_with(|| {
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, trig::PAIRS, 3);
            self.builder.create_sized_stack_slot(data)
        });
        self.builder.ins().stack_addr(pointer, slot, 0)
    }

    fn operand(&mut self, operand: Operand) -> Lowered {
        match Source::of(operand, self.target.n_theta) {
            Source::Constant(value) => Lowered::Number(self.builder.ins().f64const(value)),
            Source::Argument(Argument::Time, _) => {
                let offset = offset(Array::Argument(Argument::Time).offset());
                Lowered::Number(self.builder.ins().load(types::F64, unchanging(), self.frame, offset))
            }
            Source::Argument(Argument::Modes, index) => {
                let modes = self.array(Array::Argument(Argument::Modes));
                Lowered::Truth(self.builder.ins().load(types::I8, unchanging(), modes, offset(index)))
            }
            Source::Argument(argument, index) => Lowered::Number(self.load(Array::Argument(argument), index)),
            Source::Value(value) => match self.values.get(&value) {
                Some(&lowered) => lowered,
                None => self.carried(value),
            },
        }
    }

    /// A value of an earlier piece; truth values travel as numbers.
    fn carried(&mut self, value: usize) -> Lowered {
        let slot = self.line.slots[value].expect("a value that is read in a later chunk has a slot");
        let lowered = Lowered::Number(self.load(Array::Scratch, slot));
        self.values.insert(value, lowered);
        lowered
    }

    fn number(&mut self, operand: Operand) -> Value {
        let lowered = self.operand(operand);
        self.as_number(lowered)
    }

    fn as_number(&mut self, lowered: Lowered) -> Value {
        match lowered {
            Lowered::Number(value) => value,
            Lowered::Truth(truth) => {
                let (one, zero) = (self.builder.ins().f64const(1.0), self.builder.ins().f64const(0.0));
                self.builder.ins().select(truth, one, zero)
            }
        }
    }

    fn truth(&mut self, operand: Operand) -> Value {
        match self.operand(operand) {
            Lowered::Truth(value) => value,
            Lowered::Number(value) => {
                let zero = self.builder.ins().f64const(0.0);
                self.builder.ins().fcmp(FloatCC::NotEqual, value, zero)
            }
        }
    }

    /// Writes entries that are no values of instructions, neighbouring zeros in pairs.
    fn leaves(&mut self, leaves: &[Leaf]) {
        let mut zeros = None;
        for leaf in leaves {
            let Range { mut start, end } = leaf.entries;
            while leaf.operand.is_constant(0.0) && start + 2 <= end {
                let zeros =
                    *zeros.get_or_insert_with(|| arithmetic::constant(&mut self.builder, types::F64X2, 0));
                let (base, offset) =
                    (self.array(Array::Result(leaf.block)), offset(start * size_of::<f64>()));
                self.builder.ins().store(MemFlagsData::new().with_notrap(), zeros, base, offset);
                start += 2;
            }
            if start < end {
                let value = self.number(leaf.operand);
                (start..end).for_each(|index| self.write(Entry { block: leaf.block, index }, value));
            }
        }
    }

    fn write(&mut self, entry: Entry, value: Value) {
        self.store(Array::Result(entry.block), entry.index, value);
    }

    fn load(&mut self, array: Array, index: usize) -> Value {
        let base = self.array(array);
        self.builder.ins().load(types::F64, unchanging(), base, offset(index * size_of::<f64>()))
    }

    fn store(&mut self, array: Array, index: usize, value: Value) {
        let base = self.array(array);
        let offset = offset(index * size_of::<f64>());
        self.builder.ins().store(MemFlagsData::trusted(), value, base, offset);
    }

    /// The pointer to an array of the frame.
    fn array(&mut self, array: Array) -> Value {
        let pointer = self.pointer_type();
        *self.arrays[array.index()].get_or_insert_with(|| {
            self.builder.ins().load(pointer, unchanging(), self.frame, offset(array.offset()))
        })
    }

    fn call(&mut self, shim: Shim, arguments: &[Value]) -> Value {
        let function = *self.shims[shim as usize]
            .get_or_insert_with(|| import_shim(self.builder.func, shim, self.target));
        let call = self.builder.ins().call(function, arguments);
        self.builder.inst_results(call)[0]
    }

    fn pointer_type(&self) -> Type {
        self.target.isa.pointer_type()
    }
}

/// Writes the function for arguments out of the range of [`trig`] into `context`.
pub(super) fn lower_far(context: &mut Context, building: &mut FunctionBuilderContext, target: &Target<'_>) {
    trig::lower_far(context, building, target.isa, |function| import_shim(function, Shim::SinCos, target));
}

/// Writes the function for N arguments of any size into `context`.
pub(super) fn lower_near<const N: usize>(
    context: &mut Context,
    building: &mut FunctionBuilderContext,
    target: &Target<'_>,
) {
    let signature = trig::signature(target.isa.pointer_type());
    let import = |function: &mut ir::Function| import(function, target.far, signature);
    trig::lower_near::<N>(context, building, target.isa, import);
}

fn import_shim(function: &mut ir::Function, shim: Shim, target: &Target<'_>) -> FuncRef {
    let signature = shim.signature(target.isa.default_call_conv(), target.isa.pointer_type());
    import(function, target.shims[shim as usize], signature)
}

/// Makes a function known to another, as `Module::declare_func_in_func` does; that one wants
/// the module, which threads that compile at the same time cannot share.
fn import(function: &mut ir::Function, id: FuncId, signature: Signature) -> FuncRef {
    let signature = function.import_signature(signature);
    let name = UserExternalName { namespace: 0, index: id.as_u32() };
    let name = ExternalName::user(function.declare_imported_user_function(name));
    function.import_function(ExtFuncData { name, signature, colocated: false, patchable: false })
}

/// Flags of loads from memory that a piece does not change: the frame, the inputs, and
/// slots of the scratch array that earlier pieces filled.
fn unchanging() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}

/// An offset in bytes; `compile` has refused programs with arrays beyond its range.
fn offset(bytes: usize) -> i32 {
    i32::try_from(bytes).expect("arrays are shorter than 2 GiB")
}
