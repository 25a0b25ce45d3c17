//! Dormand-Prince 5(4) (DOPRI5), first same as last (J. R. Dormand, P. J. Prince, *J. Comput. Appl.
//! Math.* 6 (1980) 19–26).

/// Nodes.
pub(crate) const C: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

/// Stage weights; the last row is the solution of order 5.
pub(crate) const A: [&[f64]; 7] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Weights of the embedded solution of order 4.
pub(crate) const B_HAT: [f64; 7] =
    [5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0, -92097.0 / 339200.0, 187.0 / 2100.0, 1.0 / 40.0];

/// Dense output of order 4 (Hairer, Nørsett & Wanner, *Solving ODEs I*, II.6).
pub(crate) const D: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_sum_to_their_nodes() {
        for (row, c) in A.iter().zip(C) {
            assert!((row.iter().sum::<f64>() - c).abs() < 1e-15);
        }
        assert!((B_HAT.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!(D.iter().sum::<f64>().abs() < 1e-14);
        assert!(D.iter().zip(C).map(|(d, c)| d * c).sum::<f64>().abs() < 1e-14);
    }
}
