//! `mbs merge`: the tables of a sweep that was run in shards, put together.

use super::sweep::MAX_SAMPLES;
use super::sweep::csv::fields;
use super::sweep::format;
use super::sweep::store::{Manifest, difference, manifest_of, write_manifest};
use crate::arguments::MergeOptions;
use crate::output::{self, beside};
use crate::report::{self, Failure};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// So many missing samples are named.
const MAX_NAMED: usize = 10;

/// The tables so far.
struct Whole {
    manifest: Manifest,
    header: String,
    /// By sample: the line, and the shard it comes from.
    lines: Vec<Option<(String, usize)>>,
}

fn refuse(message: String, path: &Path) -> Failure {
    Failure::new("MBS-C045", message).about(path)
}

pub(crate) fn run(options: &MergeOptions) -> Result<(), Failure> {
    format::check(&options.output)?;
    let inputs: Vec<PathBuf> =
        options.shards.iter().flat_map(|shard| [shard.clone(), beside(shard, ".json")]).collect();
    output::check([options.output.as_path(), &beside(&options.output, ".json")], &inputs)?;
    let mut whole: Option<Whole> = None;
    for (index, path) in options.shards.iter().enumerate() {
        let mut manifest = manifest_of(path)?;
        manifest.insert("shard".to_owned(), Value::Null);
        let text = format::read(path)?;
        let (header, rows) = text.split_once('\n').unwrap_or((&text, ""));
        let whole = match &mut whole {
            Some(whole) => whole,
            None => whole.insert(Whole::new(manifest.clone(), header, path)?),
        };
        let first = &options.shards[0];
        if let Some(key) = difference(&whole.manifest, &manifest) {
            let message =
                format!("this is not a shard of the same sweep as {}: `{key}` differs", first.display());
            return Err(refuse(message, path));
        }
        if whole.header != header {
            return Err(refuse(format!("the columns are not those of {}", first.display()), path));
        }
        whole.add(rows, index, options)?;
    }
    let Some(whole) = whole else { return Err(Failure::new("MBS-C045", "there is nothing to merge")) };
    let samples = whole.lines.len();
    let table = whole.table(options)?;
    write_manifest(&whole.manifest, &options.output)?;
    format::write(&table, &options.output)?;
    if options.json {
        let mut object = Map::new();
        object.insert("ok".to_owned(), json!(true));
        object.insert("output".to_owned(), json!(options.output.display().to_string()));
        object.insert("samples".to_owned(), json!(samples));
        object.insert("shards".to_owned(), json!(options.shards.len()));
        return report::print_json(object);
    }
    report::print(&format!("{samples} samples of {} tables\n", options.shards.len()))
}

impl Whole {
    fn new(manifest: Manifest, header: &str, path: &Path) -> Result<Self, Failure> {
        let samples = manifest.get("samples").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let samples = samples.filter(|&samples| samples as u64 <= MAX_SAMPLES);
        let samples =
            samples.ok_or_else(|| refuse("its .json has no sensible number `samples`".to_owned(), path))?;
        let lines = vec![None; samples];
        Ok(Self { manifest, header: header.to_owned(), lines })
    }

    /// Takes the lines of one shard.
    fn add(&mut self, rows: &str, shard: usize, options: &MergeOptions) -> Result<(), Failure> {
        let path = &options.shards[shard];
        let columns = fields(&self.header).len();
        for (index, line) in rows.lines().enumerate() {
            let fields = fields(line);
            let place = Some((index + 2, 1));
            if fields.len() != columns {
                let message = format!("{} values for {columns} columns", fields.len());
                return Err(refuse(message, path).at(place));
            }
            let sample = fields[0].text.parse::<usize>().ok().filter(|&sample| sample < self.lines.len());
            let Some(sample) = sample else {
                let message = format!("there is no sample `{}` in this sweep", fields[0].text);
                return Err(refuse(message, path).at(place));
            };
            if let Some((_, other)) = &self.lines[sample] {
                let other = options.shards[*other].display();
                return Err(refuse(format!("sample {sample} is in {other} already"), path).at(place));
            }
            self.lines[sample] = Some((line.to_owned(), shard));
        }
        Ok(())
    }

    /// The table, if nothing is missing.
    fn table(&self, options: &MergeOptions) -> Result<String, Failure> {
        let all = self.lines.iter().enumerate();
        let missing: Vec<usize> = all.filter(|(_, line)| line.is_none()).map(|(sample, _)| sample).collect();
        if !missing.is_empty() {
            let mut named: Vec<String> = missing.iter().take(MAX_NAMED).map(usize::to_string).collect();
            if missing.len() > MAX_NAMED {
                named.push(format!("and {} more", missing.len() - MAX_NAMED));
            }
            let message = format!("samples are missing: {}", named.join(", "));
            let failure = Failure::new("MBS-C045", message).about(&options.output);
            return Err(failure.help("name the tables of all shards"));
        }
        let lines = self.lines.iter().flatten().map(|(line, _)| line.as_str());
        let mut text = String::new();
        for line in [self.header.as_str()].into_iter().chain(lines) {
            text += line;
            text.push('\n');
        }
        Ok(text)
    }
}
