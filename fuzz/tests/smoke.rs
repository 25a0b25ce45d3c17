//! A short run of every target, and every finding of the past.

use mbs_fuzz::corpus::root;
use mbs_fuzz::driver::{Settings, feed, run};
use mbs_fuzz::targets::{TARGETS, find};
use std::time::Duration;

/// Tests are not optimised and share the machine.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_few_seconds_of_every_target() {
    for target in TARGETS {
        let report = run(target, Settings { seed: 1, time: Duration::from_secs(2), patience: PATIENCE });
        assert!(report.executions > 0, "{}: nothing was fed", target.name);
        if let Some(finding) = report.findings.first() {
            panic!("{}: {}\n{}", target.name, finding.what, finding.text);
        }
    }
}

/// Files are called after the target that found them: `yaml-what_it_is`.
#[test]
fn findings_of_the_past_stay_mended() {
    let entries = std::fs::read_dir(root().join("fuzz/regressions")).expect("the directory");
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(target) = name.split_once('-').and_then(|(target, _)| find(target)) else { continue };
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("readable")).into_owned();
        if let (Err(what), _) = feed(target, &text, PATIENCE) {
            panic!("{name}: {what}");
        }
    }
}
