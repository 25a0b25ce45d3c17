//! Conditioning of the constraint rows: how linearly independent they are of each other.

use crate::linalg::Saddle;
use std::vec;
use std::vec::Vec;

/// Where a row is this weak, a singular pose is near.
pub(crate) const NEAR_SINGULAR: f64 = 0.05;

/// A row and the part of its best pivot that is left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weakest {
    pub(crate) row: usize,
    /// 1 where the row is as independent of the others as it ever was, 0 where it follows
    /// from them.
    pub(crate) part: f64,
}

impl Weakest {
    const NONE: Self = Self { row: 0, part: 1.0 };
}

/// Compares the pivots of rows with the best they had: so rows of different units need no
/// common scale, and a row that vanishes is seen as well as one that follows from others.
/// Costs nothing beside a factorisation.
#[derive(Debug)]
pub(crate) struct RowConditioning {
    best: Vec<f64>,
    /// The same for the model's own solution, which takes the rows in another order.
    best_of_own: Vec<f64>,
    /// And for sparse factors.
    best_of_sparse: Vec<f64>,
    weakest: Weakest,
    /// The part left of the weakest row where last looked.
    last: f64,
}

impl RowConditioning {
    pub(crate) fn new(rows: usize) -> Self {
        let none = vec![0.0; rows];
        Self {
            best: none.clone(),
            best_of_own: none.clone(),
            best_of_sparse: none,
            weakest: Weakest::NONE,
            last: 1.0,
        }
    }

    /// Another motion begins.
    pub(crate) fn restart(&mut self) {
        self.best.fill(0.0);
        self.best_of_own.fill(0.0);
        self.best_of_sparse.fill(0.0);
        self.weakest = Weakest::NONE;
        self.last = 1.0;
    }

    /// Looks at what was just factored.
    pub(crate) fn look(&mut self, saddle: &Saddle) {
        let weakest = match saddle.lost_row() {
            Some(row) => Weakest { row, part: 0.0 },
            None if saddle.is_sparse() => compare(saddle.pivots(), &mut self.best_of_sparse),
            None => compare(saddle.pivots(), &mut self.best),
        };
        self.note(weakest);
    }

    /// Looks at the pivots of all rows.
    #[cfg(feature = "batch")]
    pub(crate) fn look_at_pivots(&mut self, pivots: impl Iterator<Item = f64>) {
        let weakest = compare(pivots, &mut self.best);
        self.note(weakest);
    }

    /// The part left of the weakest row since last taken.
    pub(crate) fn relative_pivot(&self) -> f64 {
        self.weakest.part
    }

    /// Looks at the pivots of rows in the model's own solution.
    pub(crate) fn look_at(&mut self, pivots: impl Iterator<Item = f64>) {
        let weakest = compare(pivots.map(|pivot| -pivot), &mut self.best_of_own);
        self.note(weakest);
    }

    /// Takes over what another knows of as many rows.
    #[cfg(feature = "batch")]
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.best.copy_from_slice(&other.best);
        self.best_of_own.copy_from_slice(&other.best_of_own);
        self.best_of_sparse.copy_from_slice(&other.best_of_sparse);
        self.weakest = other.weakest;
        self.last = other.last;
    }

    /// The part left of the weakest row where last looked.
    pub(crate) fn last(&self) -> f64 {
        self.last
    }

    /// The weakest row since last asked.
    pub(crate) fn take(&mut self) -> Weakest {
        core::mem::replace(&mut self.weakest, Weakest::NONE)
    }

    fn note(&mut self, weakest: Weakest) {
        self.last = weakest.part;
        if weakest.part < self.weakest.part {
            self.weakest = weakest;
        }
    }
}

/// The weakest of all rows; keeps the best pivots.
fn compare(pivots: impl Iterator<Item = f64>, best: &mut [f64]) -> Weakest {
    let mut weakest = Weakest::NONE;
    for (row, (pivot, best)) in pivots.zip(best).enumerate() {
        *best = best.max(pivot);
        if pivot < weakest.part * *best {
            weakest = Weakest { row, part: pivot / *best };
        }
    }
    weakest
}
