//! Work on several threads, results in order.

use core::num::NonZero;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::vec::Vec;

/// So many threads; for 0, as many as the machine runs at once.
pub(super) fn number(threads: usize) -> usize {
    if threads > 0 { threads } else { thread::available_parallelism().map_or(1, NonZero::get) }
}

/// Does `count` jobs on so many threads (0 for all there are) and returns what they give, in
/// order. Which thread does which job has no influence on the results.
pub fn run<T: Send>(count: usize, threads: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = number(threads).min(count);
    if threads <= 1 {
        return (0..count).map(job).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, job(index)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut done = worker();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_number_of_threads() {
        for threads in [0, 1, 2, 7] {
            let squares = run(100, threads, |index| index * index);
            assert!(squares.iter().enumerate().all(|(index, square)| *square == index * index));
        }
        assert!(run(0, 3, |index| index).is_empty());
    }
}
