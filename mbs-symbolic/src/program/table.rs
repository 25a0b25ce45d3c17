//! Tables with the coefficients of their pieces.

use mbs_math::{Table, TableKind};

/// A table as the functions of a program read it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramTable {
    /// The table's name in the model.
    pub name: String,
    /// How it is read.
    pub kind: TableKind,
    /// Abscissae, strictly increasing.
    pub x: Vec<f64>,
    /// Cubic coefficients of each piece, in powers of the distance from its start.
    pub coefficients: Vec<[f64; 4]>,
}

impl ProgramTable {
    /// Value or derivative at an argument.
    pub fn read(&self, derivative: u8, at: f64) -> f64 {
        let table = Table { x: &self.x, coefficients: &self.coefficients };
        match self.kind {
            TableKind::Spline => mbs_math::spline(table, derivative, at),
            TableKind::Linear => mbs_math::linear(table, derivative, at),
        }
    }
}
