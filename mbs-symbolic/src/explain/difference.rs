//! Which equations of two models differ, and which elements make the difference.

use super::entry;
use super::fingerprint::{Fingerprints, symbol_name};
use super::tables::Tables;
use crate::diag::Span;
use crate::dynamics::{Element, Equations, Part, Quantity};
use crate::expr::{Environment, Symbol, evaluate};
use crate::ids::ExprId;
use crate::model::Model;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What happened on the way from the first model to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it says")]
pub enum Change {
    Added,
    Removed,
    Changed,
}

/// What two models differ in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Entries of M, f, g, G, c, z, a and outputs that have another value.
    pub entries: Vec<ChangedEntry>,
    /// Entries that are written differently and have the same value at random states.
    pub rewritten: Vec<String>,
    /// Derived parameters, defaults of inputs, initial values and conditions that differ.
    pub others: Vec<(String, Change)>,
    /// Given parameters that were added, removed or have another default.
    pub parameters: Vec<ParameterChange>,
}

/// An entry that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedEntry {
    /// `f[phi]`.
    pub name: String,
    /// Whether it was or became zero.
    pub change: Change,
    /// What makes the difference.
    pub elements: Vec<ChangedElement>,
}

/// An element that adds something else to an entry than before.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedElement {
    /// `body`, `force`, …
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// How it adds to the entry.
    pub part: Part,
    /// Whether it adds to the entry for the first time, no more, or something else.
    pub change: Change,
    /// Where it is defined in the first and in the second model.
    pub spans: [Option<Span>; 2],
}

/// A given parameter that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterChange {
    /// Its name.
    pub name: String,
    /// Default in the first model.
    pub before: Option<f64>,
    /// Default in the second model.
    pub after: Option<f64>,
}

impl Comparison {
    /// Whether the two models have the same equations, parameters and initial values.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.others.is_empty() && self.parameters.is_empty()
    }
}

/// Compares two models whose equations were built with their contributions.
pub fn compare(models: [&Model; 2], equations: [&Equations; 2]) -> Comparison {
    let sides = [0, 1].map(|k| Side::new(models[k], equations[k]));
    let mut comparison = Comparison { parameters: parameters(equations), ..Comparison::default() };
    for (key, [before, after]) in paired([&sides[0].entries, &sides[1].entries]) {
        let terms = [before, after].map(|terms| terms.map(Vec::as_slice).unwrap_or_default());
        let elements = changed_elements(&sides, terms);
        if elements.is_empty() {
            continue;
        }
        let change = match terms {
            [[], _] => Change::Added,
            [_, []] => Change::Removed,
            _ => Change::Changed,
        };
        let name = key.name.clone();
        if change == Change::Changed && same_value(&sides, terms) {
            comparison.rewritten.push(name);
        } else {
            comparison.entries.push(ChangedEntry { name, change, elements });
        }
    }
    for (name, pair) in paired([&sides[0].others, &sides[1].others]) {
        match pair {
            [Some(a), Some(b)] if a == b => {}
            [Some(_), Some(_)] => comparison.others.push((name.1.clone(), Change::Changed)),
            [Some(_), None] => comparison.others.push((name.1.clone(), Change::Removed)),
            _ => comparison.others.push((name.1.clone(), Change::Added)),
        }
    }
    comparison
}

/// An entry in an order people expect: by quantity, then as in the first model that has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct EntryKey {
    family: u8,
    name: String,
}

/// A term of an entry by what it means.
struct Term {
    element: Element,
    part: Part,
    value: ExprId,
    fingerprint: u64,
}

/// One of the two models.
struct Side<'a> {
    model: &'a Model,
    equations: &'a Equations,
    entries: BTreeMap<EntryKey, Vec<Term>>,
    others: BTreeMap<(u8, String), u64>,
}

impl<'a> Side<'a> {
    fn new(model: &'a Model, equations: &'a Equations) -> Self {
        let fingerprints = Fingerprints::of(equations);
        let layout = &equations.layout;
        let mut entries: BTreeMap<EntryKey, Vec<Term>> = BTreeMap::new();
        for term in &equations.contributions {
            let family = match term.quantity {
                Quantity::Mass(i, j) => {
                    // One triangle, whatever the order of the coordinates is.
                    if layout.velocities[i as usize] > layout.velocities[j as usize] {
                        continue;
                    }
                    0
                }
                Quantity::Force(_) => 1,
                Quantity::Constraint(_) => 2,
                Quantity::Jacobian(..) => 3,
                Quantity::VelocityBias(_) => 4,
                Quantity::AccelerationBias(_) => 5,
                Quantity::Auxiliary(_) => 6,
                Quantity::Output(_) => 7,
                Quantity::KineticEnergy | Quantity::PotentialEnergy => continue,
            };
            let fingerprint = fingerprints.get(term.value);
            if fingerprint == 0 {
                continue;
            }
            let key = EntryKey { family, name: entry::name(term.quantity, layout) };
            let (element, part, value) = (term.element, term.part, term.value);
            entries.entry(key).or_default().push(Term { element, part, value, fingerprint });
        }
        let mut others = BTreeMap::new();
        let mut put = |order: u8, name: String, expr: ExprId| {
            others.insert((order, name), fingerprints.get(expr));
        };
        for (name, &expr) in layout.derived.iter().zip(&equations.derived) {
            put(0, format!("derived parameter {name}"), expr);
        }
        for (slot, &expr) in layout.inputs.iter().zip(&equations.input_defaults) {
            if slot.derivative == 0 {
                put(1, format!("default of input {}", slot.name), expr);
            }
        }
        let [p, v, x] = &equations.initial;
        let initial = [
            ("position", &layout.positions, p),
            ("velocity", &layout.velocities, v),
            ("state", &layout.states, x),
        ];
        for (what, names, list) in initial {
            for (name, &expr) in names.iter().zip(list) {
                put(2, format!("initial {what} {name}"), expr);
            }
        }
        for (mode, &expr) in layout.modes.iter().zip(&equations.switching) {
            put(3, format!("condition of {}", mode.name), expr);
        }
        Self { model, equations, entries, others }
    }
}

/// What either has, in order, with what the one and the other say of it.
fn paired<K: Ord, V>(sides: [&BTreeMap<K, V>; 2]) -> BTreeMap<&K, [Option<&V>; 2]> {
    let mut pairs: BTreeMap<&K, [Option<&V>; 2]> = BTreeMap::new();
    for (k, side) in sides.into_iter().enumerate() {
        for (key, value) in side {
            pairs.entry(key).or_default()[k] = Some(value);
        }
    }
    pairs
}

fn changed_elements(sides: &[Side<'_>; 2], terms: [&[Term]; 2]) -> Vec<ChangedElement> {
    type Key<'k> = (&'static str, &'k str, Part);
    let mut order: Vec<Key<'_>> = Vec::new();
    let mut found: FxHashMap<Key<'_>, [Option<&Term>; 2]> = FxHashMap::default();
    for (k, terms) in terms.into_iter().enumerate() {
        for term in terms {
            let key = (term.element.kind(), term.element.name(sides[k].model), term.part);
            let pair = found.entry(key).or_insert_with(|| {
                order.push(key);
                [None, None]
            });
            pair[k] = Some(term);
        }
    }
    let changed = order.into_iter().filter_map(|key| {
        let pair = found[&key];
        let change = match pair {
            [Some(a), Some(b)] if a.fingerprint == b.fingerprint => return None,
            [Some(_), Some(_)] => Change::Changed,
            [Some(_), None] => Change::Removed,
            _ => Change::Added,
        };
        let (kind, name, part) = key;
        let span = |k: usize| pair[k].map(|term| term.element.span(sides[k].model));
        Some(ChangedElement { kind, name: name.to_owned(), part, change, spans: [span(0), span(1)] })
    });
    changed.collect()
}

/// Whether two entries agree at random states to all digits that count: elements may be computed
/// in other axes when something else in the model changes.
fn same_value(sides: &[Side<'_>; 2], terms: [&[Term]; 2]) -> bool {
    const TOLERANCE: f64 = 1e-10;
    (0..3).all(|draw| {
        let [a, b] = [0, 1].map(|k| {
            let roots: Vec<ExprId> = terms[k].iter().map(|term| term.value).collect();
            let values = at_random(sides, k, draw, &roots);
            let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            (values.iter().sum::<f64>(), largest)
        });
        let scale = a.1.max(b.1);
        scale.is_finite() && (a.0 - b.0).abs() <= TOLERANCE * scale
    })
}

/// Values of expressions of one side, with the same value per name on both sides.
fn at_random(sides: &[Side<'_>; 2], k: usize, draw: u64, roots: &[ExprId]) -> Vec<f64> {
    let equations = sides[k].equations;
    let layout = &equations.layout;
    // Between 0.3 and 1.3: no angle is right, no length vanishes.
    let random = |symbol: Symbol| {
        let name = format!("{draw} {}", symbol_name(equations, symbol));
        let bits = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        0.3 + (bits >> 11) as f64 / (1_u64 << 53) as f64
    };
    let list = |count: usize, symbol: fn(u32) -> Symbol| -> Vec<f64> {
        (0..count as u32).map(|i| random(symbol(i))).collect()
    };
    let theta: Vec<f64> = layout
        .parameters
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let first = &sides[0].equations.layout;
            let default = match first.parameters.iter().position(|other| other == name) {
                Some(other) => first.parameter_defaults[other],
                None => layout.parameter_defaults[i],
            };
            let factor = random(Symbol::Theta(i as u32));
            if default == 0.0 { factor } else { default * (0.9 + 0.1 * factor) }
        })
        .collect();
    let (p, v, x) = (
        list(layout.positions.len(), Symbol::P),
        list(layout.velocities.len(), Symbol::V),
        list(layout.states.len(), Symbol::X),
    );
    let u = list(layout.inputs.len(), Symbol::U);
    let v_dot = list(layout.velocities.len(), Symbol::VDot);
    let lambda = list(layout.rows.len(), Symbol::Lambda);
    let modes: Vec<bool> = layout.modes.ids().map(|id| random(Symbol::Mode(id)) > 0.8).collect();
    let environment = Environment {
        theta: &theta,
        t: random(Symbol::Time),
        p: &p,
        v: &v,
        x: &x,
        u: &u,
        modes: &modes,
        v_dot: &v_dot,
        lambda: &lambda,
    };
    let tables = Tables::of(equations);
    evaluate(
        &equations.graph,
        &environment,
        &|id, kind, derivative, at| tables.read(id, kind, derivative, at),
        roots,
    )
}

fn parameters([before, after]: [&Equations; 2]) -> Vec<ParameterChange> {
    let (before, after) = (&before.layout, &after.layout);
    let default = |layout: &crate::dynamics::Layout, name: &str| {
        let index = layout.parameters.iter().position(|known| known == name)?;
        Some(layout.parameter_defaults[index])
    };
    let new = after.parameters.iter().filter(|name| !before.parameters.contains(name));
    let changes = before.parameters.iter().chain(new).map(|name| ParameterChange {
        name: name.clone(),
        before: default(before, name),
        after: default(after, name),
    });
    changes.filter(|change| change.before != change.after).collect()
}
