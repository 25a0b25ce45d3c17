//! Names of symbols and quantities, no two alike.

use super::Level;
use crate::dynamics::Equations;
use crate::expr::Symbol;
use crate::ids::Id;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names that are taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// `wanted`, or with the first number that makes it new.
    pub(super) fn claim(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }

    /// A letter for numbered quantities of this level, no name of the model being
    /// that letter with a number.
    pub(super) fn prefix(&self, level: Level) -> &'static str {
        let candidates = match level {
            Level::Parameters => ["k", "c", "b", "const"],
            Level::Positions => ["h", "d", "e", "pos"],
            Level::Velocities => ["w", "y", "s", "vel"],
            Level::Accelerations => ["a", "r", "o", "acc"],
        };
        let free = |prefix: &&&str| !(1..=9).any(|n| self.taken.contains(&format!("{prefix}{n}")));
        candidates.iter().find(free).copied().unwrap_or(candidates[3])
    }
}

/// How every symbol is spelled in text.
#[derive(Debug, Clone, Default)]
pub(crate) struct SymbolNames {
    names: FxHashMap<Symbol, String>,
}

impl SymbolNames {
    /// Names all symbols of a model; names of the model come first, so that those made
    /// here (`phi_dot`) give way.
    pub(super) fn new(equations: &Equations, names: &mut Names) -> Self {
        let layout = &equations.layout;
        let mut list = Self::default();
        let mut put = |symbol: Symbol, wanted: &str, names: &mut Names| {
            let name = names.claim(wanted);
            list.names.insert(symbol, name);
        };
        put(Symbol::Time, "t", names);
        for (i, name) in numbered(&layout.parameters) {
            put(Symbol::Theta(i), name, names);
        }
        for (i, name) in numbered(&layout.positions) {
            put(Symbol::P(i), name, names);
        }
        for (i, name) in numbered(&layout.states) {
            put(Symbol::X(i), name, names);
        }
        for derivative in [0, 1, 2] {
            for (i, slot) in (0..).zip(&layout.inputs) {
                if slot.derivative == derivative {
                    let suffix = ["", "_dot", "_ddot"][usize::from(derivative)];
                    put(Symbol::U(i), &format!("{}{suffix}", slot.name), names);
                }
            }
        }
        for (i, name) in numbered(&layout.velocities) {
            if layout.positions.contains(name) {
                put(Symbol::V(i), &format!("{name}_dot"), names);
                put(Symbol::VDot(i), &format!("{name}_ddot"), names);
            } else {
                put(Symbol::V(i), name, names);
                put(Symbol::VDot(i), &format!("{name}_dot"), names);
            }
        }
        for (mode, entry) in layout.modes.iter_enumerated() {
            put(Symbol::Mode(mode), &entry.name, names);
        }
        for (i, row) in (0..).zip(&layout.rows) {
            put(Symbol::Lambda(i), &format!("lambda[{}]", row.name), names);
        }
        list
    }

    /// The name of a symbol of the model.
    pub(crate) fn get(&self, symbol: Symbol) -> &str {
        self.names.get(&symbol).map_or("?", String::as_str)
    }
}

fn numbered(names: &[String]) -> impl Iterator<Item = (u32, &String)> {
    (0..).zip(names)
}

/// Where a symbol stands among the others of its kind, for the order of factors.
pub(super) fn rank(symbol: Symbol) -> usize {
    match symbol {
        Symbol::Time => 0,
        Symbol::Theta(i)
        | Symbol::P(i)
        | Symbol::V(i)
        | Symbol::X(i)
        | Symbol::U(i)
        | Symbol::VDot(i)
        | Symbol::Lambda(i) => i as usize,
        Symbol::Mode(mode) => mode.index(),
    }
}

/// What a symbol makes an expression depend on.
pub(super) fn level(symbol: Symbol) -> Level {
    match symbol {
        Symbol::Theta(_) => Level::Parameters,
        Symbol::Time | Symbol::P(_) => Level::Positions,
        Symbol::V(_) | Symbol::X(_) | Symbol::U(_) | Symbol::Mode(_) => Level::Velocities,
        Symbol::VDot(_) | Symbol::Lambda(_) => Level::Accelerations,
    }
}
