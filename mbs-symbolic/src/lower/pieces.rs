//! Linear tables whose kinks are events: the piece that holds is frozen within a step.
//!
//! A table of n kinks has n + 1 pieces, numbered from 0. Their numbers are kept in ⌈log₂(n + 1)⌉
//! modes, as a binary-reflected Gray code (F. Gray, US patent 2 632 058, 1953): neighbouring
//! pieces differ in one bit, so that each kink is the root of one switching function, and
//! tables of many points cost little. With x_k the start of the frozen piece and s its slope
//!
//! ```text
//! y = y(x_k) + s (x − x_k)                                              (1)
//! ```
//!
//! which continues the piece on both sides: a step that runs past a kink meets a smooth
//! function until it is repeated up to the kink. Where a table holds its value outside its points
//! or is nothing there, its ends are kinks, too.

use super::EquationContext;
use super::modes::FoundMode;
use crate::dynamics::{Decision, Element, ModeKind};
use crate::ids::{ExprId, ModeId, TableId};
use crate::model::{Name, Outside, Table};
use mbs_math::TableKind;

/// A table at one argument whose kinks are events.
#[derive(Debug)]
pub(crate) struct Pieces {
    pub(crate) table: TableId,
    pub(crate) element: Element,
    /// The modes that hold the number of the piece, lowest bit first.
    pub(crate) modes: Vec<ModeId>,
    /// Where the kinks are, increasing.
    pub(crate) kinks: Vec<f64>,
    pub(crate) argument: ExprId,
    /// x_k of the frozen piece.
    pub(crate) start: ExprId,
    /// The table with pieces for what lies outside.
    whole: TableId,
}

impl EquationContext<'_> {
    /// `linear(table, argument)`; with events at the kinks where the table asks for them and
    /// the argument changes.
    pub(super) fn linear(&mut self, table: TableId, argument: ExprId, element: Option<Element>) -> ExprId {
        let Table { events, outside, x, .. } = &self.tables[table];
        let has_kinks = *events && (x.len() > 2 || *outside != Outside::Extrapolate);
        let Some(element) = element.filter(|_| has_kinks && !self.is_fixed(argument)) else {
            return self.graph.table(table, TableKind::Linear, 0, argument);
        };
        let known = self.pieces.iter().find(|known| known.table == table && known.argument == argument);
        let (whole, start) = match known {
            Some(known) => (known.whole, known.start),
            None => self.frozen_piece(table, argument, element),
        };
        let value = self.graph.table(whole, TableKind::Linear, 0, start);
        let slope = self.graph.table(whole, TableKind::Linear, 1, start);
        let distance = self.graph.sub(argument, start);
        let rise = self.graph.mul(slope, distance);
        self.graph.add(value, rise) // (1)
    }

    /// Makes the modes of a table at an argument; the table with all its pieces, and x_k.
    fn frozen_piece(&mut self, table: TableId, argument: ExprId, element: Element) -> (TableId, ExprId) {
        let whole = self.whole(table);
        let (name, x) = (self.tables[whole].name.clone(), self.tables[whole].x.clone());
        let kinks = x[1..x.len() - 1].to_vec();
        // 2^bits > number of kinks.
        let bits = usize::BITS - kinks.len().leading_zeros();
        let mut modes = Vec::new();
        let mut numbers = Vec::new();
        for bit in 0..bits {
            let flips = flips(&kinks, bit);
            let function = if bit + 1 == bits {
                // It changes once: its function tells the argument everywhere.
                let kink = self.graph.constant(flips[0].0);
                self.graph.sub(kink, argument)
            } else {
                let zigzag = self.tables.push(zigzag(&name, &flips));
                self.graph.table(zigzag, TableKind::Linear, 0, argument)
            };
            let mode = self.modes.list.push(FoundMode {
                function,
                kind: ModeKind::Negative,
                element,
                decision: Decision::Piece,
            });
            let holds = self.graph.symbol(crate::expr::Symbol::Mode(mode));
            let (weight, zero) = (self.graph.constant(f64::from(1_u32 << bit)), self.graph.zero());
            numbers.push(self.graph.select(holds, weight, zero));
            modes.push(mode);
        }
        let code = self.graph.sum(numbers);
        let starts = self.tables.push(starts(&name, &x, bits));
        let start = self.graph.table(starts, TableKind::Linear, 0, code);
        self.pieces.push(Pieces { table, element, modes, kinks, argument, start, whole });
        (whole, start)
    }

    /// The table, with a piece before its first and one behind its last point where it does not go
    /// on straight.
    fn whole(&mut self, table: TableId) -> TableId {
        if let Some(known) = self.pieces.iter().find(|known| known.table == table) {
            return known.whole;
        }
        match with_ends(&self.tables[table]) {
            Some(whole) => self.tables.push(whole),
            None => table,
        }
    }
}

/// A table that continues straight and is what another one is, outside its points too.
fn with_ends(table: &Table) -> Option<Table> {
    let (x, y) = (table.x.as_slice(), table.y.as_slice());
    let (&[first, second, ..], &[.., before, last]) = (x, x) else { return None };
    let ends = match table.outside {
        Outside::Extrapolate => return None,
        Outside::Hold => [y[0], y[y.len() - 1]],
        Outside::Error => [f64::NAN; 2],
    };
    let inner = x.iter().copied().zip(y.iter().copied());
    let all = std::iter::once((first - (second - first), ends[0]))
        .chain(inner)
        .chain(std::iter::once((last + (last - before), ends[1])));
    Some(derived(&table.name, all.collect()))
}

/// The Gray code of a number.
fn gray(number: usize) -> usize {
    number ^ (number >> 1)
}

/// The kinks at which a bit of the code changes, and whether it is set behind them.
fn flips(kinks: &[f64], bit: u32) -> Vec<(f64, bool)> {
    let is_set = |piece: usize| gray(piece) >> bit & 1 == 1;
    let changes = kinks.iter().enumerate().filter(|(piece, _)| is_set(*piece) != is_set(piece + 1));
    changes.map(|(piece, &kink)| (kink, is_set(piece + 1))).collect()
}

/// The switching function of a bit: zero where it changes, below zero where it is set, of slope
/// ±1 and folded midway between two zeros.
fn zigzag(name: &Name, flips: &[(f64, bool)]) -> Table {
    let sign = |is_set: bool| if is_set { -1.0 } else { 1.0 };
    let (first, last) = (flips[0], flips[flips.len() - 1]);
    let reach = f64::max(1.0, last.0 - first.0);
    let mut points = vec![(first.0 - reach, -sign(first.1) * reach)];
    for (index, &(kink, is_set)) in flips.iter().enumerate() {
        points.push((kink, 0.0));
        let next = flips.get(index + 1).map_or(kink + 2.0 * reach, |next| next.0);
        let half = 0.5 * (next - kink);
        points.push((kink + half, sign(is_set) * half));
    }
    // Points that rounding leaves no room for are no loss: the zeros stay.
    points.dedup_by(|later, earlier| later.0 <= earlier.0);
    derived(name, points)
}

/// x_k by the code of the piece; codes of no piece stand for the last. The point past the end
/// keeps the last code inside the table, where it is read without rounding.
fn starts(name: &Name, x: &[f64], bits: u32) -> Table {
    let pieces = x.len() - 1;
    let codes = 1_usize << bits;
    let mut starts = vec![x[pieces - 1]; codes + 1];
    for (piece, &start) in x[..pieces].iter().enumerate() {
        starts[gray(piece)] = start;
    }
    let last = starts[codes - 1];
    starts[codes] = last;
    derived(name, starts.into_iter().enumerate().map(|(code, start)| (code as f64, start)).collect())
}

fn derived(name: &Name, points: Vec<(f64, f64)>) -> Table {
    let (x, y) = points.into_iter().unzip();
    Table { name: name.clone(), x, y, events: false, outside: Outside::Extrapolate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Span;

    fn name() -> Name {
        Name { text: "curve".into(), span: Span::default() }
    }

    fn read(table: &Table, at: f64) -> f64 {
        let (x, coefficients) = crate::model::pieces(table, TableKind::Linear);
        mbs_math::linear(mbs_math::Table { x: &x, coefficients: &coefficients }, 0, at)
    }

    /// Continued from the start of any of its pieces, a table with ends is what it says it is.
    #[test]
    fn ends_are_pieces() {
        for outside in [Outside::Hold, Outside::Error] {
            let (x, y) = (vec![0.0, 1.0, 3.0], vec![2.0, 5.0, -1.0]);
            let table = Table { name: name(), x, y, events: true, outside };
            let whole = with_ends(&table).expect("a table with ends");
            let (starts, coefficients) = crate::model::pieces(&whole, TableKind::Linear);
            for at in [-9.0, -0.1, 0.5, 2.0, 3.5, 70.0] {
                let piece = starts[1..starts.len() - 1].iter().filter(|start| at >= **start).count();
                let frozen = coefficients[piece][0] + coefficients[piece][1] * (at - starts[piece]);
                let expected = read(&table, at);
                assert!(frozen == expected || (frozen.is_nan() && expected.is_nan()), "{outside:?} at {at}");
            }
        }
        let straight =
            Table { outside: Outside::Extrapolate, ..derived(&name(), vec![(0.0, 0.0), (1.0, 1.0)]) };
        assert_eq!(with_ends(&straight), None);
    }

    /// The signs of all functions spell the code of the piece, and its start is read exactly.
    #[test]
    fn signs_spell_the_piece() {
        for n in [3, 4, 5, 6, 9, 17, 18, 100, 1025] {
            let x: Vec<f64> = (0..n).map(|k| 0.1 * f64::from(k) + 0.01 * f64::from(k % 3)).collect();
            let kinks = &x[1..x.len() - 1];
            let bits = usize::BITS - kinks.len().leading_zeros();
            assert!(1 << bits > kinks.len() && 1 << (bits - 1) <= kinks.len());
            let starts = starts(&name(), &x, bits);
            let functions: Vec<Table> = (0..bits).map(|bit| zigzag(&name(), &flips(kinks, bit))).collect();
            for piece in 0..x.len() - 1 {
                let inside = 0.5 * (x[piece] + x[piece + 1]);
                let at = match piece {
                    0 => vec![x[0] - 50.0, inside],
                    _ if piece == x.len() - 2 => vec![inside, x[piece + 1] + 50.0],
                    _ => vec![inside],
                };
                for at in at {
                    let set = |bit: usize| usize::from(read(&functions[bit], at) < 0.0) << bit;
                    let code: usize = (0..functions.len()).map(set).sum();
                    assert_eq!(code, gray(piece), "{n} points at {at}");
                    assert_eq!(read(&starts, code as f64), x[piece]);
                }
            }
            // Each kink is the root of exactly one function, and the highest bit has one.
            for kink in kinks {
                let roots = functions.iter().filter(|function| read(function, *kink) == 0.0);
                assert_eq!(roots.count(), 1, "{n} points at {kink}");
            }
            assert_eq!(flips(kinks, bits - 1).len(), 1);
        }
    }
}
