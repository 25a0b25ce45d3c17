//! Singular poses on the way.

use crate::constraint::Weakest;
use std::vec::Vec;

/// A row of whose pivot less than this part is left stands at a singular pose, until it has
/// recovered.
const SINGULAR: f64 = 1e-5;
const RECOVERED: f64 = 1e-4;

/// Tells passages of singular poses from the weakest rows along the way.
#[derive(Debug)]
pub(super) struct SingularWatch {
    /// The worst since independence was lost: when, and which row.
    now: Option<(f64, Weakest)>,
    passed: Vec<(f64, usize)>,
}

impl SingularWatch {
    pub(super) fn new() -> Self {
        Self { now: None, passed: Vec::new() }
    }

    /// The weakest row of what was factored around time t.
    pub(super) fn note(&mut self, t: f64, weakest: Weakest) {
        if weakest.part < SINGULAR && self.now.is_none_or(|(_, now)| weakest.part < now.part) {
            self.now = Some((t, weakest));
        } else if weakest.part > RECOVERED {
            self.settle();
        }
    }

    /// The rank has grown: the start was a singular pose, and this row dependent there.
    pub(super) fn started_at(&mut self, t: f64, row: usize) {
        self.passed.insert(0, (t, row));
    }

    /// The row that is not independent now, if there is one.
    pub(super) fn current(&self) -> Option<usize> {
        self.now.map(|(_, weakest)| weakest.row)
    }

    /// All singular poses met, each with the row that depended on others.
    pub(super) fn finish(mut self) -> Vec<(f64, usize)> {
        self.settle();
        self.passed
    }

    fn settle(&mut self) {
        self.passed.extend(self.now.take().map(|(t, weakest)| (t, weakest.row)));
    }
}
