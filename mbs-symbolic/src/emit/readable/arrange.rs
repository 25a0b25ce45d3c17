//! From chosen quantities and blocks to trees.

use super::names::{Names, SymbolNames};
use super::quantities::Chosen;
use super::{Block, BlockKind, Entries, Entry, Level, Quantity, Readable, Tree};
use crate::dynamics::Equations;
use crate::expr::{BinaryOp, Graph, Node, UnaryOp};
use crate::ids::ExprId;
use rustc_hash::FxHashMap;

struct Arranger<'a> {
    graph: &'a Graph,
    index: FxHashMap<ExprId, usize>,
    levels: Vec<Level>,
}

pub(super) fn arrange(
    equations: &Equations,
    blocks: Vec<(BlockKind, Entries)>,
    chosen: Vec<Chosen>,
) -> Readable<'_> {
    let arranger = Arranger {
        graph: &equations.graph,
        index: chosen.iter().enumerate().map(|(index, quantity)| (quantity.expr, index)).collect(),
        levels: chosen.iter().map(|quantity| quantity.level).collect(),
    };
    let mut names = Names::default();
    let symbols = SymbolNames::new(equations, &mut names);
    let mut numbers = FxHashMap::default();
    let quantities = chosen
        .iter()
        .map(|quantity| {
            let name = match &quantity.name {
                Some(name) => names.claim(name),
                None => {
                    let number = numbers.entry(quantity.level).or_insert((names.prefix(quantity.level), 0));
                    number.1 += 1;
                    names.claim(&format!("{}{}", number.0, number.1))
                }
            };
            Quantity { name, level: quantity.level, value: arranger.spelled_out(quantity.expr) }
        })
        .collect();
    let blocks = blocks
        .into_iter()
        .map(|(kind, entries)| {
            let entries = entries.into_iter();
            let entries = entries.map(|(index, expr)| Entry { index, value: arranger.tree(expr) });
            Block { kind, entries: entries.collect() }
        })
        .collect();
    Readable { equations, quantities, blocks, symbols }
}

impl Arranger<'_> {
    /// The expression, by its name if it has one.
    fn tree(&self, expr: ExprId) -> Tree {
        match self.index.get(&expr) {
            Some(&index) => Tree::Quantity(index),
            None => self.spelled_out(expr),
        }
    }

    /// The expression as operations. Recursion ends at named quantities, see
    /// `quantities::DEEP`.
    fn spelled_out(&self, expr: ExprId) -> Tree {
        let level = |index: usize| self.levels[index];
        match self.graph.node(expr) {
            Node::Constant(bits) => Tree::number(bits.get()),
            Node::Symbol(symbol) => Tree::Symbol(symbol),
            Node::Unary(UnaryOp::Neg, a) => self.tree(a).negated(),
            Node::Unary(UnaryOp::Not, a) => Tree::Not(Box::new(self.tree(a))),
            Node::Unary(op, a) => Tree::Function(op, Box::new(self.tree(a))),
            Node::Binary(op, a, b) => {
                let (a, b) = (self.tree(a), self.tree(b));
                match op {
                    BinaryOp::Add => Tree::add(a, b, false),
                    BinaryOp::Sub => Tree::add(a, b, true),
                    BinaryOp::Mul => Tree::multiply(a, b, false, &level),
                    BinaryOp::Div => Tree::multiply(a, b, true, &level),
                    BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Mod => Tree::Function2(op, Box::new([a, b])),
                    BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::And | BinaryOp::Or => {
                        Tree::Logic(op, Box::new([a, b]))
                    }
                }
            }
            Node::Select(c, a, b) => Tree::Select(Box::new([self.tree(c), self.tree(a), self.tree(b)])),
            Node::Table { table, kind, derivative, at } => {
                Tree::Table { table, kind, derivative, at: Box::new(self.tree(at)) }
            }
        }
    }
}
