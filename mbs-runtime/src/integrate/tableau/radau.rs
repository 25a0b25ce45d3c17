//! Radau IIA with three stages, order 5 (E. Hairer, G. Wanner, *Solving ODEs II*, IV.5, IV.8).

/// √6.
const R: f64 = 2.449_489_742_783_178;

/// Nodes.
pub(crate) const C: [f64; 3] = [(4.0 - R) / 10.0, (4.0 + R) / 10.0, 1.0];

/// The real eigenvalue of the inverse of the Runge–Kutta matrix.
pub(crate) const GAMMA: f64 = 3.637_834_252_744_496;

/// Real and imaginary part of the pair of complex ones.
pub(crate) const ALPHA: f64 = 2.681_082_873_627_752;
pub(crate) const BETA: f64 = 3.050_430_199_247_410_6;

/// Columns span the invariant subspaces: T⁻¹ A⁻¹ T = [γ 0 0; 0 α −β; 0 β α].
pub(crate) const T: [[f64; 3]; 3] = [
    [0.091_232_394_870_892_95, -0.141_255_295_020_954_2, -0.030_029_194_105_147_424],
    [0.241_717_932_707_107, 0.204_129_352_293_799_94, 0.382_942_112_757_261_9],
    [0.966_048_182_615_093, 1.0, 0.0],
];

/// T⁻¹.
pub(crate) const T_INVERSE: [[f64; 3]; 3] = [
    [4.325_579_890_063_155, 0.339_199_251_815_809_84, 0.541_770_539_935_874_9],
    [-4.178_718_591_551_905, -0.327_682_820_761_062_37, 0.476_623_554_500_550_44],
    [-0.502_872_634_945_786_8, 2.571_926_949_855_605, -0.596_039_204_828_224_9],
];

/// Weights of the stages in the embedded formula of order 3.
pub(crate) const ERROR: [f64; 3] = [-(13.0 + 7.0 * R) / 3.0, (-13.0 + 7.0 * R) / 3.0, -1.0 / 3.0];

#[cfg(test)]
mod tests {
    use super::*;

    const A: [[f64; 3]; 3] = [
        [(88.0 - 7.0 * R) / 360.0, (296.0 - 169.0 * R) / 1800.0, (-2.0 + 3.0 * R) / 225.0],
        [(296.0 + 169.0 * R) / 1800.0, (88.0 + 7.0 * R) / 360.0, (-2.0 - 3.0 * R) / 225.0],
        [(16.0 - R) / 36.0, (16.0 + R) / 36.0, 1.0 / 9.0],
    ];

    fn product(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
        core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    }

    /// Collocation fixes the matrix; the transformation must make it block-diagonal.
    #[test]
    fn the_transformation_belongs_to_the_collocation_matrix() {
        for (row, c) in A.iter().zip(C) {
            for power in 1..=3 {
                let sum: f64 = row.iter().zip(C).map(|(a, c)| a * c.powi(power - 1)).sum();
                assert!((sum - c.powi(power) / f64::from(power)).abs() < 1e-15);
            }
        }
        // A T D = T, with D the block-diagonal form.
        let blocks = [[GAMMA, 0.0, 0.0], [0.0, ALPHA, -BETA], [0.0, BETA, ALPHA]];
        let left = product(product(A, T), blocks);
        let identity = product(T_INVERSE, T);
        for i in 0..3 {
            for j in 0..3 {
                assert!((left[i][j] - T[i][j]).abs() < 1e-14);
                assert!((identity[i][j] - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }

    /// bˆ = b + d A/γ with γ₀ on the start integrates 1, t, t² exactly.
    #[test]
    fn the_embedded_formula_has_order_3() {
        let weights: [f64; 3] =
            core::array::from_fn(|j| A[2][j] + (0..3).map(|i| ERROR[i] * A[i][j]).sum::<f64>() / GAMMA);
        for power in 1..=3 {
            let start = if power == 1 { 1.0 / GAMMA } else { 0.0 };
            let sum: f64 = weights.iter().zip(C).map(|(b, c)| b * c.powi(power - 1)).sum();
            assert!((sum + start - 1.0 / f64::from(power)).abs() < 1e-14);
        }
    }
}
