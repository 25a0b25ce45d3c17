//! What a run costs: evaluations, factorisations, solutions, steps.

/// How often an integration asked for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Steps repeated with a smaller step size.
    pub rejected: u64,
    /// Evaluations of M.
    pub mass_matrix: u64,
    /// Evaluations of f.
    pub forces: u64,
    /// Evaluations of g.
    pub constraints: u64,
    /// Evaluations of G.
    pub constraint_jacobian: u64,
    /// Evaluations of z.
    pub acceleration_bias: u64,
    /// Factorisations of Q.
    pub factorisations: u64,
    /// Solutions with Q.
    pub solves: u64,
    /// Position projections (Simeon 1996, eq. 12a).
    pub position_projections: u64,
    /// Newton iterations of all position projections.
    pub projection_iterations: u64,
    /// Velocity projections (Simeon 1996, eq. 12b).
    pub velocity_projections: u64,
    /// Jacobians of the right-hand side.
    pub jacobians: u64,
    /// Changes of modes.
    pub events: u64,
}
