//! What commands write, and what they may not: their own inputs, half files, what is behind links.
#![cfg(unix)]

mod common;

use common::{Scratch, checked, fail, json, mbs, stderr, stdout};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

const PART: &str = "joints: {hinge: {type: revolute, from: ground, to: arm, axis: y, coordinate: phi}}\n";
const MODEL: &str = "model: swing\ninclude: part.yaml\n\
    tables: {road: {file: road.csv, x: s, y: h}}\n\
    bodies: {arm: {mass: 1, com: [0.3, 0, 0], inertia: {yy: 1}}}\n\
    outputs: {height: \"linear(road, phi)\"}\nsimulation: {t_end: 0.1}\n";
const ROAD: &str = "s,h\n0,0\n1,2\n";

/// A model of three files.
fn model(scratch: &Scratch) -> [String; 3] {
    let part = scratch.file("part.yaml", PART);
    let road = scratch.file("road.csv", ROAD);
    [scratch.file("swing.yaml", MODEL), part, road]
}

#[test]
fn no_output_replaces_an_input() {
    let scratch = Scratch::new("files-inputs");
    let [model, part, road] = model(&scratch);
    let link = scratch.0.join("link.html").display().to_string();
    symlink(&model, &link).expect("a link");
    let samples = scratch.file("samples.csv", "positions.phi\n0.1\n0.2\n");
    let robot = scratch.file(
        "robot.urdf",
        "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" \
         iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent \
         link=\"base\"/><child link=\"arm\"/></joint></robot>\n",
    );
    let inputs = [&model, &part, &road, &samples, &robot];
    let before = inputs.map(|file| fs::read_to_string(file).expect("an input"));
    for arguments in [
        vec!["simulate", &model, "--csv", &road],
        vec!["simulate", &model, "--report", &part],
        vec!["simulate", &model, "--report", &link],
        vec!["simulate", &model, "--gltf", &model],
        vec!["simulate", &model, "--csv", "/dev/null", "--gltf", &road],
        vec!["equations", &model, "--out", &part],
        vec!["generate", &model, "--out", &model],
        vec!["graph", &model, "--out", &road],
        vec!["sweep", &model, "--from-csv", &samples, "--output", &samples],
        vec!["sweep", &model, "--from-csv", &samples, "--output", &road],
        vec!["import", &robot, "--out", &robot],
    ] {
        let said = fail(&arguments);
        assert!(said.contains("MBS-C013") && said.contains("this would replace"), "{arguments:?}\n{said}");
        let after = inputs.map(|file| fs::read_to_string(file).expect("an input"));
        assert_eq!(before, after, "{arguments:?}");
    }
    let csv = scratch.0.join("both").display().to_string();
    let said = fail(&["simulate", &model, "--csv", &csv, "--report", &csv]);
    assert!(said.contains("are one file"), "{said}");
    assert!(!scratch.0.join("both").exists());
    // Also by a link to what is not there yet.
    let link = scratch.0.join("leads to both").display().to_string();
    symlink("both", &link).expect("a link");
    let said = fail(&["simulate", &model, "--csv", &link, "--report", &csv]);
    assert!(said.contains("are one file"), "{said}");
    assert!(!scratch.0.join("both").exists());
}

#[test]
fn merge_replaces_no_shard() {
    let scratch = Scratch::new("files-merge");
    let name = |name: &str| scratch.0.join(name).display().to_string();
    let shards = ["one.csv", "two.csv"].map(name);
    for (index, shard) in shards.iter().enumerate() {
        let part = format!("{}/2", index + 1);
        let run = ["sweep", "models/pendulum.yaml", "--param", "positions.theta=0:1:4", "--t-end", "0.01"];
        let output = mbs(&[&run[..], &["--shard", &part, "--output", shard]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let before = fs::read_to_string(&shards[0]).expect("a shard");
    let said = fail(&["merge", &shards[0], &shards[0], &shards[1]]);
    assert!(said.contains("MBS-C013"), "{said}");
    assert_eq!(fs::read_to_string(&shards[0]).expect("a shard"), before);
    let whole = name("whole.csv");
    assert_eq!(mbs(&["merge", &whole, &shards[0], &shards[1]]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(whole).expect("the table").lines().count(), 5);
}

/// That a file cannot be written is found out before the run, not after it.
#[test]
fn outputs_are_tried_before_the_run() {
    let scratch = Scratch::new("files-tried");
    let nowhere = scratch.0.join("nowhere/run.csv").display().to_string();
    let table = scratch.0.join("run.csv").display().to_string();
    // The run itself would fail, and be the first to say so.
    let impossible = ["simulate", "models/pendulum.yaml", "--rtol", "1e-300", "--csv"];
    let said = fail(&[&impossible[..], &[&nowhere]].concat());
    assert!(said.contains("MBS-C002") && said.contains("nowhere"), "{said}");
    let directory = scratch.0.display().to_string();
    let said = fail(&[&impossible[..], &[&table, "--report", &directory]].concat());
    assert!(said.contains("MBS-C002"), "{said}");
    let said = fail(&[&impossible[..], &[&table, "--plot", "run.gif"]].concat());
    assert!(said.contains("MBS-C060"), "{said}");
    assert_eq!(fs::read_dir(&scratch.0).expect("the directory").count(), 0, "nothing is left behind");
}

#[test]
fn outputs_keep_links_names_and_modes() {
    let scratch = Scratch::new("files-links");
    let name = |name: &str| scratch.0.join(name).display().to_string();
    let written = |out: &str| {
        let output = mbs(&["schema", "--out", out]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    };
    let schema = stdout(&mbs(&["schema"]));

    let file = scratch.file("plain.json", "old");
    fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("a mode");
    let link = name("link.json");
    symlink(&file, &link).expect("a link");
    written(&link);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::read_to_string(&file).expect("the file"), schema);
    assert_eq!(fs::metadata(&file).expect("the file").mode() & 0o777, 0o640);

    let [first, second] = [scratch.file("first.json", "old"), name("second.json")];
    fs::hard_link(&first, &second).expect("a second name");
    written(&second);
    assert_eq!(fs::read_to_string(&first).expect("the file"), schema);
    assert_eq!(fs::metadata(&first).expect("the file").nlink(), 2);

    let dangling = name("dangling.json");
    symlink(name("made.json"), &dangling).expect("a link");
    written(&dangling);
    assert_eq!(fs::read_to_string(name("made.json")).expect("the file"), schema);

    written("/dev/null");
    let to_standard_output = mbs(&["schema", "--out", "/dev/stdout"]);
    assert_eq!(stdout(&to_standard_output), schema);

    let pipe = name("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader =
        Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().expect("a reader");
    written(&pipe);
    let read = reader.wait_with_output().expect("the reader ends").stdout;
    assert_eq!(String::from_utf8(read).expect("text"), schema);
    let kept: Vec<String> = fs::read_dir(&scratch.0)
        .expect("the directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .filter(|name| name.ends_with(".tmp"))
        .collect();
    assert_eq!(kept, [""; 0], "nothing is left behind");
}

#[test]
fn fmt_keeps_links_and_touches_only_models() {
    let scratch = Scratch::new("files-fmt");
    let uneven = "model:   x\nbodies: {a:   {mass: 1}}\n";
    let even = "model: x\nbodies: {a: {mass: 1}}\n";
    let file = scratch.file("x.yaml", uneven);
    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a mode");
    let [link, second] = ["link.yaml", "second.yaml"].map(|name| scratch.0.join(name).display().to_string());
    symlink(&file, &link).expect("a link");
    fs::hard_link(&file, &second).expect("a second name");
    assert_eq!(mbs(&["fmt", &link]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&second).expect("the file"), even);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    let metadata = fs::metadata(&file).expect("the file");
    assert_eq!((metadata.nlink(), metadata.mode() & 0o777), (2, 0o600));

    for (text, expected) in [
        ("services:   {web:   {image: nginx}}\n", "MBS-S001"),
        ("- a\n-   b\n", "MBS-Y003"),
        ("just   words\n", "MBS-Y003"),
    ] {
        let other = scratch.file("other.yaml", text);
        let said = fail(&["fmt", &other]);
        assert!(said.contains(expected), "{said}");
        assert_eq!(fs::read_to_string(&other).expect("the file"), text);
    }
}

/// What is no part of a model is not shown, whoever names it.
#[test]
fn files_of_others_are_not_quoted() {
    let scratch = Scratch::new("files-secret");
    scratch.file("secret", "root:hunter2:19000:0:99999:7:::\nada:swordfish:1:0:9:7:::\n");
    scratch.file("keys", "token: hunter2\nother: swordfish\n");
    scratch.file("numbers.csv", "a,b\n0,1\n1,hunter2\n2,swordfish,3\n");
    let check = |text: &str| {
        let file = scratch.file("m.yaml", &format!("model: m\nbodies: {{a: {{mass: 1}}}}\n{text}\n"));
        let joint = "joints: {j: {type: free, from: ground, to: a}}\n";
        fs::write(&file, fs::read_to_string(&file).expect("the model") + joint).expect("the model");
        fail(&["check", &file])
    };
    for (text, code) in [
        ("include: secret", "MBS-Y004"),
        ("include: keys", "MBS-Y004"),
        ("tables: {t: {file: secret, x: a, y: b}}", "MBS-P024"),
    ] {
        let said = check(text);
        assert!(said.contains(code), "{said}");
        assert!(!said.contains("hunter2") && !said.contains("swordfish"), "{said}");
    }
    // Nor is the first line of what is no table.
    scratch.file("environment", "TOKEN=hunter2\0A=b,c\0PASSWORD=swordfish\nx,y\n");
    let said = check("tables: {tab: {file: environment, x: a, y: b}}");
    assert!(said.contains("MBS-P024") && !said.contains("hunter2") && !said.contains("swordfish"), "{said}");
    let said = check("tables: {tab: {file: numbers.csv, x: s, y: b}}");
    assert!(said.contains("its columns are a, b"), "{said}");
    // Of a table the offending cell is shown, at its place.
    let said = check("tables: {t: {file: numbers.csv, x: a, y: b}}");
    assert!(said.contains("numbers.csv:3:3") && said.contains("hunter2"), "{said}");
    assert!(!said.contains("swordfish"), "{said}");
    // A slip in a part of a model is shown as everywhere.
    scratch.file("part.yaml", "paramters: {l: 1}\n");
    let said = check("include: part.yaml");
    assert!(said.contains("did you mean `parameters`?") && said.contains("paramters: {l: 1}"), "{said}");
}

#[test]
fn inputs_are_regular_files() {
    let scratch = Scratch::new("files-regular");
    let pipe = scratch.0.join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for input in [pipe.as_str(), "/dev/zero"] {
        for arguments in [
            vec!["check", input],
            vec!["fmt", input],
            vec!["import", input],
            vec!["eval", "models/pendulum.yaml", "--state", input],
            vec!["sweep", "models/pendulum.yaml", "--from-csv", input],
        ] {
            let said = fail(&arguments);
            assert!(said.contains("this is no regular file"), "{arguments:?}\n{said}");
        }
        let include =
            scratch.file("m.yaml", &format!("model: m\ninclude: {input}\nbodies: {{a: {{mass: 1}}}}\n"));
        let said = fail(&["check", &include]);
        assert!(said.contains("this is no regular file"), "{said}");
    }
}

/// Two sweeps never write to one table, and what the disk changed is done again.
#[test]
fn a_growing_table_is_locked_and_checked() {
    let scratch = Scratch::new("files-lock");
    let name = scratch.0.join("s.csv").display().to_string();
    let run =
        ["sweep", "models/pendulum.yaml", "--param", "positions.theta=0:1:3", "--t-end", "0.01", "--output"];
    let run = [&run[..], &[&name]].concat();
    assert_eq!(mbs(&run).status.code(), Some(0));
    let whole = fs::read_to_string(&name).expect("the table");
    let partial = format!("{name}.partial");
    let lines: Vec<String> = whole.lines().map(checked).collect();
    let changed = lines[2].replace("1,0.5", "1,0.6");
    assert_ne!(changed, lines[2]);
    fs::write(&partial, [&lines[0], &lines[1], &changed].map(String::as_str).concat()).expect("a table");
    fs::rename(format!("{name}.json"), format!("{partial}.json")).expect("the manifest");
    let held = fs::File::open(&partial).expect("the table");
    held.lock().expect("a lock");
    let said = fail(&[&run[..], &["--resume"]].concat());
    assert!(said.contains("another sweep is writing this table"), "{said}");
    drop(held);
    let value = json(&[&run[..], &["--resume", "--json"]].concat(), 0);
    assert_eq!(value["resumed"], 1, "the changed line and what follows are done again");
    assert_eq!(fs::read_to_string(&name).expect("the table"), whole);
}

/// Who cannot write where JSON is read says so where people read.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told() {
    for (arguments, also) in [
        (["check", "models/pendulum.yaml", "--json"], None),
        (["simulate", "models/pendulum.yaml", "--json"], None),
        (["check", "models/nothing.yaml", "--json"], Some("MBS-C001")),
        (["equations", "models/pendulum.yaml", "--format=text"], None),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbs"));
        let output = command
            .args(arguments)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .stdout(full)
            .output()
            .expect("mbs starts");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("MBS-C003") && said.contains("No space left"), "{said}");
        assert!(also.is_none_or(|code| said.contains(code)), "what failed itself is told, too: {said}");
        assert_eq!(said.matches("MBS-C003").count(), 1, "{said}");
    }
}

/// Letters that act on a terminal or turn the direction of reading are written out, whoever put them
/// into a text.
#[test]
fn letters_that_act_are_written_out() {
    let acts = |letter: char| {
        (letter.is_control() && letter != '\n' && letter != '\t')
            || matches!(letter, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let scratch = Scratch::new("files-letters");
    let evil = "\\u202E\\e[31m\\x9b\\u2066\\u200F\\u2028";
    let good = scratch.file(
        "good.yaml",
        &format!(
            "model: good\ndescription: \"so {evil} it is\"\nparameters: {{m: {{value: 1, unit: kg, doc: \"mass {evil}\"}}}}\n\
             bodies: {{arm: {{mass: m, inertia: {{yy: 1}}}}}}\njoints: {{j: {{type: revolute, from: ground, to: arm, axis: y, \
             coordinate: phi}}}}\n"
        ),
    );
    let name = |name: &str| scratch.0.join(name).display().to_string();
    let bad = scratch.file(
        "bad.yaml",
        &format!("model: \"x{evil}\"\nbodies: {{\"a{evil}\": {{mass: 1}}}}\ninclude: \"{evil}\"\n"),
    );
    let raw = scratch
        .file("raw.yaml", "model: x\nbodies: {a: {mass: '\u{202e}\u{9b}\u{200f}'}} # \u{2066}\u{7f}\n");
    let robot =
        scratch.file("r.urdf", "<robot name=\"r\u{202e}\"><link name=\"ba\u{202e}\u{9b}se\"/></robot>");
    let (missing, table) = (name("\u{1b}[31m\u{202e}.yaml"), name("\u{1b}[31m\u{202e}.csv"));
    let mut written = 0;
    for arguments in [
        vec!["check", &good],
        vec!["check", &good, "--json"],
        vec!["equations", &good],
        vec!["equations", &good, "--format", "latex"],
        vec!["equations", &good, "--format", "html"],
        vec!["generate", &good],
        vec!["graph", &good],
        vec!["simulate", &good, "--set", "\u{1b}[31m=1"],
        vec!["simulate", &good, "--method", "\u{202e}\u{9b}"],
        vec!["sweep", &good, "--param", "m=1:2:2", "--t-end", "0.01", "--output", &table],
        vec!["check", &bad],
        vec!["check", &bad, "--json"],
        vec!["check", &raw],
        vec!["check", &missing],
        vec!["check", &missing, "--json"],
        vec!["check", &robot],
        vec!["import", &robot],
        vec!["explain-code", "\u{1b}[31m"],
    ] {
        let output = mbs(&arguments);
        for text in [stdout(&output), stderr(&output)] {
            assert!(!text.contains(acts), "{arguments:?}: {text:?}");
            written += usize::from(text.contains("\\u{202e}") || text.contains("\\u202e"));
        }
    }
    assert!(written >= 10, "{written}");
    // Generated code compiles: rustc refuses such letters in comments.
    assert!(stdout(&mbs(&["generate", &good])).contains("/// mass \\u{202e}\\u{1b}[31m"));
}
