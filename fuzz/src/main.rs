//! `mbs-fuzz TARGET|all [--seconds N] [--seed S] [FILE…]`: feeds a target until time is up, or the
//! files given. Exit code 1 if anything was found; findings are written to `fuzz/findings/`.

use mbs_fuzz::corpus::root;
use mbs_fuzz::driver::{Settings, feed, run};
use mbs_fuzz::targets::{TARGETS, Target, find};
use std::process::ExitCode;
use std::time::Duration;

/// One text may take this long, optimised.
const PATIENCE: Duration = Duration::from_secs(10);

struct Arguments {
    targets: Vec<&'static Target>,
    seconds: f64,
    seed: u64,
    files: Vec<String>,
}

fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    let target = words.next()?;
    let targets = if target == "all" { TARGETS.iter().collect() } else { vec![find(&target)?] };
    let mut arguments = Arguments { targets, seconds: 60.0, seed: 1, files: Vec::new() };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => arguments.seconds = words.next()?.parse().ok()?,
            "--seed" => arguments.seed = words.next()?.parse().ok()?,
            file => arguments.files.push(file.to_owned()),
        }
    }
    Some(arguments)
}

fn main() -> ExitCode {
    let Some(Arguments { targets, seconds, seed, files }) = arguments() else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("usage: mbs-fuzz all|{} [--seconds N] [--seed S] [FILE…]", names.join("|"));
        return ExitCode::from(2);
    };
    let mut found = false;
    for target in targets {
        if !files.is_empty() {
            for file in &files {
                let text = match std::fs::read(file) {
                    Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                    Err(error) => {
                        eprintln!("{file}: {error}");
                        return ExitCode::from(2);
                    }
                };
                let (outcome, took) = feed(target, &text, PATIENCE);
                eprintln!(
                    "{} {file}: {:.2} s, {}",
                    target.name,
                    took.as_secs_f64(),
                    outcome.as_ref().err().map_or("good", |what| what)
                );
                found |= outcome.is_err();
            }
            continue;
        }
        let report =
            run(target, Settings { seed, time: Duration::from_secs_f64(seconds), patience: PATIENCE });
        eprintln!(
            "{}: {} executions, {} kept, {} features, slowest {:.2} s, {} findings",
            target.name,
            report.executions,
            report.kept,
            report.features,
            report.slowest.as_secs_f64(),
            report.findings.len()
        );
        let directory = root().join("fuzz/findings");
        for (index, finding) in report.findings.iter().enumerate() {
            found = true;
            let path = directory.join(format!("{}-{seed}-{index}", target.name));
            let written =
                std::fs::create_dir_all(&directory).and_then(|()| std::fs::write(&path, &finding.text));
            eprintln!("  {}\n    {}", path.display(), finding.what.replace('\n', "\n    "));
            if let Err(error) = written {
                eprintln!("    cannot be written: {error}");
            }
        }
    }
    if found { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
