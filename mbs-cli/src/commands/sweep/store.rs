//! The files of a sweep: a table that grows line by line, and what it was made of.
//!
//! ```text
//! out.csv.partial        the table so far; each line ends with a checksum of itself
//! out.csv.partial.json   what it is made of
//! out.csv, out.csv.json  the same, without checksums, when all samples are there
//! ```
//!
//! The growing table is locked, so that two sweeps never write to one.

use super::csv::fields;
use super::{fingerprint, format};
use crate::input::{SAMPLES_BYTES, check_regular, whole_text_of};
use crate::output::{self, beside, unwritable};
use crate::report::Failure;
use serde_json::{Map, Value};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What a table was made of: equal manifests, equal bytes.
pub(crate) type Manifest = Map<String, Value>;

/// The manifest of a table.
pub(crate) fn manifest_of(table: &Path) -> Result<Manifest, Failure> {
    let path = beside(table, ".json");
    let refuse = |why: String| {
        let failure = Failure::new("MBS-C042", format!("{why}: nothing says what the table was made of"));
        failure.about(&path)
    };
    let text = whole_text_of(&path, SAMPLES_BYTES)
        .map_err(|error| refuse(format!("cannot read the file: {error}")))?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(manifest)) => Ok(manifest),
        Ok(_) => Err(refuse("this is no JSON object".to_owned())),
        Err(error) => Err(refuse(format!("this is not JSON: {error}"))),
    }
}

/// The first key in which two manifests differ.
pub(crate) fn difference<'m>(a: &'m Manifest, b: &'m Manifest) -> Option<&'m str> {
    let keys = a.keys().chain(b.keys());
    keys.map(String::as_str).find(|key| a.get(*key) != b.get(*key))
}

/// Writes the manifest of a table.
pub(crate) fn write_manifest(manifest: &Manifest, table: &Path) -> Result<(), Failure> {
    let text = format!("{:#}\n", Value::Object(manifest.clone()));
    output::write(text.as_bytes(), &beside(table, ".json"))
}

/// A table that grows.
pub(super) struct Store {
    output: PathBuf,
    partial: PathBuf,
    file: File,
}

/// What is there at the beginning.
pub(super) enum Opened {
    /// A table to go on with.
    Open {
        store: Store,
        /// Lines it holds already.
        done: usize,
        /// Those of samples that failed.
        failed: usize,
    },
    /// The whole table, made of the same.
    Complete {
        /// Samples that failed.
        failed: usize,
    },
}

impl Store {
    /// Begins a table, or goes on with one if `resume`. `samples` are those it will hold.
    pub(super) fn open(
        output: &Path,
        manifest: &Manifest,
        header: &str,
        samples: &[usize],
        resume: bool,
    ) -> Result<Opened, Failure> {
        let partial = beside(output, ".partial");
        let there = partial.exists();
        if there && !resume {
            let failure = Failure::new("MBS-C043", "here is a sweep that was not finished").about(&partial);
            return Err(failure.help("go on with --resume, or remove the file"));
        }
        if !there
            && resume
            && output.exists()
            && let Ok(text) = format::read(output)
            && manifest_of(output).is_ok_and(|known| known == *manifest)
            && let Some(rows) = text.strip_prefix(header)
            && rows.lines().count() == samples.len()
        {
            return Ok(Opened::Complete { failed: rows.lines().filter(|line| has_failed(line)).count() });
        }
        if there {
            check_regular(&partial).map_err(|error| unwritable(&error, &partial))?;
        }
        let file = OpenOptions::new().read(true).write(true).create_new(!there).open(&partial);
        let file = file.map_err(|error| unwritable(&error, &partial))?;
        lock(&file, &partial)?;
        let mut store = Self { output: output.to_owned(), partial, file };
        let (done, failed) = if there { store.resume(manifest, header, samples)? } else { (0, 0) };
        if done == 0 {
            store.begin(manifest, header)?;
        }
        Ok(Opened::Open { store, done, failed })
    }

    /// An empty table and what it will be made of.
    fn begin(&mut self, manifest: &Manifest, header: &str) -> Result<(), Failure> {
        write_manifest(manifest, &self.partial)?;
        let begun = self.file.set_len(0).and_then(|()| self.file.rewind());
        begun.map_err(|error| unwritable(&error, &self.partial))?;
        self.append(header)
    }

    /// Finds the end of the lines that are whole: how many samples they hold, and of those how
    /// many failed.
    fn resume(
        &mut self,
        manifest: &Manifest,
        header: &str,
        samples: &[usize],
    ) -> Result<(usize, usize), Failure> {
        let Self { partial, file, .. } = self;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| unwritable(&error, partial))?;
        if text.is_empty() {
            // It ended before the first line.
            return Ok((0, 0));
        }
        let known = manifest_of(partial)?;
        if let Some(key) = difference(&known, manifest) {
            let message = format!("the interrupted sweep is another one: `{key}` differs");
            let failure = Failure::new("MBS-C043", message).about(partial);
            return Err(failure.help("run it with the same model and options, or remove the file"));
        }
        // A line cut off within a character is cut off all the same.
        let Whole { length, lines, failed } = whole_lines(&String::from_utf8_lossy(&text), header, samples);
        let cut = file.set_len(length as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(|error| unwritable(&error, partial))?;
        Ok((lines, failed))
    }

    /// Appends lines.
    pub(super) fn append(&mut self, lines: &str) -> Result<(), Failure> {
        let checked: String = lines.lines().map(|line| format!("{line},{}\n", checksum(line))).collect();
        self.file.write_all(checked.as_bytes()).map_err(|error| unwritable(&error, &self.partial))
    }

    /// The table is complete and gets its name. While it grows it is CSV whatever it will be, so
    /// that every sweep can be resumed.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let mut checked = String::new();
        let read = self.file.rewind().and_then(|()| self.file.read_to_string(&mut checked));
        read.map_err(|error| unwritable(&error, &self.partial))?;
        let mut table = String::with_capacity(checked.len());
        for line in checked.lines() {
            table += without_checksum(line).unwrap_or(line);
            table.push('\n');
        }
        let Self { output, partial, .. } = self;
        format::write(&table, &output)?;
        let failed = |error: io::Error| unwritable(&error, &output);
        fs::rename(beside(&partial, ".json"), beside(&output, ".json")).map_err(failed)?;
        fs::remove_file(&partial).map_err(failed)
    }
}

/// Keeps other sweeps away from a growing table until it is closed.
fn lock(file: &File, path: &Path) -> Result<(), Failure> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let failure = Failure::new("MBS-C043", "another sweep is writing this table").about(path);
            Err(failure.help("wait until it has ended, or choose another --output"))
        }
        // Some file systems have no locks; then nobody is kept away.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn checksum(line: &str) -> String {
    format!("{:016x}", fingerprint(line.bytes()))
}

/// A line of a growing table, if it is as it was written.
fn without_checksum(line: &str) -> Option<&str> {
    let (line, sum) = line.rsplit_once(',')?;
    (sum == checksum(line)).then_some(line)
}

/// The part of a growing table that is as it should be.
#[derive(Debug, PartialEq, Eq)]
struct Whole {
    /// In bytes.
    length: usize,
    /// Samples it holds.
    lines: usize,
    /// Those that failed.
    failed: usize,
}

/// Finds the lines that are as they were written: the header, then one for each sample in order.
fn whole_lines(text: &str, header: &str, samples: &[usize]) -> Whole {
    let mut whole = Whole { length: 0, lines: 0, failed: 0 };
    let mut lines = text.split_inclusive('\n');
    let is_header =
        |line: &&str| line.ends_with('\n') && without_checksum(line.trim_end()) == Some(header.trim_end());
    let Some(first) = lines.next().filter(is_header) else { return whole };
    whole.length = first.len();
    for (line, sample) in lines.zip(samples) {
        let checked = line.strip_suffix('\n').and_then(without_checksum);
        let Some(checked) = checked.filter(|line| line.starts_with(&format!("{sample},"))) else { break };
        whole.length += line.len();
        whole.lines += 1;
        whole.failed += usize::from(has_failed(checked));
    }
    whole
}

/// Whether the line is of a sample that failed: the last field but one says so.
fn has_failed(line: &str) -> bool {
    let fields = fields(line);
    fields.len() > 1 && fields[fields.len() - 2].text == "failed"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_only_whole_and_in_order() {
        let header = "sample,a,steps,status,message\n";
        let samples = [1, 3, 5];
        let checked = |text: &str| -> String {
            text.split_inclusive('\n')
                .map(|line| match line.strip_suffix('\n') {
                    Some(whole) => format!("{whole},{}\n", checksum(whole)),
                    None => line.to_owned(),
                })
                .collect()
        };
        let check = |rows: &str, lines: usize, failed: usize| {
            let text = checked(&format!("{header}{rows}"));
            let whole = whole_lines(&text, header, &samples);
            assert_eq!((whole.lines, whole.failed), (lines, failed), "{rows}");
            assert_eq!(text[..whole.length].lines().count(), 1 + lines);
        };
        check("1,0.5,7,ok,\n3,0.5,,failed,\"a, b\"\n", 2, 1);
        check("1,0.5,7,ok,\n3,0.5,8,o", 1, 0);
        check("3,0.5,7,ok,\n", 0, 0);
        check("1,0,7,ok,\n3,0,7,ok,\n5,0,7,ok,\n7,0,7,ok,\n", 3, 0);
        assert_eq!(whole_lines(&checked("sample,b\n"), header, &samples).length, 0);
        // A digit that was changed on the disk.
        let text = checked(&format!("{header}1,0.5,7,ok,\n3,0.5,8,ok,\n")).replace("3,0.5,8", "3,0.6,8");
        assert_eq!(whole_lines(&text, header, &samples).lines, 1);
    }
}
