//! After set-up no step allocates.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::System;
use mbs_runtime::integrate::{FixedStep, Formula, Held, METHODS, Motion, Projection, Stabilisation, method};
use mbs_runtime::linalg::Saddle;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use support::closed_forms::{Bead, KnifeEdge, Top};
use support::constrained::{Pendulum, SliderCrank, Twice, TwiceAsVelocity};
use support::{Mechanism, plant, start, tight};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts what a thread allocates.
struct Counting;

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: every call goes to the system's allocator with the arguments unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is going away has no counter any more, and nothing to count.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from the system's allocator with this layout.
        unsafe { Heap.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn the_counter_counts() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1.0; 10]))) > 0);
}

/// Steps of an adaptive method, kept or not, with dense output.
fn steps(system: &dyn System, name: &str) -> u64 {
    let mut plant = plant(system);
    let Ok(mut method) = method(name, system.layout()) else { return 0 };
    let mut state = start(&mut plant);
    let (mut next, mut between) = (state.clone(), state.clone());
    allocations(|| {
        for step in 0..20 {
            let projection = if step % 2 == 0 { Projection::EveryStep } else { Projection::Controlled };
            let settings = tight(projection);
            method.attempt(&mut plant, &state, 0.004, &settings, &mut next).unwrap();
            method.attempt(&mut plant, &state, 0.002, &settings, &mut next).unwrap();
            method.accepted(&mut plant);
            plant.track_rank(&next, true);
            method.prepare_dense(&mut plant, &state, &next).unwrap();
            method.interpolate(&state, &next, 0.3, &mut between);
            if step == 10 {
                method.restart();
            }
            std::mem::swap(&mut state, &mut next);
        }
    })
}

#[test]
fn adaptive_steps_do_not_allocate() {
    for name in METHODS {
        let systems: [&dyn System; 7] = [
            &Pendulum.model(),
            &SliderCrank.model(),
            &Bead.model(),
            &KnifeEdge.model(),
            &Top.model(),
            &Twice.model(),
            &TwiceAsVelocity.model(),
        ];
        for (index, system) in systems.into_iter().enumerate() {
            assert_eq!(steps(system, name), 0, "{name}, system {index}");
        }
    }
}

#[test]
fn sparse_factors_do_not_allocate() {
    let n = 100;
    let mass: Vec<_> = (0..n).map(|k| (k, k)).collect();
    let jacobian: Vec<_> = (0..n - 1).flat_map(|k| [(k, k), (k, k + 1)]).collect();
    let mut saddle = Saddle::with_patterns(n, n - 1, &mass, &jacobian);
    let (mut m, mut g, mut b) = (vec![0.0; n * n], vec![0.0; (n - 1) * n], vec![1.0; 2 * n - 1]);
    mass.iter().for_each(|&(row, column)| m[column * n + row] = 2.0);
    jacobian
        .iter()
        .for_each(|&(row, column)| g[column * (n - 1) + row] = if row == column { 1.0 } else { -0.5 });
    let count = allocations(|| {
        saddle.factor(&m, &g, n - 1).unwrap();
        saddle.solve(&mut b);
    });
    assert!(saddle.is_sparse());
    assert_eq!(count, 0);
}

#[test]
fn fixed_steps_do_not_allocate() {
    let system = SliderCrank.model();
    let mut workspace = vec![0.0; FixedStep::workspace_len(system.layout())];
    let (mut p, mut v) = ([0.0; 3], [0.0; 3]);
    system.initial(&[], &mut p, &mut v, &mut []);
    for formula in [Formula::Euler, Formula::Rk4] {
        let stabilisation = Stabilisation::Projection { iterations: 2 };
        let count = allocations(|| {
            let mut method = FixedStep::new(formula, stabilisation, system.layout(), &mut workspace).unwrap();
            let mut motion = Motion { t: 0.0, p: &mut p, v: &mut v, x: &mut [] };
            for _ in 0..50 {
                method.step(&system, &mut motion, &Held::default(), 1e-3).unwrap();
            }
        });
        assert_eq!(count, 0);
    }
}
