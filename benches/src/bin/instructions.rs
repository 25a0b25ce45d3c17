//! Calls one function many times, for `scripts/callgrind.sh`:
//! `instructions MODEL FUNCTION generated|native CALLS`

use mbs_benches::{Case, FUNCTIONS, GENERATED, generated, native};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [model, function, backend, calls] = arguments[..] else {
        eprintln!("usage: instructions MODEL FUNCTION generated|native CALLS");
        return ExitCode::from(2);
    };
    let known = GENERATED.iter().any(|(name, _)| *name == model) && FUNCTIONS.contains(&function);
    let (true, Ok(calls)) = (known, calls.parse::<u32>()) else {
        eprintln!("no such model or function, or no number of calls");
        return ExitCode::from(2);
    };
    let system = native(model);
    let mut case = Case::new(if backend == "native" { &system } else { generated(model) });
    (0..calls).for_each(|_| case.call(function));
    ExitCode::SUCCESS
}
