//! The inner functions: straight-line code on arrays, split into chunks.
//!
//! A value read in a later chunk than its own travels in a scratch array; places of
//! that array are used again as soon as nothing waits for them.

use super::arguments::{Argument, collect};
use super::chunks::{scratch_places, split};
use super::fused::{self, Fused};
use super::spell::{self, Place};
use super::zeros::{zero_filled, zeroed_outside};
use super::{RustOptions, Scalar, inner_name, is_second_half};
use crate::emit::Writer;
use crate::program::{Block, Function, FunctionKind, Length, Op, Operand, Program, Quantity};
use std::ops::Range;

/// Writes `prepare` and all functions.
pub(super) fn emit(out: &mut Writer, program: &Program, options: &RustOptions) {
    prepare(out, program, options, Scalar::F64);
    for (kind, function) in program.functions() {
        emit_one(out, program, kind, function, options, Scalar::F64);
    }
}

/// Writes one function in one kind of number.
pub(super) fn emit_one(
    out: &mut Writer,
    program: &Program,
    kind: FunctionKind,
    function: &Function,
    options: &RustOptions,
    scalar: Scalar,
) {
    Emitter::new(program, function, kind.name(), options, false, scalar).emit(out);
}

/// θ is copied to the front of the prepared values, the results follow.
pub(super) fn prepare(out: &mut Writer, program: &Program, options: &RustOptions, scalar: Scalar) {
    Emitter::new(program, &program.prepare, "prepare", options, true, scalar).emit(out);
}

/// The arrays a function fills: those with any entry.
pub(super) fn filled(function: &Function) -> impl Iterator<Item = &Block> {
    function.results.iter().filter(|block| !block.entries.is_empty())
}

/// The length of one side of an array, spelled with the constants of the module.
fn side(length: Length) -> String {
    let name = match length {
        Length::Fixed(number) => return number.to_string(),
        Length::Positions => "N_P",
        Length::Velocities => "N_V",
        Length::States => "N_X",
        Length::Inputs => "N_U",
        Length::Holonomic => "N_G",
        Length::Rows => "N_LAMBDA",
        Length::Unknowns => "N_V + N_LAMBDA",
        Length::Modes => "N_MODES",
        Length::Outputs => "N_OUTPUTS",
        Length::Bodies => "N_BODIES",
        Length::Derived => "N_DERIVED",
        Length::Closures => "N_CLOSURES",
        Length::FrameVelocities => "FRAME_JACOBIAN_COLUMNS",
        Length::JacobianRows => "JACOBIAN_ROWS",
        Length::JacobianColumns => "JACOBIAN_COLUMNS",
        // The array has θ before them.
        Length::Slots => "N_PREPARED",
    };
    name.to_owned()
}

/// The length of a quantity's array.
pub(super) fn length(quantity: Quantity) -> String {
    match quantity.lengths() {
        (rows, None) => side(rows),
        (rows, Some(columns)) => format!("{} * {}", side(rows), side(columns)),
    }
}

/// The nalgebra type of a quantity.
pub(super) fn matrix(quantity: Quantity) -> String {
    match quantity.lengths() {
        (rows, None) if side(rows).contains(' ') => format!("SVector<f64, {{ {} }}>", side(rows)),
        (rows, None) => format!("SVector<f64, {}>", side(rows)),
        (rows, Some(columns)) => format!("SMatrix<f64, {}, {}>", side(rows), side(columns)),
    }
}

/// The type of a quantity's array.
pub(super) fn array(quantity: Quantity) -> String {
    array_of(quantity, Scalar::F64)
}

/// The type of a quantity's array of one kind of number.
pub(super) fn array_of(quantity: Quantity, scalar: Scalar) -> String {
    format!("[{}; {}]", scalar.name(), length(quantity))
}

/// What a chunk does with the scratch array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scratch {
    /// Nothing.
    None,
    /// Returns it.
    Made,
    /// Reads from it or writes to it.
    Given,
}

/// One function on its way to text.
struct Emitter<'a> {
    program: &'a Program,
    function: &'a Function,
    name: String,
    /// `prepare` reads θ itself and writes behind it.
    is_prepare: bool,
    scalar: Scalar,
    /// Ranges of the body.
    chunks: Vec<Range<usize>>,
    /// Chunk of each value.
    chunk_of: Vec<usize>,
    uses: Vec<u32>,
    /// Place in the scratch array of values that are read in later chunks.
    scratch: Vec<Option<usize>>,
    n_scratch: usize,
    /// Entries to write after each value is computed.
    writes: Vec<Vec<(usize, usize)>>,
    /// The product each sum takes up.
    fused: Vec<Option<Fused>>,
    /// Products that are no statements of their own.
    is_taken_up: Vec<bool>,
    /// The run of several pairs an instruction is in, if they are computed at once.
    run_of: Vec<Option<Range<usize>>>,
}

impl<'a> Emitter<'a> {
    fn new(
        program: &'a Program,
        function: &'a Function,
        name: &str,
        options: &RustOptions,
        is_prepare: bool,
        scalar: Scalar,
    ) -> Self {
        let chunks = split(function, options.chunk.max(1));
        let mut chunk_of = vec![0; function.body.len()];
        for (index, range) in chunks.iter().enumerate() {
            chunk_of[range.clone()].fill(index);
        }
        let mut writes = vec![Vec::new(); function.body.len()];
        for (b, block) in function.results.iter().enumerate() {
            for (e, entry) in block.entries.iter().enumerate() {
                if let Some(value) = entry.value() {
                    writes[value].push((b, e));
                }
            }
        }
        let (scratch, n_scratch) = scratch_places(function, &chunks, &chunk_of);
        let uses = function.uses();
        let mut fused = vec![None; function.body.len()];
        if options.fused_multiply_add {
            fused = fused::find(function, &chunk_of);
        }
        let mut is_taken_up = vec![false; function.body.len()];
        for Fused { product, .. } in fused.iter().flatten() {
            is_taken_up[*product] = true;
        }
        let mut run_of = vec![None; function.body.len()];
        if scalar != Scalar::F32 {
            for run in function.runs().into_iter().filter(|run| run.len() > 2) {
                run_of[run.clone()].fill(Some(run));
            }
        }
        let name = inner_name(name);
        Self {
            program,
            function,
            name,
            is_prepare,
            scalar,
            chunks,
            chunk_of,
            uses,
            scratch,
            n_scratch,
            writes,
            fused,
            is_taken_up,
            run_of,
        }
    }

    fn emit(&self, out: &mut Writer) {
        if filled(self.function).next().is_none() && !self.is_prepare {
            return;
        }
        let all = 0..self.function.body.len();
        out.blank();
        self.open(out, &self.name, self.arguments(all), self.blocks(None), Scratch::None);
        out.indented(|out| {
            self.constants(out);
            match self.chunks.len() {
                0 | 1 => self.statements(out, 0),
                _ => self.calls(out),
            }
            self.leaves(out);
        });
        out.line("}");
        if self.chunks.len() > 1 {
            for (index, range) in self.chunks.iter().enumerate() {
                let (arguments, blocks) = (self.chunk_arguments(range), self.blocks(Some(range)));
                let name = format!("{}_{index}", self.name);
                out.blank();
                out.line("#[inline(never)]");
                let scratch = self.scratch_of(index);
                self.open(out, &name, arguments, blocks, scratch);
                out.indented(|out| {
                    self.statements(out, index);
                    if scratch == Scratch::Made {
                        out.list("[", &self.first_scratch(), "]");
                    }
                });
                out.line("}");
            }
        }
    }

    fn open(
        &self,
        out: &mut Writer,
        name: &str,
        arguments: Vec<Argument>,
        blocks: Vec<usize>,
        scratch: Scratch,
    ) {
        let mut list: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Prepared if self.is_prepare => {
                    format!("theta: &[{}; N_THETA]", self.scalar.name())
                }
                argument => format!("{}: {}", argument.name(), argument.ty(self.scalar)),
            })
            .collect();
        let array = format!("[{}; {}]", self.scalar.name(), self.n_scratch);
        if scratch == Scratch::Given {
            list.push(format!("s: &mut {array}"));
        }
        for block in blocks {
            let quantity = self.function.results[block].quantity;
            list.push(format!("{}: &mut {}", quantity.name(), array_of(quantity, self.scalar)));
        }
        let end = if scratch == Scratch::Made { format!(") -> {array} {{") } else { ") {".into() };
        out.list(&format!("fn {name}("), &list, &end);
    }

    /// Arguments of the whole function.
    fn arguments(&self, range: Range<usize>) -> Vec<Argument> {
        if self.is_prepare {
            return vec![Argument::Prepared];
        }
        let body = &self.function.body[range];
        let operands = body.iter().flat_map(|instruction| instruction.operands().iter().copied());
        collect(operands.chain(self.function.entries()))
    }

    /// Arguments of one chunk.
    fn chunk_arguments(&self, range: &Range<usize>) -> Vec<Argument> {
        let body = &self.function.body[range.clone()];
        collect(body.iter().flat_map(|instruction| instruction.operands().iter().copied()))
    }

    /// Blocks that get anything, in all or from one chunk.
    fn blocks(&self, range: Option<&Range<usize>>) -> Vec<usize> {
        let gets = |block: usize| match range {
            None => !self.function.results[block].entries.is_empty() || self.is_prepare,
            Some(range) => self.writes[range.clone()].iter().flatten().any(|&(b, _)| b == block),
        };
        (0..self.function.results.len()).filter(|&block| gets(block)).collect()
    }

    /// Zeros of sparse arrays and, in `prepare`, θ.
    fn constants(&self, out: &mut Writer) {
        if self.is_prepare {
            out.block("for (to, from) in prepared.iter_mut().zip(theta) {", "}", |out| {
                out.line("*to = *from;")
            });
        }
        for block in self.function.results.iter().filter(|block| zero_filled(block) && !zeroed_outside(block))
        {
            out.line(format!("{}.fill({});", block.quantity.name(), self.scalar.zero()));
        }
    }

    /// Entries that are no values of instructions.
    fn leaves(&self, out: &mut Writer) {
        for block in &self.function.results {
            let zeros_are_there = zero_filled(block);
            for (e, &entry) in block.entries.iter().enumerate() {
                if entry.value().is_none() && !(zeros_are_there && entry.is_constant(0.0)) {
                    let value = spell::leaf(self.program, entry, self.parameters(), self.scalar).stored();
                    out.line(format!("{}[{}] = {value};", block.quantity.name(), self.index(e)));
                }
            }
        }
    }

    /// What a chunk does with the scratch array. The first one makes it, so that nobody has to fill
    /// it with zeros before.
    fn scratch_of(&self, chunk: usize) -> Scratch {
        match chunk {
            0 if self.n_scratch > 0 => Scratch::Made,
            _ if self.uses_scratch(chunk) => Scratch::Given,
            _ => Scratch::None,
        }
    }

    /// The scratch array as the first chunk leaves it.
    fn first_scratch(&self) -> Vec<String> {
        let mut list = vec![self.scalar.zero().to_string(); self.n_scratch];
        for value in self.chunks[0].clone() {
            if let Some(at) = self.scratch[value] {
                list[at] = self.own(value).stored();
            }
        }
        list
    }

    /// Whether a chunk reads or writes the scratch array.
    fn uses_scratch(&self, chunk: usize) -> bool {
        let writes = |index: usize| self.scratch[index].is_some();
        let reads = |index: usize| {
            let mut values =
                self.function.body[index].operands().iter().filter_map(|operand| operand.value());
            values.any(|value| self.chunk_of[value] != chunk)
        };
        self.chunks[chunk].clone().any(|index| writes(index) || reads(index))
    }

    fn calls(&self, out: &mut Writer) {
        for (index, range) in self.chunks.iter().enumerate() {
            let mut list: Vec<String> = Vec::new();
            for argument in self.chunk_arguments(range) {
                let theta = self.is_prepare && argument == Argument::Prepared;
                list.push(if theta { "theta" } else { argument.name() }.into());
            }
            let scratch = self.scratch_of(index);
            if scratch == Scratch::Given {
                list.push("&mut s".into());
            }
            for block in self.blocks(Some(range)) {
                list.push(self.function.results[block].quantity.name().into());
            }
            let made = if scratch == Scratch::Made { "let mut s = " } else { "" };
            out.list(&format!("{made}{}_{index}(", self.name), &list, ");");
        }
    }

    fn statements(&self, out: &mut Writer, chunk: usize) {
        let Some(range) = self.chunks.get(chunk) else { return };
        for index in range.clone() {
            let instruction = &self.function.body[index];
            if is_second_half(instruction.op) || self.is_taken_up[index] {
                continue;
            }
            if let Some(run) = self.run_of[index].clone() {
                if run.start == index {
                    self.run(out, run, chunk);
                }
                continue;
            }
            let text = match &self.fused[index] {
                Some(fused) => self.fused(fused, chunk),
                None => spell::expression(self.program, instruction, self.scalar, |operand| {
                    self.place(operand, chunk)
                }),
            };
            if instruction.op == Op::SinCos {
                out.line(format!("let {} = {text};", self.pair(index)));
                self.store(out, index);
                self.store(out, index + 1);
            } else {
                out.line(format!("let w{index} = {text};"));
                self.store(out, index);
            }
        }
    }

    /// Sines and cosines of several angles at once.
    fn run(&self, out: &mut Writer, run: Range<usize>, chunk: usize) {
        let sines: Vec<usize> = run.clone().step_by(2).collect();
        let angle = |&sine: &usize| self.place(self.function.body[sine].operands()[0], chunk).stored();
        let mut angles: Vec<String> = sines.iter().map(angle).collect();
        let mut pairs: Vec<String> = sines.iter().map(|&sine| self.pair(sine)).collect();
        // There is no vector of three; the last angle is done twice.
        if angles.len() == 3 {
            angles.push(angles[2].clone());
            pairs.push("_".into());
        }
        let function = spell::sin_cos(angles.len());
        out.list(&format!("let [{}] = {function}([", pairs.join(", ")), &angles, "]);");
        run.for_each(|value| self.store(out, value));
    }

    /// The names of a sine and its cosine.
    fn pair(&self, sine: usize) -> String {
        let name = |value: usize| if self.uses_of(value) == 0 { "_".into() } else { format!("w{value}") };
        format!("({}, {})", name(sine), name(sine + 1))
    }

    /// A sum together with a product.
    fn fused(&self, fused: &Fused, chunk: usize) -> String {
        let number = |operand: &Operand| self.place(*operand, chunk).stored();
        let factors: Vec<String> = self.function.body[fused.product].operands().iter().map(number).collect();
        format!("math::{}({}, {})", fused.form.name(), factors.join(", "), number(&fused.other))
    }

    /// Uses of a value but those of the second half of its own pair.
    fn uses_of(&self, value: usize) -> u32 {
        let paired = self.function.body[value].op == Op::SinCos;
        self.uses[value] - u32::from(paired)
    }

    /// Puts a value where later chunks and the caller find it.
    fn store(&self, out: &mut Writer, value: usize) {
        let place = self.own(value);
        if let Some(at) = self.scratch[value].filter(|_| self.chunk_of[value] > 0) {
            out.line(format!("s[{at}] = {};", place.stored()));
        }
        for &(block, entry) in &self.writes[value] {
            let name = self.function.results[block].quantity.name();
            out.line(format!("{name}[{}] = {};", self.index(entry), place.stored()));
        }
    }

    /// Where a chunk finds an operand.
    fn place(&self, operand: Operand, chunk: usize) -> Place {
        match operand.value() {
            Some(value) if self.chunk_of[value] != chunk => {
                let at = self.scratch[value].expect("values read later have a place");
                Place::number(format!("s[{at}]"), self.scalar)
            }
            Some(value) => self.own(value),
            None => spell::leaf(self.program, operand, self.parameters(), self.scalar),
        }
    }

    /// A value of the chunk at hand.
    fn own(&self, value: usize) -> Place {
        let logical = self.function.body[value].op.is_logical();
        Place { text: format!("w{value}"), logical, scalar: self.scalar }
    }

    fn parameters(&self) -> &'static str {
        if self.is_prepare { "theta" } else { "c" }
    }

    /// Index of an entry in its array.
    fn index(&self, entry: usize) -> usize {
        if self.is_prepare { self.program.layout.parameters.len() + entry } else { entry }
    }
}

/// Whether a function has arguments and results of its own kind.
pub(super) fn is_empty(program: &Program, kind: FunctionKind) -> bool {
    filled(program.function(kind)).next().is_none()
}
