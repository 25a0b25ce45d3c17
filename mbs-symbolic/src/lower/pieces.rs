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
//! function until it is repeated up to the kink.

use super::Lowering;
use super::modes::FoundMode;
use crate::dynamics::{Element, ModeKind};
use crate::ids::{ExprId, ModeId, TableId};
use crate::model::{Name, Table};
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
    argument: ExprId,
    /// x_k of the frozen piece.
    start: ExprId,
}

impl Lowering<'_> {
    /// `linear(table, argument)`; with events at the kinks where the table asks for them and
    /// the argument changes.
    pub(super) fn linear(&mut self, table: TableId, argument: ExprId, element: Option<Element>) -> ExprId {
        let has_kinks = self.tables[table].events && self.tables[table].x.len() > 2;
        let Some(element) = element.filter(|_| has_kinks && !self.is_fixed(argument)) else {
            return self.graph.table(table, TableKind::Linear, 0, argument);
        };
        let known = self.pieces.iter().find(|known| known.table == table && known.argument == argument);
        let start = match known {
            Some(known) => known.start,
            None => self.frozen_piece(table, argument, element),
        };
        let value = self.graph.table(table, TableKind::Linear, 0, start);
        let slope = self.graph.table(table, TableKind::Linear, 1, start);
        let distance = self.graph.sub(argument, start);
        let rise = self.graph.mul(slope, distance);
        self.graph.add(value, rise) // (1)
    }

    /// Makes the modes of a table at an argument; x_k.
    fn frozen_piece(&mut self, table: TableId, argument: ExprId, element: Element) -> ExprId {
        let (name, x) = (self.tables[table].name.clone(), self.tables[table].x.clone());
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
            let mode = self.modes.list.push(FoundMode { function, kind: ModeKind::Negative, element });
            let holds = self.graph.symbol(crate::expr::Symbol::Mode(mode));
            let (weight, zero) = (self.graph.constant(f64::from(1_u32 << bit)), self.graph.zero());
            numbers.push(self.graph.select(holds, weight, zero));
            modes.push(mode);
        }
        let code = self.graph.sum(numbers);
        let starts = self.tables.push(starts(&name, &x, bits));
        let start = self.graph.table(starts, TableKind::Linear, 0, code);
        self.pieces.push(Pieces { table, element, modes, kinks, argument, start });
        start
    }
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
    Table { name: name.clone(), x, y, events: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Span;

    fn name() -> Name {
        Name { text: "curve".into(), span: Span::default() }
    }

    fn read(table: &Table, at: f64) -> f64 {
        let coefficients = crate::model::coefficients(table, TableKind::Linear);
        mbs_math::linear(mbs_math::Table { x: &table.x, coefficients: &coefficients }, 0, at)
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
