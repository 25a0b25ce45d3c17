//! Memory for the values that travel between pieces.

use std::cell::RefCell;
use std::mem::MaybeUninit;

/// So many numbers, 8 KiB, are taken from the caller's stack.
const ON_STACK: usize = 1024;

thread_local! {
    /// For functions that need more; grows to the largest the thread has called and is
    /// then never allocated again.
    static LARGE: RefCell<Vec<MaybeUninit<f64>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with a pointer to `length` numbers, not initialised, that are its own
/// until it returns.
#[inline]
pub(super) fn with_scratch(length: usize, work: impl FnOnce(*mut f64)) {
    if length == 0 {
        work(std::ptr::null_mut());
    } else {
        with_some(length, work);
    }
}

/// Apart, so that functions that need none have a small frame of their own.
#[inline(never)]
fn with_some(length: usize, work: impl FnOnce(*mut f64)) {
    if length <= ON_STACK {
        let mut scratch = [const { MaybeUninit::<f64>::uninit() }; ON_STACK];
        work(scratch.as_mut_ptr().cast());
    } else {
        LARGE.with_borrow_mut(|scratch| {
            if scratch.len() < length {
                scratch.resize(length, MaybeUninit::uninit());
            }
            work(scratch.as_mut_ptr().cast());
        });
    }
}
