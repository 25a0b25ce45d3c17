//! Recorded points of a run: how many there may be, and what they cost.

mod common;

use common::{Scratch, Table, fail, json, start};
use std::fs;
use std::time::Duration;

#[test]
fn more_points_than_disks_hold_are_refused_with_their_number() {
    for (step, points) in
        [("1e-9", "1.0e10"), ("1e-320", "1.0e321"), ("5e-324", "2.0e324"), ("1e-7", "1.0e8")]
    {
        let run = ["simulate", "models/pendulum.yaml", "--t-end", "10.0001", "--step", step];
        let said = fail(&run);
        assert!(said.contains("MBS-C031") && said.contains(&format!("makes {points} of them")), "{said}");
    }
}

/// The table has every point, however few are kept for pages and summaries.
#[test]
fn a_table_has_every_point() {
    let scratch = Scratch::new("points-table");
    let csv = scratch.0.join("run.csv").display().to_string();
    let run = ["simulate", "models/pendulum.yaml", "--rtol", "1e-6", "--json", "--csv", &csv, "--t-end"];
    for (more, points) in [(&["3000"][..], None), (&["3000", "--step", "0.1"], Some(30_001))] {
        let value = json(&[&run[..], more].concat(), 0);
        let table = Table::read(&csv);
        let recorded = points.unwrap_or(value["statistics"]["steps"].as_u64().expect("steps") as usize + 1);
        assert_eq!((value["points"].as_u64(), table.rows.len()), (Some(recorded as u64), recorded));
        assert!(recorded > 20_000, "more than are kept");
        assert!(table.rows.windows(2).all(|pair| pair[0][0] < pair[1][0]), "in the order of time");
        let last = &table.rows[recorded - 1];
        assert_eq!(Some(table.at(last, "theta")), value["positions"]["theta"].as_f64());
        assert_eq!(Some(last[0]), value["t"].as_f64());
    }
}

/// A run that is ended leaves what was there, and nothing else.
#[test]
fn a_table_is_there_when_it_is_complete() {
    let scratch = Scratch::new("points-ended");
    let csv = scratch.file("run.csv", "old");
    let mut run = start(&["simulate", "models/pendulum.yaml", "--t-end", "1e6", "--csv", &csv]);
    std::thread::sleep(Duration::from_millis(1500));
    assert!(run.try_wait().expect("a process").is_none(), "it runs for a while");
    run.kill().expect("it runs");
    run.wait().expect("it has ended");
    assert_eq!(fs::read_to_string(&csv).expect("the table"), "old");
    assert_eq!(fs::read_dir(&scratch.0).expect("the folder").count(), 1);
}

/// A pendulum over 1e5 s takes more than a million steps, and less than 50 MB of memory.
#[cfg(target_os = "linux")]
#[test]
fn long_runs_take_little_memory() {
    let scratch = Scratch::new("points-memory");
    let name = |name: &str| scratch.0.join(name).display().to_string();
    let (csv, report) = (name("run.csv"), name("run.html"));
    let mut run = start(&[
        "simulate",
        "models/pendulum.yaml",
        "--t-end",
        "1e5",
        "--rtol",
        "1e-6",
        "--csv",
        &csv,
        "--report",
        &report,
    ]);
    let mut most = 0;
    while run.try_wait().expect("a process").is_none() {
        // Gone between two looks.
        let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let size = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(size.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(run.wait().expect("a process").success());
    assert!((1_000..50_000).contains(&most), "{most} kB");
    assert!(fs::metadata(csv).expect("the table").len() > 50_000_000, "the table is much larger");
}
