//! In which order the unknowns of a saddle-point matrix are eliminated, and what that fills.

use core::cmp::Reverse;
use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

/// The pattern of L of Q = [M Gᵀ; G 0] in an order that keeps it sparse.
///
/// Always the unknown that is coupled to fewest others is next, of several the last. A
/// row's turn comes after all velocities it constrains: then the factors exist without
/// pivoting wherever M is positive definite and G has full row rank (R. J. Vanderbei, *SIAM
/// J. Optim.* 5 (1995) 100–113), and velocities have positive pivots, rows negative ones.
#[derive(Debug, Clone)]
pub(super) struct Elimination {
    /// The unknown of each turn: below n_v a velocity, else a row.
    pub(super) order: Vec<usize>,
    /// Where the column of each turn begins among `below`; one more than there are turns.
    pub(super) columns: Vec<usize>,
    /// Turns below the diagonal of L, column by column, ascending.
    pub(super) below: Vec<usize>,
}

impl Elimination {
    /// For the patterns of M (one triangle or both) and of G, as rows and columns.
    pub(super) fn new(
        n_v: usize,
        n_lambda: usize,
        mass_pattern: &[(usize, usize)],
        jacobian_pattern: &[(usize, usize)],
    ) -> Self {
        let n = n_v + n_lambda;
        let mut around = vec![BTreeSet::new(); n];
        let mut waits_for = vec![0_usize; n];
        for &(i, j) in mass_pattern.iter().filter(|(i, j)| i != j) {
            around[i].insert(j);
            around[j].insert(i);
        }
        let mut constrains = vec![Vec::new(); n_v];
        for &(row, j) in jacobian_pattern {
            if around[j].insert(n_v + row) {
                around[n_v + row].insert(j);
                constrains[j].push(n_v + row);
                waits_for[n_v + row] += 1;
            }
        }

        let mut ready: BTreeSet<(usize, Reverse<usize>)> =
            (0..n).filter(|&k| waits_for[k] == 0).map(|k| (around[k].len(), Reverse(k))).collect();
        let mut order = Vec::with_capacity(n);
        let mut turn = vec![0; n];
        let mut later: Vec<Vec<usize>> = Vec::with_capacity(n);
        while let Some((_, Reverse(pivot))) = ready.pop_first() {
            let others = core::mem::take(&mut around[pivot]);
            if pivot < n_v {
                constrains[pivot].iter().for_each(|&row| waits_for[row] -= 1);
            }
            for &k in &others {
                ready.remove(&(around[k].len(), Reverse(k)));
                around[k].remove(&pivot);
                around[k].extend(others.iter().copied().filter(|&other| other != k));
                if waits_for[k] == 0 {
                    ready.insert((around[k].len(), Reverse(k)));
                }
            }
            turn[pivot] = order.len();
            order.push(pivot);
            later.push(others.into_iter().collect());
        }

        let (mut columns, mut below) = (vec![0], Vec::new());
        for others in later {
            let begin = below.len();
            below.extend(others.into_iter().map(|unknown| turn[unknown]));
            below[begin..].sort_unstable();
            columns.push(below.len());
        }
        Self { order, columns, below }
    }

    /// About how many multiplications a factorisation takes.
    pub(super) fn operations(&self) -> usize {
        let column = |pair: &[usize]| (pair[1] - pair[0]) * (pair[1] - pair[0] + 3) / 2;
        self.columns.windows(2).map(column).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_after_its_velocities() {
        let plan = Elimination::new(2, 1, &[(0, 0), (1, 1), (1, 0)], &[(0, 0), (0, 1)]);
        assert_eq!(plan.order, [1, 0, 2]);
        assert_eq!((&plan.columns[..], &plan.below[..]), (&[0, 2, 3, 3][..], &[1, 2, 2][..]));
    }

    #[test]
    fn loops_in_a_row_cost_the_same_each() {
        let cost = |n: usize| {
            let diagonal: Vec<_> = (0..n).map(|k| (k, k)).collect();
            let pairs: Vec<_> = (0..n - 1).flat_map(|k| [(k, k), (k, k + 1)]).collect();
            Elimination::new(n, n - 1, &diagonal, &pairs).operations()
        };
        assert_eq!(cost(200) - cost(100), cost(300) - cost(200));
    }
}
