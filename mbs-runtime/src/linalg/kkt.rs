//! Accelerations and multipliers from the saddle-point (KKT) system [M Gᵀ; G 0].

use super::cholesky::{NotPositiveDefinite, cholesky, solve_lower, solve_lower_transposed};
use super::{add_scaled, dot, jacobi};
use mbs_math::sqrt;

/// Singular values of L⁻¹Gᵀ at least this much smaller than the next larger one
/// belong to redundant rows. Far above rounding, because near a singular pose the
/// small values of a state that is only nearly consistent are not small by much.
pub const RANK_GAP: f64 = 1e-6;

/// The linear system of the accelerations.
#[derive(Debug, Clone, Copy)]
pub struct Accelerations<'a> {
    /// M, n_v × n_v.
    pub mass_matrix: &'a [f64],
    /// f, n_v.
    pub forces: &'a [f64],
    /// G, n_λ × n_v.
    pub constraint_jacobian: &'a [f64],
    /// z, n_λ.
    pub acceleration_bias: &'a [f64],
}

/// Length of the workspace for [`accelerations`].
pub const fn workspace_len(n_v: usize, n_lambda: usize) -> usize {
    n_v * n_v + n_v * n_lambda + n_lambda * n_lambda + 2 * n_lambda
}

/// Solves M v' + Gᵀλ = f, G v' = −z and returns the rank of G.
///
/// With M = L Lᵀ and the singular values L⁻¹Gᵀ = U Σ Vᵀ:
///
/// ```text
/// λ  = V Σ⁻¹ y,   y = Uᵀ L⁻¹ f + Σ⁻¹ Vᵀ z                           (1)
/// v' = L⁻ᵀ (L⁻¹ f − U y)                                            (2)
/// ```
///
/// Only the singular values before a gap of [`RANK_GAP`] count, so that with redundant
/// rows v' is still unique and λ has minimum norm. The lengths of `v_dot` and `lambda`
/// are n_v and n_λ.
///
/// # Panics
/// If a slice is shorter than it must be.
pub fn accelerations(
    system: &Accelerations<'_>,
    workspace: &mut [f64],
    v_dot: &mut [f64],
    lambda: &mut [f64],
) -> Result<usize, NotPositiveDefinite> {
    let (n_v, n_lambda) = (v_dot.len(), lambda.len());
    let (l, workspace) = workspace.split_at_mut(n_v * n_v);
    let (a, workspace) = workspace.split_at_mut(n_v * n_lambda);
    let (v, workspace) = workspace.split_at_mut(n_lambda * n_lambda);
    let (sigma, workspace) = workspace.split_at_mut(n_lambda);
    let sorted = &mut workspace[..n_lambda];

    l.copy_from_slice(system.mass_matrix);
    cholesky(n_v, l)?;
    for (row, column) in a.chunks_exact_mut(n_v.max(1)).enumerate() {
        for (k, entry) in column.iter_mut().enumerate() {
            *entry = system.constraint_jacobian[row + k * n_lambda];
        }
        solve_lower(n_v, l, column);
    }
    v_dot.copy_from_slice(system.forces);
    solve_lower(n_v, l, v_dot);

    jacobi::orthogonalise(n_v, n_lambda, a, v);
    for (j, sigma) in sigma.iter_mut().enumerate() {
        let column = &a[j * n_v..(j + 1) * n_v];
        *sigma = sqrt(dot(column, column));
    }
    sorted.copy_from_slice(sigma);
    sorted.sort_unstable_by(|x, y| y.total_cmp(x));
    let rank = rank(sorted);
    let least = if rank == 0 { f64::INFINITY } else { sorted[rank - 1] };

    lambda.fill(0.0);
    for j in (0..n_lambda).filter(|&j| sigma[j] >= least) {
        let (u, v) = (&a[j * n_v..(j + 1) * n_v], &v[j * n_lambda..(j + 1) * n_lambda]);
        let y = (dot(u, v_dot) + dot(v, system.acceleration_bias)) / sigma[j];
        add_scaled(lambda, y / sigma[j], v); // (1)
        add_scaled(v_dot, -y / sigma[j], u); // (2)
    }
    solve_lower_transposed(n_v, l, v_dot);
    Ok(rank)
}

/// How many of the singular values, largest first, come before a gap.
fn rank(sorted: &[f64]) -> usize {
    let mut previous = match sorted.first() {
        Some(&largest) if largest > 0.0 => largest,
        _ => return 0,
    };
    for (index, &value) in sorted.iter().enumerate() {
        if value <= RANK_GAP * previous {
            return index;
        }
        previous = value;
    }
    sorted.len()
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn solve(m: &[f64], f: &[f64], g: &[f64], z: &[f64]) -> (Vec<f64>, Vec<f64>, usize) {
        let (mut v_dot, mut lambda) = (vec![0.0; f.len()], vec![0.0; z.len()]);
        let mut workspace = vec![0.0; workspace_len(f.len(), z.len())];
        let system =
            Accelerations { mass_matrix: m, forces: f, constraint_jacobian: g, acceleration_bias: z };
        let rank = accelerations(&system, &mut workspace, &mut v_dot, &mut lambda).unwrap();
        (v_dot, lambda, rank)
    }

    fn assert_close(a: &[f64], b: &[f64]) {
        assert!(a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-13), "{a:?} {b:?}");
    }

    const MASS: [f64; 9] = [3.0, 1.0, 0.5, 1.0, 4.0, -0.25, 0.5, -0.25, 2.0];

    #[test]
    fn the_equations_hold() {
        let g = [1.0, 0.5, 2.0, -1.0, 0.0, 3.0]; // 2 rows
        let (f, z) = ([1.0, -2.0, 0.5], [0.25, -1.0]);
        let (v_dot, lambda, rank) = solve(&MASS, &f, &g, &z);
        assert_eq!(rank, 2);
        for i in 0..3 {
            let row: f64 = (0..3).map(|j| MASS[i + 3 * j] * v_dot[j]).sum();
            assert!((row + g[2 * i] * lambda[0] + g[1 + 2 * i] * lambda[1] - f[i]).abs() < 1e-14);
        }
        for (i, z) in z.iter().enumerate() {
            let row: f64 = (0..3).map(|j| g[i + 2 * j] * v_dot[j]).sum();
            assert!((row + z).abs() < 1e-14);
        }
    }

    #[test]
    fn a_redundant_row_halves_the_multiplier() {
        let f = [1.0, -2.0, 0.5];
        let (v_dot, lambda, _) = solve(&MASS, &f, &[1.0, 2.0, -1.0], &[0.3]);
        let (v_twice, lambda_twice, rank) = solve(&MASS, &f, &[1.0, 1.0, 2.0, 2.0, -1.0, -1.0], &[0.3, 0.3]);
        assert_eq!(rank, 1);
        assert_close(&v_twice, &v_dot);
        assert_close(&lambda_twice, &[lambda[0] / 2.0, lambda[0] / 2.0]);
    }

    #[test]
    fn without_constraints_it_is_newton() {
        let (v_dot, _, rank) = solve(&[4.0], &[3.0], &[], &[]);
        assert_eq!((v_dot[0], rank), (0.75, 0));
        let (_, lambda, rank) = solve(&[2.0], &[3.0], &[0.0], &[0.0]);
        assert_eq!((lambda[0], rank), (0.0, 0));
    }

    #[test]
    fn a_body_without_mass_is_refused() {
        let system = Accelerations {
            mass_matrix: &[1.0, 1.0, 1.0, 1.0],
            forces: &[0.0, 0.0],
            constraint_jacobian: &[],
            acceleration_bias: &[],
        };
        let error = accelerations(&system, &mut [0.0; 4], &mut [0.0; 2], &mut []).unwrap_err();
        assert_eq!(error.row, 1);
    }
}
