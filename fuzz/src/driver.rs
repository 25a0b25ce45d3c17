//! Feeding a target until time is up.

use crate::mutate::mutate;
use crate::random::Random;
use crate::targets::Target;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Mutants do not grow beyond this, bytes.
const LONGEST: usize = 64 << 10;
/// Kept texts; beyond that the oldest go.
const KEPT: usize = 2000;
/// The stack of the thread that feeds: that of a thread, less than a program has.
const STACK: usize = 2 << 20;

/// How long to go on, and from where.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Everything follows from it.
    pub seed: u64,
    /// When to stop.
    pub time: Duration,
    /// One text may take this long.
    pub patience: Duration,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Texts fed.
    pub executions: u64,
    /// Texts that behaved in a new way, the corpus included.
    pub kept: usize,
    /// Ways of behaving.
    pub features: usize,
    /// The longest that one took.
    pub slowest: Duration,
    /// Texts with what is wrong.
    pub findings: Vec<Finding>,
}

/// A text that should not do this.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The text.
    pub text: String,
    /// What happened.
    pub what: String,
}

/// Feeds one text; how it behaved, or what is wrong.
pub fn feed(target: &Target, text: &str, patience: Duration) -> (Result<Vec<u64>, String>, Duration) {
    let begin = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(text))).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(format!("panic: {}", words.unwrap_or_default()))
    });
    let took = begin.elapsed();
    if outcome.is_ok() && took > patience {
        return (Err(format!("takes {:.1} s", took.as_secs_f64())), took);
    }
    (outcome, took)
}

/// Feeds `target` until time is up; ends at the tenth finding.
pub fn run(target: &'static Target, settings: Settings) -> Report {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        // Whoever waits for the report has gone if this fails.
        let _ = sender.send(feed_on(target, settings));
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let report = receiver.recv().unwrap_or_default();
    if let Ok(thread) = thread {
        // A panic of the driver itself has nothing to add to an empty report.
        let _ = thread.join();
    }
    report
}

fn feed_on(target: &Target, settings: Settings) -> Report {
    let mut random = Random::new(settings.seed);
    let words = (target.words)();
    let mut kept = (target.corpus)();
    let start = kept.clone();
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    let mut report = Report::default();
    let begin = Instant::now();
    let mut waiting = kept.clone();
    waiting.reverse();
    while begin.elapsed() < settings.time && report.findings.len() < 10 {
        let (text, fresh) = match (waiting.pop(), target.fresh) {
            (Some(text), _) => (text, false),
            (None, Some(fresh)) => (fresh(&mut random), true),
            (None, None) if kept.is_empty() => break,
            (None, None) => {
                let parent = random.below(kept.len());
                (mutate(&mut random, &kept[parent], &words, &kept), true)
            }
        };
        if text.len() > LONGEST {
            continue;
        }
        let (outcome, took) = feed(target, &text, settings.patience);
        report.executions += 1;
        report.slowest = report.slowest.max(took);
        match outcome {
            Ok(features) => {
                let new = features.iter().filter(|feature| seen.insert(**feature)).count();
                if new > 0 && fresh && target.fresh.is_none() {
                    kept.push(text);
                }
                if kept.len() > KEPT {
                    kept.drain(start.len()..start.len() + (KEPT / 4));
                }
            }
            Err(what) => report.findings.push(Finding { text, what }),
        }
    }
    report.kept = kept.len();
    report.features = seen.len();
    report
}
