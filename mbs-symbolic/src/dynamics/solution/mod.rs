//! Forward dynamics: v' and λ as expressions.
//!
//! Trees are solved in two ways, of which the cheaper one is taken once both are optimised: LDLᵀ of M, and the
//! articulated body algorithm (ABA), which never forms M. With loops it is LDLᵀ of [M Gᵀ; G 0].

mod articulated;
mod elimination;
mod ordering;
mod presolve;
mod rod_end_mass;
mod rods;
mod rotors;
mod shared;

use super::equations::Equations;
use super::frame_choice::RewrittenTree;
use super::inverse_dynamics::wrenches;
use super::newton_euler::{Accelerations, Wrenches};
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, Id};
use crate::spatial::Vec3;
use elimination::Saddle;
use ordering::Plan;
pub(super) use presolve::Reduced;

/// A solution of more operations than this is left to the solvers of the runtime.
const MAX_OPERATIONS: usize = 200_000;

/// v' and λ of M v' + Gᵀλ = f, G v' = −z.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// How it is found.
    pub algorithm: Algorithm,
    /// v', n_v.
    pub v_dot: Vec<ExprId>,
    /// λ, n_λ.
    pub lambda: Vec<ExprId>,
    /// The pivots by unknown, n_v + n_λ: positive for velocities, negative for rows, and
    /// close to zero where the solution is not to be trusted.
    pub pivots: Vec<ExprId>,
}

/// How accelerations are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// Symmetric elimination without pivoting in [M Gᵀ; G 0], sparse as it is.
    Elimination,
    /// The recursion of articulated bodies.
    ArticulatedBodies,
}

impl Algorithm {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elimination => "elimination",
            Self::ArticulatedBodies => "articulated bodies",
        }
    }
}

/// What a solution needs that equations do not hold.
struct Tree<'a> {
    rewritten: &'a RewrittenTree,
    /// Net inertia wrench at each link where v' = 0, minus the applied wrench.
    wrenches: &'a Wrenches,
    applied: &'a Applied,
}

/// The ways to solve the equations; none if all are too long, or if a motion has no inertia by
/// the very form of M.
pub(super) fn solutions(
    equations: &mut Equations,
    rewritten: &[RewrittenTree],
    gravity: Vec3,
    applied: &Applied,
    reduced: &Reduced,
) -> Vec<Solution> {
    let (n_v, n_rows) = (equations.layout.velocities.len(), equations.layout.rows.len());
    let mut list = Vec::new();
    let mut worth = MAX_OPERATIONS;
    let graph = &mut equations.graph;
    let mut articulated = || {
        let solve = |rewritten: &RewrittenTree| {
            let wrenches = wrenches(graph, rewritten, gravity, Accelerations::Bias, applied);
            articulated::solve(graph, &Tree { rewritten, wrenches: &wrenches, applied }, n_v)
        };
        let found: Vec<Solution> = rewritten.iter().filter_map(solve).collect();
        found.into_iter().min_by_key(|found| graph.operations(&found.v_dot))
    };
    if n_rows == 0
        && let Some(found) = articulated()
    {
        let size = size(&equations.graph, &found.v_dot);
        if size <= MAX_OPERATIONS {
            worth = worth.min(size + size / 2);
            list.push(found);
        }
    }
    let formed = size(&equations.graph, equations.mass_matrix.iter().chain(&equations.forces));
    // What is much longer before it is optimised will not be shorter afterwards.
    let is_worth_it =
        |operations: usize| operations <= MAX_OPERATIONS && (list.is_empty() || formed + operations <= worth);
    if reduced.operations.is_some_and(is_worth_it) {
        let mut saddle = Saddle::new(equations, &reduced.mass_matrix, &reduced.forces);
        let graph = &mut equations.graph;
        let eliminated = reduced.eliminate(graph, &mut saddle);
        let plan = Plan::new(&saddle.pattern(), n_v, &reduced.unknowns(), usize::MAX);
        list.extend(plan.and_then(|plan| saddle.solve(graph, &plan, &eliminated)));
    }
    list
}

/// Number of nodes some expressions need.
fn size<'a>(graph: &Graph, roots: impl IntoIterator<Item = &'a ExprId>) -> usize {
    let mut needed = vec![false; graph.len()];
    for root in roots {
        needed[root.index()] = true;
    }
    for index in (0..needed.len()).rev() {
        if needed[index] {
            for operand in graph.node(ExprId::new(index)).operands() {
                needed[operand.index()] = true;
            }
        }
    }
    needed.into_iter().filter(|&needed| needed).count()
}

#[cfg(test)]
mod testing {
    use std::collections::BTreeSet;

    /// The unknowns each of n is coupled to, from pairs.
    pub(super) fn coupled(n: usize, pairs: &[(usize, usize)]) -> Vec<BTreeSet<usize>> {
        let mut all = vec![BTreeSet::new(); n];
        for &(i, j) in pairs {
            all[i].insert(j);
            all[j].insert(i);
        }
        all
    }
}
