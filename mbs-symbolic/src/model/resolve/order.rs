//! An order in which what is used comes first.

use crate::model::limits;

/// Orders `0..uses.len()` so that everything in `uses[i]` comes before `i`, keeping
/// file order where that leaves a choice. Circles are cut, and the first
/// few returned as chains.
pub(super) fn order(uses: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; uses.len()];
    let mut order = Vec::with_capacity(uses.len());
    let mut circles = Vec::new();
    for start in 0..uses.len() {
        if marks[start] != Mark::New {
            continue;
        }
        // The path from `start`, each with how many of its uses are followed.
        let mut path = vec![(start, 0)];
        marks[start] = Mark::Open;
        while let Some((item, followed)) = path.last_mut() {
            let item = *item;
            let Some(&next) = uses[item].get(*followed) else {
                marks[item] = Mark::Done;
                order.push(item);
                path.pop();
                continue;
            };
            *followed += 1;
            match marks[next] {
                Mark::New => {
                    marks[next] = Mark::Open;
                    path.push((next, 0));
                }
                // A file can hold so many circles that listing them would fill memory.
                Mark::Open if circles.len() == limits::CIRCLES => {}
                Mark::Open => {
                    let from = path.iter().position(|(item, _)| *item == next).unwrap_or(0);
                    circles.push(path[from..].iter().map(|(item, _)| *item).collect());
                }
                Mark::Done => {}
            }
        }
    }
    (order, circles)
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn uses_come_first() {
        assert_eq!(order(&[vec![2], vec![], vec![1]]), (vec![1, 2, 0], vec![]));
    }

    #[test]
    fn circles_are_chains() {
        let (all, circles) = order(&[vec![1], vec![2], vec![0], vec![3]]);
        assert_eq!(circles, [vec![0, 1, 2], vec![3]]);
        assert_eq!(all.len(), 4);
    }
}
