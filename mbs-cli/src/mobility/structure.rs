//! Which entries of G are zero by their form, whatever the pose: loops that share no coordinate
//! know nothing of each other.

use mbs_symbolic::program::{FunctionKind, Operand, Program};

/// The pattern of G.
#[derive(Debug)]
pub(super) struct Structure {
    /// For each row the columns that may be other than zero, increasing.
    pub(super) columns: Vec<Vec<usize>>,
    /// For each row the first row it shares a column with, itself at the latest: the envelope of
    /// G Gᵀ and of its Cholesky factor (George & Liu 1981, section 4.2).
    pub(super) first: Vec<usize>,
}

impl Structure {
    pub(super) fn of(program: &Program) -> Self {
        let rows = program.layout.rows.len();
        let entries = &program.function(FunctionKind::ConstraintJacobian).results[0].entries;
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); rows];
        for (place, entry) in entries.iter().enumerate() {
            if !matches!(entry, Operand::Constant(bits) if bits.get() == 0.0) {
                columns[place % rows].push(place / rows);
            }
        }
        Self::new(columns, program.layout.velocities.len())
    }

    pub(super) fn new(columns: Vec<Vec<usize>>, n_v: usize) -> Self {
        let mut first_of_column = vec![usize::MAX; n_v];
        let mut first = Vec::with_capacity(columns.len());
        for (row, own) in columns.iter().enumerate() {
            for &column in own {
                first_of_column[column] = first_of_column[column].min(row);
            }
            first.push(own.iter().map(|&column| first_of_column[column]).min().unwrap_or(row));
        }
        Self { columns, first }
    }

    /// Groups of rows that share columns only among themselves, each with its columns.
    pub(super) fn components(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let n = self.columns.len();
        let mut group: Vec<usize> = (0..n).collect();
        let mut row_of_column = std::collections::BTreeMap::new();
        for (row, own) in self.columns.iter().enumerate() {
            for &column in own {
                let other = *row_of_column.entry(column).or_insert(row);
                let (a, b) = (root(&mut group, row), root(&mut group, other));
                group[a.max(b)] = a.min(b);
            }
        }
        let mut place_of_root = vec![usize::MAX; n];
        let mut components: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for row in 0..n {
            let root = root(&mut group, row);
            if place_of_root[root] == usize::MAX {
                place_of_root[root] = components.len();
                components.push((Vec::new(), Vec::new()));
            }
            let (rows, columns) = &mut components[place_of_root[root]];
            rows.push(row);
            columns.extend(&self.columns[row]);
        }
        for (_, columns) in &mut components {
            columns.sort_unstable();
            columns.dedup();
        }
        components
    }
}

/// The representative of a row's group, with the way to it made shorter.
fn root(group: &mut [usize], mut row: usize) -> usize {
    while group[row] != row {
        group[row] = group[group[row]];
        row = group[row];
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_share_no_column_are_apart() {
        let structure = Structure::new(vec![vec![0, 1], vec![3], vec![1, 2], vec![3, 4], vec![]], 5);
        let expected = [(vec![0, 2], vec![0, 1, 2]), (vec![1, 3], vec![3, 4]), (vec![4], vec![])];
        assert_eq!(structure.components(), expected);
        assert_eq!(structure.first, [0, 1, 0, 1, 4]);
    }
}
