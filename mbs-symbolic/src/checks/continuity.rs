//! Force laws made of pieces: do the pieces meet?
//!
//! A law is taken as a function of what it reads (coordinates, speeds, lengths, queries), each
//! free to have any value. For every comparison in it, or in a variable it uses, one of these
//! is moved until the comparison flips, at several values of the others; the forces just
//! before and just after are compared. This asks nothing of the law's form, and works through
//! nested conditions and functions.
//!
//! Quiet by nature: `sign`, `floor` and `mod`, which are jumps by definition; `abs`, `min`,
//! `max` and tables, which have none; conditions on time, inputs and parameters alone (loads
//! that are switched on); and elements above a road, whose dampers set in on touching by definition and whose road may
//! have steps.

mod law;

use super::short;
use crate::diag::{Diagnostic, Diagnostics, Problem};
use crate::model::{Defaults, Model};
use law::{Condition, Law, Leaf};

/// Jumps below this part of the force itself are differences of rounded coefficients.
const PART_OF_FORCE: f64 = 1e-4;
/// Jumps below this part of the largest force nearby are rounding.
const PART_OF_RANGE: f64 = 1e-9;
/// Values tried for what a law reads beside the one that moves: none, a little, much, mixed.
const OTHERS: [Option<f64>; 4] = [Some(0.0), Some(1.0), None, Some(-0.1)];
/// The work, in terms evaluated, after which the search ends: no model takes forever.
const MAX_WORK: usize = 100_000_000;

/// A place at which a law jumps.
struct Jump {
    leaf: usize,
    at: f64,
    others: Vec<f64>,
    before: f64,
    after: f64,
}

pub(super) fn check(model: &Model, found: &mut Diagnostics) {
    let defaults = Defaults::new(model);
    let mut budget = MAX_WORK;
    for law in law::laws(model) {
        for comparison in law.comparisons(model) {
            let Some(left) = budget.checked_sub(law.cost) else { return };
            budget = left;
            let Some(condition) = law.condition(model, comparison) else { continue };
            let Some(jump) = search(model, &defaults, &law, &condition, &mut budget) else { continue };
            let name = |leaf: usize| law.leaves[leaf].name(model, law.locals);
            let others = (0..law.leaves.len()).filter(|&leaf| leaf != jump.leaf && jump.others[leaf] != 0.0);
            let others: Vec<String> =
                others.map(|leaf| format!("{} = {}", name(leaf), short(jump.others[leaf]))).collect();
            let mut at = format!("{} = {}", name(jump.leaf), short(rounded(jump.at)));
            if !others.is_empty() {
                at += &format!(" (with {})", others.join(", "));
            }
            let problem = Problem::ForceJumps {
                law: law.name.clone(),
                at,
                before: short(jump.before),
                after: short(jump.after),
                unit: law.unit,
            };
            let mut diagnostic = Diagnostic::warning(condition.span, problem);
            if condition.is_elsewhere {
                diagnostic = diagnostic.with(law.span, "the force that jumps");
            }
            found.push(diagnostic);
        }
    }
}

/// Breaks are often at zero; what bisection leaves of it is no number to show.
fn rounded(at: f64) -> f64 {
    if at.abs() < 1e-12 { 0.0 } else { at }
}

/// The first jump of `law` where `condition` flips.
fn search(
    model: &Model,
    defaults: &Defaults<'_>,
    law: &Law<'_>,
    condition: &Condition,
    budget: &mut usize,
) -> Option<Jump> {
    for (round, value) in OTHERS.into_iter().enumerate() {
        let other = |leaf: usize| value.unwrap_or(2.0 * super::sample(round as u64, leaf as u64));
        let mut values: Vec<f64> = (0..law.leaves.len()).map(other).collect();
        for &leaf in &condition.leaves {
            // Time and inputs may do as they like.
            if matches!(law.leaves[leaf], Leaf::Time | Leaf::Input(_)) {
                continue;
            }
            let mut line = Line { model, defaults, law, condition, values: &mut values, leaf, budget };
            if let Some((at, before, after)) = line.jump() {
                return Some(Jump { leaf, at, others: values, before, after });
            }
            values[leaf] = other(leaf);
        }
    }
    None
}

/// Values of everything a law reads, of which one moves.
struct Line<'a, 'm> {
    model: &'m Model,
    defaults: &'a Defaults<'m>,
    law: &'a Law<'m>,
    condition: &'a Condition,
    values: &'a mut Vec<f64>,
    leaf: usize,
    budget: &'a mut usize,
}

impl Line<'_, '_> {
    fn holds(&mut self, x: f64) -> Option<bool> {
        *self.budget = self.budget.checked_sub(self.law.cost)?;
        self.values[self.leaf] = x;
        self.condition.holds(self.model, self.defaults, self.law, self.values)
    }

    fn force(&mut self, x: f64) -> Option<Vec<f64>> {
        *self.budget = self.budget.checked_sub(self.law.cost)?;
        self.values[self.leaf] = x;
        self.law.force(self.model, self.defaults, self.values).filter(|f| f.iter().all(|f| f.is_finite()))
    }

    /// Where the force jumps, with its values before and after: the first place found.
    fn jump(&mut self) -> Option<(f64, f64, f64)> {
        let points = grid();
        let mut last: Option<(f64, bool)> = None;
        for x in points {
            let holds = self.holds(x)?;
            if let Some((before, held)) = last.filter(|(_, held)| *held != holds) {
                let (low, high) = self.bisect(before, x, held)?;
                if let Some(found) = self.compare(low, high) {
                    return Some(found);
                }
            }
            last = Some((x, holds));
        }
        None
    }

    /// The two neighbouring numbers between which the condition flips.
    fn bisect(&mut self, mut low: f64, mut high: f64, held: bool) -> Option<(f64, f64)> {
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.holds(middle)? == held {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some((low, high))
    }

    /// Compares the force at two neighbouring numbers with how it changes around them.
    fn compare(&mut self, low: f64, high: f64) -> Option<(f64, f64, f64)> {
        const AROUND: f64 = 1e-4;
        let (before, after) = (self.force(low)?, self.force(high)?);
        let around = AROUND * f64::max(low.abs(), 1e-2);
        let (further_before, further_after) = (self.force(low - around)?, self.force(high + around)?);
        let (left, right) = (self.force(low - 1.0)?, self.force(high + 1.0)?);
        let jumps = (0..before.len()).filter_map(|k| {
            let (a, b) = (before[k], after[k]);
            let jump = (b - a).abs();
            let range = left[k].abs().max(right[k].abs());
            let change = (a - further_before[k]).abs() + (further_after[k] - b).abs();
            let least = PART_OF_FORCE * a.abs().max(b.abs()) + PART_OF_RANGE * range + 1e-6 * change;
            (jump > least).then_some((jump, a, b))
        });
        let (_, a, b) = jumps.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((0.5 * (low + high), a, b))
    }
}

/// 0 and ± powers of ten from 1e-6 to 1e4 in steps of a quarter, increasing.
fn grid() -> Vec<f64> {
    let positive: Vec<f64> = (-24..=16).map(|k| mbs_math::pow(10.0, f64::from(k) / 4.0)).collect();
    let negative = positive.iter().rev().map(|x| -x);
    negative.chain([0.0]).chain(positive.iter().copied()).collect()
}
