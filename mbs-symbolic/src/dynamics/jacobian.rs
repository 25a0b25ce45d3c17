//! Derivatives of all residuals with respect to the state and the inputs.

use super::equations::Equations;
use crate::expr::{Derivative, Graph, Symbol};
use crate::ids::ExprId;

/// The residuals of the equations of motion at given v' and λ, one below the other:
///
/// ```text
/// ρ = f − M v' − Gᵀλ,   g,   G v + c,   a
/// ```
///
/// differentiated with respect to p, v, x and u side by side, column by column. Modes are
/// symbols and stay as they are; the derivative of a choice is the choice of the derivatives.
///
/// Derivatives are taken forward, one column after the other: in the reverse direction the
/// branch of a choice that is not taken would be multiplied by zero instead of being left
/// out, and may be infinite. M v' − f is differentiated as the one recursion it is, which
/// for a chain of twelve bodies takes two thirds of the operations M and f apart would.
///
/// `None` if the graph grows beyond `most_nodes`.
pub(super) fn jacobian(equations: &mut Equations, most_nodes: usize) -> Option<Vec<ExprId>> {
    let residuals = residuals(equations);
    let layout = &equations.layout;
    let counts = [layout.positions.len(), layout.velocities.len(), layout.states.len(), layout.inputs.len()];
    let kinds = [Symbol::P, Symbol::V, Symbol::X, Symbol::U];
    let symbols = kinds.into_iter().zip(counts).flat_map(|(kind, n)| (0..n as u32).map(kind));
    let graph = &mut equations.graph;
    let one = graph.one();
    let mut entries = Vec::with_capacity(residuals.len() * counts.iter().sum::<usize>());
    for symbol in symbols {
        let symbol = graph.symbol(symbol);
        let mut column = Derivative::new([(symbol, one)]);
        entries.extend(residuals.iter().map(|&residual| column.of(graph, residual)));
        if graph.len() > most_nodes {
            return None;
        }
    }
    Some(entries)
}

fn residuals(equations: &mut Equations) -> Vec<ExprId> {
    let n_v = equations.layout.velocities.len();
    let n_rows = equations.layout.rows.len();
    let graph = &mut equations.graph;
    let jac_g = &equations.constraint_jacobian;
    let lambda: Vec<ExprId> = (0..n_rows as u32).map(|k| graph.symbol(Symbol::Lambda(k))).collect();
    let v: Vec<ExprId> = (0..n_v as u32).map(|j| graph.symbol(Symbol::V(j))).collect();

    let mut list = Vec::with_capacity(n_v + equations.layout.n_g + n_rows + equations.auxiliary.len());
    for (needed, column) in equations.inverse_dynamics.iter().zip(columns(jac_g, n_rows, n_v)) {
        let reaction = dot(graph, column.iter().copied(), &lambda);
        let total = graph.add(*needed, reaction);
        list.push(graph.neg(total));
    }
    list.extend(&equations.constraints);
    for (k, drift) in equations.velocity_bias.iter().enumerate() {
        let moving = dot(graph, (0..n_v).map(|j| jac_g[k + n_rows * j]), &v);
        list.push(graph.add(moving, *drift));
    }
    list.extend(&equations.auxiliary);
    list
}

fn columns(matrix: &[ExprId], rows: usize, n: usize) -> impl Iterator<Item = &[ExprId]> {
    (0..n).map(move |j| &matrix[j * rows..(j + 1) * rows])
}

fn dot(graph: &mut Graph, a: impl Iterator<Item = ExprId>, b: &[ExprId]) -> ExprId {
    let terms: Vec<ExprId> = a.zip(b).map(|(a, &b)| graph.mul(a, b)).collect();
    graph.sum(terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Environment, evaluate};
    use crate::program::fixture;

    #[test]
    fn the_pendulum() {
        let mut equations = fixture::pendulum();
        let entries = jacobian(&mut equations, usize::MAX).expect("small enough");
        let environment = Environment {
            theta: &[2.0, 0.5, 9.81],
            p: &[0.3],
            v: &[1.0],
            u: &[0.25],
            v_dot: &[3.0],
            ..Environment::default()
        };
        let no_table = |_, _, _, _| unreachable!("the pendulum reads no table");
        let found = evaluate(&equations.graph, &environment, &no_table, &entries);
        // ρ = τ − m g l sin φ − m l² φ'' with respect to φ, φ' and τ.
        assert_eq!(found, [-(2.0 * 0.5 * 9.81) * mbs_math::cos(0.3), 0.0, 1.0]);
    }

    #[test]
    fn too_many_operations_are_refused() {
        let mut equations = fixture::pendulum();
        let nodes = equations.graph.len();
        assert_eq!(jacobian(&mut equations, nodes), None);
    }
}
