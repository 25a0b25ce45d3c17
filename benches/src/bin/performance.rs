//! Prints the tables of docs/performance.md: `cargo run --release -p mbs-benches`
//!
//! With a word, only that part: `operations`, `times`, `functions`, `scaling` or `loops`.

use mbs_benches::{Case, FUNCTIONS, GENERATED, chain, compile, four_bars, generated, native, program};
use mbs_jit::Native;
use mbs_runtime::constraint::consistent;
use mbs_runtime::integrate::{Mdop5, Progress, simulate_with};
use mbs_runtime::{Defaults, Plant, Settings, State, System};
use mbs_symbolic::program::{Counts, FunctionKind, Program};
use std::fmt::Write;
use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// A name and what makes its table.
type Part = (&'static str, fn() -> String);

const PARTS: [Part; 5] = [
    ("operations", operations),
    ("times", times),
    ("functions", functions),
    ("scaling", scaling),
    ("loops", loops),
];

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1);
    let known = |word: &String| PARTS.iter().any(|(name, _)| name == word);
    if let Some(word) = wanted.as_ref().filter(|word| !known(word)) {
        let names = PARTS.map(|(name, _)| name).join(", ");
        eprintln!("there is no part `{word}`; parts are {names}");
        return ExitCode::from(2);
    }
    let mut out = std::io::stdout().lock();
    let mut print = |text: String| out.write_all(text.as_bytes()).and_then(|()| out.flush());
    let mut outcome = print(format!("Machine: {}\n", machine()));
    for (name, part) in PARTS {
        if wanted.as_ref().is_none_or(|word| word == name) {
            outcome = outcome.and_then(|()| print(format!("\n{}", part())));
        }
    }
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Processor and clock as Linux tells them.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':')).map_or("unknown", |(_, value)| value.trim())
    };
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    format!("{}, {} MHz, load average {load}", of("model name"), of("cpu MHz"))
}

/// Time of one call, ns: the fastest of many batches, which the load of the machine disturbs
/// least.
fn time(mut work: impl FnMut()) -> f64 {
    const BATCH: Duration = Duration::from_micros(500);
    const BATCHES: usize = 200;
    let mut calls = 1_u32;
    loop {
        let begin = Instant::now();
        (0..calls).for_each(|_| work());
        if begin.elapsed() > BATCH || calls > 1 << 20 {
            break;
        }
        calls *= 2;
    }
    let batch = |_| {
        let begin = Instant::now();
        (0..calls).for_each(|_| work());
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    };
    (0..BATCHES).map(batch).fold(f64::INFINITY, f64::min)
}

/// Operations of a function, if the compiler makes it.
fn counts(program: &Program, function: &str) -> Option<Counts> {
    let kind = FunctionKind::ALL.into_iter().find(|kind| kind.name() == function)?;
    program.has(kind).then(|| program.function(kind).counts())
}

/// Additions, multiplications and divisions, with sines and cosines apart.
fn flops(program: &Program, function: &str) -> String {
    counts(program, function).map_or("–".to_owned(), |counts| match counts.trig {
        0 => counts.flops().to_string(),
        trig => format!("{} + {trig}", counts.flops()),
    })
}

/// A model, a function and what others need for it.
struct Peer {
    model: &'static str,
    function: &'static str,
    casadi: &'static str,
    prototype: &'static str,
}

const fn peer(
    model: &'static str,
    function: &'static str,
    casadi: &'static str,
    prototype: &'static str,
) -> Peer {
    Peer { model, function, casadi, prototype }
}

const OPERATIONS: [Peer; 19] = [
    peer("ur5", "mass_matrix", "293", "161"),
    peer("ur5", "forces", "531", "244"),
    peer("ur5", "accelerations", "1285", "557"),
    peer("panda", "mass_matrix", "1073", "381"),
    peer("panda", "forces", "1183", "568"),
    peer("panda", "accelerations", "2657", "1176"),
    peer("chain7", "mass_matrix", "1483", "937"),
    peer("chain7", "forces", "1585", "877"),
    peer("chain7", "accelerations", "3734", "2039"),
    peer("chain12", "mass_matrix", "3946", "–"),
    peer("chain12", "forces", "2980", "–"),
    peer("chain12", "accelerations", "7218", "5374"),
    peer("chain30", "accelerations", "19489", "32629"),
    peer("planar12", "forces", "534", "278"),
    peer("planar12", "accelerations", "1129", "1974"),
    peer("four_bar", "fused", "175 + 6", "–"),
    peer("andrews", "fused", "593 + 14", "–"),
    peer("five_link", "fused", "–", "–"),
    peer("five_link", "accelerations", "–", "–"),
];

fn operations() -> String {
    let mut out = "| model | function | mbs | CasADi | prototype |\n|---|---|---|---|---|\n".to_owned();
    for Peer { model, function, casadi, prototype } in OPERATIONS {
        let own = flops(&program(model), function);
        let _ = writeln!(out, "| {model} | {function} | {own} | {casadi} | {prototype} |");
    }
    out
}

/// ns of Pinocchio, MuJoCo, CasADi and the prototype.
const TIMES: [(&str, &str, [&str; 4]); 9] = [
    ("ur5", "mass_matrix", ["418", "629", "114", "66"]),
    ("ur5", "forward_dynamics", ["1230", "1035", "286", "152"]),
    ("panda", "mass_matrix", ["498", "762", "244", "102"]),
    ("panda", "forward_dynamics", ["1415", "1267", "562", "267"]),
    ("chain7", "mass_matrix", ["501", "766", "288", "191"]),
    ("chain7", "forward_dynamics", ["1440", "1233", "766", "422"]),
    ("chain30", "forward_dynamics", ["6433", "7127", "3998", "–"]),
    ("four_bar", "fused", ["–", "–", "63", "–"]),
    ("andrews", "fused", ["–", "–", "170", "–"]),
];

fn times() -> String {
    let mut out =
        "| model | function | mbs, generated | mbs, native | Pinocchio | MuJoCo | CasADi | prototype \
                   |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for (model, function, others) in TIMES {
        let [rust, jit] = both(model, function);
        let _ = writeln!(out, "| {model} | {function} | {rust:.0} | {jit:.0} | {} |", others.join(" | "));
    }
    out
}

/// Time as generated Rust and as native code in memory, ns.
fn both(model: &str, function: &str) -> [f64; 2] {
    let native = native(model);
    let mut rust = Case::new(generated(model));
    let mut jit = Case::new(&native);
    [time(|| rust.call(function)), time(|| jit.call(function))]
}

fn functions() -> String {
    let mut out = "| function |".to_owned();
    for (model, _) in GENERATED {
        let _ = write!(out, " {model} |");
    }
    let _ = write!(out, "\n|---|{}", "---|".repeat(GENERATED.len()));
    for function in FUNCTIONS {
        let _ = write!(out, "\n| {function} |");
        for (model, system) in GENERATED {
            if Case::new(system).results(function) == 0 {
                out += " – |";
                continue;
            }
            let [rust, jit] = both(model, function);
            let _ = write!(out, " {rust:.0} / {jit:.0} |");
        }
    }
    out + "\n"
}

/// Milliseconds this thread has worked so far, without those in which others had the processor where
/// Linux tells.
fn worked() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed().as_secs_f64() * 1e3, |nanoseconds| nanoseconds / 1e6)
}

/// Milliseconds of the compiler for a model, and for a thousand operations of all its functions
/// together as they come out; the fastest of some batches, which are long for the clock.
fn compiler(source: &str) -> (Program, [f64; 2]) {
    const BATCH: f64 = 50.0;
    let batch = |_| {
        let begin = worked();
        let mut calls = 0;
        while worked() - begin < BATCH {
            black_box(compile(source));
            calls += 1;
        }
        (worked() - begin) / f64::from(calls)
    };
    let fastest = (0..4).map(batch).fold(f64::INFINITY, f64::min);
    let program = compile(source);
    let operations = f64::from(program.total_counts().total());
    (program, [fastest, fastest * 1e3 / operations])
}

/// A program as native code, and milliseconds that took; the fastest of some runs.
fn in_memory(program: &Program) -> (Native, f64) {
    let run = || {
        let begin = Instant::now();
        let system = Native::new(program).expect("native code");
        (system, begin.elapsed().as_secs_f64() * 1e3)
    };
    let (system, first) = run();
    (system, (0..4).map(|_| run().1).fold(first, f64::min))
}

fn scaling() -> String {
    let mut out = "| links | compiler, ms | per 1000 operations | native code, ms | M, flops | f, flops | fused, flops \
                   | accelerations, flops | fused, ns | forward_dynamics, ns |\n|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for n in [2, 4, 6, 8, 10, 12, 16, 20, 24, 30, 40, 50, 60] {
        let (program, [compiler, each]) = compiler(&chain(n));
        let (system, native) = in_memory(&program);
        let mut case = Case::new(&system);
        let [fused, forward] = ["fused", "forward_dynamics"].map(|function| time(|| case.call(function)));
        let flops = ["mass_matrix", "forces", "fused", "accelerations"].map(|name| flops(&program, name));
        let flops = flops.join(" | ");
        let _ = writeln!(
            out,
            "| {n} | {compiler:.1} | {each:.2} | {native:.1} | {flops} | {fused:.0} | {forward:.0} |"
        );
    }
    out
}

/// What rows of four-bar linkages cost. Sizes take turns, so that the load of the machine
/// meets all of them.
fn loops() -> String {
    let mut out = "| loops | compiler, ms | per 1000 operations | native code, ms | accelerations, flops \
                   | forward_dynamics per loop, ns | start, ms | step, µs | step per loop, µs |\n\
                   |---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    let sizes = [5, 10, 25, 50, 100, 200];
    let mut rows = Vec::new();
    for n in sizes {
        let (program, [compiler, each]) = compiler(&four_bars(n));
        let (system, native) = in_memory(&program);
        let flops = flops(&program, "accelerations");
        rows.push((system, format!("| {n} | {compiler:.0} | {each:.2} | {native:.0} | {flops} |")));
    }
    let mut best = sizes.map(|_| [f64::INFINITY; 3]);
    for _ in 0..3 {
        for ((system, _), best) in rows.iter().zip(&mut best) {
            let mut case = Case::new(system);
            let forward = time(|| case.call("forward_dynamics"));
            let [start, step] = run(system);
            for (best, now) in best.iter_mut().zip([forward, start, step]) {
                *best = best.min(now);
            }
        }
    }
    for ((n, (_, row)), [forward, start, step]) in sizes.into_iter().zip(&rows).zip(best) {
        let [forward, each] = [forward, step].map(|time| time / n as f64);
        let _ = writeln!(out, "{row} {forward:.0} | {start:.2} | {step:.1} | {each:.3} |");
    }
    out
}

/// Milliseconds until there are consistent initial values, the fastest of ten, and microseconds of a
/// step of at most 1 ms: the fastest tenth of those in 0.3 s, before the linkage comes near its
/// singular pose.
fn run(system: &dyn System) -> [f64; 2] {
    let layout = system.layout();
    let start = || {
        let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
        let method = Mdop5::new(layout);
        let mut state = State::new(layout);
        plant.initial(&mut state);
        consistent(&mut plant, &mut state).expect("the linkage closes");
        (plant, method, state)
    };
    let timed = |_| {
        let begin = Instant::now();
        start();
        begin.elapsed().as_secs_f64() * 1e3
    };
    let fastest = (0..10).map(timed).fold(f64::INFINITY, f64::min);
    let (mut plant, mut method, state) = start();
    let settings = Settings { t_end: 0.3, max_step: 1e-3, ..Settings::default() };
    let (mut times, mut last) = (Vec::new(), Instant::now());
    let mut observer = |progress: Progress<'_>| {
        if let Progress::Recorded(_) = progress {
            times.push(last.elapsed().as_secs_f64() * 1e6);
            last = Instant::now();
        }
        true
    };
    simulate_with(&mut plant, &mut method, state, &settings, &mut observer).expect("the linkage moves");
    // The first is the start.
    let steps = &mut times[1..];
    steps.sort_by(f64::total_cmp);
    [fastest, steps[steps.len() / 10]]
}
