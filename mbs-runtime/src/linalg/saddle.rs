//! Factors of the saddle-point matrix of constrained motion.

use super::ldlt::{DependentRow, assemble, ldlt, solve_ldlt};
use super::{Lu, SparseLdlt};
use std::vec;
use std::vec::Vec;

/// From so many unknowns on zeros are worth looking at.
pub(crate) const LARGE: usize = 64;

/// A sparse factorisation pays where it takes this many times fewer operations.
const WORTH_IT: usize = 4;

/// Q = [M Gᵀ; G 0], factored, with n_v + n_λ rows. Allocates only when it is made.
///
/// LDLᵀ without pivoting serves where M is positive definite and G has full row rank; of
/// large matrices whose patterns are known and mostly zero it takes and keeps only what is
/// not. Where a pivot is lost (a massless motion, rows that depend on each other at this
/// state) the matrix is factored again with full pivoting.
#[derive(Debug, Clone)]
pub struct Saddle {
    n_v: usize,
    n_lambda: usize,
    factors: Vec<f64>,
    general: Lu,
    sparse: Option<SparseLdlt>,
    kind: Kind,
    /// Pivots of rows in the sparse factors.
    row_pivots: Vec<f64>,
    /// The row whose pivot is lost, if LDLᵀ met one.
    lost_row: Option<usize>,
}

/// Which factors hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Dense,
    Sparse,
    Pivoted,
}

/// Q is singular beyond what a consistent right-hand side can mend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Singular {
    /// The velocity whose motion has no inertia and no constraint, if there is one.
    pub velocity: Option<usize>,
    /// A constraint row that depends on others, if that is the trouble.
    pub row: Option<usize>,
}

impl Saddle {
    /// Room for n_v velocities and n_λ rows.
    pub fn new(n_v: usize, n_lambda: usize) -> Self {
        let n = n_v + n_lambda;
        Self {
            n_v,
            n_lambda,
            factors: vec![0.0; n * n],
            general: Lu::new(n),
            sparse: None,
            kind: Kind::Dense,
            row_pivots: Vec::new(),
            lost_row: None,
        }
    }

    /// As [`new`](Self::new), knowing which entries of M and of the first n_λ rows of G are not
    /// always zero, as rows and columns; both must be whole. Without a pattern of M, or of G where
    /// it has rows, nothing is known.
    pub fn with_patterns(
        n_v: usize,
        n_lambda: usize,
        mass_pattern: &[(usize, usize)],
        jacobian_pattern: &[(usize, usize)],
    ) -> Self {
        let sparse = worthwhile(n_v, n_lambda, mass_pattern, jacobian_pattern);
        let row_pivots = vec![0.0; if sparse.is_some() { n_lambda } else { 0 }];
        Self { sparse, row_pivots, ..Self::new(n_v, n_lambda) }
    }

    /// The factors that take only what is not zero, where there are such.
    #[cfg(test)]
    pub(crate) fn sparse(&mut self) -> Option<&mut SparseLdlt> {
        self.sparse.as_mut()
    }

    /// Factors Q for M (n_v × n_v) and G (`rows` × n_v, of which the first n_λ rows are
    /// taken), both column-major.
    pub fn factor(&mut self, m: &[f64], g: &[f64], rows: usize) -> Result<(), Singular> {
        self.factor_reduced(m, g, rows, &[])
    }

    /// As [`factor`](Self::factor), with `block` (n_λ × n_λ, or empty for zero) subtracted
    /// from the lower right block: what takes the place of redundant rows.
    pub fn factor_reduced(
        &mut self,
        m: &[f64],
        g: &[f64],
        rows: usize,
        block: &[f64],
    ) -> Result<(), Singular> {
        let (n_v, n_lambda) = (self.n_v, self.n_lambda);
        self.lost_row = None;
        let mut lost_row = None;
        // With redundant rows taken out Q has no zeros to speak of.
        if let Some(sparse) = self.sparse.as_mut().filter(|_| block.is_empty()) {
            match sparse.factor(m, g, rows) {
                Ok(()) => {
                    sparse.row_pivots(&mut self.row_pivots);
                    self.kind = Kind::Sparse;
                    return Ok(());
                }
                Err(lost) => lost_row = lost.index.checked_sub(n_v),
            }
        }
        assemble(n_v, n_lambda, m, g, rows, &mut self.factors);
        subtract_block(n_v, n_lambda, block, &mut self.factors);
        let outcome = ldlt(n_v, n_lambda, &mut self.factors, DependentRow::Refuse);
        self.lost_row = outcome.err().and_then(|lost| lost.index.checked_sub(n_v)).or(lost_row);
        self.kind = if outcome.is_ok() { Kind::Dense } else { Kind::Pivoted };
        if outcome.is_ok() {
            return Ok(());
        }
        assemble(n_v, n_lambda, m, g, rows, self.general.matrix());
        subtract_block(n_v, n_lambda, block, self.general.matrix());
        self.general.factor_with_full_pivoting();
        match self.general.lost_columns().iter().copied().min() {
            Some(velocity) if velocity < n_v => Err(Singular { velocity: Some(velocity), row: None }),
            _ => Ok(()),
        }
    }

    /// What of each row's square in the metric of M⁻¹ is independent of the rows before it:
    /// the pivots of G M⁻¹ Gᵀ, none where pivoting was needed. Sparse factors take rows and
    /// velocities in another order, and so have other pivots.
    pub fn pivots(&self) -> impl Iterator<Item = f64> {
        let n = self.n_v + self.n_lambda;
        let rows = if self.kind == Kind::Dense { self.n_v..n } else { 0..0 };
        let sparse = if self.kind == Kind::Sparse { &self.row_pivots[..] } else { &[] };
        rows.map(move |row| -self.factors[row * n + row]).chain(sparse.iter().copied())
    }

    /// Whether the factors that hold are sparse ones.
    pub fn is_sparse(&self) -> bool {
        self.kind == Kind::Sparse
    }

    /// The row that was found to depend on the rows before it, if any was.
    pub fn lost_row(&self) -> Option<usize> {
        self.lost_row
    }

    /// Overwrites `b`, n_v + n_λ long, with Q⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        match (self.kind, &mut self.sparse) {
            (Kind::Sparse, Some(sparse)) => sparse.solve(b),
            (Kind::Pivoted, _) => self.general.solve(b),
            _ => solve_ldlt(&self.factors, b),
        }
    }
}

/// Sparse factors for the patterns of M and G, where they are known and sparse factors pay.
pub(crate) fn worthwhile(
    n_v: usize,
    n_lambda: usize,
    mass_pattern: &[(usize, usize)],
    jacobian_pattern: &[(usize, usize)],
) -> Option<SparseLdlt> {
    let n = n_v + n_lambda;
    let is_known = !mass_pattern.is_empty() && (n_lambda == 0 || !jacobian_pattern.is_empty());
    if n < LARGE || !is_known {
        return None;
    }
    let sparse = SparseLdlt::new(n_v, n_lambda, mass_pattern, jacobian_pattern);
    (WORTH_IT * sparse.operations() <= n * n * n / 6).then_some(sparse)
}

/// Subtracts a block from the lower right of Q.
fn subtract_block(n_v: usize, n_lambda: usize, block: &[f64], q: &mut [f64]) {
    let n = n_v + n_lambda;
    for (j, column) in block.chunks_exact(n_lambda.max(1)).enumerate() {
        let start = (n_v + j) * n + n_v;
        super::add_scaled(&mut q[start..start + n_lambda], -1.0, column);
    }
}

impl super::Factors for Saddle {
    fn solve(&mut self, b: &mut [f64]) {
        self.solve(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASS: [f64; 9] = [3.0, 1.0, 0.5, 1.0, 4.0, -0.25, 0.5, -0.25, 2.0];

    fn residual(m: &[f64], g: &[f64], n_lambda: usize, x: &[f64], b: &[f64]) -> f64 {
        let n_v = x.len() - n_lambda;
        let mut worst = 0.0_f64;
        for i in 0..n_v {
            let mut sum: f64 = (0..n_v).map(|j| m[j * n_v + i] * x[j]).sum();
            sum += (0..n_lambda).map(|r| g[i * n_lambda + r] * x[n_v + r]).sum::<f64>();
            worst = worst.max((sum - b[i]).abs());
        }
        for r in 0..n_lambda {
            let sum: f64 = (0..n_v).map(|j| g[j * n_lambda + r] * x[j]).sum();
            worst = worst.max((sum - b[n_v + r]).abs());
        }
        worst
    }

    #[test]
    fn regular_systems_need_no_pivoting() {
        let g = [1.0, 0.5, 2.0, -1.0, 0.0, 3.0];
        let b = [1.0, -2.0, 0.5, 0.25, -1.0];
        let mut saddle = Saddle::new(3, 2);
        saddle.factor(&MASS, &g, 2).unwrap();
        assert_eq!(saddle.kind, Kind::Dense);
        let mut x = b;
        saddle.solve(&mut x);
        assert!(residual(&MASS, &g, 2, &x, &b) < 1e-14);
    }

    #[test]
    fn a_massless_motion_held_by_a_constraint_is_solved_with_pivoting() {
        let m = [2.0, 0.0, 0.0, 0.0];
        let g = [1.0, -3.0];
        let b = [1.0, 0.0, 0.5];
        let mut saddle = Saddle::new(2, 1);
        saddle.factor(&m, &g, 1).unwrap();
        assert_eq!(saddle.kind, Kind::Pivoted);
        let mut x = b;
        saddle.solve(&mut x);
        assert!(residual(&m, &g, 1, &x, &b) < 1e-14, "{x:?}");
    }

    #[test]
    fn a_massless_motion_that_nothing_holds_is_named() {
        let mut saddle = Saddle::new(2, 0);
        let error = saddle.factor(&[1.0, 0.0, 0.0, 0.0], &[], 0).unwrap_err();
        assert_eq!(error.velocity, Some(1));
    }

    #[test]
    fn dependent_rows_leave_the_accelerations_unique() {
        let g = [1.0, 1.0, 2.0, 2.0, -1.0, -1.0];
        let b = [1.0, -2.0, 0.5, -0.3, -0.3];
        let mut saddle = Saddle::new(3, 2);
        saddle.factor(&MASS, &g, 2).unwrap();
        let mut x = b;
        saddle.solve(&mut x);
        assert!(residual(&MASS, &g, 2, &x, &b) < 1e-13);
    }
}
