//! Where a model reads its tables, and whether it does so outside their points.

use super::Tables;
use crate::dynamics::{Equations, ModeCondition, readings};
use crate::expr::{Environment, Graph, Node, evaluate};
use crate::ids::{ExprId, Id, IdVec, ModeId, TableId};
use crate::model::Outside;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Nearer to its points, as a part of their span, a table counts as read at its end: a position
/// that a motion brings there is off by rounding and by what projection leaves.
const ROUNDING: f64 = 1e-9;

/// Every place at which a model reads a table that says something outside its points.
#[derive(Debug, Clone)]
pub struct Readings {
    /// What arguments depend on, and nothing else.
    graph: Graph,
    tables: Tables,
    arguments: Vec<ExprId>,
    /// For each argument its table, and when it is read: while all conditions of one of the
    /// alternatives hold.
    places: Vec<(TableId, Vec<Vec<ModeCondition>>)>,
    ends: IdVec<TableId, Ends>,
}

/// A table, and where its points begin and end.
#[derive(Debug, Clone, PartialEq)]
pub struct Ends {
    /// Its name.
    pub table: String,
    /// Its first x.
    pub from: f64,
    /// Its last x.
    pub to: f64,
    /// What it is outside.
    pub outside: Outside,
}

impl Readings {
    /// The readings of a model; `None` if there are none.
    pub fn of(equations: &Equations) -> Option<Self> {
        if equations.tables.is_empty() {
            return None;
        }
        let poses = equations.poses.iter();
        let poses = poses.flat_map(|pose| pose.rot_wb.iter().flatten().chain(&pose.r_wb_w)).copied();
        let used = equations.forces.iter().chain(&equations.auxiliary).chain(&equations.outputs);
        let used = used.chain(&equations.constraints).chain(&equations.input_defaults).copied().chain(poses);
        let switching: IdVec<ModeId, ExprId> = equations.switching.iter().copied().collect();
        let mut places = Vec::new();
        let mut roots = Vec::new();
        for (id, alternatives) in readings(&equations.graph, &switching, used) {
            let Node::Table { table, at, .. } = equations.graph.node(id) else { continue };
            let frozen = equations.frozen_readings.iter().find(|frozen| frozen.start == at);
            let (table, at) = frozen.map_or((table, at), |frozen| (frozen.table, frozen.argument));
            // Its end is told by the run itself.
            if equations.tables[table].outside == Outside::Error {
                continue;
            }
            roots.push(at);
            places.push((table, alternatives));
        }
        if roots.is_empty() {
            return None;
        }
        let (graph, arguments) = part(&equations.graph, &roots);
        let ends = equations.tables.iter().map(|table| Ends {
            table: table.name.text.clone(),
            from: table.x.first().copied().unwrap_or(f64::NEG_INFINITY),
            to: table.x.last().copied().unwrap_or(f64::INFINITY),
            outside: table.outside,
        });
        Some(Self { graph, tables: Tables::of(equations), arguments, places, ends: ends.collect() })
    }

    /// Tables that are read outside their points at a state, in the order of the model, each with the
    /// argument farthest out.
    pub fn outside(&self, environment: &Environment<'_>) -> Vec<(&Ends, f64)> {
        let read = |id, kind, derivative, at| self.tables.read(id, kind, derivative, at);
        let values = evaluate(&self.graph, environment, &read, &self.arguments);
        let holds = |condition: &ModeCondition| environment.modes[condition.mode.index()] == condition.holds;
        let mut found: BTreeMap<usize, f64> = BTreeMap::new();
        for ((table, alternatives), at) in self.places.iter().zip(values) {
            let ends = &self.ends[*table];
            let distance = |at: f64| f64::max(ends.from - at, at - ends.to);
            let used = || alternatives.iter().any(|all| all.iter().all(holds));
            // What is not a number is told of elsewhere.
            if !(distance(at) > ROUNDING * (ends.to - ends.from) && used()) {
                continue;
            }
            let farthest = found.entry(table.index()).or_insert(at);
            if distance(at) > distance(*farthest) {
                *farthest = at;
            }
        }
        found.into_iter().map(|(table, at)| (&self.ends[TableId::new(table)], at)).collect()
    }
}

/// A graph of what `roots` use, and the roots in it.
fn part(whole: &Graph, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
    let mut graph = Graph::new();
    let mut needed: Vec<bool> = vec![false; whole.len()];
    for root in roots {
        needed[root.index()] = true;
    }
    for index in (0..whole.len()).rev() {
        if needed[index] {
            for operand in whole.node(ExprId::new(index)).operands() {
                needed[operand.index()] = true;
            }
        }
    }
    let mut places: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for index in (0..whole.len()).filter(|&index| needed[index]) {
        let id = ExprId::new(index);
        let at = |id: ExprId| places[&id];
        let copy = match whole.node(id) {
            Node::Constant(bits) => graph.constant(bits.get()),
            Node::Symbol(symbol) => graph.symbol(symbol),
            Node::Unary(op, a) => graph.unary(op, at(a)),
            Node::Binary(op, a, b) => graph.binary(op, at(a), at(b)),
            Node::Select(condition, a, b) => graph.select(at(condition), at(a), at(b)),
            Node::Table { table, kind, derivative, at: argument } => {
                graph.table(table, kind, derivative, at(argument))
            }
        };
        places.insert(id, copy);
    }
    (graph, roots.iter().map(|root| places[root]).collect())
}
