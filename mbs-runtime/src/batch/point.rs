//! Four states, and what a model reads beside them.

use super::group::Lane;
use super::linalg::NOTHING;
use super::{At4, f64x4};
use crate::Layout;
use mbs_math::lanes::{less, select, splat};
use std::vec;
use std::vec::Vec;

/// Zero in all lanes.
pub(super) const ZERO: f64x4 = splat(0.0);

/// p, v and x of four states.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) p: Vec<f64x4>,
    pub(super) v: Vec<f64x4>,
    pub(super) x: Vec<f64x4>,
}

impl Point {
    pub(super) fn new(layout: &Layout) -> Self {
        let [p, v, x] = [layout.n_p(), layout.n_v(), layout.n_x()].map(|n| vec![ZERO; n]);
        Self { p, v, x }
    }

    pub(super) fn parts(&self) -> [&[f64x4]; 3] {
        [&self.p, &self.v, &self.x]
    }

    /// Takes over another point where the mask holds.
    pub(super) fn take_where(&mut self, mask: f64x4, other: &Self) {
        for (part, own) in [&mut self.p, &mut self.v, &mut self.x].into_iter().enumerate() {
            for (own, other) in own.iter_mut().zip(other.parts()[part]) {
                *own = select(mask, *other, *own);
            }
        }
    }

    /// y = y₀ + h Σ weight · rate.
    pub(super) fn combine(&mut self, from: &Self, rates: &[Self], weights: &[f64], h: f64x4) {
        for (part, out) in [&mut self.p, &mut self.v, &mut self.x].into_iter().enumerate() {
            out.copy_from_slice(from.parts()[part]);
            for (rates, &weight) in rates.iter().zip(weights) {
                if weight != 0.0 {
                    let factor = h * splat(weight);
                    for (out, rate) in out.iter_mut().zip(rates.parts()[part]) {
                        *out += factor * *rate;
                    }
                }
            }
        }
    }
}

/// What a model reads beside the state.
#[derive(Debug)]
pub(super) struct Inputs {
    t: f64x4,
    u: Vec<f64x4>,
    pub(super) modes: Vec<f64x4>,
    pub(super) prepared: Vec<f64x4>,
    /// The samples whose parameters are in `prepared`.
    pub(super) samples: [Option<usize>; 4],
}

impl Inputs {
    pub(super) fn new(layout: &Layout) -> Self {
        let [u, modes, prepared] =
            [layout.n_u(), layout.modes.len(), layout.n_prepared].map(|n| vec![ZERO; n]);
        Self { t: ZERO, u, modes, prepared, samples: [None; 4] }
    }

    pub(super) fn at<'a>(&'a self, point: &'a Point) -> At4<'a> {
        let Self { t, u, modes, prepared, .. } = self;
        At4 { t: *t, p: &point.p, v: &point.v, x: &point.x, u, modes, prepared }
    }

    pub(super) fn set_time(&mut self, t: f64x4, lanes: &mut [Option<Lane<'_, '_>>; 4], source: [usize; 4]) {
        self.t = t;
        if self.u.is_empty() {
            return;
        }
        let times = t.to_array();
        for (lane, &from) in source.iter().enumerate() {
            if let Some(Lane { driver, .. }) = &mut lanes[from] {
                for (to, u) in self.u.iter_mut().zip(driver.plant.inputs(times[lane])) {
                    to.as_mut_array()[lane] = *u;
                }
            }
        }
    }
}

/// Puts a state into one lane.
pub(super) fn put(to: &mut [f64x4], lane: usize, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        to.as_mut_array()[lane] = *from;
    }
}

/// Takes a state out of one lane.
pub(super) fn take(from: &[f64x4], lane: usize, to: &mut [f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.as_array()[lane];
    }
}

/// h Σ weight · rate of one part.
pub(super) fn weighted_sums(rates: &[Point], part: usize, weights: [f64; 7], h: f64x4, out: &mut [f64x4]) {
    for (i, out) in out.iter_mut().enumerate() {
        let terms = rates.iter().zip(weights).map(|(rates, weight)| splat(weight) * rates.parts()[part][i]);
        *out = h * terms.fold(NOTHING, |sum, term| sum + term);
    }
}

/// Scales every quaternion to unit length where the mask holds.
pub(super) fn normalise(layout: &Layout, p: &mut [f64x4], lanes: f64x4) {
    for block in layout.quaternions.iter() {
        let start = block.p as usize;
        let q = &mut p[start..start + 4];
        let norm = q.iter().fold(NOTHING, |sum, q| sum + *q * *q).sqrt();
        let counts = lanes & less(ZERO, norm);
        for q in q {
            *q = select(counts, *q / norm, *q);
        }
    }
}
