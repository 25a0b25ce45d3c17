//! The linear systems of Newton's method (σB − F') Δ = r, one real and one complex.

use super::unknowns::Unknowns;
use crate::linalg::{Lu, Number, Saddle, Singular};
use crate::plant::Plant;
use crate::state::State;
use crate::{Layout, NotGenerated};
use std::vec;
use std::vec::Vec;

/// Derivatives at one state, shared by the systems of all step sizes.
#[derive(Debug)]
pub(super) struct Linearisation {
    unknowns: Unknowns,
    /// Of f − M w − Gᵀλ, g, G v + c and a by p, v, x and u.
    jacobian: Vec<f64>,
    rows: usize,
    mass_matrix: Vec<f64>,
    /// T.
    kinematic_matrix: Vec<f64>,
    /// Y = M⁻¹Gᵀ of the holonomic rows, n_v × n_g.
    pub(super) metric: Vec<f64>,
    quaternions: Vec<Turning>,
    /// What holds the multipliers λ and μ of redundant combinations of rows at zero.
    redundant: [Vec<f64>; 2],
    /// M + s GᵀG where M is singular.
    augmented: Vec<f64>,
    saddle: Saddle,
}

/// A quaternion q' = q∘(0, ω)/2 where the derivatives were taken.
#[derive(Debug, Clone, Copy)]
struct Turning {
    p: usize,
    v: usize,
    half_omega: [f64; 3],
}

/// Why there are no derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NoLinearisation {
    NotGenerated,
    Singular(Singular),
}

impl From<NotGenerated> for NoLinearisation {
    fn from(_: NotGenerated) -> Self {
        Self::NotGenerated
    }
}

impl Linearisation {
    pub(super) fn new(layout: &Layout, unknowns: &Unknowns) -> Self {
        let (n_p, n_v) = (layout.n_p(), layout.n_v());
        let rows = layout.jacobian_rows();
        let turning = layout.quaternions.iter().map(|quaternion| Turning {
            p: quaternion.p as usize,
            v: quaternion.v as usize,
            half_omega: [0.0; 3],
        });
        Self {
            unknowns: unknowns.clone(),
            jacobian: vec![0.0; rows * layout.jacobian_columns()],
            rows,
            mass_matrix: vec![0.0; n_v * n_v],
            kinematic_matrix: vec![0.0; n_p * n_v],
            metric: vec![0.0; n_v * layout.n_g],
            quaternions: turning.collect(),
            redundant: [layout.n_lambda(), layout.n_g].map(|rows| vec![0.0; rows * rows]),
            augmented: vec![0.0; n_v * n_v],
            saddle: Saddle::new(n_v, 0),
        }
    }

    /// Takes the derivatives at a state with its rates.
    pub(super) fn take(&mut self, plant: &mut Plant<'_>, state: &State) -> Result<(), NoLinearisation> {
        let State { t, p, v, x, v_dot, lambda, .. } = state;
        plant.at(*t, p, v, x, |system, at| {
            system.kinematic_matrix(at, &mut self.kinematic_matrix);
            system.jacobian(at, v_dot, lambda, &mut self.jacobian)
        })?;
        plant.eval_mass_and_jacobian(*t, p, v, x);
        plant.statistics.jacobians += 1;
        self.mass_matrix.copy_from_slice(&plant.mass_matrix);
        for turning in &mut self.quaternions {
            turning.half_omega = core::array::from_fn(|k| 0.5 * v[turning.v + k]);
        }
        let (n_v, n_lambda, n_g) = (v.len(), lambda.len(), self.unknowns.mu.len());
        let redundancy = plant.redundancy();
        for column in self.jacobian.chunks_exact_mut(self.rows.max(1)) {
            redundancy.holonomic().apply(&mut column[n_v..n_v + n_g]);
            redundancy.all().apply(&mut column[n_v + n_g..n_v + n_g + n_lambda]);
        }
        for (own, reduction) in self.redundant.iter_mut().zip([redundancy.all(), redundancy.holonomic()]) {
            own.fill(0.0);
            own.iter_mut().zip(reduction.block()).for_each(|(own, entry)| *own = *entry);
        }
        if !self.metric.is_empty() {
            self.factor_metric(&plant.constraint_jacobian)?;
        }
        for (row, column) in self.metric.chunks_exact_mut(n_v.max(1)).enumerate() {
            for (i, entry) in column.iter_mut().enumerate() {
                *entry = plant.constraint_jacobian[i * n_lambda + row];
            }
            self.saddle.solve(column);
        }
        Ok(())
    }

    /// Factors M, or where it is singular M + s GᵀG, which is definite where M is on the
    /// motions the constraints allow. Both span the same directions M⁻¹Gᵀ where M is regular.
    fn factor_metric(&mut self, jacobian: &[f64]) -> Result<(), NoLinearisation> {
        if self.saddle.factor(&self.mass_matrix, &[], 0).is_ok() {
            return Ok(());
        }
        let n_v = self.unknowns.v.len();
        let columns = || jacobian.chunks_exact(self.unknowns.lambda.len().max(1));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let inertia: f64 = self.mass_matrix.iter().step_by(n_v + 1).sum();
        let gradients: f64 = columns().map(|column| dot(column, column)).sum();
        // Sizes that can be compared; M may be zero as a whole.
        let scale = if inertia > 0.0 && gradients > 0.0 { inertia / gradients } else { 1.0 };
        self.augmented.copy_from_slice(&self.mass_matrix);
        for (i, row) in columns().enumerate() {
            for (j, column) in columns().enumerate() {
                self.augmented[j * n_v + i] += scale * dot(row, column);
            }
        }
        self.saddle.factor(&self.augmented, &[], 0).map_err(NoLinearisation::Singular)
    }

    /// A column of the derivatives.
    fn column(&self, index: usize) -> &[f64] {
        &self.jacobian[index * self.rows..(index + 1) * self.rows]
    }

    /// (σ − ∂(T v)/∂p)⁻¹ r, in place. Apart from quaternions, T is constant.
    fn advance<T: Number>(&self, sigma: T, r: &mut [T]) {
        for turning in &self.quaternions {
            // The matrix of q ↦ q∘(0, ω)/2 has the square −|ω/2|², so σ minus it is inverted by
            // σ plus it over σ² + |ω/2|².
            let [a, b, c] = turning.half_omega.map(T::from);
            let scale = sigma / (sigma * sigma + a * a + b * b + c * c);
            let q = &mut r[turning.p..turning.p + 4];
            let [w, x, y, z] = [q[0], q[1], q[2], q[3]];
            // σ times the inverse; the common division by σ follows.
            q[0] = scale * (sigma * w - (x * a + y * b + z * c));
            q[1] = scale * (sigma * x + (w * a + y * c - z * b));
            q[2] = scale * (sigma * y + (w * b + z * a - x * c));
            q[3] = scale * (sigma * z + (w * c + x * b - y * a));
        }
        for r in r {
            *r = *r / sigma;
        }
    }
}

/// The system of one σ, reduced to v, x, λ and μ.
///
/// With A = σ − ∂(T v)/∂p the first two blocks of rows give Δp = A⁻¹(r₁ + T(Δv − YΔμ)) and
/// Δw = σΔv − r₂; what remains has n_v + n_x + n_λ + n_g rows.
#[derive(Debug)]
pub(super) struct Reduced<T> {
    sigma: T,
    lu: Lu<T>,
    /// A⁻¹ T, n_p × n_v.
    advance: Vec<T>,
    /// What each row was multiplied with.
    row_scales: Vec<f64>,
    /// λ in units that keep its columns as large as the others.
    lambda_scale: f64,
    right: Vec<T>,
    positions: Vec<T>,
    velocities: Vec<T>,
}

impl<T: Number> Reduced<T> {
    pub(super) fn new(unknowns: &Unknowns) -> Self {
        let zero = T::from(0.0);
        let (n_p, n_v) = (unknowns.p.len(), unknowns.v.len());
        let n = n_v + unknowns.x.len() + unknowns.lambda.len() + unknowns.mu.len();
        Self {
            sigma: zero,
            lu: Lu::new(n),
            advance: vec![zero; n_p * n_v],
            row_scales: vec![0.0; n],
            lambda_scale: 1.0,
            right: vec![zero; n],
            positions: vec![zero; n_p],
            velocities: vec![zero; n_v],
        }
    }

    /// Factors the system. Where it is singular all the same, unknowns that cannot be determined
    /// stay zero.
    pub(super) fn factor(&mut self, linearisation: &Linearisation, sigma: T) {
        self.sigma = sigma;
        self.assemble(linearisation);
        if !self.lu.factor() {
            self.assemble(linearisation);
            self.lu.factor_with_full_pivoting();
        }
    }

    fn assemble(&mut self, linearisation: &Linearisation) {
        let Unknowns { p, v, x, lambda, mu, .. } = &linearisation.unknowns;
        let (n_p, n_v, n_x, n_lambda, n_g) = (p.len(), v.len(), x.len(), lambda.len(), mu.len());
        let n = self.right.len();
        let sigma = self.sigma;
        let zero = T::from(0.0);
        for (to, from) in self.advance.iter_mut().zip(&linearisation.kinematic_matrix) {
            *to = T::from(*from);
        }
        for column in self.advance.chunks_exact_mut(n_p.max(1)) {
            linearisation.advance(sigma, column);
        }

        let matrix = self.lu.matrix();
        matrix.fill(zero);
        let (by_v, rest) = matrix.split_at_mut(n * n_v);
        let (by_x, rest) = rest.split_at_mut(n * n_x);
        let (by_lambda, by_mu) = rest.split_at_mut(n * n_lambda);
        // First ∂F/∂p · A⁻¹T alone: it also multiplies Y Δμ.
        for (out, advance) in by_v.chunks_exact_mut(n.max(1)).zip(self.advance.chunks_exact(n_p.max(1))) {
            for (k, factor) in advance.iter().enumerate().filter(|(_, factor)| **factor != zero) {
                add(out, *factor, linearisation.column(k));
            }
        }
        let metric = linearisation.metric.chunks_exact(n_v.max(1));
        for (out, metric) in by_mu.chunks_exact_mut(n.max(1)).zip(metric) {
            for (column, factor) in by_v.chunks_exact(n).zip(metric) {
                for (out, entry) in out.iter_mut().zip(column) {
                    *out = *out + *entry * T::from(*factor);
                }
            }
        }
        for (j, out) in by_v.chunks_exact_mut(n.max(1)).enumerate() {
            for (out, entry) in out.iter_mut().zip(linearisation.column(n_p + j)) {
                *out = -(*out + T::from(*entry));
            }
            add(&mut out[..n_v], sigma, &linearisation.mass_matrix[j * n_v..(j + 1) * n_v]);
        }
        let auxiliary = n_v + n_g + n_lambda;
        for (j, out) in by_x.chunks_exact_mut(n.max(1)).enumerate() {
            add(out, T::from(-1.0), linearisation.column(n_p + n_v + j));
            out[auxiliary + j] = out[auxiliary + j] + sigma;
        }
        self.lambda_scale = sigma.size();
        for (i, out) in by_lambda.chunks_exact_mut(n.max(1)).enumerate() {
            for (j, out) in out[..n_v].iter_mut().enumerate() {
                // G is the derivative of G v + c by v.
                *out = T::from(self.lambda_scale * linearisation.column(n_p + j)[n_v + n_g + i]);
            }
        }
        let [lambda_block, mu_block] = &linearisation.redundant;
        for (out, block) in
            by_lambda.chunks_exact_mut(n.max(1)).zip(lambda_block.chunks_exact(n_lambda.max(1)))
        {
            add(&mut out[n_v + n_g..auxiliary], T::from(self.lambda_scale), block);
        }
        for (out, block) in by_mu.chunks_exact_mut(n.max(1)).zip(mu_block.chunks_exact(n_g.max(1))) {
            add(&mut out[n_v..n_v + n_g], T::from(1.0), block);
        }

        self.row_scales.fill(0.0);
        for column in matrix.chunks_exact(n.max(1)) {
            for (scale, entry) in self.row_scales.iter_mut().zip(column) {
                *scale = entry.size().max(*scale);
            }
        }
        for scale in &mut self.row_scales {
            *scale = if *scale > 0.0 { 1.0 / *scale } else { 1.0 };
        }
        for column in matrix.chunks_exact_mut(n.max(1)) {
            for (entry, scale) in column.iter_mut().zip(&self.row_scales) {
                *entry = *entry * T::from(*scale);
            }
        }
    }

    /// Overwrites right-hand sides, one per unknown, with the solution.
    pub(super) fn solve(&mut self, linearisation: &Linearisation, r: &mut [T]) {
        let Unknowns { p, v, x, w, lambda, mu } = &linearisation.unknowns;
        let (n_p, n_v, n_x) = (p.len(), v.len(), x.len());
        self.positions.copy_from_slice(&r[p.clone()]);
        linearisation.advance(self.sigma, &mut self.positions);
        let mut rows = self.right.iter_mut();
        for part in [w, mu, lambda, x] {
            for (r, right) in r[part.clone()].iter().zip(&mut rows) {
                *right = *r;
            }
        }
        for (k, position) in self.positions.iter().enumerate() {
            add(&mut self.right, *position, linearisation.column(k));
        }
        for (column, r) in linearisation.mass_matrix.chunks_exact(n_v.max(1)).zip(&r[v.clone()]) {
            add(&mut self.right[..n_v], *r, column);
        }
        for (right, scale) in self.right.iter_mut().zip(&self.row_scales) {
            *right = *right * T::from(*scale);
        }
        self.lu.solve(&mut self.right);

        let (by_v, rest) = self.right.split_at(n_v);
        let (by_x, rest) = rest.split_at(n_x);
        let (by_lambda, by_mu) = rest.split_at(lambda.len());
        for (k, solution) in by_v.iter().enumerate() {
            r[w.start + k] = self.sigma * *solution - r[v.start + k];
        }
        r[v.clone()].copy_from_slice(by_v);
        r[x.clone()].copy_from_slice(by_x);
        r[mu.clone()].copy_from_slice(by_mu);
        for (r, solution) in r[lambda.clone()].iter_mut().zip(by_lambda) {
            *r = *solution * T::from(self.lambda_scale);
        }
        self.velocities.copy_from_slice(by_v);
        for (column, factor) in linearisation.metric.chunks_exact(n_v.max(1)).zip(by_mu) {
            add(&mut self.velocities, -*factor, column);
        }
        let out = &mut r[p.clone()];
        out.copy_from_slice(&self.positions);
        for (column, factor) in self.advance.chunks_exact(n_p.max(1)).zip(&self.velocities) {
            for (out, entry) in out.iter_mut().zip(column) {
                *out = *out + *entry * *factor;
            }
        }
    }
}

/// y += factor · x
fn add<T: Number>(y: &mut [T], factor: T, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = *y + factor * T::from(*x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Names, Quaternion};
    use nalgebra::Complex;

    /// The reduced system solves the whole one, written out densely, for real and complex σ,
    /// with a quaternion, an auxiliary state, a holonomic and a non-holonomic row.
    #[test]
    fn the_reduced_system_is_the_whole_one() {
        check(3.0, |value| value);
        check(Complex::new(2.0, 3.0), |value| value);
    }

    fn layout() -> Layout {
        Layout {
            positions: Names::from_static(&["a", "q0", "q1", "q2", "q3"]),
            velocities: Names::from_static(&["a", "wx", "wy", "wz"]),
            states: Names::from_static(&["s"]),
            rows: Names::from_static(&["g", "n"]),
            n_g: 1,
            quaternions: vec![Quaternion { p: 1, v: 1 }].into(),
            ..Layout::default()
        }
    }

    /// Numbers without a pattern.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        }
    }

    fn check<T: Number + core::fmt::Debug>(sigma: T, number: impl Fn(T) -> T) {
        let layout = layout();
        let unknowns = Unknowns::new(&layout);
        let mut next = numbers(7);
        let mut linearisation = Linearisation::new(&layout, &unknowns);
        let (n_p, n_v) = (5, 4);
        linearisation.jacobian.fill_with(&mut next);
        for i in 0..n_v {
            for j in 0..=i {
                let entry = if i == j { 3.0 } else { 0.3 * next() };
                linearisation.mass_matrix[i * n_v + j] = entry;
                linearisation.mass_matrix[j * n_v + i] = entry;
            }
        }
        linearisation.metric.fill_with(&mut next);
        let (q, omega) = ([0.5, -0.5, 0.7, 0.1], [0.4, -1.2, 0.9]);
        linearisation.quaternions[0].half_omega = omega.map(|omega| 0.5 * omega);
        let t = |q: [f64; 4]| {
            let [w, x, y, z] = q;
            [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]].map(|column| column.map(|entry| 0.5 * entry))
        };
        linearisation.kinematic_matrix[0] = 1.0;
        for (k, column) in t(q).into_iter().enumerate() {
            linearisation.kinematic_matrix[(k + 1) * n_p + 1..(k + 2) * n_p].copy_from_slice(&column);
        }

        // The whole matrix σB − F'.
        let n = unknowns.len();
        let zero = T::from(0.0);
        let mut whole = vec![zero; n * n];
        let mut add = |row: usize, column: usize, value: T| {
            whole[column * n + row] = whole[column * n + row] + value;
        };
        (0..unknowns.differential()).for_each(|k| add(k, k, sigma));
        for k in 0..4 {
            let mut unit = [0.0; 4];
            unit[k] = 1.0;
            for (column, omega) in t(unit).into_iter().zip(omega) {
                column
                    .iter()
                    .enumerate()
                    .for_each(|(row, entry)| add(1 + row, 1 + k, T::from(-entry * omega)));
            }
        }
        for j in 0..n_v {
            for i in 0..n_p {
                let entry = linearisation.kinematic_matrix[j * n_p + i];
                add(i, unknowns.v.start + j, T::from(-entry));
                add(i, unknowns.mu.start, T::from(entry * linearisation.metric[j]));
            }
            add(unknowns.v.start + j, unknowns.w.start + j, T::from(-1.0));
            for i in 0..n_v {
                add(
                    unknowns.w.start + i,
                    unknowns.w.start + j,
                    T::from(linearisation.mass_matrix[j * n_v + i]),
                );
            }
            for i in 0..2 {
                let entry = linearisation.column(n_p + j)[n_v + 1 + i];
                add(unknowns.w.start + j, unknowns.lambda.start + i, T::from(entry));
            }
        }
        let rows = unknowns.w.clone().chain(unknowns.mu.clone()).chain(unknowns.lambda.clone());
        for (row, place) in rows.chain(unknowns.x.clone()).enumerate() {
            for column in 0..n_p + n_v + 1 {
                add(place, column, T::from(-linearisation.column(column)[row]));
            }
        }

        let mut reduced = Reduced::new(&unknowns);
        reduced.factor(&linearisation, sigma);
        let right: Vec<T> = (0..n).map(|_| number(T::from(next()))).collect();
        let mut solution = right.clone();
        reduced.solve(&linearisation, &mut solution);
        for row in 0..n {
            let product = (0..n).fold(zero, |sum, column| sum + whole[column * n + row] * solution[column]);
            assert!((product - right[row]).size() < 1e-12, "row {row}: {product:?} {:?}", right[row]);
        }
    }
}
