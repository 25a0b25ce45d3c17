//! Minimum degree ordering of a saddle-point matrix, and the fill-in it leads to.

use core::cmp::Reverse;
use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

/// When rows have their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// After all velocities and in their own order, which gives the pivots of G M⁻¹ Gᵀ.
    Last,
    /// Each as soon as no velocity that it constrains is left.
    Between,
}

/// Orders with rows last may take this many times the operations of others: their pivots say
/// more, as they are those of the dense factors.
const WORTH_KEEPING: usize = 4;

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
        let [last, between] = [Rows::Last, Rows::Between]
            .map(|rows| Self::with_rows(rows, n_v, n_lambda, mass_pattern, jacobian_pattern));
        if last.operations() <= WORTH_KEEPING * between.operations() { last } else { between }
    }

    /// With rows in their place.
    pub(super) fn with_rows(
        rows: Rows,
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
        let is_last = rows == Rows::Last;
        if is_last {
            ready.retain(|&(_, Reverse(k))| k < n_v);
            waits_for[n_v..].fill(usize::MAX);
        }
        // What the last pivot was coupled to, which is coupled to each other since.
        let mut coupled = BTreeSet::new();
        // Rows that wait for all velocities are never ready.
        let mut rows_last = n_v..if is_last { n } else { n_v };
        while let Some(pivot) =
            ready.pop_first().map(|(_, Reverse(pivot))| pivot).or_else(|| rows_last.next())
        {
            let others = core::mem::take(&mut around[pivot]);
            if pivot < n_v && !is_last {
                constrains[pivot].iter().for_each(|&row| waits_for[row] -= 1);
            }
            // In a dense matrix each pivot finds that there is nothing to add.
            let is_coupled = coupled.contains(&pivot) && others.len() + 1 == coupled.len();
            for &k in &others {
                ready.remove(&(around[k].len(), Reverse(k)));
                around[k].remove(&pivot);
                if !is_coupled {
                    around[k].extend(others.iter().copied().filter(|&other| other != k));
                }
                if waits_for[k] == 0 {
                    ready.insert((around[k].len(), Reverse(k)));
                }
            }
            coupled.clone_from(&others);
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

    /// Without what is known of complete graphs this takes minutes.
    #[test]
    fn unknowns_all_coupled_take_no_time() {
        let n = 1500;
        let mass: Vec<_> = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
        let plan = Elimination::with_rows(Rows::Between, n, 1, &mass, &[(0, 0), (0, 7)]);
        // The last first; those the row constrains, which are coupled to one more, before the row.
        let free = (0..n).rev().filter(|k| ![0, 7].contains(k));
        assert_eq!(plan.order, free.chain([7, 0, n]).collect::<Vec<_>>());
        assert_eq!(plan.below.len(), n * (n - 1) / 2 + 2);
    }

    #[test]
    fn a_row_comes_after_its_velocities() {
        let (mass, jacobian) = ([(0, 0), (1, 1), (1, 0)], [(0, 0), (0, 1)]);
        let plan = Elimination::with_rows(Rows::Between, 2, 1, &mass, &jacobian);
        assert_eq!(plan.order, [1, 0, 2]);
        assert_eq!((&plan.columns[..], &plan.below[..]), (&[0, 2, 3, 3][..], &[1, 2, 2][..]));
    }

    #[test]
    fn rows_in_between_keep_limbs_on_one_body_apart() {
        // Velocity 0 carries n limbs of two velocities, each held by a row.
        let cost = |rows: Rows, n: usize| {
            let limb = |k: usize| [(1 + 2 * k, 0), (2 + 2 * k, 0), (2 + 2 * k, 1 + 2 * k)];
            let mass: Vec<_> = (0..2 * n + 1).map(|k| (k, k)).chain((0..n).flat_map(limb)).collect();
            let jacobian: Vec<_> = (0..n).flat_map(|k| [(k, 1 + 2 * k), (k, 2 + 2 * k)]).collect();
            Elimination::with_rows(rows, 2 * n + 1, n, &mass, &jacobian).operations()
        };
        let [one, two, three] = [100, 200, 300].map(|n| cost(Rows::Between, n));
        assert_eq!(two - one, three - two);
        assert!(cost(Rows::Last, 200) > 10 * two);
    }

    #[test]
    fn loops_in_a_row_cost_the_same_each() {
        for rows in [Rows::Last, Rows::Between] {
            let cost = |n: usize| {
                let diagonal: Vec<_> = (0..n).map(|k| (k, k)).collect();
                let pairs: Vec<_> = (0..n - 1).flat_map(|k| [(k, k), (k, k + 1)]).collect();
                Elimination::with_rows(rows, n, n - 1, &diagonal, &pairs).operations()
            };
            assert_eq!(cost(200) - cost(100), cost(300) - cost(200), "{rows:?}");
        }
    }
}
