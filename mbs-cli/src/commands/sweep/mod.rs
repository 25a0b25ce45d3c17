//! `mbs sweep`: many runs of one model, compiled once.
//!
//! Threads take samples from a queue; lines of the table are written in the order of samples
//! whoever is first. A line depends on nothing but its sample, so that the table is the same
//! to the last byte for any number of threads, after an interruption, and when shards are
//! merged.

mod columns;
pub(crate) mod csv;
mod design;
pub(crate) mod format;
#[cfg(feature = "parquet")]
mod parquet;
mod sample;
pub(crate) mod store;

pub(crate) use design::MAX_SAMPLES;

use super::simulate::progress::Progress;
use super::simulate::table::quote;
use super::simulate::{self, CompiledVariant, compile_variant, needs_jacobian};
use crate::arguments::SweepOptions;
use crate::output::{self, beside};
use crate::report::{self, Failure};
use columns::Columns;
use design::Design;
use mbs_runtime::Settings;
use mbs_symbolic::emit::rust::{RustOptions, emit};
use mbs_symbolic::program::Program;
use sample::{Row, Study};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;
use store::{Manifest, Opened, Store};

/// Exit code if some samples failed, and if all did.
const SOME_FAILED: u8 = 3;
const ALL_FAILED: u8 = 4;

/// Every `of`-th sample from this one on.
#[derive(Debug, Clone, Copy)]
struct Shard {
    index: usize,
    of: usize,
}

/// What a sweep has to tell.
struct Outcome {
    model: String,
    output: PathBuf,
    /// Samples of this table, and how many of them were there already.
    samples: usize,
    resumed: usize,
    failed: usize,
    threads: usize,
    compile_ms: f64,
    native_ms: f64,
    run_ms: f64,
}

pub(crate) fn run(options: &SweepOptions) -> Result<(), Failure> {
    let shard = options.shard.as_deref().map(shard).transpose()?;
    let threads = match options.threads {
        Some(0) => return Err(Failure::new("MBS-C040", "there must be at least one thread")),
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, NonZero::get),
    };
    let mut design = None;
    let CompiledVariant { system, simulation, program, planned, compile_ms, native_ms, .. } =
        compile_variant(
            &options.variant,
            options.json,
            |simulation| needs_jacobian(&options.run.method(simulation)),
            |model| {
                design = Some(Design::new(options, model)?);
                Ok(())
            },
        )?;
    let Some(design) = design else { unreachable!("the design is made before the model is compiled") };
    let settings = options.run.settings(&simulation);
    simulate::check(&settings)?;
    let columns = Columns::new(system.layout(), &planned.model, &options.columns, &options.reduce)?;
    let study =
        Study::new(&*system, &planned.model, design, columns, settings, options.run.method(&simulation))?;
    let model = system.layout().model().to_owned();
    let output = options.output.clone().unwrap_or_else(|| default_output(&model, shard));
    format::check(&output)?;
    let table = table_file(&output)?;
    let mut inputs = planned.files;
    inputs.extend(options.from_csv.clone());
    let endings = ["", ".json", ".partial", ".partial.json"];
    output::check(endings.map(|ending| beside(&table, ending)).iter().map(PathBuf::as_path), &inputs)?;

    let samples: Vec<usize> = match shard {
        None => (0..study.design.samples).collect(),
        Some(Shard { index, of }) => (index - 1..study.design.samples).step_by(of).collect(),
    };
    let names: Vec<String> = study.header().iter().map(|name| quote(name)).collect();
    let header = names.join(",") + "\n";
    let manifest = manifest(&study, &model, &program, &header, shard);
    let begin = Instant::now();
    let (resumed, failed) = match Store::open(&table, &manifest, &header, &samples, options.resume)? {
        Opened::Complete { failed } => (samples.len(), failed),
        Opened::Open { mut store, done, failed } => {
            let mut progress = Progress::of_samples(done, samples.len(), !options.json);
            let failed = failed + run_all(&study, &samples, done, threads, &mut store, &mut progress)?;
            drop(progress);
            store.finish()?;
            (done, failed)
        }
    };
    let run_ms = begin.elapsed().as_secs_f64() * 1e3;
    let samples = samples.len();
    let outcome = Outcome { model, output, samples, resumed, failed, threads, compile_ms, native_ms, run_ms };
    if options.json { report::print_json(outcome.json()) } else { report::print(&outcome.text()) }?;
    match failed {
        0 => Ok(()),
        _ if failed < samples => Err(Failure::Reported { exit_code: SOME_FAILED }),
        _ => Err(Failure::Reported { exit_code: ALL_FAILED }),
    }
}

/// Runs the samples from number `done` on; how many failed.
fn run_all(
    study: &Study<'_>,
    samples: &[usize],
    done: usize,
    threads: usize,
    store: &mut Store,
    progress: &mut Progress,
) -> Result<usize, Failure> {
    let next = AtomicUsize::new(done);
    let (sender, receiver) = mpsc::channel::<(usize, Row)>();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(samples.len() - done) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(index) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < samples.len())
                {
                    // Nobody listens if the table could not be written.
                    if sender.send((index, study.row(samples[index]))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let (mut written, mut failed) = (done, 0);
        for (index, row) in &receiver {
            waiting.insert(index, row);
            let mut lines = String::new();
            while let Some(row) = waiting.remove(&written) {
                lines += &row.text;
                failed += usize::from(row.failed);
                written += 1;
            }
            if !lines.is_empty() {
                let appended = store.append(&lines);
                if appended.is_err() {
                    // Threads end after the sample they are at.
                    drop(receiver);
                    return appended.map(|()| failed);
                }
            }
            progress.at(written as f64);
        }
        Ok(failed)
    })
}

/// I/N
fn shard(text: &str) -> Result<Shard, Failure> {
    let parts = text.split_once('/');
    let numbers = parts.and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    match numbers {
        Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
        _ => {
            let failure = Failure::new("MBS-C040", format!("`{text}` is not a shard I/N with I from 1 to N"));
            Err(failure.help("the third of eight is 3/8"))
        }
    }
}

/// The file a table goes to, links followed. A table grows beside its place and can be gone on
/// with, which a device or a pipe does not allow.
fn table_file(output: &Path) -> Result<PathBuf, Failure> {
    match std::fs::canonicalize(output) {
        Ok(path) if path.is_file() => Ok(path),
        Ok(_) => {
            let failure = Failure::new("MBS-C002", "the table of a sweep must be a regular file");
            Err(failure.about(output).help("let --output name a file"))
        }
        Err(_) => Ok(output.to_owned()),
    }
}

fn default_output(model: &str, shard: Option<Shard>) -> PathBuf {
    PathBuf::from(match shard {
        None => format!("{model}_sweep.csv"),
        Some(Shard { index, of }) => format!("{model}_sweep.{index}of{of}.csv"),
    })
}

/// FNV-1a, 64 bits: tells apart what was changed by accident, not by malice.
fn fingerprint(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What the table is made of.
fn manifest(
    study: &Study<'_>,
    model: &str,
    program: &Program,
    header: &str,
    shard: Option<Shard>,
) -> Manifest {
    // The equations as source text hold everything of the model that matters to a run.
    let equations = emit(program, &RustOptions::default());
    let Settings { t_start, t_end, rtol, atol, projection, output_step, .. } = study.settings;
    let mut manifest = Map::new();
    let mut put = |key: &str, value: Value| manifest.insert(key.to_owned(), value);
    put("schema_version", json!(report::SCHEMA_VERSION));
    put("mbs", json!(env!("CARGO_PKG_VERSION")));
    put("model", json!(model));
    put("equations", json!(format!("{:016x}", fingerprint(equations.bytes()))));
    put("samples", json!(study.design.samples));
    put("design", study.design.describe());
    put("method", json!(study.method));
    put(
        "settings",
        json!({"t_start": t_start, "t_end": t_end, "rtol": rtol, "atol": atol,
               "projection": format!("{projection:?}"), "output_step": output_step}),
    );
    put("columns", json!(csv::fields(header.trim_end()).into_iter().map(|f| f.text).collect::<Vec<_>>()));
    put("shard", shard.map_or(Value::Null, |Shard { index, of }| json!({"index": index, "of": of})));
    manifest
}

impl Outcome {
    fn json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("ok", json!(self.failed == 0));
        put("model", json!(self.model));
        put("output", json!(self.output.display().to_string()));
        put("samples", json!(self.samples));
        put("resumed", json!(self.resumed));
        put("failed", json!(self.failed));
        put("threads", json!(self.threads));
        put("wall_ms", json!({"compile": self.compile_ms, "native": self.native_ms, "runs": self.run_ms}));
        object
    }

    fn text(&self) -> String {
        let Self { samples, resumed, failed, threads, compile_ms, native_ms, run_ms, .. } = self;
        let already = if *resumed > 0 { format!(", {resumed} of them there already") } else { String::new() };
        let failures = match failed {
            0 => "none failed".to_owned(),
            _ => format!("{failed} FAILED: see the columns `status` and `message`"),
        };
        format!(
            "{}\n  samples      {samples}{already}; {failures}\n  table        {}\n  wall time    {compile_ms:.1} ms \
             compiler, {native_ms:.1} ms native code, {run_ms:.1} ms runs on {threads} threads\n",
            self.model,
            self.output.display()
        )
    }
}
