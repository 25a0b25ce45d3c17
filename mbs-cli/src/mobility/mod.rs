//! How a mechanism can move: degrees of freedom, redundant constraints, singular poses.
//!
//! The rank of G is decided where the constraints are fulfilled, and not at one place only.
//! Off the constraints dependent rows look independent (Bricard's loop, 1e-6 off, has a
//! smallest singular value of 3e-7), so every pose is closed to about 30 digits first. In a
//! special pose rows depend on each other that are independent elsewhere, so the start is
//! compared with poses around it: the start is pushed at random, always with the same
//! numbers, and closed again.
//!
//! - rows that are dependent in every assembly are *redundant*;
//! - rows that are dependent at the start only make it a *singular pose*.

mod began;
mod change;
mod mechanism;
mod rank;
mod real;
mod release;
mod structure;
mod words;

pub(crate) use began::Began;
pub(crate) use rank::Rank;

use crate::random::uniform;
use mbs_math::DoubleDouble;
use mbs_symbolic::dynamics::{self, Element, Options};
use mbs_symbolic::ids::{FrameId, Id};
use mbs_symbolic::model::{Defaults, Model};
use mbs_symbolic::program::{self, Program, RowKind};
use mbs_symbolic::topology::{self, Topology};
use mechanism::{Closing, Mechanism};
use rank::{Decomposition, Rows, decompose, solve_for_rows};
use real::norm;
use release::Releases;
use structure::Structure;
use words::Words;

/// Poses beside the start that are enough if their rows are independent.
const ASSEMBLIES: usize = 6;
/// Pushes that are tried.
const PUSHES: usize = 18;

/// How far the start is pushed: rad, and parts of the mechanism's size. Nearby at first, so
/// that the mechanism stays assembled as it is; further where that does not settle it.
fn amplitude(push: usize) -> f64 {
    const NEAR: [f64; 4] = [0.3, 0.1, 0.6, 0.03];
    const FAR: [f64; 2] = [1.0, 2.0];
    if push < 2 * ASSEMBLIES { NEAR[push % NEAR.len()] } else { FAR[push % FAR.len()] }
}

/// g, free of dimension, below which a pose counts as closed.
const CLOSED: f64 = 1e-9;
/// Rows of G, free of dimension, shorter than this vanish: what is left is rounding.
const DUST: f64 = 1e-10;
/// The seed of all pushes.
const SEED: u64 = 1;

/// What is known of the motions of a mechanism.
pub(crate) struct Mobility {
    /// n_v − rank G in a general pose.
    pub(crate) degrees_of_freedom: usize,
    /// n_v − rank G where the mechanism starts.
    pub(crate) at_start: usize,
    /// Rows that do nothing in any pose.
    pub(crate) redundant: Vec<Redundant>,
    /// Further rows that do nothing where the mechanism starts.
    pub(crate) singular: Vec<Redundant>,
    /// What to change so that nothing is redundant, joint by joint.
    pub(crate) releases: Vec<(String, String)>,
    /// How many elements with redundant rows were not examined, of many.
    pub(crate) unexamined: usize,
    /// Whether the start can be closed.
    pub(crate) closes: bool,
    /// Whether any pose can.
    pub(crate) closes_elsewhere: bool,
    /// |g| that is left at the start, in the units of the rows.
    pub(crate) gap: f64,
    /// What stays open at the start.
    pub(crate) open: Vec<Open>,
    /// How many other poses were looked at.
    pub(crate) assemblies: usize,
    /// How clear the rank in a general pose is.
    pub(crate) rank: Rank,
    /// How a run would begin.
    pub(crate) began: Began,
}

/// A row that follows from others, or vanishes.
pub(crate) struct Redundant {
    /// The joint or constraint element.
    pub(crate) element: String,
    /// In words: `rotation about x`, in the axes of the joint's `from` frame.
    pub(crate) direction: String,
    /// The row, then those it follows from.
    pub(crate) rows: Vec<String>,
    /// Whether no coordinate changes it, so that it was left out of the equations.
    pub(crate) identically: bool,
}

/// A joint or constraint that could not be closed.
pub(crate) struct Open {
    pub(crate) element: String,
    /// m; of rows that measure lengths.
    pub(crate) distance_m: f64,
    /// rad, nearly; of rows that measure orientation.
    pub(crate) angle_rad: f64,
    /// Of all other rows, in their own units.
    pub(crate) other: f64,
}

/// A closed pose with what its constraints do.
struct Assembly {
    rank: Rank,
    /// Combinations of rows that vanish there.
    vanishing: Vec<Vec<f64>>,
}

/// Rank of a matrix of `rows` rows, column by column, at a state a run has projected: rows are
/// compared after scaling to the same length.
pub(crate) fn rank(matrix: &[f64], rows: usize) -> usize {
    let columns = matrix.len().checked_div(rows).unwrap_or(0);
    let list: Rows<f64> = (0..rows).map(|r| (0..columns).map(|c| matrix[r + rows * c]).collect()).collect();
    let longest = list.iter().map(|row| norm(row)).fold(0.0, f64::max);
    let scaled: Rows<f64> = list
        .into_iter()
        .map(|row| {
            let length = norm(&row);
            let factor = if length > DUST * longest { 1.0 / length } else { 0.0 };
            row.into_iter().map(|x| x * factor).collect()
        })
        .collect();
    Rank::by_gap(&decompose(&scaled, None).values, columns).rank
}

/// Looks at the motions of a compiled model, with default parameters, at t = 0, and for what
/// to change where constraints are redundant.
pub(crate) fn analyse(program: &Program, model: &Model, topology: &Topology) -> Mobility {
    let (mut mobility, elements) = survey(program, model, topology);
    // Of constraints that contradict each other none says what the others say.
    if !elements.is_empty() && !mobility.began.contradicts() {
        let size = program.layout.velocities.len() + program.layout.rows.len();
        let releases = Releases::new(model, topology, Counts::of(&mobility), size);
        (mobility.releases, mobility.unexamined) = releases.find(&elements);
    }
    mobility
}

/// How much moves, and how much does nothing where.
struct Counts {
    degrees_of_freedom: usize,
    /// Redundant rows by the name of their element, one entry for each.
    redundant: Vec<String>,
}

impl Counts {
    fn of(mobility: &Mobility) -> Self {
        let redundant = mobility.redundant.iter().map(|row| row.element.clone()).collect();
        Self { degrees_of_freedom: mobility.degrees_of_freedom, redundant }
    }

    fn total(&self) -> usize {
        self.redundant.len()
    }

    fn of_element(&self, name: &str) -> usize {
        self.redundant.iter().filter(|element| *element == name).count()
    }
}

/// The same of a model that was changed in memory; `None` if it is none any more.
fn counts(model: &Model) -> Option<Counts> {
    let topology = topology::build(model).ok()?;
    let equations = dynamics::build(model, &topology, Options::default()).ok()?;
    let (mobility, _) = survey(&program::lower(&equations), model, &topology);
    mobility.closes_elsewhere.then(|| Counts::of(&mobility))
}

/// All but the advice, with the elements that have redundant rows.
fn survey(program: &Program, model: &Model, topology: &Topology) -> (Mobility, Vec<Element>) {
    let layout = &program.layout;
    let n_v = layout.velocities.len();
    let length = size(model);
    let structure = Structure::of(program);
    let mut closer = Closer {
        near: Mechanism::new(program, &structure, length),
        exact: Mechanism::new(program, &structure, length),
        components: structure.components(),
        n_v,
    };
    let began = Began::of(program, model);
    let start = closer.start(&began);
    let closes = began.is_closed() && start.gap <= CLOSED;

    let from = if closes { start.p.clone() } else { lifted(&closer.near.initial()) };
    let mut around: Vec<Assembly> = Vec::new();
    for push in 0..PUSHES {
        let best = around.iter().map(|assembly| assembly.rank.rank).max();
        // More poses are worth while only if rows that depend on each other in all so far may be
        // independent elsewhere.
        let is_settled = best.is_none_or(|rank| rank == layout.rows.len());
        if layout.rows.is_empty() || (around.len() >= ASSEMBLIES && is_settled) {
            break;
        }
        // Where the start does not close, any pose will do.
        let amplitude = if closes { amplitude(push) } else { std::f64::consts::PI };
        let closing = closer.pushed(&from, push, amplitude);
        if closing.gap > CLOSED || closer.near.is_turned_over(&rounded(&closing.p)) {
            continue;
        }
        let assembly = closer.assembly(&closing.p);
        // A pose out of which nothing moves is no pose of a mechanism that does.
        let moves = |assembly: &Assembly| n_v > assembly.rank.rank;
        if moves(&assembly) || !around.iter().any(moves) {
            around.push(assembly);
        }
    }
    let at_start = closer.assembly(&start.p);
    let assemblies = around.len();
    let general = around
        .iter()
        .chain(closes.then_some(&at_start))
        .max_by_key(|assembly| assembly.rank.rank)
        .unwrap_or(&at_start);

    let poses: Vec<f64> = closer.exact.poses(&start.p).iter().map(|x| x.to_f64()).collect();
    let words = Words { model, topology, layout, poses: &poses };
    let order = preferred(program);
    let dependent = solve_for_rows(general.vanishing.clone(), &order);
    let mut named: Vec<usize> = dependent.iter().map(|(row, _)| *row).collect();
    let redundant_order = [named.clone(), order].concat();
    let mut singular = solve_for_rows(at_start.vanishing.clone(), &redundant_order);
    singular.retain(|(row, _)| !named.contains(row));
    if !closes {
        // Rows are not those of a pose the mechanism can have.
        singular.clear();
    }
    named.sort_unstable();

    let mut elements: Vec<Element> = layout.redundant_rows.iter().map(|row| row.element).collect();
    elements.extend(dependent.iter().map(|(row, _)| layout.rows[*row].element));
    let vanishing = layout.redundant_rows.iter().map(|row| Redundant {
        element: row.element.name(model).to_owned(),
        direction: words.alone(row),
        rows: vec![row.name.clone()],
        identically: true,
    });
    let mut redundant: Vec<Redundant> = vanishing.collect();
    for (row, weights) in &dependent {
        redundant.push(of_weights(program, model, *row, weights, words.combined(*row, weights)));
    }
    let singular: Vec<Redundant> = singular
        .iter()
        .map(|(row, weights)| of_weights(program, model, *row, weights, words.combined(*row, weights)))
        .collect();
    let g = closer.exact.constraints_si(&start.p);
    let gap = norm(&g).to_f64();
    let g: Vec<f64> = g.iter().map(|x| x.to_f64()).collect();
    let open = if closes { Vec::new() } else { open(program, model, &g) };
    let mobility = Mobility {
        degrees_of_freedom: n_v - general.rank.rank,
        at_start: n_v - at_start.rank.rank,
        redundant,
        singular,
        releases: Vec::new(),
        unexamined: 0,
        closes,
        closes_elsewhere: closes || assemblies > 0,
        gap,
        open,
        assemblies,
        rank: general.rank,
        began,
    };
    (mobility, elements)
}

fn of_weights(program: &Program, model: &Model, row: usize, weights: &[f64], direction: String) -> Redundant {
    let rows = &program.layout.rows;
    let largest = weights.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let others = (0..rows.len()).filter(|&other| other != row && weights[other].abs() > 1e-7 * largest);
    Redundant {
        element: rows[row].element.name(model).to_owned(),
        direction,
        rows: [row].into_iter().chain(others).map(|row| rows[row].name.clone()).collect(),
        identically: false,
    }
}

fn lifted(p: &[f64]) -> Vec<DoubleDouble> {
    p.iter().map(|&x| DoubleDouble::from(x)).collect()
}

fn rounded(p: &[DoubleDouble]) -> Vec<f64> {
    p.iter().map(|x| x.to_f64()).collect()
}

/// Closes poses: with doubles to come near, with twice the digits to be sure.
struct Closer<'a> {
    near: Mechanism<'a, f64>,
    exact: Mechanism<'a, DoubleDouble>,
    /// Rows of G that share columns, and these columns.
    components: Vec<(Vec<usize>, Vec<usize>)>,
    n_v: usize,
}

impl Closer<'_> {
    /// Where a run begins; the best pose met where it cannot.
    fn start(&mut self, began: &Began) -> Closing<DoubleDouble> {
        if began.is_closed() {
            return self.close(&began.p, &vec![true; self.n_v]);
        }
        Closing { gap: self.near.gap(&began.p), p: lifted(&began.p) }
    }

    fn close(&mut self, p: &[f64], free: &[bool]) -> Closing<DoubleDouble> {
        const NEAR: f64 = 1e-12;
        const EXACT: f64 = 1e-29;
        let near = self.near.close(p, free, NEAR);
        let p = lifted(&near.p);
        if near.gap > 1e3 * CLOSED {
            return Closing { p, gap: near.gap };
        }
        self.exact.close(&p, free, EXACT)
    }

    /// The pose reached from `p` after a push.
    fn pushed(&mut self, p: &[DoubleDouble], push: usize, amplitude: f64) -> Closing<DoubleDouble> {
        let p = rounded(p);
        let step: Vec<f64> =
            (0..self.n_v).map(|k| amplitude * (2.0 * uniform(SEED, push as u64, k as u64) - 1.0)).collect();
        let p = self.near.moved(&p, &step);
        self.close(&p, &vec![true; self.n_v])
    }

    /// Rank and vanishing combinations of the rows of G, each scaled to length one.
    fn assembly(&mut self, p: &[DoubleDouble]) -> Assembly {
        let mut rows = self.exact.jacobian(p);
        let lengths: Vec<f64> = rows.iter().map(|row| norm(row).to_f64()).collect();
        for (row, &length) in rows.iter_mut().zip(&lengths) {
            let factor = if length > DUST { 1.0 / length } else { 0.0 };
            row.iter_mut().for_each(|x| *x = *x * DoubleDouble::from(factor));
        }
        let found = apart(&rows, &self.components);
        let rank = Rank::by_gap(&found.values, self.n_v);
        let vanishing = found.combinations[rank.rank..].iter().map(|weights| {
            let unscaled = |(weight, &length): (&f64, &f64)| {
                if length > DUST { weight / length } else { *weight }
            };
            weights.iter().zip(&lengths).map(unscaled).collect()
        });
        Assembly { rank, vanishing: vanishing.collect() }
    }
}

/// All rows are independent beyond doubt where the smallest singular value of rows of length one is
/// larger than this: doubles have told so.
const CERTAIN: f64 = 1e-4;

/// Decomposes rows component by component; with more digits where doubles cannot tell the rank.
fn apart(rows: &[Vec<DoubleDouble>], components: &[(Vec<usize>, Vec<usize>)]) -> Decomposition<f64> {
    let mut all: Vec<(f64, Vec<f64>)> = Vec::with_capacity(rows.len());
    for (own, columns) in components {
        let part: Rows<DoubleDouble> =
            own.iter().map(|&row| columns.iter().map(|&column| rows[row][column]).collect()).collect();
        let doubles: Rows<f64> = part.iter().map(|row| row.iter().map(|x| x.to_f64()).collect()).collect();
        let near = decompose(&doubles, None);
        let is_certain = own.len() <= columns.len() && near.values.iter().all(|&value| value > CERTAIN);
        let found = if is_certain {
            near
        } else {
            let Decomposition { values, combinations } = decompose(&part, Some(&near.combinations));
            Decomposition {
                values,
                combinations: combinations.iter().map(|weights| rounded(weights)).collect(),
            }
        };
        for (k, (value, weights)) in found.values.into_iter().zip(found.combinations).enumerate() {
            let mut whole = vec![0.0; rows.len()];
            own.iter().zip(weights).for_each(|(&row, weight)| whole[row] = weight);
            // There are no more singular values than columns; the rest is rounding.
            all.push((if k < columns.len() { value } else { 0.0 }, whole));
        }
    }
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let (values, combinations) = all.into_iter().unzip();
    Decomposition { values, combinations }
}

/// Rows in the order in which they are best named redundant: orientation before position,
/// later ones before earlier ones.
fn preferred(program: &Program) -> Vec<usize> {
    let mut order: Vec<usize> = (0..program.layout.rows.len()).collect();
    let rank = |row: &usize| match program.layout.rows[*row].kind {
        RowKind::Orientation => 0,
        RowKind::Position => 1,
        RowKind::Distance | RowKind::Nonholonomic => 2,
        RowKind::Coordinate | RowKind::Equation => 3,
    };
    order.sort_by_key(|row| (rank(row), std::cmp::Reverse(*row)));
    order
}

/// The largest distance of a frame or centre of mass from its body's origin, m; 1 if there is
/// none.
pub(crate) fn size(model: &Model) -> f64 {
    let defaults = Defaults::new(model);
    let points =
        model.frames.iter().map(|frame| &frame.position).chain(model.bodies.iter().map(|body| &body.com));
    let distances = points.filter_map(|point| {
        let square: Option<f64> = point.iter().map(|x| defaults.evaluate(x).map(|x| x * x)).sum();
        square.map(f64::sqrt).filter(|distance| distance.is_finite())
    });
    let largest = distances.fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// What is left of g, element by element, the widest first.
fn open(program: &Program, model: &Model, g: &[f64]) -> Vec<Open> {
    // Below this nobody would look for a mistake.
    const SHOWN: f64 = 1e-9;
    let mut elements: Vec<(Element, [f64; 3])> = Vec::new();
    for (row, value) in program.layout.rows.iter().zip(g) {
        let kind = match row.kind {
            RowKind::Position | RowKind::Distance => 0,
            RowKind::Orientation => 1,
            RowKind::Coordinate | RowKind::Equation | RowKind::Nonholonomic => 2,
        };
        match elements.iter_mut().find(|(element, _)| *element == row.element) {
            Some((_, squares)) => squares[kind] += value * value,
            None => {
                let mut squares = [0.0; 3];
                squares[kind] = value * value;
                elements.push((row.element, squares));
            }
        }
    }
    let mut list: Vec<Open> = elements
        .into_iter()
        .map(|(element, squares)| {
            let [distance_m, angle_rad, other] = squares.map(f64::sqrt);
            Open { element: element.name(model).to_owned(), distance_m, angle_rad, other }
        })
        .filter(|open| open.distance_m.max(open.angle_rad).max(open.other) > SHOWN)
        .collect();
    let width = |open: &Open| open.distance_m + open.angle_rad + open.other;
    list.sort_by(|a, b| width(b).total_cmp(&width(a)));
    list
}

/// The reference frame of a body.
fn reference(body: mbs_symbolic::ids::BodyId) -> FrameId {
    FrameId::new(body.index())
}
