//! `mbs sweep` and `mbs merge`: the same table whatever the threads, shards and interruptions.

mod common;

use common::{Scratch, checked, has_keys, json, mbs, start, stderr, stdout};
use std::fs;

const GRID: [&str; 6] = ["--param", "l1=0.1:0.25:4", "--param", "positions.phi1=0:1:3", "--t-end", "0.05"];

/// Runs a sweep of the four-bar linkage, whose exit code must be this one, and reads its table.
fn sweep(scratch: &Scratch, name: &str, arguments: &[&str], code: i32) -> String {
    let path = scratch.0.join(name).display().to_string();
    let run = ["sweep", "models/four_bar.yaml", "--output", &path];
    let output = mbs(&[&run[..], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{}{}", stdout(&output), stderr(&output));
    fs::read_to_string(path).expect("the table")
}

/// The columns of a table by name.
fn column<'t>(table: &'t str, name: &str) -> Vec<&'t str> {
    let header = table.lines().next().expect("a header").split(',');
    // Without their units: `phi [rad]` is `phi` here.
    let header: Vec<&str> = header.map(|name| name.split(" [").next().unwrap_or(name)).collect();
    let index = header.iter().position(|known| *known == name).expect(name);
    table.lines().skip(1).map(|line| line.split(',').nth(index).expect("a value")).collect()
}

#[test]
fn threads_do_not_show() {
    let scratch = Scratch::new("sweep-threads");
    let on =
        |name: &str, threads: &str| sweep(&scratch, name, &[&GRID[..], &["--threads", threads]].concat(), 0);
    let one = on("one.csv", "1");
    assert_eq!(one, on("two.csv", "2"));
    assert_eq!(one, on("four.csv", "4"));
    assert_eq!(one.lines().count(), 13);
    assert_eq!(column(&one, "sample"), (0..12).map(|k| k.to_string()).collect::<Vec<_>>());
    // The last range varies fastest, and both ends are reached.
    assert_eq!(column(&one, "positions.phi1")[..4], ["0.0", "0.5", "1.0", "0.0"]);
    assert_eq!((column(&one, "l1")[0], column(&one, "l1")[11]), ("0.1", "0.25"));
    let manifests = ["one.csv.json", "two.csv.json"].map(|name| fs::read(scratch.0.join(name)).expect(name));
    assert_eq!(manifests[0], manifests[1]);
}

/// A sample is what `simulate` gives for the same values, to the last bit.
#[test]
fn a_sample_is_a_run() {
    let scratch = Scratch::new("sweep-run");
    let arguments =
        ["--param", "l1=0.15:0.2:2", "--param", "T_drive=0.5:1:2", "--param", "velocities.phi1=2:3:2"];
    let table = sweep(&scratch, "runs.csv", &[&arguments[..], &["--t-end", "0.05"]].concat(), 0);
    let settings = ["--set", "l1=0.2", "--set", "T_drive=0.5", "--set", "velocities.phi1=3"];
    let value = json(
        &[&["simulate", "models/four_bar.yaml", "--t-end", "0.05", "--json"][..], &settings].concat(),
        0,
    );
    for (name, expected) in [
        ("phi1", &value["positions"]["phi1"]),
        ("der(phi3)", &value["velocities"]["phi3"]),
        ("crank_speed", &value["outputs"]["crank_speed"]),
        ("steps", &value["statistics"]["steps"]),
    ] {
        let found: f64 = column(&table, name)[5].parse().expect("a number");
        assert_eq!(Some(found), expected.as_f64(), "{name}");
    }
}

#[test]
fn a_sweep_goes_on_where_it_was_interrupted() {
    let scratch = Scratch::new("sweep-resume");
    let table = sweep(&scratch, "whole.csv", &GRID, 0);
    let whole: String = table.lines().map(checked).collect();
    let [output, partial] = ["cut.csv", "cut.csv.partial"].map(|name| scratch.0.join(name));
    let name = output.display().to_string();
    let resumed =
        [&["sweep", "models/four_bar.yaml", "--output", &name, "--json", "--resume"][..], &GRID].concat();
    let manifest = fs::read(scratch.0.join("whole.csv.json")).expect("the manifest");
    let fourth = whole.match_indices('\n').nth(4).expect("five lines").0;
    // Within the header, after it, within a line, after a line, at the end.
    for (cut, samples) in
        [(10, 0), (whole.find('\n').unwrap() + 1, 0), (fourth - 7, 3), (fourth + 1, 4), (whole.len(), 12)]
    {
        fs::write(&partial, &whole[..cut]).expect("a partial table");
        fs::write(scratch.0.join("cut.csv.partial.json"), &manifest).expect("its manifest");
        // Nothing is lost by forgetting the option.
        let forgotten = mbs(&[&["sweep", "models/four_bar.yaml", "--output", &name][..], &GRID].concat());
        assert_eq!(forgotten.status.code(), Some(1));
        assert!(stderr(&forgotten).contains("--resume"));
        let value = json(&resumed, 0);
        assert_eq!(value["resumed"], samples, "cut at {cut}");
        assert_eq!(fs::read_to_string(&output).expect("the table"), table, "cut at {cut}");
        assert!(!partial.exists());
        // What is complete stays.
        assert_eq!(json(&resumed, 0)["resumed"], 12);
        fs::remove_file(&output).expect("the table goes");
    }
    fs::write(&partial, &whole[..fourth]).expect("a partial table");
    fs::write(scratch.0.join("cut.csv.partial.json"), &manifest).expect("its manifest");
    let other = mbs(&[&resumed[..], &["--rtol", "1e-5"]].concat());
    assert_eq!(other.status.code(), Some(1));
    assert!(stdout(&other).contains("`settings` differs"), "{}", stdout(&other));
}

/// A sweep that is killed leaves what it has, and goes on to the same table.
#[test]
fn a_sweep_survives_being_killed() {
    let scratch = Scratch::new("sweep-kill");
    // So many that it is still at it when the kill arrives, however busy the machine.
    let drawn =
        ["--param", "l1=0.1:0.25", "--param", "m1=0.5:2", "--samples", "5000", "--random", "--t-end", "0.05"];
    let whole = sweep(&scratch, "whole.csv", &drawn, 0);
    let name = scratch.0.join("killed.csv").display().to_string();
    let partial = scratch.0.join("killed.csv.partial");
    let run = [&["sweep", "models/four_bar.yaml", "--output", &name, "--threads", "4"][..], &drawn].concat();
    let mut child = start(&run);
    let lines = || fs::read_to_string(&partial).map_or(0, |text| text.lines().count());
    while lines() < 50 {
        assert!(child.try_wait().expect("a process").is_none(), "the sweep ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let value = json(&[&run[..], &["--resume", "--json"]].concat(), 0);
    let resumed = value["resumed"].as_u64().expect("a number");
    assert!((49..5000).contains(&resumed), "{resumed} samples were there");
    assert_eq!(fs::read_to_string(&name).expect("the table"), whole);
}

/// A line without the number of its sample.
fn values(line: &str) -> &str {
    line.split_once(',').expect("several columns").1
}

/// Which samples are run beside it, and in which order, does not show in a sample's line.
#[test]
fn samples_shuffled_and_one_at_a_time() {
    let scratch = Scratch::new("sweep-order");
    // One of them fails.
    let samples = ["0.12,1.5", "0.25,0.5", "50,1", "0.2,2", "0.15,0.75", "0.1,1.25", "0.22,0.6"];
    let run = |name: &str, samples: &[&str], code: i32| -> Vec<String> {
        let list = scratch.file(&format!("{name}.samples"), &format!("l1,m1\n{}\n", samples.join("\n")));
        let arguments = ["--from-csv", &list, "--t-end", "0.05", "--reduce", "final,rms"];
        let table = sweep(&scratch, name, &arguments, code);
        table.lines().skip(1).map(|line| values(line).to_owned()).collect()
    };
    let whole = run("whole.csv", &samples, 3);
    let order = [4, 0, 6, 2, 5, 1, 3];
    let shuffled = run("shuffled.csv", &order.map(|index| samples[index]), 3);
    for (line, index) in shuffled.iter().zip(order) {
        assert_eq!(*line, whole[index], "sample {index}, shuffled");
    }
    for (index, sample) in samples.iter().enumerate() {
        let alone = run(&format!("{index}.csv"), &[sample], if index == 2 { 4 } else { 0 });
        assert_eq!(alone, [whole[index].clone()], "sample {index} alone");
    }
}

#[test]
fn shards_make_the_whole() {
    let scratch = Scratch::new("sweep-shards");
    let drawn = [
        "--param",
        "l1=0.1:0.25",
        "--param",
        "m1=0.5:2",
        "--samples",
        "11",
        "--latin-hypercube",
        "--t-end",
        "0.05",
    ];
    let whole = sweep(&scratch, "whole.csv", &drawn, 0);
    for shard in ["1/3", "2/3", "3/3"] {
        sweep(&scratch, &format!("{}.csv", &shard[..1]), &[&drawn[..], &["--shard", shard]].concat(), 0);
    }
    let at = |name: &str| scratch.0.join(name).display().to_string();
    let [merged, one, two, three] = ["merged.csv", "1.csv", "2.csv", "3.csv"].map(at);
    // In any order.
    let output = mbs(&["merge", &merged, &three, &one, &two]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for (ending, name) in [("", "the table"), (".json", "its manifest")] {
        let read = |path: &str| fs::read(scratch.0.join(format!("{path}{ending}"))).expect(name);
        assert!(read("merged.csv") == read("whole.csv"), "{name} differs");
    }
    #[cfg(feature = "parquet")]
    parquet_makes_the_same(&scratch, &drawn);
    #[cfg(not(feature = "parquet"))]
    {
        let output = mbs(&["merge", &at("merged.parquet"), &one, &two, &three]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("built without Parquet"), "{}", stderr(&output));
    }
    let parameter: Vec<f64> =
        column(&whole, "m1").iter().map(|text| text.parse().expect("a number")).collect();
    assert!(parameter.iter().all(|m| (0.5..2.0).contains(m)));

    let refused = |shards: &[&str], expected: &str| {
        let output = mbs(&[&["merge", &at("refused.csv")], shards].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!scratch.0.join("refused.csv").exists() && !scratch.0.join("refused.csv.json").exists());
    };
    refused(&[&one, &three], "samples are missing: 1, 4, 7, 10");
    refused(&[&one, &two, &two, &three], "sample 1 is in");
    sweep(&scratch, "other.csv", &[&drawn[..], &["--shard", "2/3", "--seed", "9"]].concat(), 0);
    refused(&[&one, &at("other.csv"), &three], "`design` differs");
    fs::remove_file(scratch.0.join("3.csv.json")).expect("the manifest goes");
    refused(&[&one, &two, &three], "nothing says what the table was made of");
}

/// Shards in Parquet, and one in CSV among them, make the table `whole.csv` in either format.
#[cfg(feature = "parquet")]
fn parquet_makes_the_same(scratch: &Scratch, drawn: &[&str]) {
    let at = |name: &str| scratch.0.join(name).display().to_string();
    for (name, shard) in [("whole.parquet", "1/1"), ("1.parquet", "1/3"), ("3.parquet", "3/3")] {
        let run = ["sweep", "models/four_bar.yaml", "--output", &at(name), "--shard", shard];
        let output = mbs(&[&run[..], drawn].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let again = mbs(&[&run[..], drawn, &["--resume"]].concat());
        assert!(stdout(&again).contains("of them there already"), "{}", stdout(&again));
    }
    for (merged, whole) in [("from_parquet.csv", "whole.csv"), ("merged.parquet", "whole.parquet")] {
        let output = mbs(&["merge", &at(merged), &at("3.parquet"), &at("2.csv"), &at("1.parquet")]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let read = |name: &str| fs::read(scratch.0.join(name)).expect(name);
        assert!(read(merged) == read(whole), "{merged} differs from {whole}");
    }
}

#[test]
fn a_sample_that_fails_stops_nothing() {
    let scratch = Scratch::new("sweep-failures");
    let arguments = ["--param", "l1=0.2:50:2", "--t-end", "0.01"];
    let table = sweep(&scratch, "some.csv", &arguments, 3);
    assert_eq!(column(&table, "status"), ["ok", "failed"]);
    assert_eq!(column(&table, "phi1")[1], "");
    assert!(table.lines().nth(2).expect("a line").contains("cannot satisfy the constraints"));
    let path = scratch.0.join("all.csv").display().to_string();
    let run =
        ["sweep", "models/four_bar.yaml", "--param", "l1=40:50:2", "--t-end", "0.01", "--output", &path];
    let value = json(&[&run[..], &["--json"]].concat(), 4);
    has_keys(&value, &["model", "output", "samples", "resumed", "failed", "threads", "wall_ms"]);
    assert_eq!((&value["ok"], &value["failed"]), (&false.into(), &2.into()));
}

#[test]
fn samples_from_a_table_and_columns_by_name() {
    let scratch = Scratch::new("sweep-table");
    let samples = scratch.file("samples.csv", "\u{feff}m1, \"l1\"\r\n1.5,0.2\r\n\r\n2.5, 0.25\r\n");
    let table = sweep(
        &scratch,
        "out.csv",
        &[
            "--from-csv",
            &samples,
            "--t-end",
            "0.05",
            "--columns",
            "crank_speed,energy,phi1",
            "--reduce",
            "final,max,min,rms",
        ],
        0,
    );
    let header = table.lines().next().expect("a header");
    assert!(
        header.starts_with("sample,m1 [kg],l1 [m],crank_speed [rad/s],kinetic_energy [J],potential_energy [J],phi1 [rad],max(crank_speed) [rad/s],"),
        "{header}"
    );
    assert_eq!((column(&table, "m1"), column(&table, "l1")), (vec!["1.5", "2.5"], vec!["0.2", "0.25"]));
    for line in 0..2 {
        let at = |name: &str| -> f64 { column(&table, name)[line].parse().expect("a number") };
        let [last, most, least, rms] = ["phi1", "max(phi1)", "min(phi1)", "rms(phi1)"].map(at);
        assert!(least <= last && last <= most && least.abs() <= rms && rms <= most, "{table}");
    }
}

#[test]
fn mistakes_are_named() {
    let scratch = Scratch::new("sweep-mistakes");
    let file = |name: &str, text: &str| scratch.file(name, text);
    let [unknown, letters, short, empty] = [
        file("unknown.csv", "m1,l9\n1,2\n"),
        file("letters.csv", "m1,l1\n1,0.2\n1, much\n"),
        file("short.csv", "m1,l1\n1,0.2\n1\n"),
        file("empty.csv", ""),
    ];
    let output = scratch.0.join("none.csv").display().to_string();
    let cases: &[(&[&str], &str)] = &[
        (&[], "nothing varies"),
        (&["--param", "l9=1:2:3"], "did you mean `l"),
        (&["--param", "l1=1:2:0"], "`0` is not a count"),
        (&["--param", "l1=1:2:-3"], "`-3` is not a count"),
        (&["--param", "l1=1:2:3:4"], "this is not a range"),
        (&["--param", "l1=1:many:3"], "`many` is not a number"),
        (&["--param", "l1=1:inf:3"], "`inf` is not a number"),
        (&["--param", "l1"], "there is no `=`"),
        (&["--param", "l1=1:2"], "`l1` has no count"),
        (&["--param", "l1=1:2:5", "--samples", "6"], "but there are 5 samples"),
        (&["--param", "l1=1:2:5", "--random", "--samples", "6"], "`l1` has a count"),
        (&["--param", "l1=1:2", "--random"], "how many samples"),
        (&["--param", "l1=1:2:4000", "--param", "m1=1:2:4000"], "more than 10000000 samples"),
        (&["--param", "l1=0.1:0.2:2", "--columns", "crank_sped"], "did you mean `crank_speed`?"),
        (&["--param", "l1=0.1:0.2:2", "--shard", "0/3"], "is not a shard"),
        (&["--from-csv", &unknown], "unknown.csv:1:4"),
        (&["--from-csv", &letters], "letters.csv:3:4"),
        (&["--from-csv", &short], "short.csv:3:2"),
        (&["--from-csv", &empty], "is empty"),
        #[cfg(not(feature = "parquet"))]
        (&["--param", "l1=0.1:0.2:2", "--output", "none.parquet"], "built without Parquet"),
    ];
    for (arguments, expected) in cases {
        let output: &[&str] = if arguments.contains(&"--output") { &[] } else { &["--output", &output] };
        let found = mbs(&[&["sweep", "models/four_bar.yaml"], output, arguments].concat());
        assert_eq!(found.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&found).contains(expected), "{arguments:?}: {}", stderr(&found));
        assert!(!scratch.0.join("none.csv.partial").exists(), "{arguments:?}");
    }
}
