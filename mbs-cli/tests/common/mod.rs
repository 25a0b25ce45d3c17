//! Running the command, and files for it to work on.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod server;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// Runs `mbs` in the root of the workspace, so that messages name files as a user would.
pub(crate) fn mbs(arguments: &[&str]) -> Output {
    command(arguments).output().expect("mbs starts")
}

/// Starts `mbs` as above and leaves it running, in silence.
pub(crate) fn start(arguments: &[&str]) -> Child {
    command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("mbs starts")
}

fn command(arguments: &[&str]) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbs"));
    command.args(arguments).current_dir(root).env("NO_COLOR", "1");
    command
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are UTF-8")
}

/// Runs a command that must succeed without a warning.
pub(crate) fn succeed(arguments: &[&str]) -> String {
    let output = mbs(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    stdout(&output)
}

/// Runs a command that must print one JSON object.
pub(crate) fn json(arguments: &[&str], code: i32) -> Value {
    let output = mbs(arguments);
    assert_eq!(output.status.code(), Some(code), "{}{}", stdout(&output), stderr(&output));
    let value: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!(value["schema_version"], 1);
    value
}

/// Every key of a section of the design must be there.
pub(crate) fn has_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "no key `{key}` in {value:#}");
    }
}

/// A file in a directory of its own that goes away with it.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mbs-command-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a scratch directory");
        Self(path)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a scratch file");
        path.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover in the temporary directory is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a command that must fail; what it says.
pub(crate) fn fail(arguments: &[&str]) -> String {
    let output = mbs(arguments);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    stderr(&output)
}

/// A line of a table as it stands in the growing table of a sweep: with its checksum, FNV-1a.
pub(crate) fn checked(line: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{line},{:016x}\n", line.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// A table of a run as numbers.
pub(crate) struct Table {
    /// Without their units: `phi [rad]` is `phi` here.
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Vec<f64>>,
}

impl Table {
    pub(crate) fn read(path: &str) -> Self {
        let text = std::fs::read_to_string(path).expect("the table");
        let mut lines = text.lines();
        let name = |field: &str| field.split(" [").next().unwrap_or(field).to_owned();
        let names = lines.next().expect("a header").split(',').map(name).collect();
        let number = |text: &str| text.parse().expect("a number");
        Self { names, rows: lines.map(|line| line.split(',').map(number).collect()).collect() }
    }

    pub(crate) fn at(&self, row: &[f64], name: &str) -> f64 {
        row[self.names.iter().position(|known| known == name).expect(name)]
    }
}
