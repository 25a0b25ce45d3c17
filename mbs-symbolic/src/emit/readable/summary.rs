//! A large model in short.

use crate::dynamics::Equations;
use crate::ids::ExprId;
use std::fmt::Write;

/// Widest matrix drawn dot by dot.
const LARGEST_PICTURE: usize = 96;

/// Dimensions and sparsity of the equations: what can still be read of a model whose
/// equations are too long to read.
pub fn summary(equations: &Equations) -> String {
    let layout = &equations.layout;
    let (n_p, n_v, n_lambda) = (layout.positions.len(), layout.velocities.len(), layout.rows.len());
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Too long to write out (more than {} intermediate quantities). In short:\n",
        super::LONGEST
    );
    let _ = writeln!(
        out,
        "  n_p = {n_p}, n_v = {n_v}, n_g = {}, n_lambda = {n_lambda}, n_x = {}",
        layout.n_g,
        layout.states.len()
    );
    let _ = writeln!(out, "  {} parameters, {} nodes", layout.parameters.len(), equations.graph.len());
    picture(&mut out, equations, "M", &equations.mass_matrix, n_v, n_v);
    if n_lambda > 0 {
        picture(&mut out, equations, "G", &equations.constraint_jacobian, n_lambda, n_v);
    }
    out
}

/// A column-major matrix: `x` an expression, `1` a number, `.` zero.
fn picture(
    out: &mut String,
    equations: &Equations,
    name: &str,
    matrix: &[ExprId],
    rows: usize,
    columns: usize,
) {
    let graph = &equations.graph;
    let filled = matrix.iter().filter(|&&entry| !graph.is_zero(entry)).count();
    let _ = writeln!(out, "\n{name}, {rows} x {columns}, {filled} entries not zero");
    if columns > LARGEST_PICTURE || rows > LARGEST_PICTURE {
        return;
    }
    for row in 0..rows {
        out.push_str("  ");
        for column in 0..columns {
            let entry = matrix[row + rows * column];
            out.push(match graph.as_constant(entry) {
                Some(0.0) => '.',
                Some(_) => '1',
                None => 'x',
            });
        }
        out.push('\n');
    }
}
