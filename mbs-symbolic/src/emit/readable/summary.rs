//! A large model in short.

use crate::dynamics::Equations;
use crate::expr::{CostClass, Node};
use crate::ids::{ExprId, Id};
use std::fmt::Write;

/// Widest matrix drawn dot by dot.
const MAX_PICTURE: usize = 96;

/// Dimensions and sparsity of the equations: what can still be read of a model whose
/// equations are too long to read.
pub fn summary(equations: &Equations) -> String {
    let layout = &equations.layout;
    let (n_p, n_v, n_lambda) = (layout.positions.len(), layout.velocities.len(), layout.rows.len());
    let mut out = String::new();
    let _ = writeln!(out, "Too long to write out; in short:\n");
    let _ = writeln!(
        out,
        "  n_p = {n_p}, n_v = {n_v}, n_g = {}, n_lambda = {n_lambda}, n_x = {}",
        layout.n_g,
        layout.states.len()
    );
    let [add, mul, div, sqrt, trig, other] = operations(equations);
    let _ = writeln!(
        out,
        "  operations before optimisation: {add} add, {mul} mul, {div} div, {sqrt} sqrt, {trig} sin or cos, \
         {other} other"
    );
    picture(&mut out, equations, "M", &equations.mass_matrix, n_v, n_v);
    if n_lambda > 0 {
        picture(&mut out, equations, "G", &equations.constraint_jacobian, n_lambda, n_v);
    }
    out
}

/// Operations of all blocks, shared ones once.
fn operations(equations: &Equations) -> [usize; 6] {
    let graph = &equations.graph;
    let blocks = super::blocks(equations);
    let mut needed = vec![false; graph.len()];
    for (_, expr) in blocks.iter().flat_map(|(_, entries)| entries) {
        needed[expr.index()] = true;
    }
    let mut counts = [0; 6];
    for index in (0..needed.len()).rev() {
        if !needed[index] {
            continue;
        }
        let node = graph.node(ExprId::new(index));
        for operand in node.operands() {
            needed[operand.index()] = true;
        }
        let class = match node {
            Node::Constant(_) | Node::Symbol(_) => CostClass::Free,
            Node::Unary(op, _) => op.cost(),
            Node::Binary(op, ..) => op.cost(),
            Node::Select(..) | Node::Table { .. } => CostClass::Other,
        };
        match class {
            CostClass::Free => {}
            CostClass::Add => counts[0] += 1,
            CostClass::Mul => counts[1] += 1,
            CostClass::Div => counts[2] += 1,
            CostClass::Sqrt => counts[3] += 1,
            CostClass::Trig => counts[4] += 1,
            CostClass::Other => counts[5] += 1,
        }
    }
    counts
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
    if columns > MAX_PICTURE || rows > MAX_PICTURE {
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
