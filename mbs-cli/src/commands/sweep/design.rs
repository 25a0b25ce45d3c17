//! Which values the samples have.

use super::csv::fields;
use crate::arguments::SweepOptions;
use crate::commands::simulate::Target;
use crate::input::{SAMPLES_BYTES, whole_text_of};
use crate::random::{permutation, uniform};
use crate::report::Failure;
use mbs_symbolic::model::Model;
use serde_json::{Value, json};
use std::path::Path;

/// More samples than this are taken for a slip.
pub(crate) const MOST_SAMPLES: u64 = 10_000_000;

/// The names that vary, and their values in every sample.
#[derive(Debug)]
pub(super) struct Design {
    pub(super) names: Vec<String>,
    pub(super) samples: usize,
    plan: Plan,
}

#[derive(Debug)]
enum Plan {
    /// Full factorial; the last range varies fastest.
    Grid(Vec<Range>),
    Random {
        ranges: Vec<Range>,
        seed: u64,
    },
    /// Each range in as many parts as there are samples, in an order of its own.
    LatinHypercube {
        ranges: Vec<Range>,
        seed: u64,
        orders: Vec<Vec<u32>>,
    },
    /// Sample after sample.
    Listed(Vec<f64>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Range {
    from: f64,
    to: f64,
    /// Points of a grid.
    count: Option<u64>,
}

impl Range {
    fn between(self, part: f64) -> f64 {
        // Exact at both ends, and never outside.
        self.from * (1.0 - part) + self.to * part
    }

    fn grid(self, index: u64) -> f64 {
        let last = self.count.unwrap_or(1).saturating_sub(1);
        if last == 0 { self.from } else { self.between(index as f64 / last as f64) }
    }
}

fn wrong(message: String) -> Failure {
    Failure::new("MBS-C040", message)
}

const RANGE_HELP: &str = "write NAME=FROM:TO:COUNT, or NAME=FROM:TO with --samples and --random or \
                          --latin-hypercube";

impl Design {
    /// As the options say. Every value is one the model allows, and initial values that vary
    /// are held when loops are closed.
    pub(super) fn new(options: &SweepOptions, model: &mut Model) -> Result<Self, Failure> {
        let path = &options.variant.model;
        let design = match &options.from_csv {
            Some(file) => {
                let text = whole_text_of(file, SAMPLES_BYTES).map_err(|error| {
                    wrong(format!("cannot read the table of samples: {error}")).about(file)
                })?;
                listed(&text, file, model)?
            }
            None => ranges(options, model)?,
        };
        if let Some(asked) = options.samples.filter(|&asked| asked != design.samples as u64) {
            let failure = wrong(format!("--samples {asked}, but there are {} samples", design.samples));
            return Err(failure.help("leave --samples out, or draw with --random or --latin-hypercube"));
        }
        for name in &design.names {
            let target = Target::find(model, name, path)?;
            if matches!(target, Target::Position(_) | Target::Velocity(_)) {
                // Any number will do: each run puts its own there.
                target.set(model, 0.0);
            }
        }
        Ok(design)
    }

    /// The values of one sample, in the order of the names.
    pub(super) fn values(&self, sample: usize) -> Vec<f64> {
        let n = self.names.len();
        match &self.plan {
            Plan::Listed(values) => values[sample * n..(sample + 1) * n].to_vec(),
            Plan::Grid(ranges) => {
                let mut values = vec![0.0; n];
                let mut rest = sample as u64;
                for (value, range) in values.iter_mut().zip(ranges).rev() {
                    let count = range.count.unwrap_or(1);
                    *value = range.grid(rest % count);
                    rest /= count;
                }
                values
            }
            Plan::Random { ranges, seed } => {
                let draw =
                    |(d, range): (usize, &Range)| range.between(uniform(*seed, sample as u64, d as u64));
                ranges.iter().enumerate().map(draw).collect()
            }
            Plan::LatinHypercube { ranges, seed, orders } => {
                let draw = |(d, range): (usize, &Range)| {
                    let within = uniform(*seed, sample as u64, d as u64);
                    range.between((f64::from(orders[d][sample]) + within) / self.samples as f64)
                };
                ranges.iter().enumerate().map(draw).collect()
            }
        }
    }

    /// Everything the values follow from.
    pub(super) fn describe(&self) -> Value {
        let listed = |ranges: &[Range]| -> Value {
            let range = |(name, range): (&String, &Range)| json!({"name": name, "from": range.from, "to": range.to, "count": range.count});
            self.names.iter().zip(ranges).map(range).collect()
        };
        match &self.plan {
            Plan::Grid(ranges) => json!({"kind": "grid", "ranges": listed(ranges)}),
            Plan::Random { ranges, seed } => {
                json!({"kind": "random", "seed": seed, "ranges": listed(ranges)})
            }
            Plan::LatinHypercube { ranges, seed, .. } => {
                json!({"kind": "latin-hypercube", "seed": seed, "ranges": listed(ranges)})
            }
            Plan::Listed(values) => {
                let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
                let hash = format!("{:016x}", super::fingerprint(bytes));
                json!({"kind": "listed", "names": self.names, "values": hash})
            }
        }
    }
}

fn ranges(options: &SweepOptions, model: &Model) -> Result<Design, Failure> {
    let path = &options.variant.model;
    let mut names: Vec<String> = Vec::new();
    let mut ranges = Vec::new();
    for text in &options.parameters {
        let (name, range) = range(text)?;
        let target = Target::find(model, name, path)?;
        if let Some(reason) = [range.from, range.to].into_iter().find_map(|end| target.refuses(model, end)) {
            return Err(wrong(reason).about(path));
        }
        if names.iter().any(|other| other == name) {
            return Err(wrong(format!("`{name}` is varied twice")));
        }
        names.push(name.to_owned());
        ranges.push(range);
    }
    if names.is_empty() {
        return Err(wrong("nothing varies".to_owned()).help("use --param or --from-csv"));
    }
    let drawn = options.random || options.latin_hypercube;
    if let Some(index) = ranges.iter().position(|range| range.count.is_some() == drawn) {
        let name = &names[index];
        let message = if drawn {
            format!("`{name}` has a count, but samples are drawn")
        } else {
            format!("`{name}` has no count")
        };
        return Err(wrong(message).help(RANGE_HELP));
    }
    let seed = options.seed;
    let wanted = if drawn {
        options
            .samples
            .ok_or_else(|| wrong("how many samples are to be drawn?".to_owned()).help(RANGE_HELP))?
    } else {
        let counts = ranges.iter().map(|range| range.count.unwrap_or(1));
        counts.fold(1_u64, u64::saturating_mul)
    };
    if wanted == 0 {
        return Err(wrong("there must be at least one sample".to_owned()));
    }
    if wanted > MOST_SAMPLES {
        return Err(wrong(format!("more than {MOST_SAMPLES} samples")));
    }
    let plan = if options.random {
        Plan::Random { ranges, seed }
    } else if options.latin_hypercube {
        let orders = (0..ranges.len()).map(|d| permutation(seed, d as u64, wanted as u32)).collect();
        Plan::LatinHypercube { ranges, seed, orders }
    } else {
        Plan::Grid(ranges)
    };
    Ok(Design { names, samples: wanted as usize, plan })
}

/// NAME=FROM:TO or NAME=FROM:TO:COUNT
fn range(text: &str) -> Result<(&str, Range), Failure> {
    let refuse = |why: String| wrong(format!("`{text}`: {why}")).help(RANGE_HELP);
    let (name, range) = text.split_once('=').ok_or_else(|| refuse("there is no `=`".to_owned()))?;
    let number = |part: &str| match part.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(refuse(format!("`{}` is not a number", part.trim()))),
    };
    let parts: Vec<&str> = range.split(':').collect();
    let (from, to, count) = match parts.as_slice() {
        [from, to] => (number(from)?, number(to)?, None),
        [from, to, count] => {
            let points = count.trim().parse::<u64>().ok().filter(|&count| count > 0);
            let points =
                points.ok_or_else(|| refuse(format!("`{}` is not a count of at least one", count.trim())))?;
            (number(from)?, number(to)?, Some(points))
        }
        _ => return Err(refuse("this is not a range".to_owned())),
    };
    Ok((name.trim(), Range { from, to, count }))
}

/// A table of samples: names in the first line, numbers in the others.
fn listed(text: &str, file: &Path, model: &Model) -> Result<Design, Failure> {
    let refuse = |why: String, line: usize, column: usize| wrong(why).about(file).at(Some((line, column)));
    // Spreadsheets begin files with a mark of their encoding.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((first, header)) = lines.next() else {
        return Err(wrong("the table of samples is empty".to_owned()).about(file));
    };
    let (mut names, mut targets) = (Vec::<String>::new(), Vec::new());
    for field in fields(header) {
        let place = Some((first + 1, field.column));
        let target = Target::find(model, &field.text, file).map_err(|failure| failure.at(place))?;
        if names.contains(&field.text) {
            return Err(refuse(format!("there are two columns `{}`", field.text), first + 1, field.column));
        }
        names.push(field.text);
        targets.push(target);
    }
    let mut values = Vec::new();
    for (index, line) in lines {
        let fields = fields(line);
        if fields.len() != names.len() {
            let column = fields.get(names.len()).map_or(line.chars().count() + 1, |field| field.column);
            let why = format!("{} values for {} columns", fields.len(), names.len());
            return Err(refuse(why, index + 1, column));
        }
        for (field, target) in fields.iter().zip(&targets) {
            let value = match field.text.parse::<f64>() {
                Ok(value) if value.is_finite() => value,
                _ => {
                    return Err(refuse(format!("`{}` is not a number", field.text), index + 1, field.column));
                }
            };
            if let Some(reason) = target.refuses(model, value) {
                return Err(refuse(reason, index + 1, field.column));
            }
            values.push(value);
        }
    }
    let samples = values.len() / names.len();
    if samples == 0 {
        return Err(wrong("the table of samples has no lines below its names".to_owned()).about(file));
    }
    if samples as u64 > MOST_SAMPLES {
        return Err(wrong(format!("more than {MOST_SAMPLES} samples")).about(file));
    }
    Ok(Design { names, samples, plan: Plan::Listed(values) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(plan: Plan, samples: usize) -> Design {
        Design { names: vec!["a".to_owned(), "b".to_owned()], samples, plan }
    }

    #[test]
    fn a_grid_reaches_both_ends() {
        let range = |text| range(text).expect("a range").1;
        let grid = design(Plan::Grid(vec![range("a=0:1:2"), range("b=-0.3:0.7:3")]), 6);
        let all: Vec<Vec<f64>> = (0..6).map(|k| grid.values(k)).collect();
        assert_eq!((&all[0][..], &all[5][..]), (&[0.0, -0.3][..], &[1.0, 0.7][..]));
        assert_eq!(all[2], [0.0, 0.7]);
        assert_eq!(all[3][0], 1.0);
        assert_eq!(range("a=3:9:1").grid(0), 3.0);
    }

    #[test]
    fn a_latin_hypercube_meets_every_part_once() {
        let range = Range { from: -1.0, to: 3.0, count: None };
        let n = 40;
        let orders = vec![permutation(5, 0, n), permutation(5, 1, n)];
        let cube = design(Plan::LatinHypercube { ranges: vec![range; 2], seed: 5, orders }, n as usize);
        for d in 0..2 {
            let part = |k: usize| ((cube.values(k)[d] + 1.0) / 4.0 * f64::from(n)) as u32;
            let mut parts: Vec<u32> = (0..n as usize).map(part).collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..n).collect::<Vec<u32>>());
        }
    }
}
