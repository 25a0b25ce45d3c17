//! Every operator, in every kind of piece.

use super::*;
use crate::Interpreted;
use mbs_math::TableKind;
use mbs_runtime::{At, System};
use mbs_symbolic::expr::{BinaryOp, Symbol, UnaryOp};
use mbs_symbolic::ids::{ForceId, Id, InputId, ModeId};
use mbs_symbolic::program::{
    Block, Function, InputSlot, Instruction, Layout, Mode, ModeKind, Op, Operand, Quantity,
};

const UNARY: [UnaryOp; 15] = [
    UnaryOp::Neg,
    UnaryOp::Sqrt,
    UnaryOp::Sin,
    UnaryOp::Cos,
    UnaryOp::Tan,
    UnaryOp::Asin,
    UnaryOp::Acos,
    UnaryOp::Atan,
    UnaryOp::Sinh,
    UnaryOp::Cosh,
    UnaryOp::Tanh,
    UnaryOp::Exp,
    UnaryOp::Log,
    UnaryOp::Floor,
    UnaryOp::Not,
];

const BINARY: [BinaryOp; 11] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Pow,
    BinaryOp::Atan2,
    BinaryOp::Mod,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::And,
    BinaryOp::Or,
];

/// A program whose outputs are `results` of `body`, from two positions, a velocity, a
/// state, an input, two modes and a parameter; all else is as little as there can be.
fn program(body: Vec<Instruction>, results: Vec<Operand>) -> Program {
    let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mode = |name: &str| Mode {
        name: name.into(),
        element: mbs_symbolic::dynamics::Element::Force(ForceId::new(0)),
        kind: ModeKind::Negative,
        decision: mbs_symbolic::dynamics::Decision::Touch,
        is_time_event: false,
        uses: vec![Vec::new()],
    };
    let layout = Layout {
        model: "operators".into(),
        positions: strings(&["a", "b"]),
        velocities: strings(&["v"]),
        states: strings(&["x"]),
        inputs: vec![InputSlot { name: "u".into(), input: InputId::new(0), derivative: 0 }],
        parameters: strings(&["k"]),
        parameter_defaults: vec![2.0],
        modes: [mode("m1"), mode("m2")].into_iter().collect(),
        outputs: (0..results.len()).map(|index| format!("o{index}")).collect(),
        ..Layout::default()
    };
    let table = |kind| ProgramTable {
        name: "road".into(),
        kind,
        x: vec![-1.0, 0.0, 2.0],
        coefficients: vec![[0.5, 1.0, -0.25, 0.125], [1.5, 0.3, 0.7, -0.2]],
    };
    let mut program = Program {
        layout,
        tables: vec![table(TableKind::Spline), table(TableKind::Linear)],
        prepare: Function {
            body: vec![Instruction::new(
                Op::Binary(BinaryOp::Mul),
                &[Operand::Symbol(Symbol::Theta(0)), Operand::constant(1.5)],
            )],
            results: vec![Block { quantity: Quantity::Prepared, entries: vec![Operand::Value(0)] }],
        },
        functions: Vec::new(),
        algorithm: None,
        alternatives: Vec::new(),
        labels: Vec::new(),
    };
    for kind in FunctionKind::ALL {
        let block = |&quantity: &Quantity| {
            let (rows, columns) = program.shape(quantity);
            Block { quantity, entries: vec![Operand::constant(0.0); rows * columns] }
        };
        let results = kind.quantities().iter().map(block).collect();
        program.functions.push(Function { body: Vec::new(), results });
    }
    let outputs = &mut program.functions[FunctionKind::Outputs as usize];
    outputs.body = body;
    outputs.results[0].entries = results;
    program
}

/// Every operator on every kind of operand, each result used once more.
fn everything() -> Program {
    let symbols = [
        Operand::Symbol(Symbol::P(0)),
        Operand::Symbol(Symbol::P(1)),
        Operand::Symbol(Symbol::V(0)),
        Operand::Symbol(Symbol::X(0)),
        Operand::Symbol(Symbol::U(0)),
        Operand::Symbol(Symbol::VDot(0)),
        Operand::Symbol(Symbol::Mode(ModeId::new(0))),
        Operand::Symbol(Symbol::Mode(ModeId::new(1))),
        Operand::Symbol(Symbol::Theta(0)),
        Operand::Symbol(Symbol::Time),
        Operand::Prepared(0),
        Operand::constant(-0.75),
    ];
    let mut body = Vec::new();
    let mut push = |op, operands: &[Operand]| {
        body.push(Instruction::new(op, operands));
        Operand::Value(body.len() as u32 - 1)
    };
    let mut values = Vec::new();
    for (index, &a) in symbols.iter().enumerate() {
        let b = symbols[(index + 1) % symbols.len()];
        values.extend(UNARY.map(|op| push(Op::Unary(op), &[a])));
        values.extend(BINARY.map(|op| push(Op::Binary(op), &[a, b])));
        for table in 0..2 {
            values.extend([0, 1, 2, 3, 4].map(|derivative| push(Op::Table { table, derivative }, &[a])));
        }
        let sine = push(Op::SinCos, &[b]);
        values.extend([sine, push(Op::PairedCos, &[sine])]);
    }
    // Conditions and operands of every kind: truth values and numbers, near and far.
    let selects: Vec<Operand> = (0..values.len())
        .map(|index| {
            let far = values[(index * 7 + 3) % values.len()];
            push(Op::Select, &[values[index], far, symbols[index % symbols.len()]])
        })
        .collect();
    let logic: Vec<Operand> = (0..values.len())
        .map(|index| {
            let op = if index % 2 == 0 { BinaryOp::And } else { BinaryOp::Or };
            let both = push(Op::Binary(op), &[values[index], selects[values.len() - 1 - index]]);
            push(Op::Unary(UnaryOp::Not), &[both])
        })
        .collect();
    let mut results: Vec<Operand> = values.into_iter().chain(selects).chain(logic).collect();
    results.extend(symbols);
    results.extend([Operand::constant(0.0); 5]);
    program(body, results)
}

fn outputs(system: &dyn System, state: [f64; 7], modes: [bool; 2]) -> Vec<f64> {
    let layout = system.layout();
    let [t, a, b, v, x, u, v_dot] = state;
    let mut prepared = vec![f64::NAN; layout.n_prepared];
    system.prepare(&layout.parameter_defaults, &mut prepared);
    let at = At { t, p: &[a, b], v: &[v], x: &[x], u: &[u], modes: &modes, prepared: &prepared };
    let mut out = vec![f64::NAN; layout.outputs.len()];
    system.outputs(&at, &[v_dot], &[], &mut out);
    out
}

/// The bits, but all NaN alike.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect()
}

const NUMBERS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.3,
    -2.5,
    17.75,
    1e-310,
    -1e300,
    1e6,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    0.999_999,
];

#[test]
fn every_operator_gives_the_interpreters_bits() {
    let program = everything();
    let interpreted = Interpreted::new(&program);
    for length in [1, 2, 7, 100, 500, 100_000] {
        let native = Native::with_pieces(&program, length).expect("this machine has native code");
        assert_eq!(native.layout(), interpreted.layout());
        for start in 0..NUMBERS.len() {
            let state = std::array::from_fn(|index| NUMBERS[(start + index * 3) % NUMBERS.len()]);
            for modes in [[false, false], [true, false], [false, true], [true, true]] {
                let (expected, found) = (outputs(&interpreted, state, modes), outputs(&native, state, modes));
                assert_eq!(bits(&found), bits(&expected), "pieces of {length} at {state:?}, {modes:?}");
            }
        }
    }
}

/// Arguments within and beyond the range of the algorithm, written out and called, with more
/// values waiting in registers than there are.
#[test]
fn sines_in_any_range_leave_other_values_alone() {
    for rounds in [trig::MANY as u32 / 2 - 1, trig::MANY as u32 / 2] {
        let program = sines(rounds);
        let (interpreted, native) = (Interpreted::new(&program), Native::new(&program).expect("native code"));
        let quarter = std::f64::consts::FRAC_PI_2;
        let angles =
            (-40..40).map(|k| f64::from(k) * quarter).chain([1e5, 1e5_f64.next_up(), -1e5, 3e22, 1e300]);
        for angle in angles.chain((0..200).map(|k| -1e5 + 1003.7 * f64::from(k))) {
            for factor in [0.1, quarter, 777.0, 3e4] {
                let state = [0.0, angle, factor, 0.0, 0.0, 0.0, 0.0];
                let (expected, found) =
                    (outputs(&interpreted, state, [false; 2]), outputs(&native, state, [false; 2]));
                assert_eq!(bits(&found), bits(&expected), "{angle:e} less multiples of {factor}");
            }
        }
    }
}

/// Runs of pairs, written out and called, of angles within the range of the algorithm, beyond it and
/// no numbers at all, in every place of a run.
#[test]
fn runs_give_the_interpreters_bits() {
    let symbols = [Symbol::P(0), Symbol::P(1), Symbol::V(0), Symbol::X(0), Symbol::U(0)].map(Operand::Symbol);
    for rounds in [1, trig::MANY / symbols.len() + 1] {
        let mut body = Vec::new();
        for (run, length) in (1..=symbols.len()).cycle().take(rounds * symbols.len()).enumerate() {
            for &angle in symbols.iter().cycle().skip(run).take(length) {
                let sine = Operand::Value(body.len() as u32);
                body.push(Instruction::new(Op::SinCos, &[angle]));
                body.push(Instruction::new(Op::PairedCos, &[sine]));
            }
            // Ends the run.
            body.push(Instruction::new(Op::Unary(UnaryOp::Neg), &[symbols[0]]));
        }
        let results = (0..body.len() as u32).map(Operand::Value).collect();
        let program = program(body, results);
        let interpreted = Interpreted::new(&program);
        for length in [1, 3, 500] {
            let native = Native::with_pieces(&program, length).expect("this machine has native code");
            for start in 0..NUMBERS.len() {
                let state = std::array::from_fn(|index| NUMBERS[(start + index * 3) % NUMBERS.len()]);
                let (expected, found) =
                    (outputs(&interpreted, state, [false; 2]), outputs(&native, state, [false; 2]));
                assert_eq!(bits(&found), bits(&expected), "pieces of {length} at {state:?}");
            }
        }
    }
}

/// A pair and a cosine in each of some rounds, 20 at most, of an angle that turns, while 20 values
/// wait.
fn sines(rounds: u32) -> Program {
    let (angle, factor) = (Operand::Symbol(Symbol::P(0)), Operand::Symbol(Symbol::P(1)));
    let mut body: Vec<Instruction> = (1..=20)
        .map(|k| Instruction::new(Op::Binary(BinaryOp::Mul), &[factor, Operand::constant(f64::from(k))]))
        .collect();
    let mut results: Vec<Operand> = (0..20).map(Operand::Value).collect();
    let mut push = |op, operands: &[Operand]| {
        body.push(Instruction::new(op, operands));
        Operand::Value(body.len() as u32 - 1)
    };
    let mut turned = angle;
    for waiting in 0..rounds {
        let sine = push(Op::SinCos, &[turned]);
        let cosine = push(Op::PairedCos, &[sine]);
        let other = push(Op::Unary(UnaryOp::Cos), &[turned]);
        let sum = push(Op::Binary(BinaryOp::Add), &[Operand::Value(waiting), other]);
        turned = push(Op::Binary(BinaryOp::Sub), &[turned, Operand::Value(19 - waiting)]);
        results.extend([sine, cosine, sum, turned]);
    }
    program(body, results)
}

#[test]
fn a_value_not_chosen_has_no_influence() {
    let nan = Instruction::new(Op::Binary(BinaryOp::Div), &[Operand::constant(0.0), Operand::constant(0.0)]);
    let select =
        |yes, no| Instruction::new(Op::Select, &[Operand::Symbol(Symbol::Mode(ModeId::new(0))), yes, no]);
    let (one, bad) = (Operand::constant(1.0), Operand::Value(0));
    let body = vec![nan, select(one, bad), select(bad, one)];
    let program = program(body, vec![Operand::Value(1), Operand::Value(2)]);
    for length in [1, 500] {
        let native = Native::with_pieces(&program, length).expect("this machine has native code");
        assert_eq!(outputs(&native, [0.0; 7], [true, false])[0], 1.0);
        assert_eq!(outputs(&native, [0.0; 7], [false, false])[1], 1.0);
    }
}

#[test]
fn scratch_beyond_the_stack() {
    // All sines are made before the first is read, so that all of them cross a cut.
    let n = 3000;
    let angle = |index: u32| {
        [Operand::Symbol(Symbol::P(index as usize as u32 % 2)), Operand::constant(f64::from(index))]
    };
    let mut body = Vec::new();
    for index in 0..n {
        body.push(Instruction::new(Op::Binary(BinaryOp::Mul), &angle(index)));
    }
    for index in 0..n {
        let previous = if index == 0 { Operand::constant(0.0) } else { Operand::Value(n + index - 1) };
        body.push(Instruction::new(Op::Binary(BinaryOp::Sub), &[Operand::Value(n - 1 - index), previous]));
    }
    let program = program(body, vec![Operand::Value(2 * n - 1)]);
    let native = Native::new(&program).expect("this machine has native code");
    let state = [0.0, 0.3, 0.7, 0.0, 0.0, 0.0, 0.0];
    for _ in 0..2 {
        let (expected, found) =
            (outputs(&Interpreted::new(&program), state, [false; 2]), outputs(&native, state, [false; 2]));
        assert_eq!(bits(&found), bits(&expected));
    }
}

#[test]
#[should_panic(expected = "does not hold together")]
fn a_program_that_reads_past_the_end_is_refused() {
    let program = program(Vec::new(), vec![Operand::Symbol(Symbol::P(2))]);
    let _ = Native::new(&program);
}
