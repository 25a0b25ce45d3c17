//! The inner functions: straight-line code on arrays, split into chunks.
//!
//! A value read in a later chunk than its own travels in a scratch array.

use super::arguments::{Argument, ty};
use super::spell::{self, Place};
use super::{RustOptions, Scalar, inner_name};
use crate::emit::Writer;
use crate::program::{Function, FunctionKind, Length, Operand, Program, Quantity};
use crate::straight_line::{Fill, MultiplyAdd, Sign, Step, StraightLine};
use std::ops::Range;

/// The arrays a function fills: those with any entry.
pub(super) use crate::straight_line::filled;

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
    line: StraightLine<'a>,
    name: String,
    /// `prepare` reads θ itself and writes behind it.
    is_prepare: bool,
    scalar: Scalar,
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
        let line = StraightLine::new(function, options.form(scalar));
        Self { program, line, name: inner_name(name), is_prepare, scalar }
    }

    fn emit(&self, out: &mut Writer) {
        let function = self.line.function;
        if filled(function).next().is_none() && !self.is_prepare {
            return;
        }
        let arguments = if self.is_prepare { vec![Argument::Prepared] } else { self.line.arguments() };
        let is_filled = |&block: &usize| !function.results[block].entries.is_empty() || self.is_prepare;
        let results = (0..function.results.len()).filter(is_filled).collect();
        let n_chunks = self.line.chunks.len();
        out.blank();
        self.open(out, &self.name, arguments, results, Scratch::None);
        out.indented(|out| {
            self.constants(out);
            if n_chunks == 1 {
                self.statements(out, 0)
            } else {
                self.calls(out)
            }
            self.leaves(out);
        });
        out.line("}");
        for chunk in (0..n_chunks).filter(|_| n_chunks > 1) {
            let (arguments, results) = (self.line.chunk_arguments(chunk), self.line.chunk_results(chunk));
            let scratch = self.scratch_of(chunk);
            out.blank();
            out.line("#[inline(never)]");
            self.open(out, &format!("{}_{chunk}", self.name), arguments, results, scratch);
            out.indented(|out| {
                self.statements(out, chunk);
                if scratch == Scratch::Made {
                    out.list("[", &self.first_scratch(), "]");
                }
            });
            out.line("}");
        }
    }

    fn open(
        &self,
        out: &mut Writer,
        name: &str,
        arguments: Vec<Argument>,
        results: Vec<usize>,
        scratch: Scratch,
    ) {
        let mut list: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Prepared if self.is_prepare => {
                    format!("theta: &[{}; N_THETA]", self.scalar.name())
                }
                argument => format!("{}: {}", argument.name(), ty(*argument, self.scalar)),
            })
            .collect();
        let array = format!("[{}; {}]", self.scalar.name(), self.line.n_slots);
        if scratch == Scratch::Given {
            list.push(format!("s: &mut {array}"));
        }
        for block in results {
            let quantity = self.quantity(block);
            list.push(format!("{}: &mut {}", quantity.name(), array_of(quantity, self.scalar)));
        }
        let end = if scratch == Scratch::Made { format!(") -> {array} {{") } else { ") {".into() };
        out.list(&format!("fn {name}("), &list, &end);
    }

    /// Zeros of sparse arrays and, in `prepare`, θ.
    fn constants(&self, out: &mut Writer) {
        if self.is_prepare {
            out.block("for (to, from) in prepared.iter_mut().zip(theta) {", "}", |out| {
                out.line("*to = *from;")
            });
        }
        for (block, result) in self.line.function.results.iter().enumerate() {
            if self.line.fills[block] == Fill::Function {
                out.line(format!("{}.fill({});", result.quantity.name(), self.scalar.zero()));
            }
        }
    }

    /// Entries that are no values of instructions.
    fn leaves(&self, out: &mut Writer) {
        for leaf in &self.line.leaves {
            let value = spell::leaf(self.program, leaf.operand, self.parameters(), self.scalar).stored();
            for entry in leaf.entries.clone() {
                out.line(format!("{}[{}] = {value};", self.quantity(leaf.block).name(), self.index(entry)));
            }
        }
    }

    /// What a chunk does with the scratch array. The first one makes it, so that nobody has to fill
    /// it with zeros before.
    fn scratch_of(&self, chunk: usize) -> Scratch {
        match chunk {
            0 if self.line.n_slots > 0 => Scratch::Made,
            _ if self.line.uses_slots(chunk) => Scratch::Given,
            _ => Scratch::None,
        }
    }

    /// The scratch array as the first chunk leaves it.
    fn first_scratch(&self) -> Vec<String> {
        let mut list = vec![self.scalar.zero().to_string(); self.line.n_slots];
        for value in self.line.chunks[0].clone() {
            if let Some(slot) = self.line.slots[value] {
                list[slot] = self.own(value).stored();
            }
        }
        list
    }

    fn calls(&self, out: &mut Writer) {
        for chunk in 0..self.line.chunks.len() {
            let mut list: Vec<String> = Vec::new();
            for argument in self.line.chunk_arguments(chunk) {
                let theta = self.is_prepare && argument == Argument::Prepared;
                list.push(if theta { "theta" } else { argument.name() }.into());
            }
            let scratch = self.scratch_of(chunk);
            if scratch == Scratch::Given {
                list.push("&mut s".into());
            }
            list.extend(
                self.line.chunk_results(chunk).iter().map(|&block| self.quantity(block).name().into()),
            );
            let made = if scratch == Scratch::Made { "let mut s = " } else { "" };
            out.list(&format!("{made}{}_{chunk}(", self.name), &list, ");");
        }
    }

    fn statements(&self, out: &mut Writer, chunk: usize) {
        for step in &self.line.steps[chunk] {
            match step {
                Step::SinCos(pairs) => self.sin_cos(out, pairs.clone(), chunk),
                Step::MultiplyAdd(fused) => {
                    out.line(format!("let w{} = {};", fused.sum, self.multiply_add(fused, chunk)));
                    self.store(out, fused.sum);
                }
                Step::Instruction(value) => {
                    let instruction = &self.line.function.body[*value];
                    let place = |operand| self.place(operand, chunk);
                    let text = spell::expression(self.program, instruction, self.scalar, place);
                    out.line(format!("let w{value} = {text};"));
                    self.store(out, *value);
                }
            }
        }
    }

    /// Sines and cosines, of several angles at once.
    fn sin_cos(&self, out: &mut Writer, run: Range<usize>, chunk: usize) {
        let sines: Vec<usize> = run.clone().step_by(2).collect();
        let angle = |&sine: &usize| self.place(self.line.function.body[sine].operands()[0], chunk).stored();
        let mut angles: Vec<String> = sines.iter().map(angle).collect();
        let mut pairs: Vec<String> = sines.iter().map(|&sine| self.pair(sine)).collect();
        // There is no vector of three; the last angle is done twice.
        if angles.len() == 3 {
            angles.push(angles[2].clone());
            pairs.push("_".into());
        }
        match (&pairs[..], &angles[..]) {
            ([pair], [angle]) => out.line(format!("let {pair} = math::sin_cos({angle});")),
            _ => {
                let open = format!("let [{}] = math::sin_cos_{}([", pairs.join(", "), angles.len());
                out.list(&open, &angles, "]);");
            }
        }
        run.for_each(|value| self.store(out, value));
    }

    /// The names of a sine and its cosine.
    fn pair(&self, sine: usize) -> String {
        let name = |value: usize| if self.line.is_read(value) { format!("w{value}") } else { "_".into() };
        format!("({}, {})", name(sine), name(sine + 1))
    }

    /// A sum together with a product.
    fn multiply_add(&self, fused: &MultiplyAdd, chunk: usize) -> String {
        let number = |operand: Operand| self.place(operand, chunk).stored();
        let name = match fused.sign {
            Sign::Plus => "madd",
            Sign::MinusAddend => "msub",
            Sign::MinusProduct => "nmadd",
        };
        let [a, b] = fused.factors.map(number);
        format!("math::{name}({a}, {b}, {})", number(fused.addend))
    }

    /// Puts a value where later chunks and the caller find it.
    fn store(&self, out: &mut Writer, value: usize) {
        let place = self.own(value);
        if let Some(slot) = self.line.slots[value].filter(|_| self.line.chunk_of[value] > 0) {
            out.line(format!("s[{slot}] = {};", place.stored()));
        }
        for entry in self.line.stores(value) {
            let name = self.quantity(entry.block).name();
            out.line(format!("{name}[{}] = {};", self.index(entry.index), place.stored()));
        }
    }

    /// Where a chunk finds an operand.
    fn place(&self, operand: Operand, chunk: usize) -> Place {
        match operand.value() {
            Some(value) if self.line.chunk_of[value] != chunk => {
                let slot = self.line.slots[value].expect("values read later have a slot");
                Place::number(format!("s[{slot}]"), self.scalar)
            }
            Some(value) => self.own(value),
            None => spell::leaf(self.program, operand, self.parameters(), self.scalar),
        }
    }

    /// A value of the chunk at hand.
    fn own(&self, value: usize) -> Place {
        let logical = self.line.function.body[value].op.is_logical();
        Place { text: format!("w{value}"), logical, scalar: self.scalar }
    }

    fn quantity(&self, block: usize) -> Quantity {
        self.line.function.results[block].quantity
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
