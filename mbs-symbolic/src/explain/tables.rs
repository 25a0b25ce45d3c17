//! The tables of a model, ready to be read by expressions.

use crate::dynamics::Equations;
use crate::ids::{IdVec, TableId};
use crate::model::pieces;
use crate::program::ProgramTable;
use mbs_math::TableKind;

/// Every table of a model, to be read either way.
#[derive(Debug, Clone)]
pub struct Tables(IdVec<TableId, [ProgramTable; 2]>);

impl Tables {
    /// The tables of a model.
    pub fn of(equations: &Equations) -> Self {
        let tables = equations.tables.iter().map(|table| {
            [TableKind::Spline, TableKind::Linear].map(|kind| {
                let (x, coefficients) = pieces(table, kind);
                ProgramTable { name: table.name.text.clone(), kind, x, coefficients }
            })
        });
        Self(tables.collect())
    }

    /// Value or derivative at an argument.
    pub fn read(&self, table: TableId, kind: TableKind, derivative: u8, at: f64) -> f64 {
        let [spline, linear] = &self.0[table];
        match kind {
            TableKind::Spline => spline.read(derivative, at),
            TableKind::Linear => linear.read(derivative, at),
        }
    }
}
