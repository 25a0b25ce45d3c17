//! Which motions can be held while the others meet the constraints.

use super::columns;
use crate::linalg::LARGE;
use std::vec;
use std::vec::Vec;

/// Smallest part of the largest pivot that counts as rank.
const RANK_TOLERANCE: f64 = 1e-9;

/// The columns of the first `n_rows` rows of G that can be taken out, in the order
/// listed, without losing rank.
pub(super) fn hold(g: &[f64], rows: usize, n_rows: usize, n_v: usize, listed: &[usize]) -> Vec<usize> {
    if listed.is_empty() {
        return Vec::new();
    }
    if n_v + n_rows >= LARGE {
        return hold_of_many(g, rows, n_rows, n_v, listed);
    }
    let mut held: Vec<usize> = Vec::new();
    let full = rank(g, rows, n_rows, &free(n_v, &held));
    for &column in listed {
        held.push(column);
        if rank(g, rows, n_rows, &free(n_v, &held)) < full {
            held.pop();
        }
    }
    held
}

/// As [`hold`] by one elimination: what does not add to the rank when columns are taken in the
/// reverse order of preference can be held.
fn hold_of_many(g: &[f64], rows: usize, n_rows: usize, n_v: usize, listed: &[usize]) -> Vec<usize> {
    let order: Vec<usize> = free(n_v, listed).into_iter().chain(listed.iter().rev().copied()).collect();
    let taken = columns::independent(g, rows, n_rows, &order, RANK_TOLERANCE);
    let preferred = order.iter().zip(taken).rev().take(listed.len());
    preferred.filter(|&(_, taken)| !taken).map(|(&column, _)| column).collect()
}

/// The columns that are not among those held.
pub(super) fn free(n_v: usize, held: &[usize]) -> Vec<usize> {
    let mut is_free = vec![true; n_v];
    held.iter().for_each(|&column| is_free[column] = false);
    (0..n_v).filter(|&column| is_free[column]).collect()
}

/// Rank of some columns of G by elimination with full pivoting.
fn rank(g: &[f64], rows: usize, n_rows: usize, columns: &[usize]) -> usize {
    if columns.len() + n_rows >= LARGE {
        let taken = columns::independent(g, rows, n_rows, columns, RANK_TOLERANCE);
        return taken.into_iter().filter(|taken| *taken).count();
    }
    let mut a: Vec<Vec<f64>> = columns.iter().map(|&j| g[j * rows..j * rows + n_rows].to_vec()).collect();
    let mut open: Vec<usize> = (0..n_rows).collect();
    let mut largest = 0.0_f64;
    for k in 0..n_rows.min(columns.len()) {
        let mut best = (k, 0, 0.0);
        for (j, column) in a.iter().enumerate().skip(k) {
            for (i, &row) in open.iter().enumerate() {
                if column[row].abs() > best.2 {
                    best = (j, i, column[row].abs());
                }
            }
        }
        largest = largest.max(best.2);
        if best.2 <= RANK_TOLERANCE * largest {
            return k;
        }
        a.swap(k, best.0);
        let row = open.swap_remove(best.1);
        let (done, rest) = a.split_at_mut(k + 1);
        let pivot = &done[k];
        for column in rest {
            let factor = column[row] / pivot[row];
            for &i in &open {
                column[i] -= factor * pivot[i];
            }
        }
    }
    n_rows.min(columns.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_held_as_few_are() {
        let mut seed = 7_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 16
        };
        for case in 0..200 {
            // Small integers and zeros: many columns depend on others.
            let (n_v, rows) = (8, 5);
            let g: Vec<f64> = (0..n_v * rows).map(|_| f64::from(random() % 5) - 2.0).collect();
            let g: Vec<f64> =
                g.into_iter().map(|entry| if entry.abs() > 1.0 { 0.0 } else { entry }).collect();
            let mut listed: Vec<usize> = (0..n_v).collect();
            listed.sort_by_key(|_| random());
            listed.truncate(2 + case % 7);
            for n_rows in [rows, rows - 1] {
                let expected = hold(&g, rows, n_rows, n_v, &listed);
                assert_eq!(hold_of_many(&g, rows, n_rows, n_v, &listed), expected, "{g:?} {listed:?}");
            }
        }
    }
}
