//! Order of elimination: minimum degree, rows after the velocities they constrain.

use std::collections::BTreeSet;

/// The unknowns in the order they are eliminated, each with the later ones it is coupled to,
/// in order.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// About how many operations the elimination takes, the solution included.
    pub(super) operations: usize,
}

/// Elimination of one unknown.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) pivot: usize,
    pub(super) later: Vec<usize>,
}

impl Plan {
    /// Always takes the unknown that is coupled to fewest others, of several the last, which
    /// from the tips of a tree inwards makes no new couplings. A row's turn comes after all
    /// velocities it constrains: then no pivot vanishes where M is positive definite and the
    /// rows are independent (Vanderbei 1995).
    ///
    /// `coupled` lists the others of each unknown; the first `n_v` are velocities. Those of `eliminated`
    /// are none of its business any more. `None` if elimination takes more operations than `most`.
    pub(super) fn new(
        coupled: &[BTreeSet<usize>],
        n_v: usize,
        eliminated: &BTreeSet<usize>,
        most: usize,
    ) -> Option<Self> {
        let mut around = coupled.to_vec();
        let mut waits_for: Vec<usize> =
            coupled.iter().enumerate().map(|(k, others)| if k < n_v { 0 } else { others.len() }).collect();
        let mut ready: BTreeSet<(usize, std::cmp::Reverse<usize>)> = (0..around.len())
            .filter(|&k| waits_for[k] == 0 && !eliminated.contains(&k))
            .map(|k| (around[k].len(), std::cmp::Reverse(k)))
            .collect();
        let mut plan = Self { steps: Vec::with_capacity(around.len()), operations: 0 };
        while let Some((_, std::cmp::Reverse(pivot))) = ready.pop_first() {
            let others = std::mem::take(&mut around[pivot]);
            let n = others.len();
            plan.operations = plan.operations.saturating_add(n * (n + 1) + 5 * n + 2);
            if plan.operations > most {
                return None;
            }
            for &k in &others {
                let before = (around[k].len(), std::cmp::Reverse(k));
                around[k].remove(&pivot);
                around[k].extend(others.iter().copied().filter(|&other| other != k));
                if pivot < n_v && k >= n_v && coupled[k].contains(&pivot) {
                    waits_for[k] -= 1;
                }
                if waits_for[k] == 0 {
                    ready.remove(&before);
                    ready.insert((around[k].len(), std::cmp::Reverse(k)));
                }
            }
            plan.steps.push(Step { pivot, later: others.into_iter().collect() });
        }
        Some(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::coupled;
    use super::*;

    fn planned(coupled: &[BTreeSet<usize>], n_v: usize) -> Plan {
        Plan::new(coupled, n_v, &BTreeSet::new(), usize::MAX).expect("no limit")
    }

    #[test]
    fn a_tree_is_eliminated_from_its_tips() {
        // 0 carries 1 and 2; 2 carries 3.
        let plan = planned(&coupled(4, &[(0, 1), (0, 2), (0, 3), (2, 3)]), 4);
        let order: Vec<usize> = plan.steps.iter().map(|step| step.pivot).collect();
        assert_eq!(order, [1, 3, 2, 0]);
        assert_eq!(plan.steps.iter().map(|step| step.later.len()).sum::<usize>(), 4, "nothing new");
    }

    #[test]
    fn a_row_comes_after_its_velocities() {
        let plan = planned(&coupled(3, &[(0, 1), (0, 2), (1, 2)]), 2);
        assert_eq!(plan.steps.iter().map(|step| step.pivot).collect::<Vec<_>>(), [1, 0, 2]);
    }

    #[test]
    fn loops_in_a_row_cost_the_same_each() {
        let cost = |n: usize| {
            // Row n + k constrains velocities k and k + 1.
            let pairs: Vec<_> = (0..n - 1).flat_map(|k| [(n + k, k), (n + k, k + 1)]).collect();
            planned(&coupled(2 * n - 1, &pairs), n).operations
        };
        assert_eq!(cost(200) - cost(100), cost(300) - cost(200));
    }

    /// What is too long is left at once: the first pivot of 2000 coupled unknowns says so.
    #[test]
    fn a_plan_that_is_too_long_is_left() {
        let all: Vec<BTreeSet<usize>> = (0..2000).map(|_| (0..2000).collect()).collect();
        assert!(Plan::new(&all, 2000, &BTreeSet::new(), 200_000).is_none());
        let pairs: Vec<_> = (0..9).map(|k| (k, k + 1)).collect();
        let operations = planned(&coupled(10, &pairs), 10).operations;
        assert!(Plan::new(&coupled(10, &pairs), 10, &BTreeSet::new(), operations).is_some());
        assert!(Plan::new(&coupled(10, &pairs), 10, &BTreeSet::new(), operations - 1).is_none());
    }
}
