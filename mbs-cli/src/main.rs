//! `mbs`: from a mechanism in YAML to its equations of motion.
//!
//! The only crate that prints. Each command is a file under `commands`; what they
//! share is reading a model ([`pipeline`]) and reporting ([`report`]).
//!
//! Exit codes: 0 success, 1 the model or the run failed (with a diagnostic), 2 wrong
//! usage; of a sweep also 3 some samples failed, 4 all did.

mod arguments;
mod base64;
mod commands;
mod evaluate;
mod frames;
mod gltf;
mod graph;
mod input;
mod limits;
mod mobility;
mod output;
mod page;
mod picture;
mod pipeline;
mod plot;
mod random;
mod report;
mod scene;
mod serve;
mod start;
mod stopped;

use arguments::{Arguments, Command};
use clap::Parser;
use report::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Wrong usage ends here, with exit code 2.
    let arguments = Arguments::parse();
    let outcome = match &arguments.command {
        Command::Check(options) => commands::check::run(options),
        Command::Graph(options) => commands::graph::run(options),
        Command::Stats(options) => commands::stats::run(options),
        Command::Equations(options) => commands::equations::run(options),
        Command::Explain(options) => commands::explain::run(options),
        Command::Verify(options) => commands::verify::run(options),
        Command::Diff(options) => commands::diff::run(options),
        Command::Generate(options) => commands::generate::run(options),
        Command::Eval(options) => commands::eval::run(options),
        Command::Simulate(options) => commands::simulate::run(options),
        Command::Picture(options) => commands::picture::run(options),
        Command::Serve(options) => commands::serve::run(options),
        Command::Sweep(options) => commands::sweep::run(options),
        Command::Merge(options) => commands::merge::run(options),
        Command::Compare(options) => commands::compare::run(options),
        Command::Equilibrium(options) => commands::equilibrium::run(options),
        Command::New(options) => commands::new::run(options),
        Command::Fmt(options) => commands::fmt::run(options),
        Command::Schema(options) => commands::schema::run(options),
        Command::Import(options) => commands::import::run(options),
        Command::ExplainCode(options) => commands::explain_code::run(options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has seen enough: `mbs equations … | head`.
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Reported { exit_code }) => ExitCode::from(exit_code),
        Err(failure) => {
            report::print_failure(&failure, arguments.command.json());
            ExitCode::FAILURE
        }
    }
}
