//! Where the work of force elements goes: generalised forces that no potential energy accounts for,
//! and the balance of power of each element.

use super::tables::Tables;
use crate::dynamics::{Element, Equations, Part, Quantity};
use crate::expr::{Derivative, Environment, Symbol, evaluate, gradient};
use crate::ids::ExprId;

/// Damping, friction, drives: what force elements do along every velocity beyond the descent of
/// their potential energy, as expressions added to the graph.
///
/// ```text
/// Q = Σ applied + Tᵀ ∂V/∂p
/// ```
///
/// The equations must have been built with their contributions.
pub fn forces_without_potential(equations: &mut Equations) -> Vec<ExprId> {
    let n_v = equations.layout.velocities.len();
    let n_p = equations.layout.positions.len();
    let graph = &mut equations.graph;
    let mut forces = vec![graph.zero(); n_v];
    let mut potential = graph.zero();
    for term in equations.contributions.iter().filter(|term| term.part == Part::Applied) {
        match term.quantity {
            Quantity::Force(i) => forces[i as usize] = graph.add(forces[i as usize], term.value),
            Quantity::PotentialEnergy => potential = graph.add(potential, term.value),
            _ => {}
        }
    }
    let positions: Vec<ExprId> = (0..n_p).map(|i| graph.symbol(Symbol::P(i as u32))).collect();
    let slopes = gradient(graph, potential, &positions);
    for (j, force) in forces.iter_mut().enumerate() {
        for (i, &slope) in slopes.iter().enumerate() {
            let term = graph.mul(equations.kinematic_matrix[i + n_p * j], slope);
            *force = graph.add(*force, term);
        }
    }
    forces
}

/// The power of one force element, joints and roads that move by themselves standing still:
/// Σ applied + stored + dissipated = 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForcePower {
    /// The element.
    pub element: Element,
    /// Its generalised force times each velocity.
    pub applied: Vec<ExprId>,
    /// The rate of the energy it stores.
    pub stored: ExprId,
    /// What its dampers take.
    pub dissipated: ExprId,
}

/// The powers of all force elements whose laws the compiler knows, as expressions added to the graph.
///
/// The equations must have been built with their contributions.
pub fn force_powers(equations: &mut Equations) -> Vec<ForcePower> {
    let graph = &mut equations.graph;
    let rates = equations.p_dot.iter().enumerate();
    let rates: Vec<(ExprId, ExprId)> =
        rates.map(|(i, &rate)| (graph.symbol(Symbol::P(i as u32)), rate)).collect();
    let mut along = Derivative::new(rates);
    let mut powers = Vec::new();
    for &(element, dissipated) in &equations.dissipation {
        let mut applied = Vec::new();
        let mut stored = graph.zero();
        let own = |term: &&crate::dynamics::Contribution| term.element == element;
        for term in equations.contributions.iter().filter(own) {
            match term.quantity {
                Quantity::Force(i) => {
                    let v = graph.symbol(Symbol::V(i));
                    applied.push(graph.mul(v, term.value));
                }
                Quantity::PotentialEnergy => stored = along.of(graph, term.value),
                _ => {}
            }
        }
        powers.push(ForcePower { element, applied, stored, dissipated });
    }
    powers
}

/// Whether all applied forces have a potential, decided at random states with all modes off
/// and all on.
pub fn is_conservative(equations: &mut Equations) -> bool {
    let rest = forces_without_potential(equations);
    let applied: Vec<ExprId> = equations
        .contributions
        .iter()
        .filter(|term| term.part == Part::Applied && matches!(term.quantity, Quantity::Force(_)))
        .map(|term| term.value)
        .collect();
    let layout = &equations.layout;
    let tables = Tables::of(equations);
    // A low-discrepancy sequence: any numbers that are not special do.
    let mut k = 0_u32;
    let mut list = |count: usize| -> Vec<f64> {
        let mut next = || {
            k += 1;
            0.2 + (f64::from(k) * 0.618_033_988_749_895) % 1.0
        };
        (0..count).map(|_| next()).collect()
    };
    (0..6).all(|round| {
        let modes = vec![round % 2 == 1; layout.modes.len()];
        let (p, v) = (list(layout.positions.len()), list(layout.velocities.len()));
        let (x, u) = (list(layout.states.len()), list(layout.inputs.len()));
        let environment = Environment {
            theta: &layout.parameter_defaults,
            t: 0.3,
            p: &p,
            v: &v,
            x: &x,
            u: &u,
            modes: &modes,
            ..Environment::default()
        };
        let read = |id, kind, derivative, at| tables.read(id, kind, derivative, at);
        let largest = |roots: &[ExprId]| {
            let values = evaluate(&equations.graph, &environment, &read, roots);
            values.iter().fold(
                0.0,
                |largest: f64, value| {
                    if value.is_nan() { f64::NAN } else { largest.max(value.abs()) }
                },
            )
        };
        largest(&rest) <= 1e-9 * largest(&applied)
    })
}
