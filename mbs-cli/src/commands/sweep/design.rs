//! Which values the samples have.

use super::csv::fields;
use crate::arguments::SweepOptions;
use crate::commands::simulate::refused;
use crate::commands::simulate::table::measured;
use crate::input::{SAMPLES_BYTES, whole_text_of};
use crate::random::{permutation, uniform};
use crate::report::Failure;
use mbs_symbolic::diag::{Diagnostics, Severity};
use mbs_symbolic::ids::ParamId;
use mbs_symbolic::model::Model;
use mbs_symbolic::model::setting::{self, Declared, NotSet, Target, check_with, written};
use serde_json::{Value, json};
use std::path::Path;

/// More samples than this are taken for a slip.
pub(crate) const MAX_SAMPLES: u64 = 10_000_000;

/// The names that vary, and their values in every sample, in the units they were declared with.
#[derive(Debug)]
pub(super) struct Design {
    pub(super) names: Vec<String>,
    varied: Vec<Varied>,
    pub(super) samples: usize,
    plan: Plan,
}

/// One of what varies.
#[derive(Debug)]
struct Varied {
    target: Target,
    declared: Declared,
}

impl Varied {
    fn new(target: Target, model: &Model) -> Self {
        Self { target, declared: target.declared(model) }
    }
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
        if last == 0 || index == 0 {
            return self.from;
        }
        if index == last {
            return self.to;
        }
        let value = self.between(index as f64 / last as f64);
        // A grid of decimals has decimals as its points: 0.3, not 0.30000000000000004.
        let decimal = format!("{value:.11e}").parse().unwrap_or(value);
        let rounding = 2.0 * f64::EPSILON * self.from.abs().max(self.to.abs());
        if (decimal - value).abs() <= rounding { decimal } else { value }
    }
}

/// The first error, with its code.
fn first_error(found: &Diagnostics) -> Option<String> {
    let error = found.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
    Some(format!("{}: {}", error.problem.code(), error.problem))
}

fn wrong(message: String) -> Failure {
    Failure::new("MBS-C040", message)
}

fn wrong_for(not: NotSet) -> Failure {
    let failure = wrong(not.message);
    match not.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

const RANGE_HELP: &str = "write NAME=FROM:TO:COUNT, or NAME=FROM:TO with --samples and --random or \
                          --latin-hypercube; a unit may stand behind it: `c=1:8:8 kN*s/m`";

impl Design {
    /// As the options say. Every value is one the model allows, and initial values that vary
    /// are held when loops are closed.
    pub(super) fn new(options: &SweepOptions, model: &mut Model) -> Result<Self, Failure> {
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
        for Varied { target, .. } in &design.varied {
            if matches!(target, Target::Position(_) | Target::Velocity(_)) {
                // Any number will do: each run puts its own there.
                target.set(model, 0.0);
            }
        }
        Ok(design)
    }

    /// The names with the units their values are in: `c [kN*s/m]`.
    pub(super) fn header(&self) -> impl Iterator<Item = String> {
        self.names.iter().zip(&self.varied).map(|(name, varied)| measured(name, &varied.declared.name))
    }

    /// Values of a sample in SI.
    pub(super) fn si(&self, values: &[f64]) -> Vec<f64> {
        self.varied.iter().zip(values).map(|(varied, &value)| varied.declared.to_si(value)).collect()
    }

    /// Why no mechanism can have these SI values, if none can: the first of the checks every model
    /// has to pass.
    pub(super) fn refuses(&self, model: &Model, si: &[f64]) -> Option<String> {
        let parameters: Vec<(ParamId, f64)> = self
            .varied
            .iter()
            .zip(si)
            .filter_map(|(varied, &value)| match varied.target {
                Target::Parameter(id) => Some((id, value)),
                _ => None,
            })
            .collect();
        first_error(&check_with(model, &parameters))
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
    let mut names: Vec<String> = Vec::new();
    let (mut ranges, mut all) = (Vec::new(), Vec::new());
    for text in &options.parameters {
        let (name, written) =
            range(text).map_err(|failure| failure.argument("--param", text, 0..text.len()))?;
        let equals = text.find('=').unwrap_or(0);
        let (head, tail) = (0..equals, equals + 1..text.len());
        let at =
            |failure: Failure, part: &std::ops::Range<usize>| failure.argument("--param", text, part.clone());
        let target = Target::find(model, name).map_err(|not| at(refused(not), &head))?;
        let varied = Varied::new(target, model);
        let range = written.of(target, model).map_err(|not| at(wrong_for(not), &tail))?;
        let ends = [range.from, range.to].map(|end| varied.declared.to_si(end));
        if let Some(not) = ends.into_iter().find_map(|end| target.refuses(model, end)) {
            return Err(at(wrong_for(not), &tail));
        }
        if names.iter().any(|other| other == name) {
            return Err(at(wrong(format!("`{name}` is varied twice")), &head));
        }
        names.push(name.to_owned());
        ranges.push(range);
        all.push(varied);
    }
    possible(&all, &ranges, model).map_err(|failure| failure.about(&options.variant.model))?;
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
    if wanted > MAX_SAMPLES {
        return Err(wrong(format!("more than {MAX_SAMPLES} samples")));
    }
    let plan = if options.random {
        Plan::Random { ranges, seed }
    } else if options.latin_hypercube {
        let orders = (0..ranges.len()).map(|d| permutation(seed, d as u64, wanted as u32)).collect();
        Plan::LatinHypercube { ranges, seed, orders }
    } else {
        Plan::Grid(ranges)
    };
    Ok(Design { names, varied: all, samples: wanted as usize, plan })
}

/// Refuses an end of a range no mechanism can have, whichever ends the other ranges are at.
fn possible(all: &[Varied], ranges: &[Range], model: &Model) -> Result<(), Failure> {
    let set = |index: usize, value: f64| match all[index].target {
        Target::Parameter(id) => Some((id, all[index].declared.to_si(value))),
        _ => None,
    };
    for (index, range) in ranges.iter().enumerate() {
        for end in [range.from, range.to] {
            let Some(own) = set(index, end) else { continue };
            let others = |value: fn(&Range) -> f64| {
                let others = (0..all.len()).filter(|other| *other != index);
                others.filter_map(|other| set(other, value(&ranges[other]))).collect::<Vec<_>>()
            };
            let ways = [Vec::new(), others(|range| range.from), others(|range| range.to)];
            let errors: Option<Vec<String>> = ways
                .into_iter()
                .map(|mut way| {
                    way.push(own);
                    first_error(&check_with(model, &way))
                })
                .collect();
            if let Some(error) = errors.and_then(|errors| errors.into_iter().next()) {
                let name = all[index].target.name(model);
                let written = format!("{end} {}", all[index].declared.name);
                return Err(wrong(format!("with `{name}` = {}: {error}", written.trim_end())));
            }
        }
    }
    Ok(())
}

/// A range as written: both ends, the number of points, and the unit behind the whole.
#[derive(Debug, PartialEq)]
struct WrittenRange<'t> {
    ends: [setting::Written<'t>; 2],
    count: Option<u64>,
    unit: Option<&'t str>,
}

impl WrittenRange<'_> {
    /// In the declared unit of what varies.
    fn of(&self, target: Target, model: &Model) -> Result<Range, NotSet> {
        let [from, to] = &self.ends;
        let read = |end| target.read(model, end, self.unit);
        Ok(Range { from: read(from)?, to: read(to)?, count: self.count })
    }
}

/// NAME=FROM:TO or NAME=FROM:TO:COUNT, with a unit behind each end or behind the whole.
fn range(text: &str) -> Result<(&str, WrittenRange<'_>), Failure> {
    let refuse = |why: String| wrong(format!("`{text}`: {why}")).help(RANGE_HELP);
    let (name, range) = text.split_once('=').ok_or_else(|| refuse("there is no `=`".to_owned()))?;
    let number = |part| written(part).map_err(|not| refuse(not.message));
    let parts: Vec<&str> = range.split(':').collect();
    let (from, to, count, unit) = match parts.as_slice() {
        [from, to] => {
            let to = number(to)?;
            let unit = to.unit;
            (number(from)?, to, None, unit)
        }
        [from, to, last] => {
            let last = last.trim();
            let digits = last.bytes().take_while(u8::is_ascii_digit).count();
            let (count, unit) = (last[..digits].parse::<u64>(), last[digits..].trim());
            let is_unit = |c: char| c.is_whitespace() || c.is_alphabetic() || matches!(c, '°' | '%');
            let separate = unit.is_empty() || last[digits..].starts_with(is_unit);
            let points = count.ok().filter(|&count| count > 0 && separate);
            let points = points.ok_or_else(|| refuse(format!("`{last}` is not a count of at least one")))?;
            (number(from)?, number(to)?, Some(points), (!unit.is_empty()).then_some(unit))
        }
        _ => return Err(refuse("this is not a range".to_owned())),
    };
    Ok((name.trim(), WrittenRange { ends: [from, to], count, unit }))
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
    let (mut names, mut columns) = (Vec::<String>::new(), Vec::new());
    for field in fields(header) {
        let place = Some((first + 1, field.column));
        let (name, unit) = setting::column(&field.text);
        let target = Target::find(model, name).map_err(|not| refused(not).about(file).at(place))?;
        if names.iter().any(|other| other == name) {
            return Err(refuse(format!("there are two columns `{name}`"), first + 1, field.column));
        }
        // A unit that cannot be this one's is refused at the head, not at every number below.
        let one = setting::Written { value: 1.0, unit: None };
        target.read(model, &one, unit).map_err(|not| wrong_for(not).about(file).at(place))?;
        names.push(name.to_owned());
        columns.push((Varied::new(target, model), unit.map(str::to_owned)));
    }
    let mut values = Vec::new();
    for (index, line) in lines {
        let fields = fields(line);
        if fields.len() != names.len() {
            let column = fields.get(names.len()).map_or(line.chars().count() + 1, |field| field.column);
            let why = format!("{} values for {} columns", fields.len(), names.len());
            return Err(refuse(why, index + 1, column));
        }
        for (field, (Varied { target, declared }, unit)) in fields.iter().zip(&columns) {
            let place = Some((index + 1, field.column));
            let no = |not: NotSet| wrong_for(not).about(file).at(place);
            let number = written(&field.text).map_err(no)?;
            let value = target.read(model, &number, unit.as_deref()).map_err(no)?;
            if let Some(not) = target.refuses(model, declared.to_si(value)) {
                return Err(no(not));
            }
            values.push(value);
        }
    }
    let varied = columns.into_iter().map(|(varied, _)| varied).collect();
    let samples = values.len() / names.len();
    if samples == 0 {
        return Err(wrong("the table of samples has no lines below its names".to_owned()).about(file));
    }
    if samples as u64 > MAX_SAMPLES {
        return Err(wrong(format!("more than {MAX_SAMPLES} samples")).about(file));
    }
    Ok(Design { names, varied, samples, plan: Plan::Listed(values) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(plan: Plan, samples: usize) -> Design {
        Design { names: vec!["a".to_owned(), "b".to_owned()], varied: Vec::new(), samples, plan }
    }

    #[test]
    fn a_grid_reaches_both_ends() {
        let range = |text| {
            let written = range(text).expect("a range").1;
            let [from, to] = [0, 1].map(|end| written.ends[end].value);
            Range { from, to, count: written.count }
        };
        let grid = design(Plan::Grid(vec![range("a=0:1:2"), range("b=-0.3:0.7:3")]), 6);
        let all: Vec<Vec<f64>> = (0..6).map(|k| grid.values(k)).collect();
        assert_eq!((&all[0][..], &all[5][..]), (&[0.0, -0.3][..], &[1.0, 0.7][..]));
        assert_eq!(all[2], [0.0, 0.7]);
        assert_eq!(all[3][0], 1.0);
        assert_eq!(range("a=3:9:1").grid(0), 3.0);
    }

    #[test]
    fn units_stand_behind_ends_or_behind_the_whole() {
        let units = |text| {
            let written = range(text).expect("a range").1;
            (written.ends[0].unit, written.ends[1].unit, written.count, written.unit)
        };
        assert_eq!(units("c=1:8:8 kN*s/m"), (None, None, Some(8), Some("kN*s/m")));
        assert_eq!(units("c=1:8 kN*s/m"), (None, Some("kN*s/m"), None, Some("kN*s/m")));
        assert_eq!(units("c=1 N:8 kN:3"), (Some("N"), Some("kN"), Some(3), None));
        assert_eq!(units("c=1:8:3 1/s"), (None, None, Some(3), Some("1/s")));
        assert_eq!(units("c=-1:8e-3:3"), (None, None, Some(3), None));
        for wrong in ["c=1:8:2.5", "c=1:8:-2", "c=1:8:0 m", "c=1:8:m", "c=1:8:3:4", "c", "c=1"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
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
