//! The files of a sweep: a table that grows line by line, and what it was made of.
//!
//! ```text
//! out.csv.partial        the table so far; every line is whole or the last
//! out.csv.partial.json   what it is made of
//! out.csv, out.csv.json  the same when all samples are there
//! ```

use super::csv::fields;
use super::format;
use crate::report::{self, Failure};
use serde_json::{Map, Value};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a table was made of: equal manifests, equal bytes.
pub(crate) type Manifest = Map<String, Value>;

/// `out.csv` → `out.csv.json`
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The manifest of a table.
pub(crate) fn manifest_of(table: &Path) -> Result<Manifest, Failure> {
    let path = beside(table, ".json");
    let refuse = |why: String| {
        let failure = Failure::new("MBS-C042", format!("{why}: nothing says what the table was made of"));
        failure.about(&path)
    };
    let text = fs::read_to_string(&path).map_err(|error| refuse(format!("cannot read the file: {error}")))?;
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
    report::deliver(&text, Some(&beside(table, ".json")))
}

fn unwritable(error: &std::io::Error, path: &Path) -> Failure {
    Failure::new("MBS-C002", format!("cannot write the file: {error}")).about(path)
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
        if there {
            return Self::resume(output, partial, manifest, header, samples);
        }
        if resume
            && output.exists()
            && let Ok(text) = format::read(output)
            && manifest_of(output).is_ok_and(|known| known == *manifest)
        {
            let (length, lines) = whole_lines(&text, header, samples);
            if length == text.len() && lines == samples.len() {
                return Ok(Opened::Complete { failed: failures(&text) });
            }
        }
        write_manifest(manifest, &partial)?;
        let mut file = File::create(&partial).map_err(|error| unwritable(&error, &partial))?;
        file.write_all(header.as_bytes()).map_err(|error| unwritable(&error, &partial))?;
        let store = Self { output: output.to_owned(), partial, file };
        Ok(Opened::Open { store, done: 0, failed: 0 })
    }

    fn resume(
        output: &Path,
        partial: PathBuf,
        manifest: &Manifest,
        header: &str,
        samples: &[usize],
    ) -> Result<Opened, Failure> {
        let known = manifest_of(&partial)?;
        if let Some(key) = difference(&known, manifest) {
            let message = format!("the interrupted sweep is another one: `{key}` differs");
            let failure = Failure::new("MBS-C043", message).about(&partial);
            return Err(failure.help("run it with the same model and options, or remove the file"));
        }
        let text = fs::read(&partial).map_err(|error| unwritable(&error, &partial))?;
        // A line cut off within a character is cut off all the same.
        let text = String::from_utf8_lossy(&text);
        let (length, done) = whole_lines(&text, header, samples);
        let failed = failures(&text[..length]);
        let open = || -> std::io::Result<File> {
            let mut file = OpenOptions::new().write(true).open(&partial)?;
            file.set_len(length as u64)?;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
            if length == 0 {
                file.write_all(header.as_bytes())?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| unwritable(&error, &partial))?;
        let store = Self { output: output.to_owned(), partial, file };
        Ok(Opened::Open { store, done, failed })
    }

    /// Appends lines.
    pub(super) fn append(&mut self, lines: &str) -> Result<(), Failure> {
        self.file.write_all(lines.as_bytes()).map_err(|error| unwritable(&error, &self.partial))
    }

    /// The table is complete and takes its name. While it grows it is CSV whatever it will be,
    /// so that every sweep can be resumed.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Self { output, partial, file } = self;
        let failed = |error: std::io::Error| unwritable(&error, &output);
        file.sync_all().map_err(failed)?;
        drop(file);
        if format::is_parquet(&output) {
            format::write(&fs::read_to_string(&partial).map_err(failed)?, &output)?;
            fs::remove_file(&partial).map_err(failed)?;
        } else {
            fs::rename(&partial, &output).map_err(failed)?;
        }
        fs::rename(beside(&partial, ".json"), beside(&output, ".json")).map_err(failed)
    }
}

/// Length and number of the lines that are as they should be: the header, then one for each
/// sample in order.
fn whole_lines(text: &str, header: &str, samples: &[usize]) -> (usize, usize) {
    if !text.starts_with(header) {
        return (0, 0);
    }
    let (mut length, mut lines) = (header.len(), 0);
    let columns = fields(header.trim_end()).len();
    for line in text[length..].split_inclusive('\n') {
        let begins = samples.get(lines).map(|sample| format!("{sample},"));
        let right = begins.is_some_and(|begin| line.starts_with(&begin));
        if !right || !line.ends_with('\n') || fields(line.trim_end_matches('\n')).len() != columns {
            break;
        }
        length += line.len();
        lines += 1;
    }
    (length, lines)
}

/// Lines of samples that failed: the last field but one says so.
fn failures(text: &str) -> usize {
    let failed = |line: &&str| {
        let fields = fields(line);
        fields.len() > 1 && fields[fields.len() - 2].text == "failed"
    };
    text.lines().filter(failed).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_only_whole_and_in_order() {
        let header = "sample,a,steps,status,message\n";
        let samples = [1, 3, 5];
        let check = |rows: &str, expected: usize| {
            let text = format!("{header}{rows}");
            let (length, lines) = whole_lines(&text, header, &samples);
            assert_eq!(lines, expected, "{rows}");
            assert_eq!(text[..length].lines().count(), 1 + expected);
        };
        check("1,0.5,7,ok,\n3,0.5,,failed,\"a, b\"\n", 2);
        check("1,0.5,7,ok,\n3,0.5,8,o", 1);
        check("1,0.5,7,ok,\n3,0.5\n", 1);
        check("3,0.5,7,ok,\n", 0);
        check("1,0,7,ok,\n3,0,7,ok,\n5,0,7,ok,\n7,0,7,ok,\n", 3);
        assert_eq!(whole_lines("sample,b\n", header, &samples), (0, 0));
        assert_eq!(failures("1,0.5,,failed,\"a, b\"\n1,0.5,7,ok,\n"), 1);
    }
}
