//! A basis among the columns of a large constraint Jacobian G (rank by pivoting).

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::vec;
use std::vec::Vec;

/// Which of `order` are independent of those taken before them, among the first `n_rows` rows of G
/// (`rows` × any, column-major): one flag for each. A column is dependent where elimination leaves
/// at most `tolerance` of the largest entry.
///
/// One elimination that keeps only what is not zero, with the columns in their order. Of the columns
/// taken only those are looked at whose row is not zero, so that loops in a row cost the same each.
pub(super) fn independent(
    g: &[f64],
    rows: usize,
    n_rows: usize,
    order: &[usize],
    tolerance: f64,
) -> Vec<bool> {
    let entries = |column: usize| &g[column * rows..column * rows + n_rows];
    let largest = |values: &[f64]| values.iter().fold(0.0, |largest, value| value.abs().max(largest));
    let least = tolerance * order.iter().map(|&column| largest(entries(column))).fold(0.0, f64::max);
    // The row of each column taken, and what it takes from the rows that are open then.
    let mut taken: Vec<(usize, Vec<(usize, f64)>)> = Vec::new();
    let mut taken_in = vec![None; n_rows];
    let mut rest = vec![0.0; n_rows];
    // Of the column that is looked at: the rows where it is not zero, or was not, and the columns
    // taken in them that are still to be taken out, the first one first.
    let mut noted = vec![false; n_rows];
    let mut rows_left: Vec<usize> = Vec::new();
    let mut due = BinaryHeap::new();
    let mut look = |&column: &usize| {
        if taken.len() == n_rows {
            return false;
        }
        for row in rows_left.drain(..) {
            (rest[row], noted[row]) = (0.0, false);
        }
        for (row, &value) in entries(column).iter().enumerate().filter(|(_, value)| **value != 0.0) {
            (rest[row], noted[row]) = (value, true);
            rows_left.push(row);
            due.extend(taken_in[row].map(Reverse));
        }
        while let Some(Reverse(earlier)) = due.pop() {
            let (row, below): &(usize, Vec<(usize, f64)>) = &taken[earlier];
            let factor = rest[*row];
            for &(row, l) in below {
                if !noted[row] {
                    noted[row] = true;
                    rows_left.push(row);
                    due.extend(taken_in[row].map(Reverse));
                }
                rest[row] -= l * factor;
            }
        }
        // In the order of rows, so that of equal entries the same one is the pivot.
        rows_left.sort_unstable();
        let is_open = |row: &&usize| taken_in[**row].is_none();
        let left = || {
            rows_left.iter().filter(is_open).map(|&row| (row, rest[row])).filter(|(_, value)| *value != 0.0)
        };
        let pivot = left().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
        let Some((row, pivot)) = pivot.filter(|(_, pivot)| pivot.abs() > least) else { return false };
        let below = left().filter(|&(other, _)| other != row).map(|(other, value)| (other, value / pivot));
        taken.push((row, below.collect()));
        taken_in[row] = Some(taken.len() - 1);
        true
    };
    order.iter().map(&mut look).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_follows_from_others_is_not_taken() {
        // Columns a, b, a − 2 b, c, and one too many.
        let g = [1.0, 0.0, 2.0, 0.0, 1.0, 1.0, 1.0, -2.0, 0.0, 0.0, 0.0, 3.0, 1.0, 1.0, 1.0];
        assert_eq!(independent(&g, 3, 3, &[0, 1, 2, 3, 4], 1e-9), [true, true, false, true, false]);
        assert_eq!(independent(&g, 3, 3, &[4, 2, 1, 0, 3], 1e-9), [true, true, true, false, false]);
        assert_eq!(independent(&g, 3, 2, &[3, 0, 1], 1e-9), [false, true, true], "two rows only");
    }
}
